//! `combine`: combiner stages on one pixel.
//!
//! | setting | |
//! |---|---|
//! | `color`, `color 1` ... | function and operands of a stage, the first if there is no number: `modulate primary.rgb ~constant.a` |
//! | `alpha`, `alpha 1` ... | the same of alpha |
//! | `scale`, `scale 1` ... | factors of colour and alpha |
//! | `update`, `update 1` ... | `color`, `alpha`: what goes to the combiner buffer |
//! | `constant`, `constant 1` ... | the stage's constant, r g b a |
//! | `primary`, `buffer`, `texture0` to `texture2` | colours r g b a |
//!
//! `~` takes 255 minus the operand. The result is `pixel`: r g b a of an RGBA8 target.

use triglyph_guest::format::TexelFormat;
use triglyph_guest::kernel::combine::{AlphaOperand, ColorOperand, Source, Stage};

use crate::names::{CHANNELS, COLOR_CHANNELS, FUNCTIONS, SOURCES, named};
use crate::parse::{Case, color, integers};
use crate::{Engine, Results};
use triglyph_testkit::pica::nearest;
use triglyph_testkit::pica::scene::{COORDINATES, Scene, TextureData};

/// `[~]source.channel`
fn operand(word: &str) -> Result<(bool, Source, &str), String> {
    let (invert, rest) = word.strip_prefix('~').map_or((false, word), |rest| (true, rest));
    let (source, channel) = rest.split_once('.').ok_or_else(|| format!("`{word}` is no source.channel"))?;
    Ok((invert, named(SOURCES, source)?, channel))
}

/// A texture of one colour.
pub fn plain_texture(scene: &mut Scene, unit: usize, [r, g, b, a]: [u8; 4]) {
    scene.key.textures[unit] = nearest(COORDINATES);
    (scene.constants.texture[unit].width, scene.constants.texture[unit].height) = (8, 8);
    let faces = vec![[a, b, g, r].repeat(64)];
    scene.textures[unit] = TextureData { format: TexelFormat::Rgba8, levels: 1, faces };
}

pub fn run(case: &Case, engine: Engine) -> Results {
    let mut scene = Scene::default();
    let stages = &mut scene.key.combiners.stages;
    // The stages pass on what the first takes, which is nothing if the case does not say.
    *stages = [Stage::PASS; 6];
    for item in &case.settings {
        let (key, stage) = match item.key.rsplit_once(' ') {
            Some((key, number)) => (key, number.parse::<usize>().map_err(|error| format!("`{}`: {error}", item.key))?),
            None => (item.key.as_str(), 0),
        };
        let words: Vec<&str> = item.value.split_whitespace().collect();
        let stages = &mut scene.key.combiners.stages;
        let this = stages.get_mut(stage).ok_or_else(|| format!("no stage {stage}"))?;
        match key {
            "color" => {
                this.color = named(FUNCTIONS, words[0])?;
                for (to, word) in this.color_operands.iter_mut().zip(&words[1..]) {
                    let (invert, source, channel) = operand(word)?;
                    *to = ColorOperand { source, channel: named(COLOR_CHANNELS, channel)?, invert };
                }
            }
            "alpha" => {
                this.alpha = named(FUNCTIONS, words[0])?;
                for (to, word) in this.alpha_operands.iter_mut().zip(&words[1..]) {
                    let (invert, source, channel) = operand(word)?;
                    *to = AlphaOperand { source, channel: named(CHANNELS, channel)?, invert };
                }
            }
            "scale" => {
                let [color, alpha] = integers::<2>(&item.value)?;
                (this.color_shift, this.alpha_shift) = (color.ilog2() as u8, alpha.ilog2() as u8);
            }
            "update" => {
                (this.update_color, this.update_alpha) = (words.contains(&"color"), words.contains(&"alpha"));
            }
            "constant" => scene.constants.stage_color[stage] = u32::from_be_bytes(color(&item.value)?),
            "primary" => scene.primary(color(&item.value)?),
            "buffer" => scene.constants.buffer_color = u32::from_be_bytes(color(&item.value)?),
            "texture0" => plain_texture(&mut scene, 0, color(&item.value)?),
            "texture1" => plain_texture(&mut scene, 1, color(&item.value)?),
            "texture2" => plain_texture(&mut scene, 2, color(&item.value)?),
            other => return Err(format!("no setting `{other}`")),
        }
    }
    let surfaces = scene.draw(&*engine.tier()?).map_err(|refused| refused.to_string())?;
    let [r, g, b, a] = scene.color_at(&surfaces, 3, 4);
    let result = |key: &str| match key {
        "pixel" => Ok(format!("{r} {g} {b} {a}")),
        _ => Err(format!("no result `{key}`")),
    };
    case.expectations.iter().map(|item| result(&item.key)).collect()
}
