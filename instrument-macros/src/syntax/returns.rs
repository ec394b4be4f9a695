//! What a return type says by its syntax. Names decide only between a value and a future; what a value means is left to
//! its type.

use crate::syntax::streams::StreamType;
use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};
use syn::punctuated::Punctuated;
use syn::{
    AngleBracketedGenericArguments, GenericArgument, PathArguments, PathSegment, ReturnType, Token,
    Type, TypeInfer, TypeParamBound,
};

/// How a function that is not `async` gives its result.
pub(crate) enum Shape {
    Value,
    /// `-> !`
    Never,
    /// `-> impl Future<Output = T>`
    Future(Type),
    /// `-> Pin<Box<dyn Future<Output = T>>>` or `-> BoxFuture<T>`; what `async_trait` makes. Also with `impl`.
    BoxedFuture(Type),
    /// `-> Box<dyn Future<Output = T> + Unpin>`
    UnpinnedFuture(Type),
}

/// A return type.
pub(crate) struct Returns {
    pub(crate) shape: Shape,
    /// The type with every `impl Trait` as `_`, for places where only a hint is needed.
    pub(crate) hint: TokenStream,
    /// Whether an `impl Trait` was replaced.
    pub(crate) hides_a_type: bool,
    /// The `impl Stream` in what is awaited or returned.
    pub(crate) stream: Option<StreamType>,
    /// Whether that is all: `-> impl Trait`.
    pub(crate) is_hidden: bool,
    /// The `Clone` in `-> impl Future<Output = T> + Clone`, or in that of a stream.
    pub(crate) cloned: Option<Span>,
    never_fails: bool,
}

impl Returns {
    pub(crate) fn of(output: &ReturnType) -> Self {
        let ReturnType::Type(_, declared) = output else {
            let hint = quote_spanned!(Span::mixed_site()=> ());
            return Self {
                shape: Shape::Value,
                hint,
                hides_a_type: false,
                stream: None,
                is_hidden: false,
                cloned: None,
                never_fails: true,
            };
        };
        let mut hint = (**declared).clone();
        let hides_a_type = erase(&mut hint);
        let mut shape = shape(declared);
        let value = match &shape {
            Shape::Future(value) | Shape::BoxedFuture(value) | Shape::UnpinnedFuture(value) => {
                value
            }
            Shape::Value | Shape::Never => declared,
        };
        let never_fails = never_fails(value);
        // Nobody but the compiler can name it, so an alias is taken for the one of `futures`.
        let value = alias(declared).and_then(last_type).unwrap_or(value);
        let mut stream = StreamType::in_value(value);
        if let Some(stream) = &mut stream {
            stream.change(|inside| {
                erase(inside);
            });
        }
        if let Shape::Future(value) | Shape::BoxedFuture(value) | Shape::UnpinnedFuture(value) =
            &mut shape
        {
            erase(value);
        }
        Self {
            shape,
            hint: hint.to_token_stream(),
            hides_a_type,
            stream,
            is_hidden: is_hidden(declared),
            cloned: cloned(declared),
            never_fails,
        }
    }

    /// The type of what is awaited or returned, with `()` for a success that is hidden; `None` where more of it is.
    pub(crate) fn value(&self) -> Option<TokenStream> {
        let value = match &self.shape {
            Shape::Future(output) | Shape::BoxedFuture(output) | Shape::UnpinnedFuture(output) => {
                output.to_token_stream()
            }
            Shape::Value | Shape::Never => self.hint.clone(),
        };
        if !has_hole(value.clone()) {
            return Some(value);
        }
        let value = without_success(syn::parse2(value).ok()?)?.into_token_stream();
        (!has_hole(value.clone())).then_some(value)
    }

    /// The type of what the `impl Stream` hands out, unless part of it is hidden.
    pub(crate) fn item(&self) -> Option<TokenStream> {
        let item = self.stream.as_ref()?.item.as_ref()?.to_token_stream();
        (!has_hole(item.clone())).then_some(item)
    }

