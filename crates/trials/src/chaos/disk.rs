//! A store of pictures that nothing more can be written to, for a while.

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};

use anyhow::{Context as _, Result};
use tokio::time::Instant;
use uuid::Uuid;

use super::{
    house::{House, LOOK},
    report::Row,
    scene::Scene,
};

/// Size of the store of pictures: what the seeds take, and room for those of a trial.
const SIZE: &str = "96m";
/// Room is taken in pieces of so many bytes, and what is left of it in pages: not even a thumbnail may find a place.
const PIECES: [usize; 2] = [64 * 1024, 4 * 1024];
/// How long a picture may take to be tried at all, on a machine that has other things to do.
const TRIED: Duration = Duration::from_secs(30);
/// After this a picture has ended, well or not: five tries, the pauses between them, and those before it.
const ENDED: Duration = Duration::from_secs(60);

/// Where the pictures of a trial lie.
pub struct Disk {
    pub folder: PathBuf,
    /// Whether this machine let us mount a file system of its own for it.
    small: bool,
}

impl Disk {
    /// A small file system, or a plain folder where nobody may mount one.
    ///
    /// # Errors
    /// When the folder cannot be made.
    pub fn open(folder: &Path) -> Result<Self> {
        let mut disk = Self { folder: folder.to_owned(), small: false };
        // Of a trial that was killed.
        disk.unmount();
        if folder.is_file() {
            fs::remove_file(folder)?;
        }
        if disk.aside().exists() {
            fs::remove_dir_all(disk.aside())?;
        }
        fs::create_dir_all(folder).with_context(|| format!("{} cannot be made", folder.display()))?;
        disk.small = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={SIZE}"), "tmpfs"])
            .arg(folder)
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|ended| ended.success());
        Ok(disk)
    }

    fn unmount(&self) {
        let _ = Command::new("umount").arg("-l").arg(&self.folder).stderr(Stdio::null()).status();
    }

    /// How it is made impossible to write, for whoever reads the table.
    fn how(&self) -> &'static str {
        if self.small {
            "its file system is full (ENOSPC)"
        } else {
            "nobody may mount a small file system here, so a file stands where its folder was (ENOTDIR)"
        }
    }

    /// Lets nothing more be written.
    ///
    /// # Errors
    /// When that cannot be done.
    fn close(&self) -> Result<()> {
        if !self.small {
            fs::rename(&self.folder, self.aside())?;
            return Ok(fs::write(&self.folder, "")?);
        }
        let mut filler = fs::File::create(self.filler())?;
        for size in PIECES {
            let piece = vec![0u8; size];
            while filler.write_all(&piece).is_ok() {}
        }
        Ok(())
    }

    /// Lets everything be written again.
    ///
    /// # Errors
    /// When that cannot be done.
    fn reopen(&self) -> Result<()> {
        if !self.small {
            fs::remove_file(&self.folder)?;
            return Ok(fs::rename(self.aside(), &self.folder)?);
        }
        Ok(fs::remove_file(self.filler())?)
    }

    fn filler(&self) -> PathBuf {
        self.folder.join("filler")
    }

    fn aside(&self) -> PathBuf {
        self.folder.with_extension("aside")
    }
}

/// Gives the mount back.
impl Drop for Disk {
    fn drop(&mut self) {
        self.unmount();
    }
}

/// What became of a picture so far.
#[derive(sqlx::FromRow)]
struct Drawn {
    state: String,
    attempts: i32,
}

impl Drawn {
    async fn find(house: &House, picture: Uuid) -> Result<Self> {
        let found = sqlx::query_as("select state, attempts from job where id = $1").bind(picture);
        Ok(found.fetch_one(house.db("media")).await?)
    }

    fn has_ended(&self) -> bool {
        ["completed", "failed", "canceled"].contains(&self.state.as_str())
    }
}

/// A store of pictures that cannot be written to, for so long and until a picture was seen to fail for it: one that is
/// drawn meanwhile is tried again or given up and its coins given back, and nothing is lost.
///
/// # Errors
/// When the room cannot be taken, or given back.
pub async fn full_disk(scene: &Scene, lasts: Duration) -> Result<Row> {
    let mut row = Row::new(format!("no room for pictures, {} s", lasts.as_secs()));
    row.times = 1;
    let disk = scene.house.disk();
    disk.close()?;
    let since = Instant::now();
    let picture = scene.crowd.judge.picture(&scene.watchman).await;
    row.expect(picture.is_some(), || "no picture is taken while there is no room for it".into());
    if let Some(picture) = picture {
        // A second try, or the end: that is what a write that failed leads to, for nobody else ends a try here.
        let mut drawn = Drawn::find(&scene.house, picture).await?;
        while drawn.attempts < 2 && !drawn.has_ended() && since.elapsed() < TRIED {
            tokio::time::sleep(LOOK).await;
            drawn = Drawn::find(&scene.house, picture).await?;
        }
        let failed = drawn.state != "completed" && (drawn.attempts >= 2 || drawn.state == "failed");
        row.expect(failed, || {
            format!("no write failed: the picture is {} after {} tries", drawn.state, drawn.attempts)
        });
    }
    tokio::time::sleep_until(since + lasts).await;
    disk.reopen()?;
    let back = Instant::now();
    scene.well_again(&mut row, back).await;
    let after = scene.crowd.judge.picture(&scene.watchman).await;
    row.expect(after.is_some(), || "no picture is taken any more".into());
    // Nobody else's picture goes before these two.
    scene.crowd.pause().await;
    for (picture, when) in [(picture, "without room"), (after, "with room again")] {
        let Some(picture) = picture else { continue };
        let mut drawn = Drawn::find(&scene.house, picture).await?;
        while !drawn.has_ended() && back.elapsed() < ENDED {
            tokio::time::sleep(LOOK).await;
            drawn = Drawn::find(&scene.house, picture).await?;
        }
        let well = drawn.state == "completed" || when == "without room" && drawn.state == "failed";
        row.expect(well, || format!("a picture asked for {when} is {}", drawn.state));
        row.note += &format!("asked for {when}: {} after {} tries; ", drawn.state, drawn.attempts);
    }
    scene.examine_resting(&mut row).await;
    scene.crowd.go_on();
    row.note += disk.how();
    Ok(row)
}
