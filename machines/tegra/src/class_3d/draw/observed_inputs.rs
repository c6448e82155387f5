//! The textures and constant buffers of a draw's programs, for observers.

use triglyph_guest::kernel::program::environment::CONSTANT_BUFFERS;
use triglyph_guest::tegra::header::texture;
use triglyph_guest::tegra::methods::threed::regs as r;

use crate::class_3d::ThreeD;
use crate::class_3d::programs::codes::Program;
use crate::class_3d::programs::stage_numbers::STAGES;
use crate::class_3d::state::bindings::Bound;
use crate::core::{ADDRESS_MASK, Core};
use crate::front_end::registers::Registers;
use triglyph_engine::probe::{ConstantKind, Constants, Input};
use triglyph_engine::validate::{FindingKind, Found};

/// Stages by number.
const NAMES: [&str; STAGES] =
    ["vertex A", "vertex", "tessellation control", "tessellation evaluation", "geometry", "fragment"];

impl ThreeD {
    /// Tells the observer of what the program of a stage may read.
    #[cold]
    pub(crate) fn note_program(&self, core: &mut Core, registers: &Registers, stage: usize, program: &Program) {
        let name = NAMES[stage];
        let reach = &program.reach;
        let textures = program.textures.iter().map(Option::as_ref).zip(reach.textures.iter().map(Option::as_ref));
        core.renderer.note_textures(&core.memory, name, textures, &reach.handles);
        for (unit, texture) in reach.textures.iter().enumerate() {
            if let (None, Some(&handle)) = (texture, reach.handles.get(unit)) {
                note_empty_descriptor(core, registers, name, handle);
            }
        }
        let group = r::set_pipeline_binding::group(registers.get(r::set_pipeline_binding::id(stage))) as usize;
        let buffers = self.bindings.group(group);
        for slot in 0..CONSTANT_BUFFERS {
            let Some(Bound { address, size }) = buffers.get(slot) else { continue };
            let range = core.place(address).range(size.into());
            let mut bytes = vec![0; size as usize];
            core.memory.read_pieces(range.start, &mut bytes);
            let words = bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
            let name = format!("{name} c{slot}");
            let constants = Constants { name, kind: ConstantKind::Words, range: Some(range), words };
            core.renderer.note_input(&Input::Constants(&constants));
        }
    }
}

/// Notes that the texture header of a handle is all zeros.
fn note_empty_descriptor(core: &mut Core, registers: &Registers, stage: &str, handle: u32) {
    let index = handle & 0xF_FFFF;
    let pool = registers.address(r::set_tex_header_pool_a::ID) & ADDRESS_MASK;
    let address = pool.wrapping_add(u64::from(index) * u64::from(texture::BYTES)) & ADDRESS_MASK;
    let mut header = [0; texture::BYTES as usize];
    core.memory.read_pieces(core.place(address), &mut header);
    if header.iter().any(|byte| *byte != 0) {
        return;
    }
    let what = format!("The {stage} program reads texture {index}, whose header at {address:#x} is all zeros.");
    let advice = "Write the address of the headers to SET_TEX_HEADER_POOL, and fill the header before the draw.";
    let found = Found::at(r::set_tex_header_pool_b::ID, what, advice);
    core.renderer.note_finding(FindingKind::EmptyDescriptor, found);
}
