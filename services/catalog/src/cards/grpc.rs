use kit::{
    caller,
    idempotency::{self, Begun},
};
use proto::catalog::v1::{
    CardFormat, CardVersion, ExportCardRequest, ExportCardResponse, ImportCardRequest, ImportCardResponse,
    ReadCardRequest, ReadCardResponse, cards_server::Cards,
};
use tonic::{Request, Response, Status};

use super::{Format, import::understood, kind};
use crate::{App, characters::judging::judged};

#[tonic::async_trait]
impl Cards for App {
    async fn read_card(
        &self,
        request: Request<ReadCardRequest>,
    ) -> Result<Response<ReadCardResponse>, Status> {
        caller::user(&request)?;
        let read = understood(request.into_inner().file).await?;
        let checked = judged(read.draft.clone(), Some(read.file.json.clone())).await;
        let problems = checked.err().map(|refused| refused.fields).unwrap_or_default();
        let is_file = read.file.format == Format::Png;
        let picture = read.picture().filter(|_| !is_file).unwrap_or_default();
        Ok(Response::new(ReadCardResponse {
            format: match read.file.format {
                Format::Png => CardFormat::Png,
                Format::Json => CardFormat::Json,
                Format::Charx => CardFormat::Charx,
            }
            .into(),
            version: match read.card.version {
                1 => CardVersion::V1,
                2 => CardVersion::V2,
                _ => CardVersion::V3,
            }
            .into(),
            // The first text of a field is the one that matters.
            problems: problems.into_iter().rev().collect(),
            picture_is_file: is_file,
            picture_type: kind(&picture).unwrap_or_default().into(),
            picture,
            author: read.card.author(),
            assets: u32::try_from(read.file.assets.len()).unwrap_or(u32::MAX),
            draft: Some(read.draft),
            warnings: read.warnings,
        }))
    }

    async fn import_card(
        &self,
        request: Request<ImportCardRequest>,
    ) -> Result<Response<ImportCardResponse>, Status> {
        let user = caller::user(&request)?;
        let key = caller::idempotency_key(&request)?;
        let ask = request.into_inner();
        let held = match idempotency::begin(&self.db, user.id, "import_card", key, &ask).await? {
            Begun::Answered(answer) => return Ok(Response::new(answer)),
            Begun::Do(held) => held,
        };
        let made = self.import(&user, ask, held.as_ref()).await;
        Ok(Response::new(idempotency::settle(&self.db, held, made).await?))
    }

    async fn export_card(
        &self,
        request: Request<ExportCardRequest>,
    ) -> Result<Response<ExportCardResponse>, Status> {
        let user = caller::user(&request)?;
        Ok(Response::new(self.export(user.id, request.into_inner()).await?))
    }
}
