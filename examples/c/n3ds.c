// A Nintendo 3DS that has one program: it clears a picture, draws a triangle and shows it on the top screen.
//
// The host owns guest memory, as an emulator does, and plays both parts: the program, which puts GX commands into its
// queue, and the console, which triggers GSP, delivers interrupts and lets the screen show frames. n3ds_triangle.c is
// the program alone, which executes its commands one by one.
//
//     cc -std=c11 -Icapi/include examples/c/n3ds.c target/release/libtriglyph.a -lpthread -ldl -lm
//     ./a.out picture.png

#include "n3ds.h"

// ---- the program ----

// x (upwards), y (to the left), z, w; red, green, blue, alpha.
static const float triangle[3][8] = {
    {0.8f, 0.0f, -0.5f, 1.0f, 1.0f, 0.0f, 0.0f, 1.0f},
    {-0.8f, -0.8f, -0.5f, 1.0f, 0.0f, 1.0f, 0.0f, 1.0f},
    {-0.8f, 0.8f, -0.5f, 1.0f, 0.0f, 0.0f, 1.0f, 1.0f},
};

// mov o0, v0; mov o1, v1; end
static const uint32_t code[] = {0x4C000000, 0x4C201000, 0x88000000}, operands[] = {0x36F};

// Stores vertices and the command list, and returns its bytes.
static uint32_t store_list(void) {
    const uint32_t attributes[] = {FLOATS(4), FLOATS(4)}, primary = REG(TEV0_SOURCE_RGB1_PRIMARY_COLOR);
    const uint32_t outputs[] = {TRIGLYPH_N3DS_OUTPUT_POSITION, TRIGLYPH_N3DS_OUTPUT_COLOR};
    const uint32_t replace = BITS(BLEND_FUNC_RGB_SRC, REG(BLEND_FUNC_RGB_SRC_ONE)) |
                             BITS(BLEND_FUNC_ALPHA_SRC, REG(BLEND_FUNC_ALPHA_SRC_ONE));
    const uint32_t write = BITS(DEPTH_COLOR_MASK_WRITE_R, 1) | BITS(DEPTH_COLOR_MASK_WRITE_G, 1) |
                           BITS(DEPTH_COLOR_MASK_WRITE_B, 1) | BITS(DEPTH_COLOR_MASK_WRITE_A, 1);
    uint32_t words[512];
    triglyph_words list = {words, COUNT(words), 0, 0};
    triglyph_n3ds_list_color_target(&list, VRAM, REG(COLOR_FORMAT_FORMAT_RGBA8), WIDTH, HEIGHT);
    triglyph_n3ds_list_viewport(&list, 0, 0, WIDTH, HEIGHT);
    triglyph_n3ds_list_program(&list, TRIGLYPH_N3DS_VERTEX, code, COUNT(code), operands, COUNT(operands), 0);
    triglyph_n3ds_list_vertex_buffer(&list, HEAP + VERTICES, sizeof triangle[0], attributes, COUNT(attributes));
    triglyph_n3ds_list_shader_outputs(&list, outputs, COUNT(outputs));
    triglyph_n3ds_list_texture_units(&list, 0);
    triglyph_n3ds_list_combiner(&list, 0, REG(TEV0_COMBINER_RGB_REPLACE), primary, primary, primary);
    triglyph_n3ds_list_pass_combiners(&list, 1);
    triglyph_n3ds_list_set(&list, REG(COLOR_OPERATION), BITS(COLOR_OPERATION_BLEND, 1));
    triglyph_n3ds_list_set(&list, REG(BLEND_FUNC), replace);
    triglyph_n3ds_list_set(&list, REG(DEPTH_COLOR_MASK), write);
    triglyph_n3ds_list_draw_arrays(&list, 0, 3);
    const uint32_t bytes = triglyph_n3ds_list_finish(&list);
    check(list.count <= list.room, "room for the list");
    triglyph_store_le(heap + LIST, words, list.count);
    triglyph_store_floats_le(heap + VERTICES, triangle[0], sizeof triangle / sizeof(float));
    return bytes;
}

// The program, client 0, puts GX commands into its queue and names the picture that it wants to be shown.
static void program(triglyph_n3ds *gpu) {
    uint32_t gx[3][8];
    triglyph_n3ds_gx_fill(gx[0], VRAM_VIRTUAL, VRAM_VIRTUAL + 4 * WIDTH * HEIGHT, 0x203040FF, 0, 0, 0);
    triglyph_n3ds_gx_list(gx[1], HEAP_VIRTUAL + LIST, store_list());
    triglyph_n3ds_gx_display(gx[2], VRAM_VIRTUAL, HEAP_VIRTUAL + SHOWN, WIDTH, HEIGHT,
                             TRIGLYPH_N3DS_EXTERNAL_PPF_FLAGS_OUTPUT_RGB8);
    for (size_t at = 0; at < COUNT(gx); at++) {
        bool full;
        CHECK(triglyph_n3ds_queue_submit(gpu, 0, gx[at], NULL, &full));
        check(!full, "room in the queue");
    }
    const triglyph_n3ds_framebuffer shown = {
        .left = HEAP_VIRTUAL + SHOWN, .right = HEAP_VIRTUAL + SHOWN, .stride = 3 * WIDTH, .format = 0x80341,
    };
    CHECK(triglyph_n3ds_present(gpu, 0, TRIGLYPH_N3DS_SCREEN_TOP, &shown));
}

// ---- the console ----

// GSP executes what is in the queue; its interrupts go to the program, which finds them in its relay queue.
static void run(triglyph_n3ds *gpu) {
    static const char *const names[] = {"PSC0", "PSC1", "PDC0", "PDC1", "PPF", "P3D", "DMA"};
    uint32_t clients, interrupt;
    bool found = true;
    CHECK(triglyph_n3ds_trigger(gpu));
    CHECK(triglyph_n3ds_auto_deliver(gpu, &clients));
    CHECK(triglyph_n3ds_vblank(gpu, TRIGLYPH_N3DS_SCREEN_TOP, &clients));
    for (;;) {
        CHECK(triglyph_n3ds_relay_pop(gpu, 0, &interrupt, &found));
        if (!found) {
            return;
        }
        printf("interrupt %s\n", interrupt < COUNT(names) ? names[interrupt] : "?");
    }
}

// Writes what the top screen shows.
static void show(triglyph_n3ds *gpu, const char *path) {
    triglyph_n3ds_picture lcd;
    bool found;
    CHECK(triglyph_n3ds_lcd_picture(gpu, TRIGLYPH_N3DS_SCREEN_TOP, 0, &lcd, &found));
    check(found, "a picture");
    const triglyph_present present = {
        .size = sizeof present, .address = lcd.address, .format = lcd.format, .width = lcd.width, .height = lcd.height,
        .pitch = (uint32_t)lcd.pitch, .layout = TRIGLYPH_LAYOUT_LCD, .label = "top",
    };
    write_png(triglyph_n3ds_device(gpu), &present, false, path);
}

int main(int argc, char **argv) {
    triglyph_n3ds *gpu = open_console();
    triglyph_n3ds_registration client;
    uint32_t acquired;
    // The program is session 1; the host would signal event 7 with each interrupt.
    CHECK(triglyph_n3ds_register_relay_queue(gpu, 1, 0, 7, &client));
    CHECK(triglyph_n3ds_acquire_right(gpu, 1, &acquired));
    program(gpu);
    run(gpu);
    show(gpu, argc > 1 ? argv[1] : "n3ds.png");
    CHECK(triglyph_n3ds_destroy(gpu));
    return 0;
}
