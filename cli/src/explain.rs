//! `triglyph explain`: what makes the draws of captures invisible or suspicious.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use clap::Args;
use serde::Serialize;
use serde_json::{Value, json};
use triglyph::capture::{Checks, Event, Finished, Picture, Player, Reader};
use triglyph::probe::{Command, Effect, Observer};
use triglyph::{
    CheckedDraw, Device, DroppedPrimitives, Faults, Finding, FragmentResults, GuestRange, Machine, Severity,
    WrittenRanges,
};

use crate::capture_file::{Named, expand};
use crate::exit::{Exit, Failure, is_closed_pipe};
use crate::machine::SetupArguments;
use crate::output::Output;

/// Arguments of `explain`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Captures, and folders of captures.
    #[arg(required = true, value_name = "FILE")]
    paths: Vec<PathBuf>,
    /// Only the draws of this event, as `triglyph inspect` numbers them, whatever was found.
    #[arg(long, value_name = "N")]
    event: Option<u64>,
    /// All draws, not only those with findings.
    #[arg(long, conflicts_with = "event")]
    all: bool,
    #[command(flatten)]
    setup: SetupArguments,
}

/// What is collected while a capture is played.
#[derive(Default)]
struct Collected {
    draws: Vec<CheckedDraw>,
    /// Commands that had an effect.
    events: u64,
    /// Surfaces of draws.
    drawn: WrittenRanges,
}

/// A handle on it.
#[derive(Clone, Default)]
struct Collector(Arc<Mutex<Collected>>);

impl Collector {
    fn lock(&self) -> MutexGuard<'_, Collected> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Collector {
    fn end(&mut self, _: &Command, effects: &[Effect]) -> bool {
        let mut collected = self.lock();
        collected.events += 1;
        for effect in effects {
            if let Effect::Draw(draw) = effect {
                draw.surfaces.iter().for_each(|surface| collected.drawn.add(surface.range()));
            }
        }
        false
    }
}

/// Explains every file; one that fails does not keep the others from being explained.
pub fn run(arguments: &Arguments, output: &Output) -> anyhow::Result<Exit> {
    let mut exit = Exit::Good;
    for path in expand(&arguments.paths)? {
        let Named { path, bytes } = Named::open(&path);
        match bytes.map_err(anyhow::Error::from).and_then(|bytes| explain(arguments, &path, &bytes, output)) {
            Err(error) if is_closed_pipe(&error) => return Err(error),
            Err(error) => exit = exit.max(output.error(Some(&path), &error)),
            Ok(found) => exit = exit.max(found),
        }
    }
    Ok(exit)
}

fn explain(arguments: &Arguments, path: &Path, bytes: &[u8], output: &Output) -> anyhow::Result<Exit> {
    let reader = Reader::new(bytes)?;
    let machine = reader.header().machine;
    let mut device = arguments.setup.setup().device_with_checks(machine)?;
    let collector = Collector::default();
    let draws = collector.clone();
    device.set_draw_handler(Some(Box::new(move |checked| draws.lock().draws.push(checked.clone()))));
    device.set_observer(Some(Box::new(collector.clone())));
    let mut player = Player::new(&reader, Checks::NONE);
    let (mut of_run, mut written, mut pictures) = (Vec::new(), WrittenRanges::default(), 0);
    while let Some(event) = player.next(&mut *device)? {
        if let Event::Picture(finished) = event {
            device.take_written().into_iter().for_each(|range| written.add(range));
            of_run.extend(unwritten_picture(&collector.lock(), &written, &finished));
            pictures += 1;
        }
    }
    device.finish();
    // Those of draws have come one by one.
    let Collected { draws, events, .. } = std::mem::take(&mut *collector.lock());
    let of_draws: usize = draws.iter().map(|draw| draw.findings.len()).sum();
    of_run.extend(device.take_findings().into_iter().skip(of_draws.min(triglyph::MAX_FINDINGS)));
    let shown = match arguments.event {
        Some(event) => draws.iter().filter(|draw| draw.event == event).collect(),
        None => draws.iter().filter(|draw| arguments.all || !draw.findings.is_empty()).collect::<Vec<_>>(),
    };
    if let (Some(event), true) = (arguments.event, shown.is_empty()) {
        return Err(Failure::usage(format!("event {event} draws nothing; the capture has {events} events")).into());
    }
    output.line(format_args!("{}: {machine}, {}", path.display(), count(draws.len(), "draw")))?;
    for draw in shown {
        show(machine, path, draw, output)?;
    }
    if arguments.event.is_none() {
        for finding in &of_run {
            output.line("")?;
            show_finding(finding, output)?;
            output.object(&FindingLine { event: "finding", file: path, finding: finding_json(finding) })?;
        }
        show_faults(path, device.faults(), output)?;
        if events == 0 && pictures > 0 {
            output.line("")?;
            output.line(format_args!("no command has run: {}", of_nothing(machine)))?;
        }
    }
    summary(path, &draws, output)?;
    let is_bad = match arguments.event {
        Some(event) => draws.iter().any(|draw| draw.event == event && has(&draw.findings, Severity::Invisible)),
        // Draws of what is out of sight are part of every game's frame.
        None => has(&of_run, Severity::Invisible) || !draws.is_empty() && draws.iter().all(|draw| !draw.has_changed),
    };
    Ok(if is_bad { Exit::Difference } else { Exit::Good })
}