    /// Whether no name, alias or import could make this a `Result` or anything else that carries an outcome.
    pub(crate) fn never_fails(&self) -> bool {
        self.never_fails
    }
}

fn is_hidden(declared: &Type) -> bool {
    match declared {
        Type::Group(inner) => is_hidden(&inner.elem),
        Type::Paren(inner) => is_hidden(&inner.elem),
        _ => matches!(declared, Type::ImplTrait(_)),
    }
}

fn cloned(declared: &Type) -> Option<Span> {
    match declared {
        Type::Group(inner) => cloned(&inner.elem),
        Type::Paren(inner) => cloned(&inner.elem),
        Type::ImplTrait(hidden) => hidden.bounds.iter().find_map(|bound| match bound {
            TypeParamBound::Trait(bound) => {
                let name = &bound.path.segments.last()?.ident;
                (name == "Clone").then(|| name.span())
            }
            _ => None,
        }),
        _ => None,
    }
}

fn never_fails(value: &Type) -> bool {
    match value {
        Type::Group(inner) => never_fails(&inner.elem),
        Type::Paren(inner) => never_fails(&inner.elem),
        // `(StatusCode, T)` carries an outcome, and any path may be a `StatusCode`.
        Type::Tuple(tuple) => tuple.elems.first().is_none_or(never_fails),
        Type::Array(_)
        | Type::FnPtr(_)
        | Type::Never(_)
        | Type::Ptr(_)
        | Type::Reference(_)
        | Type::Slice(_) => true,
        _ => false,
    }
}

fn shape(declared: &Type) -> Shape {
    match declared {
        Type::Group(inner) => shape(&inner.elem),
        Type::Paren(inner) => shape(&inner.elem),
        Type::Never(_) => Shape::Never,
        Type::ImplTrait(hidden) => {
            future_output(&hidden.bounds).map_or(Shape::Value, Shape::Future)
        }
        Type::Path(path) => {
            if alias(declared).is_some() {
                return Shape::BoxedFuture(output_of_alias(declared));
            }
            let last = path.path.segments.last();
            last.and_then(boxed).unwrap_or(Shape::Value)
        }
        _ => Shape::Value,
    }
}

/// The last segment of `BoxFuture<…>`, by the name it has everywhere. Which argument is the output, and whether it is all of
/// it, only the type knows. Without a type among its arguments, `Self::BoxFuture` may be anything.
fn alias(declared: &Type) -> Option<&PathSegment> {
    match declared {
        Type::Group(inner) => alias(&inner.elem),
        Type::Paren(inner) => alias(&inner.elem),
        Type::Path(path) => path.path.segments.last().filter(|last| {
            (last.ident == "BoxFuture" || last.ident == "LocalBoxFuture")
                && (path.path.segments.len() == 1 || last_type(last).is_some())
        }),
        _ => None,
    }
}

