//! DMA of the 3DS's process, recorded and replayed.

use triglyph::n3ds::{HostCopy, Outcome, PROCESS};
use triglyph::{Access, Device, GuestAddr, GuestRange, N3ds};
use triglyph_testkit::random::noise;

use super::{HostMemory, Recording, options, replay, start, stop};

/// As mGBA does: pictures are copied out of the program's own image, in the queue and by a GSP of the host's. What the
/// host copies itself, as it has not mapped it, is in the recording as the host's writes.
#[test]
fn dma_from_the_programs_image_replays() {
    let image = HostMemory::new(0x4000);
    let mut device = Recording::new(N3ds::new(&options()).expect("a 3DS"));
    device.map(GuestRange::new(0, 0x1800_0000, 0x1_0000), Access::READ_WRITE).expect("memory");
    device.device_mut().with_memory(|memory| image.map(memory, PROCESS, 0x10_0000));
    image.write(0x204, &noise(0x2000, 3));
    start(&mut device);
    let vram = GuestRange::new(0, 0x1800_0000, 0x1_0000);
    let words = |source: u32, target: u32| [0, source, target, 0x1000, 0, 0, 0, 0];
    device.submit(words(0x10_0204, 0x1F00_0000).map(u32::to_le_bytes).as_flattened()).expect("a command");
    device.hash(vram).expect("mapped");
    image.write(0x204, &noise(0x2000, 4));
    let executed = device.device_mut().execute(&words(0x10_0304, 0x1F00_2000));
    assert!(matches!(executed.outcome(), Outcome::Done(_)), "{executed:?}");
    device.hash(vram).expect("mapped");
    let executed = device.device_mut().execute(&words(0x800_0000, 0x1F00_4000));
    let expected = HostCopy { source: 0x800_0000, target: 0x1F00_4000, size: 0x1000 };
    assert_eq!(executed.outcome(), Outcome::HostCopy(expected));
    device.write(GuestAddr::new(0, 0x1800_4000), &noise(0x1000, 5)).expect("memory");
    device.device_mut().execute(&[4, 0x1F00_4000, 0x1F00_8000, 0x100, 0, 0, 8, 0]);
    device.hash(vram).expect("mapped");
    assert_eq!(device.faults().total(), 0);
    let file = stop(&mut device);
    assert_eq!(replay(&file), 3);
}
