//! What `route = …` takes.

use crate::vocab::label::cut;
use std::borrow::Cow;
use std::sync::Arc;

/// A route, as a text; `None` where there is none.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no route",
    label = "expected a text, or an `Option` of one",
    note = "a route is a text such as `&str` or `String`: of a `MatchedPath` of axum, `route = path.as_str()`"
)]
pub trait AsRoute {
    /// The text.
    fn as_route(&self) -> Option<&str>;
}

impl AsRoute for str {
    fn as_route(&self) -> Option<&str> {
        Some(self)
    }
}

impl AsRoute for String {
    fn as_route(&self) -> Option<&str> {
        Some(self)
    }
}

impl AsRoute for Cow<'_, str> {
    fn as_route(&self) -> Option<&str> {
        Some(self)
    }
}

#[diagnostic::do_not_recommend]
impl<R: AsRoute + ?Sized> AsRoute for &R {
    fn as_route(&self) -> Option<&str> {
        (**self).as_route()
    }
}

#[diagnostic::do_not_recommend]
impl<R: AsRoute + ?Sized> AsRoute for Arc<R> {
    fn as_route(&self) -> Option<&str> {
        (**self).as_route()
    }
}

#[diagnostic::do_not_recommend]
impl<R: AsRoute> AsRoute for Option<R> {
    fn as_route(&self) -> Option<&str> {
        self.as_ref().and_then(AsRoute::as_route)
    }
}

/// Asks a route for its text: at most 128 bytes are kept, and an empty one is none.
pub fn route<R: AsRoute + ?Sized>(value: &R) -> Option<&str> {
    value.as_route().map(cut).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_routes_and_so_are_options_of_them() {
        let text = "/predict/{model}";
        assert_eq!(route(text), Some(text));
        assert_eq!(route(&text), Some(text));
        assert_eq!(route(&Some(text.to_owned())), Some(text));
        assert_eq!(route(&Some(&Cow::Borrowed(text))), Some(text));
        assert_eq!(route(&Arc::<str>::from(text)), Some(text));
        assert_eq!(route(&None::<String>), None);
        assert_eq!(route(""), None);
        assert_eq!(route(&"é".repeat(100)).map(str::len), Some(128));
    }
}
