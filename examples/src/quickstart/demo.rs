//! Clients for the quickstart: they send digits, bad input, and requests that nobody waits for, and compare what they
//! have seen with what was recorded.

use std::collections::BTreeMap;
use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Bytes;
use axum::http::StatusCode;
use instrument_inference::Telemetry;
use thiserror::Error;
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::client::{Client, ClientError, Reply, Sent};
use crate::digits::{Image, heldout};

const DIGITS: usize = 265;
const BAD: usize = 20;
const IMPATIENT: u64 = 15;

const CLIENTS: usize = 4;

/// Answers that have to be right. The model reads 99 % of the digits; below this, something is broken.
const RIGHT_PERCENT: f64 = 95.0;

/// Sides of a picture that takes long enough to decode that its client can give up meanwhile.
const LARGE: u32 = 4000;

/// Large pictures that may be answered all the same, before it counts as a failure that nobody can give up in time.
const MOST_ATTEMPTS: u64 = 10 * IMPATIENT;

/// How long the server may take to begin with a request, or to notice that its client has left.
const PATIENCE: Duration = Duration::from_secs(20);
const PAUSE: Duration = Duration::from_micros(500);

/// Why the demo did not show what it should.
#[derive(Debug, Error)]
pub enum DemoError {
    /// Nothing is recorded.
    #[error("the demo shows what was recorded, and INSTRUMENT_DISABLED turns recording off")]
    Disabled,
    /// A request was not answered.
    #[error("a request of the demo was not answered")]
    Client(#[from] ClientError),
    /// A request was answered in another way than it should.
    #[error("{what} was answered with {status}: {body}")]
    Answer {
        /// The request.
        what: &'static str,
        /// The status code.
        status: StatusCode,
        /// The body.
        body: String,
    },
    /// Too many digits were read wrong.
    #[error("only {right} of {all} answers are right")]
    Wrong {
        /// Right answers.
        right: u64,
        /// All answers.
        all: u64,
    },
    /// A request did not begin, or did not end.
    #[error("inference_requests_in_flight has not followed the only request within {PATIENCE:?}")]
    InFlight,
    /// No client could leave before it was answered.
    #[error(
        "of {MOST_ATTEMPTS} large pictures, nearly all were answered before their clients could leave"
    )]
    TooFast,
    /// The clients have seen something else than what was recorded.
    #[error("the clients saw {clients}, the metrics say {metrics}")]
    Disagree {
        /// What the clients saw.
        clients: String,
        /// What was recorded.
        metrics: String,
    },
}

/// Sends 300 requests to the service at `http` and prints what they saw and what `telemetry` has recorded of them.
///
/// # Errors
///
/// If one is not answered as it should, too many digits are read wrong, or the two disagree.
pub async fn demo(http: SocketAddr, telemetry: &Telemetry) -> Result<(), DemoError> {
    if !telemetry.is_enabled() {
        return Err(DemoError::Disabled);
    }
    let heldout = heldout();
    let began = Instant::now();
    let mut seen = send_all(http, jobs(&heldout)).await?;
    let large = heldout[DIGITS].0.to_png_scaled(LARGE);
    let digit = heldout[DIGITS].1;
    send_and_leave(http, telemetry, (&large, digit), &mut seen).await?;
    let seconds = began.elapsed().as_secs_f64();
    let requests = seen.ok + seen.rejected + seen.cancelled;

    println!("{requests} requests from {CLIENTS} clients in {seconds:.1} s");
    println!(
        "answers right: {} of {} ({:.1} %)",
        seen.right,
        seen.ok,
        seen.right_percent()
    );
    println!("\n{}", telemetry.summary());
    if seen.right_percent() < RIGHT_PERCENT {
        let (right, all) = (seen.right, seen.ok);
        return Err(DemoError::Wrong { right, all });
    }
    let (clients, metrics) = (seen.outcomes(), recorded(telemetry));
    if clients.0 != metrics.0 {
        return Err(DemoError::Disagree {
            clients: clients.to_string(),
            metrics: metrics.to_string(),
        });
    }
    println!("client and metrics agree: {clients}");
    Ok(())
}

/// One upload, and the digit that it shows; `None` where it shows none.
#[derive(Clone)]
struct Job {
    upload: Bytes,
    digit: Option<u8>,
}

/// The uploads that are waited for, bad ones spread among good ones.
fn jobs(heldout: &[(Image, u8)]) -> Vec<Job> {
    let whole = heldout[0].0.to_png();
    let bad: [&[u8]; 4] = [
        b"not a picture",
        b"",
        &whole[..whole.len() / 2],
        b"\xff\xd8\xff\xe0 a photograph",
    ];
    let job = |upload: Vec<u8>, digit| Job {
        upload: upload.into(),
        digit,
    };
    let mut jobs: Vec<_> = heldout[..DIGITS]
        .iter()
        .map(|(image, digit)| job(image.to_png(), Some(*digit)))
        .collect();
    for (number, upload) in bad.into_iter().cycle().take(BAD).enumerate() {
        jobs.insert(number * (DIGITS / BAD), job(upload.to_vec(), None));
    }
    jobs
}

/// What the clients have seen.
#[derive(Debug, Default)]
struct Seen {
    ok: u64,
    right: u64,
    rejected: u64,
    cancelled: u64,
}

