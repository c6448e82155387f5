// The console of the Switch's examples: a process with memory, and a channel whose address space shows it.

#ifndef SWITCH_H
#define SWITCH_H

#include "example.h"
#include "triglyph_tegra.h"
#include "triglyph_tegra_commands.h"

// The process's memory by its own addresses.
#define MEMORY_AT 0x7000000000u
#define MEMORY_SIZE (8u << 20)

static uint8_t memory[MEMORY_SIZE];

struct console {
    triglyph_tegra *gpu;
    triglyph_device *device;
    uint32_t channel;
    // The GPU address of the process's memory.
    uint64_t memory;
};

// Makes the calls of the GPU's driver that a program begins with.
static inline struct console console_open(void) {
    const triglyph_tegra_memory process = {.address = MEMORY_AT, .align = 0x1000, .flags = 1, .kind = 0xFE};
    uint32_t handle, space, result;
    struct console console;
    CHECK(triglyph_tegra_create(NULL, &console.gpu));
    console.device = triglyph_tegra_device(console.gpu);
    CHECK(triglyph_set_fault_callback(console.device, on_fault, NULL));
    CHECK(triglyph_map_host(console.device, TRIGLYPH_TEGRA_SPACE_PROCESS, MEMORY_AT, MEMORY_SIZE, memory,
                            TRIGLYPH_ACCESS_READ_WRITE));
    // /dev/nvmap: a handle for the memory.
    SYSTEM(triglyph_tegra_nvmap_create(console.gpu, MEMORY_SIZE, &handle, &result));
    SYSTEM(triglyph_tegra_nvmap_alloc(console.gpu, handle, &process, &result));
    // /dev/nvhost-as-gpu: an address space that shows it.
    const triglyph_tegra_map_buffer all = {.handle = handle, .kind = TRIGLYPH_TEGRA_DEFAULT_KIND};
    SYSTEM(triglyph_tegra_space_open(console.gpu, &space, &result));
    SYSTEM(triglyph_tegra_space_initialize(console.gpu, space, NULL, &result));
    SYSTEM(triglyph_tegra_space_map_buffer(console.gpu, space, &all, &console.memory, NULL, &result));
    // /dev/nvhost-gpu: a channel in that space.
    SYSTEM(triglyph_tegra_channel_open(console.gpu, &console.channel, &result));
    SYSTEM(triglyph_tegra_channel_bind(console.gpu, console.channel, space, &result));
    return console;
}

// Stores a push buffer at an offset of the memory, submits it as one entry of the GPFIFO, and waits until it has been
// executed.
static inline void console_run(struct console *console, uint32_t offset, const triglyph_words *push) {
    const uint64_t entry = triglyph_tegra_push_entry(push, console->memory + offset);
    uint32_t result;
    check(push->count <= push->room, "room for the push buffer");
    triglyph_store_le(memory + offset, push->words, push->count);
    SYSTEM(triglyph_tegra_channel_submit(console->gpu, console->channel, &entry, 1, TRIGLYPH_TEGRA_SUBMIT_FENCE_GET,
                                         NULL, NULL, &result));
    CHECK(triglyph_finish(console->device));
}

// Writes the picture at an offset of the memory, rows of red, green, blue, alpha, and closes the console.
static inline void console_close(struct console *console, uint32_t offset, uint32_t width, uint32_t height,
                                 const char *path) {
    const triglyph_present present = {
        .size = sizeof present, .space = TRIGLYPH_TEGRA_SPACE_PROCESS, .address = MEMORY_AT + offset, .width = width,
        .height = height, .pitch = 4 * width, .format = TRIGLYPH_FORMAT_A8B8G8R8,
        .layout = TRIGLYPH_LAYOUT_TOP_FIRST, .label = "display",
    };
    write_png(console->device, &present, false, path);
    CHECK(triglyph_tegra_destroy(console->gpu));
}

#endif // SWITCH_H
