//! Hand-made pictures, one for every format and layout.
// Binary literals are grouped by channel.
#![allow(clippy::unusual_byte_groupings)]

use super::*;
use triglyph_engine::mem::GuestAddr;

fn present(format: u32, layout: u32, width: u32, height: u32, pitch: u32) -> Present {
    Present { at: GuestAddr::new(0, 0), format, width, height, pitch, layout, label: "main".to_owned() }
}

fn one(format: u32, big_endian: bool, bytes: &[u8]) -> [u8; 4] {
    let picture = Picture::decode(&present(format, 0, 1, 1, 8), big_endian, bytes).unwrap();
    picture.pixel(0, 0).unwrap()
}

#[test]
fn formats_little_endian() {
    assert_eq!(one(1, false, &[1, 2, 3, 4]), [4, 3, 2, 1]);
    assert_eq!(one(2, false, &[1, 2, 3]), [3, 2, 1, 255]);
    assert_eq!(one(3, false, &0b10000_000001_11111u16.to_le_bytes()), [0x84, 0x04, 0xFF, 255]);
    assert_eq!(one(4, false, &0b00001_10000_11111_1u16.to_le_bytes()), [0x08, 0x84, 0xFF, 255]);
    assert_eq!(one(4, false, &0b00001_10000_11111_0u16.to_le_bytes())[3], 0);
    assert_eq!(one(5, false, &0x1F84u16.to_le_bytes()), [0x11, 0xFF, 0x88, 0x44]);
    assert_eq!(one(6, false, &0x0A0B_0C0Du32.to_le_bytes()), [0x0B, 0x0C, 0x0D, 0x0A]);
    assert_eq!(one(7, false, &0x0A0B_0C0Du32.to_le_bytes()), [0x0D, 0x0C, 0x0B, 0x0A]);
    assert_eq!(one(9, false, &0x0A0B_0C0Du32.to_le_bytes()), [0x0B, 0x0C, 0x0D, 255]);
    assert_eq!(one(10, false, &0x0A0B_0C0Du32.to_le_bytes()), [0x0D, 0x0C, 0x0B, 255]);
    // 1.0, 0.5, -1.0, NaN
    assert_eq!(one(8, false, &[0x00, 0x3C, 0x00, 0x38, 0x00, 0xBC, 0x01, 0x7C]), [255, 128, 0, 0]);
    // infinity, the largest below 1, the smallest above 0, 1/255
    assert_eq!(one(8, false, &[0x00, 0x7C, 0xFF, 0x3B, 0x01, 0x00, 0x04, 0x1C]), [255, 255, 0, 1]);
}

#[test]
fn formats_big_endian_change_words_not_bytes() {
    assert_eq!(one(1, true, &[1, 2, 3, 4]), [4, 3, 2, 1]);
    assert_eq!(one(2, true, &[1, 2, 3]), [3, 2, 1, 255]);
    assert_eq!(one(3, true, &0b10000_000001_11111u16.to_be_bytes()), [0x84, 0x04, 0xFF, 255]);
    assert_eq!(one(6, true, &0x0A0B_0C0Du32.to_be_bytes()), [0x0B, 0x0C, 0x0D, 0x0A]);
    assert_eq!(one(10, true, &0x0A0B_0C0Du32.to_be_bytes()), [0x0D, 0x0C, 0x0B, 255]);
    assert_eq!(one(8, true, &[0x3C, 0x00, 0x38, 0x00, 0xBC, 0x00, 0x00, 0x00]), [255, 128, 0, 0]);
}

#[test]
fn widening_repeats_bits() {
    assert_eq!((0..2).map(|v| widen(v, 1)).collect::<Vec<_>>(), [0, 255]);
    assert_eq!((widen(0b10110, 5), widen(0b101101, 6), widen(0xA, 4)), (0b10110101, 0b10110110, 0xAA));
}

/// A picture in format 1 whose stored pixels count from 1 in the order in which they are stored, as rows of reds.
fn reds(layout: u32, width: u32, height: u32, pitch: u32, bytes: usize) -> Vec<Vec<u8>> {
    let memory: Vec<u8> = (0..bytes).map(|at| (at / 4 + 1) as u8).collect();
    let picture = Picture::decode(&present(1, layout, width, height, pitch), false, &memory).unwrap();
    let row = |y| (0..width).map(|x| picture.pixel(x, y).unwrap()[0]).collect();
    (0..height).map(row).collect()
}

