//! Command lists: packets, the end of a list, jumps (3dbrew: GPU/Internal Registers, GPU/Commands).

use triglyph_guest::kernel::Window;
use triglyph_guest::pica::command::Header;
use triglyph_guest::pica::regs;

use super::packets::Ahead;
use super::{Host, Pica};
use triglyph_engine::device::FaultKind;
use triglyph_engine::mem::GuestAddr;

/// How a command list ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListEnd {
    /// It raised P3D.
    Interrupt,
    /// It ended without: real hardware would hang.
    Silent,
}

/// What a packet takes of the words that a list may have.
const PACKET: u64 = 2;

impl Pica {
    /// Runs the list of `bytes` bytes at physical address `address`, and those it jumps to, to the end; then memory
    /// shows everything that was drawn.
    pub fn run_list(&mut self, host: &mut Host<'_>, address: u32, bytes: u32) -> ListEnd {
        self.interrupted = false;
        self.jump = None;
        self.vertices_left = self.limits.list_vertices;
        let mut budget = self.limits.list_words;
        let mut next = Some((address, bytes));
        while let Some((address, bytes)) = next {
            budget = budget.saturating_sub(1);
            self.run_buffer(host, address, bytes, &mut budget);
            next = if self.interrupted { None } else { self.jump.take() };
            if budget == 0 && next.is_some() {
                self.fault(host, FaultKind::OutOfFuel, u64::from(address), "a command list that does not end");
                next = None;
            }
        }
        self.finish(host);
        if self.interrupted { ListEnd::Interrupt } else { ListEnd::Silent }
    }

    fn stopped(&self) -> bool {
        self.jump.is_some()
            || self.interrupted && regs::irq_autostop::stop(self.registers.get(regs::irq_autostop::ID)) != 0
    }

    fn run_buffer(&mut self, host: &mut Host<'_>, address: u32, bytes: u32, budget: &mut u64) {
        let memory = host.memory;
        let window = memory.readable(GuestAddr::new(0, u64::from(address))).first(bytes as usize);
        if window.len() < bytes as usize {
            self.fault(host, FaultKind::UnmappedRead, u64::from(address), "a command list outside of memory");
        }
        let words = (window.len() / 4) as u64;
        let mut at = 0;
        let mut ahead = Ahead::default();
        self.packet_traces.begin_here();
        while at + 1 < words && !self.stopped() && *budget > 0 {
            let (next, packets) = self.quiet_packets(host, window, &mut ahead, at, *budget / PACKET);
            at = next;
            *budget -= PACKET * packets;
            if packets == 0 {
                at = self.run_packet(host, window, at, words);
                *budget = budget.saturating_sub(PACKET);
                ahead.forget();
                self.packet_traces.begin_here();
            }
        }
        if *budget == 0 && at + 1 < words && !self.stopped() {
            self.fault(host, FaultKind::OutOfFuel, u64::from(address), "a command list that does not end");
        }
        *budget = budget.saturating_sub(words);
    }

    /// Executes the packet at word `at` and returns where the next one starts: packets are multiples of two words.
    fn run_packet(&mut self, host: &mut Host<'_>, window: Window<'_>, at: u64, words: u64) -> u64 {
        let word = |index: u64| u32::from_le_bytes(window.read(index as usize * 4));
        let header = Header(word(at + 1));
        self.position = at * 4;
        self.write_register(host, header.id(), word(at), header.bit_mask());
        let extra = header.extra() as u64;
        if at + 2 + extra > words {
            self.fault(host, FaultKind::BadCommand, at * 4, "a packet longer than its list");
        }
        for i in 0..extra.min(words - at - 2) {
            if self.stopped() {
                break;
            }
            self.position = (at + 2 + i) * 4;
            self.write_register(host, header.register(i as usize + 1), word(at + 2 + i), header.bit_mask());
        }
        at + header.packet_words() as u64
    }

    /// Register IRQ_REQUEST was written: P3D is raised when any byte equals that of IRQ_COMPARE. (What emulators
    /// agree on; the console's exact rule is unknown.)
    pub(super) fn request_interrupt(&mut self) {
        let request = self.registers.get(regs::irq_request::ID).to_le_bytes();
        let compare = self.registers.get(regs::irq_compare::ID).to_le_bytes();
        self.interrupted |= request.iter().zip(compare).any(|(&a, b)| a == b);
    }

    /// A jump register was written; only non-zero values jump (3dbrew). The rest of the packet is dropped.
    pub(super) fn request_jump(&mut self, channel: usize, value: u32) {
        if value == 0 {
            return;
        }
        let size = regs::cmdbuf_size::size(self.registers.get(regs::cmdbuf_size::IDS[channel])) << 3;
        let address = regs::cmdbuf_addr::address(self.registers.get(regs::cmdbuf_addr::IDS[channel])) << 3;
        self.jump = Some((address, size));
    }
}
