//! The copy class: lines and rectangles between layouts, elements put together anew, fills, semaphores.
//!
//! ```text
//! LAUNCH_DMA ─┬─► line.rs    one line, also between page kinds ──┐
//!             ├─► rectangle: as it is ───────────────────────────┼─► image.rs ─► transfer requests
//!             ├─► remap.rs   elements of other components ───────┘
//!             └─► semaphore
//! ```
//! Sources: NVIDIA clb0b5.h; the switchbrew wiki's table of the engine; yuzu and Ryujinx. Physical addresses, GOBs of
//! an earlier generation and blocks a quarter of a GOB wide are not used by anyone and count as the usual ones.

pub(crate) mod image;
pub(crate) mod inline;
mod line;
mod remap;

use triglyph_guest::layout::Blocks;
use triglyph_guest::tegra::methods::copy::regs::{self, launch_dma as launch, set_dst_block_size as block};
use triglyph_guest::tegra::methods::copy::{CopyInterrupt, DataTransfer, SemaphoreSign, SemaphoreType};
use triglyph_guest::tegra::methods::values::MemoryLayout;

use crate::core::{ADDRESS_MASK, Core};
use crate::front_end::registers::Registers;
use crate::front_end::semaphore::{Form, Join, Release};
use image::{Arrangement, Size, Spot};
use remap::Remap;

/// What faults call it.
const WHAT: &str = "a copy";

/// LAUNCH_DMA. `enabled`: whether the condition of rendering holds; the semaphore does not depend on it, so that no
/// channel waits for ever (unverified).
pub fn launch(core: &mut Core, registers: &Registers, word: u32, enabled: bool) {
    if enabled && launch::data_transfer_type(word) != Some(DataTransfer::None) {
        copy(core, registers, word);
    }
    let release = Release {
        address: registers.address(regs::set_semaphore_a::ID) & ADDRESS_MASK,
        payload: registers.get(regs::set_semaphore_payload::ID),
        form: match launch::semaphore_reduction(word) {
            Some(how) if launch::semaphore_reduction_enable(word) => {
                Form::Join(Join::from(how), launch::semaphore_reduction_sign(word) == Some(SemaphoreSign::Signed))
            }
            _ if launch::semaphore_type(word) == Some(SemaphoreType::OneWord) => Form::OneWord,
            _ => Form::FourWords,
        },
    };
    if matches!(launch::semaphore_type(word), Some(SemaphoreType::OneWord | SemaphoreType::FourWords)) {
        release.perform(core, "a copy's semaphore");
    }
    if matches!(launch::interrupt_type(word), Some(CopyInterrupt::Blocking | CopyInterrupt::NonBlocking)) {
        core.interrupt();
    }
}

fn copy(core: &mut Core, registers: &Registers, word: u32) {
    let get = |id: usize| registers.get(id);
    let remap = match launch::remap_enable(word) {
        true => Remap::of(core, registers),
        false => Remap::BYTES,
    };
    let elements = u64::from(get(regs::line_length_in::ID));
    let (source, target) =
        (registers.address(regs::offset_in_upper::ID), registers.address(regs::offset_out_upper::ID));
    let (source, target) = (source & ADDRESS_MASK, target & ADDRESS_MASK);
    if !launch::multi_line_enable(word) {
        if remap.is_identity() {
            return line::copy(core, source, target, elements * u64::from(remap.source_bytes()));
        }
        let spot = |address| Spot { address, arrangement: Arrangement::Pitch(0), x: 0, y: 0 };
        return remap::copy(core, &remap, spot(source), spot(target), elements, 1);
    }
    let from = Side {
        layout: launch::src_memory_layout(word),
        address: source,
        pitch: regs::pitch_in::value(get(regs::pitch_in::ID)),
        block: [0, 1, 2, 3, 4, 5].map(|i| get(regs::set_src_block_size::ID + i)),
    };
    let to = Side {
        layout: launch::dst_memory_layout(word),
        address: target,
        pitch: regs::pitch_out::value(get(regs::pitch_out::ID)),
        block: [0, 1, 2, 3, 4, 5].map(|i| get(regs::set_dst_block_size::ID + i)),
    };
    let (from, to) = (from.spot(remap.source_bytes()), to.spot(remap.target_bytes()));
    let rows = get(regs::line_count::ID);
    if remap.is_identity() {
        let size = Size { row_bytes: elements * u64::from(remap.source_bytes()), rows };
        image::copy(core, WHAT, from, to, size);
    } else {
        remap::copy(core, &remap, from, to, elements, rows);
    }
}

/// One side of a rectangle, as its registers describe it.
struct Side {
    layout: Option<MemoryLayout>,
    address: u64,
    pitch: i32,
    /// Block size, width, height, depth, layer, origin.
    block: [u32; 6],
}

impl Side {
    /// Where the rectangle begins, with elements of so many bytes. Width and origin count elements.
    fn spot(&self, element: u32) -> Spot {
        let address = self.address;
        if self.layout == Some(MemoryLayout::Pitch) {
            return Spot { address, arrangement: Arrangement::Pitch(self.pitch.into()), x: 0, y: 0 };
        }
        let [size, width, rows, slices, layer, origin] = self.block;
        let blocks = Blocks {
            gobs_across: (u64::from(width) * u64::from(element)).div_ceil(64).min(u32::MAX.into()) as u32,
            rows,
            slices,
            log2_gobs: block::height(size).min(5) as u8,
            log2_slices: block::depth(size).min(5) as u8,
        };
        Spot {
            address,
            arrangement: Arrangement::Blocks(blocks, layer),
            x: u64::from(regs::set_dst_origin::x(origin)) * u64::from(element),
            y: regs::set_dst_origin::y(origin),
        }
    }
}

const _: () = assert!(
    regs::set_dst_origin::ID == regs::set_dst_block_size::ID + 5
        && regs::set_src_origin::ID == regs::set_src_block_size::ID + 5
        && regs::set_dst_layer::ID == regs::set_dst_block_size::ID + 4
        && regs::set_src_layer::ID == regs::set_src_block_size::ID + 4
);
