//! Textures.
//!
//! The flag `f32` or `f16` says what results are: f32 or pairs of f16. `components` is the code of a mask.

use crate::table::{Cursor, Encoder, Fields, TextError};
use crate::tegra::shader::number::{Mask, Small};
use crate::tegra::shader::operand::{Pred, Reg};
use crate::tegra::shader::part::{Part, modifiers, shapes};
use crate::tegra::shader::syntax::{Assembly, Listing};

modifiers! {
    /// Dimensions of a texture.
    TextureDim, 3 bits, others {
        D1 = 0 "d1"; D1Array = 1 "a1d"; D2 = 2 "d2"; D2Array = 3 "a2d"; D3 = 4 "d3"; Cube = 6 "cube";
        CubeArray = 7 "acube";
    }

    /// Where the level of detail comes from: LZ is level 0, LB the implicit one plus a bias, LL that of a register.
    /// BiasA and LevelA have an operand more, which is not known.
    LodMode, 3 bits; plain Implicit, others {
        Implicit = 0 "auto"; Zero = 1 "lz"; Bias = 2 "lb"; Level = 3 "ll"; BiasA = 6 "lba"; LevelA = 7 "lla";
    }

    /// Offsets of a gather: AOFFI one for all texels, PTP one for each.
    GatherOffset, 2 bits; plain None, others { None = 0 "none"; Aoffi = 1 "aoffi"; Ptp = 2 "ptp"; }

    /// The subject of a query.
    QueryKind, 6 bits, others {
        Dimension = 1 "dimension"; TextureType = 2 "texture_type"; SamplePosition = 5 "sample_pos";
        Filter = 16 "filter"; Lod = 18 "lod"; Wrap = 20 "wrap"; BorderColor = 22 "border_color";
    }

    /// The shape of TEXS and the registers of its coordinates.
    TexsTarget, 4 bits, others {
        D1Lz = 0 "d1_lz"; D2 = 1 "d2"; D2Lz = 2 "d2_lz"; D2Ll = 3 "d2_ll"; D2Dc = 4 "d2_dc"; D2LlDc = 5 "d2_ll_dc";
        D2LzDc = 6 "d2_lz_dc"; A2d = 7 "a2d"; A2dLz = 8 "a2d_lz"; A2dLzDc = 9 "a2d_lz_dc"; D3 = 10 "d3";
        D3Lz = 11 "d3_lz"; Cube = 12 "cube"; CubeLl = 13 "cube_ll";
    }

    /// The shape of TLDS and the registers of its coordinates.
    TldsTarget, 4 bits, others {
        D1Lz = 0 "d1_lz"; D1Ll = 1 "d1_ll"; D2Lz = 2 "d2_lz"; D2LzAoffi = 4 "d2_lz_aoffi"; D2Ll = 5 "d2_ll";
        D2LzMs = 6 "d2_lz_ms"; D3Lz = 7 "d3_lz"; A2dLz = 8 "a2d_lz"; D2LlAoffi = 12 "d2_ll_aoffi";
    }

    /// Which component a gather takes.
    GatherComponent, 2 bits { Red = 0 "r"; Green = 1 "g"; Blue = 2 "b"; Alpha = 3 "a"; }
}

/// Where the handle of a texture is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Handle {
    /// In the constant buffer of handles, word 0 to 0x1FFF.
    Bound(u16),
    /// In the first register of the sources, as the operation has it.
    Bindless,
}

/// An index of 13 bits, or none.
impl Part for Handle {
    type Value = Handle;
    const BITS: &'static [(u32, u32)] = &[(0, 13)];

    fn read(fields: Fields<'_>, letters: &[u8]) -> Handle {
        if fields.has(letters[0]) { Handle::Bound(fields.get(letters[0]) as u16) } else { Handle::Bindless }
    }

    fn write(value: &Handle, word: &mut Encoder<'_>, letters: &[u8]) {
        match *value {
            Handle::Bound(index) if word.has(letters[0]) => word.put(letters[0], index.into()),
            Handle::Bindless if !word.has(letters[0]) => {}
            _ => word.reject(letters[0], 0),
        }
    }

