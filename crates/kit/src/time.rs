//! Times on the wire: UTC, as `google.protobuf.Timestamp`.

use time::OffsetDateTime;

#[must_use]
pub fn to_proto(at: OffsetDateTime) -> prost_types::Timestamp {
    prost_types::Timestamp { seconds: at.unix_timestamp(), nanos: at.nanosecond().cast_signed() }
}

/// `None` when the stamp is outside the calendar.
#[must_use]
pub fn from_proto(stamp: &prost_types::Timestamp) -> Option<OffsetDateTime> {
    let at = OffsetDateTime::from_unix_timestamp(stamp.seconds).ok()?;
    at.replace_nanosecond(u32::try_from(stamp.nanos).ok()?).ok()
}
