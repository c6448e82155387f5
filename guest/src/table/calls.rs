//! Tables of the calls that hosts and guests make: rows as data, and arguments as words.
//!
//! A table is a macro that hands its rows to another macro, `table!(then)`: the machine makes methods of them that
//! record themselves, and the way back from a recording (`calls_of_rows!` of the engine); the C interface makes
//! functions; the fuzzer makes calls, listings and `docs/reference/calls.md` show them. A row is `kind number
//! name(arguments) -> answer as name;`, with `as name` where the answer has a name in C, and one name in parentheses
//! for each part of it. Kinds are [`CallKind`]s.

use std::slice::Iter;
use std::time::Duration;

use crate::num::nanoseconds;

/// How a call is made and recorded: the first word of its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallKind {
    /// `call`: the machine's method is generated from the row and recorded under its number.
    Call,
    /// `work`: the same; it reads memory and changes it.
    Work,
    /// `own`: the method is written by hand. It is recorded under its number; without one what it does is recorded.
    Own,
    /// `own_work`: the same; it reads memory and changes it.
    OwnWork,
    /// `device`: recorded by a method that the devices of all machines have.
    Device,
    /// `device_work`: the same; it reads memory and changes it.
    DeviceWork,
    /// `inner`: the method is generated from the row; the code that executes it records it.
    Inner,
    /// `replay`: what a machine has noted. Only recordings have it, there is no method.
    Replay,
    /// `guest`: a call of the guest's with a number of its system, recorded as the call that makes such calls.
    Guest,
    /// `ask`: changes nothing that is drawn, and is not recorded.
    Ask,
    /// `none`: no method, a request that the console's system answers itself.
    None,
}

impl CallKind {
    /// Whether such a call is recorded as work: it reads memory as it is then, and changes memory.
    pub const fn is_work(self) -> bool {
        matches!(self, CallKind::Work | CallKind::OwnWork | CallKind::DeviceWork | CallKind::Guest)
    }

    /// Whether the machine has a method for it that the devices of other machines do not have.
    pub const fn is_method(self) -> bool {
        !matches!(self, CallKind::Device | CallKind::DeviceWork | CallKind::Replay | CallKind::None)
    }
}

/// A row, as data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallInfo {
    /// The method's name.
    pub name: &'static str,
    /// How it is made and recorded.
    pub kind: CallKind,
    /// Its number; `None` for calls that are not recorded.
    pub number: Option<u64>,
    /// Arguments in the method's order. In recordings lists come last.
    pub arguments: &'static [ArgumentInfo],
    /// The type of its answer; empty for none.
    pub answer: &'static str,
    /// Its documentation, a line each, as in the row.
    pub doc: &'static str,
    /// The arguments of guests beside its number.
    pub requests: &'static [RequestInfo],
}

/// An ioctl or a request to a service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestInfo {
    /// The device, or the request's name.
    pub name: &'static str,
    /// Its number or header.
    pub number: u32,
}

