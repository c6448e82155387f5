//! Reports and semaphores of the 3D and the compute class, and the counters that are reported.

use triglyph_guest::tegra::fifo::host::SemaphoreOperation;
use triglyph_guest::tegra::methods::threed::regs::set_report_semaphore_d as control;
use triglyph_guest::tegra::methods::threed::{AcquireComparison, ClearReportType, ReportKind, ReportOperation};
use triglyph_guest::tegra::methods::values::{ReductionFormat, StructSize};

use super::host::Blocked;
use super::registers::Registers;
use super::semaphore::{Form, Join, Release};
use crate::core::{ADDRESS_MASK, Core};
use triglyph_engine::device::FaultKind;

/// Streams of transform feedback, each with counters of its own.
pub const STREAMS: usize = 4;

/// Codes of reports.
const KINDS: usize = 32;

/// What has been counted since counters were cleared. Engines add to it before a report reads it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// By code of [`ReportKind`] and stream; counters without streams are those of stream 0.
    values: [[u64; STREAMS]; KINDS],
}

impl Counters {
    /// Adds to a counter. The two forms of passed samples are one counter; differences are not counters.
    pub fn add(&mut self, kind: ReportKind, stream: usize, count: u64) {
        let value = &mut self.values[Self::index(kind)][stream % STREAMS];
        *value = value.wrapping_add(count);
    }

    /// Sets what is no count but a place.
    pub fn set(&mut self, kind: ReportKind, stream: usize, value: u64) {
        self.values[Self::index(kind)][stream % STREAMS] = value;
    }

    /// What a report of `kind` says.
    pub fn value(&self, kind: ReportKind, stream: usize) -> u64 {
        let stream = stream % STREAMS;
        let missing = |stream: usize| {
            let of = |kind| self.values[Self::index(kind)][stream];
            of(ReportKind::StreamingPrimitivesNeeded).wrapping_sub(of(ReportKind::StreamingPrimitivesSucceeded))
        };
        match kind {
            ReportKind::StreamingPrimitivesNeededMinusSucceeded => missing(stream),
            ReportKind::TotalStreamingPrimitivesNeededMinusSucceeded => {
                (0..STREAMS).map(missing).fold(0, u64::wrapping_add)
            }
            _ => self.values[Self::index(kind)][stream],
        }
    }

    /// Sets what CLEAR_REPORT_VALUE names to 0, of all streams.
    pub fn clear(&mut self, what: ClearReportType) {
        use ReportKind::{StreamingPrimitivesNeeded as Needed, StreamingPrimitivesSucceeded as Succeeded};
        let kinds: &[ReportKind] = match what {
            ClearReportType::ZPassCount => &[ReportKind::ZPassCount64],
            ClearReportType::ZcullStats => {
                &[ReportKind::ZcullStats0, ReportKind::ZcullStats1, ReportKind::ZcullStats2, ReportKind::ZcullStats3]
            }
            ClearReportType::TotalStreamingPrimitivesNeededMinusSucceeded => &[Needed, Succeeded],
            ClearReportType::AlphaBetaClocks => &[ReportKind::AlphaBetaClocks],
            ClearReportType::StreamingPrimitivesSucceeded => &[Succeeded],
            ClearReportType::StreamingPrimitivesNeeded => &[Needed],
            ClearReportType::DaVerticesGenerated => &[ReportKind::DaVerticesGenerated],
            ClearReportType::DaPrimitivesGenerated => &[ReportKind::DaPrimitivesGenerated],
            ClearReportType::VsInvocations => &[ReportKind::VsInvocations],
            ClearReportType::TiInvocations => &[ReportKind::TiInvocations],
            ClearReportType::TsInvocations => &[ReportKind::TsInvocations],
            ClearReportType::TsPrimitivesGenerated => &[ReportKind::TsPrimitivesGenerated],
            ClearReportType::GsInvocations => &[ReportKind::GsInvocations],
            ClearReportType::GsPrimitivesGenerated => &[ReportKind::GsPrimitivesGenerated],
            ClearReportType::ClipperInvocations => &[ReportKind::ClipperInvocations],
            ClearReportType::ClipperPrimitivesGenerated => &[ReportKind::ClipperPrimitivesGenerated],
            ClearReportType::PsInvocations => &[ReportKind::PsInvocations],
            ClearReportType::VtgPrimitivesOut => &[ReportKind::VtgPrimitivesOut],
        };
        for &kind in kinds {
            self.values[Self::index(kind)] = [0; STREAMS];
        }
    }

