//! Addresses of the network.

use std::net::IpAddr;

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
    use super::*;

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
