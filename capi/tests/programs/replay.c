/* Plays a capture and writes the pixels of all its pictures into a file, one after the other. */

#include <stdio.h>
#include <stdlib.h>

#include "triglyph.h"

static void check(triglyph_status status) {
    if (status != TRIGLYPH_STATUS_OK) {
        fprintf(stderr, "%s: %s\n", triglyph_status_name(status), triglyph_last_error());
        exit(1);
    }
}

int main(int argc, char **argv) {
    if (argc != 3) {
        return 2;
    }
    triglyph_capture *capture;
    check(triglyph_capture_open(argv[1], &capture));
    uint32_t machine;
    check(triglyph_capture_header(capture, &machine, NULL));
    triglyph_options options = {.size = sizeof options};
    check(triglyph_options_init(&options));
    options.threads = 1;
    triglyph_device *device;
    check(triglyph_device_create(machine, &options, &device));
    triglyph_player *player;
    check(triglyph_player_create(capture, TRIGLYPH_CHECK_PICTURES | TRIGLYPH_CHECK_EXPECTATIONS, &player));
    check(triglyph_capture_destroy(capture));
    FILE *file = fopen(argv[2], "wb");
    if (!file) {
        return 3;
    }
    triglyph_play_event event = {.size = sizeof event};
    do {
        check(triglyph_player_next(player, device, &event));
        if (event.kind == TRIGLYPH_PLAY_KIND_PICTURE) {
            triglyph_picture *picture;
            check(triglyph_player_take_picture(player, &picture));
            uint32_t width, height;
            const uint8_t *rgba;
            check(triglyph_picture_pixels(picture, &width, &height, &rgba));
            fwrite(rgba, 4, (size_t)width * height, file);
            check(triglyph_picture_destroy(picture));
        }
        if (!event.ok) {
            fprintf(stderr, "record %llu is not as expected\n", (unsigned long long)event.record);
            return 4;
        }
    } while (event.kind != TRIGLYPH_PLAY_KIND_END);
    check(triglyph_player_destroy(player));
    check(triglyph_device_destroy(device));
    return fclose(file) ? 3 : 0;
}
