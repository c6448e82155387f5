//! Arguments of compiled vertex and geometry kernels, and the offsets at which code finds them.

use std::mem::offset_of;

use triglyph_guest::kernel::geometry::GeometryRegisters;
use triglyph_guest::kernel::vertex::{GROUP, Uniforms};
use triglyph_guest::pica::isa::SetEmit;

use crate::offsets::offsets;

/// Offset of c0 in [`Uniforms`].
pub(super) const FLOATS: i32 = offset_of!(Uniforms, floats) as i32;
/// Offset of i0 in [`Uniforms`].
pub(super) const INTS: i32 = offset_of!(Uniforms, ints) as i32;

/// What the arguments hold the address of.
#[derive(Clone, Copy, Debug)]
pub(super) enum Pointer {
    Uniforms,
    /// The constants of the job.
    Table,
    /// Float uniforms, each lane with its own.
    Wide,
    /// Input registers of a geometry program.
    Inputs,
    /// Registers of a geometry unit.
    Registers,
}

impl Pointer {
    pub const COUNT: usize = 5;
}

/// Arguments of a vertex kernel.
#[repr(C)]
pub(super) struct VertexArgs {
    pub vertices: *const u32,
    pub records: *mut f32,
    pub clip: *mut u8,
    pub uniforms: *const Uniforms,
    /// Constants, each four times, in the order of [`Compiled::constants`](super::Compiled).
    pub table: *const [f32; 4],
    /// Groups to do, not 0.
    pub groups: u32,
    pub streams: [StreamArgs; 16],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct StreamArgs {
    pub base: *const u8,
    pub stride: u64,
}

offsets!(VertexArgs { VERTICES: vertices, RECORDS: records, CLIP: clip, GROUPS: groups });

impl VertexArgs {
    /// Offset of an address; only uniforms and the table are there.
    pub const fn pointer(which: Pointer) -> i32 {
        match which {
            Pointer::Table => offset_of!(VertexArgs, table) as i32,
            _ => offset_of!(VertexArgs, uniforms) as i32,
        }
    }

    /// Offset of a stream's address; its stride follows, 8 bytes further on.
    pub const fn stream(number: usize) -> i32 {
        (offset_of!(VertexArgs, streams) + number * size_of::<StreamArgs>()) as i32
    }
}

/// A register in four lanes: component, then lane.
pub(super) type Wide = [[f32; GROUP]; 4];

/// Arguments of a geometry kernel.
#[repr(C)]
pub(super) struct GeometryArgs {
    pub uniforms: *const Uniforms,
    pub table: *const [f32; 4],
    pub wide: *const [Wide; 128],
    pub inputs: *const [Wide; 16],
    pub registers: *mut GeometryRegisters,
    /// Where each lane's records go.
    pub lanes: [*mut f32; GROUP],
    /// Four clip codes for each EMIT.
    pub codes: *mut [u8; GROUP],
    /// An [`EmitEntry`] for each EMIT.
    pub log: *mut EmitEntry,
    /// EMITs for which there is room.
    pub capacity: u32,
    /// What SETEMIT said last, as an [`EmitEntry`]; before and after.
    pub setting: u32,
}

offsets!(GeometryArgs { CODES: codes, LOG: log, CAPACITY: capacity, SETTING: setting });

impl GeometryArgs {
    /// Offset of an address.
    pub const fn pointer(which: Pointer) -> i32 {
        (match which {
            Pointer::Uniforms => offset_of!(GeometryArgs, uniforms),
            Pointer::Table => offset_of!(GeometryArgs, table),
            Pointer::Wide => offset_of!(GeometryArgs, wide),
            Pointer::Inputs => offset_of!(GeometryArgs, inputs),
            Pointer::Registers => offset_of!(GeometryArgs, registers),
        }) as i32
    }

    /// Offset of the address of a lane's records.
    pub const fn lane(lane: usize) -> i32 {
        (offset_of!(GeometryArgs, lanes) + lane * size_of::<*mut f32>()) as i32
    }
}

/// What SETEMIT said at an EMIT: bits 0 and 1 vertex, 2 primitive, 3 winding.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct EmitEntry(pub u8);

impl EmitEntry {
    pub fn new(SetEmit { vertex, primitive, winding }: SetEmit) -> EmitEntry {
        EmitEntry(vertex & 3 | u8::from(primitive) << 2 | u8::from(winding) << 3)
    }

    pub fn setting(self) -> SetEmit {
        SetEmit { vertex: self.0 & 3, primitive: self.0 & 4 != 0, winding: self.0 & 8 != 0 }
    }
}
