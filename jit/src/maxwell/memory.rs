//! Memory: constants by computed address, global and local memory, atomics.

use cranelift_codegen::ir::InstBuilder;
use triglyph_guest::kernel::program::environment::{CONSTANT_BUFFERS, Environment, Usage};
use triglyph_guest::kernel::program::reduction::Reduction;
use triglyph_guest::num::ops::Ops;
use triglyph_guest::tegra::shader::isa::*;

use super::access::{Access, Action, Space};
use super::atomic::{self, WordOperation};
use super::control::nothing;
use super::direct_args::{CONSTANT_BYTES, Mapped};
use super::vectors::Vectors;
use super::{Done, LaneValue, Lower};
use crate::lane::{I32x4, Mask};

/// Index of the first data vector. Before it: lanes that load, lanes that store, lower and upper words of addresses.
pub const DATA: usize = 4;

/// Performs an access, lane after lane. Vectors: lanes that load, lanes that store, addresses (two words), data (four
/// words; for compare and exchange the compared value, then the new one). `mapped` is what the instruction has cached
/// of global memory.
pub fn perform(
    access: Access,
    vectors: &mut Vectors,
    environment: &Environment<'_>,
    own: [&mut [u8]; 2],
    mut mapped: Option<&mut Mapped>,
) {
    let [local, shared] = own;
    let reduction = if access.space == Space::Global { reduction(access) } else { None };
    if access.action == Action::Clear {
        return local.fill(0);
    }
    let size = usize::from(access.bytes).clamp(1, 16);
    let lane_bytes = local.len() / 4;
    for lane in 0..4 {
        let (loads, stores) = (vectors[0][lane] != 0, vectors[1][lane] != 0);
        let address = u64::from(vectors[2][lane]) | u64::from(vectors[3][lane]) << 32;
        let local = match access.space {
            Space::Shared => &mut *shared,
            _ => &mut local[lane * lane_bytes..(lane + 1) * lane_bytes],
        };
        let mut lane_mapped = mapped.as_deref_mut();
        if let Some(reduction) = reduction.filter(|_| loads && stores) {
            lane_mapped = lane_mapped.filter(|_| address.is_multiple_of(reduction.bytes() as u64));
            if let Some(mapped) = lane_mapped.as_mut().filter(|mapped| !mapped.has(address, size)) {
                mapped.change(address & 0xFF_FFFF_FFFF, Usage::Reduce(reduction), environment);
            }
        }
        let mut memory = MemoryRef { environment, mapped: lane_mapped, local, access, address };
        let mut data = [0u8; 16];
        for (n, bytes) in data.chunks_exact_mut(4).enumerate() {
            bytes.copy_from_slice(&vectors[DATA + n][lane].to_le_bytes());
        }
        if access.action == Action::Store {
            if stores {
                memory.write(&data[..size]);
            }
            continue;
        }
        if !loads {
            continue;
        }
        let mut old = [0u8; 16];
        memory.read(&mut old[..size]);
        if stores && let Some(new) = atomic::changed(access, &old, &data) {
            memory.write(&new[..size]);
        }
        if access.signed && size < 4 {
            let sign = if old[size - 1] & 0x80 != 0 { 0xFF } else { 0 };
            old[size..4].fill(sign);
        }
        for (n, bytes) in old.chunks_exact(4).enumerate() {
            vectors[DATA + n][lane] = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        }
    }
}

/// The instruction number of accesses that cache no mapping.
pub const NOT_MAPPED: u32 = u32::MAX;

/// Caches the mapping that the first active lane is in, for an instruction.
pub fn remember(access: Access, vectors: &Vectors, mapped: &mut Mapped, environment: &Environment<'_>) {
    let active = usize::from(access.action == Action::Store);
    let Some(lane) = (0..4).find(|&lane| vectors[active][lane] != 0) else { return };
    let address = u64::from(vectors[2][lane]) | u64::from(vectors[3][lane] & 0xFF) << 32;
    if !mapped.has(address, access.bytes.into()) {
        mapped.change(address, usage(access), environment);
    }
}

