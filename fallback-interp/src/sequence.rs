//! Sequences of packets: one after the other, as the contract says it.

use std::cell::Cell;

use triglyph_guest::kernel::Refused;
use triglyph_guest::kernel::sequence::{Act, Packet, SequenceJob, SequenceKernel, SequenceKey, Store};

/// A sequence kernel: its key.
#[derive(Clone, Debug)]
pub struct Kernel {
    key: SequenceKey,
}

impl Kernel {
    /// The kernel of `key`.
    pub fn new(key: &SequenceKey) -> Self {
        Kernel { key: key.clone() }
    }

    fn guarded(&self, words: &[u32], first: usize, count: usize) -> bool {
        let holds = |packet: &Packet| words[packet.header as usize] & packet.mask == packet.word;
        self.key.packets[first..first + count].iter().all(holds)
    }

    fn store(&self, job: &mut SequenceJob<'_>, store: &Store) {
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

    fn register(&self, job: &mut SequenceJob<'_>, number: usize, value: u32, mask: u32, groups: u32) {
        let place = job.machine.place();
        let old = place.registers[number].get();
        let new = old & !mask | value & mask;
        place.registers[number].set(new);
        if self.key.copies {
            place.copies[number].set(new);
        }
        if !self.key.changes || new != old {
            let add = |stale: &Cell<u32>| stale.set(stale.get() | groups);
            add(place.stale);
        }
    }
}

impl SequenceKernel for Kernel {
    fn run(&self, job: &mut SequenceJob<'_>) -> Result<u32, Refused> {
        let key = &self.key;
        let place = job.machine.place();
        let copies = if key.copies { key.registers as usize } else { 0 };
        if !key.is_sound()
            || job.words.len() < key.words as usize
            || place.registers.len() < key.registers as usize
            || place.copies.len() < copies
        {
            return Err(Refused("words or registers that are not there"));
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
