//! Cards that lists have shown lately. A page asks PostgreSQL which of them still are what they were, and reads only the
//! others: most pages show what somebody else was just shown, and to read twenty cards took most of a page's time.
//! Pages that come while such a question is under way are asked for together, once it is answered or takes long.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use futures::future::join_all;
use kit::{db::Db, error::Failure, shutdown::Shutdown};
use quick_cache::{Weighter, sync::Cache};
use tokio::{
    sync::{mpsc, oneshot},
    time::timeout,
};
use uuid::Uuid;

use super::rows::{self, Row};
use crate::{
    error::{Error, Result},
    limits,
};

/// Cards that were kept and still are what they were.
type Standing = HashMap<Uuid, Arc<Row>>;

type Kept = Arc<Cache<Uuid, Arc<Row>, Bytes>>;

/// What a card weighs.
#[derive(Clone)]
struct Bytes;

impl Weighter<Uuid, Arc<Row>> for Bytes {
    fn weight(&self, _: &Uuid, row: &Arc<Row>) -> u64 {
        row.card_bytes() as u64
    }
}

/// Cheap to clone; clones share what is kept.
#[derive(Clone)]
pub struct Shown {
    kept: Kept,
    asks: mpsc::Sender<Ask>,
}

/// Asks PostgreSQL for all pages that wait ([`Asking::run`]).
pub struct Asking {
    kept: Kept,
    asks: mpsc::Receiver<Ask>,
}

struct Ask {
    ids: Vec<Uuid>,
    answer: oneshot::Sender<Result<Arc<Standing>, Failure>>,
}

impl Shown {
    pub fn new() -> (Self, Asking) {
        let kept: Kept = Arc::new(Cache::with_weighter(limits::SHOWN_EXPECTED, limits::SHOWN_BYTES, Bytes));
        let (asks, asked) = mpsc::channel(limits::SHOWN_TOGETHER);
        (Self { kept: Arc::clone(&kept), asks }, Asking { kept, asks: asked })
    }

    /// Rows of these ids as they are now, as far as a card of a list goes, in their order; unknown ids are left out.
    pub async fn read(&self, db: &Db, ids: &[Uuid]) -> Result<Vec<Arc<Row>>> {
        let kept: Vec<Uuid> = ids.iter().copied().filter(|id| self.kept.contains_key(id)).collect();
        let standing = self.ask(db, kept).await?;
        let missing: Vec<Uuid> = ids.iter().copied().filter(|id| !standing.contains_key(id)).collect();
        let mut read = Vec::new();
        if !missing.is_empty() {
            for row in rows::cards(db, &missing).await? {
                let row = Arc::new(row);
                if row.holds.is_empty() {
                    self.kept.insert(row.id, Arc::clone(&row));
                }
                read.push(row);
            }
        }
        let of = |id: &Uuid| standing.get(id).or_else(|| read.iter().find(|row| row.id == *id)).cloned();
        Ok(ids.iter().filter_map(of).collect())
    }

    /// Those of the kept that still are what they were, asked for together with other pages'.
    async fn ask(&self, db: &Db, ids: Vec<Uuid>) -> Result<Arc<Standing>> {
        if ids.is_empty() {
            return Ok(Arc::default());
        }
        let (answer, answered) = oneshot::channel();
        let ask = Ask { ids: ids.clone(), answer };
        if self.asks.send(ask).await.is_ok()
            && let Ok(answer) = answered.await
        {
            return Ok(answer?);
        }
        // The connection was lost; or nobody asks for all any longer, since the process ends and finishes what it has begun.
        standing(&self.kept, db, ids.into_iter()).await
    }
}

impl Asking {
    /// Until shutdown; whoever asks then does so alone.
    pub async fn run(mut self, db: Db, shutdown: Shutdown) {
        let mut asks = Vec::new();
        loop {
            let come = tokio::select! {
                come = self.asks.recv_many(&mut asks, limits::SHOWN_TOGETHER) => come,
                () = shutdown.wait() => return,
            };
            if come == 0 {
                return;
            }
            let answering = answer_all(Arc::clone(&self.kept), db.clone(), std::mem::take(&mut asks));
            // One that takes long (its connection may be dead) keeps nobody who comes after it.
            let _ = timeout(limits::SHOWN_PATIENCE, tokio::spawn(answering)).await;
        }
    }
}

/// One question for all of them, as long as one of them waits for it.
async fn answer_all(kept: Kept, db: Db, mut asks: Vec<Ask>) {
    asks.retain(|ask| !ask.answer.is_closed());
    if asks.is_empty() {
        return;
    }
    let ids: HashSet<Uuid> = asks.iter().flat_map(|ask| &ask.ids).copied().collect();
    let found = tokio::select! {
        found = standing(&kept, &db, ids.into_iter()) => found,
        _ = join_all(asks.iter_mut().map(|ask| ask.answer.closed())) => return,
    };
    if let Err(Error::Database(sqlx::Error::Io(_))) = found {
        // A connection was lost, which is no fault of those who asked by it: each asks alone.
        return;
    }
    let found = found.map_err(|error| error.failure());
    for ask in asks {
        let _ = ask.answer.send(found.clone());
    }
}

async fn standing(kept: &Kept, db: &Db, ids: impl Iterator<Item = Uuid>) -> Result<Arc<Standing>> {
    let kept: Vec<Arc<Row>> = ids.filter_map(|id| kept.get(&id)).collect();
    let standing: HashSet<Uuid> = rows::standing(db, &kept).await?.into_iter().collect();
    Ok(Arc::new(kept.into_iter().filter(|row| standing.contains(&row.id)).map(|row| (row.id, row)).collect()))
}
