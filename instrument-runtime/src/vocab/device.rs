//! What an engine says of the devices it runs on, which their driver does not know.

/// Something that an engine met on a device, and mostly handled itself: the label `event` of
/// `inference_device_events_total`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum DeviceEvent {
    /// An allocation failed, memory was freed, and it was tried again.
    AllocRetry,
    /// An allocation failed for good.
    Oom,
    /// What had failed for want of memory went on: with a smaller batch, or after emptying a cache.
    OomRecovered,
    /// From now on every call fails: a *sticky* error, after which CUDA asks for a new process. Only for errors of which
    /// the engine's own types say so, never by the text of an error, which a client may have written: the built-in check
    /// `device` is down until [`FaultRecovered`](DeviceEvent::FaultRecovered).
    Fault,
    /// The device works again, for example in a new process of the engine.
    FaultRecovered,
}

impl DeviceEvent {
    /// The value of the label `event`.
    pub const fn as_str(self) -> &'static str {
        match self {
            DeviceEvent::AllocRetry => "alloc_retry",
            DeviceEvent::Oom => "oom",
            DeviceEvent::OomRecovered => "oom_recovered",
            DeviceEvent::Fault => "fault",
            DeviceEvent::FaultRecovered => "fault_recovered",
        }
    }
}

/// What an engine knows of its own memory on a device. What it does not know it leaves out: nothing is shown for it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[must_use]
pub struct DeviceReading {
    pub(crate) allocated: Option<u64>,
    pub(crate) reserved: Option<u64>,
    pub(crate) inactive: Option<u64>,
    pub(crate) alloc_retries: Option<u64>,
    pub(crate) ooms: Option<u64>,
}

impl DeviceReading {
    /// Nothing is known.
    pub const fn new() -> DeviceReading {
        DeviceReading {
            allocated: None,
            reserved: None,
            inactive: None,
            alloc_retries: None,
            ooms: None,
        }
    }

    /// Bytes in use by tensors.
    pub const fn allocated(mut self, bytes: u64) -> DeviceReading {
        self.allocated = Some(bytes);
        self
    }

    /// Bytes that the allocator holds, in use or not: what the driver counts for this process.
    pub const fn reserved(mut self, bytes: u64) -> DeviceReading {
        self.reserved = Some(bytes);
        self
    }

    /// Bytes in blocks that are split and not in use, so that they cannot be given back: fragmentation.
    pub const fn inactive(mut self, bytes: u64) -> DeviceReading {
        self.inactive = Some(bytes);
        self
    }

    /// How many allocations were tried again after memory was freed, since the engine started.
    pub const fn alloc_retries(mut self, times: u64) -> DeviceReading {
        self.alloc_retries = Some(times);
        self
    }

    /// How many allocations failed for good, since the engine started.
    pub const fn ooms(mut self, times: u64) -> DeviceReading {
        self.ooms = Some(times);
        self
    }

    /// Bytes by the label `state` of `inference_device_allocator_bytes`.
    pub(crate) fn bytes(&self) -> [(&'static str, Option<u64>); 3] {
        [
            ("allocated", self.allocated),
            ("reserved", self.reserved),
            ("inactive", self.inactive),
        ]
    }
}

/// An engine that knows its memory on a device, asked once a second on a thread of its own. It may block or panic: what
/// it said before is shown for 10 s, and nothing after that.
///
/// Closures are such engines:
///
/// ```
/// # use instrument_runtime as instrument_inference;
/// use instrument_inference::DeviceReading;
/// # struct Pool;
/// # impl Pool { fn used(&self) -> u64 { 0 } fn held(&self) -> u64 { 0 } fn retries(&self) -> u64 { 0 } }
/// # fn install() -> Result<(), Box<dyn std::error::Error>> {
/// # let telemetry = instrument_inference::Telemetry::builder("x").install()?;
/// # let pool = Pool;
///
/// telemetry.device_stats("0", move || {
///     DeviceReading::new()
///         .allocated(pool.used())
///         .reserved(pool.held())
///         .alloc_retries(pool.retries())
/// });
/// # Ok(())
/// # }
/// ```
pub trait DeviceStats: Send + 'static {
    /// What is known now.
    fn read(&mut self) -> DeviceReading;
}

impl<F: FnMut() -> DeviceReading + Send + 'static> DeviceStats for F {
    fn read(&mut self) -> DeviceReading {
        self()
    }
}
