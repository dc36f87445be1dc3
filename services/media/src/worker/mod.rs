//! media-worker: takes tickets from the queue, draws the fairest job, stores the picture, tells of it.
//!
//! A ticket says that *a* job is due, not which: the database knows whose turn it is. The ticket is
//! acknowledged after the job has ended or was given back, so the queue's depth is the work to do.

mod replay;

use std::{sync::Arc, time::Duration};

use anyhow::Context as _;
use image::DynamicImage;
use kit::{
    auth::{KeySet, Revocation, RevocationSource},
    broker::{Delivery, QueueSpec},
    db::Db,
    house::{House, Source},
    notice::Notices,
    shutdown::Shutdown,
    telemetry,
};
use prost::Message as _;
use proto::events::v1::Envelope;
use tokio::sync::{Semaphore, watch};
use tokio_util::sync::CancellationToken;
use tonic::Status;
use tracing::Instrument as _;
use uuid::Uuid;

pub use self::replay::replay;
use crate::{
    assets::{
        AssetId, copies,
        files::Files,
        standing::{self, First, Judge},
        store::{self as assets, New, Origin},
    },
    config::WorkerConfig,
    engines::{DrawRequest, Drawing, EngineError, Format, ImageEngine, Poses, Watch},
    events::{self, End},
    images::{
        Purpose, options,
        store::{self, Claimed},
    },
    limits,
    pictures::{self, Maker, Renditions},
};

/// Reason of a job whose engine gave up.
const ENGINE: &str = "engine_error";
/// Reason of a job whose picture nobody may see.
const MODERATED: &str = "moderated";
/// Reason of a job that no worker finished.
const SILENT: &str = "engine_timeout";

/// Tickets held beyond those that are drawn: one that cannot be read is given back again and again before
/// it is a dead letter, and must not keep the others waiting.
const SPARE: u16 = 1;

/// Works until shutdown, then finishes what it has begun.
///
/// # Errors
/// When a server cannot be reached at start or the operations port is taken.
pub async fn run(
    config: WorkerConfig,
    engine: Arc<dyn ImageEngine>,
    shutdown: Shutdown,
) -> anyhow::Result<()> {
    // Nobody calls a worker: it verifies no tokens and asks no other service.
    let (_keys, keys) = watch::channel(KeySet::default());
    let nobody = Source::Local { keys, revocations: Arc::new(NoRevocations) };
    let house = House::open_with(&config.common, shutdown.clone(), nobody).await?;
    let db = kit::db::connect(&config.database, kit::db::Pool::default()).await?;
    let worker = Arc::new(Worker {
        id: Uuid::now_v7(),
        db: db.clone(),
        files: Files::open(&config.files.media_dir)?,
        engine,
        judge: Judge::new(&config.moderation, config.common.dev)?,
        poses: Poses::open(&config.engine.poses)?,
        notices: house.notices.clone(),
        room: Semaphore::new(usize::from(config.draw_concurrency)),
        lease: Duration::from_secs(u64::from(config.job_lease_s)),
        retry: Duration::from_millis(u64::from(config.job_retry_ms)),
    });
    tracing::info!(engine = worker.engine.name(), at_a_time = config.draw_concurrency, "drawing");
    house.relay(db);
    let working = shutdown.clone();
    house.work(queue(), config.draw_concurrency.saturating_add(SPARE), move |delivery| {
        let (worker, shutdown) = (Arc::clone(&worker), working.clone());
        Box::pin(async move { worker.db.outlast(&shutdown, || worker.serve(&delivery)).await })
    });
    house.serve_ops().await?;
    shutdown.wait().await;
    house.finish().await;
    Ok(())
}

/// The queue of tickets.
#[must_use]
pub fn queue() -> QueueSpec {
    proto::queues::MEDIA_JOBS.into()
}

struct NoRevocations;

#[async_trait::async_trait]
impl RevocationSource for NoRevocations {
    async fn after(&self, _id: i64) -> Result<Vec<Revocation>, Status> {
        Ok(Vec::new())
    }
}

struct Worker {
    /// Of this process: what is fenced by it ends with it.
    id: Uuid,
    db: Db,
    files: Files,
    engine: Arc<dyn ImageEngine>,
    judge: Judge,
    poses: Poses,
    notices: Notices,
    /// One place per picture that is drawn at a time.
    room: Semaphore,
    lease: Duration,
    retry: Duration,
}

