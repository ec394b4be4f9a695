//! The bucket edges of duration histograms, in seconds.

/// The bucket edges of a duration histogram, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub enum Buckets {
    /// 0.5 ms to 82 s. Neighbours are at most a factor of 1.5 apart where services live, and the edges
    /// hold those that the OpenTelemetry `GenAI` conventions advise for request durations.
    #[default]
    General,
    /// 5 µs to 50 ms: for models that answer within microseconds.
    Micro,
    /// 1 ms to 1 s: for services that answer in tens of milliseconds.
    Fast,
    /// 1 ms to 640 s: for generation. Holds the edges that the OpenTelemetry `GenAI` conventions advise.
    Llm,
    /// Edges of your own: finite, above zero, strictly increasing, at most 64.
    Edges(&'static [f64]),
}

const GENERAL: &[f64] = &[
    0.0005, 0.001, 0.0025, 0.005, 0.0075, 0.01, 0.015, 0.02, 0.03, 0.04, 0.06, 0.08, 0.12, 0.16,
    0.24, 0.32, 0.48, 0.64, 0.96, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
];
const MICRO: &[f64] = &[
    0.000_005, 0.000_01, 0.000_025, 0.000_05, 0.0001, 0.000_25, 0.0005, 0.001, 0.0025, 0.005, 0.01,
    0.025, 0.05,
];
const FAST: &[f64] = &[
    0.001, 0.0025, 0.005, 0.0075, 0.01, 0.015, 0.02, 0.025, 0.03, 0.04, 0.05, 0.075, 0.1, 0.15,
    0.2, 0.3, 0.5, 1.0,
];
const LLM: &[f64] = &[
    0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.16, 0.25, 0.32, 0.5, 0.64, 0.75, 1.0, 1.28,
    2.5, 5.12, 10.24, 20.48, 40.96, 81.92, 160.0, 640.0,
];

impl Buckets {
    /// The edges, in seconds, increasing. The last bucket, above them all, is open.
    pub const fn edges(self) -> &'static [f64] {
        match self {
            Buckets::General => GENERAL,
            Buckets::Micro => MICRO,
            Buckets::Fast => FAST,
            Buckets::Llm => LLM,
            Buckets::Edges(edges) => edges,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_obey_the_rule_for_edges() {
        for preset in [
            Buckets::General,
            Buckets::Micro,
            Buckets::Fast,
            Buckets::Llm,
        ] {
            let edges = preset.edges();
            assert!(edges.len() <= 64 && edges[0] > 0.0);
            assert!(edges.windows(2).all(|pair| pair[0] < pair[1]), "{edges:?}");
        }
    }

    #[test]
    fn general_is_dense_where_services_live() {
        let dense = GENERAL
            .windows(2)
            .filter(|pair| pair[0] >= 0.005 && pair[1] <= 1.28);
        for pair in dense {
            assert!(pair[1] / pair[0] <= 1.5 + 1e-9, "{pair:?}");
        }
    }
}
