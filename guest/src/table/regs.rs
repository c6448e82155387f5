//! `regs!`: a register file as one table.
//!
//! ```text
//! regs! {
//!     effect Effect;
//!
//!     /// Which faces are dropped.
//!     cull @ 0x040 { mode 0:1 } Dirty(RASTER);
//!     /// Texture combiner sources of the six stages.
//!     tev_source @ [0x0C0 tev0_source, 0x0C8 tev1_source] { rgb1 0:3, rgb2 4:7 } Dirty(COMBINER);
//!     /// Where the viewport begins, pixels.
//!     viewport_xy @ 0x068 = 0x10 { x 0:9 signed, y 16:25 signed } Dirty(RASTER);
//! }
//! ```
//! A row is: name, address, reset value if not zero, bit fields (`lo:hi`, inclusive), effect if there is one. Each
//! makes a module with `ID`, one `const fn` per field, and `new()`, a word whose methods store fields:
//! `viewport_xy::new().x(-8).y(16)`, see [`encode`](super::encode). A row with a list of addresses declares equal
//! registers: it makes a module with `IDS` and the fields, and one module per register that has `ID` besides.
//! `[0x200; 8 step 0x10]` declares registers without names of their own, at equal distances: the module has
//! `id(index)`, `COUNT` and `STEP`.
//! `[0x200 low, 0x240 high; 8 step 0x10]` declares several such groups: it makes a module with the fields, and one
//! module per group. `REGISTERS` is the same as data.
//!
//! A field is a number, unless a word after its bits tells its kind:
//!
//! | word | meaning | is read as |
//! |---|---|---|
//! | `count` | a number; for fields that are the whole word, which have to tell their kind | `u32` |
//! | `signed` | a number whose highest bit is a sign | `i32` |
//! | `bool` | a flag | `bool` |
//! | `bits` | data, a handle, a mask: no number | `u32` |
//! | `ufixed(8)`, `sfixed(8)` | a number in units of 2^-8 | `u32`, `i32` in these units |
//! | `f32`, `f16`, `f20`, `f24`, `f31` | a float | `f32` |
//! | `address` | an address, or the low half of one | `u32` |
//! | `address(8)` | an address without its 8 lowest bits | `u64`, the address |
//! | the name of a `values!` or `formats!` enum | one of its values | the enum; `None` for bits that are none |
//!
//! [`show_fields`](super::show_fields) shows a word accordingly.

use super::field::FieldInfo;

/// A register, as a row of a register table describes it.
#[derive(Clone, Copy, Debug)]
pub struct RegInfo<E: 'static> {
    /// Its number; of a row for several registers that of the first.
    pub id: usize,
    /// How many registers the row declares.
    pub count: usize,
    /// The distance of their numbers.
    pub step: usize,
    /// Its name, upper case.
    pub name: &'static str,
    /// Its content and the source.
    pub doc: &'static str,
    /// Its bit fields.
    pub fields: &'static [FieldInfo],
    /// Its value at power on.
    pub reset: u32,
    /// The effect of a write.
    pub effect: E,
}

impl<E> RegInfo<E> {
    /// The bits that belong to a field.
    pub const fn bits(&self) -> u32 {
        let mut bits = 0;
        let mut i = 0;
        while i < self.fields.len() {
            bits |= self.fields[i].mask();
            i += 1;
        }
        bits
    }
}

/// `N` ASCII bytes in upper case.
pub const fn upper<const N: usize>(name: &str) -> [u8; N] {
    let mut out = [0; N];
    let mut i = 0;
    while i < N {
        out[i] = name.as_bytes()[i].to_ascii_uppercase();
        i += 1;
    }
    out
}

/// ASCII bytes as text.
///
/// # Panics
/// When they are not ASCII; register names are.
pub const fn ascii(bytes: &'static [u8]) -> &'static str {
    match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(_) => panic!("register names are ASCII"),
    }
}

