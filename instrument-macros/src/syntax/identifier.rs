//! Identifiers that are shown to anyone, in a check's `name` and `reason`. The runtime has the same rule for
//! `reason!`; here a message can show the very text that would have been right.

use crate::syntax::case;

const LONGEST: usize = 64;

/// What is wrong with `text`, called `what` ("a reason"), and the nearest that is right; `None` when nothing is.
pub(crate) fn mistake(what: &str, text: &str) -> Option<String> {
    if text.len() > LONGEST {
        return Some(format!(
            "{what} has at most {LONGEST} characters: this has {}",
            text.chars().count()
        ));
    }
    if is_right(text) {
        return None;
    }
    let near = case::snake(text.trim()).replace(|c: char| !fits(c), "_");
    let hint = if text.is_ascii() && is_right(&near) {
        format!("write `\"{near}\"`")
    } else {
        "such as `\"redis_down\"`".to_owned()
    };
    Some(format!(
        "{what} is lower case letters, digits and `_`: {hint}"
    ))
}

fn is_right(text: &str) -> bool {
    (1..=LONGEST).contains(&text.len()) && text.chars().all(fits)
}

fn fits(c: char) -> bool {
    matches!(c, 'a'..='z' | '0'..='9' | '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_shown_as_it_would_be_right() {
        let long = "a".repeat(65);
        for (text, part) in [
            ("Redis", "write `\"redis\"`"),
            ("RedisDown", "write `\"redis_down\"`"),
            ("redis-down", "write `\"redis_down\"`"),
            ("redis down", "write `\"redis_down\"`"),
            ("größe", "such as `\"redis_down\"`"),
            ("", "such as `\"redis_down\"`"),
            (&long, "at most 64 characters: this has 65"),
        ] {
            let said = mistake("a reason", text).expect(text);
            assert!(said.contains(part), "{text}: {said}");
        }
        let longest = "a".repeat(64);
        for right in ["redis_down_2", "2", &longest] {
            assert_eq!(mistake("a reason", right), None);
        }
    }
}
