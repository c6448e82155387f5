//! Programs in the console's 24-bit floats (guest::num::f24), and how far f32 is from them.

use triglyph_guest::kernel::vertex::{Numbers, Uniforms};
use triglyph_guest::num::{F24, f24};
use triglyph_guest::pica::asm;
use triglyph_interp::pica_shader::{Constants, Machine, Program, Unit, Vector};
use triglyph_testkit::random::Random;

/// o0 after a program, whose inputs are loaded as its numbers want them.
fn run(text: &str, inputs: &[Vector], numbers: Numbers) -> Vector {
    let program = asm::Program::assemble(text).unwrap_or_else(|error| panic!("{error} in\n{text}"));
    let program = Program::decode(&program.code, &program.descriptors, Unit::Vertex, numbers);
    let mut machine = Machine::new(Unit::Vertex);
    for (register, value) in machine.inputs.iter_mut().zip(inputs) {
        *register = if numbers == Numbers::F24 { value.map(f24::load) } else { *value };
    }
    let uniforms = Uniforms::default();
    machine.run(&program, &Constants { uniforms: &uniforms, bools: 0 }, 0, &mut |_| {});
    machine.outputs()[0]
}

fn console(text: &str, inputs: &[Vector]) -> Vector {
    run(text, inputs, Numbers::F24)
}

const UNIT: f32 = 1.0 / 65536.0;

#[test]
fn products_and_sums_are_cut() {
    // (1 + u)^2 = 1 + 2u + u^2: the last term goes.
    assert_eq!(console("mul o0, v0, v0\nend", &[[1.0 + UNIT; 4]]), [1.0 + 2.0 * UNIT; 4]);
    // 1 - u/4 lies between 1 - u/2, the largest number below 1, and 1.
    assert_eq!(console("add o0, v0, v1\nend", &[[1.0; 4], [-UNIT / 4.0; 4]]), [1.0 - UNIT / 2.0; 4]);
    assert_eq!(console("add o0, v0, v1\nend", &[[-1.0; 4], [UNIT / 4.0; 4]]), [-1.0 + UNIT / 2.0; 4]);
    // The product of a MAD is cut before the sum: 2u remain, u^2 does not.
    let mad = console("mad o0, v0, v0, v1\nend", &[[1.0 + UNIT; 4], [-1.0; 4]]);
    assert_eq!(mad, [2.0 * UNIT; 4]);
}

/// 24 bits are kept, rounded to nearest, before the cut: what is nearer than 2^-8 units to the next number becomes
/// that.
#[test]
fn results_are_rounded_inside_before_they_are_cut() {
    assert_eq!(f24::INSIDE, 24);
    assert_eq!(console("add o0, v0, v1\nend", &[[1.0; 4], [-UNIT / 512.0; 4]]), [1.0; 4]);
    assert_eq!(console("add o0, v0, v1\nend", &[[1.0; 4], [-UNIT / 128.0; 4]]), [1.0 - UNIT / 2.0; 4]);
    // The product is 2.8115539179: rounded inside it is a unit more than the 2.8115234375 of the cut alone.
    let [a, b, product] = [0x3FD4_7000, 0x3FD8_D680, 0x4033_F080].map(f32::from_bits);
    assert_eq!(console("mul o0, v0, v1\nend", &[[a; 4], [b; 4]]), [product; 4]);
}

#[test]
fn subnormals_move_but_do_not_count() {
    let smallest = F24::decode(1);
    assert_eq!(console("mov o0, v0\nend", &[[smallest; 4]]), [smallest; 4]);
    assert_eq!(console("add o0, v0, v1\nend", &[[smallest; 4], [0.0; 4]]), [0.0; 4]);
    assert_eq!(console("rcp o0, v0\nend", &[[smallest; 4]]), [f32::INFINITY; 4]);
    // 2^-40 squared is below the smallest normal number.
    let tiny = 2f32.powi(-40);
    assert_eq!(console("mul o0, v0, v0\nend", &[[-tiny, tiny, tiny, tiny]]).map(f32::to_bits), [0; 4]);
    // 2^40 squared is above the largest.
    assert_eq!(console("mul o0, v0, v0\nend", &[[2f32.powi(40); 4]]), [f32::INFINITY; 4]);
}

#[test]
fn special_values_are_those_of_the_console() {
    let (inf, zero) = (f32::INFINITY, 0.0);
    assert_eq!(console("mul o0, v0, v1\nend", &[[inf, -inf, zero, -zero], [zero, -zero, inf, inf]]), [0.0; 4]);
    assert!(console("mul o0, v0, v1\nend", &[[f32::NAN; 4], [zero; 4]])[0].is_nan());
    assert!(console("add o0, v0, v1\nend", &[[inf; 4], [-inf; 4]])[0].is_nan());
    for (op, cases) in [
        ("rcp", [(0.0, inf), (-0.0, inf), (inf, 0.0), (-inf, 0.0), (4.0, 0.25)]),
        ("rsq", [(0.0, inf), (-0.0, inf), (inf, 0.0), (4.0, 0.5), (0.25, 2.0)]),
        ("ex2", [(0.0, 1.0), (inf, inf), (-inf, 0.0), (3.0, 8.0), (-1.0, 0.5)]),
        ("lg2", [(1.0, 0.0), (0.0, -inf), (inf, inf), (8.0, 3.0), (0.5, -1.0)]),
    ] {
        for (input, want) in cases {
            let got = console(&format!("{op} o0, v0\nend"), &[[input; 4]])[0];
            assert_eq!(got.to_bits(), f32::to_bits(want), "{op} {input}");
        }
    }
    assert!(console("rsq o0, v0\nend", &[[-2.0; 4]])[0].is_nan());
}

/// The cost of f32 on hosts, in last bits. Each value of a transformation and of a normalised vector stays within six
/// units in the last place that a 24-bit float of the largest possible intermediate value has.
#[test]
fn f32_differs_in_the_last_bits_only() {
    let text = "dp4 r0.x, v0, v2\ndp4 r0.y, v0, v3\nmad r1, v2, v3.xxxx, v1\ndp3 r2, v1, v1\nrsq r2, r2\n\
                mul r3, v1, r2\nmov o0.xy, r0\nmov o0.z, r1\nmov o0.w, r3.xxxx\nend";
    let mut noise = Random::new(24);
    let mut differences = 0;
    for _ in 0..20_000 {
        let mut value = || (noise.word() as f32 / u32::MAX as f32 - 0.5) * 8.0;
        let inputs: [Vector; 4] = std::array::from_fn(|_| std::array::from_fn(|_| f24::load(value())));
        let (exact, fast) = (console(text, &inputs), run(text, &inputs, Numbers::F32));
        for (component, (exact, fast)) in exact.into_iter().zip(fast).enumerate() {
            let largest = [64.0, 64.0, 32.0, 1.0][component];
            assert_eq!(F24::truncate(exact).to_bits(), exact.to_bits(), "a 24-bit result");
            assert!((exact - fast).abs() <= 6.0 * largest * UNIT, "{inputs:?}: {exact} and {fast} in {component}");
            differences += u32::from(exact != fast);
        }
    }
    assert!(differences > 40_000, "only {differences} results differ at all");
}
