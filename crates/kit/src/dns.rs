//! A channel that follows the addresses of a name. A headless Service has one address per pod; a
//! channel that resolved once would send everything to one of them. Where no name leads to all replicas, their
//! addresses are listed.

use std::{
    collections::{HashMap, HashSet},
    net::{IpAddr, SocketAddr},
    time::Duration,
};

use tonic::transport::{Channel, Endpoint, channel::Change};

/// How often the name is looked up again.
const EVERY: Duration = Duration::from_secs(5);
/// After a look-up that failed, while no address is known.
const SOON: Duration = Duration::from_millis(500);

/// Where replicas are found.
struct Place {
    scheme: String,
    host: String,
    port: u16,
}

impl Place {
    fn read(url: &str) -> anyhow::Result<Self> {
        let parsed = url::Url::parse(url).map_err(|e| anyhow::anyhow!("{url} is not an address: {e}"))?;
        let host = parsed.host_str().ok_or_else(|| anyhow::anyhow!("{url} names no host"))?;
        let port = parsed.port_or_known_default().ok_or_else(|| anyhow::anyhow!("{url} names no port"))?;
        Ok(Self { scheme: parsed.scheme().to_owned(), host: host.trim_matches(['[', ']']).to_owned(), port })
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

/// The addresses of all places by their schemes; `None` when one of the names cannot be looked up.
async fn look_up(places: &[Place]) -> Option<HashMap<SocketAddr, &str>> {
    let mut found = HashMap::new();
    for place in places {
        found.extend(place.addresses().await?.into_iter().map(|addr| (addr, place.scheme.as_str())));
    }
    Some(found)
}

/// A channel to all that `urls`, divided by commas, lead to.
///
/// # Errors
/// When one of them is no `http(s)://host:port`.
pub(crate) fn balanced(urls: &str) -> anyhow::Result<Channel> {
    let places = urls.split(',').map(|url| Place::read(url.trim())).collect::<anyhow::Result<Vec<_>>>()?;
    let (channel, changes) = Channel::balance_channel::<SocketAddr>(16);

    tokio::spawn(async move {
        let mut known: HashSet<SocketAddr> = HashSet::new();
        loop {
            // A failed look-up changes nothing: the last good addresses stay.
            if let Some(found) = look_up(&places).await {
                for gone in known.iter().filter(|addr| !found.contains_key(addr)) {
                    if changes.send(Change::Remove(*gone)).await.is_err() {
                        return;
                    }
                }
                for (new, scheme) in found.iter().filter(|(addr, _)| !known.contains(addr)) {
                    let Some(endpoint) = endpoint(scheme, *new) else { continue };
                    if changes.send(Change::Insert(*new, endpoint)).await.is_err() {
                        return;
                    }
                }
                known = found.into_keys().collect();
            }
            let pause = if known.is_empty() { SOON } else { EVERY };
            tokio::select! { () = changes.closed() => return, () = tokio::time::sleep(pause) => {} }
        }
    });
    Ok(channel)
}

fn endpoint(scheme: &str, addr: SocketAddr) -> Option<Endpoint> {
    Some(
        Endpoint::from_shared(format!("{scheme}://{addr}"))
            .ok()?
            .connect_timeout(Duration::from_secs(2))
            .tcp_nodelay(true)
            .http2_keep_alive_interval(Duration::from_secs(15))
            .keep_alive_timeout(Duration::from_secs(5))
            .keep_alive_while_idle(true),
    )
}
