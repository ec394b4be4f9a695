//! Uploaded pictures: from any PNG to the 28 by 28 grey values that the network reads, and back.
//!
//! Rows are reduced as they are decoded, so an upload costs the memory of a few rows, not of the picture
//! (an interlaced one excepted: its rows come out of order).

use std::fmt;
use std::io::Cursor;

use png::{
    BitDepth, ColorType, Compression, Decoder, DecodingError, Encoder, Limits, Reader,
    Transformations,
};
use thiserror::Error;

/// Pixels on one side of what the network reads.
const SIDE: usize = 28;

/// Pixels of what the network reads.
pub(crate) const PIXELS: usize = SIDE * SIDE;

/// Longest side of an accepted upload: a 16-megapixel photograph passes, and an interlaced one, which has to be held
/// as a whole, stays within 64 MiB.
const LONGEST_SIDE: u32 = 4096;

/// What the decoder may allocate for rows and chunks. The longest row is 32 KiB; the rest is for odd metadata.
const DECODER_BYTES: usize = 4 * 1024 * 1024;

const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

/// A picture of 28 by 28 grey values from 0 to 1: a light digit on a dark ground, row by row.
#[derive(Clone, PartialEq)]
pub struct Image([f32; PIXELS]);

/// Why an upload is not a picture that can be classified.
#[derive(Debug, Error)]
pub enum ImageError {
    /// The upload has no bytes.
    #[error("the upload is empty")]
    Empty,
    /// The first bytes are not those of a PNG file.
    #[error("the upload is not a PNG file")]
    NotPng,
    /// A side is longer than the service is willing to decode.
    #[error(
        "the picture is {width} x {height} pixels, more than the {LONGEST_SIDE} x {LONGEST_SIDE} that are accepted"
    )]
    TooLarge {
        /// Pixels in a row.
        width: u32,
        /// Rows.
        height: u32,
    },
    /// The file starts like a PNG but is truncated or damaged.
    #[error("the PNG file is damaged")]
    Malformed(#[source] DecodingError),
}

impl Image {
    /// Nothing but ground.
    pub(crate) const BLANK: Image = Image([0.0; PIXELS]);

    /// Reads a PNG file of any colour type and bit depth up to 4096 by 4096 pixels.
    ///
    /// Transparent parts show white. The picture is scaled to fit, with its proportions kept, and turned into its
    /// negative if its border is bright: a dark digit on paper.
    ///
    /// # Errors
    ///
    /// If the bytes are not a whole PNG file or the picture is larger than that.
    pub fn decode(bytes: &[u8]) -> Result<Image, ImageError> {
        if bytes.is_empty() {
            return Err(ImageError::Empty);
        }
        if !bytes.starts_with(SIGNATURE) {
            return Err(ImageError::NotPng);
        }
        let mut decoder = Decoder::new_with_limits(
            Cursor::new(bytes),
            Limits {
                bytes: DECODER_BYTES,
            },
        );
        decoder.set_transformations(Transformations::normalize_to_color8());
        decoder.set_ignore_text_chunk(true);
        decoder.set_ignore_iccp_chunk(true);
        let header = decoder.read_header_info().map_err(ImageError::Malformed)?;
        let (width, height) = header.size();
        if width.max(height) > LONGEST_SIDE {
            return Err(ImageError::TooLarge { width, height });
        }
        let mut reduction = Reduction::new(width, height);
        let mut reader = decoder.read_info().map_err(ImageError::Malformed)?;
        read_rows(&mut reader, |row| reduction.add(row)).map_err(ImageError::Malformed)?;
        Ok(reduction.finish())
    }

    /// Takes grey values from 0 (ground) to 255 (digit), row by row.
    #[must_use]
    pub fn from_gray(pixels: &[u8; PIXELS]) -> Image {
        Image(pixels.map(|value| f32::from(value) / 255.0))
    }

    /// The grey values from 0 to 1, row by row.
    #[must_use]
    pub fn pixels(&self) -> &[f32; PIXELS] {
        &self.0
    }

    /// Writes the picture as an 8-bit grey PNG file.
    #[must_use]
    pub fn to_png(&self) -> Vec<u8> {
        encode(28, &self.0.map(to_byte))
    }

