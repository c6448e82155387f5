//! The analysed program of a key: instructions, control flow, liveness.

use triglyph_guest::kernel::Unsupported;
use triglyph_guest::kernel::geometry::{GeometryInputs, GeometryKey};
use triglyph_guest::kernel::vertex::{Input, Numbers, OutputMap, PicaProgram, Program, VertexKey};
use triglyph_guest::pica::isa::{Index, Src};

use super::decode::{Code, Unit};
use super::flow::{self, Graph, Step};
use super::instruction::Instruction;
use super::live::{Live, Liveness, exported, written};

/// Where a program's inputs come from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Feed<'k> {
    /// A vertex program's, register by register.
    Vertex(&'k [Input; 16]),
    /// A geometry program's: these input registers are loaded, a bit each.
    Registers(u16),
    /// A geometry program's: float uniforms, of which each primitive may have its own.
    Uniforms,
}

/// A program with what is known about it.
pub(super) struct Source<'k> {
    pub feed: Feed<'k>,
    pub numbers: Numbers,
    pub outputs: &'k OutputMap,
    pub user_clip: bool,
    pub code: Code,
    pub graph: Graph,
    pub liveness: Liveness,
    /// State that a run has to leave in the unit: what later runs or the owner of the job read.
    pub kept: Live,
    /// Whether aL has to be known.
    pub reads_counter: bool,
}

/// Weight of an EMIT among instructions: it makes a whole record.
const EMIT_SIZE: u32 = 8;
/// Weight of an instruction in 24-bit floats.
const F24_SIZE: u32 = 2;

fn program<'k>(program: &'k Program, outputs: &OutputMap) -> Result<&'k PicaProgram, Unsupported> {
    let Program::Pica(program) = program;
    if outputs.slots.len() < 4 || outputs.slots.len() > 64 || !outputs.slots.len().is_multiple_of(4) {
        return Err(Unsupported("output map without position or of an odd size"));
    }
    Ok(program)
}

impl<'k> Source<'k> {
    /// A vertex kernel's.
    pub fn vertex(key: &'k VertexKey) -> Result<Self, Unsupported> {
        let program = program(&key.program, &key.outputs)?;
        let code = Code::new(program, Unit::Vertex, program.bools);
        let graph = flow::graph(program.entry, |pc| code.flow(pc))?;
        let end = Live { outputs: exported(&key.outputs), ..Live::default() };
        let liveness = Liveness::new(&code, &graph, 0, end);
        let reads_counter = written(&code, &graph).counter && reads_counter(&code, &graph);
        let (outputs, user_clip, kept) = (&key.outputs, key.user_clip, Live::default());
        let (feed, numbers) = (Feed::Vertex(&key.inputs), program.numbers);
        Ok(Source { feed, numbers, outputs, user_clip, code, graph, liveness, kept, reads_counter })
    }

    /// A geometry kernel's: the program of the first primitive of a job, where b15 makes it another one, and that of
    /// the others.
    pub fn geometry(key: &'k GeometryKey) -> Result<(Option<Self>, Self), Unsupported> {
        let program = program(&key.program, &key.outputs)?;
        let flow = |bools: u16| {
            let code = Code::new(program, Unit::Geometry, bools);
            flow::graph(program.entry, |pc| code.flow(pc)).map(|graph| (code, graph))
        };
        let (code, graph) = flow(program.bools | 1 << 15)?;
        let first = flow(program.bools)?;
        let first = (first.1 != graph).then_some(first);

        let mut writes = written(&code, &graph);
        if let Some((code, graph)) = &first {
            writes.join(&written(code, graph));
        }
        // The setting is handed over from run to run in any case.
        writes.setting = false;
        let emitting = emits(&code, &graph) > 0 || first.as_ref().is_some_and(|(code, graph)| emits(code, graph) > 0);
        if emitting {
            // One of both programs may write what an EMIT of the other moves.
            let both = writes.outputs | writes.others;
            (writes.outputs, writes.others) = (both, both);
        }
        if key.keeps_registers && emitting {
            // An EMIT also moves what no instruction writes. Where nothing was before the job, that does not show.
            (writes.outputs, writes.others) = (u64::MAX, u64::MAX);
        }
        let (mut kept, exported) = (if key.keeps_registers { writes } else { Live::default() }, exported(&key.outputs));
        // What a run reads before it writes it, the run before it has to leave, if any run writes it at all.
        let mut liveness = Liveness::new(&code, &graph, exported, kept);
        while kept.join(&liveness.start(0).common(&writes)) {
            liveness = Liveness::new(&code, &graph, exported, kept);
        }
        let source = |code: Code, graph: Graph, liveness: Liveness| Source {
            feed: match &key.inputs {
                GeometryInputs::Registers(registers) => {
                    Feed::Registers(registers.iter().fold(0, |set, register| set | 1 << (register & 15)))
                }
                GeometryInputs::Uniforms => Feed::Uniforms,
            },
            numbers: program.numbers,
            outputs: &key.outputs,
            user_clip: key.user_clip,
            kept,
            reads_counter: kept.counter || reads_counter(&code, &graph),
            code,
            graph,
            liveness,
        };
        let first = first.map(|(code, graph)| {
            let liveness = Liveness::new(&code, &graph, exported, kept);
            source(code, graph, liveness)
        });
        Ok((first, source(code, graph, liveness)))
    }

