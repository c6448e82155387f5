// The memory and the screen of the Nintendo 3DS's examples, the GX commands around a command list, and short names for
// registers.

#ifndef N3DS_H
#define N3DS_H

#include "example.h"
#include "triglyph_n3ds.h"
#include "triglyph_n3ds_commands.h"

// Where memory is: physical addresses, by which the GPU names it, and virtual ones, by which GX commands do.
#define VRAM 0x18000000u
#define VRAM_VIRTUAL 0x1F000000u
#define HEAP 0x20000000u
#define HEAP_VIRTUAL 0x30000000u

// In the heap: vertices, the command list, the picture for the screen.
#define VERTICES 0x0000u
#define LIST 0x1000u
#define SHOWN 0x10000u

// The top screen has 400 columns of 240 pixels: for the GPU a picture of 240 x 400, x upwards and y to the left.
#define WIDTH 240u
#define HEIGHT 400u

// Names of registers and values, values in their fields, attributes of vertices.
#define REG(name) TRIGLYPH_N3DS_PICA_##name
#define BITS(name, value) TRIGLYPH_FIELD(TRIGLYPH_N3DS_PICA_##name, value)
#define FLOATS(count) TRIGLYPH_N3DS_ATTRIBUTE(REG(ATTR_FORMAT_LO_TYPE0_FLOAT), count)

static uint8_t vram[6 << 20], heap[1 << 20];

// Makes a console with memory.
static inline triglyph_n3ds *open_console(void) {
    triglyph_n3ds *gpu;
    CHECK(triglyph_n3ds_create(NULL, &gpu));
    triglyph_device *device = triglyph_n3ds_device(gpu);
    CHECK(triglyph_set_fault_callback(device, on_fault, NULL));
    CHECK(triglyph_map_host(device, 0, VRAM, sizeof vram, vram, TRIGLYPH_ACCESS_READ_WRITE));
    CHECK(triglyph_map_host(device, 0, HEAP, sizeof heap, heap, TRIGLYPH_ACCESS_READ_WRITE));
    return gpu;
}

// Clears the targets by the GX command `fill`, runs a command list, copies the picture at the beginning of video memory
// for the screen, and writes it to a file.
static inline void run_list(triglyph_n3ds *gpu, const uint32_t fill[8], triglyph_words *list, const char *path) {
    uint32_t gx[2][8];
    const uint32_t bytes = triglyph_n3ds_list_finish(list);
    check(list->count <= list->room, "room for the list");
    triglyph_store_le(heap + LIST, list->words, list->count);
    triglyph_n3ds_gx_list(gx[0], HEAP_VIRTUAL + LIST, bytes);
    triglyph_n3ds_gx_display(gx[1], VRAM_VIRTUAL, HEAP_VIRTUAL + SHOWN, WIDTH, HEIGHT,
                             TRIGLYPH_N3DS_EXTERNAL_PPF_FLAGS_OUTPUT_RGB8);
    CHECK(triglyph_n3ds_execute(gpu, fill, NULL));
    CHECK(triglyph_n3ds_execute(gpu, gx[0], NULL));
    CHECK(triglyph_n3ds_execute(gpu, gx[1], NULL));
    // A picture as the screen has it: columns of blue, green, red, from below.
    const triglyph_present present = {
        .size = sizeof present, .address = HEAP + SHOWN, .width = HEIGHT, .height = WIDTH, .pitch = 3 * WIDTH,
        .format = TRIGLYPH_FORMAT_BGR8, .layout = TRIGLYPH_LAYOUT_LCD, .label = "top",
    };
    write_png(triglyph_n3ds_device(gpu), &present, false, path);
}

#endif // N3DS_H
