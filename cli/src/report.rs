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

    /// A picture with an expectation that it does not meet to the bit. Returns the files that were written.
    pub fn expectation(&self, capture: &str, finished: &Finished) -> anyhow::Result<Vec<PathBuf>> {
        let (Some(picture), Some((expected, comparison))) = (&finished.picture, &finished.expectation) else {
            return Ok(Vec::new());
        };
        if comparison.unequal == 0 {
            return Ok(Vec::new());
        }
        let put = |what: &str, picture: &Picture, alpha| self.put(capture, finished, what, picture, alpha);
        let mut written =
            vec![put("want", &expected.picture, expected.has_alpha)?, put("got", picture, expected.has_alpha)?];
        if let Some(difference) = expected.difference_picture(picture) {
            written.push(put("difference", &difference, false)?);
        }
        Ok(written.into_iter().flatten().collect())
    }

    /// A picture as one run drew it, when another drew it differently. Returns the file, if there is a report.
    pub fn run(&self, capture: &str, finished: &Finished, setup: &str) -> anyhow::Result<Option<PathBuf>> {
        match &finished.picture {
            Some(picture) => self.put(capture, finished, &fit(setup), picture, true),
            None => Ok(None),
        }
    }

    fn put(
        &self,
        capture: &str,
        finished: &Finished,
        what: &str,
        picture: &Picture,
        alpha: bool,
    ) -> anyhow::Result<Option<PathBuf>> {
        let Some(folder) = &self.folder else { return Ok(None) };
        let name = picture_name(capture, finished.index, &finished.present.label);
        let path = folder.join(format!("{name}-{what}.png"));
        write(&path, &picture.to_png(alpha)?)?;
        Ok(Some(path))
    }
}
