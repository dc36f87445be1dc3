//! One running house: its folder, its ports, its secrets.

use std::{
    collections::BTreeMap,
    fs,
    hash::{BuildHasher as _, DefaultHasher, Hash as _, Hasher as _, RandomState},
    io::Read as _,
    net::TcpListener,
    ops::Range,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
};

use crate::{Outcome, process::Register};

/// Where ports are drawn from: below those that systems give to outgoing connections (32768 on Linux, 49152 elsewhere),
/// or one of these holds the port of a process that is just being started again.
const PORTS: Range<u16> = 20_000..32_000;

/// Where everything of one house is kept.
pub struct Instance {
    /// The root of the repository.
    pub root: PathBuf,
    /// Logs, mail, pictures, secrets, ports, what was already done.
    pub run: PathBuf,
    /// Data of PostgreSQL, Redis and RabbitMQ, in a place their users can reach.
    pub data: PathBuf,
    pub register: Register,
}

/// The repository this program was built from.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("crates/xtask is two deep").to_owned()
}

impl Instance {
    /// The house in `.run`, or one beside it (`.run/<name>`) for tests.
    pub fn open(name: Option<&str>) -> Outcome<Self> {
        let root = root();
        let run = name.map_or_else(|| root.join(".run"), |n| root.join(".run").join(n));
        fs::create_dir_all(&run).map_err(|e| format!("{} cannot be made: {e}", run.display()))?;
        let data = reachable(&run);
        fs::create_dir_all(&data).map_err(|e| format!("{} cannot be made: {e}", data.display()))?;
        let register = Register::new(run.join("processes"));
        Ok(Self { root, run, data, register })
    }

    pub fn log(&self, name: &str) -> PathBuf {
        self.run.join("logs").join(format!("{name}.log"))
    }

    /// Deletes all data; what runs must have been stopped.
    pub fn empty(&self) -> Outcome {
        for folder in
            [self.data.clone(), self.run.join("mail"), self.run.join("media"), self.run.join("done")]
        {
            match fs::remove_dir_all(&folder) {
                Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                    return Err(format!("{} cannot be deleted: {e}", folder.display()));
                }
                _ => {}
            }
        }
        fs::create_dir_all(&self.data).map_err(|e| format!("{} cannot be made: {e}", self.data.display()))
    }

    /// A port of its own on loopback, the same at every start unless somebody else has taken it.
    pub fn port(&self, name: &str) -> Outcome<u16> {
        self.kept("ports", name, |old| {
            let old = old.and_then(|text| text.parse().ok());
            // Drawn, so that two houses that begin at once seldom want the same; of ours, some are not bound yet.
            let ours: Vec<String> = self.read("ports").into_values().collect();
            let drawn = std::iter::repeat_with(|| {
                let number = RandomState::new().build_hasher().finish();
                PORTS.start + (number % PORTS.len() as u64) as u16
            })
            .filter(|port| !ours.contains(&port.to_string()));
            old.into_iter()
                .chain(drawn.take(PORTS.len()))
                .find(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok())
                .map(|port| port.to_string())
                .ok_or_else(|| format!("no free port for {name} from {} to {}", PORTS.start, PORTS.end))
        })?
        .parse()
        .map_err(|_| format!("{} is damaged; delete it", self.run.join("ports").display()))
    }

    /// The port chosen before, without asking whether it is free (something of ours may hold it).
    pub fn known_port(&self, name: &str) -> Option<u16> {
        self.read("ports").get(name)?.parse().ok()
    }

    /// A secret that was drawn once: 32 bytes in hexadecimal.
    pub fn secret(&self, name: &str) -> Outcome<String> {
        self.kept("secrets", name, |old| match old {
            Some(old) => Ok(old.to_owned()),
            None => {
                let mut bytes = [0u8; 32];
                fs::File::open("/dev/urandom")
                    .and_then(|mut f| f.read_exact(&mut bytes))
                    .map_err(|e| format!("no randomness: {e}"))?;
                Ok(bytes.iter().map(|b| format!("{b:02x}")).collect())
            }
        })
    }

    /// All secrets that were drawn.
    pub fn secrets(&self) -> BTreeMap<String, String> {
        self.read("secrets")
    }

    /// Takes over a secret of another house.
    pub fn set_secret(&self, name: &str, value: &str) -> Outcome {
        self.kept("secrets", name, |_| Ok(value.to_owned())).map(drop)
    }

    fn read(&self, file: &str) -> BTreeMap<String, String> {
        let text = fs::read_to_string(self.run.join(file)).unwrap_or_default();
        text.lines().filter_map(|l| l.split_once('=')).map(|(k, v)| (k.into(), v.into())).collect()
    }

    fn kept(
        &self,
        file: &str,
        name: &str,
        make: impl FnOnce(Option<&str>) -> Outcome<String>,
    ) -> Outcome<String> {
        let mut all = self.read(file);
        let value = make(all.get(name).map(String::as_str))?;
        if all.insert(name.into(), value.clone()).as_ref() != Some(&value) {
            let text: String = all.iter().map(|(k, v)| format!("{k}={v}\n")).collect();
            let path = self.run.join(file);
            fs::write(&path, text)
                .and_then(|()| fs::set_permissions(&path, fs::Permissions::from_mode(0o600)))
                .map_err(|e| format!("{} cannot be written: {e}", path.display()))?;
        }
        Ok(value)
    }

    /// Runs `work` unless it was done before with the same inputs.
    pub fn once(&self, what: &str, inputs: &[PathBuf], work: impl FnOnce() -> Outcome) -> Outcome<bool> {
        let mark = self.run.join("done").join(what);
        let now = digest(inputs);
        if fs::read_to_string(&mark).is_ok_and(|before| before == now) {
            return Ok(false);
        }
        work()?;
        fs::create_dir_all(mark.parent().expect("a folder"))
            .and_then(|()| fs::write(&mark, now))
            .map_err(|e| format!("{} cannot be written: {e}", mark.display()))?;
        Ok(true)
    }
}

/// Names, sizes and contents below the paths.
fn digest(paths: &[PathBuf]) -> String {
    fn add(path: &Path, hasher: &mut DefaultHasher) {
        if path.is_dir() {
            let mut entries: Vec<PathBuf> =
                fs::read_dir(path).into_iter().flatten().filter_map(|e| Some(e.ok()?.path())).collect();
            entries.sort();
            for entry in entries {
                add(&entry, hasher);
            }
        } else {
            path.hash(hasher);
            fs::read(path).unwrap_or_default().hash(hasher);
        }
    }
    let mut hasher = DefaultHasher::new();
    for path in paths {
        add(path, &mut hasher);
    }
    format!("{:016x}", hasher.finish())
}

/// As root, PostgreSQL and RabbitMQ run as their own users, who must be able to walk to their data: a
/// folder below somebody's closed home will not do.
fn reachable(run: &Path) -> PathBuf {
    let root = rustix::process::geteuid().is_root();
    let open = |folder: &Path| fs::metadata(folder).is_ok_and(|m| m.mode() & 0o001 != 0);
    if !root || run.ancestors().all(open) {
        return run.join("data");
    }
    let mut hasher = DefaultHasher::new();
    run.hash(&mut hasher);
    Path::new("/var/tmp").join(format!("troupe-{:016x}", hasher.finish()))
}
