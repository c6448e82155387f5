//! What goes into the draws of an event: programs, textures, vertices, constants.

use std::sync::OnceLock;

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyAny, PyBytes};
use triglyph::probe::{self, Fetch};
use triglyph_inspect::{Names, attribute_format, vertex_value};

use crate::picture::Picture;
use crate::session::Session;

/// An instruction of a program.
#[pyclass(frozen, get_all, module = "triglyph")]
#[derive(Clone)]
pub struct Instruction {
    /// Its offset in bytes; of combiners the number of the stage.
    at: u32,
    /// Its words, in hexadecimal; of combiners nothing.
    words: String,
    /// Its text.
    text: String,
}

#[pymethods]
impl Instruction {
    fn __repr__(&self) -> String {
        format!("<Instruction {:#x}: {}>", self.at, self.text)
    }
}

/// A program that an event runs.
#[pyclass(frozen, get_all, module = "triglyph")]
pub struct Program {
    /// The machine and the stage: "PICA vertex", "RSX fragment", "Maxwell Vertex".
    stage: String,
    /// The content hash of its kernel's key, 32 digits.
    kernel: String,
    /// What the kernel is specialised to beside its code.
    key: String,
    /// Its instructions, in their order.
    instructions: Vec<Instruction>,
}

#[pymethods]
impl Program {
    /// Its instructions as text, one a line.
    #[getter]
    fn text(&self) -> String {
        let lines: Vec<&str> = self.instructions.iter().map(|line| line.text.as_str()).collect();
        lines.join("\n")
    }

    fn __repr__(&self) -> String {
        format!("<Program {}: {} instructions>", self.stage, self.instructions.len())
    }
}

impl From<triglyph_inspect::Program> for Program {
    fn from(program: triglyph_inspect::Program) -> Self {
        let triglyph_inspect::Program { stage, kernel, key, lines } = program;
        let lines = lines.into_iter();
        let instructions = lines.map(|line| Instruction { at: line.at, words: line.words, text: line.text }).collect();
        Program { stage, kernel, key, instructions }
    }
}

/// What goes into the draws of an event; empty for an event that does not draw.
#[pyclass(frozen, module = "triglyph")]
pub struct Inputs {
    event: usize,
    vertices: Vec<Py<Vertices>>,
    meshes: Vec<Py<Mesh>>,
    textures: Vec<Py<Texture>>,
    constants: Vec<Py<Constants>>,
    parts: usize,
}

impl Inputs {
    /// Looks at an event of a session.
    ///
    /// # Errors
    /// What the session says.
    pub fn of(session: &Bound<'_, Session>, event: usize) -> PyResult<Self> {
        let py = session.py();
        let found = session.get().inputs_of(py, event, None)?;
        let (names, class) = session.get().names_at(event)?;
        let texture = |(number, texture): (usize, &triglyph_inspect::Texture)| {
            let words = found.descriptors_of(names.0, class, texture);
            Py::new(py, Texture::new(session, (event, number), texture, words))
        };
        Ok(Inputs {
            event,
            vertices: found
                .vertices
                .iter()
                .map(|part| Py::new(py, Vertices::new(py, part)?))
                .collect::<PyResult<_>>()?,
            meshes: found.meshes.iter().map(|mesh| Py::new(py, Mesh::new(py, mesh)?)).collect::<PyResult<_>>()?,
            textures: found.textures.iter().enumerate().map(texture).collect::<PyResult<_>>()?,
            constants: found
                .constants
                .iter()
                .map(|each| Py::new(py, Constants::from(each)))
                .collect::<PyResult<_>>()?,
            parts: found.parts,
        })
    }
}

#[pymethods]
impl Inputs {
    /// The event's number.
    #[getter]
    fn event(&self) -> usize {
        self.event
    }

    /// Vertices before the vertex stage, of each part (instance) of the draw: the first 64 parts, at most 64 MiB.
    #[getter]
    fn vertices(&self, py: Python<'_>) -> Vec<Py<Vertices>> {
        self.vertices.iter().map(|part| part.clone_ref(py)).collect()
    }

