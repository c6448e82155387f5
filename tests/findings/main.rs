//! Findings of draws: triangles without one of their register writes, with a wrong one, and the captures among the
//! tests.
//!
//! A triangle is a table of rows: a write, and what leaving it out has to lead to. Where the picture is another one and
//! no fault is counted, that is a kind of finding.
#![allow(missing_docs, reason = "test code, never published")]

mod captures;
mod n3ds;
mod rsx;
mod tegra;

use std::collections::BTreeSet;

use triglyph::{Device, Finding, FindingKind, Options, Severity, Tier};

/// What leaving a write out leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// The same picture.
    Same,
    /// Faults, which tell enough.
    Fault,
    /// Another picture, and a finding.
    Finding(FindingKind),
}

/// A register write of a triangle, or several that belong together.
pub struct Row {
    pub name: &'static str,
    pub words: Vec<u32>,
    pub without: Expected,
}

impl Row {
    /// A write that makes no difference here.
    pub fn new(name: &'static str, words: Vec<u32>) -> Row {
        Row { name, words, without: Expected::Same }
    }

    /// A write without which something is found.
    pub fn finds(self, kind: FindingKind) -> Row {
        Row { without: Expected::Finding(kind), ..self }
    }

    /// A write without which there are faults.
    pub fn faults(self) -> Row {
        Row { without: Expected::Fault, ..self }
    }
}

/// A mistake: what is written just before the draw, and what has to be found.
pub struct Mistake {
    pub name: &'static str,
    pub words: Vec<u32>,
    /// What becomes of each vertex of the triangle.
    pub change: Option<fn(&mut [f32; 8])>,
    pub finds: FindingKind,
}

/// A mistake of vertices.
pub fn of_vertices(name: &'static str, finds: FindingKind, change: fn(&mut [f32; 8])) -> Mistake {
    Mistake { name, words: Vec::new(), change: Some(change), finds }
}

/// What a triangle led to.
#[derive(Debug, PartialEq)]
pub struct Outcome {
    pub picture: Vec<u8>,
    pub faults: u64,
    pub findings: Vec<Finding>,
}

/// Position and colour of each vertex.
pub type Vertices = [[f32; 8]; 3];

/// x, y, z, w; red, green, blue, alpha.
const CORNERS: Vertices = [
    [0.0, 0.8, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0],
    [0.8, -0.8, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0],
    [-0.8, -0.8, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0],
];

/// A machine's triangle.
pub struct Triangle {
    pub vertices: Vertices,
    /// The row before which mistakes are written.
    pub draw: &'static str,
    pub rows: fn() -> Vec<Row>,
    pub mistakes: fn() -> Vec<Mistake>,
    /// Executes words on a device with these options.
    pub run: fn(&Options, &[u32], &Vertices) -> Outcome,
}

const TRIANGLES: [&Triangle; 3] = [&n3ds::TRIANGLE, &rsx::TRIANGLE, &tegra::TRIANGLE];

fn options(tier: Tier, threads: usize, validate: bool) -> Options {
    let mut options = Options::new(tier, threads);
    options.validate = validate;
    options
}

/// Runs words on both tiers and several threads: what is found is the same everywhere.
fn everywhere(triangle: &Triangle, name: &str, words: &[u32], vertices: &Vertices) -> Outcome {
    let run = triangle.run;
    let reference = run(&options(Tier::InterpreterOnly, 1, true), words, vertices);
    let plain = run(&options(Tier::InterpreterOnly, 1, false), words, vertices);
    assert!(plain.picture == reference.picture, "{name}: checks change the picture");
    assert_eq!((plain.faults, plain.findings.len()), (reference.faults, 0), "{name}");
    if triglyph_jit::Jit::new().is_ok() {
        for threads in [1, 3] {
            let other = run(&options(Tier::JitOnly, threads, true), words, vertices);
            assert_eq!(other.findings, reference.findings, "{name}, compiled, {threads} threads");
            assert!(other.picture == reference.picture, "{name}");
        }
    }
    reference
}

fn words(rows: &[Row], left_out: Option<usize>) -> Vec<u32> {
    let rows = rows.iter().enumerate().filter(|(at, _)| Some(*at) != left_out);
    rows.flat_map(|(_, row)| row.words.iter().copied()).collect()
}

fn text(findings: &[Finding]) -> String {
    findings.iter().map(|finding| format!("    {finding}\n")).collect()
}

