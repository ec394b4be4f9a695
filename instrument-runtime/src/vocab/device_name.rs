//! What a device is called: an index or a name, and not too many of them.

use crate::vocab::label::{Given, cut};
use std::borrow::Cow;
use std::fmt::{self, Write};
use std::sync::{Arc, OnceLock};

/// Devices that a service may name; what comes after is [`OTHER`].
pub(crate) const MOST: usize = 64;

pub(crate) const OTHER: &str = "other";

/// Those that attributes have named, in the order of their coming. They stay.
static NAMES: [OnceLock<Box<str>>; MOST] = [const { OnceLock::new() }; MOST];

/// A name as a label has it: of a bounded length, and `None` where it is empty.
pub(crate) fn trimmed(name: &str) -> Option<&str> {
    Some(cut(name.trim())).filter(|name| !name.is_empty())
}

/// What `device = …` takes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` names no device",
    label = "expected an index or a name",
    note = "an index is an integer, a name is a text: `device = self.gpu`, `device = &self.uuid`, `device = \"cuda:0\"`",
    note = "`device` alone marks a stage that runs on a device, whichever"
)]
pub trait NamesDevice {
    /// Its name, handed to `take`; `None` where there is none.
    fn name<R>(&self, take: impl FnOnce(Option<&str>) -> R) -> R;
}

/// Asks what the device is called.
pub fn device<D: NamesDevice + ?Sized>(device: &D) -> Given<'static> {
    device.name(|name| named(&NAMES, name))
}

fn named(names: &'static [OnceLock<Box<str>>], name: Option<&str>) -> Given<'static> {
    let Some(name) = name.and_then(trimmed) else {
        return Given {
            index: 0,
            value: None,
        };
    };
    let mut index = 0;
    for known in names {
        index += 1;
        let known = known.get_or_init(|| name.into());
        if **known == *name {
            return Given {
                index,
                value: Some(known),
            };
        }
    }
    Given {
        index: index + 1,
        value: Some(OTHER),
    }
}

macro_rules! texts {
    ($($text:ty),*) => {$(
        impl NamesDevice for $text {
            fn name<R>(&self, take: impl FnOnce(Option<&str>) -> R) -> R {
                take(Some(self))
            }
        }
    )*};
}

texts!(str, String, Box<str>, Arc<str>, Cow<'_, str>);

/// An index below 0 is how engines say "none" or "the processor".
macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl NamesDevice for $number {
            fn name<R>(&self, take: impl FnOnce(Option<&str>) -> R) -> R {
                let mut digits = Digits::default();
                let index = u64::try_from(*self).ok().filter(|index| write!(digits, "{index}").is_ok());
                take(index.map(|_| digits.text()))
            }
        }
    )*};
}

numbers!(u8, u16, u32, u64, usize, i8, i16, i32, i64, isize);

#[diagnostic::do_not_recommend]
impl<D: NamesDevice + ?Sized> NamesDevice for &D {
    fn name<R>(&self, take: impl FnOnce(Option<&str>) -> R) -> R {
        (**self).name(take)
    }
}

#[diagnostic::do_not_recommend]
impl<D: NamesDevice> NamesDevice for Option<D> {
    fn name<R>(&self, take: impl FnOnce(Option<&str>) -> R) -> R {
        match self {
            Some(device) => device.name(take),
            None => take(None),
        }
    }
}

/// A number as text: an execution allocates nothing for it.
#[derive(Default)]
struct Digits {
    /// As many as `u64::MAX` has.
    bytes: [u8; 20],
    length: usize,
}

impl Digits {
    fn text(&self) -> &str {
        std::str::from_utf8(&self.bytes[..self.length]).unwrap_or_default()
    }
}

impl Write for Digits {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = self.length + text.len();
        let place = self.bytes.get_mut(self.length..end).ok_or(fmt::Error)?;
        place.copy_from_slice(text.as_bytes());
        self.length = end;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static THREE: [OnceLock<Box<str>>; 3] = [const { OnceLock::new() }; 3];

    fn of_three(device: impl NamesDevice) -> (u32, Option<&'static str>) {
        let given = device.name(|name| named(&THREE, name));
        (given.index, given.value)
    }

    #[test]
    fn what_is_called_alike_is_one_device() {
        assert_eq!(of_three(0), (1, Some("0")));
        assert_eq!(of_three(" GPU-1\n"), (2, Some("GPU-1")));
        assert_eq!(of_three(Some(0_usize)), (1, Some("0")));
        assert_eq!(of_three("0".to_owned()), (1, Some("0")));
        assert_eq!(of_three(u64::MAX), (3, Some("18446744073709551615")));
        assert_eq!(of_three(2), (4, Some(OTHER)), "there are enough");
        assert_eq!(of_three(Some("GPU-1")), (2, Some("GPU-1")));
    }

    #[test]
    fn what_names_none_leaves_the_label_out() {
        for nothing in [of_three(-1), of_three(" "), of_three(None::<u8>)] {
            assert_eq!(nothing, (0, None));
        }
    }
}
