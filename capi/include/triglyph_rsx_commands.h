// Push buffers of the RSX, and fragment programs in memory: see triglyph_commands.h.
//
//     uint32_t words[2048];
//     triglyph_words push = {words, 2048, 0, 0};
//     triglyph_rsx_push_gcm_defaults(&push);
//     triglyph_rsx_push_surface(&push, 640, 360, 0, 0x400000);
//     triglyph_rsx_push_clear(&push, 0xFF203040, 0xFFFFFF, 0);

#ifndef TRIGLYPH_RSX_COMMANDS_H
#define TRIGLYPH_RSX_COMMANDS_H

#include "triglyph_commands.h"
#include "triglyph_rsx_registers.h"

// ---- Headers. ----

// A header and its data, at most 2047 words. `bits` is 0 for consecutive methods, 1 << 30 for data of one method.
static inline void triglyph_rsx_push_run(triglyph_words *push, uint32_t bits, uint32_t method, const uint32_t *data,
                                         size_t count) {
    triglyph_words_put(push, bits | (uint32_t)count << 18 | push->subchannel << 13 | method);
    triglyph_words_put_all(push, data, count);
}

// Data for a method and those after it.
static inline void triglyph_rsx_push_methods(triglyph_words *push, uint32_t method, const uint32_t *data,
                                             size_t count) {
    for (size_t at = 0; at < count; at += 0x7FF) {
        const size_t chunk = triglyph_words_chunk(count - at, 0x7FF);
        triglyph_rsx_push_run(push, 0, method + 4 * (uint32_t)at, data + at, chunk);
    }
}

// Data that all goes to one method.
static inline void triglyph_rsx_push_non_increasing(triglyph_words *push, uint32_t method, const uint32_t *data,
                                                    size_t count) {
    for (size_t at = 0; at < count; at += 0x7FF) {
        triglyph_rsx_push_run(push, 1u << 30, method, data + at, triglyph_words_chunk(count - at, 0x7FF));
    }
}

// One word for one method.
static inline void triglyph_rsx_push_set(triglyph_words *push, uint32_t method, uint32_t value) {
    triglyph_rsx_push_run(push, 0, method, &value, 1);
}

// Floats for a method and those after it, at most 2047.
static inline void triglyph_rsx_push_floats(triglyph_words *push, uint32_t method, const float *values, size_t count) {
    triglyph_words_put(push, (uint32_t)count << 18 | push->subchannel << 13 | method);
    for (size_t at = 0; at < count; at++) {
        triglyph_words_put(push, triglyph_float_bits(values[at]));
    }
}

// Goes on at a byte offset of the IO space.
static inline void triglyph_rsx_push_jump(triglyph_words *push, uint32_t offset) {
    triglyph_words_put(push, offset | 0x20000000);
}

// Goes on at a byte offset of the IO space up to the next return. Calls do not nest.
static inline void triglyph_rsx_push_call(triglyph_words *push, uint32_t offset) {
    triglyph_words_put(push, offset | 2);
}

// Goes on after the call.
static inline void triglyph_rsx_push_return(triglyph_words *push) {
    triglyph_words_put(push, 0x00020000);
}

// ---- State of several methods. ----

// Names of methods, and values in their fields, for this header.
#define TRIGLYPH_RSX_SET(name, value) triglyph_rsx_push_set(push, TRIGLYPH_RSX_CURIE_##name, value)
#define TRIGLYPH_RSX_FIELD(name, value) TRIGLYPH_FIELD(TRIGLYPH_RSX_CURIE_##name, value)
#define TRIGLYPH_RSX_VALUE(name, value) TRIGLYPH_RSX_FIELD(name, TRIGLYPH_RSX_CURIE_##name##_##value)

