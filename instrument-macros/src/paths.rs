//! Where generated code finds the runtime: `::instrument_inference::__private`, or what `crate = …` says.
//! The only file that spells the facade's name.

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::parse::ParseStream;
use syn::{Ident, Path};

/// An absolute path to the facade.
#[derive(Default)]
pub(crate) struct CratePath(Option<Path>);

impl CratePath {
    /// Reads the value of `crate = …` and refuses relative paths: they would mean something else in each module.
    pub(crate) fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let start = input.span();
        let path = input.call(Path::parse_mod_style).map_err(|_| {
            let text = "`crate` takes a path, without quotes: `crate = ::instrument_inference`";
            syn::Error::new(start, text)
        })?;
        let first = &path.segments[0].ident;
        // `$crate` is one identifier.
        if path.leading_colon.is_some() || first == "crate" || first == "$crate" {
            return Ok(Self(Some(path)));
        }
        let text = path.to_token_stream().to_string().replace(' ', "");
        let hint = if first == "self" || first == "super" {
            "write it from the root of your crate: `crate::…`".to_owned()
        } else {
            format!("write `::{text}` for a dependency, `crate::{text}` for a module of yours")
        };
        Err(syn::Error::new(
            first.span(),
            format!("`crate` takes an absolute path: {hint}"),
        ))
    }

    /// `…::__private` for code that belongs to the expansion.
    pub(crate) fn private(&self) -> TokenStream {
        let span = Span::mixed_site();
        if let Some(path) = &self.0 {
            quote_spanned!(span=> #path::__private)
        } else {
            quote_spanned!(span=> ::instrument_inference::__private)
        }
    }

    /// `…::__private::name` on the user's token at `span`: rustc then underlines that token when the call is wrong.
    pub(crate) fn private_at(&self, span: Span, name: &str) -> TokenStream {
        let name = name.split("::").map(|part| Ident::new(part, span));
        let root = match &self.0 {
            // Moved, not re-made: `$crate` means nothing without the span it came with.
            Some(path) => moved(path.to_token_stream(), span),
            None => respan(quote!(::instrument_inference), span),
        };
        let private = respan(quote!(::__private), span);
        let colons = respan(quote!(::), span);
        quote!(#root #private #(#colons #name)*)
    }
}

/// Arguments of a call that is shown at `span`; each token means what it meant.
pub(crate) fn arguments_at(span: Span, arguments: TokenStream) -> Group {
    let mut parentheses = Group::new(Delimiter::Parenthesis, arguments);
    parentheses.set_span(span);
    parentheses
}

/// Every token gets the user's span, brackets included: one token of ours left, and rustc underlines the whole attribute.
pub(crate) fn respan(tokens: TokenStream, span: Span) -> TokenStream {
    each(tokens, &|_| span)
}

/// Every token is shown at `span` and still means what it meant.
pub(crate) fn moved(tokens: TokenStream, span: Span) -> TokenStream {
    each(tokens, &|own| own.located_at(span))
}

/// Where the user wrote `token`, and generated: no lint looks at it.
pub(crate) fn generated(token: Span) -> Span {
    Span::mixed_site().located_at(token)
}

fn each(tokens: TokenStream, span: &dyn Fn(Span) -> Span) -> TokenStream {
    let new = |token| match token {
        TokenTree::Group(group) => {
            let mut new = Group::new(group.delimiter(), each(group.stream(), span));
            new.set_span(span(group.span()));
            TokenTree::Group(new)
        }
        mut leaf => {
            leaf.set_span(span(leaf.span()));
            leaf
        }
    };
    tokens.into_iter().map(new).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse::Parser;

    fn parse(text: &str) -> Result<String, String> {
        let tokens = text
            .parse::<TokenStream>()
            .expect("test input is made of tokens");
        let path = CratePath::parse
            .parse2(tokens)
            .map_err(|mistake| mistake.to_string())?;
        Ok(path
            .private_at(Span::call_site(), "Site::stage")
            .to_string()
            .replace(' ', ""))
    }

    #[test]
    fn absolute_paths_are_taken() {
        assert_eq!(
            parse("::renamed").as_deref(),
            Ok("::renamed::__private::Site::stage")
        );
        assert_eq!(
            parse("crate::telemetry").as_deref(),
            Ok("crate::telemetry::__private::Site::stage")
        );
    }

    #[test]
    fn relative_paths_are_refused_with_the_right_spelling() {
        assert!(
            parse("a::b")
                .is_err_and(|text| text.contains("`::a::b` for a dependency, `crate::a::b`"))
        );
        assert!(parse("super::b").is_err_and(|text| text.contains("from the root of your crate")));
        for no_path in ["\"a\"", "1"] {
            assert!(parse(no_path).is_err_and(|text| text.contains("without quotes")));
        }
    }

    #[test]
    fn without_a_key_it_is_the_facade() {
        let path = CratePath::default().private().to_string().replace(' ', "");
        assert_eq!(path, "::instrument_inference::__private");
    }
}
