//! Fragment programs: from guest memory to code and constants.
//!
//! Programs are in memory that the guest may change at any time, and games patch their inline constants between
//! draws. So before each draw memory is asked whether they may have changed; what is derived from instructions is kept
//! by address.

use std::collections::HashMap;
use std::sync::Arc;

use triglyph_guest::kernel::Accuracy;
use triglyph_guest::kernel::program::fragment::{FUEL, FragmentInput, RsxFragmentCode};
use triglyph_guest::rsx::enums::TextureLocation;
use triglyph_guest::rsx::fragment::memory::{self, Order};
use triglyph_guest::rsx::fragment::program::{clear_constants, constants};
use triglyph_guest::rsx::fragment::{Instruction, Program, Step, Summary};
use triglyph_guest::rsx::methods::curie as m;

use crate::core::Core;
use crate::front_end::dma::DmaObject;
use crate::front_end::registers::Registers;
use triglyph_engine::device::FaultKind;
use triglyph_engine::frontend::{MemoryDependency, Recycled};
use triglyph_engine::mem::GuestAddr;

/// A program as it was last read.
#[derive(Debug)]
pub(crate) struct FragmentProgram {
    /// The bytes that were read.
    reads: MemoryDependency,
    /// How many there were.
    length: u64,
    /// Words with the constants cleared.
    code: Vec<u32>,
    /// Inline constants.
    pub constants: Arc<[[f32; 4]]>,
    recycled: Recycled<[[f32; 4]]>,
    /// What it uses.
    pub summary: Summary,
    /// Instructions that a fragment executes at most.
    pub instructions: u64,
    /// The last key's part of it.
    key: Option<Arc<RsxFragmentCode>>,
}

/// Programs by address.
#[derive(Debug, Default)]
pub(crate) struct FragmentPrograms {
    /// But for the current one.
    programs: HashMap<GuestAddr, FragmentProgram>,
    /// The program that the registers name, if it could be read, and where it is.
    current: Option<(GuestAddr, FragmentProgram)>,
    /// What was read last.
    stored: Stored,
}

/// A program as memory has it. It is kept for its allocations.
#[derive(Debug, Default)]
struct Stored {
    bytes: Vec<u8>,
    code: Vec<u32>,
    constants: Vec<[f32; 4]>,
}

/// Bytes of a slot.
const SLOT: usize = 16;

/// Programs that are kept; titles have some hundred.
const MAX_PROGRAMS: usize = 4096;

impl FragmentPrograms {
    /// The program that the registers name, as it was last looked at.
    pub(crate) fn current(&mut self) -> Option<&mut FragmentProgram> {
        self.current.as_mut().map(|(_, program)| program)
    }

    /// Brings the program up to date that the registers name, or the one before if they are `unchanged`. Returns
    /// whether it is another one, or has other constants.
    pub(crate) fn refresh(&mut self, core: &mut Core, registers: &Registers, unchanged: bool) -> bool {
        if unchanged && self.current().is_some_and(|program| program.is_current(core)) {
            return false;
        }
        let before = self.put_back();
        let Some((object, offset)) = place(core, registers) else { return true };
        let Some(place) = object.place(offset) else {
            let what = format_args!("the fragment program at {offset:#x} is beyond the end of its DMA object");
            core.fault(FaultKind::UnmappedRead, offset.into(), what);
            return true;
        };
        let mut program = self.programs.remove(&place);
        let known = program
            .as_mut()
            .is_some_and(|program| object.range(offset.into(), program.length).is_some() && program.is_current(core));
        if !known {
            program = FragmentProgram::read(core, (&object, offset, place), program, &mut self.stored);
        }
        self.current = program.map(|program| (place, program));
        !known || before != Some(place)
    }

    /// Puts the current program back among the others. Returns where it is.
    fn put_back(&mut self) -> Option<GuestAddr> {
        let (place, program) = self.current.take()?;
        if self.programs.len() >= MAX_PROGRAMS {
            self.programs.clear();
        }
        self.programs.insert(place, program);
        Some(place)
    }
}

/// The object and the offset of the program that the registers name.
fn place(core: &mut Core, registers: &Registers) -> Option<(DmaObject, u32)> {
    let word = registers.get(m::set_shader_program::ID as u32);
    let object = match m::set_shader_program::location(word) {
        Some(TextureLocation::Local) => m::set_context_dma_a::ID,
        Some(TextureLocation::Main) => m::set_context_dma_b::ID,
        None => {
            core.fault(
                FaultKind::BadMethod,
                word.into(),
                format_args!("location {} of the fragment program does not exist", word & 3),
            );
            return None;
        }
    };
    let object = core.dma(registers.get(object as u32), "fragment program")?;
    // Programs are aligned to 64 bytes; the bits below are not known to reach the memory.
    Some((object, m::set_shader_program::address(word) as u32 & !63))
}

