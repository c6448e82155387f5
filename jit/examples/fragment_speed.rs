//! Time of lighting, procedural textures and shadow maps: nanoseconds a pixel on one thread, microseconds to compile,
//! bytes of code.
//!
//! `cargo run --release -p triglyph-jit --example fragment_speed [filter]`

use std::sync::Arc;
use std::time::Instant;

use triglyph_guest::format::TexelFormat;
use triglyph_guest::kernel::combine::{Function, Source, Stage};
use triglyph_guest::kernel::lighting::*;
use triglyph_guest::kernel::pixel::*;
use triglyph_guest::kernel::procedural::{Clamp, Combine, ProceduralData, ProceduralKey, Shift};
use triglyph_guest::kernel::window::{Window, buffer};
use triglyph_guest::kernel::{PixelKernel, Tier};
use triglyph_jit::{Effort, Jit};
use triglyph_testkit::pica::{large_triangle, stage, state};

const SIZE: u32 = 256;
const TEXTURE: u32 = 256;

/// One stage that adds two sources.
fn sum(a: Source, b: Source) -> PixelKey {
    let first =
        Stage { color: if a == b { Function::Replace } else { Function::Add }, ..stage(Function::Replace, a, b) };
    PixelKey { output: Output::Logic(LogicOp::Copy), ..state(0xFFFF, [0, 1, 2, 3], first) }
}

fn lit(lights: u8, positional: bool, used: &[(Table, TableInput)], bump: Bump) -> PixelKey {
    let light = |index| LightKey {
        index,
        directional: !positional,
        two_sided: false,
        geometric0: lights > 2,
        geometric1: lights > 2,
        spot: true,
        distance: lights > 2,
        shadow: false,
    };
    let mut tables = [None; 7];
    for &(table, input) in used {
        let absolute = table != Table::Sp;
        tables[table as usize] = Some(TableKey { input, absolute, scale: 0 });
    }
    let lighting = LightingKey {
        quaternion_slots: [4, 5, 6, 7],
        view_slots: [8, 9, 10],
        lights: (0..lights).map(light).collect(),
        tables,
        bump,
        shadow: None,
        clamp_highlights: true,
        fresnel_primary: false,
        fresnel_secondary: false,
    };
    PixelKey { lighting: Some(Arc::new(lighting)), ..sum(Source::FragmentPrimary, Source::FragmentSecondary) }
}

fn procedural(noise: bool, linear: bool, mipmap: Option<Filter>) -> PixelKey {
    let unit = ProceduralKey {
        coordinates: [4, 5],
        clamp: [Clamp::MirroredRepeat; 2],
        shift: [Shift::None; 2],
        rgb_map: Combine::Root,
        alpha_map: None,
        noise,
        linear,
        mipmap,
    };
    PixelKey { procedural: Some(unit), ..sum(Source::Texture(3), Source::Texture(3)) }
}

fn shadow(form: ShadowForm) -> PixelKey {
    let mut key = sum(Source::Texture(0), Source::Texture(0));
    let kind = TextureKind::Shadow { perspective: true, form };
    key.textures[0] = TextureKey { kind, coordinates: [4, 5, 6], ..TextureKey::DISABLED };
    key
}

fn states() -> Vec<(&'static str, PixelKey)> {
    use Table::{D0, D1, Fr, Rb, Rg, Rr, Sp};
    use TableInput::{CosPhi, LightNormal, LightSpot, NormalHalf, NormalView, ViewHalf};
    let all = [
        (D0, NormalHalf),
        (D1, CosPhi),
        (Sp, LightSpot),
        (Fr, NormalView),
        (Rb, ViewHalf),
        (Rg, LightNormal),
        (Rr, NormalHalf),
    ];
    let mut bumpy = lit(1, true, &[(D0, NormalHalf)], Bump::Normal { unit: 0, recalculate_z: true });
    bumpy.textures[0] = TextureKey { kind: TextureKind::Plain, coordinates: [11, 12, 13], ..TextureKey::DISABLED };
    vec![
        ("one light, a highlight", lit(1, false, &[(D0, NormalHalf)], Bump::Off)),
        ("two lights, one a spot", lit(2, true, &[(D0, LightNormal), (Sp, LightSpot)], Bump::Off)),
        ("bump map", bumpy),
        ("three lights, all tables", lit(3, true, &all, Bump::Off)),
        ("eight lights, all tables", lit(8, true, &all, Bump::Off)),
        ("procedural", procedural(false, false, None)),
        ("procedural, linear", procedural(false, true, None)),
        ("procedural, linear, mipmaps", procedural(false, true, Some(Filter::Linear))),
        ("procedural, noise", procedural(true, true, None)),
        ("shadow map, nearest", shadow(ShadowForm::Nearest)),
        ("shadow map, filtered", shadow(ShadowForm::Filtered)),
    ]
}

