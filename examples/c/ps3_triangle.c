// A triangle on the PlayStation 3: a push buffer for the RSX, a vertex and a fragment program; `ps3.h` makes the
// hypervisor's calls. The picture is written as a PNG file.
//
//     cc -std=c11 -Icapi/include examples/c/ps3_triangle.c target/release/libtriglyph.a -lpthread -ldl -lm
//     ./a.out picture.png

#include "ps3.h"

// IO offsets of the push buffer and of the vertices.
#define PUSH 0x0u
#define VERTICES 0x100000u

// Offsets in local memory.
#define COLOR 0x0u
#define DEPTH 0x400000u
#define FRAGMENT_PROGRAM 0x800000u

#define WIDTH 640u
#define HEIGHT 360u

// Names of methods and values, values in their fields.
#define M(name) TRIGLYPH_RSX_CURIE_##name
#define BITS(name, value) TRIGLYPH_FIELD(TRIGLYPH_RSX_CURIE_##name, value)

// Position x, y, z, w and colour red, green, blue, alpha. z is -w at the near plane and w at the far one.
static const float triangle[3][8] = {
    {0.0f, 0.8f, 0.0f, 1.0f, 1.0f, 0.0f, 0.0f, 1.0f},
    {0.8f, -0.8f, 0.0f, 1.0f, 0.0f, 1.0f, 0.0f, 1.0f},
    {-0.8f, -0.8f, 0.0f, 1.0f, 0.0f, 0.0f, 1.0f, 1.0f},
};

// Programs are the words of `triglyph disasm --assemble --isa rsx-vertex` and `rsx-fragment`.
static const uint32_t vertex_program[] = {
    0x401F9C6C, 0x0040000D, 0x8106C083, 0x6041FF80, // mov o[HPOS], v[0]
    0x401F9C6C, 0x0040030D, 0x8106C083, 0x6041FF85, // mov o[COL0], v[3]  [end]
};
static const uint32_t fragment_program[] = {0x01003E01, 0x1C9DC801, 0x0001C800, 0x0001C800}; // mov r0, f[COL0]  [end]

// The push buffer.
static void commands(triglyph_words *push) {
    const uint32_t floats = M(SET_VERTEX_DATA_ARRAY_FORMAT_KIND_FLOAT32);
    const uint32_t in_main = M(SET_VERTEX_DATA_ARRAY_OFFSET_LOCATION_MAIN);
    const uint32_t limits = BITS(SET_TRANSFORM_TIMEOUT_INSTRUCTIONS, 0xFFFF) |
                            BITS(SET_TRANSFORM_TIMEOUT_REGISTERS, 0x20);

    // Subchannel 0 gets the 3D class, with the state that the console's library begins with.
    triglyph_rsx_push_gcm_defaults(push);
    triglyph_rsx_push_surface(push, WIDTH, HEIGHT, COLOR, DEPTH);
    triglyph_rsx_push_clear(push, 0xFF203040, 0xFFFFFF, 0);
    // The programs. Attributes 0 and 3 are read, and colour 0 goes to the fragment program, which has two registers.
    triglyph_rsx_push_vertex_program(push, 0, vertex_program, COUNT(vertex_program) / 4);
    triglyph_rsx_push_set(push, M(SET_TRANSFORM_TIMEOUT), limits);
    triglyph_rsx_push_set(push, M(SET_VERTEX_ATTRIB_INPUT_MASK), 1 << 0 | 1 << 3);
    triglyph_rsx_push_set(push, M(SET_VERTEX_ATTRIB_OUTPUT_MASK), BITS(SET_VERTEX_ATTRIB_OUTPUT_MASK_COLOR0, 1));
    triglyph_rsx_push_fragment_program(push, M(SET_SHADER_PROGRAM_LOCATION_LOCAL), FRAGMENT_PROGRAM, 2);
    triglyph_rsx_push_vertex_array(push, 0, floats, 4, sizeof triangle[0], in_main, VERTICES);
    triglyph_rsx_push_vertex_array(push, 3, floats, 4, sizeof triangle[0], in_main, VERTICES + 16);
    triglyph_rsx_push_draw_arrays(push, M(SET_BEGIN_END_PRIMITIVE_TRIANGLES), 0, 3);
}

int main(int argc, char **argv) {
    uint32_t words[1024];
    triglyph_words push = {words, COUNT(words), 0, 0};
    struct console console = console_open();
    triglyph_store_floats_be(main_memory + VERTICES, triangle[0], sizeof triangle / sizeof(float));
    triglyph_rsx_store_fragment_program(local_memory + FRAGMENT_PROGRAM, fragment_program, COUNT(fragment_program));
    commands(&push);
    console_run(&console, PUSH, &push);
    console_close(&console, COLOR, WIDTH, HEIGHT, argc > 1 ? argv[1] : "ps3_triangle.png");
    return 0;
}
