//! Copies between guest memory and memory of this library.
//!
//! The guest may write the bytes during a copy. A copy by `memcpy` would be a data race then, which Rust does not
//! define. Here each byte is a relaxed atomic access: byte by byte in Rust, and in vectors by assembly, whose loads and
//! stores do to each byte what such an access does.
#![allow(unsafe_code)]

use std::sync::atomic::AtomicU8;
use std::sync::atomic::Ordering::Relaxed;

use triglyph_guest::kernel::Window;

/// Copies the first `out.len()` bytes of `window`, which must hold that many. A byte that is written meanwhile is old
/// or new.
pub fn copy_out(window: Window<'_>, out: &mut [u8]) {
    assert!(window.len() >= out.len());
    window.note_read(0, out.len());
    // SAFETY: both sides are valid for the length. `out` is borrowed mutably, so it is not guest memory (see
    // `Arena::bytes`), does not overlap it, and is used here alone.
    unsafe { copy(window.as_ptr(), out.as_mut_ptr(), out.len()) }
}

/// Appends a copy of `window` to `out`.
pub fn append_copy(window: Window<'_>, out: &mut Vec<u8>) {
    window.note_read(0, window.len());
    out.reserve(window.len());
    let length = out.len();
    // SAFETY: as in `copy_out`; after its length `out` has room for so many bytes, which all have been written when
    // they become part of it.
    unsafe {
        copy(window.as_ptr(), out.as_mut_ptr().add(length), window.len());
        out.set_len(length + window.len());
    }
}

/// Copies `bytes` to the beginning of `window`, which must hold that many. A concurrent reader of these bytes finds
/// each old or new.
pub fn copy_in(bytes: &[u8], window: Window<'_>) {
    assert!(window.len() >= bytes.len());
    window.note_write(0, bytes.len());
    // SAFETY: as in `copy_out`, in the other direction: `bytes` is borrowed, so nothing writes it.
    unsafe { copy(bytes.as_ptr(), window.as_ptr(), bytes.len()) }
}

/// Hands the bytes of `window` to `f` in copies of a few KiB, in order: for hashing, where a reference into guest
/// memory would be unsound.
pub fn for_each_chunk(window: Window<'_>, mut f: impl FnMut(&[u8])) {
    const CHUNK: usize = 4096;
    let mut chunk = [0; CHUNK];
    let mut at = 0;
    while at < window.len() {
        let size = CHUNK.min(window.len() - at);
        copy_out(window.from(at), &mut chunk[..size]);
        f(&chunk[..size]);
        at += size;
    }
}

/// Fills `out` with the words at the start of `window`, as far as both reach, and returns how many there were. One copy
/// and one pass: the way command words come in.
pub fn read_words(window: Window<'_>, out: &mut [u32], big_endian: bool) -> usize {
    let count = out.len().min(window.len() / 4);
    let out = &mut out[..count];
    copy_out(window, bytemuck::cast_slice_mut(out));
    if big_endian == cfg!(target_endian = "little") {
        swap_words(out);
    }
    count
}

/// Turns the bytes of words round.
fn swap_words(words: &mut [u32]) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        /// With byte shuffles, which the oldest x86-64 processors do not have.
        #[target_feature(enable = "avx2")]
        fn swap(words: &mut [u32]) {
            words.iter_mut().for_each(|word| *word = word.swap_bytes());
        }
        // SAFETY: the processor has AVX2, which is all that the function needs beside what everything is compiled for.
        return unsafe { swap(words) };
    }
    words.iter_mut().for_each(|word| *word = word.swap_bytes());
}

