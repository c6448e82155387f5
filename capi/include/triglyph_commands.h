// Words of command lists and push buffers in the making: what triglyph_n3ds_commands.h, triglyph_rsx_commands.h and
// triglyph_tegra_commands.h write to. These headers are for C and C++, and need no library.
//
// Their functions have the names of the builders in Rust (List, PushBuffer of triglyph::guest) and write the same
// words. Numbers of registers and methods, their fields and values are in the headers *_registers.h. What does not fit
// a field is cut.

#ifndef TRIGLYPH_COMMANDS_H
#define TRIGLYPH_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Words in the making, in memory of the caller's. More words than there is room for are counted and lost: afterwards
// `count` is not to be greater than `room`. Begin with {words, room, 0, 0}.
typedef struct triglyph_words {
    uint32_t *words;
    size_t room;
    size_t count;
    // Methods of push buffers go to this subchannel, 0 to 7.
    uint32_t subchannel;
} triglyph_words;

static inline void triglyph_words_put(triglyph_words *to, uint32_t word) {
    if (to->count < to->room) {
        to->words[to->count] = word;
    }
    to->count++;
}

static inline void triglyph_words_put_all(triglyph_words *to, const uint32_t *words, size_t count) {
    for (size_t at = 0; at < count; at++) {
        triglyph_words_put(to, words[at]);
    }
}

// The bits of a float.
static inline uint32_t triglyph_float_bits(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

// The number of words or bytes of a run, at most `most` of those that are left.
static inline size_t triglyph_words_chunk(size_t left, size_t most) {
    return left < most ? left : most;
}

// Stores words in memory, little-endian: that of the 3DS and of the Switch.
static inline void triglyph_store_le(void *to, const uint32_t *words, size_t count) {
    uint8_t *bytes = (uint8_t *)to;
    for (size_t at = 0; at < 4 * count; at++) {
        bytes[at] = (uint8_t)(words[at / 4] >> 8 * (at % 4));
    }
}

// Stores words in memory, big-endian: that of the PlayStation 3.
static inline void triglyph_store_be(void *to, const uint32_t *words, size_t count) {
    uint8_t *bytes = (uint8_t *)to;
    for (size_t at = 0; at < 4 * count; at++) {
        bytes[at] = (uint8_t)(words[at / 4] >> (24 - 8 * (at % 4)));
    }
}

// Stores floats in memory, little-endian.
static inline void triglyph_store_floats_le(void *to, const float *values, size_t count) {
    for (size_t at = 0; at < count; at++) {
        uint32_t bits = triglyph_float_bits(values[at]);
        triglyph_store_le((uint8_t *)to + 4 * at, &bits, 1);
    }
}

// Stores floats in memory, big-endian.
static inline void triglyph_store_floats_be(void *to, const float *values, size_t count) {
    for (size_t at = 0; at < count; at++) {
        uint32_t bits = triglyph_float_bits(values[at]);
        triglyph_store_be((uint8_t *)to + 4 * at, &bits, 1);
    }
}

#endif // TRIGLYPH_COMMANDS_H