/// What an access does with global memory.
fn usage(access: Access) -> Usage {
    match (access.action, reduction(access)) {
        (Action::Load, _) => Usage::Load,
        (_, Some(reduction)) => Usage::Reduce(reduction),
        _ => Usage::Store,
    }
}

/// The reduction that an atomic is if its result is not used.
fn reduction(access: Access) -> Option<Reduction> {
    let is_unread = access.action == Action::Atomic && access.unread;
    Reduction::of(AtomicType::from_bits(access.ty), AtomicOp::from_bits(access.op)).filter(|_| is_unread)
}

/// A memory reference, of one lane or of a block.
struct MemoryRef<'p, 'e> {
    environment: &'p Environment<'e>,
    mapped: Option<&'p mut Mapped>,
    local: &'p mut [u8],
    access: Access,
    address: u64,
}

impl MemoryRef<'_, '_> {
    fn read(&mut self, bytes: &mut [u8]) {
        match self.access.space {
            Space::Global => {
                let environment = self.environment;
                if !self.mapped.as_mut().is_some_and(|mapped| mapped.read(self.address, bytes, environment)) {
                    environment.memory.read(self.address, bytes);
                }
            }
            Space::Local | Space::Shared => {
                for (at, byte) in (self.address..).zip(bytes) {
                    *byte = usize::try_from(at).ok().and_then(|at| self.local.get(at)).copied().unwrap_or(0);
                }
            }
            Space::Constant => {
                let (mut slot, mut at) = (usize::from(self.access.slot), self.address as u32 as usize);
                if self.access.slot_indexed {
                    slot += at >> 16;
                    at &= 0xFFFF;
                }
                let inside = slot < CONSTANT_BUFFERS && at < CONSTANT_BYTES;
                let window = self.environment.constants.get(slot).filter(|_| inside);
                for (n, byte) in bytes.iter_mut().enumerate() {
                    *byte = window.map_or(0, |window| window.read::<1>(at + n)[0]);
                }
            }
        }
    }

    fn write(&mut self, bytes: &[u8]) {
        match self.access.space {
            Space::Global => {
                if !self.mapped.as_mut().is_some_and(|mapped| mapped.write(self.address, bytes)) {
                    self.environment.memory.write(self.address, bytes);
                }
            }
            Space::Local | Space::Shared => {
                for (at, &byte) in (self.address..).zip(bytes) {
                    if let Some(place) = usize::try_from(at).ok().and_then(|at| self.local.get_mut(at)) {
                        *place = byte;
                    }
                }
            }
            Space::Constant => {}
        }
    }
}

/// Bytes of an access, and whether its sign is extended.
fn size(size: MemorySize) -> (u8, bool) {
    match size {
        MemorySize::U8 => (1, false),
        MemorySize::S8 => (1, true),
        MemorySize::U16 => (2, false),
        MemorySize::S16 => (2, true),
        MemorySize::B32 => (4, false),
        MemorySize::B64 => (8, false),
        MemorySize::B128 | MemorySize::UB128 => (16, false),
    }
}

/// Registers of an access.
fn registers(bytes: u8) -> u8 {
    bytes.div_ceil(4)
}

impl Lower<'_, '_> {
    /// Lanes that load and lanes that store.
    pub(super) fn access_masks(&mut self) -> [I32x4; 2] {
        let (loads, stores) = (self.active(), self.storing());
        [loads, stores].map(|mask| match mask {
            Some(mask) => I32x4(mask.0),
            None => self.e().i(-1),
        })
    }

