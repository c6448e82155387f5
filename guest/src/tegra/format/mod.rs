//! Formats by the codes that registers and headers have: one row each.
//!
//! ```text
//! color.rs      colour targets, surfaces of the 2D class
//! zeta.rs       depth and stencil targets
//! vertex.rs     vertex attributes
//! texture.rs    texture headers
//! ```
//! Sources: NVIDIA's class headers for codes and names, deko3d, Mesa and envytools for positions. A texel is
//! little-endian: bit 0 is the lowest bit of its first byte. Names list components from the most significant one to the
//! least, except where underscores part them.

mod color;
mod texture;
mod vertex;
mod zeta;

pub use color::ColorFormat;
pub use texture::{Coding, TextureFormat, TextureRow};
pub use vertex::{VertexFormat, VertexRow, VertexType};
pub use zeta::{ZetaFormat, ZetaRow};

use crate::kernel::program::output::{Bits, Channel};

/// Formats as one table: doc, variant, code, name, row.
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

            /// The name in the vendor's headers.
            pub const fn name(self) -> &'static str {
                Self::VALUES[Self::ROW_OF[self as usize] as usize - 1].1
            }

            /// What the row says.
            pub const fn row(self) -> &'static $Row {
                &Self::ROWS[Self::ROW_OF[self as usize] as usize - 1]
            }
        }
    };
}

use formats;

const fn at(shift: u8, bits: u8) -> Bits {
    Bits { shift, bits }
}

const fn unorm(shift: u8, bits: u8) -> Channel {
    Channel::Unorm(at(shift, bits))
}

const fn snorm(shift: u8, bits: u8) -> Channel {
    Channel::Snorm(at(shift, bits))
}

const fn srgb(shift: u8, bits: u8) -> Channel {
    Channel::Srgb(at(shift, bits))
}

const fn uint(shift: u8, bits: u8) -> Channel {
    Channel::Uint(at(shift, bits))
}

const fn sint(shift: u8, bits: u8) -> Channel {
    Channel::Sint(at(shift, bits))
}

const fn float(shift: u8, bits: u8) -> Channel {
    match bits {
        32 => Channel::Float(at(shift, bits)),
        _ => Channel::FloatCut(at(shift, bits)),
    }
}
