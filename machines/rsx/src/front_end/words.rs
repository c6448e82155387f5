//! Data words for an object.

use crate::core::Core;

/// Data words for one object, as one header announces them, or a part of that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run<'w> {
    /// Byte address of the first method, a multiple of 4 from 0x100 on, below 0x2000.
    pub method: u32,
    /// The data, at least one word. A run never goes past 0x1FFC, whatever the header says.
    pub words: &'w [u32],
    /// Whether each word goes to the method after the one before; otherwise all go to the same.
    pub increasing: bool,
}

impl Run<'_> {
    /// Calls `what` with the method of each word. A run may be cut between any two words, so what is counted is counted
    /// for each of them.
    pub(super) fn each_method(self, mut what: impl FnMut(u32)) {
        let step = if self.increasing { 4 } else { 0 };
        (0..self.words.len() as u32).for_each(|word| what(self.method + step * word));
    }
}

/// An engine object that is given methods.
///
/// Object methods (0x180 to 0x1FC) arrive with the name under which [`Core::resolve`] knows the object: the value can
/// be stored as it is.
pub trait Object {
    /// Executes a run. Returns how many words of it: less than all when a bounded run was interrupted.
    fn run(&mut self, core: &mut Core, run: Run<'_>) -> usize;
}
