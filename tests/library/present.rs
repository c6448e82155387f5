//! Presenting against the plain reader of pictures: all layouts and formats, on both tiers.

use triglyph::capture::{Picture, Present};
use triglyph::{
    Access, Device, GuestAddr, GuestRange, HostFormat, HostRows, Machine, N3ds, Options, PixelFields, Presentation,
    Presented, Rsx, ScanLayout, ScanOut, Shown, Tier, new_device, scan_format as format,
};
use triglyph_testkit::random::Random;

mod sizes;

const BYTES: u64 = 0x8_0000;
const BASE: u64 = 0x1800_0000;
/// Bytes around the picture that must not change.
const CANARY: u8 = 0xA5;

fn device(machine: Machine, tier: Tier) -> Box<dyn Device> {
    device_of_mappings(machine, tier, BYTES)
}

/// A device whose memory consists of mappings of `size` bytes, one after the other.
fn device_of_mappings(machine: Machine, tier: Tier, size: u64) -> Box<dyn Device> {
    let mut device = new_device(machine, &Options::new(tier, 2)).expect("a machine");
    for start in (0..BYTES).step_by(size as usize) {
        let range = GuestRange::new(0, BASE + start, size.min(BYTES - start));
        device.map(range, Access::READ_WRITE).expect("memory");
    }
    let mut random = Random::new(7);
    let bytes: Vec<u8> = (0..BYTES / 4).flat_map(|_| random.word().to_le_bytes()).collect();
    device.write(GuestAddr::new(0, BASE), &bytes).expect("mapped");
    device
}

/// What the host gets of a pixel.
fn packed([r, g, b, a]: [u8; 4], format: HostFormat) -> Vec<u8> {
    match format {
        HostFormat::Rgba8 => vec![r, g, b, a],
        HostFormat::Bgra8 => vec![b, g, r, a],
        HostFormat::Rgb565 => {
            let word = u16::from(r >> 3) << 11 | u16::from(g >> 2) << 5 | u16::from(b >> 3);
            word.to_le_bytes().to_vec()
        }
        other => panic!("no pixels of {other:?}"),
    }
}

/// The rows that the plain reader makes of a picture, with a gap after each.
fn expected(device: &mut dyn Device, present: &Present, big_endian: bool, to: HostFormat, stride: usize) -> Vec<u8> {
    let picture = Picture::read(device, present, big_endian).expect("a picture");
    let mut rows = vec![CANARY; stride * present.height as usize];
    for y in 0..present.height {
        for x in 0..present.width {
            let pixel = packed(picture.pixel(x, y).expect("inside"), to);
            let at = y as usize * stride + x as usize * pixel.len();
            rows[at..at + pixel.len()].copy_from_slice(&pixel);
        }
    }
    rows
}

const FORMATS: [(u32, PixelFields); 9] = [
    (1, format::ABGR8),
    (2, format::BGR8),
    (3, format::RGB565),
    (4, format::RGB5A1),
    (5, format::RGBA4),
    (6, format::A8R8G8B8),
    (7, format::A8B8G8R8),
    (9, format::X8R8G8B8),
    (10, format::X8B8G8R8),
];

