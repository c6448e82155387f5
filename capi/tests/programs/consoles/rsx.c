/* A PS3: a push buffer that releases a semaphore and jumps to itself. */

#include "console.h"

#define PUSH 0x1000u
#define JUMP (PUSH + 32)
#define PUT 0x8000u

static void rsx_change(console *console, uint32_t value) {
    store(console, PUSH + 4, &value, 1);  /* the reference value */
    store(console, PUSH + 28, &value, 1); /* what the semaphore becomes after it */
}

static void rsx_begin(console *console) {
    const uint64_t none[4] = {0}, fifo[4] = {PUSH, PUSH, 0, 0};
    const uint32_t words[] = {1 << 18 | 0x50, 0, 1 << 18 | 0x60, 0x66606660, 1 << 18 | 0x64,
                              0x20,           1 << 18 | 0x6C,    0,          0x20000000 | PUSH};
    const uint8_t put[4] = {0, 0, PUT >> 8, PUT & 0xFF};
    triglyph_rsx_context context;
    uint32_t memory, space;
    uint64_t lpar, at;
    int64_t result;
    bool found;
    OK(triglyph_rsx_memory_allocate(console->rsx, MEMORY, none, &memory, &lpar, &result));
    OK(triglyph_rsx_context_allocate(console->rsx, memory, 0, &context, &result));
    EXPECT(result == TRIGLYPH_RSX_RESULT_SUCCESS);
    OK(triglyph_rsx_context_iomap(console->rsx, context.handle, 0, console->machine->address, MEMORY,
                                  TRIGLYPH_RSX_IOMAP_READ | TRIGLYPH_RSX_IOMAP_WRITE, &result));
    EXPECT(result == TRIGLYPH_RSX_RESULT_SUCCESS);
    OK(triglyph_rsx_context_attribute(console->rsx, context.handle, 1, fifo, &result));
    store(console, PUSH, words, sizeof words / 4);
    OK(triglyph_rsx_lpar(console->rsx, context.control, &space, &at, &found));
    OK(triglyph_write(console->device, space, at + 0x40, put, sizeof put));
}

static void rsx_end(console *console) {
    const uint32_t end = 0x20000000 | PUT; /* a jump to where PUT is */
    store(console, JUMP, &end, 1);
}

static void rsx_serve(console *console) {
    OK(triglyph_rsx_vblank(console->rsx, 0, 1234));
}

MACHINE(rsx, "ps3", TRIGLYPH_MACHINE_PS3, TRIGLYPH_RSX_SPACE_XDR, 0x10000000, 1);
