// A textured, lit cube on the Switch: constants, a texture header and a sampler in their pools, the depth test.
//
//     cc -std=c11 -Icapi/include examples/c/switch_cube.c target/release/libtriglyph.a -lpthread -ldl -lm
//     ./a.out picture.png

#include "cube.h"
#include "switch.h"

// Offsets in the process's memory. The pools are those of texture headers and of samplers.
#define PUSH 0x0u
#define PROGRAMS 0x10000u
#define PIXEL 0x1000u
#define VERTICES 0x20000u
#define HEADERS 0x30000u
#define SAMPLERS 0x31000u
#define VERTEX_CONSTANTS 0x32000u
#define PIXEL_CONSTANTS 0x33000u
#define TEXELS 0x40000u
#define TARGET 0x100000u
#define DEPTH 0x400000u
#define WIDTH 640u
#define HEIGHT 360u
#define M(name) TRIGLYPH_TEGRA_THREED_##name

static float vertices[CUBE_VERTICES][8], constants[6][4];

// Position, normal and texture coordinates are generic attributes 0 to 2. Constant buffer 1 has the transform's rows,
// the direction to the light, the ambient light. Texture coordinates and light go on in generic attribute 0.
static const uint64_t vertex_code[] = {
    // ald.w4 r0, [rz+0x80], rz; ald.w4 r4, [rz+0x90], rz; ald.w4 r8, [rz+0xa0], rz
    0x001F8000FC0007E0, 0xEFD9FF800807FF00, 0xEFD9FF800907FF04, 0xEFD9FF800A07FF08,
    // fmul r12, r0, c[1][0x0]; ffma r12, r1, c[1][0x4], r12; ffma r12, r2, c[1][0x8], r12
    0x001F8000FC0007E0, 0x4C6800040007000C, 0x498006040017010C, 0x498006040027020C,
    // ffma r12, r3, c[1][0xc], r12; the same for r13, r14 and r15 with c[1][0x10] to c[1][0x3c]
    0x001F8000FC0007E0, 0x498006040037030C, 0x4C6800040047000D, 0x498006840057010D,
    0x001F8000FC0007E0, 0x498006840067020D, 0x498006840077030D, 0x4C6800040087000E,
    0x001F8000FC0007E0, 0x498007040097010E, 0x4980070400A7020E, 0x4980070400B7030E,
    0x001F8000FC0007E0, 0x4C68000400C7000F, 0x4980078400D7010F, 0x4980078400E7020F,
    // ffma r15, r3, c[1][0x3c], r15; fmul r10, r4, c[1][0x40]; ffma r10, r5, c[1][0x44], r10
    0x001F8000FC0007E0, 0x4980078400F7030F, 0x4C6800040107040A, 0x498005040117050A,
    // ffma r10, r6, c[1][0x48], r10; fmnmx r10, r10, rz, !pt; fadd r10, r10, c[1][0x50]
    0x001F8000FC0007E0, 0x498005040127060A, 0x5C6007800FF70A0A, 0x4C58000401470A0A,
    // ast.w4 r12, [rz+0x70], rz; ast.w4 r8, [rz+0x80], rz; exit
    0x001F8000FC0007E0, 0xEFF1FF800707FF0C, 0xEFF1FF800807FF08, 0xE30000000007000F,
};

// The texel, whose handle is word 0 of constant buffer 2, times the light.
static const uint64_t pixel_code[] = {
    // ipa.pass r4, a[rz+0x7c], rz, rz, pt; mufu.rcp r4, r4; ipa.mul r5, a[rz+0x88], r4, rz, pt
    0x001F8000FC0007E0, 0xE003FF87CFF7FF04, 0x5080000000470404, 0xE043FF888047FF05,
    // ipa.mul r6, a[rz+0x80], r4, rz, pt; ipa.mul r7, a[rz+0x84], r4, rz, pt; tex.d2 r0, r6, rz, 0x0, 0xf, pt
    0x001F8000FC0007E0, 0xE043FF880047FF06, 0xE043FF884047FF07, 0xC0380007AFF70600,
    // fmul r0, r0, r5; fmul r1, r1, r5; fmul r2, r2, r5; exit
    0x001F8000FC0007E0, 0x5C68000000570000, 0x5C68000000570101, 0x5C68000000570202,
    0x001F8000FC0007E0, 0xE30000000007000F,
};

