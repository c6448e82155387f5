//! The operations of fragment programs.
//!
//! In the formulas `a`, `b` and `c` are sources 0 to 2 after swizzle and modifiers, `i` a component. A formula without
//! a component gives the same value in all four. `exp2`, `log2`, `sin`, `cos` and the sRGB curves are those of
//! [`num::ops`](crate::num::ops), `half` is [`num::half::round`](crate::num::half::round). `sat(v)` is `v > 0 ? (v < 1 ? v : 1) :
//! 0`. A packed result is the bits of an f32. Sources: RPCS3's fragment program decompiler, Mesa's nvfx_fragprog, the extension
//! texts NV_fragment_program and 2; envytools for names.

use crate::table::opcodes::opcodes;

opcodes! {
    /// Operations with a result, and those that do nothing to the flow. Sums of products run from left to right, nothing
    /// is fused. Textures are read as [`kernel::program::sampler`](crate::kernel::program::sampler) says.
    Op, 6 bits;

    /// Nothing. Its inline constant, if a source says that there is one, is skipped
    Nop = 0x00 "NOP" ();
    /// `a[i]`
    Mov = 0x01 "MOV" (a);
    /// `a[i] * b[i]`
    Mul = 0x02 "MUL" (a b);
    /// `a[i] + b[i]`
    Add = 0x03 "ADD" (a b);
    /// `a[i] * b[i] + c[i]`, the product rounded first
    Mad = 0x04 "MAD" (a b c);
    /// `a.x * b.x + a.y * b.y + a.z * b.z`
    Dp3 = 0x05 "DP3" (a b);
    /// `a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w`
    Dp4 = 0x06 "DP4" (a b);
    /// `(1, a.y * b.y, a.z, b.w)`
    Dst = 0x07 "DST" (a b);
    /// `a[i] < b[i] ? a[i] : b[i]`
    Min = 0x08 "MIN" (a b);
    /// `a[i] > b[i] ? a[i] : b[i]`
    Max = 0x09 "MAX" (a b);
    /// `a[i] < b[i] ? 1 : 0`
    Slt = 0x0A "SLT" (a b);
    /// `a[i] >= b[i] ? 1 : 0`
    Sge = 0x0B "SGE" (a b);
    /// `a[i] <= b[i] ? 1 : 0`
    Sle = 0x0C "SLE" (a b);
    /// `a[i] > b[i] ? 1 : 0`
    Sgt = 0x0D "SGT" (a b);
    /// `a[i] != b[i] ? 1 : 0`; 1 for NaN
    Sne = 0x0E "SNE" (a b);
    /// `a[i] == b[i] ? 1 : 0`
    Seq = 0x0F "SEQ" (a b);
    /// `a[i] - floor(a[i])`
    Frc = 0x10 "FRC" (a);
    /// `floor(a[i])`
    Flr = 0x11 "FLR" (a);
    /// Discards the fragment if the condition holds for one of the four components of its swizzle; no result
    Kil = 0x12 "KIL" (): EFFECT;
    /// Byte i of the result is `floor(v * 127 + 0.5)` in two's complement, `v` being `a[i]` clamped to -1..1 (`a > -1 ? (a <
    /// 1 ? a : 1) : -1`), x lowest. The NV text has 127v + 128 instead
    Pk4 = 0x13 "PK4" (a);
    /// With `r = v * (1/127)` of the signed byte i of `a.x`: `-1 < r ? r : -1`
    Up4 = 0x14 "UP4" (a);
    /// `a[i]` of the right fragment of the row less that of the left
    Ddx = 0x15 "DDX" (a);
    /// `a[i]` of the lower fragment of the column less that of the upper
    Ddy = 0x16 "DDY" (a);
    /// Texture at `a`
    Tex = 0x17 "TEX" (a): LOADS;
    /// Texture at `a`, each of x, y, z divided by `a.w`
    Txp = 0x18 "TXP" (a): LOADS;
    /// Texture at `a` with `b` as d/dx and `c` as d/dy
    Txd = 0x19 "TXD" (a b c): LOADS;
    /// `1 / a.x`
    Rcp = 0x1A "RCP" (a);
    /// `1 / sqrt(|a.x|)`
    Rsq = 0x1B "RSQ" (a);
    /// `exp2(a.x)`
    Ex2 = 0x1C "EX2" (a);
    /// `log2(a.x)`
    Lg2 = 0x1D "LG2" (a);
    /// With `m = a.y > 0 ? a.y : 0`, `p = a.w == 0 ? 1 : exp2(a.w * log2(m))`: `(1, a.x > 0 ? a.x : 0, a.x > 0 ? p : 0, 1)`
    Lit = 0x1E "LIT" (a);
    /// `a[i] * b[i] + (1 - a[i]) * c[i]`
    Lrp = 0x1F "LRP" (a b c);
    /// `1`
    Str = 0x20 "STR" ();
    /// `0`
    Sfl = 0x21 "SFL" ();
    /// `cos(a.x)`, radians
    Cos = 0x22 "COS" (a);
    /// `sin(a.x)`, radians
    Sin = 0x23 "SIN" (a);
    /// `half(a.x)` in the low, `half(a.y)` in the high 16 bits
    Pk2 = 0x24 "PK2" (a);
    /// `(l, h, l, h)` with the halves `l` and `h` in the low and high 16 bits of `a.x`
    Up2 = 0x25 "UP2" (a);
    /// `exp2(b.x * log2(a.x))`
    Pow = 0x26 "POW" (a b);
    /// Byte i of the result is `floor(sat(a[i]) * 255 + 0.5)`, x lowest
    Pkb = 0x27 "PKB" (a);
    /// `v * (1/255)` with the byte i of `a.x` as `v`
    Upb = 0x28 "UPB" (a);
    /// `floor(sat(a.x) * 65535 + 0.5)` in the low, that of y in the high 16 bits
    Pk16 = 0x29 "PK16" (a);
    /// `(l, h, l, h)` with `v * (1/65535)` of the low and high 16 bits of `a.x`
    Up16 = 0x2A "UP16" (a);
    /// `(x, y, x, y)` with `x = a.x + b.x * c.x + b.y * c.y`, `y = a.y + b.x * c.z + b.y * c.w`
    Bem = 0x2B "BEM" (a b c);
    /// As PKB, x, y and z being `linear_to_srgb(sat(a[i]))`
    Pkg = 0x2C "PKG" (a);
    /// As UPB, then x, y and z through `srgb_to_linear`
    Upg = 0x2D "UPG" (a);
    /// `a.x * b.x + a.y * b.y + c.x`
    Dp2a = 0x2E "DP2A" (a b c);
    /// Texture at `a`, level of detail `b.x`, or `a.w` if source 1 is unused
    Txl = 0x2F "TXL" (a b): LOADS;
    /// Texture at `a`, `b.x` added to the level of detail, or `a.w` if source 1 is unused
    Txb = 0x31 "TXB" (a b): LOADS;
    /// Texture at `a` with x and y of BEM
    Texbem = 0x33 "TEXBEM" (a b c): LOADS;
    /// Texture at `a` with x and y of BEM, then each of x, y, z divided by `a.w`
    Txpbem = 0x34 "TXPBEM" (a b c): LOADS;
    /// `0`; unknown
    Bemlum = 0x35 "BEMLUM" ();
    /// With `d = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w`: `a[i] - (2 * d) * b[i]` (RPCS3; the NV text has another)
    Refl = 0x36 "REFL" (a b);
    /// `0`; unknown
    Timeswtex = 0x37 "TIMESWTEX" ();
    /// `a.x * b.x + a.y * b.y`
    Dp2 = 0x38 "DP2" (a b);
    /// With `s = 1 / sqrt(a.x * a.x + a.y * a.y + a.z * a.z)`: `(a.x * s, a.y * s, a.z * s, a.z * s)`
    Nrm = 0x39 "NRM" (a);
    /// `a[i] / b.x`
    Div = 0x3A "DIV" (a b);
    /// `a[i] == 0 ? 0 : a[i] / sqrt(|b.x|)`
    Divsq = 0x3B "DIVSQ" (a b);
    /// `(1, a.y, a.y > 0 ? exp2(a.w) : 0, 1)`
    Lif = 0x3C "LIF" (a);
    /// Nothing; a hint
    Fenct = 0x3D "FENCT" ();
    /// Nothing; a hint
    Fencb = 0x3E "FENCB" ();
}

