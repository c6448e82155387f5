//! Memory: constants, global, local, shared; atomics.

use triglyph_guest::kernel::program::environment::{Span, Usage};
use triglyph_guest::kernel::program::reduction::Reduction;
use triglyph_guest::tegra::shader::isa::*;

use super::super::atomic::{Kind, compare_exchange, result};
use crate::maxwell::context::Context;
use crate::maxwell::lane::Lane;
use crate::maxwell::program::{Decoder, Op};

/// Which memory an access goes to.
#[derive(Clone, Copy)]
enum Memory {
    Global,
    Local,
    Shared,
}

/// Bytes that a constant buffer has at most.
const CONSTANT_BYTES: u32 = 0x1_0000;

/// Bits of a global address.
const ADDRESS: u64 = (1 << 40) - 1;

/// Where an instruction accesses memory.
#[derive(Clone, Copy)]
struct Access {
    memory: Memory,
    source: Address,
    /// Two registers hold the base.
    wide: bool,
    /// Bits of the offset.
    bits: u32,
}

impl Access {
    fn global(source: Address, wide: bool, bits: u32) -> Access {
        Access { memory: Memory::Global, source, wide, bits }
    }

    fn local(source: Address) -> Access {
        Access { memory: Memory::Local, source, wide: false, bits: 24 }
    }

    fn shared(source: Address) -> Access {
        Access { memory: Memory::Shared, source, wide: false, bits: 24 }
    }

    /// The address that a lane accesses: 40 bits of global memory, 32 bits of memory of a lane or a block.
    fn address(&self, lane: &Lane) -> u64 {
        let offset = self.source.effective_offset(self.bits);
        match self.memory {
            Memory::Global if self.wide => lane.read_pair(self.source.base).wrapping_add(offset as u64) & ADDRESS,
            Memory::Global => u64::from(lane.read(self.source.base)).wrapping_add(offset as u64) & ADDRESS,
            Memory::Local | Memory::Shared => lane.read(self.source.base).wrapping_add(offset as u32).into(),
        }
    }
}

/// Bytes at an address, 0 where nothing is mapped.
fn read_slice(memory: &[u8], at: u64, bytes: &mut [u8]) {
    for (i, byte) in bytes.iter_mut().enumerate() {
        *byte = usize::try_from(at).ok().and_then(|at| memory.get(at.checked_add(i)?)).copied().unwrap_or(0);
    }
}

fn write_slice(memory: &mut [u8], at: u64, bytes: &[u8]) {
    for (i, byte) in bytes.iter().enumerate() {
        let target = usize::try_from(at).ok().and_then(|at| memory.get_mut(at.checked_add(i)?));
        if let Some(target) = target {
            *target = *byte;
        }
    }
}

fn read(memory: Memory, at: u64, bytes: &mut [u8], lane: &Lane, context: &mut Context<'_>) {
    match memory {
        Memory::Global => context.environment.memory.read(at, bytes),
        Memory::Local => read_slice(&lane.local, at, bytes),
        Memory::Shared => read_slice(context.stage.shared(), at, bytes),
    }
}

/// Helpers do not write to memory that others see.
fn write(memory: Memory, at: u64, bytes: &[u8], lane: &mut Lane, context: &mut Context<'_>) {
    match memory {
        Memory::Local => write_slice(&mut lane.local, at, bytes),
        _ if lane.helper => {}
        Memory::Global => context.environment.memory.write(at, bytes),
        Memory::Shared => write_slice(context.stage.shared(), at, bytes),
    }
}

/// Stores what was loaded in registers.
fn store_loaded(lane: &mut Lane, dst: Reg, size: MemorySize, loaded: [u8; 16]) {
    let word = |i: usize| u32::from_le_bytes([loaded[i], loaded[i + 1], loaded[i + 2], loaded[i + 3]]);
    match size {
        MemorySize::U8 => lane.write(dst, loaded[0].into()),
        MemorySize::S8 => lane.write(dst, loaded[0] as i8 as u32),
        MemorySize::U16 => lane.write(dst, word(0) & 0xFFFF),
        MemorySize::S16 => lane.write(dst, word(0) as i16 as u32),
        MemorySize::B32 | MemorySize::B64 | MemorySize::B128 | MemorySize::UB128 => {
            for i in 0..usize::from(size.bytes()) / 4 {
                lane.write_at(dst, i as u8, word(4 * i));
            }
        }
    }
}

