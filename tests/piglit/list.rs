//! The lists: tests and commands, what is expected to fail.

use std::collections::BTreeMap;
use std::path::Path;

/// The chips that have lists.
pub const CHIPS: [&str; 2] = ["nv47", "gm20b"];

/// Whose limit a test that does not pass has met.
const LIMITS: [&str; 3] = ["driver", "chip", "ours"];

/// A test of a list.
pub struct Listed {
    pub chip: &'static str,
    pub name: String,
    pub command: String,
    /// The result that it is known to have instead of `pass`, and why.
    pub known: Option<Known>,
}

/// A result that is not `pass`, and why.
pub struct Known {
    pub result: String,
    pub reason: String,
}

impl Listed {
    /// Whether it is known not to end in time.
    pub fn is_slow(&self) -> bool {
        self.known.as_ref().is_some_and(|known| known.result == "timeout")
    }
}

/// The tests of a chip.
///
/// # Errors
/// A line that is no list's, or a failure of a test that is not listed.
pub fn read(chip: &'static str) -> Result<Vec<Listed>, String> {
    let mut known = known(chip)?;
    let mut tests = Vec::new();
    for line in lines(&format!("{chip}.txt"))? {
        let [name, command] = columns(&line)?;
        tests.push(Listed { chip, known: known.remove(&name), name, command });
    }
    match known.keys().next() {
        None => Ok(tests),
        Some(name) => Err(format!("{chip}-fails.txt: {name} is not in {chip}.txt")),
    }
}

fn known(chip: &str) -> Result<BTreeMap<String, Known>, String> {
    let mut all = BTreeMap::new();
    for line in lines(&format!("{chip}-fails.txt"))? {
        let [name, result, limit, reason] = columns(&line)?;
        if !LIMITS.contains(&limit.as_str()) {
            return Err(format!("{chip}-fails.txt: {limit:?} is none of {LIMITS:?}"));
        }
        all.insert(name, Known { result, reason: format!("{limit}: {reason}") });
    }
    Ok(all)
}

/// The lines of a list, without comments and empty ones.
fn lines(name: &str) -> Result<Vec<String>, String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/piglit").join(name);
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(str::to_owned).collect())
}

/// The columns of a line, which tabulators divide.
fn columns<const N: usize>(line: &str) -> Result<[String; N], String> {
    let columns: Vec<String> = line.split('\t').map(str::to_owned).collect();
    columns.try_into().map_err(|_| format!("{line:?} has not got {N} columns"))
}
