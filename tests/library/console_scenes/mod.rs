//! Scenes that test programs draw on a PlayStation 3, drawn by the library: what pictures of consoles show holds here,
//! and the captures of the scenes that are among the tests are those that this makes.
//!
//! The facts were read off the pictures of `tests/rsx` in ps3autotests (RPCS3); the scenes follow its descriptions.
//! `tests/hardware/scenes` lists them, a row each.

mod gradient;
mod measure;
mod primitives;
mod texture_formats;

use triglyph::capture::{Compression, Expectation, Meta, Present, RecordingDevice};
use triglyph::{Device, GuestAddr, Options, Rsx, Tier};
use triglyph_guest::rsx::methods::curie as m;
use triglyph_testkit::data::file;
use triglyph_testkit::rsx::{Console, Layout};

type Recorded = RecordingDevice<Rsx, Vec<u8>>;

/// Pixels of a picture.
const SIZE: [u32; 2] = [720, 480];

/// Where things lie in local memory.
const LAYOUT: Layout = Layout { memory: 0x40_0000, pixels: SIZE, depth: 0x20_0000, program: 0x38_0000 };
/// Vertices and textures in local memory.
const DATA: u32 = 0x3A_0000;

/// What a picture is cleared to, as the test programs do.
const BACKGROUND: u32 = 0x4040_4040;

/// The pixel format of pictures, as captures number it.
const A8R8G8B8: u32 = 6;
/// Their arrangement: row by row.
const LINEAR: u32 = 0;

/// A finished scene.
struct Scene {
    /// A8R8G8B8, row by row.
    pixels: Vec<u32>,
    capture: Vec<u8>,
}

impl Scene {
    /// What `draw` draws on a tier.
    fn new(tier: Tier, draw: impl FnOnce(&mut Console<Recorded>)) -> Scene {
        let mut device = RecordingDevice::new(Rsx::new(&Options::new(tier, 1)).expect("an RSX"));
        device.as_replay().set_big_endian(true).expect("nothing has run");
        device.start(Vec::new(), Compression::default(), Meta::new()).expect("readable memory");
        let mut console = Console::with(device, true, LAYOUT);
        let [width, height] = SIZE;
        console.method(m::set_scissor_horizontal::ID, &[width << 16, height << 16]);
        console.method(m::set_viewport_horizontal::ID, &[width << 16, height << 16]);
        // Upwards, as programs for the console have it.
        console.floats(m::set_viewport_scale::ID, &[width as f32 / 2.0, height as f32 / -2.0, 0.5, 0.0]);
        console.clear(BACKGROUND);
        draw(&mut console);
        console.run();
        assert_eq!(console.faults(), 0, "{:?}", console.gpu.faults());
        let (pitch, at, label) = (4 * width, GuestAddr::new(0, 0), "main".to_owned());
        let present = Present { at, format: A8R8G8B8, width, height, pitch, layout: LINEAR, label };
        console.gpu.present(&present, Expectation::AsItIs).expect("a picture");
        let bytes = console.read(0, 0, (4 * width * height) as usize);
        let pixels = bytes.as_chunks().0.iter().map(|word| u32::from_be_bytes(*word)).collect();
        let capture = console.gpu.stop().expect("a sink in memory").expect("a recording");
        Scene { pixels, capture }
    }
}

/// Steps that colours may be apart and agree: all of them exact.
const EXACT: u32 = 0;

/// Draws a scene on both tiers, and checks its table and the capture of it that is among the tests. Colours agree when
/// they are at most `steps` apart.
///
/// `TRIGLYPH_BLESS=1` writes the capture.
fn check(name: &str, steps: u32, draw: impl Fn(&mut Console<Recorded>)) {
    let scenes: Vec<Scene> = tiers().map(|tier| Scene::new(tier, &draw)).collect();
    let reference = &scenes[0];
    for other in &scenes[1..] {
        assert!(reference.pixels == other.pixels, "{name}: the tiers differ");
        assert!(reference.capture == other.capture, "{name}: the captures differ");
    }
    let path = file(&format!("captures/rsx/console-{name}.tgc"));
    if std::env::var_os("TRIGLYPH_BLESS").is_some() {
        std::fs::write(&path, &reference.capture).expect("the file can be written");
    }
    let capture = std::fs::read(&path).expect("a capture among the tests");
    assert!(capture == reference.capture, "{name}: not the scene of {}", path.display());
    check_table(name, steps, &reference.pixels);
}

/// The tiers that there are here, the reference first.
fn tiers() -> impl Iterator<Item = Tier> {
    let all = [Tier::InterpreterOnly, Tier::JitOnly].into_iter();
    all.filter(|tier| Rsx::new(&Options::new(*tier, 1)).is_ok())
}

/// A row of a scene's table.
struct Fact {
    /// What it is about.
    text: String,
    measure: String,
    console: String,
    ours: String,
    agrees: String,
}

/// The table of a scene.
fn rows(name: &str) -> Vec<Fact> {
    let path = file(&format!("hardware/scenes/rsx-{name}.md"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let fact = |line: &str| {
        let columns: Vec<String> = line.trim_matches('|').split('|').map(|column| column.trim().to_owned()).collect();
        let [text, measure, console, ours, agrees] = columns.try_into().expect("five columns");
        Fact { text, measure: measure.trim_matches('`').to_owned(), console, ours, agrees }
    };
    text.lines().filter(|line| line.starts_with('|')).skip(2).map(fact).collect()
}

/// Checks each row of a table: what is measured is what it says of ours, and agrees with the console if it says so.
fn check_table(name: &str, steps: u32, pixels: &[u32]) {
    let mut wrong = String::new();
    let rows = rows(name);
    for Fact { text, measure, console, ours, agrees } in &rows {
        let got = measure::measure(pixels, SIZE[0], BACKGROUND, measure);
        if got != *ours {
            wrong += &format!("{text}, {measure}: {got} instead of {ours}\n");
        }
        let agreement = match measure::agree(console, &got, steps) {
            true => "yes",
            false => "no",
        };
        if agrees != agreement {
            wrong += &format!("{text}, {measure}: {console} and {got}, which is `{agreement}`\n");
        }
    }
    assert!(wrong.is_empty(), "{name}:\n{wrong}");
    assert!(!rows.is_empty(), "{name}: no row");
}
