//! What the closure of `measure_tokens` says about an item.

use crate::vocab::error_type::ErrorType;
use crate::vocab::outcome::Outcome;

/// What the closure of [`measure_tokens`](crate::MeasureTokens::measure_tokens) gives: how many tokens an item has, as an
/// integer, where less than none is none; or a [`Result`] of that and an [`ErrorType`] or [`Outcome`], for items that may
/// be errors.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no number of tokens",
    label = "expected an integer, or a `Result` of an integer and an `ErrorType`",
    note = "for items that may be errors: `|item| item.as_ref().map(|chunk| chunk.tokens).map_err(Classify::error_type)`"
)]
pub trait TokenCount: sealed::Sealed {
    #[doc(hidden)]
    fn counted(self) -> Result<u64, Outcome>;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! integers {
    ($($integer:ty)*) => {$(
        impl sealed::Sealed for $integer {}
        impl TokenCount for $integer {
            #[inline]
            #[allow(
                clippy::unnecessary_fallible_conversions,
                irrefutable_let_patterns,
                reason = "some fit, some do not"
            )]
            fn counted(self) -> Result<u64, Outcome> {
                Ok(u64::try_from(self).unwrap_or(0))
            }
        }
    )*};
}

integers!(u8 u16 u32 u64 usize i32 i64);

impl<N> sealed::Sealed for Result<N, ErrorType> {}

impl<N: TokenCount> TokenCount for Result<N, ErrorType> {
    #[inline]
    fn counted(self) -> Result<u64, Outcome> {
        self.map_err(Outcome::of_error)?.counted()
    }
}

impl<N> sealed::Sealed for Result<N, Outcome> {}

impl<N: TokenCount> TokenCount for Result<N, Outcome> {
    #[inline]
    fn counted(self) -> Result<u64, Outcome> {
        self?.counted()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn less_than_none_is_none() {
        assert_eq!((-1_i32).counted(), Ok(0));
        assert_eq!(7_u8.counted(), Ok(7));
        let failed: Result<u32, _> = Err(ErrorType::CudaOom);
        assert_eq!(failed.counted(), Err(Outcome::Error(ErrorType::CudaOom)));
        assert_eq!(Ok::<_, Outcome>(3_usize).counted(), Ok(3));
    }
}
