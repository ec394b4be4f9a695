//! Kinds of tokens.

/// What tokens are to a request: the label `token_type`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TokenKind {
    /// The prompt, cached or not.
    Input,
    /// The answer.
    Output,
    /// The part of the prompt that a cache had.
    CachedInput,
}

impl TokenKind {
    /// Every kind, at its [`index`](TokenKind::index).
    pub(crate) const ALL: [TokenKind; 3] =
        [TokenKind::Input, TokenKind::Output, TokenKind::CachedInput];

    pub(crate) const fn index(self) -> usize {
        match self {
            TokenKind::Input => 0,
            TokenKind::Output => 1,
            TokenKind::CachedInput => 2,
        }
    }

    /// The value of the label `token_type`.
    pub const fn as_str(self) -> &'static str {
        match self {
            TokenKind::Input => "input",
            TokenKind::Output => "output",
            TokenKind::CachedInput => "cached_input",
        }
    }
}
