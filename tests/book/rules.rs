//! What must hold of pages. Each rule gives what breaks it, as text.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use crate::page::Page;

/// Words of an average sentence of a page at most.
const MAX_WORDS: f64 = 30.0;

/// Pages that the table of contents lists and that do not exist, pages that it does not list, and pages that it lists
/// twice.
pub fn contents(summary: &str, pages: &BTreeSet<String>) -> Vec<String> {
    let mut listed = BTreeSet::new();
    let mut wrong = Vec::new();
    for link in Page::of(summary).links {
        if !pages.contains(&link) {
            wrong.push(format!("{link} is listed and does not exist"));
        }
        if !listed.insert(link.clone()) {
            wrong.push(format!("{link} is listed twice"));
        }
    }
    wrong.extend(pages.iter().filter(|page| !listed.contains(*page)).map(|page| format!("{page} is not listed")));
    wrong
}

/// Where a relative link leads, from the page's folder.
pub fn resolved(page: &str, target: &str) -> Option<String> {
    let mut path = PathBuf::from(page).parent()?.to_path_buf();
    for part in Path::new(target).components() {
        match part {
            Component::Normal(name) => path.push(name),
            Component::ParentDir if path.pop() => {}
            Component::CurDir => {}
            _ => return None,
        }
    }
    Some(path.to_string_lossy().replace('\\', "/"))
}

/// Links that lead nowhere. `anchors` gives the anchors of a page, `exists` whether there is a file or a folder.
pub fn links(
    name: &str,
    page: &Page,
    exists: &dyn Fn(&str) -> bool,
    anchors: &dyn Fn(&str) -> Vec<String>,
) -> Vec<String> {
    let relative = page.links.iter().filter(|link| !link.contains("://") && !link.starts_with("mailto:"));
    let broken = relative.filter(|link| {
        let (path, anchor) = link.split_once('#').map_or((link.as_str(), None), |(path, anchor)| (path, Some(anchor)));
        let Some(target) = (if path.is_empty() { Some(name.to_owned()) } else { resolved(name, path) }) else {
            return true;
        };
        !exists(&target) || anchor.is_some_and(|anchor| !anchors(&target).iter().any(|known| known == anchor))
    });
    broken.map(|link| format!("{name}: the link {link} leads nowhere")).collect()
}

/// Extensions of files that pages name.
const EXTENSIONS: [&str; 14] =
    ["rs", "md", "tgt", "tgc", "h", "hpp", "c", "cpp", "py", "txt", "toml", "json", "sh", "html"];

/// Whether a quoted name is that of a file or a folder of the repository: it has a known extension or ends with a
/// slash. Capital letters alone are placeholders. Names without a folder may be those of files that commands write,
/// unless they are sources or pages.
fn is_path(name: &str) -> bool {
    let letters = |c: char| c.is_ascii_alphanumeric() || "._-/*".contains(c);
    let placeholder = |part: &str| {
        let stem = part.split('.').next().unwrap_or_default();
        stem.len() > 1 && stem.chars().all(|c| c.is_ascii_uppercase()) && stem != "README" && stem != "SUMMARY"
    };
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let alone = !name.contains('/') && !["rs", "md"].contains(&extension);
    let file = EXTENSIONS.contains(&extension) && !name.starts_with(['.', '*']) && !alone;
    let folder = name.len() > 2 && name.ends_with('/') && !name.starts_with(['/', '.']);
    name.chars().all(letters) && (file || folder || name.starts_with(".ci/")) && !name.split('/').any(placeholder)
}

/// Quoted paths that no file of the repository has. A path may leave out folders in front. `foreign` has those of other
/// projects.
pub fn paths(name: &str, page: &Page, files: &BTreeSet<String>, foreign: &[&str]) -> Vec<String> {
    let known = |path: &str| {
        let folder = path.ends_with('/') || path.contains('*');
        let path = path.split('*').next().unwrap_or_default();
        let path = if folder { path.rsplit_once('/').map_or("", |(folder, _)| folder) } else { path };
        files.iter().any(|file| {
            let whole = if folder { file.rsplit_once('/').map_or("", |(folder, _)| folder) } else { file };
            let ends = |whole: &str| {
                whole == path || whole.strip_suffix(path).is_some_and(|before| before.ends_with('/')) || path.is_empty()
            };
            ends(whole) || folder && whole.match_indices('/').any(|(at, _)| ends(&whole[..at]))
        })
    };
    let missing = page.quoted.iter().filter(|quoted| is_path(quoted) && !known(quoted));
    let ours = missing.filter(|path| !foreign.contains(&path.as_str()));
    ours.map(|path| format!("{name}: there is no file {path}")).collect()
}

