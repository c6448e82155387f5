// Triglyph: what only the Tegra X1 has. What holds for all of the interface is in triglyph.h.
//
// Made from the sources in capi/src and the tables of calls; do not edit.

#ifndef TRIGLYPH_TEGRA_H
#define TRIGLYPH_TEGRA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "triglyph_common.h"

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
#define TRIGLYPH_TEGRA_MAP_FIXED 0x1

/// Caches; without visible effect.
#define TRIGLYPH_TEGRA_MAP_CACHEABLE 0x4

/// Changes the kind of what is mapped.
#define TRIGLYPH_TEGRA_MAP_MODIFY 0x100

/// The kind that says: that of the handle.
#define TRIGLYPH_TEGRA_DEFAULT_KIND 0xFFFFFFFF

/// The caller names the address of the space to allocate.
#define TRIGLYPH_TEGRA_SPACE_FIXED 0x1

/// All of the space reads 0 and swallows writes until something is mapped there.
#define TRIGLYPH_TEGRA_SPACE_SPARSE 0x2

/// The work begins when the given fence has been reached.
#define TRIGLYPH_TEGRA_SUBMIT_FENCE_WAIT 0x1

/// The channel's syncpoint counts the end of the work.
#define TRIGLYPH_TEGRA_SUBMIT_FENCE_GET 0x2

/// Fences are syncpoints.
#define TRIGLYPH_TEGRA_SUBMIT_HARDWARE_FORMAT 0x4

/// The end does not wait for the engines.
#define TRIGLYPH_TEGRA_SUBMIT_SUPPRESS_WFI 0x10

/// The value of the given fence says how often the work itself counts the channel's syncpoint.
#define TRIGLYPH_TEGRA_SUBMIT_INCREMENT_VALUE 0x100

/// The results of the driver's calls for the guest.
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

/// A Tegra X1's GPU, and the Switch's driver (nvdrv) in front of it.
typedef struct triglyph_tegra triglyph_tegra;

/// The results of GET_CHARACTERISTICS about the GPU, in its order; numbers that are 64 bits wide in the structure are
/// here, too.
typedef struct triglyph_tegra_characteristics {
  /// Architecture, 0x120 for GM20x.
  uint32_t arch;
  /// Implementation, 0xB for the GM20B; the later revision of the console has 0xE.
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
  /// Padding.
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
  /// Base of the compression bits' store; 0.
  uint64_t compbit_store_base;
} triglyph_tegra_characteristics;

/// The result of the FREE call for the last owner of a handle.
typedef struct triglyph_tegra_freed {
  /// Address of the memory in the process, 0 for none.
  uint64_t address;
  /// Bytes, as it was created.
  uint32_t size;
  /// Whether others still have the handle: 1 or 0.
  uint32_t in_use;
} triglyph_tegra_freed;

/// The properties that the ALLOC call attaches to a handle.
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

/// The arguments of MAP_BUFFER_EX.
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

/// One answer of GET_VA_REGIONS.
typedef struct triglyph_tegra_region {
  /// First address.
  uint64_t offset;
  /// Bytes of a page.
  uint64_t page_size;
  /// Pages.
  uint64_t pages;
} triglyph_tegra_region;

/// A value that a syncpoint reaches.
typedef struct triglyph_tegra_fence {
  /// The syncpoint.
  uint32_t syncpoint;
  /// The value.
  uint32_t value;
} triglyph_tegra_fence;

/// The result of EVENT_WAIT.
typedef struct triglyph_tegra_wait {
  /// 1 when the event of `slot` is armed, which the guest is told as TIMEOUT; 0 when the fence has been reached.
  uint32_t armed;
  /// The slot.
  uint32_t slot;
  /// The result of the call: the syncpoint's value, or the name of the event for QueryEvent.
  uint32_t value;
} triglyph_tegra_wait;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/// Makes a Tegra X1 with nothing mapped and no channels. It belongs to the caller, who destroys it with
/// `triglyph_tegra_destroy`.
///
/// Errors: as `triglyph_device_create`.
TRIGLYPH_API
triglyph_status triglyph_tegra_create(const triglyph_options *options,
                                      triglyph_tegra **tegra);

