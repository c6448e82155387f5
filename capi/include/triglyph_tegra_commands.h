// Push buffers of the Tegra X1 and what they refer to in memory, headers of programs and of textures: see
// triglyph_commands.h.
//
//     uint32_t words[1024];
//     triglyph_words push = {words, 1024, 0, 0};
//     triglyph_tegra_push_set_object(&push, TRIGLYPH_TEGRA_HOST_SET_OBJECT_CLASS_ID_MAXWELL_B);
//     triglyph_tegra_push_viewport(&push, 0, 640, 360);
//     uint64_t entry = triglyph_tegra_push_entry(&push, address);

#ifndef TRIGLYPH_TEGRA_COMMANDS_H
#define TRIGLYPH_TEGRA_COMMANDS_H

#include "triglyph_commands.h"
#include "triglyph_tegra_registers.h"

// ---- Headers. ----

// A header in front of its data. `kind` is 1 for consecutive methods, 3 for one method, 4 for a datum of up to 13 bits
// in the header itself, 5 for a first method and the one after it.
static inline void triglyph_tegra_push_header(triglyph_words *push, uint32_t kind, uint32_t method, size_t count) {
    triglyph_words_put(push, kind << 29 | (uint32_t)count << 16 | push->subchannel << 13 | method);
}

// Data for a method and those after it, at most 8191.
static inline void triglyph_tegra_push_methods(triglyph_words *push, uint32_t method, const uint32_t *data,
                                               size_t count) {
    triglyph_tegra_push_header(push, 1, method, count);
    triglyph_words_put_all(push, data, count);
}

// Data that all goes to one method.
static inline void triglyph_tegra_push_non_incrementing(triglyph_words *push, uint32_t method, const uint32_t *data,
                                                        size_t count) {
    for (size_t at = 0; at < count; at += 0x1FFF) {
        const size_t chunk = triglyph_words_chunk(count - at, 0x1FFF);
        triglyph_tegra_push_header(push, 3, method, chunk);
        triglyph_words_put_all(push, data + at, chunk);
    }
}

// A word for a method, and all of the data for the method after it.
static inline void triglyph_tegra_push_increment_once(triglyph_words *push, uint32_t method, uint32_t first,
                                                      const uint32_t *data, size_t count) {
    const size_t chunk = triglyph_words_chunk(count, 0x1FFE);
    triglyph_tegra_push_header(push, 5, method, chunk + 1);
    triglyph_words_put(push, first);
    triglyph_words_put_all(push, data, chunk);
    triglyph_tegra_push_non_incrementing(push, method + 1, data + chunk, count - chunk);
}

// A datum of up to 13 bits for a method, in the header itself.
static inline void triglyph_tegra_push_immediate(triglyph_words *push, uint32_t method, uint32_t datum) {
    triglyph_tegra_push_header(push, 4, method, datum & 0x1FFF);
}

// One word for one method.
static inline void triglyph_tegra_push_set(triglyph_words *push, uint32_t method, uint32_t value) {
    triglyph_tegra_push_methods(push, method, &value, 1);
}

// Floats for a method and those after it, at most 8191.
static inline void triglyph_tegra_push_floats(triglyph_words *push, uint32_t method, const float *values,
                                              size_t count) {
    triglyph_tegra_push_header(push, 1, method, count);
    for (size_t at = 0; at < count; at++) {
        triglyph_words_put(push, triglyph_float_bits(values[at]));
    }
}

// A GPU address for two methods: its upper bits for `method`, bits 31:0 for the next one.
static inline void triglyph_tegra_push_address(triglyph_words *push, uint32_t method, uint64_t address) {
    const uint32_t words[2] = {(uint32_t)(address >> 32), (uint32_t)address};
    triglyph_tegra_push_methods(push, method, words, 2);
}

// Tells the class of the subchannel, a TRIGLYPH_TEGRA_HOST_SET_OBJECT_CLASS_ID_*.
static inline void triglyph_tegra_push_set_object(triglyph_words *push, uint32_t object_class) {
    triglyph_tegra_push_set(push, TRIGLYPH_TEGRA_HOST_SET_OBJECT, object_class);
}

// The entry of the GPFIFO that executes these words when they are at a GPU address.
static inline uint64_t triglyph_tegra_push_entry(const triglyph_words *push, uint64_t address) {
    return address | (uint64_t)push->count << 42;
}

// ---- State of several methods of the 3D class. ----

