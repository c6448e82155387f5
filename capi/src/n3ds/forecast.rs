//! The effects that a GX command will have, for hosts that execute it on another thread.

use triglyph::n3ds::{BadAddress, Executed, Forecast, Outcome, gsp::ResultCode};

use super::{bad_address, triglyph_n3ds_executed};
use crate::error::triglyph_status;
use crate::pointer::{Out, array, required};
use crate::range::triglyph_range;

/// Ranges that a forecast has at most.
pub const TRIGLYPH_N3DS_FORECAST_RANGES: u32 = 4;

/// The effects that a GX command will have, from its words alone.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct triglyph_n3ds_forecast {
    /// The result that `triglyph_n3ds_execute` will have if all memory is mapped and no unit freezes. Only what may
    /// touch anything takes another time than `ticks`: of lists it knows how many words they have but not what they
    /// draw.
    pub executed: triglyph_n3ds_executed,
    /// Whether it may touch any memory, 1 or 0: a list, or a transfer that goes on with registers from before.
    pub anywhere: u32,
    /// How many ranges follow, if it is 0.
    pub count: u32,
    /// The memory that it may read or write: more than is touched perhaps, never less.
    pub touched: [triglyph_range; 4],
}

impl From<Forecast> for triglyph_n3ds_forecast {
    fn from(forecast: Forecast) -> Self {
        let Forecast { outcome, anywhere, touched } = forecast;
        let (result, event, host_copy) = match outcome {
            Outcome::Done(event) => (ResultCode::SUCCESS, Some(event), None),
            Outcome::NothingToSignal => (ResultCode::SUCCESS, None, None),
            Outcome::Failed(result) => (result, None, None),
            Outcome::HostCopy(copy) => (ResultCode::SUCCESS, None, Some(copy)),
        };
        let executed = Executed { result, event, host_copy }.into();
        let mut ranges = [triglyph_range::default(); TRIGLYPH_N3DS_FORECAST_RANGES as usize];
        let count = touched.len().min(ranges.len());
        for (to, range) in ranges.iter_mut().zip(touched) {
            *to = range.into();
        }
        triglyph_n3ds_forecast { executed, anywhere: anywhere.into(), count: count as u32, touched: ranges }
    }
}

/// The effects that a GX command of eight words will have for the holder of the rendering right, if addresses that it
/// does not check are treated as a `triglyph_n3ds_bad_address` says. It needs no device: the thread of the guest's
/// processor asks while a worker has it, schedules the interrupt, and sends the command with
/// `triglyph_worker_send_touching`.
///
/// Errors: `TRIGLYPH_STATUS_INVALID_ARGUMENT` for numbers without a meaning.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_n3ds_get_forecast(
    words: *const u32,
    bad_address: u32,
    forecast: Out<'_, triglyph_n3ds_forecast>,
) -> triglyph_status {
    crate::error::guard(|| {
        // SAFETY: the header asks callers for eight words.
        let words: [u32; 8] = unsafe { array(words, "words") }?;
        let behaviour: BadAddress = self::bad_address(bad_address)?;
        required(forecast, "forecast")?.write(Forecast::of(&words, behaviour).into());
        Ok(())
    })
}
