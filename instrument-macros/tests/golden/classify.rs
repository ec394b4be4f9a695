#[derive(Classify)]
#[classify(internal)]
enum Failure<T: Device> {
    #[classify(cuda_oom)]
    OutOfMemory { wanted: u64, free: u64 },
    #[classify(source)]
    Device(#[from] T, Place),
    Unknown,
}

#[derive(Classify)]
#[classify(source, crate = crate::telemetry)]
struct Around {
    source: Failure<Gpu>,
    place: Place,
}

#[derive(Classify)]
enum Wrong {
    #[classify(cuda_omm)]
    OutOfMemory,
    Silent,
}
