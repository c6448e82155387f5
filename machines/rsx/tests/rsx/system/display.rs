//! Display through the hypervisor: buffers, flips, vertical blanks, user commands, tiles.

use crate::support::*;
use triglyph_engine::Device;
use triglyph_guest::id::ChannelId;
use triglyph_guest::rsx::lv1::Status;
use triglyph_rsx::lv1::ContextAllocation;
use triglyph_rsx::{Event, Rsx, RsxMode, SoftwareMethod, lv1_bit, lv2_bit};

const FLIPPED: u32 = 0x8000_0000;
const QUEUED: u32 = 0x4000_0000;

struct Screen {
    gpu: Rsx,
    context: ContextAllocation,
}

impl Screen {
    fn new(mode: RsxMode) -> Self {
        let mut gpu = lv1_machine(mode);
        let context = context(&mut gpu, 0x20);
        let mut screen = Screen { gpu, context };
        for (id, offset) in [(0, 0x10_0000), (1, 0x20_0000), (2, 0x30_0000)] {
            screen.attribute(0x104, [id, 1280 << 32 | 720, 5120 << 32 | offset, 0]).unwrap();
        }
        screen
    }

    fn attribute(&mut self, operation: u64, parameters: [u64; 4]) -> Result<(), Status> {
        self.gpu.context_attribute(self.context.handle, operation, parameters)
    }

    /// A word of a head.
    fn head(&mut self, head: u64, offset: u64) -> u32 {
        lpar_word(&mut self.gpu, self.context.info + 0x10B8 + 0x40 * head + offset)
    }

    fn label(&mut self, offset: u64) -> u32 {
        lpar_word(&mut self.gpu, self.context.reports + offset)
    }

    fn flip(&self, head: u32, buffer: u32, offset: u32) -> Event {
        Event::Flip { context: self.context.handle, head, buffer, offset }
    }
}

#[test]
fn flips_are_done_with_the_next_frame() {
    for mode in MODES {
        let mut screen = Screen::new(mode);
        let context = screen.context.handle;
        for offset in [0x10, 0x1C, 0x20] {
            set_lpar_word(&mut screen.gpu, screen.context.reports + offset, 7);
        }
        screen.attribute(0x102, [1, 0x8000_0101, 0, 0]).unwrap();
        assert_eq!((screen.head(1, 0x08), screen.label(0x10), screen.gpu.take_events()), (QUEUED, 7, vec![]));
        screen.gpu.vblank(0, 0x9_0000_0001);
        assert_eq!(screen.gpu.take_events(), [Event::Vblank { context, head: 0 }]);
        screen.gpu.vblank(1, 0xA_0000_0002);
        let flip = screen.flip(1, 1, 0x20_0000);
        assert_eq!(screen.gpu.take_events(), [flip, Event::Vblank { context, head: 1 }]);
        assert_eq!((lv1_bit(flip), lv2_bit(flip)), (1 << 4, 1 << 4));
        // Time, flags, offset, number.
        let words = [0x00, 0x04, 0x08, 0x0C, 0x10].map(|offset| screen.head(1, offset));
        assert_eq!(words, [0xA, 2, FLIPPED, 0x20_0000, 1]);
        // Last frame's time, and how many there were.
        let words = [0x1C, 0x3C, 0x30, 0x34].map(|offset| screen.head(1, offset));
        assert_eq!(words, [2, 0xA, 0, 1]);
        // Label 1, all of it, and no other.
        let labels = [0x10, 0x14, 0x18, 0x1C, 0x20].map(|offset| screen.label(offset));
        assert_eq!(labels, [0, 0, 0, 0, 7]);
        assert_eq!(screen.gpu.context_intr(context), Ok(1 << 4 | 1 << 1 | 1));
        assert_eq!(screen.gpu.context_intr(context), Ok(0));
        // The flags are the guest's to change.
        screen.attribute(0x10A, [1, 0x7FFF_FFFF, 5, 0]).unwrap();
        assert_eq!(screen.head(1, 0x08), 5);
        screen.gpu.vblank(1, 3);
        assert_eq!(screen.gpu.take_events().len(), 1);
        assert_eq!(screen.head(1, 0x34), 2);
    }
}