    /// Writes the picture enlarged to `side` by `side` pixels (28 at least, 4096 at most), as a large upload would be.
    #[must_use]
    pub fn to_png_scaled(&self, side: u32) -> Vec<u8> {
        let side = side.clamp(28, LONGEST_SIDE);
        let length = to_usize(side);
        let small = self.0.map(to_byte);
        let mut pixels = Vec::with_capacity(length * length);
        for y in 0..length {
            let start = y * SIDE / length * SIDE;
            let row = &small[start..start + SIDE];
            pixels.extend((0..length).map(|x| row[x * SIDE / length]));
        }
        encode(side, &pixels)
    }
}

/// Draws the picture in characters, which a failed assertion can show.
impl fmt::Debug for Image {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (rows, _) = self.0.as_chunks::<SIDE>();
        for row in rows {
            let shade = |value: &f32| match to_byte(*value) {
                0..64 => ' ',
                64..128 => '.',
                128..192 => 'o',
                _ => '#',
            };
            writeln!(
                f,
                "{}",
                row.iter().map(shade).collect::<String>().trim_end()
            )?;
        }
        Ok(())
    }
}

/// Hands each row to `take` as 8-bit luminance on a white ground, from top to bottom, and reads the file to its end.
fn read_rows(
    reader: &mut Reader<Cursor<&[u8]>>,
    mut take: impl FnMut(&[u8]),
) -> Result<(), DecodingError> {
    let (color, _) = reader.output_color_type();
    let mut luminance = Vec::new();
    let mut convert = |row: &[u8]| {
        luminance.clear();
        match color {
            ColorType::GrayscaleAlpha => {
                luminance.extend(row.as_chunks().0.iter().map(|&[v, a]| on_white(v, a)));
            }
            ColorType::Rgb => {
                luminance.extend(row.as_chunks().0.iter().map(|&[r, g, b]| weigh(r, g, b)));
            }
            ColorType::Rgba => {
                let pixels = row.as_chunks().0.iter();
                luminance.extend(pixels.map(|&[r, g, b, a]| on_white(weigh(r, g, b), a)));
            }
            // The transformation has resolved palettes.
            ColorType::Grayscale | ColorType::Indexed => luminance.extend_from_slice(row),
        }
        take(&luminance);
    };
    if reader.info().interlaced {
        let mut frame = vec![
            0;
            reader
                .output_buffer_size()
                .ok_or(DecodingError::LimitsExceeded)?
        ];
        let line = reader.next_frame(&mut frame)?.line_size;
        frame.chunks_exact(line).for_each(convert);
    } else {
        while let Some(row) = reader.next_row()? {
            convert(row.data());
        }
    }
    // A file that breaks off behind its last row was not uploaded as a whole either.
    reader.finish()
}

/// Luminance by the weights of ITU-R BT.601.
fn weigh(red: u8, green: u8, blue: u8) -> u8 {
    let sum = 299 * u32::from(red) + 587 * u32::from(green) + 114 * u32::from(blue);
    u8::try_from((sum + 500) / 1000).unwrap_or(u8::MAX)
}

fn on_white(value: u8, alpha: u8) -> u8 {
    let sum = u32::from(value) * u32::from(alpha) + 255 * (255 - u32::from(alpha));
    u8::try_from((sum + 127) / 255).unwrap_or(u8::MAX)
}

/// Scales a picture to fit 28 by 28 by averaging the area that each target pixel covers.
///
/// Exact in integers: lengths are counted in units of which a source pixel has as many as there are target pixels,
/// and a target pixel as many as there are source pixels.
struct Reduction {
    columns: Vec<Span>,
    /// Source and target pixels from top to bottom.
    height: (u32, u32),
    /// Source and target pixels from left to right.
    width: (u32, u32),
    /// Weighted sums of the target pixels.
    sums: [[u64; SIDE]; SIDE],
    rows: u32,
    border: Border,
}

/// What one target pixel covers of a source row.
struct Span {
    first: usize,
    last: usize,
    first_weight: u32,
    inner_weight: u32,
    last_weight: u32,
}

/// Mean brightness of the outermost pixels.
#[derive(Default)]
struct Border {
    sum: u64,
    count: u64,
}

impl Reduction {
    fn new(width: u32, height: u32) -> Reduction {
        let longest = width.max(height);
        let fit = |length: u32| ((28 * length + longest / 2) / longest).max(1);
        let width = (width, fit(width));
        let height = (height, fit(height));
        let columns = (0..width.1)
            .map(|target| Span::new(target, width))
            .collect();
        Reduction {
            columns,
            height,
            width,
            sums: [[0; SIDE]; SIDE],
            rows: 0,
            border: Border::default(),
        }
    }

