//! The registers of the PICA200, one table per unit.
//!
//! A register is a module: `regs::cull::ID`, `regs::cull::mode(word)`. Equal registers share their fields:
//! `regs::tev_source::IDS[stage]`, `regs::tev_source::rgb1(word)`, and each has its own `ID` as well:
//! `regs::tev3_source::ID`. Those at equal distances (of lights, attribute buffers, data ports) are numbered instead:
//! `regs::light_diffuse::id(light)`, `regs::vsh_code_data::id(index)`. Numbers that are in no table are plain storage
//! without known effect. Values of fields are the enums of `*_values.rs`. Sources, unless a row says otherwise: 3dbrew
//! "GPU/Internal Registers" and the behaviour that the emulators Azahar and Panda3DS agree on.

mod effect;
mod fragment_values;
mod framebuffer;
mod geometry;
mod geometry_values;
mod light_values;
mod lighting;
mod rasterizer;
mod shader;
mod texture_values;
mod texturing;

pub use effect::{Effect, Trigger, dirty};
pub use fragment_values::*;
pub use framebuffer::*;
pub use geometry::*;
pub use geometry_values::*;
pub use light_values::*;
pub use lighting::*;
pub use rasterizer::*;
pub use shader::*;
pub use texture_values::*;
pub use texturing::*;

use crate::table::regs::{flatten, total};

/// Number of registers; writes to higher numbers are ignored.
pub const COUNT: usize = 0x300;

/// A row of the register table.
pub type RegInfo = crate::table::RegInfo<Effect>;

const UNITS: &[&[RegInfo]] = &[
    rasterizer::REGISTERS,
    texturing::REGISTERS,
    framebuffer::REGISTERS,
    lighting::REGISTERS,
    geometry::REGISTERS,
    shader::REGISTERS,
];

/// All registers that have a name, unit by unit.
pub const REGISTERS: &[RegInfo] = &flatten::<_, { total(UNITS) }>(UNITS);

/// The effect of a write to each register.
pub const EFFECTS: [Effect; COUNT] = {
    let mut effects = [Effect::None; COUNT];
    let mut i = 0;
    while i < REGISTERS.len() {
        let mut k = 0;
        while k < REGISTERS[i].count {
            effects[REGISTERS[i].id + k * REGISTERS[i].step] = REGISTERS[i].effect;
            k += 1;
        }
        i += 1;
    }
    effects
};

/// The value of each register at power on.
pub const RESET: [u32; COUNT] = {
    let mut reset = [0; COUNT];
    let mut i = 0;
    while i < REGISTERS.len() {
        assert!(REGISTERS[i].count == 1 || REGISTERS[i].reset == 0, "registers of one row hold nothing at power on");
        reset[REGISTERS[i].id] = REGISTERS[i].reset;
        i += 1;
    }
    reset
};

/// Row of each register in `REGISTERS`, plus one; zero for none.
static ROW_OF: [u16; COUNT] = {
    let mut rows = [0; COUNT];
    let mut i = 0;
    while i < REGISTERS.len() {
        let mut k = 0;
        while k < REGISTERS[i].count {
            let id = REGISTERS[i].id + k * REGISTERS[i].step;
            assert!(rows[id] == 0, "two rows have the same register number");
            rows[id] = i as u16 + 1;
            k += 1;
        }
        i += 1;
    }
    rows
};

/// The row of register `id`; `None` for a number without a name.
pub fn info(id: usize) -> Option<&'static RegInfo> {
    let row = *ROW_OF.get(id)?;
    REGISTERS.get((row as usize).checked_sub(1)?)
}

/// The register called `name` (upper case, as in [`RegInfo::name`](crate::table::RegInfo)).
pub fn named(name: &str) -> Option<&'static RegInfo> {
    REGISTERS.iter().find(|register| register.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_found() {
        for register in REGISTERS {
            let by_name = named(register.name).expect("every name is found");
            let by_id = info(register.id).expect("every number is found");
            assert_eq!((by_name.id, by_id.name), (register.id, register.name));
        }
        assert!(info(0x001).is_none());
        assert!(info(COUNT).is_none());
        assert_eq!(EFFECTS[0x001], Effect::None);
    }

    #[test]
    fn fields_read_their_bits() {
        assert_eq!(cull::ID, 0x040);
        assert_eq!(cull::mode(0xFFFF_FFFE), Some(CullMode::Back));
        assert_eq!(viewport_xy::x(0x0000_0200), -512);
        assert_eq!(viewport_xy::y(0x01FF_0000), 511);
        assert_eq!(tev_source::IDS, [0x0C0, 0x0C8, 0x0D0, 0x0D8, 0x0F0, 0x0F8]);
        assert_eq!(tev4_source::ID, 0x0F0);
        assert_eq!(tev4_source::alpha3(0x0B00_0000), None);
        assert_eq!(light_config::id(7), 0x1B9);
        assert_eq!(attrbuf_config2::id(11), 0x226);
        assert_eq!(info(0x0E8).map(|r| r.fields[0].get(0x1FFF)), Some(-1));
    }

    #[test]
    fn reset_values_are_those_of_the_boot_rom_and_the_system() {
        let set: Vec<_> = RESET.iter().enumerate().filter(|(_, value)| **value != 0).collect();
        let expected = [(0x020, 0x1234_5678), (0x030, 0xFFFF_FFF0), (0x034, 1), (0x245, 1), (0x289, 0xA000_0001)];
        assert_eq!(set, expected.each_ref().map(|(id, value)| (*id, value)));
    }

    #[test]
    fn ports_are_triggers() {
        assert_eq!(EFFECTS[irq_request::ID], Effect::Trigger(Trigger::Interrupt));
        assert_eq!(EFFECTS[0x2D3], Effect::Trigger(Trigger::ShaderCode));
        assert_eq!(EFFECTS[0x2A6], Effect::Trigger(Trigger::ShaderDescriptor));
        assert_eq!(EFFECTS[tex_config::ID].groups(), dirty::TEXTURE | dirty::PROCTEX);
        assert_eq!(EFFECTS[draw_arrays::ID].groups(), 0);
    }
}
