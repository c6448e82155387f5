/* What callers may get wrong, and what they get back: statuses, messages, callbacks, save states, recordings. */

#include <string.h>

#include "expect.h"

#define VRAM 0x18000000u
#define VRAM_VIRTUAL 0x1F000000u
#define HEAP 0x20000000u

static uint8_t heap[0x10000];

struct heard {
    triglyph_device *device;
    int faults;
    triglyph_status inner;
};

static void on_fault(void *user_data, const triglyph_fault *fault) {
    struct heard *heard = user_data;
    heard->faults += strlen(fault->what) > 0;
    heard->inner = triglyph_finish(heard->device);
}

/* Fills 64 bytes of memory at a virtual address. */
static void fill(triglyph_n3ds *n3ds, uint32_t address, uint32_t value) {
    uint32_t words[8] = {2, address, value, address + 64, 0, 0, 0, 0x0201};
    triglyph_n3ds_executed executed;
    OK(triglyph_n3ds_execute(n3ds, words, &executed));
    EXPECT(executed.result == 0 && executed.has_interrupt == 1 && executed.interrupt == TRIGLYPH_N3DS_INTERRUPT_PSC0);
}

static uint32_t word_at(triglyph_device *device, uint64_t address) {
    uint32_t word = 0;
    OK(triglyph_read(device, 0, address, &word, sizeof word));
    return word;
}

static void arguments(triglyph_n3ds *n3ds, triglyph_device *device) {
    EXPECT(triglyph_abi_version() == TRIGLYPH_ABI_VERSION);
    EXPECT(triglyph_n3ds_create(NULL, NULL) == TRIGLYPH_STATUS_NULL_POINTER);
    EXPECT(triglyph_finish(NULL) == TRIGLYPH_STATUS_NULL_POINTER);
    EXPECT(strcmp(triglyph_last_error(), "device is null") == 0);
    EXPECT(triglyph_n3ds_execute(n3ds, NULL, NULL) == TRIGLYPH_STATUS_NULL_POINTER);
    EXPECT(triglyph_device_destroy(device) == TRIGLYPH_STATUS_INVALID_ARGUMENT);
    EXPECT(triglyph_map(device, 0, VRAM, 0, 3) == TRIGLYPH_STATUS_INVALID_ARGUMENT);
    EXPECT(triglyph_map(device, 0, VRAM, 4096, 8) == TRIGLYPH_STATUS_INVALID_ARGUMENT);
    EXPECT(triglyph_map(device, 7, VRAM, 4096, 3) == TRIGLYPH_STATUS_INVALID_ARGUMENT);
    uint8_t byte;
    EXPECT(triglyph_read(device, 0, 0x10, &byte, 1) == TRIGLYPH_STATUS_UNMAPPED);
    EXPECT(triglyph_read(device, 0, VRAM, NULL, 1) == TRIGLYPH_STATUS_NULL_POINTER);
    EXPECT(triglyph_submit(device, &byte, 1) == TRIGLYPH_STATUS_INVALID_ARGUMENT);
    EXPECT(triglyph_restore(device, (const uint8_t *)"nothing", 7) == TRIGLYPH_STATUS_BAD_SNAPSHOT);
    triglyph_stats stats = {.size = 1};
    EXPECT(triglyph_get_stats(device, &stats) == TRIGLYPH_STATUS_BAD_SIZE);
    triglyph_options options = {.size = sizeof options};
    OK(triglyph_options_init(&options));
    options.tier = 99;
    triglyph_n3ds *none = NULL;
    EXPECT(triglyph_n3ds_create(&options, &none) == TRIGLYPH_STATUS_INVALID_ARGUMENT && !none);
    triglyph_capture *capture = NULL;
    EXPECT(triglyph_capture_open("/no/such/file.tgc", &capture) == TRIGLYPH_STATUS_IO && !capture);
    EXPECT(triglyph_capture_from_bytes((const uint8_t *)"junk", 4, &capture) == TRIGLYPH_STATUS_BAD_CAPTURE);
    OK(triglyph_n3ds_destroy(NULL));
}

