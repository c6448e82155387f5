//! Values of fields of fragment lighting.
//!
//! Numbers and names: 3dbrew GPU/Internal Registers and GPU/Fragment Lighting.

use crate::kernel::lighting;
use crate::table::regs::values;

values! {
    /// Which tables there are.
    LightingConfig {
        Config0 = 0 "CONFIG_0"; Config1 = 1 "CONFIG_1"; Config2 = 2 "CONFIG_2"; Config3 = 3 "CONFIG_3";
        Config4 = 4 "CONFIG_4"; Config5 = 5 "CONFIG_5"; Config6 = 6 "CONFIG_6"; Config7 = 8 "CONFIG_7";
    }

    /// The content of the bump texture.
    BumpMode { Off = 0 "NONE"; Normal = 1 "BUMP"; Tangent = 2 "TANGENT"; }

    /// A table of fragment lighting.
    LightTable {
        D0 = 0 "D0"; D1 = 1 "D1"; Fr = 3 "FR"; Rb = 4 "RB"; Rg = 5 "RG"; Rr = 6 "RR";
        Sp0 = 8 "SP0"; Sp1 = 9 "SP1"; Sp2 = 10 "SP2"; Sp3 = 11 "SP3"; Sp4 = 12 "SP4"; Sp5 = 13 "SP5"; Sp6 = 14 "SP6";
        Sp7 = 15 "SP7";
        Da0 = 16 "DA0"; Da1 = 17 "DA1"; Da2 = 18 "DA2"; Da3 = 19 "DA3"; Da4 = 20 "DA4"; Da5 = 21 "DA5"; Da6 = 22 "DA6";
        Da7 = 23 "DA7";
    }

    /// The argument of a table.
    LightInput => lighting::TableInput {
        NormalHalf = 0 "NH"; ViewHalf = 1 "VH"; NormalView = 2 "NV"; LightNormal = 3 "LN"; LightSpot = 4 "SP";
        CosPhi = 5 "CP";
    }

    /// The range of a table's input.
    LightInputRange {
        /// 0 to 1, of the magnitude.
        Absolute = 0 "ABSOLUTE";
        /// -1 to 1.
        Signed = 1 "SIGNED";
    }

    /// The factor of a table's output.
    LightScale {
        X1 = 0 "1"; X2 = 1 "2"; X4 = 2 "4"; X8 = 3 "8"; Quarter = 6 "0.25"; Half = 7 "0.5";
    }
}

impl LightScale {
    /// The factor as the exponent of two.
    pub const fn exponent(self) -> i8 {
        match self {
            LightScale::X1 => 0,
            LightScale::X2 => 1,
            LightScale::X4 => 2,
            LightScale::X8 => 3,
            LightScale::Quarter => -2,
            LightScale::Half => -1,
        }
    }
}
