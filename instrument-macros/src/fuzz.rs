//! Random tokens in, no panic out: what is half typed in an editor reaches a macro many times a second.

use proc_macro2::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::quote;

const ROUNDS: u64 = 1_000;

const WORDS: [&str; 76] = [
    "labels",
    "model",
    "buckets",
    "objective",
    "stall",
    "error",
    "custom",
    "device",
    "crate",
    "ingress",
    "tier",
    "root",
    "name",
    "fast",
    "micro",
    "kind",
    "pod",
    "request_id",
    "self",
    "super",
    "fn",
    "async",
    "const",
    "unsafe",
    "extern",
    "impl",
    "trait",
    "where",
    "mut",
    "ref",
    "move",
    "return",
    "pub",
    "default",
    "static",
    "let",
    "if",
    "match",
    "for",
    "dyn",
    "Box",
    "pin",
    "Pin",
    "Future",
    "Output",
    "enum",
    "struct",
    "union",
    "label",
    "classify",
    "source",
    "from",
    "cuda_oom",
    "internal",
    "B",
    "C",
    "derive",
    "cache",
    "timeout",
    "group",
    "soft",
    "hard",
    "remote",
    "reason",
    "refresh",
    "confirm",
    "failures",
    "successes",
    "max_stale",
    "initial_delay",
    "readiness",
    "health_check",
    "Arc",
    "S",
    "a",
    "_",
];
const PUNCTUATION: [char; 16] = [
    '=', ',', ':', '.', '&', '#', '!', '?', '-', '>', '<', ';', '+', '*', '|', '@',
];

/// xorshift: the same tokens in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).expect("31 bits fit") % n
    }

    fn tokens(&mut self, depth: usize, length: usize) -> TokenStream {
        (0..self.below(length + 1))
            .map(|_| self.token(depth))
            .collect()
    }

    fn token(&mut self, depth: usize) -> TokenTree {
        match self.below(if depth == 0 { 9 } else { 12 }) {
            0..4 => Ident::new(WORDS[self.below(WORDS.len())], Span::call_site()).into(),
            4..7 => {
                let spacing = if self.below(2) == 0 {
                    Spacing::Alone
                } else {
                    Spacing::Joint
                };
                Punct::new(PUNCTUATION[self.below(PUNCTUATION.len())], spacing).into()
            }
            7..9 => match self.below(8) {
                0 => Literal::string("execute").into(),
                1 => Literal::string("50ms").into(),
                2 => Literal::f64_unsuffixed(0.5).into(),
                3 => Literal::u8_suffixed(1).into(),
                4 => Literal::string("liveness").into(),
                5 => Literal::string("99999999999h").into(),
                6 => Literal::string("0s").into(),
                _ => Literal::string("").into(),
            },
            _ => {
                let delimiters = [
                    Delimiter::Parenthesis,
                    Delimiter::Brace,
                    Delimiter::Bracket,
                    Delimiter::None,
                ];
                Group::new(delimiters[self.below(4)], self.tokens(depth - 1, 8)).into()
            }
        }
    }
}

fn on_functions(attribute: &TokenStream, item: &TokenStream) {
    for expand in [
        crate::stage::expand,
        crate::request::expand,
        crate::health_check::expand,
    ] {
        let _ = expand(attribute.clone(), item);
    }
}

fn derived(item: &TokenStream) {
    for expand in [crate::label_value::expand, crate::classify::expand] {
        let _ = expand(item.clone());
    }
}

fn by_path(path: &TokenStream) {
    let _ = crate::health_check::named(path.clone());
}

fn tokens(text: &str) -> TokenStream {
    text.parse().expect("made of tokens")
}

#[test]
fn random_attributes_do_not_panic() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let item = tokens("async fn f(mut a: A, _b: B) -> Result<impl C, D> { a? }");
    for _ in 0..ROUNDS {
        let attribute = random.tokens(3, 12);
        on_functions(&attribute, &item);
        by_path(&attribute);
    }
}

#[test]
fn random_items_do_not_panic() {
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    let attribute = tokens("\"execute\", labels(a = b)");
    for _ in 0..ROUNDS {
        let item = random.tokens(3, 14);
        on_functions(&attribute, &item);
        derived(&item);
    }
}

#[test]
fn random_attributes_under_a_derive_do_not_panic() {
    let mut random = Random(0xD1B5_4A32_D192_ED03);
    for _ in 0..ROUNDS {
        let [on_item, on_variant, on_field] = [(); 3].map(|()| random.tokens(2, 6));
        derived(&quote! {
            #[label(#on_item)] #[classify(#on_item)]
            enum A { #[label(#on_variant)] B, #[classify(#on_variant)] C(#[classify(#on_field)] #[source] D), E { f: G } }
        });
        derived(&quote!(
            #[classify(#on_item)]
            struct A {
                #[from]
                b: B,
                c: C,
            }
        ));
    }
}

#[test]
fn a_valid_function_cut_or_changed_anywhere_does_not_panic() {
    let mut random = Random(7);
    let attribute = tokens(
        "\"execute\", labels(a = b, c = \"d\"), buckets = [0.1, 1], objective = \"5s\", error = e::f, crate = crate::g",
    );
    let item = tokens(
        "#[inline] pub default async unsafe extern \"C\" fn f<'a, T: A>(mut self, (a, mut b): (A, B), W { c, .. }: W, _d: D) \
         -> Pin<Box<dyn Future<Output = impl E> + 'a>> where T: F { #![allow(unused)] let x = 1; Box::pin(async move { x },) }",
    );
    let error = tokens(
        "#[derive(Debug)] #[classify(internal, crate = ::a)] #[label(crate = crate::b)] pub(crate) enum A<'a, T: B> where T: C { \
         #[label(\"x\")] #[classify(cuda_oom)] D = 3, #[classify(source)] E { #[source] f: &'a T, g: H }, r#type(#[from] I) }",
    );
    let settings = tokens(
        "cache = \"5s\", timeout = \"50ms\", group = [\"readiness\", \"startup\"], hard, remote, name = \"a\", reason = \"b\", model = \"c\", \
         refresh = \"1s\", confirm = \"1s\", failures = 2, successes = 1, max_stale = \"20s\", initial_delay = \"1s\", crate = crate::g",
    );
    let check = tokens(
        "#[inline] pub(crate) async fn f(App { a, .. }: &Arc<App>) -> Result<Health, E> { a.b()? }",
    );
    let path = tokens("::lib2::r#mod::self::crate::Self::a");
    let change = |random: &mut Random, source: &TokenStream| -> TokenStream {
        let mut tokens: Vec<_> = source.clone().into_iter().collect();
        match random.below(3) {
            0 => tokens.truncate(random.below(tokens.len() + 1)),
            1 => drop(tokens.remove(random.below(tokens.len()))),
            _ => tokens.insert(random.below(tokens.len() + 1), random.token(2)),
        }
        tokens.into_iter().collect()
    };
    for _ in 0..ROUNDS {
        on_functions(&change(&mut random, &attribute), &item);
        on_functions(&attribute, &change(&mut random, &item));
        crate::health_check::expand(change(&mut random, &settings), &check);
        crate::health_check::expand(settings.clone(), &change(&mut random, &check));
        derived(&change(&mut random, &error));
        by_path(&change(&mut random, &path));
    }
}
