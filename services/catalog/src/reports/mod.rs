//! Reports, complaints, removal requests and copyright notices: filed, acknowledged, decided, appealed.

mod effects;
mod filing;
mod flow;
mod grpc;
mod held;
mod letters;
pub mod store;
pub mod sweep;

pub(crate) use self::{effects::rebase, held::remove_held};

use proto::catalog::v1::{Decision as PbDecision, ReportKind, ReportState, SubjectKind};
use time::{Duration, OffsetDateTime, Weekday};

use crate::limits;

/// Crockford's base 32: no letter that is read as another.
const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const RECEIPT: &str = "TR-";
const STATEMENT: &str = "TD-";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Report,
    Complaint,
    Removal,
    Dmca,
    CounterNotice,
    IntimateImage,
}

impl Kind {
    const ALL: [(Self, &str, ReportKind); 6] = [
        (Self::Report, "report", ReportKind::Report),
        (Self::Complaint, "complaint", ReportKind::Complaint),
        (Self::Removal, "removal", ReportKind::Removal),
        (Self::Dmca, "dmca", ReportKind::Dmca),
        (Self::CounterNotice, "counter_notice", ReportKind::CounterNotice),
        (Self::IntimateImage, "intimate_image", ReportKind::IntimateImage),
    ];

    fn asked(kind: ReportKind) -> Option<Self> {
        Self::ALL.iter().find(|k| k.2 == kind).map(|k| k.0)
    }

    fn read(text: &str) -> Self {
        Self::ALL.iter().find(|k| k.1 == text).map_or(Self::Report, |k| k.0)
    }

    const fn as_str(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    const fn told(self) -> ReportKind {
        Self::ALL[self as usize].2
    }

    /// Statements that are made under penalty of perjury.
    const fn needs_oath(self) -> bool {
        matches!(self, Self::Dmca | Self::CounterNotice)
    }

    /// Until when it is decided (specification, section 9).
    pub fn due(self, filed: OffsetDateTime) -> OffsetDateTime {
        match self {
            Self::Report | Self::Complaint | Self::Removal => {
                business_days(filed, limits::REPORT_BUSINESS_DAYS)
            }
            Self::Dmca => filed + Duration::days(limits::DMCA_DAYS),
            Self::CounterNotice => filed + Duration::days(limits::COUNTER_NOTICE_DAYS),
            Self::IntimateImage => filed + Duration::hours(limits::INTIMATE_IMAGE_HOURS),
        }
    }
}

/// The same time of day after so many days from Monday to Friday, in UTC.
pub fn business_days(from: OffsetDateTime, days: u32) -> OffsetDateTime {
    let mut at = from.to_offset(time::UtcOffset::UTC);
    let mut left = days;
    while left > 0 {
        at += Duration::DAY;
        if !matches!(at.weekday(), Weekday::Saturday | Weekday::Sunday) {
            left -= 1;
        }
    }
    at
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    Character,
    Review,
    User,
    Image,
    Other,
}

impl Subject {
    const ALL: [(Self, &str, SubjectKind); 5] = [
        (Self::Character, "character", SubjectKind::Character),
        (Self::Review, "review", SubjectKind::Review),
        (Self::User, "user", SubjectKind::User),
        (Self::Image, "image", SubjectKind::Image),
        (Self::Other, "other", SubjectKind::Other),
    ];

    fn asked(kind: SubjectKind) -> Option<Self> {
        Self::ALL.iter().find(|k| k.2 == kind).map(|k| k.0)
    }

    fn read(text: &str) -> Self {
        Self::ALL.iter().find(|k| k.1 == text).map_or(Self::Other, |k| k.0)
    }

