//! Pages of cards: the index ranks, what was kept stays, PostgreSQL hydrates, the gate decides.

use kit::page::Page;
use proto::catalog::v1::{CardList, Category, CategoryTag, CharacterCard};
use uuid::Uuid;

use super::{
    index::{Index, Query, Sort},
    reader::Reader,
    stable::Stable,
    store, text,
};
use crate::{
    App,
    characters::{NSFW, gate::Gate},
    error::Result,
    limits,
};

/// What a list is asked for, once it was checked.
pub struct Ask {
    pub viewer: Option<Uuid>,
    pub page: Page,
    pub sort: Sort,
    pub tags: Vec<String>,
    pub keywords: String,
}

impl App {
    pub(super) async fn find(&self, ask: &Ask) -> Result<CardList> {
        let reader = self.reader(ask.viewer).await?;
        let only_nsfw = ask.tags.iter().any(|t| t == NSFW);
        let mut slugs: Vec<String> = ask.tags.iter().filter(|t| *t != NSFW).cloned().collect();
        slugs.sort();
        slugs.dedup();
        let tags = self.tags.ids(&self.db, &slugs).await?;
        if tags.len() < slugs.len() {
            // An unknown tag is an empty list, not an error.
            return Ok(CardList { cards: Vec::new(), page: Some(ask.page.info(0)) });
        }
        let mut query = Query { tags: &tags, only_nsfw, hidden: reader.hidden.as_ref(), ..Query::default() };
        let find = if ask.keywords.is_empty() {
            None
        } else {
            let words = text::words(&ask.keywords);
            if let Some(list) = self.walked(&reader, ask, &query, &words).await? {
                return Ok(list);
            }
            Some(self.found(words, reader.gate.nsfw).await?)
        };
        query.among = find.as_ref().map(|find| &find.ords[..]);
        let joined = slugs.join(",");
        let flag = [u8::from(only_nsfw)];
        let key: [&[u8]; 4] = [b"search", joined.as_bytes(), ask.keywords.as_bytes(), &flag];
        let mut list = self.ranked(&reader, ask.page, ask.sort, &query, &key).await?;
        if let (true, Some(info)) = (find.is_some_and(|find| find.capped), list.page.as_mut()) {
            text::cap(ask.page, info);
        }
        Ok(list)
    }

    /// A page of a ranked list. Pages of a signed-in viewer stay what they were at page 1.
    pub(super) async fn ranked(
        &self,
        reader: &Reader,
        page: Page,
        sort: Sort,
        query: &Query<'_>,
        key: &[&[u8]],
    ) -> Result<CardList> {
        let index = self.listing.get().await;
        let offset = usize::try_from(page.offset()).unwrap_or(usize::MAX);
        let limit = page.limit as usize;
        let (mut ords, total) = index.page(query, sort, offset, limit);
        if let Some(viewer) = reader.user() {
            let sort_key = [sort as u8];
            let key: Vec<&[u8]> = key.iter().copied().chain([sort_key.as_slice()]).collect();
            let stable = Stable::new(&self.redis, viewer, &key);
            if page.page == 1 {
                if total > limit {
                    stable.keep(&index.page(query, sort, 0, limits::STABLE_ROWS).0).await;
                }
            } else if let Some(kept) = stable.page(page).await {
                ords = kept;
            }
        }
        let ids = self.ids(&index, &ords).await?;
        let cards = self.hydrate(&reader.gate, &ids).await?;
        Ok(CardList { cards, page: Some(page.info(total as u64)) })
    }

    /// A shelf of the home page: its own, topped up by rank.
    pub(super) async fn shelf(
        &self,
        viewer: Option<Uuid>,
        name: &str,
        sort: Sort,
    ) -> Result<Vec<CharacterCard>> {
        let reader = self.reader(viewer).await?;
        let mut ids = store::shelf(&self.db, name, viewer).await?;
        ids.truncate(limits::SHELF);
        if ids.len() < limits::SHELF {
            let query = Query { hidden: reader.hidden.as_ref(), ..Query::default() };
            let index = self.listing.get().await;
            let (ords, _) = index.page(&query, sort, 0, limits::SHELF * 2);
            for id in self.ids(&index, &ords).await? {
                if ids.len() < limits::SHELF && !ids.contains(&id) {
                    ids.push(id);
                }
            }
        }
        self.hydrate(&reader.gate, &ids).await
    }

    /// Whose ords these are. What was kept at page 1 may come from the index of another replica.
    pub(super) async fn ids(&self, index: &Index, ords: &[i32]) -> Result<Vec<Uuid>> {
        match index.ids(ords) {
            Some(ids) => Ok(ids),
            None => store::ids(&self.db, ords).await,
        }
    }

    pub(super) async fn hydrate(&self, gate: &Gate, ids: &[Uuid]) -> Result<Vec<CharacterCard>> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let rows = self.shown.read(&self.db, ids).await?;
        Ok(rows.iter().filter_map(|row| gate.listed(row)).collect())
    }

    /// The tags in their groups, with how many characters this reader may see in full.
    pub(super) async fn categories(&self, viewer: Option<Uuid>) -> Result<Vec<Category>> {
        let reader = self.reader(viewer).await?;
        let tags = store::categories(&self.db).await?;
        let query =
            Query { without_nsfw: !reader.gate.nsfw, hidden: reader.hidden.as_ref(), ..Query::default() };
        let ids: Vec<i32> = tags.iter().map(|tag| tag.id).collect();
        let index = self.listing.get().await;
        let counts = index.count_by_tag(&query, &ids);
        // This one lists by the flag.
        let flagged = index.page(&Query { only_nsfw: true, ..query }, Sort::New, 0, 0).1;
        let mut groups: Vec<Category> = Vec::new();
        for (tag, count) in tags.into_iter().zip(counts) {
            if groups.last().is_none_or(|group| group.name != tag.category) {
                groups.push(Category { name: tag.category, emoji: tag.emoji, tags: Vec::new() });
            }
            let count = if tag.slug == NSFW { flagged } else { count };
            let tag = CategoryTag { slug: tag.slug, label: tag.label, characters: count as u64 };
            if let Some(group) = groups.last_mut() {
                group.tags.push(tag);
            }
        }
        Ok(groups)
    }
}
