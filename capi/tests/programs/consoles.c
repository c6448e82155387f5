/* Three consoles at the same time: each machine is a worker's, and a thread of the host's is its guest.
 *
 * The guests' programs loop. Each is stopped in the middle of that, saved, recorded from there on, changed while it
 * loops, and ended. A second machine goes on from the save state, others replay the recording: all of them leave the
 * same bytes.
 *
 *     consoles FOLDER
 */

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "triglyph.h"

#define EXPECT(condition)                                                                                              \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "line %d: %s: %s\n", __LINE__, #condition, triglyph_last_error());                         \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)
#define OK(call) EXPECT((call) == TRIGLYPH_STATUS_OK)

#define LONG 60000000000u /* a minute, in nanoseconds */
#define MEMORY (1u << 20)

typedef struct console console;

/* What only a machine has. */
typedef struct {
    const char *name;
    uint32_t number;
    /* Memory of the host's that the guest's processor and the GPU share. */
    uint32_t space;
    uint64_t address;
    void (*create)(console *console, const triglyph_options *options);
    void (*destroy)(console *console);
    /* The guest starts its program, changes what it stores, and ends it. */
    void (*begin)(console *console);
    void (*change)(console *console, uint32_t value);
    void (*end)(console *console);
    /* What the guest's system does with interrupts. */
    void (*serve)(console *console);
    /* The counter that shows when the program does what it was changed to; 0 if there is none. */
    uint32_t counter;
} machine;

struct console {
    const machine *machine;
    triglyph_n3ds *n3ds;
    triglyph_rsx *rsx;
    triglyph_tegra *tegra;
    triglyph_device *device;
    triglyph_worker *worker;
    /* The memory of the host's; null for a console whose memory is the library's. */
    uint8_t *memory;
    triglyph_buffer *saved;
    atomic_uint interrupts, vblanks, served;
    uint32_t value;
    uint64_t offset; /* of the buffer in the Tegra's address space */
    char path[1024];
};

/* Words of the guest's, in its byte order, as its processor stores them. */
static void store(console *console, uint64_t at, const uint32_t *words, size_t count) {
    uint8_t bytes[256];
    EXPECT(4 * count <= sizeof bytes);
    for (size_t byte = 0; byte < 4 * count; byte++) {
        const size_t place = console->machine->number == TRIGLYPH_MACHINE_PS3 ? 3 - byte % 4 : byte % 4;
        bytes[byte] = (uint8_t)(words[byte / 4] >> 8 * place);
    }
    if (console->memory) {
        memcpy(console->memory + at, bytes, 4 * count);
    } else {
        OK(triglyph_write(console->device, console->machine->space, console->machine->address + at, bytes, 4 * count));
    }
}

/* ---- 3DS: a command list that jumps to itself, and a fill after it ---- */

#define LIST 0x1000u
#define HEAP_VIRTUAL 0x30000000u
#define VRAM 0x18000000u
#define VRAM_VIRTUAL 0x1F000000u

static void n3ds_create(console *console, const triglyph_options *options) {
    OK(triglyph_n3ds_create(options, &console->n3ds));
    console->device = triglyph_n3ds_device(console->n3ds);
}

static void n3ds_destroy(console *console) {
    OK(triglyph_n3ds_destroy(console->n3ds));
}

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

/* ---- PS3: a push buffer that releases a semaphore and jumps to itself ---- */

#define PUSH 0x1000u
#define JUMP (PUSH + 32)
#define PUT 0x8000u

static void rsx_create(console *console, const triglyph_options *options) {
    OK(triglyph_rsx_create(options, &console->rsx));
    console->device = triglyph_rsx_device(console->rsx);
}

static void rsx_destroy(console *console) {
    OK(triglyph_rsx_destroy(console->rsx));
}

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

/* ---- Tegra X1: the same segment over and over, then one that waits until the guest has released a semaphore ---- */

#define REPEATS 20000u
#define RELEASE 0x100u
#define ACQUIRE 0x200u
#define LAST 0x300u
#define SEMAPHORE 0x8000u

static void tegra_create(console *console, const triglyph_options *options) {
    OK(triglyph_tegra_create(options, &console->tegra));
    console->device = triglyph_tegra_device(console->tegra);
}

static void tegra_destroy(console *console) {
    OK(triglyph_tegra_destroy(console->tegra));
}

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

static const machine MACHINES[3] = {
    {"n3ds", TRIGLYPH_MACHINE_N3DS, 0, 0x20000000, n3ds_create, n3ds_destroy, n3ds_begin, n3ds_change, n3ds_end,
     n3ds_serve, 0},
    {"ps3", TRIGLYPH_MACHINE_PS3, TRIGLYPH_RSX_SPACE_XDR, 0x10000000, rsx_create, rsx_destroy, rsx_begin, rsx_change,
     rsx_end, rsx_serve, 1},
    {"tegra", TRIGLYPH_MACHINE_TEGRA_X1, TRIGLYPH_TEGRA_SPACE_PROCESS, 0x100000, tegra_create, tegra_destroy,
     tegra_begin, tegra_change, tegra_end, tegra_serve, 0},
};

