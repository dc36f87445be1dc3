//! Connections that are kept between uses. sqlx's own pool asks each whether it lives whenever it is given back; here
//! only those are asked that may have been left in the middle of something (decision 24).

use std::{
    ops::{Deref, DerefMut},
    time::Duration,
};

use deadpool::{
    Status,
    managed::{self, Metrics, Object, PoolError, QueueMode, RecycleError, RecycleResult},
};
use futures::{
    FutureExt as _, StreamExt as _, TryFutureExt as _, TryStreamExt as _,
    future::BoxFuture,
    stream::{self, BoxStream},
};
use sqlx::{
    ConnectOptions as _, Connection as _, Describe, Either, Execute, Executor, PgConnection, Postgres,
    SqlStr,
    postgres::{PgConnectOptions, PgQueryResult, PgRow, PgStatement, PgTypeInfo},
};
use tokio::{runtime::Handle, time::timeout};

use super::away::silent;

/// How long a request waits for a connection before it is told that the database is unavailable.
const ACQUIRE: Duration = Duration::from_secs(3);
/// How long a connection may take to show that it lives. One whose other end is gone without a word would be waited
/// for until the kernel gives it up, a quarter of an hour later; and it would be lost to the pool for as long.
const ALIVE: Duration = Duration::from_secs(1);
/// One that was taken less than this ago showed so then, and is not asked again.
const FRESH: Duration = Duration::from_secs(1);
/// A connection gives back after this what PostgreSQL has gathered for it: plans, and memory of large answers.
const AGE: Duration = Duration::from_secs(30 * 60);
/// One that nobody needed for so long is closed …
const IDLE: Duration = Duration::from_secs(10 * 60);
/// … which is looked after this often.
const LOOK: Duration = Duration::from_secs(60);
/// A statement by itself that has no answer by then never gets one; what may take longer has a connection of its own
/// ([`Db::acquire`]). The longest are those that read all characters of a catalog.
const SILENT: Duration = Duration::from_secs(60);
/// Pause before a server that does not take connections yet is asked again; doubles …
const AGAIN: Duration = Duration::from_millis(10);
/// … up to this.
const AGAIN_MAX: Duration = Duration::from_millis(500);

/// The service's database. A clone stands for the same connections. `&Db` runs a statement by itself, wherever sqlx
/// takes an executor; its rows are held in memory together.
#[derive(Debug, Clone)]
pub struct Db(managed::Pool<Manager>);

#[derive(Debug)]
struct Manager(PgConnectOptions);

impl managed::Manager for Manager {
    type Type = PgConnection;
    type Error = sqlx::Error;

    async fn create(&self) -> sqlx::Result<PgConnection> {
        let mut pause = AGAIN;
        // Whoever waits gives up by themselves.
        loop {
            match self.0.connect().await {
                Err(error) if is_starting(&error) => tokio::time::sleep(pause).await,
                done => return done,
            }
            pause = (pause * 2).min(AGAIN_MAX);
        }
    }

    async fn recycle(&self, connection: &mut PgConnection, about: &Metrics) -> RecycleResult<sqlx::Error> {
        if about.age() >= AGE {
            return Err(RecycleError::message("old"));
        }
        if about.last_used() >= FRESH {
            within(connection.ping()).await?;
        }
        Ok(())
    }
}

/// The server is not there, or comes up (`cannot_connect_now`) or goes down.
fn is_starting(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(error) => error.kind() == std::io::ErrorKind::ConnectionRefused,
        sqlx::Error::Database(error) => error.code().is_some_and(|code| code == "57P03"),
        _ => false,
    }
}

/// What a living connection answers in time. An error closes it without a further word to its other end.
async fn within(answer: impl Future<Output = sqlx::Result<()>>) -> sqlx::Result<()> {
    timeout(ALIVE, answer).await.unwrap_or(Err(sqlx::Error::WorkerCrashed))
}

impl Db {
    /// `max` connections at most; none is made yet.
    ///
    /// # Panics
    /// Outside a runtime.
    #[must_use]
    pub fn new(options: PgConnectOptions, max: usize) -> Self {
        let pool = managed::Pool::builder(Manager(options))
            .max_size(max)
            // The one that was used last is known to live, and the others may be closed.
            .queue_mode(QueueMode::Lifo)
            .build()
            .expect("a pool without timeouts of its own needs no runtime");
        let weak = pool.weak();
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(LOOK).await;
                let Some(pool) = weak.upgrade() else { return };
                pool.retain(|_, about| about.last_used() < IDLE);
            }
        });
        Self(pool)
    }

    /// A connection for several statements.
    ///
    /// # Errors
    /// `PoolTimedOut` after three seconds; whatever keeps a new one from being made.
    pub async fn acquire(&self) -> sqlx::Result<Connection> {
        self.acquire_within(ACQUIRE).await
    }

    /// The same with another limit than three seconds.
    pub(super) async fn acquire_within(&self, limit: Duration) -> sqlx::Result<Connection> {
        let kept = timeout(limit, self.0.get()).await.map_err(|_| sqlx::Error::PoolTimedOut)?;
        match kept {
            Ok(kept) => Ok(Connection { kept: Some(kept), left: Left::Whole }),
            Err(PoolError::Backend(error)) => Err(error),
            Err(PoolError::Closed) => Err(sqlx::Error::PoolClosed),
            Err(_) => Err(sqlx::Error::PoolTimedOut),
        }
    }

    /// # Errors
    /// As for [`Self::acquire`], and when PostgreSQL refuses.
    pub async fn begin(&self) -> sqlx::Result<Transaction> {
        let mut connection = self.acquire().await?;
        // From the first word on: whoever is dropped here may leave one open.
        connection.left = Left::Open;
        timeout(SILENT, connection.execute("begin")).await.unwrap_or_else(|_| Err(silent()))?;
        Ok(Transaction(connection))
    }

    /// How many connections there are, and how many of them nobody uses.
    #[must_use]
    pub fn status(&self) -> Status {
        self.0.status()
    }
}

