//! `opcodes!`: an opcode field as one table, for instruction sets where that field alone says what an instruction does
//! and all instructions share their operands.
//!
//! ```text
//! opcodes! {
//!     /// What the vector unit does.
//!     VectorOp, 5 bits;
//!
//!     /// Executes or translates operations, one method per row of the table.
//!     family VectorVisitor {
//!         /// `a * b + c`
//!         mad = 0x04 (a b c);
//!         /// Looks up a texture
//!         txl = 0x19 (a): LOADS;
//!     }
//!
//!     properties {
//!         /// Whether a texture unit is read.
//!         is_texture = LOADS;
//!     }
//! }
//! ```
//! A row is: doc with the formula, name, number, the sources that it reads (`a` is source 0), properties. It makes the
//! enum, `ALL`, `from_code`, `named`, `info`, and a visitor trait per family: one method per row, whose parameters are
//! the sources that the row reads. A missing method is a compile error. Each row of `properties` makes a function that
//! tells whether a row has the property.

/// A row of an opcode table, as data.
#[derive(Clone, Copy, Debug)]
pub struct OpcodeInfo {
    /// The value of the opcode field.
    pub code: u8,
    /// The mnemonic, lower case.
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

/// The number of a source letter: 0 for `a`.
///
/// # Panics
/// For any other letter than `a`, `b` and `c`. In a `const` that is a compile error.
pub const fn source_number(letter: &str) -> usize {
    match letter.as_bytes() {
        [letter @ b'a'..=b'c'] => (*letter - b'a') as usize,
        _ => panic!("sources are called a, b and c"),
    }
}

macro_rules! opcodes {
    (
        $(#[doc = $about:literal])+
        $Op:ident, $bits:literal bits;
        $(
            $(#[doc = $family_doc:literal])+
            family $Family:ident {
                $(
                    $(#[doc = $doc:literal])+
                    $name:ident = $code:literal ($($source:ident)*) $(: $($flag:ident)|+)? ;
                )+
            }
        )+
        $(properties {
            $(
                $(#[doc = $property_doc:literal])+
                $property:ident = $property_flag:ident;
            )+
        })?
    ) => {
        $(
            $(#[doc = $family_doc])+
            pub trait $Family {
                /// A source as the methods take it.
                type Source: Copy;
                /// The result of executing or translating one operation.
                type Output;
                $(
                    $(#[doc = $doc])+
                    fn $name(&mut self $(, $source: Self::Source)*) -> Self::Output;
                )+

                /// Calls the method of `op` with the sources that it reads; `None` for an operation of another family.
                #[inline]
                fn visit(&mut self, op: $Op, sources: [Self::Source; 3]) -> Option<Self::Output> {
                    let _ = sources;
                    Some(match op {
                        $(
                            $Op::$name => self.$name($(
                                sources[const { $crate::table::opcodes::source_number(stringify!($source)) }]
                            ),*),
                        )+
                        #[allow(unreachable_patterns)]
                        _ => return None,
                    })
                }
            }
        )+

        $(#[doc = $about])+
        #[allow(non_camel_case_types)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum $Op {
            $($(
                $(#[doc = $doc])+
                $name = $code,
            )+)+
        }

        impl $Op {
            /// All operations, by opcode.
            pub const ALL: &[$Op] = &{
                let mut all = [Self::OPS[0]; Self::OPS.len()];
                let (mut code, mut next) = (0, 0);
                while code < Self::BY_CODE.len() {
                    if let Some(row) = Self::BY_CODE[code] {
                        all[next] = Self::OPS[row as usize];
                        next += 1;
                    }
                    code += 1;
                }
                all
            };

            /// The operation of each row.
            const OPS: &[$Op] = &[$($($Op::$name),+),+];

            const ROWS: &[$crate::table::OpcodeInfo] = &[$($(
                $crate::table::OpcodeInfo {
                    code: $code,
                    name: $crate::table::info::mnemonic(stringify!($name)),
                    doc: concat!($($doc, "\n"),+),
                    sources: 0 $(| 1 << $crate::table::opcodes::source_number(stringify!($source)))*,
                    flags: 0 $($(| $crate::table::flags::$flag)+)?,
                },
            )+)+];

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
                    Some(row) => Some(Self::OPS[row as usize]),
                    None => None,
                }
            }

            /// The operation of a mnemonic, in upper or lower case.
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

            /// Whether one of the properties `flags` is set.
            #[inline]
            pub const fn has(self, flags: u32) -> bool {
                self.info().has(flags)
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

            $($(
                $(#[doc = $property_doc])+
                #[inline]
                pub const fn $property(self) -> bool {
                    self.has($crate::table::flags::$property_flag)
                }
            )+)?
        }
    };
}

pub(crate) use opcodes;

#[cfg(test)]
mod tests {
    use crate::table::flags::LOADS;

    opcodes! {
        /// Four operations.
        Op, 3 bits;

        /// Numbers.
        family Compute {
            /// Does nothing.
            nop = 0 ();
            /// `a * b + c`
            mad = 4 (a b c);
            /// Reads a texture at `b`.
            tex = 7 (b): LOADS | PARTIAL;
        }
        /// What comes next.
        family Control {
            /// Repeats.
            loop_ = 5 ();
        }
        properties {
            /// Whether a texture is read.
            is_texture = LOADS;
        }
    }

    #[test]
    fn rows_are_found_by_code_and_by_name() {
        let found: Vec<_> = (0..9).map(Op::from_code).collect();
        let mut expected = [None; 9];
        (expected[0], expected[4], expected[5], expected[7]) =
            (Some(Op::nop), Some(Op::mad), Some(Op::loop_), Some(Op::tex));
        assert_eq!(found, expected);
        assert_eq!((Op::named("mad"), Op::named("TEX"), Op::named("te")), (Some(Op::mad), Some(Op::tex), None));
        assert_eq!((Op::named("loop"), Op::ALL.len()), (Some(Op::loop_), 4));
    }

    #[test]
    fn rows_tell_what_they_read() {
        assert_eq!((Op::nop.info().sources, Op::mad.info().sources, Op::tex.info().sources), (0, 7, 2));
        assert!(Op::tex.reads(1) && !Op::tex.reads(0));
        assert!(Op::tex.has(LOADS) && !Op::mad.has(u32::MAX));
        assert!(Op::tex.is_texture() && !Op::mad.is_texture());
        assert_eq!(Op::mad.info().doc.trim(), "`a * b + c`");
        assert_eq!(Op::tex.code(), 7);
    }

    /// Shows which method was called with which sources.
    struct Show;

    impl Compute for Show {
        type Source = u8;
        type Output = String;
        fn nop(&mut self) -> String {
            "nop".to_owned()
        }
        fn mad(&mut self, a: u8, b: u8, c: u8) -> String {
            format!("mad {a} {b} {c}")
        }
        fn tex(&mut self, b: u8) -> String {
            format!("tex {b}")
        }
    }

    impl Control for Show {
        type Source = ();
        type Output = ();
        fn loop_(&mut self) {}
    }

    #[test]
    fn methods_get_the_sources_that_their_row_reads() {
        let text: Vec<_> = Op::ALL.iter().map(|&op| Compute::visit(&mut Show, op, [1, 2, 3])).collect();
        let texts = text.iter().map(|text| text.as_deref()).collect::<Vec<_>>();
        assert_eq!(texts, [Some("nop"), Some("mad 1 2 3"), None, Some("tex 2")], "in the order of their codes");
        assert_eq!(Control::visit(&mut Show, Op::loop_, [(); 3]), Some(()));
        assert_eq!(Control::visit(&mut Show, Op::mad, [(); 3]), None);
    }
}
