//! A tier for tests, which makes the kernels that a test gives for numbered keys, and no others.

use std::sync::Arc;

use triglyph_guest::kernel::geometry::GeometryKey;
use triglyph_guest::kernel::mme::{MmeKernel, MmeKey};
use triglyph_guest::kernel::packet_trace::{PacketTraceKernel, PacketTraceKey};
use triglyph_guest::kernel::pixel::PixelKey;
use triglyph_guest::kernel::program::stage::{ShaderKernel, ShaderKey};
use triglyph_guest::kernel::program::{self, fragment::FragmentKey};
use triglyph_guest::kernel::transfer::{ByteSource, ResampleKey, TransferKey};
use triglyph_guest::kernel::vertex::VertexKey;
use triglyph_guest::kernel::{GeometryKernel, PixelKernel, Tier, TransferKernel, Unsupported, VertexKernel};

/// The key of a number. Its kernels do fills: what they are called with does not matter to the cache.
pub(super) const fn numbered_key(number: u8) -> TransferKey {
    TransferKey::Resample(ResampleKey { bytes: [ByteSource::Constant(number); 4] })
}

/// Makes kernels of numbered keys. Everything else is unsupported, except that the methods with a default body are
/// overridden with.
pub(super) trait FillTier: Send + Sync {
    /// The kernel of a [`numbered_key`].
    fn fill(&self, number: u8) -> Result<Arc<dyn TransferKernel>, Unsupported>;

    /// The kernel of a fragment key.
    fn fragment(&self, key: &FragmentKey) -> Result<Arc<dyn program::FragmentKernel>, Unsupported> {
        let _ = key;
        Err(FILLS_ONLY)
    }
}

/// The error of [`FillTier`]s for everything else.
pub(super) const FILLS_ONLY: Unsupported = Unsupported("numbered keys only");

/// A [`FillTier`] as a tier.
pub(super) struct Fills<T>(pub(super) T);

impl<T: FillTier> Tier for Fills<T> {
    fn name(&self) -> &'static str {
        "fills"
    }

    fn vertex(&self, _: &VertexKey) -> Result<Arc<dyn VertexKernel>, Unsupported> {
        Err(FILLS_ONLY)
    }

    fn geometry(&self, _: &GeometryKey) -> Result<Arc<dyn GeometryKernel>, Unsupported> {
        Err(FILLS_ONLY)
    }

    fn pixel(&self, _: &PixelKey) -> Result<Arc<dyn PixelKernel>, Unsupported> {
        Err(FILLS_ONLY)
    }

    fn transfer(&self, key: &TransferKey) -> Result<Arc<dyn TransferKernel>, Unsupported> {
        match key {
            TransferKey::Resample(ResampleKey { bytes: [ByteSource::Constant(number), ..] }) => self.0.fill(*number),
            _ => Err(FILLS_ONLY),
        }
    }

    fn program_vertex(&self, _: &program::vertex::VertexKey) -> Result<Arc<dyn program::VertexKernel>, Unsupported> {
        Err(FILLS_ONLY)
    }

    fn fragment(&self, key: &FragmentKey) -> Result<Arc<dyn program::FragmentKernel>, Unsupported> {
        self.0.fragment(key)
    }

    fn shader(&self, _: &ShaderKey) -> Result<Arc<dyn ShaderKernel>, Unsupported> {
        Err(FILLS_ONLY)
    }

    fn mme(&self, _: &MmeKey) -> Result<Arc<dyn MmeKernel>, Unsupported> {
        Err(FILLS_ONLY)
    }

    fn packet_trace(&self, _: &PacketTraceKey) -> Result<Arc<dyn PacketTraceKernel>, Unsupported> {
        Err(FILLS_ONLY)
    }
}
