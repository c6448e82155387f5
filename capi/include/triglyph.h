// Triglyph: the GPUs of three consoles as a library. The C interface.
//
// Made from the sources in capi/src; do not edit.
//
// What holds for all of it:
//
// * Functions return a triglyph_status. Where it is not TRIGLYPH_STATUS_OK, outputs are unspecified and
//   triglyph_last_error() has the reason as text, for each thread its own. What guests do wrong is no error: faults are
//   counted, and calls of a console's system have the guest's result as an output.
// * Handles belong to whoever called the function that makes them, and go with the function that destroys them. Any
//   thread may use a device, but one at a time: a call during another one is TRIGLYPH_STATUS_BUSY, and so is a call
//   from one of its callbacks. Timelines, captures, pictures and buffers may be used by many threads at a time.
// * Pointers are null or valid for what the function says, during the call. Input is not changed and output not read
//   meanwhile by others. Outputs may be null where they are not needed, unless that is all that a function does; then
//   null is TRIGLYPH_STATUS_NULL_POINTER. No input or output may be in memory that is mapped with triglyph_map_host.
// * Structures that begin with a size are of the version that the size says: set it to sizeof, the rest to zero or with
//   the function that fills in the defaults. Numbers of an enumeration are passed as uint32_t, reserved fields are 0.
// * A forked process has none of the library's threads. All that it may do with handles from before is to destroy them;
//   a device that a worker had is TRIGLYPH_STATUS_BUSY then, and stays.
// * Nothing throws or unwinds into the caller. After TRIGLYPH_STATUS_PANIC a handle can only be destroyed.
// * Text is UTF-8 and ends with 0.
//
// docs/embedding.md is the guide.

#ifndef TRIGLYPH_H
#define TRIGLYPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The version of this header's interface. Versions with the same number are compatible: functions and constants are
/// only added, and fields only at the end of structures that begin with their size.
#define TRIGLYPH_ABI_VERSION 1

/// The GPU may read a range. The host may always read and write.
#define TRIGLYPH_ACCESS_READ 1

/// The GPU may write a range.
#define TRIGLYPH_ACCESS_WRITE 2

/// Both.
#define TRIGLYPH_ACCESS_READ_WRITE 3

/// Leaves guest memory out of a snapshot: the host saves it, and puts it back before it restores.
#define TRIGLYPH_SNAPSHOT_WITHOUT_MEMORY 1

/// Does not compress the snapshot, for hosts that compress it themselves or keep it in memory.
#define TRIGLYPH_SNAPSHOT_UNCOMPRESSED 2

/// Ticks of the main processor's clock in a second, in which estimates of time are given.
#define TRIGLYPH_N3DS_TICKS_PER_SECOND 268111856

/// Clients that there can be.
#define TRIGLYPH_N3DS_CLIENTS 4

/// The address space of local memory.
#define TRIGLYPH_RSX_SPACE_LOCAL 0

/// The address space of main memory as the GPU sees it, by IO offsets; `triglyph_rsx_context_iomap` maps there.
#define TRIGLYPH_RSX_SPACE_MAIN 1

/// The address space of the hypervisor's pages, by the addresses that its calls return. What the host has mapped there
/// before a call is used; otherwise the call maps memory of the library's own.
#define TRIGLYPH_RSX_SPACE_PAGES 2

/// The address space of main memory, by the addresses that guests pass to the hypervisor; the host maps it.
#define TRIGLYPH_RSX_SPACE_XDR 3

/// The context's IO space has pages of 64 KiB instead of 1 MiB.
#define TRIGLYPH_RSX_CONTEXT_SMALL_PAGES 2

/// The push buffer is in local memory.
#define TRIGLYPH_RSX_CONTEXT_LOCAL_PUSH_BUFFER 16

/// Makes the DMA object of reports in main memory.
#define TRIGLYPH_RSX_CONTEXT_MAIN_REPORTS 32

/// The IO space has 512 MiB instead of 256.
#define TRIGLYPH_RSX_CONTEXT_LARGE_IO_SPACE 1024

/// The GPU may write what `triglyph_rsx_context_iomap` maps.
#define TRIGLYPH_RSX_IOMAP_WRITE 9223372036854775808ull

/// The GPU may read it.
#define TRIGLYPH_RSX_IOMAP_READ 4611686018427387904

/// The address space of the process's own memory, by the addresses that it passes to the driver; the host maps it.
#define TRIGLYPH_TEGRA_SPACE_PROCESS 1

/// A parameter of a handle: bytes.
#define TRIGLYPH_TEGRA_PARAM_SIZE 1

/// Alignment.
#define TRIGLYPH_TEGRA_PARAM_ALIGNMENT 2

/// Base.
#define TRIGLYPH_TEGRA_PARAM_BASE 3

/// Heap mask.
#define TRIGLYPH_TEGRA_PARAM_HEAP 4

/// Page kind.
#define TRIGLYPH_TEGRA_PARAM_KIND 5

/// Compression.
#define TRIGLYPH_TEGRA_PARAM_COMPRESSION 6

/// The caller names the address, which is in allocated space.
#define TRIGLYPH_TEGRA_MAP_FIXED 1

/// Caches; without visible effect.
#define TRIGLYPH_TEGRA_MAP_CACHEABLE 4

/// Changes the kind of what is mapped.
#define TRIGLYPH_TEGRA_MAP_MODIFY 256

/// The kind that says: that of the handle.
#define TRIGLYPH_TEGRA_DEFAULT_KIND 4294967295

/// The caller names the address of the space to allocate.
#define TRIGLYPH_TEGRA_SPACE_FIXED 1

/// All of the space reads 0 and swallows writes until something is mapped there.
#define TRIGLYPH_TEGRA_SPACE_SPARSE 2

/// The work begins when the given fence has been reached.
#define TRIGLYPH_TEGRA_SUBMIT_FENCE_WAIT 1

/// The channel's syncpoint counts the end of the work.
#define TRIGLYPH_TEGRA_SUBMIT_FENCE_GET 2

/// Fences are syncpoints.
#define TRIGLYPH_TEGRA_SUBMIT_HARDWARE_FORMAT 4

/// The end does not wait for the engines.
#define TRIGLYPH_TEGRA_SUBMIT_SUPPRESS_WFI 16

/// The value of the given fence says how often the work itself counts the channel's syncpoint.
#define TRIGLYPH_TEGRA_SUBMIT_INCREMENT_VALUE 256

/// Reads finished pictures.
#define TRIGLYPH_CHECK_PICTURES 1

/// Compares them with what the capture expects; needs `TRIGLYPH_CHECK_PICTURES`.
#define TRIGLYPH_CHECK_EXPECTATIONS 2

/// Checks hashes of memory.
#define TRIGLYPH_CHECK_HASHES 4

/// How a call ended. Everything but `TRIGLYPH_STATUS_OK` is an error of the caller, of a file or of this library; what
/// the guest does wrong is a fault, or a result beside the status, never a status.
enum triglyph_status
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /// Done.
  TRIGLYPH_STATUS_OK = 0,
  /// A pointer is null that may not be.
  TRIGLYPH_STATUS_NULL_POINTER = 1,
  /// An argument that is not accepted: a number without a meaning, text that is not UTF-8, a misaligned pointer.
  TRIGLYPH_STATUS_INVALID_ARGUMENT = 2,
  /// The size of a structure is not one of any version, or an array is larger than memory.
  TRIGLYPH_STATUS_BAD_SIZE = 3,
  /// The caller named guest memory that is not all mapped.
  TRIGLYPH_STATUS_UNMAPPED = 4,
  /// Something that this machine, this build, this host or this version cannot do.
  TRIGLYPH_STATUS_UNSUPPORTED = 5,
  /// A snapshot that is broken, of another version or of another machine.
  TRIGLYPH_STATUS_BAD_SNAPSHOT = 6,
  /// A file that is no capture, or a record of one that is malformed or was refused.
  TRIGLYPH_STATUS_BAD_CAPTURE = 7,
  /// A file could not be read or written.
  TRIGLYPH_STATUS_IO = 8,
  /// Another call works with the handle: on another thread, or the caller is a callback of it.
  TRIGLYPH_STATUS_BUSY = 9,
  /// An earlier call panicked while it had the handle: it can only be destroyed.
  TRIGLYPH_STATUS_POISONED = 10,
  /// This call panicked, which is a bug of this library.
  TRIGLYPH_STATUS_PANIC = 11,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum triglyph_status triglyph_status;
#else
typedef int32_t triglyph_status;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// Which tier serves kernel calls.
enum triglyph_tier
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /// The interpreter at once, compiled code as soon as there is some.
  TRIGLYPH_TIER_AUTO = 0,
  /// The interpreter only.
  TRIGLYPH_TIER_INTERPRETER = 1,
  /// Compiled code from the first call on: callers wait for the compiler.
  TRIGLYPH_TIER_JIT = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum triglyph_tier triglyph_tier;
#else
typedef uint32_t triglyph_tier;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// How near to the console the arithmetic of programs is.
enum triglyph_accuracy
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /// Without what pictures do not show and processors do slowly.
  TRIGLYPH_ACCURACY_FAST = 0,
  /// What is known of the hardware; on the PS3 registers, instance memory and channel switching as well.
  TRIGLYPH_ACCURACY_EXACT = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum triglyph_accuracy triglyph_accuracy;
#else
typedef uint32_t triglyph_accuracy;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// The machines, numbered as in captures.
enum triglyph_machine
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /// Nintendo 3DS.
  TRIGLYPH_MACHINE_N3DS = 1,
  /// PlayStation 3.
  TRIGLYPH_MACHINE_PS3 = 2,
  /// Tegra X1, the Switch's.
  TRIGLYPH_MACHINE_TEGRA_X1 = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum triglyph_machine triglyph_machine;
#else
typedef uint32_t triglyph_machine;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// What has happened. The fields of an event that each kind has are named here; the others are 0.
enum triglyph_event_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /// A kind that this version cannot describe.
  TRIGLYPH_EVENT_KIND_UNKNOWN = 0,
  /// An interrupt of the guest's processor: `source` as the machine numbers them (a GSP interrupt on the 3DS, new
  /// bits of PFIFO_INTR on the PS3, 0 on the Tegra X1), `count`, `delay`.
  TRIGLYPH_EVENT_KIND_INTERRUPT = 1,
  /// A fence that somebody waits for was reached: `slot`, `counter` (the syncpoint), `value`.
  TRIGLYPH_EVENT_KIND_FENCE = 2,
  /// A display has begun to show a frame: `context`, `head`.
  TRIGLYPH_EVENT_KIND_VBLANK = 3,
  /// As before, for the second handler of the PS3's driver: `context`, `head`.
  TRIGLYPH_EVENT_KIND_SECOND_VBLANK = 4,
  /// A display shows another buffer: `context`, `head`, `buffer`, `offset`.
  TRIGLYPH_EVENT_KIND_FLIP = 5,
  /// A buffer waits to be shown: `context`, `head`, `buffer`.
  TRIGLYPH_EVENT_KIND_QUEUE = 6,
  /// A user command was executed: `context`, `value`.
  TRIGLYPH_EVENT_KIND_USER_COMMAND = 7,
  /// The pusher of a channel met an error and has stopped: `channel`, `error`.
  TRIGLYPH_EVENT_KIND_GRAPHICS_ERROR = 8,
  /// The GPU touched an IO address that is not mapped: `address`.
  TRIGLYPH_EVENT_KIND_UNMAPPED_IO = 9,
  /// A method of the software engine that no driver or handler has executed: `channel`, `subchannel`, `method`,
  /// `value`.
  TRIGLYPH_EVENT_KIND_SOFTWARE = 10,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum triglyph_event_kind triglyph_event_kind;
#else
typedef uint32_t triglyph_event_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// The kinds of trouble a guest can make.
enum triglyph_fault_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /// A read from memory that is not mapped or not readable; it yields zeros.
  TRIGLYPH_FAULT_KIND_UNMAPPED_READ = 0,
  /// A write to memory that is not mapped or not writable; it is dropped.
  TRIGLYPH_FAULT_KIND_UNMAPPED_WRITE = 1,
  /// A command word, header or submission that makes no sense.
  TRIGLYPH_FAULT_KIND_BAD_COMMAND = 2,
  /// A register or method that does not exist, or a value that it does not take.
  TRIGLYPH_FAULT_KIND_BAD_METHOD = 3,
  /// A shader instruction that does not exist, or a program that cannot be entered.
  TRIGLYPH_FAULT_KIND_BAD_SHADER = 4,
  /// A program, list or macro that ran longer than it may.
  TRIGLYPH_FAULT_KIND_OUT_OF_FUEL = 5,
  /// Something real that is not emulated yet.
  TRIGLYPH_FAULT_KIND_UNIMPLEMENTED = 6,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum triglyph_fault_kind triglyph_fault_kind;
#else
typedef uint32_t triglyph_fault_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// How much a line of the log matters.
enum triglyph_log_level
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /// A bug of this library that it has recovered from: the compiler panicked on a kernel.
  TRIGLYPH_LOG_LEVEL_ERROR = 0,
  /// Something that the host asked for is not done: the key file is not used, is damaged, or was not written.
  TRIGLYPH_LOG_LEVEL_WARNING = 1,
  /// Something is slower than it could be: the interpreter serves a kernel or calls of it, and why.
  TRIGLYPH_LOG_LEVEL_INFORMATION = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum triglyph_log_level triglyph_log_level;
#else
typedef uint32_t triglyph_log_level;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// Why a bounded run returned.
enum triglyph_run_end
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /// A reason that this version cannot describe.
  TRIGLYPH_RUN_END_UNKNOWN = 0,
  /// Everything that was submitted is done, and its results are in guest memory.
  TRIGLYPH_RUN_END_DONE = 1,
  /// Nothing can go on before somebody else has acted: `waiting` says on what.
  TRIGLYPH_RUN_END_WAITING = 2,
  /// The limit is reached, and there is more to do.
  TRIGLYPH_RUN_END_BUDGET_USED = 3,
  /// `triglyph_interrupt` was called; there may be more to do. What was drawn last may not be in guest memory yet.
  TRIGLYPH_RUN_END_INTERRUPTED = 4,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum triglyph_run_end triglyph_run_end;
