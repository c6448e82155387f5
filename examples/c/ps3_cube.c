// A textured, lit cube on the PlayStation 3: a vertex program with constants, a texture, the depth test.
//
//     cc -std=c11 -Icapi/include examples/c/ps3_cube.c target/release/libtriglyph.a -lpthread -ldl -lm
//     ./a.out picture.png

#include "cube.h"
#include "ps3.h"

// Where things are in memory, as the triangle's example has it; texels besides.
#define PUSH 0x0u
#define VERTICES 0x100000u
#define COLOR 0x0u
#define DEPTH 0x400000u
#define FRAGMENT_PROGRAM 0x800000u
#define TEXELS 0x900000u

#define WIDTH 640u
#define HEIGHT 360u

#define M(name) TRIGLYPH_RSX_CURIE_##name
#define BITS(name, value) TRIGLYPH_FIELD(TRIGLYPH_RSX_CURIE_##name, value)

static float vertices[CUBE_VERTICES][8], constants[6][4];
static uint8_t texels[CUBE_SIZE * CUBE_SIZE][4];

// c[0] to c[3] transform positions, c[4] is the direction to the light, c[5] the ambient light and 0.
static const uint32_t vertex_program[] = {
    0x401F9C6C, 0x01C0000D, 0x8186C083, 0x60411F80, // dp4 o[HPOS].x, c[0], v[0]
    0x401F9C6C, 0x01C0100D, 0x8186C083, 0x60409F80, // dp4 o[HPOS].y, c[1], v[0]
    0x401F9C6C, 0x01C0200D, 0x8186C083, 0x60405F80, // dp4 o[HPOS].z, c[2], v[0]
    0x401F9C6C, 0x01C0300D, 0x8186C083, 0x60403F80, // dp4 o[HPOS].w, c[3], v[0]
    0x00001C6C, 0x0140420D, 0x8186C083, 0x6041FFFC, // dp3 r0, c[4], v[2]: the cosine between normal and light
    0x00001C6C, 0x0280500D, 0x809540C3, 0x6041FFFC, // max r0, r0, c[5].yyyy
    0x401F9C6C, 0x00C0500D, 0x8086C080, 0x0061FF84, // add o[COL0], r0, c[5].xxxx
    0x401F9C6C, 0x0040080D, 0x8106C083, 0x6041FF9D, // mov o[TC0], v[8]  [end]
};
static const uint32_t fragment_program[] = {
    0x17009E00, 0x1C9DC801, 0x0001C800, 0x3FE1C800, // tex r0, f[TC0], tex0
    0x02003E01, 0x1C9DC800, 0x0001C801, 0x0001C800, // mul r0, r0, f[COL0]  [end]
};

// The push buffer.
static void commands(triglyph_words *push) {
    const uint32_t floats = M(SET_VERTEX_DATA_ARRAY_FORMAT_KIND_FLOAT32);
    const uint32_t in_main = M(SET_VERTEX_DATA_ARRAY_OFFSET_LOCATION_MAIN);
    const uint32_t limits = BITS(SET_TRANSFORM_TIMEOUT_INSTRUCTIONS, 0xFFFF) |
                            BITS(SET_TRANSFORM_TIMEOUT_REGISTERS, 0x20);
    const uint32_t outputs = BITS(SET_VERTEX_ATTRIB_OUTPUT_MASK_COLOR0, 1) |
                             BITS(SET_VERTEX_ATTRIB_OUTPUT_MASK_COORDINATES, 1 << 0);
    const uint32_t filter = BITS(SET_TEXTURE_FILTER_MIN, M(SET_TEXTURE_FILTER_MIN_LINEAR)) |
                            BITS(SET_TEXTURE_FILTER_MAG, M(SET_TEXTURE_FILTER_MAG_LINEAR));

    // Depth of this machine's clip space is -w to w.
    cube_constants(WIDTH, HEIGHT, constants);
    for (int i = 0; i < 4; i++) {
        constants[2][i] = 2 * constants[2][i] - constants[3][i];
    }
    triglyph_rsx_push_gcm_defaults(push);
    triglyph_rsx_push_surface(push, WIDTH, HEIGHT, COLOR, DEPTH);
    triglyph_rsx_push_clear(push, 0xFF203040, 0xFFFFFF, 0);
    triglyph_rsx_push_vertex_program(push, 0, vertex_program, COUNT(vertex_program) / 4);
    triglyph_rsx_push_vertex_constants(push, 0, constants[0], COUNT(constants));
    triglyph_rsx_push_set(push, M(SET_TRANSFORM_TIMEOUT), limits);
    triglyph_rsx_push_set(push, M(SET_VERTEX_ATTRIB_INPUT_MASK), 1 << 0 | 1 << 2 | 1 << 8);
    triglyph_rsx_push_set(push, M(SET_VERTEX_ATTRIB_OUTPUT_MASK), outputs);
    triglyph_rsx_push_fragment_program(push, M(SET_SHADER_PROGRAM_LOCATION_LOCAL), FRAGMENT_PROGRAM, 2);
    triglyph_rsx_push_texture(push, 0, M(SET_TEXTURE_FORMAT_FORMAT_A8R8G8B8), CUBE_SIZE, CUBE_SIZE, 4 * CUBE_SIZE,
                              TEXELS, filter);
    triglyph_rsx_push_set(push, M(SET_DEPTH_TEST_ENABLE), 1);
    triglyph_rsx_push_set(push, M(SET_DEPTH_FUNC), M(SET_DEPTH_FUNC_FUNCTION_LESS));
    triglyph_rsx_push_set(push, M(SET_DEPTH_MASK), 1);
    triglyph_rsx_push_vertex_array(push, 0, floats, 3, CUBE_STRIDE, in_main, VERTICES);
    triglyph_rsx_push_vertex_array(push, 2, floats, 3, CUBE_STRIDE, in_main, VERTICES + 12);
    triglyph_rsx_push_vertex_array(push, 8, floats, 2, CUBE_STRIDE, in_main, VERTICES + 24);
    triglyph_rsx_push_draw_arrays(push, M(SET_BEGIN_END_PRIMITIVE_TRIANGLES), 0, CUBE_VERTICES);
}

int main(int argc, char **argv) {
    uint32_t words[1024];
    triglyph_words push = {words, COUNT(words), 0, 0};
    struct console console = console_open();
    cube_vertices(vertices);
    triglyph_store_floats_be(main_memory + VERTICES, vertices[0], sizeof vertices / sizeof(float));
    cube_texels(texels);
    for (uint32_t at = 0; at < CUBE_SIZE * CUBE_SIZE; at++) {
        const uint8_t *rgba = texels[at], argb[4] = {rgba[3], rgba[0], rgba[1], rgba[2]};
        memcpy(local_memory + TEXELS + 4 * at, argb, sizeof argb);
    }
    triglyph_rsx_store_fragment_program(local_memory + FRAGMENT_PROGRAM, fragment_program, COUNT(fragment_program));
    commands(&push);
    console_run(&console, PUSH, &push);
    console_close(&console, COLOR, WIDTH, HEIGHT, argc > 1 ? argv[1] : "ps3_cube.png");
    return 0;
}
