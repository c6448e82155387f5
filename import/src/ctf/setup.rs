//! A command list that leaves the PICA200 as a trace begins.

use triglyph_guest::pica::regs::{self, Effect, Trigger};

use super::format::{Program, Trace};

/// The list: programs and constants through their ports, default attributes, then every register that only stores, or
/// that is state although more happens when it is written.
pub fn list(trace: &Trace<'_>) -> Vec<u8> {
    let mut list = List::default();
    let units = [
        (&trace.vertex, Ports::new(1)),
        // What the vertex unit is sent may go to the geometry unit, too: its own comes later.
        (&trace.geometry, Ports::new(0)),
    ];
    for (program, ports) in units {
        list.program(program, &ports);
    }
    for (index, numbers) in trace.attributes.chunks_exact(4).enumerate() {
        list.write(regs::fixed_attr_index::ID, &[index as u32], true);
        list.write(regs::fixed_attr_data::IDS[0], &packed(numbers, ONE), true);
    }
    for (id, value) in trace.pica.iter().enumerate() {
        if is_state(id) {
            list.write(id, &[*value], true);
        }
    }
    // The end of every list: it raises an interrupt when the number is that of the reset state.
    list.write(regs::irq_request::ID, &[0x1234_5678], true);
    list.words.resize(list.words.len().next_multiple_of(4), 0);
    list.words.into_iter().flat_map(u32::to_le_bytes).collect()
}

/// 1.0 with 24 bits.
const ONE: u32 = 0x3F_0000;

/// Registers whose words are state. Those before 0x40 are about interrupts, 0x238 to 0x23D about the list itself.
fn is_state(id: usize) -> bool {
    let own = id >= 0x40 && !(0x238..=0x23D).contains(&id);
    own && match regs::EFFECTS[id] {
        Effect::None | Effect::Dirty(_) => true,
        Effect::Ignored => false,
        Effect::Trigger(trigger) => matches!(
            trigger,
            Trigger::TextureCacheClear
                | Trigger::Topology
                | Trigger::ShaderBool
                | Trigger::ShaderInt
                | Trigger::ShaderOutmapMask
        ),
    }
}

/// The ports of a shader unit.
struct Ports {
    code: [usize; 3],
    descriptors: [usize; 2],
    floats: [usize; 2],
}

impl Ports {
    /// 0: the geometry unit, 1: the vertex unit.
    fn new(unit: usize) -> Self {
        let data = |gsh: usize, vsh: usize| [gsh, vsh][unit];
        Ports {
            code: [
                regs::shader_code_index::IDS[unit],
                data(regs::gsh_code_data::id(0), regs::vsh_code_data::id(0)),
                regs::shader_code_end::IDS[unit],
            ],
            descriptors: [
                regs::shader_opdesc_index::IDS[unit],
                data(regs::gsh_opdesc_data::id(0), regs::vsh_opdesc_data::id(0)),
            ],
            floats: [
                regs::shader_float_index::IDS[unit],
                data(regs::gsh_float_data::id(0), regs::vsh_float_data::id(0)),
            ],
        }
    }
}

/// A list under construction.
#[derive(Default)]
struct List {
    words: Vec<u32>,
}

impl List {
    /// Packets that write words to a register and the following ones, or all of them to the same.
    fn write(&mut self, id: usize, words: &[u32], following: bool) {
        const MAX: usize = 256;
        for (index, part) in words.chunks(MAX).enumerate() {
            let id = if following { id + index * MAX } else { id } as u32;
            let header = id | 0xF << 16 | (part.len() as u32 - 1) << 20 | u32::from(following) << 31;
            self.words.extend([part[0], header]);
            self.words.extend(&part[1..]);
            self.words.resize(self.words.len().next_multiple_of(2), 0);
        }
    }

    fn program(&mut self, program: &Program, ports: &Ports) {
        let Program { code, descriptors, floats } = program;
        if !code.is_empty() {
            let [index, data, end] = ports.code;
            self.write(index, &[0], true);
            self.write(data, code, false);
            self.write(end, &[1], true);
        }
        if !descriptors.is_empty() {
            let [index, data] = ports.descriptors;
            self.write(index, &[0], true);
            self.write(data, descriptors, false);
        }
        if !floats.is_empty() {
            let words: Vec<u32> = floats.chunks_exact(4).flat_map(|numbers| packed(numbers, 0)).collect();
            let [index, data] = ports.floats;
            self.write(index, &[0], true);
            self.write(data, &words, false);
        }
    }
}

/// Four numbers of 24 bits as a port takes them. Emulators leave w out: a word there that is no such number is `w`.
fn packed(numbers: &[u32], w: u32) -> [u32; 3] {
    let &[x, y, z, last] = numbers else { return [0; 3] };
    let [x, y, z] = [x, y, z].map(|number| number & 0xFF_FFFF);
    let w = if last < 1 << 24 { last } else { w };
    [w << 8 | z >> 16, z << 16 | y >> 8, y << 24 | x]
}

#[cfg(test)]
mod tests {
    use super::*;
    use triglyph_guest::pica::command::unpack_f24;

    #[test]
    fn numbers_come_out_of_a_port_as_they_were() {
        let numbers = [0x12_3456, 0x65_4321, 0xAB_CDEF, 0x0F_F00F];
        assert_eq!(unpack_f24(packed(&numbers, 0)), numbers);
        assert_eq!(unpack_f24(packed(&[1, 2, 3, u32::MAX], ONE)), [1, 2, 3, ONE]);
    }
}
