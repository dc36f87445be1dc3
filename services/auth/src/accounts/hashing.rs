//! Passwords, codes and tokens at rest.

use std::{
    cell::RefCell,
    mem,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex, MutexGuard},
    time::Duration,
};

use anyhow::Context as _;
use argon2::{Algorithm, Argon2, Block, Params, Version, password_hash::phc::PasswordHash};
use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD},
};
use hmac::{Hmac, KeyInit as _, Mac as _};
use kit::{aside, shutdown::Shutdown};
use rand::Rng as _;
use rayon::{ThreadPool, ThreadPoolBuilder};
use sha2::Sha256;
use subtle::ConstantTimeEq as _;
use tokio::{
    sync::{Notify, OwnedSemaphorePermit, Semaphore, oneshot},
    time::timeout,
};
use uuid::Uuid;

use crate::limits;

/// Argon2id with 19 MiB, 2 passes, 1 lane: OWASP's password storage cheat sheet.
const MEMORY_KIB: u32 = 19_456;
const PASSES: u32 = 2;
const LANES: u32 = 1;
/// Bytes of a hash.
const OUTPUT: usize = 32;
/// What codes are made of; readable aloud.
const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

/// Threads that hash at most, however many cores there are: 19 MiB each have to fit into what a container is given.
const THREADS_MAX: usize = 8;
/// So long after the last password the memory of the threads is given back: 19 MiB per core are most of what `auth` has.
pub const REST: Duration = Duration::from_secs(5);
/// Blocks of a KiB that a thread asks for, though it writes only to [`MEMORY_KIB`] of them, and what is not written takes
/// no memory: glibc keeps what was given back up to 32 MiB (`DEFAULT_MMAP_THRESHOLD_MAX` of mallopt(3)), in pieces, and
/// gives more than that back to the system.
const ROOM: usize = 33 * 1024;
/// Guesses that are looked at per core: one is hashed while the throttle of another is asked and a third waits.
const PLACES: usize = 3;
/// Answers that leave together while others wait to be hashed. Each goes on through five processes, whose code and data the
/// hashes have driven out of the caches meanwhile: one after the other they cost 1.4 times as much as together (decision 22).
const GROUP: usize = 4;

thread_local! {
    /// What a thread hashes in, kept while people come: to be given 19 MiB anew for each password was a tenth of its time.
    static MEMORY: RefCell<Vec<Block>> = const { RefCell::new(Vec::new()) };
}

/// Hashes away from the async threads, as many at once as there are cores: each takes 19 MiB.
#[derive(Clone)]
pub struct Hasher {
    threads: Arc<ThreadPool>,
    room: Arc<Semaphore>,
    line: Arc<Line>,
    used: Arc<Notify>,
    code_key: Arc<str>,
    /// Hash of a password that nobody has: an unknown account costs the same time as a known one.
    nobody: Arc<str>,
}

/// Who waits for a thread, and the answers that leave together.
#[derive(Default)]
struct Line(Mutex<Standing>);

#[derive(Default)]
struct Standing {
    waiting: usize,
    done: Vec<Box<dyn FnOnce() + Send>>,
}

impl Line {
    fn standing(&self) -> MutexGuard<'_, Standing> {
        self.0.lock().expect("no holder panics")
    }

    fn wait(&self) {
        self.standing().waiting += 1;
    }

    fn begin(&self) {
        self.standing().waiting -= 1;
    }

    /// Holds the answer while somebody waits, who ends later, until there are [`GROUP`] of them.
    fn end(&self, answer: impl FnOnce() + Send + 'static) {
        let mut standing = self.standing();
        standing.done.push(Box::new(answer));
        if standing.waiting == 0 || standing.done.len() >= GROUP {
            let leaving = mem::take(&mut standing.done);
            drop(standing);
            leaving.into_iter().for_each(|answer| answer());
        }
    }
}

