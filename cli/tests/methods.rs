//! What `triglyph info --methods` shows of the words that captures have: names and values, not hexadecimal digits.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use triglyph_guest::dispatch_class;
use triglyph_guest::pica::regs;
use triglyph_guest::rsx::methods::{CURIE, PULLER, SOFTWARE};
use triglyph_guest::rsx::{objects, two_d};
use triglyph_guest::table::{FieldInfo, FieldKind, RegInfo};
use triglyph_guest::tegra::fifo::host;
use triglyph_guest::tegra::methods::Class;
use triglyph_guest::tegra::methods::classes::ClassTables;

/// Methods of each machine of which a word of the captures, bundled and of `TRIGLYPH_CAPTURES`, has no better form than
/// hexadecimal digits though it is neither data, handle nor mask. These numbers may only become smaller. That of the
/// Tegra X1 is SET_OBJECT with 0x906E, the kernel's class of software methods.
const MAX_RAW: [(&str, usize); 3] = [("3ds", 0), ("rsx", 0), ("tegra", 1)];

/// The captures below a folder.
fn captures(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.filter_map(|entry| entry.ok().map(|entry| entry.path()));
    let below = |path: PathBuf| match path.is_dir() {
        true => captures(&path),
        false => vec![path],
    };
    paths.flat_map(below).filter(|path| path.extension().is_some_and(|extension| extension == "tgc")).collect()
}

/// The fields of a row by its name.
type Rows = BTreeMap<&'static str, Vec<&'static [FieldInfo]>>;

fn add<E>(rows: &mut Rows, table: &'static [RegInfo<E>]) {
    for row in table {
        rows.entry(row.name).or_default().push(row.fields);
    }
}

fn rows(machine: &str) -> Rows {
    let mut rows = Rows::new();
    match machine {
        "3ds" => add(&mut rows, regs::REGISTERS),
        "rsx" => {
            [&CURIE, &PULLER, &SOFTWARE].into_iter().for_each(|class| add(&mut rows, class.rows()));
            let classes = (0..0x1_0000).filter(|class| objects::class::name(*class).is_some());
            classes.filter_map(two_d::methods).for_each(|table| add(&mut rows, table));
        }
        _ => {
            add(&mut rows, host::METHODS.rows());
            Class::ALL.into_iter().for_each(|class| dispatch_class!(class, C => add(&mut rows, C::METHODS.rows())));
        }
    }
    rows
}

/// What of a word is shown as hexadecimal digits, though it is neither data, handle, mask nor address.
fn raw(rows: &Rows, method: &str, fields: &str) -> Option<String> {
    let name = method.split(['[', '.']).next().unwrap_or(method);
    let Some(known) = rows.get(name) else { return Some(method.to_owned()) };
    let digits =
        fields.split(", ").filter_map(|field| field.split_once(' ')).filter(|(_, text)| text.starts_with("0x"));
    let is_meant = |(field, _): &(&str, &str)| {
        let kind = known.iter().flat_map(|fields| fields.iter()).find(|info| info.name == *field).map(|info| info.kind);
        matches!(kind, Some(FieldKind::Bits | FieldKind::Address { .. } | FieldKind::F32))
    };
    digits.filter(|field| !is_meant(field)).map(|(field, text)| format!("{name}.{field} {text}")).next()
}

#[test]
fn words_have_a_meaning() {
    let mut files = captures(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/captures"));
    files.extend(std::env::var_os("TRIGLYPH_CAPTURES").into_iter().flat_map(|folder| captures(Path::new(&folder))));
    let mut found: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    let mut seen: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    let tables = ["3ds", "rsx", "tegra"].map(|machine| (machine, rows(machine)));
    for file in files {
        let output = Command::new(env!("CARGO_BIN_EXE_triglyph"))
            .args(["--json", "info", "--methods"])
            .arg(&file)
            .output()
            .expect("the command runs");
        let header = std::fs::read(&file).ok().and_then(|bytes| triglyph_fuzz::Document::parse(&bytes).ok());
        let Some(header) = header.map(|document| document.header) else { continue };
        let (machine, rows) = &tables[header.machine as usize - 1];
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let line: Value = serde_json::from_str(line).expect("a line of JSON");
            let (Some(method), Some(fields)) = (line["method"].as_str(), line["fields"].as_str()) else { continue };
            let what = raw(rows, method, fields);
            seen.entry(machine).or_default().insert(method.split('[').next().unwrap_or(method).to_owned());
            found.entry(machine).or_default().extend(what);
        }
    }
    let mut beyond = Vec::new();
    for (machine, most) in MAX_RAW {
        let seen = seen.get(machine).map_or(0, BTreeSet::len);
        assert!(seen > 60, "captures have {seen} methods of the machine {machine}");
        let found = found.remove(machine).unwrap_or_default();
        eprintln!("{machine}: {} of {seen} methods have raw values", found.len());
        if found.len() > most {
            beyond.push((machine, found));
        }
    }
    assert!(beyond.is_empty(), "{beyond:#?}");
}
