//! Packet traces: one word after the other, as the contract defines it.

use triglyph_guest::kernel::Unsupported;
use triglyph_guest::kernel::packet_trace::{PacketTraceKernel, PacketTraceKey, Store, TraceRegisters};

/// A packet trace kernel: its key.
#[derive(Clone, Debug)]
pub struct Kernel(pub PacketTraceKey);

impl PacketTraceKernel for Kernel {
    fn run(&self, words: &[u32], target: TraceRegisters<'_>) -> Result<(), Unsupported> {
        let key = &self.0;
        if !key.is_sound() || !key.fits(words, target) {
            return Err(Unsupported("words or registers that are not there"));
        }
        for Store { at, field: (shift, bits), register, mask, groups } in &key.stores {
            for (i, groups) in groups.iter().enumerate() {
                let value = words[*at as usize + i] >> shift & (u32::MAX >> (32 - *bits));
                let register = *register as usize + i;
                let old = target.registers[register].get();
                let new = old & !mask | value & mask;
                target.registers[register].set(new);
                if key.copies {
                    target.copies[register].set(new);
                }
                if key.copies || new != old {
                    target.dirty.set(target.dirty.get() | groups);
                }
            }
        }
        Ok(())
    }
}
