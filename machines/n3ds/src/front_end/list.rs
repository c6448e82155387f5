//! Command lists: packets, the end of a list, jumps (3dbrew: GPU/Internal Registers, GPU/Commands).

use triglyph_guest::kernel::Window;
use triglyph_guest::pica::command::Header;
use triglyph_guest::pica::regs;

use super::packets::Ahead;
use super::running_list::{ListEnd, RunningList};
use crate::class_3d::{Host, Pica};
use triglyph_engine::device::FaultKind;
use triglyph_engine::mem::GuestAddr;
use triglyph_engine::probe::Effect;

/// What a packet takes of the words that a list may have.
const PACKET: u64 = 2;

/// Words of the longest packet: a bounded run ends after a whole one.
const MAX_PACKET: u64 = 258;

/// What a word takes, in nanoseconds (see [`timing`](crate::system::external::timing)).
const WORD_TIME: u64 = 22;
/// What a triangle takes.
const TRIANGLE_TIME: u64 = 400;

/// Packets that a bounded run stores before it looks whether it is over.
const MAX_STORED: u64 = 2048;

impl Pica {
    /// Begins the list of `bytes` bytes at physical address `address`.
    pub fn start_list(&mut self, address: u32, bytes: u32) {
        self.interrupted = false;
        self.jump = None;
        self.vertices_left = self.limits.list_vertices;
        let words_left = self.limits.list_words;
        let words = u64::from(bytes) / 4;
        self.list = Some(RunningList { address, bytes, at: 0, words_left, words, triangles: 0 });
    }

    /// Whether a list was begun that has not ended.
    pub fn is_running(&self) -> bool {
        self.list.is_some()
    }

    /// Goes on with the list, and those it jumps to, to the end; then memory shows everything that was drawn. `None` if
    /// a bounded run is over before, or nothing was begun.
    pub fn run_list(&mut self, host: &mut Host<'_>) -> Option<ListEnd> {
        if host.budget.is_bounded() {
            // Only what has no bounds counts as running away.
            self.vertices_left = self.limits.list_vertices;
        }
        let mut list = self.list?;
        loop {
            if !host.renderer.draw_closed(host.memory) || host.budget.is_over() {
                self.list = Some(list);
                return None;
            }
            if !self.run_buffer(host, &mut list) {
                continue;
            }
            list.words_left = list.words_left.saturating_sub(1);
            let next = if self.interrupted { None } else { self.jump.take() };
            let Some((address, bytes)) = next else { break };
            if list.words_left == 0 {
                self.fault(
                    host,
                    FaultKind::OutOfFuel,
                    u64::from(list.address),
                    "the command list does not end within its budget",
                );
                break;
            }
            if !spend(host, 1) {
                list.words_left = 0;
            }
            list = RunningList { address, bytes, at: 0, ..list };
        }
        if !self.try_finish(host) {
            // After its last word.
            self.list = Some(RunningList { at: (u64::from(list.bytes) / 4).max(1), ..list });
            return None;
        }
        self.list = None;
        Some(ListEnd { interrupt: self.interrupted, words: list.words, triangles: list.triangles })
    }

    fn stopped(&self) -> bool {
        self.jump.is_some() || self.interrupted && regs::irq_autostop::stop(self.registers.get(regs::irq_autostop::ID))
    }

    /// Executes packets of the buffer. False if a bounded run is over before its end.
    fn run_buffer(&mut self, host: &mut Host<'_>, list: &mut RunningList) -> bool {
        let memory = host.memory;
        let address = u64::from(list.address);
        let range = GuestAddr::new(0, address).range(list.bytes.into());
        if list.at == 0 {
            host.renderer.flush_overlapping(memory, range);
        }
        host.renderer.set_background_reads(range);
        let window = memory.readable(range.start).first(list.bytes as usize);
        if window.len() < list.bytes as usize && list.at == 0 {
            self.fault(host, FaultKind::UnmappedRead, address, "the command list is not in mapped memory");
        }
        let words = (window.len() / 4) as u64;
        let bounded = host.budget.is_bounded();
        let next =
            words.saturating_sub(list.at).min(host.budget.affordable_words(WORD_TIME).saturating_add(MAX_PACKET));
        if bounded && memory.is_unrecorded(range.start.after(4 * list.at).range(4 * next)) {
            host.budget.cut();
            return false;
        }
        let mut ahead = Ahead::default();
        // Whether the next packet is known not to be quiet.
        let mut other = false;
        while list.at + 1 < words && !self.stopped() && list.words_left > 0 {
            if !host.renderer.draw_closed(host.memory) || host.budget.is_over() {
                return false;
            }
            let (before, mut packets) = (list.at, 0);
            let most = if bounded { MAX_STORED.min(host.budget.affordable_words(WORD_TIME)) } else { list.words_left };
            if !other {
                (list.at, packets, other) = self.quiet_packets(host, window, &mut ahead, list.at, most / PACKET);
            }
            if packets == 0 {
                let triangles = host.renderer.triangles();
                list.at = self.run_packet(host, window, list.at, words);
                let triangles = host.renderer.triangles() - triangles;
                list.triangles += triangles;
                let _ = host.budget.spend(TRIANGLE_TIME * triangles);
                Self::charge_primitives(host);
                ahead.forget();
                other = false;
            }
            let enough = spend(host, list.at - before);
            if !bounded && !enough {
                list.words_left = 0;
            } else if !bounded {
                list.words_left = list.words_left.saturating_sub(PACKET * packets.max(1));
            }
        }
        if list.words_left == 0 && list.at + 1 < words && !self.stopped() {
            self.fault(host, FaultKind::OutOfFuel, address, "the command list does not end within its budget");
        }
        if !bounded {
            list.words_left = list.words_left.saturating_sub(words);
        }
        true
    }

    /// Executes the packet at word `at` and returns where the next one starts: packets are multiples of two words.
    fn run_packet(&mut self, host: &mut Host<'_>, window: Window<'_>, at: u64, words: u64) -> u64 {
        let word = |index: u64| u32::from_le_bytes(window.read(index as usize * 4));
        let header = Header(word(at + 1));
        self.position = at * 4;
        self.write_register(host, header.id(), word(at), header.bit_mask());
        let extra = header.extra() as u64;
        if at + 2 + extra > words {
            self.fault(host, FaultKind::BadCommand, at * 4, "the packet is longer than its command list");
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
    pub(crate) fn request_interrupt(&mut self, host: &mut Host<'_>) {
        let request = self.registers.get(regs::irq_request::ID).to_le_bytes();
        let compare = self.registers.get(regs::irq_compare::ID).to_le_bytes();
        let raised = request.iter().zip(compare).any(|(&a, b)| a == b);
        self.interrupted |= raised;
        if raised && host.renderer.is_observed() {
            host.renderer.note_effect(Effect::Signal);
        }
    }

    /// A jump register was written; only non-zero values jump (3dbrew). The rest of the packet is dropped.
    pub(crate) fn request_jump(&mut self, channel: usize, value: u32) {
        if value == 0 {
            return;
        }
        let size = regs::cmdbuf_size::size(self.registers.get(regs::cmdbuf_size::IDS[channel])) << 3;
        let address = regs::cmdbuf_addr::address(self.registers.get(regs::cmdbuf_addr::IDS[channel])) as u32;
        self.jump = Some((address, size));
    }
}

/// Lets the time of some words pass. False if there was not enough fuel for them.
fn spend(host: &mut Host<'_>, words: u64) -> bool {
    host.budget.spend_words(words, WORD_TIME * words)
}