    fn print(value: &Handle, _: &Listing<'_>, out: &mut String) {
        out.push_str(&match value {
            Handle::Bound(index) => format!("{index:#x}"),
            Handle::Bindless => "bindless".to_owned(),
        });
    }

    fn parse(text: &mut Cursor<'_>, _: &Assembly<'_>) -> Result<Handle, TextError> {
        if text.eat("bindless") {
            return Ok(Handle::Bindless);
        }
        text.number("a handle's index", 0x1FFF).map(|index| Handle::Bound(index as u16))
    }
}

shapes! {
    /// A sample.
    TextureSample {
        flags {
            ndv n "ndv", nodep k "nodep",
            /// Depth comparison.
            dc j "dc",
            /// With an offset in texels.
            aoffi x "aoffi",
            /// With a limit of the level of detail, whose place is not known.
            lod_clamp v "lc",
        }
        modifiers { dim: TextureDim[z], lod: LodMode[l] }
        operands {
            dst: Reg[d], a: Reg[a], b: Reg[b], handle: Handle[h], mask: u8 = Mask[m],
            /// Becomes false when the texels are there.
            pred: Pred[y],
        }
    }

    /// A sample, short form.
    TextureSampleShort {
        flags { nodep k "nodep", f32 f "f32" }
        modifiers { target: TexsTarget[z] }
        operands { dst: Reg[d], dst2: Reg[e], a: Reg[a], b: Reg[b], handle: Handle[h], components: u8 = Small[m] }
    }

    /// A texel.
    TexelFetch {
        flags {
            nodep k "nodep",
            /// With an offset in texels.
            aoffi x "aoffi",
            /// With the number of a sample.
            multisample j "ms",
            clamp v "cl",
            /// With a level of detail.
            level l "ll",
        }
        modifiers { dim: TextureDim[z] }
        operands { dst: Reg[d], a: Reg[a], b: Reg[b], handle: Handle[h], mask: u8 = Mask[m], pred: Pred[y] }
    }

    /// A texel, short form.
    TexelFetchShort {
        flags { nodep k "nodep", f32 f "f32" }
        modifiers { target: TldsTarget[z] }
        operands { dst: Reg[d], dst2: Reg[e], a: Reg[a], b: Reg[b], handle: Handle[h], components: u8 = Small[m] }
    }

    /// The four texels of a footprint.
    TextureGather {
        flags { ndv n "ndv", nodep k "nodep", dc j "dc", lod_clamp v "lc" }
        modifiers { dim: TextureDim[z], component: GatherComponent[l], offset: GatherOffset[x] }
        operands { dst: Reg[d], a: Reg[a], b: Reg[b], handle: Handle[h], mask: u8 = Mask[m], pred: Pred[y] }
    }

    /// The four texels of a footprint, short form.
    TextureGatherShort {
        flags { nodep k "nodep", dc j "dc", aoffi x "aoffi", f16 f "f16" }
        modifiers { component: GatherComponent[l] }
        operands { dst: Reg[d], dst2: Reg[e], a: Reg[a], b: Reg[b], handle: Handle[h] }
    }

    /// A sample with derivatives.
    TextureGradient {
        flags { nodep k "nodep", aoffi x "aoffi", lod_clamp v "lc" }
        modifiers { dim: TextureDim[z] }
        operands {
            dst: Reg[d], a: Reg[a],
            /// The derivatives.
            b: Reg[b],
            handle: Handle[h], mask: u8 = Mask[m], pred: Pred[y],
        }
    }

    /// Properties of a texture.
    TextureQuery {
        flags { nodep k "nodep" }
        modifiers { query: QueryKind[z] }
        operands { dst: Reg[d], a: Reg[a], handle: Handle[h], mask: u8 = Mask[m] }
    }

    /// The level of detail that a sample would have.
    TextureLevel {
        flags { ndv n "ndv", nodep k "nodep" }
        modifiers { dim: TextureDim[z] }
        operands { dst: Reg[d], a: Reg[a], b: Reg[b], handle: Handle[h], mask: u8 = Mask[m] }
    }

    /// Not known.
    TextureAddress {
        flags { ndv n "ndv", nodep k "nodep" }
        operands { dst: Reg[d], a: Reg[a], handle: Handle[h], mask: u8 = Mask[m] }
    }
}
