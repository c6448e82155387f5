//! Packet traces: one packet after the other, as the contract defines it.

use triglyph_guest::kernel::Unsupported;
use triglyph_guest::kernel::packet_trace::{Act, Packet, PacketTraceJob, PacketTraceKernel, PacketTraceKey, Store};

/// A packet trace kernel: its key.
#[derive(Clone, Debug)]
pub struct Kernel {
    key: PacketTraceKey,
}

impl Kernel {
    /// The kernel of `key`.
    pub fn new(key: &PacketTraceKey) -> Self {
        Kernel { key: key.clone() }
    }

    fn guarded(&self, words: &[u32], first: usize, count: usize) -> bool {
        let holds = |packet: &Packet| words[packet.header as usize] & packet.mask == packet.word;
        self.key.packets[first..first + count].iter().all(holds)
    }

    fn store(&self, job: &mut PacketTraceJob<'_>, store: &Store) {
        match store {
            Store::Words { at, register, mask, groups } => {
                for (i, &groups) in groups.iter().enumerate() {
                    self.register(job, *register as usize + i, job.words[*at as usize + i], *mask, groups);
                }
            }
            Store::Field { at, shift, bits, register, groups } => {
                let value = job.words[*at as usize] >> shift & ((1 << bits) - 1);
                self.register(job, *register as usize, value, u32::MAX, *groups);
            }
        }
    }

    fn register(&self, job: &mut PacketTraceJob<'_>, number: usize, value: u32, mask: u32, groups: u32) {
        let target = job.machine.registers();
        let old = target.registers[number].get();
        let new = old & !mask | value & mask;
        target.registers[number].set(new);
        if self.key.copies {
            target.copies[number].set(new);
        }
        if !self.key.changes || new != old {
            target.dirty.set(target.dirty.get() | groups);
        }
    }
}

impl PacketTraceKernel for Kernel {
    fn run(&self, job: &mut PacketTraceJob<'_>) -> Result<u32, Unsupported> {
        let key = &self.key;
        let target = job.machine.registers();
        let copies = if key.copies { key.registers as usize } else { 0 };
        if !key.is_sound()
            || job.words.len() < key.words as usize
            || target.registers.len() < key.registers as usize
            || target.copies.len() < copies
        {
            return Err(Unsupported("words or registers that are not there"));
        }
        let mut done = 0;
        while done < key.packets.len() {
            let count = key.group(done);
            if !self.guarded(job.words, done, count) {
                break;
            }
            for number in done..done + count {
                let stores = match &key.packets[number].act {
                    Act::Store(stores) => Some(stores),
                    Act::Checked { expected, stores } => {
                        expected.iter().all(|&(at, word)| job.words[at as usize] == word).then_some(stores)
                    }
                    Act::Call => None,
                };
                match stores {
                    Some(stores) => stores.iter().for_each(|store| self.store(job, store)),
                    None if job.machine.call(number as u32) => {}
                    None => return Ok(number as u32 + 1),
                }
            }
            done += count;
        }
        Ok(done as u32)
    }
}
