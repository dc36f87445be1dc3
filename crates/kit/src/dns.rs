//! A channel that follows the addresses of a name. A headless Service has one address per pod; a
//! channel that resolved once would send everything to one of them.

use std::{
    collections::HashSet,
    net::{IpAddr, SocketAddr},
    time::Duration,
};

use tonic::transport::{Channel, Endpoint, channel::Change};

/// How often the name is looked up again.
const EVERY: Duration = Duration::from_secs(5);
/// After a look-up that failed, while no address is known.
const SOON: Duration = Duration::from_millis(500);

/// # Errors
/// When the address is no `http(s)://host:port`.
pub(crate) fn balanced(url: &str) -> anyhow::Result<Channel> {
    let parsed = url::Url::parse(url).map_err(|e| anyhow::anyhow!("{url} is not an address: {e}"))?;
    let host = parsed
        .host_str()
        .ok_or_else(|| anyhow::anyhow!("{url} names no host"))?
        .trim_matches(['[', ']'])
        .to_owned();
    let port = parsed.port_or_known_default().ok_or_else(|| anyhow::anyhow!("{url} names no port"))?;
    let scheme = parsed.scheme().to_owned();
    let (channel, changes) = Channel::balance_channel::<SocketAddr>(16);

    tokio::spawn(async move {
        let mut known: HashSet<SocketAddr> = HashSet::new();
        loop {
            let found: Option<HashSet<SocketAddr>> = match host.parse::<IpAddr>() {
                Ok(ip) => Some(HashSet::from([SocketAddr::new(ip, port)])),
                Err(_) => tokio::net::lookup_host((host.as_str(), port)).await.ok().map(Iterator::collect),
            };
            // A failed look-up changes nothing: the last good addresses stay.
            if let Some(found) = found {
                for gone in known.difference(&found) {
                    if changes.send(Change::Remove(*gone)).await.is_err() {
                        return;
                    }
                }
                for new in found.difference(&known) {
                    let Some(endpoint) = endpoint(&scheme, *new) else { continue };
                    if changes.send(Change::Insert(*new, endpoint)).await.is_err() {
                        return;
                    }
                }
                known = found;
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
