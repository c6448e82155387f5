//! The loop over groups of four vertices: one group at a time, or several at once ([`interleave`](crate::interleave))
//! where there are vectors of 256 bits. Machines emit its body.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I32;
use cranelift_codegen::ir::{Block, InstBuilder, Value};

use crate::interleave::Body;
use crate::lane::{Emit, Pairs};

/// The loop, while it is emitted.
#[derive(Clone, Copy)]
pub(crate) struct Groups {
    /// Number of the group, 32 bits.
    pub group: Value,
    /// Offset of the number of groups in the arguments, 32 bits, not 0.
    count: i32,
    /// Begins with the group that is its parameter.
    head: Block,
    /// Does one group, from here to there.
    one: Block,
    done: Block,
    /// Do several, if the host can.
    two: Option<Block>,
    four: Option<Block>,
}

/// How many groups are done at once at most, where there are vectors of 256 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AtOnce {
    Two,
    /// For code that mostly waits for results: it is twice as long, and takes more than twice as long to make.
    Four,
}

impl Groups {
    /// Begins the loop. What is emitted next does [`Self::group`], up to [`Self::next`]; all that it stores it may
    /// store twice.
    pub fn begin(e: &mut Emit<'_>, count: i32, at_once: AtOnce) -> Groups {
        let (head, one, done) = (e.block(&[I32]), e.block(&[]), e.block(&[]));
        let zero = e.i32(0);
        e.jump(head, &[zero]);
        e.switch_to(head);
        let group = e.parameter(head, 0);
        let has_two = e.caps.pairs != Pairs::Never && e.caps.wide;
        let two = has_two.then(|| e.block(&[]));
        let four = (has_two && at_once == AtOnce::Four).then(|| e.block(&[]));
        let groups = Groups { group, count, head, one, done, two, four };
        if let Some(four) = four {
            let (more, fewer) = (groups.is_there(e, 3).1, e.block(&[]));
            e.branch(more, (four, &[]), (fewer, &[]));
            e.switch_to(fewer);
        }
        match two {
            Some(two) => {
                let more = groups.is_there(e, 1).1;
                e.branch(more, (two, &[]), (one, &[]));
            }
            None => e.jump(one, &[]),
        }
        e.switch_to(one);
        groups
    }

    /// Ends the current block, and the group.
    pub fn next(&self, e: &mut Emit<'_>) {
        e.jump(self.done, &[]);
    }

    /// Ends the loop, once all blocks of a group are emitted. Goes on with what is emitted next, after the last group.
    pub fn end(self, e: &mut Emit<'_>) {
        let end = e.block(&[]);
        e.switch_to(self.done);
        self.advance(e, 1, end);
        for (before, count) in [(self.two, 2), (self.four, 4)] {
            if let Some(before) = before {
                self.several(e, before, count, end);
            }
        }
        e.switch_to(end);
    }

    /// Lets block `before` do so many groups.
    fn several(self, e: &mut Emit<'_>, before: Block, count: i64, end: Block) {
        let after = e.block(&[]);
        e.switch_to(before);
        let others = (1..count).map(|distance| e.b.ins().iadd_imm_u(self.group, distance)).collect();
        e.jump(after, &[]);
        e.switch_to(after);
        self.advance(e, count, end);
        e.bodies.push(Body {
            entry: self.one,
            exit: self.done,
            others: vec![(self.group, others)],
            before,
            own: Vec::new(),
            counters: 0..0,
            storage: None,
            is_repeatable: true,
        });
    }

    /// The group that is `distance` further on, and whether there is one.
    fn is_there(self, e: &mut Emit<'_>, distance: i64) -> (Value, Value) {
        let args = e.args;
        let group = e.b.ins().iadd_imm_u(self.group, distance);
        let count = e.load_i32(args, self.count);
        (group, e.b.ins().icmp(IntCC::UnsignedLessThan, group, count))
    }

    fn advance(self, e: &mut Emit<'_>, distance: i64, end: Block) {
        let (group, more) = self.is_there(e, distance);
        e.branch(more, (self.head, &[group]), (end, &[]));
    }
}