/// One or two registers.
fn value(lane: &Lane, reg: Reg, wide: bool) -> u64 {
    if wide { lane.read_pair(reg) } else { lane.read(reg).into() }
}

fn set_value(lane: &mut Lane, reg: Reg, wide: bool, value: u64) {
    if wide { lane.write_pair(reg, value) } else { lane.write(reg, value as u32) }
}

/// The value that is compared, and the one that follows it: one or two registers each.
fn pair(lane: &Lane, reg: Reg, wide: bool) -> (u64, u64) {
    let word = |i: u8| u64::from(lane.read_at(reg, i));
    if wide { (word(0) | word(1) << 32, word(2) | word(3) << 32) } else { (word(0), word(1)) }
}

/// Changes a value whose old one is not used, if there is memory for that. Returns whether there is.
fn reduce(reduction: Reduction, at: u64, act: impl Fn(u64) -> Option<u64>, context: &Context<'_>) -> bool {
    let (memory, bytes, usage) = (context.environment.memory, reduction.bytes(), Usage::Reduce(reduction));
    let is_aligned = at.is_multiple_of(bytes as u64);
    let Some(Span { start, window }) = memory.span(at, usage).filter(|_| is_aligned) else { return false };
    let place = window.from((at - start) as usize);
    if place.len() < bytes {
        return false;
    }
    let old = if reduction.wide { u64::from_le_bytes(place.read(0)) } else { place.read_word(0, 4).into() };
    if let Some(new) = act(old) {
        place.write(0, &new.to_le_bytes()[..bytes]);
    }
    memory.note(at, bytes as u64, usage);
    true
}

/// The reduction that an atomic on global memory is if its result is not used.
fn reduction_of(ty: AtomicType, op: AtomicOp, dst: Reg) -> Option<Reduction> {
    Reduction::of(ty, op).filter(|_| dst.is_zero())
}

impl Decoder<'_> {
    fn load(&mut self, guard: Guard, access: Access, dst: Reg, size: MemorySize) -> Op {
        self.lane(guard, move |lane, context| {
            let mut loaded = [0; 16];
            read(access.memory, access.address(lane), &mut loaded[..size.bytes().into()], lane, context);
            store_loaded(lane, dst, size, loaded);
        })
    }

    fn store(&mut self, guard: Guard, access: Access, data: Reg, size: MemorySize) -> Op {
        self.lane(guard, move |lane, context| {
            let mut stored = [0; 16];
            for (i, word) in stored.chunks_mut(4).enumerate() {
                word.copy_from_slice(&lane.read_at(data, i as u8).to_le_bytes());
            }
            write(access.memory, access.address(lane), &stored[..size.bytes().into()], lane, context);
        })
    }

    /// Exchanges a value of 4 or 8 bytes for what `act` makes of it, and gives it to `dst`.
    fn exchange(
        &mut self,
        guard: Guard,
        access: Access,
        wide: bool,
        (dst, reduction): (Option<Reg>, Option<Reduction>),
        act: impl Fn(u64, &Lane) -> Option<u64> + Send + Sync + 'static,
    ) -> Op {
        let bytes = if wide { 8 } else { 4 };
        self.lane(guard, move |lane, context| {
            let at = access.address(lane);
            let is_reduced = |reduction| reduce(reduction, at, |old| act(old, lane), context);
            if !lane.helper && reduction.is_some_and(is_reduced) {
                return;
            }
            let mut old = [0; 8];
            read(access.memory, at, &mut old[..bytes], lane, context);
            let old = u64::from_le_bytes(old);
            if let Some(new) = act(old, lane) {
                write(access.memory, at, &new.to_le_bytes()[..bytes], lane, context);
            }
            if let Some(dst) = dst {
                set_value(lane, dst, wide, old);
            }
        })
    }
}

