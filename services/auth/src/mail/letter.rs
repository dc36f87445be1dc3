//! What mails say.

use std::collections::HashMap;

use time::Date;

use crate::config::Mail;

/// What a mail says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Letter {
    pub subject: String,
    pub body: String,
}

impl Letter {
    fn new(subject: String, paragraphs: &[String], config: &Mail) -> Self {
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
            "It is good for 30 minutes. If you did not sign up, forget this mail: nothing happens without the code."
                .to_owned(),
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

    /// A mail that another service asks for; `None` when the template is not known. Parameters that were
    /// not given are empty, and so are the lines that would tell of them.
    pub fn from_template(template: &str, params: &HashMap<String, String>, config: &Mail) -> Option<Self> {
        let get = |key: &str| params.get(key).map(String::as_str).unwrap_or_default();
        let line = |label: &str, key: &str| match get(key) {
            "" => String::new(),
            value => format!("{label}: {value}\n"),
        };
        let brand = &config.brand_name;
        let account = format!("{}/account", config.public_url);
        let (subject, paragraphs) = match template {
            "receipt" => (
                format!("Your {brand} receipt"),
                vec![
                    format!("Thank you. You are now on {} ({}).", get("plan"), get("period")),
                    line("Paid", "amount") + &line("Reference", "reference"),
                    get("text").to_owned(),
                    format!("You can change or cancel your plan at {account}."),
                ],
            ),
            "withdrawal" => (
                format!("Your withdrawal from {brand}"),
                vec![
                    "We have received your withdrawal. This mail is your receipt; please keep it.".to_owned(),
                    line("Number", "number") + &line("Plan", "plan") + &line("Paid back", "amount") + &line("At the latest", "due"),
                    get("text").to_owned(),
                ],
            ),
            "payment_failed" => (
                format!("A payment to {brand} did not go through"),
                vec![
                    "Your payment did not go through. Nothing was taken.".to_owned(),
                    line("Plan", "plan") + &line("Amount", "amount") + &line("Tried again by", "due"),
                    get("text").to_owned(),
                    format!("You can change how you pay at {account}."),
                ],
            ),
            "subscription_canceled" => (
                format!("Your {brand} plan is canceled"),
                vec![
                    "Your plan is canceled. You keep it for the time that is paid, and nothing more is taken.".to_owned(),
                    line("Plan", "plan") + &line("Until", "due"),
                    get("text").to_owned(),
                    format!("If you change your mind: {account}."),
                ],
            ),
            _ => return Self::of_moderation(template, params, config),
        };
        Some(Self::new(subject, &paragraphs, config))
    }

    /// The same for what is said about reports, and for the template that says anything.
    fn of_moderation(template: &str, params: &HashMap<String, String>, config: &Mail) -> Option<Self> {
        let get = |key: &str| params.get(key).map(String::as_str).unwrap_or_default();
        let line = |label: &str, key: &str| match get(key) {
            "" => String::new(),
            value => format!("{label}: {value}\n"),
        };
        let number = get("number");
        let about = line("Number", "number") + &line("About", "subject");
        let (subject, paragraphs) = match template {
            "report_received" => (
                format!("We have your report {number}"),
                vec![
                    "Thank you. We have received your report and will look at it.".to_owned(),
                    about + &line("Decided by", "due"),
                    get("text").to_owned(),
                ],
            ),
            "report_decided" => (
                format!("Your report {number} is decided"),
                vec![
                    "We have looked at your report.".to_owned(),
                    about + &line("Decision", "decision"),
                    get("reasons").to_owned(),
                    get("text").to_owned(),
                ],
            ),
            "statement_of_reasons" => (
                format!(
                    "A decision about {}",
                    if get("subject").is_empty() { "what you published" } else { get("subject") }
                ),
                vec![
                    "We have decided about something that you published. These are our reasons.".to_owned(),
                    about + &line("Decision", "decision"),
                    get("reasons").to_owned(),
                    get("text").to_owned(),
                    "You can appeal once; somebody else than before will decide.".to_owned()
                        + &match get("due") {
                            "" => String::new(),
                            due => format!(" The last day for it is {due}."),
                        },
                ],
            ),
            "appeal_decided" => (
                format!("Your appeal {number} is decided"),
                vec![
                    "Somebody else than before has looked at your appeal.".to_owned(),
                    about + &line("Decision", "decision"),
                    get("reasons").to_owned(),
                    get("text").to_owned(),
                ],
            ),
            "notice" => (
                if get("subject").is_empty() { config.brand_name.clone() } else { get("subject").to_owned() },
                vec![get("text").to_owned()],
            ),
            _ => return None,
        };
        Some(Self::new(subject, &paragraphs, config))
    }
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config() -> Mail {
        Mail {
            public_url: "https://troupe.example".into(),
            smtp_url: None,
            mail_dir: None,
            mail_from: String::new(),
            brand_name: "Troupe".into(),
        }
    }

    #[test]
    fn every_template_can_do_without_its_parameters() {
        for template in [
            "receipt",
            "withdrawal",
            "payment_failed",
            "subscription_canceled",
            "report_received",
            "report_decided",
            "statement_of_reasons",
            "appeal_decided",
            "notice",
        ] {
            let letter = Letter::from_template(template, &HashMap::new(), &config()).expect(template);
            assert!(!letter.subject.trim().is_empty() && !letter.body.contains("\n\n\n"), "{letter:?}");
        }
        assert_eq!(Letter::from_template("odd", &HashMap::new(), &config()), None);
    }

    #[test]
    fn a_subject_is_one_line() {
        let params = HashMap::from([("subject".to_owned(), "One\r\nBcc: two".to_owned())]);
        let letter = Letter::from_template("notice", &params, &config()).expect("known");
        assert_eq!(letter.subject, "One Bcc: two");
    }
}
