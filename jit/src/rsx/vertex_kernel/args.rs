//! Arguments of a compiled vertex kernel.

use std::mem::{MaybeUninit, offset_of, size_of};

use crate::offsets::offsets;
use crate::pixel::sample::programs::args::TextureArgs;

/// The arguments.
#[repr(C, align(16))]
pub struct VertexArgs {
    pub records: *mut f32,
    /// Constants, each four times, in the order of [`super::Needs::constants`].
    pub table: *const [f32; 4],
    /// The program's constants.
    pub constants: *const [f32; 4],
    /// Arguments of the units that are read, in order.
    pub textures: *const TextureArgs,
    /// Number of groups, not 0.
    pub groups: u32,
    /// Fuel of a vertex, in instructions.
    pub fuel: u32,
    /// What each group has left of it, where the code counts.
    pub left: *mut i32,
    pub streams: [StreamArgs; 16],
}

/// A vertex array.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct StreamArgs {
    pub base: *const u8,
    pub stride: u64,
    /// The element of each vertex of the call.
    pub elements: *const u32,
}

impl StreamArgs {
    /// An array that no code reads.
    pub const NONE: StreamArgs = StreamArgs { base: std::ptr::null(), stride: 0, elements: std::ptr::null() };
}

/// Scratch memory.
#[repr(C, align(16))]
pub struct Scratch {
    /// Lane indices that become addresses.
    pub indices: [[u32; 4]; 4],
    /// Input registers, for programs with relative addressing.
    pub inputs: [[[f32; 4]; 4]; 16],
}

/// The arguments and the scratch memory: the code's argument is their address.
#[repr(C)]
pub struct Frame {
    pub args: VertexArgs,
    pub scratch: MaybeUninit<Scratch>,
}

offsets!(VertexArgs {
    RECORDS: records,
    TABLE: table,
    CONSTANTS: constants,
    TEXTURES: textures,
    GROUPS: groups,
    FUEL: fuel,
    LEFT: left
});

impl VertexArgs {
    /// Offset of a field of a stream.
    pub const fn stream(number: usize, field: usize) -> i32 {
        (offset_of!(VertexArgs, streams) + number * size_of::<StreamArgs>() + field) as i32
    }
}

/// Offsets of scratch memory.
pub const INDICES: i32 = (offset_of!(Frame, scratch) + offset_of!(Scratch, indices)) as i32;
pub const INPUTS: i32 = (offset_of!(Frame, scratch) + offset_of!(Scratch, inputs)) as i32;
