//! A quad of the 3DS.

use std::collections::HashMap;

use cranelift_codegen::ir::Value;

use crate::lane::{F32x4, I16x8, I32x4, Pair};
use crate::pixel::contract::{self, BlockAddress};
use crate::pixel::setup::pica::planes::Planes;

/// Numbers of the surfaces.
pub const COLOR: usize = 0;
pub const DEPTH: usize = 1;

/// The pixel pipeline of the 3DS: everything is state.
pub(crate) enum Pica {}

/// A quad while it is emitted.
pub(crate) type Quad<'q, 'a> = contract::Quad<'q, 'a, Pica>;

/// What the edge functions at pixels of a block are made from.
#[derive(Clone, Copy)]
pub enum Edges {
    /// Those at its first pixel.
    Corner([I32x4; 3]),
    /// The block and its primitive.
    Anywhere(BlockAddress),
}

/// What the quads of a block share.
#[derive(Clone, Copy)]
pub struct Corner {
    pub edges: Edges,
    /// Address of the block's first pixel in the colour and depth buffers.
    pub color: Option<Value>,
    pub depth: Option<Value>,
    /// Address of its survivors, of kernels that tell them.
    pub survivors: Option<Value>,
    /// Where the values of its primitive are.
    pub planes: Planes,
}

/// What a quad has for itself.
pub struct QuadPlace {
    /// The edge functions at its pixels.
    pub edges: [F32x4; 3],
    /// The numbers of its pixels in the block, 64 bits, where they are picked.
    pub picked: Option<[Value; 4]>,
}

/// Values of a quad that have been computed.
#[derive(Default)]
pub struct QuadValues {
    pub w: Option<F32x4>,
    pub varyings: HashMap<usize, F32x4>,
    pub depth: Option<F32x4>,
    /// Colours of the texture units.
    pub textures: [Option<Pair>; 4],
    /// Primary and secondary colour of fragment lighting.
    pub fragment: Option<[Option<Pair>; 2]>,
    /// Results of the small operations on channels, by kind and operand.
    pub channels: HashMap<(Value, u8), I16x8>,
    /// Colours among the arguments, by offset.
    pub constants: HashMap<i32, Pair>,
}

impl Quad<'_, '_> {
    /// Address of memory for the texels that are filtered.
    pub fn storage(&mut self) -> Value {
        self.storage.unwrap_or_else(|| self.e.i64(0))
    }
}