#else
typedef uint32_t triglyph_run_end;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// What is waited for.
enum triglyph_waiting_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /// Nothing, or what this version cannot describe.
  TRIGLYPH_WAITING_KIND_NONE = 0,
  /// The word at `address` in `space` is to have a value: `value` is what it is compared with.
  TRIGLYPH_WAITING_KIND_SEMAPHORE = 1,
  /// `counter`, on the Tegra X1 a syncpoint, is to reach `value`, modulo 2^32.
  TRIGLYPH_WAITING_KIND_COUNTER = 2,
  /// A push buffer jumps to itself, at offset `address`, until its owner overwrites the jump.
  TRIGLYPH_WAITING_KIND_PUSH_BUFFER = 3,
  /// The channel stands still because of an error, or because the guest's own interrupt handler has to act. On the
  /// 3DS commands are in the queue of client `channel`, which was halted or has not the rendering right.
  TRIGLYPH_WAITING_KIND_PROCESSOR = 4,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum triglyph_waiting_kind triglyph_waiting_kind;
#else
typedef uint32_t triglyph_waiting_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// What the GPU's units raise, numbered as GSP's clients see them.
enum triglyph_n3ds_interrupt
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /// Memory fill unit 0 has finished.
  TRIGLYPH_N3DS_INTERRUPT_PSC0 = 0,
  /// Memory fill unit 1 has finished.
  TRIGLYPH_N3DS_INTERRUPT_PSC1 = 1,
  /// VBlank of the top screen.
  TRIGLYPH_N3DS_INTERRUPT_PDC0 = 2,
  /// VBlank of the bottom screen.
  TRIGLYPH_N3DS_INTERRUPT_PDC1 = 3,
  /// The transfer engine has finished.
  TRIGLYPH_N3DS_INTERRUPT_PPF = 4,
  /// A command list has finished.
  TRIGLYPH_N3DS_INTERRUPT_P3D = 5,
  /// A DMA request has finished.
  TRIGLYPH_N3DS_INTERRUPT_DMA = 6,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum triglyph_n3ds_interrupt triglyph_n3ds_interrupt;
#else
typedef uint32_t triglyph_n3ds_interrupt;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// The screens, numbered as in GSP's calls.
enum triglyph_n3ds_screen
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /// The upper, wide one; it can show a picture for each eye.
  TRIGLYPH_N3DS_SCREEN_TOP = 0,
  /// The lower, touch-sensitive one.
  TRIGLYPH_N3DS_SCREEN_BOTTOM = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum triglyph_n3ds_screen triglyph_n3ds_screen;
#else
typedef uint32_t triglyph_n3ds_screen;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// What GX commands that do not check addresses do with bad ones.
enum triglyph_n3ds_bad_address
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /// They take physical address 0 instead.
  TRIGLYPH_N3DS_BAD_ADDRESS_ZERO = 0,
  /// They fail.
  TRIGLYPH_N3DS_BAD_ADDRESS_FAIL = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum triglyph_n3ds_bad_address triglyph_n3ds_bad_address;
#else
typedef uint32_t triglyph_n3ds_bad_address;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// What happens when a transfer meets a case in which the hardware freezes.
enum triglyph_n3ds_freeze_policy
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /// Nothing is copied and the transfer completes.
  TRIGLYPH_N3DS_FREEZE_POLICY_COMPLETE = 0,
  /// Nothing is copied, the unit stays busy for good and no interrupt comes.
  TRIGLYPH_N3DS_FREEZE_POLICY_HANG = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum triglyph_n3ds_freeze_policy triglyph_n3ds_freeze_policy;
#else
typedef uint32_t triglyph_n3ds_freeze_policy;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// What asking for the rendering right came to.
enum triglyph_n3ds_acquire
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /// The caller has it now.
  TRIGLYPH_N3DS_ACQUIRE_GRANTED = 0,
  /// The caller had it before.
  TRIGLYPH_N3DS_ACQUIRE_ALREADY_HELD = 1,
  /// Another has it; the caller waits in line, and turns up in `triglyph_n3ds_take_granted`.
  TRIGLYPH_N3DS_ACQUIRE_WAITING = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum triglyph_n3ds_acquire triglyph_n3ds_acquire;
#else
typedef uint32_t triglyph_n3ds_acquire;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// What the hypervisor's calls answer in r3.
enum triglyph_rsx_result
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /// Done.
  TRIGLYPH_RSX_RESULT_SUCCESS = 0,
  /// Something is used up.
  TRIGLYPH_RSX_RESULT_RESOURCE_SHORTAGE = -2,
  /// The caller may not.
  TRIGLYPH_RSX_RESULT_NO_PRIVILEGE = -3,
  /// There is no such thing.
  TRIGLYPH_RSX_RESULT_NO_ENTRY = -6,
  /// It is there already.
  TRIGLYPH_RSX_RESULT_DUPLICATE_ENTRY = -7,
  /// It is in use.
  TRIGLYPH_RSX_RESULT_BUSY = -9,
  /// Not in this state.
  TRIGLYPH_RSX_RESULT_WRONG_STATE = -11,
  /// A value that is not supported.
  TRIGLYPH_RSX_RESULT_UNSUPPORTED_PARAMETER_VALUE = -15,
  /// A value that makes no sense.
  TRIGLYPH_RSX_RESULT_ILLEGAL_PARAMETER_VALUE = -17,
  /// An address or a size that is not aligned.
  TRIGLYPH_RSX_RESULT_ALIGNMENT_ERROR = -23,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum triglyph_rsx_result triglyph_rsx_result;
#else
typedef int32_t triglyph_rsx_result;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// What the driver's calls answer the guest.
enum triglyph_tegra_result
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /// Done.
  TRIGLYPH_TEGRA_RESULT_SUCCESS = 0,
  /// There is no such call.
  TRIGLYPH_TEGRA_RESULT_NOT_IMPLEMENTED = 1,
  /// Not for this device.
  TRIGLYPH_TEGRA_RESULT_NOT_SUPPORTED = 2,
  /// The address space was not initialised.
  TRIGLYPH_TEGRA_RESULT_NOT_INITIALIZED = 3,
  /// A parameter that no call takes.
  TRIGLYPH_TEGRA_RESULT_BAD_PARAMETER = 4,
  /// It has not happened yet.
  TRIGLYPH_TEGRA_RESULT_TIMEOUT = 5,
  /// No room.
  TRIGLYPH_TEGRA_RESULT_INSUFFICIENT_MEMORY = 6,
  /// Not now.
  TRIGLYPH_TEGRA_RESULT_INVALID_STATE = 8,
  /// Memory that is not there.
  TRIGLYPH_TEGRA_RESULT_INVALID_ADDRESS = 9,
  /// A size that cannot be.
  TRIGLYPH_TEGRA_RESULT_INVALID_SIZE = 10,
  /// A value that cannot be.
  TRIGLYPH_TEGRA_RESULT_BAD_VALUE = 11,
  /// It exists already.
  TRIGLYPH_TEGRA_RESULT_ALREADY_ALLOCATED = 13,
  /// Others use it.
  TRIGLYPH_TEGRA_RESULT_BUSY = 14,
  /// There is no such setting.
  TRIGLYPH_TEGRA_RESULT_NO_CONFIGURATION = 196614,
  /// There is no such device, or no file of this number.
  TRIGLYPH_TEGRA_RESULT_NO_FILE = 196627,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum triglyph_tegra_result triglyph_tegra_result;
#else
typedef uint32_t triglyph_tegra_result;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// Pixel formats of pictures.
enum triglyph_format
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /// 4 bytes: A, B, G, R.
  TRIGLYPH_FORMAT_RGBA8 = 1,
  /// 3 bytes: B, G, R.
  TRIGLYPH_FORMAT_BGR8 = 2,
  /// 16 bits: R 15:11, G 10:5, B 4:0.
  TRIGLYPH_FORMAT_RGB565 = 3,
  /// 16 bits: R 15:11, G 10:6, B 5:1, A 0.
  TRIGLYPH_FORMAT_RGB5A1 = 4,
  /// 16 bits: R 15:12, G 11:8, B 7:4, A 3:0.
  TRIGLYPH_FORMAT_RGBA4 = 5,
  /// 32 bits: A 31:24, R 23:16, G 15:8, B 7:0.
  TRIGLYPH_FORMAT_A8R8G8B8 = 6,
  /// 32 bits: A 31:24, B 23:16, G 15:8, R 7:0.
  TRIGLYPH_FORMAT_A8B8G8R8 = 7,
  /// Four 16-bit floats, R first.
  TRIGLYPH_FORMAT_R16G16B16A16F = 8,
  /// As `TRIGLYPH_FORMAT_A8R8G8B8` without alpha.
  TRIGLYPH_FORMAT_X8R8G8B8 = 9,
  /// As `TRIGLYPH_FORMAT_A8B8G8R8` without alpha.
  TRIGLYPH_FORMAT_X8B8G8R8 = 10,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum triglyph_format triglyph_format;
#else
typedef uint32_t triglyph_format;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// How pixels are arranged.
enum triglyph_layout
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /// Rows of `pitch` bytes, top row first.
  TRIGLYPH_LAYOUT_TOP_FIRST = 0,
  /// Rows of `pitch` bytes, bottom row first.
  TRIGLYPH_LAYOUT_BOTTOM_FIRST = 1,
  /// A 3DS screen: columns of `pitch` bytes, each from the bottom up.
  TRIGLYPH_LAYOUT_LCD = 2,
  /// Tegra block-linear, top row first; bits 8 to 15 of the number are log2 of the block height in GOBs.
  TRIGLYPH_LAYOUT_BLOCK_LINEAR = 3,
  /// Tegra block-linear, bottom row first.
  TRIGLYPH_LAYOUT_BLOCK_LINEAR_BOTTOM_FIRST = 4,
  /// RSX swizzled, top row first.
  TRIGLYPH_LAYOUT_SWIZZLED = 5,
  /// RSX swizzled, bottom row first.
  TRIGLYPH_LAYOUT_SWIZZLED_BOTTOM_FIRST = 6,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum triglyph_layout triglyph_layout;
#else
typedef uint32_t triglyph_layout;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// The host's format of pixels.
enum triglyph_host_format
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /// Bytes R, G, B, A.
  TRIGLYPH_HOST_FORMAT_RGBA8 = 1,
  /// Bytes B, G, R, A.
  TRIGLYPH_HOST_FORMAT_BGRA8 = 2,
  /// 16 bits, low byte first: R 15:11, G 10:5, B 4:0.
  TRIGLYPH_HOST_FORMAT_RGB565 = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum triglyph_host_format triglyph_host_format;
#else
typedef uint32_t triglyph_host_format;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// What a player has come to.
enum triglyph_play_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /// The capture is at its end, and everything that was submitted has finished.
  TRIGLYPH_PLAY_KIND_END = 0,
  /// Work was handed to the device.
  TRIGLYPH_PLAY_KIND_SUBMITTED = 1,
  /// A picture is finished; the player has it until it goes on.
  TRIGLYPH_PLAY_KIND_PICTURE = 2,
  /// A hash was checked.
  TRIGLYPH_PLAY_KIND_HASH = 3,
  /// Something that this version cannot describe.
  TRIGLYPH_PLAY_KIND_OTHER = 4,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum triglyph_play_kind triglyph_play_kind;
#else
typedef uint32_t triglyph_play_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// Bytes that belong to the host: a snapshot, a PNG file. They do not change, so any number of threads may read them.
typedef struct triglyph_buffer triglyph_buffer;

/// A capture that was opened. It does not change: any number of threads and players may use it.
typedef struct triglyph_capture triglyph_capture;

/// What all machines have. Made by `triglyph_device_create`, or borrowed from a machine's own handle.
typedef struct triglyph_device triglyph_device;

/// Interrupts the bounded runs of a device. All threads may use it at any time, also while calls on the device are
/// under way and after it is gone.
typedef struct triglyph_interrupter triglyph_interrupter;

/// A Nintendo 3DS's GPU: PICA200, transfer engine, LCD registers, GSP.
///
/// Its address space 0 has physical addresses: VRAM at 0x18000000, main memory at 0x20000000, which the host maps.
typedef struct triglyph_n3ds triglyph_n3ds;

/// A picture: RGBA, 8 bits a channel, top row first. It does not change, so any number of threads may read it.
typedef struct triglyph_picture triglyph_picture;

/// One run through a capture. One call at a time uses it.
typedef struct triglyph_player triglyph_player;

/// What was presented to some rows last, so that the next time it is known whether there is anything new. Rows that get
/// pictures by turns have one each. One call at a time may use it.
typedef struct triglyph_presented triglyph_presented;

/// A PlayStation 3's GPU, and the hypervisor's calls in front of it. Everything in its guest memory is big-endian;
/// arguments and results of calls are plain numbers of the host.
typedef struct triglyph_rsx triglyph_rsx;

/// A Tegra X1's GPU, and the Switch's driver (nvdrv) in front of it.
typedef struct triglyph_tegra triglyph_tegra;

/// Counts the work of a device: submissions are numbered from 1, and each is complete once its results are in guest
/// memory; events, and counters of the guest's, as they change. All threads may use it at any time, also while calls on
/// the device are under way and after it is gone.
typedef struct triglyph_timeline triglyph_timeline;

/// A device on a thread of its own. Any number of threads may use a worker at the same time.
///
/// The host gives it commands: functions that the thread calls one after the other, in the order in which they were
/// sent. They make whatever calls on the device are wanted; on other threads these are `TRIGLYPH_STATUS_BUSY` while the
/// worker has the device. Submissions are deferred (`triglyph_set_deferred`): the thread does their work in bounded
/// runs between commands, and a command that is sent interrupts the run. Results are waited for with
/// `triglyph_worker_call`, `triglyph_worker_wait` and `triglyph_worker_wait_idle`, or on the timeline.
typedef struct triglyph_worker triglyph_worker;

/// A job for a thread of the host's. It may be called at any time, also after the device is gone, and does not block.
typedef void (*triglyph_job)(void *argument);

