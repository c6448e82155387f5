//! The condition that holds for a capture while it is reduced.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::str::FromStr;

use anyhow::Context;
use tempfile::NamedTempFile;
use triglyph::capture::{Checks, Event, Player, Reader};
use triglyph::{Fault, FaultKind, Options, Tier};
use triglyph_fuzz::{Document, Oracle, Verdict};
use xxhash_rust::xxh3::xxh3_64;

use super::variant::Variant;
use crate::exit::{Exit, Failure};
use crate::fuzz::findings;
use crate::fuzz::worker::Worker;

/// A condition, as the command line writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// The tiers leave different results.
    TiersDiffer,
    /// There is a fault like the capture's first one; like its first one of a kind if one is given.
    Fault(Option<FaultKind>),
    /// The last picture has this hash; that of the capture itself if none is given.
    Hash(Option<u64>),
    /// The last picture is another one than in a capture of which this is a variant.
    Differs(PathBuf),
    /// A command of the user's succeeds.
    Command(String),
}

impl FromStr for Condition {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if let Some(command) = text.strip_prefix("command ") {
            return match command.contains("{}") {
                true => Ok(Condition::Command(command.to_owned())),
                false => Err("the command needs {} where the path of a capture goes".to_owned()),
            };
        }
        let (name, value) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
        match (name, value) {
            ("tiers-differ", None) => Ok(Condition::TiersDiffer),
            ("fault", None) => Ok(Condition::Fault(None)),
            ("fault", Some(kind)) => {
                let names = FaultKind::ALL.map(FaultKind::name).join(", ");
                let found = FaultKind::ALL.into_iter().find(|found| found.name() == kind);
                found.map(|kind| Condition::Fault(Some(kind))).ok_or(format!("the kinds of faults are {names}"))
            }
            ("hash", None) => Ok(Condition::Hash(None)),
            ("hash", Some(hex)) => {
                let hash = u64::from_str_radix(hex.trim_start_matches("0x"), 16);
                hash.map(|hash| Condition::Hash(Some(hash))).map_err(|_| "a hash has up to 16 digits".to_owned())
            }
            ("differs", Some(file)) => Ok(Condition::Differs(file.into())),
            _ => Err("tiers-differ, fault, fault=KIND, hash, hash=HEX, differs=FILE or \"command CMD {}\" is needed"
                .to_owned()),
        }
    }
}

/// What a condition is asked of.
pub struct Asked {
    question: Question,
    file: NamedTempFile,
}

enum Question {
    /// In a process of its own, which may die of it. Findings of other kinds do not count.
    Tiers {
        worker: Worker,
        kind: String,
    },
    /// A fault like this one.
    Fault(Fault),
    Hash(u64),
    Differs(Variant),
    Command(String),
}

impl Asked {
    /// Prepares to ask, first about `document`.
    pub fn new(condition: &Condition, document: &Document) -> anyhow::Result<Self> {
        let mut file = tempfile::Builder::new().suffix(".tgc").tempfile()?;
        let question = match condition {
            Condition::TiersDiffer => {
                put(&mut file, &document.to_bytes())?;
                let mut worker = Worker::start()?;
                let kind = tiers_differ(&mut worker, file.path())?.unwrap_or_default();
                Question::Tiers { worker, kind }
            }
            Condition::Fault(kind) => {
                let played = played(&document.to_bytes())?;
                let wanted = |fault: &&Fault| kind.is_none_or(|kind| fault.kind == kind);
                let Some(fault) = played.faults.first().iter().find(wanted) else {
                    return Err(Failure::new(Exit::Difference, "the capture has no such fault").into());
                };
                Question::Fault(fault.clone())
            }
            Condition::Hash(Some(hash)) => Question::Hash(*hash),
            Condition::Hash(None) => {
                let Some(hash) = played(&document.to_bytes())?.hash else {
                    return Err(Failure::new(Exit::Difference, "the capture has no picture").into());
                };
                Question::Hash(hash)
            }
            Condition::Differs(path) => {
                let other = super::read(path)?;
                let variant = Variant::new(document, &other).ok_or_else(|| {
                    let what = "its records are not the same but for bytes of MEM and SUBMIT";
                    Failure::usage(format!("{}: {what}", path.display()))
                })?;
                Question::Differs(variant)
            }
            Condition::Command(command) => Question::Command(command.clone()),
        };
        Ok(Asked { question, file })
    }