impl FragmentProgram {
    /// Reads a program at an offset of an object, which is that place. `old` is what stood there before: what follows
    /// from the same instructions is kept.
    fn read(
        core: &mut Core,
        (object, offset, place): (&DmaObject, u32, GuestAddr),
        mut old: Option<Self>,
        stored: &mut Stored,
    ) -> Option<Self> {
        let before = old.as_mut().map(|old| std::mem::take(&mut old.reads)).unwrap_or_default();
        let mut reads = MemoryDependency::begin(before, &core.memory);
        stored.read(core, object, offset)?;
        reads.note(place, &stored.bytes);
        let reads = reads.finish(&mut core.renderer, &core.memory, true);
        let length = stored.bytes.len() as u64;
        stored.split_constants();
        let Stored { code, constants, .. } = stored;
        if let Some(mut old) = old.filter(|old| old.code == *code) {
            if !bits(&old.constants).eq(bits(constants)) {
                old.constants = old.recycled.share_list(constants.iter().copied());
            }
            return Some(FragmentProgram { reads, length, ..old });
        }
        let program = Program::decode(code, |at, unknown| {
            let what = format_args!("fragment program at {offset:#x}, word {at}: {unknown}");
            core.fault(FaultKind::BadShader, offset.into(), what);
        });
        let (summary, instructions) = (program.summary, longest(&program));
        let mut recycled = Recycled::default();
        let (code, constants) = (code.clone(), recycled.share_list(constants.iter().copied()));
        Some(FragmentProgram { reads, length, code, constants, recycled, summary, instructions, key: None })
    }

    /// Whether memory still holds what was read.
    fn is_current(&mut self, core: &mut Core) -> bool {
        self.reads.is_valid(&mut core.renderer, &core.memory)
    }

    /// What the key of its kernel says about the program.
    pub(crate) fn key(
        &mut self,
        registers: &Registers,
        accuracy: Accuracy,
        inputs: [FragmentInput; 16],
    ) -> Arc<RsxFragmentCode> {
        let control = registers.get(m::set_shader_control::ID as u32);
        let export_float = m::set_shader_control::export_float(control);
        let export_depth = m::set_shader_control::depth_export(control) == DEPTH_EXPORT;
        let fits = |key: &&Arc<RsxFragmentCode>| {
            key.inputs == inputs && key.export_float == export_float && key.export_depth == export_depth
        };
        if let Some(key) = self.key.as_ref().filter(fits) {
            return key.clone();
        }
        let key = Arc::new(RsxFragmentCode { code: self.code.clone(), inputs, export_float, export_depth, accuracy });
        self.key = Some(key.clone());
        key
    }
}

/// The value of SHADER_CONTROL's field with which depth is exported.
const DEPTH_EXPORT: u32 = 0xE;

/// The bits of constants, which tell NaNs and zeros apart.
fn bits(constants: &[[f32; 4]]) -> impl Iterator<Item = u32> {
    constants.as_flattened().iter().map(|value| value.to_bits())
}

impl Stored {
    /// Reads a program's bytes and words as memory has them now; `None` if it is not there whole.
    fn read(&mut self, core: &mut Core, object: &DmaObject, offset: u32) -> Option<()> {
        let order = if core.big_endian { Order::Big } else { Order::Little };
        let Stored { bytes, code, .. } = self;
        bytes.clear();
        let slot = |slot| {
            let found = slot_bytes(core, object, offset, slot)?;
            bytes.extend_from_slice(&found);
            Some(found)
        };
        match memory::read(order, slot, code) {
            Ok(()) => Some(()),
            Err(error) => {
                core.fault(FaultKind::BadShader, offset.into(), format_args!("{error}"));
                None
            }
        }
    }

    /// Takes the inline constants out of the words.
    fn split_constants(&mut self) {
        self.constants.clear();
        self.constants.extend(constants(&self.code).map(|words| words.map(f32::from_bits)));
        clear_constants(&mut self.code);
    }
}

/// A slot of a program, with everything drawn so far. How many there are is known only when they are read.
fn slot_bytes(core: &mut Core, object: &DmaObject, offset: u32, slot: usize) -> Option<[u8; SLOT]> {
    let place = object.range(u64::from(offset) + (slot * SLOT) as u64, SLOT as u64)?;
    core.renderer.flush_overlapping(&core.memory, place.range(SLOT as u64));
    let window = core.memory.readable(place);
    (window.len() >= SLOT).then(|| window.read(0))
}

/// Instructions that a fragment executes at most: those of repetitions count as often as these go round.
fn longest(program: &Program) -> u64 {
    if program.summary.repeats && program.code.iter().any(is_call) {
        return FUEL.into();
    }
    // Ends of the repetitions around an instruction, and how often they go round together.
    let mut around: Vec<(usize, u64)> = Vec::new();
    let mut count = 0u64;
    for (index, step) in program.code.iter().enumerate() {
        around.retain(|&(end, _)| index < end);
        let passes = around.last().map_or(1, |&(_, passes)| passes);
        count = count.saturating_add(passes);
        if let Instruction::Flow(flow) = &step.instruction
            && flow.op.repeats()
        {
            around.push((step.end.into(), passes.saturating_mul(flow.count.into())));
        }
    }
    count.min(FUEL.into())
}

fn is_call(step: &Step) -> bool {
    matches!(&step.instruction, Instruction::Flow(flow) if flow.op.is_call())
}