// Names of methods, and values in their fields, for this header.
#define TRIGLYPH_TEGRA_SET(name, value) triglyph_tegra_push_set(push, TRIGLYPH_TEGRA_THREED_##name, value)
#define TRIGLYPH_TEGRA_FIELD(name, value) TRIGLYPH_FIELD(TRIGLYPH_TEGRA_THREED_##name, value)
#define TRIGLYPH_TEGRA_ADDRESS(name, value) triglyph_tegra_push_address(push, TRIGLYPH_TEGRA_THREED_##name, value)

// Colour target 0 to 7, in rows of `pitch` bytes. `format` is a TRIGLYPH_TEGRA_THREED_SET_COLOR_TARGET_FORMAT_V_*.
static inline void triglyph_tegra_push_color_target(triglyph_words *push, uint32_t index, uint32_t format,
                                                    uint32_t pitch, uint32_t height, uint64_t address) {
    TRIGLYPH_TEGRA_ADDRESS(SET_COLOR_TARGET_A(index), address);
    TRIGLYPH_TEGRA_SET(SET_COLOR_TARGET_WIDTH(index), pitch);
    TRIGLYPH_TEGRA_SET(SET_COLOR_TARGET_HEIGHT(index), height);
    TRIGLYPH_TEGRA_SET(SET_COLOR_TARGET_FORMAT(index), format);
    TRIGLYPH_TEGRA_SET(SET_COLOR_TARGET_MEMORY(index),
                       TRIGLYPH_TEGRA_FIELD(SET_COLOR_TARGET_MEMORY_LAYOUT,
                                            TRIGLYPH_TEGRA_THREED_SET_COLOR_TARGET_MEMORY_LAYOUT_PITCH));
    TRIGLYPH_TEGRA_SET(SET_COLOR_TARGET_THIRD_DIMENSION(index), 1);
}

// Draws go to colour targets 0 to `count` - 1, at most 8.
static inline void triglyph_tegra_push_color_targets(triglyph_words *push, uint32_t count) {
    uint32_t targets = count;
    for (uint32_t target = 1; target < 8; target++) {
        targets |= target << (4 + 3 * target);
    }
    TRIGLYPH_TEGRA_SET(SET_CT_SELECT, targets);
}

// Depth and stencil go to this target, in blocks of 2^`log2_block_height` GOBs. `format` is a
// TRIGLYPH_TEGRA_THREED_SET_ZT_FORMAT_V_*.
static inline void triglyph_tegra_push_zeta_target(triglyph_words *push, uint32_t format, uint32_t width,
                                                   uint32_t height, uint64_t address, uint32_t log2_block_height) {
    TRIGLYPH_TEGRA_ADDRESS(SET_ZT_A, address);
    TRIGLYPH_TEGRA_SET(SET_ZT_FORMAT, format);
    TRIGLYPH_TEGRA_SET(SET_ZT_BLOCK_SIZE, TRIGLYPH_TEGRA_FIELD(SET_ZT_BLOCK_SIZE_HEIGHT, log2_block_height));
    TRIGLYPH_TEGRA_SET(SET_ZT_SIZE_A, width);
    TRIGLYPH_TEGRA_SET(SET_ZT_SIZE_B, height);
    TRIGLYPH_TEGRA_SET(SET_ZT_SIZE_C, 1);
    TRIGLYPH_TEGRA_SET(SET_ZT_SELECT, 1);
}

// Viewport 0 to 15 over a target of this size, and the area that is rendered to: x to the right, y upwards, depth
// z / w, which is 0 to 1.
static inline void triglyph_tegra_push_viewport(triglyph_words *push, uint32_t index, uint32_t width,
                                                uint32_t height) {
    const float x = (float)width / 2, y = (float)height / 2;
    const float transform[6] = {x, -y, 1, x, y, 0}, depth[2] = {0, 1};
    TRIGLYPH_TEGRA_SET(SET_SURFACE_CLIP_HORIZONTAL, width << 16);
    TRIGLYPH_TEGRA_SET(SET_SURFACE_CLIP_VERTICAL, height << 16);
    TRIGLYPH_TEGRA_SET(SET_VIEWPORT_SCALE_OFFSET, 1);
    triglyph_tegra_push_floats(push, TRIGLYPH_TEGRA_THREED_SET_VIEWPORT_SCALE_X(index), transform, 6);
    TRIGLYPH_TEGRA_SET(SET_VIEWPORT_CLIP_HORIZONTAL(index), width << 16);
    TRIGLYPH_TEGRA_SET(SET_VIEWPORT_CLIP_VERTICAL(index), height << 16);
    triglyph_tegra_push_floats(push, TRIGLYPH_TEGRA_THREED_SET_VIEWPORT_CLIP_MIN_Z(index), depth, 2);
}

