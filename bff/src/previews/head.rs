//! What stands in the head of a page. Names and descriptions are people's own: nothing of them is ever markup.

use std::fmt::Write as _;

use serde_json::{Value, json};

/// Characters of a title and of a description, after which previews cut by themselves.
const TITLE: usize = 90;
const DESCRIPTION: usize = 200;
/// Shown where a page has no picture of its own.
const PICTURE: &str = "/icon-512.png";
const TAGLINE: &str = "AI characters for roleplay";
const PITCH: &str = "Chat with AI characters and create your own. For adults only.";

/// Where the site is, and its name.
pub struct Site {
    origin: String,
    name: String,
}

impl Site {
    pub fn new(public_url: &str, name: &str) -> Self {
        Self { origin: public_url.trim_end_matches('/').to_owned(), name: name.to_owned() }
    }

    /// The whole address of a path.
    pub fn url(&self, path: &str) -> String {
        [&self.origin, path].concat()
    }
}

/// What a page says of itself.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Head {
    /// Without the name of the site; empty: the site's own.
    pub title: String,
    pub description: String,
    /// Path under which it is known; empty: it is known under none.
    pub canonical: String,
    /// Path of its picture.
    pub picture: Option<String>,
    /// Asset of the picture that the page itself opens with; empty: of none.
    pub poster: String,
    /// `og:type`
    pub kind: &'static str,
    pub indexed: bool,
    /// What it is about, in the words of schema.org, with paths in place of addresses.
    pub about: Option<Value>,
    /// What the app will ask for first, as a visitor is answered: [`data`], or empty.
    pub answer: String,
}

impl Head {
    /// Of a page that is nobody else's business, or that there is none.
    pub fn hidden() -> Self {
        Self { kind: "website", ..Self::default() }
    }

    /// A public page.
    pub fn public(title: &str, description: &str, canonical: &str) -> Self {
        Self {
            title: title.to_owned(),
            description: description.to_owned(),
            canonical: canonical.to_owned(),
            indexed: true,
            ..Self::hidden()
        }
    }

    /// The tags, one a line.
    pub fn html(&self, site: &Site) -> String {
        let title = short(&self.title, TITLE);
        let whole = match title.as_str() {
            "" => format!("{}: {TAGLINE}", site.name),
            title => format!("{title} · {}", site.name),
        };
        let heading = if title.is_empty() { whole.clone() } else { title };
        let description = short(&self.description, DESCRIPTION);
        let description = if description.is_empty() { PITCH.to_owned() } else { description };
        let mut tags = vec![format!("<title>{}</title>", escaped(&whole))];
        let mut meta = |key: &str, name: &str, content: &str| {
            tags.push(format!("<meta {key}=\"{name}\" content=\"{}\" />", escaped(content)));
        };
        meta("name", "description", &description);
        if !self.indexed {
            meta("name", "robots", "noindex");
        }
        meta("property", "og:site_name", &site.name);
        meta("property", "og:type", self.kind);
        meta("property", "og:title", &heading);
        meta("property", "og:description", &description);
        meta("property", "og:image", &site.url(self.picture.as_deref().unwrap_or(PICTURE)));
        meta("property", "og:image:alt", &heading);
        meta("name", "twitter:card", if self.picture.is_some() { "summary_large_image" } else { "summary" });
        if !self.canonical.is_empty() {
            let url = site.url(&self.canonical);
            meta("property", "og:url", &url);
            tags.push(format!("<link rel=\"canonical\" href=\"{}\" />", escaped(&url)));
        }
        if let Some(about) = self.about.as_ref().filter(|_| self.indexed) {
            let mut about = about.clone();
            complete(&mut about, site);
            about["@context"] = json!("https://schema.org");
            if about["@type"] == "WebSite" {
                about["name"] = json!(site.name);
            }
            tags.push(format!("<script type=\"application/ld+json\">{}</script>", data(&about)));
        }
        tags.join("\n    ")
    }

    /// The answer for the app, as a tag.
    pub fn answer(&self) -> String {
        if self.answer.is_empty() {
            return String::new();
        }
        ["<script id=\"answer\" type=\"application/json\">", &self.answer, "</script>"].concat()
    }
}

/// Paths become addresses.
fn complete(value: &mut Value, site: &Site) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    Value::String(path)
                        if matches!(name.as_str(), "url" | "image" | "urlTemplate" | "@id") =>
                    {
                        *path = site.url(path);
                    }
                    value => complete(value, site),
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|value| complete(value, site)),
        _ => {}
    }
}