/// The number of elements of some lists together.
pub const fn total<T>(lists: &[&[T]]) -> usize {
    let mut count = 0;
    let mut i = 0;
    while i < lists.len() {
        count += lists[i].len();
        i += 1;
    }
    count
}

/// The `N` elements of some lists in one, `N` being their [`total`] and not zero.
pub const fn flatten<T: Copy, const N: usize>(lists: &[&[T]]) -> [T; N] {
    let mut first = 0;
    while lists[first].is_empty() {
        first += 1;
    }
    let mut out = [lists[first][0]; N];
    let mut count = 0;
    let mut i = first;
    while i < lists.len() {
        let mut j = 0;
        while j < lists[i].len() {
            out[count] = lists[i][j];
            count += 1;
            j += 1;
        }
        i += 1;
    }
    out
}

/// Checks while compiling what [`field::check_fields`](super::field::check_fields) says of the fields of all rows.
///
/// # Panics
/// When it does not hold.
pub const fn check_rows<E>(rows: &[RegInfo<E>]) {
    let mut row = 0;
    while row < rows.len() {
        super::field::check_fields(rows[row].fields);
        row += 1;
    }
}

macro_rules! regs {
    (
        effect $Effect:ty;
        $(
            $(#[doc = $doc:literal])+
            $name:ident @ $address:tt $(= $reset:literal)? {
                $($field:ident $lo:literal : $hi:literal $($kind:ident $(($($arg:tt)*))?)?),* $(,)?
            } $($does:ident $(($($of:tt)*))?)? ;
        )+
    ) => {
        $(
            $crate::table::regs::regs!(@module
                [$(#[doc = $doc])+] $address $name [$($field $lo $hi [$($kind $(($($arg)*))?)?];)*]
            );
        )+

        const ROWS: &[&[$crate::table::RegInfo<$Effect>]] = &[
            $(
                $crate::table::regs::regs!(@infos $address $name {
                    doc: concat!($($doc, "\n"),+),
                    fields: &[$(
                        $crate::table::FieldInfo {
                            name: $crate::table::info::mnemonic(stringify!($field)),
                            lo: $lo,
                            hi: $hi,
                            kind: $crate::table::regs::regs!(@kind $lo $hi $($kind $(($($arg)*))?)?),
                            values: $crate::table::regs::regs!(@values $($kind)?),
                        },
                    )*],
                    reset: 0 $(+ $reset)?,
                    effect: $crate::table::regs::regs!(@effect $Effect; $($does $(($($of)*))?)?),
                }),
            )+
        ];

        /// The registers of this part, in the order of the table.
        pub const REGISTERS: &[$crate::table::RegInfo<$Effect>] =
            &$crate::table::regs::flatten::<_, { $crate::table::regs::total(ROWS) }>(ROWS);

        const _: () = $crate::table::regs::check_rows(REGISTERS);

        #[cfg(test)]
        #[test]
        fn every_field_is_stored_as_it_is_read() {
            $( $name::check_fields(); )+
        }
    };

    (@module [$(#[$doc:meta])+] [$($id:literal $member:ident),+ $(,)?] $name:ident [$($fields:tt)*]) => {
        $(#[$doc])+
        pub mod $name {
            /// The numbers of these registers.
            pub const IDS: [usize; [$($id),+].len()] = [$($id),+];
            $crate::table::regs::regs!(@fields $name $($fields)*);
        }
        $(
            #[doc = concat!("One of the registers `", stringify!($name), "`.")]
            pub mod $member {
                pub use super::$name::*;
                /// The number of this register.
                pub const ID: usize = $id;
            }
        )+
    };
    (@module [$(#[$doc:meta])+] [$id:literal; $count:literal step $step:literal] $name:ident [$($fields:tt)*]) => {
        $(#[$doc])+
        pub mod $name {
            $crate::table::regs::regs!(@group $id $count $step);
            $crate::table::regs::regs!(@fields $name $($fields)*);
        }
    };
    (@group $id:literal $count:literal $step:literal) => {
        /// The number of the first of these registers.
        pub const ID: usize = $id;
        /// How many there are.
        pub const COUNT: usize = $count;
        /// The distance of their numbers.
        pub const STEP: usize = $step;
        /// The number of register `index`, which is below [`COUNT`].
        pub const fn id(index: usize) -> usize {
            ID + index * STEP
        }
    };
    (
        @module [$(#[$doc:meta])+]
        [$($id:literal $member:ident),+ $(,)?; $count:literal step $step:literal] $name:ident [$($fields:tt)*]
    ) => {
        $(#[$doc])+
        pub mod $name {
            $crate::table::regs::regs!(@fields $name $($fields)*);
        }
        $(
            #[doc = concat!("One of the groups of registers `", stringify!($name), "`.")]
            pub mod $member {
                pub use super::$name::*;
                $crate::table::regs::regs!(@group $id $count $step);
            }
        )+
    };
    (@module [$(#[$doc:meta])+] $id:literal $name:ident [$($fields:tt)*]) => {
        $(#[$doc])+
        pub mod $name {
            /// The number of this register.
            pub const ID: usize = $id;
            $crate::table::regs::regs!(@fields $name $($fields)*);
        }
    };

    (@fields $name:ident $($field:ident $lo:literal $hi:literal [$($kind:tt)*];)*) => {
        $( $crate::table::regs::regs!(@field $field $lo $hi $($kind)*); )*

        /// A word for such a register, field by field.
        #[derive(Clone, Copy, Debug)]
        pub struct Word($crate::table::RegisterWord);

        /// A word of zeros, whose methods store fields.
        pub const fn new() -> Word {
            Word($crate::table::RegisterWord::ZERO)
        }

        #[allow(clippy::wrong_self_convention, clippy::should_implement_trait, reason = "methods are named as fields")]
        impl Word {
            $(
                $crate::table::regs::regs!(@set $field
                    ($crate::table::FieldPlace {
                        register: stringify!($name), field: stringify!($field), lo: $lo, hi: $hi,
                    })
                    $($kind)*
                );
            )*
        }

        impl From<Word> for $crate::table::RegisterWord {
            fn from(word: Word) -> Self {
                word.0
            }
        }

        #[cfg(test)]
        pub(super) fn check_fields() {
            $(
                $crate::table::encode::check::round_trip(
                    (concat!(stringify!($name), ".", stringify!($field)), $lo, $hi),
                    $field,
                    |word, value| Word(word).$field(value).0,
                );
            )*
        }
    };
    (@set $field:ident $place:tt) => { $crate::table::regs::regs!(@put $field $place u32 unsigned); };
    (@set $field:ident $place:tt count) => { $crate::table::regs::regs!(@put $field $place u32 unsigned); };
    (@set $field:ident $place:tt bits) => { $crate::table::regs::regs!(@put $field $place u32 unsigned); };
    (@set $field:ident $place:tt address) => { $crate::table::regs::regs!(@put $field $place u32 unsigned); };
    (@set $field:ident $place:tt signed) => { $crate::table::regs::regs!(@put $field $place i32 signed); };
    (@set $field:ident $place:tt ufixed($fraction:literal)) => {
        $crate::table::regs::regs!(@put $field $place u32 unsigned);
    };
    (@set $field:ident $place:tt sfixed($fraction:literal)) => {
        $crate::table::regs::regs!(@put $field $place i32 signed);
    };
    (@put $field:ident $place:tt $Type:ident $put:ident) => {
        #[doc = concat!("With this value in `", stringify!($field), "`.")]
        pub const fn $field(self, value: $Type) -> Self {
            Word(self.0.$put($place, value))
        }
    };
    (@set $field:ident $place:tt address($shift:literal)) => {
        #[doc = concat!("With this address, a multiple of 2^", $shift, ".")]
        pub const fn $field(self, value: u64) -> Self {
            Word(self.0.address($place, $shift, value))
        }
    };
    (@set $field:ident $place:tt bool) => {
        #[doc = concat!("With the flag `", stringify!($field), "` so.")]
        pub const fn $field(self, value: bool) -> Self {
            Word(self.0.unsigned($place, value as u32))
        }
    };
    (@set $field:ident $place:tt f32) => {
        /// With this float.
        pub const fn $field(self, value: f32) -> Self {
            Word(self.0.unsigned($place, value.to_bits()))
        }
    };
    (@set $field:ident $place:tt f16) => { $crate::table::regs::regs!(@put_small $field $place 5 10); };
    (@set $field:ident $place:tt f20) => { $crate::table::regs::regs!(@put_small $field $place 7 12); };
    (@set $field:ident $place:tt f24) => { $crate::table::regs::regs!(@put_small $field $place 7 16); };
    (@set $field:ident $place:tt f31) => { $crate::table::regs::regs!(@put_small $field $place 7 23); };
    (@put_small $field:ident $place:tt $exponent:literal $mantissa:literal) => {
        /// With this float, cut to the format of the field.
        pub fn $field(self, value: f32) -> Self {
            Word(self.0.small_float::<$exponent, $mantissa>($place, value))
        }
    };
    (@set $field:ident $place:tt $Values:ident) => {
        #[doc = concat!("With this value in `", stringify!($field), "`.")]
        pub const fn $field(self, value: super::$Values) -> Self {
            Word(self.0.unsigned($place, value.bits()))
        }
    };
    (@field $field:ident $lo:literal $hi:literal) => {
        $crate::table::regs::regs!(@get $field $lo $hi "." u32 (unsigned));
    };
    (@field $field:ident $lo:literal $hi:literal count) => {
        $crate::table::regs::regs!(@get $field $lo $hi "." u32 (unsigned));
    };
    (@field $field:ident $lo:literal $hi:literal bits) => {
        $crate::table::regs::regs!(@get $field $lo $hi "." u32 (unsigned));
    };
    (@field $field:ident $lo:literal $hi:literal signed) => {
        $crate::table::regs::regs!(@get $field $lo $hi ", signed." i32 (signed));
    };
    (@field $field:ident $lo:literal $hi:literal ufixed($fraction:literal)) => {
        $crate::table::regs::regs!(@get $field $lo $hi (", in units of 2^-", $fraction, ".") u32 (unsigned));
    };
    (@field $field:ident $lo:literal $hi:literal sfixed($fraction:literal)) => {
        $crate::table::regs::regs!(@get $field $lo $hi (", signed, in units of 2^-", $fraction, ".") i32 (signed));
    };
    (@field $field:ident $lo:literal $hi:literal address) => {
        $crate::table::regs::regs!(@get $field $lo $hi ", an address." u32 (unsigned));
    };
    (@get $field:ident $lo:literal $hi:literal ($($about:expr),*) $Type:ident ($get:ident)) => {
        #[doc = concat!("Bits ", $lo, " to ", $hi, $($about),*)]
        #[inline(always)]
        pub const fn $field(word: u32) -> $Type {
            $crate::table::field::$get(word, $lo, $hi)
        }
    };
    (@get $field:ident $lo:literal $hi:literal $about:literal $Type:ident ($get:ident)) => {
        $crate::table::regs::regs!(@get $field $lo $hi ($about) $Type ($get));
    };
    (@field $field:ident $lo:literal $hi:literal address($shift:literal)) => {
        #[doc = concat!("The address in bits ", $lo, " to ", $hi, ", which are those from ", $shift, " on.")]
        #[inline(always)]
        pub const fn $field(word: u32) -> u64 {
            ($crate::table::field::unsigned(word, $lo, $hi) as u64) << $shift
        }
    };
    (@field $field:ident $lo:literal $hi:literal bool) => {
        #[doc = concat!("Bit ", $lo, ".")]
        #[inline(always)]
        pub const fn $field(word: u32) -> bool {
            $crate::table::field::unsigned(word, $lo, $hi) != 0
        }
    };
    (@field $field:ident $lo:literal $hi:literal f32) => {
        /// The float that the word is.
        #[inline(always)]
        pub const fn $field(word: u32) -> f32 {
            f32::from_bits(word)
        }
    };
    (@field $field:ident $lo:literal $hi:literal f16) => {
        $crate::table::regs::regs!(@small $field $lo $hi F16);
    };
    (@field $field:ident $lo:literal $hi:literal f20) => {
        $crate::table::regs::regs!(@small $field $lo $hi F20);
    };
    (@field $field:ident $lo:literal $hi:literal f24) => {
        $crate::table::regs::regs!(@small $field $lo $hi F24);
    };
    (@field $field:ident $lo:literal $hi:literal f31) => {
        $crate::table::regs::regs!(@small $field $lo $hi F31);
    };
    (@small $field:ident $lo:literal $hi:literal $Float:ident) => {
        #[doc = concat!("The float in bits ", $lo, " to ", $hi, ".")]
        #[inline]
        pub fn $field(word: u32) -> f32 {
            $crate::num::$Float::decode($crate::table::field::unsigned(word, $lo, $hi))
        }
    };
    (@field $field:ident $lo:literal $hi:literal $Values:ident) => {
        #[doc = concat!("Bits ", $lo, " to ", $hi, ".")]
        #[inline(always)]
        pub const fn $field(word: u32) -> Option<super::$Values> {
            super::$Values::from_register($crate::table::field::unsigned(word, $lo, $hi))
        }
    };

    (@kind $lo:literal $hi:literal) => { $crate::table::FieldKind::untold($lo, $hi) };
    (@kind $lo:literal $hi:literal count) => { $crate::table::FieldKind::Number };
    (@kind $lo:literal $hi:literal bits) => { $crate::table::FieldKind::Bits };
    (@kind $lo:literal $hi:literal signed) => { $crate::table::FieldKind::Signed };
    (@kind $lo:literal $hi:literal ufixed($fraction:literal)) => {
        $crate::table::FieldKind::Fixed { fraction: $fraction, signed: false }
    };
    (@kind $lo:literal $hi:literal sfixed($fraction:literal)) => {
        $crate::table::FieldKind::Fixed { fraction: $fraction, signed: true }
    };
    (@kind $lo:literal $hi:literal address) => { $crate::table::FieldKind::Address { shift: 0 } };
    (@kind $lo:literal $hi:literal address($shift:literal)) => {
        $crate::table::FieldKind::Address { shift: $shift }
    };
    (@kind $lo:literal $hi:literal f32) => { $crate::table::FieldKind::F32 };
    (@kind $lo:literal $hi:literal f16) => { $crate::table::FieldKind::F16 };
    (@kind $lo:literal $hi:literal f20) => { $crate::table::FieldKind::F20 };
    (@kind $lo:literal $hi:literal f24) => { $crate::table::FieldKind::F24 };
    (@kind $lo:literal $hi:literal f31) => { $crate::table::FieldKind::F31 };
    (@kind $lo:literal $hi:literal $Named:ident) => { $crate::table::FieldKind::Named };

    (@values) => { &[] };
    (@values bool) => { $crate::table::field::FLAG };
    (@values count) => { &[] };
    (@values bits) => { &[] };
    (@values signed) => { &[] };
    (@values ufixed) => { &[] };
    (@values sfixed) => { &[] };
    (@values address) => { &[] };
    (@values f32) => { &[] };
    (@values f16) => { &[] };
    (@values f20) => { &[] };
    (@values f24) => { &[] };
    (@values f31) => { &[] };
    (@values $Values:ident) => { $Values::VALUES };

    (@infos [$($id:literal $member:ident),+ $(,)?] $name:ident $body:tt) => {
        &[$( $crate::table::regs::regs!(@info $id $member $body) ),+]
    };
    (@infos [$($id:literal $member:ident),+ $(,)?; $count:literal step $step:literal] $name:ident $body:tt) => {
        &[$( $crate::table::regs::regs!(@info $id $member $body, $count, $step) ),+]
    };
    (@infos [$id:literal; $count:literal step $step:literal] $name:ident $body:tt) => {
        &[$crate::table::regs::regs!(@info $id $name $body, $count, $step)]
    };
    (@infos $id:literal $name:ident $body:tt) => {
        &[$crate::table::regs::regs!(@info $id $name $body)]
    };
    (@info $id:literal $name:ident $body:tt) => {
        $crate::table::regs::regs!(@info $id $name $body, 1, 0)
    };
    (@info $id:literal $name:ident { $($body:tt)* }, $count:literal, $step:literal) => {
        $crate::table::RegInfo {
            id: $id,
            count: $count,
            step: $step,
            name: {
                const NAME: &str = $crate::table::info::mnemonic(stringify!($name));
                const BYTES: &[u8] = &$crate::table::regs::upper::<{ NAME.len() }>(NAME);
                $crate::table::regs::ascii(BYTES)
            },
            $($body)*
        }
    };

    (@effect $Effect:ty;) => { <$Effect>::None };
    (@effect $Effect:ty; $kind:ident) => { <$Effect>::$kind };
    (@effect $Effect:ty; $kind:ident ($($of:tt)*)) => { <$Effect>::$kind($($of)*) };
}

pub(crate) use regs;

/// Named values of a register field as one enum.
///
/// ```text
/// values! {
///     /// How two things are joined.
///     Join {
///         /// Both.
///         And = 0 "AND";
///         Or = 1 "OR", 0x8001 "GL_OR";
///     }
/// }
/// ```
/// A row is: doc if the name does not say it all, variant, value, name as in the documentation, other values that mean
/// the same. It makes the enum with `VALUES`, `from_register`, `bits` and `name`. `Join => kernel::Join { ... }` also
/// makes the conversion into another enum that has variants of the same names.
macro_rules! values {
    ($(
        $(#[doc = $about:literal])+
        $Values:ident $(=> $Kernel:ty)? {
            $( $(#[doc = $doc:literal])* $name:ident = $value:literal $text:literal $(, $alias:literal $alias_text:literal)* ; )+
        }
    )+) => { $(
        $(#[doc = $about])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $Values {
            $(
                $(#[doc = $doc])*
                #[doc = concat!("`", $text, "`")]
                $name,
            )+
        }

        impl $Values {
            /// Values and names, in the order of the table.
            pub const VALUES: &[(u32, &str)] = &[$( ($value, $text), $( ($alias, $alias_text), )* )+];

            /// The meaning of the bits of a field; `None` if they have none.
            #[inline]
            pub const fn from_register(bits: u32) -> Option<$Values> {
                match bits {
                    $( $value $(| $alias)* => Some($Values::$name), )+
                    _ => None,
                }
            }

            /// The value in a register, the first one if several mean the same.
            pub const fn bits(self) -> u32 {
                match self { $( $Values::$name => $value, )+ }
            }

            /// The name in the documentation.
            pub const fn name(self) -> &'static str {
                match self { $( $Values::$name => $text, )+ }
            }
        }

        $crate::table::regs::values!(@into $Values [$($Kernel)?] $($name)+);
    )+ };

    (@into $Values:ident [] $($name:ident)+) => {};
    (@into $Values:ident [$Kernel:ty] $($name:ident)+) => {
        impl From<$Values> for $Kernel {
            #[inline]
            fn from(value: $Values) -> Self {
                match value { $( $Values::$name => Self::$name, )+ }
            }
        }
    };
}

pub(crate) use values;

#[cfg(test)]
mod tests {
    use crate::table::field::FLAG;
    use crate::table::{RegisterWord, show_fields};

    values! {
        /// Two ways.
        Way {
            /// Upwards.
            Up = 0 "UP", 0x8000 "GL_UP";
            Down = 3 "DOWN";
        }
    }

    regs! {
        effect Option<u8>;

        /// Plain.
        plain @ 0x10 { low 0:3, type_ 4:7 };
        /// Typed.
        typed @ [0x20; 3 step 4] { on 0:0 bool, way 16:31 Way, level 4:7 signed } Some(7);
        /// Two groups.
        grouped @ [0x40 low, 0x50 high; 2 step 3] { v 0:3 };
        /// Numbers of other kinds.
        numbers @ 0x60 { half 0:15 f16, page 16:23 address(12), level 24:31 sfixed(4) };
        /// A float.
        float @ 0x70 { v 0:31 f32 };
    }

    #[test]
    fn groups_share_their_fields() {
        assert_eq!((low::id(1), low::COUNT, low::STEP), (0x43, 2, 3));
        assert_eq!((high::id(1), high::COUNT, high::STEP), (0x53, 2, 3));
        assert_eq!((low::v(0x12), high::v(0x13)), (2, 3));
        let rows = REGISTERS[2..4].iter().map(|row| (row.name, row.id, row.count, row.step));
        assert_eq!(rows.collect::<Vec<_>>(), [("LOW", 0x40, 2, 3), ("HIGH", 0x50, 2, 3)]);
    }

    #[test]
    fn typed_fields_read_their_values() {
        assert_eq!((typed::ID, typed::COUNT, typed::STEP, typed::id(2)), (0x20, 3, 4, 0x28));
        assert!(typed::on(1) && !typed::on(2));
        let ways = [0, 0x8000, 3, 1].map(|bits| typed::way(bits << 16));
        assert_eq!(ways, [Some(Way::Up), Some(Way::Up), Some(Way::Down), None]);
        assert_eq!(typed::level(0xF0), -1);
        assert_eq!((plain::ID, plain::low(0x35), plain::type_(0x35)), (0x10, 5, 3));
        assert_eq!((Way::Up.bits(), Way::Down.bits(), Way::Up.name()), (0, 3, "UP"));
    }

    #[test]
    fn fields_are_read_by_their_kinds() {
        let word = 0xF805_3C00;
        assert_eq!((numbers::half(word), numbers::page(word), numbers::level(word)), (1.0, 0x5000, -8));
        assert_eq!(float::v(0x4000_0000), 2.0);
        assert_eq!((numbers::ID, float::ID), (0x60, 0x70));
        assert_eq!(show_fields(REGISTERS[4].fields, word), "half 1.0, page 0x5000, level -0.5");
        assert_eq!(show_fields(REGISTERS[5].fields, 0x4000_0000), "v 2.0");
    }

    #[test]
    fn words_are_made_of_fields() {
        let bits = |word: RegisterWord| word.get().expect("everything fits");
        assert_eq!(bits(plain::new().low(5).type_(3).into()), 0x35);
        assert_eq!(bits(typed::new().on(true).way(Way::Down).level(-1).into()), 0x3_00F1);
        assert_eq!(bits(grouped::new().v(2).into()), 2);
        assert_eq!(bits(numbers::new().half(1.0).page(0x5000).level(-8).into()), 0xF805_3C00);
        assert_eq!(bits(float::new().v(2.0).into()), 0x4000_0000);
        let wrong = RegisterWord::from(plain::new().low(16).type_(3));
        assert_eq!(wrong.get().expect_err("four bits").to_string(), "plain: low 16 is not 0 to 15");
    }

    #[test]
    fn rows_tell_the_same_as_data() {
        let [plain, typed, ..] = REGISTERS else { panic!("two rows") };
        assert_eq!((plain.id, plain.count, plain.step, plain.effect), (0x10, 1, 0, None));
        assert_eq!((typed.id, typed.count, typed.step, typed.effect), (0x20, 3, 4, Some(7)));
        assert_eq!(plain.fields.iter().map(|field| field.name).collect::<Vec<_>>(), ["low", "type"]);
        let values: Vec<_> = typed.fields.iter().map(|field| field.values).collect();
        assert_eq!(values, [FLAG, &[(0, "UP"), (0x8000, "GL_UP"), (3, "DOWN")], &[]]);
    }
}
