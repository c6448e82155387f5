//! Depth and stencil targets.

use super::{at, formats};
use crate::kernel::program::output::{Bits, DepthFormat};

/// A depth and stencil format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ZetaRow {
    /// Bytes of a sample.
    pub bytes: u8,
    /// Where depth is; no bits for none.
    pub depth: Bits,
    /// Whether depth is an f32 rather than unorm.
    pub float: bool,
    /// Where stencil is; no bits for none.
    pub stencil: Bits,
    /// How the kernels know it, stencil aside if it has none. Coverage bits stay as they are.
    pub kernel: DepthFormat,
}

const NONE: Bits = at(0, 0);

const fn unorm(bytes: u8, depth: Bits, stencil: Bits, kernel: DepthFormat) -> ZetaRow {
    ZetaRow { bytes, depth, float: false, stencil, kernel }
}

const fn float(bytes: u8, stencil: Bits, kernel: DepthFormat) -> ZetaRow {
    ZetaRow { bytes, depth: at(0, 32), float: true, stencil, kernel }
}

formats! {
    /// Formats of the zeta target, as in SET_ZT_FORMAT.
    ZetaFormat: ZetaRow;

    Z16 = 0x13 "Z16" unorm(2, at(0, 16), NONE, DepthFormat::Z16);
    /// Depth above stencil; D24S8 of the interfaces, S8Z24 in deko3d.
    Z24S8 = 0x14 "Z24S8" unorm(4, at(8, 24), at(0, 8), DepthFormat::Z24S8);
    /// The upper byte keeps its value.
    X8Z24 = 0x15 "X8Z24" unorm(4, at(0, 24), NONE, DepthFormat::S8Z24);
    S8Z24 = 0x16 "S8Z24" unorm(4, at(0, 24), at(24, 8), DepthFormat::S8Z24);
    S8 = 0x17 "S8" unorm(1, NONE, at(0, 8), DepthFormat::S8);
    /// Coverage in the upper byte.
    V8Z24 = 0x18 "V8Z24" unorm(4, at(0, 24), NONE, DepthFormat::S8Z24);
    Zf32 = 0x0A "ZF32" float(4, NONE, DepthFormat::F32);
    Zf32X24S8 = 0x19 "ZF32_X24S8" float(8, at(32, 8), DepthFormat::F32S8);
    /// Coverage above stencil in the second word, like those that follow.
    X8Z24X16V8S8 = 0x1D "X8Z24_X16V8S8" unorm(8, at(0, 24), at(32, 8), DepthFormat::Z24X8S8);
    Zf32X16V8X8 = 0x1E "ZF32_X16V8X8" float(8, NONE, DepthFormat::F32S8);
    Zf32X16V8S8 = 0x1F "ZF32_X16V8S8" float(8, at(32, 8), DepthFormat::F32S8);
}

impl ZetaFormat {
    /// Bytes of a sample.
    pub const fn bytes(self) -> u32 {
        self.row().bytes as u32
    }

    /// Whether there is depth.
    pub const fn has_depth(self) -> bool {
        self.row().depth.bits != 0
    }

    /// Whether there is stencil.
    pub const fn has_stencil(self) -> bool {
        self.row().stencil.bits != 0
    }
}