/// The right to verify one password.
pub struct Place(#[expect(dead_code, reason = "held for as long as it lives")] OwnedSemaphorePermit);

impl Hasher {
    /// # Errors
    /// When the system gives no threads.
    pub fn new(code_key: &str) -> anyhow::Result<Self> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from).min(THREADS_MAX);
        let threads = ThreadPoolBuilder::new()
            .num_threads(cores)
            .thread_name(|number| format!("hash-{number}"))
            // A flood of logins takes what the others leave, or every other request waits behind 30 ms of hashing.
            .start_handler(|_| aside::give_way())
            .build()
            .context("threads for hashing")?;
        Ok(Self {
            threads: Arc::new(threads),
            room: Arc::new(Semaphore::new(PLACES * cores)),
            line: Arc::default(),
            used: Arc::default(),
            code_key: code_key.into(),
            nobody: nobody().into(),
        })
    }

    /// The PHC string of a password.
    ///
    /// # Errors
    /// Only when Argon2 itself fails.
    pub async fn hash(&self, password: String) -> anyhow::Result<String> {
        let _place = self.room.acquire().await?;
        self.apart(move || hash_now(&password)).await?
    }

    /// Runs on one of the threads that hash.
    async fn apart<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> anyhow::Result<T> {
        let (done, result) = oneshot::channel();
        let line = self.line.clone();
        line.wait();
        self.threads.spawn(move || {
            line.begin();
            // Others may be held for this one, so that it has to end in either way.
            let result = catch_unwind(AssertUnwindSafe(work));
            line.end(move || match result {
                // Whoever asked may have gone.
                Ok(result) => drop(done.send(result)),
                Err(_) => tracing::error!("hashing panicked"),
            });
        });
        let result = result.await.context("the thread that hashes ended");
        self.used.notify_one();
        result
    }

    /// Gives the memory of the threads back whenever nobody has come for so long; until shutdown.
    pub async fn rest(self, after: Duration, shutdown: Shutdown) {
        loop {
            let quiet = async {
                self.used.notified().await;
                while timeout(after, self.used.notified()).await.is_ok() {}
            };
            tokio::select! {
                () = quiet => self.threads.spawn_broadcast(|_| drop(MEMORY.take())),
                () = shutdown.wait() => return,
            }
        }
    }

    /// A place among those that verify. Held over the look at the throttle, the verification and the
    /// count of its failure, it lets no more guesses through at once than [`PLACES`] per core.
    ///
    /// # Errors
    /// Never while the process runs.
    pub async fn place(&self) -> anyhow::Result<Place> {
        Ok(Place(self.room.clone().acquire_owned().await?))
    }

    /// Whether the password is that of the hash; without one, takes as long and says no.
    ///
    /// # Errors
    /// Only when the threads cannot be had.
    pub async fn verify(
        &self,
        _place: &Place,
        password: String,
        hash: Option<String>,
    ) -> anyhow::Result<bool> {
        // An account of the seeds has a mark in place of a hash, which no password gives.
        let hash = hash.filter(|hash| PasswordHash::new(hash).is_ok());
        let known = hash.is_some();
        let hash = hash.unwrap_or_else(|| self.nobody.to_string());
        let right = self.apart(move || verify_now(&password, &hash)).await??;
        Ok(right && known)
    }

    /// Keyed hash of a code: six characters can be tried out, the key cannot.
    pub fn code(&self, user: Uuid, code: &str) -> Vec<u8> {
        self.keyed(&format!("code:{user}:{}", code.trim().to_ascii_uppercase()))
    }

    /// Keyed hash of a reset token.
    pub fn token(&self, token: &str) -> Vec<u8> {
        self.keyed(&format!("reset:{token}"))
    }

    /// Keyed hash of a recovery code, whatever its case and dashes.
    pub fn recovery(&self, user: Uuid, code: &str) -> Vec<u8> {
        let plain: String = code.chars().filter(char::is_ascii_alphanumeric).collect();
        self.keyed(&format!("recovery:{user}:{}", plain.to_ascii_lowercase()))
    }

    /// What an age provider knows a session by.
    pub fn age(&self, session: Uuid) -> Vec<u8> {
        self.keyed(&format!("age:{session}"))
    }

    fn keyed(&self, text: &str) -> Vec<u8> {
        let mut mac =
            Hmac::<Sha256>::new_from_slice(self.code_key.as_bytes()).expect("HMAC takes keys of any length");
        mac.update(text.as_bytes());
        mac.finalize().into_bytes().to_vec()
    }
}

/// A PHC string of random bytes: no password is known to give it, and refusing one costs what refusing any costs.
fn nobody() -> String {
    let mut output = [0u8; OUTPUT];
    rand::rng().fill(&mut output);
    phc(&salt(), &output)
}

