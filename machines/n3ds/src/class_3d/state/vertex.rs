//! From registers to a vertex kernel's key, and to where its arrays are.

use std::sync::Arc;

use triglyph_guest::kernel::vertex::{Component, Input, PicaProgram, Program, VertexConstants, VertexKey};
use triglyph_guest::pica::regs::{self, AttributeType, CullMode, dirty};

use super::lighting::QUATERNION_SLOTS;
use super::output_map::outputs;
use crate::class_3d::Pica;
use crate::front_end::registers::Registers;
use triglyph_engine::cache::{Handle, Kernels, kinds};
use triglyph_engine::draw::{Cull, Setup};
use triglyph_engine::frontend::NonAliasingRange;
use triglyph_engine::mem::GuestRange;

/// Groups that a vertex state is derived from.
pub(crate) const VERTEX_GROUPS: u32 = dirty::RASTER | dirty::VERTEX_INPUT | dirty::PROGRAM | dirty::GEOMETRY;

/// The fixed attribute that an attribute without any source reads: (0, 0, 0, 1). Hardware keeps the value of the
/// vertex before; nothing relies on it.
pub(crate) const NO_SOURCE: u8 = 15;

/// A vertex array: physical address of the first element's attribute, bytes between elements, bytes of one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Array {
    pub(crate) address: u32,
    pub(crate) stride: u32,
    pub(crate) bytes: u32,
}

/// Derived from the vertex input, program and raster groups.
#[derive(Debug)]
pub(crate) struct VertexState {
    /// Inputs from arrays and fixed attributes.
    pub(crate) handle: Handle<kinds::Vertex>,
    /// By stream number, which is the attribute's.
    pub(crate) arrays: [Option<Array>; 12],
    pub(crate) non_aliasing: NonAliasingRange,
    pub(crate) constants: VertexConstants,
}

impl Array {
    /// Where it is, and the bytes that its elements up to `last` lie in.
    pub(crate) fn stretch(&self, last: u32) -> GuestRange {
        let bytes = u64::from(last) * u64::from(self.stride) + u64::from(self.bytes);
        GuestRange::new(0, self.address.into(), bytes)
    }
}

impl VertexState {
    /// Derives the state for draws from arrays.
    pub(crate) fn new(pica: &mut Pica, kernels: &Kernels) -> Self {
        let registers = &pica.registers;
        let derive = || {
            let arrays = arrays(registers);
            (arrays, array_inputs(registers, &arrays), constants(registers))
        };
        let (arrays, inputs, constants) = registers.deriving(VERTEX_GROUPS, derive);
        VertexState {
            handle: kernel(pica, kernels, inputs),
            arrays,
            non_aliasing: NonAliasingRange::default(),
            constants,
        }
    }
}

/// The vertex kernel with these inputs.
pub(crate) fn kernel(pica: &mut Pica, kernels: &Kernels, inputs: [Input; 16]) -> Handle<kinds::Vertex> {
    let slots = std::mem::take(&mut pica.kernels.slots);
    let registers = &pica.registers;
    let derive = || {
        let entry = regs::vsh_entry::offset(registers.get(regs::vsh_entry::ID)) as u16;
        (entry, outputs(registers, slots), user_clip(registers))
    };
    let (entry, outputs, user_clip) = registers.deriving(VERTEX_GROUPS, derive);
    let program: Arc<PicaProgram> = pica.vertex_unit.program(entry);
    let key = VertexKey { program: Program::Pica(program), inputs, outputs, user_clip };
    let handle = pica.kernels.vertex.get(&key, |key| kernels.vertex(key));
    pica.kernels.slots = key.outputs.slots;
    handle
}

/// Inputs of immediate vertices: `count` attributes of four floats each.
pub(crate) fn immediate_inputs(registers: &Registers, count: usize) -> [Input; 16] {
    inputs(registers, |attribute| match attribute {
        a if usize::from(a) < count => Input::Array { stream: a, component: Component::F32, count: 4 },
        a if a >= 12 => Input::Fixed(a),
        _ => Input::Fixed(NO_SOURCE),
    })
}

fn array_inputs(registers: &Registers, arrays: &[Option<Array>; 12]) -> [Input; 16] {
    let high = registers.get(regs::attr_format_hi::ID);
    let fixed_mask = regs::attr_format_hi::fixed_mask(high);
    let total = regs::attr_format_hi::total_minus_1(high) + 1;
    inputs(registers, |attribute| match arrays.get(usize::from(attribute)) {
        // A configured array wins over the fixed flag, as the documentation has it; one emulator disagrees.
        Some(Some(_)) if u32::from(attribute) < total => {
            let (component, count) = format(registers, attribute.into());
            Input::Array { stream: attribute, component, count }
        }
        Some(_) if fixed_mask & 1 << attribute == 0 => Input::Fixed(NO_SOURCE),
        _ => Input::Fixed(attribute),
    })
}

