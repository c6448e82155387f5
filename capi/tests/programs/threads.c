/* Threads that use one device at the same time: calls are made or TRIGLYPH_STATUS_BUSY, and memory that was unmapped is
 * given back to the system at once. In the end the device draws what it drew at first. The program is that of
 * examples/c/n3ds_triangle.c. */

#define _GNU_SOURCE
#include <pthread.h>
#include <sys/mman.h>

#include "expect.h"
#include "triangle.h"

#define THREADS 4
#define ROUNDS 1500

/* Video memory is that of the system's, at another address each time. */
static uint8_t *pages;
static triglyph_n3ds *n3ds;
static triglyph_device *device;
static triglyph_interrupter *interrupter;
static triglyph_timeline *timeline;

static uint8_t *new_pages(void) {
    void *made = mmap(NULL, sizeof vram, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT(made != MAP_FAILED);
    return made;
}

/* Maps pages there. Only the thread that has unmapped the last ones does it. */
static void map(void) {
    pages = new_pages();
    while (triglyph_map_host(device, 0, VRAM, sizeof vram, pages, TRIGLYPH_ACCESS_READ_WRITE) == TRIGLYPH_STATUS_BUSY) {
    }
}

static triglyph_status execute(void) {
    return triglyph_n3ds_execute(n3ds, list_command, NULL);
}

static triglyph_status move_memory(void) {
    triglyph_status status = triglyph_unmap(device, 0, VRAM, sizeof vram);
    if (status == TRIGLYPH_STATUS_OK) {
        EXPECT(munmap(pages, sizeof vram) == 0);
        map();
    }
    return status == TRIGLYPH_STATUS_UNMAPPED ? TRIGLYPH_STATUS_BUSY : status;
}

static triglyph_status read_memory(void) {
    uint8_t bytes[4096];
    triglyph_status status = triglyph_read(device, 0, VRAM, bytes, sizeof bytes);
    return status == TRIGLYPH_STATUS_UNMAPPED ? TRIGLYPH_STATUS_BUSY : status;
}

static triglyph_status save(void) {
    triglyph_buffer *buffer;
    triglyph_status status = triglyph_snapshot(device, 0, &buffer);
    if (status == TRIGLYPH_STATUS_OK)
        OK(triglyph_buffer_destroy(buffer));
    return status;
}

static triglyph_status defer(void) {
    triglyph_status status = triglyph_set_deferred(device, true);
    if (status == TRIGLYPH_STATUS_OK) {
        const triglyph_run_limit limit = {.nanoseconds = 1000, .words = 0};
        uint32_t end;
        triglyph_run_for(device, &limit, &end, NULL);
        while ((status = triglyph_set_deferred(device, false)) == TRIGLYPH_STATUS_BUSY) {
        }
    }
    return status;
}

static void on_command(void *user_data) {
    (void)user_data;
    OK(execute());
}

static triglyph_status lend(void) {
    triglyph_worker *worker;
    triglyph_status status = triglyph_worker_create(device, NULL, &worker);
    if (status == TRIGLYPH_STATUS_OK) {
        uint64_t number;
        OK(triglyph_worker_send(worker, on_command, NULL, &number));
        OK(triglyph_worker_destroy(worker));
        while ((status = triglyph_set_deferred(device, false)) == TRIGLYPH_STATUS_BUSY) {
        }
    }
    return status;
}

static triglyph_status finish(void) {
    return triglyph_finish(device);
}

static triglyph_status count(void) {
    triglyph_stats stats = {.size = sizeof stats};
    return triglyph_get_stats(device, &stats);
}

static triglyph_status interrupt(void) {
    return triglyph_interrupter_interrupt(interrupter);
}

static triglyph_status look_at_timeline(void) {
    bool complete;
    return triglyph_timeline_wait(timeline, 1, 1000, &complete);
}

static triglyph_status (*const calls[])(void) = {
    execute, execute, finish, move_memory, read_memory, save, defer, lend, count, interrupt, look_at_timeline,
};
#define CALLS (sizeof calls / sizeof calls[0])

/* Calls that were made, not busy. */
static uint32_t made[THREADS][CALLS];

static void *use(void *number) {
    uint32_t thread = (uint32_t)(uintptr_t)number, state = 77 + thread;
    for (int round = 0; round < ROUNDS; round++) {
        state = 1664525 * state + 1013904223;
        uint32_t call = (state >> 16) % CALLS;
        triglyph_status status = calls[call]();
        EXPECT(status == TRIGLYPH_STATUS_OK || status == TRIGLYPH_STATUS_BUSY);
        made[thread][call] += status == TRIGLYPH_STATUS_OK;
    }
    return NULL;
}

int main(void) {
    static uint8_t expected[sizeof vram];
    triglyph_words list = begin_triangle();
    end_triangle(&list);

    triglyph_options options = {.size = sizeof options};
    OK(triglyph_options_init(&options));
    options.threads = 3;
    OK(triglyph_n3ds_create(&options, &n3ds));
    device = triglyph_n3ds_device(n3ds);
    OK(triglyph_get_interrupter(device, &interrupter));
    OK(triglyph_get_timeline(device, &timeline));
    OK(triglyph_map_host(device, 0, HEAP, sizeof heap, heap, TRIGLYPH_ACCESS_READ_WRITE));
    map();
    OK(execute());
    OK(finish());
    memcpy(expected, pages, sizeof vram);

    pthread_t threads[THREADS];
    for (uintptr_t n = 0; n < THREADS; n++)
        EXPECT(pthread_create(&threads[n], NULL, use, (void *)n) == 0);
    for (int n = 0; n < THREADS; n++)
        EXPECT(pthread_join(threads[n], NULL) == 0);
    for (size_t call = 0; call < CALLS; call++) {
        uint32_t all = 0;
        for (int n = 0; n < THREADS; n++)
            all += made[n][call];
        EXPECT(all > 0);
    }

    OK(triglyph_unmap(device, 0, VRAM, sizeof vram));
    EXPECT(munmap(pages, sizeof vram) == 0);
    map();
    OK(execute());
    OK(finish());
    EXPECT(memcmp(expected, pages, sizeof vram) == 0);
    OK(triglyph_timeline_destroy(timeline));
    OK(triglyph_interrupter_destroy(interrupter));
    OK(triglyph_n3ds_destroy(n3ds));
    return 0;
}
