//! Parts of the house that die, go away, or cannot be reached as they should, under load.

use std::{sync::Arc, time::Duration};

use anyhow::Result;
use rand::{Rng as _, rngs::StdRng, seq::IndexedRandom as _};
use reqwest::{Method, StatusCode, header};
use serde_json::json;
use tokio::time::{Instant, timeout};
use uuid::Uuid;

use super::{
    crowd::{Crowd, Told},
    house::{House, LOOK, Server},
    invariants,
    proxy::Way,
    report::Row,
};
use crate::guest::{Guest, PASSWORD};

/// All has to be well so soon after what was missing is there again.
const RECOVERY: Duration = Duration::from_secs(5);
/// The same for a quick run, which is a test and no measurement: unoptimised programs, beside whatever else the machine
/// does, start several times as slowly. The table tells how long it took.
const RECOVERY_QUICK: Duration = Duration::from_secs(20);
/// When all is not well by then, it is not waited for any longer.
const HOPELESS: Duration = Duration::from_secs(60);
/// How long one thing that is tried may take before it is tried anew.
const TRY: Duration = Duration::from_secs(4);
/// Kills between two examinations of the long run.
const KILLS: usize = 10;
/// A read that is put off is put off by then: the door waits 5 s for the rest of the house.
const READ: Duration = Duration::from_secs(8);
/// Latency that is tried.
const LATE: Duration = Duration::from_secs(2);
/// Bytes per second of a slow reader.
const SLOW: usize = 4 * 1024;

/// What the faults are done to, and who looks how the house bears them.
pub struct Scene {
    pub house: Arc<House>,
    pub quick: bool,
    pub crowd: Crowd,
    /// Asks for everything that the house can do.
    pub watchman: Guest,
    pub luck: StdRng,
}

impl Scene {
    /// When all has to be well again.
    #[must_use]
    pub fn recovery(&self) -> Duration {
        if self.quick { RECOVERY_QUICK } else { RECOVERY }
    }

    /// How long after `since` all was well: everybody is ready, and everything that people do was done.
    async fn well_again(&self, row: &mut Row, since: Instant) {
        let mut missing = Vec::new();
        loop {
            let tried = timeout(TRY, self.all_is_well()).await.unwrap_or(Err("it took too long"));
            let after = since.elapsed();
            match tried {
                Ok(()) => {
                    row.recovered(after);
                    row.expect(after <= self.recovery(), || {
                        format!(
                            "well again only after {:.1} s: {}",
                            after.as_secs_f32(),
                            missing.join(", then ")
                        )
                    });
                    return;
                }
                Err(what) if after > HOPELESS => {
                    row.broken.push(format!("not well after {} s: {what}", HOPELESS.as_secs()));
                    return;
                }
                Err(what) => {
                    if missing.last() != Some(&what) {
                        missing.push(what);
                    }
                    let _ = self.house.revive();
                    tokio::time::sleep(LOOK).await;
                }
            }
        }
    }