/// Destroys a Tegra X1, and with it the device that was borrowed from it. Null is ignored.
///
/// Errors: `TRIGLYPH_STATUS_BUSY` while another call uses it; it stays as it is then.
TRIGLYPH_API triglyph_status triglyph_tegra_destroy(triglyph_tegra *tegra);

/// The device of a Tegra X1, for the calls that all machines have; null for null. It is borrowed: it is destroyed with
/// the Tegra X1.
TRIGLYPH_API
triglyph_device *triglyph_tegra_device(triglyph_tegra *tegra);

/// The process's address of what the GPU sees at `address` of an address space; `found` is false where nothing of the
/// process is mapped.
TRIGLYPH_API
triglyph_status triglyph_tegra_process_address(triglyph_tegra *tegra,
                                               uint32_t space,
                                               uint64_t address,
                                               uint64_t *process,
                                               bool *found);

/// Open: a device by its path, `/dev/nvmap`, `/dev/nvhost-as-gpu`, `/dev/nvhost-gpu`, `/dev/nvhost-ctrl` or
/// `/dev/nvhost-ctrl-gpu`. A file of the second one is an address space, one of the third a channel. `result` is a
/// `triglyph_tegra_result`: `TRIGLYPH_TEGRA_RESULT_NO_FILE` for other paths.
TRIGLYPH_API
triglyph_status triglyph_tegra_nvdrv_open(triglyph_tegra *tegra,
                                          const char *path,
                                          uint32_t *file,
                                          uint32_t *result);

/// Close: a file, and its channel or address space. `result` is `TRIGLYPH_TEGRA_RESULT_BUSY` for an address space that
/// channels are bound to; it stays open then.
TRIGLYPH_API
triglyph_status triglyph_tegra_nvdrv_close(triglyph_tegra *tegra,
                                           uint32_t file,
                                           uint32_t *result);

/// Ioctl, Ioctl2 and Ioctl3: `request` is its number, `buffer` its argument, in which the answer takes the request's
/// place. Ioctl2 has a second buffer `inline_in`, Ioctl3 one `inline_out`; null with size 0 without one. `result` is
/// what the guest is told beside the buffers, `TRIGLYPH_TEGRA_RESULT_TIMEOUT` among it where an event is armed.
TRIGLYPH_API
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
TRIGLYPH_API
triglyph_status triglyph_tegra_nvdrv_query_event(triglyph_tegra *tegra,
                                                 uint32_t file,
                                                 uint32_t event,
                                                 uint32_t *slot,
                                                 uint32_t *result);

/// Appends GPFIFO entries to a channel of the address space of captures, without the driver, and works until everything
/// is done or waits. A recording that is under way contains it.
///
/// Errors: `TRIGLYPH_STATUS_INVALID_ARGUMENT` for a channel beyond those there can be.
TRIGLYPH_API
triglyph_status triglyph_tegra_submit_entries(triglyph_tegra *tegra,
                                              uint32_t channel,
                                              const uint64_t *entries,
                                              size_t count);

/// GET_CHARACTERISTICS.
TRIGLYPH_API
triglyph_status triglyph_tegra_get_characteristics(triglyph_tegra *tegra,
                                                   triglyph_tegra_characteristics *characteristics);

/// CREATE: a handle of `size` bytes, without memory yet.
///
/// Results: `TRIGLYPH_TEGRA_RESULT_BAD_VALUE` for size 0; `TRIGLYPH_TEGRA_RESULT_INSUFFICIENT_MEMORY` when there are
/// too many.
TRIGLYPH_API
triglyph_status triglyph_tegra_nvmap_create(triglyph_tegra *tegra,
                                            uint32_t size,
                                            uint32_t *handle,
                                            uint32_t *result);

/// FROM_ID: another owner of a handle; ids are the handles.
///
/// Results: `TRIGLYPH_TEGRA_RESULT_BAD_VALUE` for a handle that does not exist, as for all calls of handles.
TRIGLYPH_API
triglyph_status triglyph_tegra_nvmap_from_id(triglyph_tegra *tegra,
                                             uint32_t id,
                                             uint32_t *handle,
                                             uint32_t *result);

/// FREE: one owner less. What address spaces show of it stays.
///
/// Results: see `triglyph_tegra_nvmap_from_id`.
TRIGLYPH_API
triglyph_status triglyph_tegra_nvmap_free(triglyph_tegra *tegra,
                                          uint32_t handle,
                                          triglyph_tegra_freed *freed,
                                          uint32_t *result);

