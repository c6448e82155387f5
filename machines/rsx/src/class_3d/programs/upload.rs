//! Vertex programs, their constants and immediate values of attributes: what comes through the push buffer.

use std::sync::Arc;

use triglyph_guest::kernel::program::vertex::RSX_CONSTANTS;
use triglyph_guest::rsx::attribute::{snorm16, unorm8};
use triglyph_guest::rsx::fifo::METHOD_SPACE;
use triglyph_guest::rsx::methods::{Trigger, curie, dirty};
use triglyph_guest::rsx::vertex::STORE;

use crate::class_3d::Curie;
use crate::core::Core;
use crate::front_end::words::Run;
use triglyph_engine::device::FaultKind;

/// What was uploaded.
#[derive(Debug)]
pub(crate) struct Uploads {
    /// Instructions of vertex programs.
    pub store: Box<[[u32; 4]; STORE]>,
    /// Constants of vertex programs.
    pub constants: Arc<[[f32; 4]; RSX_CONSTANTS]>,
    /// Current values of the attributes.
    pub attributes: [[f32; 4]; 16],
}

impl Default for Uploads {
    fn default() -> Self {
        Uploads {
            store: Box::new([[0; 4]; STORE]),
            constants: Arc::new([[0.0; 4]; RSX_CONSTANTS]),
            attributes: [[0.0, 0.0, 0.0, 1.0]; 16],
        }
    }
}

/// The words of a run that go to an array of `count` methods beginning at `first`, the run's method being one of them.
fn array_words<'w>(run: &Run<'w>, first: usize, count: usize) -> &'w [u32] {
    let end = (first + 4 * count).min(METHOD_SPACE as usize);
    let room = (end - run.method as usize) / 4;
    if run.increasing { &run.words[..run.words.len().min(room)] } else { run.words }
}

impl Curie {
    /// Words of vertex programs: each goes to the word of the instruction at the load pointer that its address names;
    /// the fourth moves the pointer on.
    pub(crate) fn transform_program(&mut self, core: &mut Core, run: Run<'_>) -> usize {
        self.before_change(core, dirty::VERTEX_PROGRAM);
        let words = array_words(&run, curie::set_transform_program::ID, curie::set_transform_program::COUNT);
        let load = curie::set_transform_program_load::ID as u32;
        let mut changed = false;
        for (i, &word) in words.iter().enumerate() {
            let method = run.method + if run.increasing { 4 * i as u32 } else { 0 };
            let (at, component) = (self.registers.get(load), (method >> 2 & 3) as usize);
            self.registers.set(method, word);
            if let Some(instruction) = self.uploads.store.get_mut(at as usize) {
                changed |= instruction[component] != word;
                instruction[component] = word;
            } else if component == 0 {
                let what = format_args!("instruction {at} of a vertex program");
                core.fault(FaultKind::BadMethod, at.into(), what);
            }
            if component == 3 {
                self.registers.set(load, at.wrapping_add(1));
            }
        }
        if changed {
            self.registers.mark(dirty::VERTEX_PROGRAM);
        }
        words.len()
    }

    /// Words of constants: word n goes to component n % 4 of constant LOAD + n / 4. LOAD stays.
    pub(crate) fn transform_constant(&mut self, core: &mut Core, run: Run<'_>) -> usize {
        self.before_change(core, dirty::VERTEX_CONSTANTS);
        let first = curie::set_transform_constant::ID as u32;
        let words = array_words(&run, first as usize, curie::set_transform_constant::COUNT);
        let load = self.get(curie::set_transform_constant_load::ID);
        let constants = Arc::make_mut(&mut self.uploads.constants);
        for (i, &word) in words.iter().enumerate() {
            let method = run.method + if run.increasing { 4 * i as u32 } else { 0 };
            self.registers.set(method, word);
            let n = (method - first) / 4;
            let number = load.wrapping_add(n / 4);
            match constants.get_mut(number as usize) {
                Some(constant) => constant[(n % 4) as usize] = f32::from_bits(word),
                // For each word, as a run may be cut between any two.
                None => core.fault(
                    FaultKind::BadMethod,
                    number.into(),
                    format_args!("vertex constant {number} does not exist"),
                ),
            }
        }
        words.len()
    }

    /// A word of an attribute's immediate value. The last one of attribute 0 makes a vertex between BEGIN and END.
    pub(crate) fn vertex_data(&mut self, core: &mut Core, trigger: Trigger, method: u32, word: u32) {
        self.registers.set(method, word);
        let (first, step) = match trigger {
            Trigger::VertexData4F => (curie::set_vertex_data4f_m::ID, curie::set_vertex_data4f_m::STEP),
            Trigger::VertexData3F => (curie::set_vertex_data3f_m::ID, curie::set_vertex_data3f_m::STEP),
            Trigger::VertexData2F => (curie::set_vertex_data2f_m::ID, curie::set_vertex_data2f_m::STEP),
            Trigger::VertexData1F => (curie::set_vertex_data1f_m::ID, curie::set_vertex_data1f_m::STEP),
            Trigger::VertexData2S => (curie::set_vertex_data2s_m::ID, curie::set_vertex_data2s_m::STEP),
            Trigger::VertexData4S => (curie::set_vertex_data4s_m::ID, curie::set_vertex_data4s_m::STEP),
            Trigger::VertexDataScaled4S => {
                (curie::set_vertex_data_scaled4s_m::ID, curie::set_vertex_data_scaled4s_m::STEP)
            }
            _ => (curie::set_vertex_data4ub_m::ID, curie::set_vertex_data4ub_m::STEP),
        };
        let offset = method as usize - first;
        let (attribute, part) = (offset / step % 16, offset % step / 4);
        // Written while vertices of arrays wait, it is a change of their state.
        if self.gather.as_ref().is_some_and(|gather| gather.has_arrays()) {
            self.before_change(core, dirty::VERTEX_DATA);
        }
        let value = &mut self.uploads.attributes[attribute];
        let [low, high] = [word as u16 as i16, (word >> 16) as u16 as i16];
        match trigger {
            Trigger::VertexData2S => *value = [low.into(), high.into(), 0.0, 1.0],
            Trigger::VertexData4S => value[2 * part..2 * part + 2].copy_from_slice(&[low.into(), high.into()]),
            Trigger::VertexDataScaled4S => {
                value[2 * part..2 * part + 2].copy_from_slice(&[snorm16(low), snorm16(high)]);
            }
            Trigger::VertexData4Ub => *value = word.to_le_bytes().map(unorm8),
            _ => {
                // Components that are not given.
                let given = trigger.words();
                if part == 0 {
                    value[given..].copy_from_slice(&[0.0, 0.0, 0.0, 1.0][given..]);
                }
                value[part] = f32::from_bits(word);
            }
        }
        self.registers.mark(dirty::VERTEX_DATA);
        if attribute == 0 && part + 1 == trigger.words() {
            self.immediate_vertex(core);
        }
    }
}
