//! What the person at the terminal sees: which step, how far, how long it took.

use std::{
    io::{IsTerminal as _, Write as _, stderr},
    sync::atomic::{AtomicUsize, Ordering},
    time::Instant,
};

static STEP: AtomicUsize = AtomicUsize::new(0);
static STEPS: AtomicUsize = AtomicUsize::new(0);

/// Says how many steps there will be; where nobody knows, they are only numbered.
pub fn expect(steps: usize) {
    STEP.store(0, Ordering::Relaxed);
    STEPS.store(steps, Ordering::Relaxed);
}

/// A step that has begun; tells its time when it is done.
pub struct Step {
    title: String,
    began: Instant,
    said: Instant,
}

/// Begins a step.
pub fn step(title: &str) -> Step {
    let n = STEP.fetch_add(1, Ordering::Relaxed) + 1;
    let title = match STEPS.load(Ordering::Relaxed) {
        0 => format!("[{n}] {title}"),
        steps => format!("[{n}/{}] {title}", steps.max(n)),
    };
    eprint!("{title}");
    if !stderr().is_terminal() {
        eprintln!();
    }
    let _ = stderr().flush();
    Step { title, began: Instant::now(), said: Instant::now() }
}

impl Step {
    /// How far it is: rewrites the line on a terminal, a line each ten seconds elsewhere.
    pub fn at(&mut self, how_far: &str) {
        if stderr().is_terminal() {
            eprint!("\r\x1b[2K{} · {how_far}", self.title);
            let _ = stderr().flush();
        } else if self.said.elapsed().as_secs() >= 10 {
            self.said = Instant::now();
            eprintln!("      {how_far} ({} s)", self.began.elapsed().as_secs());
        }
    }

    /// Ends the step.
    pub fn done(self, result: &str) {
        let seconds = self.began.elapsed().as_secs_f32();
        let result = if result.is_empty() { String::new() } else { format!(" · {result}") };
        if stderr().is_terminal() {
            eprintln!("\r\x1b[2K{}{result} ({seconds:.1} s)", self.title);
        } else {
            eprintln!("      done{result} ({seconds:.1} s)");
        }
    }
}
