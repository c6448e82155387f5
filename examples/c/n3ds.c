/* A Nintendo 3DS that has one program: it clears a picture, draws a triangle and shows it on the top screen.
 *
 * The host owns guest memory, as an emulator does, and plays both parts: the program, which writes command lists and
 * puts GX commands into its queue, and the console, which triggers GSP, delivers interrupts and lets the screen show
 * frames. The picture is written as a PPM file.
 *
 *     cc -std=c11 -Icapi/include examples/c/n3ds.c target/release/libtriglyph.a -lpthread -ldl -lm -o n3ds
 *     ./n3ds picture.ppm
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "triglyph.h"
#include "triglyph_n3ds_registers.h"

/* Where memory is: physical addresses, and the virtual ones by which programs name them. */
#define VRAM 0x18000000u
#define VRAM_VIRTUAL 0x1F000000u
#define HEAP 0x20000000u
#define HEAP_VIRTUAL 0x30000000u

/* What is in the linear heap: vertices, the command list, the picture that is shown. */
#define VERTICES 0x0000u
#define LIST 0x1000u
#define SHOWN 0x10000u

/* The top screen has 400 columns of 240 pixels: for the GPU a picture of 240 x 400. */
#define WIDTH 240u
#define HEIGHT 400u

static uint8_t vram[6 << 20];
static uint8_t heap[1 << 20];

static void check(triglyph_status status, const char *call) {
    if (status != TRIGLYPH_STATUS_OK) {
        fprintf(stderr, "%s: %s: %s\n", call, triglyph_status_name(status), triglyph_last_error());
        exit(1);
    }
}
#define CHECK(call) check(call, #call)

/* Memory of the 3DS is little-endian. */
static void store(uint8_t *to, uint32_t word) {
    for (int byte = 0; byte < 4; byte++) {
        to[byte] = (uint8_t)(word >> 8 * byte);
    }
}

/* ---- the program ---- */

static uint32_t list_words;

static void put(uint32_t word) {
    store(heap + LIST + 4 * list_words++, word);
}

/* Writes a register of the PICA200. */
static void set(uint32_t id, uint32_t value) {
    put(value);
    put(0xFu << 16 | id);
}

/* Writes several words to one register, a data port. */
static void feed(uint32_t id, const uint32_t *words, uint32_t count) {
    put(words[0]);
    put((count - 1) << 20 | 0xFu << 16 | id);
    for (uint32_t at = 1; at < count; at++) {
        put(words[at]);
    }
    if (count % 2 == 0) {
        put(0);
    }
}

/* Names of registers are those of triglyph_n3ds_registers.h. */
#define REG(name) TRIGLYPH_N3DS_PICA_##name
#define FIELD(name, value) TRIGLYPH_FIELD(TRIGLYPH_N3DS_PICA_##name, TRIGLYPH_N3DS_PICA_##name##_##value)
#define NUMBER(name, value) TRIGLYPH_FIELD(TRIGLYPH_N3DS_PICA_##name, value)

/* The vertex program: mov o0, v0; mov o1, v1; end - position and colour as they come. The words are those of
 * `triglyph disasm --assemble`. */
static void vertex_program(void) {
    const uint32_t code[] = {0x4C000000, 0x4C201000, 0x88000000}, operands[] = {0x36F};
    set(REG(VSH_ENTRY), NUMBER(VSH_ENTRY_OFFSET, 0) | NUMBER(VSH_ENTRY_HIGH, 0x7FFF));
    set(REG(VSH_CODE_INDEX), 0);
    feed(REG(VSH_CODE_DATA)(0), code, 3);
    set(REG(VSH_OPDESC_INDEX), 0);
    feed(REG(VSH_OPDESC_DATA)(0), operands, 1);
    set(REG(VSH_INPUT_CONFIG),
        NUMBER(VSH_INPUT_CONFIG_INPUTS_MINUS_1, 1) | FIELD(VSH_INPUT_CONFIG_MODE, VERTEX_SHADER));
    set(REG(VSH_PERM_LO), 0x76543210); /* attribute n is input n */
    set(REG(VSH_OUTMAP_MASK), NUMBER(VSH_OUTMAP_MASK_MASK, 3)); /* o0 and o1 */
    set(REG(VSH_OUTMAP_TOTAL1), 1);
    set(REG(VSH_OUTMAP_TOTAL2), 1);
    set(REG(VSH_NUM_ATTR), 1);
    set(REG(OUTMAP_TOTAL), 2);
    set(REG(OUTMAP_O0), FIELD(OUTMAP_O0_X, POSITION_X) | FIELD(OUTMAP_O0_Y, POSITION_Y) |
                            FIELD(OUTMAP_O0_Z, POSITION_Z) | FIELD(OUTMAP_O0_W, POSITION_W));
    set(REG(OUTMAP_O1), FIELD(OUTMAP_O1_X, COLOR_R) | FIELD(OUTMAP_O1_Y, COLOR_G) | FIELD(OUTMAP_O1_Z, COLOR_B) |
                            FIELD(OUTMAP_O1_W, COLOR_A));
}

