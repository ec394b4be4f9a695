//! What a vendor's library is asked: which devices there are, and one field of one of them.

use crate::gpu::trouble::Trouble;

/// A way to the devices.
pub(crate) trait GpuBackend: Send {
    /// Opens the library for as long as `work` takes.
    ///
    /// # Errors
    /// When it cannot be opened; `work` has not run then.
    fn session(&self, work: &mut dyn FnMut(&mut dyn GpuSession)) -> Result<(), Trouble>;
}

/// The library, open. Any call may take for ever.
pub(crate) trait GpuSession {
    /// The driver's version, where it says one.
    fn driver(&self) -> Option<String>;

    /// All devices, in the order of the bus, which counts those that do not answer.
    ///
    /// # Errors
    /// When it does not even say how many there are.
    fn list(&mut self) -> Result<Vec<Found>, Trouble>;

    /// Adds what a field of a device says.
    ///
    /// # Errors
    /// When it says nothing.
    fn read(&mut self, place: Place, field: Field, into: &mut Readings) -> Result<(), Trouble>;
}

/// Where a device is: its number on the bus, and that of the MIG instance on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) index: u32,
    pub(crate) instance: Option<u32>,
}

/// Who a device is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Identity {
    pub(crate) uuid: String,
    pub(crate) name: String,
}

/// A device of the machine.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    /// A device that is lost does not even say who it is.
    pub(crate) identity: Result<Identity, Trouble>,
    /// It is divided; `None` where it cannot be.
    pub(crate) divided: Option<bool>,
    /// The MIG instances on it, by number.
    pub(crate) instances: Vec<(u32, Identity)>,
}

/// What a device may be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Field {
    Utilization,
    Memory,
    OwnMemory,
    Power,
    Energy,
    Temperature,
    Corrected,
    Uncorrected,
    Throttled,
    Xids,
}

impl Field {
    /// First what happened, which says why a device is lost that says nothing else; then what every device has.
    pub(crate) const ALL: [Field; 10] = [
        Field::Xids,
        Field::Memory,
        Field::Temperature,
        Field::Power,
        Field::Utilization,
        Field::Energy,
        Field::Corrected,
        Field::Uncorrected,
        Field::Throttled,
        Field::OwnMemory,
    ];

    /// The rest is of the device, not of an instance on it.
    pub(crate) fn is_of_instances(self) -> bool {
        matches!(self, Field::Memory | Field::OwnMemory)
    }
}

/// What is used of what there is, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Memory {
    pub(crate) used: u64,
    pub(crate) limit: u64,
}

/// What slows a device down, as `nvidia-smi` calls it, and the bit for it.
pub(crate) const SLOWDOWNS: [&str; 6] = [
    "hw_power_brake_slowdown",
    "hw_slowdown",
    "hw_thermal_slowdown",
    "sw_power_cap",
    "sw_thermal_slowdown",
    "sync_boost",
];

/// What a device said in one round; what it did not say is `None`.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Readings {
    /// From 0 to 1.
    pub(crate) utilization: Option<f64>,
    pub(crate) memory: Option<Memory>,
    /// Of it, what this process uses.
    pub(crate) own_memory: Option<u64>,
    pub(crate) watts: Option<f64>,
    /// Since the driver was loaded.
    pub(crate) joules: Option<f64>,
    pub(crate) celsius: Option<f64>,
    /// Memory errors since the driver was loaded.
    pub(crate) corrected: Option<u64>,
    pub(crate) uncorrected: Option<u64>,
    /// For each of [`SLOWDOWNS`].
    pub(crate) throttled: Option<[bool; SLOWDOWNS.len()]>,
    /// What happened since the last round.
    pub(crate) xids: Vec<u64>,
}
