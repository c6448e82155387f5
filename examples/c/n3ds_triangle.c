// A triangle on the Nintendo 3DS: a command list for the PICA200, and the GX commands that clear the target, run the
// list and copy the picture for the screen. The picture is written as a PNG file.
//
//     cc -std=c11 -Icapi/include examples/c/n3ds_triangle.c target/release/libtriglyph.a -lpthread -ldl -lm
//     ./a.out picture.png

#include "n3ds.h"

// Position x, y, z, w and colour red, green, blue, alpha. z is -w at the far plane and 0 at the near one.
static const float triangle[3][8] = {
    {0.8f, 0.0f, -0.5f, 1.0f, 1.0f, 0.0f, 0.0f, 1.0f},
    {-0.8f, -0.8f, -0.5f, 1.0f, 0.0f, 1.0f, 0.0f, 1.0f},
    {-0.8f, 0.8f, -0.5f, 1.0f, 0.0f, 0.0f, 1.0f, 1.0f},
};

// mov o0, v0; mov o1, v1; end: the words of `triglyph disasm --assemble`.
static const uint32_t program[] = {0x4C000000, 0x4C201000, 0x88000000}, operands[] = {0x36F};

// Sets everything that the draw needs.
static void set_state(triglyph_words *list) {
    const uint32_t attributes[] = {FLOATS(4), FLOATS(4)};
    const uint32_t outputs[] = {TRIGLYPH_N3DS_OUTPUT_POSITION, TRIGLYPH_N3DS_OUTPUT_COLOR};
    const uint32_t primary = REG(TEV0_SOURCE_RGB1_PRIMARY_COLOR);
    const uint32_t write = BITS(DEPTH_COLOR_MASK_WRITE_R, 1) | BITS(DEPTH_COLOR_MASK_WRITE_G, 1) |
                           BITS(DEPTH_COLOR_MASK_WRITE_B, 1) | BITS(DEPTH_COLOR_MASK_WRITE_A, 1);
    const uint32_t replace = BITS(BLEND_FUNC_RGB_SRC, REG(BLEND_FUNC_RGB_SRC_ONE)) |
                             BITS(BLEND_FUNC_ALPHA_SRC, REG(BLEND_FUNC_ALPHA_SRC_ONE));

    // Where pixels go, and the viewport over all of it.
    triglyph_n3ds_list_color_target(list, VRAM, REG(COLOR_FORMAT_FORMAT_RGBA8), WIDTH, HEIGHT);
    triglyph_n3ds_list_viewport(list, 0, 0, WIDTH, HEIGHT);
    // The program: v0 becomes the position, v1 the colour.
    triglyph_n3ds_list_program(list, TRIGLYPH_N3DS_VERTEX, program, COUNT(program), operands, COUNT(operands), 0);
    triglyph_n3ds_list_vertex_buffer(list, HEAP + VERTICES, sizeof triangle[0], attributes, COUNT(attributes));
    triglyph_n3ds_list_shader_outputs(list, outputs, COUNT(outputs));
    // Fragments: combiner stage 0 takes the vertex colour, the others pass it on; it replaces what is there.
    triglyph_n3ds_list_texture_units(list, 0);
    triglyph_n3ds_list_combiner(list, 0, REG(TEV0_COMBINER_RGB_REPLACE), primary, primary, primary);
    triglyph_n3ds_list_pass_combiners(list, 1);
    triglyph_n3ds_list_set(list, REG(COLOR_OPERATION), BITS(COLOR_OPERATION_BLEND, 1));
    triglyph_n3ds_list_set(list, REG(BLEND_FUNC), replace);
    triglyph_n3ds_list_set(list, REG(DEPTH_COLOR_MASK), write);
}

int main(int argc, char **argv) {
    triglyph_n3ds *gpu = open_console();
    uint32_t words[512], fill[8];
    triglyph_words list = {words, COUNT(words), 0, 0};
    triglyph_store_floats_le(heap + VERTICES, triangle[0], sizeof triangle / sizeof(float));
    set_state(&list);
    triglyph_n3ds_list_draw_arrays(&list, 0, 3);
    triglyph_n3ds_gx_fill(fill, VRAM_VIRTUAL, VRAM_VIRTUAL + 4 * WIDTH * HEIGHT, 0x203040FF, 0, 0, 0);
    run_list(gpu, fill, &list, argc > 1 ? argv[1] : "n3ds_triangle.png");
    CHECK(triglyph_n3ds_destroy(gpu));
    return 0;
}
