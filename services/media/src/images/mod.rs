//! Pictures that are drawn to order: jobs, their payment, the gallery.

pub mod gallery;
mod grpc;
pub mod options;
mod order;
pub mod store;
pub mod sweep;

use uuid::Uuid;

use crate::engines::Options;

/// What a picture is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    Gallery,
    Portrait,
}

impl Purpose {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Gallery => "gallery",
            Self::Portrait => "portrait",
        }
    }

    /// As the database has it.
    #[must_use]
    pub fn read(text: &str) -> Self {
        if text == "portrait" { Self::Portrait } else { Self::Gallery }
    }
}

/// What is known of a job for as long as it lives.
#[derive(Debug, Clone)]
pub struct Job {
    pub id: Uuid,
    pub owner: Uuid,
    pub purpose: Purpose,
    /// Of a portrait.
    pub character: Option<Uuid>,
    /// Of the portrait, counted by catalog; 1 for the gallery.
    pub version: i64,
    pub options: Options,
    pub tags: Vec<String>,
    pub label: String,
    pub private: bool,
    pub priority: bool,
    /// Coins.
    pub cost: u32,
}

impl Job {
    /// Decides what the options leave open; the id's last 8 bytes are random.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.id.as_u64_pair().1
    }
}
