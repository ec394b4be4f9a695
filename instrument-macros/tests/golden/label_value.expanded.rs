// Generated from the file of the same name without `.expanded`; `UPDATE_GOLDEN=1` refreshes it.
// `P` stands for `::instrument_inference::__private`.

#[automatically_derived]
impl P::LabelValue for Tier {
    const CARDINALITY: P::core::primitive::u32 = 3;
    #[inline]
    fn index(&self) -> P::core::primitive::u32 {
        match *self {
            Self::Free { .. } => 0,
            Self::r#type { .. } => 1,
            Self::Paid { .. } => 2,
        }
    }
    #[inline]
    fn value(&self) -> P::core::option::Option<&P::core::primitive::str> {
        P::Some(
            match *self {
                Self::Free { .. } => "free",
                Self::r#type { .. } => "type",
                Self::Paid { .. } => "paid & gold",
            },
        )
    }
}
#[automatically_derived]
impl ::renamed::__private::LabelValue for Only {
    const CARDINALITY: ::renamed::__private::core::primitive::u32 = 1;
    #[inline]
    fn index(&self) -> ::renamed::__private::core::primitive::u32 {
        match *self {
            Self::One { .. } => 0,
        }
    }
    #[inline]
    fn value(
        &self,
    ) -> ::renamed::__private::core::option::Option<
        &::renamed::__private::core::primitive::str,
    > {
        ::renamed::__private::Some(
            match *self {
                Self::One { .. } => "one",
            },
        )
    }
}
#[automatically_derived]
impl P::LabelValue for Wrong {
    const CARDINALITY: P::core::primitive::u32 = 1;
    fn index(&self) -> P::core::primitive::u32 {
        0
    }
    fn value(&self) -> P::core::option::Option<&P::core::primitive::str> {
        P::None
    }
}
::core::compile_error! {
    "`WithFields` has fields, so it can have any number of values, but each value of a label is a time series that every scraper keeps, so their number must follow from the type: derive `LabelValue` for an enum whose variants have no fields, or, for texts that are known only at run time, use the labels of a `LabelSet`"
}
::core::compile_error! {
    "an empty label is a label that is not there: to leave it out, use an `Option`"
}
