/* What the headers *_commands.h write, as words: capi/tests/capi/commands.rs has the same with the builders. They need
 * no library. */

#include <stdio.h>

#include "triglyph_n3ds_commands.h"
#include "triglyph_rsx_commands.h"
#include "triglyph_tegra_commands.h"

static uint32_t room[1 << 16], numbers[9000];

static triglyph_words begin(void) {
    triglyph_words words = {room, sizeof room / sizeof room[0], 0, 0};
    return words;
}

static void print(const char *name, const uint32_t *words, size_t count) {
    printf("%s", name);
    for (size_t at = 0; at < count; at++) {
        printf(" %08x", (unsigned)words[at]);
    }
    printf("\n");
}

static void end(const char *name, const triglyph_words *words) {
    print(name, words->words, words->count);
}

static void n3ds_packets(void) {
    triglyph_words list = begin();
    triglyph_n3ds_list_set(&list, 0x40, 2);
    triglyph_n3ds_list_set_masked(&list, 0x107, 3, 9);
    triglyph_n3ds_list_burst(&list, 0x2CC, numbers, 600);
    triglyph_n3ds_list_burst(&list, 0x2CC, numbers, 0);
    triglyph_n3ds_list_consecutive(&list, 0, numbers, 601);
    triglyph_n3ds_list_draw_arrays(&list, 7, 300);
    triglyph_n3ds_list_finish(&list);
    end("n3ds-packets", &list);
}

static void n3ds_state(void) {
    static const uint32_t sizes[] = {8, 24, 240, 400, 1000, 1024};
    const float uniforms[2][4] = {{1, -2, 0.5f, 0}, {1e-3f, 3, 4, 5}};
    const uint32_t attributes[] = {
        TRIGLYPH_N3DS_ATTRIBUTE(3, 3), TRIGLYPH_N3DS_ATTRIBUTE(1, 4), TRIGLYPH_N3DS_ATTRIBUTE(2, 2),
        TRIGLYPH_N3DS_ATTRIBUTE(0, 1), TRIGLYPH_N3DS_ATTRIBUTE(3, 4), TRIGLYPH_N3DS_ATTRIBUTE(3, 2),
        TRIGLYPH_N3DS_ATTRIBUTE(3, 1), TRIGLYPH_N3DS_ATTRIBUTE(2, 4), TRIGLYPH_N3DS_ATTRIBUTE(1, 3),
        TRIGLYPH_N3DS_ATTRIBUTE(0, 2),
    };
    const uint32_t outputs[] = {TRIGLYPH_N3DS_OUTPUT_POSITION, TRIGLYPH_N3DS_OUTPUT_COLOR,
                                TRIGLYPH_N3DS_OUTPUT_TEXCOORD0, TRIGLYPH_N3DS_OUTPUT_TEXCOORD1,
                                TRIGLYPH_N3DS_OUTPUT_TEXCOORD2, TRIGLYPH_N3DS_OUTPUT_QUATERNION,
                                TRIGLYPH_N3DS_OUTPUT_VIEW};
    triglyph_words list = begin();
    for (uint32_t at = 0; at < 6; at++) {
        triglyph_n3ds_list_color_target(&list, 0x18000000 + 64 * at, at % 5, sizes[at], sizes[5 - at]);
        triglyph_n3ds_list_viewport(&list, -(int32_t)at, (int32_t)at, sizes[at], sizes[5 - at]);
    }
    triglyph_n3ds_list_depth_target(&list, 0x18100000, TRIGLYPH_N3DS_PICA_DEPTH_FORMAT_FORMAT_D24S8);
    triglyph_n3ds_list_depth_target(&list, 0x18100000, TRIGLYPH_N3DS_PICA_DEPTH_FORMAT_FORMAT_D16);
    triglyph_n3ds_list_program(&list, TRIGLYPH_N3DS_GEOMETRY, numbers, 3, numbers + 3, 2, 1);
    triglyph_n3ds_list_program(&list, TRIGLYPH_N3DS_VERTEX, numbers, 300, numbers, 1, 0);
    triglyph_n3ds_list_float_uniforms(&list, TRIGLYPH_N3DS_VERTEX, 3, uniforms[0], 2);
    triglyph_n3ds_list_vertex_buffer(&list, 0x20000010, 96, attributes, 10);
    triglyph_n3ds_list_vertex_buffer(&list, 0x20000000, 12, attributes, 1);
    triglyph_n3ds_list_shader_outputs(&list, outputs, 7);
    triglyph_n3ds_list_shader_outputs(&list, outputs, 2);
    for (uint32_t unit = 0; unit < 3; unit++) {
        const uint32_t format = TRIGLYPH_N3DS_PICA_TEX0_FORMAT_FORMAT_RGB565 + unit;
        const uint32_t linear = TRIGLYPH_FIELD(TRIGLYPH_N3DS_PICA_TEX0_PARAM_MAG, 1) |
                                TRIGLYPH_FIELD(TRIGLYPH_N3DS_PICA_TEX0_PARAM_WRAP_S, 2) |
                                TRIGLYPH_FIELD(TRIGLYPH_N3DS_PICA_TEX0_PARAM_WRAP_T, 2);
        triglyph_n3ds_list_texture(&list, unit, format, 64, 128, 0x20001000, linear);
    }
    triglyph_n3ds_list_texture_units(&list, 5);
    triglyph_n3ds_list_combiner(&list, 0, TRIGLYPH_N3DS_PICA_TEV0_COMBINER_RGB_MODULATE,
                                TRIGLYPH_N3DS_PICA_TEV0_SOURCE_RGB1_TEXTURE0,
                                TRIGLYPH_N3DS_PICA_TEV0_SOURCE_RGB1_PRIMARY_COLOR,
                                TRIGLYPH_N3DS_PICA_TEV0_SOURCE_RGB1_CONSTANT);
    triglyph_n3ds_list_pass_combiners(&list, 1);
    triglyph_n3ds_list_finish(&list);
    end("n3ds-state", &list);
}

