//! How requests ended, as their clients have seen it, in a form that what was recorded can be compared with.

use std::collections::BTreeMap;
use std::fmt;

use axum::http::StatusCode;

use crate::client::Reply;
use crate::quickstart::error::DemoError;

/// How many requests ended, by tenant and outcome.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Ended(BTreeMap<(String, String), u64>);

impl Ended {
    pub(crate) fn add(&mut self, tenant: &str, outcome: &str, count: u64) {
        if count > 0 {
            let key = (tenant.to_owned(), outcome.to_owned());
            *self.0.entry(key).or_default() += count;
        }
    }

    pub(crate) fn of(&self, outcome: &str) -> u64 {
        let one = self.0.iter().filter(|((_, of), _)| of == outcome);
        one.map(|(_, count)| count).sum()
    }

    pub(crate) fn all(&self) -> u64 {
        self.0.values().sum()
    }

    /// The sums by one half of the key, most frequent first.
    fn by(&self, half: impl Fn(&(String, String)) -> &str) -> String {
        let mut sums: BTreeMap<&str, u64> = BTreeMap::new();
        for (key, count) in &self.0 {
            *sums.entry(half(key)).or_default() += count;
        }
        let mut sums: Vec<_> = sums.into_iter().collect();
        sums.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let text = |(what, count)| format!("{count} {what}");
        sums.into_iter().map(text).collect::<Vec<_>>().join(", ")
    }
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tenants = self.by(|(tenant, _)| tenant);
        write!(
            f,
            "{} (by tenant: {tenants})",
            self.by(|(_, outcome)| outcome)
        )
    }
}

/// What clients have seen.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub(crate) ended: Ended,
    pub(crate) right: u64,
}

impl Seen {
    /// Takes in the answer to a picture of `digit`, or to something that is none.
    pub(crate) fn look(
        &mut self,
        tenant: &str,
        digit: Option<u8>,
        reply: &Reply,
    ) -> Result<(), DemoError> {
        let (expected, what) = match digit {
            Some(_) => (StatusCode::OK, "a picture"),
            None => (StatusCode::BAD_REQUEST, "bad input"),
        };
        if reply.status != expected {
            return Err(DemoError::Answer {
                what,
                status: reply.status,
                body: String::from_utf8_lossy(&reply.body).into_owned(),
            });
        }
        match digit {
            Some(digit) => {
                self.ended.add(tenant, "ok", 1);
                self.right += u64::from(read_digit(&reply.body) == Some(digit));
            }
            None => self.ended.add(tenant, "rejected", 1),
        }
        Ok(())
    }

    pub(crate) fn extend(&mut self, other: &Seen) {
        for ((tenant, outcome), count) in &other.ended.0 {
            self.ended.add(tenant, outcome, *count);
        }
        self.right += other.right;
    }

    /// `262 of 265 (98.9 %)`.
    pub(crate) fn right_of_all(&self) -> String {
        let (right, all) = (self.right, self.ended.of("ok"));
        format!("{right} of {all} ({:.1} %)", self.right_percent())
    }

    pub(crate) fn right_percent(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "a few thousand")]
        let (right, all) = (self.right as f64, self.ended.of("ok") as f64);
        100.0 * right / all
    }
}

fn read_digit(body: &[u8]) -> Option<u8> {
    let answer: serde_json::Value = serde_json::from_slice(body).ok()?;
    u8::try_from(answer.get("digit")?.as_u64()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ended_reads_as_two_lists() {
        let mut ended = Ended::default();
        ended.add("acme", "ok", 2);
        ended.add("globex", "ok", 4);
        ended.add("acme", "cancelled", 7);
        ended.add("acme", "error", 0);
        assert_eq!(
            ended.to_string(),
            "7 cancelled, 6 ok (by tenant: 9 acme, 4 globex)"
        );
        assert_eq!((ended.of("ok"), ended.all()), (6, 13));
        assert_eq!(read_digit(b"{\"digit\":7,\"confidence\":1}"), Some(7));
        assert_eq!(read_digit(b"[]"), None);
    }
}