/// What came of an attempt.
enum Outcome {
    Drawn { asset: AssetId, renditions: Renditions, gel: String, first: First },
    Again(String),
    Never(&'static str, String),
}

impl Worker {
    /// One ticket. An error gives the ticket back; what cannot be read ends as a dead letter.
    async fn serve(&self, delivery: &Delivery) -> anyhow::Result<()> {
        let envelope = Envelope::decode(delivery.body.as_slice()).context("not an envelope")?;
        let ticket = String::decode(envelope.body.as_slice()).context("not a ticket")?;
        let job = Uuid::try_parse(&ticket).context("a ticket for no job")?;
        if delivery.redelivered >= limits::TICKET_RETURNS {
            tracing::info!(%job, "a ticket that came back often is exchanged");
            return self.exchange(job, Duration::ZERO).await;
        }
        let _place = self.room.acquire().await?;
        let Some(claimed) = store::claim(&self.db, self.id, self.lease).await? else {
            // Nothing waits: another worker was faster, or the job has ended. What waits and is not due, as after the
            // clock of PostgreSQL was set back, would be left without a ticket when ours is acknowledged.
            let Some((next, after)) = store::next_due(&self.db).await? else { return Ok(()) };
            return self.exchange(next, after.min(limits::TICKET_PAUSE)).await;
        };
        let span = tracing::info_span!(
            "draw", job = %claimed.job.id, attempt = claimed.attempt, engine = self.engine.name(),
        );
        if let Some(cause) = &claimed.traceparent {
            telemetry::link_trace(&span, cause);
        }
        self.draw(&claimed).instrument(span).await
    }

    /// A new ticket, delivered when so long has passed, for one that is acknowledged at once.
    ///
    /// So with one that can be read and came back often: a broker that restarts takes back what is in hand and counts it;
    /// each time a ticket comes it finds other work, so that with pictures longer than the broker stays it would be a dead
    /// letter in the end, and work be there without a ticket. What a picture itself breaks is counted by the attempts of
    /// its job.
    async fn exchange(&self, job: Uuid, after: Duration) -> anyhow::Result<()> {
        let mut tx = self.db.begin().await?;
        events::ticket(&mut tx, job, after).await?;
        tx.commit().await?;
        Ok(())
    }

    /// One attempt at the job, and what comes of it.
    async fn draw(&self, claimed: &Claimed) -> anyhow::Result<()> {
        let began = std::time::Instant::now();
        let stop = CancellationToken::new();
        let watch = Watch::new(stop.clone());
        let mut attempt = std::pin::pin!(self.attempt(claimed, &watch));
        let outcome = tokio::select! {
            outcome = &mut attempt => outcome,
            () = self.keep(claimed, &watch) => {
                tracing::info!(job = %claimed.job.id, "cancelled, or lost to another worker");
                stop.cancel();
                // An engine elsewhere is told to stop; what it draws meanwhile is nobody's.
                if let Ok(Outcome::Drawn { asset, .. }) = tokio::time::timeout(limits::FAREWELL, attempt).await {
                    self.files.discard(&asset).await;
                }
                return Ok(());
            }
        };
        metrics::histogram!("image_job_seconds", "engine" => self.engine.name()).record(began.elapsed());
        self.settle(claimed, outcome).await
    }

    /// Renews the lease for as long as it can, and tells how far the drawing is; ends when another has the job, or
    /// nobody wants it any more.
    async fn keep(&self, claimed: &Claimed, watch: &Watch) {
        let progress = watch.progress();
        let mut told = 0.0;
        loop {
            tokio::time::sleep(limits::TELL_PROGRESS.min(self.lease / 3)).await;
            let now = *progress.borrow();
            match store::renew(&self.db, claimed.job.id, self.id, self.lease, now).await {
                Ok(true) => {}
                Ok(false) => return,
                Err(error) => tracing::warn!(%error, "lease not renewed"),
            }
            if now > told {
                told = now;
                self.notices.hint(claimed.job.owner, "image.progress", claimed.job.id.to_string()).await;
            }
        }
    }

