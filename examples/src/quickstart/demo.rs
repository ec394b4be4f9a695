//! Clients for the quickstart: they send digits, bad input, and requests that nobody waits for, and compare what they
//! have seen with what was recorded.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use instrument_inference::Telemetry;
use tokio::time::sleep;

use crate::client::{Client, Sent};
use crate::digits::{Image, heldout};
use crate::quickstart::comparison::compare;
use crate::quickstart::error::{DemoError, PATIENCE};
use crate::quickstart::flags::Flags;
use crate::quickstart::load::{ANONYMOUS, Job, send_all};
use crate::quickstart::recorded::Recorded;
use crate::quickstart::seen::Seen;

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

const PAUSE: Duration = Duration::from_micros(500);

/// How often health counts who waits.
const COUNTED: Duration = Duration::from_millis(250);

/// Sends requests to the service at `http` and prints what they saw and what `telemetry` has recorded of them: 300 of
/// several kinds, then many digits, once executed each alone and once in batches. In the end it asks how the service is.
///
/// # Errors
///
/// If one is not answered as it should, too many digits are read wrong, or the two disagree.
pub async fn demo(http: SocketAddr, telemetry: &Telemetry, flags: &Flags) -> Result<(), DemoError> {
    if !telemetry.is_enabled() {
        return Err(DemoError::Disabled);
    }
    let heldout = heldout();
    let began = Instant::now();
    let jobs = Arc::new(jobs(&heldout));
    let mut seen = send_all(http, "/predict", CLIENTS, &jobs).await?;
    let large = heldout[DIGITS].0.to_png_scaled(LARGE);
    let digit = heldout[DIGITS].1;
    send_and_leave(http, telemetry, (&large, digit), &mut seen).await?;
    let (requests, seconds) = (seen.ended.all(), began.elapsed().as_secs_f64());
    println!("{requests} requests from {CLIENTS} clients in {seconds:.1} s");
    println!("answers right: {}", seen.right_of_all());
    println!("\n{}", telemetry.summary());

    let comparison = compare(http, telemetry, flags, &heldout).await?;
    println!("{comparison}");
    seen.extend(&comparison.seen());

    if seen.right_percent() < RIGHT_PERCENT {
        let (right, all) = (seen.right, seen.ended.of("ok"));
        return Err(DemoError::Wrong { right, all });
    }
    let (clients, metrics) = (seen.ended, Recorded::now(telemetry).ended());
    if clients != metrics {
        return Err(DemoError::Disagree {
            clients: clients.to_string(),
            metrics: metrics.to_string(),
        });
    }
    println!("clients and metrics agree: {clients}");
    match telemetry.health_addr() {
        Some(health) => show_health(health).await,
        None => Ok(()),
    }
}

/// What a probe is told after all that. How many wait is counted four times a second: a moment ago there were some.
async fn show_health(health: SocketAddr) -> Result<(), DemoError> {
    let mut client = Client::new(health);
    let end = Instant::now() + PATIENCE;
    let body = loop {
        let reply = client.get("/health?verbose").await?;
        let body = String::from_utf8_lossy(&reply.body).into_owned();
        if reply.status != StatusCode::OK {
            return Err(DemoError::Answer {
                what: "/health",
                status: reply.status,
                body,
            });
        }
        if body.contains("\"queue_depth\":0,") {
            break body;
        }
        late(end)?;
        sleep(COUNTED / 4).await;
    };
    println!("\nhow it is, from http://{health}/health?verbose\n{body}");
    Ok(())
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

/// Clients that leave while the server works for them, one after the other.
///
/// Each leaves once its request is known to be worked on. Whether the server was quicker than that nobody can know
/// beforehand, so it is read from the connection, and another client comes instead.
async fn send_and_leave(
    http: SocketAddr,
    telemetry: &Telemetry,
    (large, digit): (&[u8], u8),
    seen: &mut Seen,
) -> Result<(), DemoError> {
    for _ in 0..MOST_ATTEMPTS {
        if seen.ended.of("cancelled") == IMPATIENT {
            return Ok(());
        }
        let sent = Sent::post(http, "/predict", large).await?;
        begun(telemetry, &sent).await?;
        match sent.leave().await? {
            Some(reply) => seen.look(ANONYMOUS, Some(digit), &reply)?,
            None => seen.ended.add(ANONYMOUS, "cancelled", 1),
        }
        // The connection is closed a moment before the request is over.
        let end = Instant::now() + PATIENCE;
        while Recorded::now(telemetry).any_in_flight("inference_requests_in_flight") {
            late(end)?;
            sleep(PAUSE).await;
        }
    }
    Err(DemoError::TooFast {
        attempts: MOST_ATTEMPTS,
    })
}

/// Waits until a handler works for the only request that there is, or has answered it.
async fn begun(telemetry: &Telemetry, sent: &Sent) -> Result<(), DemoError> {
    let end = Instant::now() + PATIENCE;
    let works = || {
        let recorded = Recorded::now(telemetry);
        recorded.sum("inference_stage_in_flight", ("stage", "preprocess")) > 0.5
    };
    while !works() && !sent.answered_within(PAUSE).await {
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
}
