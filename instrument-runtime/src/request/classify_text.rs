//! The texts that engines really print, and what they mean. Knows nothing about chains.
//!
//! A text decides about labels, never about health: a caller whose input is repeated in a message could write it.

use crate::vocab::error_type::ErrorType::{self, CudaOom, DeadlineExceeded, DeviceFault};
use crate::vocab::foreign::{Panicked, contained};
use std::fmt::{self, Display, Write};

/// At most so many bytes of a text are looked at: some engines append a backtrace.
const LOOKED_AT: usize = 4 * 1024;

/// A text is known by how it starts, to the letter. Anywhere else it may be something that a caller wrote.
struct Known {
    start: &'static str,
    /// What stands somewhere behind the start; empty for most. Only for engines that begin with a place of their own,
    /// such as a file and a line, that is not the same twice.
    then: &'static str,
    means: ErrorType,
    /// A public repository with the file or the issue that shows it, or the manual that defines it.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "it is for whoever reads the table")
    )]
    source: &'static str,
}

const fn start(start: &'static str, means: ErrorType, source: &'static str) -> Known {
    both(start, "", means, source)
}

const fn both(
    start: &'static str,
    then: &'static str,
    means: ErrorType,
    source: &'static str,
) -> Known {
    Known {
        start,
        then,
        means,
        source,
    }
}

