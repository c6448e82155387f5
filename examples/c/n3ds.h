// The memory and the screen of the Nintendo 3DS's examples, and short names for registers.

#ifndef N3DS_H
#define N3DS_H

#include "example.h"
#include "triglyph_n3ds.h"
#include "triglyph_n3ds_commands.h"

// Where memory is: physical addresses, by which the GPU names it, and virtual ones, by which GX commands do.
#define VRAM 0x18000000u
#define VRAM_VIRTUAL 0x1F000000u
#define HEAP 0x20000000u
#define HEAP_VIRTUAL 0x30000000u

// In the heap: vertices, the command list, the picture for the screen.
#define VERTICES 0x0000u
#define LIST 0x1000u
#define SHOWN 0x10000u

// The top screen has 400 columns of 240 pixels: for the GPU a picture of 240 x 400, x upwards and y to the left.
#define WIDTH 240u
#define HEIGHT 400u

// Names of registers and values, values in their fields, attributes of vertices.
#define REG(name) TRIGLYPH_N3DS_PICA_##name
#define BITS(name, value) TRIGLYPH_FIELD(TRIGLYPH_N3DS_PICA_##name, value)
#define FLOATS(count) TRIGLYPH_N3DS_ATTRIBUTE(REG(ATTR_FORMAT_LO_TYPE0_FLOAT), count)

static uint8_t vram[6 << 20], heap[1 << 20];

#endif // N3DS_H
