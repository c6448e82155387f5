//! The external registers of the GPU: memory fill units, LCD controllers, transfer engine, command lists, by their
//! offset in bytes from physical address 0x10400000. Source: 3dbrew GPU/External Registers.
//!
//! As those of [`regs`](super::regs), a register is a module: `external::ppf_flags::ID`,
//! `external::psc_start::IDS[unit]`.

use crate::format;
use crate::kernel::transfer;
use crate::table::RegInfo;
use crate::table::regs::{regs, values};

/// The effect of writing a register besides storing the word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing.
    None,
    /// The word cannot be written.
    ReadOnly,
    /// Bit 0 starts the memory fill unit.
    Fill,
    /// Bit 0 starts the transfer engine.
    Transfer,
    /// Anything but 0 starts the command list channel.
    List,
    /// Belongs to the LCD controllers.
    Lcd,
}

/// The register at `offset`, if it is documented.
pub fn register(offset: u32) -> Option<&'static RegInfo<Effect>> {
    REGISTERS.iter().find(|register| register.id == offset as usize)
}

values! {
    /// Bits of a fill's pattern: bit 8 wins over bit 9 (3dbrew).
    FillWidth { Bits16 = 0 "16"; Bits24 = 1 "24", 3 "24_3"; Bits32 = 2 "32"; }

    /// Format of pixels in transfers and on screens. The colour buffer has numbers of its own, see
    /// [`regs::ColorFormat`](super::regs::ColorFormat).
    TransferFormat => format::PixelFormat {
        Rgba8 = 0 "RGBA8"; Rgb8 = 1 "RGB8"; Rgb565 = 2 "RGB565"; Rgb5A1 = 3 "RGB5A1"; Rgba4 = 4 "RGBA4";
    }

    /// How a transfer makes an image smaller.
    TransferScale => transfer::Scale {
        None = 0 "NONE";
        /// Across.
        Half = 1 "2X1";
        /// Across and down.
        Quarter = 2 "2X2";
    }
}

impl FillWidth {
    /// Bytes of the pattern.
    pub const fn bytes(self) -> u8 {
        match self {
            FillWidth::Bits16 => 2,
            FillWidth::Bits24 => 3,
            FillWidth::Bits32 => 4,
        }
    }
}

