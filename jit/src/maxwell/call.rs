//! Calls from compiled code to Rust functions: memory accesses that are not direct, images, and libcalls.
//!
//! Arguments and results are vectors of the [`Context`], whose address is the first argument. Functions are `extern
//! "C"`, do not panic and touch nothing but the context and what its environment borrows.

#![allow(unsafe_code)]

use std::mem::offset_of;

use cranelift_codegen::ir::types::{I32, I64};
use cranelift_codegen::ir::{AbiParam, InstBuilder, Signature};

use super::access::{Access, Space};
use super::image::{self, ImageAccess};
use super::libcalls::{self, Libcall};
use super::memory;
use super::vectors::{SLICES, VECTORS};
use super::{Context, Lower};
use crate::guard::guarded;
use crate::lane::{I32x4, Mask};

/// Offset of vector `n` from the context.
const fn vector_at(n: usize) -> i32 {
    (offset_of!(Context, vectors) + 16 * n) as i32
}

/// Offset of the vector through which warp slice `n` passes a register to the others.
pub const fn exchange_at(n: usize) -> i32 {
    vector_at(VECTORS - SLICES + n)
}

/// Signature of the functions: the context, a packed operation, an instruction number.
type Function = extern "C" fn(*mut Context, u64, u32);

extern "C" fn call_libcall(context: *mut Context, function: u64, code: u32) {
    // SAFETY: code passes on the address of the context that it was called with. The caller of the code keeps that
    // alive and has no reference to it, and the code does not touch it, until this function returns.
    let context = unsafe { &mut *context };
    // SAFETY: `Lower::libcall` made the number of a function of this very type.
    let function: fn(u32, [u32; 8]) -> [u32; 2] = unsafe { std::mem::transmute(function as usize) };
    guarded((), || libcalls::apply(&mut context.vectors, function, code));
}

extern "C" fn call_memory(context: *mut Context, access: u64, number: u32) {
    // SAFETY: code passes on the address of the context that it was called with. The caller of the code keeps that
    // alive and has no reference to it, and the code does not touch it, until this function returns.
    let context = unsafe { &mut *context };
    // SAFETY: the environment is that of the job, which is borrowed while the code runs.
    let environment = unsafe { &*context.environment };
    // SAFETY: `Prepared` made a buffer of at least four times so many bytes, or of none where `local_bytes` is 0. It
    // lives while the code runs, and only code and this function use it.
    let local = unsafe { std::slice::from_raw_parts_mut(context.local, 4 * context.local_bytes as usize) };
    // SAFETY: the shared memory of the block, borrowed while the code runs, or a dangling pointer and no bytes. Warps
    // of a block run one after the other on one thread, so nobody else uses it.
    let shared = unsafe { std::slice::from_raw_parts_mut(context.shared, context.shared_bytes as usize) };
    let access = Access::unpack(access);
    // SAFETY: `Prepared` has a vector of as many, which lives while the code runs and is not used otherwise meanwhile.
    let mapped = unsafe { std::slice::from_raw_parts_mut(context.mapped, context.mapped_count as usize) };
    let mut mapped = mapped.get_mut(number as usize).filter(|_| access.space == Space::Global);
    guarded((), || {
        if let Some(mapped) = &mut mapped {
            memory::remember(access, &context.vectors, mapped, environment);
        }
        memory::perform(access, &mut context.vectors, environment, [local, shared], mapped);
    });
}

extern "C" fn call_image(context: *mut Context, access: u64, _: u32) {
    // SAFETY: code passes on the address of the context that it was called with. The caller of the code keeps that
    // alive and has no reference to it, and the code does not touch it, until this function returns.
    let context = unsafe { &mut *context };
    // SAFETY: the environment is that of the job, which is borrowed while the code runs.
    let environment = unsafe { &*context.environment };
    // SAFETY: `Prepared` has a vector of as many, which lives, and does not change, while the code runs.
    let keys = unsafe { std::slice::from_raw_parts(context.images, context.image_count as usize) };
    guarded((), || image::perform(ImageAccess::unpack(access), &mut context.vectors, environment, keys));
}

