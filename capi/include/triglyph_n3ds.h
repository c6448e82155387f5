// Triglyph: what only the 3DS has. What holds for all of the interface is in triglyph.h.
//
// Made from the sources in capi/src and the tables of calls; do not edit.

#ifndef TRIGLYPH_N3DS_H
#define TRIGLYPH_N3DS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "triglyph_common.h"

/// The address space of physical addresses.
#define TRIGLYPH_N3DS_SPACE_PHYSICAL 0

/// The address space of the process whose commands are executed, by its virtual addresses, for DMA: code, data, heap,
/// stack. Linear heap, QTM memory and VRAM are found in physical memory.
#define TRIGLYPH_N3DS_SPACE_PROCESS 1

/// Ticks of the main processor's clock in a second, in which estimates of time are given.
#define TRIGLYPH_N3DS_TICKS_PER_SECOND 268111856

/// Clients that there can be.
#define TRIGLYPH_N3DS_CLIENTS 4

/// Ranges that a forecast has at most.
#define TRIGLYPH_N3DS_FORECAST_RANGES 4

/// The interrupts of the GPU's units, numbered as GSP's clients see them.
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

/// The treatment of bad addresses by GX commands that do not check them.
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

/// The result of a transfer in a case in which the hardware freezes.
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

/// The work of a host after a GX command.
enum triglyph_n3ds_outcome
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /// Nothing is to be signalled: a flush, a fill without units, a list without an end, a command that the client may
  /// not give.
  TRIGLYPH_N3DS_OUTCOME_NOTHING_TO_SIGNAL = 0,
  /// It is done: the host raises `interrupt` after `ticks`.
  TRIGLYPH_N3DS_OUTCOME_DONE = 1,
  /// It has failed with `result` and done nothing; no interrupt comes.
  TRIGLYPH_N3DS_OUTCOME_FAILED = 2,
  /// DMA of memory that the host has not mapped in `TRIGLYPH_N3DS_SPACE_PROCESS`, of which nothing is done: the host
  /// copies `copy_size` bytes from `copy_source` to `copy_target`, virtual addresses of the process, says so with
  /// `triglyph_host_wrote` if it announces its writes, and raises `TRIGLYPH_N3DS_INTERRUPT_DMA`.
  TRIGLYPH_N3DS_OUTCOME_HOST_COPY = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum triglyph_n3ds_outcome triglyph_n3ds_outcome;
#else
typedef uint32_t triglyph_n3ds_outcome;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// The value of `acquired` of `triglyph_n3ds_acquire_right`.
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

/// A Nintendo 3DS's GPU: PICA200, transfer engine, LCD registers, GSP.
///
/// The host maps physical memory in `TRIGLYPH_N3DS_SPACE_PHYSICAL`: VRAM at 0x18000000, main memory at 0x20000000; and
/// what DMA may reach of the process beside linear heap and VRAM in `TRIGLYPH_N3DS_SPACE_PROCESS`.
typedef struct triglyph_n3ds triglyph_n3ds;

/// How a GX command ended.
typedef struct triglyph_n3ds_executed {
  /// The result code as clients get it: 0, or with bit 31 set why the command failed and has done nothing.
  uint32_t result;
  /// Whether an interrupt ends it: 1 or 0.
  uint32_t has_interrupt;
  /// The `triglyph_n3ds_interrupt`.
  uint32_t interrupt;
  /// The `triglyph_n3ds_outcome`: what the host does now.
  uint32_t outcome;
  /// After how many ticks the hardware would raise it: an estimate.
  uint64_t ticks;
  /// Where the host copies from, with `TRIGLYPH_N3DS_OUTCOME_HOST_COPY`; otherwise 0, as the following two.
  uint32_t copy_source;
  /// Where it copies to.
  uint32_t copy_target;
  /// How many bytes.
  uint32_t copy_size;
  /// 0.
  uint32_t reserved;
} triglyph_n3ds_executed;

