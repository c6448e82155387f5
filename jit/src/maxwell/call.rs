//! Calls from compiled code to Rust functions: memory accesses that are not direct, images, and libcalls.
//!
//! Arguments and results are vectors of the [`Context`], whose address is the first argument. Functions touch nothing
//! but what it lends them ([`Lent`]).

#![allow(unsafe_code)]

use std::mem::offset_of;
use std::slice;

use cranelift_codegen::ir::types::{I32, I32X4, I64};
use cranelift_codegen::ir::{AbiParam, InstBuilder, Signature, Type, Value};
use triglyph_guest::kernel::program::environment::{Environment, ImageKey};

use super::access::{Access, Space};
use super::direct_args::Mapped;
use super::emitted::Emitted;
use super::image::{self, HandleEntry, ImageAccess};
use super::libcalls::{self, Libcall};
use super::memory;
use super::vectors::{SLICES, VECTORS, Vectors};
use super::{Context, Lanes, Lower};
use crate::convention::host_convention;
use crate::guard::guarded;
use crate::lane::{I32x4, Mask, Pairs};

/// Offset of vector `n` from the context.
const fn vector_at(n: usize) -> i32 {
    (offset_of!(Context, vectors) + 16 * n) as i32
}

/// Offset of the vector through which warp slice `n` passes a register to the others.
pub const fn exchange_at(n: usize) -> i32 {
    vector_at(VECTORS - SLICES + n)
}

/// Signature of the functions: the context, a packed operation, an instruction number.
// SAFETY: compiled code passes the context that it runs with.
type Function = host_convention!(unsafe fn(*mut Context, u64, u32));

/// What a function may use while code waits for it.
struct Lent<'c> {
    /// Arguments and results.
    vectors: &'c mut Vectors,
    environment: &'c Environment<'c>,
    /// Local memory of the four lanes.
    local: &'c mut [u8],
    shared: &'c mut [u8],
    mapped: &'c mut [Mapped],
    images: &'c [Option<ImageKey>],
    /// Tables from handles to textures and to images.
    known: [&'c [HandleEntry]; 2],
    /// The vertices of a geometry program.
    emitted: Option<&'c mut Emitted>,
}

impl<'c> Lent<'c> {
    /// # Safety
    /// `context` must be that of code that waits for the function: its pointers are valid, and until the function
    /// returns the context and what it points to are used through the result alone.
    unsafe fn by(context: *mut Context) -> Self {
        // SAFETY: the caller vouches for the context. `Prepared` owns lists of as many entries as it has written beside
        // their pointers, and four times `local_bytes`. Shared memory is that of the block, whose warps run one after
        // the other on one thread, or no bytes at a dangling pointer. `emitted` is null or a geometry kernel's own
        // list. The environment is that of the job, which is borrowed while the code runs.
        unsafe {
            let context = &mut *context;
            Lent {
                vectors: &mut context.vectors,
                environment: &*context.environment,
                local: slice::from_raw_parts_mut(context.local, 4 * context.local_bytes as usize),
                shared: slice::from_raw_parts_mut(context.shared, context.shared_bytes as usize),
                mapped: slice::from_raw_parts_mut(context.mapped, context.mapped_count as usize),
                images: slice::from_raw_parts(context.images, context.image_count as usize),
                known: context.known.map(|list| slice::from_raw_parts(list.first, list.count as usize)),
                emitted: context.emitted.as_mut(),
            }
        }
    }
}

/// A function that code calls.
trait Callee {
    fn run(lent: Lent<'_>, code: u64, number: u32);
}

host_convention! {
    /// What code calls for it.
    ///
    /// # Safety
    /// For compiled code alone, with the context that it was called with.
    unsafe fn enter<C: Callee>(context: *mut Context, code: u64, number: u32) {
        // SAFETY: code passes on the address of the context that it was called with. The caller of the code keeps that
        // alive and has no reference to it, and the code does not touch it, until this function returns.
        let lent = unsafe { Lent::by(context) };
        guarded((), || C::run(lent, code, number));
    }
}

/// Applies a libcall: its number and its operand.
struct CallLibcall;

impl Callee for CallLibcall {
    fn run(lent: Lent<'_>, code: u64, operand: u32) {
        libcalls::apply(lent.vectors, Libcall::ALL[code as usize].function(), operand);
    }
}

/// Loads and stores: a packed access, the instruction's number.
struct CallMemory;

impl Callee for CallMemory {
    fn run(lent: Lent<'_>, access: u64, number: u32) {
        let access = Access::unpack(access);
        let mut mapped = lent.mapped.get_mut(number as usize).filter(|_| access.space == Space::Global);
        if let Some(mapped) = &mut mapped {
            memory::remember(access, lent.vectors, mapped, lent.environment);
        }
        memory::perform(access, lent.vectors, lent.environment, [lent.local, lent.shared], mapped);
    }
}

/// Accesses images: a packed access.
struct CallImage;

impl Callee for CallImage {
    fn run(lent: Lent<'_>, access: u64, _: u32) {
        image::perform(ImageAccess::unpack(access), lent.vectors, lent.environment, lent.images);
    }
}

/// Finds resources by handle: whether images.
struct CallFind;

impl Callee for CallFind {
    fn run(lent: Lent<'_>, images: u64, _: u32) {
        image::find(lent.known[usize::from(images != 0)], lent.vectors);
    }
}

/// Emits vertices and cuts: which of them.
struct CallEmit;

impl Callee for CallEmit {
    fn run(lent: Lent<'_>, kind: u64, _: u32) {
        if let Some(emitted) = lent.emitted {
            emitted.emit(kind as u8, lent.vectors[0], lent.vectors[1]);
        }
    }
}

impl Lower<'_, '_> {
    /// Emits a vertex of the lanes, cuts, or both.
    pub(super) fn emit_call(&mut self, kind: u8, lanes: I32x4, stream: I32x4) {
        let [] = self.call::<CallEmit, _>(kind.into(), 0, &[lanes, stream], []);
    }

