//! Vertices that arrive attribute by attribute through the fixed-attribute port.

use std::sync::atomic::AtomicU8;
use std::sync::atomic::Ordering::Relaxed;

use crate::class_3d::programs::unit::{FloatPort, SavedPort};
use triglyph_engine::snapshot::{bits, floats, state};

/// Vertices that wait for more of their kind: they are drawn together before anything else changes.
#[derive(Debug, Default)]
pub(crate) struct Immediate {
    port: FloatPort,
    /// Attributes of the vertex under construction.
    partial: Vec<[f32; 4]>,
    /// Complete vertices, one attribute after the other, as bytes in host memory that look like a vertex array.
    bytes: Vec<AtomicU8>,
    count: u32,
    /// Attributes of each complete vertex.
    inputs: usize,
}

/// Vertices after which those that wait are drawn.
const FULL: u32 = 4096;

impl Immediate {
    /// FIXED_ATTR_INDEX was written: a half-built word or vertex is gone.
    pub(crate) fn restart(&mut self) {
        self.port.clear();
        self.partial.clear();
    }

    /// A word of the port; every third gives an attribute.
    pub(crate) fn word(&mut self, word: u32) -> Option<[f32; 4]> {
        self.port.push(word, false)
    }

    /// An attribute of a vertex of `inputs` attributes.
    pub(crate) fn attribute(&mut self, value: [f32; 4], inputs: usize) {
        self.partial.push(value);
        if self.partial.len() < inputs {
            return;
        }
        self.inputs = self.partial.len();
        let components = self.partial.drain(..).flatten();
        self.bytes.extend(components.flat_map(f32::to_le_bytes).map(AtomicU8::new));
        self.count += 1;
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(crate) fn is_full(&self) -> bool {
        self.count >= FULL
    }

    /// Takes the vertices that wait: their bytes, number, and attributes of each.
    pub(crate) fn take(&mut self) -> (Vec<AtomicU8>, u32, usize) {
        (std::mem::take(&mut self.bytes), std::mem::take(&mut self.count), self.inputs)
    }
}

state! {
    /// Immediate vertices in a snapshot.
    pub(crate) struct SavedImmediate {
        port: SavedPort,
        partial: Vec<[u32; 4]>,
        bytes: Vec<u8>,
        count: u32,
        inputs: u8,
    }
}

/// Bytes of the largest vertex: 16 attributes.
const MAX_VERTEX_BYTES: usize = 16 * 16;

impl Immediate {
    pub(crate) fn save(&self) -> SavedImmediate {
        let Immediate { port, partial, bytes, count, inputs } = self;
        SavedImmediate {
            port: port.save(),
            partial: partial.iter().copied().map(bits).collect(),
            bytes: bytes.iter().map(|byte| byte.load(Relaxed)).collect(),
            count: *count,
            inputs: *inputs as u8,
        }
    }

    /// `None` for what cannot wait.
    pub(crate) fn restore(saved: SavedImmediate) -> Option<Self> {
        let SavedImmediate { port, partial, bytes, count, inputs } = saved;
        let possible =
            partial.len() < 16 && count < FULL && bytes.len() <= count as usize * MAX_VERTEX_BYTES && inputs <= 16;
        possible.then_some(())?;
        Some(Immediate {
            port: FloatPort::restore(&port)?,
            partial: partial.into_iter().map(floats).collect(),
            bytes: bytes.into_iter().map(AtomicU8::new).collect(),
            count,
            inputs: inputs.into(),
        })
    }
}
