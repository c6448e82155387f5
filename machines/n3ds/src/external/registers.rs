//! The external registers as a table.
//!
//! Source: 3dbrew GPU/External Registers. The block stands at physical address 0x10400000.

use triglyph_guest::table::{FieldInfo, RegInfo};

/// What writing a register does besides storing the word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing.
    None,
    /// The word cannot be written.
    ReadOnly,
    /// Bit 0 starts memory fill unit 0 or 1.
    Fill(usize),
    /// Bit 0 starts the transfer engine.
    Transfer,
    /// Anything but 0 starts command list channel 0 or 1.
    List(u32),
    /// Belongs to the LCD controllers.
    Lcd,
}

/// One register; `id` is its offset in the block, in bytes.
pub type Register = RegInfo<Effect>;

/// Every documented register, by offset.
pub fn registers() -> impl Iterator<Item = &'static Register> {
    FILL.iter().chain(&TOP).chain(&BOTTOM).chain(TRANSFER)
}

/// The register at `offset`, if it is documented.
pub fn register(offset: u32) -> Option<&'static Register> {
    registers().find(|register| register.id == offset as usize)
}

macro_rules! table {
    ($( $id:expr, $name:expr, $effect:expr, [$($field:ident $lo:literal : $hi:literal),*], $doc:literal; )+) => {
        [$(Register {
            id: $id,
            count: 1,
            step: 0,
            name: $name,
            doc: $doc,
            fields: &[$(FieldInfo { name: stringify!($field), lo: $lo, hi: $hi, signed: false, values: &[] }),*],
            reset: 0,
            effect: $effect,
        }),+]
    };
}

/// Identification, memory fill units, LCD power.
const FILL: &[Register] = &table! {
    0x000, "HW_ID", Effect::ReadOnly, [new_model 2:2], "Which console this is.";
    0x004, "CLOCK", Effect::None, [gates 0:31], "Clock gates of the units; GSP writes 0x70100.";
    0x010, "PSC0_START", Effect::None, [address 0:28], "First byte of fill 0, physical address >> 3.";
    0x014, "PSC0_END", Effect::None, [address 0:28], "End of fill 0, exclusive, physical address >> 3.";
    0x018, "PSC0_VALUE", Effect::None, [value 0:31], "Pattern of fill 0.";
    0x01C, "PSC0_CONTROL", Effect::Fill(0), [busy 0:0, finished 1:1, width 8:9],
        "Starts fill 0; widths: 0 16 bits, 1 and 3 24 bits, 2 32 bits.";
    0x020, "PSC1_START", Effect::None, [address 0:28], "First byte of fill 1, physical address >> 3.";
    0x024, "PSC1_END", Effect::None, [address 0:28], "End of fill 1, exclusive, physical address >> 3.";
    0x028, "PSC1_VALUE", Effect::None, [value 0:31], "Pattern of fill 1.";
    0x02C, "PSC1_CONTROL", Effect::Fill(1), [busy 0:0, finished 1:1, width 8:9], "Starts fill 1.";
    0x030, "VRAM_BANKS", Effect::None, [disabled 8:11], "Banks of VRAM that are switched off.";
    0x034, "BUSY", Effect::ReadOnly, [psc0 26:26, psc1 27:27, ppf 30:30, p3d 31:31], "Units at work.";
    0x050, "INIT_50", Effect::None, [value 0:31], "GSP writes 0x22221200; arbitration, no visible effect.";
    0x054, "INIT_54", Effect::None, [value 0:31], "GSP writes 0xFF2; arbitration, no visible effect.";
    0x0C0, "BACKLIGHT", Effect::None, [force_on 29:29], "Keeps the backlight on.";
};