    fn index(kind: ReportKind) -> usize {
        let kind = if kind == ReportKind::ZPassCount32 { ReportKind::ZPassCount64 } else { kind };
        kind.bits() as usize % KINDS
    }

    /// All counters as a list, for snapshots.
    pub(crate) fn save(&self) -> Vec<u64> {
        self.values.as_flattened().to_vec()
    }

    /// The inverse of [`Self::save`]; `None` for a list of another length.
    pub(crate) fn restore(values: &[u64]) -> Option<Self> {
        let mut counters = Counters::default();
        let all = counters.values.as_flattened_mut();
        (all.len() == values.len()).then(|| all.copy_from_slice(values))?;
        Some(counters)
    }
}

/// Does what SET_REPORT_SEMAPHORE_D asks for; address and payload are at register `first` and after it. What the
/// channel has to wait for is returned.
pub fn report(core: &mut Core, registers: &Registers, counters: &Counters, first: usize, word: u32) -> Option<Blocked> {
    let address = registers.address(first) & ADDRESS_MASK;
    let payload = registers.get(first + 2);
    match control::operation(word) {
        Some(ReportOperation::Release | ReportOperation::ReportOnly) => release(core, counters, word, address, payload),
        Some(ReportOperation::Acquire) => {
            let test = match control::comparison(word) {
                Some(AcquireComparison::GreaterOrEqual) => SemaphoreOperation::AcquireGreaterOrEqual,
                _ => SemaphoreOperation::Acquire,
            };
            let blocked = Blocked::Semaphore { address, test, payload };
            return (!blocked.is_over(core)).then_some(blocked);
        }
        // A trap is an interrupt that the driver knows what to do with.
        Some(ReportOperation::Trap) | None => core.interrupt(),
    }
    None
}

fn release(core: &mut Core, counters: &Counters, word: u32, address: u64, payload: u32) {
    const WHAT: &str = "a report";
    // Everything that counts has been drawn.
    core.flush();
    let kind = control::report(word).unwrap_or_else(|| {
        let what = format_args!("report {:#x}, which does not exist", word >> 23 & 31);
        core.fault(FaultKind::BadMethod, control::ID as u64, what);
        ReportKind::None
    });
    let value = match kind {
        ReportKind::None => payload.into(),
        ReportKind::AlphaBetaClocks => core.now(),
        _ => counters.value(kind, control::sub_report(word) as usize),
    };
    let one_word = control::structure_size(word) == Some(StructSize::OneWord);
    if control::reduction_enable(word) {
        let signed = control::reduction_format(word) == Some(ReductionFormat::Signed32);
        let how = control::reduction_op(word).map_or(Join::Add, Join::from);
        Release { address, payload: value as u32, form: Form::Join(how, signed) }.perform(core, WHAT);
    } else if one_word {
        Release { address, payload: value as u32, form: Form::OneWord }.perform(core, WHAT);
    } else if matches!(kind, ReportKind::ZPassCount32 | ReportKind::StreamingByteCount) {
        // Payload, count, time: counters of 32 bits (Mesa).
        core.write_report(address, u64::from(payload) | value << 32, WHAT);
    } else {
        core.write_report(address, value, WHAT);
    }
    if control::awaken_enable(word) {
        core.interrupt();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_cleared_by_name_and_differences_follow() {
        let mut counters = Counters::default();
        counters.add(ReportKind::StreamingPrimitivesNeeded, 1, 9);
        counters.add(ReportKind::StreamingPrimitivesNeeded, 3, 2);
        counters.add(ReportKind::StreamingPrimitivesSucceeded, 1, 4);
        counters.add(ReportKind::ZPassCount32, 0, 7);
        let missing = ReportKind::StreamingPrimitivesNeededMinusSucceeded;
        assert_eq!([0, 1, 3].map(|stream| counters.value(missing, stream)), [0, 5, 2]);
        assert_eq!(counters.value(ReportKind::TotalStreamingPrimitivesNeededMinusSucceeded, 0), 7);
        assert_eq!(counters.value(ReportKind::ZPassCount64, 0), 7);
        assert_eq!(Counters::restore(&counters.save()), Some(counters.clone()));
        counters.clear(ClearReportType::StreamingPrimitivesNeeded);
        counters.clear(ClearReportType::ZPassCount);
        assert_eq!(counters.value(ReportKind::StreamingPrimitivesSucceeded, 1), 4);
        assert_eq!(
            [ReportKind::ZPassCount32, ReportKind::StreamingPrimitivesNeeded].map(|k| counters.value(k, 1)),
            [0, 0]
        );
        assert_eq!(Counters::restore(&[0; 3]), None);
    }
}
