//! Accounts and sessions: the rules that a sign-up and a password must pass.

mod device;
mod grpc;
pub mod guessable;
pub mod hashing;
pub mod leaked;
pub mod store;
pub mod throttle;
pub mod wishes;

use std::sync::LazyLock;

pub use device::Described;
use kit::error::Failure;
use regex::Regex;

use crate::limits;

/// The text of every form that was sent with something missing (specification, section 5).
pub const MISSING: &str = "Must fill out all fields!";

/// Names that would read as the house itself, or that are words of its routes.
const RESERVED: [&str; 24] = [
    "me",
    "admin",
    "administrator",
    "api",
    "support",
    "help",
    "root",
    "system",
    "troupe",
    "moderator",
    "mod",
    "staff",
    "official",
    "security",
    "billing",
    "account",
    "settings",
    "login",
    "signup",
    "search",
    "anonymous",
    "null",
    "undefined",
    "everyone",
];

static EMAIL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^[A-Za-z0-9._%+\-]+@[A-Za-z0-9](?:[A-Za-z0-9\-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9\-]*[A-Za-z0-9])?)*\.[A-Za-z]{2,}$")
        .expect("a pattern")
});

/// An e-mail address as it was typed, without the blanks around it. Two addresses that differ only in
/// case are one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Email(String);

impl Email {
    /// # Errors
    /// `Invalid email format!`
    pub fn parse(text: &str) -> Result<Self, Failure> {
        let text = text.trim();
        // The second look is that of the sender: an address that it would not write to helps nobody.
        let sendable = || text.parse::<lettre::Address>().is_ok();
        if text.len() <= limits::EMAIL_MAX && EMAIL.is_match(text) && sendable() {
            Ok(Self(text.to_owned()))
        } else {
            Err(Failure::invalid("email", "Invalid email format!"))
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// An e-mail address in the form by which accounts are found. Accounts have ASCII addresses alone, so other
/// letters are left as they are: by the rules of Unicode some of them have an ASCII letter as their lower
/// case, and would spell somebody else's address.
#[must_use]
pub fn normal(email: &str) -> String {
    // PostgreSQL stores every character but this one.
    email.trim().to_ascii_lowercase().replace('\0', "\u{fffd}")
}

/// A name that can be seen, linked and typed: letters, digits and underscores.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Username(String);

impl Username {
    /// # Errors
    /// Says what a username may be.
    pub fn parse(text: &str) -> Result<Self, Failure> {
        let text = text.trim();
        let plain = text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        if !plain || !limits::USERNAME.contains(&text.len()) {
            let (min, max) = (limits::USERNAME.start(), limits::USERNAME.end());
            let text = format!("Use {min} to {max} letters, digits and underscores.");
            return Err(Failure::invalid("username", text));
        }
        let skeleton = skeleton(text);
        if RESERVED.iter().any(|reserved| self::skeleton(reserved) == skeleton) {
            return Err(Failure::invalid("username", "This username is reserved."));
        }
        Ok(Self(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// What a name looks like: names with one skeleton are taken for each other. The database has the same
/// rule, and lets each be there once.
fn skeleton(name: &str) -> String {
    let alike = |c: char| match c.to_ascii_lowercase() {
        '_' => None,
        '0' => Some('o'),
        '1' | 'i' => Some('l'),
        '5' => Some('s'),
        c => Some(c),
    };
    name.chars().filter_map(alike).collect::<String>().replace("rn", "m").replace("vv", "w")
}

/// Checks a new password; the first rule that is broken is told (specification, section 5).
///
/// # Errors
/// The literal text of the rule.
pub fn check_password(password: &str) -> Result<(), Failure> {
    let say = |text: &str| Err(Failure::invalid("password", text));
    let length = password.chars().count();
    if length < limits::PASSWORD_MIN {
        return say("Password is too short!");
    }
    if length > limits::PASSWORD_MAX {
        return say("Password is too long!");
    }
    if !password.chars().any(char::is_uppercase) {
        return say("Must contain a capital!");
    }
    if !password.chars().any(|c| c.is_ascii_digit()) {
        return say("Must contain a number!");
    }
    Ok(())
}

/// # Errors
/// [`MISSING`], naming the first field that is empty.
pub fn check_presence(fields: &[(&str, &str)]) -> Result<(), Failure> {
    match fields.iter().find(|(_, value)| value.trim().is_empty()) {
        Some((name, _)) => Err(Failure::invalid(*name, MISSING)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn e_mail_addresses_need_a_top_level_part_of_two_letters() {
        for good in ["a@b.co", "first.last+tag@mail.example.org"] {
            assert!(Email::parse(good).is_ok(), "{good}");
        }
        for bad in ["", "a@b", "a@b.c", "a b@c.de", "a@-b.de", "a@b..de", "@b.de", "a..b@c.de", ".a@b.de"] {
            assert_eq!(Email::parse(bad).expect_err(bad).message, "Invalid email format!");
        }
    }

    #[test]
    fn the_first_broken_rule_of_a_password_is_told() {
        let told = |p: &str| check_password(p).expect_err(p).message;
        assert_eq!(told("Ab1"), "Password is too short!");
        assert_eq!(told("abcdefg1"), "Must contain a capital!");
        assert_eq!(told("Abcdefgh"), "Must contain a number!");
        assert_eq!(told(&format!("Ab1{}", "x".repeat(200))), "Password is too long!");
        assert!(check_password("Abcdefg1").is_ok());
    }

    #[test]
    fn names_of_the_house_are_not_given_away() {
        for bad in
            ["Admin", "adm1n", "_Supp0rt_", "Adrnin", "me", "ab", "with space", "ünïcode", &"x".repeat(31)]
        {
            assert!(Username::parse(bad).is_err(), "{bad}");
        }
        assert_eq!(Username::parse(" Ada_1 ").expect("plain").as_str(), "Ada_1");
    }
}
