// Triglyph: what only the PS3 has. What holds for all of the interface is in triglyph.h.
//
// Made from the sources in capi/src and the tables of calls; do not edit.

#ifndef TRIGLYPH_RSX_H
#define TRIGLYPH_RSX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "triglyph_common.h"

/// The address space of local memory.
#define TRIGLYPH_RSX_SPACE_LOCAL 0

/// The address space of main memory as the GPU sees it, by IO offsets; `triglyph_rsx_context_iomap` maps there.
#define TRIGLYPH_RSX_SPACE_MAIN 1

/// The address space of the hypervisor's pages, by the addresses that its calls return. What the host has mapped there
/// before a call is used; otherwise the call maps memory of the library's own.
#define TRIGLYPH_RSX_SPACE_PAGES 2

/// The address space of main memory, by the addresses that guests pass to the hypervisor; the host maps it.
#define TRIGLYPH_RSX_SPACE_XDR 3

/// Where the first context's control page is, 4 KiB in `TRIGLYPH_RSX_SPACE_PAGES`; that of the next context follows. A
/// host maps its own memory there, and at the places below, before the context is allocated.
#define TRIGLYPH_RSX_CONTROL_PAGE 0x440000220000

/// Where the first context's driver information is, 16 KiB in `TRIGLYPH_RSX_SPACE_PAGES`; that of the next follows.
#define TRIGLYPH_RSX_DRIVER_INFO 0x4000000F0000

/// Where the first context's reports area is, 64 KiB in `TRIGLYPH_RSX_SPACE_LOCAL`; that of the next follows.
#define TRIGLYPH_RSX_REPORTS 0x0FE00000

/// Where the page of device 8 is, 4 KiB in `TRIGLYPH_RSX_SPACE_LOCAL`; all contexts share it.
#define TRIGLYPH_RSX_DEVICE_PAGE 0x0FF10000

/// The context's IO space has pages of 64 KiB instead of 1 MiB.
#define TRIGLYPH_RSX_CONTEXT_SMALL_PAGES 0x02

/// The push buffer is in local memory.
#define TRIGLYPH_RSX_CONTEXT_LOCAL_PUSH_BUFFER 0x10

/// Makes the DMA object of reports in main memory.
#define TRIGLYPH_RSX_CONTEXT_MAIN_REPORTS 0x20

/// The IO space has 512 MiB instead of 256.
#define TRIGLYPH_RSX_CONTEXT_LARGE_IO_SPACE 0x400

/// The GPU may write what `triglyph_rsx_context_iomap` maps.
#define TRIGLYPH_RSX_IOMAP_WRITE 0x8000000000000000

/// The GPU may read it.
#define TRIGLYPH_RSX_IOMAP_READ 0x4000000000000000

/// The results of the hypervisor's calls in r3.
enum triglyph_rsx_result
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /// Done.
  TRIGLYPH_RSX_RESULT_SUCCESS = 0,
  /// A resource is used up.
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

/// A PlayStation 3's GPU, and the hypervisor's calls in front of it. Everything in its guest memory is big-endian;
/// arguments and results of calls are plain numbers of the host.
typedef struct triglyph_rsx triglyph_rsx;

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

/// The results of `lv1_gpu_context_allocate`. `triglyph_rsx_lpar` says where the pages are in guest memory.
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

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/// Makes a PS3 with nothing mapped and no contexts. It belongs to the caller, who destroys it with
/// `triglyph_rsx_destroy`. `TRIGLYPH_ACCURACY_EXACT` is what hosts need whose guests see the chip's registers or use
/// more than one context. Words in guest memory are big-endian, also those of push buffers that are submitted and of
/// pictures that are recorded, until a player plays a capture that says otherwise.
///
/// Errors: as `triglyph_device_create`.
TRIGLYPH_API
triglyph_status triglyph_rsx_create(const triglyph_options *options,
                                    triglyph_rsx **rsx);

