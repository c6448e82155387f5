//! The lists of tests with their commands, and what is known not to pass of them.

use crate::known::{self, KnownResult, columns, lines};

/// The chips that have lists.
pub const CHIPS: [&str; 2] = ["nv47", "gm20b"];

/// A test of a list.
pub struct Listed {
    pub chip: &'static str,
    pub name: String,
    pub command: String,
    /// The result that it is known to have instead of `pass`, and why.
    pub known: Option<KnownResult>,
}

impl Listed {
    /// Whether it is known not to end in time.
    pub fn is_slow(&self) -> bool {
        self.known.as_ref().is_some_and(|known| known.is("timeout"))
    }
}

/// The tests of a chip, and what is known of them with a major release of Mesa.
///
/// # Errors
/// A line that is no list's, or a failure of a test that is not listed.
pub fn read(chip: &'static str, mesa: u32) -> Result<Vec<Listed>, String> {
    let mut known = known::read(&format!("tests/piglit/{chip}-fails.txt"))?;
    let mut tests = Vec::new();
    for line in lines(&format!("tests/piglit/{chip}.txt"))? {
        let [name, command] = columns(&line)?;
        let known = known.remove(&name).filter(|known| known.is_with(mesa));
        tests.push(Listed { chip, known, name, command });
    }
    match known.keys().next() {
        None => Ok(tests),
        Some(name) => Err(format!("{chip}-fails.txt: {name} is not in {chip}.txt")),
    }
}
