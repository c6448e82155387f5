//! Vertices as tables and as meshes.

use serde::Serialize;
use triglyph::probe::{Attribute, Fetch, Vertices};
use triglyph_guest::kernel::vertex::{Input, Stream};
use triglyph_guest::kernel::window::{Window, buffer};
use triglyph_interp::program::vertex::attribute;
use triglyph_interp::vertex::fetch;

use super::inputs::Inputs;

/// Rows of an answer at most.
pub const MAX_ROWS: usize = 1000;

/// The vertices of a part of a draw, in an answer.
#[derive(Serialize)]
pub struct Part {
    count: usize,
    /// How many of them are looked at.
    kept: usize,
    attributes: Vec<Column>,
}

/// An attribute in an answer.
#[derive(Serialize)]
struct Column {
    name: String,
    format: String,
    array: Option<String>,
}

/// A vertex in an answer.
#[derive(Serialize)]
pub struct Row {
    /// Number of its element in arrays.
    pub(super) element: u32,
    /// Of each attribute its bytes and its value.
    pub(super) values: Vec<(String, Vec<String>)>,
}

/// A mesh in an answer.
#[derive(Default, Serialize)]
pub struct MeshAnswer {
    /// How many vertices there are.
    pub(super) count: usize,
    /// x, y, z, w of those that are looked at.
    pub(super) positions: Vec<f32>,
    /// Numbers of both ends.
    pub(super) edges: Vec<u32>,
    /// Whether the vertices are those that the edges are of.
    pub(super) has_edges: bool,
}

/// The parts of a draw.
pub fn parts(inputs: &Inputs) -> Vec<Part> {
    let column = |attribute: &Attribute| Column {
        name: attribute.name.clone(),
        format: format(&attribute.fetch),
        array: attribute.array.as_ref().map(|array| {
            let start = array.start.map_or_else(|| "commands".to_owned(), |start| format!("{:#x}", start.address));
            let divisor = array.divisor.map(|divisor| format!(", divisor {divisor}")).unwrap_or_default();
            format!("{start}, stride {}{divisor}", array.stride)
        }),
    };
    let part = |vertices: &Vertices| Part {
        count: vertices.count,
        kept: vertices.elements.len(),
        attributes: vertices.attributes.iter().map(column).collect(),
    };
    inputs.vertices.iter().map(part).collect()
}

/// How an attribute is read, in words: the number of its components and their type.
pub fn format(fetch: &Fetch) -> String {
    match fetch {
        Fetch::Fixed(component, count) => format!("{count} x {component:?}"),
        Fetch::Program(component, count, big_endian) => {
            format!("{count} x {component:?}{}", if *big_endian { ", big-endian" } else { "" })
        }
        Fetch::Words(format, ..) => format.clone(),
        Fetch::Constant(_) => "constant".to_owned(),
    }
}

/// The four components of an attribute of vertex `index`, by the reference's fetch.
pub fn value(of: &Attribute, index: usize) -> [f32; 4] {
    let bytes = of.array.as_ref().map_or(0, |array| array.bytes as usize);
    let element = || buffer(of.raw.get(index * bytes..(index + 1) * bytes).unwrap_or_default());
    match &of.fetch {
        &Fetch::Fixed(component, count) => {
            let element = element();
            let mut streams = [Stream::default(); 16];
            streams[0].window = Window::new(&element);
            fetch(Input::Array { stream: 0, component, count }, &streams, &[[0.0; 4]; 16], 0)
        }
        &Fetch::Program(component, count, big_endian) => {
            let element = element();
            attribute(Window::new(&element), component, count, big_endian)
        }
        Fetch::Words(_, values, _) => values.get(index).map_or([0.0; 4], |words| words.map(f32::from_bits)),
        Fetch::Constant(value) => *value,
    }
}

/// Rows of a table, at most [`MAX_ROWS`].
pub fn rows(vertices: &Vertices, first: usize, count: usize) -> Vec<Row> {
    rows_of(vertices).skip(first).take(count.min(MAX_ROWS)).collect()
}

/// All rows of a table.
pub(super) fn rows_of(vertices: &Vertices) -> impl Iterator<Item = Row> {
    let text = |of: &Attribute, index: usize| {
        let value = value(of, index);
        match of.fetch {
            Fetch::Words(_, _, true) => value.map(|value| (value.to_bits() as i32).to_string()).to_vec(),
            _ => value.map(|value| value.to_string()).to_vec(),
        }
    };
    let row = move |(index, &element): (usize, &u32)| Row {
        element,
        values: vertices.attributes.iter().map(|of| (hex(of, index), text(of, index))).collect(),
    };
    vertices.elements.iter().enumerate().map(row)
}

fn hex(of: &Attribute, index: usize) -> String {
    let bytes = of.array.as_ref().map_or(0, |array| array.bytes as usize);
    let element = of.raw.get(index * bytes..(index + 1) * bytes).unwrap_or_default();
    element.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The mesh of a part, after the vertex stages, or before them by an attribute.
pub fn mesh(inputs: &Inputs, part: usize, attribute: Option<usize>) -> Option<MeshAnswer> {
    let after = inputs.meshes.get(part);
    let edges = |of: &triglyph::probe::Mesh| of.edges.as_flattened().to_vec();
    let Some(attribute) = attribute else {
        let mesh = after?;
        let positions = mesh.positions.as_flattened().to_vec();
        return Some(MeshAnswer { count: mesh.count, positions, edges: edges(mesh), has_edges: true });
    };
    let vertices = inputs.vertices.get(part)?;
    let of = vertices.attributes.get(attribute)?;
    let values: Vec<[f32; 4]> = (0..vertices.elements.len()).map(|index| value(of, index)).collect();
    // After geometry programs and tessellation edges are of other vertices.
    let has_edges = after.is_some_and(|mesh| mesh.count == vertices.count);
    let edges = after.filter(|_| has_edges).map_or_else(Vec::new, edges);
    Some(MeshAnswer { count: vertices.count, positions: values.as_flattened().to_vec(), edges, has_edges })
}