    const fn as_str(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    const fn told(self) -> SubjectKind {
        Self::ALL[self as usize].2
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    None,
    Limit,
    Quarantine,
    Remove,
    Restore,
    Suspend,
}

impl Decision {
    const ALL: [(Self, &str, PbDecision); 6] = [
        (Self::None, "none", PbDecision::None),
        (Self::Limit, "limit", PbDecision::Limit),
        (Self::Quarantine, "quarantine", PbDecision::Quarantine),
        (Self::Remove, "remove", PbDecision::Remove),
        (Self::Restore, "restore", PbDecision::Restore),
        (Self::Suspend, "suspend", PbDecision::Suspend),
    ];

    fn asked(decision: PbDecision) -> Option<Self> {
        Self::ALL.iter().find(|k| k.2 == decision).map(|k| k.0)
    }

    fn read(text: &str) -> Option<Self> {
        Self::ALL.iter().find(|k| k.1 == text).map(|k| k.0)
    }

    const fn as_str(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    const fn told(self) -> PbDecision {
        Self::ALL[self as usize].2
    }

    /// Whether this can be done about such a subject; a picture may be known by its hashes alone.
    const fn fits(self, subject: Subject, has_pictures: bool, somebody: bool) -> bool {
        let picture = has_pictures || matches!(subject, Subject::Image);
        match self {
            Self::None => true,
            Self::Limit => matches!(subject, Subject::Character),
            Self::Quarantine | Self::Restore => matches!(subject, Subject::Character) || picture,
            Self::Remove => matches!(subject, Subject::Character | Subject::Review) || picture,
            Self::Suspend => somebody,
        }
    }
}

fn state(text: &str) -> ReportState {
    match text {
        "open" => ReportState::Open,
        "decided" => ReportState::Decided,
        "appealed" => ReportState::Appealed,
        _ => ReportState::Closed,
    }
}

const fn state_text(state: ReportState) -> Option<&'static str> {
    match state {
        ReportState::Unspecified => None,
        ReportState::Open => Some("open"),
        ReportState::Decided => Some("decided"),
        ReportState::Appealed => Some("appealed"),
        ReportState::Closed => Some("closed"),
    }
}

/// 80 random bits in letters that can be read out: whoever has the number may read, so none can be guessed.
fn number(prefix: &str) -> String {
    let mut bits = rand::random::<u128>();
    let mut text = String::from(prefix);
    for _ in 0..limits::NUMBER_CHARS {
        text.push(char::from(ALPHABET[(bits & 31) as usize]));
        bits >>= 5;
    }
    text
}

pub fn receipt() -> String {
    number(RECEIPT)
}

pub fn statement() -> String {
    number(STATEMENT)
}

/// A number as people type it: any case, with the letters that Crockford's alphabet leaves out.
fn typed(text: &str) -> Option<String> {
    let text = text.trim().to_ascii_uppercase();
    let (prefix, rest) = text.split_at_checked(RECEIPT.len())?;
    if prefix != RECEIPT && prefix != STATEMENT || rest.len() != limits::NUMBER_CHARS {
        return None;
    }
    let rest: String = rest
        .chars()
        .map(|c| match c {
            'O' => '0',
            'I' | 'L' => '1',
            c => c,
        })
        .collect();
    rest.bytes().all(|b| ALPHABET.contains(&b)).then(|| [prefix, rest.as_str()].concat())
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    #[test]
    fn due_dates_count_working_days_from_monday_to_friday() {
        let friday = datetime!(2026-11-20 15:00 UTC);
        assert_eq!(Kind::Report.due(friday), datetime!(2026-12-01 15:00 UTC));
        let sunday = datetime!(2026-11-22 09:00 UTC);
        assert_eq!(Kind::Removal.due(sunday), datetime!(2026-12-01 09:00 UTC));
        assert_eq!(Kind::Dmca.due(friday), datetime!(2026-11-23 15:00 UTC));
        assert_eq!(Kind::CounterNotice.due(friday), datetime!(2026-12-04 15:00 UTC));
        assert_eq!(Kind::IntimateImage.due(friday), datetime!(2026-11-22 15:00 UTC));
        // 01:00 on Monday in Tokyo is still Sunday in UTC.
        let tokyo = datetime!(2026-11-23 01:00 +9);
        assert_eq!(business_days(tokyo, 1), datetime!(2026-11-23 16:00 UTC));
    }

    #[test]
    fn numbers_are_read_as_people_type_them() {
        let made = receipt();
        assert_eq!(typed(&made).as_deref(), Some(made.as_str()));
        assert_eq!(typed(&format!("  {} ", made.to_lowercase())), Some(made));
        assert_eq!(typed("td-oil0000000000000").as_deref(), Some("TD-0110000000000000"));
        for wrong in ["", "TR-", "TR-123", "TX-0000000000000000", "TR-000000000000000U", "TR-00000000000000é"]
        {
            assert_eq!(typed(wrong), None, "{wrong}");
        }
        assert_ne!(receipt(), receipt());
    }

    #[test]
    fn the_tables_are_in_the_order_of_their_enums() {
        assert!(Kind::ALL.iter().all(|k| Kind::ALL[k.0 as usize].0 == k.0));
        assert!(Subject::ALL.iter().all(|k| Subject::ALL[k.0 as usize].0 == k.0));
        assert!(Decision::ALL.iter().all(|k| Decision::ALL[k.0 as usize].0 == k.0));
    }
}
