//! A TCP proxy that misbehaves when it is told to: between the house and each thing that it depends on.
//!
//! Own code, because it is small: of the ready-made ones, Toxiproxy is a program of its own with an API to learn, and
//! its port to Rust (`noxious`) has not been kept up for years.

use std::{net::SocketAddr, time::Duration};

use anyhow::{Context as _, Result};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    sync::watch,
    task::JoinHandle,
};

/// Bytes that are carried at a time.
const PIECE: usize = 16 * 1024;
/// Pieces of a slow reader come this often.
const TICK: Duration = Duration::from_millis(100);

/// How the way is now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Every byte goes through at once.
    Open,
    /// Every piece comes this much later, in each direction.
    Late(Duration),
    /// Each connection is reset, and each new one as well.
    Reset,
    /// Connections stand, and carry nothing ever again: what is left of a peer that lost its power. Those that are made
    /// meanwhile are taken, and as silent.
    HalfOpen,
    /// So many bytes per second come back, as from somebody who hardly reads.
    Slow(usize),
}

/// The way, and how often connections were cut: what happens between two looks is not missed.
#[derive(Debug, Clone, Copy)]
struct State {
    way: Way,
    resets: u64,
    losses: u64,
}

/// A running proxy; it ends when this is dropped.
pub struct Proxy {
    way: watch::Sender<State>,
    server: JoinHandle<()>,
}

impl Proxy {
    /// Listens on a port of loopback, before another port of it.
    ///
    /// # Errors
    /// When the port is taken.
    pub async fn open(listen: u16, before: u16) -> Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", listen))
            .await
            .with_context(|| format!("the proxy's port {listen} is taken"))?;
        let way = watch::Sender::new(State { way: Way::Open, resets: 0, losses: 0 });
        let state = way.clone();
        let server = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let state = state.subscribe();
                tokio::spawn(async move {
                    // What ends a connection is nobody's business but that of its two ends.
                    let _ = carry(client, SocketAddr::from(([127, 0, 0, 1], before)), state).await;
                });
            }
        });
        Ok(Self { way, server })
    }

    /// Changes the way for all connections.
    pub fn set(&self, way: Way) {
        self.way.send_modify(|state| {
            state.way = way;
            state.resets += u64::from(way == Way::Reset);
            state.losses += u64::from(way == Way::HalfOpen);
        });
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.server.abort();
    }
}

async fn carry(client: TcpStream, before: SocketAddr, mut state: watch::Receiver<State>) -> Result<()> {
    let born = *state.borrow();
    if born.way == Way::Reset {
        return Ok(client.set_zero_linger()?);
    }
    if born.way == Way::HalfOpen {
        return silent(client).await;
    }
    let server = TcpStream::connect(before).await?;
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let ended = {
        let (mut from_client, mut to_client) = tokio::io::split(client);
        let (mut from_server, mut to_server) = tokio::io::split(server);
        let there = pipe(&mut from_client, &mut to_server, state.clone(), false);
        let back = pipe(&mut from_server, &mut to_client, state.clone(), true);
        let cut = state.wait_for(|now| now.resets != born.resets || now.losses != born.losses);
        let ended = tokio::select! {
            ended = async { tokio::try_join!(there, back) } => ended.map(|_| None),
            now = cut => Ok(now.ok().map(|now| now.resets != born.resets)),
        };
        ended.map(|way| (way, from_client.unsplit(to_client), from_server.unsplit(to_server)))
    };
    match ended? {
        (Some(true), client, server) => {
            client.set_zero_linger()?;
            server.set_zero_linger()?;
            Ok(())
        }
        (Some(false), client, server) => {
            // The server learns of it, or it would hold what the lost client had locked: a machine that is gone has no
            // half of its own. Bound by a name, since what `_` stands for would live as long as the silence.
            drop(server);
            silent(client).await
        }
        (None, ..) => Ok(()),
    }
}

