//! `buckets = [0.005, 0.01, …]` in seconds, or `buckets = fast`.

use crate::diag::Diagnostics;
use crate::syntax::{case, duration, separator, spelling};
use proc_macro2::{Literal, Span, TokenStream};
use quote::{quote, quote_spanned};
use std::cmp::Ordering;
use std::time::Duration;
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{
    Error, Expr, ExprLit, ExprUnary, Ident, Lit, LitStr, Path, Result, Token, UnOp, bracketed,
    token,
};

/// A layout with more edges costs more memory than it tells; the runtime holds as many.
const MOST_EDGES: usize = 64;

/// Whole edges without a point up to here may well be seconds; beyond, they have always been milliseconds.
const SECONDS: f64 = 1_000.0;

const EXAMPLE: &str = "[0.005, 0.01, 0.05]";

/// What a preset is called in an attribute and in the runtime.
const PRESETS: [(&str, &str); 4] = [
    ("micro", "Micro"),
    ("fast", "Fast"),
    ("general", "General"),
    ("llm", "Llm"),
];

/// Where the buckets of a histogram end.
pub(crate) enum Buckets {
    /// The runtime's name of a preset.
    Preset(&'static str),
    /// Seconds, checked.
    Edges(Vec<f64>),
}

impl Buckets {
    pub(crate) fn parse(input: ParseStream<'_>) -> Result<Self> {
        if input.peek(token::Bracket) {
            return edges(input).map(Self::Edges);
        }
        let names = PRESETS.map(|(name, _)| name);
        if let Some(text) = input.parse::<Option<LitStr>>()? {
            let name = text.value();
            let hint = if names.contains(&name.as_str()) {
                format!("a preset is a bare word: `buckets = {name}`")
            } else {
                expected(&names)
            };
            return Err(Error::new(text.span(), hint));
        }
        if input.peek(Token![&]) || input.peek(token::Paren) || input.peek(token::Brace) {
            return Err(input.error(format!("edges stand in brackets: `{EXAMPLE}`")));
        }
        let Ok(name) = input.call(Ident::parse_any) else {
            return Err(input.error(expected(&names)));
        };
        let mut word = name.to_string();
        if input.peek(Token![!]) {
            return Err(Error::new(
                name.span(),
                format!("edges stand in brackets alone: `{EXAMPLE}`"),
            ));
        }
        // `Buckets::Fast` is how it is called elsewhere.
        let path = input.peek(Token![::]);
        if path {
            let rest = input.call(Path::parse_mod_style)?;
            word = case::snake(&rest.segments[rest.segments.len() - 1].ident.to_string());
            if names.contains(&word.as_str()) {
                return Err(Error::new(
                    name.span(),
                    format!("a preset is a bare word: `buckets = {word}`"),
                ));
            }
        }
        if path || word.to_uppercase() == word {
            return Err(Error::new(
                name.span(),
                format!(
                    "edges are number literals, read before constants have values: {}",
                    expected(&names)
                ),
            ));
        }
        match PRESETS.iter().find(|(preset, _)| *preset == word) {
            Some((_, variant)) => Ok(Self::Preset(variant)),
            None => Err(Error::new(
                name.span(),
                match spelling::nearest(&word, &names) {
                    Some(near) => format!(
                        "unknown preset `{word}`: did you mean `{near}`? There are {}",
                        spelling::list(&names)
                    ),
                    None => format!(
                        "unknown preset `{word}`: expected {} or `[…]`",
                        spelling::list(&names)
                    ),
                },
            )),
        }
    }

