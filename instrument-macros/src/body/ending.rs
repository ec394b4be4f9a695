//! How a measured function ends: by its value's outcome, or by that of the stream in it.

use crate::body::wrap::{Wrap, local};
use crate::paths::{generated, moved, respan};
use crate::syntax::returns::Returns;
use crate::syntax::streams::StreamType;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::Path;
use syn::spanned::Spanned;

impl Wrap<'_> {
    /// Ends the guard `__guard` by the variable `__r`, or has the stream in it do so; `last` is that variable, where it is
    /// returned.
    pub(crate) fn ending(&self, returns: &Returns, last: &Ident) -> TokenStream {
        let span = Span::mixed_site();
        let (private, value, guard) = (&self.private, local("__r"), local("__guard"));
        let outcome = self.outcome(returns);
        if !self.stream {
            return quote_spanned!(span=> #guard.exit(#outcome); #last);
        }
        let bare = |stream: &StreamType| stream.inside.is_empty();
        if returns.stream.as_ref().is_some_and(bare) {
            // Nothing but its items says how it went.
            let begun = quote_spanned!(span=> #private::Some(#guard));
            return self.followed(returns, &begun);
        }
        let followed = self.followed(returns, &quote_spanned!(span=> #guard.take()));
        quote_spanned! {span=>
            let mut #guard = #private::Some(#guard);
            let #value = #followed;
            if let #private::Some(#guard) = #guard {
                #guard.exit(#outcome);
            }
            #value
        }
    }

    /// The variable `__r` with the stream in it wrapped, which takes along what `begun` gives: the guard.
    pub(crate) fn followed(&self, returns: &Returns, begun: &TokenStream) -> TokenStream {
        let (private, value, guard) = (&self.private, local("__r"), local("__guard"));
        let item = returns
            .stream
            .as_ref()
            .and_then(|stream| stream.item.as_ref());
        let span = Span::mixed_site();
        let item = item.map_or_else(|| quote_spanned!(span=> _), ToTokens::to_token_stream);
        let outcome = if let Some(path) = self.error {
            quote_spanned!(span=> #private::outcome_by!(#value, #path))
        } else {
            quote_spanned!(span=> #private::outcome!(#value))
        };
        let outcome = quote_spanned!(span=> |#value: #private::Ref<'_, #item>| #outcome);
        let Some(stream) = &returns.stream else {
            // On the type: it may be none that holds a stream.
            let at = span.located_at(self.function.returned());
            let follow = respan(quote!(#private::follow), at);
            let value = Ident::new("__r", at);
            return quote_spanned!(at=> #follow(#value, &mut #guard, #outcome));
        };
        let mut followed = quote_spanned!(span=> #private::streamed(#begun, #value, #outcome));
        for declared in stream.inside.iter().rev() {
            followed = quote_spanned!(span=> #value.map(|#value| -> #declared { #followed }));
        }
        followed
    }

    /// The outcome of the variable `__r`.
    pub(crate) fn outcome(&self, returns: &Returns) -> TokenStream {
        let value = local("__r");
        self.outcome_of(returns, &quote_spanned!(Span::mixed_site()=> &#value))
    }

    /// The outcome of `__r` where it is a reference already.
    pub(crate) fn outcome_of_reference(&self, returns: &Returns) -> TokenStream {
        self.outcome_of(returns, &local("__r").to_token_stream())
    }

    pub(crate) fn outcome_by(&self, path: &Path, reference: &TokenStream) -> TokenStream {
        let private = &self.private;
        // What is wrong with the returned type is wrong with the path beside it.
        let reference = moved(reference.clone(), path.span());
        quote_spanned!(generated(path.span())=> #private::outcome_by!(#reference, #path))
    }

    fn outcome_of(&self, returns: &Returns, reference: &TokenStream) -> TokenStream {
        let span = Span::mixed_site();
        let private = &self.private;
        match self.error {
            Some(path) => self.outcome_by(path, reference),
            None if returns.never_fails() && self.verbs.many => {
                quote_spanned!(span=> #private::Outcomes::All(#private::Outcome::Ok))
            }
            None if returns.never_fails() => quote_spanned!(span=> #private::Outcome::Ok),
            None if self.verbs.many => quote_spanned!(span=> #private::outcomes!(#reference)),
            None => quote_spanned!(span=> #private::outcome!(#reference)),
        }
    }
}
