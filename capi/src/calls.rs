//! Functions of the rows of a table of calls, which convert and forward: one for each row that is a method of the
//! machine. The headers are made of the same rules (`tests/capi/calls.rs`, which includes this file).
//!
//! What C has for a type is a rule here and a conversion beside the C type: a new call of known types needs nothing, a
//! new type needs these two.

/// Hands each row's function to the macro `$then`: handle, name, documentation, parameters with a role each, and a
/// closure that does it. A role says what a parameter is for, to those who write it down; a number is an array of so
/// many values.
///
/// The context is `[handle: type, enter, result]` or `[…, more]`: the handle, the function that runs a call on the
/// machine, the type of its results, and that it hands more than the machine to calls.
macro_rules! c_calls {
    ($then:ident $context:tt $(
        $(#[doc = $doc:literal])*
        $kind:ident $number:tt $name:ident($($argument:ident: $ty:tt),*)
            $(-> $answer:tt $(<$($part:tt),+>)? $(as $out:tt)?)?;
        $(@ $device:ident $($request:literal)|+ { $($fields:tt)* } ($($names:tt)*) => $body:expr;)*
    )+) => {
        $(c_calls!(@row $kind {$then $context $name [$($doc)*]} ($({$argument $ty})*)
            [$($answer $(<$($part)+>)?)?] ($($($out)?)?));)+
    };

    // Calls that all devices have, or that hosts do not make.
    (@row device $($row:tt)*) => {};
    (@row device_work $($row:tt)*) => {};
    (@row replay $($row:tt)*) => {};
    (@row none $($row:tt)*) => {};
    (@row $kind:ident $row:tt $arguments:tt $answer:tt $out:tt) => {
        c_calls!(@in [] [] [] $arguments $row $answer $out);
    };

    // Arguments, one after the other: what is handed over beside the machine, parameters, what the method gets.
    (@in $more:tt [$($p:tt)*] [$($get:tt)*] ({$a:ident (&mut dyn Hardware)} $($rest:tt)*) $($row:tt)+) => {
        c_calls!(@in [$a] [$($p)*] [$($get)* $a,] ($($rest)*) $($row)+);
    };
    // Lists side by side have one length.
    (@in $more:tt [$($p:tt)*] [$($get:tt)*] ({$a:ident [$A:ident]} {$b:ident [$B:ident]} $($rest:tt)*) $($row:tt)+) => {
        c_calls!(@in $more [$($p)* {list $a: *const $A} {list $b: *const $B} {count count: usize}]
            [$($get)* &given!(copied $a, count), &given!(copied $b, count),] ($($rest)*) $($row)+);
    };
    (@in $more:tt [$($p:tt)*] [$($get:tt)*] ({$a:ident [Remap]} $($rest:tt)*) $($row:tt)+) => {
        c_calls!(@in $more [$($p)* {list $a: *const triglyph_tegra_remap} {count count: usize}]
            [$($get)* &taken(&given!(copied $a, count))?,] ($($rest)*) $($row)+);
    };
    (@in $more:tt [$($p:tt)*] [$($get:tt)*] ({$a:ident [$A:ident]} $($rest:tt)*) $($row:tt)+) => {
        c_calls!(@in $more [$($p)* {list $a: *const $A} {count count: usize}]
            [$($get)* &given!(copied $a, count),] ($($rest)*) $($row)+);
    };
    (@in $more:tt [$($p:tt)*] [$($get:tt)*] ({$a:ident (&mut [$A:ident])} $($rest:tt)*) $($row:tt)+) => {
        c_calls!(@in $more [$($p)* {room $a: *mut $A} {count count: usize}]
            [$($get)* given!(slice_mut $a, count),] ($($rest)*) $($row)+);
    };
    (@in $more:tt [$($p:tt)*] [$($get:tt)*] ({$a:ident [$A:ident; $N:literal]} $($rest:tt)*) $($row:tt)+) => {
        c_calls!(@in $more [$($p)* {$N $a: *const $A}] [$($get)* given!(array $a),] ($($rest)*) $($row)+);
    };
    // None is negative.
    (@in $more:tt [$($p:tt)*] [$($get:tt)*] ({$a:ident (Option<u32>)} $($rest:tt)*) $($row:tt)+) => {
        c_calls!(@in $more [$($p)* {negative $a: i32}] [$($get)* u32::try_from($a).ok(),] ($($rest)*) $($row)+);
    };
    (@in $more:tt [$($p:tt)*] [$($get:tt)*] ({$a:ident Session} $($rest:tt)*) $($row:tt)+) => {
        c_calls!(@in $more [$($p)* {value $a: u32}] [$($get)* Session($a),] ($($rest)*) $($row)+);
    };
    (@in $more:tt [$($p:tt)*] [$($get:tt)*] ({$a:ident Screen} $($rest:tt)*) $($row:tt)+) => {
        c_calls!(@in $more [$($p)* {value $a: u32}] [$($get)* screen($a)?,] ($($rest)*) $($row)+);
    };
    (@in $more:tt $p:tt $get:tt ({$a:ident (&FramebufferInfo)} $($rest:tt)*) $($row:tt)+) => {
        c_calls!(@required {$a triglyph_n3ds_framebuffer} [&] $more $p $get ($($rest)*) $($row)+);
    };
    (@in $more:tt $p:tt $get:tt ({$a:ident MapMemory} $($rest:tt)*) $($row:tt)+) => {
        c_calls!(@required {$a triglyph_tegra_memory} [] $more $p $get ($($rest)*) $($row)+);
    };
    (@in $more:tt $p:tt $get:tt ({$a:ident MapBuffer} $($rest:tt)*) $($row:tt)+) => {
        c_calls!(@required {$a triglyph_tegra_map_buffer} [] $more $p $get ($($rest)*) $($row)+);
    };
    (@in $more:tt $p:tt $get:tt ({$a:ident Layout} $($rest:tt)*) $($row:tt)+) => {
        c_calls!(@optional {$a triglyph_tegra_layout} $more $p $get ($($rest)*) $($row)+);
    };
    (@in $more:tt $p:tt $get:tt ({$a:ident Fence} $($rest:tt)*) $($row:tt)+) => {
        c_calls!(@optional {$a triglyph_tegra_fence} $more $p $get ($($rest)*) $($row)+);
    };
    // Numbers are themselves.
    (@in $more:tt [$($p:tt)*] [$($get:tt)*] ({$a:ident $A:ident} $($rest:tt)*) $($row:tt)+) => {
        c_calls!(@in $more [$($p)* {value $a: $A}] [$($get)* $a,] ($($rest)*) $($row)+);
    };
    (@in $more:tt $p:tt $get:tt () $row:tt $answer:tt $out:tt) => { c_calls!(@out $answer $out $more $p $get $row); };
    (@required {$a:ident $C:ident} [$($by:tt)?] $more:tt [$($p:tt)*] [$($get:tt)*] $($rest:tt)+) => {
        c_calls!(@in $more [$($p)* {required $a: Option<&$C>}]
            [$($get)* $($by)? Take::take(*required($a, stringify!($a))?)?,] $($rest)+);
    };
    (@optional {$a:ident $C:ident} $more:tt [$($p:tt)*] [$($get:tt)*] $($rest:tt)+) => {
        c_calls!(@in $more [$($p)* {optional $a: Option<&$C>}]
            [$($get)* $a.copied().map(Into::into).unwrap_or_default(),] $($rest)+);
    };

    // Answers: their parts and types in C. What guests are told as the result of a call comes after them.
    (@out [] () $($row:tt)+) => { c_calls!(@told [] $($row)+); };
    (@out [Result<() $S:ident>] () $($row:tt)+) => { c_calls!(@answered [] $($row)+); };
    (@out [Result<ResultCode ResultCode>] () $($row:tt)+) => { c_calls!(@told [{result u32}] $($row)+); };
    (@out [Result<Registration $S:ident>] ($o:ident) $($row:tt)+) => {
        c_calls!(@told [{$o triglyph_n3ds_registration}] $($row)+);
    };
    (@out [Result<(u64, u64) $S:ident>] (($o:ident, $q:ident)) $($row:tt)+) => {
        c_calls!(@answered [{$o u64} {$q u64}] $($row)+);
    };
    (@out [Result<MemoryAllocation $S:ident>] (($o:ident, $q:ident)) $($row:tt)+) => {
        c_calls!(@answered [{$o u32} {$q u64}] $($row)+);
    };
    (@out [Result<Buffer $S:ident>] (($o:ident, $q:ident)) $($row:tt)+) => {
        c_calls!(@answered [{$o u64} {$q u64}] $($row)+);
    };
    (@out [Result<[Region; 2] $S:ident>] (($o:ident, $q:ident)) $($row:tt)+) => {
        c_calls!(@answered [{$o triglyph_tegra_region} {$q triglyph_tegra_region}] $($row)+);
    };
    (@out [Result<ContextAllocation $S:ident>] ($o:ident) $($row:tt)+) => {
        c_calls!(@answered [{$o triglyph_rsx_context}] $($row)+);
    };
    (@out [Result<Freed $S:ident>] ($o:ident) $($row:tt)+) => {
        c_calls!(@answered [{$o triglyph_tegra_freed}] $($row)+);
    };
    (@out [Result<Fence $S:ident>] ($o:ident) $($row:tt)+) => {
        c_calls!(@answered [{$o triglyph_tegra_fence}] $($row)+);
    };
    (@out [Result<Wait $S:ident>] ($o:ident) $($row:tt)+) => {
        c_calls!(@answered [{$o triglyph_tegra_wait}] $($row)+);
    };
    (@out [Result<$O:ident $S:ident>] ($o:ident) $($row:tt)+) => { c_calls!(@answered [{$o $O}] $($row)+); };
    (@out [[CaptureInfo; 2]] (($o:ident, $q:ident)) $($row:tt)+) => {
        c_calls!(@told [{$o triglyph_n3ds_capture_info} {$q triglyph_n3ds_capture_info}] $($row)+);
    };
    (@out [Option<Event>] ($o:ident) $($row:tt)+) => { c_calls!(@told [{$o triglyph_n3ds_executed}] $($row)+); };
    (@out [Acquire] ($o:ident) $($row:tt)+) => { c_calls!(@told [{$o u32}] $($row)+); };
    (@out [Answer] ($o:ident) $more:tt [$($p:tt)*] $get:tt $row:tt) => {
        c_calls!(@made [{registers $o: *mut u64} {result result: Out<'_, i64>}]
            call => { registers(call, $o, result)? } $more [$($p)*] $get $row);
    };
    (@out [$O:ident] ($o:ident) $($row:tt)+) => { c_calls!(@told [{$o $O}] $($row)+); };
    (@told [$({$o:ident $O:ty})*] $($row:tt)+) => {
        c_calls!(@made [$({out $o: Out<'_, $O>})*] call => { ($($o,)*).put(call.tell()) } $($row)+);
    };
    (@answered [$({$o:ident $O:ty})*] $more:tt $p:tt $get:tt
        {$then:ident [$h:ident: $H:ty, $e:ident, $R:ty $(, $m:ident)?] $($row:tt)+}
    ) => {
        c_calls!(@made [$({out $o: Out<'_, $O>})* {result result: Out<'_, $R>}]
            call => { ($($o,)*).put(answer(call, result)) } $more $p $get
            {$then [$h: $H, $e, $R $(, $m)?] $($row)+});
    };

    // All of it.
    (@made [$($o:tt)*] $call:ident => $store:block [$($more:ident)?] [$($p:tt)*] [$($get:tt)*]
        {$then:ident [$h:ident: $H:ty, $enter:ident, $R:ty] $name:ident $doc:tt}
    ) => {
        $then!($h: $H, $enter, $name $doc [$($p)* $($o)*] |gpu| {
            let $call = gpu.$name($($get)*);
            $store
        });
    };
    (@made [$($o:tt)*] $call:ident => $store:block [] [$($p:tt)*] [$($get:tt)*]
        {$then:ident [$h:ident: $H:ty, $enter:ident, $R:ty, $m:ident] $name:ident $doc:tt}
    ) => {
        $then!($h: $H, $enter, $name $doc [$($p)* $($o)*] |gpu, _| {
            let $call = gpu.$name($($get)*);
            $store
        });
    };
    (@made [$($o:tt)*] $call:ident => $store:block [$more:ident] [$($p:tt)*] [$($get:tt)*]
        {$then:ident [$h:ident: $H:ty, $enter:ident, $R:ty, $m:ident] $name:ident $doc:tt}
    ) => {
        $then!($h: $H, $enter, $name $doc [$($p)* $($o)*] |gpu, $more| {
            let $call = gpu.$name($($get)*);
            $store
        });
    };
}
pub(crate) use c_calls;
