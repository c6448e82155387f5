/* What a host in C pays: calls across the border, pictures in its own rows, and how fast a bounded run ends when
 * another thread interrupts it.
 *
 *     cc -std=c11 -O2 -Icapi/include capi/benches/embedding.c target/release/libtriglyph.a -lpthread -ldl -lm
 *     ./a.out tests/captures/rsx/07-fbo.tgc 2000
 *
 * Calls and pictures are timed by the processor's time of the thread, the smallest of many batches. Latencies are from
 * the call of triglyph_interrupter_interrupt to the return of the run: on a clock that all threads share, to which a
 * machine that does other things as well adds its own, and in the processor's time of the thread that runs. The load is
 * a push buffer that loops, and then a capture, whose submissions draw.
 */

#define _POSIX_C_SOURCE 200809L

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "triglyph.h"

static void check(triglyph_status status, const char *call) {
    if (status != TRIGLYPH_STATUS_OK) {
        fprintf(stderr, "%s: %s: %s\n", call, triglyph_status_name(status), triglyph_last_error());
        exit(1);
    }
}
#define CHECK(call) check(call, #call)

static uint64_t now(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* ---- calls ---- */

#define CALLS 10000

#define TIME(name, call)                                                                                               \
    do {                                                                                                               \
        uint64_t best = UINT64_MAX;                                                                                    \
        for (int batch = 0; batch < 20; batch++) {                                                                     \
            const uint64_t start = now(CLOCK_THREAD_CPUTIME_ID);                                                       \
            for (int at = 0; at < CALLS; at++) {                                                                       \
                CHECK(call);                                                                                           \
            }                                                                                                          \
            const uint64_t taken = now(CLOCK_THREAD_CPUTIME_ID) - start;                                               \
            best = taken < best ? taken : best;                                                                        \
        }                                                                                                              \
        printf("%-32s %6.1f ns a call\n", name, (double)best / CALLS);                                                 \
    } while (0)

static void calls(void) {
    triglyph_n3ds *n3ds;
    triglyph_timeline *timeline;
    uint32_t machine, word;
    uint64_t events;
    CHECK(triglyph_n3ds_create(NULL, &n3ds));
    triglyph_device *device = triglyph_n3ds_device(n3ds);
    CHECK(triglyph_get_timeline(device, &timeline));
    CHECK(triglyph_map(device, 0, 0x18000000, 4096, TRIGLYPH_ACCESS_READ_WRITE));
    TIME("triglyph_get_machine", triglyph_get_machine(device, &machine));
    TIME("triglyph_timeline_events", triglyph_timeline_events(timeline, &events));
    TIME("triglyph_host_wrote", triglyph_host_wrote(device, 0, 0x18000000, 4096));
    TIME("triglyph_read, 4 bytes", triglyph_read(device, 0, 0x18000000, &word, sizeof word));
    CHECK(triglyph_timeline_destroy(timeline));
    CHECK(triglyph_n3ds_destroy(n3ds));
}

/* ---- the calls of a frame ---- */

static void frame_calls(void) {
    static uint8_t memory[1 << 20];
    static const uint32_t fill[8] = {2, 0x1F000000, 0x12345678, 0x1F000100, 0, 0, 0, 0x201};
    static const uint32_t nop[2] = {0x20010002, 7}; /* of the host's class of the Tegra X1 */
    const triglyph_tegra_memory of_process = {0x800000000, 0x1000, 0, 1, 0xFE};
    triglyph_options options = {.size = sizeof options};
    triglyph_n3ds *n3ds;
    triglyph_rsx *rsx;
    triglyph_tegra *tegra;
    triglyph_n3ds_registration client;
    triglyph_tegra_map_buffer buffer = {.kind = TRIGLYPH_TEGRA_DEFAULT_KIND};
    triglyph_tegra_fence fence;
    uint32_t word, space, channel, result;
    uint64_t offset;
    bool full;
    CHECK(triglyph_options_init(&options));
    options.threads = 1;
    options.tier = TRIGLYPH_TIER_JIT;
    CHECK(triglyph_n3ds_create(&options, &n3ds));
    CHECK(triglyph_map_host(triglyph_n3ds_device(n3ds), 0, 0x18000000, sizeof memory, memory, 3));
    CHECK(triglyph_n3ds_register_relay_queue(n3ds, 1, 0, 7, &client));
    CHECK(triglyph_n3ds_acquire_right(n3ds, 1, &word));
    memcpy(memory + 0x8000, fill, sizeof fill);
    TIME("triglyph_n3ds_execute, 256 bytes", triglyph_n3ds_execute(n3ds, fill, NULL));
    TIME("triglyph_submit, 256 bytes", triglyph_submit(triglyph_n3ds_device(n3ds), (const uint8_t *)fill, sizeof fill));
    TIME("triglyph_n3ds_execute_at", triglyph_n3ds_execute_at(n3ds, 0, 0x18008000, NULL));
    TIME("triglyph_n3ds_queue_submit", triglyph_n3ds_queue_submit(n3ds, 0, fill, NULL, &full));
    TIME("triglyph_n3ds_trigger, empty", triglyph_n3ds_trigger(n3ds));
    TIME("triglyph_n3ds_read_register", triglyph_n3ds_read_register(n3ds, 0x40001C, &word));
    TIME("triglyph_n3ds_write_register", triglyph_n3ds_write_register(n3ds, 0x40044C, 7, NULL));
    CHECK(triglyph_n3ds_destroy(n3ds));
    CHECK(triglyph_rsx_create(&options, &rsx));
    TIME("triglyph_rsx_run, idle", triglyph_rsx_run(rsx));
    TIME("triglyph_rsx_mmio_read", triglyph_rsx_mmio_read(rsx, 0x400700, &word));
    CHECK(triglyph_rsx_destroy(rsx));
    memcpy(memory, nop, sizeof nop);
    CHECK(triglyph_tegra_create(&options, &tegra));
    CHECK(triglyph_map_host(triglyph_tegra_device(tegra), TRIGLYPH_TEGRA_SPACE_PROCESS, 0x800000000, sizeof memory,
                            memory, 3));
    CHECK(triglyph_tegra_nvmap_create(tegra, sizeof memory, &buffer.handle, &result));
    CHECK(triglyph_tegra_nvmap_alloc(tegra, buffer.handle, &of_process, &result));
    CHECK(triglyph_tegra_space_open(tegra, &space, &result));
    CHECK(triglyph_tegra_space_initialize(tegra, space, NULL, &result));
    CHECK(triglyph_tegra_space_map_buffer(tegra, space, &buffer, &offset, NULL, &result));
    CHECK(triglyph_tegra_channel_open(tegra, &channel, &result));
    CHECK(triglyph_tegra_channel_bind(tegra, channel, space, &result));
    const uint64_t entry = offset | (uint64_t)2 << 42;
    TIME("triglyph_tegra_channel_submit", triglyph_tegra_channel_submit(tegra, channel, &entry, 1,
                                                                        TRIGLYPH_TEGRA_SUBMIT_FENCE_GET, NULL, &fence,
                                                                        &result));
    CHECK(triglyph_tegra_destroy(tegra));
}

/* ---- pictures ---- */

static void present(const char *name, uint32_t machine, const triglyph_present *picture, bool big_endian) {
    static const char *const formats[] = {"", "RGBA8", "BGRA8", "RGB565"};
    triglyph_options options = {.size = sizeof options};
    triglyph_device *device;
    const size_t size = 16 << 20;
    uint8_t *memory = malloc(size), *pixels = calloc(size, 1);
    uint32_t noise = 1;
    CHECK(triglyph_options_init(&options));
    options.threads = 1;
    options.tier = TRIGLYPH_TIER_JIT;
    CHECK(triglyph_device_create(machine, &options, &device));
    for (size_t at = 0; at < size; at++) {
        noise = noise * 1664525u + 1013904223u;
        memory[at] = (uint8_t)(noise >> 24);
    }
    CHECK(triglyph_map(device, picture->space, picture->address, size, TRIGLYPH_ACCESS_READ_WRITE));
    CHECK(triglyph_write(device, picture->space, picture->address, memory, size));
    for (uint32_t format = TRIGLYPH_HOST_FORMAT_RGBA8; format <= TRIGLYPH_HOST_FORMAT_RGB565; format++) {
        const size_t stride = (size_t)picture->width * (format == TRIGLYPH_HOST_FORMAT_RGB565 ? 2 : 4);
        const triglyph_rows rows = {.size = sizeof rows, .format = format, .bytes = pixels, .length = size,
                                    .stride = stride, .fit = TRIGLYPH_FIT_CUT};
        uint64_t best = UINT64_MAX;
        for (int batch = 0; batch < 100; batch++) {
            const uint64_t start = now(CLOCK_THREAD_CPUTIME_ID);
            CHECK(triglyph_present_picture(device, picture, big_endian, &rows, NULL, NULL));
            const uint64_t taken = now(CLOCK_THREAD_CPUTIME_ID) - start;
            best = taken < best ? taken : best;
        }
        printf("%-32s to %-6s %5.2f ms\n", name, formats[format], (double)best / 1000000);
    }
    CHECK(triglyph_device_destroy(device));
    free(memory);
    free(pixels);
}

/* A picture that a worker presents while its sender goes on with the next frame. */
typedef struct {
    triglyph_device *device;
    const triglyph_present *picture;
    triglyph_rows rows;
} window;

static void on_present(void *user_data) {
    const window *window = user_data;
    CHECK(triglyph_present_picture(window->device, window->picture, false, &window->rows, NULL, NULL));
}

static void in_background(const char *name, const triglyph_present *picture) {
    const size_t size = 16 << 20;
    uint8_t *pixels = calloc(size, 1);
    const triglyph_rows rows = {.size = sizeof rows, .format = TRIGLYPH_HOST_FORMAT_RGBA8, .bytes = pixels,
                                .length = size, .stride = (size_t)4 * picture->width};
    window window = {NULL, picture, rows};
    triglyph_worker *worker;
    uint64_t number, best = UINT64_MAX;
    bool executed;
    CHECK(triglyph_device_create(TRIGLYPH_MACHINE_TEGRA_X1, NULL, &window.device));
    CHECK(triglyph_map(window.device, picture->space, picture->address, size, TRIGLYPH_ACCESS_READ_WRITE));
    CHECK(triglyph_worker_create(window.device, NULL, &worker));
    for (int frame = 0; frame < 100; frame++) {
        const uint64_t start = now(CLOCK_THREAD_CPUTIME_ID);
        CHECK(triglyph_worker_send(worker, on_present, &window, &number));
        const uint64_t taken = now(CLOCK_THREAD_CPUTIME_ID) - start;
        best = taken < best ? taken : best;
        CHECK(triglyph_worker_wait(worker, number, UINT64_MAX, &executed));
    }
    printf("%-32s %6.2f us of the sender's\n", name, (double)best / 1000);
    CHECK(triglyph_worker_destroy(worker));
    CHECK(triglyph_device_destroy(window.device));
    free(pixels);
}

static void presents(void) {
    triglyph_present picture = {.size = sizeof picture, .width = 1920, .height = 1080, .pitch = 7680};
    picture.format = TRIGLYPH_FORMAT_X8R8G8B8;
    present("1080p, big-endian rows", TRIGLYPH_MACHINE_PS3, &picture, true);
    picture.format = TRIGLYPH_FORMAT_A8B8G8R8;
    picture.layout = TRIGLYPH_LAYOUT_BLOCK_LINEAR | 4 << 8;
    present("1080p, block-linear", TRIGLYPH_MACHINE_TEGRA_X1, &picture, false);
    picture.format = TRIGLYPH_FORMAT_RGB565;
    picture.pitch = 3840;
    present("1080p, block-linear RGB565", TRIGLYPH_MACHINE_TEGRA_X1, &picture, false);
    picture.layout = TRIGLYPH_LAYOUT_TOP_FIRST;
    present("1080p, rows RGB565", TRIGLYPH_MACHINE_TEGRA_X1, &picture, false);
    const triglyph_present screen = {.size = sizeof screen, .format = TRIGLYPH_FORMAT_BGR8,
                                     .address = 0x18000000, .width = 400, .height = 240, .pitch = 720,
                                     .layout = TRIGLYPH_LAYOUT_LCD};
    present("400x240, columns BGR8", TRIGLYPH_MACHINE_N3DS, &screen, false);
    picture.format = TRIGLYPH_FORMAT_A8B8G8R8;
    picture.layout = TRIGLYPH_LAYOUT_BLOCK_LINEAR | 4 << 8;
    picture.width = 1280;
    picture.height = 720;
    picture.pitch = 5120;
    present("720p, block-linear", TRIGLYPH_MACHINE_TEGRA_X1, &picture, false);
    in_background("720p, in the background", &picture);
}

/* ---- interrupts ---- */

typedef struct {
    triglyph_device *device;
    triglyph_capture *capture; /* or null for a loop */
    triglyph_player *player;
    atomic_bool running, stop;
    /* When the last interrupted run began and returned, and the processor's time of its thread then. */
    atomic_ullong began, returned, worked;
    sem_t is_over; /* posted after each interrupted run */
} load;

/* Runs until a run has nothing left. */
static void run(load *load) {
    const triglyph_run_limit none = {UINT64_MAX, UINT64_MAX};
    uint32_t end;
    do {
        const uint64_t began = now(CLOCK_MONOTONIC);
        atomic_store(&load->running, true);
        CHECK(triglyph_run_for(load->device, &none, &end, NULL));
        if (end == TRIGLYPH_RUN_END_INTERRUPTED) {
            atomic_store(&load->worked, now(CLOCK_THREAD_CPUTIME_ID));
            atomic_store(&load->began, began);
            atomic_store(&load->returned, now(CLOCK_MONOTONIC));
            sem_post(&load->is_over);
        }
        atomic_store(&load->running, false);
    } while (end == TRIGLYPH_RUN_END_INTERRUPTED && !atomic_load(&load->stop));
}

static void *work(void *user_data) {
    load *load = user_data;
    while (!atomic_load(&load->stop)) {
        triglyph_play_event event = {.size = sizeof event};
        if (load->capture) {
            CHECK(triglyph_player_next(load->player, load->device, &event));
            if (event.kind == TRIGLYPH_PLAY_KIND_END) {
                CHECK(triglyph_player_destroy(load->player));
                CHECK(triglyph_player_create(load->capture, 0, &load->player));
            }
        }
        run(load);
    }
    return NULL;
}

static int by_size(const void *a, const void *b) {
    const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

static void percentiles(const char *name, uint64_t *taken, int count) {
    qsort(taken, (size_t)count, sizeof *taken, by_size);
    printf("%-32s median %.1f us, 99th percentile %.1f us, largest %.1f us\n", name, (double)taken[count / 2] / 1000,
           (double)taken[count * 99 / 100] / 1000, (double)taken[count - 1] / 1000);
}

static void latencies(const char *name, load *load, int count) {
    pthread_t thread;
    clockid_t clock;
    triglyph_interrupter *interrupter;
    uint64_t *taken = calloc((size_t)count, sizeof *taken), *worked = calloc((size_t)count, sizeof *worked);
    CHECK(triglyph_get_interrupter(load->device, &interrupter));
    CHECK(triglyph_set_deferred(load->device, true));
    sem_init(&load->is_over, 0, 0);
    pthread_create(&thread, NULL, work, load);
    pthread_getcpuclockid(thread, &clock);
    for (int at = 0; at < count;) {
        const struct timespec pause = {0, 100000 + at % 17 * 10000};
        nanosleep(&pause, NULL);
        if (!atomic_load(&load->running)) {
            continue;
        }
        while (sem_trywait(&load->is_over) == 0) {
        }
        struct timespec in_a_second;
        clock_gettime(CLOCK_REALTIME, &in_a_second);
        in_a_second.tv_sec++;
        const uint64_t work_before = now(clock), start = now(CLOCK_MONOTONIC);
        CHECK(triglyph_interrupter_interrupt(interrupter));
        /* Without a thread that spins: a machine of few cores would take one from those that draw. */
        sem_timedwait(&load->is_over, &in_a_second);
        const unsigned long long returned = atomic_load(&load->returned);
        /* Otherwise the run was over by itself, and perhaps the next one was interrupted. */
        if (returned > start && atomic_load(&load->began) < start) {
            taken[at] = returned - start;
            worked[at++] = atomic_load(&load->worked) - work_before;
        }
    }
    atomic_store(&load->stop, true);
    CHECK(triglyph_interrupter_interrupt(interrupter));
    pthread_join(thread, NULL);
    percentiles(name, taken, count);
    percentiles("    processor's time", worked, count);
    free(taken);
    free(worked);
    CHECK(triglyph_interrupter_destroy(interrupter));
    sem_destroy(&load->is_over);
}

/* A push buffer of the PS3's that stores a reference value and jumps to itself. */
static void looping(int count) {
    static uint8_t memory[1 << 20];
    const uint8_t words[] = {0x00, 0x04, 0x00, 0x50, 0, 0, 0, 7, 0x20, 0x00, 0x10, 0x00}, put[] = {0, 0, 0x80, 0};
    const uint64_t none[4] = {0}, fifo[4] = {0x1000, 0x1000, 0, 0};
    load load = {0};
    triglyph_rsx *rsx;
    triglyph_rsx_context context;
    uint32_t handle, space;
    uint64_t lpar, at;
    int64_t result;
    bool found;
    memcpy(memory + 0x1000, words, sizeof words);
    CHECK(triglyph_rsx_create(NULL, &rsx));
    load.device = triglyph_rsx_device(rsx);
    CHECK(triglyph_map_host(load.device, TRIGLYPH_RSX_SPACE_XDR, 0x10000000, sizeof memory, memory, 3));
    CHECK(triglyph_rsx_memory_allocate(rsx, 1 << 20, none, &handle, &lpar, &result));
    CHECK(triglyph_rsx_context_allocate(rsx, handle, 0, &context, &result));
    CHECK(triglyph_rsx_context_iomap(rsx, context.handle, 0, 0x10000000, sizeof memory,
                                     TRIGLYPH_RSX_IOMAP_READ | TRIGLYPH_RSX_IOMAP_WRITE, &result));
    CHECK(triglyph_rsx_context_attribute(rsx, context.handle, 1, fifo, &result));
    CHECK(triglyph_rsx_lpar(rsx, context.control, &space, &at, &found));
    CHECK(triglyph_write(load.device, space, at + 0x40, put, sizeof put));
    latencies("interrupt, a loop", &load, count);
    CHECK(triglyph_rsx_destroy(rsx));
}

static void drawing(const char *path, int count) {
    load load = {0};
    uint32_t machine;
    CHECK(triglyph_capture_open(path, &load.capture));
    CHECK(triglyph_capture_header(load.capture, &machine, NULL));
    CHECK(triglyph_device_create(machine, NULL, &load.device));
    CHECK(triglyph_player_create(load.capture, 0, &load.player));
    latencies("interrupt, a capture", &load, count);
    CHECK(triglyph_player_destroy(load.player));
    CHECK(triglyph_device_destroy(load.device));
    CHECK(triglyph_capture_destroy(load.capture));
}

int main(int argc, char **argv) {
    if (argc != 3 || atoi(argv[2]) < 1) {
        fprintf(stderr, "embedding CAPTURE INTERRUPTS\n");
        return 2;
    }
    calls();
    frame_calls();
    presents();
    looping(atoi(argv[2]));
    drawing(argv[1], atoi(argv[2]));
    return 0;
}
