//! Chance, for spreading the checks of a fleet over time: nobody depends on how good it is.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

/// A sequence of numbers from 0 to 1.
#[derive(Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new() -> Random {
        Random(phase("").to_bits())
    }

    pub(crate) fn next(&mut self) -> f64 {
        // splitmix
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        fraction(z ^ (z >> 31))
    }
}

/// Where in its period a check of this process begins: from 0 to 1.
pub(crate) fn phase(name: &str) -> f64 {
    let mut hasher = DefaultHasher::new();
    (name, std::process::id(), std::time::SystemTime::now()).hash(&mut hasher);
    fraction(hasher.finish())
}

#[expect(clippy::cast_precision_loss, reason = "it only has to spread")]
fn fraction(random: u64) -> f64 {
    (random >> 11) as f64 / (1_u64 << 53) as f64
}

/// That much of it.
pub(crate) fn part(whole: Duration, fraction: f64) -> Duration {
    whole.mul_f64(fraction.clamp(0.0, 1.0))
}
