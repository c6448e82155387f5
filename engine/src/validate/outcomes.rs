//! Checks over the outcome of a draw, the same for all machines.

use super::{Check, Draw, FindingKind, Found};
use crate::probe::Role;

/// Those that tell why no pixel changed, from the first stage to the last.
pub(super) const CAUSES: &[Check] = &[
    Check { kind: FindingKind::BadPosition, find: bad_position },
    Check { kind: FindingKind::SamePosition, find: same_position },
    Check { kind: FindingKind::OutsideView, find: outside_view },
    Check { kind: FindingKind::AllCulled, find: all_culled },
    Check { kind: FindingKind::Degenerate, find: degenerate },
    Check { kind: FindingKind::NoPixels, find: no_pixels },
    Check { kind: FindingKind::Discarded, find: discarded },
    Check { kind: FindingKind::AlphaFailed, find: alpha_failed },
    Check { kind: FindingKind::BoundsFailed, find: bounds_failed },
    Check { kind: FindingKind::StencilFailed, find: stencil_failed },
    Check { kind: FindingKind::DepthFailed, find: depth_failed },
    Check { kind: FindingKind::UnwrittenDepth, find: unwritten_depth },
    Check { kind: FindingKind::TestsFailed, find: tests_failed },
    Check { kind: FindingKind::WritesMasked, find: writes_masked },
];

/// Those that only make a draw suspicious.
pub(super) const DOUBTS: &[Check] = &[
    Check { kind: FindingKind::NothingChanged, find: nothing_changed },
    Check { kind: FindingKind::ConstantAttribute, find: constant_attribute },
    Check { kind: FindingKind::ZeroAttribute, find: zero_attribute },
    Check { kind: FindingKind::UnmappedTexture, find: unmapped_texture },
];

/// The register that decides about an outcome, with its value, and what to write instead.
fn remedied(draw: &Draw<'_>, kind: FindingKind, what: String, advice: &str) -> Option<Found> {
    let Some((register, remedy)) = (draw.rules.remedy)(kind) else { return Some(Found::new(what, advice)) };
    Some(Found::at(register as usize, format!("{what} {}.", draw.show(register as usize)), remedy))
}

fn bad_position(draw: &Draw<'_>) -> Option<Found> {
    let positions = draw.facts.positions;
    let bad = positions.not_finite.max(positions.zero_w);
    if positions.count == 0 || bad < positions.count {
        return None;
    }
    let what = match positions.zero_w == positions.count {
        true => format!("All {} positions have w = 0, which is no point.", positions.count),
        false => format!("All {} positions have a component that is infinite or no number.", positions.count),
    };
    let advice = "Check the matrix in the vertex program's constants, the output that is the position, and the format \
                  and address of the attribute that it is computed from.";
    remedied(draw, FindingKind::BadPosition, what, advice)
}

fn same_position(draw: &Draw<'_>) -> Option<Found> {
    let positions = draw.facts.positions;
    let [x, y, z, w] = positions.first.filter(|_| positions.count > 1 && positions.different == 0)?;
    let what = format!("All {} vertices have the position ({x}, {y}, {z}, {w}).", positions.count);
    let advice = "Check that the vertex program reads the attribute of the position, and that its array has a stride.";
    remedied(draw, FindingKind::SamePosition, what, advice)
}

/// Whether no primitive was set up, and this many of all that were dropped were dropped for one reason.
fn all_dropped(draw: &Draw<'_>, for_this: u64) -> bool {
    draw.facts.primitives == 0 && for_this > 0 && for_this == draw.facts.dropped.total()
}

fn outside_view(draw: &Draw<'_>) -> Option<Found> {
    let outside = draw.facts.dropped.outside;
    all_dropped(draw, outside).then_some(())?;
    let first = draw.facts.positions.first.unwrap_or_default();
    let what = format!("All {outside} primitives are outside of the view volume; the first position is {first:?}.");
    let advice = "Check the projection matrix, the range of z, and w, which has to be positive.";
    remedied(draw, FindingKind::OutsideView, what, advice)
}

/// Checks for one reason that dropped all primitives, or that all fragments failed for: `all(count) name: Kind`, with
/// what is found and advice.
macro_rules! for_one_reason {
    ($($all:ident($counts:ident.$count:ident) $name:ident: $Kind:ident, $what:literal, $advice:literal;)+) => { $(
        fn $name(draw: &Draw<'_>) -> Option<Found> {
            let count = draw.facts.$counts.$count;
            $all(draw, count).then_some(())?;
            remedied(draw, FindingKind::$Kind, format!($what, count), $advice)
        }
    )+ };
}