    /// Positions after the last stage before rasterization, of each part.
    #[getter]
    fn meshes(&self, py: Python<'_>) -> Vec<Py<Mesh>> {
        self.meshes.iter().map(|mesh| mesh.clone_ref(py)).collect()
    }

    /// Textures that a stage may read.
    #[getter]
    fn textures(&self, py: Python<'_>) -> Vec<Py<Texture>> {
        self.textures.iter().map(|texture| texture.clone_ref(py)).collect()
    }

    /// Constants of all stages, as the last part of the draw has them.
    #[getter]
    fn constants(&self, py: Python<'_>) -> Vec<Py<Constants>> {
        self.constants.iter().map(|constants| constants.clone_ref(py)).collect()
    }

    /// How many parts there are, also those that are left out.
    #[getter]
    fn parts(&self) -> usize {
        self.parts
    }

    fn __repr__(&self) -> String {
        let Inputs { event, textures, constants, parts, .. } = self;
        let (textures, constants) = (textures.len(), constants.len());
        format!("<Inputs of event {event}: {parts} parts, {textures} textures, {constants} lists of constants>")
    }
}

/// A texture that a stage of a draw may read.
#[pyclass(frozen, module = "triglyph")]
pub struct Texture {
    session: Py<Session>,
    /// The event, and which one of its textures it is.
    place: (usize, usize),
    /// The same with its texels, once they were asked for.
    whole: OnceLock<triglyph_inspect::Texture>,
    /// The stage.
    #[pyo3(get)]
    stage: String,
    /// The unit, or which one of the program's it is.
    #[pyo3(get)]
    unit: u32,
    /// The handle that the program names it by, if it has one.
    #[pyo3(get)]
    handle: Option<u32>,
    /// The memory that it is in: (space, address, size); of cubes of the 3DS a range for each face.
    #[pyo3(get)]
    ranges: Vec<(u32, u64, u64)>,
    /// Its size, format and arrangement, in words.
    #[pyo3(get)]
    format: String,
    /// Width, height and slices of each level.
    #[pyo3(get)]
    levels: Vec<(u32, u32, u32)>,
    /// Layers: of cubes faces, with samples these.
    #[pyo3(get)]
    layers: u32,
    sampler: Vec<(&'static str, String)>,
    words: Vec<(String, u32, String)>,
}

impl Texture {
    fn new(
        session: &Bound<'_, Session>,
        place: (usize, usize),
        texture: &triglyph_inspect::Texture,
        words: Vec<(String, u32, String)>,
    ) -> Self {
        let range = |range: &triglyph::GuestRange| (range.start.space, range.start.address, range.size);
        Texture {
            session: session.clone().unbind(),
            place,
            whole: OnceLock::new(),
            stage: texture.stage.clone(),
            unit: texture.unit,
            handle: texture.handle,
            ranges: texture.ranges.iter().map(range).collect(),
            format: texture.text(),
            levels: (0..texture.levels()).map(|level| texture.size(level).into()).collect(),
            layers: texture.layers(),
            sampler: texture.sampler(),
            words,
        }
    }

    /// The texture with its texels, which the session looks for once.
    fn whole(&self, py: Python<'_>) -> PyResult<&triglyph_inspect::Texture> {
        if let Some(whole) = self.whole.get() {
            return Ok(whole);
        }
        let (event, number) = self.place;
        let mut inputs = self.session.get().inputs_of(py, event, Some(number))?;
        if number >= inputs.textures.len() {
            return Err(PyIndexError::new_err(format!("texture {number} of event {event} does not come again")));
        }
        Ok(self.whole.get_or_init(|| inputs.textures.swap_remove(number)))
    }
}

#[pymethods]
impl Texture {
    /// Pixels of a row of level 0.
    #[getter]
    fn width(&self) -> u32 {
        self.levels.first().map_or(0, |level| level.0)
    }

    /// Rows of level 0.
    #[getter]
    fn height(&self) -> u32 {
        self.levels.first().map_or(0, |level| level.1)
    }

