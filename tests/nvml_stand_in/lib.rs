//! Stands in for `libnvidia-ml.so.1`: speaks its C interface as far as the tests need it, and says what a script says.
//!
//! A cdylib of its own, built by the test with rustc, so that the real nvml-wrapper loads it as it loads NVIDIA's.
//! `NVML_STAND_IN` names the script, which is read again with each call; `tests/process_gpu/script.rs` writes it.
//! One `key = value` a line; a device is its number (`0`), a MIG instance on it `0.mig1`:
//!
//! ```text
//! init = 0                  what nvmlInit returns
//! count = 2
//! 0.uuid = GPU-a
//! 0.power = 150000          absent: NVML_ERROR_NOT_SUPPORTED; `!15`: that error; `hang`: does not return meanwhile
//! 0 = !15                   every call for the device, but for its number
//! ```
#![allow(
    non_snake_case,
    clippy::missing_safety_doc,
    reason = "as the interface has it"
)]

use std::ffi::{c_char, c_uint, c_ulonglong};
use std::io::Write;
use std::sync::Mutex;
use std::time::Duration;

type Code = c_uint;
/// A number that the caller takes for a pointer: 1 + the device, and 256 × (1 + the instance).
type Device = usize;

const SUCCESS: Code = 0;
const NOT_SUPPORTED: Code = 3;
const NOT_FOUND: Code = 6;
const INSUFFICIENT_SIZE: Code = 7;
const TIMEOUT: Code = 10;
const XID: c_ulonglong = 8;

fn script() -> String {
    let file = std::env::var_os("NVML_STAND_IN").expect("the test names a script");
    std::fs::read_to_string(file).unwrap_or_default()
}

/// Says that it was asked, for tests that count.
fn asked(key: &str) {
    let mut file = std::env::var_os("NVML_STAND_IN").expect("the test names a script");
    file.push(".asked");
    let file = std::fs::File::options()
        .create(true)
        .append(true)
        .open(file);
    let _ = file.and_then(|mut file| file.write_all(format!("{key}\n").as_bytes()));
}

fn found(key: &str) -> Option<String> {
    let script = script();
    let lines = script.lines().filter_map(|line| line.split_once('='));
    let mut values = lines.filter(|(known, _)| known.trim() == key);
    values.next().map(|(_, value)| value.trim().to_owned())
}

