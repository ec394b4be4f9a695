//! Who said what the last error of this thread is: its type, or its text, which a caller may have written.

use std::cell::Cell;

thread_local! {
    static BY_TEXT: Cell<bool> = const { Cell::new(false) };
}

/// A text says it.
pub(crate) fn text() {
    BY_TEXT.set(true);
}

/// A type is asked, which may ask a text.
pub(crate) fn of_type<R>(ask: impl FnOnce() -> R) -> R {
    BY_TEXT.set(false);
    ask()
}

/// Whether a text has said it.
#[cfg(feature = "metrics")]
pub(crate) fn is_text() -> bool {
    BY_TEXT.get()
}
