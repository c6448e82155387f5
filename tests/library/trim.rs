//! Captures without the memory that nothing reads.

use triglyph::capture::{
    Checks, Compression, Event, Expectation, Meta, Player, Present, Reader, Record, RecordingDevice, TrimUnit, trim,
};
use triglyph::{Access, Device, GuestAddr, GuestRange, N3ds, Options, Tier, new_device};
use triglyph_testkit::random::noise;

const VRAM: u64 = 0x1800_0000;
const FCRAM: u64 = 0x2000_0000;

/// Memory of an emulator that is full of other things, of which a frame copies 0x100 bytes and fills over the picture
/// of the frame before; a second frame copies what the first has left.
fn recording() -> Vec<u8> {
    let mut device = RecordingDevice::new(N3ds::new(&Options::new(Tier::InterpreterOnly, 1)).expect("a 3DS"));
    for (base, size) in [(VRAM, 0x2_0000), (FCRAM, 0x10_0000)] {
        device.map(GuestRange::new(0, base, size), Access::READ_WRITE).expect("memory");
        device.write(GuestAddr::new(0, base), &noise(size as usize, base)).expect("mapped");
    }
    device.start(Vec::new(), Compression::default(), Meta::default()).expect("a recording");
    let screen = Present {
        at: GuestAddr::new(0, VRAM + 0x1000),
        format: 1,
        width: 16,
        height: 16,
        pitch: 64,
        layout: 0,
        label: "top".to_owned(),
    };
    for frame in 0..2_u32 {
        let target = 0x1F00_1000;
        let source = if frame == 0 { 0x3000_4321 & !15 } else { target + 0x200 };
        for command in [
            [2, target, 0x1122_3344, target + 0x400, 0, 0, 0, 0x201],
            [4, source, target + 0x100 * frame, 0x100, 0, 0, 8, 0_u32],
        ] {
            device.submit(command.map(u32::to_le_bytes).as_flattened()).expect("a command");
        }
        device.present(&screen, Expectation::AsItIs).expect("a picture");
        // Written by the processor, and read by nothing.
        device.write(GuestAddr::new(0, FCRAM + 0x8_0000), &[frame as u8; 5000]).expect("mapped");
    }
    device.hash(GuestRange::new(0, VRAM, 0x2_0000)).expect("mapped");
    device.stop().expect("a recording").expect("bytes")
}

/// Bytes of memory in a capture.
fn memory(file: &[u8]) -> usize {
    let reader = Reader::new(file).expect("a capture");
    let bytes = |record: Record<'_>| if let Record::Mem(mem) = record { mem.bytes.len() } else { 0 };
    reader.records().map(|entry| bytes(entry.expect("a record").record)).sum()
}

/// Everything that a capture expects is so, on a tier.
fn check(file: &[u8], tier: Tier) -> (usize, usize) {
    let reader = Reader::new(file).expect("a capture");
    let mut device = new_device(reader.header().machine, &Options::new(tier, 2)).expect("a machine");
    let mut player = Player::new(&reader, Checks::ALL);
    let (mut pictures, mut hashes) = (0, 0);
    while let Some(event) = player.next(&mut *device).expect("a sound capture") {
        match event {
            Event::Picture(finished) => {
                let (_, comparison) = finished.expectation.expect("an EXPECT");
                assert!(comparison.ok, "{comparison:?}");
                pictures += 1;
            }
            Event::Hash(hashed) => {
                assert!(hashed.ok(), "{hashed:?}");
                hashes += 1;
            }
            _ => {}
        }
    }
    (pictures, hashes)
}

#[test]
fn what_is_read_is_left() {
    let file = recording();
    assert!(memory(&file) > 0x12_0000);
    for (unit, bytes) in [(TrimUnit::Bytes, 0x100), (TrimUnit::Pages, 0x1000)] {
        let trimmed = trim(&file, unit).expect("a capture");
        assert_eq!(memory(&trimmed), bytes, "{unit:?}");
        for tier in [Tier::InterpreterOnly, Tier::JitOnly] {
            assert_eq!(check(&trimmed, tier), (2, 1));
        }
        assert_eq!(trim(&trimmed, unit).expect("a capture"), trimmed, "there is nothing more to leave out");
    }
    trim(&file[..file.len() - 1], TrimUnit::Bytes).expect_err("a broken capture");
}

/// Captures of all machines, with everything that programs read: textures, vertices, programs, tables.
#[test]
fn captures_of_all_machines_are_trimmed() {
    for name in ["3ds/28-render-to-texture.tgc", "3ds/25-shadow-map.tgc", "rsx/06-mipmap.tgc", "tegra/07-fbo.tgc"] {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/captures").join(name);
        let file = std::fs::read(&path).expect("a capture of the repository");
        let trimmed = trim(&file, TrimUnit::Bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(memory(&trimmed) <= memory(&file), "{name}");
    }
}
