//! Which buckets a stage has, and after how long it counts as stalled: what its sites say, merged, and refused where
//! they disagree.

use crate::record::catalog;
use crate::record::catalog_generation as generation;
use crate::record::metric::Metric;
use crate::site::site::{SITES, Site, SiteKind};
use crate::site::streaming;
use crate::vocab::buckets::Buckets;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

/// The edges of a histogram, in seconds, increasing.
pub(crate) type Edges = Arc<[f64]>;

/// Two sites of one stage that ask for different buckets, objectives or stalls.
#[derive(Debug, Clone)]
pub(crate) struct Disagreement {
    pub(crate) what: &'static str,
    pub(crate) one: &'static Site,
    pub(crate) other: &'static Site,
}

/// What the sites of one name have said so far.
#[derive(Debug, Clone, Copy, Default)]
struct Said {
    buckets: Option<(Buckets, &'static Site)>,
    objective: Option<(u64, &'static Site)>,
    stall: Option<(u64, &'static Site)>,
}

/// A stage by its name, or all requests together.
type Subject = (SiteKind, &'static str);

/// The bucket layouts of a runtime.
#[derive(Debug, Default)]
pub(crate) struct Layouts(HashMap<Subject, Said>);

fn subject(site: &'static Site) -> Subject {
    match site.kind {
        SiteKind::Stage => (SiteKind::Stage, site.name),
        // one family for the requests of all handlers, so one layout
        SiteKind::Request => (SiteKind::Request, ""),
    }
}

fn agree<T: PartialEq + Copy>(
    known: &mut Option<(T, &'static Site)>,
    says: Option<T>,
    site: &'static Site,
    what: &'static str,
) -> Result<(), Disagreement> {
    match (*known, says) {
        (_, None) => {}
        (None, Some(value)) => *known = Some((value, site)),
        (Some((value, _)), Some(new)) if value == new => {}
        (Some((_, one)), Some(_)) => {
            return Err(Disagreement {
                what,
                one,
                other: site,
            });
        }
    }
    Ok(())
}

impl Layouts {
    /// What all linked sites say together. Sites that name a model are left out: it is not known yet.
    pub(crate) fn linked() -> Result<Layouts, Disagreement> {
        let mut layouts = Layouts::default();
        for site in SITES.iter().filter(|site| !site.names_model) {
            layouts.add(site)?;
        }
        Ok(layouts)
    }

    /// The histograms that linked sites need: those that the sites of a stage agree on, and, for sites that name a model,
    /// those that they ask for themselves.
    pub(crate) fn linked_histograms(&self) -> Vec<(&'static Metric, Edges)> {
        let metric = |site: &Site| match site.kind {
            SiteKind::Stage => &catalog::STAGE_DURATION,
            SiteKind::Request => &catalog::REQUEST_DURATION,
        };
        let own = |site: &'static Site| {
            let mut alone = Layouts::default();
            let _ = alone.add(site);
            alone.edges(site)
        };
        let whole = [
            &catalog::BATCH_DURATION,
            &catalog::BATCH_SIZE,
            &generation::SERVER_REQUEST_DURATION,
            &generation::TIME_TO_FIRST_TOKEN,
            &generation::TIME_PER_OUTPUT_TOKEN,
            &generation::INTER_TOKEN_LATENCY,
            &generation::REQUEST_TOKENS,
        ]
        .map(|metric| (metric, metric.buckets.into()));
        let streams =
            [&streaming::PREFILL, &streaming::DECODE].map(|site| (metric(site), self.edges(site)));
        let agreed = SITES.iter().map(|site| (metric(site), self.edges(site)));
        let own = SITES
            .iter()
            .filter(|site| site.names_model)
            .map(|site| (metric(site), own(site)));
        agreed.chain(own).chain(whole).chain(streams).collect()
    }

    /// Takes in what a site says. A site that says nothing has what the others say.
    pub(crate) fn add(&mut self, site: &'static Site) -> Result<(), Disagreement> {
        let said = self.0.entry(subject(site)).or_default();
        // each is taken in, whatever the others come to
        let buckets = agree(&mut said.buckets, site.buckets, site, "buckets");
        let objective = agree(&mut said.objective, site.objective, site, "objective");
        let stall = agree(&mut said.stall, site.stall, site, "stall");
        buckets.and(objective).and(stall)
    }

    /// After how long without a sign of life this stage counts as stalled, where its sites say so.
    pub(crate) fn stall(&self, site: &'static Site) -> Option<Duration> {
        let (nanos, _) = self.0.get(&subject(site))?.stall?;
        Some(Duration::from_nanos(nanos))
    }

    /// The objective that the sites of this stage, or all handlers, give; in seconds.
    pub(crate) fn objective(&self, site: &'static Site) -> Option<f64> {
        let (nanos, _) = self.0.get(&subject(site))?.objective?;
        Some(Duration::from_nanos(nanos).as_secs_f64())
    }

    /// The edges for the histograms of this site.
    pub(crate) fn edges(&self, site: &'static Site) -> Edges {
        let said = self.0.get(&subject(site)).copied().unwrap_or_default();
        let buckets = said.buckets.map(|(buckets, _)| buckets).unwrap_or_default();
        with_objective(buckets.edges(), said.objective.map(|(nanos, _)| nanos))
    }
}

/// The objective is an edge, so that the share of requests within it is exact.
fn with_objective(edges: &[f64], objective: Option<u64>) -> Edges {
    let Some(nanos) = objective else {
        return edges.into();
    };
    let objective = Duration::from_nanos(nanos).as_secs_f64();
    // closer than a nanosecond is the same edge, written another way
    if edges.iter().any(|edge| (edge - objective).abs() < 1e-9) {
        return edges.into();
    }
    let at = edges.partition_point(|edge| *edge < objective);
    let mut all = edges.to_vec();
    all.insert(at, objective);
    all.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    static PLAIN: Site = Site::stage("execute", "test");
    static FAST: Site = Site::stage("execute", "test").buckets(Buckets::Fast);
    static MICRO: Site = Site::stage("execute", "test").buckets(Buckets::Micro);
    static QUICK: Site = Site::stage("decode", "test").objective(7_000_000);

    #[test]
    fn a_site_that_says_nothing_has_what_the_others_say() {
        let mut layouts = Layouts::default();
        layouts.add(&PLAIN).unwrap();
        assert_eq!(*layouts.edges(&PLAIN), *Buckets::General.edges());
        layouts.add(&FAST).unwrap();
        assert_eq!(*layouts.edges(&PLAIN), *Buckets::Fast.edges());
    }

    #[test]
    fn sites_that_disagree_are_both_named() {
        let mut layouts = Layouts::default();
        layouts.add(&FAST).unwrap();
        let wrong = layouts.add(&MICRO).unwrap_err();
        assert!(
            std::ptr::eq(wrong.one, &raw const FAST) && std::ptr::eq(wrong.other, &raw const MICRO)
        );
        assert_eq!(wrong.what, "buckets");
    }

    #[test]
    fn every_site_of_a_stage_has_the_stall_that_one_of_them_gives() {
        static PATIENT: Site = Site::stage("execute", "test").stall(90_000_000_000);
        static HASTY: Site = Site::stage("execute", "test").stall(1_000_000_000);
        let mut layouts = Layouts::default();
        layouts.add(&PATIENT).unwrap();
        assert_eq!(layouts.stall(&PLAIN), Some(Duration::from_secs(90)));
        assert_eq!(layouts.stall(&QUICK), None);
        assert_eq!(layouts.add(&HASTY).unwrap_err().what, "stall");
    }

    #[test]
    fn an_objective_becomes_an_edge_once() {
        let mut layouts = Layouts::default();
        layouts.add(&QUICK).unwrap();
        let edges = layouts.edges(&QUICK);
        assert_eq!(edges.len(), Buckets::General.edges().len() + 1);
        assert!(edges.windows(2).all(|pair| pair[0] < pair[1]) && edges.contains(&0.007));
        assert_eq!(*with_objective(&[0.5, 1.0], Some(500_000_000)), [0.5, 1.0]);
    }
}
