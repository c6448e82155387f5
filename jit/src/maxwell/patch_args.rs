//! Arguments of tessellation control programs.

use triglyph_guest::kernel::maxwell::LANES;

/// Arguments of a patch.
#[repr(C)]
pub struct PatchArgs {
    /// Records of the input vertices.
    pub inputs: *const u32,
    /// Output words, each for all lanes.
    pub outputs: *mut [u32; LANES],
    /// The patch's own words.
    pub words: *mut u32,
    /// Index of the last vertex of the inputs, and of the outputs.
    pub last_input: u32,
    pub last_output: u32,
    pub primitive: u32,
    /// The number of input vertices, encoded as in the special register.
    pub info: u32,
    pub prim_type: u32,
}

impl PatchArgs {
    /// For programs without patches.
    pub const fn none() -> PatchArgs {
        PatchArgs {
            inputs: std::ptr::null(),
            outputs: std::ptr::null_mut(),
            words: std::ptr::null_mut(),
            last_input: 0,
            last_output: 0,
            primitive: 0,
            info: 0,
            prim_type: 0,
        }
    }
}
