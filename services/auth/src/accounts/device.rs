//! What a person recognises a device by. No third party is asked: the place is that of the time zone.

use proto::auth::v1::Device;
use woothee::parser::Parser;

use crate::age::is_zone;

pub struct Described {
    pub device: String,
    pub browser: String,
    pub ip: String,
    pub location: String,
    /// IANA name; empty when it is none.
    pub time_zone: String,
}

pub fn describe(device: &Device) -> Described {
    let parsed = Parser::new().parse(&device.user_agent);
    let known = |text: &str| !text.is_empty() && text != "UNKNOWN";
    let (mut name, mut browser) = (String::from("Unknown device"), String::from("Unknown browser"));
    if let Some(agent) = parsed {
        if known(agent.os) {
            name = agent.os.to_owned();
        }
        if known(agent.name) {
            browser = agent.name.to_owned();
        }
    }
    Described {
        device: name,
        browser,
        ip: device.ip.clone(),
        location: location(&device.time_zone),
        time_zone: if is_zone(&device.time_zone) { device.time_zone.clone() } else { String::new() },
    }
}

/// `Europe/Brussels` reads as `Brussels, Europe`.
fn location(zone: &str) -> String {
    let plain = |part: &str| part.replace('_', " ");
    match zone.rsplit_once('/') {
        Some((area, place)) if is_zone(zone) => format!("{}, {}", plain(place), plain(area)),
        _ => "Unknown".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_zone_reads_as_a_place() {
        assert_eq!(location("Europe/Brussels"), "Brussels, Europe");
        assert_eq!(location("America/New_York"), "New York, America");
        for odd in ["", "UTC", "<b>/x", "Mars/Olympus"] {
            assert_eq!(location(odd), "Unknown");
        }
    }

    #[test]
    fn a_browser_is_recognised() {
        let agent = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36";
        let described = describe(&Device { user_agent: agent.into(), ..Default::default() });
        assert_eq!((described.device.as_str(), described.browser.as_str()), ("Linux", "Chrome"));
    }
}
