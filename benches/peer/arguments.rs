//! The command line of this bench.

use std::path::PathBuf;

use clap::Parser;

use crate::configuration::{Configuration, Size};
use crate::drivers::Chip;

/// Draws scenes of OpenGL with llvmpipe and on the emulated chips, in turns, and prints how long their frames take.
///
/// A time is the tenth percentile of a process's frame times (of groups of eight frames), and of the rounds the
/// smallest. Chips' times are multiples of llvmpipe's. In brackets is the spread: the largest time of the rounds as a
/// multiple of the smallest.
#[derive(Debug, Parser)]
#[command(name = "peer", bin_name = "cargo bench --bench peer --")]
pub struct Arguments {
    /// Only scenes whose names contain one of these.
    #[arg(value_name = "SCENE")]
    pub scenes: Vec<String>,
    /// Sizes of the pictures.
    #[arg(long, value_name = "WxH", value_delimiter = ',', default_value = "320x240")]
    pub size: Vec<Size>,
    /// Threads that draw: of llvmpipe and of the emulated chip.
    #[arg(long, value_name = "N", value_delimiter = ',', default_value = "1", value_parser = threads)]
    pub threads: Vec<usize>,
    /// The chips.
    #[arg(long, value_enum, value_delimiter = ',', default_value = "nv47,gm20b")]
    pub chips: Vec<Chip>,
    /// Times that each scene is drawn by each driver, in a process of its own.
    #[arg(long, value_name = "N", default_value = "3", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub rounds: u32,
    /// How long such a process draws.
    #[arg(long, value_name = "SECONDS", default_value = "0.5", value_parser = seconds)]
    pub seconds: f64,
    /// A libtriglyph_vgpu.so to measure instead of this tree's, which is built otherwise.
    #[arg(long, value_name = "FILE")]
    pub library: Option<PathBuf>,
    /// A second libtriglyph_vgpu.so to compare with, measured in turns with the first.
    #[arg(long, value_name = "FILE")]
    pub against: Option<PathBuf>,
    /// Write a table in Markdown, as in docs/journal/performance.md.
    #[arg(long, value_name = "FILE")]
    pub markdown: Option<PathBuf>,
    /// Write all times as JSON.
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Draw one scene briefly, to see that it works.
    #[arg(long)]
    pub test: bool,
    /// Cargo says this to every bench.
    #[arg(long, hide = true)]
    bench: bool,
}

impl Arguments {
    /// What `--test` measures.
    pub fn shortened(self) -> Self {
        let scenes = if self.scenes.is_empty() { vec!["triangle".into()] } else { self.scenes };
        Self { scenes, rounds: 1, seconds: 0.01, ..self }
    }

    /// Every size with every number of threads.
    pub fn configurations(&self) -> Vec<Configuration> {
        let with = |size: Size| self.threads.iter().map(move |&threads| Configuration { size, threads });
        self.size.iter().flat_map(|&size| with(size)).collect()
    }
}

fn threads(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|threads| (1..=64).contains(threads)).ok_or_else(|| "from 1 to 64".into())
}

fn seconds(text: &str) -> Result<f64, String> {
    text.parse().ok().filter(|seconds| (0.001..=1000.0).contains(seconds)).ok_or_else(|| "from 0.001 to 1000".into())
}
