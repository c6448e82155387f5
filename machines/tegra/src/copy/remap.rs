//! Elements whose components come from elsewhere: from another place of the source's element, from constants, from
//! nowhere.

use triglyph_guest::kernel::Window;
use triglyph_guest::kernel::window::buffer;
use triglyph_guest::tegra::methods::copy::RemapSource;
use triglyph_guest::tegra::methods::copy::regs::{self, set_remap_components as components};

use super::WHAT;
use super::image;
use super::image::{Arrangement, Size, Spot};
use crate::core::Core;
use crate::front_end::registers::Registers;
use triglyph_engine::device::FaultKind;
use triglyph_engine::mem::copy_out;
use triglyph_engine::transfer::{Fill, Request};

/// Bytes of either side that are held at a time, about.
const PIECE: u64 = 1 << 20;

/// What elements are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Remap {
    /// Bytes of a component, 1 to 4.
    bytes: u8,
    /// Components of a source element, 1 to 4.
    source: u8,
    /// Components of a target element, 1 to 4.
    target: u8,
    /// Where each target component comes from.
    from: [RemapSource; 4],
    /// Constants A and B.
    constants: [u32; 2],
}

/// As they are.
const IN_ORDER: [RemapSource; 4] =
    [RemapSource::SourceX, RemapSource::SourceY, RemapSource::SourceZ, RemapSource::SourceW];

impl Remap {
    /// Without remapping elements are bytes.
    pub const BYTES: Remap = Remap { bytes: 1, source: 1, target: 1, from: IN_ORDER, constants: [0; 2] };

    /// What the registers say. A source that does not exist writes nothing.
    pub fn of(core: &mut Core, registers: &Registers) -> Remap {
        let word = registers.get(components::ID);
        let from = [components::dst_x, components::dst_y, components::dst_z, components::dst_w].map(|field| {
            field(word).unwrap_or_else(|| {
                core.fault(
                    FaultKind::BadMethod,
                    components::ID as u64,
                    format_args!("SET_REMAP_COMPONENTS does not take {word:#x}"),
                );
                RemapSource::NoWrite
            })
        });
        Remap {
            bytes: components::component_size(word) as u8 + 1,
            source: components::num_src_components(word) as u8 + 1,
            target: components::num_dst_components(word) as u8 + 1,
            from,
            constants: [regs::set_remap_const_a::ID, regs::set_remap_const_b::ID].map(|id| registers.get(id)),
        }
    }

    /// Bytes of a source element.
    pub fn source_bytes(&self) -> u32 {
        u32::from(self.bytes) * u32::from(self.source)
    }

    /// Bytes of a target element.
    pub fn target_bytes(&self) -> u32 {
        u32::from(self.bytes) * u32::from(self.target)
    }

    /// The sources of the components there are.
    fn used(&self) -> &[RemapSource] {
        &self.from[..usize::from(self.target)]
    }

    /// Whether elements stay as they are.
    pub fn is_identity(&self) -> bool {
        self.source == self.target && self.used() == &IN_ORDER[..usize::from(self.target)]
    }

    /// Whether a component comes from the source.
    fn reads_source(&self) -> bool {
        self.used().iter().any(|from| IN_ORDER.contains(from))
    }

    /// Whether a component of the target stays.
    fn keeps_target(&self) -> bool {
        self.used().contains(&RemapSource::NoWrite)
    }

    /// The bytes that stand for component `from` of a source element; `None` for one that stays as it is. Components
    /// that the source does not have are zeros (unverified).
    fn component(&self, from: RemapSource, source: &[u8]) -> Option<[u8; 4]> {
        let bytes = usize::from(self.bytes);
        let index = match from {
            RemapSource::SourceX => 0,
            RemapSource::SourceY => 1,
            RemapSource::SourceZ => 2,
            RemapSource::SourceW => 3,
            RemapSource::ConstantA => return Some(self.constants[0].to_le_bytes()),
            RemapSource::ConstantB => return Some(self.constants[1].to_le_bytes()),
            RemapSource::NoWrite => return None,
        };
        let mut component = [0; 4];
        if let Some(found) = source.get(index * bytes..(index + 1) * bytes) {
            component[..bytes].copy_from_slice(found);
        }
        Some(component)
    }

