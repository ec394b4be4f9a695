//! The network: loads an ONNX file, refuses what is not a digit classifier, runs batches on one thread.

use std::error::Error;
use std::fmt;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rten::{
    DataType, Dimension, Model, ModelOptions, NodeId, RunError, RunOptions, ThreadPool, Value,
    ValueType,
};
use thiserror::Error;

use crate::digits::image::{Image, PIXELS};

const EMBEDDED: &[u8] = include_bytes!("../../models/digits.onnx");

/// Stands for the path in errors about the embedded model.
const EMBEDDED_NAME: &str = "embedded digits.onnx";

const INPUT: &str = "pixels";
const OUTPUT: &str = "logits";
const CLASSES: usize = 10;

/// A digit classifier that is ready to run.
///
/// It computes on one thread of its own, whatever thread asks: concurrent calls wait for each other,
/// as they would for one accelerator.
pub struct Classifier {
    model: Model,
    input: NodeId,
    output: NodeId,
    pool: Arc<ThreadPool>,
    path: PathBuf,
}

/// Why a model cannot be used.
#[derive(Debug, Error)]
pub enum ModelError {
    /// The file is missing or cannot be read.
    #[error("cannot read the model {}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The file is not an ONNX model, or a damaged one.
    #[error("{} is not a usable ONNX model", path.display())]
    NotOnnx {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The file is an ONNX model, but not of a digit classifier.
    #[error("{} is not a digit classifier: {mismatch}", path.display())]
    Mismatch {
        /// The file.
        path: PathBuf,
        /// What differs.
        mismatch: String,
    },
    /// The model was loaded, but running it fails.
    #[error("the model {} does not run", path.display())]
    Run {
        /// The file.
        path: PathBuf,
        /// What the engine says.
        source: RunError,
    },
}

impl Classifier {
    /// Loads a model from a file and tries it out.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or is not an ONNX model from `pixels` (f32, any batch by 784) to
    /// `logits` (f32, batch by 10) with finite results.
    pub fn open(path: &Path) -> Result<Classifier, ModelError> {
        let bytes = std::fs::read(path).map_err(|source| ModelError::Unreadable {
            path: path.into(),
            source,
        })?;
        Classifier::new(path.into(), bytes)
    }

    /// Loads the model that is part of the program.
    ///
    /// # Errors
    ///
    /// If the program was built with another file in place of the model.
    pub fn embedded() -> Result<Classifier, ModelError> {
        Classifier::new(EMBEDDED_NAME.into(), EMBEDDED.to_vec())
    }

    fn new(path: PathBuf, bytes: Vec<u8>) -> Result<Classifier, ModelError> {
        // The parser of rten 0.27 may run for ever where a damaged length reaches too far.
        if !is_whole(&bytes) {
            let source = "the file is no ONNX file, or is truncated or damaged".into();
            return Err(ModelError::NotOnnx { path, source });
        }
        // Where damaged sizes pass its checks, its operators panic.
        let load = {
            let path = path.clone();
            || Classifier::load(path, bytes)
        };
        catch_unwind(AssertUnwindSafe(load)).unwrap_or_else(|_| {
            let mismatch = "its parts do not fit together".to_owned();
            Err(ModelError::Mismatch { path, mismatch })
        })
    }

    fn load(path: PathBuf, bytes: Vec<u8>) -> Result<Classifier, ModelError> {
        let mut options = ModelOptions::with_all_ops();
        // Costs the memory of the weights a second time and saves arranging them anew in each run.
        options.prepack_weights(true);
        let model = match options.load(bytes) {
            Ok(model) => model,
            Err(error) => {
                return Err(ModelError::NotOnnx {
                    path,
                    source: error.into(),
                });
            }
        };
        let (input, output) = match ports(&model) {
            Ok(ports) => ports,
            Err(mismatch) => return Err(ModelError::Mismatch { path, mismatch }),
        };
        let pool = Arc::new(ThreadPool::with_num_threads(1));
        let classifier = Classifier {
            model,
            input,
            output,
            pool,
            path,
        };
        classifier.try_out()?;
        Ok(classifier)
    }

