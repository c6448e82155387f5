// Triglyph: what all machines have. What holds for all of the interface is in triglyph.h.
//
// Made from the sources in capi/src and the tables of calls; do not edit.

#ifndef TRIGLYPH_COMMON_H
#define TRIGLYPH_COMMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Functions of a DLL are imported, unless TRIGLYPH_STATIC says that the library is in the program.
#if defined(_WIN32) && !defined(TRIGLYPH_STATIC)
#define TRIGLYPH_API __declspec(dllimport)
#else
#define TRIGLYPH_API
#endif

/// The version of this header's interface. From 1 on, versions with the same number are compatible: functions and
/// constants are only added, and fields only at the end of structures that begin with their size. 0 promises nothing:
/// it may change with each minor version of the library.
#define TRIGLYPH_ABI_VERSION 0

/// The GPU may read a range. The host may always read and write.
#define TRIGLYPH_ACCESS_READ 0x1

/// The GPU may write a range.
#define TRIGLYPH_ACCESS_WRITE 0x2

/// Both.
#define TRIGLYPH_ACCESS_READ_WRITE 0x3

/// Leaves guest memory out of a snapshot: the host saves it, and puts it back before it restores.
#define TRIGLYPH_SNAPSHOT_WITHOUT_MEMORY 0x1

/// Does not compress the snapshot, for hosts that compress it themselves or keep it in memory.
#define TRIGLYPH_SNAPSHOT_UNCOMPRESSED 0x2

/// Reads finished pictures.
#define TRIGLYPH_CHECK_PICTURES 0x1

/// Compares them with what the capture expects; needs `TRIGLYPH_CHECK_PICTURES`.
#define TRIGLYPH_CHECK_EXPECTATIONS 0x2

/// Checks hashes of memory.
#define TRIGLYPH_CHECK_HASHES 0x4

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
  /// This machine, this build, this host or this version does not support the request.
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
  /// The known behaviour of the hardware; on the PS3 registers, instance memory and channel switching as well.
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

/// The kind of an event. The fields of an event that each kind has are named here; the others are 0.
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
  /// A fence with a waiter was reached: `slot`, `counter` (the syncpoint), `value`.
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
  /// A feature of the hardware that is not emulated yet.
  TRIGLYPH_FAULT_KIND_UNIMPLEMENTED = 6,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum triglyph_fault_kind triglyph_fault_kind;
#else
typedef uint32_t triglyph_fault_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// What a finding is about.
enum triglyph_finding_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /// The draw has no vertices.
  TRIGLYPH_FINDING_KIND_NO_VERTICES = 0,
  /// There are fewer vertices than one primitive needs.
  TRIGLYPH_FINDING_KIND_INCOMPLETE_PRIMITIVE = 1,
  /// Conditional rendering or a rasterizer switch drops all draws.
  TRIGLYPH_FINDING_KIND_RENDERING_DISABLED = 2,
  /// No colour or depth surface is selected, or its address or DMA object is 0.
  TRIGLYPH_FINDING_KIND_NO_TARGET = 3,
  /// A surface lies at an address where nothing may be written.
  TRIGLYPH_FINDING_KIND_UNMAPPED_TARGET = 4,
  /// The selected surfaces have no format that exists.
  TRIGLYPH_FINDING_KIND_TARGET_FORMAT = 5,
  /// The surfaces have a width, height or pitch of 0, or one that does not fit them.
  TRIGLYPH_FINDING_KIND_TARGET_SIZE = 6,
  /// The viewport has no area.
  TRIGLYPH_FINDING_KIND_EMPTY_VIEWPORT = 7,
  /// No pixel of the target is inside of the scissor or of another clip rectangle.
  TRIGLYPH_FINDING_KIND_EMPTY_SCISSOR = 8,
  /// A vertex or index array begins where nothing may be read.
  TRIGLYPH_FINDING_KIND_UNMAPPED_ARRAY = 9,
  /// A stage that the draw needs has no program.
  TRIGLYPH_FINDING_KIND_NO_PROGRAM = 10,
  /// No output of the vertex stage is the position.
  TRIGLYPH_FINDING_KIND_NO_POSITION = 11,
  /// All positions have a w of 0, or a component that is no number.
  TRIGLYPH_FINDING_KIND_BAD_POSITION = 12,
  /// All vertices have the same position.
  TRIGLYPH_FINDING_KIND_SAME_POSITION = 13,
  /// All primitives are outside of the view volume.
  TRIGLYPH_FINDING_KIND_OUTSIDE_VIEW = 14,
  /// All primitives show the side that culling drops.
  TRIGLYPH_FINDING_KIND_ALL_CULLED = 15,
  /// All primitives are without area.
  TRIGLYPH_FINDING_KIND_DEGENERATE = 16,
  /// Primitives were set up, or dropped for this alone, and cover no pixel inside of the target and the scissor.
  TRIGLYPH_FINDING_KIND_NO_PIXELS = 17,
  /// A depth, stencil or alpha function is `never`.
  TRIGLYPH_FINDING_KIND_TEST_NEVER = 18,
  /// All fragments failed the depth test.
  TRIGLYPH_FINDING_KIND_DEPTH_FAILED = 19,
  /// All fragments failed the stencil test.
  TRIGLYPH_FINDING_KIND_STENCIL_FAILED = 20,
  /// All fragments failed the alpha test.
  TRIGLYPH_FINDING_KIND_ALPHA_FAILED = 21,
  /// All fragments lie outside of the depth bounds.
  TRIGLYPH_FINDING_KIND_BOUNDS_FAILED = 22,
  /// The program or a sample mask discarded all fragments.
  TRIGLYPH_FINDING_KIND_DISCARDED = 23,
  /// All fragments failed one test or another.
  TRIGLYPH_FINDING_KIND_TESTS_FAILED = 24,
  /// No channel of the colour surfaces may be written, and depth is not written either.
  TRIGLYPH_FINDING_KIND_WRITES_MASKED = 25,
  /// Blending keeps what the target holds: the factor of the source is 0, that of the target 1.
  TRIGLYPH_FINDING_KIND_BLEND_KEEPS_TARGET = 26,
  /// Fragments passed all tests, and every byte of the targets is as before.
  TRIGLYPH_FINDING_KIND_NOTHING_CHANGED = 27,
  /// The colour of all fragments is a constant 0.
  TRIGLYPH_FINDING_KIND_CONSTANT_ZERO = 28,
  /// The fragment program writes no colour and no depth.
  TRIGLYPH_FINDING_KIND_NO_COLOR_OUTPUT = 29,
  /// The fragment stage reads a colour or coordinate that the vertex stage does not give.
  TRIGLYPH_FINDING_KIND_UNLINKED_INPUT = 30,
  /// The program reads an attribute that comes from no array; all vertices have the same value.
  TRIGLYPH_FINDING_KIND_CONSTANT_ATTRIBUTE = 31,
  /// An array holds zeros for all vertices of the draw.
  TRIGLYPH_FINDING_KIND_ZERO_ATTRIBUTE = 32,
  /// A texture that the draw reads lies where nothing is mapped, or has no size.
  TRIGLYPH_FINDING_KIND_UNMAPPED_TEXTURE = 33,
  /// A texture or sampler descriptor is empty.
  TRIGLYPH_FINDING_KIND_EMPTY_DESCRIPTOR = 34,
  /// Depth is compared with a buffer that nothing has written before.
  TRIGLYPH_FINDING_KIND_UNWRITTEN_DEPTH = 35,
  /// A register that draws depend on holds a value that is nearly always a mistake.
  TRIGLYPH_FINDING_KIND_UNUSUAL_STATE = 36,
  /// A draw was begun and did not end.
  TRIGLYPH_FINDING_KIND_OPEN_DRAW = 37,
  /// Commands have run, and none of them drew.
  TRIGLYPH_FINDING_KIND_NO_DRAW = 38,
  /// A picture was shown of memory that no draw, clear or copy wrote.
  TRIGLYPH_FINDING_KIND_UNWRITTEN_PICTURE = 39,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum triglyph_finding_kind triglyph_finding_kind;
