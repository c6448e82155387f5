//! Tables of the calls that hosts and guests make: what a row says, as data, and arguments as words.
//!
//! A table is a macro that hands its rows to another macro, `table!(then)`: the machine makes methods of them that
//! record themselves, and the way back from a recording (`calls_of_rows!` of the engine); the fuzzer makes calls,
//! listings print them. A row is `kind number name(arguments) -> answer;`. Kinds:
//!
//! | kind | |
//! |---|---|
//! | `call` | recorded under its number |
//! | `work` | the same; it looks at memory and changes it |
//! | `own` | recorded under its number by a method that is written by hand |
//! | `guest` | a call of the guest's with a number of its system, which is recorded as the call that makes such calls |
//! | `ask` | changes nothing that is drawn, and is not recorded |
//! | `none` | no method: an ioctl that the driver answers itself |

use std::slice::Iter;

/// What a row says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallInfo {
    /// The method's name.
    pub name: &'static str,
    /// How it is recorded, the first word of its row.
    pub kind: &'static str,
    /// Its number; `None` for calls that are not recorded, as they change nothing that is drawn.
    pub number: Option<u64>,
    /// Arguments in the method's order. In recordings lists come last.
    pub arguments: &'static [ArgumentInfo],
}

/// An argument of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArgumentInfo {
    /// Its name.
    pub name: &'static str,
    /// Names of its words; empty for an argument of one word.
    pub names: &'static [&'static str],
    /// Whether there are any number of them.
    pub is_list: bool,
}

impl ArgumentInfo {
    /// Words of one of them.
    pub const fn words(&self) -> usize {
        if self.names.is_empty() { 1 } else { self.names.len() }
    }
}

impl CallInfo {
    /// Whether it is the guest's, with a number of its system.
    pub fn is_guest(&self) -> bool {
        self.kind == "guest"
    }

    /// Its number in recordings, if it has one of its own there.
    pub fn recorded_number(&self) -> Option<u64> {
        self.number.filter(|_| !self.is_guest())
    }

    /// Arguments in the order of a recording: lists come last.
    pub fn recorded(&self) -> impl Iterator<Item = &'static ArgumentInfo> {
        let of_kind = |is_list| self.arguments.iter().filter(move |argument| argument.is_list == is_list);
        of_kind(false).chain(of_kind(true))
    }

    /// A recorded call as text: its name, and its arguments by name. Words without an argument follow as they are.
    ///
    /// ```
    /// use triglyph_guest::tegra::driver::calls::CALLS;
    ///
    /// let bind = CALLS.iter().find(|call| call.name == "channel_bind").unwrap();
    /// assert_eq!(bind.text(&[1, 2]), "channel_bind(channel 0x1, space 0x2)");
    /// ```
    pub fn text(&self, words: &[u64]) -> String {
        let mut words = words.iter();
        let mut parts = Vec::new();
        for argument in self.recorded() {
            if argument.is_list {
                parts.push(format!("{} {}", words.len() / argument.words(), argument.name));
                words = [].iter();
                continue;
            }
            let names = if argument.names.is_empty() { &[argument.name][..] } else { argument.names };
            for (name, word) in names.iter().zip(&mut words) {
                // Parts of an array have no names.
                let name = if name.is_empty() { argument.name } else { name };
                parts.push(format!("{name} {word:#x}"));
            }
        }
        parts.extend(words.map(|word| format!("{word:#x}")));
        format!("{}({})", self.name, parts.join(", "))
    }
}

/// A value that is so many words of a recorded call.
pub trait Argument: Sized {
    /// Names of its words; empty for a single word.
    const WORDS: &'static [&'static str] = &[];

    /// Appends its words.
    fn put(&self, words: &mut Vec<u64>);

    /// The value of the next words; `None` where there are not enough. Bits that it has no place for are dropped.
    fn take(words: &mut Iter<'_, u64>) -> Option<Self>;
}

macro_rules! numbers {
    ($($Number:ty),+) => {
        $(impl Argument for $Number {
            fn put(&self, words: &mut Vec<u64>) {
                words.push(*self as u64);
            }

            fn take(words: &mut Iter<'_, u64>) -> Option<Self> {
                words.next().map(|&word| word as $Number)
            }
        }

        /// Its words have no names of their own.
        impl<const N: usize> Argument for [$Number; N] {
            const WORDS: &'static [&'static str] = &[""; N];

            fn put(&self, words: &mut Vec<u64>) {
                words.extend(self.iter().map(|&number| number as u64));
            }

            fn take(words: &mut Iter<'_, u64>) -> Option<Self> {
                let (array, rest) = words.as_slice().split_first_chunk()?;
                *words = rest.iter();
                Some(array.map(|word| word as $Number))
            }
        })+
    };
}
numbers!(u8, u16, u32, u64, i32);

