/* A kernel that the compiler does not take: the interpreter draws with it, the log says why, and the picture is the
 * interpreter's. The program is that of examples/c/n3ds_triangle.c with a texture whose sides are no powers of two.
 *
 * Panics of the library abort here, as they do in hosts that are built so: nothing is there to be caught. */

#include "expect.h"
#include "triangle.h"

/* What begins to unwind in a library whose panics unwind. In the archive it is a name without a definition, which is
 * found here before any system's library. */
int _Unwind_RaiseException(void *exception);
int _Unwind_RaiseException(void *exception) {
    (void)exception;
    fprintf(stderr, "a panic\n");
    abort();
}

struct heard {
    uint32_t warnings;
    uint32_t interpreted;
};

static void on_line(void *user_data, uint32_t level, const char *line) {
    struct heard *heard = user_data;
    EXPECT(level != TRIGLYPH_LOG_LEVEL_ERROR);
    heard->warnings += level == TRIGLYPH_LOG_LEVEL_WARNING && strncmp(line, "the key file is not used: ", 26) == 0;
    heard->interpreted +=
        level == TRIGLYPH_LOG_LEVEL_INFORMATION && strncmp(line, "the interpreter serves a pixel kernel: ", 39) == 0;
}

/* Draws into video memory and says what the log had. */
static triglyph_stats play(uint32_t tier, struct heard *heard) {
    triglyph_options options = {.size = sizeof options};
    CHECK(triglyph_options_init(&options));
    options.tier = tier;
    /* This source is no file of keys. */
    options.key_file = __FILE__;
    triglyph_n3ds *n3ds;
    CHECK(triglyph_n3ds_create(&options, &n3ds));
    triglyph_device *device = triglyph_n3ds_device(n3ds);
    CHECK(triglyph_set_log_callback(device, on_line, heard));
    CHECK(triglyph_map_host(device, 0, VRAM, sizeof vram, vram, TRIGLYPH_ACCESS_READ_WRITE));
    CHECK(triglyph_map_host(device, 0, HEAP, sizeof heap, heap, TRIGLYPH_ACCESS_READ_WRITE));
    memset(vram, 0x55, sizeof vram);
    CHECK(triglyph_n3ds_execute(n3ds, list_command, NULL));
    CHECK(triglyph_wait_for_compiler(device));
    CHECK(triglyph_n3ds_execute(n3ds, list_command, NULL));
    triglyph_stats stats = {.size = sizeof stats};
    CHECK(triglyph_get_stats(device, &stats));
    CHECK(triglyph_set_log_callback(device, NULL, NULL));
    CHECK(triglyph_n3ds_destroy(n3ds));
    return stats;
}

int main(void) {
    static uint8_t expected[sizeof vram];
    triglyph_words list = begin_triangle();
    /* 12 texels a side of whatever is there; combiner stage 0 passes them on. */
    const uint32_t texture = REG(TEV0_SOURCE_RGB1_TEXTURE0);
    triglyph_n3ds_list_texture(&list, 0, REG(TEX0_FORMAT_FORMAT_RGBA8), 12, 12, HEAP, 0);
    triglyph_n3ds_list_texture_units(&list, 1);
    triglyph_n3ds_list_combiner(&list, 0, REG(TEV0_COMBINER_RGB_REPLACE), texture, texture, texture);
    end_triangle(&list);

    struct heard heard = {0, 0};
    triglyph_stats stats = play(TRIGLYPH_TIER_INTERPRETER, &heard);
    EXPECT(stats.draws == 2 && stats.kernels_unsupported == 0 && heard.interpreted == 0 && heard.warnings == 1);
    memcpy(expected, vram, sizeof vram);

    static const uint32_t tiers[] = {TRIGLYPH_TIER_AUTO, TRIGLYPH_TIER_JIT};
    for (int at = 0; at < 2; at++) {
        heard.interpreted = heard.warnings = 0;
        stats = play(tiers[at], &heard);
        EXPECT(stats.draws == 2 && stats.kernels_unsupported == 1 && stats.compiler_panics == 0);
        EXPECT(stats.interpreter_calls > 0 && stats.compiled_calls > 0);
        EXPECT(heard.interpreted == 1 && heard.warnings == 1);
        EXPECT(memcmp(expected, vram, sizeof vram) == 0);
    }
    return 0;
}
