//! Inline transfers: data words of the push buffer that go to memory. The 3D, the compute and the inline class have the
//! same registers for them.

use triglyph_guest::layout::surface::block_linear;
use triglyph_guest::tegra::methods::inline::regs;
use triglyph_guest::tegra::methods::inline::regs::launch_dma as launch;
use triglyph_guest::tegra::methods::values::{CompletionType, MemoryLayout, StructSize};

use super::core::{ADDRESS_MASK, Core};
use super::registers::Registers;
use crate::device::FaultKind;

/// Bytes of one transfer at most: a bound for what waits, far above what drivers write at once.
const MOST_BYTES: u64 = 1 << 28;

/// A transfer that has begun and waits for data; nothing when there is none.
#[derive(Debug, Default)]
pub struct InlineTransfer {
    plan: Option<Plan>,
    data: Vec<u8>,
}

/// Where the bytes go.
#[derive(Clone, Copy, Debug)]
struct Plan {
    line_bytes: u64,
    lines: u64,
    destination: u64,
    place: Place,
    semaphore: Option<Semaphore>,
}

#[derive(Clone, Copy, Debug)]
enum Place {
    /// Bytes from line to line.
    Pitch(u64),
    /// The first byte and row, GOBs of a row, log2 of a block's height in GOBs, rows, and the slice.
    Blocks { x: u32, y: u32, gobs: u32, log2_gobs: u32, log2_slices: u32, height: u32, layer: u32 },
}

/// What is written when the data are there.
#[derive(Clone, Copy, Debug)]
struct Semaphore {
    address: u64,
    payload: u32,
    one_word: bool,
}

impl InlineTransfer {
    /// LAUNCH_DMA: the transfer that the registers describe waits for its data from here on.
    pub fn launch(&mut self, registers: &Registers, word: u32) {
        let get = |id: usize| registers.get(id);
        let block = get(regs::set_dst_block_size::ID);
        let place = match launch::dst_memory_layout(word) {
            Some(MemoryLayout::Pitch) => Place::Pitch(get(regs::pitch_out::ID).into()),
            _ => Place::Blocks {
                x: get(regs::set_dst_origin_bytes_x::ID) & 0xF_FFFF,
                y: get(regs::set_dst_origin_samples_y::ID) & 0xFFFF,
                gobs: get(regs::set_dst_width::ID).div_ceil(64),
                log2_gobs: (block >> 4 & 15).min(5),
                log2_slices: (block >> 8 & 15).min(5),
                height: get(regs::set_dst_height::ID),
                layer: get(regs::set_dst_layer::ID),
            },
        };
        let semaphore = (launch::completion_type(word) == Some(CompletionType::ReleaseSemaphore)).then(|| Semaphore {
            address: registers.address(regs::set_i2m_semaphore_a::ID) & ADDRESS_MASK,
            payload: get(regs::set_i2m_semaphore_c::ID),
            one_word: launch::semaphore_struct_size(word) == Some(StructSize::OneWord),
        });
        self.data.clear();
        self.plan = Some(Plan {
            line_bytes: get(regs::line_length_in::ID).into(),
            lines: get(regs::line_count::ID).into(),
            destination: registers.address(regs::offset_out_upper::ID) & ADDRESS_MASK,
            place,
            semaphore,
        });
    }

    /// LOAD_INLINE_DATA: four bytes more. Without a transfer they are ignored.
    pub fn datum(&mut self, core: &mut Core, word: u32) {
        let Some(plan) = self.plan else { return };
        // Each line begins at a new word.
        let needed = plan.line_bytes.next_multiple_of(4).saturating_mul(plan.lines);
        if needed > MOST_BYTES {
            self.plan = None;
            core.fault(FaultKind::BadMethod, plan.destination, format_args!("an inline transfer of {needed:#x} bytes"));
            return;
        }
        self.data.extend_from_slice(&word.to_le_bytes());
        if self.data.len() as u64 >= needed {
            self.plan = None;
            plan.store(core, &self.data);
        }
    }
}

impl Plan {
    fn store(&self, core: &mut Core, data: &[u8]) {
        let stride = self.line_bytes.next_multiple_of(4) as usize;
        if self.line_bytes != 0 {
            for (row, line) in data.chunks(stride).take(self.lines as usize).enumerate() {
                self.line(core, row as u32, &line[..(self.line_bytes as usize).min(line.len())]);
            }
        }
        if let Some(Semaphore { address, payload, one_word }) = self.semaphore {
            match one_word {
                true => core.write_bytes(address, &payload.to_le_bytes(), "an inline transfer's semaphore"),
                false => core.write_report(address, payload.into(), "an inline transfer's semaphore"),
            }
        }
    }

    fn line(&self, core: &mut Core, row: u32, line: &[u8]) {
        match self.place {
            Place::Pitch(pitch) => {
                let at = self.destination.wrapping_add(pitch * u64::from(row)) & ADDRESS_MASK;
                core.write_bytes(at, line, "an inline transfer");
            }
            Place::Blocks { x, y, gobs, log2_gobs, log2_slices, height, layer } => {
                let block = 512u64 << (log2_gobs + log2_slices);
                let layer_bytes = u64::from(gobs) * u64::from(height.div_ceil(8 << log2_gobs)) * block;
                let slice = u64::from(layer >> log2_slices) * layer_bytes
                    + (u64::from(layer & ((1 << log2_slices) - 1)) << (9 + log2_gobs));
                // 16 bytes stay together, at most.
                let mut done = 0;
                while done < line.len() {
                    let column = x.wrapping_add(done as u32);
                    let count = (16 - column as usize % 16).min(line.len() - done);
                    // Slices of a block follow each other before the next block does.
                    let flat = block_linear(column, y.wrapping_add(row), gobs, log2_gobs);
                    let inside = (512u64 << log2_gobs) - 1;
                    let offset = ((flat & !inside) << log2_slices) + (flat & inside) + slice;
                    let at = self.destination.wrapping_add(offset) & ADDRESS_MASK;
                    core.write_bytes(at, &line[done..done + count], "an inline transfer");
                    done += count;
                }
            }
        }
    }
}
