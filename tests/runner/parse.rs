//! The text of test files.

use std::path::{Path, PathBuf};

use crate::Engine;
use triglyph_testkit::data::file;
use triglyph_testkit::number::same;

/// A test file.
#[derive(Debug)]
pub struct File {
    pub path: PathBuf,
    pub text: String,
    pub commands: Vec<Command>,
    /// The lines of the `[program]` section.
    pub program: String,
    pub cases: Vec<Case>,
}

/// `test NAME ENGINE...`
#[derive(Debug)]
pub struct Command {
    pub name: String,
    pub engines: Vec<Engine>,
}

/// A `[case]` section.
#[derive(Debug, Default)]
pub struct Case {
    pub name: String,
    /// Where it begins, counted from 1.
    pub line: usize,
    /// `key = value`, in order.
    pub settings: Vec<Item>,
    /// `key -> value`, in order.
    pub expectations: Vec<Item>,
}

/// A line of a case.
#[derive(Debug)]
pub struct Item {
    pub line: usize,
    pub key: String,
    pub value: String,
}

impl File {
    /// Reads a file. A file that is not well formed is a mistake in the tests.
    pub fn read(path: &Path) -> File {
        let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let mut file = File {
            path: path.to_owned(),
            text: text.clone(),
            commands: Vec::new(),
            program: String::new(),
            cases: Vec::new(),
        };
        let mut in_program = false;
        for (index, whole) in text.lines().enumerate() {
            let line = whole.split(';').next().unwrap_or("").trim();
            let fail = |what: &str| -> ! { panic!("{}:{}: {what}: {whole}", path.display(), index + 1) };
            if let Some(command) = line.strip_prefix("test ") {
                let mut words = command.split_whitespace();
                let name = words.next().unwrap_or_else(|| fail("no command")).to_owned();
                let engines = words.map(|word| Engine::named(word).unwrap_or_else(|error| fail(&error))).collect();
                file.commands.push(Command { name, engines });
            } else if line == "[program]" {
                in_program = true;
            } else if let Some(name) = line.strip_prefix("[case").and_then(|rest| rest.strip_suffix("]")) {
                in_program = false;
                let name = name.trim().to_owned();
                file.cases.push(Case { name, line: index + 1, ..Case::default() });
            } else if in_program {
                file.program += whole;
                file.program.push('\n');
            } else if !line.is_empty() {
                let Some(case) = file.cases.last_mut() else { fail("outside of a section") };
                let (list, key, value) = match (line.split_once("->"), line.split_once('=')) {
                    (Some((key, value)), _) => (&mut case.expectations, key, value),
                    (None, Some((key, value))) => (&mut case.settings, key, value),
                    (None, None) => fail("neither `key = value` nor `key -> value`"),
                };
                let (key, value) = (key.trim().to_owned(), value.trim().to_owned());
                list.push(Item { line: index + 1, key, value });
            }
        }
        for command in &mut file.commands {
            if command.engines.is_empty() {
                command.engines.push(Engine::Interp);
            }
        }
        assert!(!file.commands.is_empty(), "{}: no command", path.display());
        file
    }

    /// Its path from `tests/files/` on.
    pub fn name(&self) -> String {
        let path = self.path.strip_prefix(file("files")).unwrap_or(&self.path);
        path.display().to_string()
    }
}

impl Case {
    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.settings.iter().find(|item| item.key == key).map(|item| item.value.as_str())
    }
}

/// Whether a result is the one wanted: numbers to the bit, NaN being equal to NaN; everything else as text.
pub fn equal(want: &str, got: &str) -> bool {
    let number = |word: &str| word.parse::<f32>().ok();
    let same = |(want, got): (&str, &str)| match (number(want), number(got)) {
        (Some(a), Some(b)) if !word_like(want) => same(a, b),
        _ => want == got,
    };
    want.split_whitespace().count() == got.split_whitespace().count()
        && want.split_whitespace().zip(got.split_whitespace()).all(same)
}

/// Digits only, as in hexadecimal bytes, are text when they begin with a zero.
fn word_like(word: &str) -> bool {
    word.len() > 1 && word.starts_with('0') && !word.contains('.')
}

/// Whole numbers, decimal or hexadecimal.
pub fn integer(word: &str) -> Result<u32, String> {
    let number = match word.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => word.parse::<i64>().map(|number| number as u32),
    };
    number.map_err(|error| format!("`{word}`: {error}"))
}

/// `count` whole numbers.
pub fn integers<const N: usize>(text: &str) -> Result<[u32; N], String> {
    let numbers = text.split_whitespace().map(integer).collect::<Result<Vec<_>, _>>()?;
    numbers.try_into().map_err(|got: Vec<u32>| format!("`{text}`: {} numbers instead of {N}", got.len()))
}

/// A float; `0x` and eight digits are its bits.
pub fn float(word: &str) -> Result<f32, String> {
    match word.strip_prefix("0x") {
        Some(_) => integer(word).map(f32::from_bits),
        None => word.parse().map_err(|error| format!("`{word}`: {error}")),
    }
}

/// Floats.
pub fn floats(text: &str) -> Result<Vec<f32>, String> {
    text.split_whitespace().map(float).collect()
}

/// A register of four components; missing ones are 0.
pub fn vector(text: &str) -> Result<[f32; 4], String> {
    let mut vector = [0.0; 4];
    let given = floats(text)?;
    if given.len() > 4 {
        return Err(format!("`{text}`: more than four components"));
    }
    vector[..given.len()].copy_from_slice(&given);
    Ok(vector)
}

/// A colour, r g b a.
pub fn color(text: &str) -> Result<[u8; 4], String> {
    integers::<4>(text).map(|channels| channels.map(|channel| channel as u8))
}

/// Floats as they are written in files.
pub fn show(values: &[f32]) -> String {
    let one = |value: &f32| match value.abs() {
        _ if value.is_nan() => "nan".to_owned(),
        magnitude if magnitude != 0.0 && !(1e-4..1e9).contains(&magnitude) => format!("{value:e}"),
        _ => format!("{value}"),
    };
    values.iter().map(one).collect::<Vec<_>>().join(" ")
}
