//! Packet traces: one packet after the other, as the contract defines it.

use triglyph_guest::kernel::Unsupported;
use triglyph_guest::kernel::packet_trace::{Packet, PacketTraceKernel, PacketTraceKey, PacketTraceMachine, Store};

/// A packet trace kernel: its key.
#[derive(Clone, Debug)]
pub struct Kernel(pub PacketTraceKey);

impl Kernel {
    fn store(&self, words: &[u32], machine: &mut dyn PacketTraceMachine, store: &Store) {
        let Store { at, field: (shift, bits), register, mask, groups } = store;
        let target = machine.registers();
        for (i, groups) in groups.iter().enumerate() {
            let value = words[*at as usize + i] >> shift & (u32::MAX >> (32 - *bits));
            let register = *register as usize + i;
            let old = target.registers[register].get();
            let new = old & !mask | value & mask;
            target.registers[register].set(new);
            if self.0.copies {
                target.copies[register].set(new);
            }
            if self.0.copies || new != old {
                target.dirty.set(target.dirty.get() | groups);
            }
        }
    }
}

impl PacketTraceKernel for Kernel {
    fn run(&self, words: &[u32], machine: &mut dyn PacketTraceMachine) -> Result<u32, Unsupported> {
        let key = &self.0;
        if !key.is_sound() || words.len() < key.words as usize || !key.fits(machine.registers()) {
            return Err(Unsupported("words or registers that are not there"));
        }
        let mut done = 0;
        while done < key.packets.len() {
            let group = &key.packets[done..done + key.group(done)];
            if group.iter().any(|packet| words[packet.header as usize] & packet.mask != packet.word) {
                break;
            }
            for Packet { expected, stores, .. } in group {
                done += 1;
                if !stores.is_empty() && expected.iter().all(|&(at, word)| words[at as usize] == word) {
                    for store in stores {
                        self.store(words, machine, store);
                    }
                } else if !machine.call(done as u32 - 1) {
                    return Ok(done as u32);
                }
            }
        }
        Ok(done as u32)
    }
}
