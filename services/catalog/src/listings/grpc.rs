use std::collections::HashMap;

use kit::{caller, error::Failure, page::Page, text};
use proto::catalog::v1::{
    CardList, CharacterCard, ListByCreatorRequest, ListByCreatorResponse, ListByTagRequest,
    ListByTagResponse, ListCategoriesRequest, ListCategoriesResponse, ListFollowedRequest,
    ListFollowedResponse, ListForYouRequest, ListForYouResponse, ListFromFollowedRequest,
    ListFromFollowedResponse, ListShelfRequest, ListShelfResponse, SearchRequest, SearchResponse, Shelf,
    Sort as PbSort, listings_server::Listings,
};
use tonic::{Request, Response, Status};
use uuid::Uuid;

use super::{
    index::{Query, Sort},
    stable::Stable,
    store,
};
use crate::{
    App,
    characters::{slug, store as characters},
    error::Result,
    limits, viewers,
};

/// The tag that lists by the flag.
const NSFW: &str = "nsfw";

impl From<PbSort> for Sort {
    fn from(sort: PbSort) -> Self {
        match sort {
            PbSort::Unspecified | PbSort::MostLiked => Self::MostLiked,
            PbSort::Popular => Self::Popular,
            PbSort::Trending => Self::Trending,
            PbSort::RecentHits => Self::RecentHits,
            PbSort::New => Self::New,
        }
    }
}

/// What a list is asked for, once it was checked.
struct Ask {
    viewer: Option<Uuid>,
    page: Page,
    sort: Sort,
    tags: Vec<String>,
    keywords: String,
}

#[tonic::async_trait]
impl Listings for App {
    async fn search(&self, request: Request<SearchRequest>) -> Result<Response<SearchResponse>, Status> {
        let viewer = caller::maybe(&request).map(|u| u.id);
        let ask = request.into_inner();
        if ask.tags.len() > limits::SEARCH_TAGS_MAX {
            return Err(Failure::invalid("tags", "At most 10 at once.").into());
        }
        let keywords = text::clean(&ask.keywords, limits::KEYWORDS_MAX)
            .map_err(|e| Failure::invalid("keywords", e.to_string()))?;
        let ask = Ask {
            viewer,
            page: Page::from_proto(ask.page.as_ref())?,
            sort: ask.sort().into(),
            tags: ask.tags.iter().map(|t| slug(t)).filter(|t| !t.is_empty()).collect(),
            keywords,
        };
        Ok(Response::new(SearchResponse { list: Some(self.find(&ask).await?) }))
    }

    async fn list_by_tag(
        &self,
        request: Request<ListByTagRequest>,
    ) -> Result<Response<ListByTagResponse>, Status> {
        let viewer = caller::maybe(&request).map(|u| u.id);
        let ask = request.into_inner();
        let ask = Ask {
            viewer,
            page: Page::from_proto(ask.page.as_ref())?,
            sort: ask.sort().into(),
            tags: vec![slug(&ask.tag)],
            keywords: String::new(),
        };
        Ok(Response::new(ListByTagResponse { list: Some(self.find(&ask).await?) }))
    }

    async fn list_shelf(
        &self,
        request: Request<ListShelfRequest>,
    ) -> Result<Response<ListShelfResponse>, Status> {
        let viewer = caller::maybe(&request).map(|u| u.id);
        let (name, sort) = match request.into_inner().shelf() {
            Shelf::Trending => ("trending", Sort::Trending),
            Shelf::Discover | Shelf::Unspecified => ("discover", Sort::MostLiked),
        };
        Ok(Response::new(ListShelfResponse { cards: self.shelf(viewer, name, sort).await? }))
    }

    async fn list_for_you(
        &self,
        request: Request<ListForYouRequest>,
    ) -> Result<Response<ListForYouResponse>, Status> {
        let user = caller::user(&request)?;
        let ask = request.into_inner();
        let page = Page::from_proto(ask.page.as_ref())?;
        let sort = ask.sort().into();
        let (any_tags, without) = store::taste(&self.db, user.id).await?;
        let query = Query { any_tags: &any_tags, without: &without, ..Query::default() };
        // Tastes that nothing matches yet say nothing: then everybody's ranking.
        let matched = self.listing.get().page(&query, sort, 0, 1).1 > 0;
        let query = if matched { query } else { Query { without: &without, ..Query::default() } };
        let list = self.ranked(user.id.into(), page, sort, &query, &[b"foryou"]).await?;
        Ok(Response::new(ListForYouResponse { list: Some(list), because: HashMap::new() }))
    }

    async fn list_followed(
        &self,
        request: Request<ListFollowedRequest>,
    ) -> Result<Response<ListFollowedResponse>, Status> {
        let user = caller::user(&request)?;
        let page = Page::from_proto(request.into_inner().page.as_ref())?;
        let (limit, offset) = window(page);
        let (ids, total) = store::followed(&self.db, user.id, limit, offset).await?;
        let cards = self.hydrate(Some(user.id), &ids).await?;
        let list = CardList { cards, page: Some(page.info(total.unsigned_abs())) };
        Ok(Response::new(ListFollowedResponse { list: Some(list) }))
    }