for_one_reason! {
    all_dropped(dropped.culled) all_culled: AllCulled,
        "All {} primitives show the side that is culled.",
        "Turn culling off, or exchange front and back.";
    all_dropped(dropped.degenerate) degenerate: Degenerate,
        "All {} primitives are without area on the screen.",
        "Check the viewport and the positions of the vertices.";
    all_failed(fragments.discarded) discarded: Discarded,
        "The fragment program, or a sample mask, discarded all {} fragments.",
        "Check what the program's discard depends on.";
    all_failed(fragments.alpha_failed) alpha_failed: AlphaFailed,
        "All {} fragments failed the alpha test.",
        "Check the alpha of the colour, the function and the reference.";
    all_failed(fragments.bounds_failed) bounds_failed: BoundsFailed,
        "The stored depth of all {} fragments lies outside of the depth bounds.",
        "Turn the depth bounds test off, or widen the bounds.";
    all_failed(fragments.stencil_failed) stencil_failed: StencilFailed,
        "All {} fragments failed the stencil test.",
        "Check function, reference and mask, and clear the stencil.";
    all_failed(fragments.depth_failed) depth_failed: DepthFailed,
        "All {} fragments failed the depth test.",
        "Check the function, and clear depth before the first draw.";
}

fn no_pixels(draw: &Draw<'_>) -> Option<Found> {
    let facts = draw.facts;
    let is_uncovered = all_dropped(draw, facts.dropped.uncovered);
    let is_empty = facts.primitives > 0 && facts.fragments.covered == 0 && facts.fragments.are_judged;
    if !is_uncovered && !is_empty {
        return None;
    }
    let count = facts.primitives.max(facts.dropped.uncovered);
    let what = format!("The {count} primitives cover no pixel inside of the target and the scissor.");
    remedied(draw, FindingKind::NoPixels, what, "Check viewport, scissor and the size of the target.")
}

/// Whether all fragments failed for one reason.
fn all_failed(draw: &Draw<'_>, for_this: u64) -> bool {
    let fragments = draw.facts.fragments;
    let failed = fragments.named()[..5].iter().map(|(_, count)| count).sum::<u64>();
    fragments.are_judged && fragments.passed() == 0 && for_this > 0 && for_this == failed
}

fn tests_failed(draw: &Draw<'_>) -> Option<Found> {
    let fragments = draw.facts.fragments;
    let counts = &fragments.named()[..5];
    let failed: Vec<String> =
        counts.iter().filter(|(_, count)| *count > 0).map(|(name, count)| format!("{count} {name}")).collect();
    if !fragments.are_judged || fragments.passed() > 0 || failed.len() < 2 {
        return None;
    }
    Some(Found::new(format!("No fragment passed: {}.", failed.join(", ")), "Turn the tests off one after the other."))
}

fn writes_masked(draw: &Draw<'_>) -> Option<Found> {
    let fragments = draw.facts.fragments;
    if draw.facts.has_changed || fragments.masked == 0 || fragments.written > 0 {
        return None;
    }
    let count = fragments.masked;
    let what = format!("{count} fragments passed all tests, and no channel of a colour surface may be written.");
    remedied(draw, FindingKind::WritesMasked, what, "Allow writes of colour.")
}

fn nothing_changed(draw: &Draw<'_>) -> Option<Found> {
    let facts = draw.facts;
    if facts.has_changed || facts.fragments.written == 0 {
        return None;
    }
    let count = facts.fragments.written;
    let what = format!("{count} fragments were written, and every byte of the target is as it was before.");
    let advice = "Check that the colour is not that of the background, and that blending does not keep the target.";
    Some(Found::new(what, advice))
}

fn constant_attribute(draw: &Draw<'_>) -> Option<Found> {
    let attributes = &draw.facts.attributes;
    let first = attributes.first()?;
    let [x, y, z, w] = first.constant.filter(|_| attributes.iter().all(|attribute| attribute.constant.is_some()))?;
    let what = format!(
        "No attribute of the vertices has an array; attribute {} is ({x}, {y}, {z}, {w}) for all vertices.",
        first.name
    );
    remedied(draw, FindingKind::ConstantAttribute, what, "Set address and format of the vertex arrays.")
}

fn zero_attribute(draw: &Draw<'_>) -> Option<Found> {
    let attribute = draw.facts.attributes.iter().find(|attribute| attribute.is_zero)?;
    let place = match attribute.start {
        Some(start) => format!("The array of attribute {} at {:#x}", attribute.name, start.address),
        None => format!("The array of attribute {}", attribute.name),
    };
    let what = format!("{place} holds zeros for all {} vertices.", draw.facts.vertices);
    Some(Found::new(what, "Check its address, and that the vertices were written before the draw."))
}

fn unmapped_texture(draw: &Draw<'_>) -> Option<Found> {
    let (stage, unit) = draw.facts.missing_textures.first()?;
    let what = format!("Texture unit {unit} of the {stage} stage reads memory that is not mapped, so it reads 0.");
    Some(Found::new(what, "Set the texture's address, or turn the unit off."))
}

fn unwritten_depth(draw: &Draw<'_>) -> Option<Found> {
    let fragments = draw.facts.fragments;
    if !fragments.are_judged || fragments.depth_failed == 0 {
        return None;
    }
    let depth = draw.facts.surfaces.iter().find(|surface| surface.role == Role::Depth)?;
    if draw.was_written(depth.range()) {
        return None;
    }
    let what = format!(
        "{} of {} fragments failed the depth test against a buffer at {:#x} that no command has written.",
        fragments.depth_failed, fragments.covered, depth.start.address
    );
    Some(Found::new(what, "Clear depth before the first draw."))
}
