//! The command line of this bench.

use std::fmt::{self, Display};
use std::path::PathBuf;
use std::str::FromStr;

use clap::Parser;

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

/// A picture's size in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    pub width: u32,
    pub height: u32,
}

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let edge = |text: &str| text.parse().ok().filter(|edge| (1..=4096).contains(edge));
        let edges = text.split_once('x').and_then(|(width, height)| Some((edge(width)?, edge(height)?)));
        let (width, height) = edges.ok_or("width and height from 1 to 4096, as in 320x240")?;
        Ok(Self { width, height })
    }
}

/// How scenes are drawn, whatever draws them.
#[derive(Clone, Copy, Debug)]
pub struct Configuration {
    pub size: Size,
    pub threads: usize,
}

impl Configuration {
    pub fn threads_in_words(&self) -> String {
        match self.threads {
            1 => "one thread".into(),
            2 => "two threads".into(),
            threads => format!("{threads} threads"),
        }
    }
}

impl Display for Configuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Size { width, height } = self.size;
        write!(f, "{width}x{height}, {}", self.threads_in_words())
    }
}
