//! A virtual GPU for Linux programs: a library to preload, with which Mesa's drivers for the NV47 (nv30) and the GM20B
//! (nvc0) find a device of the kernel's nouveau driver. What they submit is drawn by Triglyph's RSX and Tegra X1.
//!
//! ```sh
//! LD_PRELOAD=libtriglyph_vgpu.so TRIGLYPH_GPU_CHIP=nv47 EGL_PLATFORM=surfaceless program
//! ```
//!
//! ```text
//! program ─► Mesa ─► libdrm ─► open, stat, ioctl ─► hooks ─► drm ─► state ─► board (a machine on a thread)
//!              └──── mmap ────► memory, one file ◄───────────────────────────────┘
//! ```
//! All of the GPU's memory is one file, and the device node's descriptors are descriptors of that file: what the
//! program maps is what the machine draws to. Each process has a GPU of its own.

#![cfg(target_os = "linux")]

pub(crate) mod board;
pub(crate) mod buffers;
pub(crate) mod chip;
pub(crate) mod display;
pub(crate) mod drm;
pub(crate) mod heap;
// Tests keep the C library's functions: these have no caller by name.
#[cfg_attr(test, allow(dead_code))]
pub(crate) mod hooks;
pub(crate) mod memory;
pub(crate) mod nodes;
pub(crate) mod settings;
pub(crate) mod shared_file;
pub(crate) mod shared_syncobj;
pub(crate) mod spaces;
pub(crate) mod state;
pub(crate) mod sync_file;
pub(crate) mod syncobjs;
pub(crate) mod watches;

/// The number of the error that a function of the system's has just reported.
pub(crate) fn errno() -> drm::argument::Errno {
    drm::argument::Errno(std::io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO))
}
