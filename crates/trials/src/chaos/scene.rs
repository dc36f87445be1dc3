//! What the faults are done to, and who looks how the house bears them.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use rand::{rngs::StdRng, seq::IndexedRandom as _};
use reqwest::Method;
use serde_json::json;
use tokio::time::{Instant, timeout};
use uuid::Uuid;

use super::{
    crowd::Crowd,
    house::{House, LOOK},
    invariants::{self, Letters},
    judge::Told,
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

/// The house, the load, somebody who tries everything, and somebody who only reads.
pub struct Scene {
    pub house: Arc<House>,
    pub quick: bool,
    pub crowd: Crowd,
    /// Asks for everything that the house can do.
    pub watchman: Guest,
    /// Only reads, and has something to read: a chat, a like, coins.
    pub reader: Guest,
    pub luck: StdRng,
    /// What may lie among the dead letters.
    pub letters: Letters,
    pub looks: Looks,
}

/// How often it was looked whether all holds, and the longest that it took.
#[derive(Debug, Default)]
pub struct Looks {
    standing: Mutex<(usize, Duration)>,
    settled: Mutex<(usize, Duration)>,
}

impl Looks {
    fn count(of: &Mutex<(usize, Duration)>, since: Instant) {
        let mut looks = of.lock().expect("no holder panics");
        *looks = (looks.0 + 1, looks.1.max(since.elapsed()));
    }

    /// For whoever reads the table.
    #[must_use]
    pub fn told(&self) -> String {
        let told = |of: &Mutex<(usize, Duration)>, how: &str| {
            let (times, longest) = *of.lock().expect("no holder panics");
            format!("{times} {how}, the longest {:.2} s", longest.as_secs_f32())
        };
        format!(
            "looked {}; {}",
            told(&self.standing, "times while people were at work"),
            told(&self.settled, "times at rest")
        )
    }
}

impl Scene {
    /// When all has to be well again.
    #[must_use]
    pub fn recovery(&self) -> Duration {
        if self.quick { RECOVERY_QUICK } else { RECOVERY }
    }

    /// How long after `since` all was well: everybody is ready, and everything that people do was done.
    pub async fn well_again(&self, row: &mut Row, since: Instant) {
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
        if !judge.react(guest, character, "like").await {
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

    /// What holds at any moment is looked at once, while people are at work: for after each fault.
    pub async fn look(&self, row: &mut Row) {
        let began = Instant::now();
        row.found(invariants::standing(&self.house, self.crowd.journal(), self.letters).await);
        Looks::count(&self.looks.standing, began);
    }

    /// The load rests, everything comes to its end, and all of it is examined.
    pub async fn examine(&self, row: &mut Row) {
        self.crowd.pause().await;
        self.examine_resting(row).await;
        self.crowd.go_on();
    }

    /// The same while the load rests already.
    pub async fn examine_resting(&self, row: &mut Row) {
        let began = Instant::now();
        row.found(invariants::settled(&self.house, self.crowd.journal(), self.letters).await);
        Looks::count(&self.looks.settled, began);
    }

    /// A character that the seeds have, chosen at random.
    pub fn anybody(&mut self) -> Uuid {
        *self.crowd.characters.choose(&mut self.luck).unwrap_or(&Uuid::nil())
    }
}