/// ALLOC: attaches memory of the process.
///
/// Results: `TRIGLYPH_TEGRA_RESULT_ALREADY_ALLOCATED` when it has some; `TRIGLYPH_TEGRA_RESULT_BAD_VALUE` for an
/// alignment that is no power of two; `TRIGLYPH_TEGRA_RESULT_INVALID_ADDRESS` beyond the process's addresses.
TRIGLYPH_API
triglyph_status triglyph_tegra_nvmap_alloc(triglyph_tegra *tegra,
                                           uint32_t handle,
                                           const triglyph_tegra_memory *memory,
                                           uint32_t *result);

/// PARAM: see `TRIGLYPH_TEGRA_PARAM_*`.
///
/// Results: `TRIGLYPH_TEGRA_RESULT_BAD_VALUE` for other parameters.
TRIGLYPH_API
triglyph_status triglyph_tegra_nvmap_param(triglyph_tegra *tegra,
                                           uint32_t handle,
                                           uint32_t parameter,
                                           uint32_t *value,
                                           uint32_t *result);

/// Opens an address space, as opening `/dev/nvhost-as-gpu` does. Its number is what `triglyph_range`s and faults name.
///
/// Results: `TRIGLYPH_TEGRA_RESULT_INSUFFICIENT_MEMORY` when there are too many.
TRIGLYPH_API
triglyph_status triglyph_tegra_space_open(triglyph_tegra *tegra,
                                          uint32_t *space,
                                          uint32_t *result);

/// Closes an address space: nothing is mapped in it any more.
///
/// Results: `TRIGLYPH_TEGRA_RESULT_BUSY` while a channel is bound to it; `TRIGLYPH_TEGRA_RESULT_BAD_PARAMETER` for a
/// space that is not open, as for all calls of spaces.
TRIGLYPH_API
triglyph_status triglyph_tegra_space_close(triglyph_tegra *tegra,
                                           uint32_t space,
                                           uint32_t *result);

/// INITIALIZE and INITIALIZE_EX. A null `layout` is the default.
///
/// Results: `TRIGLYPH_TEGRA_RESULT_INVALID_STATE` when it was initialised; `TRIGLYPH_TEGRA_RESULT_BAD_VALUE` for other
/// sizes of pages and for ranges that are not in order or no whole big pages.
TRIGLYPH_API
triglyph_status triglyph_tegra_space_initialize(triglyph_tegra *tegra,
                                                uint32_t space,
                                                const triglyph_tegra_layout *layout,
                                                uint32_t *result);

/// ALLOC_SPACE: `pages` pages of address space for fixed mappings, see `TRIGLYPH_TEGRA_SPACE_*`. `at` is the address
/// with the fixed flag, else an alignment or 0.
///
/// Results: `TRIGLYPH_TEGRA_RESULT_NOT_INITIALIZED` before INITIALIZE, as for all calls below;
/// `TRIGLYPH_TEGRA_RESULT_BAD_VALUE` for other sizes of pages, and for fixed space that is taken;
/// `TRIGLYPH_TEGRA_RESULT_INSUFFICIENT_MEMORY` without room.
TRIGLYPH_API
triglyph_status triglyph_tegra_space_allocate(triglyph_tegra *tegra,
                                              uint32_t space,
                                              uint32_t pages,
                                              uint64_t page_size,
                                              uint32_t flags,
                                              uint64_t at,
                                              uint64_t *offset,
                                              uint32_t *result);

/// FREE_SPACE, with everything that is mapped there.
///
/// Results: `TRIGLYPH_TEGRA_RESULT_BAD_VALUE` unless it was allocated with this size.
TRIGLYPH_API
triglyph_status triglyph_tegra_space_free(triglyph_tegra *tegra,
                                          uint32_t space,
                                          uint64_t offset,
                                          uint32_t pages,
                                          uint64_t page_size,
                                          uint32_t *result);