macro_rules! lcd {
    ($base:literal, $unit:literal) => {
        table! {
            $base, concat!($unit, "_HTOTAL"), Effect::Lcd, [value 0:11], "Pixel clocks of a scanned line.";
            $base + 0x04, concat!($unit, "_HSTART"), Effect::Lcd, [value 0:11], "First clock of the picture.";
            $base + 0x10, concat!($unit, "_HSYNC"), Effect::Lcd, [value 0:11], "Horizontal synchronisation.";
            $base + 0x24, concat!($unit, "_VTOTAL"), Effect::Lcd, [value 0:11], "Lines of a frame.";
            $base + 0x40, concat!($unit, "_VIRQ"), Effect::Lcd, [start 0:11, end 16:27],
                "Lines of the VBlank interrupt.";
            $base + 0x4C, concat!($unit, "_BORDER"), Effect::Lcd, [color 0:23], "Colour around the picture.";
            $base + 0x50, concat!($unit, "_HCOUNT"), Effect::ReadOnly, [value 0:11],
                "Current clock of the line; not modelled.";
            $base + 0x54, concat!($unit, "_VCOUNT"), Effect::ReadOnly, [value 0:11], "Current line; not modelled.";
            $base + 0x5C, concat!($unit, "_DIM"), Effect::Lcd, [width 0:15, height 16:31],
                "Size of the picture as scanned.";
            $base + 0x60, concat!($unit, "_HDISP"), Effect::Lcd, [start 0:15, end 16:31], "Clocks with picture data.";
            $base + 0x68, concat!($unit, "_LEFT_ADDR0"), Effect::Lcd, [address 0:31],
                "First buffer, left or only eye; physical address.";
            $base + 0x6C, concat!($unit, "_LEFT_ADDR1"), Effect::Lcd, [address 0:31],
                "Second buffer, left or only eye.";
            $base + 0x70, concat!($unit, "_FORMAT"), Effect::Lcd,
                [format 0:2, interleave 4:5, scan_doubling 6:6, dma_size 8:9, constant 16:31],
                    "How the picture is stored.";
            $base + 0x74, concat!($unit, "_CONTROL"), Effect::Lcd,
                [enable 0:0, mask_hblank 8:8, mask_vblank 9:9, mask_error 10:10, output 16:16],
                    "Enables and interrupt masks.";
            $base + 0x78, concat!($unit, "_SELECT"), Effect::Lcd,
                [next 0:0, current 4:4, reset_fifo 8:8, hblank 16:16, vblank 17:17, error 18:18],
                "Which buffer is shown; interrupt flags that writing 1 clears.";
            $base + 0x80, concat!($unit, "_CLUT_INDEX"), Effect::Lcd, [index 0:7],
                "Entry of the gamma table; write only.";
            $base + 0x84, concat!($unit, "_CLUT_DATA"), Effect::Lcd, [r 0:7, g 8:15, b 16:23],
                "That entry; each access counts the index up.";
            $base + 0x90, concat!($unit, "_STRIDE"), Effect::Lcd, [bytes 0:31], "Bytes between lines, signed.";
            $base + 0x94, concat!($unit, "_RIGHT_ADDR0"), Effect::Lcd, [address 0:31], "First buffer, right eye.";
            $base + 0x98, concat!($unit, "_RIGHT_ADDR1"), Effect::Lcd, [address 0:31], "Second buffer, right eye.";
        }
    };
}

/// The upper screen's controller.
const TOP: [Register; 20] = lcd!(0x400, "PDC0");
/// The lower screen's controller.
const BOTTOM: [Register; 20] = lcd!(0x500, "PDC1");

/// Transfer engine and command lists.
const TRANSFER: &[Register] = &table! {
    0xC00, "PPF_IN", Effect::None, [address 0:28], "Source, physical address >> 3.";
    0xC04, "PPF_OUT", Effect::None, [address 0:28], "Target, physical address >> 3.";
    0xC08, "PPF_OUT_DIM", Effect::None, [width 0:15, height 16:31], "Size of the target in pixels, before scaling.";
    0xC0C, "PPF_IN_DIM", Effect::None, [width 0:15, height 16:31], "Size of the source in pixels.";
    0xC10, "PPF_FLAGS", Effect::None,
        [flip 0:0, to_tiled 1:1, crop 2:2, copy 3:3, no_convert 5:5, input 8:10, output 12:14, block32 16:16, scale 24:25],
        "What the transfer engine does; the other bits cannot be written.";
    0xC14, "PPF_C14", Effect::None, [value 0:31], "GSP writes 0 before a display transfer.";
    0xC18, "PPF_CONTROL", Effect::Transfer, [busy 0:0, finished 8:8], "Starts the transfer engine.";
    0xC20, "COPY_SIZE", Effect::None, [bytes 0:31], "Bytes of a texture copy, gaps not counted.";
    0xC24, "COPY_IN", Effect::None, [width 0:15, gap 16:31], "Source line and gap, 16-byte units.";
    0xC28, "COPY_OUT", Effect::None, [width 0:15, gap 16:31], "Target line and gap, 16-byte units.";
    0x18E0, "CMDLIST_SIZE0", Effect::None, [units 0:20], "Bytes >> 3 of list 0; internal register 0x238.";
    0x18E4, "CMDLIST_SIZE1", Effect::None, [units 0:20], "Bytes >> 3 of list 1; internal register 0x239.";
    0x18E8, "CMDLIST_ADDR0", Effect::None, [address 0:28], "List 0, physical address >> 3; internal register 0x23A.";
    0x18EC, "CMDLIST_ADDR1", Effect::None, [address 0:28], "List 1, physical address >> 3; internal register 0x23B.";
    0x18F0, "CMDLIST_GO0", Effect::List(0), [go 0:31], "Executes list 0; internal register 0x23C.";
    0x18F4, "CMDLIST_GO1", Effect::List(1), [go 0:31], "Executes list 1; internal register 0x23D.";
};

/// The bits of a documented register that exist.
pub fn implemented_bits(register: &Register) -> u32 {
    register.fields.iter().fold(0, |bits, field| bits | (u32::MAX >> (31 - (field.hi - field.lo))) << field.lo)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_ascend_and_fields_are_disjoint() {
        let all: Vec<_> = registers().collect();
        assert!(all.is_sorted_by(|a, b| a.id < b.id));
        for register in all {
            let bits: u32 = register.fields.iter().map(|f| f.hi - f.lo + 1).sum();
            assert_eq!(bits, implemented_bits(register).count_ones(), "{}", register.name);
        }
    }

    #[test]
    fn masks_follow_the_fields() {
        assert_eq!(implemented_bits(register(0xC10).unwrap()), 0x0301_772F);
        assert_eq!(implemented_bits(register(0xC00).unwrap()), 0x1FFF_FFFF);
        assert_eq!(register(0x578).unwrap().name, "PDC1_SELECT");
        assert!(register(0xC1C).is_none());
    }
}
