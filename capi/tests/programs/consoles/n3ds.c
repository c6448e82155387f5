/* A 3DS: a command list that jumps to itself, and a fill after it. */

#include "console.h"

#define LIST 0x1000u
#define HEAP_VIRTUAL 0x30000000u
#define VRAM 0x18000000u
#define VRAM_VIRTUAL 0x1F000000u

static void n3ds_change(console *console, uint32_t value) {
    store(console, LIST, &value, 1); /* the colour of fog */
}

static void n3ds_begin(console *console) {
    const uint32_t base = (uint32_t)console->machine->address;
    const uint32_t list[10] = {0, 0xF00E1, 40 >> 3, 0xF0238, (base + LIST) >> 3, 0xF023A, 1, 0xF023C};
    const uint32_t loop[8] = {1, HEAP_VIRTUAL + LIST, sizeof list};
    const uint32_t fill[8] = {2, VRAM_VIRTUAL, 0x12345678, VRAM_VIRTUAL + 0x100, 0, 0, 0, 0x201};
    const uint32_t copy[8] = {4, VRAM_VIRTUAL, HEAP_VIRTUAL + 0x8000, 0x100, 0, 0, 8, 0};
    triglyph_n3ds_registration client;
    uint32_t acquired;
    bool full;
    OK(triglyph_map(console->device, 0, VRAM, 0x10000, TRIGLYPH_ACCESS_READ_WRITE));
    OK(triglyph_n3ds_register_relay_queue(console->n3ds, 1, 0, 7, &client));
    OK(triglyph_n3ds_acquire_right(console->n3ds, 1, &acquired));
    store(console, LIST, list, 10);
    OK(triglyph_n3ds_queue_submit(console->n3ds, 0, loop, NULL, &full));
    OK(triglyph_n3ds_queue_submit(console->n3ds, 0, fill, NULL, &full));
    OK(triglyph_n3ds_queue_submit(console->n3ds, 0, copy, NULL, &full));
    OK(triglyph_n3ds_trigger(console->n3ds));
}

static void n3ds_end(console *console) {
    const uint32_t end[4] = {0x12345678, 0xF0010, 0, 0}; /* instead of the jump, the list's interrupt */
    store(console, LIST + 24, end, 4);
}

static void n3ds_serve(console *console) {
    OK(triglyph_n3ds_auto_deliver(console->n3ds, NULL));
    OK(triglyph_n3ds_vblank(console->n3ds, TRIGLYPH_N3DS_SCREEN_TOP, NULL));
}

MACHINE(n3ds, "n3ds", TRIGLYPH_MACHINE_N3DS, 0, 0x20000000, 0);
