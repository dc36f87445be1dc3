use kit::{
    caller,
    error::Failure,
    idempotency::{self, Begun},
    page::Page,
};
use prost::Message as _;
use proto::{
    common::v1::PageRequest,
    media::v1::{
        self as pb, CancelImageRequest, CancelImageResponse, CreateImageRequest, CreateImageResponse,
        CreatePortraitRequest, CreatePortraitResponse, DeleteImageRequest, DeleteImageResponse,
        GetImageRequest, GetImageResponse, Image, ImageOptions, JobState, ListImageOptionsRequest,
        ListImageOptionsResponse, ListImagesRequest, ListImagesResponse, RestoreImageRequest,
        RestoreImageResponse, UpdateImageRequest, UpdateImageResponse, images_server::Images,
    },
};
use time::OffsetDateTime;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use super::{Job, Purpose, options, store};
use crate::{
    App,
    assets::{AssetId, signature::Signer, standing::Standing},
    engines::Options,
    error::{Error, Result},
    events, limits,
};

#[tonic::async_trait]
impl Images for App {
    async fn create_image(
        &self,
        request: Request<CreateImageRequest>,
    ) -> Result<Response<CreateImageResponse>, Status> {
        let user = caller::user(&request)?;
        let key = caller::idempotency_key(&request)?;
        let asked = request.into_inner();
        let held = match idempotency::begin(&self.db, user.id, "create_image", key, &asked).await? {
            Begun::Answered(answer) => return Ok(Response::new(answer)),
            Begun::Do(held) => held,
        };
        let ordered = self.order_gallery(user.id, asked, held.as_ref()).await;
        Ok(Response::new(idempotency::settle(&self.db, held, ordered).await?))
    }

    async fn create_portrait(
        &self,
        request: Request<CreatePortraitRequest>,
    ) -> Result<Response<CreatePortraitResponse>, Status> {
        let user = caller::user(&request)?;
        let asked = request.into_inner();
        let character = kit::ids::parse("characterId", &asked.character_id)?;
        let mut tags = asked.tags;
        tags.truncate(limits::TAGS);
        let prompt = asked.options.as_ref().map_or("", |options| options.prompt.as_str());
        self.struck(user.id, options::with_tags(prompt, &tags)).await?;
        let job = Job {
            id: Uuid::now_v7(),
            owner: user.id,
            purpose: Purpose::Portrait,
            character: Some(character),
            version: asked.version,
            options: self.options(user.id, asked.options, asked.nsfw).await?,
            tags,
            label: String::new(),
            private: asked.private,
            priority: false,
            cost: limits::IMAGE_COST,
        };
        let id = self.order_portrait(job, character).await?;
        Ok(Response::new(CreatePortraitResponse { job_id: id.to_string() }))
    }

    async fn list_images(
        &self,
        request: Request<ListImagesRequest>,
    ) -> Result<Response<ListImagesResponse>, Status> {
        let user = caller::user(&request)?;
        let ListImagesRequest { page, limit } = request.into_inner();
        let page = Page::from_proto(Some(&PageRequest { page, limit }))?;
        let mut rows = store::gallery(&self.db, user.id, page.limit, page.offset()).await?;
        let has_next_page = rows.len() > page.limit as usize;
        rows.truncate(page.limit as usize);
        let images = rows.into_iter().map(|row| image(row, &self.signer)).collect();
        Ok(Response::new(ListImagesResponse { images, has_next_page }))
    }

    async fn get_image(
        &self,
        request: Request<GetImageRequest>,
    ) -> Result<Response<GetImageResponse>, Status> {
        let user = caller::user(&request)?;
        let id = kit::ids::find("image_not_found", &request.into_inner().id)?;
        Ok(Response::new(GetImageResponse { image: Some(self.one(user.id, id).await?) }))
    }

    async fn update_image(
        &self,
        request: Request<UpdateImageRequest>,
    ) -> Result<Response<UpdateImageResponse>, Status> {
        let user = caller::user(&request)?;
        let image = self.update(user.id, request.into_inner()).await?;
        Ok(Response::new(UpdateImageResponse { image: Some(image) }))
    }

    async fn delete_image(
        &self,
        request: Request<DeleteImageRequest>,
    ) -> Result<Response<DeleteImageResponse>, Status> {
        let user = caller::user(&request)?;
        let at = self.delete(user.id, &request.into_inner().id).await?;
        Ok(Response::new(DeleteImageResponse { erased_at: Some(kit::time::to_proto(at)) }))
    }

    async fn restore_image(
        &self,
        request: Request<RestoreImageRequest>,
    ) -> Result<Response<RestoreImageResponse>, Status> {
        let user = caller::user(&request)?;
        let image = self.restore(user.id, &request.into_inner().id).await?;
        Ok(Response::new(RestoreImageResponse { image: Some(image) }))
    }