static void faults(triglyph_n3ds *n3ds, triglyph_device *device) {
    struct heard heard = {.device = device};
    OK(triglyph_set_fault_callback(device, on_fault, &heard));
    /* A command list where nothing is mapped. */
    uint32_t words[8] = {1, VRAM_VIRTUAL + 0x500000, 64, 0, 0, 0, 0, 0};
    OK(triglyph_n3ds_execute(n3ds, words, NULL));
    OK(triglyph_set_fault_callback(device, NULL, NULL));
    EXPECT(heard.faults > 0 && heard.inner == TRIGLYPH_STATUS_BUSY);
    uint64_t count = 0, total = 0;
    for (uint32_t kind = 0; kind <= TRIGLYPH_FAULT_KIND_UNIMPLEMENTED; kind++) {
        OK(triglyph_get_fault_count(device, kind, &count));
        total += count;
    }
    EXPECT(total > 0);
    triglyph_fault fault = {.size = sizeof fault};
    bool found = false;
    OK(triglyph_get_fault(device, 0, &fault, &found));
    EXPECT(found && strlen(fault.what) > 0);
    OK(triglyph_get_fault(device, 1000, &fault, &found));
    EXPECT(!found);
}

static void states(triglyph_n3ds *n3ds, triglyph_device *device) {
    fill(n3ds, VRAM_VIRTUAL, 0x11223344);
    triglyph_buffer *snapshot;
    OK(triglyph_snapshot(device, TRIGLYPH_SNAPSHOT_WITHOUT_MEMORY, &snapshot));
    const uint8_t *bytes;
    size_t size;
    OK(triglyph_buffer_bytes(snapshot, &bytes, &size));
    OK(triglyph_restore(device, bytes, size));
    EXPECT(word_at(device, VRAM) == 0x11223344);
    OK(triglyph_buffer_destroy(snapshot));
    triglyph_timeline *timeline;
    OK(triglyph_get_timeline(device, &timeline));
    uint64_t submitted, completed;
    bool complete = false;
    OK(triglyph_timeline_counts(timeline, &submitted, &completed));
    OK(triglyph_timeline_wait(timeline, submitted, 1000000000, &complete));
    EXPECT(complete && submitted > 0 && completed == submitted);
    OK(triglyph_timeline_wait(timeline, submitted + 1, 1000, &complete));
    EXPECT(!complete);
    OK(triglyph_timeline_destroy(timeline));
}

