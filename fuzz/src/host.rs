//! Actions of a host beside playing the recording: it presents pictures, and makes calls of the machine's system. All
//! values that a guest would choose are random here.

use triglyph::{
    BitField, Fit, GuestAddr, GuestRange, HostFormat, HostRows, PixelFields, Presented, ScanLayout, ScanOut, Shown,
    scan_format,
};

use super::choices::Choices;
use super::machine::Device;

/// Bytes of the host's rows. Most pictures of any size have no room there, which is an error.
const ROOM: usize = 32 << 20;

/// A host of a device.
#[derive(Debug)]
pub struct Host<'d> {
    device: &'d mut Device,
    /// The mappings.
    places: &'d [GuestRange],
    choices: Choices,
    rows: Vec<u8>,
    presented: Presented,
}

impl<'d> Host<'d> {
    /// A host whose choices come from a seed. Memory is mapped in `places`, or was.
    pub fn new(device: &'d mut Device, places: &'d [GuestRange], seed: u64) -> Self {
        let choices = Choices::new(seed ^ 0x486F_7374);
        Host { device, places, choices, rows: vec![0; ROOM], presented: Presented::default() }
    }

    /// Makes a call of the machine's system. What it answers is the guest's.
    pub fn call(&mut self) {
        self.device.call(&mut self.choices, self.places);
    }

    /// Presents what registers show, or any picture. Errors are answers, too. Returns whether there was a picture.
    pub fn present(&mut self) -> bool {
        let Host { device, choices, rows, presented, .. } = self;
        let format = [HostFormat::Rgba8, HostFormat::Bgra8, HostFormat::Rgb565][choices.below(3)];
        let fit = if choices.one_in(2) { Fit::Scale } else { Fit::Cut };
        if choices.one_in(4) {
            let stride = [4 * 400, 4 * 1920, 4 * 4096][choices.below(3)];
            let mut rows = HostRows::new(rows, stride, format).with_fit(fit);
            return device.present_shown(choices, &mut rows, presented);
        }
        let scan = self.scan_out();
        let Host { device, choices, rows, presented, .. } = self;
        let row = scan.width as usize * format.bytes();
        let stride = match choices.below(4) {
            0 => choices.value(row as u32) as usize,
            1 => row + choices.below(256),
            _ => row,
        };
        let all = stride.saturating_mul(scan.height as usize).min(ROOM);
        let length = if choices.one_in(8) { choices.below(all + 1) } else { all };
        let mut rows = HostRows::new(&mut rows[..length], stride, format).with_fit(fit);
        device.get().present(&scan, &mut rows, presented).is_ok_and(|found| found.shown != Shown::Nothing)
    }

    fn scan_out(&mut self) -> ScanOut {
        let format = self.format();
        let [width, height] = [(); 2].map(|()| self.edge());
        let row = width.wrapping_mul(format.bytes.into());
        let choices = &mut self.choices;
        let pitch = match choices.below(4) {
            0 => choices.value(row),
            1 => row.wrapping_add(choices.word() % 256),
            2 => row.next_multiple_of(64).max(64),
            _ => row,
        };
        let layout = match choices.below(4) {
            0 => ScanLayout::Rows { pitch },
            1 => ScanLayout::RowsUpwards { pitch },
            2 => ScanLayout::Columns {
                pitch: if choices.one_in(2) { pitch as i32 } else { (pitch as i32).wrapping_neg() },
            },
            _ => ScanLayout::BlockLinear { log2_gobs: choices.below(7) as u8, pitch },
        };
        ScanOut { at: self.address(), width, height, format, layout }
    }

    /// Pixels along an edge: of screens, few, more than there may be.
    fn edge(&mut self) -> u32 {
        const EDGES: [u32; 8] = [1, 7, 240, 400, 720, 1280, ScanOut::MAX_EDGE, ScanOut::MAX_EDGE + 1];
        let choices = &mut self.choices;
        match choices.below(4) {
            0 => choices.value(256),
            1 => 1 + choices.word() % 64,
            _ => EDGES[choices.below(EDGES.len())],
        }
    }

    fn format(&mut self) -> PixelFields {
        use scan_format as f;
        const KNOWN: [PixelFields; 9] =
            [f::ABGR8, f::BGR8, f::RGB565, f::RGB5A1, f::RGBA4, f::A8R8G8B8, f::X8R8G8B8, f::A8B8G8R8, f::X8B8G8R8];
        let choices = &mut self.choices;
        let known = KNOWN[choices.below(KNOWN.len())];
        let fields = match choices.one_in(8) {
            true => PixelFields {
                bytes: choices.below(6) as u8,
                channels: [(); 4].map(|()| BitField { shift: choices.below(33) as u8, bits: choices.below(10) as u8 }),
                ..known
            },
            false => known,
        };
        if choices.one_in(4) { fields.big_endian() } else { fields }
    }

    /// Somewhere in what is mapped, around its ends, or anywhere.
    fn address(&mut self) -> GuestAddr {
        let choices = &mut self.choices;
        let Some(&GuestRange { start, size }) = choices.pick(self.places) else {
            return GuestAddr::new(choices.word() % 4, choices.long_value(0));
        };
        let offset = match choices.below(8) {
            0 => choices.long_value(size),
            1 => size.wrapping_sub(u64::from(choices.word() % 0x2000)),
            2 => u64::from(choices.word() % 0x1_0000),
            _ => 0,
        };
        GuestAddr::new(start.space, start.address.wrapping_add(offset))
    }
}

#[cfg(test)]
mod tests {
    use triglyph::{Access, Machine, Options, Tier};

    use super::*;

    #[test]
    fn some_pictures_are_there() {
        for machine in Machine::ALL {
            let mut device = Device::new(machine, &Options::new(Tier::InterpreterOnly, 1)).expect("a device");
            // Space 0 of each machine has memory there.
            let place = GuestRange::new(0, 0x1800_0000, 0x60_0000);
            let place = device.get().map(place, Access::READ_WRITE).map(|()| place);
            let places: Vec<GuestRange> = place.into_iter().collect();
            let mut host = Host::new(&mut device, &places, 7);
            let shown = (0..2000).filter(|_| host.present()).count();
            assert!(!places.is_empty() && (50..1900).contains(&shown), "{machine}: {shown}");
        }
    }
}
