//! Passwords that have leaked from somewhere (ASVS 5.0, 6.2.12), looked up in a list that the operator names: any server that
//! answers as the ranges of [Have I Been Pwned](https://haveibeenpwned.com/API/v3#PwnedPasswords) do, or files of them. It
//! learns five of the forty digits of a password's SHA-1, which hundreds of its passwords share, and not what it is asked for.

use anyhow::Context as _;
use aws_lc_rs::digest::{SHA1_FOR_LEGACY_USE_ONLY, digest};
use kit::error::Failure;
use reqwest::{Client, Url};

use crate::limits;

/// Digits that the list learns.
const ASKED: usize = 5;

/// The list, where there is one. Cheap to clone.
#[derive(Clone)]
pub struct Leaks(Option<List>);

#[derive(Clone)]
struct List {
    ranges: Url,
    client: Client,
}

impl Leaks {
    /// # Errors
    /// One sentence that names the variable.
    pub fn new(address: Option<&str>) -> anyhow::Result<Self> {
        let Some(address) = address.map(str::trim).filter(|address| !address.is_empty()) else {
            return Ok(Self(None));
        };
        let ranges = Url::parse(&[address.trim_end_matches('/'), "/"].concat())
            .ok()
            .filter(|url| matches!(url.scheme(), "http" | "https"))
            .context("LEAKED_PASSWORDS_URL must be an http(s) address, such as https://api.pwnedpasswords.com/range/")?;
        let client = kit::outbound::builder()
            .timeout(limits::LEAKS_PATIENCE)
            .user_agent("troupe")
            .build()
            .context("LEAKED_PASSWORDS_URL: the client of the list")?;
        Ok(Self(Some(List { ranges, client })))
    }

    /// Nobody is kept out because the list is: without its answer every password is taken.
    ///
    /// # Errors
    /// That the password, of the field that is named, is on the list.
    pub async fn refuse(&self, field: &str, password: &str) -> Result<(), Failure> {
        let Some(list) = &self.0 else { return Ok(()) };
        match list.has(password).await {
            Ok(false) => Ok(()),
            Ok(true) => Err(Failure::invalid(field, "Password is known from a leak elsewhere!")),
            Err(error) => {
                tracing::warn!(%error, "the list of leaked passwords did not answer; a password is taken unseen");
                Ok(())
            }
        }
    }
}

impl List {
    async fn has(&self, password: &str) -> anyhow::Result<bool> {
        let digits = hex::encode_upper(digest(&SHA1_FOR_LEGACY_USE_ONLY, password.as_bytes()));
        let (asked, rest) = digits.split_at(ASKED);
        // Padded, the length of an answer does not tell who listens which range it is.
        let request = self.client.get(self.ranges.join(asked)?).header("add-padding", "true");
        // An address may hold a key: errors are told without it.
        let response = request.send().await.and_then(reqwest::Response::error_for_status);
        let response = response.map_err(reqwest::Error::without_url)?;
        let range = kit::outbound::read(response, limits::LEAKS_BYTES_MAX).await?;
        Ok(is_in(&String::from_utf8_lossy(&range), rest))
    }
}

/// Whether a range (`digits:times`, a line each) has these digits; what pads it was seen 0 times.
fn is_in(range: &str, rest: &str) -> bool {
    range.lines().filter_map(|line| line.trim().split_once(':')).any(|(digits, times)| {
        digits.eq_ignore_ascii_case(rest) && times.parse().is_ok_and(|times: u64| times > 0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const REST: &str = "1E4C9B93F3F0682250B6CF8331B7EE68FD8";

    #[test]
    fn a_range_is_read_as_it_comes() {
        for listed in [
            "0018A45C4D1DEF81644B54AB7F969B88D65:1\r\n1E4C9B93F3F0682250B6CF8331B7EE68FD8:10\r\n",
            "1e4c9b93f3f0682250b6cf8331b7ee68fd8:9545824",
        ] {
            assert!(is_in(listed, REST), "{listed}");
        }
        for other in [
            "",
            "1E4C9B93F3F0682250B6CF8331B7EE68FD8:0\r\n",
            "1E4C9B93F3F0682250B6CF8331B7EE68FD9:3",
            "1E4C9B93F3F0682250B6CF8331B7EE68FD8",
            "<html>1E4C9B93F3F0682250B6CF8331B7EE68FD8</html>",
        ] {
            assert!(!is_in(other, REST), "{other}");
        }
    }

    #[test]
    fn an_address_that_is_none_is_told_by_its_variable() {
        for wrong in ["ftp://lists.example/", "lists", "https://"] {
            let told = Leaks::new(Some(wrong)).err().map(|e| e.to_string()).unwrap_or_default();
            assert!(told.contains("LEAKED_PASSWORDS_URL"), "{wrong}: {told}");
        }
        for none in [None, Some(""), Some(" ")] {
            assert!(Leaks::new(none).is_ok_and(|leaks| leaks.0.is_none()), "{none:?}");
        }
    }
}