/* ---- what the host does with each ---- */

/* Commands, on the worker's thread. */

static void begin(void *user_data) {
    console *console = user_data;
    console->machine->begin(console);
}

static void serve(void *user_data) {
    console *console = user_data;
    console->machine->serve(console);
    atomic_fetch_add(&console->served, 1);
}

/* In the middle of a loop: a save state, and from here on a recording. */
static void save(void *user_data) {
    console *console = user_data;
    OK(triglyph_snapshot(console->device, 0, &console->saved));
    OK(triglyph_record_start(console->device, console->path, console->machine->name));
}

static void hash(console *console) {
    triglyph_mapping mappings[32];
    size_t count;
    OK(triglyph_mappings(console->device, mappings, 32, &count));
    EXPECT(count <= 32);
    for (size_t at = 0; at < count; at++) {
        const triglyph_range range = mappings[at].range;
        if (range.space <= TRIGLYPH_RSX_SPACE_XDR) {
            OK(triglyph_record_hash(console->device, range.space, range.address, range.size));
        }
    }
}

static void change(void *user_data) {
    console *console = user_data;
    console->machine->change(console, ++console->value);
    hash(console);
}

static void end(void *user_data) {
    console *console = user_data;
    console->machine->end(console);
}

static void stop_recording(void *user_data) {
    console *console = user_data;
    hash(console);
    OK(triglyph_record_stop(console->device));
}

/* An interrupt, on the worker's thread as well, but outside of commands: the guest's system answers with one. */
static void on_event(void *user_data, const triglyph_event *event) {
    console *console = user_data;
    bool taken;
    atomic_fetch_add(&console->vblanks, event->kind == TRIGLYPH_EVENT_KIND_VBLANK);
    if (event->kind == TRIGLYPH_EVENT_KIND_INTERRUPT || event->kind == TRIGLYPH_EVENT_KIND_FENCE) {
        atomic_fetch_add(&console->interrupts, 1);
        OK(triglyph_worker_try_send(console->worker, serve, console, NULL, &taken));
        EXPECT(taken);
    }
}

static void no_fault(void *user_data, const triglyph_fault *fault) {
    fprintf(stderr, "%s: %s\n", ((console *)user_data)->machine->name, fault->what);
    exit(1);
}

static void run_looping(console *console) {
    bool idle, executed;
    uint64_t number;
    uint32_t end_kind;
    triglyph_timeline *timeline;
    OK(triglyph_worker_timeline(console->worker, &timeline));
    OK(triglyph_worker_call(console->worker, begin, console));
    for (int round = 0; round < 4; round++) {
        OK(triglyph_worker_wait_idle(console->worker, 3000000, &idle, &end_kind, NULL));
        EXPECT(!idle || end_kind == TRIGLYPH_RUN_END_WAITING);
        OK(triglyph_worker_send(console->worker, round == 0 ? save : change, console, &number));
        OK(triglyph_worker_send(console->worker, serve, console, &number));
        OK(triglyph_worker_wait(console->worker, number, LONG, &executed));
        EXPECT(executed);
        if (console->machine->counter && console->value) {
            OK(triglyph_timeline_wait_fence(timeline, console->machine->counter, console->value, LONG, &executed));
            EXPECT(executed);
        }
    }
    OK(triglyph_timeline_destroy(timeline));
    /* Other threads have no business with the device. */
    EXPECT(triglyph_finish(console->device) == TRIGLYPH_STATUS_BUSY);
    OK(triglyph_worker_call(console->worker, end, console));
    OK(triglyph_worker_wake(console->worker));
    do {
        OK(triglyph_worker_wait_idle(console->worker, LONG, &idle, &end_kind, NULL));
    } while (idle && end_kind == TRIGLYPH_RUN_END_WAITING);
    EXPECT(idle && end_kind == TRIGLYPH_RUN_END_DONE);
    OK(triglyph_worker_call(console->worker, stop_recording, console));
}

/* A second machine goes on from the save state, in memory of the library's. */
static void restore(console *other, const console *first) {
    const uint8_t *data;
    size_t size;
    uint32_t end_kind;
    const triglyph_run_limit limit = {UINT64_MAX, 5000}, none = {UINT64_MAX, UINT64_MAX};
    other->machine = first->machine;
    other->offset = first->offset;
    other->machine->create(other, NULL);
    OK(triglyph_set_fault_callback(other->device, no_fault, other));
    OK(triglyph_buffer_bytes(first->saved, &data, &size));
    OK(triglyph_set_deferred(other->device, true));
    OK(triglyph_restore(other->device, data, size));
    other->machine->change(other, first->value);
    for (int round = 0; round < 4; round++) {
        other->machine->serve(other);
    }
    OK(triglyph_run_for(other->device, &limit, &end_kind, NULL));
    EXPECT(end_kind == TRIGLYPH_RUN_END_BUDGET_USED || end_kind == TRIGLYPH_RUN_END_WAITING);
    other->machine->end(other);
    OK(triglyph_run_for(other->device, &none, &end_kind, NULL));
    EXPECT(end_kind == TRIGLYPH_RUN_END_DONE);
}

