// Triglyph: the GPUs of three consoles as a library. The C interface.
//
// Made from the sources in capi/src; do not edit. Programs that use one machine may include its header alone:
// triglyph_n3ds.h, triglyph_rsx.h or triglyph_tegra.h, or triglyph_common.h for what all machines have. On Windows
// programs that link the static library define TRIGLYPH_STATIC before they include any.
//
// What holds for all of it:
//
// * Functions return a triglyph_status. Where it is not TRIGLYPH_STATUS_OK, outputs are unspecified and
//   triglyph_last_error() has the reason as text, for each thread its own. What guests do wrong is no error: faults are
//   counted, and calls of a console's system have the guest's result as an output.
// * Handles belong to the caller of the function that makes them, until the function that destroys them. Any thread may
//   use a device, but one at a time: a call during another one is TRIGLYPH_STATUS_BUSY, and so is a call from one of
//   its callbacks. Timelines, captures, pictures and buffers may be used by many threads at a time.
// * Pointers are null or valid for what the function says, during the call. Input is not changed and output not read
//   meanwhile by others. Outputs may be null where they are not needed, unless that is all that a function does; then
//   null is TRIGLYPH_STATUS_NULL_POINTER.
// * What guests pass may be where guests have it, in memory that is mapped with triglyph_map_host: GX commands, the
//   words of triglyph_n3ds_ipc, register words, arguments of hypervisor calls, buffers of ioctls, GPFIFO and remap
//   entries, the payload of triglyph_submit. They are copied before the call does anything, answers are stored at its
//   end. GSP's shared page may be mapped as well. No other input or output may be in such memory.
// * Structures that begin with a size are of the version that the size says: set it to sizeof, the rest to zero or with
//   the function that fills in the defaults. That holds for outputs as well: the library writes no more than the caller
//   has room for, and of an array the first structure's size is the distance from each to the next. Fields that only
//   the caller knows have to be 0, or are made 0. Structures that a callback gets have the library's size.
// * Numbers of an enumeration are passed as uint32_t, reserved fields are 0.
// * Calls of the consoles' systems and of their hosts are those of docs/reference/calls.md. `result`, where there is
//   one, is what the guest is told: a triglyph_rsx_result, a triglyph_tegra_result, or a result code of the 3DS; other
//   outputs are 0 where it is not 0.
// * A forked process has none of the library's threads. All that it may do with handles from before is to destroy them;
//   a device that a worker had is TRIGLYPH_STATUS_BUSY then, and stays.
// * Nothing throws or unwinds into the caller. After TRIGLYPH_STATUS_PANIC a handle can only be destroyed.
// * Text is UTF-8 and ends with 0.
//
// docs/embedding/overview.md is the guide.

#ifndef TRIGLYPH_H
#define TRIGLYPH_H

#include "triglyph_common.h"
#include "triglyph_n3ds.h"
#include "triglyph_rsx.h"
#include "triglyph_tegra.h"

#endif // TRIGLYPH_H
