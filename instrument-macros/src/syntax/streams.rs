//! Where in a return type an `impl Stream` is, for `stream`: nobody but the compiler can name such a type, so it is wrapped
//! where it stands. Streams that have a name are found by their types.

use syn::punctuated::Punctuated;
use syn::{GenericArgument, Path, PathArguments, PathSegment, Token, Type, TypeParamBound};

/// An `impl Stream` in a return type.
pub(crate) struct StreamType {
    pub(crate) place: Place,
    /// What it hands out; `None` where the type does not say.
    pub(crate) item: Option<Type>,
}

/// How to get at it.
pub(crate) enum Place {
    /// It is all there is.
    Bare,
    /// `Result<…>`, `Option<…>` or `Response<…>`, all of which have `map`.
    Inside { declared: Type, place: Box<Place> },
}

impl StreamType {
    /// The stream in what is awaited or returned.
    pub(crate) fn in_value(value: &Type) -> Option<Self> {
        find(value)
    }

    /// Changes every type that is kept.
    pub(crate) fn change(&mut self, change: impl Fn(&mut Type)) {
        if let Some(item) = &mut self.item {
            change(item);
        }
        let mut place = &mut self.place;
        while let Place::Inside {
            declared,
            place: inside,
        } = place
        {
            change(declared);
            place = inside;
        }
    }

    /// Whether it is all of the result: then nothing but its items says how it went.
    pub(crate) fn is_all(&self) -> bool {
        matches!(self.place, Place::Bare)
    }
}

fn find(declared: &Type) -> Option<StreamType> {
    match declared {
        Type::Group(inner) => find(&inner.elem),
        Type::Paren(inner) => find(&inner.elem),
        Type::ImplTrait(hidden) => stream(&hidden.bounds),
        Type::Path(path) => in_path(&path.path),
        _ => None,
    }
}

fn in_path(path: &Path) -> Option<StreamType> {
    let segment = path.segments.last()?;
    let name = segment.ident.to_string();
    if !(name.ends_with("Result") || name == "Option" || name == "Response") {
        return None;
    }
    let inside = arguments(segment).find_map(|argument| match argument {
        GenericArgument::Type(argument) => Some(argument),
        _ => None,
    })?;
    let StreamType { place, item } = find(inside)?;
    Some(StreamType {
        place: Place::Inside {
            declared: inside.clone(),
            place: Box::new(place),
        },
        item,
    })
}

fn stream(bounds: &Punctuated<TypeParamBound, Token![+]>) -> Option<StreamType> {
    let segment = bounds.iter().find_map(|bound| match bound {
        TypeParamBound::Trait(bound) => {
            let segment = bound.path.segments.last()?;
            let streams = segment.ident == "Stream" || segment.ident == "FusedStream";
            streams.then_some(segment)
        }
        _ => None,
    })?;
    let item = arguments(segment).find_map(|argument| match argument {
        GenericArgument::AssocType(item) if item.ident == "Item" => Some(item.ty.clone()),
        _ => None,
    });
    Some(StreamType {
        place: Place::Bare,
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
        let mut place = &found.place;
        let mut told = String::new();
        while let Place::Inside { place: inner, .. } = place {
            told += "in ";
            place = inner;
        }
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
