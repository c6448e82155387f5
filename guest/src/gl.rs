//! Values of registers that NVIDIA's GPUs have from OpenGL, with its numbers: alike on the PS3 and the Tegra X1.
//! Source: the classes' documentation.

use crate::kernel::program::output;
use crate::table::regs::values;

values! {
    /// Operation on the bits of source and destination.
    LogicOp => output::LogicOp {
        Clear = 0x1500 "CLEAR"; And = 0x1501 "AND"; AndReverse = 0x1502 "AND_REVERSE"; Copy = 0x1503 "COPY";
        AndInverted = 0x1504 "AND_INVERTED"; NoOp = 0x1505 "NOOP"; Xor = 0x1506 "XOR"; Or = 0x1507 "OR";
        Nor = 0x1508 "NOR"; Equivalent = 0x1509 "EQUIV"; Invert = 0x150A "INVERT"; OrReverse = 0x150B "OR_REVERSE";
        CopyInverted = 0x150C "COPY_INVERTED"; OrInverted = 0x150D "OR_INVERTED"; Nand = 0x150E "NAND";
        Set = 0x150F "SET";
    }

    /// How polygons are drawn.
    PolygonMode { Point = 0x1B00 "POINT"; Line = 0x1B01 "LINE"; Fill = 0x1B02 "FILL"; }

    /// Which side is dropped.
    CullFace { Front = 0x0404 "FRONT"; Back = 0x0405 "BACK"; FrontAndBack = 0x0408 "FRONT_AND_BACK"; }

    /// Which winding is the front.
    FrontFace { Cw = 0x0900 "CW"; Ccw = 0x0901 "CCW"; }
}