#else
typedef uint32_t triglyph_finding_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// How much a finding matters.
enum triglyph_severity
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /// The draw may be as its author wants it.
  TRIGLYPH_SEVERITY_SUSPICIOUS = 0,
  /// For this reason the draw changes no pixel.
  TRIGLYPH_SEVERITY_INVISIBLE = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum triglyph_severity triglyph_severity;
#else
typedef uint32_t triglyph_severity;
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
  /// A request of the host's was not fulfilled: the key file is not used, is damaged, or was not written.
  TRIGLYPH_LOG_LEVEL_WARNING = 1,
  /// Work is slower than it could be: the interpreter serves a kernel or calls of it, and why.
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
  /// Nothing can go on before the host, or the guest's processor, has acted: `waiting` says what is waited for.
  TRIGLYPH_RUN_END_WAITING = 2,
  /// The limit is reached, and there is more to do.
  TRIGLYPH_RUN_END_BUDGET_USED = 3,
  /// `triglyph_interrupter_interrupt` was called; there may be more to do. What was drawn last may not be in guest
  /// memory yet.
  TRIGLYPH_RUN_END_INTERRUPTED = 4,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum triglyph_run_end triglyph_run_end;
#else
typedef uint32_t triglyph_run_end;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// The condition that is waited for.
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
  /// The channel is stopped by an error, or until the guest's own interrupt handler acts. On the 3DS commands are in
  /// the queue of client `channel`, which was halted or has not the rendering right.
  TRIGLYPH_WAITING_KIND_PROCESSOR = 4,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum triglyph_waiting_kind triglyph_waiting_kind;
#else
typedef uint32_t triglyph_waiting_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// In what pieces `triglyph_capture_trim` keeps memory.
enum triglyph_trim_unit
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /// The bytes that are read.
  TRIGLYPH_TRIM_UNIT_BYTES = 0,
  /// Pages of 4 KiB of which a byte is read.
  TRIGLYPH_TRIM_UNIT_PAGES = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum triglyph_trim_unit triglyph_trim_unit;
#else
typedef uint32_t triglyph_trim_unit;
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

/// The treatment of pictures whose size is not that of the host's rows. Guests choose sizes: the wide mode of the 3DS
/// has 800 columns instead of 400.
enum triglyph_fit
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /// The part that fits is stored, from the top left corner. Around a smaller picture the rows stay as they are.
  TRIGLYPH_FIT_CUT = 0,
  /// All of it is stored, smaller or larger, so that it fills the rows: the nearest pixel for each.
  TRIGLYPH_FIT_SCALE = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum triglyph_fit triglyph_fit;
#else
typedef uint32_t triglyph_fit;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// How a picture was stored.
enum triglyph_shown_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /// There is no picture, or none that there can be: nothing is stored.
  TRIGLYPH_SHOWN_KIND_NOTHING = 0,
  /// All of it, pixel by pixel.
  TRIGLYPH_SHOWN_KIND_WHOLE = 1,
  /// Its upper left part.
  TRIGLYPH_SHOWN_KIND_CUT = 2,
  /// All of it, smaller or larger.
  TRIGLYPH_SHOWN_KIND_SCALED = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum triglyph_shown_kind triglyph_shown_kind;
#else
typedef uint32_t triglyph_shown_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// An event of a player.
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
  /// An event that this version cannot describe.
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

/// A handle for the functions of all machines. Made by `triglyph_device_create`, or borrowed from a machine's own
/// handle.
typedef struct triglyph_device triglyph_device;

/// Interrupts the bounded runs of a device. All threads may use it at any time, also while calls on the device are
/// under way and after it is gone.
typedef struct triglyph_interrupter triglyph_interrupter;

/// A picture: RGBA, 8 bits a channel, top row first. It does not change, so any number of threads may read it.
typedef struct triglyph_picture triglyph_picture;

/// One run through a capture. One call at a time uses it.
typedef struct triglyph_player triglyph_player;

/// The picture that was presented to some rows last, so that the next call detects an unchanged picture. Rows that get
/// pictures by turns have one each. One call at a time may use it.
typedef struct triglyph_presented triglyph_presented;

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

/// Calls `job(argument)` once, on one of the host's threads, soon: it takes part in the work of the call that is
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
  /// 1 to check draws for what makes them invisible or suspicious (`triglyph_set_finding_callback`), which takes many
  /// times as long; 0 not to. No byte depends on it.
  uint32_t validate;
  /// Machine code that may be kept, in bytes.
  uint64_t code_budget;
  /// Path (UTF-8) of a file that remembers which kernels were needed, so that the next start compiles them in the
  /// background; made when it is not there, with its folder. Null for none. Devices and processes may share one.
  const char *key_file;
  /// Bytes beyond which the least used keys of that file are forgotten.
  uint64_t key_file_limit;
  /// A job system of the host's that draws instead of threads of the library's, or null.
  triglyph_execute_callback execute;
  /// The argument of `execute`. It has to stay valid until the device is destroyed.
  void *execute_user_data;
  /// The maximum cost of one submission before the guest counts as running away, in units of fuel (a unit is about a
  /// nanosecond of a core that runs compiled code); what does not fit is not done. Bounded runs do all.
  uint64_t fuel;
} triglyph_options;