/// Holds a connection and lets its peer believe in it.
async fn silent(client: TcpStream) -> Result<()> {
    let held = client;
    std::future::pending::<()>().await;
    drop(held);
    Ok(())
}

async fn pipe(
    from: &mut (impl AsyncRead + Unpin),
    to: &mut (impl AsyncWrite + Unpin),
    state: watch::Receiver<State>,
    back: bool,
) -> std::io::Result<()> {
    let mut piece = vec![0; PIECE];
    loop {
        let read = from.read(&mut piece).await?;
        if read == 0 {
            return to.shutdown().await;
        }
        let way = state.borrow().way;
        match way {
            Way::Late(by) => {
                tokio::time::sleep(by).await;
                to.write_all(&piece[..read]).await?;
            }
            Way::Slow(per_second) if back => {
                let each = (per_second / 10).max(1);
                for part in piece[..read].chunks(each) {
                    if state.borrow().way == way {
                        tokio::time::sleep(TICK).await;
                    }
                    to.write_all(part).await?;
                }
            }
            _ => to.write_all(&piece[..read]).await?,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A server that says everything back, a proxy before it, and a connection through both.
    async fn parrot() -> (Proxy, TcpStream) {
        let server = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let before = server.local_addr().expect("bound").port();
        tokio::spawn(async move {
            while let Ok((mut peer, _)) = server.accept().await {
                tokio::spawn(async move {
                    let (mut read, mut write) = peer.split();
                    let _ = tokio::io::copy(&mut read, &mut write).await;
                });
            }
        });
        let free =
            TcpListener::bind("127.0.0.1:0").await.expect("a port").local_addr().expect("bound").port();
        let proxy = Proxy::open(free, before).await.expect("a proxy");
        let client = TcpStream::connect(("127.0.0.1", free)).await.expect("a connection");
        (proxy, client)
    }

    async fn echo(client: &mut TcpStream) -> std::io::Result<[u8; 4]> {
        let mut heard = [0; 4];
        client.write_all(b"word").await?;
        client.read_exact(&mut heard).await?;
        Ok(heard)
    }

    #[tokio::test]
    async fn an_open_way_changes_nothing() {
        let (_proxy, mut client) = parrot().await;
        assert_eq!(&echo(&mut client).await.expect("an answer"), b"word");
    }

    #[tokio::test]
    async fn a_reset_breaks_what_stands() {
        let (proxy, mut client) = parrot().await;
        echo(&mut client).await.expect("an answer");
        proxy.set(Way::Reset);
        let broken = client.read(&mut [0; 1]).await;
        assert!(broken.is_err(), "{broken:?}");
    }

    #[tokio::test]
    async fn a_server_learns_that_a_half_open_connection_is_gone() {
        let server = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let before = server.local_addr().expect("bound").port();
        let free =
            TcpListener::bind("127.0.0.1:0").await.expect("a port").local_addr().expect("bound").port();
        let proxy = Proxy::open(free, before).await.expect("a proxy");
        let _client = TcpStream::connect(("127.0.0.1", free)).await.expect("a connection");
        let (mut peer, _) = server.accept().await.expect("the same");
        proxy.set(Way::HalfOpen);
        let end = tokio::time::timeout(Duration::from_secs(5), peer.read(&mut [0; 1])).await;
        assert!(matches!(end, Ok(Ok(0) | Err(_))), "{end:?}");
    }

    #[tokio::test]
    async fn a_half_open_connection_never_speaks_again_and_a_new_one_does() {
        let (proxy, mut client) = parrot().await;
        echo(&mut client).await.expect("an answer");
        let to = client.peer_addr().expect("a peer");
        proxy.set(Way::HalfOpen);
        proxy.set(Way::Open);
        let mut other = TcpStream::connect(to).await.expect("a connection");
        assert_eq!(&echo(&mut other).await.expect("an answer"), b"word");
    }
}
