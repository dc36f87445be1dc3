//! Poses by name: ten for every day, which are ours, and 23 more, which an operator names.

use std::{path::PathBuf, sync::LazyLock};

use anyhow::Context as _;
use serde::Deserialize;

/// Poses of the operator's file.
const NSFW: usize = 23;
/// Characters of a name.
const NAME: usize = 60;

/// Where the operator's poses are.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct PoseSettings {
    /// File of the 23 poses that need NSFW on, for `media-api` and `media-worker` alike; without one they are
    /// "Pose 11" to "Pose 33", without words of their own (see `prompts/poses_nsfw.toml`).
    #[arg(long, env = "IMAGE_POSES_FILE")]
    pub image_poses_file: Option<PathBuf>,
}

/// One pose.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pose {
    /// As it is sent, stored and read.
    pub name: String,
    /// Its words as tags, and as prose; empty ones add nothing.
    #[serde(default)]
    pub anime: String,
    #[serde(default)]
    pub realistic: String,
    /// Where playbill shows it; empty for anywhere.
    #[serde(default)]
    pub stages: Vec<String>,
    /// Whether playbill shows it the other way round.
    #[serde(default)]
    pub turned: bool,
    /// Only for who has NSFW on; its picture is never opened without a signature, whatever shows it.
    #[serde(skip)]
    pub nsfw: bool,
}

/// All poses, those of every day first.
#[derive(Debug, Clone)]
pub struct Poses(Vec<Pose>);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    pose: Vec<Pose>,
}

static EVERYDAY: LazyLock<Vec<Pose>> = LazyLock::new(|| {
    let file: File =
        toml::from_str(include_str!("../../prompts/poses.toml")).expect("a test reads prompts/poses.toml");
    file.pose
});

impl Poses {
    /// # Errors
    /// What is wrong with the operator's file.
    pub fn open(settings: &PoseSettings) -> anyhow::Result<Self> {
        let Some(path) = settings.image_poses_file.as_deref().filter(|p| !p.as_os_str().is_empty()) else {
            return Self::read(include_str!("../../prompts/poses_nsfw.toml"));
        };
        let name = path.display();
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("IMAGE_POSES_FILE {name} cannot be read"))?;
        Self::read(&text).with_context(|| format!("IMAGE_POSES_FILE {name} is not as it should be"))
    }

    /// One of ours by its name, however it is spelt.
    #[must_use]
    pub fn everyday(name: &str) -> Option<&'static Pose> {
        EVERYDAY.iter().find(|p| p.name.eq_ignore_ascii_case(name.trim()))
    }

    fn read(operators: &str) -> anyhow::Result<Self> {
        let mut poses = EVERYDAY.clone();
        let own = toml::from_str::<File>(operators)?.pose;
        anyhow::ensure!(own.len() == NSFW, "it has {} poses, not {NSFW}", own.len());
        for (index, pose) in own.into_iter().enumerate() {
            let name = pose.name.trim().to_owned();
            anyhow::ensure!(!name.is_empty(), "the name of pose {} is empty", index + 1);
            anyhow::ensure!(name.chars().count() <= NAME, "\"{name}\" is longer than {NAME} characters");
            let new = !poses.iter().any(|p| p.name.eq_ignore_ascii_case(&name));
            anyhow::ensure!(new, "\"{name}\" is there twice");
            poses.push(Pose { name, nsfw: true, ..pose });
        }
        Ok(Self(poses))
    }

    /// By its name, however it is spelt.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&Pose> {
        self.0.iter().find(|p| p.name.eq_ignore_ascii_case(name.trim()))
    }

    pub fn all(&self) -> impl Iterator<Item = &Pose> {
        self.0.iter()
    }
}

impl Default for Poses {
    /// Those that are shipped.
    fn default() -> Self {
        Self::open(&PoseSettings::default()).expect("a test reads the files")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_are_for_every_day_and_23_wait_for_their_names() {
        let poses = Poses::default();
        assert_eq!(poses.all().filter(|p| !p.nsfw).count(), 10);
        assert!(poses.all().filter(|p| !p.nsfw).all(|p| !p.anime.is_empty() && !p.realistic.is_empty()));
        assert_eq!(poses.all().filter(|p| p.nsfw).count(), NSFW);
        assert_eq!(poses.find(" pose 33 ").map(|p| p.nsfw), Some(true));
        assert!(poses.find("Standing at ease").is_some_and(|p| !p.nsfw));
        assert!(poses.find("").is_none());
    }

    #[test]
    fn an_operators_file_without_a_name_or_with_one_twice_is_refused() {
        let shipped = include_str!("../../prompts/poses_nsfw.toml");
        let refused = |text: String| Poses::read(&text).expect_err("refused").to_string();
        assert_eq!(refused(shipped.replace("\"Pose 12\"", "\" \"")), "the name of pose 2 is empty");
        assert_eq!(refused(shipped.replace("Pose 12", "Pose 11")), "\"Pose 11\" is there twice");
        assert_eq!(refused(shipped.replace("Pose 11", "Dancing")), "\"Dancing\" is there twice");
        assert!(refused("pose = []".into()).contains("0 poses"));
        let folder = tempfile::tempdir().expect("a folder");
        let away = PoseSettings { image_poses_file: Some(folder.path().join("none.toml")) };
        assert!(Poses::open(&away).expect_err("not there").to_string().contains("IMAGE_POSES_FILE"));
    }
}
