//! Collects every mistake of one attribute, so that one build shows them all, each on its own token.
//! Knows nothing about attributes or functions.

use proc_macro2::{Span, TokenStream};
use std::fmt::Display;
use syn::Error;

/// The mistakes found so far. Must end in [`finish`](Diagnostics::finish).
pub(crate) struct Diagnostics {
    mistakes: Option<Error>,
    read: bool,
}

impl Diagnostics {
    pub(crate) fn new() -> Self {
        Self {
            mistakes: None,
            read: false,
        }
    }

    /// Reports `text` on the token at `span`.
    pub(crate) fn at(&mut self, span: Span, text: impl Display) {
        self.push(Error::new(span, text));
    }

    /// Reports what a parser of `syn` said.
    pub(crate) fn push(&mut self, mistake: Error) {
        match &mut self.mistakes {
            Some(mistakes) => mistakes.combine(mistake),
            None => self.mistakes = Some(mistake),
        }
    }

    /// One `compile_error!` per mistake, or `None` when there was none.
    pub(crate) fn finish(mut self) -> Option<TokenStream> {
        self.read = true;
        self.mistakes
            .take()
            .map(|mistakes| mistakes.to_compile_error())
    }

    /// All of them as one, for a parser that gives them on.
    pub(crate) fn into_error(mut self) -> Option<Error> {
        self.read = true;
        self.mistakes.take()
    }

    /// What was said, for tests.
    #[cfg(test)]
    pub(crate) fn texts(mut self) -> Vec<String> {
        self.read = true;
        self.mistakes
            .take()
            .into_iter()
            .flatten()
            .map(|mistake| mistake.to_string())
            .collect()
    }
}

impl Drop for Diagnostics {
    fn drop(&mut self) {
        // Asked only to keep a failing test from turning into an abort.
        if !self.read && !std::thread::panicking() {
            debug_assert!(self.read, "mistakes were collected and never reported");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mistake_is_reported_in_order() {
        let mut diagnostics = Diagnostics::new();
        diagnostics.at(Span::call_site(), "first");
        diagnostics.push(Error::new(Span::call_site(), "second"));
        assert_eq!(diagnostics.texts(), ["first", "second"]);
    }

    #[test]
    fn no_mistake_gives_no_tokens() {
        assert!(Diagnostics::new().finish().is_none());
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "never reported")]
    fn dropping_them_unread_alarms() {
        drop(Diagnostics::new());
    }
}