    /// Lower and upper words of a global address.
    fn global_address(&mut self, address: Address, wide: bool, bits: u32) -> [I32x4; 2] {
        let offset = address.effective_offset(bits);
        let low = self.reg_int(address.base);
        let high = if wide { self.reg_int(Self::following(address.base, 1)) } else { self.e().i(0) };
        let e = self.e();
        let (add_low, add_high) = (e.i(offset as i32), e.i((offset >> 32) as i32));
        let sum = e.iadd(low, add_low);
        // There is a carry if the sum is less than an addend.
        let both = e.iand(low, add_low);
        let either = e.ior(low, add_low);
        let lost = I32x4(e.b.ins().band_not(either.0, sum.0));
        let carry = e.ior(both, lost);
        let carry = e.ushr(carry, 31);
        let high = e.iadd(high, add_high);
        [sum, e.iadd(high, carry)]
    }

    /// An address of 32 bits.
    fn address32(&mut self, address: Address, bits: u32) -> [I32x4; 2] {
        let offset = address.effective_offset(bits);
        let low = self.reg_int(address.base);
        let e = self.e();
        let offset = e.i(offset as i32);
        [e.iadd(low, offset), e.i(0)]
    }

    fn load(&mut self, mut access: Access, dst: Reg, (bytes, signed): (u8, bool), address: [I32x4; 2]) -> Done {
        (access.bytes, access.signed) = (bytes, signed);
        let masks = self.access_masks();
        let words = match self.direct_access(access, address) {
            Some(direct) => self.load_directly(access, &direct, masks, address),
            None => {
                let words: [I32x4; 4] = self.access(access, NOT_MAPPED, &[masks[0], masks[1], address[0], address[1]]);
                words.to_vec()
            }
        };
        for (n, word) in (0..registers(bytes)).zip(words) {
            self.set_int(Self::following(dst, n), word);
        }
        Ok(())
    }

    fn store(&mut self, access: Access, data: Reg, bytes: u8, address: [I32x4; 2]) -> Done {
        let masks = self.access_masks();
        self.store_masked(Access { bytes, ..access }, masks, data, address)
    }

    fn store_masked(&mut self, access: Access, masks: [I32x4; 2], data: Reg, address: [I32x4; 2]) -> Done {
        let mut sources = vec![masks[0], masks[1], address[0], address[1]];
        let data: Vec<I32x4> = (0..registers(access.bytes)).map(|n| self.reg_int(Self::following(data, n))).collect();
        sources.extend(&data);
        // In a masked block not all lanes store.
        let direct = if self.exec.is_none() { self.direct_access(access, address) } else { None };
        match direct {
            Some(direct) => self.store_directly(access, &direct, &sources, &data),
            None => {
                let number = self.mapping(access.space);
                let [] = self.access(access, number, &sources);
            }
        }
        Ok(())
    }

    /// The number of an instruction that caches a mapping, if its accesses are to global memory.
    fn mapping(&mut self, space: Space) -> u32 {
        if space == Space::Global { self.needs.new_mapping() } else { NOT_MAPPED }
    }

    /// An atomic, or a compare and exchange of a word. `operands`: its operand, or the compared value and the new one.
    fn atomic(&mut self, access: Access, dst: Reg, operands: [I32x4; 2], address: [I32x4; 2]) -> Done {
        let [loads, stores] = self.access_masks();
        let sources = [loads, stores, address[0], address[1], operands[0], operands[1]];
        // In a masked block not all lanes store.
        let operation = WordOperation::of(access).filter(|_| self.exec.is_none());
        let direct = operation.and_then(|operation| Some((operation, self.direct_access(access, address)?)));
        if let Some((operation, direct)) = direct {
            let found = self.atomic_directly(access, &direct, operation, &sources);
            self.set_int(dst, found);
            return Ok(());
        }
        let number = self.mapping(access.space);
        let words: [I32x4; 2] = self.access(access, number, &sources);
        for (n, word) in (0..registers(access.bytes)).zip(words) {
            self.set_int(Self::following(dst, n), word);
        }
        Ok(())
    }

