//! Pictures: uploads, portraits, the gallery.

pub mod engines;
