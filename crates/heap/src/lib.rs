//! The allocator of every process: glibc's, by a shorter way where a small piece grows or begins empty.
//!
//! glibc keeps freed pieces of up to [`NEAR`] bytes at hand for each thread. `malloc` and `free` take and leave them
//! without a lock; `realloc` does not, nor `calloc` before glibc 2.41: they lock the heap and look through all that is
//! free. Most of what grows here is small (a header, a line of the log, a text of JSON), so it moves by `malloc` and
//! `free` instead. What that is worth stands in `docs/performance.md`, why it is ours in decision 36.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    ptr,
};

/// Bytes of the largest piece that is kept at hand (`glibc.malloc.tcache_max`, on 64 bits).
const NEAR: usize = 1_032;

#[global_allocator]
static HEAP: Heap = Heap;

/// The system's allocator, but for small pieces that change their size or begin empty.
struct Heap;

// SAFETY: Every piece is one of `System`, with the layout that the caller knows, and goes back to `System` with it. Nothing
// here panics.
#[expect(unsafe_code, reason = "an allocator has no other way to be one")]
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: The caller keeps to what `System` asks for, which is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, piece: *mut u8, layout: Layout) {
        // SAFETY: As above; `piece` is one of `System`.
        unsafe { System.dealloc(piece, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if layout.size() > NEAR {
            // SAFETY: As above. Large pieces may come from the kernel, which has emptied them.
            return unsafe { System.alloc_zeroed(layout) };
        }
        // SAFETY: As above.
        let piece = unsafe { System.alloc(layout) };
        if !piece.is_null() {
            // SAFETY: There are that many bytes, and nobody else knows of them yet.
            unsafe { piece.write_bytes(0, layout.size()) };
        }
        piece
    }

    unsafe fn realloc(&self, piece: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if layout.size().max(size) > NEAR {
            // SAFETY: As above. A large piece may grow where it is.
            return unsafe { System.realloc(piece, layout, size) };
        }
        // SAFETY: The caller holds that `size` is no more than `isize::MAX` when rounded up to the alignment.
        let other = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        // SAFETY: The caller holds that `size` is not zero.
        let moved = unsafe { System.alloc(other) };
        if !moved.is_null() {
            // SAFETY: Both have that many bytes, and the second is new.
            unsafe { ptr::copy_nonoverlapping(piece, moved, layout.size().min(size)) };
            // SAFETY: As in `dealloc`; where there was no room, the caller keeps its piece.
            unsafe { System.dealloc(piece, layout) };
        }
        moved
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Sizes on both sides of what is kept at hand.
    fn sizes() -> impl Strategy<Value = Vec<usize>> {
        proptest::collection::vec(prop_oneof![1..64usize, 1..2 * NEAR, NEAR - 1..NEAR + 2], 1..20)
    }

    proptest! {
        /// A piece holds what was written to it, however often it grows and shrinks, and stands where it was asked to.
        #[test]
        #[expect(unsafe_code, reason = "it is asked as the language asks it")]
        fn what_grows_and_shrinks_keeps_what_it_holds(sizes in sizes(), align in 0..8u32) {
            let layout = |size| Layout::from_size_align(size, 1 << align).expect("a small layout");
            let mut held = vec![0u8; sizes[0]];
            // SAFETY: No size is zero.
            let mut piece = unsafe { HEAP.alloc_zeroed(layout(held.len())) };
            for (turn, size) in sizes.iter().copied().enumerate() {
                // SAFETY: It has the layout that it was given last, and the new size is not zero.
                piece = unsafe { HEAP.realloc(piece, layout(held.len()), size) };
                prop_assert!(!piece.is_null());
                prop_assert_eq!(piece.align_offset(1 << align), 0);
                let kept = held.len().min(size);
                // SAFETY: It is that long, and nobody else writes to it; what is new in it is written before it is read.
                let there = unsafe {
                    piece.add(kept).write_bytes(turn as u8, size - kept);
                    std::slice::from_raw_parts(piece, size)
                };
                held.resize(size, turn as u8);
                prop_assert_eq!(there, &held[..]);
            }
            // SAFETY: As above.
            unsafe { HEAP.dealloc(piece, layout(held.len())) };
        }
    }

    #[test]
    #[expect(unsafe_code, reason = "it is asked as the language asks it")]
    fn what_begins_empty_is_empty_after_others_have_used_it() {
        for size in [1, 16, 100, NEAR, NEAR + 1, 100_000] {
            let layout = Layout::from_size_align(size, 8).expect("a small layout");
            for _ in 0..200 {
                // SAFETY: The size is not zero.
                let piece = unsafe { HEAP.alloc_zeroed(layout) };
                // SAFETY: It is that long and was emptied.
                let there = unsafe { std::slice::from_raw_parts_mut(piece, size) };
                assert!(there.iter().all(|byte| *byte == 0), "{size}");
                there.fill(255);
                // SAFETY: It has that layout.
                unsafe { HEAP.dealloc(piece, layout) };
            }
        }
    }
}
