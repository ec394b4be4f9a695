//! What the attributes say at run time, before the body runs.

use crate::record::combo::{self, Key};
use crate::record::guard::StageArgs;
use crate::record::local;
use crate::record::model::NO_MODEL;
use crate::record::recorder::Recorder;
use crate::site::site::Site;
use crate::slot::model_slot::AsModelSlot;
use crate::vocab::label::Given;
use crate::vocab::level::Level;
use std::sync::Arc;
use std::sync::atomic::Ordering;

impl StageArgs {
    /// A stage without labels of its own, in the model of its request.
    pub const NONE: StageArgs = StageArgs { own: 0, combo: 0 };

    /// `labels(…)`, in the order of the site's keys, and after them `device = …`.
    #[must_use]
    pub fn labels(mut self, site: &'static Site, labels: &[Given<'_>]) -> StageArgs {
        self.own = site.own.number(labels);
        self
    }

    /// `model = …`
    #[must_use]
    pub fn model<M: AsModelSlot + ?Sized>(mut self, model: &M) -> StageArgs {
        self.combo = model.as_model_slot().combo();
        self
    }
}

/// What the attribute of a request says: plain numbers and a text, nothing borrowed.
#[derive(Debug, Clone)]
pub struct Opening {
    site: &'static Site,
    own: u32,
    ingress: u32,
    tier: u32,
    tenant: u32,
    /// The combination of `model = …`; 0 when it is not given.
    model: u32,
    /// Behind one word: this travels in every future of a request.
    route: Option<Box<Box<str>>>,
}

impl Opening {
    /// A request that says nothing but where it was opened.
    #[must_use]
    pub const fn new(site: &'static Site) -> Opening {
        Opening {
            site,
            own: 0,
            ingress: 0,
            tier: 0,
            tenant: 0,
            model: 0,
            route: None,
        }
    }

    /// `ingress = …`
    #[must_use]
    pub fn ingress(mut self, ingress: Given<'_>) -> Opening {
        self.ingress = combo::text(ingress.value);
        self
    }

    /// `tier = …`
    #[must_use]
    pub fn tier(mut self, tier: Given<'_>) -> Opening {
        self.tier = combo::text(tier.value);
        self
    }

    /// `tenant = …`
    #[must_use]
    pub fn tenant(mut self, tenant: Given<'_>) -> Opening {
        self.tenant = combo::text(tenant.value);
        self
    }

    /// `model = …`
    #[must_use]
    pub fn model<M: AsModelSlot + ?Sized>(mut self, model: &M) -> Opening {
        self.model = model.as_model_slot().combo();
        self
    }

    /// `route = …`
    #[must_use]
    pub fn route(mut self, route: Option<&str>) -> Opening {
        self.route = route.map(|route| Box::new(route.into()));
        self
    }

    /// `labels(…)`, in the order of the site's keys.
    #[must_use]
    pub fn labels(mut self, labels: &[Given<'_>]) -> Opening {
        self.own = self.site.own.number(labels);
        self
    }

    /// The runtime and the label combination of a new request; `None` when nobody records.
    pub(crate) fn resolve(&self) -> Option<(Arc<Recorder>, u32)> {
        let named = if self.model == 0 {
            local::with(local::Local::combo)
        } else {
            self.model
        };
        let recorder = combo::get(named)?.recorder()?;
        let number = self.resolve_in(&recorder)?;
        Some((recorder, number))
    }

    /// The label combination of a new request in this runtime.
    pub(crate) fn resolve_in(&self, recorder: &Arc<Recorder>) -> Option<u32> {
        // without `model = …` it is the only one, whatever the request around it says
        let base = if self.model == 0 {
            recorder.outside.load(Ordering::Acquire)
        } else {
            self.model
        };
        let key = Key::of_model(recorder, combo::get(base)?.key().model);
        Some(self.fill(recorder, key))
    }

    /// Where it stands.
    pub(crate) const fn site(&self) -> &'static Site {
        self.site
    }

    /// What is for logs and spans only.
    pub(crate) fn take_route(&mut self) -> Option<Box<str>> {
        self.route.take().map(|route| *route)
    }

    /// The combination of a request that is open already: what it does not say yet is filled in.
    pub(crate) fn join(&self, open: u32) -> Option<u32> {
        let open = combo::get(open)?;
        let recorder = open.recorder()?;
        let mut key = open.key();
        if key.model == NO_MODEL
            && let Some(named) = combo::get(self.model)
            && named.key().is_of(&recorder)
        {
            key.model = named.key().model;
        }
        Some(self.fill(&recorder, key))
    }

    fn fill(&self, recorder: &Arc<Recorder>, mut key: Key) -> u32 {
        if recorder.level >= Level::Dimensions {
            for (known, given) in [
                (&mut key.ingress, self.ingress),
                (&mut key.tier, self.tier),
                (&mut key.tenant, self.tenant),
            ] {
                if *known == 0 {
                    *known = given;
                }
            }
        }
        if self.own != 0 && key.own.1 == 0 {
            key.own = (std::ptr::from_ref(self.site).addr(), self.own);
            return combo::number(recorder, key, Some(self.site));
        }
        combo::number(recorder, key, None)
    }
}