/// MAP_BUFFER_EX: shows a handle's memory to the GPU, or changes the kind of what is shown. Memory of the process is
/// what the host has mapped in `TRIGLYPH_TEGRA_SPACE_PROCESS` by then.
///
/// Results: `TRIGLYPH_TEGRA_RESULT_BAD_VALUE` for a handle that does not exist, parts beyond it, fixed addresses
/// without space or with something mapped; `TRIGLYPH_TEGRA_RESULT_INVALID_STATE` for a handle without memory;
/// `TRIGLYPH_TEGRA_RESULT_INVALID_ADDRESS` when the host has not mapped it; `TRIGLYPH_TEGRA_RESULT_INSUFFICIENT_MEMORY`
/// without room.
TRIGLYPH_API
triglyph_status triglyph_tegra_space_map_buffer(triglyph_tegra *tegra,
                                                uint32_t space,
                                                const triglyph_tegra_map_buffer *call,
                                                uint64_t *offset,
                                                uint64_t *page_size,
                                                uint32_t *result);

/// UNMAP_BUFFER.
///
/// Results: none but those of all calls: what is not mapped is unmapped.
TRIGLYPH_API
triglyph_status triglyph_tegra_space_unmap_buffer(triglyph_tegra *tegra,
                                                  uint32_t space,
                                                  uint64_t offset,
                                                  uint32_t *result);

/// REMAP: entry by entry, up to the first that cannot be.
///
/// Results: `TRIGLYPH_TEGRA_RESULT_BAD_VALUE` outside of sparse space and beyond a handle, otherwise as
/// `triglyph_tegra_space_map_buffer`.
TRIGLYPH_API
triglyph_status triglyph_tegra_space_remap(triglyph_tegra *tegra,
                                           uint32_t space,
                                           const triglyph_tegra_remap *entries,
                                           size_t count,
                                           uint32_t *result);

/// GET_VA_REGIONS: small pages, big pages.
///
/// Results: see `triglyph_tegra_space_allocate`.
TRIGLYPH_API
triglyph_status triglyph_tegra_space_regions(triglyph_tegra *tegra,
                                             uint32_t space,
                                             triglyph_tegra_region *small,
                                             triglyph_tegra_region *big,
                                             uint32_t *result);

/// Opens a channel with a syncpoint of its own, as opening `/dev/nvhost-gpu` does.
///
/// Results: `TRIGLYPH_TEGRA_RESULT_INSUFFICIENT_MEMORY` when there are no channels or syncpoints left.
TRIGLYPH_API
triglyph_status triglyph_tegra_channel_open(triglyph_tegra *tegra,
                                            uint32_t *channel,
                                            uint32_t *result);

/// Closes a channel, with everything it had still to do.
///
/// Results: `TRIGLYPH_TEGRA_RESULT_BAD_PARAMETER` for a channel that is not open, as for all calls of channels.
TRIGLYPH_API
triglyph_status triglyph_tegra_channel_close(triglyph_tegra *tegra,
                                             uint32_t channel,
                                             uint32_t *result);

/// BIND_CHANNEL: the address space of a channel, once.
///
/// Results: `TRIGLYPH_TEGRA_RESULT_BAD_PARAMETER` for a space that is not open; `TRIGLYPH_TEGRA_RESULT_INVALID_STATE`
/// when the channel has one.
TRIGLYPH_API
triglyph_status triglyph_tegra_channel_bind(triglyph_tegra *tegra,
                                            uint32_t channel,
                                            uint32_t space,
                                            uint32_t *result);

/// SUBMIT_GPFIFO: appends entries, and works until everything is done or waits. `flags`: `TRIGLYPH_TEGRA_SUBMIT_*`.
/// Returns the fence after everything that was submitted. A null `fence` is the default.
///
/// Results: `TRIGLYPH_TEGRA_RESULT_BAD_PARAMETER` for a fence that is both waited for and a number of increments, or
/// that names no syncpoint; `TRIGLYPH_TEGRA_RESULT_INVALID_STATE` for a channel without an address space.
TRIGLYPH_API
triglyph_status triglyph_tegra_channel_submit(triglyph_tegra *tegra,
                                              uint32_t channel,
                                              const uint64_t *entries,
                                              size_t count,
                                              uint32_t flags,
                                              const triglyph_tegra_fence *fence,
                                              triglyph_tegra_fence *after,
                                              uint32_t *result);

