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
        let own = store::own(&self.db, user.id).await?;
        Ok(Response::new(GetViewerResponse {
            characters: own.characters.unsigned_abs(),
            badge: own.badge,
            viewer: Some(own.into()),
        }))
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
        let viewer = store::own(&self.db, user.id).await?.into();
        Ok(Response::new(SetViewerResponse { viewer: Some(viewer) }))
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
}

impl From<store::Own> for Viewer {
    fn from(own: store::Own) -> Self {
        Self {
            age_confirmed: own.age_confirmed,
            nsfw_on: own.nsfw_on,
            followed_character_ids: own.followed.iter().map(Uuid::to_string).collect(),
        }
    }
}