    /// Emits what slices that are executed at once do one after the other, with values of these types: what happens in
    /// memory, and what calls. Of other lanes, the order of memory accesses is that of whole iterations.
    pub(super) fn one_after_the_other(
        &mut self,
        types: &[Type],
        emit: impl FnOnce(&mut Self) -> Vec<Value>,
    ) -> Vec<Value> {
        if self.lanes != Lanes::WarpSlice {
            return emit(self);
        }
        self.may_restart = false;
        self.apart(types, emit)
    }

    /// Emits what iterations do one after the other, with values of these types.
    fn apart(&mut self, types: &[Type], emit: impl FnOnce(&mut Self) -> Vec<Value>) -> Vec<Value> {
        let e = self.e();
        if e.caps.pairs == Pairs::Never {
            return emit(self);
        }
        let done = e.block(types);
        e.serialize_until(done);
        let values = emit(self);
        let e = self.e();
        e.jump(done, &values);
        e.switch_to(done);
        (0..types.len()).map(|n| e.parameter(done, n)).collect()
    }

    /// As [`Self::call`] of a function that changes nothing but the vectors.
    fn call_pure<C: Callee, const N: usize>(&mut self, code: u64, number: u32, sources: &[I32x4]) -> [I32x4; N] {
        let found = self.apart(&[I32X4; N], |lower| {
            lower.call_alone::<C>(code, number, sources, true);
            lower.results(std::array::from_fn::<_, N, _>(|n| n))
        });
        std::array::from_fn(|n| I32x4(found[n]))
    }

    /// Calls a function. Returns what it has left in these vectors.
    fn call<C: Callee, const N: usize>(
        &mut self,
        code: u64,
        number: u32,
        sources: &[I32x4],
        results: [usize; N],
    ) -> [I32x4; N] {
        let found = self.one_after_the_other(&[I32X4; N], |lower| {
            lower.call_alone::<C>(code, number, sources, false);
            lower.results(results)
        });
        std::array::from_fn(|n| I32x4(found[n]))
    }

    fn results<const N: usize>(&mut self, results: [usize; N]) -> Vec<Value> {
        let context = self.host.context();
        results.map(|n| self.host.e().load_ints(context, vector_at(n)).0).to_vec()
    }

    fn call_alone<C: Callee>(&mut self, code: u64, number: u32, sources: &[I32x4], is_pure: bool) {
        let function: Function = enter::<C>;
        let context = self.host.context();
        let e = self.host.e();
        for (n, source) in sources.iter().enumerate() {
            e.store(source.0, context, vector_at(n));
            if is_pure {
                e.mark_repeatable();
            }
        }
        if let Some(local) = self.local.filter(|_| !is_pure) {
            e.store(local, context, offset_of!(Context, local) as i32);
        }
        let mut signature = Signature::new(e.b.func.signature.call_conv);
        signature.params.extend([I64, I64, I32].map(AbiParam::new));
        let signature = e.b.import_signature(signature);
        let (address, code, number) = (e.i64(function as usize as i64), e.i64(code as i64), e.i32(number as i32));
        e.b.ins().call_indirect(signature, address, &[context, code, number]);
        if is_pure {
            e.mark_repeatable();
        }
    }

    /// Calls a libcall; it has at most two results.
    pub(super) fn libcall<const N: usize>(&mut self, what: Libcall, code: u32, sources: &[I32x4]) -> [I32x4; N] {
        self.call_pure::<CallLibcall, N>(what as u64, code, sources)
    }

    /// Indices of the images that have these handles, and which of the key's formats they have.
    pub(super) fn find_image(&mut self, handle: I32x4) -> [I32x4; 2] {
        self.call_pure::<CallFind, 2>(1, 0, &[handle])
    }

    /// Indices of the textures that have these handles, and which of the key's texture kinds they are.
    pub(super) fn find_texture(&mut self, handle: I32x4) -> [I32x4; 2] {
        self.call_pure::<CallFind, 2>(0, 0, &[handle])
    }

    /// Accesses images; `sources` as [`image::perform`] defines them. Returns the lanes whose coordinates are inside,
    /// and the data read.
    pub(super) fn image_call(&mut self, access: ImageAccess, sources: &[I32x4]) -> (Mask, [I32x4; 4]) {
        const RESULTS: [usize; 5] = [0, image::DATA, image::DATA + 1, image::DATA + 2, image::DATA + 3];
        let [inside, words @ ..] = self.call::<CallImage, 5>(access.pack(), 0, sources, RESULTS);
        (Mask(inside.0), words)
    }

    /// Loads and stores; `sources` as [`memory::perform`] defines them. Returns the first words that were loaded.
    /// `number` is that of the instruction, if it caches a mapping.
    pub(super) fn access<const N: usize>(&mut self, access: Access, number: u32, sources: &[I32x4]) -> [I32x4; N] {
        self.call::<CallMemory, N>(access.pack(), number, sources, std::array::from_fn(|n| memory::DATA + n))
    }
}
