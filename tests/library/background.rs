//! Scenes that other threads draw while the list goes on: the bytes are the same.

use triglyph::capture::{Checks, Player, Reader};
use triglyph::{Access, Device, GuestAddr, GuestRange, N3ds, Options, Rsx, SnapshotOptions, TegraX1, Tier};
use triglyph_guest::pica::regs;
use triglyph_testkit::data::file;
use triglyph_testkit::pica::list::{HEAP, List, VERTICES, VRAM, VRAM_VIRTUAL, Vertex, draw_state};

/// Threads that have to agree.
const THREADS: [usize; 3] = [1, 2, 4];

/// A device that tells how many scenes were drawn in the background.
trait Counting: Device + Sized {
    fn new(options: &Options) -> Self;
    fn background_scenes(&self) -> u64;
}

impl Counting for N3ds {
    fn new(options: &Options) -> Self {
        N3ds::new(options).expect("a 3DS")
    }

    fn background_scenes(&self) -> u64 {
        self.renderer().background_scenes()
    }
}

impl Counting for Rsx {
    fn new(options: &Options) -> Self {
        Rsx::new(options).expect("a PS3")
    }

    fn background_scenes(&self) -> u64 {
        self.core().renderer.background_scenes()
    }
}

impl Counting for TegraX1 {
    fn new(options: &Options) -> Self {
        TegraX1::new(options).expect("a Tegra X1")
    }

    fn background_scenes(&self) -> u64 {
        self.core().renderer.background_scenes()
    }
}

/// Plays a capture. The machine's state, which has its memory and its clock, what was counted, and the scenes that were
/// drawn in the background.
fn play<D: Counting>(reader: &Reader<'_>, tier: Tier, threads: usize) -> (Vec<u8>, [u64; 3], u64) {
    let mut gpu = D::new(&Options::new(tier, threads));
    Player::new(reader, Checks::ALL).run(&mut gpu).expect("a capture that plays");
    gpu.finish();
    let state = gpu.snapshot(SnapshotOptions::default()).expect("a snapshot");
    let stats = gpu.stats();
    (state, [stats.draws, stats.triangles, gpu.faults().total()], gpu.background_scenes())
}

/// Plays captures on one thread, and on several with both tiers. Returns the scenes that the interpreter has drawn in
/// the background.
fn compare<D: Counting>(folder: &str, names: &[&str]) -> u64 {
    let mut in_background = 0;
    for name in names {
        let path = file(&format!("captures/{folder}/{name}.tgc"));
        let bytes = std::fs::read(path).expect("a bundled capture");
        let reader = Reader::new(&bytes).expect("a capture");
        let (state, counts, none) = play::<D>(&reader, Tier::InterpreterOnly, 1);
        assert_eq!(none, 0, "{name}: there is no other thread");
        for (tier, threads) in [(Tier::InterpreterOnly, 2), (Tier::JitOnly, 2), (Tier::JitOnly, 4)] {
            let (other, others, scenes) = play::<D>(&reader, tier, threads);
            assert!(other == state, "{name}: {tier:?} on {threads} threads");
            assert_eq!(others, counts, "{name}: {tier:?} on {threads} threads");
            in_background += if tier == Tier::InterpreterOnly { scenes } else { 0 };
        }
    }
    in_background
}

#[test]
fn captures_of_the_3ds_are_the_same() {
    let names = ["24-procedural-textures", "17-fragment-operations", "22-city", "23-lighting", "28-render-to-texture"];
    assert!(compare::<N3ds>("3ds", &names) >= names.len() as u64, "little was drawn in the background");
}

#[test]
fn captures_of_the_rsx_are_the_same() {
    let names =
        ["03-cubes", "05-blend", "06-mipmap", "07-fbo", "08-loops", "10-stencil", "13-prims", "16-ffp", "18-shadow"];
    assert!(compare::<Rsx>("rsx", &names) > 0, "nothing was drawn in the background");
}