static void read_all(console *console, const triglyph_range *range, uint8_t **bytes) {
    *bytes = malloc(range->size);
    EXPECT(*bytes);
    OK(triglyph_read(console->device, range->space, range->address, *bytes, range->size));
}

/* All that is mapped, and what it holds. */
static void compare(console *first, console *second) {
    triglyph_mapping mappings[2][32];
    size_t counts[2];
    OK(triglyph_mappings(first->device, mappings[0], 32, &counts[0]));
    OK(triglyph_mappings(second->device, mappings[1], 32, &counts[1]));
    EXPECT(counts[0] == counts[1] && counts[0] <= 32);
    EXPECT(memcmp(mappings[0], mappings[1], counts[0] * sizeof mappings[0][0]) == 0);
    for (size_t at = 0; at < counts[0]; at++) {
        uint8_t *bytes[2];
        read_all(first, &mappings[0][at].range, &bytes[0]);
        read_all(second, &mappings[0][at].range, &bytes[1]);
        for (size_t byte = 0; byte < mappings[0][at].range.size; byte++) {
            if (bytes[0][byte] != bytes[1][byte]) {
                fprintf(stderr, "%s: byte %#zx of %u:%#llx: %#x, %#x\n", first->machine->name, byte,
                        mappings[0][at].range.space, (unsigned long long)mappings[0][at].range.address,
                        bytes[0][byte], bytes[1][byte]);
                exit(1);
            }
        }
        free(bytes[0]);
        free(bytes[1]);
    }
}

/* The recording has the same bytes at all times that were looked at. */
static void replay(const console *console, uint32_t tier) {
    triglyph_options options = {.size = sizeof options};
    triglyph_capture *capture;
    triglyph_player *player;
    triglyph_device *device;
    triglyph_play_event event;
    int hashes = 0;
    OK(triglyph_options_init(&options));
    options.tier = tier;
    OK(triglyph_capture_open(console->path, &capture));
    OK(triglyph_device_create(console->machine->number, &options, &device));
    OK(triglyph_player_create(capture, TRIGLYPH_CHECK_HASHES, &player));
    do {
        OK(triglyph_player_next(player, device, &event));
        if (!event.ok) {
            fprintf(stderr, "%s: record %llu of its recording has other bytes\n", console->machine->name,
                    (unsigned long long)event.record);
            exit(1);
        }
        hashes += event.kind == TRIGLYPH_PLAY_KIND_HASH;
    } while (event.kind != TRIGLYPH_PLAY_KIND_END);
    EXPECT(hashes >= 4);
    OK(triglyph_player_destroy(player));
    OK(triglyph_device_destroy(device));
    OK(triglyph_capture_destroy(capture));
}

/* A thread of the host's: the guest's processor. */
static void *guest(void *user_data) {
    console *console = user_data, other = {0};
    triglyph_worker_options options = {.size = sizeof options};
    console->machine->create(console, NULL);
    console->memory = calloc(MEMORY, 1);
    EXPECT(console->memory);
    OK(triglyph_set_fault_callback(console->device, no_fault, console));
    OK(triglyph_set_event_callback(console->device, on_event, console));
    OK(triglyph_map_host(console->device, console->machine->space, console->machine->address, MEMORY, console->memory,
                         TRIGLYPH_ACCESS_READ_WRITE));
    OK(triglyph_worker_options_init(&options));
    options.slice.words = 2000;
    OK(triglyph_worker_create(console->device, &options, &console->worker));
    run_looping(console);
    OK(triglyph_worker_destroy(console->worker));
    EXPECT(console->machine->number == TRIGLYPH_MACHINE_PS3 || atomic_load(&console->interrupts) > 0);
    EXPECT(console->machine->number == TRIGLYPH_MACHINE_TEGRA_X1 || atomic_load(&console->vblanks) >= 4);
    EXPECT(atomic_load(&console->served) >= 4 + atomic_load(&console->interrupts));
    restore(&other, console);
    compare(console, &other);
    replay(console, TRIGLYPH_TIER_INTERPRETER);
    replay(console, TRIGLYPH_TIER_AUTO);
    OK(triglyph_buffer_destroy(console->saved));
    other.machine->destroy(&other);
    console->machine->destroy(console);
    free(console->memory);
    return NULL;
}

int main(int argc, char **argv) {
    static console consoles[3];
    pthread_t threads[3];
    if (argc != 2) {
        return 2;
    }
    for (int at = 0; at < 3; at++) {
        consoles[at].machine = &MACHINES[at];
        snprintf(consoles[at].path, sizeof consoles[at].path, "%s/%s.tgc", argv[1], MACHINES[at].name);
        EXPECT(pthread_create(&threads[at], NULL, guest, &consoles[at]) == 0);
    }
    for (int at = 0; at < 3; at++) {
        EXPECT(pthread_join(threads[at], NULL) == 0);
    }
    return 0;
}
