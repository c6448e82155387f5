//! The shader instruction set, SM 5.3.
//!
//! Sources of encodings: envytools, envydis gm107; the shader decoders of Ryujinx and yuzu; Mesa's emitter, which runs
//! on the hardware. In the formulas A, B, C are the sources after sign and absolute value, Rd, Pd, Pq the destinations,
//! Ps the source predicate. The letters of the patterns: `d` `a` `b` `c` registers, `e` the second source where a
//! constant is the third, `s` `w` slot and word of a constant as second source, `t` `u` as third, `i` immediates, `g`
//! guard, `p` source predicate, `o` condition code; all others are modifiers, see the shapes. Forms with a name of
//! their own (`fadd32i`) have immediates of 32 bits or take their handle from a register (`tex_b`). Dot products of
//! bytes (IDP) came later and are no instructions here.
//!
//! The file is longer than others because the instruction set is one table, from which one decoder is made.

pub use super::number::Address;
pub use super::operand::{Constant, Guard, Inv, Neg, Operand, Pred, PredSource, Reg, Src};
pub use super::shape::*;
pub use super::special::SpecialRegister;
use super::syntax::{Assembly, Listing};
use crate::table::isa;

isa! {
    word u64, 11 top bits;
    listing Listing<'_>;
    assembly Assembly<'_>;

    /// Moves, predicates, the condition code, special registers.
    family MoveVisitor {
        /// `Rd = B`, in the lanes of each 2x2 quad that the mask has. Source of the mask's meaning: Mesa
        mov
            "0101 1100 1001 1 -------- mmmm ----------- bbbbbbbb gggg -------- dddddddd"
            "0100 1100 1001 1 -------- mmmm sssss wwwwwwwwwwwwww gggg -------- dddddddd"
            "0011 100 i 1001 1 -------- mmmm iiiiiiiiiiiiiiiiiii gggg -------- dddddddd",
            mov32i
            "0000 0001 0000 iiiiiiiiiiiiiiiiiiiiiiiiiiiiiiii gggg mmmm ---- dddddddd"
            Mov: PARTIAL;
        /// `Rd = Ps ? A : B`
        sel
            "0101 1100 1010 0 -------- pppp ----------- bbbbbbbb gggg aaaaaaaa dddddddd"
            "0100 1100 1010 0 -------- pppp sssss wwwwwwwwwwwwww gggg aaaaaaaa dddddddd"
            "0011 100 i 1010 0 -------- pppp iiiiiiiiiiiiiiiiiii gggg aaaaaaaa dddddddd"
            Sel;
        /// `Rd = A & ~(m << s) | (src & m) << s`, `m = B & 0xFF`, `s = 8 * byte`; src has P0 to P6 or Z, S, C, O from
        /// bit 0 on
        p2r
            "0101 1100 1110 1 -------- zz h ------------ bbbbbbbb gggg aaaaaaaa dddddddd"
            "0100 1100 1110 1 -------- zz h - sssss wwwwwwwwwwwwww gggg aaaaaaaa dddddddd"
            "0011 100 i 1110 1 -------- zz h - iiiiiiiiiiiiiiiiiii gggg aaaaaaaa dddddddd"
            PredToReg;
        /// Predicates (or flags) i become bit i of `A >> 8 * byte`, those whose bit in B is set
        r2p
            "0101 1100 1111 0 -------- zz h ------------ bbbbbbbb gggg aaaaaaaa --------"
            "0100 1100 1111 0 -------- zz h - sssss wwwwwwwwwwwwww gggg aaaaaaaa --------"
            "0011 100 i 1111 0 -------- zz h - iiiiiiiiiiiiiiiiiii gggg aaaaaaaa --------"
            RegToPred: PARTIAL | CONDITION;
        /// Bytes of C:A by the selector B, see [`PrmtMode`](super::modifiers::PrmtMode)
        prmt
            "0101 1011 1100 zzzz - cccccccc ----------- bbbbbbbb gggg aaaaaaaa dddddddd"
            "0100 1011 1100 zzzz - cccccccc sssss wwwwwwwwwwwwww gggg aaaaaaaa dddddddd"
            "0101 0011 1100 zzzz - eeeeeeee ttttt uuuuuuuuuuuuuu gggg aaaaaaaa dddddddd"
            "0011 011 i 1100 zzzz - cccccccc iiiiiiiiiiiiiiiiiii gggg aaaaaaaa dddddddd"
            Permute;
        /// `Rd = (Pa op1 Pb) op2 Pc` as all ones or 0
        pset "0101 0000 1000 1 --- o kk h - pppp ------ nnnn --- jj ---- gggg mmmm ---- dddddddd" PredSet: CONDITION;
        /// `Pd = (Pa op1 Pb) op2 Pc`, `Pq = !(Pa op1 Pb) op2 Pc`. Sources disagree on Pq, which is PT nearly always
        psetp "0101 0000 1001 0 ---- kk -- pppp ------ nnnn --- jj ---- gggg mmmm ------ yyy qqq" PredSetPred;
        /// `Rd = test(CC) bop Ps` as all ones or 0
        cset "0101 0000 1001 1 --- o jj h - pppp ------------------- gggg --- zzzzz dddddddd" CcSet: CONDITION;
        /// `Pd = test(CC) bop Ps`, `Pq = !test(CC) bop Ps`
        csetp "0101 0000 1010 0 --- o jj -- pppp ------------------- gggg --- zzzzz -- yyy qqq" CcSetPred: CONDITION;
        /// `Rd = special`
        s2r "1111 0000 1100 1 ----------------------- zzzzzzzz gggg -------- dddddddd" ReadSpecial;
        /// `Rd = special`
        cs2r "0101 0000 1100 1 ----------------------- zzzzzzzz gggg -------- dddddddd" ReadSpecial;
    }

    /// Arithmetic of f32 and f64.
    family FloatVisitor {
        /// `Rd = A + B`
        fadd
            "0101 1100 0101 1 v l n o m k f --- rr ----------- bbbbbbbb gggg aaaaaaaa dddddddd"
            "0100 1100 0101 1 v l n o m k f --- rr sssss wwwwwwwwwwwwww gggg aaaaaaaa dddddddd"
            "0011 100 i 0101 1 v l n o m k f --- rr iiiiiiiiiiiiiiiiiii gggg aaaaaaaa dddddddd",
            fadd32i
            "0000 10 l n f m k o iiiiiiiiiiiiiiiiiiiiiiiiiiiiiiii gggg aaaaaaaa dddddddd"
            FloatAdd: CONDITION;
        /// `Rd = A * B * 2^scale`, rounded once
        fmul
            "0101 1100 0110 1 v - n o - ff zzz rr ----------- bbbbbbbb gggg aaaaaaaa dddddddd"
            "0100 1100 0110 1 v - n o - ff zzz rr sssss wwwwwwwwwwwwww gggg aaaaaaaa dddddddd"
            "0011 100 i 0110 1 v - n o - ff zzz rr iiiiiiiiiiiiiiiiiii gggg aaaaaaaa dddddddd",
            fmul32i
            "0001 1110 v ff o iiiiiiiiiiiiiiiiiiiiiiiiiiiiiiii gggg aaaaaaaa dddddddd"
            FloatMul: CONDITION;
        /// `Rd = A * B + C`, rounded once
        ffma
            "0101 1001 1ff rr v k n o cccccccc ----------- bbbbbbbb gggg aaaaaaaa dddddddd"
            "0100 1001 1ff rr v k n o cccccccc sssss wwwwwwwwwwwwww gggg aaaaaaaa dddddddd"
            "0101 0001 1ff rr v k n o eeeeeeee ttttt uuuuuuuuuuuuuu gggg aaaaaaaa dddddddd"
            "0011 001 i 1ff rr v k n o cccccccc iiiiiiiiiiiiiiiiiii gggg aaaaaaaa dddddddd",
            ffma32i
            "0000 11 k n v ff o iiiiiiiiiiiiiiiiiiiiiiiiiiiiiiii gggg aaaaaaaa dddddddd"
            FloatFma: CONDITION;
        /// `Rd = Ps ? min(A, B) : max(A, B)`; of a NaN and a number the number; -0 is less than +0
        fmnmx
            "0101 1100 0110 0 - l n o m k f - pppp ----------- bbbbbbbb gggg aaaaaaaa dddddddd"
            "0100 1100 0110 0 - l n o m k f - pppp sssss wwwwwwwwwwwwww gggg aaaaaaaa dddddddd"
            "0011 100 i 0110 0 - l n o m k f - pppp iiiiiiiiiiiiiiiiiii gggg aaaaaaaa dddddddd"
            FloatMinMax: CONDITION;
        /// `Rd = (A cmp B) bop Ps` as all ones or 0
        fset
            "0101 1000 f m k h zzzz o jj l n pppp ----------- bbbbbbbb gggg aaaaaaaa dddddddd"
            "0100 1000 f m k h zzzz o jj l n pppp sssss wwwwwwwwwwwwww gggg aaaaaaaa dddddddd"
            "0011 000 i f m k h zzzz o jj l n pppp iiiiiiiiiiiiiiiiiii gggg aaaaaaaa dddddddd"
            FloatSet: CONDITION;
        /// `Pd = (A cmp B) bop Ps`, `Pq = !(A cmp B) bop Ps`, both from the old Ps
        fsetp
            "0101 1011 1011 zzzz f jj l n pppp ----------- bbbbbbbb gggg aaaaaaaa m k yyy qqq"
            "0100 1011 1011 zzzz f jj l n pppp sssss wwwwwwwwwwwwww gggg aaaaaaaa m k yyy qqq"
            "0011 011 i 1011 zzzz f jj l n pppp iiiiiiiiiiiiiiiiiii gggg aaaaaaaa m k yyy qqq"
            FloatSetPred;
        /// `Rd = C cmp 0.0 ? A : B`
        fcmp
            "0101 1011 1010 zzzz f cccccccc ----------- bbbbbbbb gggg aaaaaaaa dddddddd"
            "0100 1011 1010 zzzz f cccccccc sssss wwwwwwwwwwwwww gggg aaaaaaaa dddddddd"
            "0101 0011 1010 zzzz f eeeeeeee ttttt uuuuuuuuuuuuuu gggg aaaaaaaa dddddddd"
            "0011 011 i 1010 zzzz f cccccccc iiiiiiiiiiiiiiiiiii gggg aaaaaaaa dddddddd"
            FloatSelect;
        /// `Pd =` A / B must not be computed with the fast sequence; its range is not known, true is always safe
        fchk
            "0101 1100 1000 1 - l n - m k zzzzzz ----------- bbbbbbbb gggg aaaaaaaa -- yyy ---"
            "0100 1100 1000 1 - l n - m k zzzzzz sssss wwwwwwwwwwwwww gggg aaaaaaaa -- yyy ---"
            "0011 100 i 1000 1 - l n - m k zzzzzz iiiiiiiiiiiiiiiiiii gggg aaaaaaaa -- yyy ---"
            FloatCheck;
        /// By the code of the lane, two bits each, lane 0 in the top ones: 0 `A + B`, 1 `B - A`, 2 `A - B`, 3 `B`
        fswzadd
            "0101 0000 1111 1 --- o -- f --- rr h -- zzzzzzzz bbbbbbbb gggg aaaaaaaa dddddddd"
            FloatSwizzledAdd: CONDITION;
        /// Prepares B for SIN and COS or EX2: sign, and magnitude with 23 fraction bits, see `num::mufu`
        rro
            "0101 1100 1001 0 - l --- k ----- z ----------- bbbbbbbb gggg -------- dddddddd"
            "0100 1100 1001 0 - l --- k ----- z sssss wwwwwwwwwwwwww gggg -------- dddddddd"
            "0011 100 i 1001 0 - l --- k ----- z iiiiiiiiiiiiiiiiiii gggg -------- dddddddd"
            RangeReduction;
        /// `Rd = f(A)`
        mufu "0101 0000 1000 0 v - n - m ---------------------- zzzz gggg aaaaaaaa dddddddd" MultiFunction;
        /// `Rd = A + B`, f64
        dadd
            "0101 1100 0111 0 - l n o m k ---- rr ----------- bbbbbbbb gggg aaaaaaaa dddddddd"
            "0100 1100 0111 0 - l n o m k ---- rr sssss wwwwwwwwwwwwww gggg aaaaaaaa dddddddd"
            "0011 100 i 0111 0 - l n o m k ---- rr iiiiiiiiiiiiiiiiiii gggg aaaaaaaa dddddddd"
            FloatAdd: CONDITION;
        /// `Rd = A * B`, f64
        dmul
            "0101 1100 1000 0 -- n o ------ rr ----------- bbbbbbbb gggg aaaaaaaa dddddddd"
            "0100 1100 1000 0 -- n o ------ rr sssss wwwwwwwwwwwwww gggg aaaaaaaa dddddddd"
            "0011 100 i 1000 0 -- n o ------ rr iiiiiiiiiiiiiiiiiii gggg aaaaaaaa dddddddd"
            FloatMul: CONDITION;
        /// `Rd = A * B + C`, f64, rounded once
        dfma
            "0101 1011 0111 rr k n o cccccccc ----------- bbbbbbbb gggg aaaaaaaa dddddddd"
            "0100 1011 0111 rr k n o cccccccc sssss wwwwwwwwwwwwww gggg aaaaaaaa dddddddd"
            "0101 0011 0111 rr k n o eeeeeeee ttttt uuuuuuuuuuuuuu gggg aaaaaaaa dddddddd"
            "0011 011 i 0111 rr k n o cccccccc iiiiiiiiiiiiiiiiiii gggg aaaaaaaa dddddddd"
            FloatFma: CONDITION;
        /// `Rd = Ps ? min(A, B) : max(A, B)`, f64
        dmnmx
            "0101 1100 0101 0 - l n o m k -- pppp ----------- bbbbbbbb gggg aaaaaaaa dddddddd"
            "0100 1100 0101 0 - l n o m k -- pppp sssss wwwwwwwwwwwwww gggg aaaaaaaa dddddddd"
            "0011 100 i 0101 0 - l n o m k -- pppp iiiiiiiiiiiiiiiiiii gggg aaaaaaaa dddddddd"
            FloatMinMax: CONDITION;
        /// `Rd = (A cmp B) bop Ps` as all ones or 0, f64
        dset
            "0101 1001 0 m k h zzzz o jj l n pppp ----------- bbbbbbbb gggg aaaaaaaa dddddddd"
            "0100 1001 0 m k h zzzz o jj l n pppp sssss wwwwwwwwwwwwww gggg aaaaaaaa dddddddd"
            "0011 001 i 0 m k h zzzz o jj l n pppp iiiiiiiiiiiiiiiiiii gggg aaaaaaaa dddddddd"
            FloatSet: CONDITION;
        /// `Pd = (A cmp B) bop Ps`, `Pq = !(A cmp B) bop Ps`, f64
        dsetp
            "0101 1011 1000 zzzz - jj l n pppp ----------- bbbbbbbb gggg aaaaaaaa m k yyy qqq"
            "0100 1011 1000 zzzz - jj l n pppp sssss wwwwwwwwwwwwww gggg aaaaaaaa m k yyy qqq"
            "0011 011 i 1000 zzzz - jj l n pppp iiiiiiiiiiiiiiiiiii gggg aaaaaaaa m k yyy qqq"
            FloatSetPred;
    }

    /// Arithmetic of pairs of f16.
    family HalfVisitor {
        /// `Rd = A + B`, two lanes
        hadd2
            "0101 1101 0001 0 hh zz -- m n --- f ------ v k l yy bbbbbbbb gggg aaaaaaaa dddddddd"
            "0111 101 k 1 l - v - hh zz -- m n --- f sssss wwwwwwwwwwwwww gggg aaaaaaaa dddddddd"
            "0111 101 i 0 -- v - hh zz -- m n --- f iiiiiiiiiiiiiiiiiii gggg aaaaaaaa dddddddd",
            hadd2_32i
            "0010 110 n f zz v iiiiiiiiiiiiiiiiiiiiiiiiiiiiiiii gggg aaaaaaaa dddddddd"
            HalfAdd: PARTIAL;
        /// `Rd = A * B`, two lanes
        hmul2
            "0101 1101 0000 1 hh zz -- m --- ff ------ v j l yy bbbbbbbb gggg aaaaaaaa dddddddd"
            "0111 100 - 1 l - v - hh zz -- m n -- ff sssss wwwwwwwwwwwwww gggg aaaaaaaa dddddddd"
            "0111 100 i 0 -- v - hh zz -- m n -- ff iiiiiiiiiiiiiiiiiii gggg aaaaaaaa dddddddd",
            hmul2_32i
            "0010 101f f zz v iiiiiiiiiiiiiiiiiiiiiiiiiiiiiiii gggg aaaaaaaa dddddddd"
            HalfMul: PARTIAL;
        /// `Rd = A * B + C`, two lanes
        hfma2
            "0101 1101 0000 0 hh zz cccccccc ff xx -- v j k yy bbbbbbbb gggg aaaaaaaa dddddddd"
            "0110 0ff j 1 yy v k hh zz eeeeeeee ttttt uuuuuuuuuuuuuu gggg aaaaaaaa dddddddd"
            "0111 0ff j 1 xx v k hh zz cccccccc sssss wwwwwwwwwwwwww gggg aaaaaaaa dddddddd"
            "0111 0ff i 0 xx v k hh zz cccccccc iiiiiiiiiiiiiiiiiii gggg aaaaaaaa dddddddd",
            hfma2_32i
            "0010 100f f zz k iiiiiiiiiiiiiiiiiiiiiiiiiiiiiiii gggg aaaaaaaa dddddddd"
            HalfFma: PARTIAL;
        /// Each half of `Rd = (A cmp B) bop Ps` as all ones or 0
        hset2
            "0101 1101 0001 1f h zz jj m n pppp xxxx --- k l yy bbbbbbbb gggg aaaaaaaa dddddddd"
            "0111 110 k 1f h xxxx zz jj m n pppp sssss wwwwwwwwwwwwww gggg aaaaaaaa dddddddd"
            "0111 110 i 0f h xxxx zz jj m n pppp iiiiiiiiiiiiiiiiiii gggg aaaaaaaa dddddddd"
            HalfSet;
        /// `Pd = lower lane bop Ps`, `Pq = upper lane bop Ps`; joined: `Pd = (lower & upper) bop Ps`, `Pq = !Pd`
        hsetp2
            "0101 1101 0010 0 - h zz jj m n pppp xxxx --- k l yy bbbbbbbb gggg aaaaaaaa - f rrr qqq"
            "0111 111 k 1 l h xxxx zz jj m n pppp sssss wwwwwwwwwwwwww gggg aaaaaaaa - f rrr qqq"
            "0111 111 i 0 - h xxxx zz jj m n pppp iiiiiiiiiiiiiiiiiii gggg aaaaaaaa - f rrr qqq"
            HalfSetPred;
    }

    /// Integer arithmetic.
    family IntVisitor {
        /// `Rd = A + B`; a negated source is `~B + 1`, so C is "no borrow". With .x `~B + C`. Both signs: `A + B + 1`
        iadd
            "0101 1100 0001 0 v n k o --- x --------------- bbbbbbbb gggg aaaaaaaa dddddddd"
            "0100 1100 0001 0 v n k o --- x ---- sssss wwwwwwwwwwwwww gggg aaaaaaaa dddddddd"
            "0011 100 i 0001 0 v n k o --- x ---- iiiiiiiiiiiiiiiiiii gggg aaaaaaaa dddddddd",
            iadd32i
            "0001 110 n k v x o iiiiiiiiiiiiiiiiiiiiiiiiiiiiiiii gggg aaaaaaaa dddddddd"
            IntAdd: CONDITION;
        /// `Rd = shift(A + B) + C`, the first sum with 33 bits; each sum has its carry in the condition code
        iadd3
            "0101 1100 1100 n k l x o cccccccc jj hh yy zz --- bbbbbbbb gggg aaaaaaaa dddddddd"
            "0100 1100 1100 n k l x o cccccccc sssss wwwwwwwwwwwwww gggg aaaaaaaa dddddddd"
            "0011 100 i 1100 n k l x o cccccccc iiiiiiiiiiiiiiiiiii gggg aaaaaaaa dddddddd"
            IntAdd3: CONDITION;
        /// `Rd = (A << shift) + B`; both signs: + 1
        iscadd
            "0101 1100 0001 1 - n k o --- zzzzz ----------- bbbbbbbb gggg aaaaaaaa dddddddd"
            "0100 1100 0001 1 - n k o --- zzzzz sssss wwwwwwwwwwwwww gggg aaaaaaaa dddddddd"
            "0011 100 i 0001 1 - n k o --- zzzzz iiiiiiiiiiiiiiiiiii gggg aaaaaaaa dddddddd",
            iscadd32i
            "0001 01 zzzzz o iiiiiiiiiiiiiiiiiiiiiiiiiiiiiiii gggg aaaaaaaa dddddddd"
            IntScaledAdd: CONDITION;
        /// `Rd = A * B + C`, lower or upper half of the product; both signs: + 1
        imad
            "0101 1010 0 h l k n v x m o cccccccc ----------- bbbbbbbb gggg aaaaaaaa dddddddd"
            "0100 1010 0 h l k n v x m o cccccccc sssss wwwwwwwwwwwwww gggg aaaaaaaa dddddddd"
            "0101 0010 0 h l k n v x m o eeeeeeee ttttt uuuuuuuuuuuuuu gggg aaaaaaaa dddddddd"
            "0011 010 i 0 h l k n v x m o cccccccc iiiiiiiiiiiiiiiiiii gggg aaaaaaaa dddddddd",
            imad32i
            "0001 00 l n k m h o iiiiiiiiiiiiiiiiiiiiiiiiiiiiiiii gggg aaaaaaaa dddddddd"
            IntMad: CONDITION;
        /// `Rd = A * B + C` of the selected parts
        imadsp
            "0101 1010 1 hh yy zzz - cccccccc ----------- bbbbbbbb gggg aaaaaaaa dddddddd"
            "0100 1010 1 hh yy zzz - cccccccc sssss wwwwwwwwwwwwww gggg aaaaaaaa dddddddd"
            "0101 0010 1 hh yy zzz - eeeeeeee ttttt uuuuuuuuuuuuuu gggg aaaaaaaa dddddddd"
            "0011 010 i 1 hh yy zzz - cccccccc iiiiiiiiiiiiiiiiiii gggg aaaaaaaa dddddddd"
            IntMadParts;
        /// `Rd = A * B`, lower or upper half
        imul
            "0101 1100 0011 1 --- o ----- l m h ----------- bbbbbbbb gggg aaaaaaaa dddddddd"
            "0100 1100 0011 1 --- o ----- l m h sssss wwwwwwwwwwwwww gggg aaaaaaaa dddddddd"
            "0011 100 i 0011 1 --- o ----- l m h iiiiiiiiiiiiiiiiiii gggg aaaaaaaa dddddddd",
            imul32i
            "0001 1111 l m h o iiiiiiiiiiiiiiiiiiiiiiiiiiiiiiii gggg aaaaaaaa dddddddd"
            IntMul: CONDITION;
        /// `r = (a * b << (psl ? 16 : 0)) + c (+ C)`, a and b 16 bits; mrg: `Rd = r & 0xFFFF | B << 16`
        xmad
            "0101 1011 00 h zzz l m o cccccccc x q j y ------- bbbbbbbb gggg aaaaaaaa dddddddd"
            "0100 111 q j x h y zz l m o cccccccc sssss wwwwwwwwwwwwww gggg aaaaaaaa dddddddd"
            "0101 0001 0 x h y zz l m o eeeeeeee ttttt uuuuuuuuuuuuuu gggg aaaaaaaa dddddddd"
            "0011 011 - 00 h zzz l m o cccccccc x q j iiiiiiiiiiiiiiii gggg aaaaaaaa dddddddd"
            IntXmad: CONDITION;
        /// `Rd = Ps ? min(A, B) : max(A, B)`
        imnmx
            "0101 1100 0010 0 -- m o -- xx pppp ----------- bbbbbbbb gggg aaaaaaaa dddddddd"
            "0100 1100 0010 0 -- m o -- xx pppp sssss wwwwwwwwwwwwww gggg aaaaaaaa dddddddd"
            "0011 100 i 0010 0 -- m o -- xx pppp iiiiiiiiiiiiiiiiiii gggg aaaaaaaa dddddddd"
            IntMinMax: CONDITION;
        /// `Rd = (A cmp B) bop Ps` as all ones or 0; .x continues a comparison of lower words
        iset
            "0101 1011 0101 zzz m o jj h x pppp ----------- bbbbbbbb gggg aaaaaaaa dddddddd"
            "0100 1011 0101 zzz m o jj h x pppp sssss wwwwwwwwwwwwww gggg aaaaaaaa dddddddd"
            "0011 011 i 0101 zzz m o jj h x pppp iiiiiiiiiiiiiiiiiii gggg aaaaaaaa dddddddd"
            IntSet: CONDITION;
        /// `Pd = (A cmp B) bop Ps`, `Pq = !(A cmp B) bop Ps`
        isetp
            "0101 1011 0110 zzz m - jj - x pppp ----------- bbbbbbbb gggg aaaaaaaa -- yyy qqq"
            "0100 1011 0110 zzz m - jj - x pppp sssss wwwwwwwwwwwwww gggg aaaaaaaa -- yyy qqq"
            "0011 011 i 0110 zzz m - jj - x pppp iiiiiiiiiiiiiiiiiii gggg aaaaaaaa -- yyy qqq"
            IntSetPred;
        /// `Rd = C cmp 0 ? A : B`
        icmp
            "0101 1011 0100 zzz m - cccccccc ----------- bbbbbbbb gggg aaaaaaaa dddddddd"
            "0100 1011 0100 zzz m - cccccccc sssss wwwwwwwwwwwwww gggg aaaaaaaa dddddddd"
            "0101 0011 0100 zzz m - eeeeeeee ttttt uuuuuuuuuuuuuu gggg aaaaaaaa dddddddd"
            "0011 011 i 0100 zzz m - cccccccc iiiiiiiiiiiiiiiiiii gggg aaaaaaaa dddddddd"
            IntSelect;
    }

    /// Logic, shifts, bit fields, addresses.
    family LogicVisitor {
        /// `Rd = A op B`; `Pd` by the result
        lop
            "0101 1100 0100 0 yyy o - jj x zz k n ----------- bbbbbbbb gggg aaaaaaaa dddddddd"
            "0100 1100 0100 0 yyy o - jj x zz k n sssss wwwwwwwwwwwwww gggg aaaaaaaa dddddddd"
            "0011 100 i 0100 0 yyy o - jj x zz k n iiiiiiiiiiiiiiiiiii gggg aaaaaaaa dddddddd",
            lop32i
            "0000 01 x k n zz o iiiiiiiiiiiiiiiiiiiiiiiiiiiiiiii gggg aaaaaaaa dddddddd"
            LogicTwo: CONDITION;
        /// Bit by bit `Rd = table[a << 2 | b << 1 | c]`; `Pd` by the result
        lop3
            "0101 1011 1110 0 yyy o cccccccc x jj zzzzzzzz bbbbbbbb gggg aaaaaaaa dddddddd"
            "0000 001 x zzzzzzzz o cccccccc sssss wwwwwwwwwwwwww gggg aaaaaaaa dddddddd"
            "0011 11 x i zzzzzzzz o cccccccc iiiiiiiiiiiiiiiiiii gggg aaaaaaaa dddddddd"
            LogicThree: CONDITION;
        /// `Rd = A << B`, 0 from 32 on
        shl
            "0101 1100 0100 1 --- o --- x --- z ----------- bbbbbbbb gggg aaaaaaaa dddddddd"
            "0100 1100 0100 1 --- o --- x --- z sssss wwwwwwwwwwwwww gggg aaaaaaaa dddddddd"
            "0011 100 i 0100 1 --- o --- x --- z iiiiiiiiiiiiiiiiiii gggg aaaaaaaa dddddddd"
            ShiftLeft: CONDITION;
        /// `Rd = A >> B`, 0 or the sign from 32 on
        shr
            "0101 1100 0010 1 -- m o -- xx -- q z ----------- bbbbbbbb gggg aaaaaaaa dddddddd"
            "0100 1100 0010 1 -- m o -- xx -- q z sssss wwwwwwwwwwwwww gggg aaaaaaaa dddddddd"
            "0011 100 i 0010 1 -- m o -- xx -- q z iiiiiiiiiiiiiiiiiii gggg aaaaaaaa dddddddd"
            ShiftRight: CONDITION;
        /// `Rd =` upper word of `C:A << B`
        shf_l
            "0101 1011 1111 1 j x h o cccccccc zz --------- bbbbbbbb gggg aaaaaaaa dddddddd"
            "0011 011 - 1111 1 j x h o cccccccc zz ----------- iiiiii gggg aaaaaaaa dddddddd"
            FunnelShift: CONDITION;
        /// `Rd =` lower word of `C:A >> B`, with .hi the upper one
        shf_r
            "0101 1100 1111 1 j x h o cccccccc zz --------- bbbbbbbb gggg aaaaaaaa dddddddd"
            "0011 100 - 1111 1 j x h o cccccccc zz ----------- iiiiii gggg aaaaaaaa dddddddd"
            FunnelShift: CONDITION;
        /// `Rd =` bits `pos` to `pos + size - 1` of A
        bfe
            "0101 1100 0000 0 -- m o ------ q ------------ bbbbbbbb gggg aaaaaaaa dddddddd"
            "0100 1100 0000 0 -- m o ------ q - sssss wwwwwwwwwwwwww gggg aaaaaaaa dddddddd"
            "0011 100 i 0000 0 -- m o ------ q - iiiiiiiiiiiiiiiiiii gggg aaaaaaaa dddddddd"
            BitFieldExtract: CONDITION;
        /// `Rd = C` with bits `pos` to `pos + size - 1` from A
        bfi
            "0101 1011 1111 0 --- o cccccccc ----------- bbbbbbbb gggg aaaaaaaa dddddddd"
            "0100 1011 1111 0 --- o cccccccc sssss wwwwwwwwwwwwww gggg aaaaaaaa dddddddd"
            "0101 0011 1111 0 --- o eeeeeeee ttttt uuuuuuuuuuuuuu gggg aaaaaaaa dddddddd"
            "0011 011 i 1111 0 --- o cccccccc iiiiiiiiiiiiiiiiiii gggg aaaaaaaa dddddddd"
            BitFieldInsert: CONDITION;
        /// `Rd =` position of the highest 1 (signed: of the highest bit that is not the sign), all ones for none
        flo
            "0101 1100 0011 0 -- m o ----- h k ------------ bbbbbbbb gggg -------- dddddddd"
            "0100 1100 0011 0 -- m o ----- h k - sssss wwwwwwwwwwwwww gggg -------- dddddddd"
            "0011 100 i 0011 0 -- m o ----- h k - iiiiiiiiiiiiiiiiiii gggg -------- dddddddd"
            FindLeadingOne: CONDITION;
        /// `Rd =` ones of B
        popc
            "0101 1100 0000 1 ---------- k ------------ bbbbbbbb gggg -------- dddddddd"
            "0100 1100 0000 1 ---------- k - sssss wwwwwwwwwwwwww gggg -------- dddddddd"
            "0011 100 i 0000 1 ---------- k - iiiiiiiiiiiiiiiiiii gggg -------- dddddddd"
            PopCount;
        /// `Rd = (A << shift) + B`; the rule of Pd is not known, the carry is taken
        lea
            "0101 1011 1101 0 yyy o x n - zzzzz ----------- bbbbbbbb gggg aaaaaaaa dddddddd"
            "0100 1011 1101 - yyy o x n - zzzzz sssss wwwwwwwwwwwwww gggg aaaaaaaa dddddddd"
            "0011 011 i 1101 0 yyy o x n - zzzzz iiiiiiiiiiiiiiiiiii gggg aaaaaaaa dddddddd"
            LoadAddress: CONDITION;
        /// `Rd = B +` upper word of `C:A << shift`
        lea_hi
            "0101 1011 1101 1 yyy o cccccccc x n ---- zzzzz bbbbbbbb gggg aaaaaaaa dddddddd"
            "0001 10 x n zzzzz yyy o cccccccc sssss wwwwwwwwwwwwww gggg aaaaaaaa dddddddd"
            LoadAddressHigh: CONDITION;
    }

    /// Conversions.
    family ConvertVisitor {
        /// `Rd = B` in another format, or rounded
        f2f
            "0101 1100 1010 1 v l - o - k f - j h rr ----------- bbbbbbbb gggg ---- yy zz dddddddd"
            "0100 1100 1010 1 v l - o - k f - j h rr sssss wwwwwwwwwwwwww gggg ---- yy zz dddddddd"
            "0011 100 i 1010 1 v l - o - k f - j h rr iiiiiiiiiiiiiiiiiii gggg ---- yy zz dddddddd"
            FloatToFloat: CONDITION;
        /// `Rd = round(B)`, clamped to the range
        f2i
            "0101 1100 1011 0 - l - o - k f -- h rr ----------- bbbbbbbb gggg --- m yy zz dddddddd"
            "0100 1100 1011 0 - l - o - k f -- h rr sssss wwwwwwwwwwwwww gggg --- m yy zz dddddddd"
            "0011 100 i 1011 0 - l - o - k f -- h rr iiiiiiiiiiiiiiiiiii gggg --- m yy zz dddddddd"
            FloatToInt: CONDITION;
        /// `Rd = B`
        i2f
            "0101 1100 1011 1 - l - o - k -- hh rr ----------- bbbbbbbb gggg -- m - yy zz dddddddd"
            "0100 1100 1011 1 - l - o - k -- hh rr sssss wwwwwwwwwwwwww gggg -- m - yy zz dddddddd"
            "0011 100 i 1011 1 - l - o - k -- hh rr iiiiiiiiiiiiiiiiiii gggg -- m - yy zz dddddddd"
            IntToFloat: CONDITION;
        /// `Rd = B`, cut, or clamped and extended to 32 bits
        i2i
            "0101 1100 1110 0 v l - o - k -- hh ------------- bbbbbbbb gggg -- n m yy zz dddddddd"
            "0100 1100 1110 0 v l - o - k -- hh -- sssss wwwwwwwwwwwwww gggg -- n m yy zz dddddddd"
            "0011 100 i 1110 0 v l - o - k -- hh -- iiiiiiiiiiiiiiiiiii gggg -- n m yy zz dddddddd"
            IntToInt: CONDITION;
    }

    /// Video instructions.
    family VideoVisitor {
        /// `Rd = second(sat(A + B), C)`
        vadd
            "0010 00 k n v x zzz 1 l m o cccccccc hhh ----- jjj bbbbbbbb gggg aaaaaaaa dddddddd"
            "0010 00 k n v x zzz 0 l m o cccccccc hhh iiiiiiiiiiiiiiii gggg aaaaaaaa dddddddd"
            VideoAdd: CONDITION;
        /// `Rd = second(sat(min or max), C)`
        vmnmx
            "0011 101 y v x zzz 1 l m o cccccccc hhh ----- jjj bbbbbbbb gggg aaaaaaaa dddddddd"
            "0011 101 y v x zzz 0 l m o cccccccc hhh iiiiiiiiiiiiiiii gggg aaaaaaaa dddddddd"
            VideoMinMax: CONDITION;
        /// `Rd = sat((A * B + C) >> scale)`
        vmad
            "0101 1111 v n k zz 1 l m o cccccccc hhh ----- jjj bbbbbbbb gggg aaaaaaaa dddddddd"
            "0101 1111 v n k zz 0 l m o cccccccc hhh iiiiiiiiiiiiiiii gggg aaaaaaaa dddddddd"
            VideoMad: CONDITION;
        /// `Rd = second(A cmp B, C)`
        vset
            "0100 000 yyy zzz 1 l m o cccccccc hhh ----- jjj bbbbbbbb gggg aaaaaaaa dddddddd"
            "0100 000 yyy zzz 0 l m o cccccccc hhh iiiiiiiiiiiiiiii gggg aaaaaaaa dddddddd"
            VideoSet: CONDITION;
        /// `Pd = (A cmp B) bop Ps`, `Pq = !(A cmp B) bop Ps`
        vsetp
            "0101 0000 1111 01 l m z kk zz pppp hhh ----- jjj bbbbbbbb gggg aaaaaaaa -- yyy qqq"
            "0101 0000 1111 00 l m z kk zz pppp hhh iiiiiiiiiiiiiiii gggg aaaaaaaa -- yyy qqq"
            VideoSetPred;
        /// `Rd = second(sat(A << B), C)`
        vshl
            "0101 0111 v x zzz 1 k m o cccccccc hhh ----- jjj bbbbbbbb gggg aaaaaaaa dddddddd"
            "0101 0111 v x zzz 0 k m o cccccccc hhh iiiiiiiiiiiiiiii gggg aaaaaaaa dddddddd"
            VideoShift: CONDITION;
        /// `Rd = second(sat(A >> B), C)`
        vshr
            "0101 0110 v x zzz 1 k m o cccccccc hhh ----- jjj bbbbbbbb gggg aaaaaaaa dddddddd"
            "0101 0110 v x zzz 0 k m o cccccccc hhh iiiiiiiiiiiiiiii gggg aaaaaaaa dddddddd"
            VideoShift: CONDITION;
        /// `Rd = second(sat(abs(A - B)), C)`
        vabsdiff
            "0101 0100 v x zzz 1 l m o cccccccc hhh ----- jjj bbbbbbbb gggg aaaaaaaa dddddddd"
            "0101 0100 v x zzz 0 l m o cccccccc hhh iiiiiiiiiiiiiiii gggg aaaaaaaa dddddddd"
            VideoAbsDiff: CONDITION;
        /// `abs(a - b)` of four bytes
        vabsdiff4
            "0101 0000 0 zz xx v l m o cccccccc k yy hhhh jjjj bbbbbbbb gggg aaaaaaaa dddddddd"
            VideoAbsDiff4: CONDITION;
    }

    /// Attributes between stages.
    family AttributeVisitor {
        /// `Rd =` attribute, by [`IpaMode`]
        ipa "1110 0000 zz yy v pppp cccccccc x iiiiiiiiii bbbbbbbb gggg aaaaaaaa dddddddd" Interpolate;
        /// `Rd.. = attribute[Ra + offset]` of the vertex
        ald "1110 1111 1101 1 -- zz cccccccc ------ h j iiiiiiiiiii gggg aaaaaaaa dddddddd" AttributeAccess: LOADS;
        /// `attribute[Ra + offset] = Rd..`
        ast "1110 1111 1111 0 -- zz cccccccc ------- j iiiiiiiiiii gggg aaaaaaaa dddddddd" AttributeAccess: EFFECT;
        /// `Rd =` physical address of `Ra + offset`; taken as equal
        al2p "1110 1111 1010 0 -- zz yyy ----------- h - iiiiiiiiiii gggg aaaaaaaa dddddddd" AttributePhysical;
        /// `Rd =` entry Ra of the vertex table; taken as Ra
        isberd "1110 1111 1101 0 -- kk ------------ zz h j ----------- gggg aaaaaaaa dddddddd" StageBuffer;
        /// Emits a vertex, cuts the strip; `Rd =` the next handle
        out
            "1111 1011 1110 0 ---------- zz ----------- bbbbbbbb gggg aaaaaaaa dddddddd"
            "1111 011 i 1110 0 ---------- zz iiiiiiiiiiiiiiiiiii gggg aaaaaaaa dddddddd"
            "1110 1011 1110 0 ---------- zz sssss wwwwwwwwwwwwww gggg aaaaaaaa dddddddd"
            EmitVertex: EFFECT;
        /// `Rd =` what is asked about samples
        pixld "1110 1111 1110 1 --- yyy ----------- zzz --- iiiiiiii gggg aaaaaaaa dddddddd" PixelInfo;
    }

    /// Memory.
    family MemoryVisitor {
        /// `Rd = c[slot][Ra + offset]`
        ldc "1110 1111 1001 0 yyy -- zz --- sssss wwwwwwwwwwwwwwww gggg aaaaaaaa dddddddd" LoadConstant: LOADS;
        /// `Rd = mem[Ra + offset]`, generic
        ld "100 qqq yy zzz x iiiiiiiiiiiiiiiiiiiiiiiiiiiiiiii gggg aaaaaaaa dddddddd" GenericAccess: LOADS;
        /// `mem[Ra + offset] = Rd`, generic
        st "101 qqq yy zzz x iiiiiiiiiiiiiiiiiiiiiiiiiiiiiiii gggg aaaaaaaa dddddddd" GenericAccess: STORES;
        /// `Rd = mem[Ra + offset]`
        ldg "1110 1110 1101 0 zzz yy x - iiiiiiiiiiiiiiiiiiiiiiii gggg aaaaaaaa dddddddd" GlobalAccess: LOADS;
        /// As `ldg`, with a predicate; seen in one source
        ldg_p "1110 1110 1100 1 zzz yy x - qqq - iiiiiiiiiiiiiiiiiiii gggg aaaaaaaa dddddddd" GlobalPredicated: LOADS;
        /// `mem[Ra + offset] = Rd`
        stg "1110 1110 1101 1 zzz yy x - iiiiiiiiiiiiiiiiiiiiiiii gggg aaaaaaaa dddddddd" GlobalAccess: STORES;
        /// `Rd = local[Ra + offset]`
        ldl "1110 1111 0100 0 zzz -- yy iiiiiiiiiiiiiiiiiiiiiiii gggg aaaaaaaa dddddddd" LocalAccess: LOADS;
        /// `local[Ra + offset] = Rd`
        stl "1110 1111 0101 0 zzz -- yy iiiiiiiiiiiiiiiiiiiiiiii gggg aaaaaaaa dddddddd" LocalAccess: STORES;
        /// `Rd = shared[Ra + offset]`
        lds "1110 1111 0100 1 zzz --- x iiiiiiiiiiiiiiiiiiiiiiii gggg aaaaaaaa dddddddd" SharedAccess: LOADS;
        /// `shared[Ra + offset] = Rd`
        sts "1110 1111 0101 1 zzz ---- iiiiiiiiiiiiiiiiiiiiiiii gggg aaaaaaaa dddddddd" SharedAccess: STORES;
        /// `Rd = mem[..]; mem[..] = op(mem[..], Rb)`
        atom "1110 1101 yyyy zzz x iiiiiiiiiiiiiiiiiiii bbbbbbbb gggg aaaaaaaa dddddddd" GlobalAtomic: LOADS | STORES;
        /// `Rd = mem[..]; if Rd == Rb: mem[..] = Rb+1`
        atom_cas "1110 1110 1111 -- z x iiiiiiiiiiiiiiiiiiii bbbbbbbb gggg aaaaaaaa dddddddd" GlobalCas: LOADS | STORES;
        /// As `atom`, shared
        atoms "1110 1100 yyyy iiiiiiiiiiiiiiiiiiiiii zz bbbbbbbb gggg aaaaaaaa dddddddd" SharedAtomic: LOADS | STORES;
        /// As `atom_cas`, shared
        atoms_cas
            "1110 1110 0 zz x iiiiiiiiiiiiiiiiiiiiii -- bbbbbbbb gggg aaaaaaaa dddddddd"
            SharedCas: LOADS | STORES;
        /// `mem[..] = op(mem[..], Rd)`
        red "1110 1011 1111 1 -- x iiiiiiiiiiiiiiiiiiii -- yyy zzz gggg aaaaaaaa dddddddd" Reduce: STORES;
        /// Control of a cache line; without effect
        cctl "1110 1111 011 x iiiiiiiiiiiiiiiiiiiiiiiiiiiiii -- gggg aaaaaaaa - yyy zzzz" CacheControl;
        /// Control of a line of local memory; without effect
        cctll "1110 1111 1000 0 ------- iiiiiiiiiiiiiiiiiiiiii -- gggg aaaaaaaa -- yy zzzz" CacheControl;
        /// Control of the texture cache; without effect
        cctlt "1110 1011 1111 0 -- 0 hhhhhhhhhhhh ---------------- gggg -------------- zz" TextureCacheControl;
        /// Control of the texture cache; without effect
        cctlt_reg "1110 1011 1110 1 ---- cccccccc ------------------- gggg -------------- zz" TextureCacheControlReg;
        /// Orders memory accesses
        membar "1110 1111 1001 1 ------------------------------- gggg ------ yy ------ zz" MemoryBarrier: EFFECT;
        /// Not known
        stp "1110 1110 1010 0 ------------------- x --- iiiiiiii gggg ----------------" Stp;
    }

    /// Textures.
    family TextureVisitor {
        /// A sample. Ra: layer, s, t, r. Rb: handle if bindless, level or bias, offset, reference
        tex
            "1100 0 v lll x yyy j k hhhhhhhhhhhhh n mmmm zzz bbbbbbbb gggg aaaaaaaa dddddddd",
            tex_b
            "1101 1110 10 yyy j k -------- v lll x n mmmm zzz bbbbbbbb gggg aaaaaaaa dddddddd"
            TextureSample: LOADS;
        /// A sample with the sources of [`TexsTarget`]
        texs "1101 f00 zzzz mmm k hhhhhhhhhhhhh eeeeeeee bbbbbbbb gggg aaaaaaaa dddddddd" TextureSampleShort: LOADS;
        /// A texel. Ra: layer, x, y, z. Rb: handle if bindless, level, offset, sample
        tld
            "1101 1100 l v yyy j k hhhhhhhhhhhhh x mmmm zzz bbbbbbbb gggg aaaaaaaa dddddddd",
            tld_b
            "1101 1101 l v yyy j k ------------- x mmmm zzz bbbbbbbb gggg aaaaaaaa dddddddd"
            TexelFetch: LOADS;
        /// A texel with the sources of [`TldsTarget`]
        tlds "1101 f01 zzzz mmm k hhhhhhhhhhhhh eeeeeeee bbbbbbbb gggg aaaaaaaa dddddddd" TexelFetchShort: LOADS;
        /// A component of the texels (i0,j1), (i1,j1), (i1,j0), (i0,j0). Rb: handle if bindless, offsets, reference
        tld4
            "1100 10 ll xx yyy j k hhhhhhhhhhhhh n mmmm zzz bbbbbbbb gggg aaaaaaaa dddddddd",
            tld4_b
            "1101 1110 11 yyy j k -------- v ll xx n mmmm zzz bbbbbbbb gggg aaaaaaaa dddddddd"
            TextureGather: LOADS;
        /// As `tld4`. Ra: s (and t with offset or reference), Rb: t, or offset and reference
        tld4s "1101 1111 f0 ll x j k hhhhhhhhhhhhh eeeeeeee bbbbbbbb gggg aaaaaaaa dddddddd" TextureGatherShort: LOADS;
        /// A sample. Rb: ds/dx, ds/dy, dt/dx, dt/dy
        txd
            "1101 1110 00 yyy v k hhhhhhhhhhhhh x mmmm zzz bbbbbbbb gggg aaaaaaaa dddddddd",
            txd_b
            "1101 1110 01 yyy v k ------------- x mmmm zzz bbbbbbbb gggg aaaaaaaa dddddddd"
            TextureGradient: LOADS;
        /// Properties of a texture
        txq
            "1101 1111 0100 1 - k hhhhhhhhhhhhh - mmmm --- zzzzzz -- gggg aaaaaaaa dddddddd",
            txq_b
            "1101 1111 0101 0 - k -------------- mmmm --- zzzzzz -- gggg aaaaaaaa dddddddd"
            TextureQuery: LOADS;
        /// R: level of detail, signed in 1/256. G: level that is read
        tmml
            "1101 1111 0101 1 - k hhhhhhhhhhhhh n mmmm zzz bbbbbbbb gggg aaaaaaaa dddddddd",
            tmml_b
            "1101 1111 0110 0 - k ------------- n mmmm zzz bbbbbbbb gggg aaaaaaaa dddddddd"
            TextureLevel: LOADS;
        /// Not known
        txa "1101 1111 0100 0 - k hhhhhhhhhhhhh n mmmm ----------- gggg aaaaaaaa dddddddd" TextureAddress: LOADS;
    }

    /// Images.
    family SurfaceVisitor {
        /// `Rd.. =` typed texel
        suld_p
            "1110 1011 0000 0 xx -- cccccccc --- zzz qqq ---- yy mmmm gggg aaaaaaaa dddddddd"
            "1110 1011 0000 1 xx hhhhhhhhhhhhh zzz qqq ---- yy mmmm gggg aaaaaaaa dddddddd"
            SurfaceLoad: LOADS;
        /// `Rd.. =` bytes of a texel
        suld_d
            "1110 1011 0001 0 xx -- cccccccc --- zzz qqq ---- yy k jjj gggg aaaaaaaa dddddddd"
            "1110 1011 0001 1 xx hhhhhhhhhhhhh zzz qqq ---- yy k jjj gggg aaaaaaaa dddddddd"
            SurfaceLoadRaw: LOADS;
        /// typed texel `= Rd..`
        sust_p
            "1110 1011 0010 0 xx -- cccccccc --- zzz ------- yy mmmm gggg aaaaaaaa dddddddd"
            "1110 1011 0010 1 xx hhhhhhhhhhhhh zzz ------- yy mmmm gggg aaaaaaaa dddddddd"
            SurfaceStore: STORES;
        /// bytes of a texel `= Rd..`
        sust_d
            "1110 1011 0011 0 xx -- cccccccc --- zzz ------- yy k jjj gggg aaaaaaaa dddddddd"
            "1110 1011 0011 1 xx hhhhhhhhhhhhh zzz ------- yy k jjj gggg aaaaaaaa dddddddd"
            SurfaceStoreRaw: STORES;
        /// texel `= op(texel, Rd)`
        sured_p
            "1110 1011 0100 0 xx -- cccccccc --- zzz ------ yyy k jjj gggg aaaaaaaa dddddddd"
            "1110 1011 0100 1 xx hhhhhhhhhhhhh zzz ------ yyy k jjj gggg aaaaaaaa dddddddd"
            SurfaceReduce: STORES;
        /// bytes `= op(bytes, Rd)`
        sured_d
            "1110 1011 0101 0 xx -- cccccccc --- zzz ------ yyy k jjj gggg aaaaaaaa dddddddd"
            "1110 1011 0101 1 xx hhhhhhhhhhhhh zzz ------ yyy k jjj gggg aaaaaaaa dddddddd"
            SurfaceReduce: STORES;
        /// `Rd = texel; texel = op(texel, Rb)`
        suatom
            "1110 1010 011 n - xx -- cccccccc jjj zzz yyyy k bbbbbbbb gggg aaaaaaaa dddddddd",
            suatom_d
            "1110 1010 00 jjj xx hhhhhhhhhhhhh zzz yyyy k bbbbbbbb gggg aaaaaaaa dddddddd"
            SurfaceAtomic: LOADS | STORES;
        /// `Rd = texel; if Rd == Rb: texel = Rb+1`
        suatom_cas
            "1110 1010 110 n - xx -- cccccccc jjj zzz qqq - k bbbbbbbb gggg aaaaaaaa dddddddd",
            suatom_d_cas
            "1110 1010 10 jjj xx hhhhhhhhhhhhh zzz ---- k bbbbbbbb gggg aaaaaaaa dddddddd"
            SurfaceCas: LOADS | STORES;
    }

    /// Lanes of a warp, barriers.
    family WarpVisitor {
        /// `Rd = A` of another lane; `Pd =` it is in the segment
        shfl
            "1110 1111 0001 0 yyy - cccccccc ------- zz 00 bbbbbbbb gggg aaaaaaaa dddddddd"
            "1110 1111 0001 0 yyy - jjjjjjjjjjjjj -- zz 10 bbbbbbbb gggg aaaaaaaa dddddddd"
            "1110 1111 0001 0 yyy - cccccccc ------- zz 01 --- iiiii gggg aaaaaaaa dddddddd"
            "1110 1111 0001 0 yyy - jjjjjjjjjjjjj -- zz 11 --- iiiii gggg aaaaaaaa dddddddd"
            Shuffle;
        /// `Pd =` all, any or equal; `Rd =` lanes where Ps is true
        vote "0101 0000 1101 1 - zz yyy -- pppp ------------------- gggg -------- dddddddd" Vote;
        /// For the geometry pipeline alone; without effect
        vote_vtg "0101 0000 1110 0 - zz iiiiiiiiiiiiiiiiiiiiiiiiiiii gggg ----------------" VoteVtg;
        /// Waits for the threads of the block
        bar
            "1111 0000 1010 1 ------ 00 pppp -- yy zzz ---- bbbbbbbb gggg aaaaaaaa --------"
            "1111 0000 1010 1 ------ 10 pppp -- yy zzz llllllllllll gggg aaaaaaaa --------"
            "1111 0000 1010 1 ------ 01 pppp -- yy zzz ---- bbbbbbbb gggg kkkkkkkk --------"
            "1111 0000 1010 1 ------ 11 pppp -- yy zzz llllllllllll gggg kkkkkkkk --------"
            Barrier: EFFECT;
        /// Barrier state, or what `bar.red` found
        b2r "1111 0000 1011 1 --- yyy ----------- zz ------------ gggg aaaaaaaa dddddddd" BarrierToReg;
        /// Sets barrier state
        r2b "1111 0000 1100 0 ----------------- zz nnnn bbbbbbbb gggg ----------------" RegToBarrier: EFFECT;
        /// Waits for scoreboards; without effect
        depbar "1111 0000 1111 0 --------------------- x zzz iiiiii gggg ---------- mmmmmm" DependencyBarrier;
        /// Nothing
        nop "0101 0000 1011 0 --------------- iiiiiiiiiiiiiiii gggg -- x zzzzz --------" Nothing;
        /// `Rd =` address of this instruction
        lepc "0101 0000 1101 0 ------------------------------- gggg -------- dddddddd" ProgramCounter;
    }

    /// Control flow. Targets count from the word after the instruction.
    family ControlVisitor {
        /// Goes to the target
        bra
            "1110 0010 0100 -------- iiiiiiiiiiiiiiiiiiiiiiii gggg -------- y x 0 zzzzz"
            "1110 0010 0100 ----------- sssss wwwwwwwwwwwwwwww gggg -------- y x 1 zzzzz"
            Branch: BRANCH;
        /// Goes to the target plus Ra
        brx
            "1110 0010 0101 -------- iiiiiiiiiiiiiiiiiiiiiiii gggg aaaaaaaa - x 0 zzzzz"
            "1110 0010 0101 ----------- sssss wwwwwwwwwwwwwwww gggg aaaaaaaa - x 1 zzzzz"
            BranchIndexed: BRANCH;
        /// Goes to an absolute address
        jmp
            "1110 0010 0001 iiiiiiiiiiiiiiiiiiiiiiiiiiiiiiii gggg -------- y x 0 zzzzz"
            "1110 0010 0001 ----------- sssss wwwwwwwwwwwwwwww gggg -------- y x 1 zzzzz"
            Jump: BRANCH;
        /// Goes to an absolute address plus Ra
        jmx
            "1110 0010 0000 iiiiiiiiiiiiiiiiiiiiiiiiiiiiiiii gggg aaaaaaaa - x 0 zzzzz"
            "1110 0010 0000 ----------- sssss wwwwwwwwwwwwwwww gggg aaaaaaaa - x 1 zzzzz"
            JumpIndexed: BRANCH;
        /// Calls the target
        cal
            "1110 0010 0110 -------- iiiiiiiiiiiiiiiiiiiiiiii ------------- x 0 -----"
            "1110 0010 0110 ----------- sssss wwwwwwwwwwwwwwww ------------- x 1 -----"
            PushTarget: BRANCH;
        /// Calls an absolute address
        jcal
            "1110 0010 0010 iiiiiiiiiiiiiiiiiiiiiiiiiiiiiiii ------------- x 0 -----"
            "1110 0010 0010 ----------- sssss wwwwwwwwwwwwwwww ------------- x 1 -----"
            JumpCall: BRANCH;
        /// Pushes where `sync` goes
        ssy
            "1110 0010 1001 -------- iiiiiiiiiiiiiiiiiiiiiiii -------------- 0 -----"
            "1110 0010 1001 ----------- sssss wwwwwwwwwwwwwwww -------------- 1 -----"
            PushTarget;
        /// Pushes where `brk` goes
        pbk
            "1110 0010 1010 -------- iiiiiiiiiiiiiiiiiiiiiiii -------------- 0 -----"
            "1110 0010 1010 ----------- sssss wwwwwwwwwwwwwwww -------------- 1 -----"
            PushTarget;
        /// Pushes where `cont` goes
        pcnt
            "1110 0010 1011 -------- iiiiiiiiiiiiiiiiiiiiiiii -------------- 0 -----"
            "1110 0010 1011 ----------- sssss wwwwwwwwwwwwwwww -------------- 1 -----"
            PushTarget;
        /// Pushes where `ret` goes
        pret
            "1110 0010 0111 -------- iiiiiiiiiiiiiiiiiiiiiiii ------------- x 0 -----"
            "1110 0010 0111 ----------- sssss wwwwwwwwwwwwwwww ------------- x 1 -----"
            PushTarget;
        /// Pushes where `longjmp` goes
        plongjmp
            "1110 0010 1000 -------- iiiiiiiiiiiiiiiiiiiiiiii -------------- 0 -----"
            "1110 0010 1000 ----------- sssss wwwwwwwwwwwwwwww -------------- 1 -----"
            PushTarget;
        /// Pushes where `exit` goes
        pexit "1110 0010 0011 -------- iiiiiiiiiiiiiiiiiiiiiiii gggg ----------------" PushTarget;
        /// Goes to the innermost target of `ssy`
        sync "1111 0000 1111 1 ------------------------------- gggg ----------- zzzzz" Leave: BRANCH;
        /// Goes to the innermost target of `pbk`
        brk "1110 0011 0100 -------------------------------- gggg ----------- zzzzz" Leave: BRANCH;
        /// Goes to the innermost target of `pcnt`
        cont "1110 0011 0101 -------------------------------- gggg ----------- zzzzz" Leave: BRANCH;
        /// Returns to the instruction after the innermost call, or to the target of `pret`
        ret "1110 0011 0010 -------------------------------- gggg ----------- zzzzz" Leave: BRANCH;
        /// Goes to the innermost target of `plongjmp`
        longjmp "1110 0011 0001 -------------------------------- gggg ----------- zzzzz" Leave: BRANCH;
        /// Ends the lane
        exit "1110 0011 0000 -------------------------------- gggg ---------- x zzzzz" Leave: ENDS;
        /// The lane becomes a helper
        kil "1110 0011 0011 -------------------------------- gggg ----------- zzzzz" Leave: EFFECT;
        /// Returns from a trap; without effect
        rtt "1110 0011 0110 ----------------------------------------------------" TrapReturn;
        /// From here all lanes of a quad run
        sam "1110 0011 0111 ----------------------------------------------------" Plain;
        /// Back to the lanes from before `sam`
        ram "1110 0011 1000 ----------------------------------------------------" Plain;
        /// Without effect
        ide "1110 0011 1001 ---------------- iiiiiiiiiiiiiiii -------------- x -----" InterruptEnable;
        /// Without effect
        bpt "1110 0011 1010 ------------ iiiiiiiiiiiiiiiiiiii ----------- zzz ------" Breakpoint;
        /// Pointer of the stack; 0
        getcrsptr "1110 0010 1100 -------------------------------------------- dddddddd" ReadPointer;
        /// Base of local memory; 0
        getlmembase "1110 0010 1101 -------------------------------------------- dddddddd" ReadPointer;
        /// Without effect
        setcrsptr "1110 0010 1110 ------------------------------------ aaaaaaaa --------" WritePointer;
        /// Without effect
        setlmembase "1110 0010 1111 ------------------------------------ aaaaaaaa --------" WritePointer;
    }
}