    /// Compare and exchange.
    fn compare_exchange(&mut self, space: Space, bits64: bool, dst: Reg, b: Reg, address: [I32x4; 2]) -> Done {
        if !bits64 {
            let operands = self.pair(b);
            return self.atomic(Access::new(space, Action::Cas, 4), dst, operands, address);
        }
        let bytes = 8;
        let [loads, stores] = self.access_masks();
        let mut sources = vec![loads, stores, address[0], address[1]];
        for n in 0..bytes / 2 {
            sources.push(self.reg_int(Self::following(b, n)));
        }
        let number = self.mapping(space);
        let words: [I32x4; 2] = self.access(Access::new(space, Action::Cas, bytes), number, &sources);
        for (n, word) in (0..registers(bytes)).zip(words) {
            self.set_int(Self::following(dst, n), word);
        }
        Ok(())
    }

    fn pair(&mut self, reg: Reg) -> [I32x4; 2] {
        [0, 1].map(|n| self.reg_int(Self::following(reg, n)))
    }

    /// A constant at a compile-time address.
    fn fixed_constant(&mut self, i: &LoadConstant, bytes: u8, signed: bool) -> bool {
        if !i.source.index.is_zero() {
            return false;
        }
        let offset = i.source.offset as u16 & !(u16::from(bytes) - 1);
        let (word, place) = (offset & !3, offset & 3);
        // A negative offset is beyond the buffer, or selects a slot that does not exist.
        let nowhere = i.source.offset < 0;
        for n in 0..registers(bytes) {
            let constant = Constant { slot: i.source.slot, offset: word + 4 * u16::from(n) };
            let number = if nowhere { LaneValue::int(self.e().i(0)) } else { self.constant(constant) };
            if bytes >= 4 {
                self.set_reg(Self::following(i.dst, n), number);
                continue;
            }
            let value = self.value_int(number);
            let width = 8 * u32::from(bytes);
            let e = self.e();
            let up = e.ishl(value, 32 - width - 8 * u32::from(place));
            let value = if signed { e.ishr(up, 32 - width) } else { e.ushr(up, 32 - width) };
            self.set_int(i.dst, value);
        }
        true
    }
}

impl MemoryVisitor for Lower<'_, '_> {
    type Output = Done;

    fn ldc(&mut self, i: LoadConstant) -> Done {
        let (bytes, signed) = size(i.size);
        // No more than 64 bits are loaded.
        let bytes = bytes.min(8);
        if self.fixed_constant(&i, bytes, signed) {
            return Ok(());
        }
        let mut access = Access::new(Space::Constant, Action::Load, bytes);
        access.slot = i.source.slot;
        access.slot_indexed = i.mode != LdcMode::Plain;
        let index = self.reg_int(i.source.index);
        let e = self.e();
        let (offset, aligned) = (e.i(i.source.offset.into()), e.i(-i32::from(bytes)));
        let sum = e.iadd(index, offset);
        let address = [e.iand(sum, aligned), e.i(0)];
        self.load(access, i.dst, (bytes, signed), address)
    }

    fn ld(&mut self, i: GenericAccess) -> Done {
        let address = self.global_address(i.address, i.wide, 32);
        self.load(Access::new(Space::Global, Action::Load, 0), i.data, size(i.size), address)
    }

    fn st(&mut self, i: GenericAccess) -> Done {
        let address = self.global_address(i.address, i.wide, 32);
        self.store(Access::new(Space::Global, Action::Store, 0), i.data, size(i.size).0, address)
    }

    fn ldg(&mut self, i: GlobalAccess) -> Done {
        let address = self.global_address(i.address, i.wide, 24);
        self.load(Access::new(Space::Global, Action::Load, 0), i.data, size(i.size), address)
    }

    fn ldg_p(&mut self, i: GlobalPredicated) -> Done {
        let address = self.global_address(i.address, i.wide, 20);
        self.load(Access::new(Space::Global, Action::Load, 0), i.dst, size(i.size), address)
    }