    /// Everything that people do, once; or what could not be done.
    async fn all_is_well(&self) -> Result<(), &'static str> {
        let (judge, guest) = (&self.crowd.judge, &self.watchman);
        for name in self.house.names() {
            if !self.house.is_ready(&name).await {
                return Err("a process is not ready");
            }
        }
        let get = async |path: &str| {
            matches!(judge.ask(guest, (Method::GET, path), None, None).await, Told::Yes(_))
        };
        if !get("/api/characters/trending").await || !get("/api/images").await {
            return Err("a list cannot be read");
        }
        let form = json!({ "email": guest.email(), "password": PASSWORD });
        if !matches!(judge.ask(guest, (Method::POST, "/api/login"), Some(form), None).await, Told::Yes(_)) {
            return Err("nobody can sign in");
        }
        let character = self.crowd.characters[0];
        if !judge.like(guest, character).await {
            return Err("nobody can like");
        }
        let Some(chat) = judge.chat(guest, character).await else { return Err("no chat can be begun") };
        let said = judge.say(guest, &chat).await;
        if said.is_none_or(|said| said.reply.is_none()) {
            return Err("nobody answers");
        }
        if !invariants::everybody_listens(&self.house).await {
            return Err("a queue has no reader");
        }
        // What was written before we asked has been published; that of the load goes on.
        let outbox = "select count(*) from outbox where available_at < now() - interval '1 second'";
        let mail = "select (select count(*) from wish where at < now() - interval '1 second')
                         + (select count(*) from mail where available_at < now() - interval '1 second')";
        for (database, waiting, what) in [
            ("chat", outbox, "an outbox is not emptied"),
            ("catalog", outbox, "an outbox is not emptied"),
            ("billing", outbox, "an outbox is not emptied"),
            ("media", outbox, "an outbox is not emptied"),
            ("auth", outbox, "an outbox is not emptied"),
            ("auth", mail, "mail is not sent"),
        ] {
            let rows: i64 = sqlx::query_scalar(waiting)
                .fetch_one(self.house.db(database))
                .await
                .map_err(|_| "a database cannot be asked")?;
            if rows > 0 {
                return Err(what);
            }
        }
        Ok(())
    }

    /// The load rests, everything comes to its end, and is examined.
    pub async fn examine(&self, row: &mut Row) {
        self.crowd.pause().await;
        row.found(invariants::settled(&self.house, self.crowd.journal()).await);
        self.crowd.go_on();
    }

    /// Kills processes at random, so many times.
    ///
    /// # Errors
    /// When one cannot be started again.
    pub async fn kills(&mut self, times: usize) -> Result<Vec<Row>> {
        let names = self.house.names();
        let mut rows: Vec<Row> = names.iter().map(|name| Row::new(format!("SIGKILL {name}"))).collect();
        // Each once, in any order, then any.
        let mut order: Vec<usize> = (0..names.len()).collect();
        rand::seq::SliceRandom::shuffle(order.as_mut_slice(), &mut self.luck);
        while order.len() < times {
            order.push(self.luck.random_range(0..names.len()));
        }
        order.truncate(times);
        for (time, number) in order.iter().enumerate() {
            let row = &mut rows[*number];
            row.times += 1;
            // At any moment of what the others do.
            tokio::time::sleep(Duration::from_millis(self.luck.random_range(200..800))).await;
            let back = self.house.crash(&names[*number]).await?;
            self.well_again(row, back).await;
            if (time + 1) % KILLS == 0 || time + 1 == order.len() {
                self.examine(&mut rows[*number]).await;
            }
        }
        rows.retain(|row| row.times > 0);
        Ok(rows)
    }

    /// Takes a server away for so long, and looks what is served meanwhile.
    ///
    /// # Errors
    /// When it does not come back.
    pub async fn outage(&self, server: Server, lasts: Duration) -> Result<Row> {
        let mut row = Row::new(format!("{} stopped for {} s", server.name(), lasts.as_secs()));
        row.times = 1;
        let before = self.crowd.journal().counts();
        self.house.take_away(server).await?;
        let until = Instant::now() + lasts;
        self.reads(&mut row, server).await;
        tokio::time::sleep_until(until).await;
        let back = self.house.bring_back().await?;
        self.well_again(&mut row, back).await;
        self.examine(&mut row).await;
        let load = self.crowd.journal().counts() - before;
        row.note = format!("load: {} answered, {} put off with Retry-After", load.answered, load.put_off);
        Ok(row)
    }

    /// Stops a server and starts it again at once, so many times.
    ///
    /// # Errors
    /// When it does not come back.
    pub async fn restarts(&self, server: Server, times: usize) -> Result<Row> {
        let mut row = Row::new(format!("{} restarted", server.name()));
        for _ in 0..times {
            row.times += 1;
            self.house.take_away(server).await?;
            let back = self.house.bring_back().await?;
            self.well_again(&mut row, back).await;
        }
        self.examine(&mut row).await;
        Ok(row)
    }

    /// What is read while a server is away: all that can be is served, the rest is an honest 503, and soon.
    async fn reads(&self, row: &mut Row, away: Server) {
        let character = self.crowd.characters[1];
        let paths = [
            "/api/plans".to_owned(),
            "/api/meta".to_owned(),
            "/api/characters/trending".to_owned(),
            "/api/search?keywords=the".to_owned(),
            "/api/chats".to_owned(),
            format!("/api/character/{character}"),
        ];
        for (number, path) in paths.iter().enumerate() {
            let began = Instant::now();
            let sent = self.watchman.send(Method::GET, path, None, None).await;
            let Ok(answer) = sent else {
                row.broken.push(format!("GET {path} was not answered while {} was away", away.name()));
                continue;
            };
            let (status, took) = (answer.status(), began.elapsed());
            let waits = answer.headers().contains_key(header::RETRY_AFTER);
            // Without rows there is nothing to show but what is no row.
            let must = away != Server::Postgres || number < 1;
            let good = status.is_success() || (!must && status == StatusCode::SERVICE_UNAVAILABLE && waits);
            row.expect(good, || format!("GET {path} was answered {status} while {} was away", away.name()));
            row.expect(took <= READ, || format!("GET {path} took {:.1} s", took.as_secs_f32()));
        }
    }

    /// A way that is not as it should be, for so long.
    pub async fn bad_way(&self, server: Server, way: Way, lasts: Duration) -> Row {
        let name = match way {
            Way::Open => "open".to_owned(),
            Way::Late(by) => format!("{} s late", by.as_secs()),
            Way::Reset => "reset".into(),
            Way::HalfOpen => "half-open".into(),
            Way::Slow(bytes) => format!("slow, {bytes} B/s"),
        };
        let mut row = Row::new(format!("{}: {name}, {} s", server.name(), lasts.as_secs()));
        row.times = 1;
        let before = self.crowd.journal().counts();
        self.house.way(server).set(way);
        tokio::time::sleep(lasts).await;
        self.house.way(server).set(Way::Open);
        self.well_again(&mut row, Instant::now()).await;
        self.examine(&mut row).await;
        let load = self.crowd.journal().counts() - before;
        row.note = format!("load: {} answered, {} put off with Retry-After", load.answered, load.put_off);
        row
    }

    /// All ways that are tried; for a quick look, one of each kind, each before another server.
    #[must_use]
    pub fn bad_ways(&self, quick: bool) -> Vec<(Server, Way)> {
        let kinds = [Way::Late(LATE), Way::Reset, Way::HalfOpen, Way::Slow(SLOW)];
        if quick {
            return vec![
                (Server::Postgres, Way::Reset),
                (Server::Redis, Way::HalfOpen),
                (Server::RabbitMq, Way::Slow(SLOW)),
                (Server::Redis, Way::Late(LATE)),
            ];
        }
        Server::ALL.into_iter().flat_map(|server| kinds.map(|kind| (server, kind))).collect()
    }

    /// A store of pictures without room.
    ///
    /// # Errors
    /// When the room cannot be taken, or given back.
    pub async fn full_disk(&self, lasts: Duration) -> Result<Row> {
        let mut row = Row::new(format!("no room for pictures, {} s", lasts.as_secs()));
        row.times = 1;
        let Some(disk) = self.house.disk() else {
            row.note = "left out: this machine lets nobody mount a small file system".into();
            return Ok(row);
        };
        disk.fill()?;
        let until = Instant::now() + lasts;
        self.crowd.judge.picture(&self.watchman).await;
        tokio::time::sleep_until(until).await;
        disk.empty()?;
        let back = Instant::now();
        self.well_again(&mut row, back).await;
        row.expect(self.crowd.judge.picture(&self.watchman).await, || "no picture is taken any more".into());
        self.examine(&mut row).await;
        let ends: Vec<(String, i64)> =
            sqlx::query_as("select state, count(*) from job where purpose = 'gallery' group by state")
                .fetch_all(self.house.db("media"))
                .await?;
        row.note = ends.iter().map(|(state, n)| format!("{n} {state}")).collect::<Vec<_>>().join(", ");
        Ok(row)
    }

    /// What a clock that jumps ahead does to all that is leased: the lease of what is still at work has run out.
    ///
    /// # Errors
    /// When the databases cannot be asked.
    pub async fn clock_jump(&self, times: usize) -> Result<Row> {
        let mut row = Row::new("clock one hour ahead");
        row.note =
            "leases and due dates moved back an hour, which is the same to whoever compares them with now"
                .into();
        let moved = [
            (
                "chat",
                "update generation set lease_until = lease_until - interval '1 hour' where state = 'running'",
            ),
            ("media", "update job set lease_until = lease_until - interval '1 hour' where state = 'running'"),
            (
                "media",
                "update job set available_at = available_at - interval '1 hour' where state = 'queued'",
            ),
            ("chat", "update outbox set available_at = available_at - interval '1 hour'"),
            ("media", "update outbox set available_at = available_at - interval '1 hour'"),
        ];
        for _ in 0..times {
            row.times += 1;
            self.crowd.judge.picture(&self.watchman).await;
            for (database, statement) in moved {
                sqlx::query(statement).execute(self.house.db(database)).await?;
            }
            tokio::time::sleep(Duration::from_millis(300)).await;
        }
        self.well_again(&mut row, Instant::now()).await;
        self.examine(&mut row).await;
        Ok(row)
    }

    /// A character that the seeds have, chosen at random.
    pub fn anybody(&mut self) -> Uuid {
        *self.crowd.characters.choose(&mut self.luck).unwrap_or(&Uuid::nil())
    }
}
