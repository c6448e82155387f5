//! The operations of vertex programs.
//!
//! In the formulas `a`, `b` and `c` are sources 0 to 2 after swizzle, absolute value and negation, `s` is `c.x`, `i` a
//! component. A formula without a component gives the same value in all four. Sources: RPCS3's vertex program
//! decompiler, Mesa's nvfx_vertprog, the extension texts NV_vertex_program2 and 3; envytools for names.

use crate::table::flags;
use crate::table::opcodes::opcodes;

opcodes! {
    /// The operations of the vector unit. Dot products are summed from left to right, nothing is fused.
    VectorOp, 5 bits;

    /// Executes or translates what the vector unit does, one method per row of the table.
    family VectorVisitor {
        /// Nothing: no destination is written.
        nop = 0x00 (): NO_RESULT;
        /// `a[i]`
        mov = 0x01 (a);
        /// `a[i] * b[i]`
        mul = 0x02 (a b);
        /// `a[i] + c[i]`
        add = 0x03 (a c);
        /// `a[i] * b[i] + c[i]`, the product rounded first
        mad = 0x04 (a b c);
        /// `a.x * b.x + a.y * b.y + a.z * b.z`
        dp3 = 0x05 (a b);
        /// `a.x * b.x + a.y * b.y + a.z * b.z + b.w`
        dph = 0x06 (a b);
        /// `a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w`
        dp4 = 0x07 (a b);
        /// `(1, a.y * b.y, a.z, b.w)`
        dst = 0x08 (a b);
        /// `a[i] < b[i] ? a[i] : b[i]`
        min = 0x09 (a b);
        /// `a[i] > b[i] ? a[i] : b[i]`
        max = 0x0A (a b);
        /// `a[i] < b[i] ? 1 : 0`
        slt = 0x0B (a b);
        /// `a[i] >= b[i] ? 1 : 0`
        sge = 0x0C (a b);
        /// Address register: `floor(a[i])` as a 32-bit integer, saturated, NaN being 0
        arl = 0x0D (a): WRITES_ADDRESS;
        /// `a[i] - floor(a[i])`
        frc = 0x0E (a);
        /// `floor(a[i])`
        flr = 0x0F (a);
        /// `a[i] == b[i] ? 1 : 0`
        seq = 0x10 (a b);
        /// `0`
        sfl = 0x11 ();
        /// `a[i] > b[i] ? 1 : 0`
        sgt = 0x12 (a b);
        /// `a[i] <= b[i] ? 1 : 0`
        sle = 0x13 (a b);
        /// `a[i] != b[i] ? 1 : 0`; 1 for NaN
        sne = 0x14 (a b);
        /// `1`
        str = 0x15 ();
        /// `a[i] > 0 ? 1 : a[i] < 0 ? -1 : 0`; 0 for NaN
        ssg = 0x16 (a);
        /// Address register: `a[i]` rounded to the nearest integer, ties to even, saturated, NaN being 0
        arr = 0x17 (a): WRITES_ADDRESS;
        /// Address register: with `r` the address register that the instruction selects, `(r.x + r.z, r.y + r.w, r.x +
        /// r.z, r.y + r.w)`, wrapping. Source: NV_vertex_program3; the encoding is unproven
        ara = 0x18 (): WRITES_ADDRESS | SELECTS_ADDRESS;
        /// Texture `unit` at `a.xyz`, level of detail `a.w`
        txl = 0x19 (a): LOADS;
    }

    properties {
        /// Whether the result goes to an address register instead of a temporary or an output.
        writes_address = WRITES_ADDRESS;
        /// Whether a texture unit is read.
        is_texture = LOADS;
    }
}

impl VectorOp {
    /// Whether there is a result for a temporary, an output or a condition register.
    #[inline]
    pub const fn has_result(self) -> bool {
        !self.has(flags::NO_RESULT | flags::WRITES_ADDRESS)
    }
}

/// Smallest magnitude that [`ScalarOp::rcc`] gives: 2^-64. Source: NV_vertex_program.
pub const RCC_MIN: f32 = 5.421_011e-20;
/// Largest magnitude that [`ScalarOp::rcc`] gives. Source: NV_vertex_program.
pub const RCC_MAX: f32 = 1.884_467e19;