    /// Runs the network once over the whole batch and returns the ten logits of each image, in order.
    ///
    /// # Errors
    ///
    /// If the engine fails, for want of memory say.
    pub fn execute(&self, batch: &[Image]) -> Result<Vec<[f32; CLASSES]>, ModelError> {
        if batch.is_empty() {
            return Ok(Vec::new());
        }
        let pixels: Vec<f32> = batch.iter().flat_map(Image::pixels).copied().collect();
        let input = Value::from_shape([batch.len(), PIXELS], pixels)
            .map_err(|error| self.mismatch(format!("its input cannot be built: {error}")))?;
        let options = RunOptions::default().with_thread_pool(Some(Arc::clone(&self.pool)));
        let [output] = self
            .model
            .run_n(
                vec![(self.input, input.into())],
                [self.output],
                Some(options),
            )
            .map_err(|source| ModelError::Run {
                path: self.path.clone(),
                source,
            })?;
        let (shape, logits) = output
            .into_shape_vec::<f32, 2>()
            .map_err(|error| self.mismatch(format!("output `{OUTPUT}` cannot be read: {error}")))?;
        if shape != [batch.len(), CLASSES] {
            return Err(self.mismatch(format!(
                "output `{OUTPUT}` is {shape:?} for a batch of {}",
                batch.len()
            )));
        }
        Ok(logits.as_chunks().0.to_vec())
    }

    /// Runs blank images. What the file declares about its output binds nobody, so only this shows it
    /// before the first request does. One and two images take different paths in the engine.
    fn try_out(&self) -> Result<(), ModelError> {
        let blank = [const { Image::BLANK }; 2];
        for batch in [&blank[..1], &blank[..]] {
            let logits = self.execute(batch)?;
            if !logits.as_flattened().iter().all(|value| value.is_finite()) {
                return Err(
                    self.mismatch(format!("output `{OUTPUT}` of a blank image is not finite"))
                );
            }
        }
        Ok(())
    }

    fn mismatch(&self, mismatch: String) -> ModelError {
        ModelError::Mismatch {
            path: self.path.clone(),
            mismatch,
        }
    }
}

impl fmt::Debug for Classifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Classifier")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

/// Whether the lengths in a protobuf file of type `ModelProto` fit into each other, down to the nodes
/// and weights.
fn is_whole(model: &[u8]) -> bool {
    const GRAPH: u64 = 7;
    // Nodes, weights, inputs and outputs of a graph.
    const PARTS: [u64; 4] = [1, 5, 11, 12];
    !model.is_empty()
        && fields_fit(model, |field, graph| {
            field != GRAPH
                || fields_fit(graph, |field, part| {
                    !PARTS.contains(&field) || fields_fit(part, |_, _| true)
                })
        })
}

/// Walks over the fields of a protobuf message and asks `nested` about what each one holds.
fn fields_fit(mut bytes: &[u8], nested: impl Fn(u64, &[u8]) -> bool) -> bool {
    while !bytes.is_empty() {
        match take_field(&mut bytes) {
            Some((field, body)) if nested(field, body) => {}
            _ => return false,
        }
    }
    true
}

/// Takes a field: its number, and its bytes if it is of the kind that has a length.
fn take_field<'a>(bytes: &mut &'a [u8]) -> Option<(u64, &'a [u8])> {
    let key = varint(bytes)?;
    let (skipped, length) = match key & 7 {
        0 => varint(bytes).map(|_| (0, 0))?,
        1 => (8, 0),
        2 => (0, usize::try_from(varint(bytes)?).ok()?),
        5 => (4, 0),
        _ => return None,
    };
    let (body, rest) = bytes
        .split_at_checked(skipped)?
        .1
        .split_at_checked(length)?;
    *bytes = rest;
    Some((key >> 3, body))
}