// Stores a colour, red, green, blue, alpha, in colour target 0.
static inline void triglyph_tegra_push_clear_color(triglyph_words *push, float r, float g, float b, float a) {
    const float color[4] = {r, g, b, a};
    triglyph_tegra_push_floats(push, TRIGLYPH_TEGRA_THREED_SET_COLOR_CLEAR_VALUE(0), color, 4);
    TRIGLYPH_TEGRA_SET(CLEAR_SURFACE,
                       TRIGLYPH_TEGRA_FIELD(CLEAR_SURFACE_R_ENABLE, 1) |
                           TRIGLYPH_TEGRA_FIELD(CLEAR_SURFACE_G_ENABLE, 1) |
                           TRIGLYPH_TEGRA_FIELD(CLEAR_SURFACE_B_ENABLE, 1) |
                           TRIGLYPH_TEGRA_FIELD(CLEAR_SURFACE_A_ENABLE, 1));
}

// Stores depth and stencil in the zeta target.
static inline void triglyph_tegra_push_clear_zeta(triglyph_words *push, float depth, uint32_t stencil) {
    triglyph_tegra_push_floats(push, TRIGLYPH_TEGRA_THREED_SET_Z_CLEAR_VALUE, &depth, 1);
    TRIGLYPH_TEGRA_SET(SET_STENCIL_CLEAR_VALUE, stencil);
    TRIGLYPH_TEGRA_SET(CLEAR_SURFACE, TRIGLYPH_TEGRA_FIELD(CLEAR_SURFACE_Z_ENABLE, 1) |
                                          TRIGLYPH_TEGRA_FIELD(CLEAR_SURFACE_STENCIL_ENABLE, 1));
}

// ---- Vertices, constants and textures. ----

// Vertex stream 0 to 15: elements of `stride` bytes from a GPU address on, `bytes` bytes together, 1 and more.
static inline void triglyph_tegra_push_vertex_stream(triglyph_words *push, uint32_t index, uint32_t stride,
                                                     uint64_t address, uint64_t bytes) {
    TRIGLYPH_TEGRA_SET(SET_VERTEX_STREAM_A_FORMAT(index),
                       TRIGLYPH_TEGRA_FIELD(SET_VERTEX_STREAM_A_FORMAT_STRIDE, stride) |
                           TRIGLYPH_TEGRA_FIELD(SET_VERTEX_STREAM_A_FORMAT_ENABLE, 1));
    TRIGLYPH_TEGRA_ADDRESS(SET_VERTEX_STREAM_A_LOCATION_A(index), address);
    TRIGLYPH_TEGRA_ADDRESS(SET_VERTEX_STREAM_LIMIT_A_A(index), address + bytes - 1);
}

// Vertex attribute 0 to 15, at this byte offset of the elements of a stream. `widths` is a
// TRIGLYPH_TEGRA_THREED_SET_VERTEX_ATTRIBUTE_A_COMPONENT_BIT_WIDTHS_*, `type` a
// TRIGLYPH_TEGRA_THREED_SET_VERTEX_ATTRIBUTE_A_NUMERICAL_TYPE_*.
static inline void triglyph_tegra_push_vertex_attribute(triglyph_words *push, uint32_t index, uint32_t stream,
                                                        uint32_t offset, uint32_t widths, uint32_t type) {
    TRIGLYPH_TEGRA_SET(SET_VERTEX_ATTRIBUTE_A(index),
                       TRIGLYPH_TEGRA_FIELD(SET_VERTEX_ATTRIBUTE_A_STREAM, stream) |
                           TRIGLYPH_TEGRA_FIELD(SET_VERTEX_ATTRIBUTE_A_OFFSET, offset) |
                           TRIGLYPH_TEGRA_FIELD(SET_VERTEX_ATTRIBUTE_A_COMPONENT_BIT_WIDTHS, widths) |
                           TRIGLYPH_TEGRA_FIELD(SET_VERTEX_ATTRIBUTE_A_NUMERICAL_TYPE, type));
}

// Stores words, integers or floats, in constant buffer memory: selects `size` bytes at a GPU address, a multiple of
// 256, and loads the words from byte `offset` on.
static inline void triglyph_tegra_push_load_constants(triglyph_words *push, uint64_t address, uint32_t size,
                                                      uint32_t offset, const void *words, size_t count) {
    const uint32_t method = TRIGLYPH_TEGRA_THREED_LOAD_CONSTANT_BUFFER_OFFSET;
    TRIGLYPH_TEGRA_SET(SET_CONSTANT_BUFFER_SELECTOR_A, size);
    TRIGLYPH_TEGRA_ADDRESS(SET_CONSTANT_BUFFER_SELECTOR_B, address);
    triglyph_tegra_push_header(push, 5, method, 1 + triglyph_words_chunk(count, 0x1FFE));
    triglyph_words_put(push, offset);
    for (size_t at = 0; at < count; at++) {
        // As in triglyph_tegra_push_increment_once, what is too long for a header has others.
        if (at >= 0x1FFE && (at - 0x1FFE) % 0x1FFF == 0) {
            triglyph_tegra_push_header(push, 3, method + 1, triglyph_words_chunk(count - at, 0x1FFF));
        }
        uint32_t word;
        memcpy(&word, (const uint8_t *)words + 4 * at, sizeof word);
        triglyph_words_put(push, word);
    }
}

