// A textured, lit cube on the Nintendo 3DS: a vertex program with constants, a texture in tiles, the depth test.
//
//     cc -std=c11 -Icapi/include examples/c/n3ds_cube.c target/release/libtriglyph.a -lpthread -ldl -lm
//     ./a.out picture.png

#include "cube.h"
#include "n3ds.h"

// In video memory after the colours: depth and stencil. In the heap: texels.
#define DEPTH 0x100000u
#define TEXELS 0x8000u

static uint8_t texels[CUBE_SIZE * CUBE_SIZE][4];
static float vertices[CUBE_VERTICES][8], constants[6][4];

// c0 to c3 transform positions, c4 is the direction to the light, c5 the ambient light and 0.
static const uint32_t program[] = {
    0x08020000, 0x08021001, 0x08022002, 0x08023003, // dp4 o0.x, c0, v0; and so on up to dp4 o0.w, c3, v0
    0x06024084,                                     // dp3 r0, c4, v1: the cosine of the angle between normal and light
    0x32025805, 0x02025806,                         // max r0, c5.yyyy, r0; add r0, c5.xxxx, r0
    0x4C210004, 0x4C402004, 0x88000000,             // mov o1, r0; mov o2, v2; end
};
static const uint32_t operands[] = {0x6C368, 0x6C364, 0x6C362, 0x6C361, 0x6C36F, 0x6CAAF, 0x6C00F};

// Sets everything that the draw needs.
static void set_state(triglyph_words *list) {
    const uint32_t attributes[] = {FLOATS(3), FLOATS(3), FLOATS(2)};
    const uint32_t outputs[] = {TRIGLYPH_N3DS_OUTPUT_POSITION, TRIGLYPH_N3DS_OUTPUT_COLOR,
                                TRIGLYPH_N3DS_OUTPUT_TEXCOORD0};
    const uint32_t filter = BITS(TEX0_PARAM_MAG, REG(TEX0_PARAM_MAG_LINEAR)) |
                            BITS(TEX0_PARAM_MIN, REG(TEX0_PARAM_MIN_LINEAR)) |
                            BITS(TEX0_PARAM_WRAP_S, REG(TEX0_PARAM_WRAP_S_REPEAT)) |
                            BITS(TEX0_PARAM_WRAP_T, REG(TEX0_PARAM_WRAP_T_REPEAT));
    const uint32_t write = BITS(DEPTH_COLOR_MASK_WRITE_R, 1) | BITS(DEPTH_COLOR_MASK_WRITE_G, 1) |
                           BITS(DEPTH_COLOR_MASK_WRITE_B, 1) | BITS(DEPTH_COLOR_MASK_WRITE_A, 1) |
                           BITS(DEPTH_COLOR_MASK_WRITE_DEPTH, 1) | BITS(DEPTH_COLOR_MASK_DEPTH_TEST, 1) |
                           BITS(DEPTH_COLOR_MASK_DEPTH_FUNC, REG(DEPTH_COLOR_MASK_DEPTH_FUNC_LESS));
    const uint32_t replace = BITS(BLEND_FUNC_RGB_SRC, REG(BLEND_FUNC_RGB_SRC_ONE)) |
                             BITS(BLEND_FUNC_ALPHA_SRC, REG(BLEND_FUNC_ALPHA_SRC_ONE));

    // The screen lies on its side: x is upwards and y to the left. z is 0 at the near plane and -w at the far one.
    cube_constants(HEIGHT, WIDTH, constants);
    for (int i = 0; i < 4; i++) {
        const float right = constants[0][i];
        constants[0][i] = constants[1][i];
        constants[1][i] = -right;
        constants[2][i] = -constants[2][i];
    }
    triglyph_n3ds_list_color_target(list, VRAM, REG(COLOR_FORMAT_FORMAT_RGBA8), WIDTH, HEIGHT);
    triglyph_n3ds_list_depth_target(list, VRAM + DEPTH, REG(DEPTH_FORMAT_FORMAT_D24S8));
    triglyph_n3ds_list_viewport(list, 0, 0, WIDTH, HEIGHT);
    triglyph_n3ds_list_program(list, TRIGLYPH_N3DS_VERTEX, program, COUNT(program), operands, COUNT(operands), 0);
    triglyph_n3ds_list_float_uniforms(list, TRIGLYPH_N3DS_VERTEX, 0, constants[0], COUNT(constants));
    triglyph_n3ds_list_vertex_buffer(list, HEAP + VERTICES, CUBE_STRIDE, attributes, COUNT(attributes));
    triglyph_n3ds_list_shader_outputs(list, outputs, COUNT(outputs));
    triglyph_n3ds_list_texture(list, 0, REG(TEX0_FORMAT_FORMAT_RGBA8), CUBE_SIZE, CUBE_SIZE, HEAP + TEXELS, filter);
    triglyph_n3ds_list_texture_units(list, 1);
    triglyph_n3ds_list_combiner(list, 0, REG(TEV0_COMBINER_RGB_MODULATE), REG(TEV0_SOURCE_RGB1_TEXTURE0),
                                REG(TEV0_SOURCE_RGB1_PRIMARY_COLOR), REG(TEV0_SOURCE_RGB1_PRIMARY_COLOR));
    triglyph_n3ds_list_pass_combiners(list, 1);
    triglyph_n3ds_list_set(list, REG(COLOR_OPERATION), BITS(COLOR_OPERATION_BLEND, 1));
    triglyph_n3ds_list_set(list, REG(BLEND_FUNC), replace);
    triglyph_n3ds_list_set(list, REG(DEPTH_COLOR_MASK), write);
}

int main(int argc, char **argv) {
    triglyph_n3ds *gpu = open_console();
    uint32_t words[512], fill[8];
    triglyph_words list = {words, COUNT(words), 0, 0};
    cube_vertices(vertices);
    triglyph_store_floats_le(heap + VERTICES, vertices[0], sizeof vertices / sizeof(float));
    cube_texels(texels);
    triglyph_n3ds_tile_rgba8(heap + TEXELS, CUBE_SIZE, CUBE_SIZE, texels[0]);
    set_state(&list);
    triglyph_n3ds_list_draw_arrays(&list, 0, CUBE_VERTICES);
    const uint32_t end = VRAM_VIRTUAL + DEPTH, pixels = 4 * WIDTH * HEIGHT;
    triglyph_n3ds_gx_fill(fill, VRAM_VIRTUAL, VRAM_VIRTUAL + pixels, 0x203040FF, end, end + pixels, 0x00FFFFFF);
    run_list(gpu, fill, &list, argc > 1 ? argv[1] : "n3ds_cube.png");
    CHECK(triglyph_n3ds_destroy(gpu));
    return 0;
}
