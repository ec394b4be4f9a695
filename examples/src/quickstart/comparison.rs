//! The same load for two versions of the model, one that executes each image alone and one that batches, in turns, so
//! that whatever else the machine does meets both.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use instrument_inference::{Summary, Telemetry};

use crate::digits::Image;
use crate::quickstart::error::DemoError;
use crate::quickstart::flags::Flags;
use crate::quickstart::load::{Job, send_all};
use crate::quickstart::recorded::Recorded;
use crate::quickstart::seen::Seen;
use crate::quickstart::versions::{Version, compared};

const CLIENTS: usize = 32;

/// How many times each version reads all digits.
const ROUNDS: usize = 4;

/// In the order in which a request goes through them.
const STAGES: [&str; 6] = [
    "ingress",
    "turn",
    "preprocess",
    "queue",
    "execute",
    "postprocess",
];

/// What was measured of both.
pub(crate) struct Comparison {
    requests: u64,
    sides: [Side; 2],
    summary: Summary,
}

/// One of the two.
struct Side {
    version: Version,
    seen: Seen,
    took: Duration,
    images_per_execution: f64,
    seconds_per_image: f64,
}

/// Sends the digits and takes in what clients and metrics say.
pub(crate) async fn compare(
    http: SocketAddr,
    telemetry: &Telemetry,
    flags: &Flags,
    digits: &[(Image, u8)],
) -> Result<Comparison, DemoError> {
    let job = |(image, digit): &(Image, u8)| Job {
        upload: image.to_png().into(),
        digit: Some(*digit),
    };
    let jobs: Arc<Vec<_>> = Arc::new(digits.iter().map(job).collect());
    let mut sides = compared(flags).map(|version| Side {
        version,
        seen: Seen::default(),
        took: Duration::ZERO,
        images_per_execution: 0.0,
        seconds_per_image: 0.0,
    });
    for _ in 0..ROUNDS {
        for side in &mut sides {
            let path = format!("{}/predict", side.version.path);
            let began = Instant::now();
            let seen = send_all(http, &path, CLIENTS, &jobs).await?;
            side.took += began.elapsed();
            side.seen.extend(&seen);
        }
    }
    let recorded = Recorded::now(telemetry);
    for side in &mut sides {
        let sum = |family| recorded.sum(family, ("version", side.version.name));
        let images = sum("inference_batch_size_sum");
        side.images_per_execution = images / sum("inference_batch_size_count");
        side.seconds_per_image = sum("inference_compute_seconds_total") / images;
    }
    Ok(Comparison {
        requests: sides[0].seen.ended.all(),
        sides,
        summary: telemetry.summary(),
    })
}

impl Comparison {
    /// What the clients saw of both.
    pub(crate) fn seen(&self) -> Seen {
        let mut seen = Seen::default();
        self.sides.iter().for_each(|side| seen.extend(&side.seen));
        seen
    }

    /// The median and the 95th percentile of what ended well, by version.
    fn quantiles(&self, stage: Option<&str>) -> [Option<[f64; 2]>; 2] {
        [&self.sides[0], &self.sides[1]].map(|side| {
            let row = self.summary.rows().iter().find(|row| {
                row.version == side.version.name
                    && row.outcome == "ok"
                    && row.stage.as_deref() == stage
            });
            row.map(|row| [row.p50, row.p95])
        })
    }
}

impl Side {
    #[expect(clippy::cast_precision_loss, reason = "a few thousand")]
    fn per_second(&self) -> f64 {
        self.seen.ended.all() as f64 / self.took.as_secs_f64()
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Comparison {
            requests, sides, ..
        } = self;
        let [single, batched] = sides;
        writeln!(
            f,
            "the same {requests} digits from {CLIENTS} clients, each image alone and in batches"
        )?;
        let [one, other] = [single, batched].map(|side| {
            let Version {
                name, max_batch, ..
            } = side.version;
            format!("{name} (--max-batch {max_batch})")
        });
        writeln!(f, "  {:<22}{one:>28}{other:>30}", "version")?;
        let heading = format!("{:>14}{:>14}", "p50", "p95");
        writeln!(f, "  {:<22}{heading}  {heading}", "stage")?;
        for stage in [None].into_iter().chain(STAGES.map(Some)) {
            let [Some(one), Some(other)] = self.quantiles(stage) else {
                continue;
            };
            let name = stage.unwrap_or("(request)");
            let text = |both: [f64; 2]| {
                let [p50, p95] = both.map(readable);
                format!("{p50:>14}{p95:>14}")
            };
            writeln!(f, "  {name:<22}{}  {}", text(one), text(other))?;
        }
        let mut line = |name: &str, one: String, other: String, times: f64| {
            writeln!(f, "  {name:<22}{one:>28}{other:>30}   {times:.2} times")
        };
        line(
            "images per execution",
            format!("{:.1}", single.images_per_execution),
            format!("{:.1}", batched.images_per_execution),
            batched.images_per_execution / single.images_per_execution,
        )?;
        line(
            "model time per image",
            readable(single.seconds_per_image),
            readable(batched.seconds_per_image),
            batched.seconds_per_image / single.seconds_per_image,
        )?;
        line(
            "requests per second",
            format!("{:.0}", single.per_second()),
            format!("{:.0}", batched.per_second()),
            batched.per_second() / single.per_second(),
        )
    }
}

fn readable(seconds: f64) -> String {
    if seconds < 1e-3 {
        format!("{:.1} µs", seconds * 1e6)
    } else {
        format!("{:.2} ms", seconds * 1e3)
    }
}
