//! NVIDIA's devices, through NVML, which is loaded when it is asked. The only file that names its crate.

use crate::gpu::backend::{
    Field, Found, GpuBackend, GpuSession, Identity, Memory, Place, Readings, SLOWDOWNS,
};
use crate::gpu::trouble::Trouble;
use nvml_wrapper::bitmasks::device::ThrottleReasons;
use nvml_wrapper::enum_wrappers::device::{EccCounter, MemoryError, TemperatureSensor};
use nvml_wrapper::enums::device::UsedGpuMemory;
use nvml_wrapper::error::NvmlError;
use nvml_wrapper::{Device, EventSet, Nvml};
use std::collections::HashMap;

/// More instances than that has no device.
const MOST_INSTANCES: u32 = 64;

/// Whatever storm of events there is, a round comes to its end.
#[cfg(target_os = "linux")]
const MOST_EVENTS: usize = 64;

/// What slows down, in the order of [`SLOWDOWNS`].
const REASONS: [ThrottleReasons; SLOWDOWNS.len()] = [
    ThrottleReasons::HW_POWER_BRAKE_SLOWDOWN,
    ThrottleReasons::HW_SLOWDOWN,
    ThrottleReasons::HW_THERMAL_SLOWDOWN,
    ThrottleReasons::SW_POWER_CAP,
    ThrottleReasons::SW_THERMAL_SLOWDOWN,
    ThrottleReasons::SYNC_BOOST,
];

/// `libnvidia-ml.so.1`, wherever the system finds it.
#[derive(Debug)]
pub(crate) struct NvmlBackend;

impl GpuBackend for NvmlBackend {
    fn session(&self, work: &mut dyn FnMut(&mut dyn GpuSession)) -> Result<(), Trouble> {
        let nvml = Nvml::init().map_err(|error| trouble(&error))?;
        work(&mut Session {
            nvml: &nvml,
            devices: HashMap::new(),
            events: HashMap::new(),
        });
        // dropped here: the library of a driver that was updated meanwhile has to be loaded anew
        Ok(())
    }
}

struct Session<'nvml> {
    nvml: &'nvml Nvml,
    devices: HashMap<Place, Device<'nvml>>,
    /// One set for each device: a set that one of them refuses is gone with what it held.
    events: HashMap<u32, EventSet<'nvml>>,
}

impl GpuSession for Session<'_> {
    fn driver(&self) -> Option<String> {
        self.nvml.sys_driver_version().ok()
    }

    fn list(&mut self) -> Result<Vec<Found>, Trouble> {
        let count = self.nvml.device_count().map_err(|error| trouble(&error))?;
        Ok((0..count).map(|index| self.look(index)).collect())
    }

    fn read(&mut self, place: Place, field: Field, into: &mut Readings) -> Result<(), Trouble> {
        if field == Field::Xids {
            return self.xids(place.index, &mut into.xids);
        }
        let device = self.device(place).map_err(|error| trouble(&error))?;
        read(device, field, into).map_err(|error| trouble(&error))
    }
}

impl<'nvml> Session<'nvml> {
    fn device(&mut self, place: Place) -> Result<&Device<'nvml>, NvmlError> {
        if !self.devices.contains_key(&place) {
            let mut device = self.nvml.device_by_index(place.index)?;
            if let Some(number) = place.instance {
                device = device.mig_device_by_index(number)?;
            }
            self.devices.insert(place, device);
        }
        Ok(&self.devices[&place])
    }

    fn look(&mut self, index: u32) -> Found {
        let place = |instance| Place { index, instance };
        let device = self.device(place(None));
        let looked = device.and_then(|device| {
            let divided = device.mig_mode().ok().map(|mode| mode.current == 1);
            let most = match divided {
                Some(true) => device.mig_device_count().unwrap_or_default(),
                _ => 0,
            };
            Ok((identity(device)?, divided, most))
        });
        let (who, divided, most) = match looked {
            Ok(looked) => looked,
            Err(error) => {
                return Found {
                    identity: Err(trouble(&error)),
                    divided: None,
                    instances: Vec::new(),
                };
            }
        };
        // the numbers have gaps, and one that fails says nothing about the next
        let instances = (0..most.min(MOST_INSTANCES)).filter_map(|number| {
            let instance = self.device(place(Some(number))).and_then(identity);
            instance.ok().map(|instance| (number, instance))
        });
        let instances = instances.collect();
        Found {
            identity: Ok(who),
            divided,
            instances,
        }
    }

    #[cfg(target_os = "linux")]
    fn xids(&mut self, index: u32, into: &mut Vec<u64>) -> Result<(), Trouble> {
        use nvml_wrapper::bitmasks::event::EventTypes;
        use nvml_wrapper::enums::event::XidError;

        const XID: EventTypes = EventTypes::CRITICAL_XID_ERROR;
        /// How NVML writes an event of which it does not know the number.
        const UNKNOWN: u64 = 999;

        if !self.events.contains_key(&index) {
            let nvml = self.nvml;
            let place = Place {
                index,
                instance: None,
            };
            let device = self.device(place).map_err(|error| trouble(&error))?;
            let supported = device.supported_event_types();
            if !supported.map_err(|error| trouble(&error))?.contains(XID) {
                return Err(Trouble::NotSupported);
            }
            let set = nvml.create_event_set().map_err(|error| trouble(&error))?;
            let set = device.register_events(XID, set);
            let set = set.map_err(|error| trouble(&error.error))?;
            self.events.insert(index, set);
        }
        let set = &self.events[&index];
        for _ in 0..MOST_EVENTS {
            match set.wait(0) {
                Ok(event) => into.extend(event.event_data.map(|xid| match xid {
                    XidError::Value(number) => number,
                    XidError::Unknown => UNKNOWN,
                })),
                Err(NvmlError::Timeout) => break,
                // what came before it counts
                Err(error) if into.is_empty() => return Err(trouble(&error)),
                Err(_) => break,
            }
        }
        Ok(())
    }

    #[cfg(not(target_os = "linux"))]
    #[expect(clippy::unused_self, reason = "as on Linux")]
    fn xids(&mut self, _: u32, _: &mut Vec<u64>) -> Result<(), Trouble> {
        Err(Trouble::NotSupported)
    }
}