// Gives subchannel 0 the 3D class and sets what GCM, the console's library, sets when it has made a context. A new
// context has zeros instead, with which nothing is drawn.
static inline void triglyph_rsx_push_gcm_defaults(triglyph_words *push) {
    static const uint32_t words[] = TRIGLYPH_RSX_GCM_DEFAULTS;
    triglyph_words_put_all(push, words, sizeof words / sizeof words[0]);
}

// Draws go to a colour target of A8R8G8B8 and a depth target of Z24S8 at these offsets in local memory, in rows, with
// the viewport over all of them: x to the right, y upwards, depth from 0 at z = -w to 1 at z = w.
static inline void triglyph_rsx_push_surface(triglyph_words *push, uint32_t width, uint32_t height,
                                             uint32_t color_offset, uint32_t depth_offset) {
    const uint32_t pitch = (4 * width + 63) / 64 * 64;
    const uint32_t size[2] = {width << 16, height << 16}, all[2] = {0x0FFF0000, 0x0FFF0000};
    const float x = (float)width / 2, y = (float)height / 2;
    const float offset[4] = {x, y, 0.5f, 0}, scale[4] = {x, -y, 0.5f, 0}, clip[2] = {0, 1};
    TRIGLYPH_RSX_SET(SET_SURFACE_FORMAT, TRIGLYPH_RSX_VALUE(SET_SURFACE_FORMAT_COLOR, A8R8G8B8) |
                                             TRIGLYPH_RSX_VALUE(SET_SURFACE_FORMAT_DEPTH, Z24S8) |
                                             TRIGLYPH_RSX_VALUE(SET_SURFACE_FORMAT_LAYOUT, LINEAR));
    TRIGLYPH_RSX_SET(SET_SURFACE_PITCH_A, pitch);
    TRIGLYPH_RSX_SET(SET_SURFACE_COLOR_AOFFSET, color_offset);
    TRIGLYPH_RSX_SET(SET_SURFACE_ZETA_OFFSET, depth_offset);
    TRIGLYPH_RSX_SET(SET_SURFACE_PITCH_Z, pitch);
    TRIGLYPH_RSX_SET(SET_SURFACE_COLOR_TARGET, TRIGLYPH_RSX_FIELD(SET_SURFACE_COLOR_TARGET_A, 1));
    triglyph_rsx_push_methods(push, TRIGLYPH_RSX_CURIE_SET_SURFACE_CLIP_HORIZONTAL, size, 2);
    triglyph_rsx_push_methods(push, TRIGLYPH_RSX_CURIE_SET_SCISSOR_HORIZONTAL, size, 2);
    triglyph_rsx_push_methods(push, TRIGLYPH_RSX_CURIE_SET_VIEWPORT_HORIZONTAL, size, 2);
    for (uint32_t window = 0; window < TRIGLYPH_RSX_CURIE_SET_WINDOW_CLIP_HORIZONTAL_COUNT; window++) {
        triglyph_rsx_push_methods(push, TRIGLYPH_RSX_CURIE_SET_WINDOW_CLIP_HORIZONTAL(window), all, 2);
    }
    triglyph_rsx_push_floats(push, TRIGLYPH_RSX_CURIE_SET_VIEWPORT_OFFSET(0), offset, 4);
    triglyph_rsx_push_floats(push, TRIGLYPH_RSX_CURIE_SET_VIEWPORT_SCALE(0), scale, 4);
    triglyph_rsx_push_floats(push, TRIGLYPH_RSX_CURIE_SET_CLIP_MIN, clip, 2);
}

