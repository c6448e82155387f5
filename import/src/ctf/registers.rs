//! The external registers: what a write starts, and what the screens show.

use triglyph::GuestAddr;
use triglyph::capture::Present;
use triglyph::n3ds::gsp::{Command, FillUnit, Header};
use triglyph_guest::pica::external::{self, Effect, register};

use super::{FCRAM, VRAM};

/// Where they begin, physically, and how many there are.
const FIRST: u32 = 0x1040_0000;
const COUNT: usize = 0x800;

/// The registers as a trace leaves them.
pub struct Registers([u32; COUNT]);

impl Registers {
    /// Registers that hold some words; the others are 0.
    pub fn new(words: &[u32]) -> Self {
        let mut registers = [0; COUNT];
        registers.iter_mut().zip(words).for_each(|(register, word)| *register = *word);
        Registers(registers)
    }

    fn get(&self, offset: usize) -> u32 {
        self.0[offset / 4]
    }

    /// Stores a word; returns the GX command that does what this starts.
    pub fn write(&mut self, address: u32, value: u32) -> Option<Vec<u8>> {
        let offset = address.checked_sub(FIRST)? & !3;
        *self.0.get_mut(offset as usize / 4)? = value;
        let command = match register(offset)?.effect {
            Effect::Fill if value & 1 != 0 => self.fill(external::psc_control::IDS.map(|id| id == offset as usize)),
            Effect::Transfer if value & 1 != 0 => self.transfer(),
            Effect::List if value != 0 => {
                let channel = usize::from(offset as usize == external::cmdlist_go1::ID);
                let address = self.get(external::cmdlist_addr::IDS[channel]) << 3;
                return Some(command_list(address, self.get(external::cmdlist_size::IDS[channel]) << 3));
            }
            _ => return None,
        };
        Some(bytes(command))
    }

    /// What the fill units do that are started.
    fn fill(&self, started: [bool; 2]) -> Command {
        let unit = |index: usize| {
            let start = self.get(external::psc_start::IDS[index]) << 3;
            if !started[index] || start == 0 {
                return FillUnit::default();
            }
            // The end may be just after its memory.
            let end = to_virtual((self.get(external::psc_end::IDS[index]) << 3).wrapping_sub(1)).wrapping_add(1);
            let width = self.get(external::psc_control::IDS[index]) & 0x300;
            let value = self.get(external::psc_value::IDS[index]);
            FillUnit { start: to_virtual(start), value, end, control: width as u16 | 1 }
        };
        Command::MemoryFill { units: [unit(0), unit(1)] }
    }

    fn transfer(&self) -> Command {
        let address = |id: usize| to_virtual(self.get(id) << 3);
        let [source, target] = [external::ppf_in::ID, external::ppf_out::ID].map(address);
        let flags = self.get(external::ppf_flags::ID);
        match external::ppf_flags::copy(flags) {
            true => Command::TextureCopy {
                source,
                target,
                size: self.get(external::copy_size::ID),
                source_lines: self.get(external::copy_in::ID),
                target_lines: self.get(external::copy_out::ID),
                flags,
            },
            false => Command::DisplayTransfer {
                source,
                target,
                source_size: self.get(external::ppf_in_dim::ID),
                target_size: self.get(external::ppf_out_dim::ID),
                flags,
            },
        }
    }

    /// What the screens show: the upper one for each eye where it has a picture of its own, and the lower one.
    pub fn screens(&self) -> Vec<Present> {
        let left = [external::pdc_left_addr0::IDS, external::pdc_left_addr1::IDS];
        let right = [external::pdc_right_addr0::IDS, external::pdc_right_addr1::IDS];
        let top = self.screen(0, left, "top");
        let other_eye = self.screen(0, right, "top-right").filter(|eye| Some(eye.at) != top.as_ref().map(|eye| eye.at));
        [top, other_eye, self.screen(1, left, "bottom")].into_iter().flatten().collect()
    }

    /// One picture; none where it is not in memory. Pixels are stored in columns, so that the height that the
    /// controller knows is the width that people see.
    fn screen(&self, screen: usize, buffers: [[usize; 2]; 2], label: &str) -> Option<Present> {
        let second = external::pdc_select::next(self.get(external::pdc_select::IDS[screen])) as usize;
        let address = u64::from(self.get(buffers[second][screen]));
        let dim = self.get(external::pdc_dim::IDS[screen]);
        let format = external::pdc_format::format(self.get(external::pdc_format::IDS[screen]))?.bits() + 1;
        let (width, height) = (external::pdc_dim::height(dim), external::pdc_dim::width(dim));
        let pitch = self.get(external::pdc_stride::IDS[screen]);
        let in_memory = [VRAM, FCRAM].into_iter().any(|memory| {
            let size = u64::from(pitch) * u64::from(width);
            address >= memory.start.address && address + size <= memory.end()
        });
        let is_picture = width > 0 && height > 0 && width <= 1024 && height <= 1024 && pitch > 0;
        (in_memory && is_picture).then(|| Present {
            at: GuestAddr::new(0, address),
            format,
            width,
            height,
            pitch,
            layout: 2,
            label: label.to_owned(),
        })
    }
}

/// The GX command that executes a list at a physical address.
pub fn command_list(address: u32, size: u32) -> Vec<u8> {
    bytes(Command::ProcessCommandList { address: to_virtual(address), size, update_gas: false, flush: false })
}

fn bytes(command: Command) -> Vec<u8> {
    command.to_words(Header::default()).into_iter().flat_map(u32::to_le_bytes).collect()
}

/// The virtual address by which GX commands know a physical one; others stay as they are, and fault.
fn to_virtual(address: u32) -> u32 {
    let offset = |memory: triglyph::GuestRange| {
        u64::from(address).checked_sub(memory.start.address).filter(|offset| *offset < memory.size).map(|at| at as u32)
    };
    match (offset(VRAM), offset(FCRAM)) {
        (Some(offset), _) => 0x1F00_0000 + offset,
        (_, Some(offset)) => 0x3000_0000 + offset,
        _ => address,
    }
}
