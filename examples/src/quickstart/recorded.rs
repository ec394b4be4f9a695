//! What was recorded, read from the text of a scrape as any scraper would.

use instrument_inference::Telemetry;

use crate::quickstart::seen::Ended;

/// A scrape of this moment.
#[derive(Debug)]
pub(crate) struct Recorded(String);

impl Recorded {
    pub(crate) fn now(telemetry: &Telemetry) -> Recorded {
        Recorded(telemetry.scrape())
    }

    /// The sum of a family's series that have this label.
    pub(crate) fn sum(&self, family: &str, (key, value): (&str, &str)) -> f64 {
        let with = self.series(family);
        let with = with.filter(|(series, _)| label(series, key) == Some(value));
        with.map(|(_, value)| value).sum()
    }

    /// Whether one of a family's gauges is above 0.
    pub(crate) fn any_in_flight(&self, family: &str) -> bool {
        self.series(family).any(|(_, value)| value > 0.5)
    }

    /// How requests ended, by tenant.
    pub(crate) fn ended(&self) -> Ended {
        let mut ended = Ended::default();
        for (series, count) in self.series("inference_tenant_requests_total") {
            let [tenant, outcome] =
                ["tenant", "outcome"].map(|key| label(series, key).unwrap_or_default());
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a few thousand"
            )]
            ended.add(tenant, outcome, count as u64);
        }
        ended
    }

    fn series(&self, family: &str) -> impl Iterator<Item = (&str, f64)> {
        self.0.lines().filter_map(move |line| {
            let (series, value) = line.strip_prefix(family)?.rsplit_once(' ')?;
            Some((series.strip_prefix('{')?, value.parse().ok()?))
        })
    }
}

/// The value of a label. None of those that are asked for needs an escape.
fn label<'a>(series: &'a str, key: &str) -> Option<&'a str> {
    let of = |one: &'a str| one.strip_prefix(key)?.strip_prefix("=\"");
    let value = series.split(',').find_map(of)?;
    Some(value.trim_end_matches('}').trim_end_matches('"'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn series_are_added_up_by_their_labels() {
        let scrape = "# HELP a b\n\
            inference_tenant_requests_total{model=\"m\",outcome=\"ok\",tenant=\"acme\",version=\"1\"} 3\n\
            inference_tenant_requests_total{model=\"m\",outcome=\"ok\",tenant=\"acme\",version=\"2\"} 4\n\
            inference_tenant_requests_total_more{version=\"2\"} 9\n";
        let recorded = Recorded(scrape.to_owned());
        let sum = |label| recorded.sum("inference_tenant_requests_total", label);
        assert!((sum(("version", "2")) - 4.0).abs() < 1e-9);
        assert!((sum(("model", "m")) - 7.0).abs() < 1e-9);
        assert!(sum(("model", "M")).abs() < 1e-9);
        assert_eq!(recorded.ended().to_string(), "7 ok (by tenant: 7 acme)");
    }
}