    fn add(&mut self, row: &[u8]) {
        let sums: Vec<u64> = self.columns.iter().map(|span| span.sum(row)).collect();
        for (target, target_row) in (0..self.height.1).zip(&mut self.sums) {
            let weight = u64::from(overlap(self.rows, target, self.height));
            if weight > 0 {
                target_row
                    .iter_mut()
                    .zip(&sums)
                    .for_each(|(total, sum)| *total += sum * weight);
            }
        }
        match row {
            _ if self.rows == 0 || self.rows + 1 == self.height.0 => self.border.add(row),
            [first, .., last] => self.border.add(&[*first, *last]),
            _ => self.border.add(row),
        }
        self.rows += 1;
    }

    fn finish(self) -> Image {
        let negative = self.border.is_bright();
        let area = u64::from(self.width.0) * u64::from(self.height.0);
        let (left, top) = (
            to_usize(28 - self.width.1) / 2,
            to_usize(28 - self.height.1) / 2,
        );
        let mut pixels = [0.0; PIXELS];
        for (y, row) in self.sums.iter().take(to_usize(self.height.1)).enumerate() {
            for (x, sum) in row.iter().take(to_usize(self.width.1)).enumerate() {
                // Sixteen bits are more than the sources carry, and convert to f32 without loss.
                let level =
                    u16::try_from(sum * u64::from(u16::MAX) / (255 * area)).unwrap_or(u16::MAX);
                let level = if negative { u16::MAX - level } else { level };
                pixels[(top + y) * SIDE + left + x] = f32::from(level) / f32::from(u16::MAX);
            }
        }
        Image(pixels)
    }
}

impl Span {
    fn new(target: u32, (source, targets): (u32, u32)) -> Span {
        let first = target * source / targets;
        let last = ((target + 1) * source).div_ceil(targets) - 1;
        Span {
            first: to_usize(first),
            last: to_usize(last),
            first_weight: overlap(first, target, (source, targets)),
            inner_weight: targets,
            last_weight: if last > first {
                overlap(last, target, (source, targets))
            } else {
                0
            },
        }
    }

    fn sum(&self, row: &[u8]) -> u64 {
        let inner: u32 = row[self.first..self.last]
            .iter()
            .skip(1)
            .copied()
            .map(u32::from)
            .sum();
        let first = u32::from(row[self.first]) * self.first_weight;
        let last = u32::from(row[self.last]) * self.last_weight;
        // At most 255 * 4096 in total: the weights of a span add up to the length of the source.
        u64::from(first + inner * self.inner_weight + last)
    }
}

impl Border {
    fn add(&mut self, pixels: &[u8]) {
        for &pixel in pixels {
            self.sum += u64::from(pixel);
            self.count += 1;
        }
    }

    fn is_bright(&self) -> bool {
        self.sum > self.count * 127
    }
}

/// How much of source pixel `pixel` lies in target pixel `target`.
fn overlap(pixel: u32, target: u32, (source, targets): (u32, u32)) -> u32 {
    let start = (pixel * targets).max(target * source);
    let end = ((pixel + 1) * targets).min((target + 1) * source);
    end.saturating_sub(start)
}

fn to_usize(length: u32) -> usize {
    usize::try_from(length).expect("a length in pixels fits into any machine that has an allocator")
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped to the range of u8"
)]
fn to_byte(value: f32) -> u8 {
    (value * 255.0).round().clamp(0.0, 255.0) as u8
}