    /// Whether it is a geometry program.
    pub fn is_geometry(&self) -> bool {
        !matches!(self.feed, Feed::Vertex(_))
    }

    /// Whether a run depends on what the run before it left in registers, or has to leave them as they should be:
    /// then all lanes hold the same primitive.
    pub fn is_sequential(&self) -> bool {
        self.kept != Live::default()
    }

    /// Whether an EMIT may do what an earlier run's SETEMIT said.
    pub fn reads_setting(&self) -> bool {
        self.liveness.start(0).setting
    }

    /// Whether float uniforms are read at an index that is not known now.
    pub fn reads_rows(&self) -> bool {
        reads(&self.code, &self.graph, |src| matches!(src, Src::Const(_, index) if index != Index::None))
    }

    /// The largest number of vertices of a run, if there is one.
    pub fn emits(&self) -> Option<usize> {
        (!self.graph.cyclic).then(|| emits(&self.code, &self.graph))
    }

    /// Instructions, or what weighs as much.
    pub fn size(&self) -> u32 {
        let arithmetic = if self.numbers == Numbers::F24 { F24_SIZE } else { 1 };
        arithmetic * self.graph.size + EMIT_SIZE * emits(&self.code, &self.graph) as u32
    }
}

fn steps(graph: &Graph) -> impl Iterator<Item = &Step> {
    graph.blocks.iter().flat_map(|block| &block.steps)
}

/// EMITs in all blocks.
fn emits(code: &Code, graph: &Graph) -> usize {
    steps(graph).filter(|step| matches!(code.get(step.pc), Some(Instruction::Emit))).count()
}

/// Whether an operand depends on aL.
fn reads_counter(code: &Code, graph: &Graph) -> bool {
    reads(code, graph, |src| matches!(src, Src::Const(_, Index::AL)))
}

