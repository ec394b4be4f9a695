//! The attributes as written: `#[label(…)]` on the enum and on its variants.

use crate::diag::Diagnostics;
use crate::paths::CratePath;
use crate::syntax::args::{self, Follows, Keys, Once};
use crate::syntax::derived;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Error, Ident, Lit, LitStr, Result, Token, Variant};

/// What a right one on a variant looks like.
const EXAMPLE: &str = "label(\"text\")";

/// What stands on the enum.
#[derive(Default)]
pub(crate) struct Args {
    pub(crate) krate: Once<CratePath>,
}

impl Args {
    pub(crate) fn read(attributes: &[Attribute], diagnostics: &mut Diagnostics) -> Self {
        let mut args = Self::default();
        let example = "label(crate = ::instrument_inference)";
        for (_, tokens) in derived::arguments("label", example, attributes, diagnostics) {
            args::read(tokens, &mut args, diagnostics);
        }
        args
    }
}

impl Keys for Args {
    const KNOWN: &'static [&'static str] = &["crate"];

    fn key(
        &mut self,
        key: &Ident,
        input: ParseStream<'_>,
        diagnostics: &mut Diagnostics,
    ) -> Result<()> {
        self.krate.value(
            key,
            "crate = ::instrument_inference",
            input,
            diagnostics,
            CratePath::parse,
        )
    }

    fn literal(&mut self, literal: &Lit, _first: bool, diagnostics: &mut Diagnostics) {
        diagnostics.at(
            literal.span(),
            format!("a text belongs to one value: write `#[{EXAMPLE}]` on the variant"),
        );
    }

    fn unknown(&mut self, word: &str, _first: bool, _follows: Follows) -> Option<String> {
        let renames = matches!(word, "rename" | "rename_all" | "case");
        renames.then(|| {
            format!("variants read in snake case: where one is to read otherwise, write `#[{EXAMPLE}]` on it")
        })
    }
}

/// The text that a variant asks for; `None` when it asks for none that could be read.
pub(crate) fn text(variant: &Variant, diagnostics: &mut Diagnostics) -> Option<LitStr> {
    let mut found = None;
    for (word, tokens) in derived::arguments("label", EXAMPLE, &variant.attrs, diagnostics) {
        match one_text.parse2(tokens) {
            Ok(_) if found.is_some() => {
                diagnostics.at(
                    word,
                    format!("the label of `{}` is given twice", variant.ident.unraw()),
                );
            }
            Ok(text) => found = Some(text),
            Err(mistake) => diagnostics.push(mistake),
        }
    }
    found
}

fn one_text(input: ParseStream<'_>) -> Result<LitStr> {
    if input.peek(Token![crate]) {
        let mistake = input.error("`crate` belongs on the enum: `#[label(crate = ::path)]`");
        return skipped(input, mistake);
    }
    let start = input.span();
    if input.peek(Ident) && input.peek2(Token![=]) {
        let mistake = input.error(format!("the text of a label stands alone: `#[{EXAMPLE}]`"));
        return skipped(input, mistake);
    }
    let Ok(text) = input.parse() else {
        let mistake = Error::new(
            start,
            format!("the text of a label is a string literal: `#[{EXAMPLE}]`"),
        );
        return skipped(input, mistake);
    };
    input.parse::<Option<Token![,]>>()?;
    if input.is_empty() {
        Ok(text)
    } else {
        let mistake = input.error("a label has one text: nothing follows it");
        skipped(input, mistake)
    }
}

/// A parser that leaves tokens behind gets a message of its own; ours is better.
fn skipped(input: ParseStream<'_>, mistake: Error) -> Result<LitStr> {
    input.parse::<proc_macro2::TokenStream>()?;
    Err(mistake)
}