/// An argument of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArgumentInfo {
    /// Its name.
    pub name: &'static str,
    /// Its type, as in the row.
    pub ty: &'static str,
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
        self.kind == CallKind::Guest
    }

    /// Whether it makes calls of the guest's by their numbers.
    fn makes_guest_calls(&self) -> bool {
        self.name == "hypercall"
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

/// A call as bytes of a recording: its number and its arguments, 64 bits each, little-endian.
pub fn encode(number: u64, arguments: &[u64]) -> Vec<u8> {
    [number].iter().chain(arguments).flat_map(|word| word.to_le_bytes()).collect()
}

/// The number and the arguments of a recorded call; `None` for other bytes.
pub fn decode(call: &[u8]) -> Option<(u64, Vec<u64>)> {
    let (words, rest) = call.as_chunks::<8>();
    let (number, arguments) = words.split_first().filter(|_| rest.is_empty())?;
    Some((u64::from_le_bytes(*number), arguments.iter().map(|word| u64::from_le_bytes(*word)).collect()))
}

/// A recorded call of a table as [`CallInfo::text`] has it; a call of the guest's, which is recorded by its number,
/// under its own name. What no row has is shown as numbers.
///
/// ```
/// use triglyph_guest::rsx::lv1::calls::CALLS;
/// use triglyph_guest::table::calls::{encode, recorded_text};
///
/// let free = encode(0, &[216, 0x5A5A_5A5B, 0, 0, 0, 0, 0, 0, 0]);
/// assert_eq!(recorded_text(CALLS, &free), "memory_free(handle 0x5a5a5a5b)");
/// assert_eq!(recorded_text(CALLS, &encode(99, &[1])), "call 99(0x1)");
/// ```
pub fn recorded_text(calls: &[CallInfo], call: &[u8]) -> String {
    let Some((number, words)) = decode(call) else { return format!("{} bytes that are no call", call.len()) };
    let Some(row) = calls.iter().find(|row| row.recorded_number() == Some(number)) else {
        let words: Vec<String> = words.iter().map(|word| format!("{word:#x}")).collect();
        return format!("call {number}({})", words.join(", "));
    };
    let guests = calls.iter().find(|guests| guests.is_guest() && guests.number == words.first().copied());
    match (guests.filter(|_| row.makes_guest_calls()), &words[..]) {
        // Registers beyond the arguments are no part of it.
        (Some(guests), [_, words @ ..]) => {
            let count = guests.recorded().map(ArgumentInfo::words).sum::<usize>();
            guests.text(&words[..count.min(words.len())])
        }
        _ => row.text(&words),
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

/// Whole nanoseconds.
impl Argument for Duration {
    fn put(&self, words: &mut Vec<u64>) {
        words.push(nanoseconds(*self));
    }

    fn take(words: &mut Iter<'_, u64>) -> Option<Self> {
        words.next().map(|&word| Duration::from_nanos(word))
    }
}

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
    (@kind call) => { $crate::table::calls::CallKind::Call };
    (@kind work) => { $crate::table::calls::CallKind::Work };
    (@kind own) => { $crate::table::calls::CallKind::Own };
    (@kind own_work) => { $crate::table::calls::CallKind::OwnWork };
    (@kind device) => { $crate::table::calls::CallKind::Device };
    (@kind device_work) => { $crate::table::calls::CallKind::DeviceWork };
    (@kind inner) => { $crate::table::calls::CallKind::Inner };
    (@kind replay) => { $crate::table::calls::CallKind::Replay };
    (@kind guest) => { $crate::table::calls::CallKind::Guest };
    (@kind ask) => { $crate::table::calls::CallKind::Ask };
    (@kind none) => { $crate::table::calls::CallKind::None };
    // A call without a number may have arguments that no recording has.
    (@argument - $name:ident $ty:tt) => { $crate::table::calls::describe_calls!(@info $name, $ty, &[], false) };
    (@argument $number:literal $name:ident [$ty:ty]) => {
        $crate::table::calls::describe_calls!(
            @info $name, [$ty], <$ty as $crate::table::calls::Argument>::WORDS, true
        )
    };
    (@argument $number:literal $name:ident $ty:ty) => {
        $crate::table::calls::describe_calls!(
            @info $name, $ty, <$ty as $crate::table::calls::Argument>::WORDS, false
        )
    };
    (@info $name:ident, $ty:tt, $words:expr, $is_list:literal) => {
        $crate::table::calls::ArgumentInfo {
            name: stringify!($name),
            ty: stringify!($ty),
            names: $words,
            is_list: $is_list,
        }
    };
    (@number -) => { None };
    (@number $number:literal) => { Some($number) };
    ($(
        $(#[doc = $doc:literal])*
        $kind:ident $number:tt $name:ident($($argument:ident: $ty:tt),*) $(-> $answer:ty $(as $out:tt)?)?;
        $(@ $device:ident $($request:literal)|+ { $($fields:tt)* } ($($names:tt)*) => $body:expr;)*
    )+) => {
        /// The rows, in their order.
        pub const CALLS: &[$crate::table::calls::CallInfo] = &[$($crate::table::calls::CallInfo {
            name: stringify!($name),
            kind: $crate::table::calls::describe_calls!(@kind $kind),
            number: $crate::table::calls::describe_calls!(@number $number),
            arguments: &[$($crate::table::calls::describe_calls!(@argument $number $argument $ty)),*],
            answer: concat!($(stringify!($answer))?),
            doc: concat!($($doc, "\n"),*),
            requests: &[$($($crate::table::calls::RequestInfo { name: stringify!($device), number: $request }),+),*],
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
    fn calls_come_back() {
        assert_eq!(decode(&encode(7, &[1, u64::MAX])), Some((7, vec![1, u64::MAX])));
        assert_eq!((decode(&[]), decode(&[0; 9])), (None, None));
        assert_eq!(recorded_text(&[], &[0; 9]), "9 bytes that are no call");
    }

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
        let time = Duration::from_nanos(1_500_000_007);
        let mut words = Vec::new();
        time.put(&mut words);
        Duration::MAX.put(&mut words);
        assert_eq!((words[0], words[1]), (1_500_000_007, u64::MAX));
        assert_eq!(Duration::take(&mut words.iter()), Some(time));
        // Bits beyond the type are dropped.
        assert_eq!(u32::take(&mut [u64::MAX].iter()), Some(u32::MAX));
    }
}
