//! The stage table: what a person wants to see first.

use crate::export::prometheus::{Gathered, HistogramPoint};
use crate::record::catalog;
use crate::record::observed::{Activity, Observed};
use crate::vocab::outcome::Outcome;
use std::collections::BTreeMap;
use std::fmt;

/// What was recorded since the start: a row for each stage and outcome, and where the time went. Print it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Summary {
    rows: Vec<SummaryRow>,
    /// Seconds by stage; the last one is what no stage covers.
    time: Vec<(String, f64)>,
    /// Seconds of all requests together.
    total: f64,
}

/// One row of a [`Summary`]. Durations are in seconds.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SummaryRow {
    /// The model's name.
    pub model: String,
    /// The model's version.
    pub version: String,
    /// The stage; `None` for requests as a whole.
    pub stage: Option<String>,
    /// How they ended.
    pub outcome: String,
    /// How many.
    pub count: u64,
    /// The median, interpolated within its bucket.
    pub p50: f64,
    /// The 95th percentile, interpolated within its bucket.
    pub p95: f64,
    /// The 99th percentile, interpolated within its bucket.
    pub p99: f64,
    /// The longest.
    pub max: f64,
}

impl Summary {
    pub(crate) fn new(gathered: &Gathered, observed: &Observed) -> Summary {
        let requests = merged(gathered.histograms(catalog::REQUEST_DURATION.name));
        let stages = merged(gathered.histograms(catalog::STAGE_DURATION.name));
        let longest = longest(observed);
        let rows = requests.iter().chain(&stages).map(|(group, point)| {
            let max = longest.get(group).copied();
            // an estimate within a bucket may lie above the longest that there was
            let quantile = |q| quantile(point, q).min(max.unwrap_or(f64::INFINITY));
            SummaryRow {
                model: group.model.clone(),
                version: group.version.clone(),
                stage: group.stage.clone(),
                outcome: group.outcome.clone(),
                count: point.count,
                p50: quantile(0.50),
                p95: quantile(0.95),
                p99: quantile(0.99),
                max: max.unwrap_or_default(),
            }
        });
        let rows = rows.filter(|row| row.count > 0).collect();

        let mut time: BTreeMap<&str, f64> = BTreeMap::new();
        for (group, point) in &stages {
            *time
                .entry(group.stage.as_deref().unwrap_or_default())
                .or_default() += point.sum;
        }
        let seconds = |(stage, seconds): (&str, f64)| (stage.to_owned(), seconds);
        let mut time: Vec<_> = time
            .into_iter()
            .map(seconds)
            .filter(|(_, s)| *s > 0.0)
            .collect();
        time.sort_by(|one, other| other.1.total_cmp(&one.1));
        let rest = gathered.total(catalog::UNATTRIBUTED.name);
        time.push(("(no stage)".to_owned(), rest));
        let total = requests.values().map(|point| point.sum).sum();
        Summary { rows, time, total }
    }

    /// Requests first, then stages; within them by model, version, stage and outcome.
    pub fn rows(&self) -> &[SummaryRow] {
        &self.rows
    }
}

/// What a row stands for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Group {
    model: String,
    version: String,
    stage: Option<String>,
    outcome: String,
}

impl Group {
    fn new(outcome: &str, label: impl Fn(&str) -> Option<String>) -> Group {
        Group {
            model: label("model").unwrap_or_default(),
            version: label("version").unwrap_or_default(),
            stage: label("stage"),
            outcome: outcome.to_owned(),
        }
    }
}

/// The longest of each group, in seconds.
fn longest(observed: &Observed) -> BTreeMap<Group, f64> {
    let mut longest = BTreeMap::new();
    let mut look = |one: &Activity| {
        let label = |key: &str| {
            let found = one
                .attributes
                .iter()
                .find(|label| label.key.as_str() == key);
            found.map(|label| label.value.to_string())
        };
        for (outcome, seconds) in Outcome::LABELS.into_iter().zip(one.longest_ever()) {
            longest.extend(seconds.map(|seconds| (Group::new(outcome, label), seconds)));
        }
    };
    observed.each_requests(&mut look);
    observed.each_stage(&mut look);
    longest
}

/// Points that differ in other labels only are added up.
fn merged(points: Vec<HistogramPoint>) -> BTreeMap<Group, HistogramPoint> {
    let mut groups: BTreeMap<Group, HistogramPoint> = BTreeMap::new();
    for point in points {
        let label = |key: &str| point.labels.get(key).cloned();
        let group = Group::new(&label("outcome").unwrap_or_default(), label);
        match groups.get_mut(&group) {
            Some(sum) => {
                sum.count += point.count;
                sum.sum += point.sum;
                // all labels of a stage and model share one layout
                for (total, more) in sum.buckets.iter_mut().zip(&point.buckets) {
                    total.1 += more.1;
                }
            }
            None => drop(groups.insert(group, point)),
        }
    }
    groups
}