/// Takes a number of seven bits a byte, lowest first.
fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

/// Finds the input and the output, or says what is wrong with them.
fn ports(model: &Model) -> Result<(NodeId, NodeId), String> {
    let input = port(model, "input", INPUT, model.input_ids(), PIXELS)?;
    let output = port(model, "output", OUTPUT, model.output_ids(), CLASSES)?;
    Ok((input, output))
}

fn port(
    model: &Model,
    kind: &str,
    name: &str,
    ids: &[NodeId],
    width: usize,
) -> Result<NodeId, String> {
    let name_of = |id: &NodeId| model.node_info(*id).and_then(|info| info.name());
    let &[id] = ids else {
        return Err(format!(
            "it has {} {kind}s instead of one named `{name}`",
            ids.len()
        ));
    };
    if name_of(&id) != Some(name) {
        return Err(format!(
            "its {kind} is named `{}` instead of `{name}`",
            name_of(&id).unwrap_or_default()
        ));
    }
    let info = model
        .node_info(id)
        .ok_or_else(|| format!("its {kind} `{name}` is not part of the graph"))?;
    match info.dtype() {
        None | Some(ValueType::Tensor(DataType::Float)) => {}
        Some(other) => {
            return Err(format!(
                "{kind} `{name}` has values of type {other:?} instead of f32"
            ));
        }
    }
    match info.shape().as_deref() {
        // Left out by some exporters; the trial run decides.
        None | Some([Dimension::Symbolic(_), Dimension::Symbolic(_)]) => Ok(id),
        Some([Dimension::Symbolic(_), Dimension::Fixed(size)]) if *size == width => Ok(id),
        Some(shape) => Err(format!(
            "{kind} `{name}` has the shape {} instead of [batch, {width}]",
            show(shape)
        )),
    }
}