#[test]
fn flips_with_the_next_line_are_done_at_once() {
    let mut screen = Screen::new(RsxMode::Exact);
    screen.attribute(0x101, [0, 1, 0, 0]).unwrap();
    // By offset: of a buffer, of none.
    screen.attribute(0x102, [0, 0x30_0000, 0, 0]).unwrap();
    assert_eq!(screen.gpu.take_events(), [screen.flip(0, 2, 0x30_0000)]);
    screen.attribute(0x102, [0, 0x31_0000, 0, 0]).unwrap();
    assert_eq!(screen.gpu.take_events(), [screen.flip(0, 0, 0x31_0000)]);
    assert_eq!(screen.gpu.mmio_read(0x60_0800), 0x31_0000);
    // The one that was queued last.
    screen.attribute(0x103, [0, 1, 0, 0]).unwrap();
    assert_eq!((screen.head(0, 0x14), screen.head(0, 0x08) & 2), (1, 2));
    screen.attribute(0x102, [0, 0x8000_010F, 0, 0]).unwrap();
    let context = screen.context.handle;
    let events = screen.gpu.take_events();
    assert_eq!(events, [Event::Queue { context, head: 0, buffer: 1 }, screen.flip(0, 1, 0x20_0000)]);
    assert_eq!((lv1_bit(events[0]), lv2_bit(events[0])), (1 << 5, 1 << 5));
    // A buffer that was destroyed is at 0.
    screen.attribute(0x105, [1, 0, 0, 0]).unwrap();
    screen.attribute(0x102, [0, 0x8000_0101, 0, 0]).unwrap();
    assert_eq!(screen.gpu.take_events(), [screen.flip(0, 1, 0)]);
}

/// What a console's log has of flags (ps3autotests, methods_sce_driver): of each buffer alone, of one after another, of
/// numbers that are none, and every 16 or 17 ms without bit 30, which is a frame.
#[test]
fn queued_buffers_are_flags_of_eight_heads() {
    let mut screen = Screen::new(RsxMode::Exact);
    let mut at = 0;
    for head in 0..8 {
        let mut queue = |screen: &mut Screen, before: Option<u32>, data: u32| {
            if let Some(flags) = before {
                set_lpar_word(&mut screen.gpu, screen.context.info + 0x10C0 + 0x40 * head, flags);
            }
            let push = Push::new().bind(7, 0xCAFE_BABE).methods(7, 0x940 + 4 * head as u32, &[data]);
            kick(&mut screen.gpu, &screen.context, at, &push);
            at += 4 * push.0.len() as u32;
            screen.head(head, 0x08)
        };
        for buffer in 0..32 {
            assert_eq!(queue(&mut screen, Some(0), buffer), QUEUED | 1 << buffer);
        }
        queue(&mut screen, Some(0), 0);
        assert_eq!(queue(&mut screen, None, 1), QUEUED | 3);
        for none in [32, u32::MAX] {
            assert_eq!(queue(&mut screen, Some(0), none), QUEUED);
        }
    }
    set_lpar_word(&mut screen.gpu, screen.context.info + 0x1100, QUEUED | 0x100);
    screen.gpu.vblank(1, 1);
    assert_eq!(screen.head(1, 0x08), 0x100);
}

#[test]
fn methods_of_the_driver_do_the_same() {
    for mode in MODES {
        let mut screen = Screen::new(mode);
        let context = screen.context.handle;
        screen.attribute(0x101, [0, 1, 0, 0]).unwrap();
        screen.attribute(0x101, [1, 1, 0, 0]).unwrap();
        screen.attribute(0x001, [0; 4]).unwrap();
        let push = Push::new()
            .bind(7, 0xCAFE_BABE)
            .methods(7, 0x940, &[2])
            .methods(7, 0x944, &[1])
            .methods(7, 0x920, &[2, 0x8000_010F])
            .methods(7, 0xB00, &[0x1234_5678, 0x9ABC])
            .methods(7, 0x1EAC, &[0])
            .methods(7, 0x500, &[11]);
        kick(&mut screen.gpu, &screen.context, 0, &push);
        let unknown = SoftwareMethod { channel: ChannelId::new(1), subchannel: 7, method: 0x500, data: 11 };
        assert_eq!(
            screen.gpu.take_events(),
            [
                Event::Queue { context, head: 0, buffer: 2 },
                Event::Queue { context, head: 1, buffer: 1 },
                screen.flip(0, 2, 0x30_0000),
                screen.flip(1, 1, 0x20_0000),
                Event::UserCommand { context, value: 0x1234_5678 },
                Event::UserCommand { context, value: 0x9ABC },
                screen.flip(1, 0, 0x10_0000),
                Event::Software(unknown),
            ]
        );
        assert_eq!(lpar_word(&mut screen.gpu, screen.context.info + 0x12CC), 0x9ABC);
        assert_eq!(faults(&screen.gpu), []);
    }
}

