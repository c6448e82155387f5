//! Batches of vertices on any tier.

use std::fmt::Write as _;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicU8;

use triglyph_guest::kernel::vertex::{
    GROUP, Input, Numbers, OutputComponent, OutputMap, PicaProgram, Program, SCREEN, Stream, Uniforms, VertexConstants,
    VertexJob, VertexKey,
};
use triglyph_guest::kernel::{Tier, Unsupported, VertexKernel, Window, window};
use triglyph_guest::pica::{asm, disassemble_program};
use triglyph_interp::Interpreter;

use crate::number::same;

/// A key and everything a batch of vertices reads.
#[derive(Clone, Debug)]
pub struct VertexCase {
    pub key: VertexKey,
    /// Memory and stride of each vertex array.
    pub arrays: Vec<(Vec<u8>, u32)>,
    pub fixed: [[f32; 4]; 16],
    pub uniforms: Uniforms,
    pub constants: VertexConstants,
    pub vertices: Vec<u32>,
}

/// The outputs of a kernel for a batch.
#[derive(Clone, Debug)]
pub struct Shaded {
    /// One record for each vertex; what no kernel writes is [`UNWRITTEN`].
    pub records: Vec<Vec<f32>>,
    pub clip: Vec<u8>,
    /// How many groups the kernel left to the reference.
    pub replayed: usize,
    /// Groups in all.
    pub groups: usize,
}

/// The initial content of records.
pub const UNWRITTEN: f32 = 77.0;

/// Slots that take output register 0, 1, ... whole.
pub fn whole_registers(count: u8) -> OutputMap {
    let slot = |slot| Some(OutputComponent { register: slot / 4, component: slot % 4, saturate: false });
    OutputMap { slots: (0..4 * count).map(slot).collect() }
}

impl VertexCase {
    /// One vertex whose input registers are the fixed attributes, all outputs in the record.
    pub fn new(program: &asm::Program, entry: u16, bools: u16) -> Self {
        let (code, descriptors) = (program.code.clone(), program.descriptors.clone());
        let program = PicaProgram { code, descriptors, entry, bools, ..Default::default() };
        VertexCase {
            key: VertexKey {
                program: Program::Pica(Arc::new(program)),
                inputs: std::array::from_fn(|register| Input::Fixed(register as u8)),
                outputs: whole_registers(16),
                user_clip: false,
            },
            arrays: Vec::new(),
            fixed: [[0.0; 4]; 16],
            uniforms: Uniforms::default(),
            constants: VertexConstants { half: [120.0, 200.0], ..VertexConstants::default() },
            vertices: vec![0],
        }
    }

    /// The same with other numbers.
    pub fn computing_in(mut self, numbers: Numbers) -> Self {
        self.key.program = Program::Pica(Arc::new(PicaProgram { numbers, ..self.program().clone() }));
        self
    }

    /// As [`Self::new`], from text; begins at the first instruction.
    pub fn assemble(text: &str, bools: u16) -> Self {
        let program = asm::Program::assemble(text).unwrap_or_else(|error| panic!("{error} in\n{text}"));
        Self::new(&program, 0, bools)
    }

    /// The program.
    pub fn program(&self) -> &PicaProgram {
        let Program::Pica(program) = &self.key.program;
        program
    }

    /// Shades the batch as the engine does: what the kernel leaves goes to the reference, a group at a time.
    ///
    /// # Errors
    /// When the tier does not take the key.
    pub fn run(&self, tier: &dyn Tier) -> Result<Shaded, Unsupported> {
        let kernel = tier.vertex(&self.key)?;
        let reference = Interpreter.vertex(&self.key).expect("the reference never refuses");
        Ok(self.run_kernels(&*kernel, &*reference))
    }