/// Whether there is an operand of this kind.
fn reads(code: &Code, graph: &Graph, kind: impl Fn(Src) -> bool) -> bool {
    steps(graph).filter_map(|step| code.get(step.pc)).any(|instruction| match instruction {
        Instruction::Arithmetic(arithmetic) => arithmetic.sources.iter().any(|source| kind(source.register)),
        Instruction::Address { source, .. } => kind(source.register),
        Instruction::Compare { sources, .. } => sources.iter().any(|source| kind(source.register)),
        Instruction::Emit | Instruction::SetEmit(_) | Instruction::Flow(_) => false,
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use triglyph_guest::kernel::vertex::OutputComponent;
    use triglyph_guest::pica::asm;

    use super::*;

    /// A key that exports o0 and o1.
    fn key(text: &str, keeps_registers: bool) -> GeometryKey {
        let asm::Program { code, descriptors, .. } = asm::Program::assemble(text).expect("a program");
        let slot = |slot: u8| Some(OutputComponent { register: slot / 4, component: slot % 4, saturate: false });
        GeometryKey {
            program: Program::Pica(Arc::new(PicaProgram { code, descriptors, ..Default::default() })),
            inputs: GeometryInputs::Registers(vec![0]),
            outputs: OutputMap { slots: (0..8).map(slot).collect() },
            user_clip: false,
            keeps_registers,
        }
    }

    fn is_sequential(text: &str) -> bool {
        Source::geometry(&key(&format!("{text}\nend"), false)).expect("a short program").1.is_sequential()
    }

    const BOTH: &str = "mov o0, v0\nmov o1, v1\nemit\n";

    #[test]
    fn outputs_pass_on_by_the_bank_that_is_written_next() {
        assert!(!is_sequential(&BOTH.repeat(3)));
        // o1 is in one bank only: the second EMIT hands out what the primitive before has left in the other.
        assert!(is_sequential("mov o0, v0\nmov o1, v1\nemit\nmov o0, v0\nemit"));
        // The third one finds what the first has left.
        assert!(!is_sequential(&format!("{BOTH}{BOTH}mov o0, v0\nemit")));
        // In a loop of one EMIT each round it is always the other bank.
        assert!(!is_sequential(&format!("loop i0, last\n{BOTH}last:\nnop")));
        assert!(is_sequential("mov o1, v1\nloop i0, last\nmov o0, v0\nemit\nlast:\nnop"));
    }

    #[test]
    fn what_no_run_writes_does_not_pass_on() {
        assert!(!is_sequential("mov o0, r3\nmov o1, c2[a0.x]\nemit"));
        assert!(!is_sequential("mov o0, v0\nemit"));
        assert!(is_sequential("mov o0, r3\nmov o1, v0\nemit\nmov r3.y, v0"));
        // Only what is read counts, and not what is read after it was written.
        assert!(!is_sequential("mov o0, r3.xxxx\nmov o1, v0\nemit\nmov r3.y, v0"));
        assert!(!is_sequential("mov r3, v0\nmov o0, r3\nmov o1, r3\nemit\nadd r3, r3, r3"));
    }

    #[test]
    fn flags_addresses_and_loop_counters_pass_on() {
        let flags = "ifc cmp.x, there..there\nmov r1, v0\nnop\nthere:\ncmp v0, gt, gt, v1\n";
        assert!(is_sequential(&format!("{flags}{BOTH}")));
        assert!(!is_sequential(&format!("cmp v0, gt, gt, v1\n{flags}{BOTH}")));
        for source in ["c2[a0.x]", "c2[aL]"] {
            let text = format!("mov o0, {source}\nmov o1, v1\nemit\nmova a0, v0\nloop i0, last\nlast:\nnop");
            assert!(is_sequential(&text), "{source}");
        }
        let text = "loop i0, last\nlast:\nnop\nmova a0, v0\nmov o0, c2[a0.x]\nmov o1, c2[aL]\nemit";
        assert!(!is_sequential(text));
    }

    #[test]
    fn registers_that_are_asked_for_are_kept() {
        let source = |text: &str| Source::geometry(&key(text, true)).expect("a short program").1.kept;
        assert_eq!(source("emit\nend").temporaries, 0);
        assert_eq!(source("mov r1.xy, v0\nend").temporaries, 0b11 << 4);
        // An EMIT moves all outputs there are.
        assert_eq!((source("mov o1, v0\nend").outputs, source("emit\nend").others), (0xF0, u64::MAX));
    }

    #[test]
    fn b15_makes_two_programs_where_it_is_tested() {
        for (text, bools, two) in [
            ("ifu b15, there..there\nmov r1, v0\nnop\nthere:\nnop\nend", 0, true),
            ("ifu b15, there..there\nmov r1, v0\nnop\nthere:\nnop\nend", 1 << 15, false),
            ("ifu b14, there..there\nmov r1, v0\nnop\nthere:\nnop\nend", 0, false),
            ("end\nifu b15, there..there\nthere:\nnop", 0, false),
        ] {
            let mut key = key(text, false);
            let Program::Pica(program) = &key.program;
            key.program = Program::Pica(Arc::new(PicaProgram { bools, ..(**program).clone() }));
            assert_eq!(Source::geometry(&key).expect("a short program").0.is_some(), two, "{text} {bools:#x}");
        }
    }

    #[test]
    fn settings_pass_on_to_an_emit_before_any_other() {
        for (text, reads) in [("emit\nsetemit 1\nend", true), ("setemit 1\nemit\nend", false), ("end", false)] {
            assert_eq!(
                Source::geometry(&key(text, false)).expect("a short program").1.reads_setting(),
                reads,
                "{text}"
            );
        }
    }
}