    /// The address of its first byte.
    #[getter]
    fn address(&self) -> u64 {
        self.ranges.first().map_or(0, |range| range.1)
    }

    /// How it is sampled: properties and their values, in words. Empty on the 3DS, where registers say it.
    #[getter]
    fn sampler(&self) -> std::collections::BTreeMap<&'static str, String> {
        self.sampler.iter().cloned().collect()
    }

    /// What describes it: registers, or the words of its header (TIC) and its sampler (TSC): name, word, fields as
    /// text.
    #[getter]
    fn words(&self) -> Vec<(String, u32, String)> {
        self.words.clone()
    }

    /// The picture of a slice of a layer of a level as samplers see it, without filters: colours limited to 0 to 1, of
    /// integers the lowest byte. None if it has more than 2^24 texels, or its texels are too many to be kept.
    #[pyo3(signature = (level = 0, layer = 0, slice = 0))]
    fn picture(&self, py: Python<'_>, level: u32, layer: u32, slice: u32) -> PyResult<Option<Picture>> {
        let size = self.levels.get(level as usize).filter(|size| layer < self.layers && slice < size.2);
        if size.is_none() {
            return Err(PyIndexError::new_err(format!("level {level}, layer {layer}, slice {slice}")));
        }
        let whole = self.whole(py)?;
        let picture = crate::guard::detached(py, || Ok(whole.picture(level, layer, slice)))?;
        picture.map(|picture| Picture::of(py, picture, String::new())).transpose()
    }

    /// Its bytes as they are in memory, of each range: at most 32 MiB of all.
    fn stored<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        Ok(self.whole(py)?.bytes.iter().map(|bytes| PyBytes::new(py, bytes)).collect())
    }

    fn __repr__(&self) -> String {
        format!("<Texture {} {}: {} at {:#x}>", self.stage, self.unit, self.format, self.address())
    }
}

/// An attribute of vertices.
#[pyclass(frozen, get_all, module = "triglyph")]
pub struct Attribute {
    /// The register or location that programs read.
    name: String,
    /// Its components and their type, in words.
    format: String,
    /// Where element 0 of its array is; None if it has none, or it is in the commands.
    address: Option<u64>,
    /// Bytes from one element to the next.
    stride: u32,
    /// Vertices or instances that have the same element, if it is not a vertex's own.
    divisor: Option<u32>,
    /// What programs read of each vertex: (vertices, 4), float32; integers as int32.
    values: Py<PyAny>,
}

#[pymethods]
impl Attribute {
    fn __repr__(&self) -> String {
        format!("<Attribute {}: {}>", self.name, self.format)
    }
}

/// Vertices before the vertex stage, of a part of a draw.
#[pyclass(frozen, module = "triglyph")]
pub struct Vertices {
    /// How many the stage was run for; the first 65,536 are looked at.
    #[pyo3(get)]
    count: usize,
    /// Numbers of their elements in arrays: uint32.
    #[pyo3(get)]
    elements: Py<PyArray1<u32>>,
    attributes: Vec<Py<Attribute>>,
}

impl Vertices {
    fn new(py: Python<'_>, vertices: &probe::Vertices) -> PyResult<Self> {
        let kept = vertices.elements.len();
        let attribute = |of: &probe::Attribute| {
            let values: Vec<f32> = (0..kept).flat_map(|index| vertex_value(of, index)).collect();
            let values = match of.fetch {
                Fetch::Words(_, _, true) => {
                    let integers: Vec<i32> = values.iter().map(|value| value.to_bits() as i32).collect();
                    integers.into_pyarray(py).reshape([kept, 4])?.into_any()
                }
                _ => values.into_pyarray(py).reshape([kept, 4])?.into_any(),
            };
            let array = of.array.as_ref();
            Py::new(
                py,
                Attribute {
                    name: of.name.clone(),
                    format: attribute_format(&of.fetch),
                    address: array.and_then(|array| array.start).map(|start| start.address),
                    stride: array.map_or(0, |array| array.stride),
                    divisor: array.and_then(|array| array.divisor),
                    values: values.unbind(),
                },
            )
        };
        let attributes = vertices.attributes.iter().map(attribute).collect::<PyResult<_>>()?;
        let elements = vertices.elements.clone().into_pyarray(py).unbind();
        Ok(Vertices { count: vertices.count, elements, attributes })
    }
}