/// Bytes of guest memory in an address space.
typedef struct triglyph_range {
  /// The address space: `TRIGLYPH_N3DS_SPACE_PHYSICAL` and the other on the 3DS; `TRIGLYPH_RSX_SPACE_LOCAL` and the
  /// others on the PS3; on the Tegra X1 0 for captures, `TRIGLYPH_TEGRA_SPACE_PROCESS`, and those that the driver
  /// opens.
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

/// Is called with what the GPU has written, in whole pages of 4 KiB, each once, on the thread that makes the call which
/// has done the work, before that returns. It must not block for long and not throw or jump out; calls on the same
/// device return `TRIGLYPH_STATUS_BUSY`.
typedef void (*triglyph_written_callback)(void *user_data, const triglyph_range *range);

/// Something that happened in a device and concerns the host or the guest's processor.
typedef struct triglyph_event {
  /// Bytes of this structure: `sizeof(triglyph_event)`. A callback gets the library's; of an array the caller sets
  /// that of the first, which is the distance from each to the next.
  uint32_t size;
  /// A `triglyph_event_kind`: it says which fields mean something.
  uint32_t kind;
  /// Which interrupt.
  uint32_t source;
  /// The display's owner: the handle of an LV1 context, 0 on other machines.
  uint32_t context;
  /// Number of the display; on the 3DS 0 the top and 1 the bottom screen.
  uint32_t head;
  /// Number of the buffer.
  uint32_t buffer;
  /// Where the buffer begins: an offset in local memory on the PS3, a physical address on the 3DS.
  uint32_t offset;
  /// The waiter of the fence: the slot of the event.
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
  /// How many interrupts, at least 1.
  uint64_t count;
  /// Nanoseconds from the call that caused the interrupt until the hardware would raise it: an estimate, 0 without.
  uint64_t delay;
  /// The IO address as the GPU sees it.
  uint64_t address;
} triglyph_event;

/// Is called for each event, oldest first, on the thread that makes the call in which it has happened, before that
/// returns: on a worker's thread after each of its slices. It must not block for long and not throw or jump out; calls
/// on the same device return `TRIGLYPH_STATUS_BUSY`, but commands may be sent to a worker with
/// `triglyph_worker_try_send`.
typedef void (*triglyph_event_callback)(void *user_data, const triglyph_event *event);

/// One thing that the guest got wrong.
typedef struct triglyph_fault {
  /// Bytes of this structure: `sizeof(triglyph_fault)`. A callback gets the library's.
  uint32_t size;
  /// A `triglyph_fault_kind`.
  uint32_t kind;
  /// The guest address, register or method concerned.
  uint64_t address;
  /// Where in the command stream: the byte offset in its list, or the address of the command word.
  uint64_t command;
  /// Description for people; UTF-8. The call that gave the fault says how long it is valid.
  const char *what;
} triglyph_fault;

/// Is called for each fault as it happens, on the thread that makes the call in which it does. The fault and its text
/// are valid during the callback. It must not block for long and not throw or jump out; calls on the same device return
/// `TRIGLYPH_STATUS_BUSY`.
typedef void (*triglyph_fault_callback)(void *user_data, const triglyph_fault *fault);

/// One reason why a draw changes no pixel, or why its result may not be the intended one.
typedef struct triglyph_finding {
  /// Bytes of this structure: `sizeof(triglyph_finding)`. A callback gets the library's.
  uint32_t size;
  /// A `triglyph_finding_kind`.
  uint32_t kind;
  /// A `triglyph_severity`.
  uint32_t severity;
  /// The register or method that it is about; 0 if it is about none.
  uint32_t register_number;
  /// The event, as the inspector counts them: how many commands before had an effect.
  uint64_t event;
  /// Where the word that drew is: the byte offset in its list, or the address of the command word.
  uint64_t command;
  /// The value of the register or method.
  uint32_t register_value;
  /// 0.
  uint32_t reserved;
  /// What was found, in a sentence; UTF-8.
  const char *what;
  /// What to do instead, in a sentence; UTF-8.
  const char *advice;
} triglyph_finding;

/// Is called for each finding, on the thread that makes the call which executes the draw. The finding and its texts are
/// valid during the callback. It must not block for long and not throw or jump out; calls on the same device return
/// `TRIGLYPH_STATUS_BUSY`.
typedef void (*triglyph_finding_callback)(void *user_data, const triglyph_finding *finding);

/// Is called with each line for the host's log, with its `triglyph_log_level`. The line has no line break at its end
/// and is valid during the callback. Lines come one at a time, from the thread that makes a call or from the
/// compiler's. The callback must not block for long, not throw or jump out, and make no calls on any handle of the
/// device.
typedef void (*triglyph_log_callback)(void *user_data, uint32_t level, const char *line);

/// Counters since the device was made: counters that only grow, times in nanoseconds, added up over all threads.
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
  /// Primitives outside of the view volume, a user's plane or a cull distance.
  uint64_t dropped_outside;
  /// Primitives that show the side that is culled.
  uint64_t dropped_culled;
  /// Primitives without area.
  uint64_t dropped_degenerate;
  /// Primitives that cover no pixel inside of the target and, on the PS3 and the Tegra X1, the scissor.
  uint64_t dropped_uncovered;
  /// Draws without any pixel that may be drawn to.
  uint64_t draws_without_target;
} triglyph_stats;

