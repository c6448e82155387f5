//! Fills.

#![allow(unsafe_code)]

use triglyph_guest::kernel::transfer::Fill;

/// Bytes of a block that holds every pattern a whole number of times.
const BLOCK: usize = 48;

/// Blocks of the source that long fills are copied from.
const BLOCKS: usize = 256;

/// From here on copying a source that stays in the cache is faster than storing: the host's memcpy has ways to write
/// whole lines without reading them first.
const LONG: usize = 256 << 10;

/// Repeats the low `bytes` bytes of the value over the whole window, byte 0 first.
pub(super) fn fill(bytes: u8, job: &Fill<'_>) {
    let value = job.value.to_le_bytes();
    let pattern = &value[..usize::from(bytes)];
    let (target, length) = (job.target.as_ptr(), job.target.len());
    if pattern.iter().all(|byte| *byte == pattern[0]) {
        // SAFETY: exactly the window, which is mapped and writable as long as the job borrows it. Others may read it
        // meanwhile, as they may while any guest hardware writes.
        unsafe { target.write_bytes(pattern[0], length) };
        return;
    }
    let block: [u8; BLOCK] = std::array::from_fn(|i| pattern[i % pattern.len()]);
    let mut done = 0;
    if length >= LONG {
        let mut source = [0u8; BLOCK * BLOCKS];
        source.chunks_exact_mut(BLOCK).for_each(|chunk| chunk.copy_from_slice(&block));
        while length - done >= source.len() {
            // SAFETY: `source.len()` bytes of the window from `done` on; the source is on our stack.
            unsafe { target.add(done).copy_from_nonoverlapping(source.as_ptr(), source.len()) };
            done += source.len();
        }
    }
    while length - done >= BLOCK {
        // SAFETY: `BLOCK` bytes of the window from `done` on.
        unsafe { target.add(done).cast::<[u8; BLOCK]>().write_unaligned(block) };
        done += BLOCK;
    }
    // SAFETY: the rest of the window, less than a block.
    unsafe { target.add(done).copy_from_nonoverlapping(block.as_ptr(), length - done) };
}
