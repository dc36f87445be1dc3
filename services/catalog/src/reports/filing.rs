//! What somebody files, checked.

use kit::{
    error::{Failure, Violations},
    text,
};
use proto::catalog::v1::FileReportRequest;

use super::{Kind, Subject};
use crate::limits;

/// The reasons of the form.
const REASONS: [&str; 8] =
    ["minor", "hate", "illegal", "privacy", "impersonation", "copyright", "spam", "other"];
/// What it is about when a picture was sent and nothing else was said.
const SENT: &str = "the picture that was sent";
/// Characters of a SHA-256 in hex, and of the name of an asset.
const HASH: usize = 64;
const ASSET: usize = 32;

pub struct Filing {
    pub kind: Kind,
    pub subject: Subject,
    pub subject_id: String,
    pub reason: String,
    pub text: String,
    pub name: String,
    pub email: String,
    pub sworn: bool,
    pub hashes: Vec<String>,
    pub assets: Vec<String>,
    /// Those of them that are the picture that was sent.
    pub found: Vec<String>,
}

impl Filing {
    /// # Errors
    /// `invalid`, with all fields that are wrong.
    pub fn new(ask: FileReportRequest, visitor: bool) -> Result<Self, Failure> {
        let mut v = Violations::new();
        let kind = Kind::asked(ask.kind());
        v.check(kind.is_some(), "kind", "Choose what this is.");
        let sent = kind == Some(Kind::IntimateImage) && !ask.hashes.is_empty();
        let unsaid = sent && ask.assets.is_empty() && ask.subject_id.trim().is_empty();
        let subject = if unsaid { Some(Subject::Other) } else { Subject::asked(ask.subject_kind()) };
        v.check(subject.is_some(), "subjectKind", "Choose what this is about.");
        let kind = kind.unwrap_or(Kind::Report);
        let subject = subject.unwrap_or(Subject::Other);

        let told = if unsaid { SENT } else { &ask.subject_id };
        let subject_id = cleaned(&mut v, "subjectId", told, limits::SUBJECT_MAX);
        v.check(!subject_id.is_empty(), "subjectId", "Say what this is about.");
        v.check(subject != Subject::Image || hex(&subject_id, ASSET), "subjectId", "Not a picture of ours.");
        v.check(REASONS.contains(&ask.reason.as_str()), "reason", "Choose a reason.");
        let text = cleaned(&mut v, "text", &ask.text, limits::REPORT_TEXT_MAX);
        let least = limits::REPORT_TEXT_MIN;
        v.check(text.chars().count() >= least, "text", format!("At least {least} characters."));

        let needed = visitor || kind != Kind::Report;
        let name = cleaned(&mut v, "name", &ask.name, limits::REPORTER_NAME_MAX);
        v.check(!name.contains(['\n', '\t']), "name", "One line.");
        v.check(!needed || !name.is_empty(), "name", "Your name is needed.");
        let email = cleaned(&mut v, "email", &ask.email, limits::REPORTER_EMAIL_MAX);
        v.check(!needed || !email.is_empty(), "email", "Your e-mail is needed.");
        v.check(email.is_empty() || is_email(&email), "email", "Not an e-mail address.");
        v.check(!kind.needs_oath() || ask.sworn, "sworn", "This must be confirmed under penalty of perjury.");

        v.check(ask.hashes.len() <= limits::REPORT_HASHES_MAX, "hashes", "Too many.");
        v.check(ask.hashes.iter().all(|h| hex(h, HASH)), "hashes", "Not a hash.");
        v.check(ask.assets.len() <= limits::REPORT_ASSETS_MAX, "assets", "Too many.");
        v.check(ask.assets.iter().all(|a| hex(a, ASSET)), "assets", "Not a picture of ours.");
        v.done()?;
        // Hashes take pictures away and forbid them, so only the form that is meant for it brings any.
        let (hashes, mut assets) = match kind {
            Kind::IntimateImage => (ask.hashes, ask.assets),
            _ => (Vec::new(), Vec::new()),
        };
        assets.sort_unstable();
        assets.dedup();
        let found = if hashes.is_empty() { Vec::new() } else { assets.clone() };
        if subject == Subject::Image && !assets.contains(&subject_id) {
            assets.push(subject_id.clone());
        }
        Ok(Self {
            kind,
            subject,
            subject_id,
            reason: ask.reason,
            text,
            name,
            email,
            sworn: ask.sworn,
            hashes,
            assets,
            found,
        })
    }
}

fn cleaned(v: &mut Violations, field: &str, given: &str, max: usize) -> String {
    text::clean(given, max).unwrap_or_else(|error| {
        v.add(field, error.to_string());
        // Whatever else is asked of the field has been answered.
        "?".repeat(limits::REPORT_TEXT_MIN)
    })
}

/// Lower case, as hashes and names of assets are written.
fn hex(text: &str, chars: usize) -> bool {
    text.len() == chars && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

/// Good enough to be written to: what is behind it shows when the mail arrives.
fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else { return false };
    (1..=64).contains(&local.len())
        && !text.contains(|c: char| c.is_whitespace() || c.is_control() || "<>()[],;:\\\"".contains(c))
        && domain.split('.').count() >= 2
        && domain.split('.').all(|label| !label.is_empty() && !label.contains('@'))
}