/// Where to look if a capture has pictures and no command with an effect.
fn of_nothing(machine: Machine) -> &'static str {
    match machine {
        Machine::N3ds => "write GX commands to the queue and trigger it, or execute them",
        Machine::Ps3 => "write PUT to the control page, and map what GET and PUT name by context_iomap",
        _ => "submit entries of the GPFIFO to a channel",
    }
}

/// Faults that are shown; all are counted.
const SHOWN_FAULTS: usize = 4;

/// What the guest got wrong: a draw that is not done for it has no finding of its own.
fn show_faults(path: &Path, faults: &Faults, output: &Output) -> anyhow::Result<()> {
    if faults.total() == 0 {
        return Ok(());
    }
    output.line("")?;
    output.line(format_args!("{} of the guest", count(faults.total() as usize, "fault")))?;
    for fault in faults.first().iter().take(SHOWN_FAULTS) {
        output.line(format_args!("  {}: {}", fault.kind.name(), fault.what))?;
        output.object(&json!({
            "event": "fault", "file": path, "kind": fault.kind.name(), "what": fault.what, "address": fault.address,
            "command": fault.command,
        }))?;
    }
    Ok(())
}

/// Whether a picture is of memory that no command wrote. Of a picture in another space than all surfaces nothing is
/// known: spaces show the same memory at different addresses.
fn is_unwritten(drawn: &WrittenRanges, written: &WrittenRanges, shown: GuestRange) -> bool {
    let is_in_its_space = drawn.ranges().iter().any(|range| range.start.space == shown.start.space);
    // If a draw has this target and leaves it as it was, findings of the draw say why.
    is_in_its_space && !drawn.overlap(shown) && !written.overlap(shown)
}

/// A picture of memory that no command wrote, in a capture that draws.
fn unwritten_picture(collected: &Collected, written: &WrittenRanges, finished: &Finished) -> Option<Finding> {
    let present = &finished.present;
    let extent = Picture::extent(present).ok()? as u64;
    let shown = present.at.range(extent);
    is_unwritten(&collected.drawn, written, shown).then_some(())?;
    let drawn: Vec<String> =
        collected.drawn.ranges().iter().map(|range| format!("{:#x}", range.start.address)).take(4).collect();
    let what = format!(
        "Picture {} of the output {} shows memory at {:#x}, which no draw, clear or copy has written; draws wrote {}.",
        finished.index,
        present.label,
        present.at.address,
        drawn.join(", ")
    );
    let advice = "Present the surface that is drawn to, or copy it there before: on the 3DS with a display transfer.";
    Some(Finding::of_picture(collected.events, what, advice.to_owned()))
}

/// A draw in lines, or as an object.
fn show(machine: Machine, path: &Path, draw: &CheckedDraw, output: &Output) -> anyhow::Result<()> {
    let CheckedDraw { event, command, vertices, primitives, dropped, fragments, has_changed, findings, .. } = draw;
    output.line("")?;
    let place = match machine {
        Machine::N3ds => format!("byte {:#x} of its command list", command.position),
        Machine::Ps3 => format!("byte {:#x} of its push buffer", command.position),
        _ => format!("the word at {:#x}", command.position),
    };
    output.line(format_args!("event {event}: a draw, by {place}"))?;
    output.line(format_args!(
        "  {vertices} vertices shaded, {} set up{}",
        count(*primitives as usize, "primitive"),
        dropped_text(dropped)
    ))?;
    output.line(format_args!("  {}", fragments_text(fragments, *has_changed)))?;
    for finding in findings {
        show_finding(finding, output)?;
    }
    if findings.is_empty() {
        output.line("  nothing was found")?;
    }
    Ok(output.object(&draw_json(path, draw))?)
}