    /// The runtime's value of it. `private` is the path to the runtime.
    pub(crate) fn emit(&self, private: &TokenStream) -> TokenStream {
        let span = Span::mixed_site();
        match self {
            Self::Preset(variant) => {
                let variant = Ident::new(variant, span);
                quote_spanned!(span=> #private::Buckets::#variant)
            }
            Self::Edges(edges) => {
                let edges = edges.iter().map(|edge| Literal::f64_unsuffixed(*edge));
                quote_spanned!(span=> #private::Buckets::Edges(&[#(#edges),*]))
            }
        }
    }
}

fn expected(presets: &[&str]) -> String {
    format!(
        "expected the edges in seconds, `{EXAMPLE}`, or a preset: {}",
        spelling::list(presets)
    )
}

fn edges(input: ParseStream<'_>) -> Result<Vec<f64>> {
    let content;
    let brackets = bracketed!(content in input);
    let mut mistakes: Option<Error> = None;
    let mut wrong = |mistake: Error| match &mut mistakes {
        Some(all) => all.combine(mistake),
        None => mistakes = Some(mistake),
    };
    if content.is_empty() {
        wrong(Error::new(
            brackets.span.join(),
            format!("at least one edge is needed, in seconds: `{EXAMPLE}`"),
        ));
    }
    let mut edges: Vec<f64> = Vec::new();
    let mut whole = true;
    while !content.is_empty() {
        let literal = content.parse::<Expr>();
        if literal.is_err() {
            separator::skip(&content);
        }
        whole &= matches!(
            &literal,
            Ok(Expr::Lit(ExprLit {
                lit: Lit::Int(_),
                ..
            }))
        );
        match literal.and_then(|literal| edge(&literal)) {
            Err(mistake) => wrong(mistake),
            Ok((span, _)) if edges.len() == MOST_EDGES => {
                wrong(Error::new(
                    span,
                    format!("at most {MOST_EDGES} edges: this is one too many"),
                ));
                content.parse::<TokenStream>()?;
            }
            Ok((span, seconds)) => {
                match edges.last().map(|last| (last, seconds.total_cmp(last))) {
                    Some((_, Ordering::Equal)) => wrong(Error::new(
                        span,
                        format!("the edge {seconds} is given twice"),
                    )),
                    Some((last, Ordering::Less)) => wrong(Error::new(
                        span,
                        format!("edges must grow: {seconds} comes after {last}"),
                    )),
                    _ if whole && seconds >= SECONDS && content.is_empty() => {
                        let shown = seconds / 1000.0;
                        wrong(Error::new(
                            span,
                            format!(
                                "edges are seconds, and these look like milliseconds: {seconds} ms is \
                                 `{shown:?}`. If seconds are meant, write `{seconds:?}`"
                            ),
                        ));
                    }
                    _ => {}
                }
                edges.push(seconds);
            }
        }
        let mut commas = Diagnostics::new();
        separator::comma(&content, "the end of the edges", &mut commas);
        commas.into_error().into_iter().for_each(&mut wrong);
    }
    mistakes.map_or(Ok(edges), Err)
}

/// One edge and its place.
fn edge(expression: &Expr) -> Result<(Span, f64)> {
    let (span, text, suffix) = match expression {
        Expr::Group(group) => return edge(&group.expr),
        Expr::Lit(ExprLit {
            lit: Lit::Float(float),
            ..
        }) => (float.span(), float.base10_digits(), float.suffix()),
        Expr::Lit(ExprLit {
            lit: Lit::Int(int), ..
        }) => (int.span(), int.base10_digits(), int.suffix()),
        Expr::Unary(ExprUnary {
            op: UnOp::Neg(minus),
            ..
        }) => {
            return Err(Error::new(
                minus.spans[0],
                "an edge is a time in seconds, so it must be above 0",
            ));
        }
        Expr::Lit(ExprLit {
            lit: Lit::Str(text),
            ..
        }) => {
            let seconds = duration::nanoseconds(text).map(in_seconds);
            let seconds = seconds.unwrap_or(0.05);
            return Err(Error::new(
                text.span(),
                format!("an edge is a number literal, in seconds: `{seconds:?}`"),
            ));
        }
        other => {
            return Err(Error::new_spanned(
                quote!(#other),
                "an edge is a number literal, in seconds: `0.05`",
            ));
        }
    };
    if !matches!(suffix, "" | "f64") {
        let as_time = LitStr::new(&format!("{text}{suffix}"), span);
        let hint = match duration::nanoseconds(&as_time).map(in_seconds) {
            Ok(seconds) => format!("write `{seconds:?}`"),
            Err(_) => format!("drop `{suffix}`"),
        };
        return Err(Error::new(
            span,
            format!("an edge is a plain number of seconds: {hint}"),
        ));
    }
    match text.parse::<f64>() {
        Ok(seconds) if !seconds.is_finite() => Err(Error::new(
            span,
            "an edge must be finite: `+Inf` is always there as the last one",
        )),
        Ok(seconds) if seconds <= 0.0 => Err(Error::new(
            span,
            "an edge must be above 0: the first bucket starts there",
        )),
        Ok(seconds) => Ok((span, seconds)),
        Err(_) => Err(Error::new(
            span,
            "an edge is a number literal, in seconds: `0.05`",
        )),
    }
}

fn in_seconds(nanoseconds: u64) -> f64 {
    Duration::from_nanos(nanoseconds).as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse::Parser;

    fn read(text: &str) -> std::result::Result<String, Vec<String>> {
        let tokens = text
            .parse::<TokenStream>()
            .expect("test input is made of tokens");
        match Buckets::parse.parse2(tokens) {
            Ok(buckets) => Ok(buckets.emit(&quote!(P)).to_string().replace(' ', "")),
            Err(mistakes) => Err(mistakes
                .into_iter()
                .map(|mistake| mistake.to_string())
                .collect()),
        }
    }

    #[test]
    fn presets_and_edges_are_read() {
        assert_eq!(read("llm").as_deref(), Ok("P::Buckets::Llm"));
        assert_eq!(
            read("[0.001, 0.5f64, 1, 1_0,]").as_deref(),
            Ok("P::Buckets::Edges(&[0.001,0.5,1.0,10.0])")
        );
    }

    #[test]
    fn each_wrong_edge_is_told_apart() {
        let said = read("[0.5, 0.5, 0.1, 0, -1, 1e999, 1u8, \"x\", f()]")
            .expect_err("nothing here is right");
        let parts = [
            "twice",
            "must grow: 0.1 comes after 0.5",
            "above 0",
            "above 0",
            "finite",
            "drop `u8`",
            "literal",
            "literal",
        ];
        assert_eq!(said.len(), parts.len(), "{said:?}");
        for (said, part) in said.iter().zip(parts) {
            assert!(said.contains(part), "{said}");
        }
    }

    #[test]
    fn the_number_of_edges_has_limits() {
        assert!(read("[]").is_err_and(|said| said[0].contains("at least one")));
        let many = |n: usize| {
            format!(
                "[{}]",
                (1..=n)
                    .map(|edge| edge.to_string())
                    .collect::<Vec<_>>()
                    .join(",")
            )
        };
        assert!(read(&many(MOST_EDGES)).is_ok());
        assert!(
            read(&many(MOST_EDGES + 9))
                .is_err_and(|said| said.len() == 1 && said[0].contains("at most 64"))
        );
    }

    #[test]
    fn a_preset_is_one_of_four_bare_words() {
        assert!(
            read("fasst")
                .is_err_and(|said| said[0].contains("did you mean `fast`? There are `micro`"))
        );
        assert!(
            read("tiny").is_err_and(|said| said[0].contains("`micro`, `fast`, `general`, `llm`"))
        );
        assert!(
            read("\"fast\"").is_err_and(|said| said[0].contains("bare word: `buckets = fast`"))
        );
        assert!(read("+").is_err_and(|said| said[0].contains("or a preset")));
    }

    #[test]
    fn what_is_written_elsewhere_is_shown_as_it_is_written_here() {
        for (text, part) in [
            ("Buckets::Fast", "a bare word: `buckets = fast`"),
            ("EDGES", "before constants have values"),
            ("my::EDGES", "before constants have values"),
            ("vec![0.1]", "brackets alone"),
            ("&[0.1]", "stand in brackets"),
            ("(0.1, 0.2)", "stand in brackets"),
            ("[\"5ms\"]", "in seconds: `0.005`"),
            ("[5ms]", "write `0.005`"),
            ("[0.1 0.2]", "expected `,` or the end of the edges"),
            ("[0.1; 5]", "expected `,`"),
            ("[0.1,, 0.2]", "one comma too many"),
            ("[f64::NAN]", "a number literal"),
            ("[5, 50, 5000]", "look like milliseconds: 5000 ms is `5.0`"),
        ] {
            let said = read(text).expect_err(text);
            assert_eq!(said.len(), 1, "{text}: {said:?}");
            assert!(said[0].contains(part), "{text}: {said:?}");
        }
        for right in ["[60, 600]", "[60.0, 3600.0]", "[0.5, 3600]"] {
            assert!(read(right).is_ok(), "{right}");
        }
    }
}
