//! What the programs do most, as the load of the benchmark left it: a release build lays their code out by it
//! (profile-guided optimisation, decision 30). It is committed, packed, and made anew by `cargo xtask profile`.

use std::{
    env,
    fs::{self, File},
    hash::{DefaultHasher, Hash as _, Hasher as _},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::{Outcome, instance::root, progress, rust, tools};

/// The profile, packed by `xz`.
const PACKED: &str = "crates/trials/profile/house.profdata.xz";
/// The mark of what our crates depended on when the profile was made.
const STOOD_ON: &str = "crates/trials/profile/house.dependencies";
/// Goals of the benchmark whose load is what people do.
const LOAD: [&str; 10] = ["1", "2", "3", "5", "6", "7", "8", "9", "10", "11"];
/// Puts profiles together.
const MERGERS: [&str; 2] = ["llvm-profdata-22", "llvm-profdata"];

/// Has a release build use the profile.
///
/// # Errors
/// When it cannot be unpacked.
pub fn used_by(build: &mut Command) -> Outcome {
    let flag = format!("-Cprofile-use={}", unpacked()?.display());
    build.env("RUSTFLAGS", with(&flag));
    Ok(())
}

/// The flag, after those that are set.
fn with(flag: &str) -> String {
    let set = env::var("RUSTFLAGS").unwrap_or_default();
    [set.as_str(), flag].join(" ").trim().to_owned()
}

/// Where the unpacked profile lies. Its name says what is in it: cargo builds anew where a flag is another, and does not
/// look into the file.
fn unpacked() -> Outcome<PathBuf> {
    let packed = root().join(PACKED);
    let bytes = fs::read(&packed).map_err(|e| format!("{}: {e}", packed.display()))?;
    let profile = folder().join(format!("{}.profdata", mark(&bytes)));
    if profile.is_file() {
        return Ok(profile);
    }
    fs::create_dir_all(folder()).map_err(|e| e.to_string())?;
    let half = profile.with_extension("half");
    pipe(Command::new(tools::packer()?).args(["--decompress", "--stdout"]).arg(&packed), &half)?;
    fs::rename(&half, &profile).map_err(|e| e.to_string())?;
    Ok(profile)
}

/// What to tell whoever builds, where our crates do not depend on what they depended on when the profile was made: it has the
/// counts of functions that no longer are, since a compiler names a function by its crate, and a crate by what it depends on.
/// Of those it says nothing itself, for it only compares functions that have the same name. Or that it cannot be said whether
/// they do, which is no reason to fail a build.
pub fn does_not_know() -> Option<String> {
    let noted = root().join(STOOD_ON);
    let noted = fs::read_to_string(&noted).map_err(|e| format!("{}: {e}", noted.display()));
    match noted.and_then(|noted| Ok(stand_on(&noted, &what_ours_stand_on()?))) {
        Ok(true) => None,
        Ok(false) => Some(
            "the profile knows our functions by other names: what our crates depend on has changed since; `cargo xtask profile` \
             makes it anew"
                .into(),
        ),
        Err(why) => Some(format!("whether the profile knows our functions cannot be said: {why}")),
    }
}

/// Whether `what` is what has the mark that was noted.
fn stand_on(noted: &str, what: &str) -> bool {
    noted.trim() == mark(what.as_bytes())
}

/// What the compiler takes into the names of our functions: itself, and each crate with its version and features and what
/// it depends on in turn, wherever the project lies.
fn what_ours_stand_on() -> Outcome<String> {
    let mut tree = rust::cargo();
    tree.args(["tree", "--locked", "--edges", "no-dev", "--prefix", "depth", "--format", "{p} {f}"])
        .args(rust::SHIPPED);
    let mut compiler = Command::new("rustc");
    compiler.arg("--version");
    let tree = said(&mut tree)?.replace(&root().display().to_string(), "");
    Ok(said(&mut compiler)? + &tree)
}

fn said(command: &mut Command) -> Outcome<String> {
    let output = command.stderr(Stdio::inherit()).output().map_err(|e| format!("{command:?}: {e}"))?;
    if !output.status.success() {
        return Err(format!("{command:?} failed"));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn mark(bytes: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

fn folder() -> PathBuf {
    root().join("target/profile")
}

fn pipe(command: &mut Command, into: &Path) -> Outcome {
    let file = File::create(into).map_err(|e| format!("{}: {e}", into.display()))?;
    let ended = command.stdin(Stdio::null()).stdout(file).status().map_err(|e| e.to_string())?;
    if ended.success() { Ok(()) } else { Err(format!("{} could not be written", into.display())) }
}

/// `cargo xtask profile`: programs that count what they do, under the load of the benchmark; then the counts, packed.
///
/// # Errors
/// When something is missing, or a program left no counts.
pub fn train() -> Outcome {
    progress::expect(4);
    let merger = merger()?;
    let (counts, built) = (folder().join("counts"), folder().join("build"));

    let mut step = progress::step("programs that count");
    let mut build = rust::cargo();
    build
        .args(["build", "--release", "--bins", "--color", "never"])
        .args(rust::SHIPPED)
        .env("CARGO_TARGET_DIR", &built)
        .env("RUSTFLAGS", with(&format!("-Cprofile-generate={}", counts.display())));
    rust::run(build, &mut step)?;
    step.done("");
    // Build scripts and macros have counted, too.
    let _ = fs::remove_dir_all(&counts);

    let mut step = progress::step("what loads them");
    let bench = rust::build_trials(true, &mut step)?.join("bench");
    step.done("");

    let step = progress::step("the load");
    // How its goals fare says nothing here: to count takes time.
    Command::new(&bench)
        .arg("--quick")
        .args(LOAD)
        .env("TROUPE_BINARIES", built.join("release"))
        .status()
        .map_err(|e| format!("{} cannot be run: {e}", bench.display()))?;
    let left: Vec<PathBuf> = fs::read_dir(&counts)
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|ending| ending == "profraw"))
        .collect();
    if left.is_empty() {
        return Err("no program has counted anything".into());
    }
    step.done(&format!("{} files", left.len()));

    let step = progress::step("putting it together");
    let profile = folder().join("new.profdata");
    let merged = Command::new(merger).args(["merge", "--sparse", "-o"]).arg(&profile).args(&left).status();
    if !merged.is_ok_and(|ended| ended.success()) {
        return Err("the counts could not be put together".into());
    }
    let packed = root().join(PACKED);
    pipe(Command::new(tools::packer()?).args(["--compress", "-9", "--stdout"]).arg(&profile), &packed)?;
    fs::write(root().join(STOOD_ON), mark(what_ours_stand_on()?.as_bytes()) + "\n")
        .map_err(|e| e.to_string())?;
    step.done(PACKED);
    Ok(())
}

/// The program that puts profiles together: rustup's component, or Debian's. One that is older than the compiler cannot read
/// its counts, which would only be known once they are there.
fn merger() -> Outcome<PathBuf> {
    let sysroot = PathBuf::from(said(Command::new("rustc").args(["--print", "sysroot"]))?.trim());
    let of_rustup = fs::read_dir(sysroot.join("lib/rustlib"))
        .into_iter()
        .flatten()
        .filter_map(|host| Some(host.ok()?.path().join("bin/llvm-profdata")))
        .filter(|path| path.is_file());
    let of_system = MERGERS.iter().filter_map(|program| tools::find(program));
    let compiler = llvm(&said(Command::new("rustc").arg("-vV"))?);
    let reads = |merger: &PathBuf| {
        // LLVM 14's knows no `--version`, and fails.
        let output = Command::new(merger).arg("--version").output();
        output.is_ok_and(|output| llvm(&String::from_utf8_lossy(&output.stdout)) >= compiler)
    };
    of_rustup.chain(of_system).find(reads).ok_or_else(|| {
        let version = compiler.unwrap_or_default();
        format!(
            "there is no llvm-profdata of LLVM {version} or newer: `rustup component add llvm-tools`, or Debian's package llvm-{version}"
        )
    })
}

/// The LLVM that a program says to be of.
fn llvm(said: &str) -> Option<u32> {
    let version = said.lines().find_map(|line| line.trim().strip_prefix("LLVM version"))?;
    version.trim_start_matches(':').trim().split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{llvm, mark, stand_on, what_ours_stand_on};
    use crate::instance::root;

    #[test]
    fn an_llvm_is_told_by_its_compiler_and_its_tools() {
        assert_eq!(
            llvm("rustc 1.95.0 (59807616e 2026-04-14)\nrelease: 1.95.0\nLLVM version: 22.1.2\n"),
            Some(22)
        );
        assert_eq!(llvm("LLVM (http://llvm.org/):\n  LLVM version 22.1.2-rust-1.95.0-stable\n"), Some(22));
        assert_eq!(
            llvm("llvm-profdata: Unknown command!\nUSAGE: llvm-profdata <merge|show|overlap>\n"),
            None
        );
    }

    #[test]
    fn what_ours_stand_on_tells_who_depends_on_what_and_not_where_it_lies() {
        let listed = what_ours_stand_on().expect("listed");
        assert!(listed.starts_with("rustc "), "{listed}");
        assert!(!listed.contains(&root().display().to_string()), "{listed}");
        let mut lines = listed.lines().filter_map(|line| {
            let name = line.trim_start_matches(|c: char| c.is_ascii_digit());
            Some((line[..line.len() - name.len()].parse::<usize>().ok()?, name))
        });
        let (depth, _) = lines.find(|(_, name)| name.starts_with("troupe-kit v")).expect("kit");
        // Others stood on `h2` before `kit` did: a list of what there is would have stayed as it was.
        let mut below = lines.take_while(|(deeper, _)| *deeper > depth);
        assert!(below.any(|(deeper, name)| deeper == depth + 1 && name.starts_with("h2 v")), "{listed}");
        let noted = mark(listed.as_bytes()) + "\n";
        assert!(stand_on(&noted, &listed));
        let newer = listed.replace("troupe-kit v", "troupe-kit v1");
        assert!(!stand_on(&noted, &newer), "other dependencies are told from these");
    }
}