    async fn list_from_followed(
        &self,
        request: Request<ListFromFollowedRequest>,
    ) -> Result<Response<ListFromFollowedResponse>, Status> {
        let user = caller::user(&request)?;
        let ask = request.into_inner();
        let page = Page::from_proto(ask.page.as_ref())?;
        let sort = ask.sort().into();
        let creators = store::followed_creators(&self.db, user.id).await?;
        let query = Query { creators: Some(&creators), ..Query::default() };
        let list = self.ranked(user.id.into(), page, sort, &query, &[b"followed"]).await?;
        Ok(Response::new(ListFromFollowedResponse { list: Some(list) }))
    }

    async fn list_categories(
        &self,
        _: Request<ListCategoriesRequest>,
    ) -> Result<Response<ListCategoriesResponse>, Status> {
        Err(Status::unimplemented("comes with its table"))
    }

    async fn list_by_creator(
        &self,
        request: Request<ListByCreatorRequest>,
    ) -> Result<Response<ListByCreatorResponse>, Status> {
        let viewer = caller::maybe(&request).map(|u| u.id);
        let ask = request.into_inner();
        let page = Page::from_proto(ask.page.as_ref())?;
        let creator = match (&ask.creator_id, viewer) {
            (Some(id), _) => kit::ids::find("user_not_found", id)?,
            (None, Some(me)) => me,
            (None, None) => return Err(Failure::unauthenticated().into()),
        };
        let (limit, offset) = window(page);
        let (ids, total) =
            store::by_creator(&self.db, creator, viewer == Some(creator), limit, offset).await?;
        let cards = self.hydrate(viewer, &ids).await?;
        let list = CardList { cards, page: Some(page.info(total.unsigned_abs())) };
        Ok(Response::new(ListByCreatorResponse { list: Some(list) }))
    }
}

fn window(page: Page) -> (i64, i64) {
    (page.limit.into(), i64::try_from(page.offset()).unwrap_or(i64::MAX))
}

impl App {
    async fn find(&self, ask: &Ask) -> Result<CardList> {
        let only_nsfw = ask.tags.iter().any(|t| t == NSFW);
        let mut slugs: Vec<String> = ask.tags.iter().filter(|t| *t != NSFW).cloned().collect();
        slugs.sort();
        slugs.dedup();
        let tags = store::tag_ids(&self.db, &slugs).await?;
        if tags.len() < slugs.len() {
            // An unknown tag is an empty list, not an error.
            return Ok(CardList { cards: Vec::new(), page: Some(ask.page.info(0)) });
        }
        let mut capped = false;
        let among = if ask.keywords.is_empty() {
            None
        } else {
            let mut found = store::matches(&self.db, &ask.keywords).await?;
            capped = found.len() > limits::MATCHES_MAX;
            found.truncate(limits::MATCHES_MAX);
            Some(found)
        };
        let query = Query { tags: &tags, only_nsfw, among: among.as_deref(), ..Query::default() };
        let joined = slugs.join(",");
        let flag = [u8::from(only_nsfw)];
        let key: [&[u8]; 4] = [b"search", joined.as_bytes(), ask.keywords.as_bytes(), &flag];
        let mut list = self.ranked(ask.viewer, ask.page, ask.sort, &query, &key).await?;
        if let (true, Some(page)) = (capped, list.page.as_mut()) {
            page.total_capped = true;
            // One ahead while there is more (readings, Lists).
            page.total_pages = ask.page.page + u32::from(page.has_more);
        }
        Ok(list)
    }

    /// A page of a ranked list. Pages of a signed-in viewer stay what they were at page 1.
    async fn ranked(
        &self,
        viewer: Option<Uuid>,
        page: Page,
        sort: Sort,
        query: &Query<'_>,
        key: &[&[u8]],
    ) -> Result<CardList> {
        let index = self.listing.get();
        let offset = usize::try_from(page.offset()).unwrap_or(usize::MAX);
        let limit = page.limit as usize;
        let (mut ords, total) = index.page(query, sort, offset, limit);
        if let Some(viewer) = viewer {
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
        let ids = store::ids(&self.db, &ords).await?;
        let cards = self.hydrate(viewer, &ids).await?;
        Ok(CardList { cards, page: Some(page.info(total as u64)) })
    }

    /// A shelf of the home page: its own, topped up by rank.
    async fn shelf(&self, viewer: Option<Uuid>, name: &str, sort: Sort) -> Result<Vec<CharacterCard>> {
        let mut ids = store::shelf(&self.db, name).await?;
        ids.truncate(limits::SHELF);
        if ids.len() < limits::SHELF {
            let (ords, _) = self.listing.get().page(&Query::default(), sort, 0, limits::SHELF * 2);
            for id in store::ids(&self.db, &ords).await? {
                if ids.len() < limits::SHELF && !ids.contains(&id) {
                    ids.push(id);
                }
            }
        }
        self.hydrate(viewer, &ids).await
    }

    async fn hydrate(&self, viewer: Option<Uuid>, ids: &[Uuid]) -> Result<Vec<CharacterCard>> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let gate = viewers::gate(&self.db, viewer).await?;
        let rows = characters::find(&self.db, ids).await?;
        Ok(rows.iter().filter_map(|row| gate.listed(row)).collect())
    }
}