/* GX commands where guests have them, DMA of the process, and a shared page in memory that is mapped. */
static void commands(triglyph_n3ds *n3ds, triglyph_device *device) {
    static uint32_t memory[0x3000 / 4];
    OK(triglyph_map_host(device, TRIGLYPH_N3DS_SPACE_PROCESS, 0x100000, sizeof memory, memory,
                         TRIGLYPH_ACCESS_READ_WRITE));
    memory[0x900 / 4] = 0x5678;
    const uint32_t dma[8] = {0, 0x100900, VRAM_VIRTUAL + 0x80, 4};
    memcpy(memory, dma, sizeof dma);
    triglyph_n3ds_executed executed;
    OK(triglyph_n3ds_execute(n3ds, memory, &executed));
    EXPECT(executed.outcome == TRIGLYPH_N3DS_OUTCOME_DONE && executed.interrupt == TRIGLYPH_N3DS_INTERRUPT_DMA);
    EXPECT(word_at(device, VRAM + 0x80) == 0x5678);
    memory[2] += 4;
    OK(triglyph_n3ds_execute_at(n3ds, TRIGLYPH_N3DS_SPACE_PROCESS, 0x100000, &executed));
    EXPECT(executed.outcome == TRIGLYPH_N3DS_OUTCOME_DONE && word_at(device, VRAM + 0x84) == 0x5678);
    EXPECT(triglyph_n3ds_execute_at(n3ds, TRIGLYPH_N3DS_SPACE_PROCESS, 0, NULL) == TRIGLYPH_STATUS_UNMAPPED);
    /* Memory that is not mapped is the host's to copy. */
    memory[1] = 0x8000000;
    uint64_t before, after;
    OK(triglyph_get_fault_count(device, TRIGLYPH_FAULT_KIND_UNMAPPED_READ, &before));
    OK(triglyph_n3ds_execute(n3ds, memory, &executed));
    OK(triglyph_get_fault_count(device, TRIGLYPH_FAULT_KIND_UNMAPPED_READ, &after));
    EXPECT(executed.outcome == TRIGLYPH_N3DS_OUTCOME_HOST_COPY && !executed.has_interrupt && before == after);
    EXPECT(executed.copy_source == 0x8000000 && executed.copy_target == VRAM_VIRTUAL + 0x84 && executed.copy_size == 4);
    const uint32_t flush[8] = {5, 0x100000, 4};
    OK(triglyph_n3ds_execute(n3ds, flush, &executed));
    EXPECT(executed.outcome == TRIGLYPH_N3DS_OUTCOME_NOTHING_TO_SIGNAL);
    const uint32_t bad[8] = {2, 1, 0, 2, 0, 0, 0, 0x201};
    OK(triglyph_n3ds_execute(n3ds, bad, &executed));
    EXPECT(executed.outcome == TRIGLYPH_N3DS_OUTCOME_FAILED && executed.result & 0x80000000u);
    /* The page is set after a client has registered, in memory that is mapped. */
    triglyph_n3ds_registration registration;
    OK(triglyph_n3ds_register_relay_queue(n3ds, 9, 0, 1, &registration));
    uint32_t acquired;
    OK(triglyph_n3ds_acquire_right(n3ds, 9, &acquired));
    OK(triglyph_n3ds_set_shared_page(n3ds, memory + 0x1000 / 4));
    const uint32_t words[8] = {2, VRAM_VIRTUAL, 0x9999, VRAM_VIRTUAL + 64, 0, 0, 0, 0x201};
    memcpy(memory + 0x1820 / 4, words, sizeof words);
    memory[0x1800 / 4] = 1 << 8;
    OK(triglyph_n3ds_trigger(n3ds));
    EXPECT(memory[0x1800 / 4] == 1 && word_at(device, VRAM) == 0x9999);
    OK(triglyph_n3ds_reset_gsp(n3ds));
    EXPECT(memory[0x1800 / 4] == 0);
    OK(triglyph_n3ds_set_shared_page(n3ds, NULL));
    OK(triglyph_unmap(device, TRIGLYPH_N3DS_SPACE_PROCESS, 0x100000, sizeof memory));
}

/* A GSP of the host's on one thread, the GPU on another: the time of an interrupt is known before the work. */
struct gx {
    triglyph_n3ds *n3ds;
    uint32_t words[8];
    triglyph_n3ds_executed executed;
    bool go;
};

static void on_gx(void *user_data) {
    struct gx *gx = user_data;
    while (!__atomic_load_n(&gx->go, __ATOMIC_ACQUIRE)) {
    }
    OK(triglyph_n3ds_execute(gx->n3ds, gx->words, &gx->executed));
}

