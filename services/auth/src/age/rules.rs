//! Which rule holds where: `default=self;FR=https://provider.example/check;XX=closed`.

use std::{
    collections::HashMap,
    sync::{Arc, LazyLock},
};

use anyhow::{bail, ensure};
use kit::config::Secret;
use url::Url;

use super::{AgeAssurance, Closed, SelfDeclaration, provider::Provider};

/// Time zones and the countries they are named for.
static ZONES: LazyLock<HashMap<&'static str, &'static str>> = LazyLock::new(|| {
    let lines = include_str!("../../data/zones.tsv").lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_once('\t')).collect()
});

/// Whether there is such a time zone.
pub fn is_zone(name: &str) -> bool {
    ZONES.contains_key(name)
}

/// The rules of all countries. Cheap to clone.
#[derive(Clone)]
pub struct Rules {
    default: Arc<dyn AgeAssurance>,
    by_country: Arc<HashMap<String, Arc<dyn AgeAssurance>>>,
}

impl Rules {
    /// Reads AGE_RULES.
    ///
    /// # Errors
    /// One sentence that names the variable.
    pub fn parse(text: &str, secret: Option<&Secret>) -> anyhow::Result<Self> {
        let mut default: Option<Arc<dyn AgeAssurance>> = None;
        let mut by_country = HashMap::new();
        for part in text.split(';').map(str::trim).filter(|part| !part.is_empty()) {
            let Some((place, rule)) = part.split_once('=') else {
                bail!("AGE_RULES: {part:?} is not `country=rule`");
            };
            let (place, rule) = (place.trim(), rule_of(rule.trim(), secret)?);
            let twice = if place == "default" {
                default.replace(rule).is_some()
            } else {
                ensure!(
                    is_country(place),
                    "AGE_RULES: {place:?} is neither `default` nor a country of two capital letters"
                );
                by_country.insert(place.to_owned(), rule).is_some()
            };
            ensure!(!twice, "AGE_RULES names {place} twice");
        }
        let default = default.unwrap_or_else(|| Arc::new(SelfDeclaration));
        Ok(Self { default, by_country: Arc::new(by_country) })
    }

    /// The rule of a country as the edge knows it, else of a time zone, else of everywhere.
    pub fn of(&self, country: &str, zone: &str) -> Arc<dyn AgeAssurance> {
        let country = country.trim().to_ascii_uppercase();
        let country = if is_country(&country) { Some(country.as_str()) } else { ZONES.get(zone).copied() };
        country.and_then(|c| self.by_country.get(c)).unwrap_or(&self.default).clone()
    }
}

fn is_country(text: &str) -> bool {
    text.len() == 2 && text.bytes().all(|b| b.is_ascii_uppercase())
}

fn rule_of(rule: &str, secret: Option<&Secret>) -> anyhow::Result<Arc<dyn AgeAssurance>> {
    match rule {
        "self" => Ok(Arc::new(SelfDeclaration)),
        "closed" => Ok(Arc::new(Closed)),
        address => {
            let url = Url::parse(address).ok().filter(trusted);
            let Some(url) = url else {
                bail!("AGE_RULES: {address:?} is none of `self`, `closed` and an https:// address");
            };
            let Some(secret) = secret else {
                bail!("AGE_PROVIDER_SECRET must be set: AGE_RULES names the provider {url}");
            };
            Ok(Arc::new(Provider::new(url, secret.clone())?))
        }
    }
}

/// Encrypted, or on this machine.
pub(super) fn trusted(url: &Url) -> bool {
    let local = || matches!(url.host_str(), Some("localhost" | "127.0.0.1"));
    url.has_host() && (url.scheme() == "https" || (url.scheme() == "http" && local()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_found_by_country_then_by_zone() {
        let secret = Secret::new("a provider's secret");
        let rules = "default=self; FR=https://provider.example/check ;XX=closed;BE=closed";
        let rules = Rules::parse(rules, Some(&secret)).expect("rules");
        let name = |country: &str, zone: &str| rules.of(country, zone).name().to_owned();
        assert_eq!(name("", ""), "self");
        assert_eq!(name("fr", "Europe/Brussels"), "https://provider.example/check");
        assert_eq!(name("", "Europe/Brussels"), "closed");
        assert_eq!(name("", "Europe/Paris"), "https://provider.example/check");
        assert_eq!(name("DE", "Europe/Paris"), "self", "the edge knows better than the browser");
        assert_eq!(name("", "Nowhere/At_All"), "self");
        assert!(!rules.of("XX", "").open());
    }

    #[test]
    fn mistakes_are_told_in_one_sentence_that_names_the_variable() {
        let told = |text: &str| Rules::parse(text, None).err().map(|e| e.to_string()).unwrap_or_default();
        for bad in ["self", "fr=self", "FR=perhaps", "FR=http://provider.example", "FR=self;FR=closed"] {
            assert!(told(bad).starts_with("AGE_RULES"), "{bad}: {}", told(bad));
        }
        assert!(told("FR=https://provider.example").starts_with("AGE_PROVIDER_SECRET must be set"));
        assert!(Rules::parse("", None).is_ok(), "nothing said: self-declaration");
    }

    #[test]
    fn old_names_of_time_zones_are_known() {
        for (zone, country) in [("Asia/Calcutta", "IN"), ("Europe/Kiev", "UA"), ("America/New_York", "US")] {
            assert_eq!(ZONES.get(zone), Some(&country));
        }
    }
}
