use kit::caller;
use proto::catalog::v1::{
    DescribeCreatorRequest, DescribeCreatorResponse, GetViewerRequest, GetViewerResponse, SetViewerRequest,
    SetViewerResponse, Viewer, viewers_server::Viewers,
};
use tonic::{Request, Response, Status};
use uuid::Uuid;

use super::store;
use crate::{
    App,
    characters::store as characters,
    error::{Error, Result},
};

#[tonic::async_trait]
impl Viewers for App {
    async fn get_viewer(
        &self,
        request: Request<GetViewerRequest>,
    ) -> Result<Response<GetViewerResponse>, Status> {
        let user = caller::user(&request)?;
        Ok(Response::new(GetViewerResponse { viewer: Some(self.viewer(user.id).await?) }))
    }

    async fn set_viewer(
        &self,
        request: Request<SetViewerRequest>,
    ) -> Result<Response<SetViewerResponse>, Status> {
        let user = caller::user(&request)?;
        let ask = request.into_inner();
        let confirm = ask.age_confirmed == Some(true);
        let confirmed = confirm || store::find(&self.db, user.id).await?.is_some_and(|v| v.age_confirmed);
        if ask.nsfw_on == Some(true) && !confirmed {
            return Err(Error::AgeUnconfirmed.into());
        }
        store::set(&self.db, user.id, ask.nsfw_on, confirm).await?;
        self.viewer_changed(user.id).await;
        Ok(Response::new(SetViewerResponse { viewer: Some(self.viewer(user.id).await?) }))
    }

    async fn describe_creator(
        &self,
        request: Request<DescribeCreatorRequest>,
    ) -> Result<Response<DescribeCreatorResponse>, Status> {
        let caller = caller::maybe(&request).map(|u| u.id);
        let creator = kit::ids::find("user_not_found", &request.into_inner().creator_id)?;
        let (count, badge) = tokio::try_join!(
            characters::count_of(&self.db, creator, caller),
            characters::has_paid_plan(&self.db, creator),
        )?;
        Ok(Response::new(DescribeCreatorResponse { characters: count.unsigned_abs(), badge }))
    }
}

impl App {
    /// What a reader may see has changed: whoever keeps cards as this reader sees them drops them.
    pub(crate) async fn viewer_changed(&self, user: Uuid) {
        self.notices.hint(user, "viewer.changed", user.to_string()).await;
    }

    async fn viewer(&self, user: Uuid) -> Result<Viewer> {
        let found = store::find(&self.db, user).await?;
        let followed = store::followed_ids(&self.db, user).await?;
        Ok(Viewer {
            age_confirmed: found.as_ref().is_some_and(|v| v.age_confirmed),
            nsfw_on: found.is_some_and(|v| v.nsfw_on),
            followed_character_ids: followed.iter().map(Uuid::to_string).collect(),
        })
    }
}