/// An interrupt that the host is to deliver.
typedef struct triglyph_n3ds_completion {
  /// The `triglyph_n3ds_interrupt`.
  uint32_t interrupt;
  /// Index of the client that held the rendering right when the work was done, -1 if there was none. The client that
  /// gets the interrupt is determined when it is delivered.
  int32_t client;
  /// After how many ticks of the main processor from the call that caused it: an estimate.
  uint64_t ticks;
} triglyph_n3ds_completion;

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

/// The picture that a screen has to show: GSP's framebuffer information.
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

/// The memory of the calling process, to which the pointers of a request refer. The functions are called during the
/// call that they are passed to, on its thread; they return false when not all bytes are there. They must not throw or
/// jump out; calls on the same 3DS return `TRIGLYPH_STATUS_BUSY`.
typedef struct triglyph_n3ds_process {
  /// Is handed to both functions.
  void *user_data;
  /// Reads bytes at a virtual address; null for memory that cannot be read.
  bool (*read)(void *user_data, uint32_t address, void *data, size_t size);
  /// Writes bytes at a virtual address; null for memory that cannot be written.
  bool (*write)(void *user_data, uint32_t address, const void *data, size_t size);
} triglyph_n3ds_process;

/// A picture in memory. Its rows are columns of the screen: pixel (x, y), counted from the top left, is at
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

/// The effects that a GX command will have, from its words alone.
typedef struct triglyph_n3ds_forecast {
  /// The result that `triglyph_n3ds_execute` will have if all memory is mapped and no unit freezes. Only what may
  /// touch anything takes another time than `ticks`: of lists it knows how many words they have but not what they
  /// draw.
  triglyph_n3ds_executed executed;
  /// Whether it may touch any memory, 1 or 0: a list, or a transfer that goes on with registers from before.
  uint32_t anywhere;
  /// How many ranges follow, if it is 0.
  uint32_t count;
  /// The memory that it may read or write: more than is touched perhaps, never less.
  triglyph_range touched[4];
} triglyph_n3ds_forecast;

/// The answer to RegisterInterruptRelayQueue.
typedef struct triglyph_n3ds_registration {
  /// The result code: 0x2A07 for the first client since the console was switched on, then 0, or an error.
  uint32_t result;
  /// The client's index in the shared page.
  uint32_t client;
  /// Handle of the shared page, as the host has set it.
  uint32_t shared_memory;
} triglyph_n3ds_registration;

/// The picture of a screen, for ImportDisplayCaptureInfo.
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

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/// Makes a 3DS with nothing mapped and every register at its reset value. It belongs to the caller, who destroys it
/// with `triglyph_n3ds_destroy`.
///
/// Errors: as `triglyph_device_create`.
TRIGLYPH_API
triglyph_status triglyph_n3ds_create(const triglyph_options *options,
                                     triglyph_n3ds **n3ds);

/// Destroys a 3DS, and with it the device that was borrowed from it. Null is ignored.
///
/// Errors: `TRIGLYPH_STATUS_BUSY` while another call uses it; it stays as it is then.
TRIGLYPH_API triglyph_status triglyph_n3ds_destroy(triglyph_n3ds *n3ds);

/// The device of a 3DS, for the calls that all machines have; null for null. It is borrowed: it is destroyed with the
/// 3DS.
TRIGLYPH_API
triglyph_device *triglyph_n3ds_device(triglyph_n3ds *n3ds);

/// Executes a GX command, eight words as in a slot of the command queue with virtual addresses of the client, for
/// hosts that have a GSP of their own. It is complete when this returns, unless `executed` asks the host to copy; no
/// interrupt is queued, what the host does next is in `executed`, which may be null. A recording that is under way
/// contains it.
TRIGLYPH_API
triglyph_status triglyph_n3ds_execute(triglyph_n3ds *n3ds,
                                      const uint32_t *words,
                                      triglyph_n3ds_executed *executed);

