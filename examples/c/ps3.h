// The console of the PlayStation 3's examples: main and local memory, and a context of the hypervisor.

#ifndef PS3_H
#define PS3_H

#include "example.h"
#include "triglyph_rsx.h"
#include "triglyph_rsx_commands.h"

// Main memory by the address that the program passes to the hypervisor. The RSX sees its first half from IO offset 0.
#define MAIN_AT 0x10000000u
// Bytes of main and of local memory.
#define SIZE (16u << 20)

static uint8_t main_memory[SIZE], local_memory[SIZE];

struct console {
    triglyph_rsx *gpu;
    triglyph_device *device;
    // The context's control page.
    uint32_t control_space;
    uint64_t control_at;
};

// Makes the hypervisor's calls that a program begins with.
static inline struct console console_open(void) {
    const uint64_t resources[] = {8, 0x300000, 15, 8};
    uint32_t memory;
    triglyph_rsx_context context;
    int64_t result;
    bool found;
    struct console console;
    CHECK(triglyph_rsx_create(NULL, &console.gpu));
    console.device = triglyph_rsx_device(console.gpu);
    CHECK(triglyph_set_fault_callback(console.device, on_fault, NULL));
    CHECK(triglyph_map_host(console.device, TRIGLYPH_RSX_SPACE_XDR, MAIN_AT, SIZE, main_memory,
                            TRIGLYPH_ACCESS_READ_WRITE));
    CHECK(triglyph_map_host(console.device, TRIGLYPH_RSX_SPACE_LOCAL, 0, SIZE, local_memory,
                            TRIGLYPH_ACCESS_READ_WRITE));
    // lv1_gpu_memory_allocate, lv1_gpu_context_allocate, lv1_gpu_context_iomap.
    SYSTEM(triglyph_rsx_memory_allocate(console.gpu, SIZE, resources, &memory, NULL, &result));
    SYSTEM(triglyph_rsx_context_allocate(console.gpu, memory, TRIGLYPH_RSX_CONTEXT_MAIN_REPORTS, &context, &result));
    SYSTEM(triglyph_rsx_context_iomap(console.gpu, context.handle, 0, MAIN_AT, SIZE / 2,
                                      TRIGLYPH_RSX_IOMAP_READ | TRIGLYPH_RSX_IOMAP_WRITE, &result));
    CHECK(triglyph_rsx_lpar(console.gpu, context.control, &console.control_space, &console.control_at, &found));
    check(found, "a control page");
    return console;
}

// Stores a push buffer at an IO offset and lets the RSX run to its end, which PUT, in the control page, names.
static inline void console_run(struct console *console, uint32_t offset, const triglyph_words *push) {
    const uint32_t end = offset + 4 * (uint32_t)push->count;
    uint8_t put[4];
    check(push->count <= push->room, "room for the push buffer");
    triglyph_store_be(main_memory + offset, push->words, push->count);
    triglyph_store_be(put, &end, 1);
    CHECK(triglyph_write(console->device, console->control_space, console->control_at + 0x40, put, sizeof put));
    CHECK(triglyph_rsx_run(console->gpu));
}

// Writes the picture at an offset of local memory and closes the console.
static inline void console_close(struct console *console, uint32_t offset, uint32_t width, uint32_t height,
                                 const char *path) {
    const triglyph_present present = {
        .size = sizeof present, .space = TRIGLYPH_RSX_SPACE_LOCAL, .address = offset, .width = width, .height = height,
        .pitch = 4 * width, .format = TRIGLYPH_FORMAT_X8R8G8B8, .layout = TRIGLYPH_LAYOUT_TOP_FIRST, .label = "main",
    };
    write_png(console->device, &present, true, path);
    CHECK(triglyph_rsx_destroy(console->gpu));
}

#endif // PS3_H