/// Has `job(argument)` called once, on one of the host's threads, soon: it takes part in the work of the call that is
/// under way on a device. The call does not wait for jobs to begin, so one that comes late finds nothing to do; one
/// that is never called leaks some memory. It is called on threads that make calls on the device, and by several at a
/// time if devices have it in common. It must not throw or jump out.
typedef void (*triglyph_execute_callback)(void *user_data, triglyph_job job, void *argument);

/// How a machine is set up. Fill it with `triglyph_options_init` first, then change what is to be different. A null
/// pointer in place of it means the defaults. The library keeps no pointer into it.
typedef struct triglyph_options {
  /// Bytes of this structure as the caller knows it: `sizeof(triglyph_options)`.
  uint32_t size;
  /// A `triglyph_tier`.
  uint32_t tier;
  /// Threads, the caller's included, at most 1024; 0 takes one for each core. With `execute` so many of the host's
  /// work at a time.
  uint32_t threads;
  /// A `triglyph_accuracy`.
  uint32_t accuracy;
  /// How often packets of a push buffer or command list come with the same headers before they are compiled as one
  /// packet trace: 1 for at once, 0 for never.
  uint32_t packet_traces;
  /// 0.
  uint32_t reserved;
  /// Machine code that may be kept, in bytes.
  uint64_t code_budget;
  /// Path (UTF-8) of a file that remembers which kernels were needed, so that the next start compiles them in the
  /// background; made when it is not there, with its folder. Null for none. Devices and processes may share one.
  const char *key_file;
  /// Bytes beyond which the least used keys of that file are forgotten.
  uint64_t key_file_limit;
  /// A job system of the host's that draws instead of threads of the library's, or null.
  triglyph_execute_callback execute;
  /// What `execute` is called with. It has to stay valid until the device is destroyed.
  void *execute_user_data;
  /// What one submission may cost before the guest counts as running away, in units of fuel (a unit is about a
  /// nanosecond of a core that runs compiled code); what does not fit is not done. Bounded runs do all.
  uint64_t fuel;
} triglyph_options;

/// Bytes of guest memory in an address space.
typedef struct triglyph_range {
  /// The address space: 0 on the 3DS (physical addresses); `TRIGLYPH_RSX_SPACE_LOCAL` and the others on the PS3; on
  /// the Tegra X1 0 for captures, `TRIGLYPH_TEGRA_SPACE_PROCESS`, and those that the driver opens.
  uint32_t space;
  /// 0.
  uint32_t reserved;
  /// First byte.
  uint64_t address;
  /// Bytes.
  uint64_t size;
} triglyph_range;

/// A mapped range.
typedef struct triglyph_mapping {
  /// Where.
  triglyph_range range;
  /// `TRIGLYPH_ACCESS_READ`, `TRIGLYPH_ACCESS_WRITE`.
  uint32_t access;
  /// 0.
  uint32_t reserved;
} triglyph_mapping;

/// Hears of what the GPU has written, in whole pages of 4 KiB, each once, on the thread that makes the call which has
/// done the work, before that returns. It must not block for long and not throw or jump out; calls on the same device
/// return `TRIGLYPH_STATUS_BUSY`.
typedef void (*triglyph_written_callback)(void *user_data, const triglyph_range *range);

/// Something that happened in a device and concerns the host or the guest's processor.
typedef struct triglyph_event {
  /// A `triglyph_event_kind`: it says which fields mean something.
  uint32_t kind;
  /// Which interrupt.
  uint32_t source;
  /// Whose display: the handle of an LV1 context, 0 on other machines.
  uint32_t context;
  /// Number of the display; on the 3DS 0 the top and 1 the bottom screen.
  uint32_t head;
  /// Number of the buffer.
  uint32_t buffer;
  /// Where the buffer begins: an offset in local memory on the PS3, a physical address on the 3DS.
  uint32_t offset;
  /// What waits for the fence: the slot of the event.
  uint32_t slot;
  /// The syncpoint of the fence.
  uint32_t counter;
  /// The value of the fence, the parameter of the user command, the data of the method.
  uint32_t value;
  /// The channel.
  uint32_t channel;
  /// The subchannel.
  uint32_t subchannel;
  /// Byte address of the method in the subchannel.
  uint32_t method;
  /// The hardware's number of the error.
  uint32_t error;
  /// 0.
  uint32_t reserved;
  /// How many interrupts, at least 1.
  uint64_t count;
  /// Nanoseconds from the call that caused the interrupt until the hardware would raise it: an estimate, 0 without.
  uint64_t delay;
  /// The IO address as the GPU sees it.
  uint64_t address;
} triglyph_event;

/// Hears of each event, oldest first, on the thread that makes the call in which it has happened, before that returns:
/// on a worker's thread after each of its slices. It must not block for long and not throw or jump out; calls on the
/// same device return `TRIGLYPH_STATUS_BUSY`, but commands may be sent to a worker with `triglyph_worker_try_send`.
typedef void (*triglyph_event_callback)(void *user_data, const triglyph_event *event);

/// One thing that the guest got wrong.
typedef struct triglyph_fault {
  /// A `triglyph_fault_kind`.
  uint32_t kind;
  /// 0.
  uint32_t reserved;
  /// The guest address, register or method concerned.
  uint64_t address;
  /// Where in the command stream: the byte offset in its list, or the address of the command word.
  uint64_t command;
  /// What happened, for people; UTF-8. The call that gave the fault says how long it is valid.
  const char *what;
} triglyph_fault;

/// Hears of each fault as it happens, on the thread that makes the call in which it does. The fault and its text are
/// valid during the callback. It must not block for long and not throw or jump out; calls on the same device return
/// `TRIGLYPH_STATUS_BUSY`.
typedef void (*triglyph_fault_callback)(void *user_data, const triglyph_fault *fault);

/// Hears of each line for the host's log, with its `triglyph_log_level`. The line has no line break at its end and is
/// valid during the callback. Lines come one at a time, from the thread that makes a call or from the compiler's. The
/// callback must not block for long, not throw or jump out, and make no calls on any handle of the device.
typedef void (*triglyph_log_callback)(void *user_data, uint32_t level, const char *line);

/// What a device has done since it was made: counters that only grow, times in nanoseconds, added up over all threads.
typedef struct triglyph_stats {
  /// Bytes of this structure as the caller knows it: `sizeof(triglyph_stats)`.
  uint32_t size;
  /// 0.
  uint32_t reserved;
  /// Draw calls.
  uint64_t draws;
  /// Vertices shaded.
  uint64_t vertices;
  /// Triangles set up, after clipping.
  uint64_t triangles;
  /// 8x8 blocks of pixels handed to pixel kernels.
  uint64_t pixel_blocks;
  /// Times that the kernel of a state was looked up.
  uint64_t kernel_lookups;
  /// Look-ups that found the kernel ready.
  uint64_t kernel_hits;
  /// Kernels of keys that were in the key file at the start.
  uint64_t kernels_recalled;
  /// Kernels compiled; one that tiered up counts twice.
  uint64_t kernels_compiled;
  /// Kernels compiled again by the optimizing tier.
  uint64_t kernels_tiered_up;
  /// Keys that the compiler does not support: the interpreter serves them.
  uint64_t kernels_unsupported;
  /// Kernels removed to make room for others.
  uint64_t kernels_evicted;
  /// Kernels in the cache now.
  uint64_t kernels_cached;
  /// Machine code held now, in bytes.
  uint64_t code_bytes;
  /// Times that the key file could not be written.
  uint64_t key_file_errors;
  /// Kernel calls that the interpreter served.
  uint64_t interpreter_calls;
  /// Kernel calls that compiled code served.
  uint64_t compiled_calls;
  /// Runs of compiled packet traces.
  uint64_t packet_trace_runs;
  /// Words of push buffers in them.
  uint64_t packet_trace_words;
  /// Time spent compiling.
  uint64_t compile_time;
  /// Time spent on command words, registers, state.
  uint64_t front_end_time;
  /// Time spent fetching and shading vertices.
  uint64_t vertex_time;
  /// Time spent on clipping, viewport, edge equations, binning.
  uint64_t setup_time;
  /// Time spent on coverage and pixel kernels.
  uint64_t raster_time;
  /// Time spent on fills, copies, conversions.
  uint64_t transfer_time;
  /// Time spent decoding textures.
  uint64_t texture_time;
  /// Jobs of the compiler's thread that panicked, which is a bug of this library: their kernels are not compiled, or
  /// not again.
  uint64_t compiler_panics;
  /// Of the kernels compiled, those with vectors of 256 bits.
  uint64_t kernels_wide;
  /// Of the kernels compiled, those with loops that do one iteration at a time or have vectors of 128 bits, on a host
  /// with 256. Each is logged with the reason.
  uint64_t kernels_not_widened;
} triglyph_stats;

/// What the key file gave when the device was made.
typedef struct triglyph_warm_start {
  /// Keys whose kernels are compiled in the background.
  uint64_t keys;
  /// Records that were damaged or of another version and were skipped.
  uint64_t damaged;
  /// Whole records that are not keys of this version.
  uint64_t undecodable;
  /// Why the file cannot be read or written, in which case it is not used; null if it can. Valid until the next call
  /// of this function, or the device is destroyed.
  const char *error;
} triglyph_warm_start;

/// How much one bounded run may do: what is used up first ends it, between two commands.
typedef struct triglyph_run_limit {
  /// Nanoseconds of the machine's time, which are estimates of what the work takes the console; UINT64_MAX for any.
  uint64_t nanoseconds;
  /// Words of push buffers and command lists; UINT64_MAX for any.
  uint64_t words;
} triglyph_run_limit;

/// What a device waits for. Fields that a kind does not name are 0.
typedef struct triglyph_waiting {
  /// A `triglyph_waiting_kind`.
  uint32_t kind;
  /// The channel; if several wait, the first of them.
  uint32_t channel;
  /// The address space.
  uint32_t space;
  /// The counter.
  uint32_t counter;
  /// The value that is waited for.
  uint32_t value;
  /// 0.
  uint32_t reserved;
  /// The address or offset.
  uint64_t address;
} triglyph_waiting;

/// How a worker works. Fill it with `triglyph_worker_options_init` first.
typedef struct triglyph_worker_options {
  /// Bytes of this structure as the caller knows it: `sizeof(triglyph_worker_options)`.
  uint32_t size;
  /// Commands that may wait in the queue, at least 1: senders wait for room beyond them.
  uint32_t capacity;
  /// How much is done between two looks at the queue. A command that is sent interrupts the run, so this is no
  /// latency of commands; it is one of the event callback.
  triglyph_run_limit slice;
} triglyph_worker_options;

/// What a worker's thread is to do. It makes calls on the worker's device, and must not throw or jump out; nor must it
/// wait for the worker.
typedef void (*triglyph_worker_command)(void *user_data);

/// How a GX command ended.
typedef struct triglyph_n3ds_executed {
  /// The result code as clients get it: 0, or with bit 31 set why the command failed and has done nothing.
  uint32_t result;
  /// Whether an interrupt ends it: 1 or 0.
  uint32_t has_interrupt;
  /// The `triglyph_n3ds_interrupt`.
  uint32_t interrupt;
  /// 0.
  uint32_t reserved;
  /// After how many ticks the hardware would raise it: an estimate.
  uint64_t ticks;
} triglyph_n3ds_executed;

/// The answer to RegisterInterruptRelayQueue.
typedef struct triglyph_n3ds_registration {
  /// The result code: 0x2A07 for the first client since the console was switched on, then 0, or an error.
  uint32_t result;
  /// The client's index in the shared page.
  uint32_t client;
  /// Handle of the shared page, as the host has set it.
  uint32_t shared_memory;
} triglyph_n3ds_registration;

/// An interrupt that the host is to deliver.
typedef struct triglyph_n3ds_completion {
  /// The `triglyph_n3ds_interrupt`.
  uint32_t interrupt;
  /// Index of the client that held the rendering right when the work was done, -1 for nobody. Who gets the interrupt
  /// is decided when it is delivered.
  int32_t client;
  /// After how many ticks of the main processor from the call that caused it: an estimate.
  uint64_t ticks;
} triglyph_n3ds_completion;

/// What a screen is to show: GSP's framebuffer information.
typedef struct triglyph_n3ds_framebuffer {
  /// Which pair of addresses is set: 0 the first, 1 the second.
  uint32_t active;
  /// Virtual address of the left or only picture.
  uint32_t left;
  /// Virtual address of the right eye's picture.
  uint32_t right;
  /// Bytes between columns.
  uint32_t stride;
  /// The controller's format register.
  uint32_t format;
  /// The controller's select register.
  uint32_t select;
  /// Not used by the hardware.
  uint32_t attribute;
} triglyph_n3ds_framebuffer;

/// What a screen shows, for ImportDisplayCaptureInfo.
typedef struct triglyph_n3ds_capture_info {
  /// Virtual address of the left or only picture.
  uint32_t left;
  /// Virtual address of the right eye's picture.
  uint32_t right;
  /// The format register.
  uint32_t format;
  /// Bytes between columns.
  uint32_t stride;
} triglyph_n3ds_capture_info;

/// The first word of a command queue.
typedef struct triglyph_n3ds_queue {
  /// Slot of the next command.
  uint8_t current;
  /// Commands that wait.
  uint8_t count;
  /// 1: processing is halted; 0x80: a command has failed.
  uint8_t status;
  /// 1: the client wants processing to halt.
  uint8_t control;
  /// The result code of the last command that failed.
  uint32_t result;
} triglyph_n3ds_queue;

/// The memory of the calling process, behind the pointers of a request. The functions are called during the call that
/// they are passed to, on its thread; they return false when not all bytes are there. They must not throw or jump out;
/// calls on the same 3DS return `TRIGLYPH_STATUS_BUSY`.
typedef struct triglyph_n3ds_process {
  /// Is handed to both functions.
  void *user_data;
  /// Reads bytes at a virtual address; null for memory that cannot be read.
  bool (*read)(void *user_data, uint32_t address, void *data, size_t size);
  /// Writes bytes at a virtual address; null for memory that cannot be written.
  bool (*write)(void *user_data, uint32_t address, const void *data, size_t size);
} triglyph_n3ds_process;

