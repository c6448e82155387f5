//! The lists of tests with their commands, and of expected failures.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::Path;

/// The chips that have lists.
pub const CHIPS: [&str; 2] = ["nv47", "gm20b"];

/// Whose limit a test that does not pass has met.
const LIMITS: [&str; 4] = ["driver", "chip", "test", "ours"];

/// A test of a list.
pub struct Listed {
    pub chip: &'static str,
    pub name: String,
    pub command: String,
    /// The result that it is known to have instead of `pass`, and why.
    pub known: Option<KnownResult>,
}

/// A result that is not `pass`, and why.
pub struct KnownResult {
    /// One result, or several with `|` between them: how far a test gets in its time depends on the host.
    pub result: String,
    pub reason: String,
}

impl KnownResult {
    /// Whether `result` is one of those that are known.
    pub fn is(&self, result: &str) -> bool {
        self.result.split('|').any(|known| known == result)
    }
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
    let mut known = known(chip)?;
    let mut tests = Vec::new();
    for line in lines(&format!("{chip}.txt"))? {
        let [name, command] = columns(&line)?;
        let known = known.remove(&name).filter(|(releases, _)| releases.contains(&mesa));
        tests.push(Listed { chip, known: known.map(|(_, known)| known), name, command });
    }
    match known.keys().next() {
        None => Ok(tests),
        Some(name) => Err(format!("{chip}-fails.txt: {name} is not in {chip}.txt")),
    }
}

/// What is known, and with which releases of Mesa.
fn known(chip: &str) -> Result<BTreeMap<String, (RangeInclusive<u32>, KnownResult)>, String> {
    let mut all = BTreeMap::new();
    for line in lines(&format!("{chip}-fails.txt"))? {
        let [name, result, limit, reason] = columns(&line)?;
        let (whose, releases) = limit.split_once(' ').unwrap_or((&limit, "from 0"));
        if !LIMITS.contains(&whose) {
            return Err(format!("{chip}-fails.txt: {whose:?} is none of {LIMITS:?}"));
        }
        let releases = match releases.split_once(' ').map(|(side, release)| (side, release.parse())) {
            Some(("until", Ok(last))) => 0..=last,
            Some(("from", Ok(first))) => first..=u32::MAX,
            _ => return Err(format!("{chip}-fails.txt: {releases:?} is neither until nor from a release")),
        };
        all.insert(name, (releases, KnownResult { result, reason: format!("{limit}: {reason}") }));
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
