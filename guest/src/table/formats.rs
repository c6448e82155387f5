//! `formats!`: the formats of a kind of images or vertices as one table.
//!
//! ```text
//! formats! {
//!     /// Formats of things. The row is their size.
//!     Format: Row;
//!     /// One byte.
//!     A8Unorm = 0x13 "A8" Row { bytes: 1 };
//! }
//! ```
//! A row is: doc if the name does not say it all, variant, code in registers, name as in the documentation, and what is
//! known of the format. It makes the enum with `ALL`, `VALUES`, `from_register`, `bits`, `name` and `row`, so that it
//! can be the type of a field of [`regs!`](super::regs) as the enums of `values!` can.

macro_rules! formats {
    (
        $(#[doc = $about:literal])+
        $Format:ident: $Row:ty;
        $( $(#[doc = $doc:literal])* $name:ident = $code:literal $text:literal $row:expr; )+
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum $Format {
            $(
                $(#[doc = $doc])*
                #[doc = concat!("`", $text, "`")]
                $name = $code,
            )+
        }

        impl $Format {
            /// All formats, in the order of the table.
            pub const ALL: &[$Format] = &[$($Format::$name),+];

            /// Codes and names, in the order of the table.
            pub const VALUES: &[(u32, &str)] = &[$(($code, $text)),+];

            const ROWS: &[$Row] = &[$($row),+];

            /// Row of each code plus one; zero for none.
            const ROW_OF: [u8; 256] = {
                let mut rows = [0; 256];
                let mut i = 0;
                while i < Self::ALL.len() {
                    let code = Self::ALL[i] as usize;
                    assert!(rows[code] == 0, "two rows have the same code");
                    rows[code] = i as u8 + 1;
                    i += 1;
                }
                rows
            };

            /// The format of a code; `None` if there is none.
            #[inline]
            pub const fn from_register(code: u32) -> Option<$Format> {
                if code > 0xFF || Self::ROW_OF[code as usize] == 0 {
                    return None;
                }
                Some(Self::ALL[Self::ROW_OF[code as usize] as usize - 1])
            }

            /// The code.
            pub const fn bits(self) -> u32 {
                self as u32
            }

            /// The name in the documentation.
            pub const fn name(self) -> &'static str {
                Self::VALUES[Self::ROW_OF[self as usize] as usize - 1].1
            }

            /// The row's description.
            pub const fn row(self) -> &'static $Row {
                &Self::ROWS[Self::ROW_OF[self as usize] as usize - 1]
            }
        }
    };
}

pub(crate) use formats;
