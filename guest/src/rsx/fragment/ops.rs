//! The operations of fragment programs.
//!
//! In the formulas `a`, `b` and `c` are sources 0 to 2 after swizzle and modifiers, `i` a component. A formula without
//! a component gives the same value in all four. `exp2`, `log2`, `sin`, `cos` and the sRGB curves are those of
//! [`num::ops`](crate::num::ops), `half` is [`num::half::round`](crate::num::half::round). `sat(v)` is `v > 0 ? (v < 1
//! ? v : 1) : 0`. A packed result is the bits of an f32. Sources: RPCS3's fragment program decompiler, Mesa's
//! nvfx_fragprog, the extension texts NV_fragment_program and 2; envytools for names.

use crate::table::flags;
use crate::table::opcodes::opcodes;

opcodes! {
    /// Operations with a result, and those that do nothing to the flow. Sums of products run from left to right,
    /// nothing is fused. Textures are read as [`kernel::program::sampler`](crate::kernel::program::sampler) says.
    Op, 6 bits;

    /// Executes or translates results that follow from the sources of one fragment.
    family FragmentVisitor {
        /// `a[i]`
        mov = 0x01 (a);
        /// `a[i] * b[i]`
        mul = 0x02 (a b);
        /// `a[i] + b[i]`
        add = 0x03 (a b);
        /// `a[i] * b[i] + c[i]`, the product rounded first
        mad = 0x04 (a b c);
        /// `a.x * b.x + a.y * b.y + a.z * b.z`
        dp3 = 0x05 (a b);
        /// `a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w`
        dp4 = 0x06 (a b);
        /// `(1, a.y * b.y, a.z, b.w)`
        dst = 0x07 (a b);
        /// `a[i] < b[i] ? a[i] : b[i]`
        min = 0x08 (a b);
        /// `a[i] > b[i] ? a[i] : b[i]`
        max = 0x09 (a b);
        /// `a[i] < b[i] ? 1 : 0`
        slt = 0x0A (a b);
        /// `a[i] >= b[i] ? 1 : 0`
        sge = 0x0B (a b);
        /// `a[i] <= b[i] ? 1 : 0`
        sle = 0x0C (a b);
        /// `a[i] > b[i] ? 1 : 0`
        sgt = 0x0D (a b);
        /// `a[i] != b[i] ? 1 : 0`; 1 for NaN
        sne = 0x0E (a b);
        /// `a[i] == b[i] ? 1 : 0`
        seq = 0x0F (a b);
        /// `a[i] - floor(a[i])`
        frc = 0x10 (a);
        /// `floor(a[i])`
        flr = 0x11 (a);
        /// Byte i of the result is `floor(v * 127 + 0.5)` in two's complement, `v` being `a[i]` clamped to -1..1 (`a >
        /// -1 ? (a < 1 ? a : 1) : -1`), x lowest. The NV text has 127v + 128 instead
        pk4 = 0x13 (a): PACKS;
        /// With `r = v * (1/127)` of the signed byte i of `a.x`: `-1 < r ? r : -1`
        up4 = 0x14 (a): UNPACKS;
        /// `1 / a.x`
        rcp = 0x1A (a);
        /// `1 / sqrt(|a.x|)`
        rsq = 0x1B (a);
        /// `exp2(a.x)`
        ex2 = 0x1C (a): TRANSCENDENTAL;
        /// `log2(a.x)`
        lg2 = 0x1D (a): TRANSCENDENTAL;
        /// With `m = a.y > 0 ? a.y : 0`, `p = a.w == 0 ? 1 : exp2(a.w * log2(m))`: `(1, a.x > 0 ? a.x : 0, a.x > 0 ? p
        /// : 0, 1)`
        lit = 0x1E (a): TRANSCENDENTAL;
        /// `a[i] * b[i] + (1 - a[i]) * c[i]`
        lrp = 0x1F (a b c);
        /// `1`
        str = 0x20 ();
        /// `0`
        sfl = 0x21 ();
        /// `cos(a.x)`, radians
        cos = 0x22 (a): TRANSCENDENTAL;
        /// `sin(a.x)`, radians
        sin = 0x23 (a): TRANSCENDENTAL;
        /// `half(a.x)` in the low, `half(a.y)` in the high 16 bits
        pk2 = 0x24 (a): PACKS;
        /// `(l, h, l, h)` with the halves `l` and `h` in the low and high 16 bits of `a.x`
        up2 = 0x25 (a): UNPACKS;
        /// `exp2(b.x * log2(a.x))`
        pow = 0x26 (a b): TRANSCENDENTAL;
        /// Byte i of the result is `floor(sat(a[i]) * 255 + 0.5)`, x lowest
        pkb = 0x27 (a): PACKS;
        /// `v * (1/255)` with the byte i of `a.x` as `v`
        upb = 0x28 (a): UNPACKS;
        /// `floor(sat(a.x) * 65535 + 0.5)` in the low, that of y in the high 16 bits
        pk16 = 0x29 (a): PACKS;
        /// `(l, h, l, h)` with `v * (1/65535)` of the low and high 16 bits of `a.x`
        up16 = 0x2A (a): UNPACKS;
        /// `(x, y, x, y)` with `x = a.x + b.x * c.x + b.y * c.y`, `y = a.y + b.x * c.z + b.y * c.w`
        bem = 0x2B (a b c);
        /// As PKB, x, y and z being `linear_to_srgb(sat(a[i]))`
        pkg = 0x2C (a): PACKS | TRANSCENDENTAL;
        /// As UPB, then x, y and z through `srgb_to_linear`
        upg = 0x2D (a): UNPACKS | TRANSCENDENTAL;
        /// `a.x * b.x + a.y * b.y + c.x`
        dp2a = 0x2E (a b c);
        /// `0`; unknown
        bemlum = 0x35 ();
        /// With `d = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w`: `a[i] - (2 * d) * b[i]` (RPCS3; the NV text has
        /// another)
        refl = 0x36 (a b);
        /// `0`; unknown
        timeswtex = 0x37 ();
        /// `a.x * b.x + a.y * b.y`
        dp2 = 0x38 (a b);
        /// With `s = 1 / sqrt(a.x * a.x + a.y * a.y + a.z * a.z)`: `(a.x * s, a.y * s, a.z * s, a.z * s)`
        nrm = 0x39 (a);
        /// `a[i] / b.x`
        div = 0x3A (a b);
        /// `a[i] == 0 ? 0 : a[i] / sqrt(|b.x|)`
        divsq = 0x3B (a b);
        /// `(1, a.y, a.y > 0 ? exp2(a.w) : 0, 1)`
        lif = 0x3C (a): TRANSCENDENTAL;
    }

    /// Executes or translates differences between fragments and texture lookups.
    family QuadVisitor {
        /// `a[i]` of the right fragment of the row less that of the left
        ddx = 0x15 (a): QUAD;
        /// `a[i]` of the lower fragment of the column less that of the upper
        ddy = 0x16 (a): QUAD;
        /// Texture at `a`
        tex = 0x17 (a): LOADS | QUAD;
        /// Texture at `a`, each of x, y, z divided by `a.w`
        txp = 0x18 (a): LOADS | QUAD;
        /// Texture at `a` with `b` as d/dx and `c` as d/dy
        txd = 0x19 (a b c): LOADS;
        /// Texture at `a`, level of detail `b.x`, or `a.w` if source 1 is unused
        txl = 0x2F (a b): LOADS | OPTIONAL_B;
        /// Texture at `a`, `b.x` added to the level of detail, or `a.w` if source 1 is unused
        txb = 0x31 (a b): LOADS | QUAD | OPTIONAL_B;
        /// Texture at `a` with x and y of BEM
        texbem = 0x33 (a b c): LOADS | QUAD;
        /// Texture at `a` with x and y of BEM, then each of x, y, z divided by `a.w`
        txpbem = 0x34 (a b c): LOADS | QUAD;
    }

    /// Executes or translates operations without a result.
    family EffectVisitor {
        /// Nothing. Its inline constant, if a source says that there is one, is skipped
        nop = 0x00 (): NO_RESULT;
        /// Discards the fragment if the condition holds for one of the four components of its swizzle; no result
        kil = 0x12 (): EFFECT | NO_RESULT;
        /// Nothing; a hint
        fenct = 0x3D (): NO_RESULT;
        /// Nothing; a hint
        fencb = 0x3E (): NO_RESULT;
    }

    properties {
        /// Whether fragments may be discarded.
        discards = EFFECT;
        /// Whether a texture unit is read.
        is_texture = LOADS;
        /// Whether the result depends on the other fragments of the quad: differences, and levels of detail that follow
        /// from differences.
        needs_quad = QUAD;
    }
}