opcodes! {
    /// The operations of the scalar unit, which works at the same time as the vector unit. `exp2` and `log2` are those
    /// of [`num::ops`](crate::num::ops).
    ScalarOp, 5 bits;

    /// Executes or translates results and the address stack.
    family ScalarVisitor {
        /// Nothing: no destination is written.
        nop = 0x00 (): NO_RESULT;
        /// `c[i]`, all four components
        mov = 0x01 (c);
        /// `1 / s`
        rcp = 0x02 (c);
        /// With `r = 1 / s` and `m = |r|`: `m < RCC_MIN ? RCC_MIN : m > RCC_MAX ? RCC_MAX : m` with the sign of `r`;
        /// NaN stays. See [`RCC_MIN`], [`RCC_MAX`]
        rcc = 0x03 (c);
        /// `1 / sqrt(s)`; NaN for negative `s`
        rsq = 0x04 (c);
        /// `(exp2(floor(s)), s - floor(s), exp2(s), 1)`
        exp = 0x05 (c): TRANSCENDENTAL;
        /// With `m = |s|`, `l = log2(m)`, `f = floor(l)`: `(f, l == -infinity ? 1 : m / exp2(f), l, 1)`
        log = 0x06 (c): TRANSCENDENTAL;
        /// With `m = c.y > 0 ? c.y : 0`, `e = c.w` clamped to -128 to 128 (`e > -128 ? (e < 128 ? e : 128) : -128`) and
        /// `p = e == 0 ? 1 : exp2(e * log2(m))`: `(1, c.x > 0 ? c.x : 0, c.x > 0 ? p : 0, 1)`
        lit = 0x07 (c): TRANSCENDENTAL;
        /// `log2(s)`
        lg2 = 0x0D (c): TRANSCENDENTAL;
        /// `exp2(s)`
        ex2 = 0x0E (c): TRANSCENDENTAL;
        /// `sin(s)`, radians, [`num::ops::sin`](crate::num::ops::sin)
        sin = 0x0F (c): TRANSCENDENTAL;
        /// `cos(s)`, radians, [`num::ops::cos`](crate::num::ops::cos)
        cos = 0x10 (c): TRANSCENDENTAL;
        /// Puts the address register that the instruction selects on the address stack; nothing if that is full
        psh = 0x13 (): NO_RESULT | SELECTS_ADDRESS | PUSHES;
        /// Takes the address register that the instruction selects from the address stack, the components of the scalar
        /// mask; nothing if that is empty
        pop = 0x14 (): NO_RESULT | SELECTS_ADDRESS | POPS | WRITES_ADDRESS;
    }

    /// Executes or translates branches.
    family BranchVisitor {
        /// As `bri`; the register form of the target is unproven
        bra = 0x08 (): BRANCH | NO_RESULT | TARGET;
        /// Goes to the target if the condition holds
        bri = 0x09 (): BRANCH | NO_RESULT | TARGET;
        /// As `cli`; the register form of the target is unproven
        cal = 0x0A (): BRANCH | NO_RESULT | TARGET | CALL;
        /// Calls the target if the condition holds
        cli = 0x0B (): BRANCH | NO_RESULT | TARGET | CALL;
        /// Returns from a call if the condition holds; without a call the program ends
        ret = 0x0C (): BRANCH | NO_RESULT | RETURNS;
        /// Goes to the target if a branch bit has the value that the instruction names
        brb = 0x11 (): BRANCH | NO_RESULT | TARGET | BRANCH_BIT;
        /// Calls the target if a branch bit has the value that the instruction names
        clb = 0x12 (): BRANCH | NO_RESULT | TARGET | CALL | BRANCH_BIT;
    }

    properties {
        /// Whether the instruction has a target.
        has_target = TARGET;
        /// Whether a branch bit decides, not a condition register.
        tests_branch_bit = BRANCH_BIT;
        /// Whether it calls a routine.
        is_call = CALL;
        /// Whether it comes back from a call.
        returns = RETURNS;
        /// Whether it uses the whole address register that the instruction selects.
        selects_address = SELECTS_ADDRESS;
        /// Whether it writes an address register.
        writes_address = WRITES_ADDRESS;
    }
}

impl ScalarOp {
    /// Whether a condition register decides where the program goes on.
    #[inline]
    pub const fn tests_condition(self) -> bool {
        self.has(flags::BRANCH) && !self.tests_branch_bit()
    }

    /// Whether the next instruction is not executed, now or after a call, where its condition holds.
    #[inline]
    pub const fn jumps(self) -> bool {
        self.tests_condition() && !self.is_call()
    }

    /// Whether there is a result for a temporary, an output or a condition register.
    #[inline]
    pub const fn has_result(self) -> bool {
        !self.has(flags::NO_RESULT)
    }
}
