//! The times of SillyTavern, which has written them in several ways over the years.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;
use time::{Date, Month, OffsetDateTime, Time, format_description::well_known::Rfc3339};

/// `2024-1-5 @13h 30m 5s 123ms`
static AT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(\d{4})-(\d{1,2})-(\d{1,2}) ?@(\d{1,2})h ?(\d{1,2})m ?(\d{1,2})s")
        .expect("a pattern of this file")
});
/// `January 5, 2024 1:30pm`
static LONG: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^([a-z]+) (\d{1,2}), (\d{4}) (\d{1,2}):(\d{2}) ?([ap])m")
        .expect("a pattern of this file")
});

/// A time, if it is one that we know to read.
pub fn read(value: &Value) -> Option<OffsetDateTime> {
    let at = match value {
        Value::Number(number) => milliseconds(number.as_i64()?),
        Value::String(text) => text_of(text.trim()),
        _ => None,
    }?;
    // PostgreSQL and people both know these years.
    (1970..=2200).contains(&at.year()).then_some(at)
}

fn milliseconds(since_1970: i64) -> Option<OffsetDateTime> {
    OffsetDateTime::from_unix_timestamp_nanos(i128::from(since_1970) * 1_000_000).ok()
}

fn text_of(text: &str) -> Option<OffsetDateTime> {
    if let Ok(at) = OffsetDateTime::parse(text, &Rfc3339) {
        return Some(at.to_offset(time::UtcOffset::UTC));
    }
    if let Ok(number) = text.parse() {
        return milliseconds(number);
    }
    if let Some(found) = AT.captures(text) {
        let part = |at: usize| found[at].parse::<u8>().ok();
        return time(found[1].parse().ok()?, part(2)?, part(3)?, part(4)?, part(5)?, part(6)?);
    }
    let found = LONG.captures(text)?;
    let part = |at: usize| found[at].parse::<u8>().ok();
    let month = month(&found[1])?;
    let hour = part(4)? % 12 + if found[6].eq_ignore_ascii_case("p") { 12 } else { 0 };
    time(found[3].parse().ok()?, month, part(2)?, hour, part(5)?, 0)
}

fn month(name: &str) -> Option<u8> {
    (1..=12).find(|month| Month::try_from(*month).is_ok_and(|m| m.to_string().eq_ignore_ascii_case(name)))
}

fn time(year: i32, month: u8, day: u8, hour: u8, minute: u8, second: u8) -> Option<OffsetDateTime> {
    let date = Date::from_calendar_date(year, Month::try_from(month).ok()?, day).ok()?;
    Some(date.with_time(Time::from_hms(hour, minute, second).ok()?).assume_utc())
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use time::macros::datetime;

    use super::read;

    #[test]
    fn every_way_of_writing_a_time_is_read() {
        let expected = Some(datetime!(2024-01-05 13:30:05 UTC));
        assert_eq!(read(&json!("2024-1-5 @13h 30m 5s 123ms")), expected);
        assert_eq!(read(&json!("2024-01-05@13h30m05s")), expected);
        assert_eq!(read(&json!("2024-01-05T14:30:05+01:00")), expected);
        assert_eq!(read(&json!(1_704_461_405_000_i64)), expected);
        assert_eq!(read(&json!("1704461405000")), expected);
        assert_eq!(read(&json!("January 5, 2024 1:30pm")), Some(datetime!(2024-01-05 13:30 UTC)));
        assert_eq!(read(&json!("august 23, 2023 12:16AM")), Some(datetime!(2023-08-23 00:16 UTC)));
        for nonsense in [json!("yesterday"), json!("Juni 5, 2024 1:30pm"), json!(i64::MAX), json!(null)] {
            assert_eq!(read(&nonsense), None, "{nonsense}");
        }
    }
}
