//! Drawing an event again after edits of registers and of programs.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use triglyph::capture::Picture;
use triglyph::probe::Surface;
use triglyph_inspect::{Ask, Edited, Moment, Session, fault_text, to_rgba};

use crate::capture_file::write;
use crate::exit::{Exit, Failure};
use crate::output::Output;

/// What to draw again.
#[derive(Debug, Args)]
pub struct RedrawArguments {
    /// Draw this event again after edits, on the interpreter and with compiled code, instead of serving a page. Says
    /// how many pixels of its first surface differ.
    #[arg(long = "redraw", value_name = "EVENT", conflicts_with_all = ["html", "open", "hashes"])]
    pub event: Option<usize>,
    /// Give a register another word before the event: its name or number in the page, and the word.
    #[arg(long = "set", value_name = "REGISTER=WORD", requires = "event")]
    registers: Vec<String>,
    /// Give an instruction of a program other words before the event: the hash of the kernel, its offset and its words,
    /// in hexadecimal as the page has them.
    #[arg(long = "set-program", value_name = "KERNEL:OFFSET=WORD,WORD", requires = "event")]
    programs: Vec<String>,
    /// Write the surface after the event, with the edits.
    #[arg(long, value_name = "OUT.png", requires = "event")]
    picture: Option<PathBuf>,
}

#[derive(Serialize)]
struct Line<'a> {
    event: &'static str,
    number: usize,
    edits: usize,
    /// Pixels that differ.
    differ: usize,
    /// Whether both tiers have stored the same bytes.
    agree: bool,
    faults: &'a [String],
}

/// Draws the event again.
pub fn run(session: &mut Session<'_>, event: usize, asked: &RedrawArguments, output: &Output) -> anyhow::Result<Exit> {
    let surface = session.events().get(event).and_then(|event| event.surfaces().next().copied());
    let surface = surface.ok_or_else(|| Failure::usage(format!("event {event} draws to no surface")))?;
    let edits = edits_of(session, event, asked)?;
    let ask = Ask { registers: false, ranges: vec![surface.range()] };
    let before = session.show(event, Moment::After, ask)?.ranges.pop().unwrap_or_default();
    let [interpreted, compiled] = session.redraw(event, &edits, surface.range())?;
    let (before, after) = (picture_of(&surface, &before), picture_of(&surface, &interpreted.bytes));
    let pixels = before.rgba.as_chunks::<4>().0.iter().zip(after.rgba.as_chunks::<4>().0);
    let faults: Vec<String> = interpreted.faults.iter().map(fault_text).collect();
    let line = Line {
        event: "redrawn",
        number: event,
        edits: edits.len(),
        differ: pixels.filter(|(a, b)| a != b).count(),
        agree: interpreted.bytes == compiled.bytes,
        faults: &faults,
    };
    let tiers = if line.agree { "both tiers draw the same" } else { "the tiers draw different pictures" };
    output.line(format_args!("event {event} with {} edits: {} pixels differ; {tiers}", line.edits, line.differ))?;
    faults.iter().try_for_each(|fault| output.line(format_args!("  {fault}")))?;
    output.object(&line)?;
    if let Some(path) = &asked.picture {
        write(path, &after.to_png(true)?)?;
    }
    Ok(if line.agree { Exit::Good } else { Exit::Difference })
}

fn edits_of(session: &mut Session<'_>, event: usize, asked: &RedrawArguments) -> anyhow::Result<Vec<Edited>> {
    let wrong = |text: &str, form: &str| Failure::usage(format!("{text}: {form} is needed"));
    let mut edits = Vec::new();
    for text in &asked.registers {
        let parsed = text.split_once('=').and_then(|(name, word)| Some((name, number(word)?)));
        let (name, word) = parsed.ok_or_else(|| wrong(text, "REGISTER=WORD"))?;
        let register = match number(name) {
            Some(register) => register,
            None => session.register_by_name(event, name)?,
        };
        edits.push(Edited::Register(register, word));
    }
    for text in &asked.programs {
        let path = format!("p-{}", text.replace([':', '=', ','], "-"));
        edits.push(Edited::parse(&path).ok_or_else(|| wrong(text, "KERNEL:OFFSET=WORD,WORD"))?);
    }
    Ok(edits)
}

/// A number, hexadecimal after 0x.
fn number(text: &str) -> Option<u32> {
    match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

fn picture_of(surface: &Surface, bytes: &[u8]) -> Picture {
    let places = (0..surface.rows).flat_map(|y| (0..surface.width).map(move |x| (x, y)));
    let rgba = places.flat_map(|(x, y)| {
        let at = usize::try_from(surface.offset(x, y)).unwrap_or(usize::MAX);
        let pixel = bytes.get(at..).unwrap_or_default();
        to_rgba(&surface.stored, &pixel[..pixel.len().min(surface.bytes as usize)])
    });
    Picture { width: surface.width, height: surface.rows, rgba: rgba.collect() }
}
