//! The attribute as written.

use crate::body::arguments;
use crate::diag::Diagnostics;
use crate::syntax::args::{self, Follows, Keys, Once};
use crate::syntax::expression;
use crate::syntax::keys::SharedKeys;
use crate::syntax::{peers, spelling};
use proc_macro2::TokenStream;
use syn::parse::ParseStream;
use syn::{Error, Expr, Ident, Lit, Result};

const PROTOCOLS: [&str; 2] = ["http", "grpc"];

#[derive(Default)]
pub(crate) struct Args {
    pub(crate) ingress: Once<Expr>,
    pub(crate) tier: Once<Expr>,
    pub(crate) tenant: Once<Expr>,
    pub(crate) route: Once<Expr>,
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
        "route",
        "model",
        "labels",
        "buckets",
        "objective",
        "stream",
        "error",
        "no_span",
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
        if key == "ingress" {
            let example = "ingress = \"http\"";
            return self.ingress.value(key, example, input, diagnostics, way_in);
        }
        let (slot, example) = match key.to_string().as_str() {
            "tier" => (&mut self.tier, "tier = user.tier"),
            "tenant" => (&mut self.tenant, "tenant = TENANTS.admit(user.tenant())"),
            _ => (&mut self.route, "route = path.as_str()"),
        };
        slot.value(key, example, input, diagnostics, expression::parse)
    }

    fn literal(&mut self, literal: &Lit, _first: bool, diagnostics: &mut Diagnostics) {
        let hint = match literal {
            Lit::Str(text) if matches!(text.value().as_str(), "http" | "grpc") => {
                format!("for the way in, write `ingress = \"{}\"`", text.value())
            }
            _ => "values stand behind keys, as in `ingress = \"http\"`".to_owned(),
        };
        diagnostics.at(
            literal.span(),
            format!("a request is called after its function, so it takes no name: {hint}"),
        );
    }

    fn unknown(&mut self, word: &str, _first: bool, follows: Follows) -> Option<String> {
        let given = match word {
            "batch" => "batch = batch",
            "stall" => "stall = \"90s\"",
            "device" | "gpu" | "cuda" => "device",
            "custom" => "custom",
            "name" => {
                return Some(
                    "a request is called after its function, so it takes no name".to_owned(),
                );
            }
            "http" | "grpc" if follows == Follows::Nothing => {
                return Some(format!("the way in has a key: `ingress = \"{word}\"`"));
            }
            "protocol" | "transport" => {
                return Some(format!(
                    "`{word}` is called `ingress` here: `ingress = \"http\"`"
                ));
            }
            "version" => {
                return Some(
                    "`version` comes with the model's slot: `model = &self.slot`".to_owned(),
                );
            }
            "path" | "endpoint" | "matched_path" | "http_route" => {
                return Some(format!(
                    "`{word}` is called `route` here: `route = path.as_str()`"
                ));
            }
            "timeout" | "deadline" => {
                return Some(format!(
                    "`{word}` belongs to the layer: `telemetry.request_layer(\"http\").timeout(\"2s\")`"
                ));
            }
            _ => return peers::answer(word),
        };
        Some(format!(
            "`{word}` belongs to a stage: `#[inference_stage(\"execute\", {given})]`"
        ))
    }
}

/// The value of `ingress`. A word that nearly names a protocol would be one more beside it in every metric.
fn way_in(input: ParseStream<'_>) -> Result<Expr> {
    let value = expression::parse(input)?;
    if let Some(text) = arguments::text(&value) {
        let word = text.value();
        if let Some(meant) = protocol(&word) {
            let text = format!("nearly a protocol: did you mean `\"{meant}\"`?");
            return Err(Error::new_spanned(&value, text));
        }
    }
    Ok(value)
}

/// The protocol that `word` nearly names. The runtime has the same rule for the layer.
fn protocol(word: &str) -> Option<&'static str> {
    let plain = word.to_ascii_lowercase();
    let meant_so = ["https", "http1", "http2", "http3", "grpcs"];
    if PROTOCOLS.contains(&word) || meant_so.contains(&plain.as_str()) {
        return None;
    }
    spelling::nearest(&plain, &PROTOCOLS)
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
            r#"ingress = "http", tier = a, tenant = t, route = r, model = b, labels(c = d), buckets = llm, objective = "1s", error = e, no_span, root, crate = crate::f"#,
        );
        assert!(mistakes.is_empty(), "{mistakes:?}");
        assert!(
            args.ingress.key().is_some()
                && args.tier.key().is_some()
                && args.route.key().is_some()
                && args.root.key().is_some()
        );
    }

    #[test]
    fn a_way_in_that_is_nearly_a_protocol_is_none() {
        for word in ["htpp", "HTTP", "gRPC", "gprc"] {
            let (_, mistakes) = read(&format!("ingress = \"{word}\""));
            assert!(mistakes[0].starts_with("nearly a protocol"), "{mistakes:?}");
        }
        for word in ["http", "grpc", "https", "http2", "kafka"] {
            let (_, mistakes) = read(&format!("ingress = \"{word}\""));
            assert!(mistakes.is_empty(), "{mistakes:?}");
        }
    }

    #[test]
    fn keys_of_others_are_answered_with_ours() {
        for (text, part) in [
            ("grpc", "`ingress = \"grpc\"`"),
            ("protocol = \"http\"", "called `ingress` here"),
            ("path = p", "called `route` here"),
            ("timeout = \"1s\"", "belongs to the layer"),
            ("custom", "belongs to a stage"),
            ("name = \"a\"", "takes no name"),
            ("version = \"1\"", "the model's slot"),
            ("skip_all", "nothing to leave out"),
        ] {
            let (_, mistakes) = read(text);
            assert_eq!(mistakes.len(), 1, "{text}: {mistakes:?}");
            assert!(mistakes[0].contains(part), "{text}: {mistakes:?}");
        }
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
