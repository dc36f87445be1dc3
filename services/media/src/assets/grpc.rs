use kit::{caller, error::Failure};
use proto::media::v1::{
    self as pb, FetchAssetRequest, FetchAssetResponse, FindCopiesRequest, FindCopiesResponse,
    GetStandingsRequest, GetStandingsResponse, Rendition, SignUrlsRequest, SignUrlsResponse,
    assets_server::Assets,
};
use time::OffsetDateTime;
use tonic::{Request, Response, Status};

use super::{
    AssetId, copies,
    files::Size,
    standing,
    store::{self, Viewer},
};
use crate::{
    App,
    error::{Error, Result},
    limits,
};

#[tonic::async_trait]
impl Assets for App {
    async fn fetch_asset(
        &self,
        request: Request<FetchAssetRequest>,
    ) -> Result<Response<FetchAssetResponse>, Status> {
        let ask = request.into_inner();
        let size = match ask.rendition() {
            Rendition::Thumb => Size::Thumb,
            Rendition::Card => Size::Card,
            Rendition::Full => Size::Full,
            Rendition::Unspecified => {
                return Err(Failure::invalid("rendition", "Choose a size.").into());
            }
        };
        let asset = AssetId::parse(&ask.asset).ok_or(Error::AssetNotFound)?;
        let private = store::shown(&self.db, &asset).await?.ok_or(Error::AssetNotFound)?;
        let now = OffsetDateTime::now_utc();
        if private && !self.signer.holds(&asset, ask.expires, &ask.signature, now) {
            return Err(Error::AssetNotFound.into());
        }
        let data = match self.files.get(&asset, size).await {
            Err(Error::Files(object_store::Error::NotFound { .. })) => {
                tracing::error!(%asset, "an asset without its file");
                return Err(Error::AssetNotFound.into());
            }
            data => data?,
        };
        Ok(Response::new(FetchAssetResponse {
            data: data.into(),
            content_type: "image/webp".into(),
            immutable: !private,
        }))
    }

    async fn find_copies(
        &self,
        request: Request<FindCopiesRequest>,
    ) -> Result<Response<FindCopiesResponse>, Status> {
        let hashes = self.press.hashes(request.into_inner().data).await?;
        let assets = copies::find(&self.db, &hashes).await?;
        Ok(Response::new(FindCopiesResponse { hashes, assets }))
    }

    async fn get_standings(
        &self,
        request: Request<GetStandingsRequest>,
    ) -> Result<Response<GetStandingsResponse>, Status> {
        let assets = request.into_inner().assets;
        if assets.len() > limits::SIGN_MAX {
            return Err(Failure::invalid("assets", format!("At most {}.", limits::SIGN_MAX)).into());
        }
        let mut answer = GetStandingsResponse::default();
        for shown in standing::among(&self.db, &assets).await? {
            if shown.must_be_private {
                answer.private_only.push(shown.id.clone());
            }
            answer.standings.insert(shown.id, pb::Standing::from(shown.standing).into());
        }
        Ok(Response::new(answer))
    }

    async fn sign_urls(
        &self,
        request: Request<SignUrlsRequest>,
    ) -> Result<Response<SignUrlsResponse>, Status> {
        let viewer = Viewer {
            user: caller::maybe(&request).map(|user| user.id),
            moderator: caller::admin(&request).is_ok(),
        };
        let mut assets = request.into_inner().assets;
        if assets.len() > limits::SIGN_MAX {
            return Err(Failure::invalid("assets", format!("At most {}.", limits::SIGN_MAX)).into());
        }
        assets.retain(|a| AssetId::parse(a).is_some());
        let now = OffsetDateTime::now_utc();
        let queries = store::private_among(&self.db, &assets, viewer)
            .await?
            .into_iter()
            .filter_map(|name| AssetId::parse(&name).map(|asset| (name, self.signer.query(&asset, now))))
            .collect();
        Ok(Response::new(SignUrlsResponse { queries }))
    }
}