fn show(shape: &[Dimension]) -> String {
    let sizes: Vec<String> = shape
        .iter()
        .map(|dimension| match dimension {
            Dimension::Fixed(size) => size.to_string(),
            Dimension::Symbolic(name) => name.clone(),
        })
        .collect();
    format!("[{}]", sizes.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::time::Instant;

    use crate::digits::answer::Answer;
    use crate::digits::heldout::heldout;

    fn images() -> Vec<Image> {
        heldout().into_iter().map(|(image, _)| image).collect()
    }

    /// Writes `bytes` to a file of this test process, opens it as a model and removes it.
    fn open(name: &str, bytes: &[u8]) -> (PathBuf, Result<Classifier, ModelError>) {
        let path = std::env::temp_dir().join(format!(
            "instrument-examples-{}-{name}.onnx",
            std::process::id()
        ));
        std::fs::write(&path, bytes).unwrap();
        let result = Classifier::open(&path);
        std::fs::remove_file(&path).unwrap();
        (path, result)
    }

    fn chain(error: &dyn Error) -> String {
        let mut text = error.to_string();
        let mut source = error.source();
        while let Some(cause) = source {
            text = format!("{text}: {cause}");
            source = cause.source();
        }
        text
    }

    /// A valid ONNX model of one matrix product, in the wire format of protobuf.
    #[derive(Clone)]
    struct Linear {
        input: (&'static str, Vec<Size>, u8),
        output: (&'static str, Vec<Size>),
        weight: [u8; 2],
        value: f32,
    }

    #[derive(Clone, Copy)]
    enum Size {
        Any,
        Is(u16),
    }

    const FLOAT: u8 = 1;

    fn number(field: u8, value: u64) -> Vec<u8> {
        let mut bytes = vec![field << 3];
        put_varint(&mut bytes, value);
        bytes
    }

    fn nested(field: u8, body: &[u8]) -> Vec<u8> {
        let mut bytes = vec![field << 3 | 2];
        put_varint(&mut bytes, u64::try_from(body.len()).unwrap());
        bytes.extend_from_slice(body);
        bytes
    }

    fn put_varint(bytes: &mut Vec<u8>, mut value: u64) {
        while value >= 0x80 {
            bytes.push(u8::try_from(value & 0x7f).unwrap() | 0x80);
            value >>= 7;
        }
        bytes.push(u8::try_from(value).unwrap());
    }

    fn value_info(name: &str, sizes: &[Size], kind: u8) -> Vec<u8> {
        let dimensions: Vec<u8> = sizes
            .iter()
            .flat_map(|size| match size {
                Size::Any => nested(1, &nested(2, b"batch")),
                Size::Is(size) => nested(1, &number(1, u64::from(*size))),
            })
            .collect();
        let tensor = [number(1, u64::from(kind)), nested(2, &dimensions)].concat();
        [nested(1, name.as_bytes()), nested(2, &nested(1, &tensor))].concat()
    }

    impl Linear {
        /// What a classifier may look like, though one that knows nothing.
        fn usable() -> Linear {
            Linear {
                input: (INPUT, vec![Size::Any, Size::Is(784)], FLOAT),
                output: (OUTPUT, vec![Size::Any, Size::Is(10)]),
                weight: [28, 10],
                value: 0.5,
            }
        }

        fn bytes(&self) -> Vec<u8> {
            // A row count of 28 stands for 784, so that the sizes of a weight fit into bytes.
            let rows = if self.weight[0] == 28 {
                784
            } else {
                u64::from(self.weight[0])
            };
            let columns = u64::from(self.weight[1]);
            let values = self
                .value
                .to_le_bytes()
                .repeat(usize::try_from(rows * columns).unwrap());
            let weight = [
                number(1, rows),
                number(1, columns),
                number(2, 1),
                nested(8, b"weight"),
                nested(9, &values),
            ]
            .concat();
            let node = [
                nested(1, self.input.0.as_bytes()),
                nested(1, b"weight"),
                nested(2, self.output.0.as_bytes()),
                nested(4, b"MatMul"),
            ]
            .concat();
            let graph = [
                nested(1, &node),
                nested(2, b"linear"),
                nested(5, &weight),
                nested(11, &value_info(self.input.0, &self.input.1, self.input.2)),
                nested(12, &value_info(self.output.0, &self.output.1, FLOAT)),
            ]
            .concat();
            let opset = [nested(1, b""), number(2, 17)].concat();
            [number(1, 8), nested(7, &graph), nested(8, &opset)].concat()
        }
    }

    #[test]
    fn heldout_images_are_classified_as_the_readme_says() {
        let heldout = heldout();
        let classifier = Classifier::embedded().unwrap();
        let logits = classifier.execute(&images()).unwrap();
        let right = logits
            .iter()
            .zip(&heldout)
            .filter(|(logits, (_, label))| Answer::from_logits(logits).digit == *label);
        assert_eq!(right.count(), 496, "of {}", heldout.len());
    }

    #[test]
    fn batch_equals_one_by_one() {
        let images = images();
        let classifier = Classifier::embedded().unwrap();
        let together = classifier.execute(&images[..32]).unwrap();
        assert_eq!(together.len(), 32);
        for (image, together) in images.iter().zip(&together) {
            let alone = classifier.execute(std::slice::from_ref(image)).unwrap();
            assert_eq!(alone.len(), 1);
            for (a, b) in alone[0].iter().zip(together) {
                assert!((a - b).abs() < 1e-4, "{alone:?} {together:?}");
            }
        }
        assert!(classifier.execute(&[]).unwrap().is_empty());
    }

    #[test]
    fn files_for_the_readme_are_read_right() {
        let files: [(&[u8], u8); 4] = [
            (include_bytes!("../../models/seven.png"), 7),
            (include_bytes!("../../models/three.png"), 3),
            (include_bytes!("../../models/two.png"), 2),
            (include_bytes!("../../models/four-on-paper.png"), 4),
        ];
        let classifier = Classifier::embedded().unwrap();
        for (file, digit) in files {
            let image = Image::decode(file).unwrap();
            let answer =
                Answer::from_logits(&classifier.execute(std::slice::from_ref(&image)).unwrap()[0]);
            assert_eq!(answer.digit, digit, "{image:?}");
            assert!(answer.confidence > 0.9, "{answer:?}");
        }
    }

    #[test]
    fn several_threads_may_share_one_classifier() {
        let images = images();
        let classifier = Classifier::embedded().unwrap();
        let expected = classifier.execute(&images[..8]).unwrap();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| assert_eq!(classifier.execute(&images[..8]).unwrap(), expected));
            }
        });
    }

    #[test]
    fn the_file_and_the_embedded_model_are_the_same() {
        let images = &images()[..4];
        let opened = open("copy", EMBEDDED).1.unwrap();
        assert_eq!(
            opened.execute(images).unwrap(),
            Classifier::embedded().unwrap().execute(images).unwrap()
        );
    }

    #[test]
    fn missing_file_is_named() {
        let path = Path::new("no/such/digits.onnx");
        let error = Classifier::open(path).unwrap_err();
        assert!(matches!(error, ModelError::Unreadable { .. }), "{error:?}");
        assert!(
            chain(&error).starts_with("cannot read the model no/such/digits.onnx: "),
            "{}",
            chain(&error)
        );
    }

    #[test]
    fn broken_files_are_named() {
        let whole = EMBEDDED;
        let half = &whole[..whole.len() / 2];
        let cases: [(&str, &[u8]); 5] = [
            ("empty", b""),
            ("text", b"hello, world\n"),
            ("zeros", &[0; 4096]),
            ("half", half),
            ("png", b"\x89PNG\r\n\x1a\n"),
        ];
        for (name, bytes) in cases {
            let (path, result) = open(name, bytes);
            let error = result.unwrap_err();
            let text = chain(&error);
            assert!(text.contains(path.to_str().unwrap()), "{text}");
        }
    }

    #[test]
    fn every_truncated_file_is_refused() {
        let whole = EMBEDDED.len();
        let lengths = (0..100)
            .chain((1..40).map(|i| whole / 40 * i))
            .chain(whole - 200..whole);
        for length in lengths {
            let result = Classifier::new("cut".into(), EMBEDDED[..length].to_vec());
            match result {
                Err(error) => assert!(chain(&error).starts_with("cut is not a"), "{error}"),
                // The last field is the version of the operators: what comes before it is a whole network.
                Ok(_) => assert!(whole - length <= 6, "{length} of {whole} bytes"),
            }
        }
    }

    #[test]
    fn damaged_lengths_and_sizes_are_refused() {
        // The length and the sizes of the first weight: rten alone hangs on some changes and panics on others.
        for field in [
            b"\x2a\x95\xc0\x49".as_slice(),
            b"\x08\x90\x06\x08\x80\x03\x10\x01",
        ] {
            let position = EMBEDDED
                .windows(field.len())
                .position(|bytes| bytes == field)
                .unwrap()
                + 1;
            for bit in 0..8 {
                let mut damaged = EMBEDDED.to_vec();
                damaged[position] ^= 1 << bit;
                let text = chain(&Classifier::new("damaged".into(), damaged).unwrap_err());
                assert!(
                    text.starts_with("damaged is not a"),
                    "{position}, {bit}: {text}"
                );
            }
        }
    }

    #[test]
    fn model_of_another_shape_is_refused_when_it_is_opened() {
        let usable = Linear::usable();
        open("usable", &usable.bytes()).1.unwrap();
        let input = |name, sizes, kind| Linear {
            input: (name, sizes, kind),
            ..usable.clone()
        };
        let cases = [
            (
                "other-input-name",
                input("image", vec![Size::Any, Size::Is(784)], FLOAT),
                "its input is named `image` instead of `pixels`",
            ),
            (
                "other-width",
                Linear {
                    weight: [64, 10],
                    ..input(INPUT, vec![Size::Any, Size::Is(64)], FLOAT)
                },
                "input `pixels` has the shape [batch, 64] instead of [batch, 784]",
            ),
            (
                "one-at-a-time",
                input(INPUT, vec![Size::Is(1), Size::Is(784)], FLOAT),
                "input `pixels` has the shape [1, 784] instead of [batch, 784]",
            ),
            (
                "picture",
                input(
                    INPUT,
                    vec![Size::Any, Size::Is(1), Size::Is(28), Size::Is(28)],
                    FLOAT,
                ),
                "input `pixels` has the shape [batch, 1, 28, 28] instead of [batch, 784]",
            ),
            (
                "integers",
                input(INPUT, vec![Size::Any, Size::Is(784)], 6),
                "input `pixels` has values of type",
            ),
            (
                "other-output-name",
                Linear {
                    output: ("scores", vec![Size::Any, Size::Is(10)]),
                    ..usable.clone()
                },
                "its output is named `scores` instead of `logits`",
            ),
            (
                "letters",
                Linear {
                    output: (OUTPUT, vec![Size::Any, Size::Is(26)]),
                    weight: [28, 26],
                    ..usable.clone()
                },
                "output `logits` has the shape [batch, 26] instead of [batch, 10]",
            ),
            (
                "undeclared-letters",
                Linear {
                    output: (OUTPUT, vec![Size::Any, Size::Any]),
                    weight: [28, 26],
                    ..usable.clone()
                },
                "output `logits` has the shape [batch, 26] instead of [batch, 10]",
            ),
            (
                "lying-output",
                Linear {
                    weight: [28, 9],
                    ..usable.clone()
                },
                "output `logits` has the shape [batch, 9] instead of [batch, 10]",
            ),
            (
                "lying-input",
                Linear {
                    weight: [27, 10],
                    ..usable.clone()
                },
                "does not run",
            ),
            (
                "not-a-number",
                Linear {
                    value: f32::NAN,
                    ..usable.clone()
                },
                "output `logits` of a blank image is not finite",
            ),
        ];
        for (name, model, expected) in cases {
            let (path, result) = open(name, &model.bytes());
            let text = chain(&result.expect_err(name));
            assert!(
                text.contains(path.to_str().unwrap()) && text.contains(expected),
                "{name}: {text}"
            );
        }
    }

    /// `cargo test --release -p instrument-examples -- --ignored --nocapture batch_of_32`
    #[test]
    #[ignore = "measures time, which says something in a release build on a quiet machine only"]
    fn batch_of_32_is_several_times_cheaper_an_image() {
        let images = images();
        let classifier = Classifier::embedded().unwrap();
        let per_image = |size: usize| {
            let mut rounds: Vec<f64> = (0..15)
                .map(|_| {
                    let started = Instant::now();
                    let mut count = 0u32;
                    while count < 3200 {
                        for batch in images[..480].chunks(size) {
                            classifier.execute(batch).unwrap();
                            count += u32::try_from(batch.len()).unwrap();
                        }
                    }
                    started.elapsed().as_secs_f64() * 1e6 / f64::from(count)
                })
                .collect();
            rounds.sort_by(f64::total_cmp);
            rounds[7]
        };
        let alone = per_image(1);
        for size in [2, 4, 8, 16, 32] {
            let together = per_image(size);
            println!(
                "batch of {size:2}: {together:5.1} µs an image, alone {alone:5.1} µs, {:.1} times cheaper",
                alone / together
            );
        }
        assert!(per_image(32) * 2.0 < alone);
    }
}