/// Quoted names of functions, tests and fields with at least two underscores that no source has. Names of the C
/// interface may leave out `triglyph_`. Names of other projects begin with one of `foreign`.
pub fn names(name: &str, page: &Page, identifiers: &BTreeSet<String>, foreign: &[&str]) -> Vec<String> {
    let letters = |c: char| c == '_' || c.is_ascii_lowercase() || c.is_ascii_digit();
    let is_name =
        |quoted: &&String| quoted.matches('_').count() >= 2 && quoted.chars().all(letters) && !quoted.starts_with('_');
    let known = |quoted: &str| {
        let part = identifiers.range(quoted.to_owned()..).next().is_some_and(|found| found.starts_with(quoted));
        let wanted = if quoted.ends_with('_') { part } else { identifiers.contains(quoted) };
        wanted
            || identifiers.contains(&format!("triglyph_{quoted}"))
            || foreign.iter().any(|prefix| quoted.starts_with(prefix))
    };
    let missing = page.quoted.iter().filter(is_name).filter(|quoted| !known(quoted));
    missing.map(|quoted| format!("{name}: no source has {quoted}")).collect()
}

/// Names after `--test`, `--bench` and `--example` that cargo does not know. `known` has them with their kind in front.
pub fn targets(name: &str, page: &Page, known: &BTreeSet<String>) -> Vec<String> {
    let texts = page.fenced.iter().chain(&page.quoted).map(|text| text.split('#').next().unwrap_or_default());
    let mut wrong = Vec::new();
    for text in texts {
        let words: Vec<&str> = text.split_whitespace().collect();
        for pair in words.windows(2) {
            let Some(kind) = ["--test", "--bench", "--example"].iter().find(|kind| **kind == pair[0]) else { continue };
            let target = format!("{kind} {}", pair[1].trim_matches(|c: char| !c.is_alphanumeric()));
            let placeholder = pair[1].chars().all(|c| c.is_ascii_uppercase());
            if !placeholder && !known.contains(&target) {
                wrong.push(format!("{name}: cargo has no {target}"));
            }
        }
    }
    wrong
}

/// Whether sentences are too long on the whole.
pub fn sentences(name: &str, page: &Page) -> Vec<String> {
    let words = page.words_of_a_sentence();
    let long = words > MAX_WORDS;
    long.then(|| format!("{name}: sentences have {words:.1} words in the mean, at most {MAX_WORDS}"))
        .into_iter()
        .collect()
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// Dates: a year of this century and a month, as 2025-01 or January 2025.
pub fn dates(name: &str, page: &Page) -> Vec<String> {
    let year = |word: &str| word.len() == 4 && word.starts_with("20") && word.chars().all(|c| c.is_ascii_digit());
    let mut found = Vec::new();
    for line in &page.lines {
        let words: Vec<&str> =
            line.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').filter(|word| !word.is_empty()).collect();
        for (n, word) in words.iter().enumerate() {
            let mut parts = word.split('-');
            let numbers = parts.next().is_some_and(year)
                && parts.next().is_some_and(|month| month.len() == 2 && month.parse::<u32>().is_ok_and(|m| m <= 12));
            let spelt = MONTHS.contains(word) && words[n + 1..].iter().take(2).any(|next| year(next));
            if numbers || spelt {
                found.push(format!("{name}: a date belongs in the journal: {line}"));
            }
        }
    }
    found
}

/// Sections of the journal with tables and no command that makes their numbers.
pub fn commands(name: &str, text: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    for section in format!("\n{text}").split("\n## ").skip(1) {
        let heading = section.lines().next().unwrap_or_default();
        let numbers = section.lines().any(|line| line.starts_with('|') && line.contains(|c: char| c.is_ascii_digit()));
        let made =
            section.contains("```sh") || section.contains("Made by") || section.contains("Not made by a command");
        if numbers && !made {
            wrong.push(format!("{name}: nothing says what makes the numbers of `{heading}`"));
        }
    }
    wrong
}
