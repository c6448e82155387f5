/* Three consoles at the same time: each machine is a worker's, and a thread of the host's is its guest.
 *
 * The guests' programs loop. Each is stopped in the middle of that, saved, recorded from there on, changed while it
 * loops, and ended. A second machine goes on from the save state, others replay the recording: all of them leave the
 * same bytes.
 *
 *     consoles FOLDER
 */

#include <pthread.h>
#include <string.h>

#include "console.h"

static const machine *const MACHINES[3] = {&n3ds_machine, &rsx_machine, &tegra_machine};

void store(console *console, uint64_t at, const uint32_t *words, size_t count) {
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

/* ---- what the worker's thread does ---- */

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
    OK(triglyph_start_recording(console->device, console->path, console->machine->name));
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
    OK(triglyph_stop_recording(console->device));
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

/* ---- what its own threads do ---- */

static void run_looping(console *console) {
    bool idle, executed;
    uint64_t number;
    uint32_t end_kind;
    triglyph_timeline *timeline;
    OK(triglyph_worker_get_timeline(console->worker, &timeline));
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
        consoles[at].machine = MACHINES[at];
        snprintf(consoles[at].path, sizeof consoles[at].path, "%s/%s.tgc", argv[1], MACHINES[at]->name);
        EXPECT(pthread_create(&threads[at], NULL, guest, &consoles[at]) == 0);
    }
    for (int at = 0; at < 3; at++) {
        EXPECT(pthread_join(threads[at], NULL) == 0);
    }
    return 0;
}
