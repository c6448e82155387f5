//! Settings from the environment. `triglyph gpu run` sets them.

use std::path::PathBuf;

use triglyph::{Accuracy, KeyFile, Options, Tier};

use crate::chip::Chip;

/// How the GPU is set up.
#[derive(Clone, Debug)]
pub struct Settings {
    /// `TRIGLYPH_GPU_CHIP`: `nv47` or `gm20b`; the latter without it.
    pub chip: Chip,
    /// `TRIGLYPH_GPU_TIER` (`auto`, `interp`, `jit`), `TRIGLYPH_GPU_THREADS`, `TRIGLYPH_GPU_ACCURACY` (`fast`,
    /// `exact`), `TRIGLYPH_GPU_FUEL` (what a submission may cost) and `TRIGLYPH_GPU_KEYS`, a key file.
    pub options: Options,
    /// `TRIGLYPH_GPU_CAPTURE`: where to write a capture of everything that is submitted.
    pub capture: Option<PathBuf>,
    /// `TRIGLYPH_GPU_FRAMES`: a folder for the pictures of page flips.
    pub frames: Option<PathBuf>,
    /// `TRIGLYPH_GPU_STATS`: counters on standard error when the program ends.
    pub stats: bool,
    /// `TRIGLYPH_GPU_TRACE`: a line on standard error for each call.
    pub trace: bool,
    /// `TRIGLYPH_GPU_REFUSE`: numbers of calls that fail with `EINVAL`, as `0x42,0x81`.
    pub refuse: Vec<u32>,
    /// `TRIGLYPH_GPU_MODE`: the display's only mode, as `800x600`.
    pub mode: [u16; 2],
}

/// `TRIGLYPH_GPU_REQUIRED`: a program that Mesa lets draw with another renderer ends with an error. Of the process, as
/// it matters to programs that never look for the GPU, too.
pub fn is_chip_required() -> bool {
    std::env::var_os("TRIGLYPH_GPU_REQUIRED").is_some_and(|value| !value.is_empty())
}

impl Settings {
    /// Those of a lookup of variables.
    ///
    /// # Errors
    /// A line about the first variable that has no meaning.
    pub fn new(variable: impl Fn(&str) -> Option<String>) -> Result<Settings, String> {
        let set = |name: &str| variable(&format!("TRIGLYPH_GPU_{name}")).filter(|text| !text.is_empty());
        let wrong = |name: &str, text: &str| format!("TRIGLYPH_GPU_{name}: {text:?} has no meaning");
        let choice = |name: &str, choices: &[&str]| match set(name) {
            None => Ok(0),
            Some(text) => choices.iter().position(|choice| *choice == text).ok_or_else(|| wrong(name, &text)),
        };
        let chip =
            set("CHIP").map_or(Ok(Chip::Gm20b), |text| Chip::parse(&text).ok_or_else(|| wrong("CHIP", &text)))?;
        let tier = [Tier::Auto, Tier::InterpreterOnly, Tier::JitOnly][choice("TIER", &["auto", "interp", "jit"])?];
        let threads = set("THREADS").map_or(Ok(0), |text| text.parse().map_err(|_| wrong("THREADS", &text)))?;
        let mut options = Options::new(tier, threads);
        options.accuracy = [Accuracy::Fast, Accuracy::Exact][choice("ACCURACY", &["fast", "exact"])?];
        options.key_file = set("KEYS").map(KeyFile::new);
        // The kernel's driver waits ten seconds before it takes a channel for dead, and programs count on that.
        let fuel = set("FUEL").map_or(Ok(8 * options.fuel), |text| text.parse().map_err(|_| wrong("FUEL", &text)))?;
        options.fuel = fuel;
        let number = |text: &str| text.strip_prefix("0x").and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let refuse = set("REFUSE").map_or(Ok(Vec::new()), |list| {
            list.split(',').map(number).collect::<Option<_>>().ok_or_else(|| wrong("REFUSE", &list))
        })?;
        let mode = set("MODE").map_or(Some([800, 600]), |text| {
            let (width, height) = text.split_once('x')?;
            Some([width.parse().ok()?, height.parse().ok()?])
        });
        let mode = mode.filter(|mode| !mode.contains(&0)).ok_or("TRIGLYPH_GPU_MODE: not as 800x600")?;
        Ok(Settings {
            chip,
            options,
            capture: set("CAPTURE").map(PathBuf::from),
            frames: set("FRAMES").map(PathBuf::from),
            stats: set("STATS").is_some(),
            trace: set("TRACE").is_some(),
            refuse,
            mode,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(name: &'static str, value: &'static str) -> Result<Settings, String> {
        Settings::new(move |asked| (asked == name).then(|| value.to_owned()))
    }

    #[test]
    fn variables_are_understood_or_named() {
        let chosen = settings("TRIGLYPH_GPU_CHIP", "nv47").unwrap();
        assert_eq!((chosen.chip, chosen.mode, chosen.stats), (Chip::Nv47, [800, 600], false));
        assert_eq!(settings("TRIGLYPH_GPU_MODE", "640x480").unwrap().mode, [640, 480]);
        assert_eq!(settings("TRIGLYPH_GPU_TIER", "jit").unwrap().options.tier, Tier::JitOnly);
        assert_eq!(settings("TRIGLYPH_GPU_FUEL", "5000000000").unwrap().options.fuel, 5_000_000_000);
        assert_eq!(settings("TRIGLYPH_GPU_REFUSE", "0x42,0x81").unwrap().refuse, [0x42, 0x81]);
        for name in ["CHIP", "TIER", "THREADS", "ACCURACY", "FUEL", "REFUSE", "MODE"] {
            let name: &'static str = format!("TRIGLYPH_GPU_{name}").leak();
            assert!(settings(name, "0x").unwrap_err().starts_with(name));
        }
    }
}
