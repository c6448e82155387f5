//! Events as Python has them.

use pyo3::prelude::*;
use triglyph::GuestRange;
use triglyph::probe::{self, Effect, Role, Stored, Transfer};
use triglyph_inspect::Names;

/// A surface of draws: colours, or depth and stencil.
#[pyclass(frozen, get_all, module = "triglyph", eq, hash)]
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Surface {
    /// "color" or "depth".
    pub role: &'static str,
    /// Number of the colour target; 0 for depth.
    number: u8,
    /// Address space.
    space: u32,
    /// Its first byte.
    pub address: u64,
    /// Its bytes, from the first to the last.
    size: u64,
    /// Stored pixels of a row; with several samples each of them counts.
    width: u32,
    /// Stored rows; row 0 is the first in memory.
    height: u32,
    /// Bytes of a pixel.
    bytes: u32,
    /// Samples of a pixel, across and down.
    samples: (u8, u8),
    /// What a pixel means, for people.
    format: String,
}

impl Surface {
    /// A surface as Python has it.
    pub fn new(surface: &probe::Surface) -> Self {
        let (role, number) = match surface.role {
            Role::Color(number) => ("color", number),
            Role::Depth => ("depth", 0),
        };
        let format = match surface.stored {
            Stored::PicaColor(format) => format!("{format:?}"),
            Stored::PicaDepth(format) => format!("{format:?}"),
            Stored::PicaShadow => "shadow map".to_owned(),
            Stored::PicaDensities => "densities".to_owned(),
            Stored::Depth(format, _) => format!("{format:?}"),
            Stored::Color(format) => {
                let channels: Vec<String> = format.channels.iter().map(|channel| format!("{channel:?}")).collect();
                channels.join(" ")
            }
            Stored::Unknown => "unknown".to_owned(),
        };
        let ([across, down], start) = (surface.samples, surface.start);
        Surface {
            role,
            number,
            space: start.space,
            address: start.address,
            size: surface.size,
            width: surface.width,
            height: surface.rows,
            bytes: surface.bytes,
            samples: (across, down),
            format,
        }
    }
}

#[pymethods]
impl Surface {
    fn __repr__(&self) -> String {
        let Surface { role, number, address, width, height, format, .. } = self;
        format!("<Surface {role} {number}: {width}x{height} at {address:#x}, {format}>")
    }
}

/// A draw, or an instance of one.
#[pyclass(frozen, get_all, module = "triglyph")]
#[derive(Clone)]
pub struct Draw {
    /// How vertices form primitives; None where the machine has formed them.
    topology: Option<String>,
    /// Vertices, each as often as it is used.
    vertices: u32,
    /// Primitives that were set up: neither clipped away nor culled.
    primitives: u64,
    /// Surfaces that it reads or writes, colours first.
    surfaces: Vec<Surface>,
    /// Content hash of the key of its pixel kernel, 32 digits.
    kernel: String,
    /// Memory that its textures were made of: (space, address, size).
    textures: Vec<(u32, u64, u64)>,
}

/// A command that did something.
#[pyclass(frozen, get_all, module = "triglyph")]
#[derive(Clone)]
pub struct Event {
    /// Counts the events of the capture from 0.
    number: usize,
    /// Index of the record that gave the work.
    record: usize,
    /// What it is: draw, compute, clear, transfer, macro, signal, store, fault, other.
    kind: &'static str,
    /// The name of its class of registers or methods.
    class_name: String,
    /// The name of its register or method.
    name: String,
    /// Its word.
    value: u32,
    /// The fields of its word, as text.
    fields: String,
    /// Where its word is, as faults name it: a byte offset in the list or push buffer; on the Tegra X1 a GPU address.
    position: u64,
    /// How many faults it has.
    faults: u64,
    /// What it did, in a line for each effect.
    effects: Vec<String>,
    /// Its draws.
    draws: Vec<Draw>,
    /// Memory that it may write, as far as it is known: (space, address, size). Of surfaces all.
    written: Vec<(u32, u64, u64)>,
}

impl Event {
    /// An event as Python has it.
    pub fn new(names: Names, event: &triglyph_inspect::Event) -> Self {
        let probe::Command { class, method, value, position } = event.command;
        Event {
            number: event.number,
            record: event.record,
            kind: event.kind(),
            class_name: names.class(class),
            name: names.name(class, method),
            value,
            fields: names.fields(class, method, value),
            position,
            faults: event.faults(),
            effects: event.effects.iter().map(line).collect(),
            draws: event.draws().map(Draw::new).collect(),
            written: event.written().map(triple).collect(),
        }
    }
}

#[pymethods]
impl Event {
    /// What it did, as text.
    #[getter]
    fn text(&self) -> String {
        self.effects.join("; ")
    }

    fn __repr__(&self) -> String {
        let Event { number, kind, class_name, name, .. } = self;
        format!("<Event {number}: {kind}, {class_name} {name}: {}>", self.text())
    }
}

impl Draw {
    fn new(draw: &probe::Draw) -> Self {
        Draw {
            topology: draw.topology.map(|topology| format!("{topology:?}")),
            vertices: draw.vertices,
            primitives: draw.primitives,
            surfaces: draw.surfaces.iter().map(Surface::new).collect(),
            kernel: format!("{:032x}", draw.kernel.0),
            textures: draw.textures.iter().copied().map(triple).collect(),
        }
    }
}

#[pymethods]
impl Draw {
    fn __repr__(&self) -> String {
        format!("<Draw: {} vertices, {} primitives>", self.vertices, self.primitives)
    }
}

fn triple(range: GuestRange) -> (u32, u64, u64) {
    (range.start.space, range.start.address, range.size)
}

/// An effect in a line.
fn line(effect: &Effect) -> String {
    match effect {
        Effect::Draw(draw) => format!("{} vertices, {} primitives", draw.vertices, draw.primitives),
        Effect::Transfer(Transfer { kind, source, target }) => {
            let kind = format!("{kind:?}").to_lowercase();
            let source = source.map_or_else(String::new, |range| format!(" from {range}"));
            kind + &source + &target.map_or_else(String::new, |range| format!(" to {range}"))
        }
        Effect::Store(range) => format!("stored {range}"),
        Effect::Signal => "signal".to_owned(),
        Effect::Macro(number) => format!("macro {number:#x}"),
        Effect::Compute => "compute program".to_owned(),
        Effect::Faults(faults) => format!("{} faults of kind {}", faults.count, faults.kind.name()),
        _ => "other".to_owned(),
    }
}
