use kit::{caller, page::Page};
use proto::catalog::v1::{
    DecideHeldRequest, DecideHeldResponse, GetHeldRequest, GetHeldResponse, HeldCharacter, HeldText,
    ListHeldRequest, ListHeldResponse, held_server::Held,
};
use tonic::{Request, Response, Status};

use super::store;
use crate::{
    App, cards,
    characters::{gate, rows},
    error::Error,
    limits,
};

#[tonic::async_trait]
impl Held for App {
    async fn list_held(
        &self,
        request: Request<ListHeldRequest>,
    ) -> Result<Response<ListHeldResponse>, Status> {
        caller::admin(&request)?;
        let page = Page::from_proto(request.into_inner().page.as_ref())?;
        let offset = i64::try_from(page.offset()).unwrap_or(i64::MAX);
        let queue = store::queue(&self.db, page.limit.into(), offset).await?;
        let total = store::count_queue(&self.db).await?;
        let ids: Vec<_> = queue.iter().map(|held| held.character_id).collect();
        let found = rows::find(&self.db, &ids).await?;
        let mut told = Vec::new();
        for held in &queue {
            let Some(row) = found.iter().find(|row| row.id() == held.character_id) else { continue };
            let extras = rows::extras(&self.db, held.character_id).await?;
            let hidden = cards::hidden(&self.db, held.character_id).await?;
            told.push(cut(gate::held(row, (&extras, &hidden), held)));
        }
        let page = Some(page.info(total.unsigned_abs()));
        Ok(Response::new(ListHeldResponse { characters: told, page }))
    }

    async fn get_held(&self, request: Request<GetHeldRequest>) -> Result<Response<GetHeldResponse>, Status> {
        caller::admin(&request)?;
        let id = kit::ids::find("character_not_found", &request.into_inner().id)?;
        // The digest before the texts: what is changed in between is not decided about.
        let held = store::queued(&self.db, id).await?.ok_or(Error::NotHeld)?;
        let whole = rows::whole(&self.db, id, 0).await?.ok_or(Error::CharacterNotFound)?;
        let hidden = cards::hidden(&self.db, id).await?;
        let character = Some(gate::held(&whole.row, (&whole.extras, &hidden), &held));
        Ok(Response::new(GetHeldResponse { character }))
    }

    async fn decide_held(
        &self,
        request: Request<DecideHeldRequest>,
    ) -> Result<Response<DecideHeldResponse>, Status> {
        let by = caller::admin(&request)?;
        let ask = request.into_inner();
        let id = kit::ids::find("character_not_found", &ask.id)?;
        self.decide_about(by.id, id, ask.decision(), (&ask.reasons, &ask.digest)).await?;
        Ok(Response::new(DecideHeldResponse {}))
    }
}

/// As much of a character as a list holds.
fn cut(mut held: HeldCharacter) -> HeldCharacter {
    let mut left = limits::HELD_TEXTS;
    let mut whole = true;
    held.texts.retain_mut(|HeldText { text, .. }| {
        let most = left.min(limits::HELD_TEXT);
        if let Some((at, _)) = text.char_indices().nth(most) {
            text.truncate(at);
            whole = false;
        }
        left -= text.chars().count();
        !text.is_empty()
    });
    if !whole {
        held.digest.clear();
    }
    held
}
