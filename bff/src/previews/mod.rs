//! What link previews and crawlers read of a page before any script runs: its title, description, picture and
//! structured data, whether it may be in an index, and the maps of the site.

mod head;
mod pages;
mod sitemap;

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use axum::http::StatusCode;
use kit::{
    caller::{self, Context},
    deadline,
};
use tokio::sync::Semaphore;

pub use self::{
    head::{Head, escaped},
    sitemap::serve as map,
};
use crate::{State, config::Config};

/// Between two questions about the same page.
const FRESH: Duration = Duration::from_secs(60);
/// Pages that are remembered, with what they carry for the app (`pages::ANSWER_MAX`): 12 MB at most.
const REMEMBERED: usize = 500;
/// Longer than this nobody waits for the page itself.
const PATIENCE: Duration = Duration::from_secs(2);
/// Questions at a time: crawlers must not keep people waiting.
const AT_A_TIME: usize = 16;

/// A page as it is found.
#[derive(Debug, Clone)]
pub struct Page {
    pub status: StatusCode,
    pub head: Arc<Head>,
}

/// What was found lately, as a visitor sees it: never anything of who asks.
pub struct Previews {
    site: head::Site,
    pages: Mutex<HashMap<String, (Page, Instant)>>,
    asking: Semaphore,
    parts: sitemap::Parts,
}

impl Previews {
    #[must_use]
    pub fn new(config: &Config) -> Self {
        Self {
            site: head::Site::new(&config.public_url, &config.brand_name),
            pages: Mutex::default(),
            asking: Semaphore::new(AT_A_TIME),
            parts: sitemap::Parts::default(),
        }
    }

    /// The shell of the app with the head of this page, and with tags for what it needs early.
    #[must_use]
    pub fn written(&self, shell: &str, head: &Head, early: &str) -> String {
        let last = [early, &head.answer(), "</head>"].concat();
        head::inject(shell, &head.html(&self.site)).replacen("</head>", &last, 1)
    }

    /// `robots.txt` with these rules, and where the site's map is.
    #[must_use]
    pub fn robots(&self, rules: &str) -> String {
        format!("{}\n\nSitemap: {}\n", rules.trim_end(), self.site.url("/sitemap.xml"))
    }

    fn remembered(&self, path: &str) -> Option<Page> {
        let pages = self.pages.lock().expect("no holder panics");
        pages.get(path).filter(|(_, at)| at.elapsed() < FRESH).map(|(page, _)| page.clone())
    }

    fn remember(&self, path: &str, page: &Page) {
        let mut pages = self.pages.lock().expect("no holder panics");
        if pages.len() >= REMEMBERED {
            pages.retain(|_, (_, at)| at.elapsed() < FRESH);
        }
        if pages.len() >= REMEMBERED {
            pages.clear();
        }
        pages.insert(path.to_owned(), (page.clone(), Instant::now()));
    }
}

/// The head of the page at a path that is one of the app's. What cannot be asked now is no page of any index.
pub async fn of(app: &State, path: &str, has_query: bool) -> Page {
    match pages::fixed(path, has_query) {
        pages::Fixed::Known(head) => Page { status: StatusCode::OK, head: Arc::new(head) },
        pages::Fixed::Ask(subject) => asked(app, path, subject).await,
        pages::Fixed::Nothing => Page { status: StatusCode::NOT_FOUND, head: Arc::new(Head::hidden()) },
    }
}

async fn asked(app: &State, path: &str, subject: pages::Subject) -> Page {
    if let Some(page) = app.previews.remembered(path) {
        return page;
    }
    let unknown = || Page { status: StatusCode::OK, head: Arc::new(Head::hidden()) };
    let Ok(_place) = app.previews.asking.try_acquire() else { return unknown() };
    let question = caller::scope(Context::default(), deadline::within(PATIENCE, pages::ask(app, subject)));
    match tokio::time::timeout(PATIENCE, question).await {
        Ok(Ok(page)) => {
            app.previews.remember(path, &page);
            page
        }
        Ok(Err(status)) => {
            tracing::warn!(code = ?status.code(), "a page goes out without its head");
            unknown()
        }
        Err(_) => {
            tracing::warn!("a page goes out without its head: no answer in time");
            unknown()
        }
    }
}