    async fn cancel_image(
        &self,
        request: Request<CancelImageRequest>,
    ) -> Result<Response<CancelImageResponse>, Status> {
        let user = caller::user(&request)?;
        let image = self.cancel(user.id, &request.into_inner().id).await?;
        Ok(Response::new(CancelImageResponse { image: Some(image) }))
    }

    async fn list_image_options(
        &self,
        _: Request<ListImageOptionsRequest>,
    ) -> Result<Response<ListImageOptionsResponse>, Status> {
        Ok(Response::new(ListImageOptionsResponse {
            options: options::told(&self.poses),
            engine: self.engine.clone(),
            cost: limits::IMAGE_COST,
        }))
    }
}

impl App {
    async fn options(&self, user: Uuid, asked: Option<ImageOptions>, nsfw: bool) -> Result<Options> {
        let options = self.struck(user, options::checked(asked, &self.poses)).await?;
        if !nsfw && options::must_be_private(&options, &self.poses) {
            return Err(Error::NsfwOff);
        }
        Ok(options)
    }

    /// Tells of a refusal whose repeat suspends.
    pub(super) async fn struck<T>(&self, user: Uuid, checked: Result<T>) -> Result<T> {
        if let Err(Error::Moderated { rule, .. }) = &checked {
            events::tell_strike(&self.db, user, *rule, "a request for a picture").await;
        }
        checked
    }

    async fn order_gallery(
        &self,
        user: Uuid,
        asked: CreateImageRequest,
        held: Option<&idempotency::Held>,
    ) -> Result<CreateImageResponse> {
        let job = Job {
            id: Uuid::now_v7(),
            owner: user,
            purpose: Purpose::Gallery,
            character: None,
            version: 1,
            options: self.options(user, asked.options, asked.nsfw).await?,
            tags: Vec::new(),
            label: self.struck(user, options::label(&asked.label)).await?,
            private: true,
            priority: false,
            cost: limits::IMAGE_COST,
        };
        self.order_image(job, held).await
    }

    async fn order_image(&self, job: Job, held: Option<&idempotency::Held>) -> Result<CreateImageResponse> {
        let job = Job { priority: self.entitled().await?.priority, ..job };
        store::insert(&self.db, &job).await?;
        self.reserve(job.id, job.cost, "image").await?;
        let answer = CreateImageResponse { image: Some(queued(&job)) };
        self.queue(
            job.id,
            held.map(|h| (h, answer.encode_to_vec())).as_ref().map(|(h, b)| (*h, b.as_slice())),
        )
        .await?;
        Ok(answer)
    }

    /// The same character and version always mean the same job, however often it is asked for.
    async fn order_portrait(&self, job: Job, character: Uuid) -> Result<Uuid> {
        let job = Job { priority: self.entitled().await?.priority, ..job };
        if store::insert(&self.db, &job).await? {
            self.reserve(job.id, job.cost, "portrait").await?;
            self.queue(job.id, None).await?;
            return Ok(job.id);
        }
        let live = store::portrait(&self.db, job.owner, character, job.version).await?;
        let (id, unpaid) =
            live.ok_or_else(|| Failure::new(tonic::Code::Aborted, "conflict", "asked for by another"))?;
        if unpaid {
            self.reserve(id, job.cost, "portrait").await?;
            match self.queue(id, None).await {
                // The first request went on after all.
                Ok(()) | Err(Error::EndedMeanwhile) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(id)
    }
}

fn queued(job: &Job) -> Image {
    let (width, height) = crate::engines::Format::Portrait.size();
    Image {
        id: job.id.to_string(),
        label: job.label.clone(),
        public: !job.private,
        state: JobState::Queued.into(),
        width,
        height,
        prompt: job.options.prompt.clone(),
        created_at: Some(kit::time::to_proto(OffsetDateTime::now_utc())),
        cost: job.cost,
        standing: pb::Standing::Waiting.into(),
        ..Image::default()
    }
}

pub(super) fn image(row: store::Row, signer: &Signer) -> Image {
    let asset = row.asset.as_deref().and_then(AssetId::parse);
    let signature = match &asset {
        Some(asset) if row.private || row.standing != "passed" => {
            signer.query(asset, OffsetDateTime::now_utc())
        }
        _ => String::new(),
    };
    let state = match row.state.as_str() {
        "unpaid" | "queued" => JobState::Queued,
        "running" => JobState::Running,
        "completed" => JobState::Completed,
        "failed" => JobState::Failed,
        _ => JobState::Canceled,
    };
    Image {
        id: row.id.to_string(),
        asset: row.asset.unwrap_or_default(),
        signature,
        label: row.label,
        public: !row.private,
        state: state.into(),
        reason: row.reason,
        width: row.width.unsigned_abs(),
        height: row.height.unsigned_abs(),
        prompt: row.options.0.prompt,
        created_at: Some(kit::time::to_proto(row.created_at)),
        cost: row.cost.unsigned_abs(),
        progress: if row.state == "completed" { 1.0 } else { row.progress },
        standing: pb::Standing::from(Standing::read(&row.standing)).into(),
    }
}