static void pipeline(void) {
    const uint32_t size = NUMBER(FB_DIM_WIDTH, WIDTH) | NUMBER(FB_DIM_HEIGHT_MINUS_1, HEIGHT - 1);
    set(REG(VIEWPORT_HALF_W), 0x45E000); /* 120.0 as a float of 24 bits */
    set(REG(VIEWPORT_HALF_H), 0x469000); /* 200.0 */
    set(REG(DEPTH_SCALE), 0xBF0000); /* -1.0: depth is -z */
    set(REG(DEPTHMAP_MODE), FIELD(DEPTHMAP_MODE_MODE, Z_BUFFER));
    set(REG(FB_DIM), size | NUMBER(FB_DIM_FLIP, 1));
    set(REG(RENDERBUF_DIM), size | NUMBER(RENDERBUF_DIM_ONE, 1));
    set(REG(COLOR_ADDR), VRAM >> 3);
    set(REG(COLOR_FORMAT), FIELD(COLOR_FORMAT_SIZE, 32) | FIELD(COLOR_FORMAT_FORMAT, RGBA8));
    set(REG(COLOR_WRITE_ALLOW), 15);
    set(REG(COLOR_OPERATION), NUMBER(COLOR_OPERATION_BLEND, 1));
    set(REG(BLEND_FUNC), FIELD(BLEND_FUNC_RGB_SRC, ONE) | FIELD(BLEND_FUNC_ALPHA_SRC, ONE));
    set(REG(DEPTH_COLOR_MASK), NUMBER(DEPTH_COLOR_MASK_WRITE_R, 1) | NUMBER(DEPTH_COLOR_MASK_WRITE_G, 1) |
                                   NUMBER(DEPTH_COLOR_MASK_WRITE_B, 1) | NUMBER(DEPTH_COLOR_MASK_WRITE_A, 1));
    set(REG(TEX_CONFIG), NUMBER(TEX_CONFIG_ONE, 1)); /* no textures */
    /* Combiner stage 0 passes the colour of the vertices on, the others what comes in. */
    const uint32_t previous = FIELD(TEV1_SOURCE_RGB1, PREVIOUS) | FIELD(TEV1_SOURCE_ALPHA1, PREVIOUS);
    set(REG(TEV1_SOURCE), previous);
    set(REG(TEV2_SOURCE), previous);
    set(REG(TEV3_SOURCE), previous);
    set(REG(TEV4_SOURCE), previous);
    set(REG(TEV5_SOURCE), previous);
}

static void draw(void) {
    static const float vertices[3][8] = {
        /* x (up), y (left), z, w; red, green, blue, alpha */
        {0.8f, 0.0f, -0.5f, 1.0f, 1.0f, 0.0f, 0.0f, 1.0f},
        {-0.8f, -0.8f, -0.5f, 1.0f, 0.0f, 1.0f, 0.0f, 1.0f},
        {-0.8f, 0.8f, -0.5f, 1.0f, 0.0f, 0.0f, 1.0f, 1.0f},
    };
    for (int at = 0; at < 24; at++) {
        uint32_t word;
        memcpy(&word, &vertices[at / 8][at % 8], sizeof word);
        store(heap + VERTICES + 4 * at, word);
    }
    set(REG(ATTR_BASE), (HEAP + VERTICES) >> 3);
    set(REG(ATTR_FORMAT_LO), FIELD(ATTR_FORMAT_LO_TYPE0, FLOAT) | NUMBER(ATTR_FORMAT_LO_COUNT0_MINUS_1, 3) |
                                 FIELD(ATTR_FORMAT_LO_TYPE1, FLOAT) | NUMBER(ATTR_FORMAT_LO_COUNT1_MINUS_1, 3));
    set(REG(ATTR_FORMAT_HI), NUMBER(ATTR_FORMAT_HI_TOTAL_MINUS_1, 1));
    set(REG(ATTRBUF_OFFSET)(0), 0);
    set(REG(ATTRBUF_CONFIG1)(0), NUMBER(ATTRBUF_CONFIG1_COMPONENT1, 1)); /* attributes 0 and 1 */
    set(REG(ATTRBUF_CONFIG2)(0), NUMBER(ATTRBUF_CONFIG2_STRIDE, 32) | NUMBER(ATTRBUF_CONFIG2_COUNT, 2));
    set(REG(PRIMITIVE_CONFIG),
        NUMBER(PRIMITIVE_CONFIG_OUTPUTS_MINUS_1, 1) | FIELD(PRIMITIVE_CONFIG_PRIMITIVE, TRIANGLES));
    set(REG(PRIMITIVE_RESTART), 1);
    set(REG(NUM_VERTICES), 3);
    set(REG(DRAW_ARRAYS), 1);
    set(REG(IRQ_REQUEST), 0x12345678); /* the list ends with an interrupt */
    while (list_words % 4 != 0) {
        put(0);
    }
}

