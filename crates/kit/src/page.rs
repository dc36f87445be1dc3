//! Pages of lists, counted from 1.

use proto::common::v1::{PageInfo, PageRequest};

use crate::error::{Failure, Violations};

/// Rows of a page when the caller does not say.
pub const DEFAULT_LIMIT: u32 = 20;
/// Most rows of a page.
pub const MAX_LIMIT: u32 = 100;
/// Highest page that can be asked for.
pub const MAX_PAGE: u32 = 1_000_000;

/// A page that was checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    pub page: u32,
    pub limit: u32,
}

impl Page {
    /// An absent request, or a zero, is the default.
    ///
    /// # Errors
    /// `invalid` with the fields `page` or `limit`.
    pub fn from_proto(request: Option<&PageRequest>) -> Result<Self, Failure> {
        let (page, limit) = request.map_or((0, 0), |r| (r.page, r.limit));
        let page = if page == 0 { 1 } else { page };
        let limit = if limit == 0 { DEFAULT_LIMIT } else { limit };
        let mut v = Violations::new();
        v.check(page <= MAX_PAGE, "page", format!("Between 1 and {MAX_PAGE}."));
        v.check(limit <= MAX_LIMIT, "limit", format!("Between 1 and {MAX_LIMIT}."));
        v.done()?;
        Ok(Self { page, limit })
    }

    /// Rows before this page.
    #[must_use]
    pub fn offset(self) -> u64 {
        u64::from(self.page - 1) * u64::from(self.limit)
    }

    /// Where this page stands in a list of `total` rows.
    #[must_use]
    pub fn info(self, total: u64) -> PageInfo {
        let pages = total.div_ceil(u64::from(self.limit));
        PageInfo {
            page: self.page,
            total_pages: u32::try_from(pages).unwrap_or(u32::MAX),
            total,
            has_more: u64::from(self.page) < pages,
            total_capped: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_list_has_no_pages_and_no_more() {
        let info = Page { page: 1, limit: 20 }.info(0);
        assert_eq!((info.total_pages, info.has_more), (0, false));
    }

    #[test]
    fn the_last_page_has_no_more() {
        assert!(Page { page: 2, limit: 20 }.info(41).has_more);
        assert!(!Page { page: 3, limit: 20 }.info(41).has_more);
    }

    #[test]
    fn limits_are_told() {
        let asked = PageRequest { page: 1, limit: 101 };
        assert_eq!(Page::from_proto(Some(&asked)).expect_err("too many").fields[0].0, "limit");
    }
}
