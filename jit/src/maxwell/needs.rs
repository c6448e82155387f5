//! Requirements of emitted code on its caller.

use triglyph_guest::tegra::shader::operand::Constant;

/// What the emitted code needs from its caller, found while emitting.
#[derive(Debug, Default)]
pub(crate) struct Needs {
    /// Words of constant buffers, in the order of the table.
    pub constants: Vec<Constant>,
    /// Vectors of storage of four lanes.
    pub slots: usize,
    /// Storage slots of warp slices that have to be 0 when the program begins.
    pub cleared: Vec<usize>,
    /// Whether KIL occurs.
    pub kills: bool,
    /// Whether local memory is used.
    pub local: bool,
    /// Number of global memory accesses that cache the mapping they found last.
    pub mapped: u32,
    /// Textures that are read.
    pub textures: Vec<usize>,
    /// Whether textures, or images, are looked up by their handles at run time.
    pub any_texture: bool,
    pub any_image: bool,
    /// Slots of `Loc::Wait` and `Loc::Reduced`, if barriers reduce predicates.
    pub waits: Option<[usize; 2]>,
}

impl Needs {
    /// The number of another access that caches a mapping.
    pub fn new_mapping(&mut self) -> u32 {
        self.mapped += 1;
        self.mapped - 1
    }
}
