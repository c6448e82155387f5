// Command lists of the PICA200, and GX commands: see triglyph_commands.h.
//
//     uint32_t words[1024];
//     triglyph_words list = {words, 1024, 0, 0};
//     triglyph_n3ds_list_viewport(&list, 0, 0, 240, 400);
//     triglyph_n3ds_list_draw_arrays(&list, 0, 3);
//     triglyph_n3ds_list_finish(&list);

#ifndef TRIGLYPH_N3DS_COMMANDS_H
#define TRIGLYPH_N3DS_COMMANDS_H

#include "triglyph_commands.h"
#include "triglyph_n3ds_registers.h"

// ---- Packets. ----

// The first value, the header, the other values, padding: at most 256 values. `mask` has a bit for each byte that is
// written.
static inline void triglyph_n3ds_list_packet(triglyph_words *list, uint32_t id, uint32_t mask, bool consecutive,
                                             const uint32_t *values, size_t count) {
    triglyph_words_put(list, values[0]);
    triglyph_words_put(list, (uint32_t)consecutive << 31 | (uint32_t)(count - 1) << 20 | mask << 16 | id);
    triglyph_words_put_all(list, values + 1, count - 1);
    if (count % 2 == 0) {
        triglyph_words_put(list, 0);
    }
}

// Writes a register.
static inline void triglyph_n3ds_list_set(triglyph_words *list, uint32_t id, uint32_t value) {
    triglyph_n3ds_list_packet(list, id, 15, false, &value, 1);
}

// Writes those bytes of a register whose bits are set in `mask`, bit 0 being the lowest byte.
static inline void triglyph_n3ds_list_set_masked(triglyph_words *list, uint32_t id, uint32_t mask, uint32_t value) {
    triglyph_n3ds_list_packet(list, id, mask, false, &value, 1);
}

// Writes all values to one register, a data port.
static inline void triglyph_n3ds_list_burst(triglyph_words *list, uint32_t id, const uint32_t *values, size_t count) {
    for (size_t at = 0; at < count; at += 256) {
        triglyph_n3ds_list_packet(list, id, 15, false, values + at, triglyph_words_chunk(count - at, 256));
    }
}

// Writes values to as many registers from `first` on.
static inline void triglyph_n3ds_list_consecutive(triglyph_words *list, uint32_t first, const uint32_t *values,
                                                  size_t count) {
    for (size_t at = 0; at < count; at += 256) {
        const size_t chunk = triglyph_words_chunk(count - at, 256);
        triglyph_n3ds_list_packet(list, first + (uint32_t)at, 15, true, values + at, chunk);
    }
}

// Ends the list with the interrupt P3D and pads it to 16 bytes. Returns its bytes.
static inline uint32_t triglyph_n3ds_list_finish(triglyph_words *list) {
    triglyph_n3ds_list_set(list, TRIGLYPH_N3DS_PICA_IRQ_REQUEST, 0x12345678);
    while (list->count % 4 != 0) {
        triglyph_words_put(list, 0);
    }
    return 4 * (uint32_t)list->count;
}

// ---- State of several registers. ----

// Names of registers, and values in their fields, for this header.
#define TRIGLYPH_N3DS_SET(name, value) triglyph_n3ds_list_set(list, TRIGLYPH_N3DS_PICA_##name, value)
#define TRIGLYPH_N3DS_FIELD(name, value) TRIGLYPH_FIELD(TRIGLYPH_N3DS_PICA_##name, value)

// A float with an exponent of 7 bits and a mantissa of so many, cut: of 24 bits with 16, of 31 bits with 23. Only for
// magnitudes from 2^-62 to below 2^64, and 0.
static inline uint32_t triglyph_n3ds_small_float(float value, uint32_t mantissa) {
    const uint32_t bits = triglyph_float_bits(value), magnitude = bits & 0x7FFFFFFF;
    const uint32_t sign = bits >> 31 << (mantissa + 7);
    return magnitude == 0 ? sign : sign | ((magnitude >> (23 - mantissa)) - (64u << mantissa));
}

