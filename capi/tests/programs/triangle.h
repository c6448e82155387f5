/* The memory, the state and the vertices of examples/c/n3ds_triangle.c, for tests that draw the triangle by
 * themselves. */

#ifndef TRIANGLE_H
#define TRIANGLE_H

#define main example
#include "../../../examples/c/n3ds_triangle.c"
#undef main

/* Executes the list, once it is stored. */
static uint32_t list_command[8];

/* A list with all that the draw needs. */
static inline triglyph_words begin_triangle(void) {
    static uint32_t words[512];
    triglyph_words list = {words, COUNT(words), 0, 0};
    triglyph_store_floats_le(heap + VERTICES, triangle[0], sizeof triangle / sizeof(float));
    set_state(&list);
    return list;
}

/* Draws and stores the list. */
static inline void end_triangle(triglyph_words *list) {
    triglyph_n3ds_list_draw_arrays(list, 0, 3);
    triglyph_n3ds_gx_list(list_command, HEAP_VIRTUAL + LIST, triglyph_n3ds_list_finish(list));
    check(list->count <= list->room, "room for the list");
    triglyph_store_le(heap + LIST, list->words, list->count);
}

#endif // TRIANGLE_H
