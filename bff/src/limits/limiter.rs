//! Counts requests, in Redis.

use std::{
    net::IpAddr,
    sync::{LazyLock, Mutex, MutexGuard},
    time::{Duration, Instant},
};

use kit::{redis::Redis, shutdown::Shutdown};
use redis::Script;
use tokio::sync::Notify;
use uuid::Uuid;

use super::{
    Group, Rates, Standing, Who,
    nearby::{Counted, Nearby},
};

/// In development every rate is this many times higher: a test suite signs up 300 users a minute from
/// one address.
const DEV_FACTOR: u32 = 100;
/// Redis is told this long after of what was let through without asking it.
const TOLD_AFTER: Duration = Duration::from_millis(50);
/// Keys that it is told of at once.
const TOLD_AT_ONCE: usize = 500;

/// Generic cell rate: one number per key, the time at which everything is paid off. Times are
/// microseconds of Redis' own clock, so that all replicas agree. The key lives no longer than it counts.
/// Beside its limit and window it is given the requests that were let through before, and how many are asked about.
static GCRA: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        r"
local t = redis.call('TIME')
local now = t[1] * 1000000 + t[2]
local limit, window, owed, asked = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local each = window / limit
local paid = tonumber(redis.call('GET', KEYS[1]) or now)
if paid < now then paid = now end
if owed > 0 then paid = math.max(paid, math.min(paid + each * owed, now + window)) end
local after = paid + each * asked
local allowed = after - now <= window + 1
if allowed then paid = after end
if owed > 0 or allowed then
  redis.call('SET', KEYS[1], string.format('%.0f', paid), 'PX', math.ceil((paid - now) / 1000) + 1)
end
if not allowed then
  return {0, 0, math.ceil(paid - now), math.ceil(after - now - window)}
end
return {1, math.max(0, math.floor((window - (paid - now)) / each + 0.001)), math.ceil(paid - now), 0}
",
    )
});

/// What the script tells of a key: whether the request is taken, how many more would be, and microseconds until all are
/// and until the next one is.
type Told = (u8, u32, u64, u64);

/// Counts requests.
pub struct Limiter {
    redis: Redis,
    rates: Rates,
    factor: u32,
    nearby: Mutex<Nearby>,
    /// Something is owed to Redis.
    owing: Notify,
}

impl Limiter {
    #[must_use]
    pub fn new(redis: Redis, rates: Rates, dev: bool) -> Self {
        let factor = if dev { DEV_FACTOR } else { 1 };
        Self { redis, rates, factor, nearby: Mutex::default(), owing: Notify::new() }
    }

    fn nearby(&self) -> MutexGuard<'_, Nearby> {
        self.nearby.lock().expect("no holder panics")
    }

    /// Counts a request of a user (or of nobody known) from an address; `None` when the group is not
    /// limited or Redis is away. What is told is the limit that is nearer.
    pub async fn take(&self, group: Group, user: Option<Uuid>, address: IpAddr) -> Option<Standing> {
        let (name, rate) = self.rates.of(group)?;
        let who = user.map_or(Who::Address(address), Who::User);
        let counted = [(name, rate, who), ("address", self.rates.rate_address, Who::Address(address))].map(
            |(name, rate, who)| Counted {
                key: self.redis.key(format!("rl:{name}:{}", who.key())),
                limit: rate.count.saturating_mul(self.factor),
                window: Duration::from_secs(rate.seconds.into()),
            },
        );
        // Whoever tries passwords is counted before anything else is done.
        let nearby = match group {
            Group::Accounts => None,
            _ => self.nearby().spend(&counted, Instant::now()),
        };
        let [own, all] = match nearby {
            Some(standings) => {
                self.owing.notify_one();
                standings
            }
            None => self.ask(counted).await?,
        };
        Some(own.nearer(all))
    }

    async fn ask(&self, counted: [Counted; 2]) -> Option<[Standing; 2]> {
        let owed = {
            let mut nearby = self.nearby();
            counted.each_ref().map(|counted| nearby.owed(&counted.key))
        };
        let told = self.count(counted.iter().zip(owed), 1).await?;
        let mut told = told.into_iter();
        let standings = counted.map(|counted| {
            let told = told.next()?;
            self.nearby().told(counted, told, Instant::now());
            Some(told)
        });
        let [own, all] = standings;
        Some([own?, all?])
    }

    /// Counts what is owed for keys in one way to Redis and back, and `asked` requests more of each.
    async fn count<'a>(
        &self,
        owed: impl Iterator<Item = (&'a Counted, u32)>,
        asked: u8,
    ) -> Option<Vec<Standing>> {
        let (limits, calls): (Vec<u32>, Vec<_>) = owed
            .map(|(counted, owed)| {
                let window = u64::try_from(counted.window.as_micros()).unwrap_or(u64::MAX);
                let mut call = GCRA.key(&counted.key);
                call.arg(counted.limit).arg(window).arg(owed).arg(asked);
                (counted.limit, call)
            })
            .unzip();
        match self.redis.scripts::<Told>(&GCRA, &calls).await {
            Ok(told) => {
                Some(limits.into_iter().zip(told).map(|(limit, told)| standing(limit, told)).collect())
            }
            Err(error) => {
                metrics::counter!("rate_limit_unknown_total").increment(1);
                tracing::debug!(%error, "rate not counted");
                None
            }
        }
    }

    /// Tells Redis of what was let through without asking it, until shutdown and once more then.
    pub async fn settle(&self, shutdown: &Shutdown) {
        loop {
            tokio::select! { () = self.owing.notified() => {}, () = shutdown.wait() => {} }
            tokio::select! { () = tokio::time::sleep(TOLD_AFTER) => {}, () = shutdown.wait() => {} }
            let last = shutdown.is_now();
            while self.settle_some().await {}
            if last {
                return;
            }
        }
    }

    /// Whether there is more.
    async fn settle_some(&self) -> bool {
        let (debts, more) = self.nearby().debts(TOLD_AT_ONCE, Instant::now());
        if debts.is_empty() {
            return false;
        }
        // What Redis cannot be told now is let go.
        let Some(told) = self.count(debts.iter().map(|(counted, owed)| (counted, *owed)), 0).await else {
            return more;
        };
        let now = Instant::now();
        let mut nearby = self.nearby();
        for ((counted, _), told) in debts.into_iter().zip(told) {
            nearby.told(counted, told, now);
        }
        more
    }
}

fn standing(limit: u32, (allowed, remaining, reset, retry): Told) -> Standing {
    Standing {
        allowed: allowed == 1,
        limit,
        remaining,
        reset: Duration::from_micros(reset),
        retry: Duration::from_micros(retry),
    }
}
