//! The contracts between the rooms of the house, generated from `proto/troupe/**/*.proto`.

#![allow(clippy::all, clippy::pedantic, missing_docs, reason = "generated code")]

/// Descriptor set of every contract, for gRPC reflection.
pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.bin"));

/// Paths of all methods, sorted.
pub const METHODS: &[&str] = include!(concat!(env!("OUT_DIR"), "/methods.rs"));

/// Paths of the methods that may be called twice with the effect of once, sorted.
pub const REPEATABLE: &[&str] = include!(concat!(env!("OUT_DIR"), "/repeatable.rs"));

/// Paths of the methods that change nothing, sorted.
pub const READ_ONLY: &[&str] = include!(concat!(env!("OUT_DIR"), "/read_only.rs"));

pub mod queues;

macro_rules! package {
    ($room:ident) => {
        pub mod $room {
            pub mod v1 {
                include!(concat!(env!("OUT_DIR"), "/troupe.", stringify!($room), ".v1.rs"));
            }
        }
    };
}

package!(common);
package!(auth);
package!(catalog);
package!(chat);
package!(media);
package!(billing);
package!(events);
