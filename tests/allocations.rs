//! How often steady frames allocate memory on the thread that submits them.
//!
//! A frame of a capture is played over and over, as a running game draws it. The numbers are bounds that only shrink: a
//! change that lowers one writes the lower number here. Hash maps grow by chance, so a few more than were found are
//! allowed.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::path::Path;

use triglyph::capture::{CaptureFile, Checks, Player, Prepared, Reader};
use triglyph::{Options, Tier, new_device};

/// Captures and the allocations of one of their frames. The player makes one of these itself; frames with many map
/// memory or upload macros, as drivers do when a program begins.
const BOUNDS: [(&str, u64); 14] = [
    ("3ds/17-fragment-operations", 4),
    ("3ds/20-vertex-formats", 60),
    ("3ds/22-city", 4),
    ("3ds/23-lighting", 4),
    ("3ds/24-procedural-textures", 4),
    ("3ds/28-render-to-texture", 4),
    ("rsx/03-cubes", 4),
    ("rsx/05-blend", 60),
    ("rsx/06-mipmap", 175),
    ("rsx/13-prims", 60),
    ("tegra/03-cubes", 4),
    ("tegra/04-lit", 20),
    ("tegra/05-blend", 80),
    ("tegra/06-mipmap", 225),
];

/// Frames before those that count.
const WARM_UP: usize = 30;
/// Frames that count.
const COUNTED: usize = 11;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

/// The system's allocator, which counts what each thread asks it for.
struct Counting;

// SAFETY: both functions are those of the system's allocator; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    // SAFETY: the caller keeps to the contract of `GlobalAlloc::alloc`, which is passed on.
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.set(COUNT.get() + 1);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    // SAFETY: the caller keeps to the contract of `GlobalAlloc::dealloc`, which is passed on.
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Allocations of a steady frame: the median, because kernels are compiled again in some frames, which depends on time.
fn allocations(name: &str) -> u64 {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/captures").join(name).with_extension("tgc");
    let file = CaptureFile::open(&path).unwrap();
    let capture = Prepared::new(&Reader::new(&file).unwrap()).unwrap();
    let mut device = new_device(capture.header().machine, &Options::new(Tier::JitOnly, 1)).unwrap();
    let frames = capture.frames();
    let (first, later) = frames.split_first().unwrap();
    let mut play = |records| Player::part(&capture, records, Checks::NONE).run(&mut *device).unwrap();
    play(0..first.end);
    let steady = later.last().unwrap_or(first);
    let mut frame = || {
        let before = COUNT.get();
        play(steady.clone());
        COUNT.get() - before
    };
    for _ in 0..WARM_UP {
        frame();
    }
    let mut counts: [u64; COUNTED] = std::array::from_fn(|_| frame());
    counts.sort_unstable();
    counts[COUNTED / 2]
}

#[test]
fn steady_frames_allocate_no_more_than_they_did() {
    let found = BOUNDS.map(|(name, bound)| (name, bound, allocations(name)));
    let more: Vec<_> = found.iter().filter(|(_, bound, count)| count > bound).collect();
    assert!(more.is_empty(), "captures, allocations of a frame that are written here, and those found: {more:#?}");
}