/// As Prometheus's `histogram_quantile` computes it.
fn quantile(point: &HistogramPoint, q: f64) -> f64 {
    #[allow(
        clippy::cast_precision_loss,
        reason = "a rank within a bucket is an estimate anyway"
    )]
    let (count, exact) = (point.count as f64, |n: u64| n as f64);
    let rank = q * count;
    let mut below = (0.0, 0);
    for &(edge, cumulative) in &point.buckets {
        if exact(cumulative) >= rank && cumulative > below.1 {
            let within = (rank - exact(below.1)) / exact(cumulative - below.1);
            return below.0 + (edge - below.0) * within;
        }
        below = (edge, cumulative);
    }
    below.0
}

/// Three digits and a unit: `1.23 ms`.
fn readable(seconds: f64) -> String {
    let (value, unit) = match seconds {
        s if s >= 1.0 => (s, "s"),
        s if s >= 1e-3 => (s * 1e3, "ms"),
        s => (s * 1e6, "µs"),
    };
    let digits = if value >= 100.0 {
        0
    } else {
        1 + usize::from(value < 10.0)
    };
    format!("{value:.digits$} {unit}")
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let headings = ["outcome", "count", "p50", "p95", "p99", "max"];
        let models: std::collections::BTreeSet<_> = self
            .rows
            .iter()
            .map(|row| (&row.model, &row.version))
            .collect();
        for (model, version) in models {
            writeln!(f, "model {model}, version {version}")?;
            let [outcome, count, p50, p95, p99, max] = headings;
            writeln!(
                f,
                "  {:<14} {outcome:<10} {count:>8} {p50:>10} {p95:>10} {p99:>10} {max:>10}",
                "stage"
            )?;
            for row in self
                .rows
                .iter()
                .filter(|row| row.model == *model && row.version == *version)
            {
                let stage = row.stage.as_deref().unwrap_or("(request)");
                let [p50, p95, p99, max] = [row.p50, row.p95, row.p99, row.max].map(readable);
                let SummaryRow { outcome, count, .. } = row;
                writeln!(
                    f,
                    "  {stage:<14} {outcome:<10} {count:>8} {p50:>10} {p95:>10} {p99:>10} {max:>10}"
                )?;
            }
        }
        if self.total > 0.0 {
            writeln!(
                f,
                "where the time of the requests went ({} in all)",
                readable(self.total)
            )?;
            for (stage, seconds) in &self.time {
                let share = seconds / self.total;
                #[allow(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "a bar of at most 40 signs"
                )]
                let bar = "#".repeat((share.clamp(0.0, 1.0) * 40.0).round() as usize);
                let (percent, spent) = (share * 100.0, readable(*seconds));
                let line = format!("  {stage:<14} {percent:>5.1} % {spent:>10}  {bar}");
                writeln!(f, "{}", line.trim_end())?;
            }
            let together: f64 = self.time.iter().map(|(_, seconds)| seconds).sum();
            if together > self.total * 1.001 {
                let percent = together / self.total * 100.0;
                writeln!(
                    f,
                    "  {percent:.0} % together: stages within or beside other stages, or outside of requests, count each"
                )?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(buckets: &[(f64, u64)], count: u64) -> HistogramPoint {
        HistogramPoint {
            labels: BTreeMap::new(),
            buckets: buckets.to_vec(),
            count,
            sum: 0.0,
        }
    }

    #[test]
    fn quantiles_interpolate_as_prometheus_does() {
        let even = point(&[(1.0, 10), (2.0, 20)], 20);
        assert!((quantile(&even, 0.5) - 1.0).abs() < 1e-9);
        assert!((quantile(&even, 0.75) - 1.5).abs() < 1e-9);
        let gap = point(&[(1.0, 0), (2.0, 0), (4.0, 8)], 8);
        assert!((quantile(&gap, 0.5) - 3.0).abs() < 1e-9);
        // above the last edge nothing is known but that edge
        assert!((quantile(&point(&[(1.0, 1)], 100), 0.99) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn durations_read_well() {
        assert_eq!(readable(1.234), "1.23 s");
        assert_eq!(readable(0.0456), "45.6 ms");
        assert_eq!(readable(0.000_789), "789 µs");
        assert_eq!(readable(0.0), "0.00 µs");
    }
}
