//! Requirements of emitted vertex code on its caller, and its status codes.

/// In a kernel's result, above the number of groups done: the interpreter has to do the next one.
pub(crate) const RETRY: u64 = 1 << 32;
/// In a kernel's result: the lanes of the next group diverge.
pub(crate) const DIVERGED: u64 = 2 << 32;

/// A constant of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Constant {
    /// A program constant.
    Program(u16),
    /// The value of an input register without a vertex array.
    Fixed(u8),
}

/// The constants that the code reads.
#[derive(Default)]
pub(crate) struct Needs {
    /// Constants and their components, in the order of the table.
    pub constants: Vec<(Constant, u8)>,
}

impl Needs {
    /// Index of a component of a constant.
    pub fn constant(&mut self, constant: Constant, component: u8) -> i32 {
        let place = self.constants.iter().position(|known| *known == (constant, component));
        place.unwrap_or_else(|| {
            self.constants.push((constant, component));
            self.constants.len() - 1
        }) as i32
    }
}
