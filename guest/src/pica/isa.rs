//! The PICA200 shader instruction set.
//!
//! Source of the whole table: 3dbrew "Shader Instruction Set". In the formulas `s1` to `s3` are the sources after
//! swizzle and negation, `d` the destination, `i` a component; components outside the descriptor's write mask keep
//! their value. A shape is followed by the components that are read of each source, where those are not all. The
//! letters of the patterns are explained in `shape.rs`. Words with opcodes 0x10, 0x11, 0x14 to 0x17 and 0x1C to 0x1F
//! are in no row; the machine treats them as NOP.

pub use super::descriptor::Descriptor;
pub use super::operand::{
    Arith1, Arith2, Arith3, Branch, Compare, Condition, ConditionOp, Dst, Flow0, Index, MovA, SetEmit, Src, Uniform,
};
use super::syntax::{Assembly, Listing};
use crate::table::{TextError, isa};

isa! {
    word u32, 6 top bits;
    listing Listing<'_>;
    assembly Assembly<'_>;

    /// Executes or translates shader instructions, one method per row of the table.
    family Visitor {
        /// `d[i] = s1[i] + s2[i]`
        add "000000 ddddd ii aaaaaaa bbbbb ppppppp" Arith2: PARTIAL | PER_COMPONENT;
        /// `d[i] = s1.x * s2.x + s1.y * s2.y + s1.z * s2.z`
        dp3 "000001 ddddd ii aaaaaaa bbbbb ppppppp" Arith2(xyz xyz): PARTIAL;
        /// `d[i] = s1.x * s2.x + s1.y * s2.y + s1.z * s2.z + s1.w * s2.w`
        dp4 "000010 ddddd ii aaaaaaa bbbbb ppppppp" Arith2: PARTIAL;
        /// `d[i] = s1.x * s2.x + s1.y * s2.y + s1.z * s2.z + s2.w`
        dph "000011 ddddd ii aaaaaaa bbbbb ppppppp" Arith2(xyz xyzw): PARTIAL;
        /// `d = (1, s1.y * s2.y, s1.z, s2.w)`
        dst "000100 ddddd ii aaaaaaa bbbbb ppppppp" Arith2(yz yw): PARTIAL | PER_COMPONENT;
        /// `d[i] = 2 ^ s1.x`
        ex2 "000101 ddddd ii aaaaaaa ----- ppppppp" Arith1(x): PARTIAL;
        /// `d[i] = log2(s1.x)`
        lg2 "000110 ddddd ii aaaaaaa ----- ppppppp" Arith1(x): PARTIAL;
        /// `d = (max(s1.x, 0), clamp(s1.y, -127.9961, 127.9961), 0, max(s1.w, 0))`, `cmp = (s1.x >= 0, s1.w >= 0)`.
        /// Source: tests on hardware by Panda3DS contributors
        litp "000111 ddddd ii aaaaaaa ----- ppppppp" Arith1(xyw): PARTIAL | CONDITION | PER_COMPONENT;
        /// `d[i] = s1[i] * s2[i]`, 0 * infinity being 0
        mul "001000 ddddd ii aaaaaaa bbbbb ppppppp" Arith2: PARTIAL | PER_COMPONENT;
        /// `d[i] = s1[i] >= s2[i] ? 1 : 0`
        sge "001001 ddddd ii aaaaaaa bbbbb ppppppp" Arith2: PARTIAL | PER_COMPONENT;
        /// `d[i] = s1[i] < s2[i] ? 1 : 0`
        slt "001010 ddddd ii aaaaaaa bbbbb ppppppp" Arith2: PARTIAL | PER_COMPONENT;
        /// `d[i] = floor(s1[i])`
        flr "001011 ddddd ii aaaaaaa ----- ppppppp" Arith1: PARTIAL | PER_COMPONENT;
        /// `d[i] = s1[i] > s2[i] ? s1[i] : s2[i]`
        max "001100 ddddd ii aaaaaaa bbbbb ppppppp" Arith2: PARTIAL | PER_COMPONENT;
        /// `d[i] = s1[i] < s2[i] ? s1[i] : s2[i]`
        min "001101 ddddd ii aaaaaaa bbbbb ppppppp" Arith2: PARTIAL | PER_COMPONENT;
        /// `d[i] = 1 / s1.x`
        rcp "001110 ddddd ii aaaaaaa ----- ppppppp" Arith1(x): PARTIAL;
        /// `d[i] = 1 / sqrt(s1.x)`
        rsq "001111 ddddd ii aaaaaaa ----- ppppppp" Arith1(x): PARTIAL;
        /// `a0.x = trunc(s1.x)`, `a0.y = trunc(s1.y)`, each if the mask has the component
        mova "010010 ----- ii aaaaaaa ----- ppppppp" MovA: PARTIAL;
        /// `d[i] = s1[i]`
        mov "010011 ddddd ii aaaaaaa ----- ppppppp" Arith1: PARTIAL | PER_COMPONENT;
        /// As `dph`, source 2 being the wide one
        dphi "011000 ddddd ii aaaaa bbbbbbb ppppppp" Arith2(xyz xyzw): PARTIAL;
        /// As `dst`, source 2 being the wide one
        dsti "011001 ddddd ii aaaaa bbbbbbb ppppppp" Arith2(yz yw): PARTIAL | PER_COMPONENT;
        /// As `sge`, source 2 being the wide one
        sgei "011010 ddddd ii aaaaa bbbbbbb ppppppp" Arith2: PARTIAL | PER_COMPONENT;
        /// As `slt`, source 2 being the wide one
        slti "011011 ddddd ii aaaaa bbbbbbb ppppppp" Arith2: PARTIAL | PER_COMPONENT;
        /// Leaves the innermost loop
        break_ "100000 --------------------------" Flow0: BRANCH;
        /// Does nothing
        nop "100001 --------------------------" Flow0;
        /// Ends the program
        end "100010 --------------------------" Flow0: ENDS;
        /// Leaves the innermost loop if the condition holds
        breakc "100011 xy oo ------------ -- --------" Branch: BRANCH;
        /// Calls the block of n instructions at the target
        call "100100 -- -- tttttttttttt -- nnnnnnnn" Branch: BRANCH;
        /// `call` if the condition holds
        callc "100101 xy oo tttttttttttt -- nnnnnnnn" Branch: BRANCH;
        /// `call` if the bool is true
        callu "100110 iiii tttttttttttt -- nnnnnnnn" Uniform: BRANCH;
        /// If the bool is true runs on and skips the n instructions at the target when it gets there, else goes to the
        /// target
        ifu "100111 iiii tttttttttttt -- nnnnnnnn" Uniform: BRANCH;
        /// As `ifu`, on the condition
        ifc "101000 xy oo tttttttttttt -- nnnnnnnn" Branch: BRANCH;
        /// Runs the following instructions up to and with the target integer.x + 1 times; aL begins at integer.y and
        /// grows by integer.z
        loop_ "101001 --ii tttttttttttt -- --------" Uniform: BRANCH;
        /// Emits the output registers as a vertex (geometry shader)
        emit "101010 --------------------------" Flow0: EFFECT;
        /// Says what the next `emit` does
        setemit "101011 vv q w ----------------------" SetEmit: EFFECT;
        /// Goes to the target if the condition holds
        jmpc "101100 xy oo tttttttttttt -- --------" Branch: BRANCH;
        /// Goes to the target if the bool is not n
        jmpu "101101 iiii tttttttttttt -- -------n" Uniform: BRANCH;
        /// `cmp.x = s1.x (op x) s2.x`, `cmp.y = s1.y (op y) s2.y`
        cmp "10111 xxx yyy ii aaaaaaa bbbbb ppppppp" Compare: CONDITION;
        /// As `mad`, source 3 being the wide one
        madi "110 ddddd ii aaaaa bbbbb ccccccc ppppp" Arith3: PARTIAL | PER_COMPONENT;
        /// `d[i] = s1[i] * s2[i] + s3[i]`, the product rounded first
        mad "111 ddddd ii aaaaa bbbbbbb ccccc ppppp" Arith3: PARTIAL | PER_COMPONENT;
    }
}

/// The text of one instruction with numeric targets, as [`assemble`] reads it; descriptors that are not given count as
/// zero. An unknown word is a `.word` line.
pub fn disassemble(word: u32, descriptors: &[u32]) -> String {
    print_instruction(word, &Listing::new(descriptors)).unwrap_or_else(|| format!(".word 0x{word:08x}"))
}

/// Reads one instruction of text without labels. The operand descriptor it needs is taken from or added to `pool`.
pub fn assemble(text: &str, pool: &mut super::descriptor::DescriptorPool) -> Result<u32, TextError> {
    parse_instruction(text, &mut Assembly::new(pool))
}
