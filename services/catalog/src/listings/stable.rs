//! Pages stay what they were while one pages: the first rows of a signed-in viewer's list are kept at
//! page 1 and read for the pages after it. Without Redis pages come from the index as it is.

use kit::{page::Page, redis::Redis};
use uuid::Uuid;

use crate::limits;

pub struct Stable<'a> {
    redis: &'a Redis,
    key: String,
}

impl<'a> Stable<'a> {
    /// `list` tells one list of the viewer from another.
    pub fn new(redis: &'a Redis, viewer: Uuid, list: &[&[u8]]) -> Self {
        let digest = kit::idempotency::hash(list);
        let name: String = digest[..10].iter().map(|b| format!("{b:02x}")).collect();
        Self { redis, key: redis.key(format!("list:{viewer}:{name}")) }
    }

    /// Keeps the first rows, in order.
    pub async fn keep(&self, ords: &[i32]) {
        let bytes: Vec<u8> = ords.iter().flat_map(|o| o.to_le_bytes()).collect();
        let kept: Result<(), _> =
            self.redis.run(redis::cmd("SET").arg(&self.key).arg(bytes).arg("EX").arg(limits::STABLE_S)).await;
        if let Err(error) = kept {
            tracing::debug!(%error, "list not kept");
        }
    }

    /// The rows of a page, when all of it was kept.
    pub async fn page(&self, page: Page) -> Option<Vec<i32>> {
        let from = usize::try_from(page.offset()).ok()? * 4;
        let to = from + page.limit as usize * 4 - 1;
        if to >= limits::STABLE_ROWS * 4 {
            return None;
        }
        let bytes: Vec<u8> =
            self.redis.run(redis::cmd("GETRANGE").arg(&self.key).arg(from).arg(to)).await.ok()?;
        if bytes.is_empty() {
            return None;
        }
        let ords = bytes.chunks_exact(4).map(|c| i32::from_le_bytes([c[0], c[1], c[2], c[3]]));
        Some(ords.collect())
    }
}
