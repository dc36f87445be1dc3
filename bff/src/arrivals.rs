//! Which files of the web's build a page needs beside the app itself, and the picture that it opens with. Named in the
//! page's head, they come with the app and not after it.

use std::fmt::Write as _;

use serde::Deserialize;

use crate::previews::escaped;

/// A page of `arrivals.json`, which the web's build writes.
#[derive(Deserialize)]
struct Arrival {
    /// `/character/:id`: a segment with a colon stands for any.
    path: String,
    scripts: Vec<String>,
    styles: Vec<String>,
    #[serde(default)]
    picture: Option<Picture>,
}

/// As an `<img>` has them, with `{asset}` in the place of the picture.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Picture {
    src_set: String,
    sizes: String,
}

/// Tags for the files of the page at this path, and for the picture that it opens with: `picture` is the asset of one that
/// everybody may see, or empty. None for a page that is no arrival, and none when the build wrote no list, as the app finds
/// all of it by itself too.
pub fn tags(list: &[u8], path: &str, picture: &str) -> String {
    let arrivals: Vec<Arrival> = serde_json::from_slice(list).unwrap_or_default();
    let mut tags = String::new();
    if let Some(page) = arrivals.iter().find(|arrival| fits(&arrival.path, path)) {
        if let Some(Picture { src_set, sizes }) = page.picture.as_ref().filter(|_| !picture.is_empty()) {
            let set = src_set.replace("{asset}", &escaped(picture));
            let _ = write!(
                tags,
                "<link rel=\"preload\" as=\"image\" imagesrcset=\"{set}\" imagesizes=\"{sizes}\" fetchpriority=\"high\" />"
            );
        }
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
        {"path":"/character/:id","scripts":["/assets/Profile-1.js","/assets/common-1.js"],"styles":["/assets/Profile-1.css"],
         "picture":{"src":"/media/{asset}/full.webp","srcSet":"/media/{asset}/card.webp 480w, /media/{asset}/full.webp 832w","sizes":"100vw"}}
    ]"#;

    #[test]
    fn a_page_brings_its_own_files_and_no_others() {
        let of = |path| tags(LIST.as_bytes(), path, "");
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
    fn the_picture_that_a_page_opens_with_is_asked_for_in_its_head() {
        let of = |path, picture| tags(LIST.as_bytes(), path, picture);
        assert!(of("/character/018f", "a1").starts_with(
            "<link rel=\"preload\" as=\"image\" imagesrcset=\"/media/a1/card.webp 480w, /media/a1/full.webp 832w\" imagesizes=\"100vw\" "
        ));
        for none in [of("/character/018f", ""), of("/character/create", "a1")] {
            assert!(!none.contains("image"), "{none}");
        }
    }

    #[test]
    fn without_a_list_the_app_finds_its_files_by_itself() {
        assert_eq!(tags(b"", "/character/018f", "a1"), "");
        assert_eq!(tags(b"{}", "/character/018f", "a1"), "");
    }
}