/// Sends attribute i through the permutation to its input register.
fn inputs(registers: &Registers, source: impl Fn(u8) -> Input) -> [Input; 16] {
    let count = regs::vsh_input_config::inputs_minus_1(registers.get(regs::vsh_input_config::ID)) + 1;
    let permutation =
        u64::from(registers.get(regs::vsh_perm_hi::ID)) << 32 | u64::from(registers.get(regs::vsh_perm_lo::ID));
    let mut inputs = [Input::Zero; 16];
    for attribute in 0..count as u8 {
        inputs[(permutation >> (4 * attribute) & 15) as usize] = source(attribute);
    }
    inputs
}

/// Component type and count of attribute `index`, 0 to 11.
fn format(registers: &Registers, index: u32) -> (Component, u8) {
    let formats =
        u64::from(registers.get(regs::attr_format_hi::ID)) << 32 | u64::from(registers.get(regs::attr_format_lo::ID));
    let code = (formats >> (4 * index)) as u32 & 15;
    // All values have a meaning.
    let component = AttributeType::from_register(code & 3).map_or(Component::F32, Component::from);
    (component, (code >> 2) as u8 + 1)
}

/// Where each attribute's array is (3dbrew: attribute buffers). Elements are aligned to their component; codes
/// 12 to 15 are 4 to 16 bytes of padding. A later buffer wins.
fn arrays(registers: &Registers) -> [Option<Array>; 12] {
    let mut arrays = [None; 12];
    for buffer in 0..12 {
        let config2 = registers.get(regs::attrbuf_config2::id(buffer));
        let codes = u64::from(config2) << 32 | u64::from(registers.get(regs::attrbuf_config1::id(buffer)));
        let start =
            base(registers).wrapping_add(regs::attrbuf_offset::offset(registers.get(regs::attrbuf_offset::id(buffer))));
        let stride = regs::attrbuf_config2::stride(config2);
        let mut offset = 0u32;
        for component in 0..regs::attrbuf_config2::count(config2).min(12) {
            let code = (codes >> (4 * component) & 15) as u32;
            if code >= 12 {
                offset = offset.next_multiple_of(4) + (code - 11) * 4;
                continue;
            }
            let (kind, count) = format(registers, code);
            offset = offset.next_multiple_of(kind.bytes());
            let bytes = kind.bytes() * u32::from(count);
            arrays[code as usize] = Some(Array { address: start.wrapping_add(offset), stride, bytes });
            offset += bytes;
        }
    }
    arrays
}

/// Physical address that all arrays and indices are relative to.
pub(crate) fn base(registers: &Registers) -> u32 {
    regs::attr_base::address(registers.get(regs::attr_base::ID)) as u32
}

/// Whether the user clip plane is on.
pub(crate) fn user_clip(registers: &Registers) -> bool {
    regs::clip_enable::enable(registers.get(regs::clip_enable::ID))
}

/// Viewport and user clip plane.
pub(crate) fn constants(registers: &Registers) -> VertexConstants {
    let corner = registers.get(regs::viewport_xy::ID);
    VertexConstants {
        half: [
            regs::viewport_half_w::value(registers.get(regs::viewport_half_w::ID)),
            regs::viewport_half_h::value(registers.get(regs::viewport_half_h::ID)),
        ],
        corner: [regs::viewport_xy::x(corner) as f32, regs::viewport_xy::y(corner) as f32],
        clip_plane: regs::clip_coef::IDS.map(|id| regs::clip_coef::value(registers.get(id))),
    }
}

/// Setup of the primitives of a draw; `oriented` when quaternions are interpolated.
pub(crate) fn setup(registers: &Registers, slots: u64, oriented: bool) -> Setup {
    let dimensions = registers.get(regs::fb_dim::ID);
    Setup {
        cull: match regs::cull::mode(registers.get(regs::cull::ID)) {
            Some(CullMode::Front) => Cull::CounterClockwise,
            Some(CullMode::Back) => Cull::Clockwise,
            None | Some(CullMode::None) => Cull::Off,
        },
        flip: regs::fb_dim::flip(dimensions).then(|| regs::fb_dim::height_minus_1(dimensions)),
        slots: (0..64).filter(|slot| slots & 1 << slot != 0).collect(),
        orientation: oriented.then_some(QUATERNION_SLOTS),
        colors: None,
        constants: constants(registers),
        opaque: None,
    }
}