/// A picture as it is in memory, turned by 90 degrees: pixel (x, y), y downwards, is at
/// `address + x * pitch + (height - 1 - y) * bytes`.
typedef struct triglyph_n3ds_picture {
  /// Physical address of the leftmost column's lowest pixel.
  uint32_t address;
  /// Pixel format, numbered as PRESENT has it (`TRIGLYPH_FORMAT_RGBA8` to `TRIGLYPH_FORMAT_RGBA4`).
  uint32_t format;
  /// Bytes of a pixel.
  uint32_t bytes;
  /// Columns as a person sees them: 320 or 400, 800 in the wide mode.
  uint32_t width;
  /// Pixels of a column: 240.
  uint32_t height;
  /// Bytes from a column to the next; may be negative, and 0 repeats the first.
  int32_t pitch;
} triglyph_n3ds_picture;

/// A method of the software engine: the host's processor executes it.
typedef struct triglyph_rsx_software_method {
  /// The channel.
  uint32_t channel;
  /// The subchannel.
  uint32_t subchannel;
  /// Byte address of the method in the subchannel.
  uint32_t method;
  /// Its data.
  uint32_t data;
} triglyph_rsx_software_method;

/// Executes software methods, on the thread that makes the call in which they are met. It must not throw or jump out;
/// calls on the same PS3 return `TRIGLYPH_STATUS_BUSY`.
typedef void (*triglyph_rsx_software_callback)(void *user_data,
                                               const triglyph_rsx_software_method *method);

/// What `lv1_gpu_context_allocate` returns. `triglyph_rsx_lpar` says where the pages are in guest memory.
typedef struct triglyph_rsx_context {
  /// Names the context.
  uint32_t handle;
  /// 0.
  uint32_t reserved;
  /// Address of its control page: PUT at 0x40, GET at 0x44, REF at 0x48.
  uint64_t control;
  /// Address of its driver information.
  uint64_t info;
  /// Address of its reports area.
  uint64_t reports;
  /// Bytes of the reports area.
  uint64_t reports_size;
} triglyph_rsx_context;

/// What the ALLOC call attaches to a handle.
typedef struct triglyph_tegra_memory {
  /// Address in the process; 0 leaves the handle without memory.
  uint64_t address;
  /// Alignment in bytes, a power of two; below 4 KiB it is 4 KiB.
  uint32_t align;
  /// Mask of heaps; only told.
  uint32_t heap;
  /// Bit 0: the processor's caches.
  uint32_t flags;
  /// Page kind, up to 255; 0xFF says none.
  uint32_t kind;
} triglyph_tegra_memory;

/// What the FREE call tells the last owner of a handle.
typedef struct triglyph_tegra_freed {
  /// Address of the memory in the process, 0 for none.
  uint64_t address;
  /// Bytes, as it was created.
  uint32_t size;
  /// Whether others still have the handle: 1 or 0.
  uint32_t in_use;
} triglyph_tegra_freed;

/// How an address space is divided.
typedef struct triglyph_tegra_layout {
  /// Bytes of a big page, 0x10000 or 0x20000; 0 takes the latter.
  uint64_t big_page;
  /// First address; this and the two that follow all 0 take what the driver takes.
  uint64_t start;
  /// Where big pages begin.
  uint64_t split;
  /// The end, exclusive.
  uint64_t end;
} triglyph_tegra_layout;

/// One answer of GET_VA_REGIONS.
typedef struct triglyph_tegra_region {
  /// First address.
  uint64_t offset;
  /// Bytes of a page.
  uint64_t page_size;
  /// Pages.
  uint64_t pages;
} triglyph_tegra_region;

/// What MAP_BUFFER_EX is told.
typedef struct triglyph_tegra_map_buffer {
  /// `TRIGLYPH_TEGRA_MAP_*`.
  uint32_t flags;
  /// Page kind; `TRIGLYPH_TEGRA_DEFAULT_KIND` is that of the handle.
  uint32_t kind;
  /// The handle; not used with `TRIGLYPH_TEGRA_MAP_MODIFY`.
  uint32_t handle;
  /// 0.
  uint32_t reserved;
  /// First byte of the handle that is shown, or of the mapping that changes.
  uint64_t buffer_offset;
  /// Bytes; 0 for all.
  uint64_t size;
  /// The GPU address, with `TRIGLYPH_TEGRA_MAP_FIXED` or `TRIGLYPH_TEGRA_MAP_MODIFY`.
  uint64_t offset;
} triglyph_tegra_map_buffer;

/// One entry of the REMAP call, in pages of 64 KiB.
typedef struct triglyph_tegra_remap {
  /// Page kind; 0xFF and above say that of the handle.
  uint32_t kind;
  /// The handle; 0 shows nothing any more.
  uint32_t handle;
  /// First page of the handle.
  uint32_t handle_page;
  /// First page of the address space.
  uint32_t space_page;
  /// Pages.
  uint32_t pages;
} triglyph_tegra_remap;

/// A value that a syncpoint reaches.
typedef struct triglyph_tegra_fence {
  /// The syncpoint.
  uint32_t syncpoint;
  /// The value.
  uint32_t value;
} triglyph_tegra_fence;

/// What EVENT_WAIT came to.
typedef struct triglyph_tegra_wait {
  /// 1 when the event of `slot` is armed, which the guest is told as TIMEOUT; 0 when the fence has been reached.
  uint32_t armed;
  /// The slot.
  uint32_t slot;
  /// What the call answers: the syncpoint's value, or what names the event to QueryEvent.
  uint32_t value;
} triglyph_tegra_wait;

/// What GET_CHARACTERISTICS tells about the GPU, in its order.
typedef struct triglyph_tegra_characteristics {
  /// Architecture, 0x120 for GM20x.
  uint32_t arch;
  /// Implementation, 0xB for the GM20B.
  uint32_t implementation;
  /// Revision.
  uint32_t revision;
  /// Graphics processing clusters.
  uint32_t num_gpc;
  /// Bytes of the second cache.
  uint64_t l2_cache_size;
  /// Bytes of memory of its own.
  uint64_t video_memory_size;
  /// Texture processing clusters of a GPC.
  uint32_t num_tpc_per_gpc;
  /// 0x20: AXI.
  uint32_t bus_type;
  /// Bytes of a big page.
  uint32_t big_page_size;
  /// Bytes of a page of compressed memory.
  uint32_t compression_page_size;
  /// Bits of an address that an entry of the page directory covers.
  uint32_t pde_coverage_bit_count;
  /// Sizes of big pages that can be asked for.
  uint32_t available_big_page_sizes;
  /// Mask of GPCs.
  uint32_t gpc_mask;
  /// Version of the multiprocessors.
  uint32_t sm_version;
  /// Version of shader programs.
  uint32_t spa_version;
  /// Warps of a multiprocessor.
  uint32_t warp_count;
  /// Bits of a GPU virtual address.
  uint32_t va_bit_count;
  /// 0.
  uint32_t reserved;
  /// Flags.
  uint64_t flags;
  /// Class numbers: 2D, 3D, compute, GPFIFO, inline transfers, copies.
  uint32_t classes[6];
  /// Frame buffer partitions that are there.
  uint32_t max_fbps_count;
  /// Mask of them.
  uint32_t fbp_en_mask;
  /// Slices of the second cache.
  uint32_t max_ltc_per_fbp;
  /// Slices of such a slice.
  uint32_t max_lts_per_ltc;
  /// Texture units of a TPC.
  uint32_t max_tex_per_tpc;
  /// GPCs at most.
  uint32_t max_gpc_count;
  /// Mask of render output units.
  uint32_t rop_l2_en_mask[2];
  /// Name: `gm20b`.
  uint64_t chip_name;
  /// Where compression bits are; 0.
  uint64_t compbit_store_base;
} triglyph_tegra_characteristics;

/// Where a picture is in guest memory.
typedef struct triglyph_present {
  /// Its address space.
  uint32_t space;
  /// A `triglyph_format`.
  uint32_t format;
  /// Its first byte.
  uint64_t address;
  /// Pixels from left to right as a person sees it.
  uint32_t width;
  /// Pixels from top to bottom as a person sees it.
  uint32_t height;
  /// Bytes from one stored row (or stored column) to the next.
  uint32_t pitch;
  /// A `triglyph_layout`, with its parameter.
  uint32_t layout;
  /// Name of the output (UTF-8), for recordings: `"top"`, `"main"`; null for `"main"`.
  const char *label;
} triglyph_present;

/// Rows of the host's that a picture goes to, top row first.
typedef struct triglyph_rows {
  /// The first byte of the top row. The bytes have values before the call, whichever.
  uint8_t *bytes;
  /// Bytes of all rows.
  size_t size;
  /// Bytes from a row to the next, at least those of a row. What is between rows is left alone.
  size_t stride;
  /// A `triglyph_host_format`.
  uint32_t format;
  /// 0.
  uint32_t reserved;
} triglyph_rows;

/// What a player has come to.
typedef struct triglyph_play_event {
  /// A `triglyph_play_kind`: it says which fields mean something.
  uint32_t kind;
  /// Whether it is as the capture expects: 1, or 0 when a picture or a hash differs. 1 where nothing is expected or
  /// checked.
  uint32_t ok;
  /// Index of the record in the capture, from 0.
  uint64_t record;
  /// Counts pictures, from 0.
  uint64_t index;
  /// Name of the picture's output, such as `"top"`; null for others. Valid until the player goes on.
  const char *label;
  /// Pixels that differ by more than the tolerance.
  uint64_t over;
  /// Largest difference of a channel.
  uint32_t max_difference;
  /// 0.
  uint32_t reserved;
  /// The hash that was wanted, and the one that was found.
  uint64_t hash_wanted;
  /// See before.
  uint64_t hash_found;
} triglyph_play_event;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/// The interface's version of the library that is linked, to be compared with `TRIGLYPH_ABI_VERSION`.
uint32_t triglyph_abi_version(void);

/// The version of the library, for people: `"0.1.0"`. Valid for good.
const char *triglyph_version(void);

/// What went wrong in the last call on this thread that did not return `TRIGLYPH_STATUS_OK`; empty before the first.
/// UTF-8. Valid until the next call of this library on this thread; successful calls leave the text as it is.
const char *triglyph_last_error(void);

/// A short name of a status, for logs: `"unmapped"`. Valid for good; `"unknown"` for other numbers.
const char *triglyph_status_name(int32_t status);

/// Fills options with the defaults. `options->size` is to be set to `sizeof(triglyph_options)` before.
///
/// Errors: `TRIGLYPH_STATUS_BAD_SIZE`.
triglyph_status triglyph_options_init(triglyph_options *options);

/// Makes a machine, named by a `triglyph_machine`, for hosts that need only what all machines have, such as players of
/// captures. It belongs to the caller, who destroys it with `triglyph_device_destroy`. Use `triglyph_n3ds_create`,
/// `triglyph_rsx_create` or `triglyph_tegra_create` for a machine's own calls.
///
/// Errors: `TRIGLYPH_STATUS_INVALID_ARGUMENT` for numbers without a meaning; `TRIGLYPH_STATUS_UNSUPPORTED` when the
/// host gives no threads, or has no code generator and `TRIGLYPH_TIER_JIT` was asked for.
triglyph_status triglyph_device_create(uint32_t machine,
                                       const triglyph_options *options,
                                       triglyph_device **device);

/// Destroys a device made by `triglyph_device_create`. Memory of the host's that was mapped is not used any more when
/// this returns. Null is ignored.
///
/// Errors: `TRIGLYPH_STATUS_BUSY` while another call uses it; `TRIGLYPH_STATUS_INVALID_ARGUMENT` for a device that was
/// borrowed from a machine's handle. The device stays as it is then.
triglyph_status triglyph_device_destroy(triglyph_device *device);

/// Which `triglyph_machine` a device is.
triglyph_status triglyph_machine_of(triglyph_device *device, uint32_t *machine);

/// Gives the GPU work in the form of a capture's SUBMIT record, all little-endian: on the 3DS the eight words of a GX
/// command; on the PS3 `u32 channel`, `u32 space`, then `u64 start`, `u64 bytes` for each segment of the push buffer;
/// on the Tegra X1 `u32 channel`, `u32 0`, then GPFIFO entries of 8 bytes. Hosts that use a machine's own calls need
/// it only for what they record.
///
/// Errors: `TRIGLYPH_STATUS_INVALID_ARGUMENT` when the bytes do not have that form.
triglyph_status triglyph_submit(triglyph_device *device,
                                const uint8_t *payload,
                                size_t size);

/// Returns once everything that was submitted is done and its results are in guest memory.
triglyph_status triglyph_finish(triglyph_device *device);

/// Returns once no kernel is being compiled or waits for it, for benchmarks and tests.
triglyph_status triglyph_wait_for_compiler(triglyph_device *device);

/// Maps zero-filled memory of the library's own; what was mapped there before is replaced.
///
/// Errors: `TRIGLYPH_STATUS_INVALID_ARGUMENT` for size 0, a range past the end of the space, an unknown space or
/// access; `TRIGLYPH_STATUS_UNSUPPORTED` for more memory than the host has, or than 16 GiB in all.
triglyph_status triglyph_map(triglyph_device *device,
                             uint32_t space,
                             uint64_t address,
                             uint64_t size,
                             uint32_t access);

/// Maps memory of the host's: `size` bytes from `pointer` on. It stays the host's, and has to stay where it is until
/// the range is unmapped or replaced, or the device destroyed. Guest processors may use the bytes at the same time, as
/// they would on the console. The same bytes may be mapped several times, by the same addresses on the host. They must
/// not be passed to other calls of this library as input or output.
///
/// Errors: as `triglyph_map`; `TRIGLYPH_STATUS_NULL_POINTER`; `TRIGLYPH_STATUS_INVALID_ARGUMENT` for memory that the
/// guest has mapped elsewhere, and for pages that a context of the PS3 uses since it was allocated.
triglyph_status triglyph_map_host(triglyph_device *device,
                                  uint32_t space,
                                  uint64_t address,
                                  uint64_t size,
                                  void *pointer,
                                  uint32_t access);