/// Destroys a PS3, and with it the device that was borrowed from it. Null is ignored.
///
/// Errors: `TRIGLYPH_STATUS_BUSY` while another call uses it; it stays as it is then.
TRIGLYPH_API triglyph_status triglyph_rsx_destroy(triglyph_rsx *rsx);

/// The device of a PS3, for the calls that all machines have; null for null. It is borrowed: it is destroyed with the
/// PS3.
TRIGLYPH_API
triglyph_device *triglyph_rsx_device(triglyph_rsx *rsx);

/// Sets the callback for software methods of channels that are none of LV1's, or removes it with null; without one they
/// are events. `user_data` is handed to each call and has to stay valid until the callback is replaced or the PS3
/// destroyed.
TRIGLYPH_API
triglyph_status triglyph_rsx_set_software_callback(triglyph_rsx *rsx,
                                                   triglyph_rsx_software_callback callback,
                                                   void *user_data);

/// The bits of an event: in the hypervisor's interrupt status, and in the word that Lv-2 sends to event ports; 0 where
/// it has none. Either pointer may be null.
TRIGLYPH_API
triglyph_status triglyph_rsx_event_bits(const triglyph_event *event,
                                        uint64_t *lv1,
                                        uint64_t *lv2);

/// Where an address is that a call has returned: the address space and the address in it. `found` is false for
/// addresses of nothing.
TRIGLYPH_API
triglyph_status triglyph_rsx_lpar(triglyph_rsx *rsx,
                                  uint64_t lpar,
                                  uint32_t *space,
                                  uint64_t *address,
                                  bool *found);

/// Where in main memory an IO offset of a context is; `found` is false where nothing is mapped.
TRIGLYPH_API
triglyph_status triglyph_rsx_io_to_lpar(triglyph_rsx *rsx,
                                        uint32_t context,
                                        uint32_t io,
                                        uint64_t *lpar,
                                        bool *found);

/// Reads a word of instance memory; 0 beyond its end.
TRIGLYPH_API
triglyph_status triglyph_rsx_pramin_read(triglyph_rsx *rsx,
                                         uint32_t offset,
                                         uint32_t *word);

/// Reads a word of the bus: registers, instance memory or local memory at the hypervisor's addresses. `found` is false
/// outside of all three.
TRIGLYPH_API
triglyph_status triglyph_rsx_bus_read(triglyph_rsx *rsx,
                                      uint64_t address,
                                      uint32_t *word,
                                      bool *found);

/// Presents what a head (0 or 1) of the PS3 shows, as `triglyph_present_picture`: the display buffer that was flipped
/// last. `triglyph_rsx_head_size` tells its size before.
///
/// Errors: as there.
TRIGLYPH_API
triglyph_status triglyph_rsx_present_head(triglyph_rsx *rsx,
                                          uint32_t head,
                                          const triglyph_rows *rows,
                                          triglyph_presented *presented,
                                          triglyph_shown *shown);

/// The size of what a head (0 or 1) of the PS3 shows: that of the display buffer that was flipped last, 0 if it shows
/// no buffer of a context.
TRIGLYPH_API
triglyph_status triglyph_rsx_head_size(triglyph_rsx *rsx,
                                       uint32_t head,
                                       uint32_t *width,
                                       uint32_t *height);

/// `lv1_gpu_device_map`: the address of a device's page, and its bytes. Device 8 is a page of local memory; what the
/// others hold is not documented, they read 0.
///
/// Results: `TRIGLYPH_RSX_RESULT_ILLEGAL_PARAMETER_VALUE` for devices that cannot be mapped.
TRIGLYPH_API
triglyph_status triglyph_rsx_device_map(triglyph_rsx *rsx,
                                        uint64_t device,
                                        uint64_t *lpar,
                                        uint64_t *size,
                                        int64_t *result);

/// `lv1_gpu_device_unmap`.
///
/// Results: `TRIGLYPH_RSX_RESULT_NO_ENTRY` for a device that is not mapped.
TRIGLYPH_API
triglyph_status triglyph_rsx_device_unmap(triglyph_rsx *rsx,
                                          uint64_t device,
                                          int64_t *result);