impl Op {
    /// Whether there is a result for a register or a condition register.
    #[inline]
    pub const fn has_result(self) -> bool {
        !matches!(self, Op::Nop | Op::Kil | Op::Fenct | Op::Fencb)
    }

    /// Whether a texture unit is read.
    #[inline]
    pub const fn is_texture(self) -> bool {
        self.info().has(crate::table::flags::LOADS)
    }

    /// Whether the result depends on the other fragments of the quad: differences, and levels of detail that follow from
    /// differences.
    #[inline]
    pub const fn needs_quad(self) -> bool {
        matches!(self, Op::Ddx | Op::Ddy | Op::Tex | Op::Txp | Op::Txb | Op::Texbem | Op::Txpbem)
    }
}

opcodes! {
    /// Operations that decide which instruction comes next. Each acts if its condition holds for component
    /// `swizzle[0]`.
    FlowOp, 7 bits;

    /// Leaves the innermost LOOP or REP of the routine; nothing without one
    Brk = 0x40 "BRK" (): BRANCH;
    /// Runs the code at the target up to a RET and comes back
    Cal = 0x41 "CAL" (): BRANCH;
    /// Runs on up to the target and skips from there to the end; without the condition goes to the target
    Ife = 0x42 "IFE" (): BRANCH;
    /// Runs the code up to the end `count` times; the index begins at `init` and grows by `increment`
    Loop = 0x43 "LOOP" (): BRANCH;
    /// Runs the code up to the end `count` times
    Rep = 0x44 "REP" (): BRANCH;
    /// Ends the innermost CAL; without one it ends the program
    Ret = 0x45 "RET" (): BRANCH;
}