/// Shows mapped memory at a second place, in the same or another space.
///
/// Errors: `TRIGLYPH_STATUS_UNMAPPED` or `TRIGLYPH_STATUS_INVALID_ARGUMENT` when there is nothing to show.
triglyph_status triglyph_map_alias(triglyph_device *device,
                                   uint32_t space,
                                   uint64_t address,
                                   const triglyph_range *source,
                                   uint32_t access);

/// Removes whatever is mapped in a range, and the aliases of memory that is gone then. Memory of the host's is not
/// used any more when this returns.
triglyph_status triglyph_unmap(triglyph_device *device,
                               uint32_t space,
                               uint64_t address,
                               uint64_t size);

/// What is mapped, by space and address, aliases left out. Fills `mappings` as far as it reaches; `count` is how many
/// there are, which may be more.
triglyph_status triglyph_mappings(triglyph_device *device,
                                  triglyph_mapping *mappings,
                                  size_t capacity,
                                  size_t *count);

/// Fills `data` with `size` bytes of guest memory, after everything that was submitted.
///
/// Errors: `TRIGLYPH_STATUS_UNMAPPED` when a byte of the range is not mapped; `data` is unspecified then.
triglyph_status triglyph_read(triglyph_device *device,
                              uint32_t space,
                              uint64_t address,
                              void *data,
                              size_t size);

/// Stores `size` bytes in guest memory, after everything that was submitted, whatever access the GPU has there.
///
/// Errors: `TRIGLYPH_STATUS_UNMAPPED` when a byte of the range is not mapped; nothing is stored then.
triglyph_status triglyph_write(triglyph_device *device,
                               uint32_t space,
                               uint64_t address,
                               const void *data,
                               size_t size);

/// Says that the host has changed bytes of a range by itself, in memory that it has mapped with `triglyph_map_host`.
/// Such memory is looked at whenever work is submitted; this call is for changes while work is being done, and for
/// hosts that announce all of them (`triglyph_set_host_writes_announced`).
triglyph_status triglyph_mark_changed(triglyph_device *device,
                                      uint32_t space,
                                      uint64_t address,
                                      uint64_t size);

/// Says whether `triglyph_mark_changed` is called for all that the host writes to memory of its own, before the work
/// that is to see it: then nothing else is looked at. Otherwise, as at first, what was derived from such memory is
/// compared with it whenever work is submitted.
triglyph_status triglyph_set_host_writes_announced(triglyph_device *device,
                                                   bool announced);

/// Sets the callback for written ranges, or removes it with null; `triglyph_take_written` has nothing while there is
/// one. `user_data` is handed to each call and has to stay valid until the callback is replaced or the device
/// destroyed.
triglyph_status triglyph_set_written_callback(triglyph_device *device,
                                              triglyph_written_callback callback,
                                              void *user_data);

/// Takes the ranges of guest memory that the GPU wrote since they were taken last: merged, by space and address. They
/// may name more bytes than were written, never fewer. `count` is how many were stored in `ranges`; if that is
/// `capacity`, there may be more to take.
triglyph_status triglyph_take_written(triglyph_device *device,
                                      triglyph_range *ranges,
                                      size_t capacity,
                                      size_t *count);

/// Takes the events since they were taken last, oldest first. `count` is how many were stored in `events`; if that is
/// `capacity`, there may be more to take. A host that takes none keeps the newest 4096.
triglyph_status triglyph_take_events(triglyph_device *device,
                                     triglyph_event *events,
                                     size_t capacity,
                                     size_t *count);

/// Sets the callback for events, or removes it with null; `triglyph_take_events` has nothing while there is one. Events
/// that were not taken are told at once. `user_data` is handed to each call and has to stay valid until the callback is
/// replaced or the device destroyed. Threads that are to go on while a call is still at work, such as those that wait
/// for a fence, wait on the timeline.
triglyph_status triglyph_set_event_callback(triglyph_device *device,
                                            triglyph_event_callback callback,
                                            void *user_data);

/// Sets the callback for faults, or removes it with null. `user_data` is handed to each call and has to stay valid
/// until the callback is replaced or the device destroyed.
triglyph_status triglyph_set_fault_callback(triglyph_device *device,
                                            triglyph_fault_callback callback,
                                            void *user_data);

/// How many faults of a `triglyph_fault_kind` there were.
triglyph_status triglyph_fault_count(triglyph_device *device,
                                     uint32_t kind,
                                     uint64_t *count);

/// One of the first 64 faults, which are kept in full, oldest first. `found` says whether there is one of that index.
/// Its text is valid until the device is destroyed.
triglyph_status triglyph_fault_get(triglyph_device *device,
                                   size_t index,
                                   triglyph_fault *fault,
                                   bool *found);

/// A short name of a `triglyph_fault_kind`, for logs: `"unmapped-read"`. Valid for good.
const char *triglyph_fault_kind_name(uint32_t kind);

/// Sets the callback for the log, or removes it with null. What was wrong with the key file when the device was made is
/// told at once; kernels that the interpreter serves, and writes of the key file that fail, from now on. It costs
/// nothing without a callback. `user_data` is handed to each call and has to stay valid until the callback is replaced
/// or the device destroyed; when this function returns, the callback before is called no more.
triglyph_status triglyph_set_log_callback(triglyph_device *device,
                                          triglyph_log_callback callback,
                                          void *user_data);

/// Fills `stats`, whose `size` the caller has set.
///
/// Errors: `TRIGLYPH_STATUS_BAD_SIZE`.
triglyph_status triglyph_get_stats(triglyph_device *device, triglyph_stats *stats);

/// What the key file gave when the device was made; all 0 without one.
triglyph_status triglyph_get_warm_start(triglyph_device *device,
                                        triglyph_warm_start *warm_start);

/// Says whether submissions only queue work, for `triglyph_run_for` and `triglyph_finish` to do. Otherwise, as at
/// first, they do it before they return. What was queued stays queued.
triglyph_status triglyph_set_deferred(triglyph_device *device,
                                      bool deferred);

/// Goes on with what was submitted, and with channels that wait, until nothing can go on, `limit` is reached or another
/// thread interrupts it. `end` is a `triglyph_run_end`; `waiting` may be null. The next run goes on at exactly the next
/// command: memory, events and faults do not depend on how work is cut. A push buffer that loops only uses up its
/// budget. Between two runs the host may do anything: write memory, deliver VBlanks, take snapshots. On the PS3 PUT is
/// taken from the control pages first. A null `limit` is none.
triglyph_status triglyph_run_for(triglyph_device *device,
                                 const triglyph_run_limit *limit,
                                 uint32_t *end,
                                 triglyph_waiting *waiting);

/// The interrupter of a device. It belongs to the caller, who destroys it with `triglyph_interrupter_destroy`.
triglyph_status triglyph_interrupter_of(triglyph_device *device,
                                        triglyph_interrupter **interrupter);

/// Ends the bounded run in progress before its next command, or in the middle of drawing, or else the next one before
/// its first command. What is not drawn then is drawn by the next run, or by the first call that looks at memory. Runs
/// without bounds go on. Does not wait.
triglyph_status triglyph_interrupt(triglyph_interrupter *interrupter);

/// Destroys an interrupter that no thread uses any more. Null is ignored.
triglyph_status triglyph_interrupter_destroy(triglyph_interrupter *interrupter);

/// The timeline of a device. It belongs to the caller, who destroys it with `triglyph_timeline_destroy`.
triglyph_status triglyph_timeline_of(triglyph_device *device,
                                     triglyph_timeline **timeline);

/// The number of the last submission, and the number up to which all are complete. Either pointer may be null.
triglyph_status triglyph_timeline_counts(triglyph_timeline *timeline,
                                         uint64_t *submitted,
                                         uint64_t *completed);

/// Waits until submission `number` is complete, at most for `timeout` nanoseconds; `complete` says whether it is. A
/// number that has not been submitted yet is waited for as well.
triglyph_status triglyph_timeline_wait(triglyph_timeline *timeline,
                                       uint64_t number,
                                       uint64_t timeout,
                                       bool *complete);

/// How many events have happened so far: what `triglyph_take_events` returns, counted as it happens.
triglyph_status triglyph_timeline_events(triglyph_timeline *timeline,
                                         uint64_t *events);

/// Waits until more than `seen` events have happened, at most for `timeout` nanoseconds; `events` is how many have.
triglyph_status triglyph_timeline_wait_event(triglyph_timeline *timeline,
                                             uint64_t seen,
                                             uint64_t timeout,
                                             uint64_t *events);

/// The value of a counter of the guest's: on the Tegra X1 a syncpoint, on the PS3 the reference value of a channel. 0
/// for one that nothing has counted yet.
triglyph_status triglyph_timeline_fence(triglyph_timeline *timeline,
                                        uint32_t number,
                                        uint32_t *value);

/// Waits until such a counter has reached `value`, modulo 2^32, at most for `timeout` nanoseconds; `reached` says
/// whether it has.
triglyph_status triglyph_timeline_wait_fence(triglyph_timeline *timeline,
                                             uint32_t number,
                                             uint32_t value,
                                             uint64_t timeout,
                                             bool *reached);

/// Destroys a timeline that no thread uses any more. Null is ignored.
triglyph_status triglyph_timeline_destroy(triglyph_timeline *timeline);

/// Fills options with the defaults. `options->size` is to be set to `sizeof(triglyph_worker_options)` before.
///
/// Errors: `TRIGLYPH_STATUS_BAD_SIZE`.
triglyph_status triglyph_worker_options_init(triglyph_worker_options *options);

/// Moves a device to a thread of its own; null `options` are the defaults. The worker belongs to the caller, who
/// destroys it with `triglyph_worker_destroy`, before the device.
///
/// Errors: `TRIGLYPH_STATUS_BUSY` while a call uses the device or another worker has it;
/// `TRIGLYPH_STATUS_INVALID_ARGUMENT` for a queue without room; `TRIGLYPH_STATUS_UNSUPPORTED` when the host gives no
/// thread.
triglyph_status triglyph_worker_create(triglyph_device *device,
                                       const triglyph_worker_options *options,
                                       triglyph_worker **worker);

/// Sends a command; waits while the queue is full, so that a guest that is faster than its GPU is held back. `number`
/// is the command's, counted from 1; it may be null. A command that was taken is executed, unless a call on the device
/// panics before.
///
/// Errors: `TRIGLYPH_STATUS_BUSY` for a command of the worker's own: it may use `triglyph_worker_try_send`;
/// `TRIGLYPH_STATUS_POISONED` when a call on the device panicked, which has ended the thread.
triglyph_status triglyph_worker_send(triglyph_worker *worker,
                                     triglyph_worker_command command,
                                     void *user_data,
                                     uint64_t *number);

/// As `triglyph_worker_send`, but never waits: `taken` is false when the queue is full. Commands and callbacks of the
/// worker's own may use it.
///
/// Errors: `TRIGLYPH_STATUS_POISONED` as there.
triglyph_status triglyph_worker_try_send(triglyph_worker *worker,
                                         triglyph_worker_command command,
                                         void *user_data,
                                         uint64_t *number,
                                         bool *taken);

/// Sends a command and returns once it was executed. Work that it has submitted may still be under way.
///
/// Errors: as `triglyph_worker_send`.
triglyph_status triglyph_worker_call(triglyph_worker *worker,
                                     triglyph_worker_command command,
                                     void *user_data);

/// Has channels that wait look again: the host has written memory that they may wait for. Does not wait.
triglyph_status triglyph_worker_wake(triglyph_worker *worker);

/// Waits until command `number` was executed, at most for `timeout` nanoseconds; `executed` says whether it was.
///
/// Errors: `TRIGLYPH_STATUS_BUSY` for a command of the worker's own.
triglyph_status triglyph_worker_wait(triglyph_worker *worker,
                                     uint64_t number,
                                     uint64_t timeout,
                                     bool *executed);

/// Waits until all commands were executed and nothing of the device can go on, at most for `timeout` nanoseconds;
/// `idle` says whether that is so. If it is, `end` is `TRIGLYPH_RUN_END_DONE` or `TRIGLYPH_RUN_END_WAITING`, and
/// `waiting` what is waited for; otherwise they are 0. All three may be null.
///
/// Errors: `TRIGLYPH_STATUS_BUSY` for a command of the worker's own.
triglyph_status triglyph_worker_wait_idle(triglyph_worker *worker,
                                          uint64_t timeout,
                                          bool *idle,
                                          uint32_t *end,
                                          triglyph_waiting *waiting);

/// The timeline of the worker's device, as `triglyph_timeline_of`. It belongs to the caller.
triglyph_status triglyph_worker_timeline(triglyph_worker *worker,
                                         triglyph_timeline **timeline);

/// Executes the commands that were sent, interrupts what the device is doing, ends the thread and destroys the worker,
/// which no other thread may use any more. Then any thread may use the device again; what it has not done it does with
/// the next run, submissions are still deferred. Null is ignored.
///
/// Errors: `TRIGLYPH_STATUS_BUSY` for a command of the worker's own; the worker stays as it is then.
triglyph_status triglyph_worker_destroy(triglyph_worker *worker);

/// Where the bytes of a buffer are, and how many. They stay there until the buffer is destroyed.
triglyph_status triglyph_buffer_bytes(triglyph_buffer *buffer,
                                      const uint8_t **data,
                                      size_t *size);

/// Destroys a buffer. Null is ignored.
triglyph_status triglyph_buffer_destroy(triglyph_buffer *buffer);

/// The whole state of a device, as if everything that was submitted had finished: one that restores it goes on exactly
/// as this one does. `flags`: `TRIGLYPH_SNAPSHOT_WITHOUT_MEMORY`, `TRIGLYPH_SNAPSHOT_UNCOMPRESSED`, or 0. The buffer
/// belongs to the caller, who destroys it with `triglyph_buffer_destroy`.
triglyph_status triglyph_snapshot(triglyph_device *device,
                                  uint32_t flags,
                                  triglyph_buffer **snapshot);

/// Takes the state of a snapshot over. With guest memory in it, guest memory is as the snapshot has it, in memory of
/// the library's own, and nothing else is mapped: hosts that map their own memory use snapshots without. What the host
/// has chosen, counters and faults stay; events that were not taken go.
///
/// Errors: `TRIGLYPH_STATUS_BAD_SNAPSHOT`; `TRIGLYPH_STATUS_UNSUPPORTED` when guest memory cannot be mapped as the
/// snapshot has it. Nothing has changed then.
triglyph_status triglyph_restore(triglyph_device *device,
                                 const uint8_t *snapshot,
                                 size_t size);

