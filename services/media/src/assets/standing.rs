//! Whether others than its owner may see a picture (specification, section 2: everything is checked first).

use kit::{db::Db, shutdown::Shutdown};
use moderation::{
    Rule, Verdict,
    classifier::{Classifier, Settings, Unavailable},
};
use proto::{events::v1::AssetJudged, media::v1 as pb};
use sqlx::{PgConnection, PgExecutor};
use time::{Duration, OffsetDateTime};

use super::{
    AssetId, copies,
    files::{Files, Size},
    store::Origin,
};
use crate::{error::Result, limits};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    Passed,
    /// Served with a signature alone, until it was looked at.
    Waiting,
    /// Served to nobody.
    Refused,
}

impl Standing {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Waiting => "waiting",
            Self::Refused => "refused",
        }
    }

    /// As the database has it.
    #[must_use]
    pub fn read(text: &str) -> Self {
        match text {
            "passed" => Self::Passed,
            "refused" => Self::Refused,
            _ => Self::Waiting,
        }
    }
}

impl From<Standing> for pb::Standing {
    fn from(standing: Standing) -> Self {
        match standing {
            Standing::Passed => Self::Passed,
            Standing::Waiting => Self::Waiting,
            Standing::Refused => Self::Refused,
        }
    }
}

/// What a new picture begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct First {
    pub standing: Standing,
    /// After how long the classifier is asked again; `None` when only a moderator decides.
    pub again: Option<Duration>,
}

impl First {
    pub const PASSED: Self = Self { standing: Standing::Passed, again: None };
    const FOR_A_MODERATOR: Self = Self { standing: Standing::Waiting, again: None };
}

/// Looks at pictures before others do. Without a classifier everything passes in development; elsewhere what people
/// send waits for a moderator, and so does what engines draw, but for the built-in one, which knows only our parts.
#[derive(Debug, Clone)]
pub struct Judge {
    classifier: Option<Classifier>,
    trusting: bool,
}

impl Judge {
    /// # Errors
    /// When the classifier's address is none.
    pub fn new(settings: &Settings, dev: bool) -> anyhow::Result<Self> {
        Ok(Self { classifier: Classifier::new(settings)?, trusting: dev })
    }

    /// # Errors
    /// The rule that a picture breaks.
    pub async fn first(&self, webp: &[u8], harmless: bool) -> std::result::Result<First, Rule> {
        if harmless {
            return Ok(First::PASSED);
        }
        let Some(classifier) = &self.classifier else {
            return Ok(if self.trusting { First::PASSED } else { First::FOR_A_MODERATOR });
        };
        read(classifier.image(webp, "image/webp").await)
    }
}

/// Fails closed: a classifier that is away means "not yet".
fn read(verdict: std::result::Result<Verdict, Unavailable>) -> std::result::Result<First, Rule> {
    match verdict {
        Ok(Verdict::Refuse(rule)) => Err(rule),
        Ok(Verdict::Hold(_)) => Ok(First::FOR_A_MODERATOR),
        Ok(Verdict::Allow | Verdict::Limit(_)) => Ok(First::PASSED),
        Err(away) => {
            tracing::warn!(%away, "a picture waits for the classifier");
            Ok(First { standing: Standing::Waiting, again: Some(limits::JUDGE_AGAIN) })
        }
    }
}

/// Who may see a picture.
pub struct Shown {
    pub id: String,
    pub standing: Standing,
    /// Never opened without a signature.
    pub must_be_private: bool,
}

/// Of the assets that there are.
pub async fn among(db: impl PgExecutor<'_>, ids: &[String]) -> Result<Vec<Shown>> {
    let rows = sqlx::query!("select id, standing, must_be_private from asset where id = any($1)", ids)
        .fetch_all(db)
        .await?;
    let shown = rows.into_iter().map(|row| Shown {
        standing: Standing::read(&row.standing),
        must_be_private: row.must_be_private,
        id: row.id,
    });
    Ok(shown.collect())
}

