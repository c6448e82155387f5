//! Parts of grids that use the same memory, and parts that do not.

use triglyph_guest::kernel::program::reduction::Operation;

use super::*;
use crate::mem::rights::Access;
use crate::mem::tests::{at, range};

const ADD: Reduction = Reduction { operation: Operation::Add, wide: false };

fn memory() -> Memory {
    let mut memory = Memory::default();
    memory.map(range(0, 0x1_0000, 0x4_0000), Access::READ_WRITE).unwrap();
    memory.alias(at(0, 0x10_0000), range(0, 0x2_0000, 0x1000), Access::READ_WRITE).unwrap();
    for address in (0x1_0000..0x5_0000).step_by(4) {
        memory.write(at(0, address), &(address as u32).to_le_bytes()).unwrap();
    }
    memory
}

fn word(memory: &Memory, address: u64) -> u32 {
    let mut bytes = [0; 4];
    memory.read(at(0, address), &mut bytes).unwrap();
    u32::from_le_bytes(bytes)
}

/// As compiled programs do.
fn store(chunk: &ChunkMemory<'_, '_>, address: u64, value: u32) {
    let span = chunk.span(address, Usage::Store).unwrap();
    span.window.write((address - span.start) as usize, &value.to_le_bytes());
    chunk.note(address, 4, Usage::Store);
}

fn load(chunk: &ChunkMemory<'_, '_>, address: u64) -> u32 {
    let span = chunk.span(address, Usage::Load).unwrap();
    chunk.note(address, 4, Usage::Load);
    span.window.read_word((address - span.start) as usize, 4)
}

fn add(chunk: &ChunkMemory<'_, '_>, address: u64, value: u32) {
    let span = chunk.span(address, Usage::Reduce(ADD)).unwrap();
    let offset = (address - span.start) as usize;
    span.window.write_word(offset, 4, span.window.read_word(offset, 4).wrapping_add(value));
    chunk.note(address, 4, Usage::Reduce(ADD));
}

/// What a part does.
type Part<'a> = &'a dyn Fn(&ChunkMemory<'_, '_>);

/// Two parts at the same time. Whether they were independent.
fn run(memory: &Memory, first: impl Fn(&ChunkMemory<'_, '_>), second: impl Fn(&ChunkMemory<'_, '_>)) -> bool {
    let image = memory.writable(at(0, 0x4_0000)).first(0x1000);
    let room = KeptRoom::default();
    let speculation = Speculation::new((memory, 0), vec![image], (true, true), &room);
    let [a, b] = [speculation.chunk(1), speculation.chunk(1)];
    first(&a);
    second(&b);
    a.finish();
    b.finish();
    speculation.finish().is_some()
}

#[test]
fn parts_that_use_their_own_stay() {
    let mut memory = memory();
    memory.take_written();
    let change = |chunk: &ChunkMemory<'_, '_>, address: u64| {
        let value = load(chunk, address) + load(chunk, 0x1_0000);
        store(chunk, address, value);
        chunk.write(address + 4, &[1, 2]);
        add(chunk, 0x4_8000, 5);
        chunk.note_image(0, address..address + 4, true);
    };
    assert!(run(&memory, |chunk| change(chunk, 0x2_0000), |chunk| change(chunk, 0x2_0006)));
    assert_eq!((word(&memory, 0x2_0000), word(&memory, 0x4_8000)), (0x3_0000, 0x4_800A));
    let written = memory.take_written();
    assert!(written.contains(&range(0, 0x2_0000, 12)) && written.contains(&range(0, 0x4_8000, 4)), "{written:?}");
}

