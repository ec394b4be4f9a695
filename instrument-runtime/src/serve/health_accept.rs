//! Which form of an answer a client prefers.

use axum::http::HeaderMap;
use axum::http::header::ACCEPT;

/// Whether it asks for `application/health+json`, and not rather for plain JSON.
pub(crate) fn wants_draft(headers: &HeaderMap) -> bool {
    let draft = weight(headers, "application/health+json");
    draft > 0.0 && draft >= weight(headers, "application/json")
}

/// How much it wants a media type that it names; 0 where it does not.
fn weight(headers: &HeaderMap, media: &str) -> f32 {
    let accepted = headers.get_all(ACCEPT).iter();
    let named = accepted
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|range| {
            let mut parts = range.split(';').map(str::trim);
            parts
                .next()
                .filter(|name| name.eq_ignore_ascii_case(media))?;
            let quality = parts.find_map(|part| part.strip_prefix("q="));
            Some(quality.map_or(1.0, |quality| quality.parse().unwrap_or(0.0)))
        });
    named.fold(0.0, f32::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    #[test]
    fn the_draft_is_for_who_names_it() {
        let wants = |accept: &'static str| {
            wants_draft(&HeaderMap::from_iter([(
                ACCEPT,
                HeaderValue::from_static(accept),
            )]))
        };
        for accept in [
            "application/health+json",
            "text/html, Application/Health+JSON;q=0.5, */*;q=0.1",
            "application/health+json, application/json;q=0.9",
            "application/health+json;v=1;q=1",
        ] {
            assert!(wants(accept), "{accept}");
        }
        for accept in [
            "*/*",
            "",
            "application/json",
            "application/health+json;q=0",
            "application/health+json;q=NaN",
            "application/health+json;q=much",
            "application/health+json;q=0.1, application/json",
        ] {
            assert!(!wants(accept), "{accept}");
        }
        assert!(!wants_draft(&HeaderMap::new()));
    }
}
