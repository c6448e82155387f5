//! What methods of the 3D engine do at once.

use triglyph_guest::tegra::methods::threed::{IndexSize, Trigger, regs as r};

use super::ThreeD;
use super::draw::indices;
use crate::core::Core;
use crate::front_end::registers::Registers;
use crate::front_end::report::Counters;

impl ThreeD {
    /// What a method of this engine does. `enabled`: whether conditional rendering lets draws and clears happen.
    pub fn trigger(
        &mut self,
        core: &mut Core,
        registers: &Registers,
        counters: &mut Counters,
        trigger: Trigger,
        (method, datum): (u32, u32),
        enabled: bool,
    ) {
        match trigger {
            Trigger::BindConstant => {
                let group =
                    (method as usize - r::bind_group_constant_buffer::id(0)) / r::bind_group_constant_buffer::STEP;
                self.bindings.bind(core, registers, group, datum);
                self.unchanged.forget();
            }
            Trigger::UnbindAll if r::unbind_all::constant_buffers(datum) => {
                self.bindings.unbind_all();
                self.unchanged.forget();
            }
            Trigger::BlendInstruction => self.blend_instruction(registers, datum),
            Trigger::StreamOutPointer => self.feedback.set_pointer(method, datum),
            Trigger::PrimitiveId => self.primitive_id(method, datum),
            Trigger::Begin => {
                // A draw that has no END ends here.
                self.end(core, registers, counters, enabled);
                self.begin(datum);
            }
            Trigger::End => self.end(core, registers, counters, enabled),
            Trigger::DrawInline => self.inline(core, registers, method, datum),
            Trigger::DrawArrayOnce | Trigger::DrawIndexedOnce => {
                self.once(core, registers, counters, (method, datum), enabled);
            }
            _ if !enabled => {}
            Trigger::Clear => self.clear(core, registers, datum),
            Trigger::DrawArray => {
                let start = registers.get(r::set_vertex_array_start::ID);
                let order = indices::array(core, registers, (start, datum), || self.vertex_buffers.acquire_list());
                self.draw(core, registers, counters, order);
            }
            Trigger::DrawIndexed => {
                let word = registers.get(r::set_index_buffer_e::ID);
                let size = r::set_index_buffer_e::index_size(word).unwrap_or(IndexSize::FourBytes);
                let first = registers.get(r::set_index_buffer_f::ID);
                let order = self.index_buffer(core, registers, size, (first, datum));
                self.draw(core, registers, counters, order);
            }
            Trigger::DrawZero => {
                let order = indices::zeros(core, registers, datum);
                self.draw(core, registers, counters, order);
            }
            Trigger::DrawAuto => {
                let stride = r::set_draw_auto_stride::v(registers.get(r::set_draw_auto_stride::ID)).max(1);
                let start = registers.get(r::set_draw_auto_start::ID);
                let count = datum.saturating_sub(start) / stride;
                let order =
                    indices::array(core, registers, (start / stride, count), || self.vertex_buffers.acquire_list());
                self.draw(core, registers, counters, order);
            }
            Trigger::DrawTexture => self.draw_texture(core, registers),
            _ => {}
        }
    }

    /// LOAD_ITERATED_BLEND_INSTRUCTION.
    fn blend_instruction(&mut self, registers: &Registers, datum: u32) {
        let pointer = registers.get(r::load_iterated_blend_instruction_pointer::ID);
        let at = (pointer & 0xFF) as usize;
        if self.blend_program.len() <= at {
            self.blend_program.resize(at + 1, 0);
        }
        self.blend_program[at] = datum;
        self.pixels.set_blend_program(&self.blend_program);
        registers.set(r::load_iterated_blend_instruction_pointer::ID, pointer.wrapping_add(1) & 0xFF);
    }

    fn primitive_id(&mut self, method: u32, datum: u32) {
        if method as usize == r::load_primitive_id::ID {
            self.primitive = datum;
        } else {
            self.primitive = self.primitive.wrapping_add(datum);
        }
    }
}