fn output_of_alias(declared: &Type) -> Type {
    let mut declared = declared.clone();
    erase(&mut declared);
    Type::Verbatim(
        quote_spanned!(Span::mixed_site()=> <#declared as ::core::future::Future>::Output),
    )
}

fn boxed(segment: &PathSegment) -> Option<Shape> {
    let argument = last_type(segment)?;
    if segment.ident == "Box" {
        return future(argument).map(Shape::UnpinnedFuture);
    }
    if segment.ident != "Pin" {
        return None;
    }
    let Type::Path(boxed) = argument else {
        return None;
    };
    let boxed = boxed
        .path
        .segments
        .last()
        .filter(|segment| segment.ident == "Box")?;
    future(last_type(boxed)?).map(Shape::BoxedFuture)
}

/// `T` of `dyn Future<Output = T>` and `impl Future<Output = T>`.
fn future(value: &Type) -> Option<Type> {
    match value {
        Type::Group(inner) => future(&inner.elem),
        Type::Paren(inner) => future(&inner.elem),
        Type::TraitObject(object) => future_output(&object.bounds),
        Type::ImplTrait(hidden) => future_output(&hidden.bounds),
        // Without `dyn`, as edition 2018 lets it be written.
        Type::Path(path) => path.path.segments.last().and_then(output_of),
        _ => None,
    }
}

fn last_type(segment: &PathSegment) -> Option<&Type> {
    let PathArguments::AngleBracketed(arguments) = &segment.arguments else {
        return None;
    };
    let types = arguments.args.iter().filter_map(|argument| match argument {
        GenericArgument::Type(argument) => Some(argument),
        _ => None,
    });
    types.last()
}

/// `T` of `Future<Output = T>`.
fn future_output(bounds: &Punctuated<TypeParamBound, Token![+]>) -> Option<Type> {
    bounds.iter().find_map(|bound| {
        let TypeParamBound::Trait(bound) = bound else {
            return None;
        };
        bound.path.segments.last().and_then(output_of)
    })
}

fn output_of(segment: &PathSegment) -> Option<Type> {
    let PathArguments::AngleBracketed(arguments) = &segment.arguments else {
        return None;
    };
    if segment.ident != "Future" && segment.ident != "FusedFuture" {
        return None;
    }
    arguments.args.iter().find_map(|argument| match argument {
        GenericArgument::AssocType(output) if output.ident == "Output" => Some(output.ty.clone()),
        _ => None,
    })
}

/// Replaces `impl Trait` by `_` at any depth; true when there was one.
fn erase(hint: &mut Type) -> bool {
    match hint {
        Type::ImplTrait(hidden) => {
            let underscore_token = Token![_](hidden.impl_token.span);
            *hint = Type::Infer(TypeInfer {
                attrs: Vec::new(),
                underscore_token,
            });
            true
        }
        Type::Group(inner) => erase(&mut inner.elem),
        Type::Paren(inner) => erase(&mut inner.elem),
        Type::Reference(inner) => erase(&mut inner.elem),
        Type::Ptr(inner) => erase(&mut inner.elem),
        Type::Array(inner) => erase(&mut inner.elem),
        Type::Slice(inner) => erase(&mut inner.elem),
        Type::Tuple(tuple) => any(tuple.elems.iter_mut(), erase),
        Type::Path(path) => any(path.path.segments.iter_mut(), erase_arguments),
        Type::TraitObject(object) => any(object.bounds.iter_mut(), |bound| match bound {
            TypeParamBound::Trait(bound) => any(bound.path.segments.iter_mut(), erase_arguments),
            _ => false,
        }),
        _ => false,
    }
}

fn erase_arguments(segment: &mut PathSegment) -> bool {
    match &mut segment.arguments {
        PathArguments::AngleBracketed(AngleBracketedGenericArguments { args, .. }) => {
            any(args.iter_mut(), |argument| match argument {
                GenericArgument::Type(argument) => erase(argument),
                GenericArgument::AssocType(argument) => erase(&mut argument.ty),
                _ => false,
            })
        }
        PathArguments::Parenthesized(arguments) => match &mut arguments.output {
            ReturnType::Type(_, output) => erase(output),
            ReturnType::Default => false,
        },
        PathArguments::None => false,
    }
}

/// `Result<(), E>` for `Result<T, E>`, by whatever name.
fn without_success(mut value: Type) -> Option<Type> {
    let Type::Path(path) = &mut value else {
        return None;
    };
    let PathArguments::AngleBracketed(arguments) = &mut path.path.segments.last_mut()?.arguments
    else {
        return None;
    };
    let Some(GenericArgument::Type(success)) = arguments.args.first_mut() else {
        return None;
    };
    *success = Type::Verbatim(quote_spanned!(Span::mixed_site()=> ()));
    Some(value)
}

fn has_hole(hint: TokenStream) -> bool {
    hint.into_iter().any(|token| match token {
        TokenTree::Ident(word) => word == "_",
        TokenTree::Group(group) => has_hole(group.stream()),
        _ => false,
    })
}

/// `Iterator::any` that does not stop at the first.
fn any<T>(items: impl Iterator<Item = T>, test: impl FnMut(T) -> bool) -> bool {
    items.map(test).filter(|found| *found).count() > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Returns {
        Returns::of(&syn::parse_str(&format!("-> {text}")).expect("test input is a return type"))
    }

    fn hint(text: &str) -> String {
        of(text).hint.to_string().replace(' ', "")
    }

    #[test]
    fn hidden_types_become_holes_at_any_depth() {
        assert_eq!(hint("Result<Vec<impl A>, E>"), "Result<Vec<_>,E>");
        assert_eq!(
            hint("(impl A, Box<dyn Iterator<Item = impl B>>)"),
            "(_,Box<dynIterator<Item=_>>)"
        );
        assert_eq!(hint("Box<dyn Fn(u8) -> impl A>"), "Box<dynFn(u8)->_>");
        assert!(of("[&impl A; 2]").hides_a_type);
        assert!(!of("[&A; 2]").hides_a_type);
    }

    #[test]
    fn futures_are_seen_through_their_usual_clothes() {
        let output = |text| match of(text).shape {
            Shape::Future(output) => format!("impl {}", output.to_token_stream()),
            Shape::BoxedFuture(output) => format!("box {}", output.to_token_stream()),
            Shape::UnpinnedFuture(output) => format!("unpinned {}", output.to_token_stream()),
            Shape::Never => "never".to_owned(),
            Shape::Value => "value".to_owned(),
        };
        assert_eq!(output("impl Future<Output = u8> + Send + 'a"), "impl u8");
        assert_eq!(
            output("impl ::std::future::Future<Output = impl A>"),
            "impl _"
        );
        assert_eq!(
            output("::core::pin::Pin<Box<dyn Future<Output = u8> + Send>>"),
            "box u8"
        );
        for alias in [
            "BoxFuture<'static, u8>",
            "LocalBoxFuture<u8, E>",
            "BoxFuture",
        ] {
            assert_eq!(
                output(alias).replace(' ', ""),
                format!("box<{alias}as::core::future::Future>::Output").replace(' ', "")
            );
        }
        assert_eq!(output("Self::BoxFuture"), "value");
        assert_eq!(output("impl FusedFuture<Output = u8> + 'a"), "impl u8");
        assert_eq!(output("Pin<Box<impl Future<Output = u8>>>"), "box u8");
        assert_eq!(output("Pin<Box<(dyn Future<Output = u8> + 'a)>>"), "box u8");
        assert_eq!(output("Pin<Box<Future<Output = u8>>>"), "box u8");
        assert_eq!(
            output("Box<dyn Future<Output = u8> + Unpin>"),
            "unpinned u8"
        );
        assert_eq!(output("Box<dyn Fn() -> u8>"), "value");
        assert_eq!(output("!"), "never");
        assert_eq!(output("impl Future"), "value");
        assert_eq!(output("Pin<&mut T>"), "value");
        assert_eq!(output("Pin<Box<T>>"), "value");
    }

    #[test]
    fn a_hidden_value_has_no_type_to_name() {
        let value = |text| {
            of(text)
                .value()
                .map(|value| value.to_string().replace(' ', ""))
        };
        assert_eq!(value("Result<A, B>").as_deref(), Some("Result<A,B>"));
        assert_eq!(value("impl Future<Output = A>").as_deref(), Some("A"));
        assert_eq!(
            value("Result<Vec<impl A>, B>").as_deref(),
            Some("Result<(),B>")
        );
        assert_eq!(value("Result<A, impl B>"), None);
        assert_eq!(value("impl Future<Output = (impl A,)>"), None);
    }

    #[test]
    fn only_syntax_proves_that_nothing_fails() {
        for text in [
            "()",
            "&Result<A, B>",
            "[A; 2]",
            "!",
            "(&A, B)",
            "((), A)",
            "impl Future<Output = ()>",
        ] {
            assert!(of(text).never_fails(), "{text}");
        }
        for text in ["A", "u8", "(StatusCode, A)", "impl A", "BoxFuture<'a, ()>"] {
            assert!(!of(text).never_fails(), "{text}");
        }
    }
}
