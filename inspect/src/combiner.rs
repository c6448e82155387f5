//! Combiner stages of the 3DS as text.

use triglyph_guest::kernel::combine::{AlphaOperand, Channel, ColorChannel, ColorOperand, Function, Source, Stage};

/// A stage in a line: what it computes of r, g, b and of alpha, and what goes to the buffer.
pub fn text(stage: &Stage) -> String {
    let color = function(stage.color, &stage.color_operands.map(color_operand), stage.color_shift);
    let alpha = function(stage.alpha, &stage.alpha_operands.map(alpha_operand), stage.alpha_shift);
    let buffer = match (stage.update_color, stage.update_alpha) {
        (false, false) => "",
        (true, false) => "; buffer.rgb",
        (false, true) => "; buffer.a",
        (true, true) => "; buffer",
    };
    if stage.color == Function::Dot3Rgba {
        return format!("rgba = {color}{buffer}");
    }
    format!("rgb = {color}; a = {alpha}{buffer}")
}

fn function(function: Function, [a, b, c]: &[String; 3], shift: u8) -> String {
    let scale = if shift == 0 { String::new() } else { format!(" * {}", 1 << shift.min(2)) };
    let value = match function {
        Function::Replace => a.clone(),
        Function::Modulate => format!("{a} * {b}"),
        Function::Add => format!("{a} + {b}"),
        Function::AddSigned => format!("{a} + {b} - 0.5"),
        Function::Interpolate => format!("mix({b}, {a}, {c})"),
        Function::Subtract => format!("{a} - {b}"),
        Function::Dot3Rgb | Function::Dot3Rgba => format!("dot3({a}, {b})"),
        Function::MultiplyAdd => format!("{a} * {b} + {c}"),
        Function::AddMultiply => format!("({a} + {b}) * {c}"),
    };
    if scale.is_empty() { value } else { format!("({value}){scale}") }
}

fn color_operand(operand: ColorOperand) -> String {
    let channel = match operand.channel {
        ColorChannel::Rgb => "rgb",
        ColorChannel::Splat(channel) => letter(channel),
        ColorChannel::Zero => return inverted("0".to_owned(), operand.invert),
    };
    inverted(format!("{}.{channel}", source(operand.source)), operand.invert)
}

fn alpha_operand(operand: AlphaOperand) -> String {
    inverted(format!("{}.{}", source(operand.source), letter(operand.channel)), operand.invert)
}

fn inverted(value: String, invert: bool) -> String {
    if invert { format!("(1 - {value})") } else { value }
}

fn letter(channel: Channel) -> &'static str {
    match channel {
        Channel::R => "r",
        Channel::G => "g",
        Channel::B => "b",
        Channel::A => "a",
    }
}

fn source(source: Source) -> String {
    match source {
        Source::Primary => "primary".to_owned(),
        Source::FragmentPrimary => "light_primary".to_owned(),
        Source::FragmentSecondary => "light_secondary".to_owned(),
        Source::Texture(unit) => format!("texture{unit}"),
        Source::Buffer => "buffer".to_owned(),
        Source::Constant => "constant".to_owned(),
        Source::Previous => "previous".to_owned(),
        Source::Zero => "0".to_owned(),
    }
}
