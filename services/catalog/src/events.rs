//! All that catalog tells, and all that it hears.

use async_trait::async_trait;
use kit::{
    db::Transaction,
    inbox::{Apply, Event},
    notice::Notices,
    outbox,
};
use proto::events::v1::{
    ActivityRecorded, AssetJudged, CharacterChanged, EntitlementChanged, FollowChanged, ImageEnded,
    ReviewPosted, UserChanged, UserSuspended,
};
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{Assets, account_data, characters::store as characters, creators, error::Result, held, limits};

/// Where the trend counts time from: 2026-01-01. Any fixed day serves.
const TREND_ORIGIN: i64 = 1_767_225_600;
const DAY_S: f64 = 86_400.0;

/// `catalog.character.changed`, as the character stands in the caller's transaction.
pub async fn character_changed(tx: &mut PgConnection, id: Uuid) -> Result<()> {
    let Some(c) = characters::told(&mut *tx, id).await? else { return Ok(()) };
    let event = CharacterChanged {
        character_id: id.to_string(),
        version: c.version,
        owner_id: c.owner.to_string(),
        deleted: c.deleted || c.state == "removed",
        state: c.state,
        nsfw: c.nsfw,
        public: c.public,
        image_asset: c.image_asset,
    };
    outbox::enqueue(&mut *tx, "catalog.character.changed", &event).await?;
    Ok(())
}

/// `catalog.review.posted`: somebody's first review of a character.
pub async fn review_posted(tx: &mut PgConnection, posted: &ReviewPosted) -> Result<()> {
    outbox::enqueue(&mut *tx, "catalog.review.posted", posted).await?;
    Ok(())
}

/// Something of a user was refused by a rule whose repeat suspends.
pub const STRUCK: &str = "catalog.user.struck";

pub struct Consumer {
    pub notices: Notices,
    pub assets: Assets,
}

#[async_trait]
impl Apply for Consumer {
    async fn apply(&self, tx: &mut Transaction, event: &Event) -> anyhow::Result<()> {
        match event.topic.as_str() {
            "auth.user.registered" | "auth.user.updated" => user_changed(tx, event.decode()?).await,
            "auth.user.suspended" => suspended(tx, event.decode()?, true).await,
            "auth.user.reinstated" => suspended(tx, event.decode()?, false).await,
            "auth.user.erased" => account_data::erase(tx, &event.decode()?).await,
            "auth.follow.changed" => follow_changed(tx, event.decode()?).await,
            "billing.entitlement.changed" => entitlement_changed(tx, event.decode()?).await,
            "chat.activity.recorded" => {
                activity(tx, event.decode()?, event.at.unwrap_or_else(OffsetDateTime::now_utc)).await
            }
            "media.image.completed" => self.portrait(tx, event.decode()?, true, event.at).await,
            "media.image.failed" | "media.image.canceled" => {
                self.portrait(tx, event.decode()?, false, event.at).await
            }
            "media.asset.judged" => {
                let judged: AssetJudged = event.decode()?;
                Ok(held::watch::picture_judged(tx, &judged.asset, judged.passed, &judged.rule).await?)
            }
            _ => Ok(()),
        }
    }

    async fn applied(&self, event: &Event) {
        if !event.topic.starts_with("media.image.") {
            return;
        }
        let Ok(image) = event.decode::<ImageEnded>() else { return };
        if let (false, Ok(user)) = (image.character_id.is_empty(), Uuid::try_parse(&image.user_id)) {
            self.notices.hint(user, "character.changed", image.character_id).await;
        }
    }
}

async fn user_changed(tx: &mut Transaction, user: UserChanged) -> anyhow::Result<()> {
    let id = Uuid::try_parse(&user.user_id)?;
    if account_data::is_erased(&mut **tx, id).await? {
        return Ok(());
    }
    let changed = sqlx::query!(
        "insert into creator (user_id, username, avatar_asset, version) values ($1, $2, $3, $4)
         on conflict (user_id) do update set username = excluded.username, avatar_asset = excluded.avatar_asset,
             version = excluded.version where creator.version < excluded.version",
        id,
        user.username,
        user.avatar_asset,
        user.version
    )
    .execute(&mut **tx)
    .await?;
    if changed.rows_affected() == 1 {
        // The creator's name is searched with their characters.
        sqlx::query!("select index_character(id) as done from character where owner = $1", id)
            .fetch_all(&mut **tx)
            .await?;
    }
    Ok(())
}