/// How a connection is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Left {
    /// Every statement was waited for to its end.
    Whole,
    /// Perhaps in the middle of a statement.
    Unsure,
    /// Perhaps in a transaction.
    Open,
}

/// A connection of the pool, which takes it back when this is dropped. What was begun on it and not waited for is
/// waited for then, by a task of its own.
#[derive(Debug)]
pub struct Connection {
    /// There until it is dropped.
    kept: Option<Object<Manager>>,
    left: Left,
}

const KEPT: &str = "a connection is taken out only when it is dropped";

impl Deref for Connection {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        self.kept.as_ref().expect(KEPT)
    }
}

impl DerefMut for Connection {
    fn deref_mut(&mut self) -> &mut PgConnection {
        // Whoever asks may be dropped in the middle of a statement.
        if self.left == Left::Whole {
            self.left = Left::Unsure;
        }
        self.kept.as_mut().expect(KEPT)
    }
}

impl Connection {
    /// Gives it back, every statement having been waited for.
    pub fn done(mut self) {
        self.left = Left::Whole;
    }

    /// Runs one statement on it and gives it back.
    pub(crate) async fn once<T>(
        mut self,
        work: impl AsyncFnOnce(&mut PgConnection) -> sqlx::Result<T>,
    ) -> sqlx::Result<T> {
        let answer = timeout(SILENT, work(&mut self)).await.unwrap_or_else(|_| Err(silent()));
        if answer.is_ok() {
            self.done();
        }
        answer
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        let Some(mut kept) = self.kept.take() else { return };
        let left = self.left;
        if left == Left::Whole {
            return;
        }
        let Ok(runtime) = Handle::try_current() else {
            drop(Object::take(kept));
            return;
        };
        runtime.spawn(async move {
            let end = async {
                if left == Left::Open { kept.execute("rollback").await.map(drop) } else { kept.ping().await }
            };
            if let Err(error) = within(end).await {
                tracing::warn!(%error, "a connection to PostgreSQL was lost");
                drop(Object::take(kept));
            }
        });
    }
}

/// A transaction; what is not committed is rolled back when it is dropped.
#[derive(Debug)]
pub struct Transaction(Connection);

impl Transaction {
    /// # Errors
    /// Whatever PostgreSQL says; of a lost connection nobody knows whether it took place.
    pub async fn commit(self) -> sqlx::Result<()> {
        self.end("commit").await
    }

    /// # Errors
    /// Whatever PostgreSQL says.
    pub async fn rollback(self) -> sqlx::Result<()> {
        self.end("rollback").await
    }

    async fn end(mut self, how: &'static str) -> sqlx::Result<()> {
        timeout(SILENT, self.0.execute(how)).await.unwrap_or_else(|_| Err(silent()))?;
        // PostgreSQL answers in turn: with this answer, all were there.
        self.0.done();
        Ok(())
    }
}

impl Deref for Transaction {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        &self.0
    }
}

impl DerefMut for Transaction {
    fn deref_mut(&mut self) -> &mut PgConnection {
        &mut self.0
    }
}

impl<'p> Executor<'p> for &'_ Db {
    type Database = Postgres;

    fn fetch_many<'e, 'q: 'e, E>(self, query: E) -> BoxStream<'e, sqlx::Result<Either<PgQueryResult, PgRow>>>
    where
        E: 'q + Execute<'q, Postgres>,
    {
        let db = self.clone();
        let all = async move {
            let connection = db.acquire().await?;
            connection.once(async |c| c.fetch_many(query).try_collect::<Vec<_>>().await).await
        };
        all.map_ok(|rows| stream::iter(rows.into_iter().map(Ok))).try_flatten_stream().boxed()
    }

    fn fetch_optional<'e, 'q: 'e, E>(self, query: E) -> BoxFuture<'e, sqlx::Result<Option<PgRow>>>
    where
        E: 'q + Execute<'q, Postgres>,
    {
        let db = self.clone();
        async move { db.acquire().await?.once(async |c| c.fetch_optional(query).await).await }.boxed()
    }

    fn prepare_with<'e>(
        self,
        sql: SqlStr,
        parameters: &'e [PgTypeInfo],
    ) -> BoxFuture<'e, sqlx::Result<PgStatement>>
    where
        'p: 'e,
    {
        let db = self.clone();
        async move { db.acquire().await?.once(async |c| c.prepare_with(sql, parameters).await).await }.boxed()
    }

    fn describe<'e>(self, sql: SqlStr) -> BoxFuture<'e, sqlx::Result<Describe<Postgres>>>
    where
        'p: 'e,
    {
        let db = self.clone();
        async move { db.acquire().await?.once(async |c| c.describe(sql).await).await }.boxed()
    }
}