fn get(key: &str) -> Result<String, Code> {
    asked(key);
    let mut hangs = false;
    loop {
        let Some(value) = found(key) else {
            return Err(NOT_SUPPORTED);
        };
        if value != "hang" {
            return match value.strip_prefix('!') {
                Some(code) => Err(code.parse().expect("a code")),
                None => Ok(value),
            };
        }
        if !hangs {
            asked("hangs");
            hangs = true;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn number(key: &str) -> Result<c_ulonglong, Code> {
    Ok(get(key)?.parse().expect("a number"))
}

fn name(device: Device) -> String {
    let (index, instance) = (device % 256 - 1, device / 256);
    match instance {
        0 => index.to_string(),
        _ => format!("{index}.mig{}", instance - 1),
    }
}

fn of(device: Device, field: &str) -> Result<String, Code> {
    let whole = (device % 256 - 1).to_string();
    match found(&whole) {
        Some(_) => get(&whole),
        None => get(&format!("{}.{field}", name(device))),
    }
}

fn number_of(device: Device, field: &str) -> Result<c_ulonglong, Code> {
    Ok(of(device, field)?.parse().expect("a number"))
}

/// Writes what was said, or gives the code.
unsafe fn put<T>(to: *mut T, value: Result<T, Code>) -> Code {
    match value {
        Ok(value) => {
            unsafe { to.write(value) };
            SUCCESS
        }
        Err(code) => code,
    }
}

unsafe fn put_text(to: *mut c_char, room: c_uint, value: Result<String, Code>) -> Code {
    match value {
        Ok(text) if text.len() < room as usize => {
            for (at, byte) in text.bytes().chain([0]).enumerate() {
                unsafe { to.add(at).write(byte as c_char) };
            }
            SUCCESS
        }
        Ok(_) => INSUFFICIENT_SIZE,
        Err(code) => code,
    }
}

fn int(value: Result<c_ulonglong, Code>) -> Result<c_uint, Code> {
    Ok(c_uint::try_from(value?).expect("a small number"))
}

#[unsafe(no_mangle)]
pub extern "C" fn nvmlInit_v2() -> Code {
    number("init").map_or_else(|code| code, |_| SUCCESS)
}

#[unsafe(no_mangle)]
pub extern "C" fn nvmlShutdown() -> Code {
    asked("shutdown");
    SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlSystemGetDriverVersion(to: *mut c_char, room: c_uint) -> Code {
    unsafe { put_text(to, room, get("driver")) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetCount_v2(to: *mut c_uint) -> Code {
    unsafe { put(to, int(number("count"))) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetHandleByIndex_v2(index: c_uint, to: *mut Device) -> Code {
    let lost = found(&index.to_string()).is_some();
    let code = if lost {
        get(&index.to_string()).err()
    } else {
        None
    };
    unsafe { put(to, code.map_or(Ok(1 + index as usize), Err)) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetUUID(device: Device, to: *mut c_char, room: c_uint) -> Code {
    unsafe { put_text(to, room, of(device, "uuid")) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetName(device: Device, to: *mut c_char, room: c_uint) -> Code {
    unsafe { put_text(to, room, of(device, "name")) }
}

#[repr(C)]
pub struct Utilization {
    gpu: c_uint,
    memory: c_uint,
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetUtilizationRates(
    device: Device,
    to: *mut Utilization,
) -> Code {
    let gpu = int(number_of(device, "utilization"));
    unsafe { put(to, gpu.map(|gpu| Utilization { gpu, memory: 0 })) }
}

#[repr(C)]
pub struct Memory {
    version: c_uint,
    total: c_ulonglong,
    reserved: c_ulonglong,
    free: c_ulonglong,
    used: c_ulonglong,
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetMemoryInfo_v2(device: Device, to: *mut Memory) -> Code {
    let version = unsafe { (*to).version };
    let memory = of(device, "memory").map(|text| {
        let (used, total) = text.split_once(' ').expect("used and total");
        let number = |text: &str| text.trim().parse().expect("a number");
        let (used, total): (c_ulonglong, c_ulonglong) = (number(used), number(total));
        Memory {
            version,
            total,
            reserved: 0,
            free: total - used,
            used,
        }
    });
    unsafe { put(to, memory) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetPowerUsage(device: Device, to: *mut c_uint) -> Code {
    unsafe { put(to, int(number_of(device, "power"))) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetTotalEnergyConsumption(
    device: Device,
    to: *mut c_ulonglong,
) -> Code {
    unsafe { put(to, number_of(device, "energy")) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetTemperature(
    device: Device,
    _sensor: c_uint,
    to: *mut c_uint,
) -> Code {
    unsafe { put(to, int(number_of(device, "temperature"))) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetTotalEccErrors(
    device: Device,
    kind: c_uint,
    _counter: c_uint,
    to: *mut c_ulonglong,
) -> Code {
    let kind = ["corrected", "uncorrected"][kind as usize];
    unsafe { put(to, number_of(device, kind)) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetCurrentClocksThrottleReasons(
    device: Device,
    to: *mut c_ulonglong,
) -> Code {
    unsafe { put(to, number_of(device, "throttle")) }
}

#[repr(C)]
pub struct Process {
    pid: c_uint,
    memory: c_ulonglong,
    gpu_instance: c_uint,
    compute_instance: c_uint,
}

/// The process that asks, and another one before it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetComputeRunningProcesses_v3(
    device: Device,
    room: *mut c_uint,
    to: *mut Process,
) -> Code {
    let memory = match number_of(device, "own_memory") {
        Ok(memory) => memory,
        Err(code) => return code,
    };
    let had = unsafe { room.replace(2) };
    if had < 2 {
        return INSUFFICIENT_SIZE;
    }
    for (at, pid, memory) in [(0, 1, 1), (1, std::process::id(), memory)] {
        let process = Process {
            pid,
            memory,
            gpu_instance: c_uint::MAX,
            compute_instance: c_uint::MAX,
        };
        unsafe { to.add(at).write(process) };
    }
    SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetMigMode(
    device: Device,
    current: *mut c_uint,
    pending: *mut c_uint,
) -> Code {
    let divided = of(device, "mig").map(|_| 1);
    unsafe {
        put(pending, divided);
        put(current, divided)
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetMaxMigDeviceCount(device: Device, to: *mut c_uint) -> Code {
    unsafe { put(to, int(number_of(device, "mig"))) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetMigDeviceHandleByIndex(
    device: Device,
    number: c_uint,
    to: *mut Device,
) -> Code {
    let instance = device + 256 * (1 + number as usize);
    let is_there = found(&format!("{}.uuid", name(instance))).is_some();
    unsafe {
        put(
            to,
            if is_there {
                Ok(instance)
            } else {
                Err(NOT_FOUND)
            },
        )
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetSupportedEventTypes(
    device: Device,
    to: *mut c_ulonglong,
) -> Code {
    // present, with or without an event
    let events = of(device, "xids").map(|_| XID);
    unsafe { put(to, events) }
}

/// How many events each device's set has given.
#[derive(Default)]
pub struct Set {
    device: Mutex<Device>,
    given: Mutex<usize>,
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlEventSetCreate(to: *mut *mut Set) -> Code {
    unsafe { put(to, Ok(Box::into_raw(Box::default()))) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceRegisterEvents(
    device: Device,
    types: c_ulonglong,
    set: *const Set,
) -> Code {
    if types != XID {
        return NOT_SUPPORTED;
    }
    let set = unsafe { &*set };
    *set.device.lock().expect("no panic") = device;
    SUCCESS
}

#[repr(C)]
pub struct Event {
    device: Device,
    kind: c_ulonglong,
    data: c_ulonglong,
    gpu_instance: c_uint,
    compute_instance: c_uint,
}

/// `xids` lists what has happened since the driver was loaded.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlEventSetWait_v2(
    set: *const Set,
    to: *mut Event,
    _milliseconds: c_uint,
) -> Code {
    let set = unsafe { &*set };
    let device = *set.device.lock().expect("no panic");
    let mut given = set.given.lock().expect("no panic");
    let event = of(device, "xids").and_then(|xids| {
        let number = xids.split_whitespace().nth(*given).ok_or(TIMEOUT)?;
        *given += 1;
        Ok(Event {
            device,
            kind: XID,
            data: number.parse().expect("a number"),
            gpu_instance: c_uint::MAX,
            compute_instance: c_uint::MAX,
        })
    });
    unsafe { put(to, event) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlEventSetFree(set: *mut Set) -> Code {
    drop(unsafe { Box::from_raw(set) });
    SUCCESS
}