static void overlap(triglyph_n3ds *n3ds, triglyph_device *device) {
    const uint64_t second = 1000000000;
    struct gx gx[2] = {{.n3ds = n3ds, .words = {2, VRAM_VIRTUAL, 0x4444, VRAM_VIRTUAL + 64, 0, 0, 0, 0x201}},
                       {.n3ds = n3ds, .words = {0, VRAM_VIRTUAL, VRAM_VIRTUAL + 0x100, 64}}};
    triglyph_n3ds_forecast forecasts[2];
    triglyph_worker *worker;
    uint64_t numbers[2];
    bool done;
    OK(triglyph_worker_create(device, NULL, &worker));
    OK(triglyph_worker_wait_idle(worker, 10 * second, &done, NULL, NULL));
    EXPECT(done);
    for (int at = 0; at < 2; at++) {
        OK(triglyph_n3ds_get_forecast(gx[at].words, TRIGLYPH_N3DS_BAD_ADDRESS_ZERO, &forecasts[at]));
        EXPECT(!forecasts[at].anywhere && forecasts[at].executed.has_interrupt && forecasts[at].executed.ticks);
        OK(triglyph_worker_send_touching(worker, on_gx, &gx[at], forecasts[at].touched, forecasts[at].count,
                                         &numbers[at]));
    }
    /* Nothing is done yet, and ranges that no work touches need not be waited for. */
    const triglyph_range elsewhere = {.address = VRAM + 0x800, .size = 0x100}, target = forecasts[1].touched[1];
    EXPECT(target.address == VRAM + 0x100 && target.size == 64);
    OK(triglyph_worker_wait_range(worker, &elsewhere, 0, &done));
    EXPECT(done);
    OK(triglyph_worker_wait_range(worker, &target, 0, &done));
    EXPECT(!done);
    for (int at = 0; at < 2; at++)
        __atomic_store_n(&gx[at].go, true, __ATOMIC_RELEASE);
    OK(triglyph_worker_wait_range(worker, &target, 10 * second, &done));
    EXPECT(done);
    OK(triglyph_worker_wait(worker, numbers[1], 10 * second, &done));
    EXPECT(done);
    OK(triglyph_worker_destroy(worker));
    OK(triglyph_set_deferred(device, false));
    EXPECT(word_at(device, VRAM + 0x100) == 0x4444);
    for (int at = 0; at < 2; at++)
        EXPECT(memcmp(&gx[at].executed, &forecasts[at].executed, sizeof gx[at].executed) == 0);
    EXPECT(triglyph_n3ds_get_forecast(gx[0].words, 7, &forecasts[0]) == TRIGLYPH_STATUS_INVALID_ARGUMENT);
}

/* The top screen of a console that was switched on just now, in the host's memory. */
static void presenting(triglyph_n3ds *n3ds, triglyph_device *device) {
    OK(triglyph_map(device, 0, 0x181E6000, 400 * 720, TRIGLYPH_ACCESS_READ_WRITE));
    static uint8_t pixels[240 * 1700];
    pixels[1600] = 0xA5;
    const triglyph_rows rows = {sizeof rows, TRIGLYPH_HOST_FORMAT_RGBA8, pixels, sizeof pixels, 1700, 400, 0, 0, 0};
    triglyph_presented *presented;
    OK(triglyph_presented_create(&presented));
    triglyph_shown shown = {.size = sizeof shown};
    OK(triglyph_n3ds_present_screen(n3ds, 0, 0, &rows, presented, &shown));
    EXPECT(shown.kind == TRIGLYPH_SHOWN_KIND_WHOLE && shown.changed && shown.width == 400 && shown.height == 240);
    EXPECT(pixels[3] == 255 && pixels[1600] == 0xA5);
    OK(triglyph_n3ds_present_screen(n3ds, 0, 0, &rows, presented, &shown));
    EXPECT(!shown.changed);
    /* The guest chooses the wide mode, or an address without memory: no error. */
    OK(triglyph_n3ds_write_register(n3ds, 0x400470, 0x80001, NULL));
    triglyph_rows small = {sizeof small, TRIGLYPH_HOST_FORMAT_BGRA8, pixels, sizeof pixels, 1600, 400, 240,
                           TRIGLYPH_FIT_CUT, 0};
    OK(triglyph_n3ds_present_screen(n3ds, 0, 0, &small, NULL, &shown));
    EXPECT(shown.kind == TRIGLYPH_SHOWN_KIND_CUT && shown.width == 800 && shown.stored_width == 400);
    small.fit = TRIGLYPH_FIT_SCALE;
    OK(triglyph_n3ds_write_register(n3ds, 0x400468, 0x01000000, NULL));
    OK(triglyph_n3ds_present_screen(n3ds, 0, 0, &small, NULL, &shown));
    EXPECT(shown.kind == TRIGLYPH_SHOWN_KIND_SCALED && shown.missing == 800 * 720);
    OK(triglyph_n3ds_present_screen(n3ds, 0, 1, &small, NULL, &shown));
    EXPECT(shown.kind == TRIGLYPH_SHOWN_KIND_NOTHING);
    /* Rows that have not the size that they are said to have are the host's mistake. */
    small.width = 401;
    EXPECT(triglyph_n3ds_present_screen(n3ds, 0, 0, &small, NULL, NULL) == TRIGLYPH_STATUS_INVALID_ARGUMENT);
    OK(triglyph_presented_destroy(presented));
}

