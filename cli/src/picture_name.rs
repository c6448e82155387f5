//! Names of pictures: no two pictures of a run have the same one, whichever captures they are from.
//!
//! A name is `<capture>-<n>-<label>`. Labels have no `-`, so that it can be read from its end in one way only, and
//! captures whose files are called alike have different names here.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::capture_file::stem;

/// The name of a picture's file without its extension: of the capture called `capture` the picture `index`.
pub fn picture_name(capture: &str, index: usize, label: &str) -> String {
    let label = fit(label);
    let label = if label.is_empty() { "picture" } else { &label };
    format!("{capture}-{index}-{label}")
}

/// A word that is fit for a file system and has no `-`.
pub fn fit(label: &str) -> String {
    let fit = |c: char| if c.is_ascii_alphanumeric() || "_.".contains(c) { c } else { '_' };
    label.chars().take(40).map(fit).collect()
}

/// A name for each file, in their order: that of the file without folder and extension; with as many of the folders
/// above as it takes to tell files of one name apart; with a number where that does not help (a file that is there
/// twice). Names that differ in case alone count as equal: file systems may not tell them apart.
pub fn capture_names(files: &[PathBuf]) -> Vec<String> {
    let mut names: Vec<String> = files.iter().map(|file| stem(file)).collect();
    let mut folders: Vec<Option<&Path>> = files.iter().map(|file| file.parent()).collect();
    loop {
        let again: Vec<usize> =
            repeated(&names).into_iter().filter(|&at| folders[at].is_some_and(|f| f.file_name().is_some())).collect();
        if again.is_empty() {
            break;
        }
        for at in again {
            let Some((folder, name)) = folders[at].and_then(|folder| Some((folder, folder.file_name()?))) else {
                continue;
            };
            names[at] = format!("{}-{}", name.to_string_lossy(), names[at]);
            folders[at] = folder.parent();
        }
    }
    loop {
        let again = repeated(&names);
        if again.is_empty() {
            return names;
        }
        again.into_iter().for_each(|at| names[at] += &format!("~{at}"));
    }
}

/// The places of names that are there more than once.
fn repeated(names: &[String]) -> Vec<usize> {
    let mut counts = HashMap::<String, usize>::new();
    names.iter().for_each(|name| *counts.entry(name.to_lowercase()).or_default() += 1);
    (0..names.len()).filter(|&at| counts[&names[at].to_lowercase()] > 1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(files: &[&str]) -> Vec<String> {
        capture_names(&files.iter().map(PathBuf::from).collect::<Vec<_>>())
    }

    #[test]
    fn names_say_no_more_than_they_must() {
        assert_eq!(names(&["a/x.tgc", "b/y.tgc"]), ["x", "y"]);
        assert_eq!(names(&["a/x.tgc", "b/x.tgc", "b/y.tgc"]), ["a-x", "b-x", "y"]);
        assert_eq!(names(&["a/c/x.tgc", "b/c/X.tgc"]), ["a-c-x", "b-c-X"]);
        assert_eq!(names(&["x.tgc", "b/x.tgc"]), ["x", "b-x"]);
        assert_eq!(names(&["v1.0/x.tgc", "v1.1/x.tgc"]), ["v1.0-x", "v1.1-x"]);
        assert_eq!(names(&["x.tgc", "x.tgc"]), ["x~0", "x~1"]);
        assert_eq!(names(&["x.tgc", "x.tgc", "x~0.tgc"]), ["x~0~0", "x~1", "x~0~2"]);
    }

    #[test]
    fn a_name_can_be_read_in_one_way_only() {
        // Without care both would be `a-1-2-x`.
        assert_ne!(picture_name("a", 1, "2-x"), picture_name("a-1", 2, "x"));
        assert_eq!(picture_name("a", 0, "top/left"), "a-0-top_left");
        assert_eq!(picture_name("a", 3, ""), "a-3-picture");
    }
}