extern "C" fn call_find(context: *mut Context, images: u64, _: u32) {
    // SAFETY: code passes on the address of the context that it was called with. The caller of the code keeps that
    // alive and has no reference to it, and the code does not touch it, until this function returns.
    let context = unsafe { &mut *context };
    let list = context.known[usize::from(images != 0)];
    // SAFETY: `Prepared` has a vector of as many, which lives, and does not change, while the code runs.
    let known = unsafe { std::slice::from_raw_parts(list.first, list.count as usize) };
    guarded((), || image::find(known, &mut context.vectors));
}

extern "C" fn call_emit(context: *mut Context, kind: u64, _: u32) {
    // SAFETY: code passes on the address of the context that it was called with. The caller of the code keeps that
    // alive and has no reference to it, and the code does not touch it, until this function returns.
    let context = unsafe { &mut *context };
    // SAFETY: null, or what a geometry kernel has set it to: its own list, which it does not use while the code runs.
    if let Some(emitted) = unsafe { context.emitted.as_mut() } {
        guarded((), || emitted.emit(kind as u8, context.vectors[0], context.vectors[1]));
    }
}

impl Lower<'_, '_> {
    /// Emits a vertex of the lanes, cuts, or both.
    pub(super) fn emit_call(&mut self, kind: u8, lanes: I32x4, stream: I32x4) {
        self.call(call_emit, kind.into(), 0, &[lanes, stream]);
    }

    fn call(&mut self, function: Function, code: u64, number: u32, sources: &[I32x4]) {
        let context = self.host.context();
        let e = self.host.e();
        for (n, source) in sources.iter().enumerate() {
            e.store(source.0, context, vector_at(n));
        }
        let mut signature = Signature::new(e.b.func.signature.call_conv);
        signature.params.extend([I64, I64, I32].map(AbiParam::new));
        let signature = e.b.import_signature(signature);
        let (address, code, number) = (e.i64(function as usize as i64), e.i64(code as i64), e.i32(number as i32));
        e.b.ins().call_indirect(signature, address, &[context, code, number]);
    }

    fn results<const N: usize>(&mut self, first: usize) -> [I32x4; N] {
        let context = self.host.context();
        let e = self.host.e();
        std::array::from_fn(|n| e.load_ints(context, vector_at(first + n)))
    }

    /// Calls a libcall; it has at most two results.
    pub(super) fn libcall<const N: usize>(&mut self, what: Libcall, code: u32, sources: &[I32x4]) -> [I32x4; N] {
        self.call(call_libcall, what.function() as usize as u64, code, sources);
        self.results(0)
    }

    /// Indices of the images that have these handles, and which of the key's formats they have.
    pub(super) fn find_image(&mut self, handle: I32x4) -> [I32x4; 2] {
        self.call(call_find, 1, 0, &[handle]);
        self.results(0)
    }

    /// Indices of the textures that have these handles, and which of the key's texture kinds they are.
    pub(super) fn find_texture(&mut self, handle: I32x4) -> [I32x4; 2] {
        self.call(call_find, 0, 0, &[handle]);
        self.results(0)
    }

    /// Accesses images; `sources` as [`image::perform`] defines them. Returns the lanes whose coordinates are inside,
    /// and the data read.
    pub(super) fn image_call(&mut self, access: ImageAccess, sources: &[I32x4]) -> (Mask, [I32x4; 4]) {
        self.call(call_image, access.pack(), 0, sources);
        let [inside] = self.results(0);
        (Mask(inside.0), self.results(image::DATA))
    }

    /// Loads and stores; `sources` as [`memory::perform`] defines them. Returns the first words that were loaded.
    /// `number` is that of the instruction, if it caches a mapping.
    pub(super) fn access<const N: usize>(&mut self, access: Access, number: u32, sources: &[I32x4]) -> [I32x4; N] {
        self.call(call_memory, access.pack(), number, sources);
        self.results(memory::DATA)
    }
}