impl Seen {
    fn look(&mut self, digit: Option<u8>, reply: &Reply) -> Result<(), DemoError> {
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
                self.ok += 1;
                self.right += u64::from(read_digit(&reply.body) == Some(digit));
            }
            None => self.rejected += 1,
        }
        Ok(())
    }

    fn right_percent(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "a few hundred")]
        let (right, all) = (self.right as f64, self.ok as f64);
        100.0 * right / all
    }

    fn outcomes(&self) -> Outcomes {
        Outcomes(
            [
                ("ok", self.ok),
                ("rejected", self.rejected),
                ("cancelled", self.cancelled),
            ]
            .map(|(outcome, count)| (outcome.to_owned(), count))
            .into_iter()
            .filter(|(_, count)| *count > 0)
            .collect(),
        )
    }
}

fn read_digit(body: &[u8]) -> Option<u8> {
    let answer: serde_json::Value = serde_json::from_slice(body).ok()?;
    u8::try_from(answer.get("digit")?.as_u64()?).ok()
}

/// Several clients share the jobs and wait for each answer.
async fn send_all(http: SocketAddr, jobs: Vec<Job>) -> Result<Seen, DemoError> {
    let jobs = Arc::new(jobs);
    let mut clients = JoinSet::new();
    for first in 0..CLIENTS {
        let jobs = Arc::clone(&jobs);
        clients.spawn(async move {
            let mut client = Client::new(http);
            let mut seen = Seen::default();
            for Job { upload, digit } in jobs.iter().skip(first).step_by(CLIENTS).cloned() {
                let reply = client.post("/predict", upload).await?;
                seen.look(digit, &reply)?;
            }
            Ok::<_, DemoError>(seen)
        });
    }
    let mut all = Seen::default();
    while let Some(ended) = clients.join_next().await {
        let seen = ended.expect("clients do not panic")?;
        all.ok += seen.ok;
        all.right += seen.right;
        all.rejected += seen.rejected;
    }
    Ok(all)
}

/// Clients that leave while the server works for them, one after the other.
///
/// Each leaves once its request is known to have begun. Whether the server was quicker than that nobody can know
/// beforehand, so it is read from the connection, and another client comes instead.
async fn send_and_leave(
    http: SocketAddr,
    telemetry: &Telemetry,
    (large, digit): (&[u8], u8),
    seen: &mut Seen,
) -> Result<(), DemoError> {
    for _ in 0..MOST_ATTEMPTS {
        if seen.cancelled == IMPATIENT {
            return Ok(());
        }
        let sent = Sent::post(http, "/predict", large).await?;
        begun(telemetry, &sent).await?;
        match sent.leave().await? {
            Some(reply) => seen.look(Some(digit), &reply)?,
            None => seen.cancelled += 1,
        }
        // The connection is closed a moment before the request is over.
        let end = Instant::now() + PATIENCE;
        while in_flight(telemetry) != 0 {
            late(end)?;
            sleep(PAUSE).await;
        }
    }
    Err(DemoError::TooFast)
}

/// Waits until the server works for the only request that there is, or has answered it.
async fn begun(telemetry: &Telemetry, sent: &Sent) -> Result<(), DemoError> {
    let end = Instant::now() + PATIENCE;
    while in_flight(telemetry) == 0 && !sent.answered_within(PAUSE).await {
        late(end)?;
    }
    Ok(())
}

fn late(end: Instant) -> Result<(), DemoError> {
    if Instant::now() < end {
        Ok(())
    } else {
        Err(DemoError::InFlight)
    }
}

fn in_flight(telemetry: &Telemetry) -> u64 {
    let scrape = telemetry.scrape();
    let gauges = scrape
        .lines()
        .filter(|line| line.starts_with("inference_requests_in_flight{"));
    gauges
        .filter_map(|line| line.rsplit_once(' ')?.1.parse::<u64>().ok())
        .sum()
}

/// How many requests ended, by outcome.
struct Outcomes(BTreeMap<String, u64>);

impl fmt::Display for Outcomes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Most frequent first.
        let mut outcomes: Vec<_> = self
            .0
            .iter()
            .map(|(outcome, count)| (count, outcome))
            .collect();
        outcomes.sort_by(|a, b| b.cmp(a));
        let texts: Vec<_> = outcomes
            .iter()
            .map(|(count, outcome)| format!("{count} {outcome}"))
            .collect();
        f.write_str(&texts.join(", "))
    }
}

fn recorded(telemetry: &Telemetry) -> Outcomes {
    let mut outcomes = BTreeMap::new();
    for row in telemetry.summary().rows() {
        if row.stage.is_none() {
            *outcomes.entry(row.outcome.clone()).or_default() += row.count;
        }
    }
    Outcomes(outcomes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_input_is_spread_among_the_digits() {
        let jobs = jobs(&heldout());
        let bad = |jobs: &[Job]| jobs.iter().filter(|job| job.digit.is_none()).count();
        assert_eq!((jobs.len(), bad(&jobs)), (DIGITS + BAD, BAD));
        assert!(jobs.chunks_exact(40).all(|some| bad(some) > 0));
    }

    #[test]
    fn outcomes_read_as_a_list() {
        let seen = Seen {
            ok: 3,
            cancelled: 5,
            ..Seen::default()
        };
        assert_eq!(seen.outcomes().to_string(), "5 cancelled, 3 ok");
        assert_eq!(read_digit(b"{\"digit\":7,\"confidence\":1}"), Some(7));
        assert_eq!(read_digit(b"[]"), None);
    }
}
