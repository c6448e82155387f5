//! Macro that generates a machine's methods from the rows of a table of calls.

/// Generates a machine's typed methods, which record themselves, and the replay of recorded calls, from rows `kind
/// number name(arguments) -> answer as name;`, which `triglyph_guest::table::calls` describes. A list is an argument
/// `[T]`; arguments that are not recorded are in parentheses.
///
/// It makes
///
/// * a trait `Calls`, a method for each row, with which the machine implements the calls;
/// * methods of the machine: those of kinds `call` and `work` record themselves, `ask` and `inner` do not, and `guest`
///   is recorded as `HYPERCALL`, with the words that `hypercall_words(number, words)` makes; others have none;
/// * a function `replay(machine, number, words)`, which makes a recorded call; `methods Machine: rows` leaves it out.
///
/// Names in rows are those of the file with the call of the macro, and the machine has the field `calls`, its
/// [`CallLog`](crate::device::CallLog).
#[macro_export]
macro_rules! calls_of_rows {
    // An argument as methods take it.
    (@parameter [$ty:ty]) => { &[$ty] };
    (@parameter ($ty:ty)) => { $ty };
    (@parameter $ty:ty) => { $ty };

    (@answer) => { () };
    (@answer $answer:ty) => { $answer };

    (@work none $name:ident()) => {};
    (@work $kind:ident $name:ident($($argument:ident: $ty:tt),*) $(-> $answer:ty)?) => {
        fn $name(&mut self, $($argument: $crate::calls_of_rows!(@parameter $ty)),*)
            -> $crate::calls_of_rows!(@answer $($answer)?);
    };

    (@method $(#[$doc:meta])* none $number:tt $name:ident()) => {};
    (@method $(#[$doc:meta])* own $($row:tt)+) => {};
    (@method $(#[$doc:meta])* own_work $($row:tt)+) => {};
    (@method $(#[$doc:meta])* device $($row:tt)+) => {};
    (@method $(#[$doc:meta])* device_work $($row:tt)+) => {};
    (@method $(#[$doc:meta])* replay $($row:tt)+) => {};
    (@method $(#[$doc:meta])* ask $number:tt $($row:tt)+) => {
        $crate::calls_of_rows!(@plain $(#[$doc])* $($row)+);
    };
    (@method $(#[$doc:meta])* inner $number:tt $($row:tt)+) => {
        $crate::calls_of_rows!(@plain $(#[$doc])* $($row)+);
    };
    (@plain $(#[$doc:meta])* $name:ident($($argument:ident: $ty:tt),*) $(-> $answer:ty)?) => {
        $(#[$doc])*
        pub fn $name(&mut self, $($argument: $crate::calls_of_rows!(@parameter $ty)),*)
            -> $crate::calls_of_rows!(@answer $($answer)?)
        {
            Calls::$name(self, $($argument),*)
        }
    };
    (@method $(#[$doc:meta])* $kind:ident $number:tt $name:ident($($argument:ident: $ty:tt),*) $(-> $answer:ty)?) => {
        $(#[$doc])*
        pub fn $name(&mut self, $($argument: $crate::calls_of_rows!(@parameter $ty)),*)
            -> $crate::calls_of_rows!(@answer $($answer)?)
        {
            if self.calls.is_recording() {
                #[allow(unused_mut, reason = "not every call has arguments")]
                let mut words = Vec::new();
                $($crate::calls_of_rows!(@put words $argument $ty);)*
                $($crate::calls_of_rows!(@put_list words $argument $ty);)*
                let (kind, words) = $crate::calls_of_rows!(@recorded $kind $number words);
                let make = |machine: &mut Self| Calls::$name(machine, $($argument),*);
                return $crate::device::calls::record_call(self, kind, &words, make);
            }
            Calls::$name(self, $($argument),*)
        }
    };

    // How a call is recorded.
    (@recorded guest $number:literal $words:ident) => { (HYPERCALL, hypercall_words($number, $words)) };
    (@recorded work $number:literal $words:ident) => {
        ($crate::device::calls::RecordedAs { number: $number, work: true }, $words)
    };
    (@recorded call $number:literal $words:ident) => {
        ($crate::device::calls::RecordedAs { number: $number, work: false }, $words)
    };

    // Arguments to words: values first, then lists.
    (@put $words:ident $argument:ident [$ty:ty]) => {};
    (@put $words:ident $argument:ident $ty:tt) => {
        triglyph_guest::table::calls::Argument::put(&$argument, &mut $words)
    };
    (@put_list $words:ident $argument:ident [$ty:ty]) => {
        $argument.iter().for_each(|item| triglyph_guest::table::calls::Argument::put(item, &mut $words))
    };
    (@put_list $words:ident $argument:ident $ty:tt) => {};

    // Makes a call if it is of this row.
    (@replay $machine:ident $number:ident $words:ident $kind:ident - $($row:tt)*) => {};
    (@replay $machine:ident $number:ident $words:ident guest $($row:tt)*) => {};
    (@replay $machine:ident $number:ident $words:ident $kind:ident $row:literal
        $name:ident($($argument:ident: $ty:tt),*)
    ) => {
        if $number == $row {
            $($crate::calls_of_rows!(@take $words $argument $ty);)*
            $($crate::calls_of_rows!(@take_list $words $argument $ty);)*
            // The result of a call was for the guest.
            return $words.as_slice().is_empty().then(|| {
                let _ = $crate::calls_of_rows!(@make $machine $kind $name($($argument),*));
            });
        }
    };
    (@take $words:ident $argument:ident [$ty:ty]) => {};
    (@take $words:ident $argument:ident $ty:ty) => {
        let $argument = <$ty as triglyph_guest::table::calls::Argument>::take(&mut $words)?;
    };
    (@take_list $words:ident $argument:ident [$ty:ty]) => {
        let $argument = &triglyph_guest::table::calls::take_list::<$ty>(&mut $words)?[..];
    };
    (@take_list $words:ident $argument:ident $ty:tt) => {};
    (@make $machine:ident call $($call:tt)+) => { $machine.$($call)+ };
    (@make $machine:ident work $($call:tt)+) => { $machine.$($call)+ };
    (@make $machine:ident inner $($call:tt)+) => { $machine.$($call)+ };
    (@make $machine:ident $kind:ident $name:ident($($argument:ident),*)) => { Calls::$name($machine, $($argument),*) };

    (methods $Machine:ident: $(
        $(#[$doc:meta])*
        $kind:ident $number:tt $name:ident($($argument:ident: $ty:tt),*) $(-> $answer:ty $(as $out:tt)?)?;
        $(@ $device:ident $($request:literal)|+ { $($fields:tt)* } ($($names:tt)*) => $body:expr;)*
    )+) => {
        /// The calls, row by row.
        pub(crate) trait Calls {
            $($crate::calls_of_rows!(@work $kind $name($($argument: $ty),*) $(-> $answer)?);)+
        }

        impl $Machine {
            $($crate::calls_of_rows!(
                @method $(#[$doc])* $kind $number $name($($argument: $ty),*) $(-> $answer)?
            );)+
        }
    };

    (replay $Machine:ident: $(
        $(#[$doc:meta])*
        $kind:ident $number:tt $name:ident($($argument:ident: $ty:tt),*) $(-> $answer:ty $(as $out:tt)?)?;
        $(@ $device:ident $($request:literal)|+ { $($fields:tt)* } ($($names:tt)*) => $body:expr;)*
    )+) => {
        /// Makes a recorded call. `None` for a number or words that no row has.
        fn replay(machine: &mut $Machine, number: u64, arguments: &[u64]) -> Option<()> {
            let mut words = arguments.iter();
            $($crate::calls_of_rows!(@replay machine number words $kind $number $name($($argument: $ty),*));)+
            None
        }
    };

    ($Machine:ident: $($rows:tt)+) => {
        $crate::calls_of_rows!(methods $Machine: $($rows)+);
        $crate::calls_of_rows!(replay $Machine: $($rows)+);
    };
}
