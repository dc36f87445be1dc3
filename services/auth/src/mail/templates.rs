//! What other services ask to be written.

use std::collections::HashMap;

use super::{Letter, letter::indented};
use crate::config::Mail;

/// Parameters of a mail; those that were not given are empty.
struct Params<'a>(&'a HashMap<String, String>);

impl Params<'_> {
    fn get(&self, key: &str) -> &str {
        self.0.get(key).map(|value| value.trim()).unwrap_or_default()
    }

    fn or<'s>(&'s self, key: &str, default: &'s str) -> &'s str {
        match self.get(key) {
            "" => default,
            value => value,
        }
    }

    /// Lines of what is there: `Number: TR-1`.
    fn lines(&self, labels: &[(&str, &str)]) -> String {
        let there = labels.iter().filter(|(_, key)| !self.get(key).is_empty());
        there.map(|(label, key)| format!("{label}: {}", self.get(key))).collect::<Vec<_>>().join("\n")
    }

    /// What was decided, in a sentence.
    fn decision(&self) -> String {
        match self.get("decision") {
            "none" => "Our decision: nothing is changed.",
            "limit" => "Our decision: it is shown to fewer people.",
            "quarantine" => "Our decision: it is withheld until it has been looked into.",
            "remove" => "Our decision: it is removed.",
            "restore" => "Our decision: it is back, or stays.",
            "suspend" => "Our decision: the account is suspended.",
            "granted" => "The appeal is granted: the decision is taken back.",
            "denied" => "The appeal is denied: the decision stands.",
            "" => "",
            other => return format!("Our decision: {other}."),
        }
        .to_owned()
    }

    /// A text of somebody's, set off under a heading.
    fn quoted(&self, heading: &str, key: &str) -> String {
        match self.get(key) {
            "" => String::new(),
            text => format!("{heading}\n\n{}", indented(text)),
        }
    }
}

impl Letter {
    /// A mail that another service asks for; `None` when the template is not known. What `text` says goes
    /// before our own words.
    pub fn from_template(template: &str, params: &HashMap<String, String>, config: &Mail) -> Option<Self> {
        let p = Params(params);
        let brand = &config.brand_name;
        let account = format!("{}/account", config.public_url);
        let (subject, paragraphs) = match template {
            "receipt" => (
                format!("Your {brand} receipt"),
                vec![
                    format!("Thank you. You are now on {} ({}).", p.get("plan"), p.get("period")),
                    p.lines(&[("Paid", "amount"), ("Reference", "reference")]),
                    p.get("text").to_owned(),
                    format!("You can change or cancel your plan at {account}."),
                ],
            ),
            "withdrawal" => (
                format!("Your withdrawal from {brand}"),
                vec![
                    p.or("text", "We have received your withdrawal.").to_owned(),
                    p.lines(&[
                        ("Number", "number"),
                        ("Date", "date"),
                        ("Plan", "plan"),
                        ("Paid back", "amount"),
                        ("At the latest", "due"),
                    ]),
                    "This mail is your receipt; please keep it.".to_owned(),
                ],
            ),
            "payment_failed" => (
                format!("A payment to {brand} did not go through"),
                vec![
                    p.or("text", "Your payment did not go through. Nothing was taken.").to_owned(),
                    p.lines(&[("Plan", "plan"), ("Amount", "amount"), ("Please pay by", "due")]),
                    format!("You can change how you pay at {account}."),
                ],
            ),
            "subscription_canceled" => (
                format!("Your {brand} plan is canceled"),
                vec![
                    p.or("text", "Your plan is canceled. You keep it for the time that is paid; nothing more is taken.")
                        .to_owned(),
                    p.lines(&[("Plan", "plan"), ("Until", "due")]),
                    format!("If you change your mind: {account}."),
                ],
            ),
            "notice" => (p.or("subject", brand).to_owned(), vec![p.get("text").to_owned()]),
            _ => return Self::of_moderation(template, &p, config),
        };
        Some(Self::new(subject, &paragraphs, config))
    }

    /// The same for what is said about reports.
    fn of_moderation(template: &str, p: &Params<'_>, config: &Mail) -> Option<Self> {
        let number = p.get("number");
        let about = p.lines(&[("Number", "number"), ("About", "subject")]);
        let (subject, paragraphs) = match template {
            "report_received" => (
                format!("We have your report {number}"),
                vec![
                    "Thank you. We have received your report and will look at it.".to_owned(),
                    p.lines(&[("Number", "number"), ("About", "subject"), ("Decided by", "due")]),
                    p.quoted("You wrote:", "text"),
                ],
            ),
            "report_decided" => (
                format!("Your report {number} is decided"),
                vec![
                    "We have looked at your report.".to_owned(),
                    about,
                    p.decision(),
                    p.quoted("Our reasons:", "reasons"),
                    p.get("text").to_owned(),
                    p.get("appeal").to_owned(),
                ],
            ),
            "statement_of_reasons" => (
                format!("A decision about {}", p.or("subject", "what you published")),
                vec![
                    "We have decided about something of yours.".to_owned(),
                    about,
                    p.decision(),
                    p.lines(&[("Ground", "reason")]),
                    p.quoted("Our reasons:", "reasons"),
                    p.get("text").to_owned(),
                    p.or("appeal", "You may appeal once; somebody else than before will decide.").to_owned(),
                    p.lines(&[("Last day for it", "due")]),
                ],
            ),
            "appeal_decided" => (
                format!("The appeal {number} is decided"),
                vec![
                    "Somebody has looked at the decision again.".to_owned(),
                    about,
                    p.decision(),
                    p.quoted("The reasons:", "reasons"),
                    p.get("text").to_owned(),
                ],
            ),
            _ => return None,
        };
        Some(Self::new(subject, &paragraphs, config))
    }
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
    fn a_statement_of_reasons_says_what_why_and_how_to_appeal() {
        let params = [
            ("number", "TD-1"),
            ("subject", "the character Marlow"),
            ("decision", "remove"),
            ("reasons", "It is a copy."),
            ("appeal", "Write to us."),
        ];
        let params = params.map(|(k, v)| (k.to_owned(), v.to_owned())).into();
        let letter = Letter::from_template("statement_of_reasons", &params, &config()).expect("known");
        assert_eq!(letter.subject, "A decision about the character Marlow");
        for said in ["TD-1", "it is removed", "    It is a copy.", "Write to us."] {
            assert!(letter.body.contains(said), "{said} in {}", letter.body);
        }
    }

    #[test]
    fn a_subject_is_one_line() {
        let params = HashMap::from([("subject".to_owned(), "One\r\nBcc: two".to_owned())]);
        let letter = Letter::from_template("notice", &params, &config()).expect("known");
        assert_eq!(letter.subject, "One Bcc: two");
    }
}