#[test]
fn parts_that_see_each_other_are_undone() {
    let memory = memory();
    let before = word(&memory, 0x2_0000);
    let stores = |chunk: &ChunkMemory<'_, '_>| {
        store(chunk, 0x2_0000, 1);
        chunk.write(0x1_FFFE, &[9; 4]);
    };
    let cases: [(&str, Part<'_>); 8] = [
        ("loads", &|chunk| _ = load(chunk, 0x2_0000)),
        ("reads", &|chunk| chunk.read(0x1_FFFC, &mut [0; 3])),
        ("stores", &|chunk| store(chunk, 0x2_0000, 2)),
        ("writes", &|chunk| chunk.write(0x2_0001, &[1])),
        ("adds", &|chunk| add(chunk, 0x2_0000, 1)),
        ("loads from the same memory elsewhere", &|chunk| _ = load(chunk, 0x10_0000)),
        ("stores to the same memory elsewhere", &|chunk| store(chunk, 0x10_0000, 3)),
        ("fails", &|chunk| chunk.of.fail()),
    ];
    for (what, other) in cases {
        assert!(!run(&memory, stores, other), "{what}");
        assert!(!run(&memory, other, stores), "{what}");
        let words = [0x1_FFFC, 0x2_0000, 0x2_0004].map(|address| word(&memory, address));
        assert_eq!(words, [0x1_FFFC, before, 0x2_0004], "{what}");
    }
    assert!(run(&memory, stores, |chunk| _ = load(chunk, 0x2_0004)));
    // The second store of the same part is the one that stays.
    assert_eq!(word(&memory, 0x2_0000), 0x0909);
}

#[test]
fn images_are_compared_by_texels_and_undone() {
    let memory = memory();
    let image = memory.writable(at(0, 0x4_0000));
    let stores = |chunk: &ChunkMemory<'_, '_>| {
        image.write_word(8, 4, 77);
        chunk.note_image(0, 0x100..0x104, true);
    };
    assert!(!run(&memory, stores, |chunk| chunk.note_image(0, 0x103..0x108, false)));
    assert_eq!(word(&memory, 0x4_0008), 0x4_0008);
    assert!(!run(&memory, stores, |chunk| chunk.note_image(0, 0x103..0x108, true)));
    assert!(!run(&memory, stores, |chunk| _ = load(chunk, 0x4_0008)));
    assert!(!run(&memory, stores, |chunk| add(chunk, 0x4_0008, 1)));
    assert_eq!(word(&memory, 0x4_0008), 0x4_0008);
    assert!(run(&memory, stores, |chunk| chunk.note_image(0, 0x104..0x108, true)));
    assert_eq!(word(&memory, 0x4_0008), 77);
    // What is only loaded may be loaded by address as well.
    assert!(run(&memory, |chunk| chunk.note_image(0, 0..4, false), |chunk| _ = load(chunk, 0x4_0000)));
}

#[test]
fn nothing_is_kept_where_all_of_it_is_stored_again() {
    let memory = memory();
    let room = KeptRoom::default();
    let speculation = Speculation::new((&memory, 0), Vec::new(), (false, false), &room);
    let chunk = speculation.chunk(1);
    store(&chunk, 0x2_0000, 1);
    add(&chunk, 0x3_0000, 1);
    // Reductions that are not gathered leave memory as it is.
    chunk.read(0x3_0002, &mut [0; 4]);
    chunk.write(0x3_0002, &[1; 4]);
    chunk.finish();
    assert!(speculation.finish().is_none());
    assert_eq!([0x2_0000, 0x3_0000].map(|address| word(&memory, address)), [1, 0x3_0000]);
}

#[test]
fn parts_that_go_back_and_forth_fail() {
    let memory = memory();
    let room = KeptRoom::default();
    let stores = |count: usize| {
        let speculation = Speculation::new((&memory, 0), Vec::new(), (true, false), &room);
        let chunk = speculation.chunk(1);
        (0..count).for_each(|n| store(&chunk, 0x1_0000 + 0x3_0000 * (n as u64 & 1), 1));
        chunk.finish();
        speculation.finish().is_some()
    };
    assert!(stores(MIN_CHANGES) && !stores(MIN_CHANGES + CHANGES_PER_BLOCK + 1));
}

#[test]
fn misses_are_those_of_all() {
    let memory = memory();
    let room = KeptRoom::default();
    let speculation = Speculation::new((&memory, 0), Vec::new(), (true, false), &room);
    for address in [0x9_0000, 0x8_0000] {
        let chunk = speculation.chunk(1);
        chunk.read(address, &mut [0; 4]);
        chunk.write(address + 8, &[0; 4]);
        chunk.finish();
    }
    assert_eq!(speculation.finish(), Some(UnmappedAccesses { reads: (2, 0x8_0000), writes: (2, 0x8_0008) }));
}
