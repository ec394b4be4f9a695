//! The images that the network was never trained on, as fixtures for load and for accuracy.

use crate::digits::image::{Image, PIXELS};

const IMAGES: &[u8] = include_bytes!("../../models/heldout-images.idx");
const LABELS: &[u8] = include_bytes!("../../models/heldout-labels.idx");

/// The 500 held-out images with the digit that each one shows.
///
/// # Panics
///
/// Never, as long as the files in `models/` are the ones that `train.py` wrote.
#[must_use]
pub fn heldout() -> Vec<(Image, u8)> {
    parse(IMAGES, LABELS).expect("the fixtures are checked in and a test reads them")
}

/// Reads a pair of IDX files: `0 0 type rank`, then `rank` big-endian sizes, then the values.
fn parse(images: &[u8], labels: &[u8]) -> Option<Vec<(Image, u8)>> {
    let pixels = values(images, [28, 28])?;
    let labels = values(labels, [])?;
    let (pixels, []) = pixels.as_chunks::<PIXELS>() else {
        return None;
    };
    let pairs = pixels
        .iter()
        .map(Image::from_gray)
        .zip(labels.iter().copied());
    (pixels.len() == labels.len()).then(|| pairs.collect())
}

/// The bytes after the header, if it promises as many items of the shape `item` as there are.
fn values<const N: usize>(file: &[u8], item: [u32; N]) -> Option<&[u8]> {
    const UNSIGNED_BYTE: u8 = 8;
    let (magic, rest) = file.split_first_chunk::<4>()?;
    let (count, rest) = rest.split_first_chunk::<4>()?;
    let mut length = usize::try_from(u32::from_be_bytes(*count)).ok()?;
    let (sizes, values) = rest.split_at_checked(4 * N)?;
    for (size, expected) in sizes.as_chunks::<4>().0.iter().zip(item) {
        if u32::from_be_bytes(*size) != expected {
            return None;
        }
        length = length.checked_mul(usize::try_from(expected).ok()?)?;
    }
    let rank = u8::try_from(N + 1).ok()?;
    (*magic == [0, 0, UNSIGNED_BYTE, rank] && values.len() == length).then_some(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_500_of_all_ten_digits() {
        let heldout = heldout();
        assert_eq!(heldout.len(), 500);
        for digit in 0..10 {
            let count = heldout.iter().filter(|(_, label)| *label == digit).count();
            assert!(count >= 30, "only {count} images show a {digit}");
        }
    }

    #[test]
    fn damaged_fixtures_are_noticed() {
        assert!(parse(IMAGES, LABELS).is_some());
        assert!(parse(&IMAGES[..IMAGES.len() - 1], LABELS).is_none());
        assert!(parse(&IMAGES[..10], LABELS).is_none());
        assert!(parse(&[], &[]).is_none());
        assert!(parse(LABELS, IMAGES).is_none());
        // One label fewer than images, with a header that says so.
        let mut fewer = LABELS[..LABELS.len() - 1].to_vec();
        fewer[4..8].copy_from_slice(&499u32.to_be_bytes());
        assert!(parse(IMAGES, &fewer).is_none());
    }
}
