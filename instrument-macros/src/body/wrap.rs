//! One expansion per shape of function: one static, whose value is checked as it is made, and one call. The user's body is emitted once.

use crate::body::rebind::{Rebound, rebind};
use crate::paths::generated;
use crate::syntax::partial_fn::{PartialFn, braced};
use crate::syntax::returns::{Returns, Shape};
use crate::syntax::tail::{AsyncTail, BoxedTail, before_closure};
use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Path, Signature};

/// What the runtime calls the parts of one macro.
pub(crate) struct Verbs {
    /// Opens a guard, left by `exit`.
    pub(crate) enter: &'static str,
    /// Wraps a future; gives the value and the open guard.
    pub(crate) future: &'static str,
    /// Runs a closure whose type must be inferred from the function's return type.
    pub(crate) sync: &'static str,
    /// Wraps a future that is returned and looks at its value through a closure.
    pub(crate) deferred: &'static str,
    /// Awaits a future that never ends.
    pub(crate) never: &'static str,
    /// Opens a guard beside a body that stays in place.
    pub(crate) in_place: (&'static str, &'static str),
    /// The guard is told how each of many ended.
    pub(crate) many: bool,
}

/// All that is needed to measure one function.
pub(crate) struct Wrap<'a> {
    pub(crate) function: &'a PartialFn,
    pub(crate) verbs: &'static Verbs,
    /// The path to the runtime.
    pub(crate) private: TokenStream,
    /// `const _` items, for where there is no static.
    pub(crate) checks: TokenStream,
    /// The value of the static.
    pub(crate) site: TokenStream,
    /// What the call takes beside the site.
    pub(crate) arguments: Arguments,
    /// Statements that use the user's expressions, for their types only.
    pub(crate) expressions: TokenStream,
    /// `error = …`
    pub(crate) error: Option<&'a Path>,
    /// The end of the stream that is returned is the end.
    pub(crate) stream: bool,
}

/// The second argument of every call.
pub(crate) enum Arguments {
    /// Nothing of the user's is in it.
    Fixed(TokenStream),
    /// Costs something, so it is made only while somebody listens.
    Listening {
        made: TokenStream,
        otherwise: TokenStream,
    },
}

/// A body on its way into a closure or an `async` block.
struct Body<'a> {
    /// Binds the parameters again.
    statements: TokenStream,
    /// The user's, a block of its own: items may follow no statement of ours. Its braces are the user's, too: lints take
    /// what stands between braces of ours for generated, and look away.
    block: &'a Group,
}

/// Names of the expansion's own variables; mixed-site, so user code can't see them.
pub(crate) fn local(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}

/// Without recording there is nothing to call.
const RECORDING: bool = cfg!(feature = "metrics");

/// Not so only in the benchmark of compile time, which asks what the entry in the link-time list costs.
const LINKED: bool = cfg!(not(instrument_unlinked));