// One line for each text, so that it can be searched for and its source is beside it.
#[rustfmt::skip]
const TABLE: &[Known] = &[
    // PyTorch, by itself, through `tch` and through `pyo3`.
    start("CUDA out of memory", CudaOom, "pytorch/pytorch c10/cuda/CUDACachingAllocator.cpp"),
    start("HIP out of memory", CudaOom, "pytorch/pytorch#175431"),
    start("Internal torch error: CUDA out of memory", CudaOom, "LaurentMazare/tch-rs src/error.rs, around pytorch/pytorch c10/cuda/CUDACachingAllocator.cpp"),
    start("OutOfMemoryError: CUDA out of memory", CudaOom, "PyO3/pyo3 src/err/mod.rs, around pytorch/pytorch c10/cuda/CUDACachingAllocator.cpp"),
    start("OutOfMemoryError: HIP out of memory", CudaOom, "PyO3/pyo3 src/err/mod.rs, around pytorch/pytorch#175431"),
    start("torch.OutOfMemoryError: CUDA out of memory", CudaOom, "pytorch/pytorch torch/__init__.py, as a traceback ends"),
    start("torch.OutOfMemoryError: HIP out of memory", CudaOom, "pytorch/pytorch#175431"),
    start("torch.cuda.OutOfMemoryError: CUDA out of memory", CudaOom, "One-2-3-45/One-2-3-45#25"),
    start("RuntimeError: CUDA out of memory", CudaOom, "open-mmlab/mmsegmentation#944"),
    start("CUDA error: out of memory", CudaOom, "pytorch/pytorch c10/cuda/CUDAException.cpp"),
    start("Internal torch error: CUDA error: out of memory", CudaOom, "LaurentMazare/tch-rs src/error.rs, around pytorch/pytorch c10/cuda/CUDAException.cpp"),
    start("RuntimeError: CUDA error: out of memory", CudaOom, "PyO3/pyo3 src/err/mod.rs, around pytorch/pytorch c10/cuda/CUDAException.cpp"),
    start("AcceleratorError: CUDA error: out of memory", CudaOom, "PyO3/pyo3 src/err/mod.rs, around pytorch/pytorch c10/cuda/CUDAException.cpp"),
    start("torch.AcceleratorError: CUDA error: out of memory", CudaOom, "pytorch/pytorch#164346, for CUDA"),
    start("CUDA error: CUBLAS_STATUS_ALLOC_FAILED", CudaOom, "pytorch/pytorch aten/src/ATen/cuda/Exceptions.h"),
    start("Internal torch error: CUDA error: CUBLAS_STATUS_ALLOC_FAILED", CudaOom, "LaurentMazare/tch-rs src/error.rs, around pytorch/pytorch aten/src/ATen/cuda/Exceptions.h"),
    start("RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED", CudaOom, "PyO3/pyo3 src/err/mod.rs, around pytorch/pytorch aten/src/ATen/cuda/Exceptions.h"),
    start("CUDA error: an illegal memory access was encountered", DeviceFault, "pytorch/pytorch c10/cuda/CUDAException.cpp"),
    start("Internal torch error: CUDA error: an illegal memory access was encountered", DeviceFault, "LaurentMazare/tch-rs src/error.rs, around pytorch/pytorch c10/cuda/CUDAException.cpp"),
    start("RuntimeError: CUDA error: an illegal memory access was encountered", DeviceFault, "Alescontrela/AMP_for_hardware#11"),
    start("AcceleratorError: CUDA error: an illegal memory access was encountered", DeviceFault, "PyO3/pyo3 src/err/mod.rs, around pytorch/pytorch c10/cuda/CUDAException.cpp"),
    start("torch.AcceleratorError: CUDA error: an illegal memory access was encountered", DeviceFault, "pytorch/pytorch#164346, for CUDA"),
    start("CUDA error: device-side assert triggered", DeviceFault, "pytorch/pytorch c10/cuda/CUDAException.cpp"),
    start("Internal torch error: CUDA error: device-side assert triggered", DeviceFault, "LaurentMazare/tch-rs src/error.rs, around pytorch/pytorch c10/cuda/CUDAException.cpp"),
    start("RuntimeError: CUDA error: device-side assert triggered", DeviceFault, "PyO3/pyo3 src/err/mod.rs, around pytorch/pytorch c10/cuda/CUDAException.cpp"),
    start("AcceleratorError: CUDA error: device-side assert triggered", DeviceFault, "PyO3/pyo3 src/err/mod.rs, around pytorch/pytorch c10/cuda/CUDAException.cpp"),
    start("torch.AcceleratorError: CUDA error: device-side assert triggered", DeviceFault, "pytorch/pytorch#164346, for CUDA"),
    start("CUDA error: no kernel image is available for execution on the device", DeviceFault, "pytorch/pytorch c10/cuda/CUDAException.cpp"),
    start("Internal torch error: CUDA error: no kernel image is available for execution on the device", DeviceFault, "LaurentMazare/tch-rs src/error.rs, around pytorch/pytorch c10/cuda/CUDAException.cpp"),
    start("RuntimeError: CUDA error: no kernel image is available for execution on the device", DeviceFault, "vllm-project/vllm#18835"),
    start("AcceleratorError: CUDA error: no kernel image is available for execution on the device", DeviceFault, "PyO3/pyo3 src/err/mod.rs, around pytorch/pytorch c10/cuda/CUDAException.cpp"),
    start("torch.AcceleratorError: CUDA error: no kernel image is available for execution on the device", DeviceFault, "pytorch/pytorch#164346, for CUDA"),
    start("CUDA error: uncorrectable ECC error encountered", DeviceFault, "pytorch/pytorch c10/cuda/CUDAException.cpp"),
    start("Internal torch error: CUDA error: uncorrectable ECC error encountered", DeviceFault, "LaurentMazare/tch-rs src/error.rs, around pytorch/pytorch c10/cuda/CUDAException.cpp"),
    start("RuntimeError: CUDA error: uncorrectable ECC error encountered", DeviceFault, "vllm-project/vllm#5222"),
    start("AcceleratorError: CUDA error: uncorrectable ECC error encountered", DeviceFault, "PyO3/pyo3 src/err/mod.rs, around pytorch/pytorch c10/cuda/CUDAException.cpp"),
    start("torch.AcceleratorError: CUDA error: uncorrectable ECC error encountered", DeviceFault, "pytorch/pytorch#164346, for CUDA"),
    start("HIP error: invalid device function", DeviceFault, "pytorch/pytorch#164346"),
    start("RuntimeError: HIP error: invalid device function", DeviceFault, "ROCm/legacy-rocm-build#5668"),
    start("torch.AcceleratorError: HIP error: invalid device function", DeviceFault, "pytorch/pytorch#164346"),
    start("HIP error: no kernel image is available for execution on the device", DeviceFault, "huggingface/autotrain-advanced#737"),
    start("RuntimeError: HIP error: no kernel image is available for execution on the device", DeviceFault, "huggingface/autotrain-advanced#737"),
    // NCCL, through PyTorch and through vLLM: the devices can no longer work together.
    start("NCCL error in: ", DeviceFault, "pytorch/pytorch torch/csrc/distributed/c10d/NCCLUtils.hpp"),
    start("RuntimeError: NCCL error in: ", DeviceFault, "facebookresearch/SlowFast#462"),
    start("DistBackendError: NCCL error in: ", DeviceFault, "PyO3/pyo3 src/err/mod.rs, around pytorch/pytorch torch/csrc/distributed/c10d/NCCLUtils.hpp"),
    start("torch.distributed.DistBackendError: NCCL error in: ", DeviceFault, "pytorch/pytorch torch/csrc/distributed/c10d/NCCLUtils.hpp, as a traceback ends"),
    start("NCCL error: ", DeviceFault, "vllm-project/vllm#7896"),
    start("RuntimeError: NCCL error: ", DeviceFault, "vllm-project/vllm#7896"),
    // `cudarc`, and so `candle`, which shows it as it is.
    start("DriverError(CUDA_ERROR_OUT_OF_MEMORY", CudaOom, "huggingface/candle#2046"),
    start("CublasError(CUBLAS_STATUS_ALLOC_FAILED", CudaOom, "coreylowman/cudarc src/cublas/result.rs"),
    start("DriverError(CUDA_ERROR_ILLEGAL_ADDRESS", DeviceFault, "huggingface/candle#2131"),
    start("DriverError(CUDA_ERROR_ASSERT", DeviceFault, "coreylowman/cudarc src/driver/result.rs"),
    start("DriverError(CUDA_ERROR_NO_BINARY_FOR_GPU", DeviceFault, "coreylowman/cudarc src/driver/result.rs"),
    start("DriverError(CUDA_ERROR_ECC_UNCORRECTABLE", DeviceFault, "coreylowman/cudarc src/driver/result.rs"),
    // CUDA and HIP by the names of their errors.
    start("CUDA_ERROR_OUT_OF_MEMORY", CudaOom, "NVIDIA CUDA Driver API, cuGetErrorName"),
    start("CUDA_ERROR_ILLEGAL_ADDRESS", DeviceFault, "NVIDIA CUDA Driver API, cuGetErrorName"),
    start("CUDA_ERROR_ASSERT", DeviceFault, "NVIDIA CUDA Driver API, cuGetErrorName"),
    start("CUDA_ERROR_NO_BINARY_FOR_GPU", DeviceFault, "NVIDIA CUDA Driver API, cuGetErrorName"),
    start("CUDA_ERROR_ECC_UNCORRECTABLE", DeviceFault, "NVIDIA CUDA Driver API, cuGetErrorName"),
    start("cudaErrorMemoryAllocation", CudaOom, "NVIDIA CUDA Runtime API, cudaGetErrorName"),
    start("cudaErrorIllegalAddress", DeviceFault, "NVIDIA CUDA Runtime API, cudaGetErrorName"),
    start("cudaErrorAssert", DeviceFault, "NVIDIA CUDA Runtime API, cudaGetErrorName"),
    start("cudaErrorNoKernelImageForDevice", DeviceFault, "NVIDIA CUDA Runtime API, cudaGetErrorName"),
    start("cudaErrorECCUncorrectable", DeviceFault, "NVIDIA CUDA Runtime API, cudaGetErrorName"),
    start("CUBLAS_STATUS_ALLOC_FAILED", CudaOom, "NVIDIA cuBLAS, cublasGetStatusName"),
    start("hipErrorOutOfMemory", CudaOom, "AMD HIP runtime API, hipGetErrorName"),
    start("hipErrorIllegalAddress", DeviceFault, "AMD HIP runtime API, hipGetErrorName"),
    start("hipErrorNoBinaryForGpu", DeviceFault, "AMD HIP runtime API, hipGetErrorName"),
    start("hipErrorECCNotCorrectable", DeviceFault, "AMD HIP runtime API, hipGetErrorName"),
    // ONNX Runtime. Around the message of a node it puts its own, and around both the place in its sources.
    start("CUDA failure 2: out of memory", CudaOom, "microsoft/onnxruntime onnxruntime/core/providers/cuda/cuda_call.cc"),
    start("CUBLAS failure 3: CUBLAS_STATUS_ALLOC_FAILED", CudaOom, "hacksider/Deep-Live-Cam#645"),
    start("Failed to allocate memory for requested buffer of size ", CudaOom, "microsoft/onnxruntime#16307"),
    start("CUDA failure 700: an illegal memory access was encountered", DeviceFault, "microsoft/onnxruntime onnxruntime/core/providers/cuda/cuda_call.cc"),
    start("CUDA failure 710: device-side assert triggered", DeviceFault, "microsoft/onnxruntime onnxruntime/core/providers/cuda/cuda_call.cc"),
    start("CUDA failure 209: no kernel image is available for execution on the device", DeviceFault, "microsoft/onnxruntime onnxruntime/core/providers/cuda/cuda_call.cc"),
    start("CUDA failure 214: uncorrectable ECC error encountered", DeviceFault, "microsoft/onnxruntime onnxruntime/core/providers/cuda/cuda_call.cc"),
    both("Non-zero status code returned while running ", "CUDA failure 2: out of memory", CudaOom, "microsoft/onnxruntime onnxruntime/core/providers/cuda/cuda_call.cc, around a node"),
    both("Non-zero status code returned while running ", "CUBLAS failure 3: CUBLAS_STATUS_ALLOC_FAILED", CudaOom, "hacksider/Deep-Live-Cam#645"),
    both("Non-zero status code returned while running ", "Failed to allocate memory for requested buffer of size ", CudaOom, "microsoft/onnxruntime#22702"),
    both("Non-zero status code returned while running ", "CUDA failure 700: an illegal memory access was encountered", DeviceFault, "microsoft/onnxruntime onnxruntime/core/providers/cuda/cuda_call.cc, around a node"),
    both("Non-zero status code returned while running ", "CUDA failure 710: device-side assert triggered", DeviceFault, "microsoft/onnxruntime onnxruntime/core/providers/cuda/cuda_call.cc, around a node"),
    both("Non-zero status code returned while running ", "CUDA failure 209: no kernel image is available for execution on the device", DeviceFault, "microsoft/onnxruntime onnxruntime/core/providers/cuda/cuda_call.cc, around a node"),
    both("Non-zero status code returned while running ", "CUDA failure 214: uncorrectable ECC error encountered", DeviceFault, "microsoft/onnxruntime onnxruntime/core/providers/cuda/cuda_call.cc, around a node"),
    both("/onnxruntime_src/onnxruntime/core/", "CUDA failure 2: out of memory", CudaOom, "microsoft/onnxruntime onnxruntime/core/providers/cuda/cuda_call.cc, as released"),
    both("/onnxruntime_src/onnxruntime/core/", "CUBLAS failure 3: CUBLAS_STATUS_ALLOC_FAILED", CudaOom, "microsoft/onnxruntime onnxruntime/core/providers/cuda/cuda_call.cc, as released"),
    both("/onnxruntime_src/onnxruntime/core/", "Failed to allocate memory for requested buffer of size ", CudaOom, "triton-inference-server/onnxruntime_backend#249"),
    both("/onnxruntime_src/onnxruntime/core/", "CUDA failure 700: an illegal memory access was encountered", DeviceFault, "microsoft/onnxruntime onnxruntime/core/providers/cuda/cuda_call.cc, as released"),
    both("/onnxruntime_src/onnxruntime/core/", "CUDA failure 710: device-side assert triggered", DeviceFault, "microsoft/onnxruntime onnxruntime/core/providers/cuda/cuda_call.cc, as released"),
    both("/onnxruntime_src/onnxruntime/core/", "CUDA failure 209: no kernel image is available for execution on the device", DeviceFault, "microsoft/onnxruntime onnxruntime/core/providers/cuda/cuda_call.cc, as released"),
    both("/onnxruntime_src/onnxruntime/core/", "CUDA failure 214: uncorrectable ECC error encountered", DeviceFault, "microsoft/onnxruntime onnxruntime/core/providers/cuda/cuda_call.cc, as released"),
    // TensorRT, which begins with the place in its sources, in brackets.
    both("[defaultAllocator.cpp::", "Error Code 1: Cuda Runtime (out of memory)", CudaOom, "NVIDIA/TensorRT#4254"),
    both("1: [defaultAllocator.cpp::", "Error Code 1: Cuda Runtime (out of memory)", CudaOom, "NVIDIA/TensorRT#2198"),
    both("[virtualMemoryBuffer.cpp::", "OutOfMemory (Requested size was ", CudaOom, "NVIDIA/TensorRT#4254"),
    both("../rtSafe/safeRuntime.cpp ", "Cuda Error in allocate: 2 (out of memory)", CudaOom, "microsoft/onnxruntime#10770"),
    both("[checkMacros.cpp::catchCudaError::", "Error Code 1: Cuda Runtime (an illegal memory access was encountered)", DeviceFault, "dataplayer12/SAM3-TensorRT#18"),
    both("1: [executionContext.cpp::", "Error Code 1: Cuda Runtime (an illegal memory access was encountered)", DeviceFault, "open-mmlab/mmdeploy#1941"),
    // Time limits around the work, where the type is not at hand.
    start("deadline has elapsed", DeadlineExceeded, "tokio-rs/tokio tokio/src/time/error.rs"),
    start("request timed out", DeadlineExceeded, "tower-rs/tower tower/src/timeout/error.rs"),
];

