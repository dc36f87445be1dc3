//! Another portrait for a character, from the pictures of its owner.

use kit::{caller::User, error::Failure};
use proto::{
    catalog::v1::{Character, SetPortraitRequest},
    media::v1::Standing,
};
use sqlx::PgExecutor;
use uuid::Uuid;

use super::{gate::Gate, grpc::NO_CHARACTER, saving::REFUSED_IMAGE, store};
use crate::{
    App,
    error::{Error, Result},
    events, held,
};

impl App {
    pub(super) async fn set_portrait_of(&self, user: &User, ask: SetPortraitRequest) -> Result<Character> {
        let id = kit::ids::find(NO_CHARACTER, &ask.id)?;
        if ask.image_asset.is_empty() {
            return Err(Failure::invalid("image", "Choose a picture.").into());
        }
        let look = held::look(&self.assets, &ask.image_asset).await;
        if look.standing == Standing::Refused {
            return Err(Failure::new(tonic::Code::FailedPrecondition, "moderated", "the picture")
                .field("image", REFUSED_IMAGE)
                .into());
        }
        let mut tx = self.db.begin().await?;
        let open = hang(&mut *tx, id, user.id, &ask.image_asset).await?.ok_or(Error::CharacterNotFound)?;
        if open && look.private_only {
            return Err(Error::ImagePrivate);
        }
        held::picture(&mut tx, id, &ask.image_asset, look.standing).await?;
        store::relist(&mut tx, id, true).await?;
        events::character_changed(&mut tx, id).await?;
        tx.commit().await?;
        self.show(Gate::of(user.id), id).await
    }
}

/// A portrait that is still drawn does not come after this one. Whether everybody sees the character; `None` when there
/// is none of this owner's.
async fn hang(db: impl PgExecutor<'_>, id: Uuid, owner: Uuid, asset: &str) -> Result<Option<bool>> {
    let open = sqlx::query_scalar!(
        r#"update character set image_asset = $3, gel = '', portrait_pending = false,
             portrait_version = portrait_version + 1, version = version + 1, updated_at = now()
         where id = $1 and owner = $2 and state <> 'removed' and deleted_at is null
         returning public and not nsfw as "open!""#,
        id,
        owner,
        asset
    )
    .fetch_optional(db)
    .await?;
    Ok(open)
}
