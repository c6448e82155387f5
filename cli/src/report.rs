//! `verify --report`: wanted, found and difference pictures.

use std::path::{Path, PathBuf};

use triglyph::capture::{Finished, Picture};

use crate::capture_file::{make_folder, write};
use crate::picture_name::{fit, picture_name};

/// A folder of pictures, whose captures have the names that [`capture_names`](crate::picture_name::capture_names)
/// gives them: `…-want.png`, `…-got.png` and `…-difference.png` for each that is not equal to the bit to what the
/// capture expects, and `…-<tier>_<threads>.png` for each that two runs draw differently.
pub struct Report {
    folder: Option<PathBuf>,
}

impl Report {
    /// A report in a folder, made when missing; none without one.
    pub fn new(folder: Option<&Path>) -> anyhow::Result<Self> {
        if let Some(folder) = folder {
            make_folder(folder)?;
        }
        Ok(Report { folder: folder.map(Path::to_owned) })
    }

    /// A picture with an expectation that it does not meet to the bit.
    pub fn expectation(&self, capture: &str, finished: &Finished) -> anyhow::Result<()> {
        let (Some(picture), Some((expected, comparison))) = (&finished.picture, &finished.expectation) else {
            return Ok(());
        };
        if comparison.unequal == 0 {
            return Ok(());
        }
        let put = |what: &str, picture: &Picture, alpha| self.put(capture, finished, what, picture, alpha);
        put("want", &expected.picture, expected.has_alpha)?;
        put("got", picture, expected.has_alpha)?;
        match expected.difference_picture(picture) {
            Some(difference) => put("difference", &difference, false),
            None => Ok(()),
        }
    }

    /// A picture as one run drew it, when another drew it differently.
    pub fn run(&self, capture: &str, finished: &Finished, setup: &str) -> anyhow::Result<()> {
        match &finished.picture {
            Some(picture) => self.put(capture, finished, &fit(setup), picture, true),
            None => Ok(()),
        }
    }

    fn put(
        &self,
        capture: &str,
        finished: &Finished,
        what: &str,
        picture: &Picture,
        alpha: bool,
    ) -> anyhow::Result<()> {
        let Some(folder) = &self.folder else { return Ok(()) };
        let name = picture_name(capture, finished.index, &finished.present.label);
        write(&folder.join(format!("{name}-{what}.png")), &picture.to_png(alpha)?)
    }
}