/// Copies bytes, each by a relaxed atomic load and store.
///
/// # Safety
/// `from` must be valid for reads and `to` for writes of `length` bytes that do not overlap. Other threads may use them
/// meanwhile, but by atomic accesses alone.
unsafe fn copy(from: *const u8, to: *mut u8, length: usize) {
    let mut done = 0;
    #[cfg(all(not(miri), any(target_arch = "x86_64", target_arch = "aarch64")))]
    while done + VECTOR <= length {
        // SAFETY: so many bytes are left of those that the caller vouches for.
        unsafe { copy_vector(from.add(done), to.add(done)) };
        done += VECTOR;
    }
    while done < length {
        // SAFETY: inside of the bytes that the caller vouches for; a byte is always aligned.
        let (from, to) = unsafe { (AtomicU8::from_ptr(from.add(done).cast_mut()), AtomicU8::from_ptr(to.add(done))) };
        to.store(from.load(Relaxed), Relaxed);
        done += 1;
    }
}

/// Bytes of a vector.
#[cfg(all(not(miri), any(target_arch = "x86_64", target_arch = "aarch64")))]
const VECTOR: usize = 16;

/// Copies a vector. Its load and its store do to each byte what a relaxed atomic access does.
///
/// # Safety
/// As [`copy`], for [`VECTOR`] bytes.
#[cfg(all(not(miri), any(target_arch = "x86_64", target_arch = "aarch64")))]
unsafe fn copy_vector(from: *const u8, to: *mut u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the assembly loads and stores 16 bytes that the caller vouches for, through a register that it names.
    unsafe {
        std::arch::asm!(
            "movups {vector}, [{from}]",
            "movups [{to}], {vector}",
            from = in(reg) from,
            to = in(reg) to,
            vector = out(xmm_reg) _,
            options(nostack, preserves_flags),
        );
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: as above.
    unsafe {
        std::arch::asm!(
            "ldr {vector:q}, [{from}]",
            "str {vector:q}, [{to}]",
            from = in(reg) from,
            to = in(reg) to,
            vector = out(vreg) _,
            options(nostack, preserves_flags),
        );
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use triglyph_guest::kernel::window::buffer;

    use super::*;

    /// Lengths around those at which copies use another method.
    fn lengths() -> impl Iterator<Item = usize> {
        (0..=if cfg!(miri) { 34 } else { 210 }).chain([1000, 4096])
    }

    #[test]
    fn copies_are_whole_and_leave_what_is_around_them() {
        let source: Vec<u8> = (0..5000u32).map(|n| (n * 7 + n / 256) as u8).collect();
        let memory = buffer(&source);
        for length in lengths() {
            for (from, to) in [(0, 0), (1, 0), (0, 3), (5, 9), (16, 31)] {
                let window = Window::new(&memory[from..]);
                let mut out = vec![0xEE; to + length + 40];
                copy_out(window, &mut out[to..to + length]);
                assert_eq!(out[to..to + length], source[from..from + length]);
                assert!(out[..to].iter().chain(&out[to + length..]).all(|&byte| byte == 0xEE));

                let mut appended = vec![1, 2, 3];
                append_copy(window.first(length), &mut appended);
                assert_eq!((&appended[..3], &appended[3..]), (&[1, 2, 3][..], &source[from..from + length]));

                let target = buffer(&vec![0xEE; to + length + 40]);
                copy_in(&source[from..from + length], Window::new(&target[to..]));
                let stored: Vec<u8> = target.iter().map(|byte| byte.load(Relaxed)).collect();
                assert_eq!(stored, out);
            }
        }
    }

    /// Under Miri this also proves that such copies are no data races.
    #[test]
    fn bytes_written_meanwhile_are_old_or_new() {
        let (size, copies) = if cfg!(miri) { (40, 4) } else { (1000, 2000) };
        let memory = buffer(&vec![0xAA; size]);
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for value in [0x55, 0xAA].into_iter().cycle() {
                    memory.iter().for_each(|byte| byte.store(value, Relaxed));
                    if done.load(Relaxed) {
                        break;
                    }
                }
            });
            let mut out = vec![0; size];
            for _ in 0..copies {
                copy_out(Window::new(&memory), &mut out);
                assert!(out.iter().all(|&byte| byte == 0x55 || byte == 0xAA));
                copy_in(&out, Window::new(&memory));
            }
            done.store(true, Relaxed);
        });
    }
}
