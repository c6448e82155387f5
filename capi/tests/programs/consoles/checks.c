/* What a console has left in memory, others leave as well: one that goes on from its save state, and those that replay
 * its recording. */

#include <string.h>

#include "console.h"

void no_fault(void *user_data, const triglyph_fault *fault) {
    fprintf(stderr, "%s: %s\n", ((console *)user_data)->machine->name, fault->what);
    exit(1);
}

void restore(console *other, const console *first) {
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

void compare(console *first, console *second) {
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

void replay(const console *console, uint32_t tier) {
    triglyph_options options = {.size = sizeof options};
    triglyph_capture *capture;
    triglyph_player *player;
    triglyph_device *device;
    triglyph_play_event event = {.size = sizeof event};
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
