//! Where in a return type an `impl Stream` is, for `stream`: nobody but the compiler can name such a type, so it is wrapped
//! where it stands. Streams that have a name are found by their types.

use syn::punctuated::Punctuated;
use syn::{GenericArgument, Path, PathArguments, PathSegment, Token, Type, TypeParamBound};

/// An `impl Stream` in a return type.
pub(crate) struct StreamType {
    /// What it is inside of, by the type that is inside: `Result<…>`, `Option<…>`, `Response<…>`, all of which have `map`.
    /// From the outside inwards.
    pub(crate) inside: Vec<Type>,
    /// What it hands out; `None` where the type does not say.
    pub(crate) item: Option<Type>,
}

impl StreamType {
    /// The stream in what is awaited or returned.
    pub(crate) fn in_value(value: &Type) -> Option<Self> {
        match value {
            Type::Group(value) => Self::in_value(&value.elem),
            Type::Paren(value) => Self::in_value(&value.elem),
            Type::ImplTrait(hidden) => bare(&hidden.bounds),
            Type::Path(path) => within(&path.path),
            _ => None,
        }
    }

    /// Changes every type that is kept.
    pub(crate) fn change(&mut self, change: impl Fn(&mut Type)) {
        self.inside
            .iter_mut()
            .chain(&mut self.item)
            .for_each(change);
    }
}

fn within(path: &Path) -> Option<StreamType> {
    let segment = path.segments.last()?;
    let name = segment.ident.to_string();
    if !(name.ends_with("Result") || name == "Option" || name == "Response") {
        return None;
    }
    let inside = arguments(segment).find_map(|argument| match argument {
        GenericArgument::Type(argument) => Some(argument),
        _ => None,
    })?;
    let mut stream = StreamType::in_value(inside)?;
    stream.inside.insert(0, inside.clone());
    Some(stream)
}

fn bare(bounds: &Punctuated<TypeParamBound, Token![+]>) -> Option<StreamType> {
    let stream = bounds.iter().find_map(|bound| match bound {
        TypeParamBound::Trait(bound) => {
            let segment = bound.path.segments.last()?;
            let streams = segment.ident == "Stream" || segment.ident == "FusedStream";
            streams.then_some(segment)
        }
        _ => None,
    })?;
    let item = arguments(stream).find_map(|argument| match argument {
        GenericArgument::AssocType(item) if item.ident == "Item" => Some(item.ty.clone()),
        _ => None,
    });
    Some(StreamType {
        inside: Vec::new(),
        item,
    })
}

fn arguments(segment: &PathSegment) -> impl Iterator<Item = &GenericArgument> {
    let arguments = match &segment.arguments {
        PathArguments::AngleBracketed(arguments) => Some(arguments.args.iter()),
        _ => None,
    };
    arguments.into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::ToTokens;

    fn seen(text: &str) -> Option<String> {
        let declared = syn::parse_str(text).expect("test input is a type");
        let found = StreamType::in_value(&declared)?;
        let told = "in ".repeat(found.inside.len());
        let item = found.item.map(|item| item.to_token_stream().to_string());
        Some(told + &item.unwrap_or_default().replace(' ', ""))
    }

    #[test]
    fn hidden_streams_are_seen() {
        for (text, told) in [
            ("impl Stream<Item = u8> + Send + 'a", "u8"),
            ("impl ::futures::Stream<Item = impl A>", "implA"),
            ("impl FusedStream<Item = u8> + use<'a>", "u8"),
            ("impl Stream", ""),
            ("Result<impl Stream<Item = u8>, E>", "in u8"),
            ("ApiResult<impl Stream<Item = u8>>", "in u8"),
            (
                "Result<Response<impl Stream<Item = u8>>, Status>",
                "in in u8",
            ),
            ("Option<impl Stream<Item = u8>>", "in u8"),
        ] {
            assert_eq!(seen(text).as_deref(), Some(told), "{text}");
        }
        for text in [
            "u8",
            "impl Iterator<Item = u8>",
            "Sse<impl Stream<Item = u8>>",
            "BoxStream<'static, u8>",
            "Self::GenerateStream",
            "Result<(), E>",
            "(impl Stream<Item = u8>, u8)",
        ] {
            assert_eq!(seen(text), None, "{text}");
        }
    }
}
