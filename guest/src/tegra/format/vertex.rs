//! Vertex attributes.

use super::{at, formats};
use crate::kernel::program::output::Bits;
use crate::table::regs::values;

/// Components of a vertex attribute in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VertexRow {
    /// Bytes of an element.
    pub bytes: u8,
    /// Where x, y, z, w are, before red and blue are exchanged; no bits for components that are missing.
    pub components: [Bits; 4],
}

const NONE: Bits = at(0, 0);

const fn row(bytes: u8, components: [Bits; 4]) -> VertexRow {
    VertexRow { bytes, components }
}

formats! {
    /// Widths of a vertex attribute's components, as in SET_VERTEX_ATTRIBUTE. Missing ones read 0, 0, 0, 1.
    VertexFormat: VertexRow;

    R32G32B32A32 = 0x01 "R32_G32_B32_A32" row(16, [at(0, 32), at(32, 32), at(64, 32), at(96, 32)]);
    R32G32B32 = 0x02 "R32_G32_B32" row(12, [at(0, 32), at(32, 32), at(64, 32), NONE]);
    R16G16B16A16 = 0x03 "R16_G16_B16_A16" row(8, [at(0, 16), at(16, 16), at(32, 16), at(48, 16)]);
    R32G32 = 0x04 "R32_G32" row(8, [at(0, 32), at(32, 32), NONE, NONE]);
    R16G16B16 = 0x05 "R16_G16_B16" row(6, [at(0, 16), at(16, 16), at(32, 16), NONE]);
    R8G8B8A8 = 0x0A "R8_G8_B8_A8" row(4, [at(0, 8), at(8, 8), at(16, 8), at(24, 8)]);
    R16G16 = 0x0F "R16_G16" row(4, [at(0, 16), at(16, 16), NONE, NONE]);
    R32 = 0x12 "R32" row(4, [at(0, 32), NONE, NONE, NONE]);
    R8G8B8 = 0x13 "R8_G8_B8" row(3, [at(0, 8), at(8, 8), at(16, 8), NONE]);
    R8G8 = 0x18 "R8_G8" row(2, [at(0, 8), at(8, 8), NONE, NONE]);
    R16 = 0x1B "R16" row(2, [at(0, 16), NONE, NONE, NONE]);
    R8 = 0x1D "R8" row(1, [at(0, 8), NONE, NONE, NONE]);
    /// The same as `R8G8B8A8`.
    A8B8G8R8 = 0x2F "A8B8G8R8" row(4, [at(0, 8), at(8, 8), at(16, 8), at(24, 8)]);
    A2B10G10R10 = 0x30 "A2B10G10R10" row(4, [at(0, 10), at(10, 10), at(20, 10), at(30, 2)]);
    /// Floats are unsigned; of other types as any format.
    B10G11R11 = 0x31 "B10G11R11" row(4, [at(0, 11), at(11, 11), at(22, 10), NONE]);
    /// The same as `R8G8`.
    G8R8 = 0x32 "G8R8" row(2, [at(0, 8), at(8, 8), NONE, NONE]);
    X8B8G8R8 = 0x33 "X8B8G8R8" row(4, [at(0, 8), at(8, 8), at(16, 8), NONE]);
    /// One component, alpha; x, y, z are missing.
    A8 = 0x34 "A8" row(1, [NONE, NONE, NONE, at(0, 8)]);
}

values! {
    /// The type of a vertex attribute's components: SNORM -1 to 1, UNORM 0 to 1, USCALED and SSCALED integers as
    /// floats, FLOAT single with 32 bits, half with 16.
    VertexType {
        Snorm = 1 "NUM_SNORM"; Unorm = 2 "NUM_UNORM"; Sint = 3 "NUM_SINT"; Uint = 4 "NUM_UINT";
        Uscaled = 5 "NUM_USCALED"; Sscaled = 6 "NUM_SSCALED"; Float = 7 "NUM_FLOAT";
    }
}

impl VertexFormat {
    /// Bytes of an element.
    pub const fn bytes(self) -> u32 {
        self.row().bytes as u32
    }

    /// Components present.
    pub const fn count(self) -> u32 {
        let mut count = 0;
        let mut i = 0;
        while i < 4 {
            count += (self.row().components[i].bits != 0) as u32;
            i += 1;
        }
        count
    }
}
