//! Whether runs of a program may be longer than the program.

use triglyph_guest::tegra::shader::program::{Destination, Flow, Instruction, Program, Token, next};

/// Whether control flow may come back to where it was by a branch, a call or a target of the stack.
pub(super) fn may_repeat(program: &Program) -> bool {
    let goes_back = |instruction: &Instruction| match instruction.step.flow {
        Flow::Branch(Destination::Address(target)) | Flow::Push(_, Destination::Address(target)) => {
            target <= instruction.address
        }
        Flow::Branch(Destination::Computed) | Flow::Push(_, Destination::Computed) | Flow::Call(_) => true,
        Flow::Pop(token) => matches!(token, Token::Continue | Token::LongJump),
        Flow::Next | Flow::Exit => false,
    };
    program.instructions.iter().any(goes_back)
}

/// Whether a lane may execute more instructions than the program has: as [`may_repeat`], and where control flow passes
/// the target of an SSY that is still on the stack, as a SYNC then jumps back to it. Compilers execute the SYNC of each
/// SSY before its target, and that of an inner one before that.
pub(super) fn may_exceed(program: &Program) -> bool {
    may_repeat(program) || program.instructions.iter().any(|instruction| may_leave_open(program, instruction))
}

/// Whether an instruction pushes what may stay on the stack beyond its target.
fn may_leave_open(program: &Program, push: &Instruction) -> bool {
    let Flow::Push(token, Destination::Address(end)) = push.step.flow else { return false };
    let from = program.instructions.partition_point(|instruction| instruction.address < push.address);
    let mut inside = program.instructions[from..].iter().take_while(|instruction| instruction.address < end);
    // What other instructions of the stack leave there is not looked at.
    token != Token::Sync
        || inside.any(|instruction| {
            let is_own = instruction.address == push.address;
            let goes_on = match instruction.step.flow {
                Flow::Next | Flow::Push(..) => true,
                Flow::Branch(_) | Flow::Pop(_) | Flow::Exit => instruction.step.condition,
                Flow::Call(_) => false,
            };
            let jumps = match instruction.step.flow {
                Flow::Branch(Destination::Address(to)) => to >= end,
                Flow::Push(_, Destination::Address(to)) => to >= end && !is_own,
                _ => false,
            };
            jumps || goes_on && next(instruction.address) >= end
        })
}

#[cfg(test)]
mod tests {
    use triglyph_guest::tegra::shader::assemble_program;

    use super::*;

    fn of(text: &str) -> [bool; 2] {
        let program = Program::reach(&assemble_program(text).expect("a program"), &[]);
        [may_repeat(&program), may_exceed(&program)]
    }

    #[test]
    fn what_compilers_make_of_conditions_is_no_longer_than_it_is() {
        let inner = "ssy inner\n @p1 bra other\n nop 0x0\n sync\n other: nop 0x0\n sync\n inner: nop 0x0";
        let text = format!(
            "ssy end\n @p0 bra else\n {inner}\n sync\n else: nop 0x0\n sync\n end: ssy last\n @p2 sync\n nop 0x0"
        );
        assert_eq!(of(&format!("{text}\n sync\n last: exit")), [false, false]);
        assert_eq!(of("@p0 exit\n @p1 bra on\n nop 0x0\n on: exit"), [false, false]);
    }

    #[test]
    fn what_goes_back_may_be_longer() {
        assert_eq!(of("again: nop 0x0\n @p0 bra again\n exit"), [true, true]);
        assert_eq!(of("cal function\n cal function\n exit\n function: nop 0x0\n ret"), [true, true]);
        // Each SYNC goes back to the target of an SSY that was left open.
        assert_eq!(of("ssy first\n first: ssy second\n second: nop 0x0\n sync\n exit"), [false, true]);
        assert_eq!(
            of("ssy first\n @p0 bra behind\n sync\n first: nop 0x0\n behind: nop 0x0\n sync\n exit"),
            [false, true]
        );
        assert_eq!(of("pbk first\n bra behind\n first: nop 0x0\n behind: brk\n exit"), [false, true]);
    }
}
