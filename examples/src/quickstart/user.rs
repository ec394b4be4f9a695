//! Who calls: as much authentication as an example needs.

use axum::Json;
use axum::extract::FromRequestParts;
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};

use crate::client::API_KEY;

/// Keys and their tenants. A real service has them in a store, and hashed.
const KEYS: [(&str, &str); 2] = [("demo-acme", "acme"), ("demo-globex", "globex")];

/// A caller whose API key is known, or who has none: trying it out should need nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct User {
    tenant: &'static str,
}

/// An API key that nobody has been given. The answer is 401.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownKey;

impl User {
    /// Whose requests these are. One of a few names of ours, whatever the client sends.
    pub fn tenant(&self) -> &'static str {
        self.tenant
    }

    fn of(key: Option<&[u8]>) -> Result<User, UnknownKey> {
        let Some(key) = key else {
            return Ok(User {
                tenant: "anonymous",
            });
        };
        let known = KEYS.iter().find(|(known, _)| known.as_bytes() == key);
        let (_, tenant) = known.ok_or(UnknownKey)?;
        Ok(User { tenant })
    }
}

impl<S: Sync> FromRequestParts<S> for User {
    type Rejection = UnknownKey;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<User, UnknownKey> {
        User::of(parts.headers.get(API_KEY).map(AsRef::as_ref))
    }
}

impl IntoResponse for UnknownKey {
    fn into_response(self) -> Response {
        let text = serde_json::json!({ "error": "the API key is not known" });
        (StatusCode::UNAUTHORIZED, Json(text)).into_response()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_known_or_refused() {
        let tenant = |key: Option<&str>| User::of(key.map(str::as_bytes)).map(|user| user.tenant());
        assert_eq!(tenant(None), Ok("anonymous"));
        assert_eq!(tenant(Some("demo-globex")), Ok("globex"));
        for key in ["", "globex", "anonymous", "demo-acme "] {
            assert_eq!(tenant(Some(key)), Err(UnknownKey), "{key}");
        }
    }
}
