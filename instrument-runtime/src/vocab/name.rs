//! The rule for stage names, as `const fn`s that expansions call on the user's own literal.

use crate::vocab::stage::{WELL_KNOWN, is_execution, is_well_known};

const LONGEST: usize = 32;

/// A stage's name; refused at compile time if it is malformed, or one edit away from a well-known one.
///
/// # Panics
/// At compile time, with the rule's text: that is its purpose.
#[track_caller]
#[must_use]
pub const fn stage_name(name: &'static str) -> &'static str {
    if is_well_known(name) {
        return name;
    }
    let name = custom_stage_name(name);
    let mut i = 0;
    while i < WELL_KNOWN.len() {
        if one_edit_apart(name, WELL_KNOWN[i]) {
            refuse_look_alike(i);
        }
        i += 1;
    }
    name
}

/// A stage's name; refused at compile time if it is malformed.
///
/// # Panics
/// At compile time, with the rule's text: that is its purpose.
#[track_caller]
#[must_use]
pub const fn custom_stage_name(name: &'static str) -> &'static str {
    let bytes = name.as_bytes();
    assert!(!bytes.is_empty(), "a stage needs a name, such as `execute`");
    assert!(
        bytes.len() <= LONGEST,
        "a stage name has at most 32 characters, such as `execute`: it is a label of every metric"
    );
    assert!(
        !bytes[0].is_ascii_digit() && bytes[0] != b'_',
        "a stage name begins with a letter, such as `execute`"
    );
    let mut i = 0;
    while i < bytes.len() {
        match bytes[i] {
            b'a'..=b'z' | b'0'..=b'9' | b'_' => {}
            b'A'..=b'Z' => {
                panic!("a stage name is lower case, with `_` between words, such as `top_k`")
            }
            b'-' | b'.' | b' ' | b'/' | b':' => {
                panic!("a stage name has `_` between its words, and nothing else, such as `top_k`")
            }
            _ => panic!(
                "a stage name is lower case letters from `a` to `z`, digits and `_`, such as `execute`"
            ),
        }
        i += 1;
    }
    name
}

/// The name of a stage with `stall`, and without `device`; refused at compile time if it is no execution.
///
/// # Panics
/// At compile time, with the rule's text: that is its purpose.
#[track_caller]
#[must_use]
pub const fn execution_name(name: &'static str) -> &'static str {
    assert!(
        is_execution(name),
        "`stall` is for executions, which are `execute`, `prefill`, `decode` and stages with `device`: add `device` if \
         this one runs there, or leave `stall` out"
    );
    name
}

/// A `const fn` cannot put a name together: one text for each.
#[track_caller]
const fn refuse_look_alike(well_known: usize) -> ! {
    match well_known {
        0 => {
            panic!("one letter away from `ingress`: did you mean \"ingress\"? If not, add `custom`")
        }
        1 => panic!("one letter away from `queue`: did you mean \"queue\"? If not, add `custom`"),
        2 => panic!(
            "one letter away from `preprocess`: did you mean \"preprocess\"? If not, add `custom`"
        ),
        3 => panic!("one letter away from `batch`: did you mean \"batch\"? If not, add `custom`"),
        4 => {
            panic!("one letter away from `execute`: did you mean \"execute\"? If not, add `custom`")
        }
        5 => panic!(
            "one letter away from `postprocess`: did you mean \"postprocess\"? If not, add `custom`"
        ),
        6 => {
            panic!("one letter away from `prefill`: did you mean \"prefill\"? If not, add `custom`")
        }
        _ => panic!("one letter away from `decode`: did you mean \"decode\"? If not, add `custom`"),
    }
}

const fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    let mut i = 0;
    while i < a.len() && i < b.len() && a[i] == b[i] {
        i += 1;
    }
    i
}

/// One substitution, insertion or deletion, or a swap of two neighbours.
const fn one_edit_apart(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let head = common_prefix(a, b);
    let mut tail = 0;
    while tail < a.len() - head
        && tail < b.len() - head
        && a[a.len() - 1 - tail] == b[b.len() - 1 - tail]
    {
        tail += 1;
    }
    match (a.len() - head - tail, b.len() - head - tail) {
        (1, 0 | 1) | (0, 1) => true,
        (2, 2) => a[head] == b[head + 1] && a[head + 1] == b[head],
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_edit_is_seen_in_every_place() {
        for typo in [
            "xecute", "eexecute", "execut", "executes", "exeucte", "execvte", "executE",
        ] {
            assert!(one_edit_apart(typo, "execute"), "{typo}");
        }
        for other in ["execute", "exxcvte", "rerank", "", "ex"] {
            assert!(!one_edit_apart(other, "execute"), "{other}");
        }
    }

    #[test]
    fn well_known_and_own_names_pass() {
        for name in ["execute", "rerank", "step_2", "a"] {
            assert_eq!(stage_name(name), name);
        }
        // two well-known names never refuse each other
        for name in WELL_KNOWN {
            assert_eq!(stage_name(name), name);
        }
    }

    #[test]
    fn malformed_names_are_refused() {
        for name in ["", "Execute", "1st", "_x", "a-b", "pre process", "größe"] {
            assert!(
                std::panic::catch_unwind(|| custom_stage_name(name)).is_err(),
                "{name}"
            );
        }
        let too_long = "abcdefghijklmnopqrstuvwxyz_0123456";
        assert!(std::panic::catch_unwind(|| custom_stage_name(too_long)).is_err());
    }
}
