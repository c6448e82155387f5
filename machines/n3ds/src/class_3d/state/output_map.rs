//! Where the outputs of vertex and geometry programs go: slots of a vertex record, or a geometry program's attributes.

use triglyph_guest::kernel::vertex::{OutputComponent, OutputMap};
use triglyph_guest::pica::regs;

use crate::front_end::registers::Registers;

/// A list of slots, which is kept for its allocation.
pub(crate) type Slots = Vec<Option<OutputComponent>>;

/// Slots of a vertex record: the 24 semantics of the output map registers.
pub(crate) const SLOTS: usize = 24;
/// Colour slots, which are saturated before anything else sees them (3DS hardware test).
const COLOR: std::ops::RangeInclusive<regs::OutputSemantic> =
    regs::OutputSemantic::ColorR..=regs::OutputSemantic::ColorA;

/// Whether a geometry program is in use.
pub(crate) fn geometry_enabled(registers: &Registers) -> bool {
    regs::geostage_config::mode(registers.get(regs::geostage_config::ID)) == Some(regs::GeometryStage::Shader)
}

/// Attributes that a vertex hands on.
pub(crate) fn attributes(registers: &Registers) -> usize {
    regs::vsh_outmap_total1::count_minus_1(registers.get(regs::vsh_outmap_total1::ID)) as usize + 1
}

/// The outputs of the vertex program as attributes: those under the mask, compacted, all components.
fn attribute_map(registers: &Registers, mut slots: Slots) -> OutputMap {
    let mask = regs::vsh_outmap_mask::mask(registers.get(regs::vsh_outmap_mask::ID));
    slots.clear();
    slots.resize(4 * attributes(registers), None);
    let selected = (0..16u8).filter(|register| mask & 1 << register != 0);
    for (attribute, register) in slots.chunks_mut(4).zip(selected) {
        for (component, slot) in attribute.iter_mut().enumerate() {
            *slot = Some(OutputComponent { register, component: component as u8, saturate: false });
        }
    }
    OutputMap { slots }
}

/// What the vertex program's outputs are: vertices, or attributes for a geometry program. `slots` is a list for
/// them.
pub(crate) fn outputs(registers: &Registers, slots: Slots) -> OutputMap {
    if geometry_enabled(registers) {
        attribute_map(registers, slots)
    } else {
        output_map(registers, regs::vsh_outmap_mask::mask(registers.get(regs::vsh_outmap_mask::ID)), slots)
    }
}

/// Outputs under the mask are compacted, then their components go to the semantics of the output map registers.
pub(crate) fn output_map(registers: &Registers, mask: u32, mut slots: Slots) -> OutputMap {
    slots.clear();
    slots.resize(SLOTS, None);
    let total = regs::outmap_total::count(registers.get(regs::outmap_total::ID)) as usize;
    let selected = (0..16u8).filter(|register| mask & 1 << register != 0);
    for (register, id) in selected.zip(regs::outmap::IDS).take(total) {
        let word = registers.get(id);
        for component in 0..4u8 {
            let semantic = regs::OutputSemantic::from_register(word >> (8 * component) & 31);
            // 17, 21 and 24 to 30 are unknown.
            if let Some(semantic) = semantic.filter(|semantic| *semantic != regs::OutputSemantic::None) {
                let saturate = COLOR.contains(&semantic);
                slots[semantic.bits() as usize] = Some(OutputComponent { register, component, saturate });
            }
        }
    }
    OutputMap { slots }
}
