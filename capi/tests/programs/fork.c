/* A process that forks: its devices draw on, and the new process, which has none of their threads, can destroy its copies
 * of the handles. The program is that of examples/c/n3ds_triangle.c. */

#include <sys/wait.h>
#include <unistd.h>

#include "expect.h"
#include "triangle.h"

static triglyph_n3ds *create(uint32_t threads, uint32_t tier) {
    triglyph_options options = {.size = sizeof options};
    OK(triglyph_options_init(&options));
    options.threads = threads;
    options.tier = tier;
    triglyph_n3ds *n3ds;
    OK(triglyph_n3ds_create(&options, &n3ds));
    triglyph_device *device = triglyph_n3ds_device(n3ds);
    OK(triglyph_map_host(device, 0, VRAM, sizeof vram, vram, TRIGLYPH_ACCESS_READ_WRITE));
    OK(triglyph_map_host(device, 0, HEAP, sizeof heap, heap, TRIGLYPH_ACCESS_READ_WRITE));
    return n3ds;
}

static void execute(triglyph_n3ds *n3ds) {
    OK(triglyph_n3ds_execute(n3ds, list_command, NULL));
    OK(triglyph_finish(triglyph_n3ds_device(n3ds)));
}

/* Destroys its devices in a new process, which must end by itself, then in this one. */
static void in_both(triglyph_n3ds *n3ds, triglyph_worker *worker) {
    pid_t child = fork();
    EXPECT(child >= 0);
    if (child == 0) {
        /* Nothing here may wait for a thread that is not there. */
        alarm(20);
        OK(triglyph_worker_destroy(worker));
        if (worker == NULL)
            OK(triglyph_n3ds_destroy(n3ds));
        _exit(0);
    }
    int status;
    EXPECT(waitpid(child, &status, 0) == child);
    EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    OK(triglyph_worker_destroy(worker));
    execute(n3ds);
    OK(triglyph_n3ds_destroy(n3ds));
}

int main(void) {
    static uint8_t expected[sizeof vram];
    triglyph_words list = begin_triangle();
    end_triangle(&list);

    triglyph_n3ds *n3ds = create(4, TRIGLYPH_TIER_AUTO);
    memset(vram, 0x55, sizeof vram);
    execute(n3ds);
    memcpy(expected, vram, sizeof vram);
    memset(vram, 0x55, sizeof vram);
    in_both(n3ds, NULL);
    EXPECT(memcmp(expected, vram, sizeof vram) == 0);

    n3ds = create(2, TRIGLYPH_TIER_JIT);
    triglyph_worker *worker;
    OK(triglyph_worker_create(triglyph_n3ds_device(n3ds), NULL, &worker));
    in_both(n3ds, worker);

    /* More threads than a process can have are refused before any is started. */
    triglyph_options options = {.size = sizeof options};
    OK(triglyph_options_init(&options));
    options.threads = 100000000;
    EXPECT(triglyph_n3ds_create(&options, &n3ds) == TRIGLYPH_STATUS_UNSUPPORTED);
    return 0;
}