    /// Whether the condition holds for a capture. One that cannot be replayed holds nothing.
    pub fn holds(&mut self, capture: &[u8]) -> anyhow::Result<bool> {
        match &mut self.question {
            Question::Tiers { worker, kind } => {
                put(&mut self.file, capture)?;
                Ok(tiers_differ(worker, self.file.path())?.as_ref() == Some(kind))
            }
            Question::Fault(fault) => {
                Ok(played(capture)
                    .is_ok_and(|played| played.faults.first().iter().any(|found| are_alike(found, fault))))
            }
            Question::Hash(hash) => Ok(played(capture).is_ok_and(|played| played.hash == Some(*hash))),
            Question::Differs(variant) => Ok(variant.other(capture).is_some_and(|other| {
                let [this, other] = [capture, &other].map(|file| played(file).ok().and_then(|played| played.hash));
                this.is_some() && other.is_some() && this != other
            })),
            Question::Command(command) => {
                put(&mut self.file, capture)?;
                succeeds(command, self.file.path())
            }
        }
    }
}

fn put(file: &mut NamedTempFile, bytes: &[u8]) -> anyhow::Result<()> {
    // Others open it by its path: it stays where it is.
    let mut open = std::fs::File::create(file.path())?;
    Ok(open.write_all(bytes)?)
}

/// Whether faults are of the same kind and concern the same address, register or method. Their place in the command
/// stream may differ, as commands are left out. Without the address, the smallest capture with a fault would be one
/// whose memory is not mapped.
fn are_alike(left: &Fault, right: &Fault) -> bool {
    (left.kind, left.address) == (right.kind, right.address)
}

/// How the tiers differ, without what is different in every capture.
fn tiers_differ(worker: &mut Worker, file: &Path) -> anyhow::Result<Option<String>> {
    Ok(match worker.ask(file, Oracle::Tiers, 0)?.verdict() {
        Verdict::Fails(what) => Some(findings::kind(&what)),
        Verdict::Holds | Verdict::Skipped(_) => None,
    })
}

/// What a replay leaves.
struct Played {
    faults: triglyph::Faults,
    hash: Option<u64>,
}

/// Replays a capture as hosts do.
fn played(capture: &[u8]) -> Result<Played, triglyph::Error> {
    let reader = Reader::new(capture)?;
    let mut device = triglyph::new_device(reader.header().machine, &Options::new(Tier::Auto, 0))?;
    let mut player = Player::new(&reader, Checks::PICTURES);
    let mut hash = None;
    while let Some(event) = player.next(&mut *device)? {
        if let Event::Picture(finished) = event {
            hash = finished.picture.map(|picture| xxh3_64(&picture.rgba));
        }
    }
    Ok(Played { faults: device.faults().clone(), hash })
}

/// Whether a shell command succeeds with the path in place of `{}`.
fn succeeds(command: &str, path: &Path) -> anyhow::Result<bool> {
    let line = command.replace("{}", &path.display().to_string());
    let [shell, option] = if cfg!(windows) { ["cmd", "/C"] } else { ["sh", "-c"] };
    let status = Command::new(shell).args([option, &line]).stdin(Stdio::null()).stdout(Stdio::null()).status();
    Ok(status.with_context(|| format!("cannot run {command}"))?.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_read() {
        let read = |text: &str| text.parse::<Condition>();
        assert_eq!(read("tiers-differ"), Ok(Condition::TiersDiffer));
        assert_eq!(read("fault"), Ok(Condition::Fault(None)));
        assert_eq!(read("fault=bad-shader"), Ok(Condition::Fault(Some(FaultKind::BadShader))));
        assert_eq!(read("hash=0xff"), Ok(Condition::Hash(Some(255))));
        assert_eq!(read("command grep x {}"), Ok(Condition::Command("grep x {}".to_owned())));
        assert_eq!(read("differs=a.tgc"), Ok(Condition::Differs("a.tgc".into())));
        for bad in ["", "differs", "fault=none", "hash=xyz", "command true", "tiers-differ=1"] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }
}