    async fn attempt(&self, claimed: &Claimed, watch: &Watch) -> Outcome {
        let Claimed { job, attempt, .. } = claimed;
        if *attempt > limits::ATTEMPTS {
            return Outcome::Never(SILENT, "its workers went silent".into());
        }
        let request = DrawRequest {
            options: job.options.clone(),
            tags: job.tags.clone(),
            seed: job.seed(),
            format: Format::Portrait,
            cast: None,
        };
        let drawing = match self.engine.draw(&request, watch).await {
            Ok(drawing) => drawing,
            Err(EngineError::Unavailable(why)) => return Outcome::Again(why),
            Err(EngineError::Refused(why)) => return Outcome::Never(ENGINE, why),
            Err(EngineError::Moderated) => {
                return Outcome::Never(MODERATED, "by the engine's own rules".into());
            }
            Err(EngineError::Stopped) => return Outcome::Again("stopped".into()),
        };
        let gel = drawing.gel.clone().unwrap_or_default();
        let id = job.id;
        let encoded = tokio::task::spawn_blocking(move || encode(drawing, Some(id))).await;
        let Some(renditions) = encoded.ok().flatten() else {
            return Outcome::Never(ENGINE, "the drawing cannot be encoded".into());
        };
        // The built-in engine knows only our own parts: two of its drawings may look alike and mean nothing by it.
        let harmless = standing::harmless(Origin::Drawn, self.engine.name());
        if !harmless {
            match copies::looks_banned(&self.db, &renditions.look).await {
                Ok(false) => {}
                Ok(true) => {
                    return Outcome::Never(MODERATED, "it looks like a picture that was removed".into());
                }
                Err(error) => return Outcome::Again(error.to_string()),
            }
        }
        let first = match self.judge.first(&renditions.full, harmless).await {
            Ok(first) => first,
            Err(rule) => {
                copies::ban_unstored(&self.db, &renditions.hashes, &renditions.look).await;
                return Outcome::Never(MODERATED, rule.as_str().into());
            }
        };
        let asset = AssetId::random();
        match self.files.put(&asset, &renditions).await {
            Ok(()) => Outcome::Drawn { asset, renditions, gel, first },
            Err(error) => Outcome::Again(error.to_string()),
        }
    }

    /// Writes down what came of it and tells of it, in one transaction, fenced by the lease.
    async fn settle(&self, claimed: &Claimed, outcome: Outcome) -> anyhow::Result<()> {
        let Claimed { job, attempt, .. } = claimed;
        let mut tx = self.db.begin().await?;
        let (mine, hint) = match &outcome {
            Outcome::Drawn { asset, renditions, gel, first } => {
                let private = match (job.purpose, job.character) {
                    // The character may have changed while its portrait was drawn.
                    (Purpose::Portrait, Some(character)) => {
                        job.private || assets::character_private(&mut *tx, character).await?.unwrap_or(false)
                    }
                    _ => job.private,
                };
                let size = (renditions.width, renditions.height);
                let new = New {
                    id: asset,
                    owner: Some(job.owner),
                    private,
                    must_be_private: options::must_be_private(&job.options, &self.poses),
                    origin: Origin::Drawn,
                    width: size.0,
                    height: size.1,
                    bytes: renditions.full.len(),
                    hashes: &renditions.hashes,
                    look: &renditions.look,
                    first: *first,
                };
                assets::insert(&mut tx, new).await?;
                let mine = store::complete(&mut tx, (job.id, self.id), asset, size).await?;
                events::image_ended(&mut tx, job, End::Completed { asset, gel }).await?;
                (mine, Some("image.completed"))
            }
            Outcome::Again(why) if *attempt < limits::ATTEMPTS => {
                metrics::counter!("image_attempts_failed_total", "engine" => self.engine.name()).increment(1);
                tracing::warn!(job = %job.id, attempt, why, "another attempt follows");
                let doublings = u32::try_from(attempt - 1).unwrap_or(0);
                let after = self.retry * 2u32.pow(doublings);
                let mine = store::give_back(&mut tx, job.id, self.id, after).await?;
                events::ticket(&mut tx, job.id, after).await?;
                (mine, None)
            }
            Outcome::Again(why) => (self.give_up(&mut tx, claimed, ENGINE, why).await?, Some("image.failed")),
            Outcome::Never(reason, why) => {
                (self.give_up(&mut tx, claimed, reason, why).await?, Some("image.failed"))
            }
        };
        if mine {
            tx.commit().await?;
            if let Some(hint) = hint {
                metrics::counter!("image_jobs_total", "end" => hint, "engine" => self.engine.name())
                    .increment(1);
                self.notices.hint(job.owner, hint, job.id.to_string()).await;
            }
        } else {
            tx.rollback().await?;
            if let Outcome::Drawn { asset, .. } = &outcome {
                self.files.discard(asset).await;
            }
        }
        Ok(())
    }

    async fn give_up(
        &self,
        tx: &mut sqlx::PgConnection,
        claimed: &Claimed,
        reason: &str,
        why: &str,
    ) -> crate::error::Result<bool> {
        let job = &claimed.job;
        tracing::error!(job = %job.id, attempt = claimed.attempt, reason, why, "the picture has failed");
        let mine = store::fail(tx, job.id, self.id, reason).await?;
        events::image_ended(tx, job, End::Failed(reason)).await?;
        Ok(mine)
    }
}

/// A drawing as it is stored: opaque, in all sizes, marked as an engine's, for this job.
#[must_use]
pub fn encode(drawing: Drawing, job: Option<Uuid>) -> Option<Renditions> {
    let rgba = image::RgbaImage::from_raw(drawing.width, drawing.height, drawing.rgba)?;
    let picture = DynamicImage::ImageRgb8(DynamicImage::ImageRgba8(rgba).into_rgb8());
    pictures::renditions(&picture, Maker::Engine { job })
}