/// Leaves each write out.
fn check_rows(triangle: &Triangle) {
    let rows = (triangle.rows)();
    let right = everywhere(triangle, "all writes", &words(&rows, None), &triangle.vertices);
    assert_eq!(right.faults, 0);
    assert!(right.findings.is_empty(), "{}", text(&right.findings));
    let background = &right.picture[..4];
    let drawn = right.picture.chunks(4).filter(|pixel| *pixel != background).count();
    assert!(drawn > 500, "{drawn} pixels");
    let mut wrong = String::new();
    for (at, row) in rows.iter().enumerate() {
        let outcome = everywhere(triangle, row.name, &words(&rows, Some(at)), &triangle.vertices);
        let is_same = outcome.picture == right.picture;
        let invisible = outcome.findings.iter().any(|finding| finding.severity == Severity::Invisible);
        let is_right = match row.without {
            Expected::Same => is_same && outcome.faults == 0 && !invisible,
            Expected::Fault => outcome.faults > 0,
            Expected::Finding(kind) => {
                !is_same && outcome.faults == 0 && outcome.findings.iter().any(|finding| finding.kind == kind)
            }
        };
        if !is_right {
            let Outcome { faults, findings, .. } = &outcome;
            wrong +=
                &format!("{}: not {:?}; same {is_same}, {faults} faults\n{}", row.name, row.without, text(findings));
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

/// Makes each mistake.
fn check_mistakes(triangle: &Triangle) {
    let rows = (triangle.rows)();
    let draw = rows.iter().position(|row| row.name == triangle.draw).expect("the draw");
    let mut wrong = String::new();
    for mistake in (triangle.mistakes)() {
        let mut all = words(&rows[..draw], None);
        all.extend(&mistake.words);
        all.extend(words(&rows[draw..], None));
        let mut vertices = triangle.vertices;
        if let Some(change) = mistake.change {
            vertices.iter_mut().for_each(change);
        }
        let outcome = everywhere(triangle, mistake.name, &all, &vertices);
        if !outcome.findings.iter().any(|finding| finding.kind == mistake.finds) {
            wrong += &format!("{}: not {:?}\n{}", mistake.name, mistake.finds, text(&outcome.findings));
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn left_out_writes_of_the_3ds_are_named() {
    check_rows(&n3ds::TRIANGLE);
}

#[test]
fn left_out_writes_of_the_rsx_are_named() {
    check_rows(&rsx::TRIANGLE);
}

#[test]
fn left_out_writes_of_the_tegra_are_named() {
    check_rows(&tegra::TRIANGLE);
}

#[test]
fn mistakes_of_the_3ds_are_named() {
    check_mistakes(&n3ds::TRIANGLE);
}

#[test]
fn mistakes_of_the_rsx_are_named() {
    check_mistakes(&rsx::TRIANGLE);
}

#[test]
fn mistakes_of_the_tegra_are_named() {
    check_mistakes(&tegra::TRIANGLE);
}

#[test]
fn the_guide_names_kinds_that_exist() {
    let page = include_str!("../../docs/guide/wrong-picture.md");
    let (_, mistakes) = page.split_once("What a beginner's program forgets").expect("the table of mistakes");
    let (table, _) = mistakes.split_once("\n\nIf draws").expect("its end");
    let quoted = table.split('`').skip(1).step_by(2).filter(|word| word.contains('-'));
    let unknown: Vec<&str> =
        quoted.clone().filter(|word| FindingKind::ALL.iter().all(|kind| kind.name() != *word)).collect();
    assert!(quoted.count() > 10 && unknown.is_empty(), "{unknown:?}");
}

/// Kinds that have no row and no mistake above: `explain_says_when_a_picture_is_not_drawn` in cli/tests/explain.rs.
const ELSEWHERE: [FindingKind; 1] = [FindingKind::UnwrittenPicture];

#[test]
fn every_kind_is_found_somewhere() {
    let mut found = BTreeSet::new();
    for triangle in TRIANGLES {
        found.extend((triangle.mistakes)().iter().map(|mistake| mistake.finds));
        found.extend((triangle.rows)().iter().filter_map(|row| match row.without {
            Expected::Finding(kind) => Some(kind),
            _ => None,
        }));
    }
    let missing: Vec<_> =
        FindingKind::ALL.iter().filter(|kind| !found.contains(*kind) && !ELSEWHERE.contains(kind)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// The page of findings names each kind with its severity and meaning.
#[test]
fn the_page_of_findings_is_the_table() {
    let page = std::fs::read_to_string("docs/reference/findings.md").expect("a page");
    for kind in FindingKind::ALL {
        let row = format!("| `{}` | {} | {} |", kind.name(), kind.severity().name(), kind.meaning());
        assert!(page.contains(&row), "docs/reference/findings.md lacks\n{row}");
    }
    let rows = page.lines().filter(|line| line.starts_with("| `")).count();
    assert_eq!(rows, FindingKind::ALL.len());
}

/// The findings so far, and the faults.
pub fn outcome(gpu: &mut impl Device, picture: Vec<u8>) -> Outcome {
    Outcome { picture, faults: gpu.faults().total(), findings: gpu.take_findings() }
}
