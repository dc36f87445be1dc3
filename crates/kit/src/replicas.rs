//! Replicas that follow the addresses of a name. A headless Service has one address per pod; who resolved its name once would
//! send everything to one of them. Where no name leads to all replicas, their addresses are listed.

use std::{
    collections::{HashMap, HashSet},
    net::{IpAddr, SocketAddr},
    sync::{
        Arc, Mutex, MutexGuard,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use anyhow::{Context as _, ensure};
use http::uri::Authority;
use tokio::{sync::watch, time::Instant};

/// How often the name is looked up again.
const EVERY: Duration = Duration::from_secs(5);
/// After a look-up that failed, while no address is known.
const SOON: Duration = Duration::from_millis(500);
/// So long nobody else goes to a replica that somebody is connecting to, while there are others: one whose machine is gone
/// answers nothing at all, and its address is known for a while yet. Doubles with each connection that is not made …
const REST: Duration = Duration::from_secs(5);
/// … as often as this, to 80 s.
const DOUBLINGS: u32 = 4;

/// Where replicas are found.
struct Place {
    host: String,
    port: u16,
}

impl Place {
    fn read(url: &str) -> anyhow::Result<Self> {
        let parsed = url::Url::parse(url).map_err(|e| anyhow::anyhow!("{url} is not an address: {e}"))?;
        ensure!(parsed.scheme() == "http", "{url} does not begin with http://");
        let host = parsed.host_str().with_context(|| format!("{url} names no host"))?;
        let port = parsed.port_or_known_default().with_context(|| format!("{url} names no port"))?;
        Ok(Self { host: host.trim_matches(['[', ']']).to_owned(), port })
    }

    /// `None` when the name cannot be looked up.
    async fn addresses(&self) -> Option<Vec<SocketAddr>> {
        match self.host.parse::<IpAddr>() {
            Ok(ip) => Some(vec![SocketAddr::new(ip, self.port)]),
            Err(_) => {
                tokio::net::lookup_host((self.host.as_str(), self.port)).await.ok().map(Iterator::collect)
            }
        }
    }
}

/// The addresses of all places; `None` when one of the names cannot be looked up.
async fn look_up(places: &[Place]) -> Option<HashSet<SocketAddr>> {
    let mut found = HashSet::new();
    for place in places {
        found.extend(place.addresses().await?);
    }
    Some(found)
}

/// One process of a service.
pub(crate) struct Replica {
    pub(crate) authority: Authority,
    standing: Mutex<Standing>,
}

#[derive(Default)]
struct Standing {
    /// Until then it is left alone.
    rests: Option<Instant>,
    /// Connections that were not made since the last that was.
    failed: u32,
}

impl Replica {
    fn at(addr: SocketAddr) -> Option<Arc<Self>> {
        Some(Arc::new(Self { authority: addr.to_string().parse().ok()?, standing: Mutex::default() }))
    }

    fn standing(&self) -> MutexGuard<'_, Standing> {
        self.standing.lock().expect("no holder panics")
    }

    /// Somebody connects. It counts as failed until there is a connection: whoever tries may be gone before.
    fn connecting(&self) {
        let mut standing = self.standing();
        standing.rests = Some(Instant::now() + REST * 2u32.pow(standing.failed.min(DOUBLINGS)));
        standing.failed += 1;
    }

    fn connected(&self) {
        *self.standing() = Standing::default();
    }

    /// How far others come before it: who rests comes last, and of them who has failed more often.
    fn behind(&self) -> u32 {
        let standing = self.standing();
        if standing.rests.is_some_and(|until| until > Instant::now()) { standing.failed } else { 0 }
    }
}

/// All that are known of a service. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Replicas {
    known: watch::Receiver<Vec<Arc<Replica>>>,
    turn: Arc<AtomicUsize>,
}

impl Replicas {
    /// All that `urls`, divided by commas, lead to, looked up for as long as anybody asks.
    ///
    /// # Errors
    /// When one of them is no `http://host:port`.
    pub(crate) fn follow(urls: &str) -> anyhow::Result<Self> {
        let places =
            urls.split(',').map(|url| Place::read(url.trim())).collect::<anyhow::Result<Vec<_>>>()?;
        let (tell, known) = watch::channel(Vec::new());
        tokio::spawn(async move {
            let mut last: HashMap<SocketAddr, Arc<Replica>> = HashMap::new();
            loop {
                // A failed look-up changes nothing: the last good addresses stay.
                if let Some(found) = look_up(&places).await
                    && (found.len() != last.len() || !found.iter().all(|addr| last.contains_key(addr)))
                {
                    last.retain(|addr, _| found.contains(addr));
                    for new in found {
                        if !last.contains_key(&new) {
                            last.extend(Replica::at(new).map(|replica| (new, replica)));
                        }
                    }
                    tell.send_replace(last.values().cloned().collect());
                }
                let pause = if last.is_empty() { SOON } else { EVERY };
                tokio::select! { () = tell.closed() => return, () = tokio::time::sleep(pause) => {} }
            }
        });
        Ok(Self { known, turn: Arc::default() })
    }

    /// The next in turn, rather one that does not rest; waits until one is known. `None` when none will be any more.
    pub(crate) async fn next(&self) -> Option<Arc<Replica>> {
        let turn = self.turn.fetch_add(1, Ordering::Relaxed);
        if let Some(chosen) = choose(&self.known.borrow(), turn) {
            return Some(chosen);
        }
        let mut coming = self.known.clone();
        let known = coming.wait_for(|known| !known.is_empty()).await.ok()?;
        choose(&known, turn)
    }

    /// Makes a connection to one of them, which rests meanwhile, and for a while when none is made.
    pub(crate) async fn connecting<T, E>(
        &self,
        to: Option<&Authority>,
        connection: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        let known = |replica: &&Arc<Replica>| Some(&replica.authority) == to;
        let replica = self.known.borrow().iter().find(known).cloned();
        if let Some(replica) = &replica {
            replica.connecting();
        }
        let made = connection.await?;
        if let Some(replica) = &replica {
            replica.connected();
        }
        Ok(made)
    }
}

/// The first in turn of those that are the least behind.
fn choose(known: &[Arc<Replica>], turn: usize) -> Option<Arc<Replica>> {
    let first = turn.checked_rem(known.len())?;
    known[first..].iter().chain(&known[..first]).min_by_key(|replica| replica.behind()).cloned()
}
