//! Attributes: values that a stage passes to the next.

use crate::table::{Cursor, Encoder, Fields, TextError};
use crate::tegra::shader::number::{Address, Offset};
use crate::tegra::shader::operand::{Operand, Pred, PredSource, Reg, parse_reg, print_reg};
use crate::tegra::shader::part::{Part, modifiers, shapes};
use crate::tegra::shader::source::Int;
use crate::tegra::shader::syntax::{Assembly, Listing};

modifiers! {
    /// The result of the interpolator.
    IpaMode, 2 bits {
        /// The interpolated value.
        Pass = 0 "pass";
        /// The interpolated value times a register.
        Mul = 1 "mul";
        /// That of the provoking vertex.
        Constant = 2 "constant";
        /// As `Mul` or `Pass`; flat when flat shading is on.
        Sc = 3 "sc";
    }

    /// Where in a pixel is interpolated.
    IpaSample, 2 bits; plain Default, others {
        Default = 0 "default"; Centroid = 1 "centroid";
        /// At an offset in a register.
        Offset = 2 "offset";
    }

    /// Words of an attribute access, less 1.
    AttributeSize, 2 bits; plain One { One = 0 "w1"; Two = 1 "w2"; Three = 2 "w3"; Four = 3 "w4"; }

    /// The action on a vertex.
    OutKind, 2 bits { Nothing = 0 "none"; Emit = 1 "emit"; Cut = 2 "cut"; EmitThenCut = 3 "emit_cut"; }

    /// The query of a pixel program about its samples: how many a pixel has, which are covered, where one is, its own
    /// number.
    PixldMode, 3 bits, others {
        Count = 0 "count"; CoverageMask = 1 "covmask"; Covered = 2 "covered"; Offset = 3 "offset";
        CentroidOffset = 4 "centroid_offset"; MyIndex = 5 "my_index";
    }

    /// Index that ISBERD adds.
    IsberdBase, 2 bits; plain None {
        None = 0 "none"; Patch = 1 "patch_base"; Primitive = 2 "prim_base"; Attribute = 3 "attr_base";
    }
}

/// An attribute address: bytes, possibly added to a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AttributeAddress {
    /// The register whose value is added, if `indexed`.
    pub index: Reg,
    /// Whether the register counts.
    pub indexed: bool,
    /// Bytes, 0 to 0x3FF.
    pub offset: u16,
}

/// Register, number of bytes, whether the register counts: `a i x`.
pub(super) struct IpaAddress;

impl Part for IpaAddress {
    type Value = AttributeAddress;
    const BITS: &'static [(u32, u32)] = &[(8, 8), (10, 10), (1, 1)];

    fn read(fields: Fields<'_>, letters: &[u8]) -> AttributeAddress {
        AttributeAddress {
            index: Reg(fields.byte(letters[0])),
            offset: fields.get(letters[1]) as u16,
            indexed: fields.flag(letters[2]),
        }
    }

    fn write(value: &AttributeAddress, word: &mut Encoder<'_>, letters: &[u8]) {
        word.put(letters[0], value.index.0.into());
        word.put(letters[1], value.offset.into());
        word.put(letters[2], value.indexed.into());
    }

    fn print(value: &AttributeAddress, _: &Listing<'_>, out: &mut String) {
        out.push_str("a[");
        print_reg(value.index, out);
        out.push_str(if value.indexed { "*" } else { "" });
        out.push_str(&format!("+{:#x}]", value.offset));
    }

    fn parse(text: &mut Cursor<'_>, _: &Assembly<'_>) -> Result<AttributeAddress, TextError> {
        text.expect("a[")?;
        let index = parse_reg(text)?;
        let indexed = text.eat("*");
        text.expect("+")?;
        let offset = text.number("an attribute address", 0x3FF)? as u16;
        text.expect("]")?;
        Ok(AttributeAddress { index, indexed, offset })
    }
}

shapes! {
    /// An interpolated attribute.
    Interpolate {
        flags { sat v "sat" }
        modifiers { mode: IpaMode[z], sample: IpaSample[y] }
        operands {
            dst: Reg[d],
            /// `*` after the register: its value is added.
            address: AttributeAddress = IpaAddress[a i x],
            /// The factor of `Mul`.
            b: Reg[b],
            /// The offset in a pixel.
            c: Reg[c],
            /// PT in all known code.
            pred: PredSource[p],
        }
    }

    /// A load or store of attributes.
    AttributeAccess {
        flags {
            /// Of the patch instead of a vertex.
            patch j "p",
            /// Of the outputs instead of the inputs.
            output h "o",
        }
        modifiers { size: AttributeSize[z] }
        operands {
            /// The first register loaded or stored.
            data: Reg[d],
            address: Address = Offset<1>[a i],
            /// The vertex; RZ for this one.
            vertex: Reg[c],
        }
    }

    /// A physical attribute address.
    AttributePhysical {
        flags { output h "o" }
        modifiers { size: AttributeSize[z] }
        operands { dst: Reg[d], pred: Pred[y], address: Address = Offset<1>[a i] }
    }

    /// An entry of the vertex table of the stage's buffer.
    StageBuffer {
        flags { skew j "skew", output h "o" }
        modifiers { base: IsberdBase[z], size: AttributeSize[k] }
        operands { dst: Reg[d], a: Reg[a] }
    }

    /// The end of a vertex, of a strip.
    EmitVertex {
        modifiers { kind: OutKind[z] }
        operands {
            /// The next handle.
            dst: Reg[d],
            /// The handle.
            a: Reg[a],
            /// The stream, two bits.
            b: Operand = Int[b e s w i],
        }
    }

    /// The query of a pixel program about its samples.
    PixelInfo {
        modifiers { mode: PixldMode[z] }
        operands { dst: Reg[d], pred: Pred[y], sample: Address = Offset<1>[a i] }
    }
}
