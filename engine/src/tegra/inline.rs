//! Inline transfers: data words of the push buffer that go to memory. The 3D, the compute and the inline class have the
//! same registers for them.

use triglyph_guest::kernel::Window;
use triglyph_guest::kernel::window::buffer;
use triglyph_guest::layout::Blocks;
use triglyph_guest::tegra::methods::inline::regs;
use triglyph_guest::tegra::methods::inline::regs::launch_dma as launch;
use triglyph_guest::tegra::methods::values::{
    CompletionType, InlineInterrupt, MemoryLayout, ReductionFormat, StructSize,
};

use super::core::{ADDRESS_MASK, Core, bytes_of};
use super::image::{self, Arrangement, Size, Spot};
use super::registers::Registers;
use super::semaphore::{Form, Join, Release};
use crate::device::FaultKind;

/// Bytes of one transfer at most: a bound for what waits, far above what drivers write at once.
const MOST_BYTES: u64 = 1 << 28;

/// What faults call it.
const WHAT: &str = "an inline transfer";

/// A transfer that has begun and waits for data; nothing when there is none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InlineTransfer {
    pub(super) plan: Option<Plan>,
    /// What has come so far; each line begins at a new word.
    pub(super) data: Vec<u8>,
}

/// Where the bytes go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Bytes of a line, and lines.
    pub size: Size,
    /// Where the first line begins; `None`: the condition of rendering does not hold, the data go nowhere.
    pub to: Option<Spot>,
    /// What is stored when the data are there.
    pub release: Option<Release>,
    /// Whether an interrupt follows.
    pub interrupt: bool,
}

impl Plan {
    /// Bytes from line to line in the data.
    fn stride(&self) -> u64 {
        self.size.row_bytes.next_multiple_of(4)
    }

    /// Bytes that all lines need.
    fn needed(&self) -> u64 {
        self.stride().saturating_mul(self.size.rows.into())
    }
}

impl InlineTransfer {
    /// LAUNCH_DMA: the transfer that the registers describe waits for its data from here on. `enabled`: whether it stores
    /// them.
    pub fn launch(&mut self, core: &mut Core, registers: &Registers, word: u32, enabled: bool) {
        let plan = plan(registers, word, enabled);
        self.data.clear();
        self.plan = None;
        match plan.needed() {
            0 => plan.finish(core, &[]),
            needed if needed > MOST_BYTES => {
                let address = registers.address(regs::offset_out_upper::ID);
                core.fault(FaultKind::BadMethod, address, format_args!("{WHAT} of {needed:#x} bytes"));
            }
            _ => self.plan = Some(plan),
        }
    }

    /// LOAD_INLINE_DATA: four bytes more with each word. Without a transfer, and behind its end, they are ignored.
    pub fn data(&mut self, core: &mut Core, words: &[u32]) {
        let Some(plan) = self.plan else { return };
        let needed = plan.needed() as usize;
        let bytes = bytes_of(words);
        if self.data.is_empty() && bytes.len() >= needed {
            self.plan = None;
            return plan.finish(core, &bytes[..needed]);
        }
        let rest = needed.saturating_sub(self.data.len());
        self.data.extend_from_slice(&bytes[..bytes.len().min(rest)]);
        if self.data.len() == needed {
            self.plan = None;
            plan.finish(core, &self.data);
            self.data.clear();
        }
    }
}

fn plan(registers: &Registers, word: u32, enabled: bool) -> Plan {
    let get = |id: usize| registers.get(id);
    let address = registers.address(regs::offset_out_upper::ID) & ADDRESS_MASK;
    let to = match launch::dst_memory_layout(word) {
        Some(MemoryLayout::Pitch) => {
            Spot { address, arrangement: Arrangement::Pitch(get(regs::pitch_out::ID).into()), x: 0, y: 0 }
        }
        _ => {
            let block = get(regs::set_dst_block_size::ID);
            let blocks = Blocks {
                gobs_across: get(regs::set_dst_width::ID).div_ceil(64),
                rows: get(regs::set_dst_height::ID),
                slices: get(regs::set_dst_depth::ID),
                log2_gobs: regs::set_dst_block_size::height(block).min(5) as u8,
                log2_slices: regs::set_dst_block_size::depth(block).min(5) as u8,
            };
            Spot {
                address,
                arrangement: Arrangement::Blocks(blocks, get(regs::set_dst_layer::ID)),
                x: regs::set_dst_origin_bytes_x::v(get(regs::set_dst_origin_bytes_x::ID)).into(),
                y: regs::set_dst_origin_samples_y::v(get(regs::set_dst_origin_samples_y::ID)),
            }
        }
    };
    let releases = launch::completion_type(word) == Some(CompletionType::ReleaseSemaphore);
    let form = match launch::reduction_op(word) {
        Some(how) if launch::reduction_enable(word) => {
            Form::Join(Join::from(how), launch::reduction_format(word) == Some(ReductionFormat::Signed32))
        }
        _ if launch::semaphore_struct_size(word) == Some(StructSize::OneWord) => Form::OneWord,
        _ => Form::FourWords,
    };
    Plan {
        size: Size { row_bytes: get(regs::line_length_in::ID).into(), rows: get(regs::line_count::ID) },
        to: enabled.then_some(to),
        release: releases.then(|| Release {
            address: registers.address(regs::set_i2m_semaphore_a::ID) & ADDRESS_MASK,
            payload: get(regs::set_i2m_semaphore_c::ID),
            form,
        }),
        interrupt: launch::interrupt_type(word) == Some(InlineInterrupt::Interrupt),
    }
}

impl Plan {
    /// Everything has come.
    fn finish(&self, core: &mut Core, data: &[u8]) {
        if let Some(to) = self.to.filter(|_| !data.is_empty()) {
            self.store(core, to, data);
        }
        if let Some(release) = self.release {
            release.perform(core, "an inline transfer's semaphore");
        }
        if self.interrupt {
            core.interrupt();
        }
    }

    fn store(&self, core: &mut Core, to: Spot, data: &[u8]) {
        match to.arrangement {
            Arrangement::Pitch(pitch) => {
                let lines = data.chunks(self.stride() as usize);
                for (line, row) in lines.zip(0..) {
                    let address = to.address.wrapping_add_signed(pitch.wrapping_mul(row)) & ADDRESS_MASK;
                    core.write_bytes(address, &line[..line.len().min(self.size.row_bytes as usize)], WHAT);
                }
            }
            Arrangement::Blocks(..) => {
                let data = buffer(data);
                image::store(core, WHAT, Window::new(&data), self.stride(), to, self.size);
            }
        }
    }
}
