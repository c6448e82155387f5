//! Side effects of register writes: data ports, interrupts, draws.

use std::sync::Arc;

use triglyph_guest::pica::regs::{self, Trigger, dirty};

use super::registers::Registers;
use crate::class_3d::draw::geometry_unit::GeometryUnit;
use crate::class_3d::programs::unit::ShaderUnit;
use crate::class_3d::{Host, Pica};
use triglyph_engine::draw::Topology;

/// The ports of one shader unit.
struct Ports {
    float_index: usize,
    code_index: usize,
    descriptor_index: usize,
}

const VERTEX_PORTS: Ports = Ports {
    float_index: regs::vsh_float_index::ID,
    code_index: regs::vsh_code_index::ID,
    descriptor_index: regs::vsh_opdesc_index::ID,
};

const GEOMETRY_PORTS: Ports = Ports {
    float_index: regs::gsh_float_index::ID,
    code_index: regs::gsh_code_index::ID,
    descriptor_index: regs::gsh_opdesc_index::ID,
};

impl Pica {
    /// Does what a write of `value` to register `id` triggers.
    pub(crate) fn trigger(&mut self, host: &mut Host<'_>, trigger: Trigger, id: usize, value: u32) {
        match trigger {
            Trigger::Interrupt => self.observed(host, id, value, Self::request_interrupt),
            Trigger::Jump0 => self.request_jump(0, value),
            Trigger::Jump1 => self.request_jump(1, value),
            // These are idle with 0 (3dbrew; emulators disagree).
            Trigger::DrawArrays | Trigger::DrawElements | Trigger::TopologyReset if value == 0 => {}
            Trigger::DrawArrays => self.observed(host, id, value, Self::draw_arrays),
            Trigger::DrawElements => self.observed(host, id, value, Self::draw_elements),
            Trigger::FixedAttributeIndex => {
                self.immediate.restart();
                self.stage = GeometryUnit::default();
            }
            Trigger::FixedAttributeData => self.fixed_attribute_word(host, value),
            Trigger::Topology | Trigger::TopologyReset => self.reset_assembler(),
            Trigger::FogData => self.store_fog(value),
            Trigger::LightLutData => self.store_light(value),
            Trigger::ProcTexData => self.store_proctex(value),
            Trigger::GasData => self.store_gas(value),
            Trigger::GasStart => self.start_accumulation(),
            Trigger::ShaderBool
            | Trigger::ShaderInt
            | Trigger::ShaderFloatIndex
            | Trigger::ShaderFloatData
            | Trigger::ShaderCode
            | Trigger::ShaderDescriptor
            | Trigger::ShaderOutmapMask => self.unit_port(trigger, id, value),
            // A coherent renderer has nothing to do here: caches, and indices that are read when data arrive.
            Trigger::EarlyDepthClear
            | Trigger::TextureCacheClear
            | Trigger::FramebufferInvalidate
            | Trigger::FramebufferFlush
            | Trigger::VertexCacheClear
            | Trigger::ShaderCodeIndex
            | Trigger::ShaderCodeEnd
            | Trigger::ShaderDescriptorIndex => {}
        }
    }

    fn reset_assembler(&mut self) {
        let word = self.registers.get(regs::primitive_config::ID);
        self.assembler.reset(match regs::primitive_config::primitive(word) {
            Some(regs::PrimitiveType::Triangles) => Topology::List,
            Some(regs::PrimitiveType::Strip) => Topology::Strip,
            Some(regs::PrimitiveType::Fan) => Topology::Fan,
            None | Some(regs::PrimitiveType::Geometry) => Topology::Geometry,
        });
    }

    /// Whether writes to the vertex unit's ports go to the geometry unit as well.
    fn mirrored(&self) -> bool {
        !regs::vsh_com_mode::separate(self.registers.get(regs::vsh_com_mode::ID))
            && regs::geostage_config::mode(self.registers.get(regs::geostage_config::ID))
                == Some(regs::GeometryStage::Off)
    }

    /// Words for register `id`, a float port of the vertex unit: as [`Self::write_register`] for one after the other.
    pub(crate) fn float_uniforms(&mut self, id: usize, first: u32, rest: &[u32], mask: u32) {
        let mirrored = self.mirrored();
        let mut index = self.registers.get(regs::vsh_float_index::ID);
        for &word in std::iter::once(&first).chain(rest) {
            let mirror = mirrored.then_some(&mut self.geometry_unit);
            float_port(&mut index, word, &mut self.vertex_unit, mirror);
        }
        self.registers.set(regs::vsh_float_index::ID, index);
        let last = rest.last().unwrap_or(&first);
        self.registers.update(id, |register| *register = *register & !mask | last & mask);
    }

    /// A write of `value` to register `id` of a shader unit; what the vertex unit gets may go to the other one as well.
    fn unit_port(&mut self, trigger: Trigger, id: usize, value: u32) {
        let mirrored = self.mirrored();
        let registers = &self.registers;
        let (unit, mirror, ports, first_int) = match regs::is_vertex_unit(id) {
            true => {
                let mirror = mirrored.then_some(&mut self.geometry_unit);
                (&mut self.vertex_unit, mirror, &VERTEX_PORTS, regs::vsh_int::ID)
            }
            false => (&mut self.geometry_unit, None, &GEOMETRY_PORTS, regs::gsh_int::ID),
        };
        match trigger {
            Trigger::ShaderBool => {
                registers.mark(dirty::PROGRAM);
                unit.bools = regs::shader_bool::values(registers.get(id)) as u16;
                if let Some(mirror) = mirror {
                    mirror.bools = unit.bools;
                }
            }
            Trigger::ShaderInt => {
                unit.store_int(id - first_int, registers.get(id));
                if let Some(mirror) = mirror {
                    mirror.store_int(id - first_int, registers.get(id));
                }
            }
            Trigger::ShaderFloatIndex => unit.port.clear(),
            Trigger::ShaderOutmapMask => {
                if mirror.is_some() {
                    registers.set(regs::gsh_outmap_mask::ID, registers.get(id));
                }
            }
            _ => data_port(trigger, registers, ports, value, unit, mirror),
        }
    }

