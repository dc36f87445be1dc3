//! Identifiers: UUID, version 7 where we make them.

use uuid::Uuid;

use crate::error::Failure;

/// # Errors
/// `invalid`, naming the field, when the text is no UUID.
pub fn parse(field: &str, text: &str) -> Result<Uuid, Failure> {
    Uuid::try_parse(text).map_err(|_| Failure::invalid(field, "Not a valid id."))
}

/// An id in a path that names one thing: whatever is no UUID names nothing.
///
/// # Errors
/// `reason` as NOT_FOUND.
pub fn find(reason: &str, text: &str) -> Result<Uuid, Failure> {
    Uuid::try_parse(text).map_err(|_| Failure::not_found(reason))
}
