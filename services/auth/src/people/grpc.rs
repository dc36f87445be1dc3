use kit::page::Page;
use proto::auth::v1::{
    ListFollowersRequest, ListFollowersResponse, ListFollowingRequest, ListFollowingResponse,
    people_server::People,
};
use tonic::{Request, Response, Status};

use super::store;
use crate::{App, error::Error};

#[tonic::async_trait]
impl People for App {
    async fn list_followers(
        &self,
        request: Request<ListFollowersRequest>,
    ) -> Result<Response<ListFollowersResponse>, Status> {
        let ask = request.into_inner();
        let user = kit::ids::find("user_not_found", &ask.user_id)?;
        let page = Page::from_proto(ask.page.as_ref())?;
        let (total, _) = store::counts(&self.db, user).await?.ok_or(Error::UserNotFound)?;
        let followers = store::followers(&self.db, user, page).await?;
        Ok(Response::new(ListFollowersResponse {
            followers: followers.into_iter().map(Into::into).collect(),
            page: Some(page.info(total)),
        }))
    }

    async fn list_following(
        &self,
        request: Request<ListFollowingRequest>,
    ) -> Result<Response<ListFollowingResponse>, Status> {
        let ask = request.into_inner();
        let user = kit::ids::find("user_not_found", &ask.user_id)?;
        let page = Page::from_proto(ask.page.as_ref())?;
        let (_, total) = store::counts(&self.db, user).await?.ok_or(Error::UserNotFound)?;
        let following = store::following(&self.db, user, page).await?;
        Ok(Response::new(ListFollowingResponse {
            following: following.into_iter().map(Into::into).collect(),
            page: Some(page.info(total)),
        }))
    }
}
