//! `triglyph capture merge`: captures one after the other in one file.
//!
//! Before each but the first there is a snapshot of a GPU as new: without mapped memory, and with all registers as they
//! are at first.

use std::path::PathBuf;

use clap::Args;
use triglyph::SnapshotOptions;
use triglyph::capture::Kind;
use triglyph_fuzz::Document;

use super::{finish, meta, read};
use crate::exit::{Exit, Failure};
use crate::machine::{AccuracyChoice, PacketTraceChoice, Setup, TierChoice};
use crate::output::Output;

/// Arguments of `capture merge`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The captures, in order.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// The new capture.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

/// Puts captures together.
pub fn run(arguments: &Arguments, output: &Output) -> anyhow::Result<Exit> {
    let mut all: Option<Document> = None;
    let mut parts = Vec::new();
    for path in &arguments.files {
        let mut document = read(path)?;
        parts.push(serde_json::Value::Object(meta(&document)));
        document.blocks.retain(|block| block.kind != Kind::Meta as u32);
        let Some(merged) = &mut all else {
            all = Some(document);
            continue;
        };
        if merged.header != document.header {
            let what = format!("{}: another machine or byte order than the first capture's", path.display());
            return Err(Failure::file(what).into());
        }
        let (tier, accuracy) = (TierChoice::Interp, AccuracyChoice::default());
        let setup = Setup {
            tier,
            threads: Some(1),
            accuracy,
            packet_traces: PacketTraceChoice::Never,
            hidden_surfaces: Default::default(),
        };
        let mut device = setup.device_with_keys(document.header.machine, None)?;
        merged.push(Kind::Snapshot as u32, device.snapshot(SnapshotOptions::default())?);
        merged.blocks.append(&mut document.blocks);
    }
    let Some(mut merged) = all else { return Err(Failure::usage("no captures").into()) };
    let facts = serde_json::json!({ "name": "merged", "source": "triglyph capture merge", "parts": parts });
    let payload = serde_json::to_vec_pretty(&facts)?;
    merged.blocks.insert(0, triglyph_fuzz::document::Block { kind: Kind::Meta as u32, payload });
    finish(&merged, &arguments.output, output)?;
    Ok(Exit::Good)
}
