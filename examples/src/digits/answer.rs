//! Turns the ten logits of one image into an answer.

use serde::Serialize;

/// The digit that the network sees, and how sure it is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Answer {
    /// 0 to 9.
    pub digit: u8,
    /// The softmax probability of `digit`, 0 to 1.
    pub confidence: f32,
}

impl Answer {
    /// Takes the likeliest digit; of equal ones the smallest.
    ///
    /// A NaN counts as "impossible". If nothing else is left the answer is 0 with confidence 0.
    #[must_use]
    pub fn from_logits(logits: &[f32; 10]) -> Answer {
        let numbers = || (0u8..).zip(logits).filter(|(_, value)| !value.is_nan());
        let best = numbers().reduce(|best, next| if next.1 > best.1 { next } else { best });
        let Some((digit, &highest)) = best else {
            return Answer {
                digit: 0,
                confidence: 0.0,
            };
        };
        // Relative to the highest logit, so that `exp` cannot overflow. The highest itself is exactly 1, also where it
        // is infinite and the difference would be NaN.
        let sum: f32 = numbers()
            .map(|(_, &value)| {
                if value < highest {
                    (value - highest).exp()
                } else {
                    1.0
                }
            })
            .sum();
        Answer {
            digit,
            confidence: 1.0 / sum,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn logits(changes: &[(usize, f32)]) -> [f32; 10] {
        let mut logits = [0.0; 10];
        for &(digit, value) in changes {
            logits[digit] = value;
        }
        logits
    }

    fn answer(changes: &[(usize, f32)]) -> (u8, f32) {
        let Answer { digit, confidence } = Answer::from_logits(&logits(changes));
        (digit, confidence)
    }

    #[test]
    fn confidence_is_the_softmax_of_the_highest_logit() {
        let (digit, confidence) = answer(&[(4, 3.0)]);
        assert_eq!(digit, 4);
        let expected = 3f32.exp() / (3f32.exp() + 9.0);
        assert!(
            (confidence - expected).abs() < 1e-6,
            "{confidence} instead of {expected}"
        );
    }

    #[test]
    fn the_smallest_of_equal_digits_wins() {
        let (digit, confidence) = answer(&[(3, 50.0), (8, 50.0)]);
        assert_eq!(digit, 3);
        assert!((confidence - 0.5).abs() < 1e-6, "{confidence}");
    }

    #[test]
    fn huge_logits_do_not_overflow() {
        assert_eq!(answer(&[(9, f32::MAX)]), (9, 1.0));
        assert_eq!(answer(&[(9, f32::INFINITY)]), (9, 1.0));
        let (digit, confidence) = Answer::from_logits(&[f32::NEG_INFINITY; 10]).into_parts();
        assert_eq!(digit, 0);
        assert!((confidence - 0.1).abs() < 1e-6, "{confidence}");
    }

    #[test]
    fn nan_never_wins() {
        let (digit, confidence) = answer(&[(0, f32::NAN), (6, 20.0)]);
        assert_eq!(digit, 6);
        assert!(confidence > 0.99, "{confidence}");
        assert_eq!(
            Answer::from_logits(&[f32::NAN; 10]),
            Answer {
                digit: 0,
                confidence: 0.0
            }
        );
    }

    impl Answer {
        fn into_parts(self) -> (u8, f32) {
            (self.digit, self.confidence)
        }
    }
}