fn salt() -> [u8; 16] {
    let mut salt = [0; 16];
    rand::rng().fill(&mut salt);
    salt
}

fn phc(salt: &[u8], output: &[u8]) -> String {
    let [salt, output] = [salt, output].map(|bytes| STANDARD_NO_PAD.encode(bytes));
    format!("$argon2id$v=19$m={MEMORY_KIB},t={PASSES},p={LANES}${salt}${output}")
}

fn hash_now(password: &str) -> anyhow::Result<String> {
    let params = Params::new(MEMORY_KIB, PASSES, LANES, None).map_err(|e| anyhow::anyhow!("{e}"))?;
    let (salt, mut output) = (salt(), [0; OUTPUT]);
    derive(params, password, &salt, &mut output)?;
    Ok(phc(&salt, &output))
}

fn verify_now(password: &str, hash: &str) -> anyhow::Result<bool> {
    let parsed = PasswordHash::new(hash).map_err(|e| anyhow::anyhow!("a stored hash: {e}"))?;
    let params = Params::try_from(&parsed).map_err(|e| anyhow::anyhow!("a stored hash: {e}"))?;
    let (salt, kept) = parsed.salt.zip(parsed.hash).context("a stored hash without salt or output")?;
    let mut output = vec![0; kept.as_bytes().len()];
    derive(params, password, salt.as_ref(), &mut output)?;
    Ok(output.ct_eq(kept.as_bytes()).into())
}

/// Argon2id in the memory of this thread.
fn derive(params: Params, password: &str, salt: &[u8], output: &mut [u8]) -> anyhow::Result<()> {
    let blocks = params.block_count();
    let argon = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
    MEMORY.with_borrow_mut(|memory| {
        if memory.len() < blocks {
            memory.reserve_exact(ROOM.max(blocks) - memory.len());
            memory.resize(blocks, Block::default());
        }
        argon
            .hash_password_into_with_memory(password.as_bytes(), salt, output, &mut memory[..blocks])
            .map_err(|e| anyhow::anyhow!("argon2: {e}"))
    })
}

/// A new verification code.
pub fn code() -> String {
    let mut random = rand::rng();
    (0..limits::CODE_LENGTH).map(|_| char::from(ALPHABET[random.random_range(0..ALPHABET.len())])).collect()
}

/// A recovery code, `abcde-fgh23`: 49 bits, of letters and digits that are not mistaken for others.
pub fn recovery_code() -> String {
    const READABLE: &[u8] = b"abcdefghjkmnpqrstuvwxyz23456789";
    let mut random = rand::rng();
    let mut part =
        || (0..5).map(|_| char::from(READABLE[random.random_range(0..READABLE.len())])).collect::<String>();
    format!("{}-{}", part(), part())
}