fn identity(device: &Device<'_>) -> Result<Identity, NvmlError> {
    Ok(Identity {
        uuid: device.uuid()?,
        name: device.name()?,
    })
}

fn read(device: &Device<'_>, field: Field, into: &mut Readings) -> Result<(), NvmlError> {
    let errors = |kind| device.total_ecc_errors(kind, EccCounter::Volatile);
    match field {
        Field::Utilization => {
            into.utilization = Some(f64::from(device.utilization_rates()?.gpu) / 100.0);
        }
        Field::Memory => {
            let memory = device.memory_info()?;
            into.memory = Some(Memory {
                used: memory.used,
                limit: memory.total,
            });
        }
        Field::OwnMemory => into.own_memory = own_memory(device)?,
        Field::Power => into.watts = Some(f64::from(device.power_usage()?) / 1_000.0),
        Field::Energy => into.joules = Some(thousandth(device.total_energy_consumption()?)),
        Field::Temperature => {
            into.celsius = Some(f64::from(device.temperature(TemperatureSensor::Gpu)?));
        }
        Field::Corrected => into.corrected = Some(errors(MemoryError::Corrected)?),
        Field::Uncorrected => into.uncorrected = Some(errors(MemoryError::Uncorrected)?),
        Field::Throttled => {
            let now = device.current_throttle_reasons()?;
            into.throttled = Some(REASONS.map(|reason| now.contains(reason)));
        }
        // of the session
        Field::Xids => {}
    }
    Ok(())
}

/// `None` where the process is not among those that the device names: it uses none, or is known by another number.
fn own_memory(device: &Device<'_>) -> Result<Option<u64>, NvmlError> {
    let own = std::process::id();
    let processes = device.running_compute_processes()?;
    let used = processes
        .iter()
        .filter(|process| process.pid == own)
        .filter_map(|process| match process.used_gpu_memory {
            UsedGpuMemory::Used(bytes) => Some(bytes),
            UsedGpuMemory::Unavailable => None,
        });
    Ok(used.reduce(u64::saturating_add))
}

#[expect(clippy::cast_precision_loss, reason = "exact for 285 years at 1 kW")]
fn thousandth(number: u64) -> f64 {
    number as f64 / 1_000.0
}

fn trouble(error: &NvmlError) -> Trouble {
    match error {
        NvmlError::LibloadingError(_) | NvmlError::LibraryNotFound => Trouble::NoLibrary,
        NvmlError::DriverNotLoaded => Trouble::DriverNotLoaded,
        NvmlError::LibRmVersionMismatch => Trouble::DriverMismatch,
        NvmlError::NoPermission | NvmlError::OperatingSystem => Trouble::Permission,
        NvmlError::GpuLost => Trouble::Lost,
        NvmlError::ResetRequired => Trouble::ResetRequired,
        // a driver that is older than the call does not have it either
        NvmlError::NotSupported
        | NvmlError::FunctionNotFound
        | NvmlError::FailedToLoadSymbol(_) => Trouble::NotSupported,
        NvmlError::Timeout => Trouble::Timeout,
        NvmlError::NoData => Trouble::NoData,
        NvmlError::InsufficientMemory => Trouble::OutOfMemory,
        NvmlError::Unknown => Trouble::Unknown,
        _ => Trouble::Other,
    }
}
