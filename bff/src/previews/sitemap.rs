//! The maps of the site: its fixed pages, tags, and characters and creators in parts.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    sync::Arc,
    time::{Duration, Instant},
};

use axum::{
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use kit::{
    caller::{self, Context},
    deadline,
};
use proto::{
    catalog::v1::{ListCategoriesRequest, SearchRequest, Sort},
    common::v1::PageRequest,
};
use time::format_description::well_known::Rfc3339;
use tokio::sync::Mutex;
use tonic::Status;

use super::{
    head::escaped,
    pages::{creator_path, paths, tag_path},
};
use crate::{State, api::perhaps, errors::Problem};

/// Characters of a page of the list, the most that catalog gives, and pages of a part.
const PAGE: u32 = 100;
const PAGES: u32 = 10;
/// A part is read again after this.
const FRESH: Duration = Duration::from_secs(3_600);
/// Parts that are remembered: those of the newest hundred thousand characters.
const REMEMBERED: usize = 100;
/// For all questions of a part.
const PATIENCE: Duration = Duration::from_secs(10);
const CACHE: &str = "public, max-age=3600";
const BEGIN: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
const SCHEMA: &str = "http://www.sitemaps.org/schemas/sitemap/0.9";

/// Characters of a part, with the time of their last change, and their creators.
#[derive(Default)]
struct Part {
    characters: Vec<(String, Option<String>)>,
    creators: BTreeSet<String>,
    /// Characters that visitors may see, in all parts.
    total: u64,
}

/// The parts that were read lately; one is read at a time.
#[derive(Default)]
pub struct Parts(Mutex<BTreeMap<u32, (Arc<Part>, Instant)>>);

/// A map by the name of its file; `None` when there is none of that name.
pub async fn serve(app: &State, file: &str) -> Option<Response> {
    let name = file.strip_prefix("sitemap")?.strip_suffix(".xml")?;
    let number = |prefix: &str| name.strip_prefix(prefix)?.parse::<u32>().ok().filter(|part| *part > 0);
    let made = match (name, number("-characters-"), number("-creators-")) {
        ("", ..) => within(index(app)).await,
        ("-pages", ..) => Ok(Some(addresses(app, paths().map(|path| (path, None))))),
        ("-tags", ..) => within(tags(app)).await,
        (_, Some(part), _) => within(characters(app, part)).await,
        (_, _, Some(part)) => within(creators(app, part)).await,
        _ => return None,
    };
    Some(match made {
        Ok(Some(xml)) => {
            let kind = (header::CONTENT_TYPE, HeaderValue::from_static("application/xml; charset=utf-8"));
            ([kind, (header::CACHE_CONTROL, HeaderValue::from_static(CACHE))], xml).into_response()
        }
        Ok(None) => {
            (StatusCode::NOT_FOUND, [(header::CACHE_CONTROL, "no-store")], "Not found.\n").into_response()
        }
        Err(status) => Problem::from(status).into_response(),
    })
}

/// As a visitor, in time.
async fn within(
    question: impl Future<Output = Result<Option<String>, Status>>,
) -> Result<Option<String>, Status> {
    let question = caller::scope(Context::default(), deadline::within(PATIENCE, question));
    tokio::time::timeout(PATIENCE, question)
        .await
        .unwrap_or_else(|_| Err(Status::unavailable("no answer in time")))
}

async fn index(app: &State) -> Result<Option<String>, Status> {
    let parts = part(app, 1).await?.total.div_ceil(u64::from(PAGE * PAGES)).max(1);
    let fixed = ["pages", "tags"].map(str::to_owned).into_iter();
    let numbered = (1..=parts).flat_map(|part| [format!("characters-{part}"), format!("creators-{part}")]);
    let mut xml = format!("{BEGIN}<sitemapindex xmlns=\"{SCHEMA}\">\n");
    for name in fixed.chain(numbered) {
        let url = app.previews.site.url(&format!("/sitemap-{name}.xml"));
        let _ = writeln!(xml, "<sitemap><loc>{}</loc></sitemap>", escaped(&url));
    }
    Ok(Some(xml + "</sitemapindex>\n"))
}

async fn tags(app: &State) -> Result<Option<String>, Status> {
    let groups = app.clients.listings().list_categories(ListCategoriesRequest {}).await?.into_inner();
    let tags = groups.categories.into_iter().flat_map(|group| group.tags);
    let shown = tags.filter(|tag| tag.characters > 0).map(|tag| (tag_path(&tag.slug), None));
    Ok(Some(addresses(app, shown)))
}

async fn characters(app: &State, number: u32) -> Result<Option<String>, Status> {
    let part = part(app, number).await?;
    if part.characters.is_empty() && number > 1 {
        return Ok(None);
    }
    let characters = part.characters.iter();
    Ok(Some(addresses(app, characters.map(|(id, at)| (["/character/", id].concat(), at.clone())))))
}

async fn creators(app: &State, number: u32) -> Result<Option<String>, Status> {
    let part = part(app, number).await?;
    if part.creators.is_empty() && number > 1 {
        return Ok(None);
    }
    Ok(Some(addresses(app, part.creators.iter().map(|name| (creator_path(name), None)))))
}

async fn part(app: &State, number: u32) -> Result<Arc<Part>, Status> {
    let mut parts = app.previews.parts.0.lock().await;
    if let Some((part, at)) = parts.get(&number)
        && at.elapsed() < FRESH
    {
        return Ok(part.clone());
    }
    let part = Arc::new(read(app, number).await?);
    // What is not there is not remembered: anybody may ask for any number.
    if number == 1 || !part.characters.is_empty() {
        if parts.len() >= REMEMBERED {
            parts.pop_last();
        }
        parts.insert(number, (part.clone(), Instant::now()));
    }
    Ok(part)
}

async fn read(app: &State, number: u32) -> Result<Part, Status> {
    let mut part = Part::default();
    let first = (number - 1).saturating_mul(PAGES);
    for page in 1..=PAGES {
        let page = first.saturating_add(page);
        let request = SearchRequest {
            page: Some(PageRequest { page, limit: PAGE }),
            sort: Sort::New.into(),
            ..SearchRequest::default()
        };
        let list = app.clients.listings().search(request).await?.into_inner().list.unwrap_or_default();
        let info = list.page.unwrap_or_default();
        part.total = info.total;
        for card in list.cards.into_iter().filter(|card| card.public && !card.nsfw && !card.locked) {
            let at = perhaps(card.updated_at.as_ref()).and_then(|at| at.format(&Rfc3339).ok());
            part.creators
                .extend(card.creator.map(|creator| creator.username).filter(|name| !name.is_empty()));
            part.characters.push((card.id, at));
        }
        if !info.has_more {
            break;
        }
    }
    Ok(part)
}

fn addresses(app: &State, paths: impl Iterator<Item = (String, Option<String>)>) -> String {
    let mut xml = format!("{BEGIN}<urlset xmlns=\"{SCHEMA}\">\n");
    for (path, at) in paths {
        let url = escaped(&app.previews.site.url(&path));
        let at = at.map(|at| format!("<lastmod>{at}</lastmod>")).unwrap_or_default();
        let _ = writeln!(xml, "<url><loc>{url}</loc>{at}</url>");
    }
    xml + "</urlset>\n"
}