impl Argument for bool {
    fn put(&self, words: &mut Vec<u64>) {
        words.push((*self).into());
    }

    fn take(words: &mut Iter<'_, u64>) -> Option<Self> {
        words.next().map(|&word| word != 0)
    }
}

/// Values until the words end; `None` where the last one is cut off.
pub fn take_list<T: Argument>(words: &mut Iter<'_, u64>) -> Option<Vec<T>> {
    let mut list = Vec::new();
    while words.len() != 0 {
        list.push(T::take(words)?);
    }
    Some(list)
}

/// Makes a struct an [`Argument`]: its fields, of a word each.
#[macro_export]
macro_rules! argument {
    ($Name:ident { $($field:ident),+ $(,)? }) => {
        impl $crate::table::calls::Argument for $Name {
            const WORDS: &'static [&'static str] = &[$(stringify!($field)),+];

            fn put(&self, words: &mut Vec<u64>) {
                let $Name { $($field),+ } = self;
                $($crate::table::calls::Argument::put($field, words);)+
            }

            fn take(words: &mut std::slice::Iter<'_, u64>) -> Option<Self> {
                $(let $field = $crate::table::calls::Argument::take(words)?;)+
                Some($Name { $($field),+ })
            }
        }
    };
}

/// The row of that name, which there has to be.
pub const fn find(calls: &'static [CallInfo], name: &str) -> &'static CallInfo {
    let mut i = 0;
    while i < calls.len() {
        if is_same(calls[i].name.as_bytes(), name.as_bytes()) {
            return &calls[i];
        }
        i += 1;
    }
    panic!("no such call")
}

const fn is_same(a: &[u8], b: &[u8]) -> bool {
    let mut i = 0;
    while i < a.len() && i < b.len() && a[i] == b[i] {
        i += 1;
    }
    i == a.len() && i == b.len()
}

/// Makes `CALLS`, the rows as data, and `call`, which finds one by its name, of the rows of a table.
macro_rules! describe_calls {
    (@argument $name:ident [$ty:ty]) => { $crate::table::calls::describe_calls!(@info $name, $ty, true) };
    (@argument $name:ident ($ty:ty)) => {
        $crate::table::calls::ArgumentInfo { name: stringify!($name), names: &[], is_list: false }
    };
    (@argument $name:ident $ty:ty) => { $crate::table::calls::describe_calls!(@info $name, $ty, false) };
    (@info $name:ident, $ty:ty, $is_list:literal) => {
        $crate::table::calls::ArgumentInfo {
            name: stringify!($name),
            names: <$ty as $crate::table::calls::Argument>::WORDS,
            is_list: $is_list,
        }
    };
    (@number -) => { None };
    (@number $number:literal) => { Some($number) };
    ($(
        $(#[$doc:meta])*
        $kind:ident $number:tt $name:ident($($argument:ident: $ty:tt),*) $(-> $answer:ty)?;
        $(@ $device:ident $($request:literal)|+ { $($fields:tt)* } ($($names:tt)*) => $body:expr;)*
    )+) => {
        /// The rows, in their order.
        pub const CALLS: &[$crate::table::calls::CallInfo] = &[$($crate::table::calls::CallInfo {
            name: stringify!($name),
            kind: stringify!($kind),
            number: $crate::table::calls::describe_calls!(@number $number),
            arguments: &[$($crate::table::calls::describe_calls!(@argument $argument $ty)),*],
        }),+];

        /// The row of that name, which there has to be.
        pub const fn call(name: &str) -> &'static $crate::table::calls::CallInfo {
            $crate::table::calls::find(CALLS, name)
        }
    };
}
pub(crate) use describe_calls;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_come_back() {
        let mut words = Vec::new();
        7u8.put(&mut words);
        true.put(&mut words);
        u64::MAX.put(&mut words);
        assert_eq!(words, [7, 1, u64::MAX]);
        let mut taken = words.iter();
        assert_eq!((u8::take(&mut taken), bool::take(&mut taken)), (Some(7), Some(true)));
        assert_eq!((take_list::<u64>(&mut taken), u8::take(&mut taken)), (Some(vec![u64::MAX]), None));
        // Bits beyond the type are dropped.
        assert_eq!(u32::take(&mut [u64::MAX].iter()), Some(u32::MAX));
    }
}