#[test]
fn linear_rows_skip_the_pitch() {
    assert_eq!(reds(0, 2, 3, 12, 36), [[1, 2], [4, 5], [7, 8]]);
    assert_eq!(reds(1, 2, 3, 12, 36), [[7, 8], [4, 5], [1, 2]]);
}

#[test]
fn lcd_columns_run_upwards() {
    assert_eq!(reds(2, 3, 2, 12, 36), [[2, 5, 8], [1, 4, 7]]);
}

#[test]
fn block_linear_rows_of_gobs() {
    // One GOB: 16 pixels across, 8 down. Pixels 0-3, then 4-7 of the same row 32 bytes further.
    let rows = reds(3, 16, 8, 64, 512);
    assert_eq!(rows[0], [1, 2, 3, 4, 9, 10, 11, 12, 65, 66, 67, 68, 73, 74, 75, 76]);
    assert_eq!(rows[1][..5], [5, 6, 7, 8, 13]);
    let mut turned = reds(4, 16, 8, 64, 512);
    turned.reverse();
    assert_eq!(turned, rows);
    // Blocks of two GOBs: the GOB below comes before the one to the right.
    let byte = |x: u32, y: u32| {
        let mut memory = vec![0; 4096];
        memory[512 + 3] = 1;
        memory[1024 + 3] = 2;
        let picture = Picture::decode(&present(1, 0x103, 32, 32, 128), false, &memory).unwrap();
        picture.pixel(x, y).unwrap()[0]
    };
    assert_eq!((byte(0, 8), byte(16, 0)), (1, 2));
}

#[test]
fn swizzled_interleaves() {
    assert_eq!(reds(5, 4, 2, 0, 32), [[1, 2, 5, 6], [3, 4, 7, 8]]);
    assert_eq!(reds(6, 4, 2, 0, 32), [[3, 4, 7, 8], [1, 2, 5, 6]]);
    assert_eq!(reds(5, 2, 4, 0, 32), [[1, 2], [3, 4], [5, 6], [7, 8]]);
}

#[test]
fn nonsense_is_refused() {
    let refused = |present: Present| matches!(Picture::extent(&present), Err(Error::InvalidArgument(_)));
    assert!(refused(present(0, 0, 1, 1, 4)));
    assert!(refused(present(11, 0, 1, 1, 4)));
    assert!(refused(present(1, 7, 1, 1, 4)));
    assert!(refused(present(1, 0x603, 1, 1, 4)));
    assert!(refused(present(1, 0x100, 1, 1, 4)));
    assert!(refused(present(1, 0, 0, 1, 4)));
    assert!(refused(present(1, 0, 1, 0, 4)));
    assert!(refused(present(1, 0, 2, 1, 7)));
    assert!(refused(present(1, 2, 1, 2, 7)));
    assert!(refused(present(1, 0, u32::MAX, u32::MAX, u32::MAX)));
    assert!(refused(present(1, 0, 16384, 16384, u32::MAX)));
    assert!(refused(present(2, 0, 1, 16384, u32::MAX)));
    assert!(refused(Present { at: GuestAddr::new(0, u64::MAX - 2), ..present(1, 0, 1, 1, 4) }));
    assert!(!refused(present(1, 0, 1, 1, u32::MAX)));
}

#[test]
fn every_accepted_present_stays_inside_its_extent() {
    arbtest::arbtest(|u| {
        let mut any = present(u.int_in_range(1..=10)?, 0, u.int_in_range(1..=70)?, u.int_in_range(1..=70)?, 0);
        any.layout = u.int_in_range(0..=6)?;
        if matches!(any.layout, 3 | 4) {
            any.layout |= u.int_in_range(0..=5)? << 8;
        }
        any.pitch = u.int_in_range(0..=800)?;
        if let Ok(extent) = Picture::extent(&any) {
            // Short memory is no reason to panic either.
            for size in [extent, extent / 2, 0] {
                let picture = Picture::decode(&any, u.arbitrary()?, &vec![0xFF; size]).unwrap();
                assert_eq!(picture.rgba.len() as u32, 4 * any.width * any.height);
            }
            let full = Picture::decode(&any, false, &vec![0xFF; extent]).unwrap();
            let float = any.format == 8;
            assert!(float || full.rgba.iter().all(|byte| *byte == 0xFF), "{any:?}");
        }
        Ok(())
    })
    .budget_ms(500);
}
