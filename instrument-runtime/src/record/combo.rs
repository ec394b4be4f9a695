//! Label combinations of requests, numbered over all runtimes: one small number says runtime and labels.

use crate::notice;
use crate::record::catalog;
use crate::record::local;
use crate::record::recorder::{Recorder, RequestLabels};
use crate::record::registry::{TENANT_LINES, own_labels};
use crate::record::series::SeriesId;
use crate::site::own_labels::OTHER;
use crate::site::site::{Site, SiteKind};
use crate::vocab::outcome::Outcome;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, Once, OnceLock, PoisonError, RwLock, RwLockReadGuard, Weak};

/// Distinct values of `ingress`, `tier` and `tenant` that a process may see; what comes after is `other`.
const MOST_TEXTS: usize = 10_000;

/// Label combinations that a process may see; what comes after has no labels but the model's.
const MOST_COMBOS: usize = 100_000;

/// A label combination of one runtime.
#[derive(Debug)]
pub(crate) struct Combo {
    /// Weak: the numbers of a runtime outlive it.
    recorder: Weak<Recorder>,
    key: Key,
    pub(crate) labels: RequestLabels,
    ids: OnceLock<Ids>,
    /// What its requests count in that generate tokens, kept by `generation.rs`: series by place, 0 where not known.
    pub(crate) generation: [AtomicU32; 5],
}

/// The series that every request of a combination counts in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ids {
    pub(crate) request: SeriesId,
    pub(crate) unattributed: SeriesId,
    /// Of its tenant, where it has one.
    pub(crate) tenant: SeriesId,
    /// Of its tenant, where it has one.
    pub(crate) compute: SeriesId,
}

/// What makes a combination, in numbers that are quick to compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    recorder: u32,
    pub(crate) model: usize,
    pub(crate) ingress: u32,
    pub(crate) tier: u32,
    pub(crate) tenant: u32,
    /// The site's address and the number of its own labels.
    pub(crate) own: (usize, u32),
}

#[derive(Debug, Default)]
struct Known {
    combos: Vec<Arc<Combo>>,
    numbers: HashMap<Key, u32>,
    /// Values of labels that were taken: runtime, model, label, value.
    taken: HashSet<(u32, usize, &'static str, u32)>,
    /// Of `ingress` and `tier` that were taken together: runtime, model, both values.
    pairs: HashSet<(u32, usize, u32, u32)>,
}

static TEXTS_FOLD: Once = Once::new();
static COMBOS_FOLD: Once = Once::new();
static KNOWN: OnceLock<RwLock<Known>> = OnceLock::new();
static TEXTS: OnceLock<RwLock<HashMap<Arc<str>, u32>>> = OnceLock::new();

fn read() -> RwLockReadGuard<'static, Known> {
    known().read().unwrap_or_else(PoisonError::into_inner)
}

fn known() -> &'static RwLock<Known> {
    KNOWN.get_or_init(RwLock::default)
}

/// The number of a label value; 0 for none.
pub(crate) fn text(value: Option<&str>) -> u32 {
    let Some(value) = value else { return 0 };
    let texts = TEXTS.get_or_init(RwLock::default);
    if let Some(number) = texts
        .read()
        .unwrap_or_else(PoisonError::into_inner)
        .get(value)
    {
        return *number;
    }
    let mut texts = texts.write().unwrap_or_else(PoisonError::into_inner);
    let value = if texts.len() < MOST_TEXTS {
        value
    } else {
        TEXTS_FOLD.call_once(|| {
            notice::report(&format!(
                "`ingress`, `tier` and `tenant` have more than {MOST_TEXTS} values: from {value:?} on, new ones are \
                 counted as `{OTHER}`"
            ));
        });
        OTHER
    };
    let next = u32::try_from(texts.len() + 1).unwrap_or(u32::MAX);
    *texts.entry(value.into()).or_insert(next)
}

fn text_of(number: u32) -> Option<Arc<str>> {
    let texts = TEXTS
        .get_or_init(RwLock::default)
        .read()
        .unwrap_or_else(PoisonError::into_inner);
    texts
        .iter()
        .find(|(_, known)| **known == number)
        .map(|(text, _)| Arc::clone(text))
}

/// The combination behind a number.
pub(crate) fn get(number: u32) -> Option<Arc<Combo>> {
    let at = (number as usize).checked_sub(1)?;
    read().combos.get(at).map(Arc::clone)
}

/// The number of a combination of this runtime. What the budget does not allow any more is folded.
pub(crate) fn number(recorder: &Arc<Recorder>, key: Key, site: Option<&'static Site>) -> u32 {
    if let Some(number) = read().numbers.get(&key) {
        return *number;
    }
    let mut known = known().write().unwrap_or_else(PoisonError::into_inner);
    let folded = known.folded(recorder, key);
    let number = known.number(recorder, folded, site);
    // under its own key too: it is folded once, not in every request
    if known.numbers.len() < MOST_COMBOS {
        known.numbers.insert(key, number);
    }
    number
}

/// Whether two combinations belong to one runtime.
pub(crate) fn same_runtime(one: u32, other: u32) -> bool {
    let recorder = |number| get(number).map(|combo| combo.key.recorder);
    one == other || recorder(one) == recorder(other)
}

