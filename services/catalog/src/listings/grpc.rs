use kit::{caller, error::Failure, page::Page, text};
use proto::catalog::v1::{
    CardList, ListByCreatorRequest, ListByCreatorResponse, ListByTagRequest, ListByTagResponse,
    ListCategoriesRequest, ListCategoriesResponse, ListFollowedRequest, ListFollowedResponse,
    ListForYouRequest, ListForYouResponse, ListFromFollowedRequest, ListFromFollowedResponse,
    ListShelfRequest, ListShelfResponse, SearchRequest, SearchResponse, Shelf, Sort as PbSort,
    listings_server::Listings,
};
use tonic::{Request, Response, Status};

use super::{
    index::{Query, Sort},
    lists::Ask,
    store,
};
use crate::{App, characters::slug, error::Result, limits, viewers};

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

#[tonic::async_trait]
impl Listings for App {
    async fn search(&self, request: Request<SearchRequest>) -> Result<Response<SearchResponse>, Status> {
        let viewer = caller::maybe(&request).map(|u| u.id);
        let ask = request.into_inner();
        if ask.tags.len() > limits::SEARCH_TAGS_MAX {
            return Err(
                Failure::invalid("tags", format!("At most {} at once.", limits::SEARCH_TAGS_MAX)).into()
            );
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
        Ok(Response::new(self.for_you(user.id, page, sort).await?))
    }

    async fn list_followed(
        &self,
        request: Request<ListFollowedRequest>,
    ) -> Result<Response<ListFollowedResponse>, Status> {
        let user = caller::user(&request)?;
        let page = Page::from_proto(request.into_inner().page.as_ref())?;
        let (limit, offset) = window(page);
        let (ids, total) = store::followed(&self.db, user.id, limit, offset).await?;
        let gate = viewers::gate(&self.db, Some(user.id)).await?;
        let cards = self.hydrate(&gate, &ids).await?;
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
        let reader = self.reader(Some(user.id)).await?;
        let query = Query { creators: Some(&creators), hidden: reader.hidden.as_ref(), ..Query::default() };
        let list = self.ranked(&reader, page, sort, &query, &[b"followed"]).await?;
        Ok(Response::new(ListFromFollowedResponse { list: Some(list) }))
    }

    async fn list_categories(
        &self,
        request: Request<ListCategoriesRequest>,
    ) -> Result<Response<ListCategoriesResponse>, Status> {
        let viewer = caller::maybe(&request).map(|u| u.id);
        Ok(Response::new(ListCategoriesResponse { categories: self.categories(viewer).await? }))
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
        let (ids, total) = store::by_creator(&self.db, creator, viewer, limit, offset).await?;
        let gate = viewers::gate(&self.db, viewer).await?;
        let cards = self.hydrate(&gate, &ids).await?;
        let list = CardList { cards, page: Some(page.info(total.unsigned_abs())) };
        Ok(Response::new(ListByCreatorResponse { list: Some(list) }))
    }
}

fn window(page: Page) -> (i64, i64) {
    (page.limit.into(), i64::try_from(page.offset()).unwrap_or(i64::MAX))
}