/// `lv1_gpu_memory_allocate`: `size` bytes of local memory, a multiple of 1 MiB, and four limited resources. Memory
/// that the host has not mapped is mapped. `resources` has 4 values.
///
/// Results: `TRIGLYPH_RSX_RESULT_ILLEGAL_PARAMETER_VALUE` for sizes and resources beyond the limits,
/// `TRIGLYPH_RSX_RESULT_RESOURCE_SHORTAGE` when there is not enough left.
TRIGLYPH_API
triglyph_status triglyph_rsx_memory_allocate(triglyph_rsx *rsx,
                                             uint64_t size,
                                             const uint64_t *resources,
                                             uint32_t *handle,
                                             uint64_t *lpar,
                                             int64_t *result);

/// `lv1_gpu_memory_free`.
///
/// Results: `TRIGLYPH_RSX_RESULT_NO_ENTRY` for a handle without an allocation, `TRIGLYPH_RSX_RESULT_BUSY` while a
/// context works on it.
TRIGLYPH_API
triglyph_status triglyph_rsx_memory_free(triglyph_rsx *rsx,
                                         uint32_t handle,
                                         int64_t *result);

/// `lv1_gpu_context_allocate`: a channel with its objects and pages. For `flags` see `TRIGLYPH_RSX_CONTEXT_*`.
///
/// Results: `TRIGLYPH_RSX_RESULT_ILLEGAL_PARAMETER_VALUE` for an unknown memory handle;
/// `TRIGLYPH_RSX_RESULT_RESOURCE_SHORTAGE` when there are three contexts (one in fast mode).
TRIGLYPH_API
triglyph_status triglyph_rsx_context_allocate(triglyph_rsx *rsx,
                                              uint32_t memory,
                                              uint64_t flags,
                                              triglyph_rsx_context *context,
                                              int64_t *result);

/// `lv1_gpu_context_free`.
///
/// Results: `TRIGLYPH_RSX_RESULT_NO_ENTRY` for a handle without a context, as for all calls that take one.
TRIGLYPH_API
triglyph_status triglyph_rsx_context_free(triglyph_rsx *rsx,
                                          uint32_t context,
                                          int64_t *result);

/// `lv1_gpu_context_iomap`: `size` bytes of main memory at `lpar` appear at IO offset `io`; size 0 or address 0 unmaps.
/// Main memory is what the host has mapped in the space of main memory, by the same addresses. The GPU may write it
/// with bit 63 of `flags`, read it with bit 62.
///
/// Results: `TRIGLYPH_RSX_RESULT_ALIGNMENT_ERROR` unless all are multiples of 1 MiB (64 KiB with that flag);
/// `TRIGLYPH_RSX_RESULT_ILLEGAL_PARAMETER_VALUE` beyond the IO space or where there is no main memory.
TRIGLYPH_API
triglyph_status triglyph_rsx_context_iomap(triglyph_rsx *rsx,
                                           uint32_t context,
                                           uint64_t io,
                                           uint64_t lpar,
                                           uint64_t size,
                                           uint64_t flags,
                                           int64_t *result);

/// `lv1_gpu_context_attribute`: an operation with four parameters, such as 0x001, which sets GET and PUT; those of
/// `Operation` in Rust. `parameters` has 4 values.
///
/// Results: `TRIGLYPH_RSX_RESULT_NO_ENTRY` for an unknown operation or context;
/// `TRIGLYPH_RSX_RESULT_ILLEGAL_PARAMETER_VALUE` for numbers beyond what there is; `TRIGLYPH_RSX_RESULT_WRONG_STATE`
/// for frame-buffer copies without a frame buffer or while the channel is busy.
TRIGLYPH_API
triglyph_status triglyph_rsx_context_attribute(triglyph_rsx *rsx,
                                               uint32_t context,
                                               uint64_t operation,
                                               const uint64_t *parameters,
                                               int64_t *result);