// Colours go to a buffer at a physical address, in tiles of 8 x 8 pixels, rows from below. `format` is a
// TRIGLYPH_N3DS_PICA_COLOR_FORMAT_FORMAT_*.
static inline void triglyph_n3ds_list_color_target(triglyph_words *list, uint32_t address, uint32_t format,
                                                   uint32_t width, uint32_t height) {
    // Formats are numbered from the largest pixels on: one of 32 bits, one of 24, then those of 16.
    const uint32_t size = format < 2 ? 2 - format : 0;
    TRIGLYPH_N3DS_SET(COLOR_ADDR, address >> 3);
    TRIGLYPH_N3DS_SET(COLOR_FORMAT,
                      TRIGLYPH_N3DS_FIELD(COLOR_FORMAT_SIZE, size) | TRIGLYPH_N3DS_FIELD(COLOR_FORMAT_FORMAT, format));
    TRIGLYPH_N3DS_SET(FB_DIM, TRIGLYPH_N3DS_FIELD(FB_DIM_WIDTH, width) |
                                  TRIGLYPH_N3DS_FIELD(FB_DIM_HEIGHT_MINUS_1, height - 1) |
                                  TRIGLYPH_N3DS_FIELD(FB_DIM_FLIP, 1));
    TRIGLYPH_N3DS_SET(RENDERBUF_DIM, TRIGLYPH_N3DS_FIELD(RENDERBUF_DIM_WIDTH, width) |
                                         TRIGLYPH_N3DS_FIELD(RENDERBUF_DIM_HEIGHT_MINUS_1, height - 1) |
                                         TRIGLYPH_N3DS_FIELD(RENDERBUF_DIM_ONE, 1));
    TRIGLYPH_N3DS_SET(COLOR_READ_ALLOW, 15);
    TRIGLYPH_N3DS_SET(COLOR_WRITE_ALLOW, 15);
}

// Depth and stencil go to a buffer at a physical address, as large as the colour target. `format` is a
// TRIGLYPH_N3DS_PICA_DEPTH_FORMAT_FORMAT_*.
static inline void triglyph_n3ds_list_depth_target(triglyph_words *list, uint32_t address, uint32_t format) {
    const uint32_t allowed = format == TRIGLYPH_N3DS_PICA_DEPTH_FORMAT_FORMAT_D24S8 ? 3 : 2;
    TRIGLYPH_N3DS_SET(DEPTH_ADDR, address >> 3);
    TRIGLYPH_N3DS_SET(DEPTH_FORMAT, format);
    TRIGLYPH_N3DS_SET(DEPTH_READ_ALLOW, allowed);
    TRIGLYPH_N3DS_SET(DEPTH_WRITE_ALLOW, allowed);
}

// The viewport, pixels from the lower left, and depth as -z / w: 0 at z = 0 and 1 at z = -w.
static inline void triglyph_n3ds_list_viewport(triglyph_words *list, int32_t x, int32_t y, uint32_t width,
                                               uint32_t height) {
    const float w = (float)width, h = (float)height;
    TRIGLYPH_N3DS_SET(VIEWPORT_HALF_W, triglyph_n3ds_small_float(w / 2, 16));
    TRIGLYPH_N3DS_SET(VIEWPORT_INV_W, triglyph_n3ds_small_float(2 / w, 23) << 1);
    TRIGLYPH_N3DS_SET(VIEWPORT_HALF_H, triglyph_n3ds_small_float(h / 2, 16));
    TRIGLYPH_N3DS_SET(VIEWPORT_INV_H, triglyph_n3ds_small_float(2 / h, 23) << 1);
    TRIGLYPH_N3DS_SET(VIEWPORT_XY, TRIGLYPH_N3DS_FIELD(VIEWPORT_XY_X, x) | TRIGLYPH_N3DS_FIELD(VIEWPORT_XY_Y, y));
    TRIGLYPH_N3DS_SET(DEPTH_SCALE, triglyph_n3ds_small_float(-1, 16));
    TRIGLYPH_N3DS_SET(DEPTH_OFFSET, 0);
    TRIGLYPH_N3DS_SET(DEPTHMAP_MODE, TRIGLYPH_N3DS_PICA_DEPTHMAP_MODE_MODE_Z_BUFFER);
}

// ---- Vertices and programs. ----

// Registers of the geometry unit are 0x30 below those of the vertex unit.
#define TRIGLYPH_N3DS_VERTEX 0u
#define TRIGLYPH_N3DS_GEOMETRY 0x30u

