//! Fills, copies and conversions on any tier.

use std::sync::atomic::AtomicU8;
use std::sync::atomic::Ordering::Relaxed;

use triglyph_guest::kernel::transfer::{Convert, Copy, Fill, TransferJob, TransferKey};
use triglyph_guest::kernel::{Tier, Unsupported, Window, window};

/// What is to be moved, without the memory.
#[derive(Clone, Debug)]
pub enum Move {
    Fill { value: u32 },
    Copy { size: usize, source_line: usize, source_gap: usize, target_line: usize, target_gap: usize },
    Convert { source_width: u32, target_width: u32, width: u32, height: u32, rows: std::ops::Range<u32>, flip: bool },
}

/// A key, a job and the memory it works on. Source and target are apart.
#[derive(Clone, Debug)]
pub struct TransferCase {
    pub key: TransferKey,
    pub job: Move,
    pub source: Vec<u8>,
    pub target: Vec<u8>,
}

impl TransferCase {
    /// The target afterwards.
    ///
    /// # Errors
    /// When the tier does not take the key or the job; the target is untouched then.
    pub fn run(&self, tier: &dyn Tier) -> Result<Vec<u8>, Unsupported> {
        let kernel = tier.transfer(&self.key)?;
        let (from, to) = (window::buffer(&self.source), window::buffer(&self.target));
        let (source, target) = (Window::new(&from), Window::new(&to));
        let job = match self.job.clone() {
            Move::Fill { value } => TransferJob::Fill(Fill { target, value }),
            Move::Copy { size, source_line, source_gap, target_line, target_gap } => {
                TransferJob::Copy(Copy { source, target, size, source_line, source_gap, target_line, target_gap })
            }
            Move::Convert { source_width, target_width, width, height, rows, flip } => {
                TransferJob::Convert(Convert { source, target, source_width, target_width, width, height, rows, flip })
            }
        };
        let plain = |bytes: &[AtomicU8]| -> Vec<u8> { bytes.iter().map(|b| b.load(Relaxed)).collect() };
        let done = kernel.run(&job);
        assert_eq!(plain(&from), self.source, "a transfer writes to its target alone");
        if done.is_err() {
            assert_eq!(plain(&to), self.target, "a job is refused before anything is touched");
        }
        done.map(|()| plain(&to))
    }
}
