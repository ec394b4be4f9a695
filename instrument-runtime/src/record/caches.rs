//! What engines say of their caches: lookups, counted.

use crate::record::catalog_generation::CACHE_LOOKUPS;
use crate::record::local;
use crate::record::recorder::Recorder;
use crate::record::series::{self, Kind, SeriesId};
use crate::site::own_labels::OTHER;
use crate::vocab::label::cut;
use std::sync::PoisonError;

/// Caches that one model may have; what comes after is `other`.
const MOST: usize = 64;

/// Values of the label `result`: of a miss, and of a hit.
const RESULTS: [&str; 2] = ["miss", "hit"];

impl Recorder {
    /// A model's engine has looked something up in this cache.
    pub(crate) fn looked_up(&self, model: usize, name: &'static str, hit: bool) {
        let name = match cut(name) {
            // to Prometheus it would be no label
            "" => OTHER,
            name => name,
        };
        let known = self
            .caches
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .get(&(model, name))
            .copied();
        let series = known.unwrap_or_else(|| self.cache(model, name))[usize::from(hit)];
        local::with(|local| local.push(series.event(Kind::COUNT, 1)));
    }

    #[cold]
    fn cache(&self, model: usize, name: &'static str) -> [SeriesId; 2] {
        let mut caches = self.caches.write().unwrap_or_else(PoisonError::into_inner);
        let known = caches.keys().filter(|(of, _)| *of == model).count();
        let name = if known < MOST { name } else { OTHER };
        *caches.entry((model, name)).or_insert_with(|| {
            RESULTS.map(|result| {
                let labels = [("cache", name), ("result", result)];
                let id = self.count(&CACHE_LOOKUPS, Some(model), &labels);
                // both: a share needs the other one too
                if let Some(series) = series::get(id) {
                    series.show();
                }
                id
            })
        })
    }
}