#[test]
fn pictures_are_those_of_the_plain_reader() {
    for (tier, mapping) in [(Tier::InterpreterOnly, BYTES), (Tier::JitOnly, BYTES), (Tier::JitOnly, 0x700)] {
        let mut device = device_of_mappings(Machine::N3ds, tier, mapping);
        for (number, fields) in FORMATS {
            let words = fields.bytes != 3 && number != 1;
            for (width, height) in [(1, 1), (37, 19), (64, 33)] {
                for (layout, pitch) in [(0, 70), (1, 70), (2, 40), (0x003, 64), (0x203, 128)] {
                    let big_endian = words && (width + layout) % 2 == 1;
                    if layout & 0xFF == 3 && fields.bytes == 3 {
                        continue;
                    }
                    let bytes = u32::from(fields.bytes);
                    let pitch = if layout & 0xFF == 3 {
                        (width * bytes).next_multiple_of(64) + pitch - 64
                    } else {
                        pitch * bytes
                    };
                    let at = GuestAddr::new(0, BASE + 0x1000);
                    let present = Present { at, format: number, width, height, pitch, layout, label: String::new() };
                    let scan = ScanOut {
                        at,
                        width,
                        height,
                        format: if big_endian { fields.big_endian() } else { fields },
                        layout: match layout {
                            0 => ScanLayout::Rows { pitch },
                            1 => ScanLayout::RowsUpwards { pitch },
                            2 => ScanLayout::Columns { pitch: pitch as i32 },
                            blocks => ScanLayout::BlockLinear { log2_gobs: (blocks >> 8) as u8, pitch },
                        },
                    };
                    for to in [HostFormat::Rgba8, HostFormat::Bgra8, HostFormat::Rgb565] {
                        let stride = width as usize * to.bytes() + 5;
                        let want = expected(&mut *device, &present, big_endian, to, stride);
                        let mut got = vec![CANARY; want.len()];
                        let mut rows = HostRows::new(&mut got, stride, to);
                        assert!(device.present(&scan, &mut rows, &mut Presented::default()).expect("rows").changed);
                        assert!(got == want, "{tier:?} {scan:?} as {to:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn rows_far_apart_are_missing_and_take_no_memory() {
    let mut device = device(Machine::N3ds, Tier::InterpreterOnly);
    let mut bytes = vec![0; 240 * 400 * 4];
    for layout in [
        ScanLayout::Rows { pitch: 0xFFFF_FFF0 },
        ScanLayout::RowsUpwards { pitch: 0xFFFF_FFF0 },
        ScanLayout::Columns { pitch: 0x7FFF_FFF0 },
        ScanLayout::Columns { pitch: i32::MIN },
        ScanLayout::BlockLinear { log2_gobs: 5, pitch: 0xFFFF_FFC0 },
    ] {
        for at in [BASE, u64::MAX - 0x1000, 0] {
            let at = GuestAddr::new(0, at);
            let scan = ScanOut { at, width: 240, height: 400, format: format::ABGR8, layout };
            let mut rows = HostRows::new(&mut bytes, 960, HostFormat::Rgba8);
            let found = device.present(&scan, &mut rows, &mut Presented::default()).expect("rows");
            assert!(found.shown == Shown::Nothing || found.missing > 100 * 240 * 4, "{scan:?}: {found:?}");
        }
    }
}

#[test]
fn one_row_may_have_any_stride() {
    let mut device = device(Machine::N3ds, Tier::JitOnly);
    let at = GuestAddr::new(0, BASE);
    let layout = ScanLayout::Rows { pitch: 64 };
    let scan = ScanOut { at, width: 16, height: 1, format: format::A8B8G8R8, layout };
    let mut want = [0; 64];
    device.read(at, &mut want).expect("mapped");
    for stride in [64, 1 << 58, usize::MAX / 2, usize::MAX] {
        let mut bytes = [0; 64];
        let mut rows = HostRows::new(&mut bytes, stride, HostFormat::Rgba8);
        assert!(device.present(&scan, &mut rows, &mut Presented::default()).expect("rows").changed);
        assert_eq!(bytes, want);
        assert!(rows_filled(stride), "stride {stride}");
    }
}

fn rows_filled(stride: usize) -> bool {
    let mut bytes = [0; 64];
    let mut rows = HostRows::new(&mut bytes, stride, HostFormat::Rgba8);
    rows.fill(16, 1, [1, 2, 3, 4], &mut Presented::default()).expect("room").changed
        && bytes == [1, 2, 3, 4].repeat(16)[..]
}

#[test]
fn what_is_the_same_is_known() {
    let mut device = device(Machine::Ps3, Tier::InterpreterOnly);
    let at = GuestAddr::new(0, BASE);
    let layout = ScanLayout::Rows { pitch: 64 };
    let scan = ScanOut { at, width: 16, height: 16, format: format::A8R8G8B8.big_endian(), layout };
    let mut presented = Presented::default();
    let mut bytes = vec![0; 16 * 16 * 4];
    let mut present = |device: &mut Box<dyn Device>, bytes: &mut Vec<u8>, scan: &ScanOut| {
        let mut rows = HostRows::new(bytes, 64, HostFormat::Rgba8);
        device.present(scan, &mut rows, &mut presented).map(|found| found.changed)
    };
    assert!(present(&mut device, &mut bytes, &scan).expect("a picture"));
    bytes.fill(0);
    // Nothing was written since: the rows are not touched.
    assert!(!present(&mut device, &mut bytes, &scan).expect("a picture"));
    assert!(bytes.iter().all(|&byte| byte == 0));
    // Other memory, and the same bytes once more.
    device.write(GuestAddr::new(0, BASE + 0x8000), &[1, 2, 3]).expect("mapped");
    assert!(!present(&mut device, &mut bytes, &scan).expect("a picture"));
    let mut pixel = [0; 4];
    device.read(at, &mut pixel).expect("mapped");
    device.write(at, &pixel).expect("mapped");
    // Pictures are remembered from the second time on.
    assert!(present(&mut device, &mut bytes, &scan).expect("a picture"));
    device.write(at, &pixel).expect("mapped");
    assert!(!present(&mut device, &mut bytes, &scan).expect("a picture"));
    device.write(at, &pixel.map(|byte| !byte)).expect("mapped");
    assert!(present(&mut device, &mut bytes, &scan).expect("a picture"));
    assert!(present(&mut device, &mut bytes, &ScanOut { width: 15, ..scan }).expect("a picture"));
}

#[test]
fn screens_of_the_3ds_are_upright_and_corrected() {
    use triglyph::n3ds::{Eye, Screen};
    for tier in [Tier::InterpreterOnly, Tier::JitOnly] {
        let mut gpu = N3ds::new(&Options::new(tier, 1)).expect("a 3DS");
        gpu.map(GuestRange::new(0, 0x1800_0000, 0x60_0000), Access::READ_WRITE).expect("memory");
        let bottom = gpu.external().lcd(Screen::Bottom).picture(Eye::Left).expect("a picture");
        // The pixel at (3, 5): blue, green, red.
        let at = u64::from(bottom.address) + 3 * 720 + (239 - 5) * 3;
        gpu.write(GuestAddr::new(0, at), &[10, 20, 30]).expect("mapped");
        let mut rows = vec![0; 320 * 240 * 4];
        let mut presented = Presented::default();
        let mut show = |gpu: &mut N3ds, rows: &mut Vec<u8>| {
            let mut rows = HostRows::new(rows, 1280, HostFormat::Rgba8);
            gpu.present_screen(Screen::Bottom, Eye::Left, &mut rows, &mut presented).expect("rows").changed
        };
        let pixel = |rows: &[u8], x: usize, y: usize| rows[y * 1280 + 4 * x..][..4].to_vec();
        assert!(show(&mut gpu, &mut rows));
        assert_eq!((pixel(&rows, 3, 5), pixel(&rows, 3, 6)), (vec![30, 20, 10, 255], vec![0, 0, 0, 255]));
        // A gamma table that turns 30 of red to 77, and a colour that covers everything.
        let lcd = gpu.external_mut().lcd_mut(Screen::Bottom);
        lcd.write(0x80, 30);
        lcd.write(0x84, 0x0000_1E4D);
        assert!(show(&mut gpu, &mut rows));
        assert_eq!(pixel(&rows, 3, 5), [77, 20, 10, 255]);
        assert!(!show(&mut gpu, &mut rows));
        gpu.external_mut().lcd_mut(Screen::Bottom).fill = 0x0103_0201;
        assert!(show(&mut gpu, &mut rows) && !show(&mut gpu, &mut rows));
        assert_eq!(pixel(&rows, 319, 239), [1, 2, 3, 255]);
        gpu.external_mut().lcd_mut(Screen::Bottom).fill = 0;
        assert!(show(&mut gpu, &mut rows));
        assert_eq!(pixel(&rows, 3, 5), [77, 20, 10, 255]);
    }
}

#[test]
fn heads_of_the_ps3_show_what_was_flipped() {
    let mut gpu = Rsx::new(&Options::new(Tier::InterpreterOnly, 1)).expect("a PS3");
    let memory = gpu.memory_allocate(16 << 20, [8, 0x30_0000, 15, 8]).expect("memory");
    let context = gpu.context_allocate(memory.handle, 0).expect("a context");
    assert_eq!(gpu.scan_out(0), None);
    // Display buffer 1: 64x16 pixels of 256 bytes a row at 0x4000; then a flip to it.
    gpu.context_attribute(context.handle, 0x104, [1, 64 << 32 | 16, 256 << 32 | 0x4000, 0]).expect("a buffer");
    gpu.context_attribute(context.handle, 0x102, [0, 0x8000_0101, 0, 0]).expect("a flip");
    gpu.vblank(0, 0);
    let scan = gpu.scan_out(0).expect("a buffer");
    assert_eq!((scan.at, scan.width, scan.height), (GuestAddr::new(0, 0x4000), 64, 16));
    gpu.write(GuestAddr::new(0, 0x4000), &[9, 1, 2, 3]).expect("mapped");
    let mut bytes = vec![0; 64 * 16 * 4];
    let mut rows = HostRows::new(&mut bytes, 256, HostFormat::Bgra8);
    assert!(gpu.present_head(0, &mut rows, &mut Presented::default()).expect("rows").changed);
    assert_eq!(bytes[..4], [3, 2, 1, 255]);
    // The other head shows nothing, and the guest makes this one show what there cannot be.
    let mut show = |gpu: &mut Rsx, head: u32| {
        let mut rows = HostRows::new(&mut bytes, 256, HostFormat::Bgra8);
        gpu.present_head(head, &mut rows, &mut Presented::default()).expect("rows")
    };
    assert_eq!(show(&mut gpu, 1), Presentation::nothing(0, 0));
    assert_eq!(show(&mut gpu, 7), Presentation::nothing(0, 0));
    for (size, pitch, shown, is_missing) in [
        (256 << 32 | 64, 1024 << 32 | 0x4000, Shown::Cut, false),
        (64 << 32 | 16, 252 << 32 | 0x4000, Shown::Nothing, false),
        (64 << 32 | 16, 256 << 32 | 0x0FFF_F000, Shown::Whole, true),
    ] {
        gpu.context_attribute(context.handle, 0x104, [1, size, pitch, 0]).expect("a buffer");
        gpu.context_attribute(context.handle, 0x102, [0, 0x8000_0101, 0, 0]).expect("a flip");
        gpu.vblank(0, 0);
        let found = show(&mut gpu, 0);
        assert_eq!((found.shown, found.missing != 0), (shown, is_missing), "{found:?}");
    }
}