fn encode(side: u32, pixels: &[u8]) -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, side, side);
    encoder.set_color(ColorType::Grayscale);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_compression(Compression::Fast);
    encoder
        .write_header()
        .and_then(|mut writer| {
            writer
                .write_image_data(pixels)
                .and_then(|()| writer.finish())
        })
        .expect("writing to memory does not fail, and the pixels match the header");
    file
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::digits::heldout::heldout;

    fn digit() -> Image {
        heldout()[0].0.clone()
    }

    /// Writes raw samples of any colour type.
    fn file(width: u32, height: u32, color: ColorType, depth: BitDepth, samples: &[u8]) -> Vec<u8> {
        let mut file = Vec::new();
        let mut encoder = Encoder::new(&mut file, width, height);
        encoder.set_color(color);
        encoder.set_depth(depth);
        if color == ColorType::Indexed {
            let entries = 1usize << (depth as u8);
            let palette: Vec<u8> = (0..entries)
                .flat_map(|i| [u8::try_from(i * 255 / (entries - 1)).unwrap(); 3])
                .collect();
            encoder.set_palette(palette);
        }
        let mut writer = encoder.write_header().unwrap();
        writer.write_image_data(samples).unwrap();
        writer.finish().unwrap();
        file
    }

    fn difference(a: &Image, b: &Image) -> f32 {
        a.0.iter()
            .zip(&b.0)
            .map(|(a, b)| (a - b).abs())
            .fold(0.0, f32::max)
    }

    #[test]
    fn png_and_back_is_the_same_image() {
        for (image, label) in heldout() {
            assert_eq!(Image::decode(&image.to_png()).unwrap(), image, "a {label}");
        }
    }

    #[test]
    fn enlarging_and_reducing_is_the_same_image() {
        let image = digit();
        for side in [28, 56, 280, 28 * 100] {
            assert_eq!(
                Image::decode(&image.to_png_scaled(side)).unwrap(),
                image,
                "{side} pixels"
            );
        }
        // Where the sides are no multiples, target pixels mix neighbours at their edges.
        let reduced = Image::decode(&image.to_png_scaled(1000)).unwrap();
        assert!(difference(&reduced, &image) < 0.05, "{reduced:?}");
    }

    #[test]
    fn scaled_png_stays_within_what_decode_accepts() {
        assert_eq!(Image::decode(&digit().to_png_scaled(0)).unwrap(), digit());
        assert!(Image::decode(&digit().to_png_scaled(u32::MAX)).is_ok());
    }

    #[test]
    fn every_colour_type_shows_the_same_image() {
        let image = digit();
        let gray = image.0.map(to_byte);
        let wide = |value: u8| [value, 0];
        let cases: [(&str, ColorType, BitDepth, Vec<u8>); 9] = [
            (
                "gray 8",
                ColorType::Grayscale,
                BitDepth::Eight,
                gray.to_vec(),
            ),
            (
                "gray 16",
                ColorType::Grayscale,
                BitDepth::Sixteen,
                gray.iter().flat_map(|&v| wide(v)).collect(),
            ),
            (
                "gray alpha 8",
                ColorType::GrayscaleAlpha,
                BitDepth::Eight,
                gray.iter().flat_map(|&v| [v, 255]).collect(),
            ),
            (
                "gray alpha 16",
                ColorType::GrayscaleAlpha,
                BitDepth::Sixteen,
                gray.iter().flat_map(|&v| [v, 0, 255, 255]).collect(),
            ),
            (
                "rgb 8",
                ColorType::Rgb,
                BitDepth::Eight,
                gray.iter().flat_map(|&v| [v; 3]).collect(),
            ),
            (
                "rgb 16",
                ColorType::Rgb,
                BitDepth::Sixteen,
                gray.iter().flat_map(|&v| [v, 0, v, 0, v, 0]).collect(),
            ),
            (
                "rgba 8",
                ColorType::Rgba,
                BitDepth::Eight,
                gray.iter().flat_map(|&v| [v, v, v, 255]).collect(),
            ),
            (
                "rgba 16",
                ColorType::Rgba,
                BitDepth::Sixteen,
                gray.iter()
                    .flat_map(|&v| [v, 0, v, 0, v, 0, 255, 255])
                    .collect(),
            ),
            (
                "palette 8",
                ColorType::Indexed,
                BitDepth::Eight,
                gray.to_vec(),
            ),
        ];
        for (name, color, depth, samples) in cases {
            let decoded = Image::decode(&file(28, 28, color, depth, &samples)).unwrap();
            assert_eq!(decoded, image, "{name}");
        }
    }

    #[test]
    fn low_bit_depths_show_the_image_in_fewer_shades() {
        let image = digit();
        for (color, depth) in [ColorType::Grayscale, ColorType::Indexed]
            .into_iter()
            .flat_map(|color| {
                [BitDepth::One, BitDepth::Two, BitDepth::Four].map(|depth| (color, depth))
            })
        {
            let bits = u32::from(depth as u8);
            let levels = (1u32 << bits) - 1;
            let samples: Vec<u32> = image
                .0
                .iter()
                .map(|&v| (u32::from(to_byte(v)) * levels + 127) / 255)
                .collect();
            let per_byte = usize::try_from(8 / bits).unwrap();
            let packed: Vec<u8> = samples
                .chunks(28)
                .flat_map(|row| row.chunks(per_byte))
                .map(|group| {
                    let value = group.iter().fold(0, |byte, sample| byte << bits | sample);
                    u8::try_from(value << (bits * u32::try_from(per_byte - group.len()).unwrap()))
                        .unwrap()
                })
                .collect();
            let decoded = Image::decode(&file(28, 28, color, depth, &packed)).unwrap();
            let expected: Vec<u8> = samples
                .iter()
                .map(|&s| u8::try_from(s * 255 / levels).unwrap())
                .collect();
            assert_eq!(
                decoded,
                Image::from_gray(&expected.try_into().unwrap()),
                "{color:?} {depth:?}"
            );
        }
    }

    #[test]
    fn interlaced_file_shows_the_same_image() {
        // 8 by 4 grey pixels in the seven passes of Adam7, which the encoder does not write.
        const INTERLACED: &[u8] = b"\x89\x50\x4e\x47\x0d\x0a\x1a\x0a\x00\x00\x00\x0d\x49\x48\x44\x52\x00\x00\x00\x08\x00\x00\
            \x00\x04\x08\x00\x00\x00\x01\xe1\xa1\x11\xba\x00\x00\x00\x2e\x49\x44\x41\x54\x78\xda\x63\
            \x60\x60\x50\x60\x10\x30\x60\x08\x48\x28\xe0\x60\xe0\x90\xd0\xb0\x60\x88\xc8\x60\x10\x60\
            \xd0\x30\xb0\x70\xf0\x08\x88\x48\x60\x60\xe0\x10\x90\x50\x00\xf2\x00\x6c\xb8\x05\xd9\x35\
            \x04\xb3\xb9\x00\x00\x00\x00\x49\x45\x4e\x44\xae\x42\x60\x82";
        let pixels: Vec<u8> = (0..32u8).map(|i| (i % 8 * 8 + i / 8 * 40) % 120).collect();
        let plain = file(8, 4, ColorType::Grayscale, BitDepth::Eight, &pixels);
        assert_eq!(
            Image::decode(INTERLACED).unwrap(),
            Image::decode(&plain).unwrap()
        );
        assert!(Image::decode(&INTERLACED[..INTERLACED.len() - 20]).is_err());
    }

    #[test]
    fn dark_digit_on_white_paper_is_turned_into_its_negative() {
        let image = digit();
        let paper: Vec<u8> = image.0.iter().map(|&v| 255 - to_byte(v)).collect();
        let decoded =
            Image::decode(&file(28, 28, ColorType::Grayscale, BitDepth::Eight, &paper)).unwrap();
        assert!(difference(&decoded, &image) < 1e-4, "{decoded:?}");
    }

    #[test]
    fn black_strokes_on_a_transparent_ground_are_a_digit_on_paper() {
        let image = digit();
        let strokes: Vec<u8> = image.0.iter().flat_map(|&v| [0, to_byte(v)]).collect();
        let decoded = Image::decode(&file(
            28,
            28,
            ColorType::GrayscaleAlpha,
            BitDepth::Eight,
            &strokes,
        ))
        .unwrap();
        assert!(difference(&decoded, &image) < 1e-4, "{decoded:?}");
    }

    #[test]
    fn proportions_are_kept_and_the_rest_is_ground() {
        let (width, height) = (140, 28);
        let pixels = vec![100; 140 * 28];
        let decoded = Image::decode(&file(
            width,
            height,
            ColorType::Grayscale,
            BitDepth::Eight,
            &pixels,
        ))
        .unwrap();
        let (rows, _) = decoded.0.as_chunks::<SIDE>();
        let lit = |row: &[f32; SIDE]| {
            row.iter()
                .all(|&value| (value - 100.0 / 255.0).abs() < 1e-4)
        };
        // 28 wide and 28 / 5, rounded, high.
        assert_eq!(rows.iter().filter(|row| lit(row)).count(), 6, "{decoded:?}");
        assert_eq!(
            rows.iter()
                .filter(|row| row.iter().sum::<f32>() <= 0.0)
                .count(),
            22,
            "{decoded:?}"
        );
        assert!(lit(&rows[11]) && lit(&rows[16]), "{decoded:?}");
    }

    #[test]
    fn smallest_and_narrowest_pictures_decode() {
        for (width, height) in [(1, 1), (1, 2), (3, 5), (1, 4096), (4096, 1), (27, 29)] {
            let pixels = vec![90; to_usize(width * height)];
            let decoded = Image::decode(&file(
                width,
                height,
                ColorType::Grayscale,
                BitDepth::Eight,
                &pixels,
            ))
            .unwrap();
            let lit = decoded.0.iter().filter(|value| **value > 0.0);
            assert!(
                lit.clone().count() > 0 && lit.clone().all(|v| (v - 90.0 / 255.0).abs() < 1e-4),
                "{width} {height}"
            );
        }
    }

    #[test]
    fn averaging_keeps_the_mean_brightness() {
        // A pattern that no target pixel divides evenly.
        let side = 997u32;
        let pixels: Vec<u8> = (0..side * side)
            .map(|i| u8::try_from(i * 31 % 97).unwrap())
            .collect();
        let decoded = Image::decode(&file(
            side,
            side,
            ColorType::Grayscale,
            BitDepth::Eight,
            &pixels,
        ))
        .unwrap();
        let expected =
            pixels.iter().map(|&v| f64::from(v)).sum::<f64>() / 255.0 / f64::from(side * side);
        let mean = decoded.0.iter().map(|&v| f64::from(v)).sum::<f64>() / 784.0;
        assert!(
            (mean - expected).abs() < 1e-4,
            "{mean} instead of {expected}"
        );
    }

    #[test]
    fn uploads_that_are_no_png_are_refused() {
        assert!(matches!(Image::decode(b""), Err(ImageError::Empty)));
        for garbage in [
            &b"hello"[..],
            b"\x89",
            b"\xff\xd8\xff\xe0 a photograph",
            &[0; 1000],
        ] {
            assert!(
                matches!(Image::decode(garbage), Err(ImageError::NotPng)),
                "{garbage:?}"
            );
        }
    }

    #[test]
    fn every_truncation_is_refused() {
        let whole = digit().to_png();
        for length in 0..whole.len() {
            assert!(
                Image::decode(&whole[..length]).is_err(),
                "{length} of {} bytes",
                whole.len()
            );
        }
    }

    #[test]
    fn no_changed_byte_panics() {
        let whole = digit().to_png();
        for position in 0..whole.len() {
            for change in [0x01, 0x80, 0xff] {
                let mut damaged = whole.clone();
                damaged[position] ^= change;
                // A checksum notices nearly all of them, but not the ones in ignored chunks.
                let _ = Image::decode(&damaged);
            }
        }
    }

    /// A header with the given size and a checksum that is right, then a few bytes of picture.
    fn bomb(width: u32, height: u32) -> Vec<u8> {
        let mut file = digit().to_png();
        file[16..20].copy_from_slice(&width.to_be_bytes());
        file[20..24].copy_from_slice(&height.to_be_bytes());
        let mut checksum = u32::MAX;
        for byte in &file[12..29] {
            checksum ^= u32::from(*byte);
            for _ in 0..8 {
                checksum = if checksum & 1 == 1 {
                    checksum >> 1 ^ 0xedb8_8320
                } else {
                    checksum >> 1
                };
            }
        }
        file[29..33].copy_from_slice(&(!checksum).to_be_bytes());
        file
    }

    #[test]
    fn huge_pictures_are_refused_by_their_header() {
        for (width, height) in [
            (4097, 1),
            (1, 4097),
            (100_000, 100_000),
            (0x7fff_ffff, 0x7fff_ffff),
        ] {
            let error = Image::decode(&bomb(width, height)).unwrap_err();
            let expected = format!("the picture is {width} x {height} pixels");
            assert!(
                matches!(error, ImageError::TooLarge { .. })
                    && error.to_string().starts_with(&expected),
                "{error}"
            );
        }
        for (width, height) in [(0, 28), (28, 0), (4096, 4096), (28, 29), (u32::MAX, 1)] {
            assert!(
                Image::decode(&bomb(width, height)).is_err(),
                "{width} x {height}"
            );
        }
        assert!(Image::decode(&bomb(28, 28)).is_ok());
    }
}