#[test]
fn captures_of_the_tegra_are_the_same() {
    let names = [
        "03-cubes",
        "04-lit",
        "07-fbo",
        "08-loops",
        "13-prims",
        "18-shadow",
        "19-instancing",
        "24-dynamic",
        "25-msaa",
        "31-doubles",
        "33-texture-arrays",
        "36-streams",
    ];
    assert!(compare::<TegraX1>("tegra", &names) > 0, "nothing was drawn in the background");
}

const EDGE: u32 = 512;
const BYTES: u32 = 4 * EDGE * EDGE;
/// Lists in the target, which is drawn from its start on.
const FIRST: u32 = VRAM;
const SECOND: u32 = FIRST + BYTES / 4;

/// Draws that take some milliseconds together, each too small to be shared by threads.
const MANY: u32 = 20_000;

/// Two triangles over all of the target, and one without area.
fn vertices() -> Vec<Vertex> {
    let corner = |x: f32, y: f32| [[x, y, -0.5, 1.0], [1.0, 0.25, 0.5, 1.0], [0.0; 4]];
    let square = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
    square.into_iter().map(|(x, y)| corner(x, y)).chain([corner(0.0, 0.0); 3]).collect()
}

fn draw_target(list: &mut List) {
    list.set(regs::vertex_offset::ID, 0).set(regs::num_vertices::ID, 6).set(regs::draw_arrays::ID, 1);
}

fn draw_nothing(list: &mut List) {
    list.set(regs::vertex_offset::ID, 6).set(regs::num_vertices::ID, 3);
    for _ in 0..MANY {
        list.set(regs::draw_arrays::ID, 1);
    }
}

/// Executes the lists at [`FIRST`] and [`SECOND`], the first one by a command. Memory, and whether the end of a list
/// raised its interrupt.
fn execute(lists: [&List; 2], threads: usize) -> (Vec<u8>, bool) {
    let mut gpu = N3ds::new(&Options::new(Tier::InterpreterOnly, threads)).expect("a 3DS");
    for (start, size) in [(VRAM, BYTES), (HEAP, 0x20_0000)] {
        gpu.map(GuestRange::new(0, start.into(), size.into()), Access::READ_WRITE).expect("memory");
    }
    let mut write = |address: u32, words: &mut dyn Iterator<Item = u32>| {
        let bytes: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
        gpu.write(GuestAddr::new(0, address.into()), &bytes).expect("mapped memory");
    };
    write(VERTICES, &mut vertices().iter().flatten().flatten().map(|value| value.to_bits()));
    for (address, list) in [FIRST, SECOND].into_iter().zip(lists) {
        write(address, &mut list.0.iter().copied());
    }
    // Zeros after it write nothing.
    let bytes = 4 * lists[0].0.len().next_multiple_of(4) as u32;
    let end = gpu.execute(&[1, FIRST - VRAM + VRAM_VIRTUAL, bytes, 0, 0, 0, 0, 0]);
    let mut memory = vec![0; BYTES as usize];
    gpu.read(GuestAddr::new(0, VRAM.into()), &mut memory).expect("mapped memory");
    (memory, end.event.is_some())
}

#[test]
fn a_list_is_read_as_it_was_before_its_own_draws() {
    let mut list = draw_state(EDGE, EDGE);
    draw_target(&mut list);
    draw_nothing(&mut list);
    list.end();
    let outcomes = THREADS.map(|threads| execute([&list, &List::default()], threads));
    assert!(outcomes[0].1, "the draw does not reach the list that it is in");
    assert!(outcomes.iter().all(|outcome| *outcome == outcomes[0]));
}

#[test]
fn a_list_that_is_jumped_to_is_read_as_it_was_drawn() {
    let mut second = List::default();
    second.end();
    let mut first = draw_state(EDGE, EDGE);
    draw_target(&mut first);
    draw_nothing(&mut first);
    first.set(regs::cmdbuf_size::IDS[0], second.0.len() as u32 / 2);
    first.set(regs::cmdbuf_addr::IDS[0], SECOND >> 3).set(regs::cmdbuf_jump0::ID, 1);
    let outcomes = THREADS.map(|threads| execute([&first, &second], threads));
    assert!(!outcomes[0].1, "the second list was drawn over");
    assert!(outcomes.iter().all(|outcome| *outcome == outcomes[0]));
}