/// Ends the waiting of a picture and tells of it; false when it does not wait. One that is refused does not come back.
pub async fn settle(tx: &mut PgConnection, asset: &str, standing: Standing, rule: &str) -> Result<bool> {
    let settled = sqlx::query!(
        "update asset set standing = $2, judge_at = null where id = $1 and standing = 'waiting' returning owner",
        asset,
        standing.as_str()
    )
    .fetch_optional(&mut *tx)
    .await?;
    let Some(settled) = settled else { return Ok(false) };
    if standing == Standing::Refused {
        copies::ban_refused(&mut *tx, asset).await?;
    }
    let event = AssetJudged {
        asset: asset.to_owned(),
        owner_id: settled.owner.map(|o| o.to_string()).unwrap_or_default(),
        passed: standing == Standing::Passed,
        rule: rule.to_owned(),
    };
    kit::outbox::enqueue(tx, "media.asset.judged", &event).await?;
    Ok(true)
}

/// A picture that waits for a moderator.
pub struct Waiting {
    pub id: String,
    pub owner: Option<uuid::Uuid>,
    pub origin: String,
    pub created_at: OffsetDateTime,
    pub width: i32,
    pub height: i32,
    pub total: i64,
}

/// The one that waits longest first.
pub async fn waiting(db: impl PgExecutor<'_>, limit: u32, offset: u64) -> Result<Vec<Waiting>> {
    Ok(sqlx::query_as!(
        Waiting,
        r#"select id, owner, origin, created_at, width, height, count(*) over () as "total!" from asset
           where standing = 'waiting' order by created_at, id limit $1 offset $2"#,
        i64::from(limit),
        i64::try_from(offset).unwrap_or(i64::MAX)
    )
    .fetch_all(db)
    .await?)
}

/// Asks the classifier again about what it did not answer, until shutdown. Any number of replicas may.
pub async fn sweep(db: Db, files: Files, judge: Judge, shutdown: Shutdown) {
    let Some(classifier) = judge.classifier else { return };
    loop {
        if let Err(error) = again(&db, &files, &classifier).await {
            tracing::warn!(%error, "pictures that wait were not looked at");
        }
        tokio::select! { () = tokio::time::sleep(limits::SWEEP) => {}, () = shutdown.wait() => return }
    }
}

async fn again(db: &Db, files: &Files, classifier: &Classifier) -> Result<()> {
    // Put off first: while one replica asks, another does not.
    let due = sqlx::query_scalar!(
        "update asset set judge_at = now() + make_interval(secs => $1) where id in (
             select id from asset where judge_at <= now() order by judge_at limit $2 for update skip locked)
         returning id",
        limits::JUDGE_AGAIN.as_seconds_f64(),
        limits::SWEEP_BATCH
    )
    .fetch_all(db)
    .await?;
    for id in due {
        let Some(asset) = AssetId::parse(&id) else { continue };
        let picture = files.get(&asset, Size::Full).await?;
        let verdict = match classifier.image(picture, "image/webp").await {
            Ok(verdict) => verdict,
            // It is away: so it is for the others.
            Err(_) => return Ok(()),
        };
        let mut tx = db.begin().await?;
        match verdict {
            Verdict::Allow | Verdict::Limit(_) => {
                settle(&mut tx, &id, Standing::Passed, "").await?;
            }
            Verdict::Refuse(rule) => {
                settle(&mut tx, &id, Standing::Refused, rule.as_str()).await?;
            }
            Verdict::Hold(_) => {
                sqlx::query!("update asset set judge_at = null where id = $1", id).execute(&mut *tx).await?;
            }
        }
        tx.commit().await?;
    }
    Ok(())
}

/// What people send, and what engines draw but ours, is looked at.
#[must_use]
pub fn harmless(origin: Origin, engine: &str) -> bool {
    matches!(origin, Origin::Seed)
        || matches!(origin, Origin::Drawn) && engine == crate::engines::Kind::Playbill.name()
}
