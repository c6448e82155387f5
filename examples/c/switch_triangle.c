// A triangle on the Switch: a push buffer for the Maxwell 3D class, two shader programs with their headers; `switch.h`
// makes the calls of the GPU's driver. The picture is written as a PNG file.
//
//     cc -std=c11 -Icapi/include examples/c/switch_triangle.c target/release/libtriglyph.a -lpthread -ldl -lm
//     ./a.out picture.png

#include "switch.h"

// Offsets in the process's memory.
#define PUSH 0x0u
#define PROGRAMS 0x10000u
#define VERTICES 0x20000u
#define TARGET 0x100000u

// Offset of the pixel program from the programs.
#define PIXEL 0x1000u

#define WIDTH 640u
#define HEIGHT 360u

// Names of methods and values.
#define M(name) TRIGLYPH_TEGRA_THREED_##name

// Position x, y, z, w and colour red, green, blue, alpha. z is 0 at the near plane and w at the far one.
static const float triangle[3][8] = {
    {0.0f, 0.8f, 0.0f, 1.0f, 1.0f, 0.0f, 0.0f, 1.0f},
    {0.8f, -0.8f, 0.0f, 1.0f, 0.0f, 1.0f, 0.0f, 1.0f},
    {-0.8f, -0.8f, 0.0f, 1.0f, 0.0f, 0.0f, 1.0f, 1.0f},
};

// Programs are the words of `triglyph disasm --assemble --isa maxwell`. The first of four says when the others begin.

// Generic attribute 0 becomes the position, generic attribute 1 the first one of the pixel program.
static void vertex_program(void) {
    static const uint64_t code[] = {
        0x001F8000FC0007E0,
        0xEFD9FF800807FF00, // ald.w4 r0, [rz+0x80], rz
        0xEFD9FF800907FF04, // ald.w4 r4, [rz+0x90], rz
        0xEFF1FF800707FF00, // ast.w4 r0, [rz+0x70], rz
        0x001F8000FC0007E0,
        0xEFF1FF800807FF04, // ast.w4 r4, [rz+0x80], rz
        0xE30000000007000F, // exit
    };
    uint32_t header[20];
    triglyph_tegra_program_header(header, TRIGLYPH_TEGRA_STAGE_VERTEX);
    triglyph_tegra_header_reads(header, TRIGLYPH_TEGRA_ATTRIBUTE_GENERIC, 8);
    triglyph_tegra_header_writes(header, TRIGLYPH_TEGRA_ATTRIBUTE_POSITION, 4);
    triglyph_tegra_header_writes(header, TRIGLYPH_TEGRA_ATTRIBUTE_GENERIC, 4);
    triglyph_tegra_store_program(memory + PROGRAMS, header, code, COUNT(code));
}

// The attribute is interpolated with perspective: times w, which is the reciprocal of the position's fourth word.
static void pixel_program(void) {
    static const uint64_t code[] = {
        0x001F8000FC0007E0,
        0xE003FF87CFF7FF04, // ipa.pass r4, a[rz+0x7c], rz, rz, pt
        0x5080000000470404, // mufu.rcp r4, r4
        0xE043FF880047FF00, // ipa.mul r0, a[rz+0x80], r4, rz, pt
        0x001F8000FC0007E0,
        0xE043FF884047FF01, // ipa.mul r1, a[rz+0x84], r4, rz, pt
        0xE043FF888047FF02, // ipa.mul r2, a[rz+0x88], r4, rz, pt
        0xE043FF88C047FF03, // ipa.mul r3, a[rz+0x8c], r4, rz, pt
        0x001F8000FC0007E0,
        0xE30000000007000F, // exit
    };
    uint32_t header[20];
    triglyph_tegra_program_header(header, TRIGLYPH_TEGRA_STAGE_PIXEL);
    triglyph_tegra_header_reads(header, TRIGLYPH_TEGRA_ATTRIBUTE_POSITION + 12, 1);
    triglyph_tegra_header_interpolates(header, TRIGLYPH_TEGRA_ATTRIBUTE_GENERIC, 4);
    triglyph_tegra_header_target(header, 0, 0xF);
    triglyph_tegra_store_program(memory + PROGRAMS + PIXEL, header, code, COUNT(code));
}

// The push buffer, with the process's memory at a GPU address.
static void commands(triglyph_words *push, uint64_t at) {
    const uint32_t widths = M(SET_VERTEX_ATTRIBUTE_A_COMPONENT_BIT_WIDTHS_R32_G32_B32_A32);
    const uint32_t type = M(SET_VERTEX_ATTRIBUTE_A_NUMERICAL_TYPE_NUM_FLOAT);
    triglyph_tegra_push_set_object(push, M(SET_OBJECT_CLASS_ID_MAXWELL_B));
    triglyph_tegra_push_color_target(push, 0, M(SET_COLOR_TARGET_FORMAT_V_A8B8G8R8), 4 * WIDTH, HEIGHT, at + TARGET);
    triglyph_tegra_push_color_targets(push, 1);
    triglyph_tegra_push_viewport(push, 0, WIDTH, HEIGHT);
    triglyph_tegra_push_clear_color(push, 0.125f, 0.1875f, 0.25f, 1.0f);
    triglyph_tegra_push_program_region(push, at + PROGRAMS);
    triglyph_tegra_push_program(push, TRIGLYPH_TEGRA_STAGE_VERTEX, 0);
    triglyph_tegra_push_program(push, TRIGLYPH_TEGRA_STAGE_PIXEL, PIXEL);
    triglyph_tegra_push_vertex_stream(push, 0, sizeof triangle[0], at + VERTICES, sizeof triangle);
    triglyph_tegra_push_vertex_attribute(push, 0, 0, 0, widths, type);
    triglyph_tegra_push_vertex_attribute(push, 1, 0, 16, widths, type);
    triglyph_tegra_push_draw_arrays(push, M(BEGIN_OP_TRIANGLES), 0, 3);
}

int main(int argc, char **argv) {
    uint32_t words[512];
    triglyph_words push = {words, COUNT(words), 0, 0};
    struct console console = console_open();
    vertex_program();
    pixel_program();
    triglyph_store_floats_le(memory + VERTICES, triangle[0], sizeof triangle / sizeof(float));
    commands(&push, console.memory);
    console_run(&console, PUSH, &push);
    console_close(&console, TARGET, WIDTH, HEIGHT, argc > 1 ? argv[1] : "switch_triangle.png");
    return 0;
}