#[pymethods]
impl Vertices {
    /// Their attributes.
    #[getter]
    fn attributes(&self, py: Python<'_>) -> Vec<Py<Attribute>> {
        self.attributes.iter().map(|attribute| attribute.clone_ref(py)).collect()
    }

    fn __repr__(&self) -> String {
        format!("<Vertices: {} of {} attributes>", self.count, self.attributes.len())
    }
}

/// What the last stage before rasterization has made of a part of a draw.
#[pyclass(frozen, get_all, module = "triglyph")]
pub struct Mesh {
    /// How many vertices there are; the first 65,536 are looked at.
    count: usize,
    /// Clip coordinates: (vertices, 4), float32.
    positions: Py<PyArray2<f32>>,
    /// Numbers of the vertices at both ends of each edge: (edges, 2), uint32. Of points both are the same.
    edges: Py<PyArray2<u32>>,
}

impl Mesh {
    fn new(py: Python<'_>, mesh: &probe::Mesh) -> PyResult<Self> {
        let positions = mesh.positions.as_flattened().to_vec().into_pyarray(py);
        let edges = mesh.edges.as_flattened().to_vec().into_pyarray(py);
        Ok(Mesh {
            count: mesh.count,
            positions: positions.reshape([mesh.positions.len(), 4])?.unbind(),
            edges: edges.reshape([mesh.edges.len(), 2])?.unbind(),
        })
    }
}

#[pymethods]
impl Mesh {
    fn __repr__(&self) -> String {
        format!("<Mesh: {} vertices>", self.count)
    }
}

/// Constants that a stage may read.
#[pyclass(frozen, module = "triglyph")]
pub struct Constants {
    /// Their name.
    #[pyo3(get)]
    name: String,
    /// What they are: "floats", "integers" (both of four components), "booleans", "words" (of any meaning).
    #[pyo3(get)]
    kind: &'static str,
    /// Where they are in memory: (space, address, size); None for registers.
    #[pyo3(get)]
    range: Option<(u32, u64, u64)>,
    words: Vec<u32>,
}

impl From<&probe::Constants> for Constants {
    fn from(constants: &probe::Constants) -> Self {
        Constants {
            name: constants.name.clone(),
            kind: constants.kind.name(),
            range: constants.range.map(|range| (range.start.space, range.start.address, range.size)),
            words: constants.words.clone(),
        }
    }
}

#[pymethods]
impl Constants {
    /// Their words: uint32, four for each vector.
    #[getter]
    fn words<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        self.words.clone().into_pyarray(py)
    }

    /// Their values: floats (vectors, 4), float32; integers (vectors, 4), int32; booleans (bits), bool; words uint32.
    #[getter]
    fn values<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (words, vectors) = (&self.words, self.words.len() / 4);
        let whole = words[..4 * vectors].iter();
        Ok(match self.kind {
            "floats" => {
                let floats: Vec<f32> = whole.map(|word| f32::from_bits(*word)).collect();
                floats.into_pyarray(py).reshape([vectors, 4])?.into_any()
            }
            "integers" => {
                let integers: Vec<i32> = whole.map(|word| *word as i32).collect();
                integers.into_pyarray(py).reshape([vectors, 4])?.into_any()
            }
            "booleans" => {
                let bits: Vec<bool> = words.iter().map(|word| *word != 0).collect();
                bits.into_pyarray(py).into_any()
            }
            _ => words.clone().into_pyarray(py).into_any(),
        })
    }

    fn __repr__(&self) -> String {
        format!("<Constants {}: {} words, {}>", self.name, self.words.len(), self.kind)
    }
}

/// A machine's names, and the class of a command.
pub type NamesAt = (Names, u32);
