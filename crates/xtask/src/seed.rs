//! `cargo xtask seed`: much data in the house that `up` started, by the commands of the services that own it.

use std::ffi::OsStr;

use crate::{
    Outcome,
    infra::psql,
    instance::Instance,
    run::{in_house, told},
};

/// What there shall be at least.
#[derive(Debug, Default)]
pub struct Wanted {
    /// Characters beside those of the first cast.
    pub characters: u32,
    /// Messages of a chat of the user.
    pub chat: u32,
    /// Pictures in the gallery of the user.
    pub images: u32,
    /// Name of whoever has the chat and the gallery.
    pub user: Option<String>,
}

/// `seed [--characters N] [--chat N] [--images N] [--user NAME]`
pub fn seed(wanted: &Wanted) -> Outcome {
    if wanted.characters == 0 && wanted.chat == 0 && wanted.images == 0 {
        return Err("say what: --characters N, --chat N, --images N".into());
    }
    let instance = Instance::open(None)?;
    if wanted.characters > 0 {
        characters(&instance, wanted.characters)?;
    }
    if wanted.chat == 0 && wanted.images == 0 {
        return Ok(());
    }
    let name = wanted.user.as_deref().ok_or("--user NAME says whose chat or gallery it is")?;
    let user = user_id(&instance, name)?;
    if wanted.chat > 0 {
        chat(&instance, &user, wanted.chat)?;
    }
    if wanted.images > 0 {
        images(&instance, &user, wanted.images)?;
    }
    Ok(())
}

/// Invented characters, the first `number` of them.
pub fn characters(instance: &Instance, number: u32) -> Outcome {
    let seeds = instance.root.join("services/catalog/seeds").display().to_string();
    in_house(instance, "catalog", &["seed", "--seeds", &seeds, "--characters", &number.to_string()])
}

/// A chat of so many messages with the character that is liked most.
pub fn chat(instance: &Instance, user: &str, messages: u32) -> Outcome {
    let best = "select id || ' ' || name from character join character_stats on character_id = id
                where public and state = 'live' order by likes + seeded_likes desc, id limit 1";
    let best = ask(instance, "catalog", best)?;
    let (character, name) = best.split_once(' ').ok_or("there is no character to chat with")?;
    let messages = messages.to_string();
    let whose = ["seed", "--user", user, "--character", character, "--name", name, "--messages", &messages];
    in_house(instance, "chat", &whose)
}

/// A gallery of so many pictures.
pub fn images(instance: &Instance, user: &str, number: u32) -> Outcome {
    in_house(instance, "media-api", &["fill", "--user", user, "--images", &number.to_string()])
}

/// The id of somebody, by name.
pub fn user_id(instance: &Instance, name: &str) -> Outcome<String> {
    if !name.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c)) {
        return Err(format!("{name} is nobody's name"));
    }
    let query = format!("select id from account where lower(username) = lower('{name}')");
    let id = ask(instance, "auth", &query)?;
    if id.is_empty() { Err(format!("there is nobody called {name}")) } else { Ok(id) }
}

/// The one value that a query of a service's own database gives.
fn ask(instance: &Instance, service: &str, query: &str) -> Outcome<String> {
    let command = told(instance, service)?;
    let url = command.get_envs().find(|(key, _)| *key == "DATABASE_URL").and_then(|(_, url)| url);
    let url = url.and_then(OsStr::to_str);
    let url = url.ok_or_else(|| format!("{service} has no database"))?;
    let (start, place) = url.split_once('@').ok_or("DATABASE_URL is not a PostgreSQL address")?;
    let (start, password) = start.rsplit_once(':').ok_or("DATABASE_URL has no password")?;
    psql(&format!("{start}@{place}"), password, query)
}
