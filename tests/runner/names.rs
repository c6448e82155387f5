//! Coverage of the files: names of operations, formats and functions of which each needs a file.

use std::collections::BTreeSet;
use std::sync::Arc;

use libtest_mimic::Failed;
use triglyph_guest::format::{DepthFormat, PixelFormat, TexelFormat};
use triglyph_guest::kernel::combine::{Channel, ColorChannel, Function, Source};
use triglyph_guest::kernel::pixel::{
    BlendEquation, BlendFactor, Compare, Filter, LogicOp, StencilOp, TextureKind, Wrap,
};
use triglyph_guest::pica::{Program, isa};

use crate::parse::File;

/// Variants and their names. The match makes a new variant a compile error here, and [`covered`] then asks for a file.
macro_rules! names {
    ($($list:ident $Type:ident { $($variant:ident $(($($of:tt)*))? $name:literal,)* $(| $other:pat,)? })*) => { $(
        pub const $list: &[($Type, &str)] = &[$(($Type::$variant $(($($of)*))?, $name)),*];

        const _: fn($Type) = |value| match value {
            $($Type::$variant $(($($of)*))? => {})*
            $($other => {})?
        };
    )* };
}
pub(crate) use names;

names! {
    COMPARES Compare {
        Never "never", Always "always", Equal "==", NotEqual "!=", Less "<", LessEqual "<=", Greater ">",
        GreaterEqual ">=",
    }
    STENCIL_OPS StencilOp {
        Keep "keep", Zero "zero", Replace "replace", IncrementSaturate "increment",
        DecrementSaturate "decrement", Invert "invert", IncrementWrap "increment-wrap",
        DecrementWrap "decrement-wrap",
    }
    EQUATIONS BlendEquation {
        Add "add", Subtract "subtract", ReverseSubtract "reverse-subtract", Min "min", Max "max",
    }
    FACTORS BlendFactor {
        Zero "0", One "1", SourceColor "source", InverseSourceColor "1-source", DestinationColor "destination",
        InverseDestinationColor "1-destination", SourceAlpha "source.a", InverseSourceAlpha "1-source.a",
        DestinationAlpha "destination.a", InverseDestinationAlpha "1-destination.a", ConstantColor "constant",
        InverseConstantColor "1-constant", ConstantAlpha "constant.a", InverseConstantAlpha "1-constant.a",
        SourceAlphaSaturate "saturate",
    }
    LOGIC_OPS LogicOp {
        Clear "clear", And "and", AndReverse "and-reverse", Copy "copy", Set "set",
        CopyInverted "copy-inverted", NoOp "no-op", Invert "invert", Nand "nand", Or "or", Nor "nor", Xor "xor",
        Equivalent "equivalent", AndInverted "and-inverted", OrReverse "or-reverse", OrInverted "or-inverted",
    }
    WRAPS Wrap {
        Edge "edge", Border "border", Repeat "repeat", Mirror "mirror", RepeatThenEdge "repeat-edge",
        RepeatThenBorder "repeat-border",
    }
    FILTERS Filter {
        Nearest "nearest", Linear "linear",
    }
    KINDS TextureKind {
        Disabled "disabled", Null "null", Plain "plain", Projected "projected", Cube "cube",
        // Shadow maps are held by a capture and by the random states.
        | TextureKind::Shadow { .. } | TextureKind::ShadowCube { .. },
    }
    COLOR_FORMATS PixelFormat {
        Rgba8 "rgba8", Rgb8 "rgb8", Rgb565 "rgb565", Rgb5A1 "rgb5a1", Rgba4 "rgba4",
    }
    DEPTH_FORMATS DepthFormat {
        D16 "d16", D24 "d24", D24S8 "d24s8",
    }
    TEXEL_FORMATS TexelFormat {
        Rgba8 "rgba8", Rgb8 "rgb8", Rgb5A1 "rgb5a1", Rgb565 "rgb565", Rgba4 "rgba4", Ia8 "ia8", Rg8 "rg8",
        I8 "i8", A8 "a8", Ia4 "ia4", I4 "i4", A4 "a4", Etc1 "etc1", Etc1A4 "etc1a4",
    }
    FUNCTIONS Function {
        Replace "replace", Modulate "modulate", Add "add", AddSigned "add-signed", Interpolate "interpolate",
        Subtract "subtract", Dot3Rgb "dot3-rgb", Dot3Rgba "dot3-rgba", MultiplyAdd "multiply-add",
        AddMultiply "add-multiply",
    }
    SOURCES Source {
        Primary "primary", FragmentPrimary "fragment-primary", FragmentSecondary "fragment-secondary",
        Texture(0) "texture0", Texture(1) "texture1", Texture(2) "texture2", Texture(3) "texture3",
        Buffer "buffer", Constant "constant", Previous "previous", Zero "zero",
        | Source::Texture(4..),
    }
    COLOR_CHANNELS ColorChannel {
        Rgb "rgb", Splat(Channel::R) "r", Splat(Channel::G) "g", Splat(Channel::B) "b", Splat(Channel::A) "a",
        Zero "none",
    }
    CHANNELS Channel {
        R "r", G "g", B "b", A "a",
    }
}

