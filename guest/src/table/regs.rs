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
//! makes a module with `ID` and one `const fn` per field. A row with a list of addresses stands for equal
//! registers: it makes a module with `IDS` and the fields, and one module per register that has `ID` besides.
//! `REGISTERS` is the same as data.

/// A bit field of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldInfo {
    /// Its name, as the function that reads it.
    pub name: &'static str,
    /// Lowest bit.
    pub lo: u32,
    /// Highest bit, inclusive.
    pub hi: u32,
    /// Whether the highest bit is a sign.
    pub signed: bool,
}

impl FieldInfo {
    /// The field's value in `word`, sign-extended if it is signed.
    pub const fn get(&self, word: u32) -> i64 {
        if self.signed { signed(word, self.lo, self.hi) as i64 } else { unsigned(word, self.lo, self.hi) as i64 }
    }
}

/// What a row of a register table says about one register.
#[derive(Clone, Copy, Debug)]
pub struct RegInfo<E: 'static> {
    /// Its number.
    pub id: usize,
    /// Its name, upper case.
    pub name: &'static str,
    /// What it holds and the source.
    pub doc: &'static str,
    /// Its bit fields.
    pub fields: &'static [FieldInfo],
    /// Its value at power on.
    pub reset: u32,
    /// What a write does.
    pub effect: E,
}

/// Bits `lo` to `hi` of `word`.
#[inline(always)]
pub const fn unsigned(word: u32, lo: u32, hi: u32) -> u32 {
    (word << (31 - hi)) >> (31 - hi + lo)
}

/// Bits `lo` to `hi` of `word`, the upper one being the sign.
#[inline(always)]
pub const fn signed(word: u32, lo: u32, hi: u32) -> i32 {
    ((word << (31 - hi)) as i32) >> (31 - hi + lo)
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

macro_rules! regs {
    (
        effect $Effect:ty;
        $(
            $(#[doc = $doc:literal])+
            $name:ident @ $address:tt $(= $reset:literal)? {
                $($field:ident $lo:literal : $hi:literal $($sign:ident)?),* $(,)?
            } $($kind:ident ($($of:tt)*))? ;
        )+
    ) => {
        $(
            $crate::table::regs::regs!(@module
                [$(#[doc = $doc])+] $address $name [$($field $lo $hi [$($sign)?];)*]
            );
        )+

        const ROWS: &[&[$crate::table::RegInfo<$Effect>]] = &[
            $(
                $crate::table::regs::regs!(@infos $address $name {
                    doc: concat!($($doc, "\n"),+),
                    fields: &[$(
                        $crate::table::FieldInfo {
                            name: stringify!($field),
                            lo: $lo,
                            hi: $hi,
                            signed: $crate::table::regs::regs!(@is_signed $($sign)?),
                        },
                    )*],
                    reset: 0 $(+ $reset)?,
                    effect: $crate::table::regs::regs!(@effect $Effect; $($kind ($($of)*))?),
                }),
            )+
        ];

        /// The registers of this part, in the order of the table.
        pub const REGISTERS: &[$crate::table::RegInfo<$Effect>] =
            &$crate::table::regs::flatten::<_, { $crate::table::regs::total(ROWS) }>(ROWS);
    };

    (@module [$(#[$doc:meta])+] [$($id:literal $member:ident),+ $(,)?] $name:ident [$($fields:tt)*]) => {
        $(#[$doc])+
        pub mod $name {
            /// The numbers of these registers.
            pub const IDS: [usize; [$($id),+].len()] = [$($id),+];
            $crate::table::regs::regs!(@fields $($fields)*);
        }
        $(
            #[doc = concat!("One of the registers [`", stringify!($name), "`](mod@super::", stringify!($name), ").")]
            pub mod $member {
                pub use super::$name::*;
                /// The number of this register.
                pub const ID: usize = $id;
            }
        )+
    };
    (@module [$(#[$doc:meta])+] $id:literal $name:ident [$($fields:tt)*]) => {
        $(#[$doc])+
        pub mod $name {
            /// The number of this register.
            pub const ID: usize = $id;
            $crate::table::regs::regs!(@fields $($fields)*);
        }
    };

    (@fields $($field:ident $lo:literal $hi:literal [$($sign:ident)?];)*) => {
        $( $crate::table::regs::regs!(@field $field $lo $hi $($sign)?); )*
    };
    (@field $field:ident $lo:literal $hi:literal) => {
        #[doc = concat!("Bits ", $lo, " to ", $hi, ".")]
        #[inline(always)]
        pub const fn $field(word: u32) -> u32 {
            $crate::table::regs::unsigned(word, $lo, $hi)
        }
    };
    (@field $field:ident $lo:literal $hi:literal signed) => {
        #[doc = concat!("Bits ", $lo, " to ", $hi, ", signed.")]
        #[inline(always)]
        pub const fn $field(word: u32) -> i32 {
            $crate::table::regs::signed(word, $lo, $hi)
        }
    };
    (@is_signed) => { false };
    (@is_signed signed) => { true };

    (@infos [$($id:literal $member:ident),+ $(,)?] $name:ident $body:tt) => {
        &[$( $crate::table::regs::regs!(@info $id $member $body) ),+]
    };
    (@infos $id:literal $name:ident $body:tt) => {
        &[$crate::table::regs::regs!(@info $id $name $body)]
    };
    (@info $id:literal $name:ident { $($body:tt)* }) => {
        $crate::table::RegInfo {
            id: $id,
            name: {
                const BYTES: &[u8] = &$crate::table::regs::upper::<{ stringify!($name).len() }>(stringify!($name));
                $crate::table::regs::ascii(BYTES)
            },
            $($body)*
        }
    };

    (@effect $Effect:ty;) => { <$Effect>::None };
    (@effect $Effect:ty; $kind:ident ($($of:tt)*)) => { <$Effect>::$kind($($of)*) };
}

pub(crate) use regs;
