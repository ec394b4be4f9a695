//! `CamelCase` as `snake_case`.

/// `BatchSize`, `batchSize` and `BATCH_SIZE` as `batch_size`, `HTTPStatus` as `http_status`. Digits stay with the word
/// before them: `Int8` is `int8`.
pub(crate) fn snake(name: &str) -> String {
    let chars: Vec<char> = name.chars().collect();
    let mut snake = String::new();
    for (at, c) in chars.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| chars[at]);
        let after_word = before.is_some_and(|b| b.is_lowercase() || b.is_numeric());
        // the last capital of a run begins the next word
        let begins_word = before.is_some_and(char::is_uppercase)
            && chars.get(at + 1).is_some_and(|next| next.is_lowercase());
        if c.is_uppercase() && (after_word || begins_word) {
            snake.push('_');
        }
        snake.extend(c.to_lowercase());
    }
    snake
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found() {
        for (name, expected) in [
            ("Free", "free"),
            ("BatchSize", "batch_size"),
            ("batchSize", "batch_size"),
            ("BATCH_SIZE", "batch_size"),
            ("HTTPStatus", "http_status"),
            ("UserIP", "user_ip"),
            ("Int8", "int8"),
            ("V2Lite", "v2_lite"),
            ("F", "f"),
            ("A_B", "a_b"),
            ("Größe", "größe"),
            ("ÄrgerÖl", "ärger_öl"),
        ] {
            assert_eq!(snake(name), expected);
        }
    }
}
