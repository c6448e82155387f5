//! The operations of vertex programs.
//!
//! In the formulas `a`, `b` and `c` are sources 0 to 2 after swizzle, absolute value and negation, `s` is `c.x`, `i` a
//! component. A formula without a component gives the same value in all four. Sources: RPCS3's vertex program decompiler,
//! Mesa's nvfx_vertprog, the extension texts NV_vertex_program2 and 3; envytools for names.

use crate::table::opcodes::opcodes;

opcodes! {
    /// What the vector unit does. Dot products are summed from left to right, nothing is fused.
    VectorOp, 5 bits;

    /// Nothing: no destination is written.
    Nop = 0x00 "NOP" ();
    /// `a[i]`
    Mov = 0x01 "MOV" (a);
    /// `a[i] * b[i]`
    Mul = 0x02 "MUL" (a b);
    /// `a[i] + c[i]`
    Add = 0x03 "ADD" (a c);
    /// `a[i] * b[i] + c[i]`, the product rounded first
    Mad = 0x04 "MAD" (a b c);
    /// `a.x * b.x + a.y * b.y + a.z * b.z`
    Dp3 = 0x05 "DP3" (a b);
    /// `a.x * b.x + a.y * b.y + a.z * b.z + b.w`
    Dph = 0x06 "DPH" (a b);
    /// `a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w`
    Dp4 = 0x07 "DP4" (a b);
    /// `(1, a.y * b.y, a.z, b.w)`
    Dst = 0x08 "DST" (a b);
    /// `a[i] < b[i] ? a[i] : b[i]`
    Min = 0x09 "MIN" (a b);
    /// `a[i] > b[i] ? a[i] : b[i]`
    Max = 0x0A "MAX" (a b);
    /// `a[i] < b[i] ? 1 : 0`
    Slt = 0x0B "SLT" (a b);
    /// `a[i] >= b[i] ? 1 : 0`
    Sge = 0x0C "SGE" (a b);
    /// Address register: `floor(a[i])` as a 32-bit integer, saturated, NaN being 0
    Arl = 0x0D "ARL" (a);
    /// `a[i] - floor(a[i])`
    Frc = 0x0E "FRC" (a);
    /// `floor(a[i])`
    Flr = 0x0F "FLR" (a);
    /// `a[i] == b[i] ? 1 : 0`
    Seq = 0x10 "SEQ" (a b);
    /// `0`
    Sfl = 0x11 "SFL" ();
    /// `a[i] > b[i] ? 1 : 0`
    Sgt = 0x12 "SGT" (a b);
    /// `a[i] <= b[i] ? 1 : 0`
    Sle = 0x13 "SLE" (a b);
    /// `a[i] != b[i] ? 1 : 0`; 1 for NaN
    Sne = 0x14 "SNE" (a b);
    /// `1`
    Str = 0x15 "STR" ();
    /// `a[i] > 0 ? 1 : a[i] < 0 ? -1 : 0`; 0 for NaN
    Ssg = 0x16 "SSG" (a);
    /// Address register: `a[i]` rounded to the nearest integer, ties to even, saturated, NaN being 0
    Arr = 0x17 "ARR" (a);
    /// Address register: with `r` the address register that the instruction selects, `(r.x + r.z, r.y + r.w, r.x + r.z,
    /// r.y + r.w)`, wrapping. Source: NV_vertex_program3; the encoding is unproven
    Ara = 0x18 "ARA" ();
    /// Texture `unit` at `a.xyz`, level of detail `a.w`
    Txl = 0x19 "TXL" (a): LOADS;
}

impl VectorOp {
    /// Whether the result goes to an address register instead of a temporary or an output.
    #[inline]
    pub const fn writes_address(self) -> bool {
        matches!(self, VectorOp::Arl | VectorOp::Arr | VectorOp::Ara)
    }
}

/// Smallest magnitude that [`ScalarOp::Rcc`] gives: 2^-64. Source: NV_vertex_program.
pub const RCC_MIN: f32 = 5.421_011e-20;
/// Largest magnitude that [`ScalarOp::Rcc`] gives. Source: NV_vertex_program.
pub const RCC_MAX: f32 = 1.884_467e19;

