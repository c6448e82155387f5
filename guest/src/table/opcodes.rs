//! `opcodes!`: an opcode field as one table, for instruction sets where that field alone says what an instruction does
//! and all instructions share their operands.
//!
//! ```text
//! opcodes! {
//!     /// What the vector unit does.
//!     VectorOp, 5 bits;
//!
//!     /// `a * b + c`
//!     Mad = 0x04 "MAD" (a b c);
//!     /// Looks up a texture
//!     Txl = 0x19 "TXL" (a): LOADS;
//! }
//! ```
//! A row is: doc with the formula, variant, number, name, the sources that it reads (`a` is source 0), properties. It
//! makes the enum, `ALL`, `from_code`, `named` and `info`. Executing and translating are a `match` over the enum each, so
//! a missing operation is a compile error there.

/// What a row of an opcode table says.
#[derive(Clone, Copy, Debug)]
pub struct OpcodeInfo {
    /// The value of the opcode field.
    pub code: u8,
    /// The name, upper case as in the documentation; assembler text has it in lower case.
    pub name: &'static str,
    /// Formula and source.
    pub doc: &'static str,
    /// The sources it reads: bit n for source n.
    pub sources: u8,
    /// Properties, see [`flags`](super::flags).
    pub flags: u32,
}

impl OpcodeInfo {
    /// Whether source `n` is read.
    #[inline]
    pub const fn reads(&self, n: usize) -> bool {
        self.sources >> n & 1 != 0
    }

    /// Whether one of the properties `flags` is set.
    #[inline]
    pub const fn has(&self, flags: u32) -> bool {
        self.flags & flags != 0
    }
}

/// The bit of a source letter in [`OpcodeInfo::sources`].
pub const fn source_bit(letter: &str) -> u8 {
    match letter.as_bytes() {
        [b'a'] => 1,
        [b'b'] => 2,
        [b'c'] => 4,
        _ => panic!("sources are called a, b and c"),
    }
}

macro_rules! opcodes {
    (
        $(#[doc = $about:literal])+
        $Op:ident, $bits:literal bits;
        $(
            $(#[doc = $doc:literal])+
            $name:ident = $code:literal $text:literal ($($source:ident)*) $(: $($flag:ident)|+)? ;
        )+
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum $Op {
            $(
                $(#[doc = $doc])+
                $name = $code,
            )+
        }

        impl $Op {
            /// All operations, in the order of the table.
            pub const ALL: &[$Op] = &[$($Op::$name),+];

            const ROWS: &[$crate::table::OpcodeInfo] = &[$(
                $crate::table::OpcodeInfo {
                    code: $code,
                    name: $text,
                    doc: concat!($($doc, "\n"),+),
                    sources: 0 $(| $crate::table::opcodes::source_bit(stringify!($source)))*,
                    flags: 0 $($(| $crate::table::flags::$flag)+)?,
                },
            )+];

            /// Row of each value of the field.
            const BY_CODE: [Option<u8>; 1 << $bits] = {
                let mut rows = [None; 1 << $bits];
                let mut i = 0;
                while i < Self::ROWS.len() {
                    let code = Self::ROWS[i].code as usize;
                    assert!(rows[code].is_none(), "two rows have the same opcode");
                    rows[code] = Some(i as u8);
                    i += 1;
                }
                rows
            };

            /// The operation of an opcode; `None` if no row has it.
            #[inline]
            pub const fn from_code(code: u32) -> Option<$Op> {
                if code >= 1 << $bits {
                    return None;
                }
                match Self::BY_CODE[code as usize] {
                    Some(row) => Some(Self::ALL[row as usize]),
                    None => None,
                }
            }

            /// The operation of a name, in upper or lower case.
            pub fn named(name: &str) -> Option<$Op> {
                Self::ALL.iter().copied().find(|op| op.info().name.eq_ignore_ascii_case(name))
            }

            /// The row of this operation.
            #[inline]
            pub const fn info(self) -> &'static $crate::table::OpcodeInfo {
                match Self::BY_CODE[self as usize] {
                    Some(row) => &Self::ROWS[row as usize],
                    None => unreachable!(),
                }
            }

            /// Whether source `n` is read.
            #[inline]
            pub const fn reads(self, n: usize) -> bool {
                self.info().reads(n)
            }

            /// The value of the opcode field.
            #[inline]
            pub const fn code(self) -> u32 {
                self as u32
            }
        }
    };
}

pub(crate) use opcodes;

#[cfg(test)]
mod tests {
    opcodes! {
        /// Three operations.
        Op, 3 bits;

        /// Does nothing.
        Nop = 0 "NOP" ();
        /// `a * b + c`
        Mad = 4 "MAD" (a b c);
        /// Reads a texture at `b`.
        Tex = 7 "TEX" (b): LOADS | PARTIAL;
    }

    #[test]
    fn rows_are_found_by_code_and_by_name() {
        let found: Vec<_> = (0..9).map(Op::from_code).collect();
        let mut expected = [None; 9];
        (expected[0], expected[4], expected[7]) = (Some(Op::Nop), Some(Op::Mad), Some(Op::Tex));
        assert_eq!(found, expected);
        assert_eq!((Op::named("mad"), Op::named("TEX"), Op::named("te")), (Some(Op::Mad), Some(Op::Tex), None));
        assert_eq!(Op::ALL.len(), 3);
    }

    #[test]
    fn rows_tell_what_they_read() {
        assert_eq!((Op::Nop.info().sources, Op::Mad.info().sources, Op::Tex.info().sources), (0, 7, 2));
        assert!(Op::Tex.reads(1) && !Op::Tex.reads(0));
        assert!(Op::Tex.info().has(crate::table::flags::LOADS) && !Op::Mad.info().has(u32::MAX));
        assert_eq!(Op::Mad.info().doc.trim(), "`a * b + c`");
        assert_eq!(Op::Tex.code(), 7);
    }
}
