//! The compiling tier: kernels as machine code.
//!
//! ```text
//! key -> pica/ (vertex and geometry programs of the 3DS), rsx/ (vertex and fragment programs of the PS3),
//!          maxwell/ (programs of the Tegra X1), pixel/ (pixels of all three), transfer/ (copies), mme.rs (macros),
//!          packet_trace.rs (packets of push buffers)
//!          emit through lane.rs (four guest lanes as one value) and cfg/ (guest control flow)
//!     -> code.rs: Cranelift, or wide.rs for vectors of 256 bits; lifetime; memory.rs: where code lives
//! ```
//!
//! Keys that the compiler does not support, or that are not worth compiling, fall back to the reference interpreter.
//! Results equal the interpreter's to the bit.

mod cfg;
mod code;
mod convention;
mod effort;
mod groups;
mod guard;
mod interleave;
mod lane;
mod maxwell;
mod memory;
mod mme;
mod offsets;
mod packet_trace;
mod pica;
mod pixel;
mod promote;
mod rsx;
mod texture;
mod transfer;
mod wide;

use std::sync::Arc;

use code::Compiler;
pub use code::Stats;
pub use effort::Effort;
use effort::Policy;
pub use texture::Decoder;
use triglyph_guest::kernel::geometry::GeometryKey;
use triglyph_guest::kernel::mme::{MmeKernel, MmeKey};
use triglyph_guest::kernel::packet_trace::{PacketTraceKernel, PacketTraceKey};
use triglyph_guest::kernel::pixel::PixelKey;
use triglyph_guest::kernel::program as contract;
use triglyph_guest::kernel::program::fragment::FragmentKey;
use triglyph_guest::kernel::program::stage::{ShaderKernel, ShaderKey};
use triglyph_guest::kernel::transfer::TransferKey;
use triglyph_guest::kernel::vertex::VertexKey;
use triglyph_guest::kernel::{GeometryKernel, PixelKernel, Tier, TransferKernel, Unsupported, VertexKernel};

/// Compiles and runs the random function that words say, by both code generators. For fuzzing.
///
/// # Errors
/// How they differ, and the function.
#[cfg(feature = "random")]
#[doc(hidden)]
pub fn check_random_function(words: impl FnMut() -> u32) -> Result<(), String> {
    wide::random::check(words).map(drop)
}

/// The compiling tier.
pub struct Jit {
    compiler: Arc<Compiler>,
}

impl Jit {
    fn from_compiler(compiler: Compiler) -> Self {
        Jit { compiler: Arc::new(compiler) }
    }

    /// Compiles for this machine: small kernels with [`Effort::Optimized`], large ones with [`Effort::Baseline`].
    ///
    /// # Errors
    /// On hosts without a code generator.
    pub fn new() -> Result<Self, Unsupported> {
        Ok(Jit::from_compiler(Compiler::new(Policy::AUTO)?))
    }

    /// As [`Jit::new`], with one effort for all kernels.
    ///
    /// # Errors
    /// On hosts without a code generator.
    pub fn with_effort(effort: Effort) -> Result<Self, Unsupported> {
        Ok(Jit::from_compiler(Compiler::new(effort)?))
    }

    /// As [`Jit::new`], with verification of what the code generators make, which takes longer than making it: faults
    /// panic. For fuzzing; builds with debug assertions have it anyway.
    ///
    /// # Errors
    /// On hosts without a code generator.
    #[doc(hidden)]
    pub fn checked() -> Result<Self, Unsupported> {
        Ok(Jit::from_compiler(Compiler::with_checks(Policy::AUTO, true)?))
    }

    /// The baseline, optimizing and hot tiers of an engine; their code shares mappings of memory. The optimizing tier
    /// compiles kernels up to a size with more effort. The hot one does so for those for which that takes up to a tenth
    /// of a second, and does not support those that the optimizing tier has made as well. `callers_wait` says that
    /// callers wait for the optimizing tier, which then leaves to the hot one what takes twice as long.
    #[must_use]
    pub fn tiers(&self, callers_wait: bool) -> [Self; 3] {
        Policy::of_tiers(callers_wait).map(|policy| Jit::from_compiler(self.compiler.with_policy(policy)))
    }

    /// As [`Jit::with_effort`], without vectors of 256 bits, as on a host that has none; for tests.
    #[doc(hidden)]
    pub fn with_narrow_vectors(effort: Effort) -> Result<Self, Unsupported> {
        Ok(Jit::from_compiler(Compiler::new(effort)?.with_narrow_vectors()))
    }

    /// Whether this host has vectors of 256 bits for loops that do two iterations at a time.
    pub fn has_wide_vectors(&self) -> bool {
        self.compiler.has_wide_vectors()
    }

    /// What has been compiled so far.
    pub fn stats(&self) -> Stats {
        self.compiler.stats()
    }

    /// What the pixel kernel of `key` compiles to: the intermediate form and the host's instructions.
    pub fn dump_pixel(&self, key: &PixelKey) -> String {
        pixel::dump_pixel(&self.compiler, key)
    }

    /// What the fragment kernel of `key` compiles to.
    pub fn dump_fragment(&self, key: &FragmentKey) -> String {
        pixel::dump_fragment(&self.compiler, key)
    }

    /// What the vertex kernel of `key`, a program, compiles to.
    pub fn dump_program_vertex(&self, key: &contract::vertex::VertexKey) -> String {
        rsx::vertex_kernel::dump(&self.compiler, key)
    }

    /// What the kernel of `key`, a Maxwell program, compiles to.
    pub fn dump_shader(&self, key: &ShaderKey) -> String {
        maxwell::dump(&self.compiler, key)
    }

    /// What the vertex kernel of `key` compiles to.
    pub fn dump_vertex(&self, key: &VertexKey) -> String {
        pica::dump(&self.compiler, key)
    }
}

impl Tier for Jit {
    fn name(&self) -> &'static str {
        "jit"
    }

    fn vertex(&self, key: &VertexKey) -> Result<Arc<dyn VertexKernel>, Unsupported> {
        pica::vertex(&self.compiler, key)
    }

    fn geometry(&self, key: &GeometryKey) -> Result<Arc<dyn GeometryKernel>, Unsupported> {
        pica::geometry(&self.compiler, key)
    }

    fn pixel(&self, key: &PixelKey) -> Result<Arc<dyn PixelKernel>, Unsupported> {
        pixel::pixel(&self.compiler, key)
    }

    fn transfer(&self, key: &TransferKey) -> Result<Arc<dyn TransferKernel>, Unsupported> {
        transfer::transfer(&self.compiler, key)
    }

    fn mme(&self, key: &MmeKey) -> Result<Arc<dyn MmeKernel>, Unsupported> {
        Ok(Arc::new(mme::CompiledMacro::new(&self.compiler, key)?))
    }

    fn packet_trace(&self, key: &PacketTraceKey) -> Result<Arc<dyn PacketTraceKernel>, Unsupported> {
        Ok(Arc::new(packet_trace::CompiledTrace::new(&self.compiler, key)?))
    }

    fn program_vertex(
        &self,
        key: &contract::vertex::VertexKey,
    ) -> Result<Arc<dyn contract::VertexKernel>, Unsupported> {
        rsx::vertex_kernel::vertex(&self.compiler, key)
    }

    fn fragment(&self, key: &FragmentKey) -> Result<Arc<dyn contract::FragmentKernel>, Unsupported> {
        pixel::fragment(&self.compiler, key)
    }

    fn shader(&self, key: &ShaderKey) -> Result<Arc<dyn ShaderKernel>, Unsupported> {
        maxwell::shader(&self.compiler, key)
    }
}