opcodes! {
    /// What the scalar unit does, beside the vector unit and at the same time. `exp2` and `log2` are those of
    /// [`num::ops`](crate::num::ops).
    ScalarOp, 5 bits;

    /// Nothing: no destination is written.
    Nop = 0x00 "NOP" ();
    /// `c[i]`, all four components
    Mov = 0x01 "MOV" (c);
    /// `1 / s`
    Rcp = 0x02 "RCP" (c);
    /// With `r = 1 / s` and `m = |r|`: `m < RCC_MIN ? RCC_MIN : m > RCC_MAX ? RCC_MAX : m` with the sign of `r`; NaN stays.
    /// See [`RCC_MIN`], [`RCC_MAX`]
    Rcc = 0x03 "RCC" (c);
    /// `1 / sqrt(s)`; NaN for negative `s`
    Rsq = 0x04 "RSQ" (c);
    /// `(exp2(floor(s)), s - floor(s), exp2(s), 1)`
    Exp = 0x05 "EXP" (c);
    /// With `m = |s|`, `l = log2(m)`, `f = floor(l)`: `(f, l == -infinity ? 1 : m / exp2(f), l, 1)`
    Log = 0x06 "LOG" (c);
    /// With `m = c.y > 0 ? c.y : 0`, `e = c.w` clamped to -128 to 128 (`e > -128 ? (e < 128 ? e : 128) : -128`) and
    /// `p = e == 0 ? 1 : exp2(e * log2(m))`: `(1, c.x > 0 ? c.x : 0, c.x > 0 ? p : 0, 1)`
    Lit = 0x07 "LIT" (c);
    /// As `bri`; the register form of the target is unproven
    Bra = 0x08 "BRA" (): BRANCH;
    /// Goes to the target if the condition holds
    Bri = 0x09 "BRI" (): BRANCH;
    /// As `cli`; the register form of the target is unproven
    Cal = 0x0A "CAL" (): BRANCH;
    /// Calls the target if the condition holds
    Cli = 0x0B "CLI" (): BRANCH;
    /// Returns from a call if the condition holds; without a call the program ends
    Ret = 0x0C "RET" (): BRANCH;
    /// `log2(s)`
    Lg2 = 0x0D "LG2" (c);
    /// `exp2(s)`
    Ex2 = 0x0E "EX2" (c);
    /// `sin(s)`, radians, [`num::ops::sin`](crate::num::ops::sin)
    Sin = 0x0F "SIN" (c);
    /// `cos(s)`, radians, [`num::ops::cos`](crate::num::ops::cos)
    Cos = 0x10 "COS" (c);
    /// Goes to the target if a branch bit has the value that the instruction names
    Brb = 0x11 "BRB" (): BRANCH;
    /// Calls the target if a branch bit has the value that the instruction names
    Clb = 0x12 "CLB" (): BRANCH;
    /// Puts the address register that the instruction selects on the address stack; nothing if that is full
    Psh = 0x13 "PSH" ();
    /// Takes the address register that the instruction selects from the address stack, the components of the scalar
    /// mask; nothing if that is empty
    Pop = 0x14 "POP" ();
}

impl ScalarOp {
    /// Whether the instruction has a target.
    #[inline]
    pub const fn has_target(self) -> bool {
        use ScalarOp::{Bra, Brb, Bri, Cal, Clb, Cli};
        matches!(self, Bra | Bri | Cal | Cli | Brb | Clb)
    }

    /// Whether a branch bit decides, not a condition register.
    #[inline]
    pub const fn tests_branch_bit(self) -> bool {
        matches!(self, ScalarOp::Brb | ScalarOp::Clb)
    }

    /// Whether a return address is kept.
    #[inline]
    pub const fn is_call(self) -> bool {
        matches!(self, ScalarOp::Cal | ScalarOp::Cli | ScalarOp::Clb)
    }

    /// Whether there is a result for a temporary, an output or a condition register.
    #[inline]
    pub const fn has_result(self) -> bool {
        use ScalarOp::{Bra, Brb, Bri, Cal, Clb, Cli, Nop, Pop, Psh, Ret};
        !matches!(self, Nop | Bra | Bri | Cal | Cli | Ret | Brb | Clb | Psh | Pop)
    }
}
