//! What stands between words: `=` between a key and its value, `,` between entries. Each wrong one is told once, and
//! reading goes on behind it.

use crate::diag::Diagnostics;
use proc_macro2::TokenTree;
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Ident, LitBool, Token};

/// Reads one `=`; `==` and `=>` begin with one too, and are none.
pub(crate) fn equals(input: ParseStream<'_>) -> bool {
    let alone = !input.peek(Token![==]) && !input.peek(Token![=>]);
    alone && input.parse::<Token![=]>().is_ok()
}

/// Whether an entry ends here, be it without the comma: the next word is an entry of its own.
pub(crate) fn ends(input: ParseStream<'_>) -> bool {
    input.is_empty()
        || input.peek(Token![,])
        || input.peek(Token![;])
        || (input.peek(Ident::peek_any) && !input.peek(LitBool))
}

/// Reads the comma behind an entry, or says that it is missing. `end` is what may stand there instead.
pub(crate) fn comma(input: ParseStream<'_>, end: &str, diagnostics: &mut Diagnostics) {
    if input.is_empty() {
        return;
    }
    if input.parse::<Token![,]>().is_err() {
        diagnostics.at(input.span(), format!("expected `,` or {end}"));
        // What follows a `;` or nothing at all is an entry of its own; what follows anything else may be anything.
        if input.parse::<Token![;]>().is_err() {
            skip(input);
            let _ = input.parse::<Token![,]>();
        }
        return;
    }
    while input.peek(Token![,]) {
        diagnostics.at(input.span(), "one comma too many");
        let _ = input.parse::<Token![,]>();
    }
}

/// To the next comma.
pub(crate) fn skip(input: ParseStream<'_>) {
    while !input.is_empty() && !input.peek(Token![,]) && input.parse::<TokenTree>().is_ok() {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse::Parser;

    fn words(text: &str) -> (Vec<String>, Vec<String>) {
        let mut diagnostics = Diagnostics::new();
        let mut words = Vec::new();
        let read = |input: ParseStream<'_>| {
            while !input.is_empty() {
                words.push(input.parse::<Ident>()?.to_string());
                comma(input, "the end", &mut diagnostics);
            }
            Ok(())
        };
        let text = text.parse().expect("test input is made of tokens");
        read.parse2(text).expect("test input is made of words");
        (words, diagnostics.texts())
    }

    #[test]
    fn a_wrong_comma_is_told_once_and_reading_goes_on() {
        for (text, read, mistakes) in [
            ("a, b,", &["a", "b"][..], &[][..]),
            ("a,, b", &["a", "b"], &["one comma too many"]),
            ("a; b", &["a", "b"], &["expected `,` or the end"]),
            ("a b c, d", &["a", "d"], &["expected `,` or the end"]),
        ] {
            let (words, said) = words(text);
            assert_eq!(
                (&words[..], &said[..]),
                (
                    &read.iter().map(ToString::to_string).collect::<Vec<_>>()[..],
                    &mistakes.iter().map(ToString::to_string).collect::<Vec<_>>()[..]
                ),
                "{text}"
            );
        }
    }

    #[test]
    fn only_one_sign_is_an_equals_sign() {
        let reads = |text: &str| {
            let parser = |input: ParseStream<'_>| {
                let read = equals(input);
                input.parse::<proc_macro2::TokenStream>()?;
                Ok(read)
            };
            parser.parse_str(text).expect("made of tokens")
        };
        assert!(reads("= a") && reads("= = a"));
        assert!(!reads("== a") && !reads("=> a") && !reads(": a"));
    }
}