/// The syncpoint of a channel, and the value that it has when everything submitted is done.
///
/// Results: see `triglyph_tegra_channel_close`.
TRIGLYPH_API
triglyph_status triglyph_tegra_channel_fence(triglyph_tegra *tegra,
                                             uint32_t channel,
                                             triglyph_tegra_fence *fence,
                                             uint32_t *result);

/// Adds 1 to a syncpoint, as other hardware does, and goes on with channels that waited for it: with the next bounded
/// run if submissions are deferred. For an index beyond the syncpoints it does nothing but a fault.
TRIGLYPH_API
triglyph_status triglyph_tegra_increment_syncpoint(triglyph_tegra *tegra,
                                                   uint32_t index);

/// Lets time pass that the GPU does not work in, in nanoseconds, so that timestamps keep up with the host's idea of
/// time.
TRIGLYPH_API
triglyph_status triglyph_tegra_advance_time(triglyph_tegra *tegra,
                                            uint64_t time);

/// Goes on with channels that waited: for a word that the host has written since, or for a syncpoint.
///
/// Work without an end is stopped, with a fault; `triglyph_run_for` bounds it instead.
TRIGLYPH_API
triglyph_status triglyph_tegra_run(triglyph_tegra *tegra);

/// Sets what each submission may cost, in units of fuel: see `triglyph_options`, with which it begins. A recording has
/// it.
TRIGLYPH_API
triglyph_status triglyph_tegra_set_fuel(triglyph_tegra *tegra,
                                        uint64_t fuel);

/// EVENT_REGISTER, or EVENT_UNREGISTER with `false`.
///
/// Results: `TRIGLYPH_TEGRA_RESULT_BAD_PARAMETER` for a slot beyond 63; `TRIGLYPH_TEGRA_RESULT_BUSY` for one that is
/// armed and goes.
TRIGLYPH_API
triglyph_status triglyph_tegra_event_register(triglyph_tegra *tegra,
                                              uint32_t slot,
                                              bool registered,
                                              uint32_t *result);

/// EVENT_WAIT, and EVENT_WAIT_ASYNC if the client chooses the slot: waits for a fence. A threshold of 0 has been
/// reached. The host keeps the time: 0 asks whether the fence has been reached; any other timeout, or none, arms an
/// event, which is an `TRIGLYPH_EVENT_KIND_FENCE` when it has been. A null `fence` is the default. `timeout` is in
/// microseconds; a negative one is none. A negative `slot` is none.
///
/// Results: `TRIGLYPH_TEGRA_RESULT_TIMEOUT` with timeout 0 when it has not been reached; `TRIGLYPH_TEGRA_RESULT_BUSY`
/// for a slot that is armed; `TRIGLYPH_TEGRA_RESULT_BAD_PARAMETER` for syncpoints and slots that do not exist;
/// `TRIGLYPH_TEGRA_RESULT_INSUFFICIENT_MEMORY` without a slot.
TRIGLYPH_API
triglyph_status triglyph_tegra_event_wait(triglyph_tegra *tegra,
                                          const triglyph_tegra_fence *fence,
                                          int32_t timeout,
                                          int32_t slot,
                                          triglyph_tegra_wait *wait,
                                          uint32_t *result);

/// EVENT_SIGNAL: the client waits for this event no more.
///
/// Results: `TRIGLYPH_TEGRA_RESULT_BAD_PARAMETER` for a slot beyond 63.
TRIGLYPH_API
triglyph_status triglyph_tegra_event_cancel(triglyph_tegra *tegra,
                                            uint32_t slot,
                                            uint32_t *result);

/// SYNCPT_READ: the value of a syncpoint.
///
/// Results: `TRIGLYPH_TEGRA_RESULT_BAD_PARAMETER` for an index beyond the syncpoints.
TRIGLYPH_API
triglyph_status triglyph_tegra_syncpoint_value(triglyph_tegra *tegra,
                                               uint32_t index,
                                               uint32_t *value,
                                               uint32_t *result);

/// SYNCPT_READ_MAX: the value that a syncpoint has when everything submitted is done.
///
/// Results: see `triglyph_tegra_syncpoint_value`.
TRIGLYPH_API
triglyph_status triglyph_tegra_syncpoint_maximum(triglyph_tegra *tegra,
                                                 uint32_t index,
                                                 uint32_t *value,
                                                 uint32_t *result);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* TRIGLYPH_TEGRA_H */