    /// A row of elements.
    fn row(&self, source: &[u8], target: &mut [u8]) {
        let bytes = usize::from(self.bytes);
        let sources = source.chunks_exact(self.source_bytes() as usize);
        for (source, target) in sources.zip(target.chunks_exact_mut(self.target_bytes() as usize)) {
            for (&from, target) in self.from.iter().zip(target.chunks_exact_mut(bytes)) {
                if let Some(component) = self.component(from, source) {
                    target.copy_from_slice(&component[..bytes]);
                }
            }
        }
    }

    /// What is repeated when all components are constants: 2 to 4 bytes, as a value and how many. `None` when there is
    /// no such pattern.
    fn pattern(&self) -> Option<(u32, u8)> {
        if self.reads_source() || self.keeps_target() {
            return None;
        }
        let mut element = vec![0; self.target_bytes() as usize];
        self.row(&vec![0; self.source_bytes() as usize], &mut element);
        // Twice, so that every length from 1 on repeats.
        let twice = [&element[..], &element].concat();
        let repeats = |&length: &usize| {
            element.len().is_multiple_of(length) && twice.iter().zip(&twice[length..]).all(|(a, b)| a == b)
        };
        let length = [1, 2, 3, 4].into_iter().find(repeats)?;
        let mut value = [0; 4];
        value.iter_mut().zip(twice.iter().cycle()).for_each(|(to, from)| *to = *from);
        Some((u32::from_le_bytes(value), if length == 1 { 2 } else { length as u8 }))
    }
}

/// Moves a rectangle of elements, row by row.
pub fn copy(core: &mut Core, remap: &Remap, from: Spot, to: Spot, elements: u64, rows: u32) {
    if elements == 0 {
        return;
    }
    let (read, written) = (u64::from(remap.source_bytes()), u64::from(remap.target_bytes()));
    if let (Some(pattern), Arrangement::Pitch(pitch)) = (remap.pattern(), to.arrangement) {
        return fill(core, to.address, pitch, Size { row_bytes: elements * written, rows }, pattern);
    }
    // So many elements and rows at a time.
    let across = elements.min(PIECE / 16);
    let down = (PIECE / 16 / across).clamp(1, u64::from(rows.max(1))) as u32;
    let size = (across * u64::from(down)) as usize;
    let (source, target) = (buffer(&vec![0; size * read as usize]), buffer(&vec![0; size * written as usize]));
    let (source, target) = (Window::new(&source), Window::new(&target));
    for y in (0..rows).step_by(down as usize) {
        for x in (0..elements).step_by(across as usize) {
            let (across, down) = (across.min(elements - x), down.min(rows - y));
            if !core.budget.spend(4 * across * u64::from(down)) {
                return core.fault(
                    FaultKind::OutOfFuel,
                    to.address,
                    format_args!("{WHAT} of {elements} elements exceeds the budget"),
                );
            }
            let (from, to) = (from.after(x * read, y), to.after(x * written, y));
            let (from_size, to_size) =
                (Size { row_bytes: across * read, rows: down }, Size { row_bytes: across * written, rows: down });
            if remap.reads_source() {
                image::load(core, WHAT, from, from_size, source, from_size.row_bytes);
            }
            if remap.keeps_target() {
                image::load(core, WHAT, to, to_size, target, to_size.row_bytes);
            }
            let count = (across * u64::from(down)) as usize;
            let (mut elements_in, mut elements_out) =
                (vec![0; count * read as usize], vec![0; count * written as usize]);
            copy_out(source, &mut elements_in);
            copy_out(target, &mut elements_out);
            remap.row(&elements_in, &mut elements_out);
            target.write(0, &elements_out);
            image::store(core, WHAT, target, to_size.row_bytes, to, to_size);
        }
    }
}

/// Repeats a pattern in rows of a pitch image.
fn fill(core: &mut Core, address: u64, pitch: i64, size: Size, (value, bytes): (u32, u8)) {
    let Size { row_bytes, rows } = size;
    // Rows without gaps are one.
    let whole = rows > 1 && u64::try_from(pitch) == Ok(row_bytes);
    let (length, count) = if whole { (row_bytes.saturating_mul(rows.into()), 1) } else { (row_bytes, rows) };
    for row in 0..count {
        if !core.budget.spend((length / 16).saturating_add(500)) {
            return core.fault(
                FaultKind::OutOfFuel,
                address,
                format_args!("a fill of {length:#x} bytes exceeds the budget"),
            );
        }
        let target = core.place(address.wrapping_add_signed(pitch.wrapping_mul(row.into())));
        core.transfer("a fill", &Request::Fill(Fill { target, size: length, bytes, value }));
    }
}
