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

/* The vertex program: mov o0, v0; mov o1, v1; end - position and colour as they come. */
static void vertex_program(void) {
    const uint32_t code[] = {0x4C000000, 0x4C201000, 0x88000000}, operands[] = {0x36F};
    set(0x2BA, 0x7FFF0000); /* entry: instruction 0 */
    set(0x2CB, 0);
    feed(0x2CC, code, 3);
    set(0x2D5, 0);
    feed(0x2D6, operands, 1);
    set(0x2B9, 0xA0000001); /* two inputs */
    set(0x2BB, 0x76543210); /* attribute n is input n */
    set(0x2BD, 3);          /* two outputs */
    set(0x24A, 1);
    set(0x251, 1);
    set(0x242, 1);
    set(0x04F, 2);
    set(0x050, 0x03020100); /* output 0: position */
    set(0x051, 0x0B0A0908); /* output 1: colour */
}

static void pipeline(void) {
    set(0x041, 0x45E000); /* half the viewport's width, 120.0 as a float of 24 bits */
    set(0x043, 0x469000); /* half its height, 200.0 */
    set(0x068, 0);
    set(0x04D, 0xBF0000); /* depth is -z */
    set(0x04E, 0);
    set(0x06D, 1);
    set(0x040, 0); /* no culling */
    set(0x11E, WIDTH | (HEIGHT - 1) << 12 | 1u << 24);
    set(0x06E, WIDTH | (HEIGHT - 1) << 12 | 1u << 24);
    set(0x11D, VRAM >> 3);
    set(0x117, 2);  /* RGBA8 */
    set(0x113, 15); /* colours may be written */
    set(0x100, 0x00E40100);
    set(0x101, 0x01010000); /* source replaces target */
    set(0x107, 0xF00);      /* all channels, no depth test */
    set(0x080, 0x1000);     /* no textures */
    /* Combiner stage 0 passes the colour of the vertices on, the others what comes in. */
    const uint32_t stages[] = {0x0C8, 0x0D0, 0x0D8, 0x0F0, 0x0F8};
    for (int stage = 0; stage < 5; stage++) {
        set(stages[stage], 0x000F000F);
    }
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
    set(0x200, (HEAP + VERTICES) >> 3);
    set(0x201, 0xFF);    /* two attributes of four floats */
    set(0x202, 1u << 28);
    set(0x203, 0);
    set(0x204, 0x10);                 /* buffer 0 has attributes 0 and 1 */
    set(0x205, 2u << 28 | 32u << 16); /* 32 bytes a vertex */
    set(0x25E, 1);                    /* triangles of two outputs */
    set(0x25F, 1);
    set(0x228, 3);
    set(0x22E, 1);
    set(0x010, 0x12345678); /* the list ends with an interrupt */
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
