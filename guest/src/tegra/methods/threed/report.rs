//! Reports, counters, conditional rendering.

use super::output_values::{
    AcquireComparison, ClearReportType, PipelineLocation, ReportAcquire, ReportKind, ReportOperation, ReportRelease,
};
use super::{Trigger, dirty};
use crate::table::regs::regs;
use crate::tegra::methods::values::{ReductionFormat, ReductionOp, StructSize};
use crate::tegra::methods::{Common, Effect};

regs! {
    effect Effect<Trigger>;

    /// Whether loads of constants are conditional, too.
    set_render_enable_control @ 0x0C3 = 1 { conditional_load_constant_buffer 0:0 bool };
    /// Counters that run. All of them at first: Mesa counts without ever writing it.
    set_statistics_counter @ 0x35A = 0xFFFF {
        da_vertices_generated_enable 0:0 bool, da_primitives_generated_enable 1:1 bool,
        vs_invocations_enable 2:2 bool, gs_invocations_enable 3:3 bool, gs_primitives_generated_enable 4:4 bool,
        streaming_primitives_succeeded_enable 5:5 bool, streaming_primitives_needed_enable 6:6 bool,
        clipper_invocations_enable 7:7 bool, clipper_primitives_generated_enable 8:8 bool,
        ps_invocations_enable 9:9 bool, vtg_primitives_out_enable 10:10 bool, ti_invocations_enable 11:11 bool,
        ts_invocations_enable 12:12 bool, ts_primitives_generated_enable 13:13 bool,
        total_streaming_primitives_needed_succeeded_enable 14:14 bool, alpha_beta_clocks_enable 15:15 bool,
    };
    /// Counts samples that pass all tests.
    set_zpass_pixel_count @ 0x545 { enable 0:0 bool } Dirty(dirty::FRAGMENT);
    /// Sets a counter to 0.
    clear_report_value @ 0x54C { type_ 0:4 ClearReportType } Trigger(Trigger::ClearReport);
    /// Writes a report or semaphore, or waits for one.
    set_report_semaphore_d @ 0x6C3 {
        operation 0:1 ReportOperation, flush_disable 2:2 bool, reduction_enable 3:3 bool,
        release 4:4 ReportRelease, sub_report 5:7, acquire 8:8 ReportAcquire, reduction_op 9:11 ReductionOp,
        pipeline_location 12:15 PipelineLocation, comparison 16:16 AcquireComparison,
        reduction_format 17:18 ReductionFormat, awaken_enable 20:20 bool, report_dword_number 21:21,
        report 23:27 ReportKind, structure_size 28:28 StructSize,
    } Common(Common::Report);
}
