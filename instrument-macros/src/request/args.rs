//! The attribute as written.

use crate::diag::Diagnostics;
use crate::syntax::args::{self, Keys, Once};
use crate::syntax::keys::SharedKeys;
use proc_macro2::TokenStream;
use syn::parse::{Parse, ParseStream};
use syn::{Expr, Ident, Lit, Result};

#[derive(Default)]
pub(crate) struct Args {
    pub(crate) ingress: Once<Expr>,
    pub(crate) tier: Once<Expr>,
    pub(crate) tenant: Once<Expr>,
    pub(crate) root: Once<()>,
    pub(crate) shared: SharedKeys,
}

impl Args {
    pub(crate) fn read(attribute: TokenStream, diagnostics: &mut Diagnostics) -> Self {
        let mut args = Self::default();
        args::read(attribute, &mut args, diagnostics);
        args
    }
}

impl Keys for Args {
    const KNOWN: &'static [&'static str] = &[
        "ingress",
        "tier",
        "tenant",
        "model",
        "labels",
        "buckets",
        "objective",
        "stream",
        "error",
        "root",
        "crate",
    ];

    fn key(
        &mut self,
        key: &Ident,
        input: ParseStream<'_>,
        diagnostics: &mut Diagnostics,
    ) -> Result<()> {
        if self.shared.key(key, input, diagnostics)? {
            return Ok(());
        }
        if key == "root" {
            return self.root.flag(key, input, diagnostics);
        }
        let (slot, example) = match key.to_string().as_str() {
            "ingress" => (&mut self.ingress, "ingress = \"http\""),
            "tier" => (&mut self.tier, "tier = user.tier"),
            _ => (&mut self.tenant, "tenant = TENANTS.admit(user.tenant())"),
        };
        slot.value(key, example, input, diagnostics, Expr::parse)
    }

    fn literal(&mut self, literal: &Lit, _first: bool, diagnostics: &mut Diagnostics) {
        let hint = match literal {
            Lit::Str(text) => format!("for the way in, write `ingress = \"{}\"`", text.value()),
            _ => "values stand behind keys, as in `ingress = \"http\"`".to_owned(),
        };
        diagnostics.at(
            literal.span(),
            format!("a request is called after its function, so it takes no name: {hint}"),
        );
    }

    fn unknown(&mut self, word: &str, _first: bool, _alone: bool) -> Option<String> {
        let given = match word {
            "batch" => "batch = batch",
            "device" => "device",
            _ => return None,
        };
        Some(format!(
            "`{word}` belongs to a stage: `#[inference_stage(\"execute\", {given})]`"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Args, Vec<String>) {
        let mut diagnostics = Diagnostics::new();
        let tokens = text.parse().expect("test input is made of tokens");
        let args = Args::read(tokens, &mut diagnostics);
        (args, diagnostics.texts())
    }

    #[test]
    fn every_key_is_known() {
        let (args, mistakes) = read(
            r#"ingress = "http", tier = a, tenant = t, model = b, labels(c = d), buckets = llm, objective = "1s", error = e, root, crate = crate::f"#,
        );
        assert!(mistakes.is_empty(), "{mistakes:?}");
        assert!(
            args.ingress.key().is_some() && args.tier.key().is_some() && args.root.key().is_some()
        );
    }

    #[test]
    fn a_name_is_refused_with_a_hint() {
        let (_, mistakes) = read("\"http\"");
        assert!(
            mistakes[0].ends_with("write `ingress = \"http\"`"),
            "{mistakes:?}"
        );
        let (_, mistakes) = read("3, root");
        assert_eq!(mistakes.len(), 1);
    }
}
