//! placeholder while the rest compiles
use std::time::Duration;
use futures::StreamExt as _;
use super::{Engine, Job, Piece, Pieces};
pub struct Improv { pace: Duration }
impl Improv { pub fn new(pace: Duration) -> Self { Self { pace } } }
impl Engine for Improv {
    fn name(&self) -> &str { "improv" }
    fn offline(&self) -> bool { true }
    fn write(&self, _job: Job) -> Pieces { let _ = self.pace; futures::stream::iter([Ok(Piece::Text("Hm.".into()))]).boxed() }
}
