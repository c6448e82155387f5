//! Methods made of the table of calls: the typed ones, which record themselves, the way back from a recording, and
//! calls by number.

use std::time::Duration;

use triglyph_engine::calls_of_rows;
use triglyph_engine::device::calls::{CallLog, RecordedAs, RecordsCalls};
use triglyph_engine::error::Error;
use triglyph_engine::frontend::budget::Budget;
use triglyph_engine::mem::Memory;
use triglyph_guest::id::{ChannelId, ContextHandle, MemoryHandle};
use triglyph_guest::rsx::lv1::calls::{ARGUMENTS, CALLS, call};
use triglyph_guest::rsx::lv1::{Answer, ContextAllocation, MemoryAllocation, Status};
use triglyph_guest::rsx_calls;
use triglyph_guest::table::calls::{self, Argument};

use crate::Rsx;

/// How a recording has calls of the guest's.
const HYPERCALL: RecordedAs = RecordedAs::of(call("hypercall"));

/// The words of a recorded hypercall: its number, and its arguments up to the last register.
fn hypercall_words(number: u64, arguments: Vec<u64>) -> Vec<u64> {
    let mut words = [&[number], &arguments[..]].concat();
    words.resize(1 + ARGUMENTS, 0);
    words
}

macro_rules! methods {
    ($($row:tt)+) => {
        calls_of_rows!(Rsx: $($row)+);
    };
}
rsx_calls!(methods);

/// Makes a call of the guest's if it is of this row.
macro_rules! by_number {
    ($machine:ident $number:ident $words:ident guest $row:literal $name:ident($($argument:ident: $ty:tt),*)) => {
        if $number == $row {
            $(let $argument = <$ty as Argument>::take(&mut $words)?;)*
            return Some(Answer::from($machine.$name($($argument),*)));
        }
    };
    ($machine:ident $number:ident $words:ident $kind:ident $row:literal $name:ident $arguments:tt) => {};
}

macro_rules! calls_by_number {
    ($(
        $(#[$doc:meta])*
        $kind:ident $number:literal $name:ident($($argument:ident: $ty:tt),*) $(-> $answer:ty $(as $out:tt)?)?;
    )+) => {
        /// The call of the guest's with this number; `None` where there is none.
        fn call_by_number(machine: &mut Rsx, number: u32, arguments: [u64; ARGUMENTS]) -> Option<Answer> {
            let mut words = arguments.iter();
            $(by_number!(machine number words $kind $number $name($($argument: $ty),*));)+
            None
        }
    };
}
rsx_calls!(calls_by_number);

impl RecordsCalls for Rsx {
    fn recording(&mut self) -> (&mut CallLog, &Memory, &Budget) {
        (&mut self.calls, &self.core.memory, &self.core.budget)
    }

    fn draw_everything(&mut self) {
        self.core.flush();
    }
}

impl Rsx {
    /// Makes a call by its number, for hosts that dispatch on r11: `arguments` are r3 and up. A number without a call
    /// answers [`Status::NoEntry`].
    pub fn hypercall(&mut self, number: u32, arguments: [u64; 8]) -> Answer {
        call_by_number(self, number, arguments).unwrap_or_else(|| Answer::from(Err::<(), _>(Status::NoEntry)))
    }

    /// Makes a call of a recording.
    pub(crate) fn replay(&mut self, call: &[u8]) -> Result<(), Error> {
        let bad = || Error::InvalidArgument(format!("{}, which no PS3 has", calls::recorded_text(CALLS, call)));
        let (number, arguments) = calls::decode(call).ok_or_else(bad)?;
        replay(self, number, &arguments).ok_or_else(bad)
    }
}