fn main() {
    let filter = std::env::args().nth(1).unwrap_or_default();
    let texels: Vec<u32> = (0..TEXTURE * TEXTURE * 2).map(|i| i.wrapping_mul(0x9E37_79B1) | 0x80).collect();
    println!("{:40} {:>16} {:>16}", "ns/pixel; us; bytes", "quick", "hot");
    for (name, key) in states().into_iter().filter(|(name, _)| name.contains(&filter)) {
        print!("{name:40}");
        for effort in [Effort::Baseline, Effort::Optimized] {
            let jit = Jit::with_effort(effort).expect("a host with a code generator");
            let compile = |_| {
                let start = Instant::now();
                let _ = jit.pixel(&key);
                start.elapsed().as_secs_f64()
            };
            let compile = (0..10).map(compile).fold(f64::MAX, f64::min);
            let kernel = jit.pixel(&key).expect("a kernel");
            let time = measure(&*kernel, &texels);
            print!(" {time:5.2} {:5.0} {:6}", compile * 1e6, kernel.code().bytes);
        }
        println!();
        if std::env::var_os("TRIGLYPH_DUMP").is_some() {
            println!("{}", Jit::with_effort(Effort::Optimized).expect("a code generator").dump_pixel(&key));
        }
    }
}

fn lighting_data() -> (LightingConstants, Box<LightTables>) {
    let light = |i: usize| LightConstants {
        specular0: [0.5; 3],
        specular1: [0.3; 3],
        diffuse: [0.6; 3],
        ambient: [0.05; 3],
        position: [0.3 * i as f32, 1.0, -0.5],
        spot: [0.1, -1.0, 0.2],
        distance_scale: 0.1,
        distance_bias: 0.0,
    };
    let tables = Box::new([[(); 256].map(|()| [0.25, 0.5]); 24]);
    (LightingConstants { ambient: [0.1; 3], lights: [0, 1, 2, 3, 4, 5, 6, 7].map(light) }, tables)
}

fn procedural_data() -> ProceduralData {
    let map: [[f32; 2]; 128] = std::array::from_fn(|i| [i as f32 / 128.0, 1.0 / 128.0]);
    ProceduralData {
        amplitude: [0.5; 2],
        phase: [0.25; 2],
        frequency: [1.5; 2],
        bias: 0.5,
        lod: [0.0, 6.0],
        width: 128,
        offset: [0, 128, 192, 224, 240, 248, 252, 254],
        noise: map,
        rgb_map: map,
        alpha_map: map,
        color: std::array::from_fn(|i| [i as f32, 0.0, 128.0, 255.0]),
        difference: [[1.0; 4]; 256],
    }
}

/// Best nanoseconds a pixel.
fn measure(kernel: &dyn PixelKernel, texels: &[u32]) -> f64 {
    let color = buffer(&vec![0u8; (SIZE * SIZE * 4) as usize]);
    let texture = Texture { format: TexelFormat::Rgba8, decoded: texels, ..Texture::default() };
    let level = TextureConstants { width: TEXTURE, height: TEXTURE, ..TextureConstants::default() };
    let constants = PixelConstants { depth_scale: -1.0, texture: [level; 3], ..PixelConstants::default() };
    let (lighting, tables) = lighting_data();
    let procedural = procedural_data();
    let (primitive, blocks) = large_triangle(SIZE, u64::MAX);
    let varyings: Vec<[f32; 3]> = (0..16).map(|i| [0.1 * i as f32, 0.7, 0.3 + 0.1 * i as f32]).collect();
    // Of each tile the best time: others use the machine too.
    let tiles: Vec<&[PixelBlock]> = blocks.chunks(16).collect();
    let mut best = vec![f64::MAX; tiles.len()];
    for _ in 0..100 {
        for (best, blocks) in best.iter_mut().zip(&tiles) {
            let job = PixelJob {
                survivors: &[],
                densest: None,
                target: Target { color: Window::new(&color), depth: Window::default(), width: SIZE, rows: SIZE },
                textures: &[texture; 3],
                constants: &constants,
                fog: None,
                primitives: std::slice::from_ref(&primitive),
                varyings: &varyings,
                lighting: Some((&lighting, &tables)),
                procedural: Some(&procedural),
                blocks,
            };
            let start = Instant::now();
            kernel.shade(&job).expect("a job that fits");
            *best = best.min(start.elapsed().as_secs_f64());
        }
    }
    best.iter().sum::<f64>() * 1e9 / f64::from(SIZE * SIZE)
}