impl Known {
    fn number(&mut self, recorder: &Arc<Recorder>, key: Key, site: Option<&'static Site>) -> u32 {
        if let Some(number) = self.numbers.get(&key) {
            return *number;
        }
        if self.combos.len() >= MOST_COMBOS {
            COMBOS_FOLD.call_once(|| {
                notice::report(&format!(
                    "requests have more than {MOST_COMBOS} combinations of labels: new ones are counted under their \
                     model only"
                ));
            });
            let model = self.numbers.get(&Key::of_model(recorder, key.model));
            return model
                .copied()
                .unwrap_or_else(|| recorder.outside.load(Ordering::Acquire));
        }
        let own = site
            .map(|site| own_labels(site, key.own.1))
            .unwrap_or_default();
        let labels = RequestLabels {
            model: key.model,
            ingress: text_of(key.ingress),
            tier: text_of(key.tier),
            tenant: text_of(key.tenant),
            own,
        };
        let recorder = Arc::downgrade(recorder);
        self.combos.push(Arc::new(Combo {
            recorder,
            key,
            labels,
            ids: OnceLock::new(),
            generation: Default::default(),
        }));
        let number = u32::try_from(self.combos.len()).unwrap_or(u32::MAX);
        self.numbers.insert(key, number);
        number
    }

    /// The same combination, with `other` for each new value that the budget has no room for. Tenants go first.
    fn folded(&mut self, recorder: &Recorder, mut key: Key) -> Key {
        let request_lines = catalog::REQUEST_DURATION.buckets.len() + Outcome::COUNT;
        key.tenant = self.take(recorder, key.model, "tenant", key.tenant, TENANT_LINES);
        key.ingress = self.take(recorder, key.model, "ingress", key.ingress, Outcome::COUNT);
        key.tier = self.take(recorder, key.model, "tier", key.tier, request_lines);
        // known values, but never together
        if !self.take_pair(recorder, key) {
            key.ingress = fold(recorder, "ingress", key.ingress);
        }
        if !self.take_pair(recorder, key) {
            key.tier = fold(recorder, "tier", key.tier);
        }
        key
    }

    /// Whether there is room for this way in together with this tier.
    fn take_pair(&mut self, recorder: &Recorder, key: Key) -> bool {
        if key.ingress == 0 || key.tier == 0 {
            return true;
        }
        let pair = (recorder.number, key.model, key.ingress, key.tier);
        if self.pairs.contains(&pair) {
            return true;
        }
        let fits = recorder.budget.fits(Outcome::COUNT);
        if fits {
            self.pairs.insert(pair);
        }
        fits
    }

    fn take(
        &mut self,
        recorder: &Recorder,
        model: usize,
        label: &'static str,
        value: u32,
        lines: usize,
    ) -> u32 {
        let this = (recorder.number, model, label, value);
        if value == 0 || self.taken.contains(&this) {
            return value;
        }
        if recorder.budget.fits(lines) {
            self.taken.insert(this);
            return value;
        }
        fold(recorder, label, value)
    }
}

/// What stands for a value that is told apart no more.
fn fold(recorder: &Recorder, label: &'static str, value: u32) -> u32 {
    let other = text(Some(OTHER));
    if value != other {
        recorder.overflow(label);
    }
    other
}

impl Key {
    pub(crate) const fn of_model(recorder: &Recorder, model: usize) -> Key {
        Key {
            recorder: recorder.number,
            model,
            ingress: 0,
            tier: 0,
            tenant: 0,
            own: (0, 0),
        }
    }

    pub(crate) const fn is_of(&self, recorder: &Recorder) -> bool {
        self.recorder == recorder.number
    }
}

impl Combo {
    pub(crate) fn recorder(&self) -> Option<Arc<Recorder>> {
        self.recorder.upgrade()
    }

    pub(crate) const fn key(&self) -> Key {
        self.key
    }

    /// The series that its requests count in.
    pub(crate) fn ids(&self, recorder: &Recorder, site: &'static Site) -> Ids {
        let (model, tenant) = (self.labels.model, self.labels.tenant.as_ref());
        *self.ids.get_or_init(|| Ids {
            request: recorder.request(site, &self.labels),
            unattributed: recorder.unattributed(model),
            tenant: tenant.map_or(SeriesId::NONE, |tenant| {
                recorder.tenant(site, model, tenant)
            }),
            compute: tenant.map_or(SeriesId::NONE, |_| recorder.compute(model, tenant)),
        })
    }
}

/// The series of a stage at `site` under label combination `combo`.
#[inline]
pub(crate) fn stage_series(site: &'static Site, combo: u32, own: u32) -> SeriesId {
    let known = if own == 0 {
        site.series.get(combo)
    } else {
        site.own.series(combo, own)
    };
    match known {
        0 => first_stage_series(site, combo, own),
        bits => SeriesId::from_bits(bits),
    }
}

#[cold]
#[inline(never)]
fn first_stage_series(site: &'static Site, combo: u32, own: u32) -> SeriesId {
    debug_assert_eq!(site.kind, SiteKind::Stage);
    let Some(combination) = get(combo) else {
        return SeriesId::NONE;
    };
    let Some(recorder) = combination.recorder() else {
        return SeriesId::NONE;
    };
    let id = recorder.stage(site, combination.labels.model, own);
    if own == 0 {
        site.series.set(combo, id.bits());
    } else {
        site.own.set_series(combo, own, id.bits());
    }
    id
}

static REFRESH: Mutex<()> = Mutex::new(());

/// Works out anew where stages outside of requests belong: to the only model, or to none.
pub(crate) fn refresh_outside(recorder: &Arc<Recorder>, installed: bool) {
    // two that declare a model at the same time must not overtake each other
    let _one = REFRESH.lock().unwrap_or_else(PoisonError::into_inner);
    let key = Key::of_model(recorder, recorder.only_model());
    let now = number(recorder, key, None);
    let was = recorder.outside.swap(now, Ordering::AcqRel);
    if installed {
        local::set_installed(now);
    }
    // the thread that declares a model may be inside this runtime already
    local::with(|local| {
        let entered = local.enter_runtime(now);
        if was == 0 || entered != was {
            local.enter_runtime(entered);
        }
    });
}
