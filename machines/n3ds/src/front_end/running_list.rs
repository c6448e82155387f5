//! A command list in progress, and its end.

/// How a command list ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListEnd {
    /// Whether it raised P3D: without, real hardware would hang.
    pub interrupt: bool,
    /// Words of its first buffer.
    pub words: u64,
    /// Triangles that it drew.
    pub triangles: u64,
}

/// A command list in progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RunningList {
    /// Physical address of the buffer that is executed, and its bytes.
    pub address: u32,
    pub bytes: u32,
    /// The next word in it.
    pub at: u64,
    /// Words that may still be executed before the list counts as one that does not end.
    pub words_left: u64,
    /// Words of its first buffer.
    pub words: u64,
    /// Triangles drawn so far.
    pub triangles: u64,
}