/// As `triglyph_n3ds_execute`, with the command where it is in guest memory, 32 bytes at an address of a space, after
/// everything that was submitted.
///
/// Errors: `TRIGLYPH_STATUS_UNMAPPED`; nothing is done then.
TRIGLYPH_API
triglyph_status triglyph_n3ds_execute_at(triglyph_n3ds *n3ds,
                                         uint32_t space,
                                         uint64_t address,
                                         triglyph_n3ds_executed *executed);

/// Moves GSP to a page of the host's, 4096 bytes aligned to 4; or with null to one of the library's own, as at first.
/// The host may do so at any time, also after clients have registered, as kernels map the page later: clients, rights
/// and what the host has chosen stay, and the contents of the page before are copied to the new one, over what is
/// there. A host that loads a state with the page's contents does that afterwards. The page may be in memory that is
/// mapped with `triglyph_map_host` as well, and guest processors may use it at the same time: GSP touches it with
/// atomic accesses of 32 bits. Recordings do not have it. It has to stay where it is until GSP is moved again or the
/// 3DS is destroyed.
///
/// Errors: `TRIGLYPH_STATUS_INVALID_ARGUMENT` for a misaligned page.
TRIGLYPH_API
triglyph_status triglyph_n3ds_set_shared_page(triglyph_n3ds *n3ds,
                                              void *page);

/// Resets GSP, as when the console is switched on: there are no clients, no session has the rendering right, the shared
/// page is zeros. The page, and what the host has chosen of GSP, stay.
TRIGLYPH_API
triglyph_status triglyph_n3ds_reset_gsp(triglyph_n3ds *n3ds);

/// Says what becomes of bad addresses in GX commands that do not check them: a `triglyph_n3ds_bad_address`.
TRIGLYPH_API
triglyph_status triglyph_n3ds_set_bad_address(triglyph_n3ds *n3ds,
                                              uint32_t behaviour);

/// Says what happens where the transfer engine freezes on the console: a `triglyph_n3ds_freeze_policy`.
TRIGLYPH_API
triglyph_status triglyph_n3ds_set_freeze_policy(triglyph_n3ds *n3ds,
                                                uint32_t policy);

/// Sets what each submission may cost, in units of fuel: see `triglyph_options`, with which it begins. A recording has
/// it.
TRIGLYPH_API
triglyph_status triglyph_n3ds_set_fuel(triglyph_n3ds *n3ds,
                                       uint64_t fuel);

/// Says whether this is a New 3DS; the first register shows it.
TRIGLYPH_API
triglyph_status triglyph_n3ds_set_new_model(triglyph_n3ds *n3ds,
                                            bool new_model);

/// The physical address of a client's virtual one in linear heap, QTM memory or VRAM; 0 stays 0. `found` says whether
/// there is one.
TRIGLYPH_API
triglyph_status triglyph_n3ds_to_physical(uint32_t address,
                                          uint32_t *physical,
                                          bool *found);

/// Ticks of the main processor as nanoseconds.
TRIGLYPH_API uint64_t triglyph_n3ds_nanoseconds(uint64_t ticks);

/// The session is gone: everything that it held is free.
TRIGLYPH_API
triglyph_status triglyph_n3ds_close_session(triglyph_n3ds *n3ds,
                                            uint32_t session);

/// The client at an index of the shared page: its session and its event. `found` says whether there is one.
TRIGLYPH_API
triglyph_status triglyph_n3ds_client(triglyph_n3ds *n3ds,
                                     uint32_t index,
                                     uint32_t *session,
                                     uint32_t *event,
                                     bool *found);

/// The handle of the shared page that registrations are answered with.
TRIGLYPH_API
triglyph_status triglyph_n3ds_set_shared_memory_handle(triglyph_n3ds *n3ds,
                                                       uint32_t handle);