/// Makes a 3DS with nothing mapped and every register at its reset value. It belongs to the caller, who destroys it
/// with `triglyph_n3ds_destroy`.
///
/// Errors: as `triglyph_device_create`.
triglyph_status triglyph_n3ds_create(const triglyph_options *options,
                                     triglyph_n3ds **n3ds);

/// Destroys a 3DS, and with it the device that was borrowed from it. Null is ignored.
///
/// Errors: `TRIGLYPH_STATUS_BUSY` while another call uses it; it stays as it is then.
triglyph_status triglyph_n3ds_destroy(triglyph_n3ds *n3ds);

/// The device of a 3DS, for the calls that all machines have; null for null. It is borrowed: it goes with the 3DS.
triglyph_device *triglyph_n3ds_device(triglyph_n3ds *n3ds);

/// Executes a GX command, eight words as in a slot of the command queue with virtual addresses of the client, for
/// hosts that have a GSP of their own. It is complete when this returns; no interrupt is queued, what the command
/// raises is in `executed`, which may be null. A recording that is under way contains it.
triglyph_status triglyph_n3ds_execute(triglyph_n3ds *n3ds,
                                      const uint32_t *words,
                                      triglyph_n3ds_executed *executed);

/// Puts GSP on a page of the host's, 4096 bytes aligned to 4, which guest processors may use at the same time; or with
/// null on one of the library's own, as at first. GSP begins anew: no clients, nobody has the rendering right, what the
/// host has chosen of it is forgotten. The page has to stay where it is until another takes its place or the 3DS is
/// destroyed.
///
/// Errors: `TRIGLYPH_STATUS_INVALID_ARGUMENT` for a misaligned page.
triglyph_status triglyph_n3ds_set_shared_page(triglyph_n3ds *n3ds,
                                              void *page);

/// Says what becomes of bad addresses in GX commands that do not check them: a `triglyph_n3ds_bad_address`.
triglyph_status triglyph_n3ds_set_bad_address(triglyph_n3ds *n3ds,
                                              uint32_t behaviour);

/// Says what happens where the transfer engine freezes on the console: a `triglyph_n3ds_freeze_policy`.
triglyph_status triglyph_n3ds_set_freeze_policy(triglyph_n3ds *n3ds,
                                                uint32_t policy);

/// Says whether this is a New 3DS; the first register shows it.
triglyph_status triglyph_n3ds_set_new_model(triglyph_n3ds *n3ds, bool new_model);

/// The physical address of a client's virtual one in linear heap, QTM memory or VRAM; 0 stays 0. `found` says whether
/// there is one.
triglyph_status triglyph_n3ds_to_physical(uint32_t address,
                                          uint32_t *physical,
                                          bool *found);

/// Ticks of the main processor as nanoseconds.
uint64_t triglyph_n3ds_nanoseconds(uint64_t ticks);

/// RegisterInterruptRelayQueue: makes a session, which the host names by a number, a client. `event` is the handle
/// that the host signals for it.
triglyph_status triglyph_n3ds_register_relay_queue(triglyph_n3ds *n3ds,
                                                   uint32_t session,
                                                   uint32_t flags,
                                                   uint32_t event,
                                                   triglyph_n3ds_registration *registration);

/// UnregisterInterruptRelayQueue: the session's place in the shared page is free again.
triglyph_status triglyph_n3ds_unregister_relay_queue(triglyph_n3ds *n3ds, uint32_t session);

/// The session is gone: everything that it held is free.
triglyph_status triglyph_n3ds_close_session(triglyph_n3ds *n3ds, uint32_t session);

/// Who is registered at an index of the shared page: the session and its event. `found` says whether anybody is.
triglyph_status triglyph_n3ds_client(triglyph_n3ds *n3ds,
                                     uint32_t index,
                                     uint32_t *session,
                                     uint32_t *event,
                                     bool *found);

/// The handle of the shared page that registrations are answered with.
triglyph_status triglyph_n3ds_set_shared_memory_handle(triglyph_n3ds *n3ds, uint32_t handle);

/// Makes PPF exchange the shown buffers when a client has set nothing new; off at first.
triglyph_status triglyph_n3ds_set_auto_toggle(triglyph_n3ds *n3ds, bool on);

/// AcquireRight: takes the rendering right or waits for it. `acquired` is a `triglyph_n3ds_acquire`.
triglyph_status triglyph_n3ds_acquire_right(triglyph_n3ds *n3ds,
                                            uint32_t session,
                                            uint32_t *acquired);

/// TryAcquireRight: takes the rendering right if it is free. `result` is the result code of the call.
triglyph_status triglyph_n3ds_try_acquire_right(triglyph_n3ds *n3ds,
                                                uint32_t session,
                                                uint32_t *result);

/// ReleaseRight: gives the rendering right to the next who waits.
triglyph_status triglyph_n3ds_release_right(triglyph_n3ds *n3ds, uint32_t session);

/// Who has the rendering right; `found` says whether anybody has.
triglyph_status triglyph_n3ds_right_holder(triglyph_n3ds *n3ds,
                                           uint32_t *session,
                                           bool *found);

/// Takes the sessions that waited in AcquireRight and hold the right now. `count` is how many were stored in
/// `sessions`; if that is `capacity`, there may be more to take.
triglyph_status triglyph_n3ds_take_granted(triglyph_n3ds *n3ds,
                                           uint32_t *sessions,
                                           size_t capacity,
                                           size_t *count);

/// TriggerCmdReqQueue: executes what waits in the queue of the client with the rendering right. Interrupts wait in
/// `triglyph_n3ds_take_completions` until the host delivers them.
triglyph_status triglyph_n3ds_trigger(triglyph_n3ds *n3ds);

/// As `triglyph_n3ds_execute`, for a session that may not have the rendering right.
triglyph_status triglyph_n3ds_execute_for(triglyph_n3ds *n3ds,
                                          uint32_t session,
                                          const uint32_t *words,
                                          triglyph_n3ds_executed *executed);

/// Takes the interrupts that the host is to deliver, oldest first: after their ticks it calls `triglyph_n3ds_deliver`
/// with each. `count` is how many were stored in `completions`; if that is `capacity`, there may be more to take.
triglyph_status triglyph_n3ds_take_completions(triglyph_n3ds *n3ds,
                                               triglyph_n3ds_completion *completions,
                                               size_t capacity,
                                               size_t *count);

/// Delivers a `triglyph_n3ds_interrupt`: VBlanks to every client, others to the one with the rendering right. Bit n of
/// `clients` says that the host is to signal the event of client n. Executes what waits in the queue then.
triglyph_status triglyph_n3ds_deliver(triglyph_n3ds *n3ds,
                                      uint32_t interrupt,
                                      uint32_t *clients);

/// Delivers everything that has completed, at once and in order, for hosts without a clock. `clients` as in
/// `triglyph_n3ds_deliver`.
triglyph_status triglyph_n3ds_auto_deliver(triglyph_n3ds *n3ds,
                                           uint32_t *clients);

/// A `triglyph_n3ds_screen` has shown a frame: moves its controller on and delivers PDC0 or PDC1. `clients` as in
/// `triglyph_n3ds_deliver`.
triglyph_status triglyph_n3ds_vblank(triglyph_n3ds *n3ds,
                                     uint32_t screen,
                                     uint32_t *clients);

/// SetBufferSwap: shows a picture at once, for clients that draw without the GPU. `result` is the result code.
triglyph_status triglyph_n3ds_set_buffer_swap(triglyph_n3ds *n3ds,
                                              uint32_t session,
                                              uint32_t screen,
                                              const triglyph_n3ds_framebuffer *framebuffer,
                                              uint32_t *result);

/// FlushDataCache and StoreDataCache: the processor wrote these bytes, at a virtual address. A hint.
triglyph_status triglyph_n3ds_flush_data_cache(triglyph_n3ds *n3ds,
                                               uint32_t address,
                                               uint32_t size);

/// SetLcdForceBlack: covers both screens with black, or uncovers them.
triglyph_status triglyph_n3ds_set_lcd_force_black(triglyph_n3ds *n3ds, bool black);

/// ImportDisplayCaptureInfo: what the top and the bottom screen show, or are to show from the next VBlank on.
triglyph_status triglyph_n3ds_display_capture_info(triglyph_n3ds *n3ds,
                                                   triglyph_n3ds_capture_info *top,
                                                   triglyph_n3ds_capture_info *bottom);

/// SaveVramSysArea: copies what the screens show to where the system keeps it in VRAM.
triglyph_status triglyph_n3ds_save_vram_area(triglyph_n3ds *n3ds);

/// RestoreVramSysArea: copies it back.
triglyph_status triglyph_n3ds_restore_vram_area(triglyph_n3ds *n3ds);

/// The word at a byte offset of the shared page, a multiple of 4 below 4096.
triglyph_status triglyph_n3ds_shared_page_load(triglyph_n3ds *n3ds,
                                               uint32_t offset,
                                               uint32_t *word);

/// Stores a word at a byte offset of the shared page, a multiple of 4 below 4096.
triglyph_status triglyph_n3ds_shared_page_store(triglyph_n3ds *n3ds,
                                                uint32_t offset,
                                                uint32_t word);

/// Puts a GX command of eight words at the end of a client's queue. `trigger` says whether the queue was empty, so that
/// GSP is to be triggered; `full` that there was no room and nothing was put.
triglyph_status triglyph_n3ds_queue_submit(triglyph_n3ds *n3ds,
                                           uint32_t client,
                                           const uint32_t *words,
                                           bool *trigger,
                                           bool *full);

/// The state of a client's command queue.
triglyph_status triglyph_n3ds_queue_state(triglyph_n3ds *n3ds,
                                          uint32_t client,
                                          triglyph_n3ds_queue *queue);

/// Asks GSP to halt before the next command of a client's queue, or takes a halt back.
triglyph_status triglyph_n3ds_queue_halt(triglyph_n3ds *n3ds, uint32_t client, bool halt);

/// Takes the oldest interrupt out of a client's relay queue; `found` says whether there was one.
triglyph_status triglyph_n3ds_relay_pop(triglyph_n3ds *n3ds,
                                        uint32_t client,
                                        uint32_t *interrupt,
                                        bool *found);

/// Says whether a client wants VBlanks in its relay queue.
triglyph_status triglyph_n3ds_relay_skip_vblanks(triglyph_n3ds *n3ds,
                                                 uint32_t client,
                                                 bool skip);

/// Puts what a screen is to show into a client's framebuffer information; GSP takes it at the next VBlank or PPF.
triglyph_status triglyph_n3ds_present(triglyph_n3ds *n3ds,
                                      uint32_t client,
                                      uint32_t screen,
                                      const triglyph_n3ds_framebuffer *framebuffer);

/// Handles a request to `gsp::Gpu`: `words` is the caller's command buffer with the receive descriptors after it, 66
/// words, in which the answer takes the request's place. `blocked` says that the caller stays asleep: until its session
/// turns up in `triglyph_n3ds_take_granted`, after which `triglyph_n3ds_ipc_granted` makes the answer.
triglyph_status triglyph_n3ds_ipc(triglyph_n3ds *n3ds,
                                  uint32_t session,
                                  uint32_t *words,
                                  size_t count,
                                  const triglyph_n3ds_process *process,
                                  bool *blocked);

/// Answers an AcquireRight that was blocked, in the caller's command buffer.
triglyph_status triglyph_n3ds_ipc_granted(uint32_t *words, size_t count);

/// Reads a register, by its offset in bytes from physical address 0x10000000: the GPU's begin at 0x400000, those that
/// cover the screens are 0x202204 and 0x202A04.
triglyph_status triglyph_n3ds_read_register(triglyph_n3ds *n3ds,
                                            uint32_t offset,
                                            uint32_t *value);

/// Writes a register with all effects, by its offset as in `triglyph_n3ds_read_register`. What finishes because of it
/// is in `executed`, which may be null; no interrupt is queued. Its result is always 0.
triglyph_status triglyph_n3ds_write_register(triglyph_n3ds *n3ds,
                                             uint32_t offset,
                                             uint32_t value,
                                             triglyph_n3ds_executed *executed);

/// WriteHWRegs: `count` consecutive registers, from an offset as in `triglyph_n3ds_read_register`. `result` is the
/// result code; what finishes is queued for delivery.
triglyph_status triglyph_n3ds_write_registers(triglyph_n3ds *n3ds,
                                              uint32_t session,
                                              uint32_t offset,
                                              const uint32_t *words,
                                              size_t count,
                                              uint32_t *result);

/// WriteHWRegsWithMask: as before, but only the bits that are set in `masks`, which has `count` words, too.
triglyph_status triglyph_n3ds_write_registers_with_mask(triglyph_n3ds *n3ds,
                                                        uint32_t session,
                                                        uint32_t offset,
                                                        const uint32_t *words,
                                                        const uint32_t *masks,
                                                        size_t count,
                                                        uint32_t *result);

/// WriteHWRegRepeat: all words into one register.
triglyph_status triglyph_n3ds_write_register_repeat(triglyph_n3ds *n3ds,
                                                    uint32_t session,
                                                    uint32_t offset,
                                                    const uint32_t *words,
                                                    size_t count,
                                                    uint32_t *result);

/// ReadHWRegs: `count` consecutive registers.
triglyph_status triglyph_n3ds_read_registers(triglyph_n3ds *n3ds,
                                             uint32_t session,
                                             uint32_t offset,
                                             uint32_t *words,
                                             size_t count,
                                             uint32_t *result);

/// The picture that an eye (0 left or both, 1 right) sees on a `triglyph_n3ds_screen`. `found` is false for the right
/// eye of a flat picture, and for formats that there are not.
triglyph_status triglyph_n3ds_lcd_picture(triglyph_n3ds *n3ds,
                                          uint32_t screen,
                                          uint32_t eye,
                                          triglyph_n3ds_picture *picture,
                                          bool *found);

