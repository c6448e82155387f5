//! Random fragment lighting, procedural textures and shadow maps for [`super::random_pixel`].

use super::combine::{AlphaOperand, ColorOperand, Source, Stage};
use super::lighting::{
    Bump, LightConstants, LightKey, LightTables, LightingConstants, LightingKey, ShadowKey, TableInput, TableKey,
    decode_entry,
};
use super::pixel::{Filter, ShadowForm, TextureKind};
use super::procedural::{self, Clamp, Combine, ProceduralData, ProceduralKey, Shift};
use super::random::Random;

/// The inputs of lighting.
pub(super) type LightingData = Box<(LightingConstants, LightTables)>;

/// Lets combiner stages use `sources`.
pub(super) fn look_at<R: FnMut() -> u32>(r: &mut Random<'_, R>, stages: &mut [Stage; 6], sources: &[Source]) {
    if sources.is_empty() {
        return;
    }
    for stage in stages {
        if r.one_in(2) {
            let source = r.pick(sources);
            stage.color_operands[0] = ColorOperand { source, ..stage.color_operands[0] };
        }
        if r.one_in(2) {
            let source = r.pick(sources);
            stage.alpha_operands[0] = AlphaOperand { source, ..stage.alpha_operands[0] };
        }
    }
}

/// A kind of shadow map.
pub(super) fn shadow_kind<R: FnMut() -> u32>(r: &mut Random<'_, R>) -> TextureKind {
    let form = if r.one_in(2) { ShadowForm::Filtered } else { ShadowForm::Nearest };
    match r.below(3) {
        0 => TextureKind::ShadowCube { form },
        _ => TextureKind::Shadow { perspective: r.one_in(2), form },
    }
}

pub(super) fn lighting_key<R: FnMut() -> u32>(r: &mut Random<'_, R>) -> LightingKey {
    const INPUTS: [TableInput; 7] = [
        TableInput::NormalHalf,
        TableInput::ViewHalf,
        TableInput::NormalView,
        TableInput::LightNormal,
        TableInput::LightSpot,
        TableInput::CosPhi,
        TableInput::Zero,
    ];
    let count = if r.one_in(4) { 1 + r.below(8) } else { 1 + r.below(2) };
    let sparse = r.one_in(2);
    let light = |r: &mut Random<'_, R>| LightKey {
        index: r.below(8) as u8,
        directional: r.one_in(2),
        two_sided: r.one_in(3),
        geometric0: r.one_in(4),
        geometric1: r.one_in(4),
        spot: r.one_in(2),
        distance: r.one_in(2),
        shadow: !r.one_in(3),
    };
    let table = |r: &mut Random<'_, R>| {
        let used = if sparse { r.one_in(3) } else { !r.one_in(3) };
        used.then(|| TableKey { input: r.pick(&INPUTS), absolute: r.one_in(2), scale: r.below(6) as i8 - 2 })
    };
    let unit = r.below(4) as u8;
    let recalculate_z = r.one_in(2);
    LightingKey {
        quaternion_slots: [(); 4].map(|()| r.below(24) as u8),
        view_slots: [(); 3].map(|()| r.below(24) as u8),
        lights: (0..count).map(|_| light(r)).collect(),
        tables: [(); 7].map(|()| table(r)),
        bump: match r.below(6) {
            0 => Bump::Normal { unit, recalculate_z },
            1 => Bump::Tangent { unit, recalculate_z },
            _ => Bump::Off,
        },
        shadow: r.one_in(3).then(|| ShadowKey {
            unit: r.below(4) as u8,
            invert: r.one_in(2),
            primary: r.one_in(2),
            secondary: r.one_in(2),
            alpha: r.one_in(2),
        }),
        clamp_highlights: r.one_in(2),
        fresnel_primary: r.one_in(2),
        fresnel_secondary: r.one_in(2),
    }
}