impl MemoryVisitor for Decoder<'_> {
    type Output = Op;

    nothing! {
        cctl: CacheControl;
        cctll: CacheControl;
        cctlt: TextureCacheControl;
        cctlt_reg: TextureCacheControlReg;
        membar: MemoryBarrier;
        stp: Stp;
    }

    fn ldc(&mut self, i: LoadConstant) -> Op {
        // 64 bits at most.
        let size = if i.size.bytes() > 8 { MemorySize::B64 } else { i.size };
        let bytes = u32::from(size.bytes());
        self.lane(i.guard, move |lane, context| {
            let sum = lane.read(i.source.index).wrapping_add(i.source.offset as u32);
            let (slots, at) = match i.mode {
                LdcMode::Plain => (0, sum),
                LdcMode::Il | LdcMode::Is | LdcMode::Isl => (sum >> 16, sum & 0xFFFF),
            };
            let (slot, at) = (u32::from(i.source.slot) + slots, at & !(bytes - 1));
            let mut loaded = [0; 16];
            if let Some(buffer) = context.environment.constants.get(slot as usize).filter(|_| at < CONSTANT_BYTES) {
                for (byte, at) in loaded.iter_mut().zip(at..at + bytes) {
                    [*byte] = buffer.read(at as usize);
                }
            }
            store_loaded(lane, i.dst, size, loaded);
        })
    }

    fn ld(&mut self, i: GenericAccess) -> Op {
        self.load(i.guard, Access::global(i.address, i.wide, 32), i.data, i.size)
    }

    fn st(&mut self, i: GenericAccess) -> Op {
        self.store(i.guard, Access::global(i.address, i.wide, 32), i.data, i.size)
    }

    fn ldg(&mut self, i: GlobalAccess) -> Op {
        self.load(i.guard, Access::global(i.address, i.wide, 24), i.data, i.size)
    }

    fn ldg_p(&mut self, i: GlobalPredicated) -> Op {
        self.load(i.guard, Access::global(i.address, i.wide, 20), i.dst, i.size)
    }

    fn stg(&mut self, i: GlobalAccess) -> Op {
        self.store(i.guard, Access::global(i.address, i.wide, 24), i.data, i.size)
    }

    fn ldl(&mut self, i: LocalAccess) -> Op {
        self.load(i.guard, Access::local(i.address), i.data, i.size)
    }

    fn stl(&mut self, i: LocalAccess) -> Op {
        self.store(i.guard, Access::local(i.address), i.data, i.size)
    }

    fn lds(&mut self, i: SharedAccess) -> Op {
        self.load(i.guard, Access::shared(i.address), i.data, i.size)
    }

    fn sts(&mut self, i: SharedAccess) -> Op {
        self.store(i.guard, Access::shared(i.address), i.data, i.size)
    }

    fn atom(&mut self, i: GlobalAtomic) -> Op {
        let (kind, access) = (Kind::of(i.ty), Access::global(i.address, i.wide, 20));
        let reduction = reduction_of(i.ty, i.op, i.dst);
        self.exchange(i.guard, access, kind.is_wide(), (Some(i.dst), reduction), move |old, lane| {
            result(kind, i.op, old, value(lane, i.b, kind.is_wide()))
        })
    }

    fn atom_cas(&mut self, i: GlobalCas) -> Op {
        let access = Access::global(i.address, i.wide, 20);
        self.exchange(i.guard, access, i.bits64, (Some(i.dst), None), move |old, lane| {
            compare_exchange(old, pair(lane, i.b, i.bits64))
        })
    }

    fn atoms(&mut self, i: SharedAtomic) -> Op {
        let kind = Kind::of_shared(i.ty);
        self.exchange(i.guard, Access::shared(i.address), kind.is_wide(), (Some(i.dst), None), move |old, lane| {
            result(kind, i.op, old, value(lane, i.b, kind.is_wide()))
        })
    }

    fn atoms_cas(&mut self, i: SharedCas) -> Op {
        self.exchange(i.guard, Access::shared(i.address), i.bits64, (Some(i.dst), None), move |old, lane| {
            compare_exchange(old, pair(lane, i.b, i.bits64))
        })
    }

    fn red(&mut self, i: Reduce) -> Op {
        let (kind, access) = (Kind::of(i.ty), Access::global(i.address, i.wide, 20));
        let reduction = reduction_of(i.ty, i.op, Reg::RZ);
        self.exchange(i.guard, access, kind.is_wide(), (None, reduction), move |old, lane| {
            result(kind, i.op, old, value(lane, i.data, kind.is_wide()))
        })
    }
}