// Stores the programs.
static void programs(void) {
    uint32_t header[20];
    triglyph_tegra_program_header(header, TRIGLYPH_TEGRA_STAGE_VERTEX);
    triglyph_tegra_header_reads(header, TRIGLYPH_TEGRA_ATTRIBUTE_GENERIC, 12);
    triglyph_tegra_header_writes(header, TRIGLYPH_TEGRA_ATTRIBUTE_POSITION, 4);
    triglyph_tegra_header_writes(header, TRIGLYPH_TEGRA_ATTRIBUTE_GENERIC, 4);
    triglyph_tegra_store_program(memory + PROGRAMS, header, vertex_code, COUNT(vertex_code));
    triglyph_tegra_program_header(header, TRIGLYPH_TEGRA_STAGE_PIXEL);
    triglyph_tegra_header_reads(header, TRIGLYPH_TEGRA_ATTRIBUTE_POSITION + 12, 1);
    triglyph_tegra_header_interpolates(header, TRIGLYPH_TEGRA_ATTRIBUTE_GENERIC, 3);
    triglyph_tegra_header_target(header, 0, 0xF);
    triglyph_tegra_store_program(memory + PROGRAMS + PIXEL, header, pixel_code, COUNT(pixel_code));
}

// The push buffer, with the process's memory at a GPU address.
static void commands(triglyph_words *push, uint64_t at) {
    const uint32_t vec3 = M(SET_VERTEX_ATTRIBUTE_A_COMPONENT_BIT_WIDTHS_R32_G32_B32), handle = 0;
    const uint32_t vec2 = M(SET_VERTEX_ATTRIBUTE_A_COMPONENT_BIT_WIDTHS_R32_G32);
    const uint32_t type = M(SET_VERTEX_ATTRIBUTE_A_NUMERICAL_TYPE_NUM_FLOAT);
    cube_constants(WIDTH, HEIGHT, constants);
    triglyph_tegra_push_set_object(push, M(SET_OBJECT_CLASS_ID_MAXWELL_B));
    triglyph_tegra_push_color_target(push, 0, M(SET_COLOR_TARGET_FORMAT_V_A8B8G8R8), 4 * WIDTH, HEIGHT, at + TARGET);
    triglyph_tegra_push_color_targets(push, 1);
    triglyph_tegra_push_zeta_target(push, M(SET_ZT_FORMAT_V_Z24S8), WIDTH, HEIGHT, at + DEPTH, 4);
    triglyph_tegra_push_viewport(push, 0, WIDTH, HEIGHT);
    triglyph_tegra_push_clear_color(push, 0.125f, 0.1875f, 0.25f, 1.0f);
    triglyph_tegra_push_clear_zeta(push, 1.0f, 0);
    triglyph_tegra_push_program_region(push, at + PROGRAMS);
    triglyph_tegra_push_program(push, TRIGLYPH_TEGRA_STAGE_VERTEX, 0);
    triglyph_tegra_push_program(push, TRIGLYPH_TEGRA_STAGE_PIXEL, PIXEL);
    triglyph_tegra_push_load_constants(push, at + VERTEX_CONSTANTS, 0x100, 0, constants, 4 * COUNT(constants));
    triglyph_tegra_push_bind_constants(push, 0, 1);
    triglyph_tegra_push_load_constants(push, at + PIXEL_CONSTANTS, 0x100, 0, &handle, 1);
    triglyph_tegra_push_bind_constants(push, 4, 2);
    triglyph_tegra_push_texture_pools(push, at + HEADERS, 1, at + SAMPLERS, 1, 2);
    triglyph_tegra_push_set(push, M(SET_DEPTH_TEST), 1);
    triglyph_tegra_push_set(push, M(SET_DEPTH_WRITE), 1);
    triglyph_tegra_push_set(push, M(SET_DEPTH_FUNC), M(SET_DEPTH_FUNC_V_OGL_LESS));
    triglyph_tegra_push_vertex_stream(push, 0, CUBE_STRIDE, at + VERTICES, sizeof vertices);
    triglyph_tegra_push_vertex_attribute(push, 0, 0, 0, vec3, type);
    triglyph_tegra_push_vertex_attribute(push, 1, 0, 12, vec3, type);
    triglyph_tegra_push_vertex_attribute(push, 2, 0, 24, vec2, type);
    triglyph_tegra_push_draw_arrays(push, M(BEGIN_OP_TRIANGLES), 0, CUBE_VERTICES);
}

int main(int argc, char **argv) {
    uint32_t words[512];
    triglyph_words push = {words, COUNT(words), 0, 0};
    struct console console = console_open();
    triglyph_tegra_store_texture_header(memory + HEADERS, 8 /* A8B8G8R8 */, CUBE_SIZE, CUBE_SIZE, 4 * CUBE_SIZE,
                                        console.memory + TEXELS);
    triglyph_tegra_store_sampler(memory + SAMPLERS, true);
    cube_texels((uint8_t(*)[4])(memory + TEXELS));
    cube_vertices(vertices);
    triglyph_store_floats_le(memory + VERTICES, vertices[0], sizeof vertices / sizeof(float));
    programs();
    commands(&push, console.memory);
    console_run(&console, PUSH, &push);
    console_close(&console, TARGET, WIDTH, HEIGHT, argc > 1 ? argv[1] : "switch_cube.png");
    return 0;
}