// Uploads a program to a unit, TRIGLYPH_N3DS_VERTEX or TRIGLYPH_N3DS_GEOMETRY: its instructions and its operand
// descriptors, as `triglyph disasm --assemble` lists them. The unit begins at instruction `entry`.
static inline void triglyph_n3ds_list_program(triglyph_words *list, uint32_t unit, const uint32_t *code, size_t words,
                                              const uint32_t *descriptors, size_t descriptor_count, uint32_t entry) {
    triglyph_n3ds_list_set(list, TRIGLYPH_N3DS_PICA_VSH_ENTRY - unit, 0x7FFFu << 16 | entry);
    triglyph_n3ds_list_set(list, TRIGLYPH_N3DS_PICA_VSH_CODE_INDEX - unit, 0);
    triglyph_n3ds_list_burst(list, TRIGLYPH_N3DS_PICA_VSH_CODE_DATA(0) - unit, code, words);
    triglyph_n3ds_list_set(list, TRIGLYPH_N3DS_PICA_VSH_CODE_END - unit, 1);
    triglyph_n3ds_list_set(list, TRIGLYPH_N3DS_PICA_VSH_OPDESC_INDEX - unit, 0);
    triglyph_n3ds_list_burst(list, TRIGLYPH_N3DS_PICA_VSH_OPDESC_DATA(0) - unit, descriptors, descriptor_count);
}

// Sets float uniforms of a unit from c`first` on, each x, y, z, w; at most 64 at a time.
static inline void triglyph_n3ds_list_float_uniforms(triglyph_words *list, uint32_t unit, uint32_t first,
                                                     const float *values, size_t count) {
    // The port takes w first.
    uint32_t words[256];
    for (size_t at = 0; at < 4 * count && at < 256; at++) {
        words[at] = triglyph_float_bits(values[at / 4 * 4 + 3 - at % 4]);
    }
    triglyph_n3ds_list_set(list, TRIGLYPH_N3DS_PICA_VSH_FLOAT_INDEX - unit, 1u << 31 | first);
    triglyph_n3ds_list_burst(list, TRIGLYPH_N3DS_PICA_VSH_FLOAT_DATA(0) - unit, words,
                             triglyph_words_chunk(4 * count, 256));
}

// An attribute of a vertex, for triglyph_n3ds_list_vertex_buffer: its type, a
// TRIGLYPH_N3DS_PICA_ATTR_FORMAT_LO_TYPE0_*, and 1 to 4 components.
#define TRIGLYPH_N3DS_ATTRIBUTE(type, components) ((uint32_t)(type) | ((uint32_t)(components)-1) << 2)

// Vertices are in one buffer at a physical address, a multiple of 16: `stride` bytes each, 1 to 12 attributes one after
// the other. Attribute n is input vn.
static inline void triglyph_n3ds_list_vertex_buffer(triglyph_words *list, uint32_t address, uint32_t stride,
                                                    const uint32_t *attributes, uint32_t count) {
    uint64_t formats = 0, places = 0;
    for (uint32_t at = 0; at < count && at < 12; at++) {
        formats |= (uint64_t)attributes[at] << 4 * at;
        places |= (uint64_t)at << 4 * at;
    }
    TRIGLYPH_N3DS_SET(ATTR_BASE, address >> 3);
    TRIGLYPH_N3DS_SET(ATTR_FORMAT_LO, (uint32_t)formats);
    TRIGLYPH_N3DS_SET(ATTR_FORMAT_HI,
                      (uint32_t)(formats >> 32) | TRIGLYPH_N3DS_FIELD(ATTR_FORMAT_HI_TOTAL_MINUS_1, count - 1));
    TRIGLYPH_N3DS_SET(ATTRBUF_OFFSET(0), 0);
    TRIGLYPH_N3DS_SET(ATTRBUF_CONFIG1(0), (uint32_t)places);
    TRIGLYPH_N3DS_SET(ATTRBUF_CONFIG2(0), (uint32_t)(places >> 32) |
                                              TRIGLYPH_N3DS_FIELD(ATTRBUF_CONFIG2_STRIDE, stride) |
                                              TRIGLYPH_N3DS_FIELD(ATTRBUF_CONFIG2_COUNT, count));
    for (uint32_t buffer = 1; buffer < TRIGLYPH_N3DS_PICA_ATTRBUF_CONFIG2_COUNT; buffer++) {
        TRIGLYPH_N3DS_SET(ATTRBUF_CONFIG2(buffer), 0);
    }
    TRIGLYPH_N3DS_SET(VSH_INPUT_CONFIG,
                      TRIGLYPH_N3DS_FIELD(VSH_INPUT_CONFIG_INPUTS_MINUS_1, count - 1) |
                          TRIGLYPH_N3DS_FIELD(VSH_INPUT_CONFIG_MODE,
                                              TRIGLYPH_N3DS_PICA_VSH_INPUT_CONFIG_MODE_VERTEX_SHADER));
    TRIGLYPH_N3DS_SET(VSH_NUM_ATTR, count - 1);
    TRIGLYPH_N3DS_SET(VSH_PERM_LO, 0x76543210);
    TRIGLYPH_N3DS_SET(VSH_PERM_HI, 0xFEDCBA98);
}