/// The colour that covers a screen instead of its picture: red, green, blue, 8 bits each, red lowest. `found` says
/// whether there is one.
triglyph_status triglyph_n3ds_lcd_fill_color(triglyph_n3ds *n3ds,
                                             uint32_t screen,
                                             uint32_t *color,
                                             bool *found);

/// A screen's gamma tables as 256 words: red, green and blue after the table, red lowest.
triglyph_status triglyph_n3ds_lcd_gamma(triglyph_n3ds *n3ds,
                                        uint32_t screen,
                                        uint32_t *table);

/// Whether both eyes have pictures of their own on a screen.
triglyph_status triglyph_n3ds_lcd_is_stereo(triglyph_n3ds *n3ds,
                                            uint32_t screen,
                                            bool *stereo);

/// Makes a PS3 with nothing mapped and no contexts. It belongs to the caller, who destroys it with
/// `triglyph_rsx_destroy`. `TRIGLYPH_ACCURACY_EXACT` is what hosts need whose guests see the chip's registers or use
/// more than one context.
///
/// Errors: as `triglyph_device_create`.
triglyph_status triglyph_rsx_create(const triglyph_options *options,
                                    triglyph_rsx **rsx);

/// Destroys a PS3, and with it the device that was borrowed from it. Null is ignored.
///
/// Errors: `TRIGLYPH_STATUS_BUSY` while another call uses it; it stays as it is then.
triglyph_status triglyph_rsx_destroy(triglyph_rsx *rsx);

/// The device of a PS3, for the calls that all machines have; null for null. It is borrowed: it goes with the PS3.
triglyph_device *triglyph_rsx_device(triglyph_rsx *rsx);

/// Executes what the channels have to do: looks at PUT in the control page of every context, and runs until all
/// channels are idle, wait for a semaphore or stand still. Then memory shows everything, and the control pages show GET
/// and REF. Call it when the guest has written PUT, and when something happened that a channel may wait for.
triglyph_status triglyph_rsx_run(triglyph_rsx *rsx);

/// Sets the time, in nanoseconds, that reports, notifiers and PTIMER show. By itself it moves with the work that is
/// done, so that runs can be repeated.
triglyph_status triglyph_rsx_set_clock(triglyph_rsx *rsx,
                                       uint64_t nanoseconds);

/// A head (0 or 1) has begun to show a frame, at `time` in ticks of the processor's time base: flips that wait are
/// done. To be called as often as the host's screen shows a frame.
triglyph_status triglyph_rsx_vblank(triglyph_rsx *rsx,
                                    uint32_t head,
                                    uint64_t time);

/// The frame of the second handler of vertical blanks, for hosts that keep its rate; with the screen's own rate
/// `triglyph_rsx_vblank` does it.
triglyph_status triglyph_rsx_second_vblank(triglyph_rsx *rsx,
                                           uint32_t head,
                                           uint64_t time);

/// Clears the error of a channel: it goes on at PUT.
triglyph_status triglyph_rsx_clear_error(triglyph_rsx *rsx, uint32_t channel);

/// Sets the callback for software methods of channels that are none of LV1's, or removes it with null; without one they
/// are events. `user_data` is handed to each call and has to stay valid until the callback is replaced or the PS3
/// destroyed.
triglyph_status triglyph_rsx_set_software_callback(triglyph_rsx *rsx,
                                                   triglyph_rsx_software_callback callback,
                                                   void *user_data);

/// The bits of an event: in the hypervisor's interrupt status, and in the word that Lv-2 sends to event ports; 0 where
/// it has none. Either pointer may be null.
triglyph_status triglyph_rsx_event_bits(const triglyph_event *event,
                                        uint64_t *lv1,
                                        uint64_t *lv2);

/// `lv1_gpu_memory_allocate` (214): `size` bytes of local memory, a multiple of 1 MiB, and four limited resources.
/// Memory that the host has not mapped is mapped. Returns the allocation's handle and the address of its first byte.
triglyph_status triglyph_rsx_memory_allocate(triglyph_rsx *rsx,
                                             uint64_t size,
                                             const uint64_t *resources,
                                             uint32_t *handle,
                                             uint64_t *lpar,
                                             int64_t *result);

/// `lv1_gpu_memory_free` (216).
triglyph_status triglyph_rsx_memory_free(triglyph_rsx *rsx,
                                         uint32_t handle,
                                         int64_t *result);

/// `lv1_gpu_context_allocate` (217): a channel with its objects and pages. `flags`: `TRIGLYPH_RSX_CONTEXT_*`, others
/// are stored and do nothing.
triglyph_status triglyph_rsx_context_allocate(triglyph_rsx *rsx,
                                              uint32_t memory,
                                              uint64_t flags,
                                              triglyph_rsx_context *context,
                                              int64_t *result);

/// `lv1_gpu_context_free` (218).
triglyph_status triglyph_rsx_context_free(triglyph_rsx *rsx,
                                          uint32_t context,
                                          int64_t *result);

/// `lv1_gpu_context_iomap` (221): `size` bytes of main memory at `lpar` appear at IO offset `io`; size 0 or address 0
/// unmaps. Main memory is what the host has mapped in `TRIGLYPH_RSX_SPACE_XDR`, by the same addresses. `flags`:
/// `TRIGLYPH_RSX_IOMAP_READ`, `TRIGLYPH_RSX_IOMAP_WRITE`.
triglyph_status triglyph_rsx_context_iomap(triglyph_rsx *rsx,
                                           uint32_t context,
                                           uint64_t io,
                                           uint64_t lpar,
                                           uint64_t size,
                                           uint64_t flags,
                                           int64_t *result);

/// `lv1_gpu_context_attribute` (225): an operation with four parameters, such as 0x001, which sets GET and PUT.
triglyph_status triglyph_rsx_context_attribute(triglyph_rsx *rsx,
                                               uint32_t context,
                                               uint64_t operation,
                                               const uint64_t *parameters,
                                               int64_t *result);

/// `lv1_gpu_context_intr` (227): the interrupts that have happened since the last call.
triglyph_status triglyph_rsx_context_intr(triglyph_rsx *rsx,
                                          uint32_t context,
                                          uint64_t *interrupts,
                                          int64_t *result);

/// `lv1_gpu_device_map` (212): the address of a device's page, and its bytes.
triglyph_status triglyph_rsx_device_map(triglyph_rsx *rsx,
                                        uint64_t device,
                                        uint64_t *lpar,
                                        uint64_t *size,
                                        int64_t *result);

/// `lv1_gpu_device_unmap` (213).
triglyph_status triglyph_rsx_device_unmap(triglyph_rsx *rsx,
                                          uint64_t device,
                                          int64_t *result);

/// `lv1_gpu_attribute` (228): succeeds, what its operations do is not documented.
triglyph_status triglyph_rsx_attribute(triglyph_rsx *rsx,
                                       uint64_t operation,
                                       const uint64_t *parameters,
                                       int64_t *result);

/// Makes a call by its number (r11): `arguments` are r3 to r10, `outputs`, which may be null, five values for r4 to r8.
triglyph_status triglyph_rsx_hypercall(triglyph_rsx *rsx,
                                       uint32_t number,
                                       const uint64_t *arguments,
                                       uint64_t *outputs,
                                       int64_t *result);

/// Where an address is that a call has returned: the address space and the address in it. `found` is false for
/// addresses of nothing.
triglyph_status triglyph_rsx_lpar(triglyph_rsx *rsx,
                                  uint64_t lpar,
                                  uint32_t *space,
                                  uint64_t *address,
                                  bool *found);

/// Where in main memory an IO offset of a context is; `found` is false where nothing is mapped.
triglyph_status triglyph_rsx_io_to_lpar(triglyph_rsx *rsx,
                                        uint32_t context,
                                        uint32_t io,
                                        uint64_t *lpar,
                                        bool *found);

/// Reads a register of BAR0, by its offset in bytes, with its effects.
triglyph_status triglyph_rsx_mmio_read(triglyph_rsx *rsx, uint32_t offset, uint32_t *word);

/// Writes a register of BAR0, by its offset in bytes. A push buffer does not run before `triglyph_rsx_run`.
triglyph_status triglyph_rsx_mmio_write(triglyph_rsx *rsx,
                                        uint32_t offset,
                                        uint32_t word);

/// Reads a word of instance memory; 0 beyond its end.
triglyph_status triglyph_rsx_pramin_read(triglyph_rsx *rsx, uint32_t offset, uint32_t *word);

/// Writes a word of instance memory; nothing happens beyond its end.
triglyph_status triglyph_rsx_pramin_write(triglyph_rsx *rsx, uint32_t offset, uint32_t word);

/// Reads a word of the bus: registers, instance memory or local memory at the hypervisor's addresses. `found` is false
/// outside of all three.
triglyph_status triglyph_rsx_bus_read(triglyph_rsx *rsx,
                                      uint64_t address,
                                      uint32_t *word,
                                      bool *found);

/// Writes a word of the bus, as `triglyph_rsx_bus_read`.
triglyph_status triglyph_rsx_bus_write(triglyph_rsx *rsx,
                                       uint64_t address,
                                       uint32_t word,
                                       bool *found);

/// Makes a Tegra X1 with nothing mapped and no channels. It belongs to the caller, who destroys it with
/// `triglyph_tegra_destroy`.
///
/// Errors: as `triglyph_device_create`.
triglyph_status triglyph_tegra_create(const triglyph_options *options,
                                      triglyph_tegra **tegra);

/// Destroys a Tegra X1, and with it the device that was borrowed from it. Null is ignored.
///
/// Errors: `TRIGLYPH_STATUS_BUSY` while another call uses it; it stays as it is then.
triglyph_status triglyph_tegra_destroy(triglyph_tegra *tegra);

/// The device of a Tegra X1, for the calls that all machines have; null for null. It is borrowed: it goes with the
/// Tegra X1.
triglyph_device *triglyph_tegra_device(triglyph_tegra *tegra);

/// Goes on with channels that waited: for a word that the host has written since, or for a syncpoint.
triglyph_status triglyph_tegra_run(triglyph_tegra *tegra);

/// Lets nanoseconds pass that the GPU does not work in, so that timestamps keep up with the host's idea of time.
triglyph_status triglyph_tegra_advance_time(triglyph_tegra *tegra,
                                            uint64_t nanoseconds);

/// Adds 1 to a syncpoint, as other hardware does, and goes on with channels that waited for it.
triglyph_status triglyph_tegra_increment_syncpoint(triglyph_tegra *tegra, uint32_t index);

/// The process's address of what the GPU sees at `address` of an address space; `found` is false where nothing of the
/// process is mapped.
triglyph_status triglyph_tegra_process_address(triglyph_tegra *tegra,
                                               uint32_t space,
                                               uint64_t address,
                                               uint64_t *process,
                                               bool *found);

/// Open: a device by its path, `/dev/nvmap`, `/dev/nvhost-as-gpu`, `/dev/nvhost-gpu`, `/dev/nvhost-ctrl` or
/// `/dev/nvhost-ctrl-gpu`. A file of the second one is an address space, one of the third a channel. `result` is a
/// `triglyph_tegra_result`: `TRIGLYPH_TEGRA_RESULT_NO_FILE` for other paths.
triglyph_status triglyph_tegra_nvdrv_open(triglyph_tegra *tegra,
                                          const char *path,
                                          uint32_t *file,
                                          uint32_t *result);

/// Close: a file, and its channel or address space. `result` is `TRIGLYPH_TEGRA_RESULT_BUSY` for an address space that
/// channels are bound to; it stays open then.
triglyph_status triglyph_tegra_nvdrv_close(triglyph_tegra *tegra,
                                           uint32_t file,
                                           uint32_t *result);

/// Ioctl, Ioctl2 and Ioctl3: `request` is its number, `buffer` its argument, in which the answer takes the request's
/// place. Ioctl2 has a second buffer `inline_in`, Ioctl3 one `inline_out`; null with size 0 without one. `result` is
/// what the guest is told beside the buffers, `TRIGLYPH_TEGRA_RESULT_TIMEOUT` among it where an event is armed.
triglyph_status triglyph_tegra_nvdrv_ioctl(triglyph_tegra *tegra,
                                           uint32_t file,
                                           uint32_t request,
                                           uint8_t *buffer,
                                           size_t size,
                                           const uint8_t *inline_in,
                                           size_t inline_in_size,
                                           uint8_t *inline_out,
                                           size_t inline_out_size,
                                           uint32_t *result);

/// QueryEvent: the slot of the event that `event` names, a value that EVENT_WAIT has answered. It is signalled by a
/// `TRIGLYPH_EVENT_KIND_FENCE` event of that slot.
triglyph_status triglyph_tegra_nvdrv_query_event(triglyph_tegra *tegra,
                                                 uint32_t file,
                                                 uint32_t event,
                                                 uint32_t *slot,
                                                 uint32_t *result);

/// CREATE: a handle of `size` bytes, without memory yet.
triglyph_status triglyph_tegra_nvmap_create(triglyph_tegra *tegra,
                                            uint32_t size,
                                            uint32_t *handle,
                                            uint32_t *result);

/// FROM_ID: another owner of a handle; ids are the handles.
triglyph_status triglyph_tegra_nvmap_from_id(triglyph_tegra *tegra,
                                             uint32_t id,
                                             uint32_t *handle,
                                             uint32_t *result);

/// ALLOC: attaches memory of the process, which the host maps in `TRIGLYPH_TEGRA_SPACE_PROCESS` before it is shown to
/// the GPU.
triglyph_status triglyph_tegra_nvmap_alloc(triglyph_tegra *tegra,
                                           uint32_t handle,
                                           const triglyph_tegra_memory *memory,
                                           uint32_t *result);

/// PARAM: one of `TRIGLYPH_TEGRA_PARAM_*`.
triglyph_status triglyph_tegra_nvmap_param(triglyph_tegra *tegra,
                                           uint32_t handle,
                                           uint32_t parameter,
                                           uint32_t *value,
                                           uint32_t *result);

/// FREE: one owner less. What address spaces show of it stays.
triglyph_status triglyph_tegra_nvmap_free(triglyph_tegra *tegra,
                                          uint32_t handle,
                                          triglyph_tegra_freed *freed,
                                          uint32_t *result);

