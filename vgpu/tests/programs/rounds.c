// Rounds of contexts, programs, buffers and textures that are made, used and dropped. Prints the process's memory in
// KiB after each round.
#include "common.h"

#define ROUNDS 8
#define TEXTURES 24
// Scenes after the last use of a round's textures.
#define SCENES 640

static const char SAMPLE[] = "precision mediump float; varying vec2 p; uniform sampler2D image;"
                             "void main() { gl_FragColor = texture2D(image, p); }";

// Texels across or down of the next texture, no two rounds alike: memory is not taken where it was before.
static int side(void) {
    static uint32_t state = 1;
    state = state * 1664525 + 1013904223;
    return 256 + (state >> 16) % 640;
}

static long resident(void) {
    char line[256];
    long found = -1;
    FILE *file = fopen("/proc/self/smaps_rollup", "r");
    while (file && fgets(line, sizeof line, file) && sscanf(line, "Rss: %ld", &found) != 1) {}
    if (file) fclose(file);
    return found;
}

// Whether textures, each of a colour of its own, are drawn right.
static int turn(int round) {
    EGLContext context = make_context(EGL_NO_CONTEXT);
    target(WIDTH, HEIGHT, NULL);
    // nv30 ends when a texture is the first work of a context that is not the first one.
    clear();
    GLuint used = program(PLAIN, SAMPLE), names[TEXTURES];
    int right = 1;
    for (int i = 0; i < TEXTURES; i++) {
        int width = side(), height = side();
        uint32_t color = 0xFF000000u | (uint32_t)(round * TEXTURES + i);
        uint32_t *texels = malloc(4u * width * height);
        for (int at = 0; at < width * height; at++) texels[at] = color;
        names[i] = texture(width, height, texels);
        free(texels);
        rectangle(-1, -1, 1, 1);
        right &= pixel(WIDTH / 2, HEIGHT / 2) == __builtin_bswap32(color);
    }
    glDeleteTextures(TEXTURES, names);
    GLuint last = texture(1, 1, (const uint32_t[]){0xFFFFFFFF});
    for (int i = 0; i < SCENES; i++) {
        rectangle(-1, -1, 1, 1);
        right &= pixel(0, 0) == 0xFFFFFFFF;
    }
    glDeleteTextures(1, &last);
    glDeleteProgram(used);
    eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(display, context);
    return right;
}

int main(void) {
    for (int round = 0; round < ROUNDS; round++) {
        if (!turn(round)) return 1;
        printf("%ld\n", resident());
        fflush(stdout);
    }
    return 0;
}