/// What the text of this error means. Asks for it once; the error may panic.
pub(crate) fn of(error: &dyn Display) -> Result<Option<ErrorType>, Panicked> {
    let mut text = Text {
        bytes: [0; LOOKED_AT],
        length: 0,
    };
    // The error is somebody else's code, and telemetry fails no request. What was written by then is of no use.
    contained(|| {
        // stops where the text is full, which is no mistake
        let _ = write!(text, "{error}");
    })?;
    Ok(find(&text.bytes[..text.length]))
}

/// What this text means.
pub(crate) fn of_str(text: &str) -> Option<ErrorType> {
    let bytes = text.as_bytes();
    find(&bytes[..bytes.len().min(LOOKED_AT)])
}

fn find(text: &[u8]) -> Option<ErrorType> {
    let known = TABLE.iter().find(|known| {
        text.strip_prefix(known.start.as_bytes())
            .is_some_and(|rest| contains(rest, known.then.as_bytes()))
    });
    known.map(|known| known.means)
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    part.is_empty() || text.windows(part.len()).any(|window| window == part)
}

/// The first bytes of what is written to it.
struct Text {
    bytes: [u8; LOOKED_AT],
    length: usize,
}

impl Write for Text {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        let room = &mut self.bytes[self.length..];
        let taken = part.len().min(room.len());
        room[..taken].copy_from_slice(&part.as_bytes()[..taken]);
        self.length += taken;
        // an error without end must come to one
        if taken < part.len() {
            Err(fmt::Error)
        } else {
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::classify::chain;
    use std::cell::Cell;
    use std::error::Error;

    #[derive(Debug)]
    struct Link(String, Option<Box<Link>>);
    impl Display for Link {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(&self.0)
        }
    }
    impl Error for Link {
        fn source(&self) -> Option<&(dyn Error + 'static)> {
            self.1
                .as_deref()
                .map(|source| -> &(dyn Error + 'static) { source })
        }
    }

    /// A chain with the text at its depth.
    fn at(depth: usize, text: &str) -> Link {
        let innermost = Link("asked too much".to_owned(), None);
        let found = Link(text.to_owned(), Some(Box::new(innermost)));
        (0..depth).fold(found, |inner, _| {
            Link("could not predict".to_owned(), Some(Box::new(inner)))
        })
    }

    /// As an engine prints it.
    fn shown(known: &Known) -> String {
        if known.then.is_empty() {
            format!("{} and more", known.start)
        } else {
            format!("{}file:31] {} and more", known.start, known.then)
        }
    }

    #[test]
    fn every_text_is_known_at_the_start_of_a_link_and_nowhere_else() {
        for known in TABLE {
            let text = shown(known);
            for depth in [0, 1, 3] {
                assert_eq!(chain(&at(depth, &text)), known.means, "{depth}: {text}");
                for before in ["x", " ", "\n", "cannot serve the prompt: ", "\""] {
                    let echoed = format!("{before}{text}");
                    assert_eq!(
                        chain(&at(depth, &echoed)),
                        ErrorType::Internal,
                        "{depth}: {echoed}"
                    );
                }
            }
        }
    }

    #[test]
    fn the_case_matters_and_a_part_is_not_enough() {
        for known in TABLE {
            for text in [known.start.to_uppercase(), known.start.to_lowercase()] {
                assert!(text == known.start || of_str(&text).is_none(), "{text}");
            }
            let short = &known.start[..known.start.len() - 1];
            assert!(of_str(short).is_none(), "{short}");
        }
    }

    #[test]
    fn every_line_has_a_source_and_says_something_new() {
        for (at, known) in TABLE.iter().enumerate() {
            let named = ["/", "NVIDIA ", "AMD "]
                .iter()
                .any(|by| known.source.contains(by));
            assert!(named, "{}: {}", known.start, known.source);
            let earlier = TABLE[..at].iter().find(|earlier| {
                earlier.then.is_empty() && known.start.starts_with(earlier.start)
                    || (earlier.start, earlier.then) == (known.start, known.then)
            });
            assert!(earlier.is_none(), "{} is never reached", known.start);
        }
    }

    #[test]
    fn what_engines_print_is_known() {
        for (text, means) in [
            (
                "CUDA out of memory. Tried to allocate 20.00 MiB. GPU 0 has a total capacity of 79.15 GiB",
                CudaOom,
            ),
            (
                "DriverError(CUDA_ERROR_OUT_OF_MEMORY, \"out of memory\")",
                CudaOom,
            ),
            (
                "Non-zero status code returned while running Conv node. Name:'/stages.0/Conv' Status Message: \
                 /onnxruntime_src/onnxruntime/core/framework/bfc_arena.cc:376 void* onnxruntime::BFCArena::\
                 AllocateRawInternal(size_t, bool) Failed to allocate memory for requested buffer of size 8388608000",
                CudaOom,
            ),
            (
                "[defaultAllocator.cpp::allocate::31] Error Code 1: Cuda Runtime (out of memory)",
                CudaOom,
            ),
            (
                "CUDA error: device-side assert triggered\nCUDA kernel errors might be asynchronously reported",
                DeviceFault,
            ),
        ] {
            assert_eq!(of_str(text), Some(means), "{text}");
        }
        for text in [
            "",
            "out of memory",
            "Non-zero status code returned while running Conv node.",
            "the prompt is too long: CUDA out of memory. Tried to allocate",
        ] {
            assert_eq!(of_str(text), None, "{text}");
        }
    }

    #[test]
    fn only_the_first_bytes_are_looked_at() {
        struct Endless<'a>(&'a Cell<usize>);
        impl Display for Endless<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("CUDA out of memory")?;
                loop {
                    f.write_str(" é")?;
                    self.0.set(self.0.get() + 1);
                }
            }
        }
        let written = Cell::new(0);
        assert_eq!(of(&Endless(&written)), Ok(Some(CudaOom)));
        assert!(written.get() < LOOKED_AT);
        let far = |filler: usize| {
            format!(
                "[defaultAllocator.cpp::{}Error Code 1: Cuda Runtime (out of memory)",
                "x".repeat(filler)
            )
        };
        for (filler, means) in [(3_000, Some(CudaOom)), (LOOKED_AT, None)] {
            assert_eq!(of_str(&far(filler)), means);
            assert_eq!(of(&far(filler)), Ok(means));
        }
    }

    #[test]
    fn an_error_that_panics_is_asked_once() {
        #[derive(Debug)]
        struct Rude(Cell<u32>, Link);
        impl Display for Rude {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.set(self.0.get() + 1);
                f.write_str("CUDA out of memory")?;
                panic!("not me")
            }
        }
        impl Error for Rude {
            fn source(&self) -> Option<&(dyn Error + 'static)> {
                Some(&self.1)
            }
        }
        let rude = Rude(Cell::new(0), at(0, "CUDA out of memory"));
        assert_eq!(chain(&rude), ErrorType::Internal);
        assert_eq!(rude.0.get(), 1);
    }
}