/// `lv1_gpu_context_intr`: the interrupts that have happened since the last call.
///
/// Results: as `triglyph_rsx_context_free`.
TRIGLYPH_API
triglyph_status triglyph_rsx_context_intr(triglyph_rsx *rsx,
                                          uint32_t context,
                                          uint64_t *interrupts,
                                          int64_t *result);

/// `lv1_gpu_attribute`: what its operations do is not documented; they succeed, as with RPCS3. `parameters` has 4
/// values.
///
/// Results: none so far.
TRIGLYPH_API
triglyph_status triglyph_rsx_attribute(triglyph_rsx *rsx,
                                       uint64_t operation,
                                       const uint64_t *parameters,
                                       int64_t *result);

/// A call by its number, for hosts that dispatch on r11: `arguments` are r3 and up. `arguments` has 8 values. `outputs`
/// has room for five values, r4 to r8, or is null.
TRIGLYPH_API
triglyph_status triglyph_rsx_hypercall(triglyph_rsx *rsx,
                                       uint32_t number,
                                       const uint64_t *arguments,
                                       uint64_t *outputs,
                                       int64_t *result);

/// Executes the commands of all channels: reads PUT of every context, and runs until all channels are idle, wait for a
/// semaphore or are stopped. Then memory shows everything, and the control pages show GET and REF. To be called when
/// the guest has written PUT, and when something has happened that a channel may wait for.
///
/// A run that does not end is ended, with a fault; `triglyph_run_for` bounds it instead.
TRIGLYPH_API
triglyph_status triglyph_rsx_run(triglyph_rsx *rsx);

/// A head (0 or 1) has begun to show a frame, at `time` in ticks of the processor's time base: flips that wait are
/// done. For every context; the host calls this as often as its screen shows one.
TRIGLYPH_API
triglyph_status triglyph_rsx_vblank(triglyph_rsx *rsx,
                                    uint32_t head,
                                    uint64_t time);

/// The frame of the second handler of vertical blanks, for hosts that keep its rate; with the screen's own rate
/// `triglyph_rsx_vblank` does it.
TRIGLYPH_API
triglyph_status triglyph_rsx_second_vblank(triglyph_rsx *rsx,
                                           uint32_t head,
                                           uint64_t time);

/// Sets the time since power on that reports, notifiers and PTIMER show, in nanoseconds. By itself it moves with the
/// work that is done, so that runs can be repeated.
TRIGLYPH_API
triglyph_status triglyph_rsx_set_clock(triglyph_rsx *rsx,
                                       uint64_t time);

/// Writes a register of BAR0; the two low bits of the address are ignored. A push buffer does not run before
/// `triglyph_rsx_run`.
TRIGLYPH_API
triglyph_status triglyph_rsx_mmio_write(triglyph_rsx *rsx,
                                        uint32_t address,
                                        uint32_t word);

/// Reads a register of BAR0; the two low bits of the address are ignored.
TRIGLYPH_API
triglyph_status triglyph_rsx_mmio_read(triglyph_rsx *rsx,
                                       uint32_t address,
                                       uint32_t *word);

/// Writes a word of instance memory; nothing happens beyond its end.
TRIGLYPH_API
triglyph_status triglyph_rsx_pramin_write(triglyph_rsx *rsx,
                                          uint32_t offset,
                                          uint32_t word);

/// Clears the error of a channel: it goes on at PUT, as drivers have it.
TRIGLYPH_API triglyph_status triglyph_rsx_clear_error(triglyph_rsx *rsx, uint32_t channel);

/// Writes a word of the bus: recorded so is only what goes to local memory.
TRIGLYPH_API
triglyph_status triglyph_rsx_bus_write(triglyph_rsx *rsx,
                                       uint64_t address,
                                       uint32_t word,
                                       bool *found);

/// Sets what each submission may cost, in units of fuel: see `triglyph_options`, with which it begins. A recording has
/// it.
TRIGLYPH_API
triglyph_status triglyph_rsx_set_fuel(triglyph_rsx *rsx,
                                      uint64_t fuel);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* TRIGLYPH_RSX_H */
