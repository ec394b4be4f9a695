//! Durations as people write them: `"50ms"`.

/// Reads `"50ms"`, `"5s"`, `"2m"`, `"1h"` or `"200us"`: nanoseconds.
///
/// # Panics
/// At compile time, on the user's literal, when the text is not a duration.
#[track_caller]
pub const fn parse_duration(text: &str) -> u64 {
    let bytes = text.as_bytes();
    let mut at = 0;
    let mut number: u64 = 0;
    while at < bytes.len() && bytes[at].is_ascii_digit() {
        // `as`: `From` is not const
        number = match number.checked_mul(10) {
            Some(tens) => match tens.checked_add((bytes[at] - b'0') as u64) {
                Some(sum) => sum,
                None => panic!("the duration is too long"),
            },
            None => panic!("the duration is too long"),
        };
        at += 1;
    }
    assert!(
        at > 0,
        "a duration starts with a whole number, such as `50ms`, `5s` or `2m`"
    );
    let (_, unit) = bytes.split_at(at);
    let nanos = match unit {
        b"us" => 1_000,
        b"ms" => 1_000_000,
        b"s" => 1_000_000_000,
        b"m" => 60_000_000_000,
        b"h" => 3_600_000_000_000,
        b"" => panic!("a duration needs a unit: `us`, `ms`, `s`, `m` or `h`, such as `50ms`"),
        _ => panic!("unknown unit of a duration: use `us`, `ms`, `s`, `m` or `h`, such as `50ms`"),
    };
    assert!(number > 0, "a duration must be longer than zero");
    match number.checked_mul(nanos) {
        Some(total) => total,
        None => panic!("the duration is too long"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_as_written() {
        assert_eq!(parse_duration("50ms"), 50_000_000);
        assert_eq!(parse_duration("2m"), 120_000_000_000);
        assert_eq!(parse_duration("1h"), 3_600_000_000_000);
        assert_eq!(parse_duration("200us"), 200_000);
    }

    #[test]
    fn what_is_no_duration_is_refused() {
        for text in [
            "",
            "5",
            "0s",
            "s",
            "1.5s",
            "-1s",
            "5 s",
            "5sec",
            "99999999999999999999s",
            "99999999999h",
        ] {
            assert!(
                std::panic::catch_unwind(|| parse_duration(text)).is_err(),
                "{text}"
            );
        }
    }
}
