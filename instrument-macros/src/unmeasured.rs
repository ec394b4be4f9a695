//! Without recording, a measured function has nothing of ours in it: what is emitted is what was written, after const
//! checks, and uses of the attribute's expressions that never run.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// Every shape of function, each token of which must stay.
const FUNCTIONS: [&str; 14] = [
    "fn unit() {}",
    "#[must_use] pub(crate) fn value(a: &A, mut b: B, (c, _): (C, D)) -> Result<E, F> { b.c(a)?; Ok(c) }",
    "/// Documented.\n#[inline] fn generic<'a, T: A + ?Sized, const N: usize>(a: &'a T) -> [&'a T; N] where T: B { a.b() }",
    "fn hidden(a: impl A) -> Result<impl B, Box<dyn C>> { a.b() }",
    "fn never() -> ! { loop {} }",
    "#[track_caller] fn tracked() -> A { A::here() }",
    "unsafe extern \"C\" fn foreign(a: *const A) -> A { *a }",
    "async fn waits(&mut self, a: A) -> Result<B, C> { self.d(a).await }",
    "async unsafe fn forever(self: Pin<&mut Self>) -> ! { loop {} }",
    "fn later(a: A) -> impl Future<Output = B> + Send { async move { a.b().await } }",
    "fn boxed<'a>(&'a self) -> Pin<Box<dyn Future<Output = A> + Send + 'a>> { Box::pin(async move { self.a().await }) }",
    "fn alias(self: Arc<Self>) -> BoxFuture<'static, A> { async move { self.a().await }.boxed() }",
    "fn inner() -> A { #![allow(unused)] use B as A; A::c() }",
    "fn half_typed(a: A) -> B { let c = a. ; match }",
];

fn tokens(text: &str) -> TokenStream {
    text.parse().expect("test input is made of tokens")
}

/// Without spaces, which are not in the tokens.
fn tight(tokens: &TokenStream) -> String {
    let text = tokens.to_string().replace([' ', '\n'], "");
    text.replace("::instrument_inference::__private", "P")
}

/// The item without the const checks at the top of its body.
fn without_checks(emitted: TokenStream) -> TokenStream {
    let mut all: Vec<TokenTree> = emitted.into_iter().collect();
    let Some(TokenTree::Group(body)) = all.pop() else {
        panic!("a function ends with its body");
    };
    let text = body.stream().to_string();
    let mut inside: Vec<TokenTree> = body.stream().into_iter().collect();
    if let Some(start) = inside.iter().position(|token| token.to_string() == "const") {
        assert!(
            text.contains("const _ : & str = ") && text.contains("stage_name"),
            "{text}"
        );
        let end = inside.iter().position(|token| token.to_string() == ";");
        inside.drain(start..=end.expect("a const item ends"));
    }
    let body = Group::new(Delimiter::Brace, inside.into_iter().collect());
    all.push(TokenTree::Group(body));
    all.into_iter().collect()
}

#[test]
fn bare_functions_come_back_token_by_token() {
    for function in FUNCTIONS {
        let item = tokens(function);
        let staged = crate::stage::expand(tokens("\"execute\""), &item);
        assert_eq!(tight(&without_checks(staged)), tight(&item));
        let configured =
            "\"mine\", custom, buckets = fast, objective = \"50ms\", device, stall = \"90s\"";
        let staged = crate::stage::expand(tokens(configured), &item);
        assert_eq!(tight(&without_checks(staged)), tight(&item));
        let requested = crate::request::expand(TokenStream::new(), &item);
        assert_eq!(tight(&requested), tight(&item));
    }
}

#[test]
fn expressions_are_used_where_nothing_runs_them() {
    let attribute = "\"execute\", labels(a = x.a()), model = &y, device = x.d, error = z";
    let item = tokens("async fn f(x: X, y: Y) -> Result<A, B> { x.b(y).await }");
    let emitted = crate::stage::expand(tokens(attribute), &item);
    let expected = tokens(
        "async fn f(x: X, y: Y) -> Result<A, B> { if false { \
         let _ = P::label(&x.a()); let _ = P::model(&y); let _ = P::device(&x.d); let _ = |__r: &Result<A, B>| P::outcome_by!(__r, z); \
         } ({ x.b(y).await }) }",
    );
    assert_eq!(tight(&without_checks(emitted)), tight(&expected));
}