// Stores a colour word (alpha in the upper byte, then red, green, blue) in all colour targets, and depth (24 bits) and
// stencil in the depth target.
static inline void triglyph_rsx_push_clear(triglyph_words *push, uint32_t color, uint32_t depth, uint32_t stencil) {
    TRIGLYPH_RSX_SET(SET_ZSTENCIL_CLEAR_VALUE, TRIGLYPH_RSX_FIELD(SET_ZSTENCIL_CLEAR_VALUE_STENCIL, stencil) |
                                                   TRIGLYPH_RSX_FIELD(SET_ZSTENCIL_CLEAR_VALUE_DEPTH, depth));
    TRIGLYPH_RSX_SET(SET_COLOR_CLEAR_VALUE, color);
    TRIGLYPH_RSX_SET(CLEAR_SURFACE,
                     TRIGLYPH_RSX_FIELD(CLEAR_SURFACE_DEPTH, 1) | TRIGLYPH_RSX_FIELD(CLEAR_SURFACE_STENCIL, 1) |
                         TRIGLYPH_RSX_FIELD(CLEAR_SURFACE_R, 1) | TRIGLYPH_RSX_FIELD(CLEAR_SURFACE_G, 1) |
                         TRIGLYPH_RSX_FIELD(CLEAR_SURFACE_B, 1) | TRIGLYPH_RSX_FIELD(CLEAR_SURFACE_A, 1));
}

// ---- Programs and vertices. ----

// Loads a vertex program of so many instructions, four words each, from instruction `first` of the program store on
// and selects it. Which attributes it reads and which outputs count are SET_VERTEX_ATTRIB_INPUT_MASK and
// SET_VERTEX_ATTRIB_OUTPUT_MASK.
static inline void triglyph_rsx_push_vertex_program(triglyph_words *push, uint32_t first, const uint32_t *code,
                                                    size_t instructions) {
    TRIGLYPH_RSX_SET(SET_TRANSFORM_PROGRAM_LOAD, first);
    for (size_t at = 0; at < 4 * instructions; at += TRIGLYPH_RSX_CURIE_SET_TRANSFORM_PROGRAM_COUNT) {
        const size_t most = TRIGLYPH_RSX_CURIE_SET_TRANSFORM_PROGRAM_COUNT;
        triglyph_rsx_push_methods(push, TRIGLYPH_RSX_CURIE_SET_TRANSFORM_PROGRAM(0), code + at,
                                  triglyph_words_chunk(4 * instructions - at, most));
    }
    TRIGLYPH_RSX_SET(SET_TRANSFORM_PROGRAM_START, first);
}

// Sets so many constants of vertex programs from c[first] on, each x, y, z, w.
static inline void triglyph_rsx_push_vertex_constants(triglyph_words *push, uint32_t first, const float *values,
                                                      size_t count) {
    for (size_t at = 0; at < 4 * count; at += TRIGLYPH_RSX_CURIE_SET_TRANSFORM_CONSTANT_COUNT) {
        const size_t most = TRIGLYPH_RSX_CURIE_SET_TRANSFORM_CONSTANT_COUNT;
        TRIGLYPH_RSX_SET(SET_TRANSFORM_CONSTANT_LOAD, first + (uint32_t)at / 4);
        triglyph_rsx_push_floats(push, TRIGLYPH_RSX_CURIE_SET_TRANSFORM_CONSTANT(0), values + at,
                                 triglyph_words_chunk(4 * count - at, most));
    }
}

// Selects the fragment program at a byte offset, a multiple of 64, of the memory `location`, a
// TRIGLYPH_RSX_CURIE_SET_SHADER_PROGRAM_LOCATION_*. It leaves its colours in R registers, of which it uses so many, 2
// to 48.
static inline void triglyph_rsx_push_fragment_program(triglyph_words *push, uint32_t location, uint32_t offset,
                                                      uint32_t registers) {
    TRIGLYPH_RSX_SET(SET_SHADER_PROGRAM, offset | TRIGLYPH_RSX_FIELD(SET_SHADER_PROGRAM_LOCATION, location));
    TRIGLYPH_RSX_SET(SET_SHADER_CONTROL, TRIGLYPH_RSX_FIELD(SET_SHADER_CONTROL_EXPORT_FLOAT, 1) |
                                             TRIGLYPH_RSX_FIELD(SET_SHADER_CONTROL_REGISTERS, registers));
}

