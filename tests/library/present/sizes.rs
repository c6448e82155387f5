//! Pictures of other sizes than the host's rows, and those that are not in memory: what guests choose is no error.

use triglyph::n3ds::{Eye, Screen};
use triglyph::{
    Access, Device, Fit, GuestAddr, GuestRange, HostFormat, HostRows, Machine, N3ds, Options, Presentation, Presented,
    ScanLayout, ScanOut, Shown, Tier, scan_format as format,
};

use super::{BASE, CANARY, device, device_of_mappings};

const LAYOUTS: [ScanLayout; 6] = [
    ScanLayout::Rows { pitch: 256 },
    ScanLayout::RowsUpwards { pitch: 256 },
    ScanLayout::Columns { pitch: 160 },
    ScanLayout::Columns { pitch: -160 },
    ScanLayout::BlockLinear { log2_gobs: 0, pitch: 192 },
    ScanLayout::BlockLinear { log2_gobs: 2, pitch: 192 },
];

fn picture(layout: ScanLayout) -> ScanOut {
    ScanOut { at: GuestAddr::new(0, BASE + 0x4000), width: 40, height: 33, format: format::A8B8G8R8, layout }
}

/// The pixels of a picture, and what is said of it, in rows of so many pixels with two unused ones after each.
fn present(device: &mut dyn Device, scan: &ScanOut, size: (u32, u32), fit: Fit) -> (Vec<u8>, Presentation) {
    let stride = 4 * (size.0 as usize + 2);
    let mut bytes = vec![CANARY; stride * size.1 as usize];
    let mut rows = HostRows::new(&mut bytes, stride, HostFormat::Rgba8).with_size(size.0, size.1).with_fit(fit);
    let found = device.present(scan, &mut rows, &mut Presented::default()).expect("rows");
    assert!(bytes.chunks(stride).all(|row| row[4 * size.0 as usize..] == [CANARY; 8]), "{scan:?}");
    (bytes.chunks(stride).flat_map(|row| &row[..4 * size.0 as usize]).copied().collect(), found)
}

/// The pixel of a source that a pixel of a target shows.
fn nearest(at: u32, from: u32, to: u32) -> u32 {
    (2 * at + 1) * from / (2 * to)
}

#[test]
fn pictures_are_cut_or_scaled_as_the_host_says() {
    for (tier, mapping) in [(Tier::InterpreterOnly, 0x8_0000), (Tier::JitOnly, 0x700)] {
        let mut device = device_of_mappings(Machine::N3ds, tier, mapping);
        for layout in LAYOUTS {
            let scan = picture(layout);
            let (whole, found) = present(&mut *device, &scan, (40, 33), Fit::Scale);
            assert_eq!((found.shown, found.stored_width, found.stored_height), (Shown::Whole, 40, 33));
            let pixel = |x: u32, y: u32| &whole[4 * (40 * y + x) as usize..][..4];
            for size in [(40, 20), (17, 33), (17, 5), (1, 1), (80, 70), (200, 3)] {
                let (cut, found) = present(&mut *device, &scan, size, Fit::Cut);
                let (width, height) = (size.0.min(40), size.1.min(33));
                let shown = if (width, height) == (40, 33) { Shown::Whole } else { Shown::Cut };
                let mut expected = Presentation::nothing(40, 33);
                (expected.changed, expected.shown) = (true, shown);
                (expected.stored_width, expected.stored_height) = (width, height);
                assert_eq!(found, expected, "{scan:?} {size:?}");
                let (scaled, found) = present(&mut *device, &scan, size, Fit::Scale);
                let (stored_width, stored_height) = size;
                expected.shown = Shown::Scaled;
                (expected.stored_width, expected.stored_height) = (stored_width, stored_height);
                assert_eq!(found, expected);
                for (x, y) in (0..size.1).flat_map(|y| (0..size.0).map(move |x| (x, y))) {
                    let at = 4 * (size.0 * y + x) as usize..;
                    let inside = x < width && y < height;
                    let expected = if inside { pixel(x, y) } else { &[CANARY; 4] };
                    assert_eq!(cut[at.clone()][..4], *expected, "{scan:?} cut to {size:?}, {x}, {y}");
                    let expected = pixel(nearest(x, 40, size.0), nearest(y, 33, size.1));
                    assert_eq!(scaled[at][..4], *expected, "{scan:?} scaled to {size:?}, {x}, {y}");
                }
            }
        }
    }
}

#[test]
fn what_is_not_in_memory_is_zero_and_counted() {
    let mut device = device(Machine::N3ds, Tier::JitOnly);
    for layout in LAYOUTS {
        // The first or the last bytes are outside of memory, or all.
        for at in [BASE - 0x10, BASE + 0x7_FFF0, 0x10_0000] {
            let scan = ScanOut { at: GuestAddr::new(0, at), ..picture(layout) };
            for fit in [Fit::Cut, Fit::Scale] {
                let (pixels, found) = present(&mut *device, &scan, (39, 33), fit);
                assert!(found.missing != 0, "{scan:?}: {found:?}");
                assert!(pixels.chunks(4).any(|pixel| pixel == [0; 4]), "{scan:?}");
            }
        }
    }
}

