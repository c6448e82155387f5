/* A Tegra X1: the same segment over and over, then one that waits until the guest has released a semaphore. */

#include "console.h"

#define REPEATS 20000u
#define RELEASE 0x100u
#define ACQUIRE 0x200u
#define LAST 0x300u
#define SEMAPHORE 0x8000u

/* Methods of the host's class: a semaphore at an offset in the buffer, its value, what happens to it. */
static void semaphore(console *console, uint32_t at, uint32_t offset, uint32_t value, uint32_t operation) {
    const uint64_t address = console->offset + offset;
    const uint32_t words[] = {0x20040004, (uint32_t)(address >> 32), (uint32_t)address, value, operation};
    store(console, at, words, 5);
}

static void tegra_change(console *console, uint32_t value) {
    store(console, LAST + 12, &value, 1); /* what the last semaphore becomes */
}

static void tegra_begin(console *console) {
    const triglyph_tegra_memory memory = {console->machine->address, 0x1000, 0, 1, 0xFE};
    triglyph_tegra_map_buffer call = {0};
    triglyph_tegra_fence fence;
    triglyph_tegra_wait wait;
    uint64_t *entries = malloc((REPEATS + 2) * sizeof *entries);
    uint32_t space, channel, result;
    EXPECT(entries);
    call.kind = TRIGLYPH_TEGRA_DEFAULT_KIND;
    OK(triglyph_tegra_nvmap_create(console->tegra, MEMORY, &call.handle, &result));
    OK(triglyph_tegra_nvmap_alloc(console->tegra, call.handle, &memory, &result));
    OK(triglyph_tegra_space_open(console->tegra, &space, &result));
    OK(triglyph_tegra_space_initialize(console->tegra, space, NULL, &result));
    OK(triglyph_tegra_space_map_buffer(console->tegra, space, &call, &console->offset, NULL, &result));
    OK(triglyph_tegra_channel_open(console->tegra, &channel, &result));
    OK(triglyph_tegra_channel_bind(console->tegra, channel, space, &result));
    semaphore(console, RELEASE, 0x9000, 77, 2 | 1 << 24);
    semaphore(console, ACQUIRE, SEMAPHORE, 5, 1);
    semaphore(console, LAST, 0xA000, 0, 2 | 1 << 24);
    for (uint32_t at = 0; at < REPEATS + 2; at++) {
        const uint32_t segment = at < REPEATS ? RELEASE : at == REPEATS ? ACQUIRE : LAST;
        entries[at] = (console->offset + segment) | (uint64_t)5 << 42;
    }
    OK(triglyph_tegra_channel_submit(console->tegra, channel, entries, REPEATS + 2, TRIGLYPH_TEGRA_SUBMIT_FENCE_GET,
                                     NULL, &fence, &result));
    EXPECT(result == TRIGLYPH_TEGRA_RESULT_SUCCESS);
    free(entries);
    OK(triglyph_tegra_event_wait(console->tegra, &fence, -1, -1, &wait, &result));
    EXPECT(wait.armed);
}

static void tegra_end(console *console) {
    const uint32_t released = 5;
    store(console, SEMAPHORE, &released, 1);
}

static void tegra_serve(console *console) {
    OK(triglyph_tegra_advance_time(console->tegra, 1000));
}

MACHINE(tegra, "tegra", TRIGLYPH_MACHINE_TEGRA_X1, TRIGLYPH_TEGRA_SPACE_PROCESS, 0x100000, 0);
