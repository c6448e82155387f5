//! Kernels of keys that are divided into tests and shading.

use super::handle::Handle;
use super::kinds::KernelKind;

/// When fragments that later ones hide are left out, of draws whose tests do not depend on shading. The bytes are the
/// same; compiled code alone does it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Removal {
    /// All fragments that pass their tests are shaded.
    Never,
    /// Where it should take less time, by what was measured.
    #[default]
    WhenFaster,
    /// Wherever it can be done: for tests.
    Always,
}

/// How the key of a state is divided: see [`Divided`](triglyph_guest::kernel::divided::Divided).
#[derive(Clone, Copy, Debug)]
pub struct Division {
    /// Whether any fragment may fail a test, or anything is stored by them.
    pub(crate) has_tests: bool,
    /// Whether any colour is written.
    pub(crate) has_shading: bool,
    /// Whether shading may discard fragments.
    pub(crate) discards: bool,
    /// Colour targets that are written, bit i = target i.
    pub(crate) written: u8,
    /// Pixels that are replaced completely.
    pub(crate) replaced: u8,
}

/// The kernels of the parts.
#[derive(Debug)]
pub(crate) struct DividedKernels<K: KernelKind> {
    pub(crate) tests: Option<Handle<K>>,
    pub(crate) shading: Option<Handle<K>>,
    pub(crate) division: Division,
}

impl<K: KernelKind> DividedKernels<K> {
    /// Whether there is code for all of them.
    pub(crate) fn is_compiled(&self) -> bool {
        [&self.tests, &self.shading].into_iter().flatten().all(Handle::is_compiled)
    }
}
