/* How often the calls of a frame allocate memory, once they have been made some times: the program's own malloc counts
 * what its thread asks for, also inside of the library. Commands and registers allocate nothing; the other numbers are
 * bounds that only shrink: a change that makes one smaller writes the smaller one here.
 *
 * With glibc and without sanitizers, which have a malloc of their own; elsewhere the program does nothing.
 */

#include "expect.h"

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

#include <errno.h>
#include <string.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *pointer, size_t size);
extern void *__libc_memalign(size_t align, size_t size);

static _Thread_local unsigned long allocations;

void *malloc(size_t size) {
    allocations++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    allocations++;
    return __libc_calloc(count, size);
}

void *realloc(void *pointer, size_t size) {
    allocations++;
    return __libc_realloc(pointer, size);
}

void *aligned_alloc(size_t align, size_t size) {
    allocations++;
    return __libc_memalign(align, size);
}

int posix_memalign(void **pointer, size_t align, size_t size) {
    allocations++;
    *pointer = __libc_memalign(align, size);
    return *pointer ? 0 : ENOMEM;
}

#define WARM_UP 300
#define COUNTED 300

static bool failed;

/* Counts the allocations of some calls after others: at most so many a call. */
#define COUNT(name, bound, ...)                                                                                        \
    do {                                                                                                               \
        unsigned long before = 0;                                                                                      \
        for (int call_ = 0; call_ < WARM_UP + COUNTED; call_++) {                                                      \
            before = call_ == WARM_UP ? allocations : before;                                                          \
            __VA_ARGS__;                                                                                               \
        }                                                                                                              \
        if (allocations - before > (bound) * (unsigned long)COUNTED) {                                                 \
            fprintf(stderr, "%s: %lu allocations in %d calls\n", name, allocations - before, COUNTED);                 \
            failed = true;                                                                                             \
        }                                                                                                              \
    } while (0)

static triglyph_options options(void) {
    triglyph_options options = {.size = sizeof options};
    OK(triglyph_options_init(&options));
    options.threads = 1;
    options.tier = TRIGLYPH_TIER_JIT;
    return options;
}

static uint8_t memory[1 << 20], pixels[4 * 1280 * 720];

