//! Images that are loaded and stored texel by texel. `data` is the first register that is stored.

use super::memory::{AtomicOp, AtomicType, CacheOp, MemorySize};
use crate::table::{Cursor, Encoder, Fields, TextError};
use crate::tegra::shader::number::Mask;
use crate::tegra::shader::operand::{Pred, Reg};
use crate::tegra::shader::part::{Part, modifiers, shapes};
use crate::tegra::shader::syntax::{Assembly, Listing};

modifiers! {
    /// Dimensions of an image.
    SurfaceDim, 3 bits, others {
        D1 = 0 "d1"; Buffer = 1 "buffer"; D1Array = 2 "a1d"; D2 = 3 "d2"; D2Array = 4 "a2d"; D3 = 5 "d3";
    }

    /// The treatment of texels outside of the image.
    SurfaceClamp, 2 bits, others {
        /// Loads give 0, stores are lost.
        Ignore = 0 "ign";
        /// Not known.
        Default = 1 "near";
        Trap = 2 "trap";
    }
}

/// Where the handle of an image is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SurfaceHandle {
    /// In the constant buffer of handles, word 0 to 0x1FFF.
    Bound(u16),
    /// In a register.
    Reg(Reg),
}

/// An index of 13 bits or a register: `h c`.
impl Part for SurfaceHandle {
    type Value = SurfaceHandle;
    const BITS: &'static [(u32, u32)] = &[(0, 13), (0, 8)];

    fn read(fields: Fields<'_>, letters: &[u8]) -> SurfaceHandle {
        match fields.has(letters[0]) {
            true => SurfaceHandle::Bound(fields.get(letters[0]) as u16),
            false => SurfaceHandle::Reg(Reg(fields.byte(letters[1]))),
        }
    }

    fn write(value: &SurfaceHandle, word: &mut Encoder<'_>, letters: &[u8]) {
        match *value {
            SurfaceHandle::Bound(index) if word.has(letters[0]) => word.put(letters[0], index.into()),
            SurfaceHandle::Reg(reg) if word.has(letters[1]) => word.put(letters[1], reg.0.into()),
            _ => word.reject(letters[0], 0),
        }
    }

    fn print(value: &SurfaceHandle, listing: &Listing<'_>, out: &mut String) {
        match value {
            SurfaceHandle::Bound(index) => out.push_str(&format!("{index:#x}")),
            SurfaceHandle::Reg(reg) => Reg::print(reg, listing, out),
        }
    }

    fn parse(text: &mut Cursor<'_>, assembly: &Assembly<'_>) -> Result<SurfaceHandle, TextError> {
        if text.rest().starts_with('r') {
            return Reg::parse(text, assembly).map(SurfaceHandle::Reg);
        }
        text.number("a handle's index", 0x1FFF).map(|index| SurfaceHandle::Bound(index as u16))
    }
}

shapes! {
    /// A load of a typed texel.
    SurfaceLoad {
        modifiers { dim: SurfaceDim[z], cache: CacheOp[y], clamp: SurfaceClamp[x] }
        operands { dst: Reg[d], pred: Pred[q], a: Reg[a], handle: SurfaceHandle[h c], mask: u8 = Mask[m] }
    }

    /// A load of a texel's bytes.
    SurfaceLoadRaw {
        flags {
            /// The first coordinate counts bytes.
            bytes k "ba",
        }
        modifiers { dim: SurfaceDim[z], size: MemorySize[j], cache: CacheOp[y], clamp: SurfaceClamp[x] }
        operands { dst: Reg[d], pred: Pred[q], a: Reg[a], handle: SurfaceHandle[h c] }
    }

    /// A store of a typed texel.
    SurfaceStore {
        modifiers { dim: SurfaceDim[z], cache: CacheOp[y], clamp: SurfaceClamp[x] }
        operands { data: Reg[d], a: Reg[a], handle: SurfaceHandle[h c], mask: u8 = Mask[m] }
    }

    /// A store of a texel's bytes.
    SurfaceStoreRaw {
        flags { bytes k "ba" }
        modifiers { dim: SurfaceDim[z], size: MemorySize[j], cache: CacheOp[y], clamp: SurfaceClamp[x] }
        operands { data: Reg[d], a: Reg[a], handle: SurfaceHandle[h c] }
    }

    /// An atomic on an image whose old value is not returned.
    SurfaceReduce {
        flags { bytes k "ba" }
        modifiers { dim: SurfaceDim[z], ty: AtomicType[j], op: AtomicOp[y], clamp: SurfaceClamp[x] }
        operands {
            /// The value.
            data: Reg[d],
            a: Reg[a], handle: SurfaceHandle[h c],
        }
    }

    /// An atomic on an image.
    SurfaceAtomic {
        flags {
            bytes k "ba",
            /// Untyped; the bound form always is.
            raw n "d",
        }
        modifiers { dim: SurfaceDim[z], ty: AtomicType[j], op: AtomicOp[y], clamp: SurfaceClamp[x] }
        operands { dst: Reg[d], a: Reg[a], b: Reg[b], handle: SurfaceHandle[h c] }
    }

    /// A compare and exchange on an image.
    SurfaceCas {
        flags {
            bytes k "ba",
            /// Untyped; the bound form always is.
            raw n "d",
        }
        modifiers { dim: SurfaceDim[z], ty: AtomicType[j], clamp: SurfaceClamp[x] }
        operands {
            dst: Reg[d], pred: Pred[q], a: Reg[a],
            /// The value that is compared; the new one follows it.
            b: Reg[b],
            handle: SurfaceHandle[h c],
        }
    }
}
