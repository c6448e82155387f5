//! Branches, calls and returns: one method per operation.

use triglyph_guest::rsx::vertex::{BranchVisitor, CALL_DEPTH, Instruction};

use super::machine::Machine;

/// An instruction that decides where the program goes on.
pub(super) struct Branch<'a> {
    pub(super) machine: &'a mut Machine,
    pub(super) instruction: &'a Instruction,
    /// Index of the instruction.
    pub(super) at: usize,
    /// Whether its condition holds.
    pub(super) holds: bool,
    /// TRANSFORM_BRANCH_BITS.
    pub(super) branch_bits: u32,
}

/// Index of the next instruction; `None`: the program ends.
type Next = Option<usize>;

impl BranchVisitor for Branch<'_> {
    type Source = ();
    type Output = Next;

    fn bra(&mut self) -> Next {
        self.jump(self.holds)
    }
    fn bri(&mut self) -> Next {
        self.jump(self.holds)
    }
    fn cal(&mut self) -> Next {
        self.call(self.holds)
    }
    fn cli(&mut self) -> Next {
        self.call(self.holds)
    }
    fn ret(&mut self) -> Next {
        if self.holds { self.machine.calls.pop() } else { self.following() }
    }
    fn brb(&mut self) -> Next {
        self.jump(self.branch_bit())
    }
    fn clb(&mut self) -> Next {
        self.call(self.branch_bit())
    }
}

impl Branch<'_> {
    fn following(&self) -> Next {
        Some(self.at + 1)
    }

    /// Whether the branch bit has the value that the instruction names.
    fn branch_bit(&self) -> bool {
        let scalar = &self.instruction.scalar;
        (self.branch_bits >> (scalar.branch_bit & 31) & 1 != 0) == scalar.branch_value
    }

    fn jump(&self, taken: bool) -> Next {
        if taken { Some(self.instruction.scalar.target.into()) } else { self.following() }
    }

    fn call(&mut self, taken: bool) -> Next {
        if !taken {
            return self.following();
        }
        if self.machine.calls.len() == CALL_DEPTH {
            return None;
        }
        self.machine.calls.push(self.at + 1);
        Some(self.instruction.scalar.target.into())
    }
}