/// Opens an address space. Its number is what ranges, reads and faults name.
triglyph_status triglyph_tegra_space_open(triglyph_tegra *tegra,
                                          uint32_t *space,
                                          uint32_t *result);

/// Closes an address space: nothing is mapped in it any more.
triglyph_status triglyph_tegra_space_close(triglyph_tegra *tegra,
                                           uint32_t space,
                                           uint32_t *result);

/// INITIALIZE and INITIALIZE_EX. A null layout takes what the driver takes.
triglyph_status triglyph_tegra_space_initialize(triglyph_tegra *tegra,
                                                uint32_t space,
                                                const triglyph_tegra_layout *layout,
                                                uint32_t *result);

/// GET_VA_REGIONS: small pages, big pages.
triglyph_status triglyph_tegra_space_regions(triglyph_tegra *tegra,
                                             uint32_t space,
                                             triglyph_tegra_region *small,
                                             triglyph_tegra_region *big,
                                             uint32_t *result);

/// ALLOC_SPACE: `pages` pages of `page_size` bytes of address space for fixed mappings. `flags`:
/// `TRIGLYPH_TEGRA_SPACE_*`. `at` is the address with `TRIGLYPH_TEGRA_SPACE_FIXED`, else an alignment or 0.
triglyph_status triglyph_tegra_space_allocate(triglyph_tegra *tegra,
                                              uint32_t space,
                                              uint32_t pages,
                                              uint64_t page_size,
                                              uint32_t flags,
                                              uint64_t at,
                                              uint64_t *offset,
                                              uint32_t *result);

/// FREE_SPACE, with everything that is mapped there.
triglyph_status triglyph_tegra_space_free(triglyph_tegra *tegra,
                                          uint32_t space,
                                          uint64_t offset,
                                          uint32_t pages,
                                          uint64_t page_size,
                                          uint32_t *result);

/// MAP_BUFFER_EX: shows a handle's memory to the GPU, or changes the kind of what is shown. `offset` is the GPU
/// address, `page_size` the bytes of its pages; either may be null.
triglyph_status triglyph_tegra_space_map_buffer(triglyph_tegra *tegra,
                                                uint32_t space,
                                                const triglyph_tegra_map_buffer *call,
                                                uint64_t *offset,
                                                uint64_t *page_size,
                                                uint32_t *result);

/// UNMAP_BUFFER. What is not mapped counts as unmapped.
triglyph_status triglyph_tegra_space_unmap_buffer(triglyph_tegra *tegra,
                                                  uint32_t space,
                                                  uint64_t offset,
                                                  uint32_t *result);

/// REMAP: entry by entry, up to the first that cannot be.
triglyph_status triglyph_tegra_space_remap(triglyph_tegra *tegra,
                                           uint32_t space,
                                           const triglyph_tegra_remap *entries,
                                           size_t count,
                                           uint32_t *result);

/// Opens a channel with a syncpoint of its own.
triglyph_status triglyph_tegra_channel_open(triglyph_tegra *tegra,
                                            uint32_t *channel,
                                            uint32_t *result);

/// Closes a channel, with everything it had still to do.
triglyph_status triglyph_tegra_channel_close(triglyph_tegra *tegra,
                                             uint32_t channel,
                                             uint32_t *result);

/// BIND_CHANNEL: the address space of a channel, once.
triglyph_status triglyph_tegra_channel_bind(triglyph_tegra *tegra,
                                            uint32_t channel,
                                            uint32_t space,
                                            uint32_t *result);

/// SUBMIT_GPFIFO: appends entries, and works until everything is done or waits. `flags`: `TRIGLYPH_TEGRA_SUBMIT_*`.
/// `fence` goes in as the call has it, null for none, and `after` is the fence after everything that was submitted.
triglyph_status triglyph_tegra_channel_submit(triglyph_tegra *tegra,
                                              uint32_t channel,
                                              const uint64_t *entries,
                                              size_t count,
                                              uint32_t flags,
                                              const triglyph_tegra_fence *fence,
                                              triglyph_tegra_fence *after,
                                              uint32_t *result);

/// Appends GPFIFO entries to a channel of the address space of captures, without the driver, and works until everything
/// is done or waits. A recording that is under way contains it.
///
/// Errors: `TRIGLYPH_STATUS_INVALID_ARGUMENT` for a channel beyond those there can be.
triglyph_status triglyph_tegra_submit_entries(triglyph_tegra *tegra,
                                              uint32_t channel,
                                              const uint64_t *entries,
                                              size_t count);

/// The syncpoint of a channel.
triglyph_status triglyph_tegra_channel_syncpoint(triglyph_tegra *tegra,
                                                 uint32_t channel,
                                                 uint32_t *syncpoint,
                                                 uint32_t *result);

/// EVENT_REGISTER, or EVENT_UNREGISTER with `false`.
triglyph_status triglyph_tegra_event_register(triglyph_tegra *tegra,
                                              uint32_t slot,
                                              bool registered,
                                              uint32_t *result);

/// EVENT_WAIT with a negative `slot`, EVENT_WAIT_ASYNC if the client chooses it: waits for a fence. Timeouts are the
/// host's affair: 0 asks whether the fence has been reached, others arm an event, which is a
/// `TRIGLYPH_EVENT_KIND_FENCE` when it is.
triglyph_status triglyph_tegra_event_wait(triglyph_tegra *tegra,
                                          const triglyph_tegra_fence *fence,
                                          int32_t timeout,
                                          int32_t slot,
                                          triglyph_tegra_wait *wait,
                                          uint32_t *result);

/// EVENT_SIGNAL: nobody waits for this event any more.
triglyph_status triglyph_tegra_event_cancel(triglyph_tegra *tegra,
                                            uint32_t slot,
                                            uint32_t *result);

/// GET_CHARACTERISTICS.
triglyph_status triglyph_tegra_get_characteristics(triglyph_tegra *tegra,
                                                   triglyph_tegra_characteristics *characteristics);

/// Opens a capture file, by its path (UTF-8). It belongs to the caller, who destroys it with
/// `triglyph_capture_destroy`; players that were made from it keep what they need. The file must not be changed
/// meanwhile.
///
/// Errors: `TRIGLYPH_STATUS_IO`; `TRIGLYPH_STATUS_BAD_CAPTURE` when it is none.
triglyph_status triglyph_capture_open(const char *path,
                                      triglyph_capture **capture);

/// Makes a capture from the bytes of a file, which are copied.
///
/// Errors: `TRIGLYPH_STATUS_BAD_CAPTURE` when it is none.
triglyph_status triglyph_capture_from_bytes(const uint8_t *bytes,
                                            size_t size,
                                            triglyph_capture **capture);

/// Which `triglyph_machine` a capture is for, and whether its guest's words are big-endian. Either pointer may be null.
triglyph_status triglyph_capture_header(triglyph_capture *capture,
                                        uint32_t *machine,
                                        bool *big_endian);

/// Destroys a capture. Null is ignored.
triglyph_status triglyph_capture_destroy(triglyph_capture *capture);

/// Reads a picture from a device's memory, after everything that was submitted: `big_endian` says whether its words
/// are. It belongs to the caller, who destroys it with `triglyph_picture_destroy`.
///
/// Errors: `TRIGLYPH_STATUS_INVALID_ARGUMENT` for what describes no picture; `TRIGLYPH_STATUS_UNMAPPED`.
triglyph_status triglyph_picture_read(triglyph_device *device,
                                      const triglyph_present *present,
                                      bool big_endian,
                                      triglyph_picture **picture);

/// Size in pixels, and where the `4 * width * height` bytes of a picture are, until it is destroyed. All but `picture`
/// may be null.
triglyph_status triglyph_picture_pixels(triglyph_picture *picture,
                                        uint32_t *width,
                                        uint32_t *height,
                                        const uint8_t **rgba);

/// A picture as a PNG file, with or without its alpha channel. The buffer belongs to the caller, who destroys it with
/// `triglyph_buffer_destroy`.
triglyph_status triglyph_picture_png(triglyph_picture *picture,
                                     bool alpha,
                                     triglyph_buffer **png);

/// Destroys a picture. Null is ignored.
triglyph_status triglyph_picture_destroy(triglyph_picture *picture);

/// XXH3 (64 bits) of a range of guest memory, after everything that was submitted.
///
/// Errors: `TRIGLYPH_STATUS_UNMAPPED`.
triglyph_status triglyph_hash(triglyph_device *device,
                              uint32_t space,
                              uint64_t address,
                              uint64_t size,
                              uint64_t *hash);

/// One that nothing was presented with yet. It belongs to the caller, who destroys it with
/// `triglyph_presented_destroy`.
triglyph_status triglyph_presented_create(triglyph_presented **presented);

/// Destroys what was made by `triglyph_presented_create`. Null is ignored.
triglyph_status triglyph_presented_destroy(triglyph_presented *presented);

/// Converts a picture in guest memory to rows of the host's: compiled, and on the device's threads. Everything that is
/// done so far is in it. `present` says where it is: layouts 0 to 3 (block-linear with a pitch that is a multiple of
/// 64), formats other than 8; its label does not count, and `big_endian` says whether its words are. `changed` is
/// whether it differs from the one that was presented with `presented` last, which may be null: it may say so once when
/// it does not, as pictures are not remembered before they come twice. Where it is known at once that it does not,
/// nothing is stored.
///
/// Errors: `TRIGLYPH_STATUS_INVALID_ARGUMENT` for what is no picture or has no room; `TRIGLYPH_STATUS_UNMAPPED`.
triglyph_status triglyph_present_picture(triglyph_device *device,
                                         const triglyph_present *present,
                                         bool big_endian,
                                         const triglyph_rows *rows,
                                         triglyph_presented *presented,
                                         bool *changed);

/// Presents what a `triglyph_n3ds_screen` shows an eye (0 left or both, 1 right), as `triglyph_present_picture`: the
/// controller's picture through its gamma table, upright, or the colour that covers it. `width` and `height` are its
/// size, 0 if there is no picture; both may be null.
///
/// Errors: as there.
triglyph_status triglyph_n3ds_present_screen(triglyph_n3ds *n3ds,
                                             uint32_t screen,
                                             uint32_t eye,
                                             const triglyph_rows *rows,
                                             triglyph_presented *presented,
                                             bool *changed,
                                             uint32_t *width,
                                             uint32_t *height);

/// Presents what a head (0 or 1) of the PS3 shows, as `triglyph_present_picture`: the display buffer that was flipped
/// last. `width` and `height` are its size, 0 if it shows no buffer of a context; both may be null.
///
/// Errors: as there.
triglyph_status triglyph_rsx_present_head(triglyph_rsx *rsx,
                                          uint32_t head,
                                          const triglyph_rows *rows,
                                          triglyph_presented *presented,
                                          bool *changed,
                                          uint32_t *width,
                                          uint32_t *height);

/// Makes a player, which goes through a capture once. `checks`: `TRIGLYPH_CHECK_*`, or 0 to play only. It belongs to
/// the caller, who destroys it with `triglyph_player_destroy`; the capture may go before it.
triglyph_status triglyph_player_create(triglyph_capture *capture,
                                       uint32_t checks,
                                       triglyph_player **player);

/// Executes a capture up to and including the next record that has something to tell. `device` is of the capture's
/// machine, with nothing mapped before the first call, and the same in each call.
///
/// Errors: `TRIGLYPH_STATUS_BAD_CAPTURE` for a record that is malformed or that the device refused; nothing after it is
/// executed.
triglyph_status triglyph_player_next(triglyph_player *player,
                                     triglyph_device *device,
                                     triglyph_play_event *event);

/// The picture that a player has come to, with `TRIGLYPH_CHECK_PICTURES`. It belongs to the caller, who destroys it
/// with `triglyph_picture_destroy`.
///
/// Errors: `TRIGLYPH_STATUS_INVALID_ARGUMENT` when the last event was no picture, pictures are not read, or it was
/// taken already.
triglyph_status triglyph_player_take_picture(triglyph_player *player,
                                             triglyph_picture **picture);

/// Destroys a player. Null is ignored.
///
/// Errors: `TRIGLYPH_STATUS_BUSY` while another call uses it.
triglyph_status triglyph_player_destroy(triglyph_player *player);

/// Begins a recording into a file, by its path (UTF-8), with a name for people or null. The capture begins with the
/// memory and the state of this moment, which may be in the middle of a push buffer. From now on it gets all calls that
/// change the GPU: those of all machines and those of the machine's own. Memory of the host's is compared before work
/// is done, which takes time, unless the host announces what it writes (`triglyph_set_host_writes_announced`). A
/// recording that is under way is dropped.
///
/// Errors: `TRIGLYPH_STATUS_IO` when the file cannot be made.
triglyph_status triglyph_record_start(triglyph_device *device,
                                      const char *path,
                                      const char *name);

/// Says that a picture is finished, at the end of a frame, for each screen. With `expect` the capture expects it to
/// look as it does now, to the bit. Does nothing without a recording.
///
/// Errors: as `triglyph_picture_read`.
triglyph_status triglyph_record_present(triglyph_device *device,
                                        const triglyph_present *present,
                                        bool expect);

/// Records what a range of guest memory hashes to now. Does nothing without a recording.
///
/// Errors: `TRIGLYPH_STATUS_UNMAPPED`.
triglyph_status triglyph_record_hash(triglyph_device *device,
                                     uint32_t space,
                                     uint64_t address,
                                     uint64_t size);

/// Bounds recordings that begin from now on: they record nothing more once their file has so many bytes, and are whole
/// captures up to there. UINT64_MAX for no bound, as at first.
triglyph_status triglyph_record_set_limit(triglyph_device *device,
                                          uint64_t bytes);

/// Whether a recording is under way that has reached its limit.
triglyph_status triglyph_record_is_full(triglyph_device *device, bool *full);

/// Whether a recording is under way.
triglyph_status triglyph_record_is_active(triglyph_device *device, bool *active);

/// Ends a recording and closes its file. Does nothing without one.
///
/// Errors: `TRIGLYPH_STATUS_IO`, the first that the file has met since the recording began.
triglyph_status triglyph_record_stop(triglyph_device *device);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* TRIGLYPH_H */