/// The value of a name.
pub fn named<T: Copy>(names: &[(T, &str)], name: &str) -> Result<T, String> {
    let all = || names.iter().map(|(_, name)| *name).collect::<Vec<_>>().join(", ");
    let found = names.iter().find(|(_, other)| *other == name);
    found.map(|(value, _)| *value).ok_or_else(|| format!("`{name}` is none of {}", all()))
}

/// Settings of which every name has to be in some file: what it is, the command, the keys, the names.
fn wanted() -> Vec<(&'static str, &'static str, &'static [&'static str], Vec<&'static str>)> {
    fn of<T>(names: &[(T, &'static str)]) -> Vec<&'static str> {
        names.iter().map(|(_, name)| *name).collect()
    }
    let inverted = |names: Vec<&'static str>| -> Vec<&'static str> {
        names.into_iter().filter(|name| *name != "none").map(|name| &*format!("~{name}").leak()).collect()
    };
    let transfer_flags = ["flip", "to-tiled", "crop", "copy", "no-convert", "block32", "half", "quarter"];
    vec![
        ("combiner function", "combine", &["color", "alpha"], of(FUNCTIONS)),
        ("combiner source", "combine", &["color", "alpha"], of(SOURCES)),
        ("colour operand", "combine", &["color"], of(COLOR_CHANNELS)),
        ("inverted colour operand", "combine", &["color"], inverted(of(COLOR_CHANNELS))),
        ("alpha operand", "combine", &["alpha"], of(CHANNELS)),
        ("inverted alpha operand", "combine", &["alpha"], inverted(of(CHANNELS))),
        ("combiner scale", "combine", &["scale"], vec!["1", "2", "4"]),
        ("alpha test", "pixel", &["alpha test"], of(COMPARES)),
        ("stencil test", "pixel", &["stencil test"], of(COMPARES)),
        ("depth test", "pixel", &["depth test"], of(COMPARES)),
        ("stencil operation", "pixel", &["stencil"], of(STENCIL_OPS)),
        ("blend equation of colour", "pixel", &["blend color"], of(EQUATIONS)),
        ("blend equation of alpha", "pixel", &["blend alpha"], of(EQUATIONS)),
        ("blend factor of colour", "pixel", &["blend color"], of(FACTORS)),
        ("blend factor of alpha", "pixel", &["blend alpha"], of(FACTORS)),
        ("logic operation", "pixel", &["logic"], of(LOGIC_OPS)),
        ("wrap mode", "pixel", &["wrap"], of(WRAPS)),
        ("filter", "pixel", &["filter"], of(FILTERS)),
        ("kind of texture", "pixel", &["texture"], of(KINDS)),
        ("texture format", "pixel", &["texture"], of(TEXEL_FORMATS)),
        ("colour format", "pixel", &["color format"], of(COLOR_FORMATS)),
        ("depth format", "pixel", &["depth format"], of(DEPTH_FORMATS)),
        ("transfer flag", "transfer", &["flags"], transfer_flags.to_vec()),
    ]
}

/// Looks for each name among the words of the settings.
pub fn covered(files: &[Arc<File>]) -> Result<(), Failed> {
    let mut missing = Vec::new();
    let words = |command: &str, keys: &[&str]| -> BTreeSet<String> {
        let files = files.iter().filter(|file| file.commands.iter().any(|c| c.name == command));
        let items = files.flat_map(|file| &file.cases).flat_map(|case| &case.settings);
        let stage = |c: char| c.is_numeric() || c == ' ';
        let items = items.filter(|item| keys.contains(&item.key.trim_end_matches(stage)));
        items.flat_map(|item| item.value.split_whitespace()).map(str::to_owned).collect()
    };
    for (what, command, keys, names) in wanted() {
        let mut found = words(command, keys);
        if command == "combine" {
            // ~primary.a inverts the channel, not the source.
            for word in found.clone() {
                let Some((source, channel)) = word.split_once('.') else { continue };
                let plain = source.trim_start_matches('~');
                found.insert(format!("{}{channel}", &source[..source.len() - plain.len()]));
                found.insert(plain.to_owned());
            }
        }
        missing.extend(names.into_iter().filter(|name| !found.contains(*name)).map(|name| format!("{what} `{name}`")));
    }
    for input in COLOR_FORMATS {
        for output in COLOR_FORMATS {
            let pair = format!("{}:{}", input.1, output.1);
            missing.extend((!words("transfer", &["formats"]).contains(&pair)).then(|| format!("transfer `{pair}`")));
        }
    }
    let mut executed = BTreeSet::new();
    for file in files.iter().filter(|file| file.commands.iter().any(|c| c.name == "run" || c.name == "emit")) {
        let program = Program::assemble(&file.program).map_err(|error| format!("{}: {error}", file.name()))?;
        executed.extend(program.code.iter().filter_map(|&word| isa::decode(word)).map(|op| op.info().name));
    }
    let ops = isa::ALL.iter().filter(|op| !executed.contains(op.name));
    missing.extend(ops.map(|op| format!("shader operation `{}`", op.name)));
    if missing.is_empty() { Ok(()) } else { Err(format!("no file has\n  {}", missing.join("\n  ")).into()) }
}
