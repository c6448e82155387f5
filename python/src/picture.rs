//! Pictures: pixels as arrays, files, comparisons.

use std::ffi::c_int;
use std::path::PathBuf;

use numpy::{IntoPyArray, PyArray3, PyArrayMethods, PyReadonlyArray3, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use triglyph::capture::{self, Differing, Expected, decode_png};

use crate::error::{Error, raise};
use crate::guard::detached;

/// A picture: RGBA of 8 bits, top row first.
///
/// Picture(pixels, label="") makes one of an array (height, width, 4 or 3), uint8, whose pixels it copies; without
/// alpha this is 255. numpy.asarray(picture) and memoryview(picture) are its pixels, not a copy of them.
#[pyclass(subclass, frozen, module = "triglyph")]
pub struct Picture {
    /// The output: top, top-right, bottom, main; empty for a picture of none.
    #[pyo3(get)]
    label: String,
    /// Its pixels: (height, width, 4), uint8, RGBA, top row first. 255 where the output stores no alpha.
    #[pyo3(get)]
    pixels: Py<PyArray3<u8>>,
}

impl Picture {
    /// A picture as Python has it.
    pub fn of(py: Python<'_>, picture: capture::Picture, label: String) -> PyResult<Self> {
        let shape = [picture.height as usize, picture.width as usize, 4];
        Ok(Picture { label, pixels: picture.rgba.into_pyarray(py).reshape(shape)?.unbind() })
    }

    /// The output.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// Height and width.
    fn size(&self, py: Python<'_>) -> (u32, u32) {
        let array = self.pixels.bind(py);
        let shape = array.shape();
        (shape[0] as u32, shape[1] as u32)
    }

    /// A copy as the library has it.
    pub fn copy(&self, py: Python<'_>) -> PyResult<capture::Picture> {
        let (height, width) = self.size(py);
        let array = self.pixels.bind(py).try_readonly()?;
        Ok(capture::Picture { width, height, rgba: array.as_array().iter().copied().collect() })
    }
}

/// Red, green, blue and alpha.
type Rgba = (u8, u8, u8, u8);

/// The first pixel by which pictures differ more than they may: x, y, and RGBA of both.
type First = (u32, u32, Rgba, Rgba);

/// How two pictures differ.
#[pyclass(frozen, get_all, module = "triglyph")]
pub struct Comparison {
    /// Whether the sizes agree; if not, all pixels count as different.
    same_size: bool,
    /// Pixels compared.
    pixels: u64,
    /// Pixels that differ at all.
    unequal: u64,
    /// Pixels with a channel that differs by more than the tolerance.
    over: u64,
    /// The largest difference of a channel, in steps of 8 bits.
    max_difference: u8,
    /// The first pixel that counts in over, row by row: x, y, its RGBA here and in the other picture.
    first: Option<First>,
}

#[pymethods]
impl Comparison {
    /// Whether no pixel differs.
    #[getter]
    fn equal(&self) -> bool {
        self.same_size && self.unequal == 0
    }

    fn __repr__(&self) -> String {
        let Comparison { same_size, pixels, unequal, over, max_difference, .. } = self;
        match same_size {
            true => format!("<Comparison: {unequal} of {pixels} pixels differ, {over} too much, max {max_difference}>"),
            false => "<Comparison: other sizes>".to_owned(),
        }
    }
}

#[pymethods]
impl Picture {
    #[new]
    #[pyo3(signature = (pixels, label = String::new()))]
    fn new(py: Python<'_>, pixels: &Bound<'_, PyAny>, label: String) -> PyResult<Self> {
        let array = py.import("numpy")?.call_method1("asarray", (pixels,))?;
        let wrong = |_| PyValueError::new_err("pixels are no array (height, width, 4 or 3) of uint8");
        let array: PyReadonlyArray3<'_, u8> = array.extract().map_err(wrong)?;
        let (height, width, channels) = array.as_array().dim();
        if !(3..=4).contains(&channels) || u32::try_from(height.max(width)).is_err() {
            return Err(PyValueError::new_err(format!("pixels of shape ({height}, {width}, {channels})")));
        }
        let values = array.as_array();
        let rgba = match channels {
            4 => values.iter().copied().collect(),
            _ => values.rows().into_iter().flat_map(|pixel| [pixel[0], pixel[1], pixel[2], 255]).collect(),
        };
        Picture::of(py, capture::Picture { width: width as u32, height: height as u32, rgba }, label)
    }

    /// Reads a PNG file.
    #[staticmethod]
    fn read(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let read = || {
            let file = std::fs::read(&path).map_err(|error| raise(triglyph::Error::io(&path, error)))?;
            decode_png(&file).map_err(|error| Error::new_err(format!("{}: {error}", path.display())))
        };
        let (picture, _) = detached(py, read)?;
        Picture::of(py, picture, String::new())
    }

    /// Pixels of a row.
    #[getter]
    fn width(&self, py: Python<'_>) -> u32 {
        self.size(py).1
    }

    /// Rows.
    #[getter]
    fn height(&self, py: Python<'_>) -> u32 {
        self.size(py).0
    }

    /// The picture as a PNG file, with or without alpha.
    #[pyo3(signature = (*, alpha = false))]
    fn to_png<'py>(&self, py: Python<'py>, alpha: bool) -> PyResult<Bound<'py, PyBytes>> {
        let picture = self.copy(py)?;
        let png = detached(py, || picture.to_png(alpha).map_err(raise))?;
        Ok(PyBytes::new(py, &png))
    }

    /// Writes a PNG file, with or without alpha.
    #[pyo3(signature = (path, *, alpha = false))]
    fn save(&self, py: Python<'_>, path: PathBuf, alpha: bool) -> PyResult<()> {
        let picture = self.copy(py)?;
        let save = || {
            let png = picture.to_png(alpha).map_err(raise)?;
            std::fs::write(&path, png).map_err(|error| raise(triglyph::Error::io(&path, error)))
        };
        detached(py, save)
    }

    /// Compares it with another: how many pixels differ by more than the tolerance in a channel, in steps of 8 bits.
    #[pyo3(signature = (other, *, tolerance = 0, alpha = true))]
    fn compare(&self, py: Python<'_>, other: &Picture, tolerance: u32, alpha: bool) -> PyResult<Comparison> {
        let (ours, theirs) = (self.copy(py)?, other.copy(py)?);
        let ours = Expected { picture: ours, has_alpha: alpha, tolerance, permille: 0 };
        let found = detached(py, || Ok(ours.compare(&theirs)))?;
        let first = found.first.map(|Differing { x, y, want, got, .. }| (x, y, want.into(), got.into()));
        let capture::Comparison { same_size, pixels, over, unequal, max_difference, .. } = found;
        Ok(Comparison { same_size, pixels, unequal, over, max_difference, first })
    }

    /// A picture of the differences from another of the same size: black where equal, grey within the tolerance, red
    /// beyond it.
    #[pyo3(signature = (other, *, tolerance = 0, alpha = true))]
    fn difference(&self, py: Python<'_>, other: &Picture, tolerance: u32, alpha: bool) -> PyResult<Picture> {
        let (ours, theirs) = (self.copy(py)?, other.copy(py)?);
        let ours = Expected { picture: ours, has_alpha: alpha, tolerance, permille: 0 };
        let found = detached(py, || Ok(ours.difference_picture(&theirs)))?;
        let found = found.ok_or_else(|| PyValueError::new_err("pictures of other sizes"))?;
        Picture::of(py, found, self.label.clone())
    }

    /// What notebooks show; None for a picture without pixels.
    fn _repr_png_<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        match self.size(py) {
            (0, _) | (_, 0) => Ok(None),
            _ => self.to_png(py, false).map(Some),
        }
    }

    /// The array interface of NumPy, version 3.
    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.pixels.bind(py).getattr("__array_interface__")
    }

    /// The buffer is that of the pixels, whose array it keeps.
    #[allow(unsafe_code)]
    // SAFETY: the interpreter calls it with a view that may be filled, as `bf_getbuffer` says.
    unsafe fn __getbuffer__(slf: Bound<'_, Self>, view: *mut ffi::Py_buffer, flags: c_int) -> PyResult<()> {
        // SAFETY: the array fills the view, as the interpreter asks this object to, and owns it from then on.
        match unsafe { ffi::PyObject_GetBuffer(slf.get().pixels.as_ptr(), view, flags) } {
            0 => Ok(()),
            _ => Err(PyErr::fetch(slf.py())),
        }
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let (height, width) = self.size(py);
        let label = if self.label.is_empty() { String::new() } else { format!(" on {}", self.label) };
        format!("<Picture{label}: {width}x{height}>")
    }
}