impl Op {
    /// Whether there is a result for a register or a condition register.
    #[inline]
    pub const fn has_result(self) -> bool {
        !self.has(flags::NO_RESULT)
    }
}

opcodes! {
    /// Operations that decide which instruction comes next. Each acts if its condition holds for component
    /// `swizzle[0]`.
    FlowOp, 7 bits;

    /// Executes or translates flow control.
    family FlowVisitor {
        /// Leaves the innermost LOOP or REP of the routine; nothing without one
        brk = 0x40 (): BRANCH;
        /// Runs the code at the target up to a RET and comes back
        cal = 0x41 (): BRANCH | TARGET | CALL;
        /// Runs on up to the target and skips from there to the end; without the condition goes to the target
        ife = 0x42 (): BRANCH | TARGET | BLOCK_END;
        /// Runs the code up to the end `count` times; the index begins at `init` and grows by `increment`
        loop_ = 0x43 (): BRANCH | BLOCK_END | REPEATS | INDEXES;
        /// Runs the code up to the end `count` times
        rep = 0x44 (): BRANCH | BLOCK_END | REPEATS;
        /// Ends the innermost CAL; without one it ends the program
        ret = 0x45 (): BRANCH | RETURNS;
    }

    properties {
        /// Whether the instruction names where it goes: the else part of IFE, the routine of CAL.
        has_target = TARGET;
        /// Whether the instruction begins a structure and names its end.
        has_end = BLOCK_END;
        /// Whether it begins a loop.
        repeats = REPEATS;
        /// Whether it begins a loop with an index register.
        has_index = INDEXES;
        /// Whether it calls a routine.
        is_call = CALL;
        /// Whether it comes back from a routine.
        returns = RETURNS;
    }
}
