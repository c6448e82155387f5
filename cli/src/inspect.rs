//! `triglyph inspect`: a capture, event by event, as a page for a browser.

mod compare;
mod compiled;
mod http;
mod open;
mod redraw;
mod serve;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::Args;
use serde::Serialize;
use triglyph_inspect::{Page, PageLimits, PageOptions, Server, Session, SessionOptions, write_page};

use compare::CompareArguments;

use crate::capture_file::{Named, stem, write};
use crate::exit::{Exit, Failure};
use crate::output::Output;
use crate::range::{self, NumberRange};
use crate::stats::milliseconds;

/// Arguments of `inspect`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The capture; also one of Citra and its successors (.ctf), or of RPCS3 (.rrc, .rrc.gz).
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Write the page as one file, for bug reports and CI artifacts, instead of serving it.
    #[arg(long, value_name = "OUT.html")]
    html: Option<PathBuf>,
    /// Serve the page on this port of 127.0.0.1; 0 takes a free one.
    #[arg(long, value_name = "N", default_value_t = 0, conflicts_with = "html")]
    port: u16,
    /// Open the page in the default browser.
    #[arg(long, conflicts_with = "html")]
    open: bool,
    /// With what to compare.
    #[command(flatten)]
    compare: CompareArguments,
    /// What to draw again.
    #[command(flatten)]
    redraw: redraw::RedrawArguments,
    /// Write hashes of the state after each event, for --compare-hashes of another build, instead of serving a page.
    #[arg(long, value_name = "OUT")]
    hashes: Option<PathBuf>,
    #[arg(long, value_name = "A..B", help = range::help("Only these events"))]
    events: Option<NumberRange>,
    /// Seconds for comparing, for gathering a page, and for each answer of a server. The rest is left out. Opening a
    /// capture has no limit: it takes a few times as long as replaying it.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..))]
    time_limit: u32,
    /// Approximate MiB of a page. The rest is left out.
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..1024))]
    size_limit: u32,
}

impl Arguments {
    fn limits(&self) -> PageLimits {
        PageLimits {
            time: Duration::from_secs(self.time_limit.into()),
            bytes: (self.size_limit as usize) << 20,
            ..PageLimits::default()
        }
    }
}

#[derive(Serialize)]
struct Line<'a> {
    event: &'static str,
    file: &'a PathBuf,
    events: usize,
    draws: usize,
    faults: u64,
    checkpoints: usize,
    checkpoint_bytes: usize,
    open_ms: f64,
    page_ms: f64,
    page_bytes: usize,
    /// What limits have left out of the page, in words.
    left_out: &'a [String],
    html: &'a PathBuf,
}

/// Opens the capture and writes or serves the page.
pub fn run(arguments: &Arguments, output: &Output) -> anyhow::Result<Exit> {
    let (bytes, lacks) = Named::open_any(&arguments.file)?;
    for lack in &lacks {
        output.warning(&arguments.file.display().to_string(), lack)?;
    }
    let start = Instant::now();
    let opened = Session::open(&bytes, &SessionOptions::default());
    let mut session = opened.with_context(|| arguments.file.display().to_string())?;
    let opened = start.elapsed();
    let count = session.events().len();
    let events = match arguments.events {
        None => None,
        Some(asked) => Some(asked.within(count).ok_or_else(|| {
            Failure::usage(format!("{}: none of events {asked} is among its {count}", arguments.file.display()))
        })?),
    };
    if let Some(event) = arguments.redraw.event {
        session.set_deadline(Instant::now().checked_add(arguments.limits().time));
        return redraw::run(&mut session, event, &arguments.redraw, output);
    }
    let other = arguments.compare.other_file()?;
    let limits = arguments.limits();
    let compared = arguments.compare.compare(&mut session, limits.time, &bytes, other.as_deref())?;
    let (comparison, other) = compared.map_or((None, None), |(comparison, other)| (Some(comparison), other));
    comparison.iter().try_for_each(|comparison| compare::tell(comparison, output))?;
    if let Some(path) = &arguments.hashes {
        compare::write_hashes(&mut session, limits.time, path, output)?;
        if arguments.html.is_none() {
            return Ok(Exit::Good);
        }
    }
    let mut page_options = PageOptions { title: stem(&arguments.file), events, comparison, limits };
    let Some(html) = &arguments.html else {
        let mut server = Server::new(session, &page_options)?;
        if let Some(compiled) = compiled::compiled() {
            server = server.with_compiled(compiled);
        }
        if let Some(other) = other {
            server = server.with_other(other);
        }
        return serve::serve(server, arguments.port, arguments.open, &arguments.file, output);
    };
    // A file has the pictures of one run.
    page_options.comparison.iter_mut().for_each(|comparison| comparison.has_pictures = false);
    let start = Instant::now();
    let Page { html: page, left_out } = write_page(&mut session, &page_options)?;
    let written = start.elapsed();
    write(html, page.as_bytes())?;
    let (checkpoints, checkpoint_bytes) = session.checkpoints();
    let line = Line {
        event: "inspected",
        file: &arguments.file,
        events: count,
        draws: session.events().iter().map(|event| event.draws().count()).sum(),
        faults: session.faults().total(),
        checkpoints,
        checkpoint_bytes,
        open_ms: milliseconds(opened),
        page_ms: milliseconds(written),
        page_bytes: page.len(),
        left_out: &left_out,
        html,
    };
    let Line { events, draws, open_ms, page_ms, page_bytes, .. } = line;
    output.line(format_args!(
        "{}: {events} events, {draws} draws; opened in {open_ms:.0} ms, written in {page_ms:.0} ms, {page_bytes} bytes",
        html.display()
    ))?;
    left_out.iter().try_for_each(|what| output.line(format_args!("  {what}")))?;
    output.object(&line)?;
    Ok(Exit::Good)
}