/* Puts a GX command into the queue of the program, client 0. */
static void gx(triglyph_n3ds *n3ds, const uint32_t words[8]) {
    bool full;
    CHECK(triglyph_n3ds_queue_submit(n3ds, 0, words, NULL, &full));
    if (full) {
        fprintf(stderr, "the command queue is full\n");
        exit(1);
    }
}

static void program(triglyph_n3ds *n3ds) {
    const uint32_t size = WIDTH | HEIGHT << 16;
    vertex_program();
    pipeline();
    draw();
    const uint32_t clear[8] = {2, VRAM_VIRTUAL, 0x203040FF, VRAM_VIRTUAL + 4 * WIDTH * HEIGHT, 0, 0, 0, 0x0201};
    const uint32_t list[8] = {1, HEAP_VIRTUAL + LIST, 4 * list_words};
    const uint32_t transfer[8] = {3, VRAM_VIRTUAL, HEAP_VIRTUAL + SHOWN, size, size, 0x1000 /* RGBA8 to RGB8 */};
    gx(n3ds, clear);
    gx(n3ds, list);
    gx(n3ds, transfer);
    const triglyph_n3ds_framebuffer shown = {
        .left = HEAP_VIRTUAL + SHOWN,
        .right = HEAP_VIRTUAL + SHOWN,
        .stride = 3 * WIDTH,
        .format = 0x80341,
    };
    CHECK(triglyph_n3ds_present(n3ds, 0, TRIGLYPH_N3DS_SCREEN_TOP, &shown));
}

/* ---- the console ---- */

/* GSP executes what is in the queue; its interrupts go to the program, which finds them in its relay queue. */
static void run(triglyph_n3ds *n3ds) {
    static const char *const names[] = {"PSC0", "PSC1", "PDC0", "PDC1", "PPF", "P3D", "DMA"};
    uint32_t clients, interrupt;
    bool found = true;
    CHECK(triglyph_n3ds_trigger(n3ds));
    CHECK(triglyph_n3ds_auto_deliver(n3ds, &clients));
    CHECK(triglyph_n3ds_vblank(n3ds, TRIGLYPH_N3DS_SCREEN_TOP, &clients));
    for (;;) {
        CHECK(triglyph_n3ds_relay_pop(n3ds, 0, &interrupt, &found));
        if (!found) {
            return;
        }
        printf("interrupt %s\n", interrupt < 7 ? names[interrupt] : "?");
    }
}

static void on_fault(void *user_data, const triglyph_fault *fault) {
    (void)user_data;
    fprintf(stderr, "%s at %#llx: %s\n", triglyph_fault_kind_name(fault->kind), (unsigned long long)fault->address,
            fault->what);
}

/* Writes what the top screen shows as a PPM file. */
static void show(triglyph_n3ds *n3ds, const char *path) {
    triglyph_n3ds_picture lcd;
    bool found;
    CHECK(triglyph_n3ds_lcd_picture(n3ds, TRIGLYPH_N3DS_SCREEN_TOP, 0, &lcd, &found));
    const triglyph_present present = {
        .size = sizeof present,
        .address = lcd.address,
        .format = lcd.format,
        .width = lcd.width,
        .height = lcd.height,
        .pitch = (uint32_t)lcd.pitch,
        .layout = TRIGLYPH_LAYOUT_LCD,
    };
    triglyph_picture *picture;
    CHECK(triglyph_picture_read(triglyph_n3ds_device(n3ds), &present, false, &picture));
    const uint8_t *rgba;
    CHECK(triglyph_picture_pixels(picture, NULL, NULL, &rgba));
    FILE *file = fopen(path, "wb");
    if (!file) {
        perror(path);
        exit(1);
    }
    fprintf(file, "P6\n%u %u\n255\n", lcd.width, lcd.height);
    for (size_t pixel = 0; pixel < (size_t)lcd.width * lcd.height; pixel++) {
        fwrite(rgba + 4 * pixel, 1, 3, file);
    }
    fclose(file);
    CHECK(triglyph_picture_destroy(picture));
}

int main(int argc, char **argv) {
    triglyph_n3ds *n3ds;
    triglyph_n3ds_registration client;
    uint32_t acquired;
    CHECK(triglyph_n3ds_create(NULL, &n3ds));
    triglyph_device *device = triglyph_n3ds_device(n3ds);
    CHECK(triglyph_set_fault_callback(device, on_fault, NULL));
    CHECK(triglyph_map_host(device, 0, VRAM, sizeof vram, vram, TRIGLYPH_ACCESS_READ_WRITE));
    CHECK(triglyph_map_host(device, 0, HEAP, sizeof heap, heap, TRIGLYPH_ACCESS_READ_WRITE));
    /* The program is session 1; the host would signal event 7 with each interrupt. */
    CHECK(triglyph_n3ds_register_relay_queue(n3ds, 1, 0, 7, &client));
    CHECK(triglyph_n3ds_acquire_right(n3ds, 1, &acquired));
    program(n3ds);
    run(n3ds);
    show(n3ds, argc > 1 ? argv[1] : "n3ds.ppm");
    CHECK(triglyph_n3ds_destroy(n3ds));
    return 0;
}