/// Makes PPF exchange the shown buffers when a client has set nothing new; off at first.
TRIGLYPH_API triglyph_status triglyph_n3ds_set_auto_toggle(triglyph_n3ds *n3ds, bool on);

/// The session with the rendering right; `found` says whether there is one.
TRIGLYPH_API
triglyph_status triglyph_n3ds_right_holder(triglyph_n3ds *n3ds,
                                           uint32_t *session,
                                           bool *found);

/// Takes the sessions that waited in AcquireRight and hold the right now. `count` is how many were stored in
/// `sessions`; if that is `capacity`, there may be more to take.
TRIGLYPH_API
triglyph_status triglyph_n3ds_take_granted(triglyph_n3ds *n3ds,
                                           uint32_t *sessions,
                                           size_t capacity,
                                           size_t *count);

/// As `triglyph_n3ds_execute`, for a session that may not have the rendering right.
TRIGLYPH_API
triglyph_status triglyph_n3ds_execute_for(triglyph_n3ds *n3ds,
                                          uint32_t session,
                                          const uint32_t *words,
                                          triglyph_n3ds_executed *executed);

/// Takes the interrupts that the host is to deliver, oldest first: after their ticks it calls `triglyph_n3ds_deliver`
/// with each. `count` is how many were stored in `completions`; if that is `capacity`, there may be more to take.
TRIGLYPH_API
triglyph_status triglyph_n3ds_take_completions(triglyph_n3ds *n3ds,
                                               triglyph_n3ds_completion *completions,
                                               size_t capacity,
                                               size_t *count);

/// Delivers a `triglyph_n3ds_interrupt`: VBlanks to every client, others to the one with the rendering right. Bit n of
/// `clients` says that the host is to signal the event of client n. Executes what waits in the queue then.
TRIGLYPH_API
triglyph_status triglyph_n3ds_deliver(triglyph_n3ds *n3ds,
                                      uint32_t interrupt,
                                      uint32_t *clients);

/// Delivers everything that has completed, at once and in order, for hosts without a clock. `clients` as in
/// `triglyph_n3ds_deliver`.
TRIGLYPH_API
triglyph_status triglyph_n3ds_auto_deliver(triglyph_n3ds *n3ds,
                                           uint32_t *clients);

/// A `triglyph_n3ds_screen` has shown a frame: moves its controller on and delivers PDC0 or PDC1. `clients` as in
/// `triglyph_n3ds_deliver`.
TRIGLYPH_API
triglyph_status triglyph_n3ds_vblank(triglyph_n3ds *n3ds,
                                     uint32_t screen,
                                     uint32_t *clients);

/// The word at a byte offset of the shared page, a multiple of 4 below 4096.
TRIGLYPH_API
triglyph_status triglyph_n3ds_shared_page_load(triglyph_n3ds *n3ds,
                                               uint32_t offset,
                                               uint32_t *word);

/// Stores a word at a byte offset of the shared page, a multiple of 4 below 4096.
TRIGLYPH_API
triglyph_status triglyph_n3ds_shared_page_store(triglyph_n3ds *n3ds,
                                                uint32_t offset,
                                                uint32_t word);

/// Puts a GX command of eight words at the end of a client's queue. `trigger` says whether the queue was empty, so that
/// GSP is to be triggered; `full` that there was no room and nothing was put.
TRIGLYPH_API
triglyph_status triglyph_n3ds_queue_submit(triglyph_n3ds *n3ds,
                                           uint32_t client,
                                           const uint32_t *words,
                                           bool *trigger,
                                           bool *full);

/// The state of a client's command queue.
TRIGLYPH_API
triglyph_status triglyph_n3ds_queue_state(triglyph_n3ds *n3ds,
                                          uint32_t client,
                                          triglyph_n3ds_queue *queue);

/// Asks GSP to halt before the next command of a client's queue, or takes a halt back.
TRIGLYPH_API
triglyph_status triglyph_n3ds_queue_halt(triglyph_n3ds *n3ds,
                                         uint32_t client,
                                         bool halt);