    /// As [`Self::run`] with kernels made before.
    pub fn run_kernels(&self, kernel: &dyn VertexKernel, reference: &dyn VertexKernel) -> Shaded {
        let memory: Vec<Vec<AtomicU8>> = self.arrays.iter().map(|(bytes, _)| window::buffer(bytes)).collect();
        let mut streams = [Stream::default(); 16];
        for ((stream, memory), (_, stride)) in streams.iter_mut().zip(&memory).zip(&self.arrays) {
            *stream = Stream { window: Window::new(memory), stride: *stride };
        }
        let (stride, count) = (self.key.outputs.stride(), self.vertices.len());
        let (mut records, mut clip) = (vec![UNWRITTEN; stride * count], vec![0x55; count]);
        let (mut done, mut replayed) = (0, 0);
        while done < count {
            let reached = kernel.shade(&mut self.job(&streams, 0..count, &mut records, &mut clip), done);
            assert!(reached >= done && reached <= count, "a kernel went from vertex {done} to {reached} of {count}");
            if reached == count {
                break;
            }
            let end = (reached + GROUP).min(count);
            replayed += 1;
            let part = &mut records[reached * stride..end * stride];
            let finished = reference.shade(&mut self.job(&streams, reached..end, part, &mut clip[reached..end]), 0);
            assert_eq!(finished, end - reached, "the reference finishes what it begins");
            done = end;
        }
        let records = records.chunks(stride).map(<[f32]>::to_vec).collect();
        Shaded { records, clip, replayed, groups: count.div_ceil(GROUP) }
    }

    /// The job of some of the vertices.
    fn job<'a>(
        &'a self,
        streams: &'a [Stream<'a>; 16],
        range: Range<usize>,
        records: &'a mut [f32],
        clip: &'a mut [u8],
    ) -> VertexJob<'a> {
        VertexJob {
            exhausted: 0,
            streams,
            fixed: &self.fixed,
            uniforms: &self.uniforms,
            constants: self.constants,
            vertices: &self.vertices[range],
            last_vertex: self.vertices.iter().copied().max().unwrap_or(0),
            records,
            clip,
        }
    }

    /// The output registers of the first vertex; for cases with [`whole_registers`].
    pub fn outputs(&self, tier: &dyn Tier) -> Result<Vec<[f32; 4]>, Unsupported> {
        let shaded = self.run(tier)?;
        Ok(shaded.records[0][SCREEN..].chunks(4).map(|c| [c[0], c[1], c[2], c[3]]).collect())
    }

    /// Where two results differ, side by side below listing and inputs; `None` when they are equal.
    pub fn compare(&self, names: [&str; 2], results: [&Shaded; 2]) -> Option<String> {
        let [a, b] = results;
        let equal =
            a.clip == b.clip && a.records.iter().flatten().zip(b.records.iter().flatten()).all(|(&a, &b)| same(a, b));
        if equal {
            return None;
        }
        let mut report = self.describe();
        for (number, &vertex) in self.vertices.iter().enumerate() {
            let [ra, rb] = results.map(|result| &result.records[number]);
            let same_record = ra.iter().zip(rb).all(|(&a, &b)| same(a, b));
            if same_record && a.clip[number] == b.clip[number] {
                continue;
            }
            let _ = writeln!(report, "vertex {number} (element {vertex})  {:>36}  {:>36}", names[0], names[1]);
            let star = |differs: bool| if differs { '*' } else { ' ' };
            let clip = results.map(|result| result.clip[number]);
            let _ = writeln!(report, "  {} clip code {:>34x}  {:>36x}", star(clip[0] != clip[1]), clip[0], clip[1]);
            for (at, (&a, &b)) in ra.iter().zip(rb).enumerate() {
                let name = match at.checked_sub(SCREEN) {
                    None => format!("screen {at}"),
                    Some(slot) => format!("slot {slot}"),
                };
                if !same(a, b) || at < SCREEN {
                    let show = |v: f32| format!("{v:e} {:08x}", v.to_bits());
                    let _ = writeln!(report, "  {} {name:<9} {:>34}  {:>36}", star(!same(a, b)), show(a), show(b));
                }
            }
        }
        Some(report)
    }

    /// Listing, key and inputs.
    fn describe(&self) -> String {
        let program = self.program();
        let text = disassemble_program(&program.code, &program.descriptors);
        let mut report = format!("{text}\nentry {} bools {:#06x}\n", program.entry, program.bools);
        let _ = writeln!(report, "inputs {:?}\nfixed {:?}", self.key.inputs, self.fixed);
        let _ = writeln!(report, "integers {:?}\noutputs {:?}", self.uniforms.ints, self.key.outputs.slots);
        let used = self.uniforms.floats[..96].iter().enumerate().filter(|(_, value)| **value != [0.0; 4]);
        for (number, value) in used {
            let _ = writeln!(report, "c{number} = {value:?}");
        }
        report
    }
}