async fn suspended(tx: &mut Transaction, user: UserSuspended, on: bool) -> anyhow::Result<()> {
    let id = Uuid::try_parse(&user.user_id)?;
    if !account_data::is_erased(&mut **tx, id).await? {
        creators::store::suspend(tx, id, on, user.version).await?;
    }
    Ok(())
}

async fn follow_changed(tx: &mut Transaction, follow: FollowChanged) -> anyhow::Result<()> {
    let (follower, followee) = (Uuid::try_parse(&follow.follower_id)?, Uuid::try_parse(&follow.followee_id)?);
    for user in [follower, followee] {
        if account_data::is_erased(&mut **tx, user).await? {
            return Ok(());
        }
    }
    sqlx::query!(
        "insert into creator_follow (follower, followee, is_on, version) values ($1, $2, $3, $4)
         on conflict (follower, followee) do update set is_on = excluded.is_on, version = excluded.version
         where creator_follow.version < excluded.version",
        follower,
        followee,
        follow.on,
        follow.version
    )
    .execute(&mut **tx)
    .await?;
    Ok(())
}

async fn entitlement_changed(tx: &mut Transaction, e: EntitlementChanged) -> anyhow::Result<()> {
    let user = Uuid::try_parse(&e.user_id)?;
    if account_data::is_erased(&mut **tx, user).await? {
        return Ok(());
    }
    sqlx::query!(
        "insert into entitlement (user_id, plan, until, version) values ($1, $2, $3, $4)
         on conflict (user_id) do update set plan = excluded.plan, until = excluded.until, version = excluded.version
         where entitlement.version < excluded.version",
        user,
        e.plan,
        e.until.as_ref().and_then(kit::time::from_proto),
        e.version
    )
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Counts, and the trend: the log of a sum that decays by half every two days, kept relative to a fixed
/// origin, so that the order never changes by the passing of time alone (architecture, rule 12).
async fn activity(
    tx: &mut Transaction,
    recorded: ActivityRecorded,
    at: OffsetDateTime,
) -> anyhow::Result<()> {
    #[expect(clippy::cast_precision_loss, reason = "seconds since this year")]
    let days = (at.unix_timestamp() - TREND_ORIGIN) as f64 / DAY_S;
    // In one order everywhere, so that two events never wait for each other.
    let mut characters_of = recorded.characters;
    characters_of.sort_by(|a, b| a.character_id.cmp(&b.character_id));
    for c in characters_of {
        let id = Uuid::try_parse(&c.character_id)?;
        let weight = f64::from(c.messages) + limits::CHAT_WEIGHT * f64::from(c.chats);
        if weight <= 0.0 {
            continue;
        }
        let gain = std::f64::consts::LN_2 * days / limits::TREND_HALF_LIFE_DAYS + weight.ln();
        let known = sqlx::query!(
            "update character_stats set messages = messages + $2, chats = chats + $3,
                 trend = greatest(trend, $4) + ln(1 + exp(-least(abs(trend - $4), 700)))
             where character_id = $1",
            id,
            i64::from(c.messages),
            i64::from(c.chats),
            gain
        )
        .execute(&mut **tx)
        .await?;
        if known.rows_affected() == 1 {
            characters::relist(tx, id, false).await?;
        }
    }
    Ok(())
}

impl Consumer {
    async fn portrait(
        &self,
        tx: &mut Transaction,
        image: ImageEnded,
        completed: bool,
        at: Option<OffsetDateTime>,
    ) -> anyhow::Result<()> {
        let Ok(id) = Uuid::try_parse(&image.character_id) else { return Ok(()) };
        if completed {
            // Asked before anything is locked: media may take its time.
            let standing = held::standing(&self.assets, &image.asset).await;
            if !characters::set_portrait(&mut **tx, id, image.version, &image.asset, &image.gel).await? {
                let now = kit::db::now(&mut **tx).await?;
                let young = at.is_none_or(|at| now - at < limits::COMMIT_PATIENCE);
                if young && characters::told(&mut **tx, id).await?.is_none() {
                    // The portrait was asked for before the character was committed, and it was quicker. When
                    // it is still not there after a while, it was erased meanwhile.
                    anyhow::bail!("the character of this portrait is not here yet");
                }
                // A later upload or a newer portrait has taken its place.
                return Ok(());
            }
            // Others see it once it may be shown; what cannot be asked about waits.
            held::picture(tx, id, &image.asset, standing).await?;
        } else {
            characters::portrait_failed(&mut **tx, id, image.version).await?;
        }
        character_changed(tx, id).await?;
        Ok(())
    }
}