/// Takes the oldest interrupt out of a client's relay queue; `found` says whether there was one.
TRIGLYPH_API
triglyph_status triglyph_n3ds_relay_pop(triglyph_n3ds *n3ds,
                                        uint32_t client,
                                        uint32_t *interrupt,
                                        bool *found);

/// Says whether a client wants VBlanks in its relay queue.
TRIGLYPH_API
triglyph_status triglyph_n3ds_relay_skip_vblanks(triglyph_n3ds *n3ds,
                                                 uint32_t client,
                                                 bool skip);

/// Puts what a screen is to show into a client's framebuffer information; GSP takes it at the next VBlank or PPF.
TRIGLYPH_API
triglyph_status triglyph_n3ds_present(triglyph_n3ds *n3ds,
                                      uint32_t client,
                                      uint32_t screen,
                                      const triglyph_n3ds_framebuffer *framebuffer);

/// Handles a request to `gsp::Gpu`: `words` is the caller's command buffer with the receive descriptors after it, 66
/// words, in which the answer takes the request's place. `blocked` says that the caller stays asleep: until its session
/// turns up in `triglyph_n3ds_take_granted`, after which `triglyph_n3ds_ipc_granted` makes the answer.
TRIGLYPH_API
triglyph_status triglyph_n3ds_ipc(triglyph_n3ds *n3ds,
                                  uint32_t session,
                                  uint32_t *words,
                                  size_t count,
                                  const triglyph_n3ds_process *process,
                                  bool *blocked);

/// Answers an AcquireRight that was blocked, in the caller's command buffer.
TRIGLYPH_API triglyph_status triglyph_n3ds_ipc_granted(uint32_t *words, size_t count);

/// The picture that an eye (0 left or both, 1 right) sees on a `triglyph_n3ds_screen`. `found` is false for the right
/// eye of a flat picture, and for formats that there are not.
TRIGLYPH_API
triglyph_status triglyph_n3ds_lcd_picture(triglyph_n3ds *n3ds,
                                          uint32_t screen,
                                          uint32_t eye,
                                          triglyph_n3ds_picture *picture,
                                          bool *found);

/// The colour that covers a screen instead of its picture: red, green, blue, 8 bits each, red lowest. `found` says
/// whether there is one.
TRIGLYPH_API
triglyph_status triglyph_n3ds_lcd_fill_color(triglyph_n3ds *n3ds,
                                             uint32_t screen,
                                             uint32_t *color,
                                             bool *found);

/// A screen's gamma tables as 256 words: red, green and blue after the table, red lowest.
TRIGLYPH_API
triglyph_status triglyph_n3ds_lcd_gamma(triglyph_n3ds *n3ds,
                                        uint32_t screen,
                                        uint32_t *table);

/// Whether both eyes have pictures of their own on a screen.
TRIGLYPH_API
triglyph_status triglyph_n3ds_is_lcd_stereo(triglyph_n3ds *n3ds,
                                            uint32_t screen,
                                            bool *stereo);

/// Presents what a `triglyph_n3ds_screen` shows an eye (0 left or both, 1 right), as `triglyph_present_picture`: the
/// controller's picture through its gamma table, upright, or the colour that covers it. The guest chooses its size:
/// 320, 400 or 800 columns of 240 pixels. `triglyph_n3ds_lcd_picture` tells it before.
///
/// Errors: as there.
TRIGLYPH_API
triglyph_status triglyph_n3ds_present_screen(triglyph_n3ds *n3ds,
                                             uint32_t screen,
                                             uint32_t eye,
                                             const triglyph_rows *rows,
                                             triglyph_presented *presented,
                                             triglyph_shown *shown);

