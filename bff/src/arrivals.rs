//! Which files of the web's build a page needs beside the app itself. Named in the page's head, they come with the app
//! and not after it.

use std::fmt::Write as _;

use serde::Deserialize;

/// A page of `arrivals.json`, which the web's build writes.
#[derive(Deserialize)]
struct Arrival {
    /// `/character/:id`: a segment with a colon stands for any.
    path: String,
    scripts: Vec<String>,
    styles: Vec<String>,
}

/// Tags for the files of the page at this path; none for a page that is no arrival, and none when the build wrote no
/// list, as the app finds its files by itself too.
pub fn tags(list: &[u8], path: &str) -> String {
    let arrivals: Vec<Arrival> = serde_json::from_slice(list).unwrap_or_default();
    let mut tags = String::new();
    if let Some(page) = arrivals.iter().find(|arrival| fits(&arrival.path, path)) {
        for script in &page.scripts {
            let _ = write!(tags, "<link rel=\"modulepreload\" crossorigin href=\"{script}\" />");
        }
        for style in &page.styles {
            let _ = write!(tags, "<link rel=\"preload\" as=\"style\" crossorigin href=\"{style}\" />");
        }
    }
    tags
}

fn fits(pattern: &str, path: &str) -> bool {
    let mut given = path.trim_matches('/').split('/');
    let mut wanted = pattern.trim_matches('/').split('/');
    loop {
        match (wanted.next(), given.next()) {
            (None, None) => return true,
            (Some(wanted), Some(given))
                if wanted == given || (wanted.starts_with(':') && !given.is_empty()) => {}
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = r#"[
        {"path":"/character/create","scripts":["/assets/Form-1.js"],"styles":[]},
        {"path":"/character/:id","scripts":["/assets/Profile-1.js","/assets/common-1.js"],"styles":["/assets/Profile-1.css"]}
    ]"#;

    #[test]
    fn a_page_brings_its_own_files_and_no_others() {
        let of = |path| tags(LIST.as_bytes(), path);
        assert!(
            of("/character/018f")
                .contains("<link rel=\"modulepreload\" crossorigin href=\"/assets/Profile-1.js\" />")
        );
        assert!(of("/character/018f/").contains("as=\"style\" crossorigin href=\"/assets/Profile-1.css\""));
        assert!(of("/character/create").contains("Form-1") && !of("/character/create").contains("Profile"));
        for none in ["/", "/character", "/character/", "/character/018f/chat", "/search"] {
            assert_eq!(of(none), "", "{none}");
        }
    }

    #[test]
    fn without_a_list_the_app_finds_its_files_by_itself() {
        assert_eq!(tags(b"", "/character/018f"), "");
        assert_eq!(tags(b"{}", "/character/018f"), "");
    }
}
