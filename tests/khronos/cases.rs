//! Lists of cases, which of them are run, and what is known of them.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::rc::Rc;

use crate::binaries::Api;
use crate::known::KnownResult;

/// One in so many cases is run unless another number is asked for. It is a prime number: cases come in groups that
/// vary one thing after the other, and a part of them is to have each variant.
const STRIDE: usize = 47;

/// A case of a list.
pub struct Case {
    pub name: String,
    /// The failure that it is known to have.
    pub known: Option<Rc<KnownResult>>,
}

/// One in so many cases is to be run.
pub fn stride() -> Result<usize, String> {
    match std::env::var("TRIGLYPH_DEQP_STRIDE") {
        Err(_) => Ok(STRIDE),
        Ok(text) => match text.parse() {
            Ok(stride @ 1..) => Ok(stride),
            _ => Err(format!("TRIGLYPH_DEQP_STRIDE: {text:?} is not a number from 1 on")),
        },
    }
}

/// The cases of a list. A line may also name another list by its path from this one, as Vulkan's do.
pub fn read(list: &Path) -> Result<Vec<String>, String> {
    let text = std::fs::read_to_string(list).map_err(|error| format!("{}: {error}", list.display()))?;
    let mut cases = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        match line.strip_suffix(".txt") {
            Some(_) => {
                let other = list.with_file_name(line);
                let text = std::fs::read_to_string(&other).map_err(|error| format!("{}: {error}", other.display()))?;
                cases.extend(text.lines().map(|case| case.trim().to_owned()).filter(|case| !case.is_empty()));
            }
            None => cases.push(line.to_owned()),
        }
    }
    Ok(cases)
}

/// Cases with what is known of them with a release of Mesa. `known` may have cases of other interfaces as well.
///
/// # Errors
/// A line for cases of this interface that names none, or one that another line names: both would hide a mistake.
pub fn with_known(
    names: Vec<String>,
    known: BTreeMap<String, KnownResult>,
    api: Api,
    mesa: u32,
) -> Result<Vec<Case>, String> {
    let mut of_cases: HashMap<&str, (String, Rc<KnownResult>)> = HashMap::new();
    for (pattern, result) in known.into_iter().filter(|(pattern, _)| pattern.starts_with(api.package())) {
        let result = Rc::new(result);
        let mut matching = names.iter().filter(|name| matches(&pattern, name)).peekable();
        if matching.peek().is_none() {
            return Err(format!("{pattern} is listed as failing, and the list of cases has none of that name"));
        }
        if !result.is_with(mesa) {
            continue;
        }
        for name in matching {
            if let Some((other, _)) = of_cases.insert(name, (pattern.clone(), Rc::clone(&result))) {
                return Err(format!("{name} is listed as failing twice: by {other} and by {pattern}"));
            }
        }
    }
    let known: Vec<_> = names.iter().map(|name| of_cases.remove(name.as_str()).map(|(_, known)| known)).collect();
    Ok(names.into_iter().zip(known).map(|(name, known)| Case { name, known }).collect())
}

/// Whether a name is of a pattern, where each `*` is anything.
pub fn matches(pattern: &str, name: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut name) = name.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let last = parts.pop().unwrap_or_default();
    for part in parts {
        match name.split_once(part) {
            Some((_, after)) => name = after,
            None => return false,
        }
    }
    name.ends_with(last)
}