/// The effects that a GX command of eight words will have for the holder of the rendering right, if addresses that it
/// does not check are treated as a `triglyph_n3ds_bad_address` says. It needs no device: the thread of the guest's
/// processor asks while a worker has it, schedules the interrupt, and sends the command with
/// `triglyph_worker_send_touching`.
///
/// Errors: `TRIGLYPH_STATUS_INVALID_ARGUMENT` for numbers without a meaning.
TRIGLYPH_API
triglyph_status triglyph_n3ds_get_forecast(const uint32_t *words,
                                           uint32_t bad_address,
                                           triglyph_n3ds_forecast *forecast);

/// WriteHWRegs: consecutive registers from `offset`, counted from physical address 0x10000000. What finishes is queued
/// for delivery.
///
/// Results: `NO_RIGHT` without the rendering right; `BAD_OFFSET` for other registers; `BAD_SIZE` for more than 32
/// words; `MISALIGNED_SIZE`.
TRIGLYPH_API
triglyph_status triglyph_n3ds_write_registers(triglyph_n3ds *n3ds,
                                              uint32_t session,
                                              uint32_t offset,
                                              const uint32_t *words,
                                              size_t count,
                                              uint32_t *result);

/// WriteHWRegsWithMask: as `triglyph_n3ds_write_registers`, but only the bits that are set in `masks`; words without a
/// mask are not written.
///
/// Results: as `triglyph_n3ds_write_registers`.
TRIGLYPH_API
triglyph_status triglyph_n3ds_write_registers_with_mask(triglyph_n3ds *n3ds,
                                                        uint32_t session,
                                                        uint32_t offset,
                                                        const uint32_t *words,
                                                        const uint32_t *masks,
                                                        size_t count,
                                                        uint32_t *result);

/// WriteHWRegRepeat: all words into one register.
///
/// Results: as `triglyph_n3ds_write_registers`.
TRIGLYPH_API
triglyph_status triglyph_n3ds_write_register_repeat(triglyph_n3ds *n3ds,
                                                    uint32_t session,
                                                    uint32_t offset,
                                                    const uint32_t *words,
                                                    size_t count,
                                                    uint32_t *result);

/// ReadHWRegs: consecutive registers into `words`.
///
/// Results: as `triglyph_n3ds_write_registers`.
TRIGLYPH_API
triglyph_status triglyph_n3ds_read_registers(triglyph_n3ds *n3ds,
                                             uint32_t session,
                                             uint32_t offset,
                                             uint32_t *words,
                                             size_t count,
                                             uint32_t *result);

/// SetBufferSwap: shows a picture, for clients that draw without the GPU. It takes effect at once; the real GSP waits
/// for the next VBlank when the beam is in the picture.
///
/// Results: `NO_RIGHT` without the rendering right.
TRIGLYPH_API
triglyph_status triglyph_n3ds_set_buffer_swap(triglyph_n3ds *n3ds,
                                              uint32_t session,
                                              uint32_t screen,
                                              const triglyph_n3ds_framebuffer *framebuffer,
                                              uint32_t *result);

/// FlushDataCache and StoreDataCache: the processor wrote these bytes, at a virtual address. A hint, which any session
/// may give.
TRIGLYPH_API
triglyph_status triglyph_n3ds_flush_data_cache(triglyph_n3ds *n3ds,
                                               uint32_t address,
                                               uint32_t size);

/// SetLcdForceBlack: covers both screens with black, or uncovers them.
TRIGLYPH_API
triglyph_status triglyph_n3ds_set_lcd_force_black(triglyph_n3ds *n3ds,
                                                  bool black);

/// TriggerCmdReqQueue: executes what waits in the queue of the client with the rendering right, whichever client calls.
/// Queues of the others wait, also when the right passes on: until the next trigger, or until a command of the new
/// holder ends. Interrupts wait until the host delivers them.
///
/// While submissions are deferred nothing happens: bounded runs execute the queue.
TRIGLYPH_API
triglyph_status triglyph_n3ds_trigger(triglyph_n3ds *n3ds);

