//! Contents of records: taken from captures, made, and put together to captures.

use std::borrow::Cow;
use std::io;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use triglyph::capture::{Compression, Expect, HEADER_SIZE, Hash, Header, Kind, Map, Record, Writer};
use triglyph::{GuestAddr, GuestRange, Machine, ObjectEntry};

use crate::error::raise;
use crate::present::{Place, access, access_letters, format_name, layout_name};
use crate::state::range;

/// What a record says: its kind and its payload. Static methods make one of each kind, by the fields of that kind.
#[pyclass(frozen, module = "triglyph")]
#[derive(Clone)]
pub struct Entry {
    /// The number of its kind.
    pub number: u32,
    pub payload: Vec<u8>,
}

impl Entry {
    /// The bytes that a writer makes of a record: those after its header, without padding.
    fn written(kind: Kind, write: impl FnOnce(&mut Writer<Vec<u8>>) -> io::Result<()>) -> PyResult<Self> {
        let bytes = || {
            // The payload is the same for all machines.
            let mut writer = Writer::new(Vec::new(), Header::new(Machine::N3ds), Compression::None)?;
            write(&mut writer)?;
            writer.finish()
        };
        let failed = |error| raise(triglyph::Error::io("a record", error));
        let bytes: Vec<u8> = bytes().map_err(failed)?;
        let record = &bytes[HEADER_SIZE..];
        let length = record.get(8..16).and_then(|length| length.first_chunk()).map_or(0, |l| u64::from_le_bytes(*l));
        let payload = record[HEADER_SIZE..].iter().copied().take(length as usize).collect();
        Ok(Entry { number: kind as u32, payload })
    }

    /// The entry of facts.
    ///
    /// # Errors
    /// `TypeError` for what JSON cannot have.
    pub fn of_meta(meta: &Bound<'_, PyDict>) -> PyResult<Self> {
        Ok(Entry { number: Kind::Meta as u32, payload: to_json(meta)?.into_bytes() })
    }

    /// The record, whose fields are the same for all machines that have it.
    fn parsed(&self) -> PyResult<Option<Record<'_>>> {
        let Some(kind) = Kind::from_number(self.number) else { return Ok(None) };
        let parse = |machine| Record::parse(machine, kind, Cow::Borrowed(&*self.payload));
        let [first, others @ ..] = [Machine::Ps3, Machine::N3ds, Machine::TegraX1];
        let found = others
            .into_iter()
            .fold(parse(first), |found, machine| found.or_else(|error| parse(machine).map_err(|_| error)));
        found.map(Some).map_err(PyValueError::new_err)
    }
}

/// The name of a kind, or its number.
pub fn kind_name(number: u32) -> String {
    Kind::from_number(number).map_or_else(|| format!("{number:#x}"), |kind| kind.name().to_owned())
}

/// A Python value as JSON, and the reverse.
pub fn to_json(value: &Bound<'_, PyAny>) -> PyResult<String> {
    let json = value.py().import("json")?;
    let settings = PyDict::new(value.py());
    settings.set_item("indent", 2)?;
    settings.set_item("ensure_ascii", false)?;
    json.call_method("dumps", (value,), Some(&settings))?.extract()
}

/// The value of a JSON text.
pub fn from_json<'py>(py: Python<'py>, text: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (PyBytes::new(py, text),))
}

#[pymethods]
impl Entry {
    /// An entry by the name or number of its kind, and its payload: docs/reference/captures.md says what the bytes
    /// mean.
    #[new]
    fn new(kind: &Bound<'_, PyAny>, payload: Vec<u8>) -> PyResult<Self> {
        if let Ok(number) = kind.extract() {
            return Ok(Entry { number, payload });
        }
        let name: String = kind.extract().map_err(|_| PyTypeError::new_err("a kind is a str or an int"))?;
        let known = Kind::ALL.into_iter().find(|kind| kind.name() == name);
        let known = known.ok_or_else(|| PyValueError::new_err(format!("no kind of records is {name:?}")))?;
        Ok(Entry { number: known as u32, payload })
    }

    /// META: facts of the capture. At most one, and the first record.
    #[staticmethod]
    fn meta(meta: &Bound<'_, PyDict>) -> PyResult<Self> {
        Self::of_meta(meta)
    }