    fn store_fog(&mut self, value: u32) {
        let register = self.registers.get(regs::fog_lut_index::ID);
        let index = (register % 128) as usize;
        let next = register & 0xFFFF_0000 | register.wrapping_add(1) & 0xFFFF;
        self.registers.set(regs::fog_lut_index::ID, next);
        if std::mem::replace(&mut self.fog_raw[index], value) != value {
            self.registers.mark(dirty::COMBINER);
            Arc::make_mut(&mut self.fog)[index] = fog_entry(value);
        }
    }

    fn store_light(&mut self, value: u32) {
        let register = self.registers.get(regs::lighting_lut_index::ID);
        let (index, table) = ((register & 0xFF) as usize, (register >> 8 & 31) as usize);
        self.registers.set(regs::lighting_lut_index::ID, register & !0xFF | register.wrapping_add(1) & 0xFF);
        if self.light_tables.store(table, index, value) {
            self.registers.mark(dirty::LIGHTING);
        }
    }

    fn store_proctex(&mut self, value: u32) {
        let register = self.registers.get(regs::proctex_lut_index::ID);
        let (index, table) = (regs::proctex_lut_index::index(register), register >> 8 & 15);
        self.registers.set(regs::proctex_lut_index::ID, register & !0xFF | register.wrapping_add(1) & 0xFF);
        let size = if table < 4 { 128 } else { 256 };
        if self.procedural_tables.store(table as usize, (index % size) as usize, value) {
            self.registers.mark(dirty::PROCTEX);
        }
    }

    fn store_gas(&mut self, value: u32) {
        let register = self.registers.get(regs::gas_lut_index::ID);
        if std::mem::replace(&mut self.gas_table[(register % 16) as usize], value) != value {
            self.known_states.clear();
            self.registers.mark(dirty::COMBINER);
        }
        let next = register & 0xFFFF_0000 | register.wrapping_add(1) & 0xFFFF;
        self.registers.set(regs::gas_lut_index::ID, next);
    }

    fn fixed_attribute_word(&mut self, host: &mut Host<'_>, word: u32) {
        let Some(value) = self.immediate.word(word) else { return };
        let register = self.registers.get(regs::fixed_attr_index::ID);
        let index = regs::fixed_attr_index::index(register);
        if index < 15 {
            self.fixed_attributes[index as usize] = value;
            self.registers.set(regs::fixed_attr_index::ID, register & !15 | (index + 1));
        } else {
            let inputs = regs::vsh_num_attr::count_minus_1(self.registers.get(regs::vsh_num_attr::ID)) + 1;
            self.immediate.attribute(value, inputs as usize);
            if self.immediate.is_full() {
                self.draw_immediate(host);
            }
        }
    }
}

/// A word of the fog table: value and difference.
pub(crate) fn fog_entry(word: u32) -> [f32; 2] {
    [regs::fog_lut_data::value(word) as f32 / 2047.0, regs::fog_lut_data::difference(word) as f32 / 2047.0]
}

/// A word through a code, descriptor or float port, to a unit and perhaps its mirror.
fn data_port(
    trigger: Trigger,
    registers: &Registers,
    ports: &Ports,
    value: u32,
    unit: &mut ShaderUnit,
    mirror: Option<&mut ShaderUnit>,
) {
    match trigger {
        Trigger::ShaderCode => {
            let index = registers.get(ports.code_index);
            let stored = unit.store_code(index & 0xFFF, value);
            // What the vertex units have no room for reaches neither.
            if let Some(mirror) = mirror.filter(|_| stored) {
                mirror.store_code(index & 0xFFF, value);
            }
            advance(registers, ports.code_index, stored);
            registers.mark(dirty::PROGRAM);
        }
        Trigger::ShaderDescriptor => {
            let index = registers.get(ports.descriptor_index);
            let stored = unit.store_descriptor(index & 0xFFF, value);
            if let Some(mirror) = mirror {
                mirror.store_descriptor(index & 0xFFF, value);
            }
            advance(registers, ports.descriptor_index, stored);
            registers.mark(dirty::PROGRAM);
        }
        _ => {
            registers.update(ports.float_index, |index| float_port(index, value, unit, mirror));
        }
    }
}

/// A word of a float uniform.
#[inline]
fn float_port(index: &mut u32, word: u32, unit: &mut ShaderUnit, mirror: Option<&mut ShaderUnit>) {
    let f32_mode = regs::vsh_float_index::format(*index) == Some(regs::UniformFormat::F32);
    if let Some(uniform) = unit.port.push(word, f32_mode) {
        let number = regs::vsh_float_index::register(*index);
        let stored = unit.store_uniform(number, uniform);
        if let Some(mirror) = mirror {
            mirror.store_uniform(number, uniform);
        }
        *index += u32::from(stored);
    }
}

/// Increments the 12-bit offset of a port, unless the word was dropped.
fn advance(registers: &Registers, port: usize, stored: bool) {
    if stored {
        registers.update(port, |index| *index = *index & !0xFFF | index.wrapping_add(1) & 0xFFF);
    }
}