/// The result of reading the key file when the device was made.
typedef struct triglyph_warm_start {
  /// Bytes of this structure as the caller knows it: `sizeof(triglyph_warm_start)`.
  uint32_t size;
  /// 0.
  uint32_t reserved;
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

/// The condition that a device waits for. Fields that a kind does not name are 0.
typedef struct triglyph_waiting {
  /// Bytes of this structure as the caller knows it: `sizeof(triglyph_waiting)`.
  uint32_t size;
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
  /// The address or offset.
  uint64_t address;
} triglyph_waiting;

/// How a worker works. Fill it with `triglyph_worker_options_init` first.
typedef struct triglyph_worker_options {
  /// Bytes of this structure as the caller knows it: `sizeof(triglyph_worker_options)`.
  uint32_t size;
  /// Commands that may wait in the queue, at least 1: senders wait for room beyond them.
  uint32_t capacity;
  /// How much is done before the queue is checked again. A command that is sent interrupts the run, so this delays no
  /// command; it delays the event callback.
  triglyph_run_limit slice;
} triglyph_worker_options;

/// A command for a worker's thread. It makes calls on the worker's device, and must not throw or jump out; nor must it
/// wait for the worker.
typedef void (*triglyph_worker_command)(void *user_data);

/// Where a picture is in guest memory.
typedef struct triglyph_present {
  /// Bytes of this structure as the caller knows it: `sizeof(triglyph_present)`.
  uint32_t size;
  /// Its address space.
  uint32_t space;
  /// A `triglyph_format`.
  uint32_t format;
  /// A `triglyph_layout`, with its parameter.
  uint32_t layout;
  /// Its first byte.
  uint64_t address;
  /// Pixels from left to right as a person sees it.
  uint32_t width;
  /// Pixels from top to bottom as a person sees it.
  uint32_t height;
  /// Bytes from one stored row (or stored column) to the next.
  uint32_t pitch;
  /// 0.
  uint32_t reserved;
  /// Name of the output (UTF-8), for recordings: `"top"`, `"main"`; null for `"main"`.
  const char *label;
} triglyph_present;

/// Rows of the host's that a picture goes to, top row first.
typedef struct triglyph_rows {
  /// Bytes of this structure as the caller knows it: `sizeof(triglyph_rows)`.
  uint32_t size;
  /// A `triglyph_host_format`.
  uint32_t format;
  /// The first byte of the top row. The bytes have values before the call, whichever.
  uint8_t *bytes;
  /// How many bytes all rows have.
  size_t length;
  /// Bytes from a row to the next, at least those of a row. What is between rows is left alone.
  size_t stride;
  /// Pixels of a row; 0 for as many as the stride has.
  uint32_t width;
  /// How many rows; 0 for as many as there are.
  uint32_t height;
  /// A `triglyph_fit`.
  uint32_t fit;
  /// 0.
  uint32_t reserved;
} triglyph_rows;

/// The result of presenting a picture.
typedef struct triglyph_shown {
  /// Bytes of this structure as the caller knows it: `sizeof(triglyph_shown)`.
  uint32_t size;
  /// A `triglyph_shown_kind`.
  uint32_t kind;
  /// Whether it differs from the picture before: 1 or 0. It may be 1 once when it does not, as pictures are not
  /// remembered before they come twice.
  uint32_t changed;
  /// Pixels of a row of the guest's picture.
  uint32_t width;
  /// Rows of the guest's picture.
  uint32_t height;
  /// Pixels of a row that were stored.
  uint32_t stored_width;
  /// Rows that were stored.
  uint32_t stored_height;
  /// 0.
  uint32_t reserved;
  /// Bytes of the picture that are not in memory that the GPU may read: they count as zeros.
  uint64_t missing;
} triglyph_shown;

/// An event of a player.
typedef struct triglyph_play_event {
  /// Bytes of this structure as the caller knows it: `sizeof(triglyph_play_event)`.
  uint32_t size;
  /// A `triglyph_play_kind`: it says which fields mean something.
  uint32_t kind;
  /// Whether it is as the capture expects: 1, or 0 when a picture or a hash differs. 1 where nothing is expected or
  /// checked.
  uint32_t ok;
  /// Largest difference of a channel.
  uint32_t max_difference;
  /// Index of the record in the capture, from 0.
  uint64_t record;
  /// Counts pictures, from 0.
  uint64_t index;
  /// Name of the picture's output, such as `"top"`; null for others. Valid until the player goes on.
  const char *label;
  /// Pixels that differ by more than the tolerance.
  uint64_t over;
  /// The hash that was wanted, and the one that was found.
  uint64_t hash_wanted;
  /// See before.
  uint64_t hash_found;
} triglyph_play_event;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/// The interface's version of the library that is linked, to be compared with `TRIGLYPH_ABI_VERSION`.
TRIGLYPH_API
uint32_t triglyph_abi_version(void);

/// The version of the library, for people: `"0.1.0"`. Valid for good.
TRIGLYPH_API const char *triglyph_version(void);

/// The error text of the last call on this thread that did not return `TRIGLYPH_STATUS_OK`; empty before the first.
/// UTF-8. Valid until the next call of this library on this thread; successful calls leave the text as it is.
TRIGLYPH_API
const char *triglyph_last_error(void);

/// A short name of a status, for logs: `"unmapped"`. Valid for good; `"unknown"` for other numbers.
TRIGLYPH_API const char *triglyph_status_name(int32_t status);

/// Fills options with the defaults. `options->size` is to be set to `sizeof(triglyph_options)` before.
///
/// Errors: `TRIGLYPH_STATUS_BAD_SIZE`.
TRIGLYPH_API
triglyph_status triglyph_options_init(triglyph_options *options);

/// Makes a machine, named by a `triglyph_machine`, for hosts that need only what all machines have, such as players of
/// captures. It belongs to the caller, who destroys it with `triglyph_device_destroy`. Use `triglyph_n3ds_create`,
/// `triglyph_rsx_create` or `triglyph_tegra_create` for a machine's own calls.
///
/// Errors: `TRIGLYPH_STATUS_INVALID_ARGUMENT` for numbers without a meaning; `TRIGLYPH_STATUS_UNSUPPORTED` when the
/// host gives no threads, or has no code generator and `TRIGLYPH_TIER_JIT` was asked for.
TRIGLYPH_API
triglyph_status triglyph_device_create(uint32_t machine,
                                       const triglyph_options *options,
                                       triglyph_device **device);

/// Destroys a device made by `triglyph_device_create`. Memory of the host's that was mapped is not used any more when
/// this returns. Null is ignored.
///
/// Errors: `TRIGLYPH_STATUS_BUSY` while another call uses it; `TRIGLYPH_STATUS_INVALID_ARGUMENT` for a device that was
/// borrowed from a machine's handle. The device stays as it is then.
TRIGLYPH_API
triglyph_status triglyph_device_destroy(triglyph_device *device);

/// Which `triglyph_machine` a device is.
TRIGLYPH_API
triglyph_status triglyph_get_machine(triglyph_device *device,
                                     uint32_t *machine);

/// Gives the GPU work in the form of a capture's SUBMIT record, all little-endian: on the 3DS the eight words of a GX
/// command; on the PS3 `u32 channel`, `u32 space`, then `u64 start`, `u64 bytes` for each segment of the push buffer;
/// on the Tegra X1 `u32 channel`, `u32 0`, then GPFIFO entries of 8 bytes. Hosts that use a machine's own calls need
/// it only for what they record.
///
/// Errors: `TRIGLYPH_STATUS_INVALID_ARGUMENT` when the bytes do not have that form.
TRIGLYPH_API
triglyph_status triglyph_submit(triglyph_device *device,
                                const uint8_t *payload,
                                size_t size);

/// Returns once everything that was submitted is done and its results are in guest memory.
TRIGLYPH_API triglyph_status triglyph_finish(triglyph_device *device);

/// Returns once no kernel is being compiled or waits for it, for benchmarks and tests.
TRIGLYPH_API triglyph_status triglyph_wait_for_compiler(triglyph_device *device);

/// Maps zero-filled memory of the library's own; what was mapped there before is replaced.
///
/// Errors: `TRIGLYPH_STATUS_INVALID_ARGUMENT` for size 0, a range past the end of the space, an unknown space or
/// access; `TRIGLYPH_STATUS_UNSUPPORTED` for more memory than the host has, or than 16 GiB in all.
TRIGLYPH_API
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
TRIGLYPH_API
triglyph_status triglyph_map_host(triglyph_device *device,
                                  uint32_t space,
                                  uint64_t address,
                                  uint64_t size,
                                  void *pointer,
                                  uint32_t access);

/// Shows mapped memory at a second place, in the same or another space.
///
/// Errors: `TRIGLYPH_STATUS_UNMAPPED` or `TRIGLYPH_STATUS_INVALID_ARGUMENT` when there is nothing to show.
TRIGLYPH_API
triglyph_status triglyph_map_alias(triglyph_device *device,
                                   uint32_t space,
                                   uint64_t address,
                                   const triglyph_range *source,
                                   uint32_t access);

/// Removes whatever is mapped in a range, and the aliases of memory that is gone then. Memory of the host's is not
/// used any more when this returns.
TRIGLYPH_API
triglyph_status triglyph_unmap(triglyph_device *device,
                               uint32_t space,
                               uint64_t address,
                               uint64_t size);

/// The mappings, by space and address, aliases left out. Fills `mappings` as far as it reaches; `count` is how many
/// there are, which may be more.
TRIGLYPH_API
triglyph_status triglyph_mappings(triglyph_device *device,
                                  triglyph_mapping *mappings,
                                  size_t capacity,
                                  size_t *count);

/// Fills `data` with `size` bytes of guest memory, after everything that was submitted.
///
/// Errors: `TRIGLYPH_STATUS_UNMAPPED` when a byte of the range is not mapped; `data` is unspecified then.
TRIGLYPH_API
triglyph_status triglyph_read(triglyph_device *device,
                              uint32_t space,
                              uint64_t address,
                              void *data,
                              size_t size);

/// Stores `size` bytes in guest memory, after everything that was submitted, whatever access the GPU has there.
///
/// Errors: `TRIGLYPH_STATUS_UNMAPPED` when a byte of the range is not mapped; nothing is stored then.
TRIGLYPH_API
triglyph_status triglyph_write(triglyph_device *device,
                               uint32_t space,
                               uint64_t address,
                               const void *data,
                               size_t size);

/// Says that the host has changed bytes of a range by itself, in memory that it has mapped with `triglyph_map_host`.
/// Such memory is checked whenever work is submitted; this call is for changes while work is being done, and for hosts
/// that announce all of them (`triglyph_set_host_writes_announced`).
TRIGLYPH_API
triglyph_status triglyph_host_wrote(triglyph_device *device,
                                    uint32_t space,
                                    uint64_t address,
                                    uint64_t size);

/// Says whether `triglyph_host_wrote` is called for all that the host writes to memory of its own, before the work
/// that is to see it: then only announced ranges are checked. Otherwise, which is the default, values derived from such
/// memory are compared with it whenever work is submitted.
TRIGLYPH_API
triglyph_status triglyph_set_host_writes_announced(triglyph_device *device,
                                                   bool announced);

/// Sets the callback for written ranges, or removes it with null; `triglyph_take_written` has nothing while there is
/// one. `user_data` is handed to each call and has to stay valid until the callback is replaced or the device
/// destroyed.
TRIGLYPH_API
triglyph_status triglyph_set_written_callback(triglyph_device *device,
                                              triglyph_written_callback callback,
                                              void *user_data);

/// Takes the ranges of guest memory that the GPU wrote since they were taken last: merged, by space and address. They
/// may name more bytes than were written, never fewer. `count` is how many were stored in `ranges`; if that is
/// `capacity`, there may be more to take.
TRIGLYPH_API
triglyph_status triglyph_take_written(triglyph_device *device,
                                      triglyph_range *ranges,
                                      size_t capacity,
                                      size_t *count);

/// Takes the events since they were taken last, oldest first. `count` is how many were stored in `events`; if that is
/// `capacity`, there may be more to take. `events[0].size` is set before. A host that takes none keeps the newest 4096.
///
/// Errors: `TRIGLYPH_STATUS_BAD_SIZE`.
TRIGLYPH_API
triglyph_status triglyph_take_events(triglyph_device *device,
                                     triglyph_event *events,
                                     size_t capacity,
                                     size_t *count);

/// Sets the callback for events, or removes it with null; `triglyph_take_events` has nothing while there is one. Events
/// that were not taken are told at once. `user_data` is handed to each call and has to stay valid until the callback is
/// replaced or the device destroyed. Threads that are to go on while a call is still at work, such as those that wait
/// for a fence, wait on the timeline.
TRIGLYPH_API
triglyph_status triglyph_set_event_callback(triglyph_device *device,
                                            triglyph_event_callback callback,
                                            void *user_data);

/// Sets the callback for faults, or removes it with null. `user_data` is handed to each call and has to stay valid
/// until the callback is replaced or the device destroyed.
TRIGLYPH_API
triglyph_status triglyph_set_fault_callback(triglyph_device *device,
                                            triglyph_fault_callback callback,
                                            void *user_data);

/// How many faults of a `triglyph_fault_kind` there were.
TRIGLYPH_API
triglyph_status triglyph_get_fault_count(triglyph_device *device,
                                         uint32_t kind,
                                         uint64_t *count);

/// One of the first 64 faults, which are kept in full, oldest first. `found` says whether there is one of that index.
/// `fault->size` is set before. Its text is valid until the device is destroyed.
///
/// Errors: `TRIGLYPH_STATUS_BAD_SIZE`.
TRIGLYPH_API
triglyph_status triglyph_get_fault(triglyph_device *device,
                                   size_t index,
                                   triglyph_fault *fault,
                                   bool *found);

/// A short name of a `triglyph_fault_kind`, for logs: `"unmapped-read"`. Valid for good.
TRIGLYPH_API const char *triglyph_fault_kind_name(uint32_t kind);

/// Sets the callback for findings of draws, or removes it with null. There are none unless the device was made with
/// `validate` in its options. `user_data` is handed to each call and has to stay valid until the callback is replaced
/// or the device destroyed.
TRIGLYPH_API
triglyph_status triglyph_set_finding_callback(triglyph_device *device,
                                              triglyph_finding_callback callback,
                                              void *user_data);

/// A short name of a `triglyph_finding_kind`, for logs: `"empty-viewport"`. Valid for good.
TRIGLYPH_API const char *triglyph_finding_kind_name(uint32_t kind);

/// Sets the callback for the log, or removes it with null. What was wrong with the key file when the device was made is
/// told at once; kernels that the interpreter serves, and writes of the key file that fail, from now on. It costs
/// nothing without a callback. `user_data` is handed to each call and has to stay valid until the callback is replaced
/// or the device destroyed; when this function returns, the callback before is called no more.
TRIGLYPH_API
triglyph_status triglyph_set_log_callback(triglyph_device *device,
                                          triglyph_log_callback callback,
                                          void *user_data);

/// Fills `stats`, whose `size` the caller has set.
///
/// Errors: `TRIGLYPH_STATUS_BAD_SIZE`.
TRIGLYPH_API
triglyph_status triglyph_get_stats(triglyph_device *device,
                                   triglyph_stats *stats);

/// Fills `warm_start`, whose `size` the caller has set, with the result of reading the key file when the device was
/// made; all 0 without one.
///
/// Errors: `TRIGLYPH_STATUS_BAD_SIZE`.
TRIGLYPH_API
triglyph_status triglyph_get_warm_start(triglyph_device *device,
                                        triglyph_warm_start *warm_start);

/// Says whether submissions only queue work, for `triglyph_run_for` and `triglyph_finish` to do. Otherwise, as at
/// first, they do it before they return. What was queued stays queued.
TRIGLYPH_API
triglyph_status triglyph_set_deferred(triglyph_device *device,
                                      bool deferred);

/// Goes on with what was submitted, and with channels that wait, until nothing can go on, `limit` is reached or another
/// thread interrupts it. `end` is a `triglyph_run_end`; `waiting`, whose `size` is set before, may be null. The next
/// run goes on at exactly the next command: memory, events and faults do not depend on how work is cut. A push buffer
/// that loops only uses up its budget. Between two runs the host may do anything: write memory, deliver VBlanks, take
/// snapshots. On the PS3 PUT is taken from the control pages first. A null `limit` is none.
TRIGLYPH_API
triglyph_status triglyph_run_for(triglyph_device *device,
                                 const triglyph_run_limit *limit,
                                 uint32_t *end,
                                 triglyph_waiting *waiting);

/// The interrupter of a device. It belongs to the caller, who destroys it with `triglyph_interrupter_destroy`.
TRIGLYPH_API
triglyph_status triglyph_get_interrupter(triglyph_device *device,
                                         triglyph_interrupter **interrupter);

/// Ends the bounded run in progress before its next command, or in the middle of drawing, or else the next one before
/// its first command. What is not drawn then is drawn by the next run, or by the first call that reads memory. Runs
/// without bounds go on. Does not wait.
TRIGLYPH_API
triglyph_status triglyph_interrupter_interrupt(triglyph_interrupter *interrupter);

/// Destroys an interrupter that no thread uses any more. Null is ignored.
TRIGLYPH_API triglyph_status triglyph_interrupter_destroy(triglyph_interrupter *interrupter);

/// The timeline of a device. It belongs to the caller, who destroys it with `triglyph_timeline_destroy`.
TRIGLYPH_API
triglyph_status triglyph_get_timeline(triglyph_device *device,
                                      triglyph_timeline **timeline);

/// The number of the last submission, and the number up to which all are complete. Either pointer may be null.
TRIGLYPH_API
triglyph_status triglyph_timeline_counts(triglyph_timeline *timeline,
                                         uint64_t *submitted,
                                         uint64_t *completed);

/// Waits until submission `number` is complete, at most for `timeout` nanoseconds; `complete` says whether it is. A
/// number that has not been submitted yet is waited for as well.
TRIGLYPH_API
triglyph_status triglyph_timeline_wait(triglyph_timeline *timeline,
                                       uint64_t number,
                                       uint64_t timeout,
                                       bool *complete);

/// How many events have happened so far: what `triglyph_take_events` returns, counted as it happens.
TRIGLYPH_API
triglyph_status triglyph_timeline_events(triglyph_timeline *timeline,
                                         uint64_t *events);

/// Waits until more than `seen` events have happened, at most for `timeout` nanoseconds; `events` is how many have.
TRIGLYPH_API
triglyph_status triglyph_timeline_wait_event(triglyph_timeline *timeline,
                                             uint64_t seen,
                                             uint64_t timeout,
                                             uint64_t *events);

/// The value of a counter of the guest's: on the Tegra X1 a syncpoint, on the PS3 the reference value of a channel. 0
/// for one that nothing has counted yet.
TRIGLYPH_API
triglyph_status triglyph_timeline_fence(triglyph_timeline *timeline,
                                        uint32_t number,
                                        uint32_t *value);

/// Waits until such a counter has reached `value`, modulo 2^32, at most for `timeout` nanoseconds; `reached` says
/// whether it has.
TRIGLYPH_API
triglyph_status triglyph_timeline_wait_fence(triglyph_timeline *timeline,
                                             uint32_t number,
                                             uint32_t value,
                                             uint64_t timeout,
                                             bool *reached);

/// Destroys a timeline that no thread uses any more. Null is ignored.
TRIGLYPH_API triglyph_status triglyph_timeline_destroy(triglyph_timeline *timeline);

/// Fills options with the defaults. `options->size` is to be set to `sizeof(triglyph_worker_options)` before.
///
/// Errors: `TRIGLYPH_STATUS_BAD_SIZE`.
TRIGLYPH_API
triglyph_status triglyph_worker_options_init(triglyph_worker_options *options);

/// Moves a device to a thread of its own; null `options` are the defaults. The worker belongs to the caller, who
/// destroys it with `triglyph_worker_destroy`, before the device.
///
/// Errors: `TRIGLYPH_STATUS_BUSY` while a call uses the device or another worker has it;
/// `TRIGLYPH_STATUS_INVALID_ARGUMENT` for a queue without room; `TRIGLYPH_STATUS_UNSUPPORTED` when the host gives no
/// thread.
TRIGLYPH_API
triglyph_status triglyph_worker_create(triglyph_device *device,
                                       const triglyph_worker_options *options,
                                       triglyph_worker **worker);

/// Sends a command; waits while the queue is full, so that a guest that is faster than its GPU is held back. `number`
/// is the command's, counted from 1; it may be null. A command that was taken is executed, unless a call on the device
/// panics before.
///
/// Errors: `TRIGLYPH_STATUS_BUSY` for a command of the worker's own: it may use `triglyph_worker_try_send`;
/// `TRIGLYPH_STATUS_POISONED` when a call on the device panicked, which has ended the thread.
TRIGLYPH_API
triglyph_status triglyph_worker_send(triglyph_worker *worker,
                                     triglyph_worker_command command,
                                     void *user_data,
                                     uint64_t *number);

/// As `triglyph_worker_send`, for a command that touches no other memory than `count` ranges, and is done with it when
/// it returns: it defers no work, as `triglyph_n3ds_execute` with the ranges of `triglyph_n3ds_get_forecast`.
/// `triglyph_worker_wait_range` need not wait for it elsewhere.
///
/// Errors: as there.
TRIGLYPH_API
triglyph_status triglyph_worker_send_touching(triglyph_worker *worker,
                                              triglyph_worker_command command,
                                              void *user_data,
                                              const triglyph_range *ranges,
                                              size_t count,
                                              uint64_t *number);

/// Waits until nothing that was sent so far can still touch a range of guest memory, at most for `timeout` nanoseconds:
/// commands that may were executed, and the work that they have deferred is done, unless channels wait. `free` says
/// whether that is so. Ranges are compared by their addresses: memory that is mapped several times is waited for at
/// each place.
///
/// Errors: `TRIGLYPH_STATUS_BUSY` for a command of the worker's own.
TRIGLYPH_API
triglyph_status triglyph_worker_wait_range(triglyph_worker *worker,
                                           const triglyph_range *range,
                                           uint64_t timeout,
                                           bool *free);

/// As `triglyph_worker_send`, but never waits: `taken` is false when the queue is full. Commands and callbacks of the
/// worker's own may use it.
///
/// Errors: `TRIGLYPH_STATUS_POISONED` as there.
TRIGLYPH_API
triglyph_status triglyph_worker_try_send(triglyph_worker *worker,
                                         triglyph_worker_command command,
                                         void *user_data,
                                         uint64_t *number,
                                         bool *taken);

/// Sends a command and returns once it was executed. Work that it has submitted may still be under way.
///
/// Errors: as `triglyph_worker_send`.
TRIGLYPH_API
triglyph_status triglyph_worker_call(triglyph_worker *worker,
                                     triglyph_worker_command command,
                                     void *user_data);

/// Lets waiting channels check their conditions again, after the host has written memory that they may wait for. Does
/// not wait.
TRIGLYPH_API
triglyph_status triglyph_worker_wake(triglyph_worker *worker);

/// Waits until command `number` was executed, at most for `timeout` nanoseconds; `executed` says whether it was.
///
/// Errors: `TRIGLYPH_STATUS_BUSY` for a command of the worker's own.
TRIGLYPH_API
triglyph_status triglyph_worker_wait(triglyph_worker *worker,
                                     uint64_t number,
                                     uint64_t timeout,
                                     bool *executed);

/// Waits until all commands were executed and nothing of the device can go on, at most for `timeout` nanoseconds;
/// `idle` says whether that is so. If it is, `end` is `TRIGLYPH_RUN_END_DONE` or `TRIGLYPH_RUN_END_WAITING`, and
/// `waiting`, whose `size` is set before, what is waited for; otherwise they are 0. All three may be null.
///
/// Errors: `TRIGLYPH_STATUS_BUSY` for a command of the worker's own.
TRIGLYPH_API
triglyph_status triglyph_worker_wait_idle(triglyph_worker *worker,
                                          uint64_t timeout,
                                          bool *idle,
                                          uint32_t *end,
                                          triglyph_waiting *waiting);

/// The timeline of the worker's device, as `triglyph_get_timeline`. It belongs to the caller.
TRIGLYPH_API
triglyph_status triglyph_worker_get_timeline(triglyph_worker *worker,
                                             triglyph_timeline **timeline);

/// Executes the commands that were sent, interrupts what the device is doing, ends the thread and destroys the worker,
/// which no other thread may use any more. Then any thread may use the device again; what it has not done it does with
/// the next run, submissions are still deferred. Null is ignored.
///
/// Errors: `TRIGLYPH_STATUS_BUSY` for a command of the worker's own; the worker stays as it is then.
TRIGLYPH_API
triglyph_status triglyph_worker_destroy(triglyph_worker *worker);

/// Where the bytes of a buffer are, and how many. They stay there until the buffer is destroyed.
TRIGLYPH_API
triglyph_status triglyph_buffer_bytes(triglyph_buffer *buffer,
                                      const uint8_t **data,
                                      size_t *size);

/// Destroys a buffer. Null is ignored.
TRIGLYPH_API triglyph_status triglyph_buffer_destroy(triglyph_buffer *buffer);

/// The whole state of a device, as if everything that was submitted had finished: one that restores it goes on exactly
/// as this one does. `flags`: `TRIGLYPH_SNAPSHOT_WITHOUT_MEMORY`, `TRIGLYPH_SNAPSHOT_UNCOMPRESSED`, or 0. The buffer
/// belongs to the caller, who destroys it with `triglyph_buffer_destroy`.
TRIGLYPH_API
triglyph_status triglyph_snapshot(triglyph_device *device,
                                  uint32_t flags,
                                  triglyph_buffer **snapshot);

/// Takes the state of a snapshot over. With guest memory in it, guest memory is as the snapshot has it, in memory of
/// the library's own, and nothing else is mapped: hosts that map their own memory use snapshots without. What the host
/// has chosen, counters and faults stay; events that were not taken go.
///
/// Errors: `TRIGLYPH_STATUS_BAD_SNAPSHOT`; `TRIGLYPH_STATUS_UNSUPPORTED` when guest memory cannot be mapped as the
/// snapshot has it. Nothing has changed then.
TRIGLYPH_API
triglyph_status triglyph_restore(triglyph_device *device,
                                 const uint8_t *snapshot,
                                 size_t size);

/// Opens a capture file, by its path (UTF-8). It belongs to the caller, who destroys it with
/// `triglyph_capture_destroy`; players that were made from it keep what they need. The file must not be changed
/// meanwhile.
///
/// Errors: `TRIGLYPH_STATUS_IO`; `TRIGLYPH_STATUS_BAD_CAPTURE` when it is none.
TRIGLYPH_API
triglyph_status triglyph_capture_open(const char *path,
                                      triglyph_capture **capture);

/// Makes a capture from the bytes of a file, which are copied.
///
/// Errors: `TRIGLYPH_STATUS_BAD_CAPTURE` when it is none.
TRIGLYPH_API
triglyph_status triglyph_capture_from_bytes(const uint8_t *bytes,
                                            size_t size,
                                            triglyph_capture **capture);

/// Which `triglyph_machine` a capture is for, and whether its guest's words are big-endian. Either pointer may be null.
TRIGLYPH_API
triglyph_status triglyph_capture_header(triglyph_capture *capture,
                                        uint32_t *machine,
                                        bool *big_endian);

/// Writes a capture to another file, or to the same one, without the memory that neither the GPU nor a picture reads:
/// of a recording made in an emulator mostly a small part is left, and little of the program. `unit` is a
/// `triglyph_trim_unit`. The capture is replayed by the interpreter for that and compared, which takes some seconds.
/// Meant for recordings after `triglyph_stop_recording`.
///
/// Errors: `TRIGLYPH_STATUS_IO`; `TRIGLYPH_STATUS_BAD_CAPTURE`; `TRIGLYPH_STATUS_INVALID_ARGUMENT` for a unit without a
/// meaning; `TRIGLYPH_STATUS_UNSUPPORTED` when the smaller capture shows something else. Nothing is written then.
TRIGLYPH_API
triglyph_status triglyph_capture_trim(const char *from,
                                      const char *to,
                                      uint32_t unit);

/// Destroys a capture. Null is ignored.
TRIGLYPH_API triglyph_status triglyph_capture_destroy(triglyph_capture *capture);

/// Reads a picture from a device's memory, after everything that was submitted: `big_endian` says whether its words
/// are. It belongs to the caller, who destroys it with `triglyph_picture_destroy`.
///
/// Errors: `TRIGLYPH_STATUS_INVALID_ARGUMENT` for what describes no picture; `TRIGLYPH_STATUS_UNMAPPED`.
TRIGLYPH_API
triglyph_status triglyph_picture_read(triglyph_device *device,
                                      const triglyph_present *present,
                                      bool big_endian,
                                      triglyph_picture **picture);

/// Size in pixels, and where the `4 * width * height` bytes of a picture are, until it is destroyed. All but `picture`
/// may be null.
TRIGLYPH_API
triglyph_status triglyph_picture_pixels(triglyph_picture *picture,
                                        uint32_t *width,
                                        uint32_t *height,
                                        const uint8_t **rgba);

/// A picture as a PNG file, with or without its alpha channel. The buffer belongs to the caller, who destroys it with
/// `triglyph_buffer_destroy`.
TRIGLYPH_API
triglyph_status triglyph_picture_png(triglyph_picture *picture,
                                     bool alpha,
                                     triglyph_buffer **png);

/// Destroys a picture. Null is ignored.
TRIGLYPH_API triglyph_status triglyph_picture_destroy(triglyph_picture *picture);

/// XXH3 (64 bits) of a range of guest memory, after everything that was submitted.
///
/// Errors: `TRIGLYPH_STATUS_UNMAPPED`.
TRIGLYPH_API
triglyph_status triglyph_hash(triglyph_device *device,
                              uint32_t space,
                              uint64_t address,
                              uint64_t size,
                              uint64_t *hash);

/// One that nothing was presented with yet. It belongs to the caller, who destroys it with
/// `triglyph_presented_destroy`.
TRIGLYPH_API triglyph_status triglyph_presented_create(triglyph_presented **presented);

/// Destroys what was made by `triglyph_presented_create`. Null is ignored.
TRIGLYPH_API triglyph_status triglyph_presented_destroy(triglyph_presented *presented);

/// Converts a picture in guest memory to rows of the host's: compiled, and on the device's threads. Everything that is
/// done so far is in it. `present` says where it is: layouts 0 to 3 (block-linear with a pitch that is a multiple of
/// 64), formats other than 8; its label does not count, and `big_endian` says whether its words are. `shown`, which may
/// be null, says what that came to. Nothing that a guest chooses is an error: pictures of another size than the rows
/// are cut or scaled as `rows->fit` says, what of them is not in memory is 0, and a picture that there cannot be (a
/// size of 0 or above 8192, a pitch below a row) is `TRIGLYPH_SHOWN_KIND_NOTHING`. Where it is known at once that the
/// picture does not differ from the one that was presented with `presented` last, which may be null, nothing is stored.
///
/// Errors: `TRIGLYPH_STATUS_INVALID_ARGUMENT` for numbers without a meaning, for rows without room for a pixel, or for
/// the size that they are said to have.
TRIGLYPH_API
triglyph_status triglyph_present_picture(triglyph_device *device,
                                         const triglyph_present *present,
                                         bool big_endian,
                                         const triglyph_rows *rows,
                                         triglyph_presented *presented,
                                         triglyph_shown *shown);

/// Makes a player, which goes through a capture once. `checks`: `TRIGLYPH_CHECK_*`, or 0 to play only. It belongs to
/// the caller, who destroys it with `triglyph_player_destroy`; the capture may go before it.
TRIGLYPH_API
triglyph_status triglyph_player_create(triglyph_capture *capture,
                                       uint32_t checks,
                                       triglyph_player **player);

/// Executes a capture up to and including the next record that has something to tell. `device` is of the capture's
/// machine, with nothing mapped before the first call, and the same in each call. `event`, whose `size` is set before,
/// may be null.
///
/// Errors: `TRIGLYPH_STATUS_BAD_SIZE`; `TRIGLYPH_STATUS_BAD_CAPTURE` for a record that is malformed or that the device
/// refused; nothing after it is executed.
TRIGLYPH_API
triglyph_status triglyph_player_next(triglyph_player *player,
                                     triglyph_device *device,
                                     triglyph_play_event *event);

/// The picture that a player has come to, with `TRIGLYPH_CHECK_PICTURES`. It belongs to the caller, who destroys it
/// with `triglyph_picture_destroy`.
///
/// Errors: `TRIGLYPH_STATUS_INVALID_ARGUMENT` when the last event was no picture, pictures are not read, or it was
/// taken already.
TRIGLYPH_API
triglyph_status triglyph_player_take_picture(triglyph_player *player,
                                             triglyph_picture **picture);

/// Destroys a player. Null is ignored.
///
/// Errors: `TRIGLYPH_STATUS_BUSY` while another call uses it.
TRIGLYPH_API triglyph_status triglyph_player_destroy(triglyph_player *player);

/// Begins a recording into a file, by its path (UTF-8), with a name for people or null. The capture begins with the
/// memory and the state of this moment, which may be in the middle of a push buffer. From now on it gets all calls that
/// change the GPU: those of all machines and those of the machine's own. Memory of the host's is compared before work
/// is done, which takes time, unless the host announces what it writes (`triglyph_set_host_writes_announced`). A
/// recording that is under way is dropped.
///
/// Errors: `TRIGLYPH_STATUS_IO` when the file cannot be made.
TRIGLYPH_API
triglyph_status triglyph_start_recording(triglyph_device *device,
                                         const char *path,
                                         const char *name);

/// Says that a picture is finished, at the end of a frame, for each screen. With `expect` the capture expects it to
/// look as it does now, to the bit. Does nothing without a recording.
///
/// Errors: as `triglyph_picture_read`.
TRIGLYPH_API
triglyph_status triglyph_record_present(triglyph_device *device,
                                        const triglyph_present *present,
                                        bool expect);

/// Records what a range of guest memory hashes to now. Does nothing without a recording.
///
/// Errors: `TRIGLYPH_STATUS_UNMAPPED`.
TRIGLYPH_API
triglyph_status triglyph_record_hash(triglyph_device *device,
                                     uint32_t space,
                                     uint64_t address,
                                     uint64_t size);

/// Bounds recordings that begin from now on: they record nothing more once their file has so many bytes, and are whole
/// captures up to there. UINT64_MAX for no bound, as at first.
TRIGLYPH_API
triglyph_status triglyph_set_recording_limit(triglyph_device *device,
                                             uint64_t bytes);

/// Whether a recording is under way that has reached its limit.
TRIGLYPH_API triglyph_status triglyph_is_recording_full(triglyph_device *device, bool *full);

/// Whether a recording is under way.
TRIGLYPH_API triglyph_status triglyph_is_recording(triglyph_device *device, bool *active);

/// Ends a recording and closes its file. Does nothing without one.
///
/// Errors: `TRIGLYPH_STATUS_IO`, the first that the file has met since the recording began.
TRIGLYPH_API triglyph_status triglyph_stop_recording(triglyph_device *device);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* TRIGLYPH_COMMON_H */
