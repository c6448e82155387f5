//! States with separate kernels for tests and shading.

use crate::cache::{DividedKernels, Division, Handle, SceneKernel, kinds};

/// The kernels of a state's parts, as they serve one scene.
#[derive(Debug)]
pub(super) struct Divided<S> {
    pub(super) tests: Option<S>,
    pub(super) shading: Option<S>,
    pub(super) division: Division,
}

impl<S> Divided<S> {
    /// If all of them are compiled.
    pub(super) fn new<K: kinds::KernelKind>(
        kernels: &DividedKernels<K>,
        select: impl Fn(&Handle<K>) -> S,
    ) -> Option<Self> {
        let select = |kernel: &Option<Handle<K>>| kernel.as_ref().map(&select);
        let DividedKernels { tests, shading, division } = kernels;
        kernels.is_compiled().then(|| Divided { tests: select(tests), shading: select(shading), division: *division })
    }
}

impl<S: SceneKernel> Divided<S> {
    /// Notes how long each of the kernels has run, in nanoseconds.
    pub(super) fn note_times(&self, tests: u64, shading: u64) {
        for (kernel, nanoseconds) in [(&self.tests, tests), (&self.shading, shading)] {
            if let Some(kernel) = kernel {
                kernel.note_time(nanoseconds);
            }
        }
    }
}