impl Wrap<'_> {
    /// The measured function; without recording the function as it was, its attribute's expressions still checked.
    pub(crate) fn emit(&self) -> TokenStream {
        if RECORDING {
            self.measured()
        } else {
            self.unmeasured()
        }
    }

    fn unmeasured(&self) -> TokenStream {
        let Self {
            function,
            checks,
            expressions,
            ..
        } = self;
        let error = self.error_used();
        if expressions.is_empty() && error.is_none() {
            return function.unchanged(checks);
        }
        let body = nested(&function.block);
        let block =
            quote_spanned!(Span::mixed_site()=> #checks if false { #expressions #error } #body);
        function.emit(&function.sig, &block)
    }

    /// A use of the function in `error = …`: else it would be dead code without recording.
    fn error_used(&self) -> Option<TokenStream> {
        let (path, returns) = (self.error?, self.function.returns());
        let span = Span::mixed_site();
        let value = if self.stream {
            returns.item()
        } else {
            returns.value()
        };
        let Some(value) = value else {
            // Only recording would ask the type.
            return Some(quote_spanned!(span=> let _ = #path;));
        };
        let result = local("__r");
        let outcome = self.outcome_by(path, &result.to_token_stream());
        Some(quote_spanned!(span=> let _ = |#result: &#value| #outcome;))
    }

    fn measured(&self) -> TokenStream {
        let function = self.function;
        let sig = &function.sig;
        let returns = function.returns();
        let tracked = function.has("track_caller");
        if sig.asyncness.is_some() {
            return self.rebound(|body| self.future(&returns, body));
        }
        match &returns.shape {
            Shape::Future(_) if let Some(seen) = self.traced(&returns, &function.body) => {
                self.assemble(sig, &seen)
            }
            Shape::Future(_) if tracked => self.in_place(|body| self.deferred(&returns, body)),
            Shape::Future(_) => {
                self.rebound(|body| self.deferred(&returns, &self.call(&returns, body)))
            }
            Shape::BoxedFuture(_) | Shape::UnpinnedFuture(_) => self.boxed(&returns, tracked),
            Shape::Value
                if returns.is_hidden
                    && let Some(call) = self.returned_closure() =>
            {
                self.assemble(sig, &call)
            }
            _ if tracked => self.in_place(|body| self.tracked(&returns, body)),
            Shape::Never => self.rebound(|body| self.never(&returns, body)),
            Shape::Value => self.rebound(|body| self.value(&returns, body)),
        }
    }

    /// The body moves: into a closure or an `async` block.
    fn rebound(&self, inner: impl FnOnce(&Body<'_>) -> TokenStream) -> TokenStream {
        let attribute = match &self.arguments {
            Arguments::Fixed(_) => &TokenStream::new(),
            Arguments::Listening { made, .. } => made,
        };
        let Rebound { sig, statements } =
            rebind(&self.function.sig, attribute, &self.function.body);
        let body = Body {
            statements,
            block: &self.function.block,
        };
        self.assemble(&sig, &inner(&body))
    }

    /// The body stays where it was.
    fn in_place(&self, inner: impl FnOnce(&TokenStream) -> TokenStream) -> TokenStream {
        let body = nested(&self.function.block);
        self.assemble(&self.function.sig, &inner(&body))
    }

    fn assemble(&self, sig: &Signature, call: &TokenStream) -> TokenStream {
        let span = Span::mixed_site();
        let Self { private, site, .. } = self;
        let (site_name, static_name) = (local("__site"), local("__SITE"));
        let arguments = match &self.arguments {
            Arguments::Fixed(_) => TokenStream::new(),
            Arguments::Listening { made, otherwise } => {
                let name = local("__arguments");
                quote_spanned!(span=> let #name = if #private::enabled() { #made } else { #otherwise };)
            }
        };
        let linked = LINKED.then(|| {
            quote_spanned! {span=>
                #[#private::linkme::distributed_slice(#private::SITES)]
                #[linkme(crate = #private::linkme)]
            }
        });
        // The static is an item, and items are visible to user code: hence a block of its own.
        let block = quote_spanned! {span=>
            let #site_name = {
                #linked
                static #static_name: #private::Site = #site;
                &#static_name
            };
            #arguments
            #call
        };
        self.function.emit(sig, &block)
    }

    /// `async fn`
    fn future(&self, returns: &Returns, body: &Body<'_>) -> TokenStream {
        let span = Span::mixed_site();
        let (private, arguments) = (&self.private, self.arguments());
        if let Shape::Never = returns.shape {
            let (never, body) = (local(self.verbs.never), Self::whole(body));
            return quote_spanned!(span=> #private::#never(#arguments, async move #body).await);
        }
        let hint = &returns.hint;
        let (statements, block) = (&body.statements, nested(body.block));
        // Where the body ends: a value that does not live long enough is told of here.
        let end = self.function.body.clone().into_iter().last();
        let last = Ident::new("__r", end.map_or(span, |end| generated(end.span())));
        // Tells the `async` block what type to expect.
        let expected = quote_spanned! {span=>
            if false {
                return #private::never_called::<#hint>();
            }
        };
        self.awaited(
            returns,
            &quote_spanned!(span=> async move { #expected #statements #block }),
            &TokenStream::new(),
            &last,
        )
    }

    /// Awaits `future` and ends with its value, the variable `last`; `declared` is the type of value and guard.
    fn awaited(
        &self,
        returns: &Returns,
        future: &TokenStream,
        declared: &TokenStream,
        last: &Ident,
    ) -> TokenStream {
        let span = Span::mixed_site();
        let (private, arguments) = (&self.private, self.arguments());
        let (wrapper, value, guard) = (local(self.verbs.future), local("__r"), local("__guard"));
        let ending = self.ending(returns, last);
        quote_spanned! {span=>
            let (#value, #guard) #declared = #private::#wrapper::new(#arguments, #future).await;
            #ending
        }
    }

    /// A function that returns a value.
    fn value(&self, returns: &Returns, body: &Body<'_>) -> TokenStream {
        let span = Span::mixed_site();
        let (private, arguments, value, guard) = (
            &self.private,
            self.arguments(),
            local("__r"),
            local("__guard"),
        );
        if returns.hides_a_type && !self.stream {
            // Only as the last expression does the body learn the type that the function promised.
            let (run, hint, body) = (local(self.verbs.sync), &returns.hint, Self::whole(body));
            let outcome = self.outcome_of_reference(returns);
            return quote_spanned!(span=> #private::#run(#arguments, move || -> #hint #body, |#value| #outcome));
        }
        let (enter, call) = (local(self.verbs.enter), self.call(returns, body));
        let ending = self.ending(returns, &value);
        quote_spanned! {span=>
            let #guard = #private::#enter(#arguments);
            let #value = #call;
            #ending
        }
    }

    /// `-> !`: the guard is only ever dropped, by unwinding.
    fn never(&self, returns: &Returns, body: &Body<'_>) -> TokenStream {
        let span = Span::mixed_site();
        let (private, arguments, guard) = (&self.private, self.arguments(), local("__guard"));
        let (enter, call) = (local(self.verbs.enter), self.call(returns, body));
        quote_spanned!(span=> let #guard = #private::#enter(#arguments); #call)
    }

    /// `#[track_caller]` does not reach into a closure, so the body can't move into one.
    fn tracked(&self, returns: &Returns, body: &TokenStream) -> TokenStream {
        let span = Span::mixed_site();
        let (private, arguments, value, guard) = (
            &self.private,
            self.arguments(),
            local("__r"),
            local("__guard"),
        );
        let (kind, open) = (local(self.verbs.in_place.0), local(self.verbs.in_place.1));
        if let Shape::Never = returns.shape {
            return quote_spanned!(span=> let #guard = #private::#kind::#open(#arguments); #body);
        }
        let (hint, ending) = (&returns.hint, self.ending(returns, &value));
        // A variable's type may have no holes in it that only the function's signature fills.
        let declared = if returns.hides_a_type {
            TokenStream::new()
        } else {
            quote_spanned!(span=> : #hint)
        };
        quote_spanned! {span=>
            let #guard = #private::#kind::#open(#arguments);
            let #value #declared = #body;
            #ending
        }
    }

    /// A closure at the end of `-> impl Fn(&str) -> &str` learns its lifetimes only where the function itself ends. Making it
    /// can't go wrong, so the stage is left right before it.
    fn returned_closure(&self) -> Option<TokenStream> {
        if self.verbs.many || self.stream || self.error.is_some() {
            return None;
        }
        let span = Span::mixed_site();
        let (private, arguments, guard) = (&self.private, self.arguments(), local("__guard"));
        let (kind, open) = (local(self.verbs.in_place.0), local(self.verbs.in_place.1));
        let entered = quote_spanned!(span=> let #guard = #private::#kind::#open(#arguments););
        let exit = quote_spanned!(span=> #guard.exit(#private::Outcome::Ok););
        let body = before_closure(self.function.body.clone(), exit)?;
        let body = nested(&braced(body, self.function.block.span()));
        Some(quote!(#entered #body))
    }

    /// A boxed future is wrapped inside the user's own box where that can be seen, else boxed once more.
    fn boxed(&self, returns: &Returns, tracked: bool) -> TokenStream {
        let pinned = matches!(returns.shape, Shape::BoxedFuture(_));
        if let Some(BoxedTail {
            head,
            future,
            parentheses,
        }) = BoxedTail::find(self.function.body.clone()).filter(|_| pinned)
        {
            let seen = self.traced(returns, &future);
            let is_seen = seen.is_some();
            let argument = seen.unwrap_or_else(|| self.deferred(returns, &future));
            let mut argument = Group::new(Delimiter::Parenthesis, argument);
            argument.set_span(parentheses);
            let body = quote!(#head #argument);
            // what looks for the box finds it at the end of the function itself
            let body = if is_seen {
                body
            } else {
                nested(&braced(body, self.function.block.span()))
            };
            return self.assemble(&self.function.sig, &body);
        }
        let (private, span) = (&self.private, Span::mixed_site());
        let boxed = |body: &TokenStream| {
            if pinned {
                let future = self.deferred(returns, body);
                return quote_spanned!(span=> #private::Box::pin(#future));
            }
            let future = quote_spanned!(span=> #private::Box::into_pin(#body));
            let future = self.deferred(returns, &future);
            quote_spanned!(span=> #private::Box::new(#future))
        };
        if tracked {
            self.in_place(boxed)
        } else {
            self.rebound(|body| boxed(&self.call(returns, body)))
        }
    }

    /// A body that ends in an `async` block, with such a block in its place: an attribute below looks for it.
    fn traced(&self, returns: &Returns, body: &TokenStream) -> Option<TokenStream> {
        let AsyncTail {
            head,
            future,
            braces,
        } = AsyncTail::find(body.clone()).filter(|_| self.function.is_traced())?;
        let (span, deferred) = (Span::mixed_site(), self.deferred(returns, &future));
        let block = braced(quote_spanned!(span=> (#deferred).await), braces);
        Some(quote_spanned!(span=> #head async move #block))
    }

    fn deferred(&self, returns: &Returns, future: &TokenStream) -> TokenStream {
        let span = Span::mixed_site();
        let (private, arguments, value) = (&self.private, self.arguments(), local("__r"));
        if self.stream {
            return self.deferred_stream(returns, future);
        }
        let (run, outcome) = (
            local(self.verbs.deferred),
            self.outcome_of_reference(returns),
        );
        let output = output(returns);
        quote_spanned!(span=> #private::#run(#arguments, #future, |#value: #private::Ref<'_, #output>| #outcome))
    }

    /// A returned future that gives a stream.
    fn deferred_stream(&self, returns: &Returns, future: &TokenStream) -> TokenStream {
        let span = Span::mixed_site();
        let (value, deferred) = (local("__r"), local("__future"));
        let output = output(returns);
        let awaited = self.awaited(
            returns,
            &deferred.to_token_stream(),
            &quote_spanned!(span=> : (#output, _)),
            &value,
        );
        // The body has run when the future is made, as without us.
        quote_spanned! {span=> {
            let #deferred = #future;
            async move { #awaited }
        }}
    }

    /// The body as a closure. `call` asks for `FnOnce`, which lets it hand out what it borrowed.
    fn call(&self, returns: &Returns, body: &Body<'_>) -> TokenStream {
        let (private, hint, body) = (&self.private, &returns.hint, Self::whole(body));
        quote_spanned!(Span::mixed_site()=> #private::call(move || -> #hint #body))
    }

    fn arguments(&self) -> TokenStream {
        let span = Span::mixed_site();
        let site = local("__site");
        match &self.arguments {
            Arguments::Fixed(tokens) => quote_spanned!(span=> #site, #tokens),
            Arguments::Listening { .. } => {
                let name = local("__arguments");
                quote_spanned!(span=> #site, #name)
            }
        }
    }

    /// The body as one block.
    fn whole(body: &Body<'_>) -> TokenStream {
        let Body { statements, block } = body;
        if statements.is_empty() {
            block.to_token_stream()
        } else {
            let block = nested(block);
            quote_spanned!(Span::mixed_site()=> { #statements #block })
        }
    }
}

/// The user's block among statements of ours. The parentheses keep `unused_braces` from it, and nothing looks at them.
fn nested(block: &Group) -> TokenStream {
    quote_spanned!(Span::mixed_site()=> (#block))
}

/// What a returned future gives, as a hint.
fn output(returns: &Returns) -> TokenStream {
    match &returns.shape {
        Shape::Future(output) | Shape::BoxedFuture(output) | Shape::UnpinnedFuture(output) => {
            output.to_token_stream()
        }
        Shape::Value | Shape::Never => quote_spanned!(Span::mixed_site()=> _),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_recording_the_body_stays_and_the_expressions_are_checked() {
        let mut diagnostics = crate::diag::Diagnostics::new();
        let item = "fn f(a: A) -> B { a.b() }".parse().expect("made of tokens");
        let function = PartialFn::read(
            &crate::syntax::no_function::Place::measured("inference_stage"),
            &item,
            &mut diagnostics,
        );
        assert!(diagnostics.finish().is_none());
        let function = function.expect("it parses");
        let wrap = |expressions| {
            let verbs = Verbs {
                enter: "",
                future: "",
                sync: "",
                deferred: "",
                never: "",
                in_place: ("", ""),
                many: false,
            };
            Wrap {
                function: &function,
                verbs: Box::leak(Box::new(verbs)),
                private: TokenStream::new(),
                checks: quote!(check;),
                site: TokenStream::new(),
                arguments: Arguments::Fixed(TokenStream::new()),
                expressions,
                error: None,
                stream: false,
            }
        };
        let bare = wrap(TokenStream::new()).unmeasured().to_string();
        assert_eq!(
            bare,
            quote!(
                fn f(a: A) -> B {
                    check;
                    a.b()
                }
            )
            .to_string()
        );
        let labelled = wrap(quote!(look;)).unmeasured().to_string();
        assert_eq!(
            labelled,
            quote!(
                fn f(a: A) -> B {
                    check;
                    if false {
                        look;
                    }
                    ({ a.b() })
                }
            )
            .to_string()
        );
    }
}