    fn stg(&mut self, i: GlobalAccess) -> Done {
        let address = self.global_address(i.address, i.wide, 24);
        self.store(Access::new(Space::Global, Action::Store, 0), i.data, size(i.size).0, address)
    }

    fn ldl(&mut self, i: LocalAccess) -> Done {
        self.needs.local = true;
        let address = self.address32(i.address, 24);
        self.load(Access::new(Space::Local, Action::Load, 0), i.data, size(i.size), address)
    }

    fn stl(&mut self, i: LocalAccess) -> Done {
        self.needs.local = true;
        let address = self.address32(i.address, 24);
        // Local memory is private: helper pixels write their own.
        let mask = self.active();
        let mask = match mask {
            Some(mask) => mask,
            None => Mask(self.e().i(-1).0),
        };
        let access = Access::new(Space::Local, Action::Store, size(i.size).0);
        self.store_masked(access, [I32x4(mask.0); 2], i.data, address)
    }

    fn lds(&mut self, i: SharedAccess) -> Done {
        let address = self.address32(i.address, 24);
        self.load(Access::new(Space::Shared, Action::Load, 0), i.data, size(i.size), address)
    }

    fn sts(&mut self, i: SharedAccess) -> Done {
        let address = self.address32(i.address, 24);
        self.store(Access::new(Space::Shared, Action::Store, 0), i.data, size(i.size).0, address)
    }

    fn atom(&mut self, i: GlobalAtomic) -> Done {
        let address = self.global_address(i.address, i.wide, 20);
        let access = Access { unread: i.dst.is_zero(), ..atomic_access(i.ty, i.op) };
        let sources = self.pair(i.b);
        self.atomic(access, i.dst, sources, address)
    }

    fn atom_cas(&mut self, i: GlobalCas) -> Done {
        let address = self.global_address(i.address, i.wide, 20);
        self.compare_exchange(Space::Global, i.bits64, i.dst, i.b, address)
    }

    fn atoms(&mut self, i: SharedAtomic) -> Done {
        let address = self.address32(i.address, 24);
        let ty = match i.ty {
            SharedAtomicType::U32 => AtomicType::U32,
            SharedAtomicType::S32 => AtomicType::S32,
            SharedAtomicType::U64 => AtomicType::U64,
            SharedAtomicType::S64 => AtomicType::S64,
        };
        let access = Access { space: Space::Shared, ..atomic_access(ty, i.op) };
        let sources = self.pair(i.b);
        self.atomic(access, i.dst, sources, address)
    }

    fn atoms_cas(&mut self, i: SharedCas) -> Done {
        let address = self.address32(i.address, 24);
        self.compare_exchange(Space::Shared, i.bits64, i.dst, i.b, address)
    }

    fn red(&mut self, i: Reduce) -> Done {
        let address = self.global_address(i.address, i.wide, 20);
        let access = Access { unread: true, ..atomic_access(i.ty, i.op) };
        let sources = self.pair(i.data);
        self.atomic(access, Reg::RZ, sources, address)
    }

    nothing! {
        cctl: CacheControl;
        cctll: CacheControl;
        cctlt: TextureCacheControl;
        cctlt_reg: TextureCacheControlReg;
        membar: MemoryBarrier;
        stp: Stp;
    }
}

fn atomic_access(ty: AtomicType, op: AtomicOp) -> Access {
    let bytes = if matches!(ty, AtomicType::U64 | AtomicType::S64) { 8 } else { 4 };
    Access { ty: ty.bits(), op: op.bits(), ..Access::new(Space::Global, Action::Atomic, bytes) }
}

impl Lower<'_, '_> {
    /// Whether the program names local memory.
    pub(super) fn uses_local(&self) -> bool {
        self.code.words.iter().any(|&word| matches!(decode(word), Some(Op::ldl | Op::stl)))
    }

    /// All of local memory is 0 when a program begins.
    pub(super) fn clear_local(&mut self) {
        let [] = self.access(Access::new(Space::Local, Action::Clear, 0), NOT_MAPPED, &[]);
    }
}
