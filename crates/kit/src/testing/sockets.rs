//! The sockets of this very process, as its kernel has them.

use std::{
    fs,
    net::{SocketAddr, TcpStream},
};

use rustix::{
    io::Errno,
    process::{PidfdFlags, PidfdGetfdFlags, getpid, pidfd_getfd, pidfd_open},
};

use super::eventually;

/// Ends of this process of the connections whose other end has this address: what a server of this process has accepted from
/// a client, or a client of it has opened to a server. They are copies that share their options. `None` where the kernel
/// hands out no descriptors: a container needs `SYS_PTRACE` for it.
fn ends(peer: SocketAddr) -> Option<Vec<TcpStream>> {
    let this = pidfd_open(getpid(), PidfdFlags::empty()).ok()?;
    let mut ends = Vec::new();
    for entry in fs::read_dir("/proc/self/fd").expect("its descriptors").flatten() {
        let path = entry.path();
        if !fs::read_link(&path).is_ok_and(|to| to.to_string_lossy().starts_with("socket:")) {
            continue;
        }
        let number = path.file_name().and_then(|name| name.to_str()?.parse().ok()).expect("a number");
        match pidfd_getfd(&this, number, PidfdGetfdFlags::empty()) {
            Ok(copy) => ends.push(TcpStream::from(copy)),
            // Closed since it was listed.
            Err(Errno::BADF) => {}
            Err(_) => return None,
        }
    }
    ends.retain(|end| end.peer_addr().is_ok_and(|address| address == peer));
    Some(ends)
}

/// Holds that no small write waits for an acknowledgement (`TCP_NODELAY`), at either end of each connection that this
/// process has to a server of its own, over which something has been said already.
///
/// # Panics
/// When an end waits, or there is no connection.
pub async fn assert_nodelay(server: SocketAddr) {
    if ends(server).is_none() {
        eprintln!("not looked at: here the kernel hands out no descriptors");
        return;
    }
    let clients = eventually(|| async { ends(server).filter(|ends| !ends.is_empty()) }).await;
    let mut accepted = Vec::new();
    for client in &clients {
        let own = client.local_addr().expect("connected");
        assert!(client.nodelay().expect("an option"), "the client {own} of {server} waits");
        accepted.extend(ends(own).expect("as before"));
    }
    assert!(!accepted.is_empty(), "{server} is not of this process");
    for end in accepted {
        assert!(end.nodelay().expect("an option"), "the server {server} waits");
    }
}