static void n3ds_memory(void) {
    uint32_t gx[8], tiled[24 * 16];
    triglyph_n3ds_gx_fill(gx, 0x1F000000, 0x1F001000, 5, 0, 0, 0);
    print("n3ds-fill", gx, 8);
    triglyph_n3ds_gx_fill(gx, 0x1F000000, 0x1F001000, 5, 0x1F002000, 0x1F003000, 6);
    print("n3ds-fills", gx, 8);
    triglyph_n3ds_gx_list(gx, 0x30001000, 0x100);
    print("n3ds-list", gx, 8);
    triglyph_n3ds_gx_display(gx, 0x1F000000, 0x30010000, 240, 400, TRIGLYPH_N3DS_EXTERNAL_PPF_FLAGS_OUTPUT_RGB565);
    print("n3ds-display", gx, 8);
    triglyph_n3ds_tile_rgba8(tiled, 24, 16, (const uint8_t *)numbers);
    print("n3ds-tiles", tiled, 24 * 16);
}

static void rsx_push(void) {
    const float constants[9][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
    triglyph_words push = begin();
    triglyph_rsx_push_gcm_defaults(&push);
    triglyph_rsx_push_surface(&push, 639, 360, 0x1000, 0x400000);
    triglyph_rsx_push_clear(&push, 0xFF203040, 0xFFFFFF, 7);
    triglyph_rsx_push_vertex_program(&push, 7, numbers, 9);
    triglyph_rsx_push_vertex_constants(&push, 20, constants[0], 9);
    triglyph_rsx_push_fragment_program(&push, TRIGLYPH_RSX_CURIE_SET_SHADER_PROGRAM_LOCATION_MAIN, 0x1000, 5);
    triglyph_rsx_push_vertex_array(&push, 8, TRIGLYPH_RSX_CURIE_SET_VERTEX_DATA_ARRAY_FORMAT_KIND_FLOAT16, 3, 32,
                                   TRIGLYPH_RSX_CURIE_SET_VERTEX_DATA_ARRAY_OFFSET_LOCATION_MAIN, 0x100);
    triglyph_rsx_push_texture(&push, 3, TRIGLYPH_RSX_CURIE_SET_TEXTURE_FORMAT_FORMAT_A8R8G8B8, 64, 32, 256, 0x900000,
                              TRIGLYPH_FIELD(TRIGLYPH_RSX_CURIE_SET_TEXTURE_FILTER_MIN, 1) |
                                  TRIGLYPH_FIELD(TRIGLYPH_RSX_CURIE_SET_TEXTURE_FILTER_MAG, 2));
    triglyph_rsx_push_draw_arrays(&push, TRIGLYPH_RSX_CURIE_SET_BEGIN_END_PRIMITIVE_TRIANGLES, 10, 300);
    triglyph_rsx_push_draw_arrays(&push, TRIGLYPH_RSX_CURIE_SET_BEGIN_END_PRIMITIVE_POINTS, 0, 2048 * 256);
    push.subchannel = 3;
    triglyph_rsx_push_methods(&push, 0x200, numbers, 2);
    triglyph_rsx_push_non_increasing(&push, 0x300, numbers, 5000);
    triglyph_rsx_push_jump(&push, 0x10000);
    triglyph_rsx_push_call(&push, 0x2000);
    triglyph_rsx_push_return(&push);
    end("rsx-push", &push);
    uint32_t program[8];
    triglyph_rsx_store_fragment_program(program, numbers, 8);
    print("rsx-program", program, 8);
}

static void tegra_push(void) {
    triglyph_words push = begin();
    triglyph_tegra_push_set_object(&push, 0xB197);
    triglyph_tegra_push_color_target(&push, 2, TRIGLYPH_TEGRA_THREED_SET_COLOR_TARGET_FORMAT_V_A8B8G8R8, 2560, 360,
                                     0x123456000);
    triglyph_tegra_push_color_targets(&push, 3);
    triglyph_tegra_push_zeta_target(&push, TRIGLYPH_TEGRA_THREED_SET_ZT_FORMAT_V_Z24S8, 640, 360, 0x100400000, 4);
    triglyph_tegra_push_viewport(&push, 1, 640, 359);
    triglyph_tegra_push_clear_color(&push, 0.125f, 0.25f, 0.5f, 1);
    triglyph_tegra_push_clear_zeta(&push, 0.5f, 3);
    triglyph_tegra_push_program_region(&push, 0x100010000);
    for (uint32_t stage = TRIGLYPH_TEGRA_STAGE_VERTEX; stage <= TRIGLYPH_TEGRA_STAGE_PIXEL; stage++) {
        triglyph_tegra_push_program(&push, stage, 0x1000 * stage);
    }
    triglyph_tegra_push_vertex_stream(&push, 3, 32, 0x100020000, 96);
    triglyph_tegra_push_vertex_attribute(&push, 5, 3, 16, 2, 7);
    triglyph_tegra_push_load_constants(&push, 0x100030000, 0x100, 16, numbers, 5);
    triglyph_tegra_push_load_constants(&push, 0x100030000, 0x10000, 0, numbers, 9000);
    triglyph_tegra_push_bind_constants(&push, 4, 2);
    triglyph_tegra_push_texture_pools(&push, 0x100040000, 5, 0x100050000, 3, 2);
    triglyph_tegra_push_draw_arrays(&push, TRIGLYPH_TEGRA_THREED_BEGIN_OP_TRIANGLES, 10, 300);
    push.subchannel = 4;
    triglyph_tegra_push_methods(&push, 0x10, numbers, 2);
    triglyph_tegra_push_non_incrementing(&push, 0x20, numbers, 9000);
    triglyph_tegra_push_increment_once(&push, 0x30, 5, numbers, 9000);
    triglyph_tegra_push_immediate(&push, 0x40, 0x1FFF);
    end("tegra-push", &push);
    const uint64_t entry = triglyph_tegra_push_entry(&push, 0x100000000);
    const uint32_t halves[2] = {(uint32_t)entry, (uint32_t)(entry >> 32)};
    print("tegra-entry", halves, 2);
}

static void tegra_memory(void) {
    const uint64_t code[] = {0x123456789ABCDEF0, 5};
    uint32_t header[20], words[24];
    triglyph_tegra_program_header(header, TRIGLYPH_TEGRA_STAGE_VERTEX);
    triglyph_tegra_header_reads(header, TRIGLYPH_TEGRA_ATTRIBUTE_GENERIC, 12);
    triglyph_tegra_header_writes(header, TRIGLYPH_TEGRA_ATTRIBUTE_POSITION, 4);
    triglyph_tegra_header_writes(header, TRIGLYPH_TEGRA_ATTRIBUTE_GENERIC + 28, 5);
    triglyph_tegra_store_program(words, header, code, 2);
    print("tegra-vertex", words, 24);
    triglyph_tegra_program_header(header, TRIGLYPH_TEGRA_STAGE_PIXEL);
    triglyph_tegra_header_reads(header, TRIGLYPH_TEGRA_ATTRIBUTE_POSITION + 12, 1);
    triglyph_tegra_header_interpolates(header, TRIGLYPH_TEGRA_ATTRIBUTE_GENERIC + 16, 6);
    triglyph_tegra_header_target(header, 1, 7);
    print("tegra-pixel", header, 20);
    triglyph_tegra_store_texture_header(words, 8, 64, 33, 256, 0x123456780);
    print("tegra-texture", words, 8);
    triglyph_tegra_store_sampler(words, true);
    print("tegra-linear", words, 8);
    triglyph_tegra_store_sampler(words, false);
    print("tegra-point", words, 8);
}

/* Words without room are counted, not stored. */
static void overflow(void) {
    uint32_t two[3] = {0, 0, 77};
    triglyph_words words = {two, 2, 0, 0};
    triglyph_words_put_all(&words, numbers + 1, 5);
    print("overflow", two, 3);
    printf("count %08x\n", (unsigned)words.count);
}

int main(void) {
    for (uint32_t at = 0; at < sizeof numbers / sizeof numbers[0]; at++) {
        numbers[at] = at;
    }
    n3ds_packets();
    n3ds_state();
    n3ds_memory();
    rsx_push();
    tegra_push();
    tegra_memory();
    overflow();
    return 0;
}