    /// MAP: memory of zeros. access: "r", "w" or "rw", of the GPU.
    #[staticmethod]
    #[pyo3(signature = (address, size, *, space = 0, access = "rw"))]
    fn map(address: u64, size: u64, space: u32, access: &str) -> PyResult<Self> {
        let map = Map { range: range(space, address, size)?, access: self::access(access)? };
        Self::written(Kind::Map, |writer| writer.map(&map))
    }

    /// MEM: bytes to store.
    #[staticmethod]
    #[pyo3(signature = (address, data, *, space = 0))]
    fn mem(address: u64, data: Vec<u8>, space: u32) -> PyResult<Self> {
        Self::written(Kind::Mem, |writer| writer.mem(GuestAddr::new(space, address), &data))
    }

    /// OBJECT: an entry of the PS3's table of objects.
    #[staticmethod]
    #[pyo3(signature = (handle, object_class, *, space = 0, base = 0, limit = 0))]
    fn object(handle: u32, object_class: u32, space: u32, base: u64, limit: u64) -> PyResult<Self> {
        let object = ObjectEntry { handle, class: object_class, space, base, limit };
        Self::written(Kind::Object, |writer| writer.object(&object))
    }

    /// SUBMIT: work, in the machine's form.
    #[staticmethod]
    fn submit(data: Vec<u8>) -> PyResult<Self> {
        Ok(Entry { number: Kind::Submit as u32, payload: data })
    }

    /// PRESENT: a finished picture; the arguments are those of Device.present.
    #[staticmethod]
    #[pyo3(signature = (address, width, height, *, format = "rgba8", pitch = None, layout = "rows", block_height = 1,
                        space = 0, label = "main"))]
    #[allow(clippy::too_many_arguments, reason = "they have names in Python")]
    fn present(
        address: u64,
        width: u32,
        height: u32,
        format: &str,
        pitch: Option<u32>,
        layout: &str,
        block_height: u32,
        space: u32,
        label: &str,
    ) -> PyResult<Self> {
        let place = Place { address, space, size: (width, height), format, pitch, layout, block_height };
        let present = place.present(label.to_owned())?;
        Self::written(Kind::Present, |writer| writer.present(&present))
    }

    /// EXPECT: the picture that the PRESENT right before it should have, as PNG. A channel may differ by tolerance, and
    /// of a thousand pixels permille by more. Alpha counts if the PNG has it.
    #[staticmethod]
    #[pyo3(signature = (png, *, tolerance = 0, permille = 0))]
    fn expect(png: Vec<u8>, tolerance: u32, permille: u32) -> PyResult<Self> {
        let expect = Expect { tolerance, permille, png: png.as_slice().into() };
        Self::written(Kind::Expect, |writer| writer.expect(&expect))
    }

    /// HASH: the XXH3 (64 bits) that a range of memory should have.
    #[staticmethod]
    #[pyo3(signature = (address, size, xxh3, *, space = 0))]
    fn hash(address: u64, size: u64, xxh3: u64, space: u32) -> PyResult<Self> {
        let hash = Hash { range: range(space, address, size)?, xxh3 };
        Self::written(Kind::Hash, |writer| writer.hash(&hash))
    }

    /// SNAPSHOT: a state that the device takes over, from Device.snapshot.
    #[staticmethod]
    fn snapshot(data: Vec<u8>) -> PyResult<Self> {
        Ok(Entry { number: Kind::Snapshot as u32, payload: data })
    }

    /// CALL: a call of the machine's own: docs/reference/calls.md.
    #[staticmethod]
    fn call(data: Vec<u8>) -> PyResult<Self> {
        Ok(Entry { number: Kind::Call as u32, payload: data })
    }

    /// Its kind: META, MAP, MEM, OBJECT, SUBMIT, PRESENT, EXPECT, HASH, SNAPSHOT, CALL, or a number as text.
    #[getter]
    fn kind(&self) -> String {
        kind_name(self.number)
    }

    /// Its payload, decoded.
    #[getter]
    fn payload<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.payload)
    }

    /// Its fields by name: the arguments of the static method of its kind.
    #[getter]
    fn fields<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let fields = PyDict::new(py);
        let data = |bytes: &[u8]| PyBytes::new(py, bytes);
        match self.parsed()? {
            Some(Record::Meta(_)) => fields.set_item("meta", from_json(py, &self.payload)?)?,
            Some(Record::Map(Map { range, access })) => {
                set_range(&fields, range)?;
                fields.set_item("access", access_letters(access))?;
            }
            Some(Record::Mem(mem)) => {
                set_place(&fields, mem.at)?;
                fields.set_item("data", data(&mem.bytes))?;
            }
            Some(Record::Object(ObjectEntry { handle, class, space, base, limit })) => {
                fields.set_item("handle", handle)?;
                fields.set_item("object_class", class)?;
                fields.set_item("space", space)?;
                fields.set_item("base", base)?;
                fields.set_item("limit", limit)?;
            }
            Some(Record::Present(present)) => set_present(&fields, &present)?,
            Some(Record::Expect(expect)) => {
                fields.set_item("tolerance", expect.tolerance)?;
                fields.set_item("permille", expect.permille)?;
                fields.set_item("png", data(&expect.png))?;
            }
            Some(Record::Hash(Hash { range, xxh3 })) => {
                set_range(&fields, range)?;
                fields.set_item("xxh3", xxh3)?;
            }
            _ => fields.set_item("data", data(&self.payload))?,
        }
        Ok(fields)
    }

    /// The same entry with other fields.
    #[pyo3(signature = (**changes))]
    fn replace<'py>(&self, py: Python<'py>, changes: Option<&Bound<'py, PyDict>>) -> PyResult<Bound<'py, PyAny>> {
        let fields = self.fields(py)?;
        if let Some(changes) = changes {
            fields.update(changes.as_mapping())?;
        }
        let Some(kind) = Kind::from_number(self.number) else {
            return Err(PyValueError::new_err(format!("a record of kind {} has no known fields", self.kind())));
        };
        py.get_type::<Entry>().call_method(kind.name().to_lowercase().as_str(), (), Some(&fields))
    }

    fn __eq__(&self, other: &Entry) -> bool {
        (self.number, &self.payload) == (other.number, &other.payload)
    }

    fn __repr__(&self) -> String {
        format!("<Entry {}: {} bytes>", self.kind(), self.payload.len())
    }
}

