// What the examples have in common: checks of calls, faults as text, the picture as a PNG file.

#ifndef EXAMPLE_H
#define EXAMPLE_H

#include <stdio.h>
#include <stdlib.h>

#include "triglyph_common.h"

// Words of a list of constants.
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static inline void check(bool good, const char *call) {
    if (!good) {
        fprintf(stderr, "%s: %s\n", call, triglyph_last_error());
        exit(1);
    }
}

// A call of the library.
#define CHECK(call) check((call) == TRIGLYPH_STATUS_OK, #call)

// A call of the console's system, which has answered with `result` then: 0 is success.
#define SYSTEM(call) check((call) == TRIGLYPH_STATUS_OK && result == 0, #call)

static inline void on_fault(void *user_data, const triglyph_fault *fault) {
    (void)user_data;
    fprintf(stderr, "fault: %s\n", fault->what);
}

// Writes the picture that is somewhere in a device's memory to a file.
static inline void write_png(triglyph_device *device, const triglyph_present *present, bool big_endian,
                             const char *path) {
    triglyph_picture *picture;
    triglyph_buffer *png;
    const uint8_t *bytes;
    size_t size;
    CHECK(triglyph_picture_read(device, present, big_endian, &picture));
    CHECK(triglyph_picture_png(picture, false, &png));
    CHECK(triglyph_buffer_bytes(png, &bytes, &size));
    FILE *file = fopen(path, "wb");
    check(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0, path);
    CHECK(triglyph_buffer_destroy(png));
    CHECK(triglyph_picture_destroy(picture));
    printf("%s\n", path);
}

#endif // EXAMPLE_H