/// One line of at most so many characters, cut between words.
fn short(text: &str, max: usize) -> String {
    let mut line = String::new();
    let mut left = max;
    let visible = |c: char| if c.is_control() { ' ' } else { c };
    let plain: String = text.chars().filter(|c| !is_direction(*c)).map(visible).collect();
    for word in plain.split_whitespace() {
        let length = word.chars().count() + usize::from(!line.is_empty());
        if length > left {
            if line.is_empty() {
                line.extend(word.chars().take(max.saturating_sub(1)));
            }
            line.push('…');
            break;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        left -= length;
    }
    line
}

/// Marks that turn the direction of what follows, outside of the text too.
fn is_direction(c: char) -> bool {
    matches!(c, '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// As text or in quotes.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// JSON that ends no script, whatever its strings hold.
pub(super) fn data(value: &Value) -> String {
    let mut out = String::new();
    for c in value.to_string().chars() {
        match c {
            c if is_direction(c) || matches!(c, '<' | '>' | '&' | '\u{2028}' | '\u{2029}') => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}

/// The shell with these tags in place of its own title and description.
pub fn inject(shell: &str, tags: &str) -> String {
    let mut page = shell.to_owned();
    if let Some(own) = tag(&page, "<meta name=\"description\"", ">") {
        page.replace_range(own, "");
    }
    let at = match tag(&page, "<title>", "</title>") {
        Some(own) => own,
        None => {
            let at = page.find("</head>").unwrap_or(0);
            at..at
        }
    };
    page.replace_range(at, tags);
    page
}

fn tag(page: &str, begin: &str, end: &str) -> Option<std::ops::Range<usize>> {
    let from = page.find(begin)?;
    let to = page[from..].find(end)? + end.len();
    Some(from..from + to)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTILE: &str = "</title><script>alert(1)</script>\"'& \u{202E}\n<!--";

    fn site() -> Site {
        Site::new("https://troupe.example/", "Troupe")
    }

    #[test]
    fn a_hostile_name_is_text_wherever_it_stands() {
        let head = Head {
            about: Some(json!({ "@type": "CreativeWork", "name": HOSTILE, "url": "/character/1" })),
            picture: Some("/media/a/full.webp".into()),
            ..Head::public(HOSTILE, HOSTILE, "/tag/\"><script>")
        };
        let html = head.html(&site());
        assert_eq!(html.matches("<script").count(), 1, "{html}");
        assert_eq!(html.matches("</script>").count(), 1, "{html}");
        assert_eq!(html.matches("<title>").count(), 1, "{html}");
        assert!(
            !html.contains("alert(1)<") && !html.contains("<!--") && !html.contains('\u{202E}'),
            "{html}"
        );
        assert!(
            html.contains("&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;"),
            "{html}"
        );
        for line in html.lines().filter(|line| line.contains("<meta") || line.contains("<link")) {
            assert_eq!(line.matches('"').count(), 4, "{line}");
        }
        let json = html.split("ld+json\">").nth(1).and_then(|rest| rest.split("</script>").next());
        let about: Value = serde_json::from_str(json.expect("data")).expect("JSON");
        assert_eq!(about["name"], HOSTILE, "the data itself is whole");
        assert_eq!(about["url"], "https://troupe.example/character/1");
    }

    #[test]
    fn long_texts_are_cut_between_words_and_stand_in_one_line() {
        assert_eq!(short("a\tb\n c", 9), "a b c");
        assert_eq!(short("the rain goes on", 9), "the rain…");
        assert_eq!(short(&"é".repeat(20), 5), "éééé…");
    }

    #[test]
    fn the_shell_keeps_all_but_its_own_title_and_description() {
        let shell = "<head><meta name=\"description\" content=\"x\" /><title>Old</title><link href=\"/a.css\"></head>";
        assert_eq!(inject(shell, "<title>N</title>"), "<head><title>N</title><link href=\"/a.css\"></head>");
        assert_eq!(inject("<head></head>", "T"), "<head>T</head>");
        assert_eq!(inject("<div></div>", "T"), "T<div></div>");
    }

    #[test]
    fn what_is_hidden_says_so_and_nothing_else() {
        let html = Head { about: Some(json!({ "name": "x" })), ..Head::hidden() }.html(&site());
        assert!(html.contains("<meta name=\"robots\" content=\"noindex\" />"), "{html}");
        assert!(
            !html.contains("canonical") && !html.contains("ld+json") && !html.contains("og:url"),
            "{html}"
        );
        assert!(html.starts_with("<title>Troupe: AI characters for roleplay</title>"), "{html}");
    }
}