static void written(void *user_data, const triglyph_range *range) {
    *(triglyph_range *)user_data = *range;
}

/* The host is told of written pages, and may not map over memory that is mapped. */
static void memory(triglyph_n3ds *n3ds, triglyph_device *device) {
    triglyph_range heard = {0};
    OK(triglyph_set_written_callback(device, written, &heard));
    OK(triglyph_set_host_writes_announced(device, true));
    fill(n3ds, VRAM_VIRTUAL, 3);
    EXPECT(heard.address == VRAM && heard.size == 4096);
    OK(triglyph_set_host_writes_announced(device, false));
    OK(triglyph_set_written_callback(device, NULL, NULL));
    static uint8_t page[4096];
    EXPECT(triglyph_map_host(device, 7, 0, sizeof page, page, 3) == TRIGLYPH_STATUS_INVALID_ARGUMENT);
}

/* Deferred work waits for bounded runs, which others may interrupt. */
static void bounded(triglyph_n3ds *n3ds, triglyph_device *device) {
    const uint32_t command[8] = {2, VRAM_VIRTUAL, 0x55667788, VRAM_VIRTUAL + 64, 0, 0, 0, 0x201};
    uint8_t payload[32];
    memcpy(payload, command, sizeof payload);
    triglyph_interrupter *interrupter;
    OK(triglyph_get_interrupter(device, &interrupter));
    triglyph_timeline *timeline;
    OK(triglyph_get_timeline(device, &timeline));
    uint64_t before, after;
    OK(triglyph_timeline_events(timeline, &before));
    fill(n3ds, VRAM_VIRTUAL, 1);
    OK(triglyph_set_deferred(device, true));
    OK(triglyph_submit(device, payload, sizeof payload));
    EXPECT(word_at(device, VRAM) == 1);
    uint32_t end;
    triglyph_waiting waiting = {.size = sizeof waiting};
    const triglyph_run_limit limit = {1000000, UINT64_MAX};
    OK(triglyph_interrupter_interrupt(interrupter));
    OK(triglyph_run_for(device, &limit, &end, &waiting));
    EXPECT(end == TRIGLYPH_RUN_END_INTERRUPTED && word_at(device, VRAM) == 1);
    OK(triglyph_run_for(device, NULL, &end, NULL));
    EXPECT(end == TRIGLYPH_RUN_END_DONE && waiting.kind == TRIGLYPH_WAITING_KIND_NONE);
    EXPECT(word_at(device, VRAM) == 0x55667788);
    OK(triglyph_timeline_wait_event(timeline, before, 1000000000, &after));
    EXPECT(after > before);
    OK(triglyph_set_deferred(device, false));
    OK(triglyph_timeline_destroy(timeline));
    OK(triglyph_interrupter_destroy(interrupter));
}

