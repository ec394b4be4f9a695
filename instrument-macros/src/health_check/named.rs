//! `check!(path)`: the check of the function at that path, by the hidden item beside the function.

use crate::diag::Diagnostics;
use crate::health_check::expand::hidden;
use crate::paths::generated;
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::Path;
use syn::parse::Parser;

const WANTED: &str =
    "`check!` takes the path of one function under `#[health_check]`: `check!(tokenizer::loaded)`";

pub(crate) fn named(path: TokenStream) -> TokenStream {
    read(path).unwrap_or_else(|wrong| {
        let mut diagnostics = Diagnostics::new();
        diagnostics.at(wrong, WANTED);
        diagnostics.finish().to_token_stream()
    })
}

/// The check, or what is no path of a function.
fn read(path: TokenStream) -> Result<TokenStream, Span> {
    let mut path = Path::parse_mod_style
        .parse2(path)
        .map_err(|mistake| mistake.span())?;
    let keyword = path.segments.iter().enumerate().find(|(place, segment)| {
        let last = place + 1 == path.segments.len();
        match segment.ident.to_string().as_str() {
            "Self" => true,
            "self" | "super" | "crate" | "$crate" => last,
            _ => false,
        }
    });
    if let Some((_, wrong)) = keyword {
        return Err(wrong.ident.span());
    }
    let mut place = Span::call_site();
    if let Some(function) = path.segments.last_mut() {
        place = function.ident.span();
        function.ident = hidden(&function.ident, place);
    }
    // In the place of a type: where there is none, rustc looks for a type and not for a crate to add.
    Ok(quote_spanned!(generated(place)=> <#path>::__SPEC))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(path: &str) -> String {
        let tokens = path.parse().expect("test input is made of tokens");
        named(tokens).to_string().replace(' ', "")
    }

    #[test]
    fn the_last_name_of_a_path_is_another_one() {
        for (path, found) in [
            ("loaded", "<__check_loaded>::__SPEC"),
            ("self::loaded", "<self::__check_loaded>::__SPEC"),
            (
                "super::super::loaded",
                "<super::super::__check_loaded>::__SPEC",
            ),
            ("tokenizer::loaded", "<tokenizer::__check_loaded>::__SPEC"),
            ("crate::a::b", "<crate::a::__check_b>::__SPEC"),
            ("::lib2::x", "<::lib2::__check_x>::__SPEC"),
            ("r#mod::r#type", "<r#mod::__check_type>::__SPEC"),
        ] {
            assert_eq!(expanded(path), found);
        }
    }

    #[test]
    fn what_is_no_path_of_a_function_is_told_what_is() {
        for path in [
            "",
            "\"tokenizer\"",
            "tokenizer::",
            "::",
            "a, b",
            "loaded()",
            "loaded::<u8>",
            "<A as B>::loaded",
            "Self::loaded",
            "&loaded",
            "self",
            "a::super",
            "crate",
            "_",
            "5",
        ] {
            let said = expanded(path);
            assert!(said.contains("compile_error!"), "{path}: {said}");
            assert!(said.contains("`check!`takesthepath"), "{path}: {said}");
        }
    }
}