// Stores a fragment program in memory, big-endian, with the halves of its words exchanged.
static inline void triglyph_rsx_store_fragment_program(void *to, const uint32_t *code, size_t words) {
    for (size_t at = 0; at < words; at++) {
        const uint32_t word = code[at] << 16 | code[at] >> 16;
        triglyph_store_be((uint8_t *)to + 4 * at, &word, 1);
    }
}

// Vertex attribute 0 to 15 is an array: 1 to 4 components of a type, a
// TRIGLYPH_RSX_CURIE_SET_VERTEX_DATA_ARRAY_FORMAT_KIND_*, `stride` bytes from vertex to vertex, from a byte offset on
// of the memory `location`, a TRIGLYPH_RSX_CURIE_SET_VERTEX_DATA_ARRAY_OFFSET_LOCATION_*.
static inline void triglyph_rsx_push_vertex_array(triglyph_words *push, uint32_t attribute, uint32_t kind,
                                                  uint32_t components, uint32_t stride, uint32_t location,
                                                  uint32_t offset) {
    TRIGLYPH_RSX_SET(SET_VERTEX_DATA_ARRAY_OFFSET(attribute),
                     TRIGLYPH_RSX_FIELD(SET_VERTEX_DATA_ARRAY_OFFSET_OFFSET, offset) |
                         TRIGLYPH_RSX_FIELD(SET_VERTEX_DATA_ARRAY_OFFSET_LOCATION, location));
    TRIGLYPH_RSX_SET(SET_VERTEX_DATA_ARRAY_FORMAT(attribute),
                     TRIGLYPH_RSX_FIELD(SET_VERTEX_DATA_ARRAY_FORMAT_KIND, kind) |
                         TRIGLYPH_RSX_FIELD(SET_VERTEX_DATA_ARRAY_FORMAT_SIZE, components) |
                         TRIGLYPH_RSX_FIELD(SET_VERTEX_DATA_ARRAY_FORMAT_STRIDE, stride));
}

