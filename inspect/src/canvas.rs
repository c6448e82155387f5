//! Surfaces that are drawn to, and outputs that the capture presents: everything that has pictures.

use triglyph::GuestRange;
use triglyph::capture::{Picture, Present};
use triglyph::probe::{Role, Stored, Surface};

use crate::events::Event;
use crate::layouts;
use crate::limits::{MAX_CANVASES, MAX_LOOK_BYTES, OUTPUT_PLACES};
use crate::pixel::to_rgba;
use crate::replay::Session;
use crate::surfaces::first_surfaces;

/// Something with pixels in memory.
#[derive(Clone, Debug, PartialEq)]
pub enum Canvas {
    /// A surface of draws.
    Surface(Surface),
    /// What a PRESENT shows, with the order of bytes of the capture, and the beginning of its label.
    Output(Present, bool),
}

/// Pixels of the largest picture; larger surfaces have none.
const MAX_PIXELS: u64 = 1 << 24;

/// Characters of an output's label: a capture's may have 2^28 bytes.
pub const MAX_LABEL: usize = 64;

/// What has pictures in a capture.
pub struct Canvases {
    /// Surfaces first; at most 256.
    pub all: Vec<Canvas>,
    /// What has none for a limit, in words.
    pub left_out: Vec<String>,
}

impl Canvases {
    /// Those of a capture.
    pub fn of(session: &Session<'_>) -> Self {
        let is_large = |surface: &Surface| !Canvas::Surface(*surface).is_small();
        let drawn = || session.events().iter().flat_map(Event::surfaces);
        let (mut surfaces, mut has_more) = first_surfaces(drawn().filter(|surface| !is_large(surface)));
        let (outputs, has_more_outputs) = Self::outputs(session, MAX_CANVASES - surfaces.len());
        let places = MAX_CANVASES - outputs.len();
        has_more |= surfaces.len() > places;
        surfaces.truncate(places);
        let large_output = session.pictures().any(|(_, present)| !output(session, present).is_small());
        let left_out = [
            (has_more, format!("Only the first {places} surfaces that are drawn to have pictures.")),
            (has_more_outputs, format!("Only the first {} outputs have pictures.", outputs.len())),
            (
                large_output || drawn().any(is_large),
                format!("Surfaces and outputs of more than {MAX_PIXELS} pixels or 256 MiB have no pictures."),
            ),
        ];
        let left_out = left_out.into_iter().filter(|(is_left_out, _)| *is_left_out).map(|(_, what)| what).collect();
        Canvases { all: surfaces.into_iter().map(Canvas::Surface).chain(outputs).collect(), left_out }
    }

    /// The first outputs, as many as there are places for, and whether there are more.
    fn outputs(session: &Session<'_>, places: usize) -> (Vec<Canvas>, bool) {
        let (mut found, mut has_more): (Vec<Canvas>, bool) = (Vec::new(), false);
        for (_, present) in session.pictures() {
            let output = output(session, present);
            if output.is_small() && !found.contains(&output) {
                if found.len() >= places.max(OUTPUT_PLACES) {
                    has_more = true;
                    break;
                }
                found.push(output);
            }
        }
        (found, has_more)
    }
}

/// What a PRESENT shows.
fn output(session: &Session<'_>, present: &Present) -> Canvas {
    let label = present.label.chars().take(MAX_LABEL).collect();
    let Present { at, format, width, height, pitch, layout, .. } = *present;
    Canvas::Output(Present { at, format, width, height, pitch, layout, label }, session.capture().header().big_endian)
}

impl Canvas {
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

    /// A small picture from the bytes of its range: some of its pixels, at most `edge` across and down.
    pub fn thumbnail(&self, bytes: &[u8], edge: u32) -> Picture {
        let Canvas::Surface(surface) = self else { return sampled(&self.picture(bytes), edge) };
        let step = surface.width.max(surface.rows).div_ceil(edge).max(1);
        let (width, height) = (surface.width.div_ceil(step), surface.rows.div_ceil(step));
        let places = (0..height).flat_map(|y| (0..width).map(move |x| (x * step, y * step)));
        let rgba = places.flat_map(|(x, y)| color_at(surface, bytes, surface.offset(x, y))).collect();
        Picture { width, height, rgba }
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

/// Some pixels of a picture, at most `edge` across and down.
fn sampled(picture: &Picture, edge: u32) -> Picture {
    let step = picture.width.max(picture.height).div_ceil(edge).max(1);
    let (width, height) = (picture.width.div_ceil(step), picture.height.div_ceil(step));
    let pixels: &[[u8; 4]] = picture.rgba.as_chunks().0;
    let at = |x: u32, y: u32| pixels[y as usize * step as usize * picture.width as usize + (x * step) as usize];
    let rgba = (0..height).flat_map(|y| (0..width).flat_map(move |x| at(x, y))).collect();
    Picture { width, height, rgba }
}

/// The colour of the stored pixel at an offset of a surface's bytes.
pub fn color_at(surface: &Surface, bytes: &[u8], offset: u64) -> [u8; 4] {
    let pixel = bytes.get(usize::try_from(offset).unwrap_or(usize::MAX)..).unwrap_or_default();
    to_rgba(&surface.stored, &pixel[..pixel.len().min(surface.bytes as usize)])
}
