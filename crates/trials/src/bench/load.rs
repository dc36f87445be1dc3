//! Load, and how long each answer took.
//!
//! A driver of our own: `oha` keeps a fixed rate and corrects for coordinated omission, but is a program that cannot read
//! paced event streams nor say what a request changed; `goose` loads in a closed loop. Recording is hdrhistogram's.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use anyhow::{Result, ensure};
use futures::future::{BoxFuture, FutureExt as _};
use hdrhistogram::Histogram;
use tokio::{sync::mpsc, task::JoinSet};

/// Longest latency that is told apart, µs: a minute.
const LONGEST: u64 = 60_000_000;
/// Failures of a measurement, as parts of its requests, above which it says nothing.
const FAILURES: f64 = 0.001;

/// Latencies of one measurement.
pub struct Taken {
    /// Microseconds.
    times: Histogram<u64>,
    pub failures: u64,
    /// From the first intended start to the last answer.
    pub lasted: Duration,
}

impl Default for Taken {
    fn default() -> Self {
        let times = Histogram::new_with_bounds(1, LONGEST, 3).expect("bounds in order");
        Self { times, failures: 0, lasted: Duration::ZERO }
    }
}

impl Taken {
    /// An answer, or none.
    pub fn add(&mut self, took: Option<Duration>) {
        match took {
            Some(took) => {
                self.times.saturating_record(u64::try_from(took.as_micros()).unwrap_or(LONGEST).max(1))
            }
            None => self.failures += 1,
        }
    }

    /// Answers.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.times.len()
    }

    /// Answers per second.
    #[must_use]
    pub fn rate(&self) -> f64 {
        self.count() as f64 / self.lasted.as_secs_f64()
    }

    /// A percentile of the latencies, in milliseconds.
    #[must_use]
    pub fn percentile(&self, percent: f64) -> f64 {
        self.times.value_at_percentile(percent) as f64 / 1000.0
    }

    /// # Errors
    /// When more failed than a measurement may have.
    pub fn sound(self, what: &str) -> Result<Self> {
        let all = (self.count() + self.failures) as f64;
        ensure!(
            self.count() > 0 && self.failures as f64 <= all * FAILURES,
            "{what}: {} of {all} requests failed",
            self.failures
        );
        Ok(self)
    }
}

/// A request that is made again and again; it is told which one it is, from 0.
pub trait Work: Fn(u64) -> Self::Future + Send + Sync + 'static {
    type Future: Future<Output = Result<()>> + Send + 'static;
}

impl<W, F> Work for W
where
    W: Fn(u64) -> F + Send + Sync + 'static,
    F: Future<Output = Result<()>> + Send + 'static,
{
    type Future = F;
}

/// As many as can be made by so many clients, each of whom waits for its answer. For throughput and CPU time, not for
/// latencies under load: a slow server is asked less.
pub async fn closed(clients: usize, lasts: Duration, work: impl Work) -> Taken {
    let (work, next) = (Arc::new(work), Arc::new(AtomicU64::new(0)));
    let began = Instant::now();
    let mut tasks = JoinSet::new();
    for _ in 0..clients {
        let (work, next) = (work.clone(), next.clone());
        tasks.spawn(async move {
            let mut taken = Taken::default();
            while began.elapsed() < lasts {
                let at = Instant::now();
                taken.add(told(work(next.fetch_add(1, Ordering::Relaxed)).await, at));
            }
            taken
        });
    }
    let mut all = Taken::default();
    while let Some(Ok(taken)) = tasks.join_next().await {
        all.times.add(&taken.times).expect("the same bounds");
        all.failures += taken.failures;
    }
    all.lasted = began.elapsed();
    all
}

/// At a fixed rate per second, whoever is still waiting. Each latency counts from the moment at which the request was due,
/// so that a server that stalls is charged with all who would have come meanwhile (coordinated omission).
pub async fn open(rate: f64, lasts: Duration, work: impl Work) -> Taken {
    let work = Arc::new(work);
    let (due, mut starts) = mpsc::unbounded_channel();
    let count = (rate * lasts.as_secs_f64()).ceil() as u64;
    let began = Instant::now() + Duration::from_millis(20);
    // A thread of its own: the runtime's clock counts in whole milliseconds.
    std::thread::spawn(move || {
        for number in 0..count {
            let at = began + Duration::from_secs_f64(number as f64 / rate);
            std::thread::sleep(at.saturating_duration_since(Instant::now()));
            if due.send((number, at)).is_err() {
                return;
            }
        }
    });
    let (mut tasks, mut all) = (JoinSet::new(), Taken::default());
    loop {
        tokio::select! {
            next = starts.recv() => match next {
                Some((number, at)) => {
                    let work = work.clone();
                    tasks.spawn(async move { told(work(number).await, at) });
                }
                None => break,
            },
            Some(done) = tasks.join_next() => all.add(done.ok().flatten()),
        }
    }
    while let Some(done) = tasks.join_next().await {
        all.add(done.ok().flatten());
    }
    all.lasted = began.elapsed();
    all
}

/// Latencies of something that was measured in turns with something else.
#[derive(Default)]
pub struct Turns(Vec<Taken>);