/// 32 random bytes as text: a reset token, or a password that nobody knows.
pub fn token() -> String {
    let mut bytes = [0u8; 32];
    rand::rng().fill(&mut bytes);
    URL_SAFE_NO_PAD.encode(bytes)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[tokio::test]
    async fn a_password_is_kept_by_the_parameters_of_owasp() {
        let hasher = Hasher::new("a key of the tests").expect("threads");
        let hash = hasher.hash("Abcdefg1".into()).await.expect("hashed");
        assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");
        let place = hasher.place().await.expect("a place");
        let verify = async |typed: &str, hash| hasher.verify(&place, typed.into(), hash).await.expect("done");
        assert!(verify("Abcdefg1", Some(hash.clone())).await);
        assert!(!verify("Abcdefg2", Some(hash)).await);
        assert!(!verify("Abcdefg1", None).await);
        assert!(!verify("Abcdefg1", Some("!of the seeds".into())).await);
        assert!(PasswordHash::new(&nobody()).is_ok(), "an unknown account costs a whole verification");
    }

    #[tokio::test]
    async fn memory_is_kept_while_people_come_and_given_back_when_nobody_does() {
        let hasher = Hasher::new("a key of the tests").expect("threads");
        let held = || hasher.threads.broadcast(|_| MEMORY.with_borrow(Vec::len)).iter().sum::<usize>();
        hasher.hash("Abcdefg1".into()).await.expect("hashed");
        assert_eq!(held(), MEMORY_KIB as usize, "one thread has hashed");
        let shutdown = Shutdown::new();
        let resting = tokio::spawn(hasher.clone().rest(Duration::from_millis(1), shutdown.clone()));
        kit::testing::eventually(|| async { (held() == 0).then_some(()) }).await;
        hasher.hash("Abcdefg1".into()).await.expect("hashed anew");
        kit::testing::eventually(|| async { (held() == 0).then_some(()) }).await;
        shutdown.now();
        resting.await.expect("ended");
    }

    #[test]
    fn answers_are_held_for_those_who_still_wait_and_no_longer() {
        let (line, gone) = (Line::default(), Arc::new(Mutex::new(Vec::new())));
        let end = |number: usize| {
            let gone = gone.clone();
            line.begin();
            line.end(move || gone.lock().expect("held").push(number));
        };
        let gone_now = || gone.lock().expect("held").clone();
        line.wait();
        end(1);
        assert_eq!(gone_now(), [1], "nobody waits");
        (0..3).for_each(|_| line.wait());
        end(2);
        end(3);
        assert_eq!(gone_now(), [1], "somebody waits, who ends later");
        end(4);
        assert_eq!(gone_now(), [1, 2, 3, 4], "the last of them takes the others along");
        (0..100).for_each(|_| line.wait());
        (0..GROUP).for_each(end);
        assert_eq!(gone_now().len(), 4 + GROUP, "a group is full, whoever waits");
    }

    #[tokio::test]
    async fn what_breaks_holds_nobody_up() {
        let hasher = Hasher::new("a key of the tests").expect("threads");
        let all = (0..20).map(|number| hasher.apart(move || assert_ne!(number % 3, 0)));
        let done = futures::future::join_all(all).await;
        assert_eq!(done.iter().filter(|done| done.is_err()).count(), 7);
    }

    #[tokio::test]
    async fn hashing_leaves_the_cores_to_everybody_else() {
        let hasher = Hasher::new("a key of the tests").expect("threads");
        let niceness = hasher.apart(|| rustix::process::getpriority_process(None)).await.expect("done");
        assert_eq!(niceness, Ok(aside::NICENESS));
        assert_eq!(rustix::process::getpriority_process(None), Ok(0), "only of these threads");
    }

    #[test]
    fn codes_have_six_characters_of_the_alphabet() {
        let code = code();
        assert_eq!(code.len(), 6);
        assert!(code.bytes().all(|b| ALPHABET.contains(&b)));
    }

    /// Codes of mails are 36⁶, recovery codes 31¹⁰, tokens 2²⁵⁶: how many there are counts only where each is as likely.
    #[test]
    fn what_nobody_may_guess_is_drawn_from_all_that_there_is() {
        const MANY: usize = 10_000;
        fn is_fit_for_secrets(_: &impl rand::CryptoRng) {}
        is_fit_for_secrets(&rand::rng());
        let drawn = |draw: fn() -> String| -> Vec<String> { (0..MANY).map(|_| draw()).collect() };
        let (codes, recovery, tokens) = (drawn(code), drawn(recovery_code), drawn(token));
        for (what, all, letters) in
            [("codes", &codes, 36), ("recovery codes", &recovery, 31), ("tokens", &tokens, 64)]
        {
            let length = all[0].len();
            assert!(all.iter().all(|one| one.len() == length), "{what}");
            // The last letter of a token holds the four bits that are left, and a dash is always there.
            let places = (0..length).filter(|at| all[0].as_bytes()[*at] != b'-' || what == "tokens");
            for place in places.filter(|at| what != "tokens" || at + 1 < length) {
                let seen: BTreeSet<u8> = all.iter().map(|one| one.as_bytes()[place]).collect();
                assert_eq!(seen.len(), letters, "place {place} of {what}");
            }
            let different: BTreeSet<&String> = all.iter().collect();
            // Of 10,000 codes two are the same once in 43 times; of the others, never.
            assert!(different.len() >= MANY - if what == "codes" { 3 } else { 0 }, "{what}");
        }
        assert_eq!(URL_SAFE_NO_PAD.decode(&tokens[0]).expect("base64").len(), 32, "256 bits");
    }
}
