//! What has pictures: surfaces that are drawn to, and outputs that the capture presents.

use triglyph::GuestRange;
use triglyph::capture::{Picture, Present};
use triglyph::probe::{Role, Stored, Surface};

use crate::layouts;
use crate::limits::{MAX_CANVASES, MAX_LOOK_BYTES};
use crate::pixel::to_rgba;
use crate::replay::Session;
use crate::surfaces::surfaces_of;

/// Something with pixels in memory.
#[derive(Clone, Debug, PartialEq)]
pub enum Canvas {
    /// A surface of draws.
    Surface(Surface),
    /// What a PRESENT shows, with the order of bytes of the capture.
    Output(Present, bool),
}

/// Pixels of the largest picture; larger surfaces have none.
const MAX_PIXELS: u64 = 1 << 24;

impl Canvas {
    /// All of a capture, at most 256: surfaces first. Those that are too large are left out.
    pub fn all(session: &Session<'_>) -> Vec<Canvas> {
        let big_endian = session.capture().header().big_endian;
        let mut all: Vec<Canvas> = surfaces_of(session.events()).into_iter().map(Canvas::Surface).collect();
        for (_, present) in session.pictures() {
            if all.len() >= MAX_CANVASES {
                break;
            }
            let output = Canvas::Output(present.clone(), big_endian);
            if !all.contains(&output) {
                all.push(output);
            }
        }
        all.retain(Canvas::is_small);
        all
    }

    fn is_small(&self) -> bool {
        let (width, rows) = self.size();
        width * rows <= MAX_PIXELS && self.range().size <= MAX_LOOK_BYTES
    }

    /// Pixels of a row, and rows.
    pub fn size(&self) -> (u64, u64) {
        match self {
            Canvas::Surface(surface) => (surface.width.into(), surface.rows.into()),
            Canvas::Output(present, _) => (present.width.into(), present.height.into()),
        }
    }

    /// The memory that it is in.
    pub fn range(&self) -> GuestRange {
        match self {
            Canvas::Surface(surface) => surface.range(),
            Canvas::Output(present, _) => present.at.range(Picture::extent(present).unwrap_or(0) as u64),
        }
    }

    /// Whether its pictures are of depth.
    pub fn is_depth(&self) -> bool {
        let has_depth = |surface: &Surface| surface.role == Role::Depth || surface.stored == Stored::PicaShadow;
        matches!(self, Canvas::Surface(surface) if has_depth(surface))
    }

    /// What it is called.
    pub fn name(&self) -> String {
        match self {
            Canvas::Surface(surface) => {
                let role = match surface.stored {
                    Stored::PicaShadow => "shadow map",
                    Stored::PicaDensities => "densities",
                    _ if surface.role == Role::Depth => "depth",
                    _ => "colour",
                };
                format!("{role} {:#x}", surface.start.address)
            }
            Canvas::Output(present, _) => format!("output {} {:#x}", present.label, present.at.address),
        }
    }

    /// Its form in a line.
    pub fn form(&self) -> String {
        match self {
            Canvas::Surface(surface) => {
                let layout = layouts::surface(surface.layout, surface.pitch);
                let stored = match surface.stored {
                    Stored::PicaColor(format) => format!("{format:?}"),
                    Stored::PicaDepth(format) => format!("{format:?}"),
                    Stored::PicaShadow => "24 bits of depth, 8 of shadow".to_owned(),
                    Stored::PicaDensities => "2 densities of 16 bits".to_owned(),
                    Stored::Depth(format, _) => format!("{format:?}"),
                    Stored::Color(_) | Stored::Unknown => format!("{} bytes", surface.bytes),
                };
                let [across, down] = surface.samples;
                let samples = if across * down > 1 { format!(", {across}x{down} samples") } else { String::new() };
                format!("{}x{}, {stored}, {layout}{samples}", surface.width, surface.rows)
            }
            Canvas::Output(present, _) => format!("{}x{}", present.width, present.height),
        }
    }

    /// Its picture, from the bytes of its range.
    pub fn picture(&self, bytes: &[u8]) -> Picture {
        match self {
            Canvas::Output(present, big_endian) => Picture::decode(present, *big_endian, bytes).unwrap_or(Picture {
                width: 0,
                height: 0,
                rgba: Vec::new(),
            }),
            Canvas::Surface(surface) => {
                let mut rgba = Vec::with_capacity(4 * surface.width as usize * surface.rows as usize);
                for y in 0..surface.rows {
                    for x in 0..surface.width {
                        rgba.extend(color_at(surface, bytes, surface.offset(x, y)));
                    }
                }
                Picture { width: surface.width, height: surface.rows, rgba }
            }
        }
    }
}

/// The colour of the stored pixel at an offset of a surface's bytes.
pub fn color_at(surface: &Surface, bytes: &[u8], offset: u64) -> [u8; 4] {
    let pixel = bytes.get(usize::try_from(offset).unwrap_or(usize::MAX)..).unwrap_or_default();
    to_rgba(&surface.stored, &pixel[..pixel.len().min(surface.bytes as usize)])
}
