//! Vertex programs and what they read.

use std::fmt::Write as _;
use std::sync::Arc;

use triglyph_guest::kernel::vertex::{
    Component, Input, OutputComponent, OutputMap, PicaProgram, Program, Uniforms, VertexKey,
};
use triglyph_guest::pica::asm;

/// Two matrix transforms, three point lights, clamps, texture coordinates: 58 instructions, seven of them RSQ or RCP.
///
/// c0 to c3 model-view, c4 to c7 projection; c8, c10, c12 positions and c9, c11, c13 colours of the lights, their
/// attenuation in w; c20 (0, 1, ..), c21 ambient, c22 diffuse, c23 emission, c24 and c25 texture matrix, c26.x fading.
pub fn lighting() -> String {
    let mut text = String::new();
    let mut line = |arguments: std::fmt::Arguments<'_>| writeln!(text, "{arguments}").expect("a string takes all");
    for (i, component) in ["x", "y", "z", "w"].into_iter().enumerate() {
        line(format_args!("dp4 r0.{component}, c{i}, v0"));
    }
    for (i, component) in ["x", "y", "z", "w"].into_iter().enumerate() {
        line(format_args!("dp4 o0.{component}, c{}, r0", i + 4));
    }
    for (i, component) in ["x", "y", "z"].into_iter().enumerate() {
        line(format_args!("dp3 r1.{component}, c{i}, v1"));
    }
    line(format_args!("dp3 r1.w, r1, r1\nrsq r1.w, r1.w\nmul r1.xyz, r1, r1.w"));
    line(format_args!("mov r2, c20\nmov r6.xyz, c21"));
    for light in 0..3 {
        let (position, color) = (8 + 2 * light, 9 + 2 * light);
        line(format_args!("add r3.xyz, c{position}, -r0\ndp3 r3.w, r3, r3\nrsq r4.x, r3.w\nmul r3.xyz, r3, r4.x"));
        line(format_args!("dp3 r4.y, r1, r3\nmax r4.y, r2.x, r4.y"));
        line(format_args!("mad r4.z, r3.w, c{color}.w, r2.y\nrcp r4.z, r4.z\nmul r4.y, r4.y, r4.z"));
        line(format_args!("mad r6.xyz, r4.y, c{color}, r6"));
    }
    line(format_args!("mul r6.xyz, c22, r6\nadd r6.xyz, c23, r6\nmax r6.xyz, r2.x, r6\nmin r6.xyz, r2.y, r6"));
    line(format_args!("mov o1.xyz, r6\nmad r5.x, r0.z, c26.x, r2.y\nmax r5.x, r2.x, r5.x\nmin o1.w, r2.y, r5.x"));
    line(format_args!("dp4 o2.x, c24, v2\ndp4 o2.y, c25, v2\nmov o2.zw, r2.xyxy\nend"));
    text
}

/// A program of `length` instructions, all of them alive: most do arithmetic on four components, as shaders do.
pub fn of_length(length: usize) -> String {
    let mut text = String::from("mov r0, v0\nmov r1, v1\nmov r2, v2\n");
    for k in 3..length - 2 {
        let [to, near, far] = [k, k - 1, k - 3].map(|n| n % 8);
        let c = k % 90;
        let line = match k % 10 {
            0 | 5 => format!("mad r{to}, r{near}, c{c}, r{far}"),
            1 => format!("mul r{to}, c{c}, r{near}\n"),
            2 => format!("add r{to}, r{near}, r{far}"),
            3 => format!("dp4 r{to}.x, c{c}, r{near}"),
            4 => format!("dp4 r{to}.yzw, r{near}, r{far}"),
            6 => format!("max r{to}, c{c}, r{near}"),
            7 => format!("mad r{to}.xyz, r{near}, c{c}, r{far}"),
            8 => format!("mul r{to}, r{near}.wzyx, r{far}"),
            _ => format!("rsq r{to}.w, r{near}.x"),
        };
        text += line.trim_end();
        text.push('\n');
    }
    text + &format!("mov o0, r{}\nend\n", (length - 3) % 8)
}

/// The key of a program as the 3DS front end makes it: three attributes of four floats each, 24 output slots, of which
/// o0 gives the position, o1 the colour, o2 the texture coordinate.
pub fn key(text: &str) -> VertexKey {
    let program = asm::Program::assemble(text).unwrap_or_else(|error| panic!("{error} in\n{text}"));
    let mut inputs = [Input::Zero; 16];
    for (stream, input) in inputs.iter_mut().enumerate().take(3) {
        *input = Input::Array { stream: stream as u8, component: Component::F32, count: 4 };
    }
    let mut slots = vec![None; 24];
    for slot in 0..14u8 {
        let register = [0, 4, 1, 2][usize::from(slot / 4)];
        if register != 4 {
            let (component, saturate) = (slot % 4, register == 1);
            slots[usize::from(slot)] = Some(OutputComponent { register, component, saturate });
        }
    }
    let program = PicaProgram { code: program.code, descriptors: program.descriptors, ..Default::default() };
    VertexKey { program: Program::Pica(Arc::new(program)), inputs, outputs: OutputMap { slots }, user_clip: false }
}

/// Instructions of a key's program.
pub fn length(key: &VertexKey) -> usize {
    let Program::Pica(program) = &key.program;
    program.code.len()
}

/// Uniforms with which [`lighting`] computes something sensible.
pub fn lighting_uniforms() -> Uniforms {
    let mut uniforms = Uniforms::default();
    let rows: [(usize, [f32; 4]); 21] = [
        (0, [0.8, 0.0, 0.6, 0.1]),
        (1, [0.0, 1.0, 0.0, -0.2]),
        (2, [-0.6, 0.0, 0.8, -4.0]),
        (3, [0.0, 0.0, 0.0, 1.0]),
        (4, [1.3, 0.0, 0.0, 0.0]),
        (5, [0.0, 1.7, 0.0, 0.0]),
        (6, [0.0, 0.0, 0.02, 0.1]),
        (7, [0.0, 0.0, -1.0, 0.0]),
        (8, [2.0, 3.0, 0.0, 1.0]),
        (9, [1.0, 0.9, 0.8, 0.05]),
        (10, [-3.0, 1.0, -2.0, 1.0]),
        (11, [0.2, 0.4, 0.9, 0.02]),
        (12, [0.0, -4.0, -6.0, 1.0]),
        (13, [0.6, 0.1, 0.1, 0.1]),
        (20, [0.0, 1.0, 0.5, 2.0]),
        (21, [0.1, 0.1, 0.12, 1.0]),
        (22, [0.9, 0.8, 0.7, 1.0]),
        (23, [0.02, 0.0, 0.0, 1.0]),
        (24, [2.0, 0.0, 0.0, 0.25]),
        (25, [0.0, -2.0, 0.0, 0.5]),
        (26, [0.05, 0.0, 0.0, 0.0]),
    ];
    for (register, value) in rows {
        uniforms.floats[register] = value;
    }
    uniforms
}
