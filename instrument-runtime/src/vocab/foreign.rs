//! Somebody else's code, which may panic.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// It has panicked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Panicked;

/// Runs it, and keeps its panic from whoever called.
pub(crate) fn contained<R>(code: impl FnOnce() -> R) -> Result<R, Panicked> {
    catch_unwind(AssertUnwindSafe(code)).map_err(|thrown| {
        // what was thrown may throw again when it is dropped; who does so once more is not dropped
        if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(thrown))) {
            std::mem::forget(again);
        }
        Panicked
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::panic_any;

    #[test]
    fn what_is_thrown_may_throw_again() {
        struct Again(u8);
        impl Drop for Again {
            fn drop(&mut self) {
                if self.0 > 0 {
                    panic_any(Again(self.0 - 1));
                }
            }
        }
        assert_eq!(contained(|| 7), Ok(7));
        for times in 0..4 {
            assert_eq!(
                contained(|| panic_any(Again(times))),
                Err::<(), _>(Panicked)
            );
        }
    }
}
