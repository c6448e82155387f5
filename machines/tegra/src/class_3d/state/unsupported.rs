//! Unimplemented state: faults, counted for each draw that uses it. What is ignored without one has no
//! visible effect, or a row in the page on the machine.

use triglyph_guest::kernel::program::output::DepthFormat;
use triglyph_guest::tegra::header::ProgramHeader;
use triglyph_guest::tegra::header::program::fields;
use triglyph_guest::tegra::methods::threed::regs as r;

use super::output;
use super::setup::{self, VIEWPORTS};
use super::target::Targets;
use crate::core::Core;
use crate::front_end::registers::Registers;
use triglyph_engine::device::FaultKind;
use triglyph_engine::draw::program::Fill;

/// Registers of which some bits ask for something.
const BITS: [(usize, u32, &str); 9] = [
    (r::set_tir::ID, 3, "samples independent of the targets'"),
    (r::set_global_color_key::ID, 1, "colour keys of targets"),
    (r::set_constant_color_rendering::ID, 1, "colours from registers"),
    (r::set_clip_id_test::ID, 1, "clipping by a surface of numbers"),
    (r::set_zt_sparse::ID, 1, "depth that is not mapped"),
    (r::set_shader_control::ID, 7, "other NaNs or derivatives in programs"),
    (r::d3d_set_cull_mode::ID, 2, "culling by D3D's register"),
    (r::set_snap_grid_line::ID, 1 << 8, "positions of lines rounded as earlier chips do"),
    (r::set_snap_grid_non_line::ID, 1 << 8, "positions rounded as earlier chips do"),
];

/// Counts the unimplemented state of a draw with a pixel program, of points or not.
pub(crate) fn count(
    core: &mut Core,
    registers: &Registers,
    targets: &Targets,
    header: Option<&ProgramHeader>,
    points: bool,
) {
    let mut complain =
        |id: usize, what: &str| core.fault(FaultKind::Unimplemented, id as u64, format_args!("not emulated: {what}"));
    for (id, bits, what) in BITS {
        if registers.get(id) & bits != 0 {
            complain(id, what);
        }
    }
    // Channels begin with this centre, so that draws of anything else say nothing about it.
    if points && registers.get(r::set_point_center_mode::ID) & 1 != 0 {
        complain(r::set_point_center_mode::ID, "centres of points as in D3D");
    }
    for id in [r::set_snap_grid_line::ID, r::set_snap_grid_non_line::ID] {
        // Positions are 1/256 of a pixel; 0 is the value before any write.
        if !matches!(registers.get(id) & 15, 0 | 8) {
            complain(id, "a coarser grid of positions");
        }
    }
    let fill_mode = registers.get(r::set_fill_mode::ID);
    if fill_mode == 1 || fill_mode == 2 {
        complain(r::set_fill_mode::ID, "polygons by D3D's register");
    }
    if colors_by_coverage(registers, targets) {
        complain(r::set_coverage_to_color::ID, "coverage as a colour of a target that is no integer");
    }
    if replaces_coverage(registers, header) {
        complain(r::set_post_ps_initial_coverage::ID, "a sample mask that replaces coverage");
    }
    if biases_without_format(registers, targets) {
        complain(r::set_depth_bias_control::ID, "a depth bias whose unit is not the format's");
    }
    match setup::fill(registers) {
        Fill::Box if r::set_raster_bounding_box::pad(registers.get(r::set_raster_bounding_box::ID)) != 0 => {
            complain(r::set_raster_bounding_box::ID, "a border around the box of a triangle");
        }
        Fill::Touched => {
            let precise = |n| registers.get(r::set_viewport_increase_snap_grid_precision::id(n)) != 0;
            if (0..VIEWPORTS).any(precise) {
                complain(r::set_viewport_increase_snap_grid_precision::id(0), "a finer grid of positions");
            }
        }
        _ => {}
    }
}

/// Whether coverage would have to be stored in channels that are no integers.
fn colors_by_coverage(registers: &Registers, targets: &Targets) -> bool {
    let enabled = r::set_coverage_to_color::enable(registers.get(r::set_coverage_to_color::ID));
    enabled && output::coverage_color(registers, targets).is_none()
}

/// Whether a program's sample mask would cover samples that the primitive does not (NV_sample_mask_override_coverage).
fn replaces_coverage(registers: &Registers, header: Option<&ProgramHeader>) -> bool {
    let keeps = r::set_post_ps_initial_coverage::use_pre_ps_coverage;
    let mask = header.is_some_and(|header| fields::WRITES_SAMPLE_MASK.is_set(&header.0));
    let counts = r::set_ps_output_sample_mask_usage::enable(registers.get(r::set_ps_output_sample_mask_usage::ID));
    mask && counts && !keeps(registers.get(r::set_post_ps_initial_coverage::ID))
}

/// Whether the unit of a depth bias is to be the same for all formats: which one is not known, but with 24 bits it
/// makes no difference.
fn biases_without_format(registers: &Registers, targets: &Targets) -> bool {
    let flag = |id: usize| registers.get(id) & 1 != 0;
    let enabled = [r::set_poly_offset_fill::ID, r::set_poly_offset_line::ID, r::set_poly_offset_point::ID];
    let other = targets.zeta.is_some_and(|zeta| {
        !matches!(zeta.kernel, DepthFormat::Z24S8 | DepthFormat::S8Z24 | DepthFormat::Z24X8S8 | DepthFormat::S8)
    });
    let asked = !flag(r::set_depth_bias_control::ID) && f32::from_bits(registers.get(r::set_depth_bias::ID)) != 0.0;
    asked && other && enabled.into_iter().any(flag)
}