fn set_place(fields: &Bound<'_, PyDict>, at: GuestAddr) -> PyResult<()> {
    fields.set_item("address", at.address)?;
    fields.set_item("space", at.space)
}

fn set_range(fields: &Bound<'_, PyDict>, range: GuestRange) -> PyResult<()> {
    set_place(fields, range.start)?;
    fields.set_item("size", range.size)
}

fn set_present(fields: &Bound<'_, PyDict>, present: &triglyph::capture::Present) -> PyResult<()> {
    set_place(fields, present.at)?;
    fields.set_item("width", present.width)?;
    fields.set_item("height", present.height)?;
    let number = |what: &str, number: u32| PyValueError::new_err(format!("{what} {number:#x} has no meaning"));
    fields.set_item("format", format_name(present.format).ok_or_else(|| number("format", present.format))?)?;
    fields.set_item("pitch", present.pitch)?;
    let (layout, block_height) = layout_name(present.layout).ok_or_else(|| number("layout", present.layout))?;
    fields.set_item("layout", layout)?;
    fields.set_item("block_height", block_height)?;
    fields.set_item("label", &present.label)
}

/// The file of a capture that has these records.
///
/// # Errors
/// `ValueError` for a level of compression that there is not.
pub fn file_of(header: Header, entries: &[Entry], level: i32) -> PyResult<Vec<u8>> {
    let written = || {
        let mut writer = Writer::new(Vec::new(), header, compression(level)?)?;
        for entry in entries {
            writer.record(entry.number, &[&entry.payload])?;
        }
        writer.finish()
    };
    written().map_err(|error: io::Error| match error.kind() {
        io::ErrorKind::InvalidInput => PyValueError::new_err(error.to_string()),
        _ => raise(triglyph::Error::io("a capture", error)),
    })
}

/// zstd's level; 0 for none.
pub fn compression(level: i32) -> io::Result<Compression> {
    match level {
        0 => Ok(Compression::None),
        1..=22 => Ok(Compression::Zstd(level)),
        _ => Err(io::Error::new(io::ErrorKind::InvalidInput, format!("compression {level} is not in 0 to 22"))),
    }
}