// Meanings of the components x, y, z, w of a shader output: the lowest byte is that of x.
#define TRIGLYPH_N3DS_OUTPUT_POSITION 0x03020100u
#define TRIGLYPH_N3DS_OUTPUT_QUATERNION 0x07060504u
#define TRIGLYPH_N3DS_OUTPUT_COLOR 0x0B0A0908u
#define TRIGLYPH_N3DS_OUTPUT_TEXCOORD0 0x1F1F0D0Cu
#define TRIGLYPH_N3DS_OUTPUT_TEXCOORD1 0x1F1F0F0Eu
#define TRIGLYPH_N3DS_OUTPUT_TEXCOORD2 0x1F1F1716u
#define TRIGLYPH_N3DS_OUTPUT_VIEW 0x1F141312u

// The vertex program writes o0, o1 and so on, one to seven, with these meanings. Primitives are triangles, each of
// three vertices.
static inline void triglyph_n3ds_list_shader_outputs(triglyph_words *list, const uint32_t *outputs, uint32_t count) {
    uint32_t texcoords = 0;
    TRIGLYPH_N3DS_SET(VSH_OUTMAP_MASK, (1u << count) - 1);
    TRIGLYPH_N3DS_SET(VSH_OUTMAP_TOTAL1, count - 1);
    TRIGLYPH_N3DS_SET(VSH_OUTMAP_TOTAL2, count - 1);
    TRIGLYPH_N3DS_SET(OUTMAP_TOTAL, count);
    for (uint32_t at = 0; at < count; at++) {
        texcoords |= outputs[at] == TRIGLYPH_N3DS_OUTPUT_TEXCOORD0;
        triglyph_n3ds_list_set(list, TRIGLYPH_N3DS_PICA_OUTMAP_O0 + at, outputs[at]);
    }
    TRIGLYPH_N3DS_SET(OUTATTR_MODE, texcoords);
    TRIGLYPH_N3DS_SET(PRIMITIVE_CONFIG, TRIGLYPH_N3DS_FIELD(PRIMITIVE_CONFIG_OUTPUTS_MINUS_1, count - 1));
    TRIGLYPH_N3DS_SET(PRIMITIVE_RESTART, 1);
}

// Draws `count` vertices from `first` on.
static inline void triglyph_n3ds_list_draw_arrays(triglyph_words *list, uint32_t first, uint32_t count) {
    TRIGLYPH_N3DS_SET(VERTEX_OFFSET, first);
    TRIGLYPH_N3DS_SET(NUM_VERTICES, count);
    TRIGLYPH_N3DS_SET(DRAW_ARRAYS, 1);
}

// ---- Fragments. ----

// Texture unit 0 to 2: a texture of one level at a physical address, a multiple of 8. `format` is a
// TRIGLYPH_N3DS_PICA_TEX0_FORMAT_FORMAT_*, `parameters` is a word of TEX0_PARAM: filters and wrapping.
static inline void triglyph_n3ds_list_texture(triglyph_words *list, uint32_t unit, uint32_t format, uint32_t width,
                                              uint32_t height, uint32_t address, uint32_t parameters) {
    // Registers of unit 0 lie further apart than those of the others.
    const uint32_t first = unit == 0 ? 0x81 : 0x89 + 8 * unit;
    triglyph_n3ds_list_set(list, first, 0);
    triglyph_n3ds_list_set(list, first + 1, width << 16 | height);
    triglyph_n3ds_list_set(list, first + 2, parameters);
    triglyph_n3ds_list_set(list, first + 3, 0);
    triglyph_n3ds_list_set(list, first + 4, address >> 3);
    triglyph_n3ds_list_set(list, unit == 0 ? 0x8E : first + 5, format);
}

// Switches texture units 0 to 2 on, bit n being unit n, and empties the texture cache.
static inline void triglyph_n3ds_list_texture_units(triglyph_words *list, uint32_t units) {
    TRIGLYPH_N3DS_SET(TEX_CONFIG, (units & 7) | TRIGLYPH_N3DS_FIELD(TEX_CONFIG_ONE, 1) |
                                      TRIGLYPH_N3DS_FIELD(TEX_CONFIG_CLEAR_CACHE, 1));
}

