//! The one place that makes HTTP clients (`clippy.toml` forbids every other). What is asked goes where the operator
//! says and nowhere else: an answer cannot send it on, and a name cannot lead to where a cloud hands out its keys.

use std::{
    io,
    net::{IpAddr, Ipv6Addr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use reqwest::{
    Client, ClientBuilder, Response,
    dns::{Addrs, Name, Resolve, Resolving},
    redirect::Policy,
};
use thiserror::Error;

/// Time to reach a server.
const CONNECT: Duration = Duration::from_secs(5);
/// Where Amazon's machines ask for their credentials over IPv6; not link-local, so named.
const METADATA_V6: Ipv6Addr = Ipv6Addr::new(0xfd00, 0x0ec2, 0, 0, 0, 0, 0, 0x0254);

/// A client to be told more of: it follows no redirect, names no page that it came from, and connects within 5 s.
///
/// Private addresses stay open: models, engines and `auth` are in the house. Link-local ones do not.
#[expect(clippy::disallowed_methods, reason = "this is that one place")]
pub fn builder() -> ClientBuilder {
    Client::builder()
        .redirect(Policy::none())
        .referer(false)
        .connect_timeout(CONNECT)
        .dns_resolver(Arc::new(Names))
}

/// A client whose requests take at most `patience`, from the first byte to the last.
///
/// # Errors
/// When the certificates of this machine cannot be read.
pub fn client(patience: Duration) -> reqwest::Result<Client> {
    builder().timeout(patience).build()
}

/// Why the body of an answer is not there.
#[derive(Debug, Error)]
pub enum Unread {
    #[error("the answer is too long")]
    TooLong,
    /// Without the address, which may hold a key.
    #[error("{0}")]
    Broken(reqwest::Error),
}

/// The body of an answer of at most `max` bytes: whoever answers decides no other's memory.
///
/// # Errors
/// When it is longer, or breaks off.
pub async fn read(mut response: Response, max: usize) -> Result<Vec<u8>, Unread> {
    let mut bytes = Vec::new();
    while let Some(piece) = response.chunk().await.map_err(|error| Unread::Broken(error.without_url()))? {
        if bytes.len() + piece.len() > max {
            return Err(Unread::TooLong);
        }
        bytes.extend_from_slice(&piece);
    }
    Ok(bytes)
}

/// Looks names up, and leaves out where nobody may be asked.
struct Names;

impl Resolve for Names {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let allowed: Vec<SocketAddr> = found.filter(|addr| may_be_asked(addr.ip())).collect();
            if allowed.is_empty() {
                return Err(io::Error::from(io::ErrorKind::HostUnreachable).into());
            }
            Ok(Box::new(allowed.into_iter()) as Addrs)
        })
    }
}

/// False for link-local addresses (RFC 3927, RFC 4291), where clouds tell a machine its credentials.
fn may_be_asked(ip: IpAddr) -> bool {
    match ip.to_canonical() {
        IpAddr::V4(ip) => !ip.is_link_local(),
        IpAddr::V6(ip) => !ip.is_unicast_link_local() && ip != METADATA_V6,
    }
}

#[cfg(test)]
mod tests {
    use super::may_be_asked;

    #[test]
    fn no_name_leads_to_the_credentials_of_a_machine() {
        for ip in ["169.254.169.254", "169.254.170.2", "::ffff:169.254.169.254", "fe80::1", "fd00:ec2::254"] {
            assert!(!may_be_asked(ip.parse().expect("an address")), "{ip}");
        }
        for ip in ["127.0.0.1", "10.0.0.7", "203.0.113.9", "::1", "fd00::7"] {
            assert!(may_be_asked(ip.parse().expect("an address")), "{ip}");
        }
    }
}