// Texture unit 0 to 15: a texture of one level in rows of `pitch` bytes that repeats, in local memory. `format` is a
// TRIGLYPH_RSX_CURIE_SET_TEXTURE_FORMAT_FORMAT_*, `filter` a word of SET_TEXTURE_FILTER.
static inline void triglyph_rsx_push_texture(triglyph_words *push, uint32_t unit, uint32_t format, uint32_t width,
                                             uint32_t height, uint32_t pitch, uint32_t offset, uint32_t filter) {
    TRIGLYPH_RSX_SET(SET_TEXTURE_OFFSET(unit), offset);
    TRIGLYPH_RSX_SET(SET_TEXTURE_FORMAT(unit), TRIGLYPH_RSX_VALUE(SET_TEXTURE_FORMAT_LOCATION, LOCAL) |
                                                   TRIGLYPH_RSX_FIELD(SET_TEXTURE_FORMAT_NO_BORDER, 1) |
                                                   TRIGLYPH_RSX_VALUE(SET_TEXTURE_FORMAT_DIMENSION, 2D) |
                                                   TRIGLYPH_RSX_FIELD(SET_TEXTURE_FORMAT_FORMAT, format) |
                                                   TRIGLYPH_RSX_FIELD(SET_TEXTURE_FORMAT_LINEAR, 1) |
                                                   TRIGLYPH_RSX_FIELD(SET_TEXTURE_FORMAT_IS_FORMAT, 1) |
                                                   TRIGLYPH_RSX_FIELD(SET_TEXTURE_FORMAT_LEVELS, 1));
    TRIGLYPH_RSX_SET(SET_TEXTURE_ADDRESS(unit), TRIGLYPH_RSX_VALUE(SET_TEXTURE_ADDRESS_WRAP_S, WRAP) |
                                                    TRIGLYPH_RSX_VALUE(SET_TEXTURE_ADDRESS_WRAP_T, WRAP) |
                                                    TRIGLYPH_RSX_VALUE(SET_TEXTURE_ADDRESS_WRAP_R, CLAMP_TO_EDGE));
    TRIGLYPH_RSX_SET(SET_TEXTURE_CONTROL0(unit), TRIGLYPH_RSX_FIELD(SET_TEXTURE_CONTROL0_ENABLE, 1));
    // Red, green, blue and alpha come from themselves.
    TRIGLYPH_RSX_SET(SET_TEXTURE_CONTROL1(unit), TRIGLYPH_RSX_VALUE(SET_TEXTURE_CONTROL1_R_FROM, R) |
                                                     TRIGLYPH_RSX_VALUE(SET_TEXTURE_CONTROL1_G_FROM, G) |
                                                     TRIGLYPH_RSX_VALUE(SET_TEXTURE_CONTROL1_B_FROM, B) |
                                                     TRIGLYPH_RSX_VALUE(SET_TEXTURE_CONTROL1_A_FROM, A) |
                                                     TRIGLYPH_RSX_VALUE(SET_TEXTURE_CONTROL1_R_KIND, REMAP) |
                                                     TRIGLYPH_RSX_VALUE(SET_TEXTURE_CONTROL1_G_KIND, REMAP) |
                                                     TRIGLYPH_RSX_VALUE(SET_TEXTURE_CONTROL1_B_KIND, REMAP) |
                                                     TRIGLYPH_RSX_VALUE(SET_TEXTURE_CONTROL1_A_KIND, REMAP));
    TRIGLYPH_RSX_SET(SET_TEXTURE_FILTER(unit), filter);
    TRIGLYPH_RSX_SET(SET_TEXTURE_IMAGE_RECT(unit), width << 16 | height);
    TRIGLYPH_RSX_SET(SET_TEXTURE_BORDER_COLOR(unit), 0);
    TRIGLYPH_RSX_SET(SET_TEXTURE_CONTROL3(unit), TRIGLYPH_RSX_FIELD(SET_TEXTURE_CONTROL3_PITCH, pitch) |
                                                     TRIGLYPH_RSX_FIELD(SET_TEXTURE_CONTROL3_DEPTH, 1));
}

// Draws `count` vertices from `first` on, of a TRIGLYPH_RSX_CURIE_SET_BEGIN_END_PRIMITIVE_*: begin, ranges of at most
// 256, end.
static inline void triglyph_rsx_push_draw_arrays(triglyph_words *push, uint32_t primitive, uint32_t first,
                                                 uint32_t count) {
    TRIGLYPH_RSX_SET(SET_BEGIN_END, primitive);
    for (uint32_t at = 0; at < count; at += 256) {
        // A header has room for 2047 ranges.
        if (at % (0x7FF * 256) == 0) {
            const uint32_t ranges = (uint32_t)triglyph_words_chunk((count - at + 255) / 256, 0x7FF);
            const uint32_t header = 1u << 30 | ranges << 18 | push->subchannel << 13;
            triglyph_words_put(push, header | TRIGLYPH_RSX_CURIE_DRAW_ARRAYS);
        }
        const uint32_t last = (uint32_t)triglyph_words_chunk(count - at, 256) - 1;
        triglyph_words_put(push, TRIGLYPH_RSX_FIELD(DRAW_ARRAYS_FIRST, first + at) |
                                     TRIGLYPH_RSX_FIELD(DRAW_ARRAYS_COUNT_MINUS_1, last));
    }
    TRIGLYPH_RSX_SET(SET_BEGIN_END, TRIGLYPH_RSX_CURIE_SET_BEGIN_END_PRIMITIVE_END);
}

#undef TRIGLYPH_RSX_SET
#undef TRIGLYPH_RSX_FIELD
#undef TRIGLYPH_RSX_VALUE

#endif // TRIGLYPH_RSX_COMMANDS_H
