//! Lists of tests that are known not to pass, each with the reason and the releases of Mesa that it is for.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

/// Whose limit a test that does not pass has met.
const LIMITS: [&str; 4] = ["driver", "chip", "test", "ours"];

/// A result that is not the usual one, and why.
pub struct KnownResult {
    /// One result, or several with `|` between them: how far a test gets in its time depends on the host.
    pub result: String,
    pub reason: String,
    /// The releases of Mesa that it is known with.
    releases: RangeInclusive<u32>,
}

impl KnownResult {
    /// Whether `result` is one of those that are known.
    pub fn is(&self, result: &str) -> bool {
        self.result.split('|').any(|known| known == result)
    }

    /// Whether it is known with a major release of Mesa.
    pub fn is_with(&self, mesa: u32) -> bool {
        self.releases.contains(&mesa)
    }
}

/// What a list of the repository knows, by names of tests.
///
/// # Errors
/// A list that cannot be read, or a line that is no list's.
pub fn read(list: &str) -> Result<BTreeMap<String, KnownResult>, String> {
    parse(&lines(list)?).map_err(|error| format!("{list}: {error}"))
}

/// What lines of a list say.
pub fn parse(lines: &[String]) -> Result<BTreeMap<String, KnownResult>, String> {
    let mut all = BTreeMap::new();
    for line in lines {
        let [name, result, limit, reason] = columns(line)?;
        let (whose, releases) = limit.split_once(' ').unwrap_or((&limit, "from 0"));
        if !LIMITS.contains(&whose) {
            return Err(format!("{whose:?} is none of {LIMITS:?}"));
        }
        let releases = match releases.split_once(' ').map(|(side, release)| (side, release.parse())) {
            Some(("until", Ok(last))) => 0..=last,
            Some(("from", Ok(first))) => first..=u32::MAX,
            _ => return Err(format!("{releases:?} is neither until nor from a release")),
        };
        let known = KnownResult { result, reason: format!("{limit}: {reason}"), releases };
        if all.insert(name.clone(), known).is_some() {
            return Err(format!("{name} is listed twice"));
        }
    }
    Ok(all)
}

/// The lines of a list of the repository, without comments and empty ones.
pub fn lines(list: &str) -> Result<Vec<String>, String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(list);
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(str::to_owned).collect())
}

/// The columns of a line, which tabulators divide.
pub fn columns<const N: usize>(line: &str) -> Result<[String; N], String> {
    let columns: Vec<String> = line.split('\t').map(str::to_owned).collect();
    columns.try_into().map_err(|_| format!("{line:?} has not got {N} columns"))
}

/// The major release of Mesa: its library is named so since 24.3; 24 is that or an older one.
pub fn mesa() -> u32 {
    let in_folder = |folder: PathBuf| std::fs::read_dir(folder).into_iter().flatten().flatten();
    let folders = in_folder("/usr/lib".into()).map(|entry| entry.path()).chain(["/usr/lib64".into()]);
    let names = folders.flat_map(in_folder).map(|entry| entry.file_name());
    let releases = names.filter_map(|name| {
        let release = name.to_str()?.strip_prefix("libgallium-")?;
        release.split('.').next()?.parse().ok()
    });
    releases.max().unwrap_or(24)
}
