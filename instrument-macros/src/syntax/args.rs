//! `"literal"`, `key`, `key = value` and `key(…)`, separated by commas, each into a slot that takes one value.
//! Knows no key by name.

use crate::diag::Diagnostics;
use crate::syntax::{separator, spelling};
use proc_macro2::{Span, TokenStream};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Error, Ident, Lit, Result, Token};

/// The keys of one attribute.
pub(crate) trait Keys {
    /// Every key, in the order in which messages list them.
    const KNOWN: &'static [&'static str];

    /// Takes the value of a key of [`KNOWN`](Keys::KNOWN).
    fn key(
        &mut self,
        key: &Ident,
        input: ParseStream<'_>,
        diagnostics: &mut Diagnostics,
    ) -> Result<()>;

    /// Takes a literal without a key.
    fn literal(&mut self, literal: &Lit, first: bool, diagnostics: &mut Diagnostics);

    /// A better answer to an unknown word than the list of keys.
    fn unknown(&mut self, _word: &str, _first: bool, _follows: Follows) -> Option<String> {
        None
    }

    /// A better answer than the list of keys to what is neither a word nor a literal.
    fn no_key(&mut self, _first: bool) -> Option<String> {
        None
    }
}

/// What stands behind a word: it tells a key from an expression.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Follows {
    /// A comma, or nothing.
    Nothing,
    /// `=`, `(…)` or another bracket: it was meant to be a key.
    Value,
    /// `::`, `!`, `.`: it was meant to be an expression.
    Expression,
}

impl Follows {
    fn of(input: ParseStream<'_>) -> Self {
        if input.is_empty() || input.peek(Token![,]) {
            Self::Nothing
        } else if input.peek(Token![::]) || input.peek(Token![!]) || input.peek(Token![.]) {
            Self::Expression
        } else {
            Self::Value
        }
    }
}

/// Reads all entries; a mistake in one does not hide those in the next.
pub(crate) fn read<K: Keys>(tokens: TokenStream, keys: &mut K, diagnostics: &mut Diagnostics) {
    let entries = |input: ParseStream<'_>| {
        let mut first = true;
        while !input.is_empty() {
            if let Err(mistake) = entry(input, first, keys, diagnostics) {
                diagnostics.push(mistake);
                separator::skip(input);
            }
            first = false;
            separator::comma(input, "the end of the attribute", diagnostics);
        }
        Ok(())
    };
    if let Err(mistake) = entries.parse2(tokens) {
        diagnostics.push(mistake);
    }
}

fn entry<K: Keys>(
    input: ParseStream<'_>,
    first: bool,
    keys: &mut K,
    diagnostics: &mut Diagnostics,
) -> Result<()> {
    // `true` and `false` are literals to `syn`, words to a reader.
    if input.peek(Lit) && !input.peek(syn::LitBool) {
        let literal: Lit = input.parse()?;
        if let (Lit::Str(key), true) = (&literal, input.peek(Token![=])) {
            return Err(Error::new(
                key.span(),
                format!("a key is a bare word: `{} = …`", key.value()),
            ));
        }
        keys.literal(&literal, first, diagnostics);
        return Ok(());
    }
    let Ok(key) = input.call(Ident::parse_any) else {
        let text = keys
            .no_key(first)
            .unwrap_or_else(|| format!("expected a key: {}", spelling::list(K::KNOWN)));
        return Err(input.error(text));
    };
    let word = key.to_string();
    if !K::KNOWN.contains(&word.as_str()) {
        let follows = Follows::of(input);
        let answer = keys
            .unknown(&word, first, follows)
            .unwrap_or_else(|| unknown(&word, K::KNOWN));
        return Err(Error::new(key.span(), answer));
    }
    // At its end a stream has no token to point at, only the whole attribute: point at the key.
    keys.key(&key, input, diagnostics).map_err(|mistake| {
        match mistake
            .to_string()
            .strip_prefix("unexpected end of input, ")
        {
            Some(expected) => {
                Error::new(key.span(), format!("`{key}` is not complete: {expected}"))
            }
            None => mistake,
        }
    })
}

fn unknown(word: &str, known: &[&str]) -> String {
    match spelling::nearest(word, known) {
        Some(near) => format!("unknown key `{word}`: did you mean `{near}`?"),
        None => match known {
            [only] => format!("unknown key `{word}`: the only one here is `{only}`"),
            known => format!(
                "unknown key `{word}`: expected one of {}",
                spelling::list(known)
            ),
        },
    }
}

/// A slot for one value; a second one is a mistake.
pub(crate) struct Once<T> {
    key: Option<Span>,
    value: Option<T>,
}

impl<T> Default for Once<T> {
    fn default() -> Self {
        Self {
            key: None,
            value: None,
        }
    }
}

