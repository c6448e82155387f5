// Loaded before a game that draws with SDL: its clock goes by frames, so that every driver draws the same ones. Writes
// the pixels of frame GAME_FRAME to the file GAME_FILE, and the renderer's name to standard output, and ends the game.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct SDL_Window SDL_Window;

static long frame, asked;

static void end(SDL_Window *window) {
    void (*size)(SDL_Window *, int *, int *) = dlsym(RTLD_NEXT, "SDL_GL_GetDrawableSize");
    void *(*find)(const char *) = dlsym(RTLD_NEXT, "SDL_GL_GetProcAddress");
    void (*read)(int, int, int, int, unsigned, unsigned, void *) = find("glReadPixels");
    const char *(*name)(unsigned) = find("glGetString");
    int width, height;
    size(window, &width, &height);
    size_t bytes = (size_t)4 * width * height;
    uint8_t *pixels = malloc(bytes);
    read(0, 0, width, height, 0x1908 /* RGBA */, 0x1401 /* UNSIGNED_BYTE */, pixels);
    FILE *file = fopen(getenv("GAME_FILE"), "wb");
    if (!file || fwrite(pixels, 1, bytes, file) != bytes || fclose(file)) exit(1);
    printf("\n%s\n", name(0x1F01 /* RENDERER */));
    exit(0);
}

void SDL_GL_SwapWindow(SDL_Window *window) {
    void (*swap)(SDL_Window *) = dlsym(RTLD_NEXT, "SDL_GL_SwapWindow");
    asked = 0;
    if (++frame == atol(getenv("GAME_FRAME"))) end(window);
    swap(window);
}

// Milliseconds: 16 for each frame, and some for those that wait within one.
static long milliseconds(void) { return 1000 + 16 * frame + asked++ / 4; }

uint32_t SDL_GetTicks(void) { return (uint32_t)milliseconds(); }
uint64_t SDL_GetTicks64(void) { return (uint64_t)milliseconds(); }
uint64_t SDL_GetPerformanceCounter(void) { return 1000 * (uint64_t)milliseconds(); }
uint64_t SDL_GetPerformanceFrequency(void) { return 1000000; }