#[test]
fn pictures_that_there_cannot_be_are_nothing() {
    let mut device = device(Machine::Ps3, Tier::InterpreterOnly);
    let scan = picture(ScanLayout::Rows { pitch: 256 });
    for wrong in [
        ScanOut { width: 0, ..scan },
        ScanOut { height: 0, ..scan },
        ScanOut { width: ScanOut::MAX_EDGE + 1, ..scan },
        ScanOut { width: 65, ..scan },
        ScanOut { at: GuestAddr::new(0, u64::MAX), ..scan },
        ScanOut { layout: ScanLayout::BlockLinear { log2_gobs: 0, pitch: 65 }, ..scan },
        ScanOut { layout: ScanLayout::BlockLinear { log2_gobs: 200, pitch: 192 }, ..scan },
    ] {
        for fit in [Fit::Cut, Fit::Scale] {
            let (pixels, found) = present(&mut *device, &wrong, (40, 33), fit);
            assert_eq!(found, Presentation::nothing(wrong.width, wrong.height), "{wrong:?}");
            assert!(pixels.iter().all(|&byte| byte == CANARY));
        }
    }
    // Rows without room are the host's mistake.
    for size in [(0, 0, 8), (41, 1, 160), (40, 2, 160)] {
        let mut bytes = [0; 164];
        let bytes = if size.2 == 8 { &mut bytes[..3] } else { &mut bytes[..] };
        let mut rows = HostRows::new(bytes, size.2, HostFormat::Rgba8).with_size(size.0, size.1);
        device.present(&scan, &mut rows, &mut Presented::default()).expect_err("no room");
    }
}

#[test]
fn what_is_the_same_is_known_when_scaled() {
    let mut device = device(Machine::Ps3, Tier::JitOnly);
    let scan = picture(ScanLayout::Rows { pitch: 256 });
    let mut presented = Presented::default();
    let mut bytes = vec![0; 4 * 20 * 20];
    let mut show = |device: &mut dyn Device, width: u32, fit: Fit| {
        let mut rows = HostRows::new(&mut bytes, 80, HostFormat::Rgba8).with_size(width, 20).with_fit(fit);
        device.present(&scan, &mut rows, &mut presented).expect("rows").changed
    };
    assert!(show(&mut *device, 20, Fit::Scale) && !show(&mut *device, 20, Fit::Scale));
    // Of another size, or cut, it is another picture.
    assert!(show(&mut *device, 19, Fit::Scale) && show(&mut *device, 19, Fit::Cut));
    assert!(show(&mut *device, 20, Fit::Scale));
    let at = scan.at;
    let mut pixel = [0; 4];
    device.read(at, &mut pixel).expect("mapped");
    device.write(at, &pixel).expect("mapped");
    assert!(show(&mut *device, 20, Fit::Scale));
    device.write(at, &pixel).expect("mapped");
    assert!(!show(&mut *device, 20, Fit::Scale));
}

/// The wide mode of the 3DS has 800 columns: rows for 400 are no error.
#[test]
fn the_wide_mode_fits_in_rows_for_400_columns() {
    let mut gpu = N3ds::new(&Options::new(Tier::JitOnly, 1)).expect("a 3DS");
    gpu.map(GuestRange::new(0, 0x1800_0000, 0x60_0000), Access::READ_WRITE).expect("memory");
    // RGB8 without doubled scanning and without a second eye; columns of 720 bytes.
    gpu.with_gsp(|_, hardware| {
        for (offset, value) in [(0x68, 0x1800_0000), (0x70, 0x8_0001), (0x90, 720)] {
            hardware.write_register(0x40_0400 + offset, value);
        }
    });
    let picture = gpu.external().lcd(Screen::Top).picture(Eye::Left).expect("a picture");
    let bytes: Vec<u8> = (0..800_u32 * 720).map(|at| (at / 720) as u8).collect();
    gpu.write(GuestAddr::new(0, picture.address.into()), &bytes).expect("mapped");
    let mut rows = vec![0; 400 * 240 * 4];
    let mut show = |gpu: &mut N3ds, eye: Eye, fit: Fit| {
        let mut host = HostRows::new(&mut rows, 1600, HostFormat::Rgba8).with_fit(fit);
        let found = gpu.present_screen(Screen::Top, eye, &mut host, &mut Presented::default()).expect("rows");
        (found.shown, (found.width, found.height), (found.stored_width, found.stored_height), rows[4 * 100])
    };
    assert_eq!(show(&mut gpu, Eye::Left, Fit::Cut), (Shown::Cut, (800, 240), (400, 240), 100));
    assert_eq!(show(&mut gpu, Eye::Left, Fit::Scale), (Shown::Scaled, (800, 240), (400, 240), 201));
    // A flat picture has nothing for the right eye, and a colour covers what there is of the screen.
    assert_eq!(show(&mut gpu, Eye::Right, Fit::Cut).0, Shown::Nothing);
    gpu.external_mut().lcd_mut(Screen::Top).fill = 0x0103_0201;
    assert_eq!(show(&mut gpu, Eye::Left, Fit::Cut), (Shown::Cut, (800, 240), (400, 240), 1));
}