static void n3ds(void) {
    const triglyph_options with = options();
    const uint32_t fill[8] = {2, 0x1F000000, 0x12345678, 0x1F000100, 0, 0, 0, 0x201};
    const uint32_t copy[8] = {4, 0x1F000000, 0x1F001000, 0x100, 0, 0, 8, 0};
    const triglyph_n3ds_process no_memory = {0};
    const triglyph_rows rows = {sizeof rows, TRIGLYPH_HOST_FORMAT_RGBA8, pixels, 4 * 400 * 240, 4 * 400, 400, 240, 0, 0};
    triglyph_n3ds *n3ds;
    triglyph_n3ds_executed executed;
    triglyph_n3ds_registration client;
    triglyph_n3ds_completion completions[4];
    triglyph_n3ds_forecast forecast;
    triglyph_event events[8] = {{.size = sizeof events[0]}};
    uint32_t acquired, clients, word, request[66];
    size_t count;
    bool blocked, found;
    OK(triglyph_n3ds_create(&with, &n3ds));
    triglyph_device *device = triglyph_n3ds_device(n3ds);
    OK(triglyph_map_host(device, 0, 0x18000000, sizeof memory, memory, TRIGLYPH_ACCESS_READ_WRITE));
    memcpy(memory + 0x8000, fill, sizeof fill);
    OK(triglyph_n3ds_register_relay_queue(n3ds, 1, 0, 7, &client));
    OK(triglyph_n3ds_acquire_right(n3ds, 1, &acquired));
    COUNT("triglyph_n3ds_get_forecast", 1, OK(triglyph_n3ds_get_forecast(fill, 0, &forecast)));
    COUNT("triglyph_n3ds_execute, fill", 0, OK(triglyph_n3ds_execute(n3ds, fill, &executed)));
    COUNT("triglyph_n3ds_execute, copy", 0, OK(triglyph_n3ds_execute(n3ds, copy, &executed)));
    COUNT("triglyph_n3ds_execute_at", 0, OK(triglyph_n3ds_execute_at(n3ds, 0, 0x18008000, &executed)));
    COUNT("triglyph_submit", 2, OK(triglyph_submit(device, (const uint8_t *)fill, sizeof fill));
          OK(triglyph_take_events(device, events, 8, &count)));
    COUNT("triglyph_n3ds_read_register", 0, OK(triglyph_n3ds_read_register(n3ds, 0x40001C, &word)));
    COUNT("triglyph_n3ds_write_register", 0, OK(triglyph_n3ds_write_register(n3ds, 0x40044C, 7, &executed)));
    COUNT("triglyph_n3ds_trigger, deliver", 2, OK(triglyph_n3ds_queue_submit(n3ds, 0, fill, NULL, &found));
          OK(triglyph_n3ds_trigger(n3ds)); OK(triglyph_n3ds_take_completions(n3ds, completions, 4, &count));
          EXPECT(count == 1); OK(triglyph_n3ds_deliver(n3ds, completions[0].interrupt, &clients));
          OK(triglyph_n3ds_relay_pop(n3ds, 0, &word, &found)); OK(triglyph_take_events(device, events, 8, &count)));
    COUNT("triglyph_n3ds_ipc", 1, request[0] = 0x000C0000;
          OK(triglyph_n3ds_ipc(n3ds, 1, request, 66, &no_memory, &blocked)); EXPECT(!blocked && request[1] == 0));
    COUNT("triglyph_n3ds_vblank", 1, OK(triglyph_n3ds_vblank(n3ds, 0, &clients));
          OK(triglyph_n3ds_relay_pop(n3ds, 0, &word, &found)); OK(triglyph_take_events(device, events, 8, &count)));
    COUNT("triglyph_n3ds_present_screen", 2, OK(triglyph_n3ds_present_screen(n3ds, 0, 0, &rows, NULL, NULL)));
    COUNT("triglyph_read", 0, OK(triglyph_read(device, 0, 0x18000000, &word, sizeof word)));
    COUNT("triglyph_host_wrote", 0, OK(triglyph_host_wrote(device, 0, 0x18000000, 4096)));
    OK(triglyph_n3ds_destroy(n3ds));
}

static void rsx(void) {
    const triglyph_options with = options();
    /* The reference value, and a jump back. */
    static const uint8_t words[] = {0x00, 0x04, 0x00, 0x50, 0, 0, 0, 7, 0x20, 0x00, 0x10, 0x00};
    const uint64_t none[4] = {0}, fifo[4] = {0x1000, 0x1000, 0, 0};
    const uint8_t put[2][4] = {{0, 0, 0x10, 8}, {0, 0, 0x10, 0}};
    const triglyph_run_limit no_limit = {UINT64_MAX, UINT64_MAX};
    triglyph_rsx *rsx;
    triglyph_rsx_context context;
    triglyph_event events[8] = {{.size = sizeof events[0]}};
    uint32_t handle, space, word, end, turn = 0;
    uint64_t lpar, at;
    int64_t result;
    size_t count;
    bool found;
    memcpy(memory + 0x1000, words, sizeof words);
    OK(triglyph_rsx_create(&with, &rsx));
    triglyph_device *device = triglyph_rsx_device(rsx);
    OK(triglyph_map_host(device, TRIGLYPH_RSX_SPACE_XDR, 0x10000000, sizeof memory, memory, 3));
    OK(triglyph_rsx_memory_allocate(rsx, 1 << 20, none, &handle, &lpar, &result));
    OK(triglyph_rsx_context_allocate(rsx, handle, 0, &context, &result));
    EXPECT(result == TRIGLYPH_RSX_RESULT_SUCCESS);
    OK(triglyph_rsx_context_iomap(rsx, context.handle, 0, 0x10000000, sizeof memory,
                                  TRIGLYPH_RSX_IOMAP_READ | TRIGLYPH_RSX_IOMAP_WRITE, &result));
    OK(triglyph_rsx_context_attribute(rsx, context.handle, 1, fifo, &result));
    EXPECT(result == TRIGLYPH_RSX_RESULT_SUCCESS);
    OK(triglyph_rsx_lpar(rsx, context.control, &space, &at, &found));
    COUNT("triglyph_rsx_run", 2, OK(triglyph_write(device, space, at + 0x40, put[turn++ & 1], 4));
          OK(triglyph_rsx_run(rsx)));
    OK(triglyph_set_deferred(device, true));
    COUNT("triglyph_run_for", 2, OK(triglyph_write(device, space, at + 0x40, put[turn++ & 1], 4));
          OK(triglyph_run_for(device, &no_limit, &end, NULL)));
    COUNT("triglyph_rsx_mmio_read", 0, OK(triglyph_rsx_mmio_read(rsx, 0x400700, &word)));
    COUNT("triglyph_rsx_vblank", 2, OK(triglyph_rsx_vblank(rsx, 1, 1));
          OK(triglyph_take_events(device, events, 8, &count)));
    OK(triglyph_rsx_destroy(rsx));
}