// Where the texel at x, y of a texture is in memory, in texels: tiles of 8 x 8 from left to right and from above,
// texels of a tile in Morton order. Texture coordinate t is 1 above the first row and 0 below the last one.
static inline uint32_t triglyph_n3ds_tiled(uint32_t x, uint32_t y, uint32_t width) {
    uint32_t at = 64 * ((y / 8) * (width / 8) + x / 8);
    for (uint32_t bit = 0; bit < 3; bit++) {
        at |= (x >> bit & 1) << 2 * bit | (y >> bit & 1) << (2 * bit + 1);
    }
    return at;
}

// Stores red, green, blue and alpha of texels in rows as a texture of the format RGBA8. Width and height are multiples
// of 8.
static inline void triglyph_n3ds_tile_rgba8(void *to, uint32_t width, uint32_t height, const uint8_t *texels) {
    for (uint32_t at = 0; at < width * height; at++) {
        uint8_t *texel = (uint8_t *)to + 4 * triglyph_n3ds_tiled(at % width, at / width, width);
        for (uint32_t byte = 0; byte < 4; byte++) {
            texel[byte] = texels[4 * at + 3 - byte];
        }
    }
}

// Combiner stage 0 to 5: a function, a TRIGLYPH_N3DS_PICA_TEV0_COMBINER_RGB_*, of three sources,
// TRIGLYPH_N3DS_PICA_TEV0_SOURCE_RGB1_*, for colour and alpha alike.
static inline void triglyph_n3ds_list_combiner(triglyph_words *list, uint32_t stage, uint32_t function, uint32_t a,
                                               uint32_t b, uint32_t c) {
    // Between stages 3 and 4 there are other registers.
    const uint32_t first = TRIGLYPH_N3DS_PICA_TEV0_SOURCE + 8 * stage + (stage < 4 ? 0 : 16);
    const uint32_t sources = a | b << 4 | c << 8;
    triglyph_n3ds_list_set(list, first, sources | sources << 16);
    triglyph_n3ds_list_set(list, first + 1, 0);
    triglyph_n3ds_list_set(list, first + 2, function | function << 16);
    triglyph_n3ds_list_set(list, first + 4, 0);
}

// Combiner stages from `first` on take what comes in.
static inline void triglyph_n3ds_list_pass_combiners(triglyph_words *list, uint32_t first) {
    const uint32_t previous = TRIGLYPH_N3DS_PICA_TEV0_SOURCE_RGB1_PREVIOUS;
    for (uint32_t stage = first; stage < 6; stage++) {
        triglyph_n3ds_list_combiner(list, stage, TRIGLYPH_N3DS_PICA_TEV0_COMBINER_RGB_REPLACE, previous, previous,
                                    previous);
    }
}

#undef TRIGLYPH_N3DS_SET
#undef TRIGLYPH_N3DS_FIELD

// ---- GX commands, by virtual addresses. ----

// Fills one or two ranges with words, each from `start` to `end`; a second one from 0 to 0 is none.
static inline void triglyph_n3ds_gx_fill(uint32_t command[8], uint32_t start, uint32_t end, uint32_t value,
                                         uint32_t second_start, uint32_t second_end, uint32_t second_value) {
    // Bit 0 starts a unit, 2 from bit 8 on is a pattern of 32 bits.
    const uint32_t control = 0x0201u | (second_end == 0 ? 0 : 0x0201u << 16);
    const uint32_t words[8] = {2, start, value, end, second_start, second_value, second_end, control};
    memcpy(command, words, sizeof words);
}

// Executes a command list of so many bytes.
static inline void triglyph_n3ds_gx_list(uint32_t command[8], uint32_t address, uint32_t bytes) {
    const uint32_t words[8] = {1, address, bytes, 0, 0, 0, 0, 0};
    memcpy(command, words, sizeof words);
}

// Copies a tiled picture of RGBA8 to rows of another format, for a screen. `format` is a
// TRIGLYPH_N3DS_EXTERNAL_PPF_FLAGS_OUTPUT_*.
static inline void triglyph_n3ds_gx_display(uint32_t command[8], uint32_t source, uint32_t target, uint32_t width,
                                            uint32_t height, uint32_t format) {
    const uint32_t size = width | height << 16;
    const uint32_t words[8] = {3, source, target, size, size, format << 12, 0, 0};
    memcpy(command, words, sizeof words);
}

#endif // TRIGLYPH_N3DS_COMMANDS_H