fn show_finding(finding: &Finding, output: &Output) -> anyhow::Result<()> {
    output.line(format_args!("  {}: {}", finding.severity.name(), finding.kind.name()))?;
    output.line(format_args!("    {}", finding.what))?;
    output.line(format_args!("    {}", finding.advice))?;
    Ok(())
}

fn has(findings: &[Finding], severity: Severity) -> bool {
    findings.iter().any(|finding| finding.severity == severity)
}

fn summary(path: &Path, draws: &[CheckedDraw], output: &Output) -> anyhow::Result<()> {
    let invisible = draws.iter().filter(|draw| has(&draw.findings, Severity::Invisible)).count();
    let suspicious = draws.iter().filter(|draw| !draw.findings.is_empty()).count() - invisible;
    let unchanged = draws.iter().filter(|draw| !draw.has_changed).count();
    output.line("")?;
    output.line(format_args!(
        "{}: {invisible} invisible, {suspicious} suspicious; {unchanged} changed no byte of their targets",
        count(draws.len(), "draw")
    ))?;
    let totals = json!({
        "event": "explained", "file": path, "draws": draws.len(), "invisible": invisible, "suspicious": suspicious,
        "unchanged": unchanged,
    });
    Ok(output.object(&totals)?)
}

/// `1 draw`, `2 draws`.
fn count(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

/// Primitives that were dropped, by reason.
fn dropped_text(dropped: &DroppedPrimitives) -> String {
    let counts = dropped.named().into_iter().filter(|(_, count)| *count > 0);
    counts.map(|(reason, count)| format!(", {count} {reason}")).collect()
}

/// Fragments by result.
fn fragments_text(fragments: &FragmentResults, has_changed: bool) -> String {
    let mut text = count(fragments.covered as usize, "fragment");
    if fragments.are_judged {
        for (result, count) in fragments.named().into_iter().filter(|(_, count)| *count > 0) {
            text += &format!(", {count} {result}");
        }
    } else {
        text += ", whose results were not determined";
    }
    text + if has_changed { "; the target has changed" } else { "; no byte of a target has changed" }
}

#[derive(Serialize)]
struct FindingLine<'a> {
    event: &'static str,
    file: &'a Path,
    #[serde(flatten)]
    finding: Value,
}

fn finding_json(finding: &Finding) -> Value {
    let register = finding.register.as_ref();
    json!({
        "kind": finding.kind.name(),
        "severity": finding.severity.name(),
        "number": finding.event,
        "what": finding.what,
        "advice": finding.advice,
        "register": register.map(|register| {
            json!({ "number": register.number, "name": register.name, "value": register.value })
        }),
    })
}

fn draw_json(path: &Path, draw: &CheckedDraw) -> Value {
    let named = |counts: &[(&str, u64)]| -> Value {
        counts.iter().map(|(name, count)| ((*name).to_owned(), json!(count))).collect::<serde_json::Map<_, _>>().into()
    };
    json!({
        "event": "draw",
        "file": path,
        "number": draw.event,
        "method": draw.command.method,
        "value": draw.command.value,
        "position": draw.command.position,
        "vertices": draw.vertices,
        "primitives": draw.primitives,
        "dropped": named(&draw.dropped.named()),
        "fragments": draw.fragments.covered,
        "results": if draw.fragments.are_judged { named(&draw.fragments.named()) } else { Value::Null },
        "changed": draw.has_changed,
        "findings": draw.findings.iter().map(finding_json).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_in_spaces_without_surfaces_are_not_judged() {
        let (mut drawn, mut written) = (WrittenRanges::default(), WrittenRanges::default());
        drawn.add(GuestRange::new(2, 0x1000, 0x100));
        written.add(GuestRange::new(2, 0x8000, 0x100));
        let is_unwritten = |space, address| is_unwritten(&drawn, &written, GuestRange::new(space, address, 0x10));
        assert!(is_unwritten(2, 0x4000));
        assert!(!is_unwritten(2, 0x1080) && !is_unwritten(2, 0x8000));
        // The process's memory, which the space of a channel shows at another address.
        assert!(!is_unwritten(1, 0x4000));
    }
}