/* The host writes to its own memory while it records: the capture has what the GPU saw. */
static void recording(triglyph_n3ds *n3ds, triglyph_device *device, const char *path) {
    bool full = true;
    OK(triglyph_set_recording_limit(device, 1 << 20));
    OK(triglyph_start_recording(device, path, "calls"));
    OK(triglyph_is_recording_full(device, &full));
    EXPECT(!full);
    for (uint32_t value = 1; value < 4; value++) {
        memset(heap, (int)value, 64);
        /* By another call: the colour that covers the top screen. */
        OK(triglyph_n3ds_write_register(n3ds, 0x202204, value, NULL));
        /* TextureCopy of 64 bytes from the heap to VRAM. */
        uint32_t words[8] = {4, 0x30000000, VRAM_VIRTUAL + 0x1000, 64, 0, 0, 8, 0};
        OK(triglyph_n3ds_execute(n3ds, words, NULL));
        EXPECT(word_at(device, VRAM + 0x1000) == value * 0x01010101u);
        OK(triglyph_record_hash(device, 0, VRAM, 0x2000));
    }
    bool active = false;
    OK(triglyph_is_recording(device, &active));
    OK(triglyph_stop_recording(device));
    EXPECT(active);
    triglyph_capture *capture;
    triglyph_device *other;
    triglyph_player *player;
    OK(triglyph_capture_trim(path, path, TRIGLYPH_TRIM_UNIT_BYTES));
    EXPECT(triglyph_capture_trim(path, path, 9) == TRIGLYPH_STATUS_INVALID_ARGUMENT);
    OK(triglyph_capture_open(path, &capture));
    OK(triglyph_device_create(TRIGLYPH_MACHINE_N3DS, NULL, &other));
    OK(triglyph_player_create(capture, TRIGLYPH_CHECK_HASHES, &player));
    triglyph_play_event event = {.size = sizeof event};
    int hashes = 0;
    do {
        OK(triglyph_player_next(player, other, &event));
        EXPECT(event.ok);
        hashes += event.kind == TRIGLYPH_PLAY_KIND_HASH;
    } while (event.kind != TRIGLYPH_PLAY_KIND_END);
    EXPECT(hashes == 3);
    OK(triglyph_player_destroy(player));
    OK(triglyph_device_destroy(other));
    OK(triglyph_capture_destroy(capture));
}

int main(int argc, char **argv) {
    if (argc != 2) {
        return 2;
    }
    triglyph_n3ds *n3ds;
    OK(triglyph_n3ds_create(NULL, &n3ds));
    triglyph_device *device = triglyph_n3ds_device(n3ds);
    OK(triglyph_map(device, 0, VRAM, 0x10000, TRIGLYPH_ACCESS_READ_WRITE));
    OK(triglyph_map_host(device, 0, HEAP, sizeof heap, heap, TRIGLYPH_ACCESS_READ_WRITE));
    triglyph_mapping mappings[4];
    size_t count;
    OK(triglyph_mappings(device, mappings, 4, &count));
    EXPECT(count == 2 && mappings[1].range.address == HEAP && mappings[1].range.size == sizeof heap);
    arguments(n3ds, device);
    fill(n3ds, 0x30000000, 0xAABBCCDD);
    EXPECT(heap[0] == 0xDD && heap[63] == 0xAA && heap[64] == 0);
    triglyph_range range;
    OK(triglyph_take_written(device, &range, 1, &count));
    EXPECT(count == 1 && range.address <= HEAP && range.address + range.size >= HEAP + 64);
    faults(n3ds, device);
    states(n3ds, device);
    bounded(n3ds, device);
    memory(n3ds, device);
    commands(n3ds, device);
    overlap(n3ds, device);
    presenting(n3ds, device);
    recording(n3ds, device, argv[1]);
    triglyph_stats stats = {.size = sizeof stats};
    OK(triglyph_get_stats(device, &stats));
    EXPECT(stats.interpreter_calls + stats.compiled_calls > 0);
    OK(triglyph_unmap(device, 0, HEAP, sizeof heap));
    OK(triglyph_n3ds_destroy(n3ds));
    return 0;
}