#[test]
fn vertical_blanks_have_rates() {
    let mut screen = Screen::new(RsxMode::Exact);
    let context = screen.context.handle;
    let vblank = Event::Vblank { context, head: 1 };
    let second = Event::SecondVblank { context, head: 1 };
    assert_eq!((lv2_bit(vblank), lv2_bit(second), lv1_bit(vblank)), (2, 1 << 11, 2));
    for (rate, handler, events) in [
        (2, 1, vec![vblank]),
        (2, 2, vec![vblank, second]),
        (3, 2, vec![vblank]),
        (4, 1, vec![]),
        (4, 2, vec![]),
        (3, 1, vec![vblank]),
    ] {
        screen.attribute(0x108, [1, rate, handler, 0]).unwrap();
        screen.gpu.vblank(1, 5);
        assert_eq!(screen.gpu.take_events(), events, "{rate} {handler}");
    }
    screen.gpu.second_vblank(1, 0x1_0000_0007);
    assert_eq!((screen.head(1, 0x20), screen.head(1, 0x24)), (1, 7));
    assert_eq!(screen.gpu.take_events(), [second]);
    // What Lv-2 tells itself.
    screen.attribute(0xFED, [1, 9, 0, 0]).unwrap();
    screen.attribute(0xFEC, [2, 0, 0, 0]).unwrap();
    screen.attribute(0xFEF, [0, 77, 0, 0]).unwrap();
    let events = [vblank, screen.flip(1, 2, 0x30_0000), Event::UserCommand { context, value: 77 }];
    assert_eq!(screen.gpu.take_events(), events);
}

#[test]
fn masked_interrupts_are_not_kept() {
    let mut screen = Screen::new(RsxMode::Exact);
    let context = screen.context.handle;
    set_lpar_word(&mut screen.gpu, screen.context.info + 0x12C0, 2);
    screen.gpu.vblank(0, 1);
    screen.gpu.vblank(1, 1);
    assert_eq!(lpar_word(&mut screen.gpu, screen.context.info + 0x12BC), 2);
    assert_eq!(screen.gpu.context_intr(context), Ok(2));
    assert_eq!(lpar_word(&mut screen.gpu, screen.context.info + 0x12BC), 0);
}

#[test]
fn tiles_are_registers_and_numbers_have_limits() {
    let mut screen = Screen::new(RsxMode::Exact);
    screen.attribute(0x300, [3, 0x8010_0022 << 32 | 0x802F_0000, 0x1400 << 32 | 0x55, 0]).unwrap();
    let words = [0x10_0630, 0x10_0634, 0x10_0638, 0x10_063C].map(|address| screen.gpu.mmio_read(address));
    assert_eq!(words, [0x8010_0022, 0x802F_0000, 0x1400, 0x55]);
    screen.attribute(0x301, [7, 0x21 << 32, 0, 0]).unwrap();
    for operation in [0x106, 0x10B, 0x10C, 0x10D, 0x201, 0x202, 0x302, 0x100] {
        screen.attribute(operation, [0; 4]).unwrap();
    }
    for (operation, parameters) in [
        (0x300, [15, 0, 0, 0]),
        (0x301, [8, 0, 0, 0]),
        (0x101, [2, 1, 0, 0]),
        (0x101, [0, 3, 0, 0]),
        (0x102, [2, 0x8000_0100, 0, 0]),
        (0x103, [0, 8, 0, 0]),
        (0x104, [8, 0, 0, 0]),
        (0x105, [8, 0, 0, 0]),
        (0x108, [0, 2, 0, 0]),
        (0x108, [0, 2, 3, 0]),
        (0x10A, [2, 0, 0, 0]),
        (0x10B, [2, 0, 0, 0]),
        (0x600, [XDR_AT, 0x1_0000, 0x0F00_0000, 0]),
        (0x600, [XDR_AT, 0, 0, 0]),
        (0xFED, [2, 0, 0, 0]),
    ] {
        assert_eq!(screen.attribute(operation, parameters), Err(Status::IllegalParameterValue), "{operation:#x}");
    }
    for operation in [0, 4, 0x107, 0x109, 0x203, 0x303, 0x604, 0xFEE, u64::MAX] {
        assert_eq!(screen.attribute(operation, [0; 4]), Err(Status::NoEntry), "{operation:#x}");
    }
}
