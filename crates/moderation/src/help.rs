//! Where somebody who wishes to die finds a person to talk to.

use std::{collections::HashMap, sync::LazyLock};

use serde::Deserialize;

/// Help lines of a country, and what stands in place of a reply.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct HelpLines {
    pub lines: Vec<HelpLine>,
    /// In English, whole: caring, short, with the lines in it.
    #[serde(skip)]
    pub text: String,
}

/// One of them.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct HelpLine {
    pub name: String,
    /// A telephone number, or an address on the web.
    pub contact: String,
}

#[derive(Deserialize)]
struct Data {
    before: String,
    after: String,
    /// Where no line of the country is known, and added to every country's.
    everywhere: HelpLine,
    country: HashMap<String, Vec<HelpLine>>,
}

struct Help {
    by_country: HashMap<String, HelpLines>,
    elsewhere: HelpLines,
}

static HELP: LazyLock<Help> = LazyLock::new(|| {
    let data: Data = toml::from_str(include_str!("../data/help.toml")).expect("a test reads data/help.toml");
    let told = |mut lines: Vec<HelpLine>| {
        lines.push(data.everywhere.clone());
        let said: Vec<String> =
            lines.iter().map(|l| [l.name.as_str(), l.contact.as_str()].join(": ")).collect();
        let text = [data.before.trim(), &said.join("\n"), data.after.trim()].join("\n\n");
        HelpLines { lines, text }
    };
    Help {
        elsewhere: told(Vec::new()),
        by_country: data.country.into_iter().map(|(country, lines)| (country, told(lines))).collect(),
    }
});

/// Of a country (ISO 3166-1 alpha-2, any case); the international directory where none is known.
#[must_use]
pub fn help_lines(country: &str) -> &'static HelpLines {
    HELP.by_country.get(&country.to_ascii_uppercase()).unwrap_or(&HELP.elsewhere)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_country_has_a_line_of_its_own_and_the_directory() {
        for country in [
            "BE", "NL", "FR", "DE", "ES", "GB", "IE", "US", "CA", "AU", "NZ", "AT", "CH", "LU", "IT", "PT",
            "PL", "SE",
        ] {
            let help = help_lines(country);
            assert!(help.lines.len() >= 2, "{country}");
            assert!(help.text.contains("findahelpline.com"), "{country}");
            for line in &help.lines {
                assert!(help.text.contains(&line.contact), "{country}: {}", line.name);
            }
        }
    }

    #[test]
    fn nobody_is_left_without() {
        assert!(help_lines("be").text.contains("1813"));
        for unknown in ["", "XX", "Belgium", "é"] {
            let help = help_lines(unknown);
            assert_eq!(help.lines.len(), 1);
            assert!(help.text.contains("not alone") && help.text.contains("findahelpline.com"));
        }
    }
}
