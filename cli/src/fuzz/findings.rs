//! Findings of the fuzzer, and counts of cases.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde::Serialize;
use triglyph_fuzz::shrink::Small;
use triglyph_fuzz::{Case, Oracle, Verdict};

use super::worker::Answer;
use crate::capture_file::write;
use crate::output::Output;

/// What a finding is, without what is different in every mutant: findings of the same kind are kept once for each
/// oracle and capture, and shrinking does not turn one into another.
pub fn kind(what: &str) -> String {
    let text: String = what.chars().filter(|c| !c.is_ascii_digit()).collect();
    let end = text.find([':', ',', ';']).unwrap_or(text.len());
    match text.starts_with("panics") || text.starts_with("the process") {
        true => text.chars().take(120).collect(),
        false => text[..end].to_owned(),
    }
}

/// A finding that was kept; one JSON line.
#[derive(Serialize)]
pub struct Found {
    event: &'static str,
    machine: &'static str,
    capture: String,
    oracle: &'static str,
    seed: u64,
    what: String,
    edits: Vec<String>,
    file: PathBuf,
    reproduction: String,
}

impl Found {
    /// Keeps a finding: the capture, and beside it what was changed.
    pub fn keep(folder: &Path, case: &Case<'_>, what: String, small: &Small) -> anyhow::Result<Self> {
        let machine = case.base.document.header.machine.name();
        let oracle = case.oracle.name();
        let file = folder.join(format!("{machine}-{oracle}-{}.tgc", case.seed));
        write(&file, &small.file)?;
        let edits: Vec<String> = small.edits.iter().map(ToString::to_string).collect();
        let note = format!("{} of {}: {what}\n\n{}\n", oracle, case.base.name, edits.join("\n"));
        write(&file.with_extension("txt"), note.as_bytes())?;
        let reproduction = format!("triglyph fuzz --replay --oracle {oracle} --seed {} {}", case.seed, file.display());
        let (capture, seed) = (case.base.name.clone(), case.seed);
        Ok(Found { event: "finding", machine, capture, oracle, seed, what, edits, file, reproduction })
    }

    /// Says so.
    pub fn print(&self, output: &Output) -> anyhow::Result<()> {
        let Found { machine, capture, oracle, seed, what, edits, reproduction, .. } = self;
        output.line(format_args!("FINDING {machine} {capture}, {oracle}, case {seed}: {what}"))?;
        for edit in edits.iter().take(20) {
            output.line(format_args!("        {edit}"))?;
        }
        output.line(format_args!("        {reproduction}"))?;
        Ok(output.object(self)?)
    }
}

/// An answer about a capture that was kept; one JSON line.
#[derive(Serialize)]
pub struct Replayed<'a> {
    event: &'static str,
    file: &'a Path,
    oracle: &'static str,
    verdict: &'a Verdict,
}

impl<'a> Replayed<'a> {
    /// What there is to say.
    pub fn new(file: &'a Path, oracle: Oracle, verdict: &'a Verdict) -> Self {
        Replayed { event: "replayed", file, oracle: oracle.name(), verdict }
    }
}

impl fmt::Display for Replayed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (word, what) = match self.verdict {
            Verdict::Holds => ("ok", ""),
            Verdict::Skipped(why) => ("skipped", &why[..]),
            Verdict::Fails(what) => ("FAILS", &what[..]),
        };
        write!(f, "{word:<7} {} {}{}{what}", self.oracle, self.file.display(), if what.is_empty() { "" } else { ": " })
    }
}

/// Cases by machine and oracle.
#[derive(Debug, Default, Serialize)]
struct Count {
    cases: u64,
    runs: u64,
    skipped: u64,
    failed: u64,
}

/// What was looked at so far.
pub struct Tally {
    begun: Instant,
    seed: u64,
    counts: BTreeMap<(&'static str, &'static str), Count>,
    kinds: BTreeSet<(String, &'static str, String)>,
    slowest: (u64, u64),
    /// Findings that were kept.
    pub findings: u64,
}

/// One JSON line.
#[derive(Serialize)]
struct Line<'a> {
    event: &'static str,
    machine: &'a str,
    oracle: &'a str,
    #[serde(flatten)]
    count: &'a Count,
}

/// The last JSON line.
#[derive(Serialize)]
struct Summary {
    event: &'static str,
    cases: u64,
    findings: u64,
    seed: u64,
    seconds: f64,
    slowest_ms: u64,
    slowest_case: u64,
}

impl Tally {
    /// Nothing was looked at.
    pub fn new(seed: u64) -> Self {
        Tally {
            begun: Instant::now(),
            seed,
            counts: BTreeMap::new(),
            kinds: BTreeSet::new(),
            slowest: (0, 0),
            findings: 0,
        }
    }

    /// Counts an answer. True for a finding whose like was not seen before.
    pub fn add(&mut self, case: &Case<'_>, answer: &Answer) -> bool {
        let machine = case.base.document.header.machine.name();
        let count = self.counts.entry((machine, case.oracle.name())).or_default();
        count.cases += 1;
        let what = match answer {
            Answer::Said(report) => {
                count.runs += u64::from(report.runs);
                self.slowest = self.slowest.max((report.slowest, case.seed));
                match &report.verdict {
                    Verdict::Holds => return false,
                    Verdict::Skipped(_) => {
                        count.skipped += 1;
                        return false;
                    }
                    Verdict::Fails(what) => what.clone(),
                }
            }
            Answer::Died(how) => format!("the process dies: {how}"),
            Answer::Silent => "no answer".to_owned(),
        };
        count.failed += 1;
        self.kinds.insert((case.base.name.clone(), case.oracle.name(), kind(&what)))
    }

    /// The table and the summary.
    pub fn print(&self, output: &Output) -> anyhow::Result<()> {
        for (&(machine, oracle), count) in &self.counts {
            let Count { cases, runs, skipped, failed } = count;
            output.line(format_args!(
                "{machine:<9} {oracle:<14} {cases:>8} cases {runs:>8} runs {skipped:>7} skipped {failed:>5} failed"
            ))?;
            output.object(&Line { event: "asked", machine, oracle, count })?;
        }
        let summary = Summary {
            event: "summary",
            cases: self.counts.values().map(|count| count.cases).sum(),
            findings: self.findings,
            seed: self.seed,
            seconds: self.begun.elapsed().as_secs_f64(),
            slowest_ms: self.slowest.0,
            slowest_case: self.slowest.1,
        };
        let Summary { cases, findings, seed, seconds, slowest_ms, slowest_case, .. } = summary;
        output.line(format_args!(
            "{cases} cases from {seed} in {seconds:.0} s: {findings} findings; slowest record {slowest_ms} ms, in case \
             {slowest_case}"
        ))?;
        Ok(output.object(&summary)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_alike_are_one_kind() {
        assert_eq!(kind("12 bytes differ, first at 0x1: 0 / 1"), kind("7 bytes differ, first at 0x2"));
        assert_ne!(kind("12 bytes differ, first at 0x1"), kind("faults: 1 / 2; with Setup"));
        assert_ne!(kind("panics: at a.rs: index"), kind("panics: at b.rs: index"));
    }
}