impl Turns {
    pub fn add(&mut self, stretch: Taken) {
        self.0.push(stretch);
    }

    /// The median over the stretches, in milliseconds: what a neighbour of this machine does for a moment is in one of them.
    #[must_use]
    pub fn percentile(&self, percent: f64) -> f64 {
        median(self.0.iter().map(|taken| taken.percentile(percent)).collect())
    }

    /// How much longer this took than another thing that was measured in turns with it, in milliseconds: the median over
    /// the stretches that followed each other.
    #[must_use]
    pub fn added_to(&self, other: &Self, percent: f64) -> f64 {
        let pairs = self.0.iter().zip(&other.0);
        median(pairs.map(|(one, other)| one.percentile(percent) - other.percentile(percent)).collect())
    }

    /// A percentile of all stretches together, in milliseconds: what comes too seldom to be in the median is in it.
    #[must_use]
    pub fn altogether(&self, percent: f64) -> f64 {
        let mut all = Taken::default();
        for taken in &self.0 {
            all.times.add(&taken.times).expect("the same bounds");
        }
        all.percentile(percent)
    }
}

/// What is in the middle of the figures of some stretches, at least one.
#[must_use]
pub fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

/// A stretch of [`in_turns`] at a fixed rate.
pub fn stretch(
    rate: f64,
    lasts: Duration,
    work: impl Work + Clone,
    what: &'static str,
) -> impl FnMut() -> BoxFuture<'static, Result<Taken>> + Send {
    sound(what, move || open(rate, lasts, work.clone()))
}

/// The same by one client, who waits for its answers.
pub fn alone(
    lasts: Duration,
    work: impl Work + Clone,
    what: &'static str,
) -> impl FnMut() -> BoxFuture<'static, Result<Taken>> + Send {
    sound(what, move || closed(1, lasts, work.clone()))
}

fn sound<F: Future<Output = Taken> + Send + 'static>(
    what: &'static str,
    measure: impl Fn() -> F + Send,
) -> impl FnMut() -> BoxFuture<'static, Result<Taken>> + Send {
    move || measure().map(move |taken| taken.sound(what)).boxed()
}

/// Measures some things in turns, a stretch of each after the other, so many times: two percentiles of one moment can be
/// compared, and of two moments only when nobody else has changed what he does.
///
/// # Errors
/// What the first of them fails with.
pub async fn in_turns<const N: usize>(
    times: usize,
    mut measures: [&mut (dyn FnMut() -> BoxFuture<'static, Result<Taken>> + Send); N],
) -> Result<[Turns; N]> {
    let mut all = std::array::from_fn(|_| Turns::default());
    for _ in 0..times {
        for (turns, measure) in all.iter_mut().zip(&mut measures) {
            turns.add(measure().await?);
        }
    }
    Ok(all)
}

fn told(done: Result<()>, since: Instant) -> Option<Duration> {
    match done {
        Ok(()) => Some(since.elapsed()),
        Err(error) => {
            static TOLD: AtomicU64 = AtomicU64::new(0);
            if TOLD.fetch_add(1, Ordering::Relaxed) < 3 {
                eprintln!("      a request failed: {error:#}");
            }
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn who_waits_behind_a_slow_answer_is_counted_from_when_it_was_due() {
        let lock = Arc::new(tokio::sync::Mutex::new(()));
        let taken = open(1_000.0, Duration::from_millis(50), move |number| {
            let lock = lock.clone();
            async move {
                let _held = lock.lock().await;
                if number == 0 {
                    tokio::time::sleep(Duration::from_millis(200)).await;
                }
                Ok(())
            }
        })
        .await;
        assert_eq!((taken.count(), taken.failures), (50, 0));
        assert!(taken.percentile(1.0) >= 149.0, "all of them waited: {} ms", taken.percentile(1.0));
    }

    #[tokio::test]
    async fn what_is_measured_in_turns_is_told_by_the_median_of_its_stretches() {
        let taken = |ms: u64| {
            let mut taken = Taken::default();
            taken.add(Some(Duration::from_millis(ms)));
            async move { Ok(taken) }.boxed()
        };
        let (mut first, mut other) = ([3, 900, 4].into_iter(), [7, 8, 9].into_iter());
        let mut first = move || taken(first.next().expect("three times"));
        let mut other = move || taken(other.next().expect("three times"));
        let [first, other] = in_turns(3, [&mut first, &mut other]).await.expect("measured");
        let whole = |turns: &Turns| turns.percentile(99.0).round();
        assert_eq!((whole(&first), whole(&other)), (4.0, 8.0));
        assert_eq!(other.added_to(&first, 99.0).round(), 4.0, "4, -892 and 5 ms");
        assert_eq!(first.altogether(99.0).round(), 900.0, "the slowest is not forgotten");
    }

    #[tokio::test]
    async fn a_measurement_with_failures_says_nothing() {
        let taken = closed(1, Duration::from_millis(5), |_| async { anyhow::bail!("no") }).await;
        assert!(taken.failures > 0);
        assert!(taken.sound("it").is_err());
    }
}
