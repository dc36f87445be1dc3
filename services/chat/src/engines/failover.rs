//! A second engine, for when the first fails before its first token. After the first token never: half a
//! reply by one and half by another would be nobody's.

use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use futures::{StreamExt as _, stream};

use super::{Engine, Job, Piece, Pieces, Trouble};

pub struct Failover {
    first: Arc<dyn Engine>,
    second: Arc<dyn Engine>,
    breaker: Arc<Breaker>,
}

impl Failover {
    /// After `failures` in a row the first is left alone for `pause`, then tried by one reply.
    pub fn new(first: Arc<dyn Engine>, second: Arc<dyn Engine>, failures: u32, pause: Duration) -> Self {
        let breaker = Breaker { failures: failures.max(1), pause, state: Mutex::default() };
        Self { first, second, breaker: Arc::new(breaker) }
    }
}

impl Engine for Failover {
    fn name(&self) -> &str {
        self.first.name()
    }

    fn offline(&self) -> bool {
        self.first.offline()
    }

    fn takes(&self, parameter: &str) -> bool {
        self.first.takes(parameter)
    }

    fn write(&self, job: Job) -> Pieces {
        let (first, second, breaker) = (self.first.clone(), self.second.clone(), self.breaker.clone());
        stream::once(async move {
            let by_second = |job| {
                metrics::counter!("chat_engine_failovers_total").increment(1);
                let name = Piece::By(second.name().to_owned());
                stream::iter([Ok(name)]).chain(second.write(job)).boxed()
            };
            let Some(trial) = breaker.enter() else { return by_second(job) };
            let mut pieces = first.write(job.clone());
            let mut waiting = Vec::new();
            loop {
                match pieces.next().await {
                    Some(Err(trouble)) if helps(trouble) => {
                        trial.failed();
                        tracing::warn!(reason = trouble.reason(), "the second engine takes over");
                        return by_second(job);
                    }
                    Some(piece @ Ok(Piece::Usage { .. } | Piece::By(_))) => waiting.push(piece),
                    // It speaks, or what it says is its own fault: from here on it is its reply.
                    other => {
                        trial.worked();
                        return stream::iter(waiting.into_iter().chain(other)).chain(pieces).boxed();
                    }
                }
            }
        })
        .flatten()
        .boxed()
    }
}

/// Whether another engine may do better.
fn helps(trouble: Trouble) -> bool {
    !matches!(trouble, Trouble::ReasonedOnly)
}

#[derive(Debug, Default)]
struct State {
    in_a_row: u32,
    /// Not to be asked before.
    until: Option<Instant>,
    /// One reply tries whether it is back.
    trying: bool,
}

#[derive(Debug)]
struct Breaker {
    failures: u32,
    pause: Duration,
    state: Mutex<State>,
}

/// The way through; what is dropped without a word counts for nothing.
struct Trial(Arc<Breaker>);

impl Breaker {
    /// `None` while the first engine is left alone.
    fn enter(self: &Arc<Self>) -> Option<Trial> {
        let mut state = self.state.lock().expect("no holder panics");
        if let Some(until) = state.until {
            if state.trying || Instant::now() < until {
                return None;
            }
            state.trying = true;
        }
        Some(Trial(self.clone()))
    }
}

impl Trial {
    fn worked(self) {
        *self.0.state.lock().expect("no holder panics") = State::default();
    }

    fn failed(self) {
        let mut state = self.0.state.lock().expect("no holder panics");
        state.in_a_row += 1;
        if state.in_a_row >= self.0.failures {
            state.until = Some(Instant::now() + self.0.pause);
        }
        state.trying = false;
    }
}

impl Drop for Trial {
    fn drop(&mut self) {
        self.0.state.lock().expect("no holder panics").trying = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_failures_in_a_row_it_is_left_alone_and_then_tried_by_one() {
        let pause = Duration::from_millis(20);
        let breaker = Arc::new(Breaker { failures: 2, pause, state: Mutex::default() });
        breaker.enter().expect("closed").failed();
        breaker.enter().expect("closed").worked();
        breaker.enter().expect("closed").failed();
        breaker.enter().expect("one failure is none").failed();
        assert!(breaker.enter().is_none(), "open");
        std::thread::sleep(pause);
        let trial = breaker.enter().expect("half open");
        assert!(breaker.enter().is_none(), "one at a time");
        trial.failed();
        assert!(breaker.enter().is_none(), "open again");
        std::thread::sleep(pause);
        drop(breaker.enter().expect("half open"));
        breaker.enter().expect("a trial that told nothing is tried again").worked();
        assert!(breaker.enter().is_some() && breaker.enter().is_some(), "closed");
    }
}
