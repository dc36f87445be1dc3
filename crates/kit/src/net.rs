//! Addresses of the network, and listening at them.

use std::{
    io,
    net::{IpAddr, SocketAddr},
};

use tokio::net::{TcpListener, TcpSocket};

/// Connections that may wait to be taken. Linux takes the smaller of this and `net.core.somaxconn`, which is as many
/// since 5.4.
const BACKLOG: u32 = 4096;

/// Listens for whoever comes, thousands at once included: streams that come back after a replica has ended, or a page
/// that many open. With the 128 of `TcpListener::bind` the kernel lets the others try again a second later, and resets
/// some.
///
/// # Errors
/// When the address cannot be had.
pub fn listen(addr: SocketAddr) -> io::Result<TcpListener> {
    let socket = if addr.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // As `bind` does: the address may be had again at once after its last owner.
    socket.set_reuseaddr(true)?;
    socket.bind(addr)?;
    socket.listen(BACKLOG)
}

/// What is counted as one where an address is counted: an IPv4 address, or the /64 of an IPv6 address,
/// since that is what a household is given, and whoever has one can choose among all its addresses.
#[must_use]
pub fn household(ip: IpAddr) -> String {
    // An IPv4 address that came through an IPv6 socket is the IPv4 address still.
    match ip.to_canonical() {
        IpAddr::V4(ip) => ip.to_string(),
        IpAddr::V6(ip) => {
            let [a, b, c, d, ..] = ip.segments();
            format!("{a:x}:{b:x}:{c:x}:{d:x}::")
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use futures::future::try_join_all;
    use tokio::net::TcpStream;

    use super::*;

    #[tokio::test]
    async fn hundreds_who_come_while_nobody_takes_them_are_connected() {
        let listener = listen("127.0.0.1:0".parse().expect("an address")).expect("a free port");
        let addr = listener.local_addr().expect("bound");
        let all = try_join_all((0..500).map(|_| TcpStream::connect(addr)));
        // Who finds no room is connected later, by trying again, or never.
        let all = tokio::time::timeout(Duration::from_secs(60), all).await.expect("there is room");
        assert_eq!(all.expect("connected").len(), 500);
    }

    fn of(ip: &str) -> String {
        household(ip.parse().expect("an address"))
    }

    #[test]
    fn a_household_is_counted_as_one() {
        assert_eq!(of("2001:db8:1:2::1"), of("2001:db8:1:2:3::9"));
        assert_ne!(of("2001:db8:1:2::1"), of("2001:db8:1:3::1"));
        assert_ne!(of("192.0.2.1"), of("192.0.2.2"));
        assert_eq!(of("::ffff:192.0.2.1"), of("192.0.2.1"));
        assert_ne!(of("::ffff:192.0.2.1"), of("::ffff:192.0.2.2"));
    }
}
