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

use super::image::{self, Arrangement, Size, Spot};
use crate::core::{ADDRESS_MASK, Core, bytes_of};
use crate::front_end::registers::Registers;
use crate::front_end::semaphore::{Form, Join, Release};
use triglyph_engine::device::FaultKind;
use triglyph_engine::snapshot::state;

/// Bytes of one transfer at most: a bound for what waits, far above what drivers write at once.
const MAX_BYTES: u64 = 1 << 28;

/// What faults call it.
const WHAT: &str = "an inline transfer";

/// A transfer that has begun and waits for data; nothing when there is none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InlineTransfer {
    launch: Option<Launch>,
    /// What has come so far; each line begins at a new word.
    data: Vec<u8>,
}

state! {
    /// A transfer in a snapshot.
    pub(crate) struct SavedInline { launch: Option<Launch>, data: Vec<u8> }

    /// What the registers said when it was launched.
    #[derive(Copy, Eq)]
    pub(crate) struct Launch { word: u32, line: [u32; LINE], semaphore: [u32; SEMAPHORE], enabled: bool }
}

/// Registers of the transfer: from LINE_LENGTH_IN up to LAUNCH_DMA, and those of the semaphore.
const LINE: usize = regs::launch_dma::ID - regs::line_length_in::ID;
const SEMAPHORE: usize = regs::set_i2m_semaphore_c::ID + 1 - regs::set_i2m_semaphore_a::ID;

/// Where the bytes go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Plan {
    /// Bytes of a line, and lines.
    size: Size,
    /// Where the first line begins; `None`: the condition of rendering does not hold, the data go nowhere.
    to: Option<Spot>,
    /// What is stored when the data are there.
    release: Option<Release>,
    /// Whether an interrupt follows.
    interrupt: bool,
}

impl InlineTransfer {
    /// LAUNCH_DMA: the transfer that the registers describe waits for its data from here on. `enabled`: whether it
    /// stores them.
    pub fn launch(&mut self, core: &mut Core, registers: &Registers, word: u32, enabled: bool) {
        let launch = Launch {
            word,
            line: std::array::from_fn(|i| registers.get(regs::line_length_in::ID + i)),
            semaphore: std::array::from_fn(|i| registers.get(regs::set_i2m_semaphore_a::ID + i)),
            enabled,
        };
        let plan = launch.plan();
        self.data.clear();
        self.launch = None;
        match plan.needed() {
            0 => plan.finish(core, &[]),
            needed if needed > MAX_BYTES => {
                let address = registers.address(regs::offset_out_upper::ID);
                core.fault(
                    FaultKind::BadMethod,
                    address,
                    format_args!("{WHAT} of {needed:#x} bytes exceeds {MAX_BYTES:#x} bytes"),
                );
            }
            _ => self.launch = Some(launch),
        }
    }

    /// LOAD_INLINE_DATA: four bytes more with each word. Without a transfer, and after its end, they are ignored.
    pub fn data(&mut self, core: &mut Core, words: &[u32]) {
        let Some(plan) = self.launch.as_ref().map(Launch::plan) else { return };
        let needed = plan.needed() as usize;
        let bytes = bytes_of(words);
        if self.data.is_empty() && bytes.len() >= needed {
            self.launch = None;
            return plan.finish(core, &bytes[..needed]);
        }
        let rest = needed.saturating_sub(self.data.len());
        self.data.extend_from_slice(&bytes[..bytes.len().min(rest)]);
        if self.data.len() == needed {
            self.launch = None;
            plan.finish(core, &self.data);
            self.data.clear();
        }
    }

    pub(crate) fn save(&self) -> SavedInline {
        SavedInline { launch: self.launch, data: self.data.clone() }
    }

    /// What was saved, if there can be such a transfer.
    pub(crate) fn restore(saved: SavedInline) -> Option<Self> {
        let SavedInline { launch, data } = saved;
        let needed = launch.map_or(1, |launch| launch.plan().needed());
        let sound = needed != 0 && needed <= MAX_BYTES && (data.len() as u64) < needed;
        sound.then_some(InlineTransfer { launch, data })
    }
}

impl Launch {
    fn plan(&self) -> Plan {
        let get = |id: usize| self.line[id - regs::line_length_in::ID];
        let long = |upper: u32, lower: u32| (u64::from(upper) << 32 | u64::from(lower)) & ADDRESS_MASK;
        let address = long(get(regs::offset_out_upper::ID), get(regs::offset_out::ID));
        let to = match launch::dst_memory_layout(self.word) {
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
        let form = match launch::reduction_op(self.word) {
            Some(how) if launch::reduction_enable(self.word) => {
                let signed = launch::reduction_format(self.word) == Some(ReductionFormat::Signed32);
                Form::Join(Join::from(how), signed)
            }
            _ if launch::semaphore_struct_size(self.word) == Some(StructSize::OneWord) => Form::OneWord,
            _ => Form::FourWords,
        };
        let [upper, lower, payload] = self.semaphore;
        let releases = launch::completion_type(self.word) == Some(CompletionType::ReleaseSemaphore);
        Plan {
            size: Size { row_bytes: get(regs::line_length_in::ID).into(), rows: get(regs::line_count::ID) },
            to: self.enabled.then_some(to),
            release: releases.then_some(Release { address: long(upper, lower), payload, form }),
            interrupt: launch::interrupt_type(self.word) == Some(InlineInterrupt::Interrupt),
        }
    }
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
