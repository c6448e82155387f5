//! Conversion of arguments and storing of results, for the functions of the tables of calls.

use triglyph::rsx::Answer;
use triglyph::{ChannelId, NvmapHandle, SpaceId};

use super::error::Failure;
use super::pointer::{Out, put, slice_mut};

/// An argument of what C gives.
pub(crate) trait Take<C>: Sized {
    fn take(given: C) -> Result<Self, Failure>;
}

impl<C, T: From<C>> Take<C> for T {
    fn take(given: C) -> Result<Self, Failure> {
        Ok(T::from(given))
    }
}

/// An answer as the values that C gets of it.
pub(crate) trait Tell<C> {
    fn tell(self) -> C;
}

/// Outputs of a call.
pub(crate) trait Outputs {
    /// Their values.
    type Values;

    /// Stores those that the caller wants.
    fn put(self, values: Self::Values);
}

impl Outputs for () {
    type Values = ();

    fn put(self, (): ()) {}
}

impl<A> Outputs for (Out<'_, A>,) {
    type Values = (A,);

    fn put(self, values: (A,)) {
        put(self.0, values.0);
    }
}

impl<A, B> Outputs for (Out<'_, A>, Out<'_, B>) {
    type Values = (A, B);

    fn put(self, values: (A, B)) {
        put(self.0, values.0);
        put(self.1, values.1);
    }
}

macro_rules! told_as_they_are {
    ($($Value:ty),+) => {
        $(impl Tell<($Value,)> for $Value {
            fn tell(self) -> ($Value,) {
                (self,)
            }
        })+
    };
}
told_as_they_are!(u32, u64, bool, ChannelId, NvmapHandle, SpaceId);

impl Tell<()> for () {
    fn tell(self) {}
}

impl Tell<(u64, u64)> for (u64, u64) {
    fn tell(self) -> (u64, u64) {
        self
    }
}

/// The result for guests of a call that fails; success is 0.
pub(crate) trait CallResult {
    /// Its type in C.
    type C: Default;

    /// Its number.
    fn number(&self) -> Self::C;
}

/// Stores what a call came to: its result, and returns its answer, or zeros.
pub(crate) fn answer<T: Tell<C>, S: CallResult, C: Default>(call: Result<T, S>, result: Out<'_, S::C>) -> C {
    put(result, call.as_ref().err().map_or_else(S::C::default, CallResult::number));
    call.map(Tell::tell).unwrap_or_default()
}

/// Stores what a call by its number came to: r4 to r8 unless null, and r3.
pub(crate) fn registers(answer: Answer, outputs: *mut u64, result: Out<'_, i64>) -> Result<(), Failure> {
    if !outputs.is_null() {
        // SAFETY: the header asks callers for room for five values.
        unsafe { slice_mut(outputs, answer.outputs.len(), "outputs") }?.copy_from_slice(&answer.outputs);
    }
    put(result, answer.status);
    Ok(())
}

/// A list of structures.
pub(crate) fn taken<C: Copy, T: Take<C>>(list: &[C]) -> Result<Vec<T>, Failure> {
    list.iter().map(|&item| T::take(item)).collect()
}

/// An array of the caller's. The header asks callers for pointers to as many values as the call takes.
macro_rules! given {
    ($how:ident $pointer:ident $(, $count:ident)?) => {
        // SAFETY: the header asks callers for that many values.
        unsafe { $how($pointer $(, $count)?, stringify!($pointer)) }?
    };
}
pub(crate) use given;

/// Exports the function of a call.
macro_rules! export {
    ($handle:ident: $Handle:ty, $enter:ident, $name:ident [$($doc:tt)*]
        [$({$role:tt $parameter:ident: $ty:ty})*] |$($gpu:pat_param),+| { $($body:tt)* }
    ) => {
        $(#[doc = $doc])*
        #[unsafe(export_name = concat!("triglyph_", stringify!($handle), "_", stringify!($name)))]
        pub unsafe extern "C" fn $name($handle: Option<&$Handle>, $($parameter: $ty),*) -> triglyph_status {
            $enter($handle, |$($gpu),+| {
                $($body)*
                Ok(())
            })
        }
    };
}
pub(crate) use export;
