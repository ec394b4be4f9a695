//! A library that says what a test has written down.

use crate::gpu::backend::{Field, Found, GpuSession, Identity, Memory, Place, Readings};
use crate::gpu::trouble::Trouble;
use std::collections::HashMap;

/// Devices that answer everything, but for what is said otherwise.
#[derive(Debug, Default)]
pub(crate) struct Scripted {
    pub(crate) found: Vec<Found>,
    pub(crate) fails: HashMap<(Place, Field), Trouble>,
    pub(crate) silent: HashMap<u32, Trouble>,
    pub(crate) xids: Vec<u64>,
    pub(crate) uncorrected: u64,
    pub(crate) asked: Vec<(Place, Field)>,
}

impl Scripted {
    pub(crate) fn of(uuids: &[&str]) -> Scripted {
        let found = uuids.iter().map(|uuid| Found {
            identity: Ok(named(uuid)),
            divided: None,
            instances: Vec::new(),
        });
        Scripted {
            found: found.collect(),
            ..Scripted::default()
        }
    }

    pub(crate) fn asked(&self, place: Place, field: Field) -> usize {
        let asked = self.asked.iter();
        asked.filter(|asked| **asked == (place, field)).count()
    }
}

pub(crate) fn named(uuid: &str) -> Identity {
    Identity {
        uuid: uuid.to_owned(),
        name: "H200".to_owned(),
    }
}

impl GpuSession for Scripted {
    fn driver(&self) -> Option<String> {
        Some("570.1".to_owned())
    }

    fn list(&mut self) -> Result<Vec<Found>, Trouble> {
        Ok(self.found.clone())
    }

    fn read(&mut self, place: Place, field: Field, into: &mut Readings) -> Result<(), Trouble> {
        self.asked.push((place, field));
        let silent = self.silent.get(&place.index);
        if let Some(trouble) = silent.or(self.fails.get(&(place, field))) {
            return Err(*trouble);
        }
        match field {
            Field::Utilization => into.utilization = Some(0.5),
            Field::Memory => into.memory = Some(Memory { used: 1, limit: 2 }),
            Field::OwnMemory => into.own_memory = Some(1),
            Field::Power => into.watts = Some(100.0),
            Field::Energy => into.joules = Some(1.0),
            Field::Temperature => into.celsius = Some(40.0),
            Field::Corrected => into.corrected = Some(0),
            Field::Uncorrected => into.uncorrected = Some(self.uncorrected),
            Field::Throttled => into.throttled = Some(Default::default()),
            Field::Xids => into.xids = std::mem::take(&mut self.xids),
        }
        Ok(())
    }
}
