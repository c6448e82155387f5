//! Functions that random code calls. Each leaves something in memory, and nothing in registers that it may change.

#![allow(unsafe_code)]

use super::memory::{FUNCTIONS, Memory};

/// What a function does, told from others by a number.
fn note(memory: *mut Memory, number: u64, args: &[u64]) -> u64 {
    // SAFETY: code passes the memory that it was called with, which nothing else uses as long as it runs.
    let log = unsafe { &mut (*memory).log };
    for &arg in [number].iter().chain(args) {
        log[0] = (log[0] ^ arg).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
    }
    log[1] += 1;
    clobber();
    log[0]
}

/// Changes registers that a function need not keep.
#[cfg(target_arch = "x86_64")]
fn clobber() {
    if !std::arch::is_x86_feature_detected!("avx") {
        return;
    }
    // SAFETY: registers that are changed are said to be; the processor has AVX.
    unsafe {
        std::arch::asm!(
            "vzeroall",
            "mov rax, -1",
            "mov rcx, -1",
            "mov rdx, -1",
            "mov rsi, -1",
            "mov rdi, -1",
            "mov r8, -1",
            "mov r9, -1",
            "mov r10, -1",
            "mov r11, -1",
            clobber_abi("C"),
            options(nostack)
        );
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn clobber() {}

// Arguments of fewer bits have any bits above those.

extern "C" fn two(memory: *mut Memory, a: u64, b: u64) -> u64 {
    note(memory, 0, &[a, b & 0xFFFF_FFFF])
}

extern "C" fn five(memory: *mut Memory, a: u64, b: u64, c: u64, d: u64, e: u64) -> u64 {
    note(memory, 1, &[a & 0xFFFF_FFFF, b, c, d & 0xFFFF_FFFF, e])
}

extern "C" fn none(memory: *mut Memory) {
    note(memory, 2, &[]);
}

extern "C" fn one(memory: *mut Memory, a: u64) -> u64 {
    note(memory, 3, &[a & 0xFFFF_FFFF])
}

/// Their addresses, in the order of [`SIGNATURES`](super::emit::SIGNATURES).
pub(super) fn addresses() -> [u64; FUNCTIONS] {
    [two as *const () as u64, five as *const () as u64, none as *const () as u64, one as *const () as u64]
}