static void tegra(void) {
    const triglyph_options with = options();
    const triglyph_tegra_memory of_process = {0x800000000, 0x1000, 0, 1, 0xFE};
    const uint32_t words[] = {0x20010002, 7}; /* NOP of the host's class */
    triglyph_tegra_map_buffer call = {.kind = TRIGLYPH_TEGRA_DEFAULT_KIND};
    triglyph_present picture = {.size = sizeof picture, .space = TRIGLYPH_TEGRA_SPACE_PROCESS,
                                .format = TRIGLYPH_FORMAT_A8B8G8R8,
                                .address = 0x800000000, .width = 256, .height = 128, .pitch = 1024};
    const triglyph_rows rows = {sizeof rows, TRIGLYPH_HOST_FORMAT_RGBA8, pixels, sizeof pixels, 4 * 1280, 1280, 720,
                                TRIGLYPH_FIT_SCALE, 0};
    uint8_t read[8] = {0}, wait[16] = {0};
    triglyph_tegra *tegra;
    triglyph_tegra_fence fence;
    uint32_t space, channel, ctrl, result;
    uint64_t offset;
    memcpy(memory, words, sizeof words);
    OK(triglyph_tegra_create(&with, &tegra));
    triglyph_device *device = triglyph_tegra_device(tegra);
    OK(triglyph_map_host(device, TRIGLYPH_TEGRA_SPACE_PROCESS, 0x800000000, sizeof memory, memory, 3));
    OK(triglyph_tegra_nvmap_create(tegra, sizeof memory, &call.handle, &result));
    OK(triglyph_tegra_nvmap_alloc(tegra, call.handle, &of_process, &result));
    OK(triglyph_tegra_space_open(tegra, &space, &result));
    OK(triglyph_tegra_space_initialize(tegra, space, NULL, &result));
    OK(triglyph_tegra_space_map_buffer(tegra, space, &call, &offset, NULL, &result));
    OK(triglyph_tegra_channel_open(tegra, &channel, &result));
    OK(triglyph_tegra_channel_bind(tegra, channel, space, &result));
    OK(triglyph_tegra_nvdrv_open(tegra, "/dev/nvhost-ctrl", &ctrl, &result));
    const uint64_t entry = offset | (uint64_t)2 << 42;
    COUNT("triglyph_tegra_channel_submit", 1, OK(triglyph_tegra_channel_submit(
          tegra, channel, &entry, 1, TRIGLYPH_TEGRA_SUBMIT_FENCE_GET, NULL, &fence, &result)));
    COUNT("triglyph_tegra_nvdrv_ioctl, SYNCPT_READ", 1,
          OK(triglyph_tegra_nvdrv_ioctl(tegra, ctrl, 0xC0080014, read, 8, NULL, 0, NULL, 0, &result)));
    COUNT("triglyph_tegra_nvdrv_ioctl, EVENT_WAIT", 1,
          OK(triglyph_tegra_nvdrv_ioctl(tegra, ctrl, 0xC010001D, wait, 16, NULL, 0, NULL, 0, &result)));
    COUNT("triglyph_present_picture", 9, OK(triglyph_present_picture(device, &picture, false, &rows, NULL, NULL)));
    OK(triglyph_tegra_destroy(tegra));
}

int main(void) {
    n3ds();
    rsx();
    tegra();
    return failed;
}

#else

int main(void) {
    return 0;
}

#endif