/// RegisterInterruptRelayQueue: makes a session a client; `event` is the handle that the host signals for it. Its relay
/// queue is empty afterwards. A session that is a client already keeps its index; a new one finds its part of the page
/// cleared (unverified; clients are known to empty their command queue themselves).
///
/// Results: `RIGHT_TAKEN` when there are four others (the code is unverified).
TRIGLYPH_API
triglyph_status triglyph_n3ds_register_relay_queue(triglyph_n3ds *n3ds,
                                                   uint32_t session,
                                                   uint32_t flags,
                                                   uint32_t event,
                                                   triglyph_n3ds_registration *registration);

/// UnregisterInterruptRelayQueue: the session's place in the shared page is free again. It keeps the rendering right,
/// but what waits in its queue is not executed, and completion interrupts are delivered to no client.
TRIGLYPH_API
triglyph_status triglyph_n3ds_unregister_relay_queue(triglyph_n3ds *n3ds,
                                                     uint32_t session);

/// TryAcquireRight: takes the rendering right if it is free.
///
/// Results: `RIGHT_TAKEN` when another session has it.
TRIGLYPH_API
triglyph_status triglyph_n3ds_try_acquire_right(triglyph_n3ds *n3ds,
                                                uint32_t session,
                                                uint32_t *result);

/// AcquireRight: takes the rendering right or waits for it; who waits is told later that it has it. The call's flag,
/// which asks for extra initialisation, is the host's affair.
TRIGLYPH_API
triglyph_status triglyph_n3ds_acquire_right(triglyph_n3ds *n3ds,
                                            uint32_t session,
                                            uint32_t *acquired);

/// ReleaseRight: gives the rendering right to the next who waits. Without effect for others than its holder.
TRIGLYPH_API
triglyph_status triglyph_n3ds_release_right(triglyph_n3ds *n3ds,
                                            uint32_t session);

/// ImportDisplayCaptureInfo: what both screens show, or what the holder of the right has set for the next VBlank, which
/// the real GSP loads when it is asked (Azahar #2273). Addresses are those that the client gave, where it did.
TRIGLYPH_API
triglyph_status triglyph_n3ds_display_capture_info(triglyph_n3ds *n3ds,
                                                   triglyph_n3ds_capture_info *top,
                                                   triglyph_n3ds_capture_info *bottom);

/// SaveVramSysArea: copies what the screens show to where the system keeps it in VRAM. Requests to the service need
/// flag 1 of the session's registration.
TRIGLYPH_API
triglyph_status triglyph_n3ds_save_vram_area(triglyph_n3ds *n3ds);

/// RestoreVramSysArea: copies it back; otherwise as `triglyph_n3ds_save_vram_area`.
TRIGLYPH_API triglyph_status triglyph_n3ds_restore_vram_area(triglyph_n3ds *n3ds);

/// Writes a register with all effects, by its offset in bytes from physical address 0x10000000: the GPU's begin at
/// 0x400000, those that cover the screens are 0x202204 and 0x202A04. The answer says which unit finishes because of it;
/// no interrupt is queued.
TRIGLYPH_API
triglyph_status triglyph_n3ds_write_register(triglyph_n3ds *n3ds,
                                             uint32_t offset,
                                             uint32_t value,
                                             triglyph_n3ds_executed *executed);

/// Reads a register, by its offset as in `triglyph_n3ds_write_register`. Recorded are the reads that change something.
TRIGLYPH_API
triglyph_status triglyph_n3ds_read_register(triglyph_n3ds *n3ds,
                                            uint32_t offset,
                                            uint32_t *value);

/// Copies bytes between physical addresses with the processors' DMA engine. The answer is how many ticks of the main
/// processor that takes.
TRIGLYPH_API
triglyph_status triglyph_n3ds_dma(triglyph_n3ds *n3ds,
                                  uint32_t source,
                                  uint32_t target,
                                  uint32_t size,
                                  uint64_t *ticks);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* TRIGLYPH_N3DS_H */