impl<T> Once<T> {
    /// Reads what follows `key`. The slot is taken before its value is read: a broken value does not hide a second key.
    pub(crate) fn entry(
        &mut self,
        key: &Ident,
        diagnostics: &mut Diagnostics,
        parse: impl FnOnce(&mut Diagnostics) -> Result<T>,
    ) -> Result<()> {
        let first = self.key.is_none();
        if first {
            self.key = Some(key.span());
        } else {
            diagnostics.at(key.span(), format!("`{key}` is given twice"));
        }
        let value = parse(diagnostics)?;
        if first {
            self.value = Some(value);
        }
        Ok(())
    }

    /// Reads `= VALUE`. `example` is what a right entry looks like.
    pub(crate) fn value(
        &mut self,
        key: &Ident,
        example: &str,
        input: ParseStream<'_>,
        diagnostics: &mut Diagnostics,
        parse: impl FnOnce(ParseStream<'_>) -> Result<T>,
    ) -> Result<()> {
        self.entry(key, diagnostics, |_| {
            let missing = || Error::new(key.span(), format!("`{key}` takes a value: `{example}`"));
            if !separator::equals(input) {
                return Err(if input.is_empty() || input.peek(Token![,]) {
                    missing()
                } else {
                    input.error(format!(
                        "between a key and its value stands `=`: `{example}`"
                    ))
                });
            }
            if input.is_empty() || input.peek(Token![,]) {
                Err(missing())
            } else {
                parse(input)
            }
        })
    }

    /// Where its key stands, when it was given.
    pub(crate) fn key(&self) -> Option<Span> {
        self.key
    }

    pub(crate) fn peek(&self) -> Option<&T> {
        self.value.as_ref()
    }

    pub(crate) fn take(self) -> Option<T> {
        self.value
    }

    /// The value, the default where none was given, and `None` where one was given that can't be used.
    pub(crate) fn or_default(self) -> Option<T>
    where
        T: Default,
    {
        if self.key.is_some() {
            self.value
        } else {
            Some(T::default())
        }
    }
}

impl Once<()> {
    /// Reads a key that stands alone.
    pub(crate) fn flag(
        &mut self,
        key: &Ident,
        input: ParseStream<'_>,
        diagnostics: &mut Diagnostics,
    ) -> Result<()> {
        self.entry(key, diagnostics, |_| {
            if separator::ends(input) {
                Ok(())
            } else {
                Err(input.error(format!("`{key}` stands alone: it takes no value")))
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::LitStr;

    #[derive(Default)]
    struct Two {
        text: Once<String>,
        bare: Once<()>,
        literals: usize,
    }

    impl Keys for Two {
        const KNOWN: &'static [&'static str] = &["text", "bare"];

        fn key(
            &mut self,
            key: &Ident,
            input: ParseStream<'_>,
            diagnostics: &mut Diagnostics,
        ) -> Result<()> {
            match key.to_string().as_str() {
                "text" => self
                    .text
                    .value(key, "text = \"a\"", input, diagnostics, |input| {
                        Ok(input.parse::<LitStr>()?.value())
                    }),
                _ => self.bare.flag(key, input, diagnostics),
            }
        }

        fn literal(&mut self, _literal: &Lit, _first: bool, _diagnostics: &mut Diagnostics) {
            self.literals += 1;
        }
    }

    fn run(text: &str) -> (Two, Vec<String>) {
        let mut two = Two::default();
        let mut diagnostics = Diagnostics::new();
        read(
            text.parse().expect("test input is made of tokens"),
            &mut two,
            &mut diagnostics,
        );
        (two, diagnostics.texts())
    }

    #[test]
    fn values_land_in_their_slots() {
        let (two, mistakes) = run(r#""lit", text = "a", bare,"#);
        assert!(mistakes.is_empty(), "{mistakes:?}");
        assert_eq!(
            (two.literals, two.text.take().as_deref(), two.bare.take()),
            (1, Some("a"), Some(()))
        );
    }

    #[test]
    fn all_mistakes_are_found_in_one_go() {
        let (_, mistakes) = run(r#"txet = "a", bare = 1, text, bare "x", text = "b", +, bare"#);
        assert_eq!(
            mistakes,
            [
                "unknown key `txet`: did you mean `text`?",
                "`bare` stands alone: it takes no value",
                "`text` takes a value: `text = \"a\"`",
                "`bare` is given twice",
                "`bare` stands alone: it takes no value",
                "`text` is given twice",
                "expected a key: `text`, `bare`",
                "`bare` is given twice",
            ]
        );
    }

    #[test]
    fn the_end_of_the_attribute_is_no_place_to_point_at() {
        let (_, mistakes) = run("text = ");
        assert_eq!(mistakes, ["`text` takes a value: `text = \"a\"`"]);
    }
}