// Binds the constant buffer that was selected last to a slot of a stage's group: 0 vertex, 1 and 2 tessellation, 3
// geometry, 4 pixel.
static inline void triglyph_tegra_push_bind_constants(triglyph_words *push, uint32_t group, uint32_t slot) {
    TRIGLYPH_TEGRA_SET(BIND_GROUP_CONSTANT_BUFFER(group),
                       TRIGLYPH_TEGRA_FIELD(BIND_GROUP_CONSTANT_BUFFER_VALID, 1) |
                           TRIGLYPH_TEGRA_FIELD(BIND_GROUP_CONSTANT_BUFFER_SHADER_SLOT, slot));
}

// So many texture headers and samplers are in pools at these GPU addresses. Handles of textures, the header's number
// and from bit 20 on the sampler's, are in the constant buffer of slot `slot`.
static inline void triglyph_tegra_push_texture_pools(triglyph_words *push, uint64_t headers, uint32_t header_count,
                                                     uint64_t samplers, uint32_t sampler_count, uint32_t slot) {
    TRIGLYPH_TEGRA_ADDRESS(SET_TEX_HEADER_POOL_A, headers);
    TRIGLYPH_TEGRA_SET(SET_TEX_HEADER_POOL_C, header_count - 1);
    TRIGLYPH_TEGRA_ADDRESS(SET_TEX_SAMPLER_POOL_A, samplers);
    TRIGLYPH_TEGRA_SET(SET_TEX_SAMPLER_POOL_C, sampler_count - 1);
    TRIGLYPH_TEGRA_SET(SET_BINDLESS_TEXTURE, slot);
}

// Stores a texture header, 32 bytes, in memory: an image of one level in rows of `pitch` bytes, a multiple of 32, of
// normalised unsigned components. `components` is NVIDIA's number of their layout, 8 for A8B8G8R8.
static inline void triglyph_tegra_store_texture_header(void *to, uint32_t components, uint32_t width, uint32_t height,
                                                       uint32_t pitch, uint64_t address) {
    // Four types of UNORM, and x, y, z, w from red, green, blue, alpha.
    const uint32_t unorm = 2u << 7 | 2u << 10 | 2u << 13 | 2u << 16;
    const uint32_t words[8] = {
        components | unorm | 2u << 19 | 3u << 22 | 4u << 25 | 5u << 28,
        (uint32_t)address,
        (uint32_t)(address >> 32) | 2u << 21, // in rows
        pitch >> 5,
        (width - 1) | 1u << 23 | 4u << 29, // two-dimensional, with the border of the sampler
        (height - 1) | 1u << 31,           // coordinates of 0 to 1
        0,
        0,
    };
    triglyph_store_le(to, words, 8);
}

// Stores a sampler, 32 bytes, in memory: it repeats the image and reads all its levels, with or without linear
// filters.
static inline void triglyph_tegra_store_sampler(void *to, bool linear) {
    // Images of sRGB are converted, edges of cubes are seamless, the level of detail is up to 4095 / 256.
    const uint32_t filters = linear ? 2u | 2u << 4 | 3u << 6 : 1u | 1u << 4 | 2u << 6;
    const uint32_t words[8] = {1u << 13, filters | 2u << 8, 4095u << 12, 0, 0, 0, 0, 0};
    triglyph_store_le(to, words, 8);
}

// Draws `count` vertices from `first` on, of a TRIGLYPH_TEGRA_THREED_BEGIN_OP_*: begin, draw, end.
static inline void triglyph_tegra_push_draw_arrays(triglyph_words *push, uint32_t topology, uint32_t first,
                                                   uint32_t count) {
    const uint32_t range[2] = {first, count};
    TRIGLYPH_TEGRA_SET(BEGIN, topology);
    triglyph_tegra_push_methods(push, TRIGLYPH_TEGRA_THREED_SET_VERTEX_ARRAY_START, range, 2);
    TRIGLYPH_TEGRA_SET(END, 0);
}

