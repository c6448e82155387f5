//! The compiled function of a pixel kernel and its loop over blocks, of any machine.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{Block, InstBuilder, Value};
use triglyph_guest::kernel::Unsupported;

use crate::code::{Code, Compiler};
use crate::lane::Emit;
use crate::pixel::contract::{BlockAddress, BlockValues, Contract, KernelParts, Quad};
use crate::pixel::quads::{CoveredBlock, CoveredQuad, Iteration, QuadCount, Stream, each_quad, each_quad_of_all};

/// A pixel kernel as machine code, without what its call needs.
pub(super) struct Function<C: Contract> {
    pub code: Code<C::Frame>,
    /// Constants of the code, no more than there is room for in the arguments.
    pub pool: Vec<[u8; 16]>,
    pub needs: C::Needs,
}

/// Compiles the kernel of a key.
pub(super) fn compile<C: Contract>(
    compiler: &Compiler,
    key: &C::Key,
    plan: &C::Plan,
) -> Result<Function<C>, Unsupported> {
    let mut needs = C::Needs::default();
    let mut pool = Vec::new();
    let code =
        compiler.compile(C::size(plan), |e| build::<C>(e, KernelParts { key, plan, needs: &mut needs }, &mut pool))?;
    if pool.len() > C::LAYOUT.pool.1 {
        return Err(Unsupported("too many constants"));
    }
    Ok(Function { code, pool, needs })
}

/// The plan, the CLIF and the host instructions of [`compile`]'s result.
pub(super) fn show<C: Contract>(compiler: &Compiler, key: &C::Key, plan: &C::Plan) -> String {
    let mut needs = C::Needs::default();
    let made = KernelParts { key, plan, needs: &mut needs };
    let text = compiler.dump(C::size(plan), |e| build::<C>(e, made, &mut Vec::new()));
    format!("{plan:#?}\n{text}")
}

/// Emits the function.
fn build<C: Contract>(e: &mut Emit<'_>, made: KernelParts<'_, C>, pool: &mut Vec<[u8; 16]>) -> Result<(), Unsupported> {
    e.use_pool(C::LAYOUT.pool.0, C::LAYOUT.pool.1);
    match C::stream(made.plan) {
        Some(stream) => quad_by_quad(e, made, stream)?,
        None => block_by_block(e, made)?,
    }
    e.succeed();
    *pool = e.take_pool();
    Ok(())
}

/// Emits the loop over blocks in which each of them is set up, up to where it ends.
fn block_by_block<C: Contract>(e: &mut Emit<'_>, made: KernelParts<'_, C>) -> Result<(), Unsupported> {
    let KernelParts { key, plan, needs } = made;
    let args = e.args;
    let (head, body, exit) = (e.block(&[I64, I64]), e.block(&[]), e.block(&[]));
    let (setup, quads, next) = (e.block(&[]), e.block(&[]), e.block(&[]));
    let first = e.load_i64(args, C::LAYOUT.blocks);
    let none = e.i64(0);
    let memory = C::private_memory(e, plan);
    e.jump(head, &[first, none]);

    e.switch_to(head);
    let (block, previous) = (e.parameter(head, 0), e.parameter(head, 1));
    let end = e.load_i64(args, C::LAYOUT.end);
    let more = e.b.ins().icmp(IntCC::NotEqual, block, end);
    e.branch(more, (body, &[]), (exit, &[]));

    e.switch_to(body);
    let primitive = C::primitive(e, block);
    let place = BlockAddress { block, primitive };
    let same = e.b.ins().icmp(IntCC::Equal, primitive, previous);
    e.branch(same, (quads, &[]), (setup, &[]));

    let set_up = |e: &mut Emit<'_>, needs: &C::Needs| {
        e.switch_to(setup);
        C::set_up(e, key, plan, needs, place)?;
        e.jump(quads, &[]);
        Ok(())
    };
    if !C::LEARNS {
        set_up(e, needs)?;
    }

    e.switch_to(quads);
    let coverage = e.load_i64(block, C::LAYOUT.coverage);
    let covered = CoveredBlock::new(e, coverage);
    let shared = BlockValues::<C> { block: C::block(e, key, plan, place), full: covered.full };
    let draw = |e: &mut Emit<'_>, quad: CoveredQuad, done: Block| {
        C::draw(Quad::new(e, KernelParts { key, plan, needs: &mut *needs }, &shared, quad, done))
    };
    let four = |e: &Emit<'_>, from, to| if C::QUADS < 4 { QuadCount::Two } else { C::four(e, plan, from..to) };
    each_quad(e, iteration::<C>(plan), covered, next, &memory, draw, four)?;

    if C::LEARNS {
        set_up(e, needs)?;
    }

    e.switch_to(next);
    let following = e.b.ins().iadd_imm_u(block, C::LAYOUT.block_bytes as i64);
    e.jump(head, &[following, primitive]);

    e.switch_to(exit);
    Ok(())
}

/// Emits the loop over the quads of all blocks, up to where it ends.
fn quad_by_quad<C: Contract>(e: &mut Emit<'_>, made: KernelParts<'_, C>, stream: Stream) -> Result<(), Unsupported> {
    let KernelParts { key, plan, needs } = made;
    let exit = e.block(&[]);
    let memory = C::private_memory(e, plan);
    let full = e.i64(0);
    let draw = |e: &mut Emit<'_>, block: Value, quad: CoveredQuad, done: Block| {
        let place = BlockAddress { block, primitive: C::primitive(e, block) };
        let shared = BlockValues::<C> { block: C::block(e, key, plan, place), full };
        C::draw(Quad::new(e, KernelParts { key, plan, needs: &mut *needs }, &shared, quad, done))
    };
    let four = |e: &Emit<'_>, from, to| C::four(e, plan, from..to);
    each_quad_of_all(e, iteration::<C>(plan), stream, exit, &memory, draw, four)?;
    e.switch_to(exit);
    Ok(())
}

/// What an iteration of the loop over quads does.
fn iteration<C: Contract>(plan: &C::Plan) -> Iteration {
    Iteration { lanes: C::LANES, quads: C::QUADS, picks: C::picks_pixels(plan) }
}
