//! The PICA200 for observers: commands, draws and what they read.

use triglyph_guest::kernel::vertex::{Program, Uniforms};
use triglyph_guest::pica::regs::{self, Trigger};

use crate::class_3d::programs::unit::ShaderUnit;
use crate::class_3d::state::output_map;
use crate::class_3d::state::vertex::Array;
use crate::class_3d::{Host, Pica};
use triglyph_engine::device::FaultKind;
use triglyph_engine::draw::Batch;
use triglyph_engine::mem::GuestAddr;
use triglyph_engine::probe::{Command, ConstantKind, Constants, Input};
use triglyph_engine::validate::{FindingKind, Found};

impl Pica {
    /// Does what a write of `value` to register `id` asks for, for an observer to see if there is one.
    #[inline]
    pub(crate) fn observed(
        &mut self,
        host: &mut Host<'_>,
        id: usize,
        value: u32,
        run: impl FnOnce(&mut Self, &mut Host<'_>),
    ) {
        if !host.renderer.is_observed() {
            return run(self, host);
        }
        let command = Command { class: 0, method: id as u32, value, position: self.position };
        host.renderer.begin_command(host.memory, &command, self.registers.live(), host.faults.mark());
        for (id, word) in host.renderer.take_edits() {
            self.edit(host, id as usize, word);
        }
        run(self, host);
        host.renderer.end_command(host.memory, &command, self.registers.live(), host.faults);
    }

    /// Stores a word that an observer wants in a register before a command.
    #[cold]
    fn edit(&mut self, host: &mut Host<'_>, id: usize, word: u32) {
        let trigger = match regs::EFFECTS.get(id) {
            Some(regs::Effect::Trigger(trigger)) => Some(*trigger),
            Some(_) => None,
            None => return self.fault(host, FaultKind::BadMethod, id as u64, format_args!("no register {id:#x}")),
        };
        if trigger.is_some_and(|trigger| !is_port(trigger)) {
            let what = format_args!("register {id:#x} does more than being stored");
            return self.fault(host, FaultKind::BadMethod, id as u64, what);
        }
        self.registers.store_word(id, word, u32::MAX);
        if let Some(trigger) = trigger {
            self.trigger(host, trigger, id, word);
        }
    }

    /// Tells the observer of vertices and uniforms of a draw.
    #[cold]
    pub(crate) fn note_inputs(&self, host: &mut Host<'_>, batch: &Batch<'_>, arrays: &[Option<Array>; 12]) {
        let start = |i: usize| Some(GuestAddr::new(0, arrays.get(i)?.as_ref()?.address.into()));
        host.renderer.note_vertices(batch, &std::array::from_fn(start));
        if let Program::Pica(program) = &batch.kernel.key().program
            && program.code.get(usize::from(program.entry)).is_none_or(|word| *word == 0)
        {
            let register = regs::vsh_code_data::id(0);
            let what =
                format!("The first instruction of the vertex program, {}, is 0: there is no program.", program.entry);
            let advice = "Upload the program to vsh_code_data, or write where it begins to vsh_entry.";
            host.renderer.note_finding(FindingKind::NoProgram, Found::at(register, what, advice));
        }
        note_uniforms(host, "vertex", &self.vertex_unit);
        if output_map::geometry_enabled(&self.registers) {
            note_uniforms(host, "geometry", &self.geometry_unit);
        }
    }
}

/// Whether a trigger only stores its word elsewhere.
fn is_port(trigger: Trigger) -> bool {
    matches!(
        trigger,
        Trigger::FogData
            | Trigger::LightLutData
            | Trigger::ProcTexData
            | Trigger::GasData
            | Trigger::ShaderBool
            | Trigger::ShaderInt
            | Trigger::ShaderFloatIndex
            | Trigger::ShaderFloatData
            | Trigger::ShaderCode
            | Trigger::ShaderCodeIndex
            | Trigger::ShaderCodeEnd
            | Trigger::ShaderDescriptor
            | Trigger::ShaderDescriptorIndex
            | Trigger::ShaderOutmapMask
    )
}

/// Float uniforms that exist; those that follow are what an index beyond them reads.
const FLOATS: usize = 96;

fn note_uniforms(host: &mut Host<'_>, stage: &str, unit: &ShaderUnit) {
    let Uniforms { floats, ints } = &unit.uniforms;
    let named = |kind: &str| format!("{stage} {kind}");
    let integers = ints.as_flattened().iter().map(|&value| value.into()).collect();
    let booleans = (0..16).map(|bit| u32::from(unit.bools >> bit & 1)).collect();
    for constants in [
        Constants::floats(&named("c"), &floats[..FLOATS]),
        Constants { name: named("i"), kind: ConstantKind::Integers, range: None, words: integers },
        Constants { name: named("b"), kind: ConstantKind::Booleans, range: None, words: booleans },
    ] {
        host.renderer.note_input(&Input::Constants(&constants));
    }
}