// ---- Programs. ----

// Stages, as headers of programs number them.
#define TRIGLYPH_TEGRA_STAGE_VERTEX 1u
#define TRIGLYPH_TEGRA_STAGE_TESSELLATION_CONTROL 2u
#define TRIGLYPH_TEGRA_STAGE_TESSELLATION_EVALUATION 3u
#define TRIGLYPH_TEGRA_STAGE_GEOMETRY 4u
#define TRIGLYPH_TEGRA_STAGE_PIXEL 5u

// Offsets of programs count from this GPU address.
static inline void triglyph_tegra_push_program_region(triglyph_words *push, uint64_t address) {
    TRIGLYPH_TEGRA_ADDRESS(SET_PROGRAM_REGION_A, address);
}

// Switches a stage on. The header of its program is at this offset from the program region, bytes; the code follows it.
static inline void triglyph_tegra_push_program(triglyph_words *push, uint32_t stage, uint32_t offset) {
    // Pipeline shader 0 is another vertex program, after which numbers are those of the stages.
    TRIGLYPH_TEGRA_SET(SET_PIPELINE_SHADER(stage), TRIGLYPH_TEGRA_FIELD(SET_PIPELINE_SHADER_ENABLE, 1) |
                                                       TRIGLYPH_TEGRA_FIELD(SET_PIPELINE_SHADER_TYPE, stage));
    TRIGLYPH_TEGRA_SET(SET_PIPELINE_PROGRAM(stage), offset);
}

// Addresses of attributes, bytes.
#define TRIGLYPH_TEGRA_ATTRIBUTE_POSITION 0x070u
#define TRIGLYPH_TEGRA_ATTRIBUTE_GENERIC 0x080u

// The header of a program that reads and writes nothing: 20 words, after which its code begins. Pixel programs may
// kill, and their targets are their own.
static inline void triglyph_tegra_program_header(uint32_t header[20], uint32_t stage) {
    memset(header, 0, 20 * sizeof header[0]);
    header[0] = (stage == TRIGLYPH_TEGRA_STAGE_PIXEL ? 2u | 3u << 14 : 1u) | 3u << 5 | stage << 10;
}

// Sets as many bits of a header as a mask has, from a bit on.
static inline void triglyph_tegra_header_bits(uint32_t header[20], uint32_t bit, uint32_t mask) {
    header[bit / 32] |= mask << bit % 32;
}

// The program reads `words` words from an attribute address on: of pixel programs those below the generic attributes.
static inline void triglyph_tegra_header_reads(uint32_t header[20], uint32_t address, uint32_t words) {
    for (uint32_t at = address / 4; at < address / 4 + words; at++) {
        triglyph_tegra_header_bits(header, 160 + at, 1);
    }
}

// The pixel program reads `words` words of generic attributes from an attribute address on, interpolated with
// perspective.
static inline void triglyph_tegra_header_interpolates(uint32_t header[20], uint32_t address, uint32_t words) {
    const uint32_t first = (address - TRIGLYPH_TEGRA_ATTRIBUTE_GENERIC) / 4;
    for (uint32_t at = first; at < first + words; at++) {
        triglyph_tegra_header_bits(header, 192 + 2 * at, 2);
    }
}

// The program writes `words` words from an attribute address on. Pixel programs write targets instead.
static inline void triglyph_tegra_header_writes(uint32_t header[20], uint32_t address, uint32_t words) {
    for (uint32_t at = address / 4; at < address / 4 + words; at++) {
        triglyph_tegra_header_bits(header, 400 + at, 1);
    }
}

// The pixel program writes these components of target 0 to 7, bit 0 being red.
static inline void triglyph_tegra_header_target(uint32_t header[20], uint32_t target, uint32_t components) {
    triglyph_tegra_header_bits(header, 18 * 32 + 4 * target, components);
}

// Stores a program in memory: its header and so many instructions, as `triglyph disasm --assemble` lists them.
static inline void triglyph_tegra_store_program(void *to, const uint32_t header[20], const uint64_t *code,
                                                size_t instructions) {
    uint8_t *bytes = (uint8_t *)to + 80;
    triglyph_store_le(to, header, 20);
    for (size_t at = 0; at < instructions; at++, bytes += 8) {
        const uint32_t halves[2] = {(uint32_t)code[at], (uint32_t)(code[at] >> 32)};
        triglyph_store_le(bytes, halves, 2);
    }
}

#undef TRIGLYPH_TEGRA_SET
#undef TRIGLYPH_TEGRA_FIELD
#undef TRIGLYPH_TEGRA_ADDRESS

#endif // TRIGLYPH_TEGRA_COMMANDS_H