pub(super) fn lighting_data<R: FnMut() -> u32>(r: &mut Random<'_, R>) -> LightingData {
    let light = |r: &mut Random<'_, R>| {
        let color = |r: &mut Random<'_, R>| [(); 3].map(|()| r.below(256) as f32 / 255.0);
        let vector = |r: &mut Random<'_, R>| [(); 3].map(|()| r.float(-2.0, 2.0));
        LightConstants {
            specular0: color(r),
            specular1: color(r),
            diffuse: color(r),
            ambient: if r.one_in(2) { [0.0; 3] } else { color(r) },
            position: vector(r),
            spot: vector(r),
            distance_scale: r.float(-1.0, 1.0),
            distance_bias: r.float(-0.5, 1.0),
        }
    };
    let constants =
        LightingConstants { ambient: [(); 3].map(|()| r.below(64) as f32 / 255.0), lights: [(); 8].map(|()| light(r)) };
    // One stream of words for each table, and few of those: smooth ones and noise.
    let tables = std::array::from_fn(|_| {
        let (smooth, start) = (r.one_in(2), r.word());
        std::array::from_fn(|i| {
            let word = start.wrapping_add(i as u32).wrapping_mul(0x9E37_79B9);
            decode_entry(if smooth { (16 * i as u32) | (16 << 12) } else { word >> 8 })
        })
    });
    Box::new((constants, tables))
}

pub(super) fn procedural_key<R: FnMut() -> u32>(r: &mut Random<'_, R>) -> ProceduralKey {
    const CLAMPS: [Clamp; 5] = [Clamp::Zero, Clamp::Edge, Clamp::Repeat, Clamp::MirroredRepeat, Clamp::Pulse];
    const MAPS: [Combine; 10] = [
        Combine::U,
        Combine::U2,
        Combine::V,
        Combine::V2,
        Combine::Average,
        Combine::Average2,
        Combine::Root,
        Combine::Min,
        Combine::Max,
        Combine::AverageRoot,
    ];
    let key = ProceduralKey {
        coordinates: [(); 2].map(|()| r.below(24) as u8),
        clamp: [(); 2].map(|()| r.pick(&CLAMPS)),
        shift: [(); 2].map(|()| r.pick(&[Shift::None, Shift::Odd, Shift::Even])),
        rgb_map: r.pick(&MAPS),
        alpha_map: r.one_in(2).then(|| r.pick(&MAPS)),
        noise: r.one_in(2),
        linear: r.one_in(2),
        mipmap: r.one_in(3).then(|| if r.one_in(2) { Filter::Nearest } else { Filter::Linear }),
    };
    match r.one_in(3) {
        // Tables and nothing else.
        true => ProceduralKey { clamp: [Clamp::Edge; 2], shift: [Shift::None; 2], noise: false, mipmap: None, ..key },
        false => key,
    }
}

pub(super) fn procedural_data<R: FnMut() -> u32>(r: &mut Random<'_, R>) -> Box<ProceduralData> {
    let mut map = || {
        let (smooth, start) = (r.one_in(2), r.word());
        std::array::from_fn(|i| {
            let word = start.wrapping_add(i as u32).wrapping_mul(0x9E37_79B9);
            procedural::decode_entry(if smooth { (32 * i as u32) | (32 << 12) } else { word >> 8 })
        })
    };
    let (noise, rgb_map, alpha_map) = (map(), map(), map());
    let channel = |r: &mut Random<'_, R>| r.below(256) as f32;
    let color = std::array::from_fn(|_| [(); 4].map(|()| channel(r)));
    let difference = std::array::from_fn(|_| [(); 4].map(|()| 2.0 * (channel(r) - 128.0)));
    let levels = [r.below(8) as f32, r.below(8) as f32];
    Box::new(ProceduralData {
        amplitude: [(); 2].map(|()| r.between(-8.0, 8.0)),
        phase: [(); 2].map(|()| r.float(-2.0, 2.0)),
        frequency: [(); 2].map(|()| r.float(0.0, 4.0)),
        bias: if r.one_in(3) { 0.0 } else { r.float(0.0, 1.0) },
        lod: if r.one_in(2) { [0.0, 7.0] } else { levels },
        width: if r.one_in(8) { r.below(256) } else { 1 << r.below(8) },
        offset: [0, 1, 2, 3, 4, 5, 6, 7].map(|level| if level < 4 { r.below(256) } else { 256 - (128 >> (level - 1)) }),
        noise,
        rgb_map,
        alpha_map,
        color,
        difference,
    })
}