regs! {
    effect Effect;

    /// Which console this is.
    hw_id @ 0x000 { new_model 2:2 bool } ReadOnly;
    /// Clock gates of the units; GSP writes 0x70100.
    clock @ 0x004 { gates 0:31 bits };
    /// First byte of a fill, physical address.
    psc_start @ [0x010 psc0_start, 0x020 psc1_start] { address 0:28 address(3) };
    /// End of a fill, exclusive, physical address.
    psc_end @ [0x014 psc0_end, 0x024 psc1_end] { address 0:28 address(3) };
    /// Pattern of a fill.
    psc_value @ [0x018 psc0_value, 0x028 psc1_value] { value 0:31 bits };
    /// Starts a fill.
    psc_control @ [0x01C psc0_control, 0x02C psc1_control] { busy 0:0 bool, finished 1:1 bool, width 8:9 FillWidth } Fill;
    /// Banks of VRAM that are switched off.
    vram_banks @ 0x030 { disabled 8:11 bits };
    /// Units at work.
    busy @ 0x034 { psc0 26:26 bool, psc1 27:27 bool, ppf 30:30 bool, p3d 31:31 bool } ReadOnly;
    /// GSP writes 0x22221200; arbitration, no visible effect.
    init_50 @ 0x050 { value 0:31 bits };
    /// GSP writes 0xFF2; arbitration, no visible effect.
    init_54 @ 0x054 { value 0:31 bits };
    /// Keeps the backlight on.
    backlight @ 0x0C0 { force_on 29:29 bool };

    // Clocks, lines and sizes have 12 bits, two in a word as well (3dbrew).

    /// Pixel clocks of a scanned line.
    pdc_htotal @ [0x400 pdc0_htotal, 0x500 pdc1_htotal] { value 0:11 } Lcd;
    /// First clock of the picture.
    pdc_hstart @ [0x404 pdc0_hstart, 0x504 pdc1_hstart] { value 0:11 } Lcd;
    /// First clock of the right border.
    pdc_hbr @ [0x408 pdc0_hbr, 0x508 pdc1_hbr] { value 0:11 } Lcd;
    /// First clock of the front porch.
    pdc_hpf @ [0x40C pdc0_hpf, 0x50C pdc1_hpf] { value 0:11 } Lcd;
    /// Horizontal synchronisation.
    pdc_hsync @ [0x410 pdc0_hsync, 0x510 pdc1_hsync] { value 0:11 } Lcd;
    /// First clock of the back porch.
    pdc_hpb @ [0x414 pdc0_hpb, 0x514 pdc1_hpb] { value 0:11 } Lcd;
    /// First clock of the left border.
    pdc_hbl @ [0x418 pdc0_hbl, 0x518 pdc1_hbl] { value 0:11 } Lcd;
    /// Clocks of the HBlank interrupt.
    pdc_hirq @ [0x41C pdc0_hirq, 0x51C pdc1_hirq] { start 0:11, end 16:27 } Lcd;
    /// Lines of a frame.
    pdc_vtotal @ [0x424 pdc0_vtotal, 0x524 pdc1_vtotal] { value 0:11 } Lcd;
    /// Lines of the VBlank interrupt.
    pdc_virq @ [0x440 pdc0_virq, 0x540 pdc1_virq] { start 0:11, end 16:27 } Lcd;
    /// Synchronisation off.
    pdc_sync_off @ [0x448 pdc0_sync_off, 0x548 pdc1_sync_off] { hsync 0:0 bool, vsync 8:8 bool } Lcd;
    /// Colour around the picture.
    pdc_border @ [0x44C pdc0_border, 0x54C pdc1_border] { color 0:23 bits } Lcd;
    /// Current clock of the line; not modelled.
    pdc_hcount @ [0x450 pdc0_hcount, 0x550 pdc1_hcount] { value 0:11 } ReadOnly;
    /// Current line; not modelled.
    pdc_vcount @ [0x454 pdc0_vcount, 0x554 pdc1_vcount] { value 0:11 } ReadOnly;
    /// Size of the picture as scanned.
    pdc_dim @ [0x45C pdc0_dim, 0x55C pdc1_dim] { width 0:11, height 16:27 } Lcd;
    /// Clocks with picture data.
    pdc_hdisp @ [0x460 pdc0_hdisp, 0x560 pdc1_hdisp] { start 0:11, end 16:27 } Lcd;
    /// First buffer, left or only eye; physical address.
    pdc_left_addr0 @ [0x468 pdc0_left_addr0, 0x568 pdc1_left_addr0] { address 0:31 address } Lcd;
    /// Second buffer, left or only eye.
    pdc_left_addr1 @ [0x46C pdc0_left_addr1, 0x56C pdc1_left_addr1] { address 0:31 address } Lcd;
    /// How the picture is stored.
    pdc_format @ [0x470 pdc0_format, 0x570 pdc1_format] {
        format 0:2 TransferFormat, interleave 4:5, scan_doubling 6:6 bool, dma_size 8:9, constant 16:31 bits,
    } Lcd;
    /// Enables and interrupt masks.
    pdc_control @ [0x474 pdc0_control, 0x574 pdc1_control] {
        enable 0:0 bool, mask_hblank 8:8 bool, mask_vblank 9:9 bool, mask_error 10:10 bool, output 16:16 bool,
    } Lcd;
    /// Which buffer is shown; interrupt flags that writing 1 clears.
    pdc_select @ [0x478 pdc0_select, 0x578 pdc1_select] {
        next 0:0, current 4:4, reset_fifo 8:8 bool, hblank 16:16 bool, vblank 17:17 bool, error 18:18 bool,
    } Lcd;
    /// Entry of the gamma table; write only.
    pdc_clut_index @ [0x480 pdc0_clut_index, 0x580 pdc1_clut_index] { index 0:7 } Lcd;
    /// That entry; each access counts the index up.
    pdc_clut_data @ [0x484 pdc0_clut_data, 0x584 pdc1_clut_data] { r 0:7, g 8:15, b 16:23 } Lcd;
    /// Bytes between lines, signed.
    pdc_stride @ [0x490 pdc0_stride, 0x590 pdc1_stride] { bytes 0:31 signed } Lcd;
    /// First buffer, right eye.
    pdc_right_addr0 @ [0x494 pdc0_right_addr0, 0x594 pdc1_right_addr0] { address 0:31 address } Lcd;
    /// Second buffer, right eye.
    pdc_right_addr1 @ [0x498 pdc0_right_addr1, 0x598 pdc1_right_addr1] { address 0:31 address } Lcd;

    /// Source, physical address.
    ppf_in @ 0xC00 { address 0:28 address(3) };
    /// Target, physical address.
    ppf_out @ 0xC04 { address 0:28 address(3) };
    /// Size of the target in pixels, before scaling.
    ppf_out_dim @ 0xC08 { width 0:15, height 16:31 };
    /// Size of the source in pixels.
    ppf_in_dim @ 0xC0C { width 0:15, height 16:31 };
    /// The operation of the transfer engine; the other bits cannot be written.
    ppf_flags @ 0xC10 {
        flip 0:0 bool, to_tiled 1:1 bool, crop 2:2 bool, copy 3:3 bool, no_convert 5:5 bool,
        input 8:10 TransferFormat, output 12:14 TransferFormat, block32 16:16 bool, scale 24:25 TransferScale,
    };
    /// GSP writes 0 before a display transfer.
    ppf_c14 @ 0xC14 { value 0:31 bits };
    /// Starts the transfer engine.
    ppf_control @ 0xC18 { busy 0:0 bool, finished 8:8 bool } Transfer;
    /// Bytes of a texture copy, gaps not counted.
    copy_size @ 0xC20 { bytes 0:31 count };
    /// Source line and gap, 16-byte units.
    copy_in @ 0xC24 { width 0:15, gap 16:31 };
    /// Target line and gap, 16-byte units.
    copy_out @ 0xC28 { width 0:15, gap 16:31 };
    /// Bytes >> 3 of a list; internal registers 0x238, 0x239.
    cmdlist_size @ [0x18E0 cmdlist_size0, 0x18E4 cmdlist_size1] { units 0:20 };
    /// A list, physical address; internal registers 0x23A, 0x23B.
    cmdlist_addr @ [0x18E8 cmdlist_addr0, 0x18EC cmdlist_addr1] { address 0:28 address(3) };
    /// Executes a list; internal registers 0x23C, 0x23D.
    cmdlist_go @ [0x18F0 cmdlist_go0, 0x18F4 cmdlist_go1] { go 0:31 bits } List;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_are_found_by_their_offset() {
        for info in REGISTERS {
            assert_eq!(register(info.id as u32).map(|found| found.name), Some(info.name));
        }
        assert_eq!(register(0x578).map(|found| found.name), Some("PDC1_SELECT"));
        assert!(register(0xC1C).is_none());
    }

    #[test]
    fn bits_are_those_of_the_fields() {
        assert_eq!(register(0xC10).map(|found| found.bits()), Some(0x0301_772F));
        assert_eq!(register(0xC00).map(|found| found.bits()), Some(0x1FFF_FFFF));
        assert_eq!(register(0x55C).map(|found| found.bits()), Some(0x0FFF_0FFF));
    }
}
