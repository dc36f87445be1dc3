//! What mails say.

use time::Date;

use crate::{config::Mail, limits};

/// What a mail says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Letter {
    pub subject: String,
    pub body: String,
}

impl Letter {
    pub(super) fn new(subject: String, paragraphs: &[String], config: &Mail) -> Self {
        let said = paragraphs.iter().map(|p| p.trim_end()).filter(|p| !p.is_empty());
        let mut body = said.collect::<Vec<_>>().join("\n\n");
        body.push_str(&format!("\n\n{}\n{}\n", config.brand_name, config.public_url));
        // A line break would begin another header.
        let subject = subject.split_whitespace().collect::<Vec<_>>().join(" ");
        Self { subject, body }
    }

    /// The six-character code of a sign-up.
    pub fn code(name: &str, code: &str, config: &Mail) -> Self {
        let brand = &config.brand_name;
        let paragraphs = [
            format!("Hello {name},"),
            format!("your code for {brand} is"),
            format!("    {code}"),
            format!(
                "It is good for {} minutes. If you did not sign up, forget this mail: nothing happens without the code.",
                limits::CODE_LIFE.whole_minutes()
            ),
        ];
        Self::new(format!("{code} is your {brand} code"), &paragraphs, config)
    }

    /// The link that sets a new password.
    pub fn reset(name: &str, token: &str, config: &Mail) -> Self {
        let paragraphs = [
            format!("Hello {name},"),
            "here you set a new password:".to_owned(),
            format!("{}/reset?token={token}", config.public_url),
            "The link is good for one hour and for one use. If you did not ask for it, your password stays as it is."
                .to_owned(),
        ];
        Self::new(format!("Set a new {} password", config.brand_name), &paragraphs, config)
    }

    /// What was refused counts, and a repeat suspends.
    pub fn struck(name: &str, object: &str, rule: &str, config: &Mail) -> Self {
        let brand = &config.brand_name;
        let paragraphs = [
            format!("Hello {name},"),
            format!("something of yours on {brand} ({object}) was refused by this rule:"),
            indented(rule),
            format!(
                "Nothing else happens this time. If it happens again within {} days, your account is suspended.",
                limits::STRIKE_LIFE.whole_days()
            ),
            "A program has decided this. If you think that it is wrong, answer this mail: somebody will look at it."
                .to_owned(),
        ];
        Self::new(format!("Something of yours on {brand} was refused"), &paragraphs, config)
    }

    /// Why an account was suspended.
    pub fn suspended(name: &str, reason: &str, config: &Mail) -> Self {
        let paragraphs = [
            format!("Hello {name},"),
            format!(
                "your account on {} was suspended. You are signed out everywhere. The reason:",
                config.brand_name
            ),
            indented(reason),
            "If you think that this is wrong, answer this mail: somebody else than before will look at it."
                .to_owned(),
        ];
        Self::new(format!("Your {} account was suspended", config.brand_name), &paragraphs, config)
    }

    pub fn reinstated(name: &str, config: &Mail) -> Self {
        let paragraphs = [
            format!("Hello {name},"),
            format!("your account on {} is open again: you can log in as before.", config.brand_name),
        ];
        Self::new(format!("Your {} account is open again", config.brand_name), &paragraphs, config)
    }

    /// An account will be erased, and how to change one's mind.
    pub fn deletion(name: &str, day: Date, config: &Mail) -> Self {
        let brand = &config.brand_name;
        let paragraphs = [
            format!("Hello {name},"),
            format!("you have asked us to delete your {brand} account. It will be erased on {day}."),
            format!(
                "If you change your mind, log in before that day and choose to keep it: {}/account.",
                config.public_url
            ),
            "If it was not you who asked, log in now, keep the account and change your password.".to_owned(),
        ];
        Self::new(format!("Your {brand} account will be deleted"), &paragraphs, config)
    }

    pub fn kept(name: &str, config: &Mail) -> Self {
        let paragraphs =
            [format!("Hello {name},"), format!("your {} account stays as it is.", config.brand_name)];
        Self::new(format!("Your {} account stays", config.brand_name), &paragraphs, config)
    }
}

pub(super) fn indented(text: &str) -> String {
    text.lines().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n")
}
