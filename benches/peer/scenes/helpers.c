#include "helpers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int width = 320, height = 240;
int frame;

float aspect(void) { return (float)width / height; }

const char RECTANGLE[] =
    "attribute vec2 pos;\n"
    "attribute vec2 uv;\n"
    "varying vec2 t;\n"
    "uniform vec4 rect;\n"
    "void main() {\n"
    "    t = uv;\n"
    "    gl_Position = vec4(pos * rect.xy + rect.zw, 0.0, 1.0);\n"
    "}\n";

const char MESH[] =
    "attribute vec3 pos;\n"
    "attribute vec3 nrm;\n"
    "attribute vec2 uv;\n"
    "uniform mat4 mvp, mv;\n"
    "varying vec3 n, e;\n"
    "varying vec2 t;\n"
    "void main() {\n"
    "    n = (mv * vec4(nrm, 0.0)).xyz;\n"
    "    e = (mv * vec4(pos, 1.0)).xyz;\n"
    "    t = uv;\n"
    "    gl_Position = mvp * vec4(pos, 1.0);\n"
    "}\n";

void attach(GLuint program, GLenum stage, const char *source) {
    GLuint shader = glCreateShader(stage);
    GLint done;
    glShaderSource(shader, 1, &source, NULL);
    glCompileShader(shader);
    glGetShaderiv(shader, GL_COMPILE_STATUS, &done);
    if (!done) {
        char log[2000];
        glGetShaderInfoLog(shader, sizeof log, NULL, log);
        fail("a program does not compile: %s\n%s", log, source);
    }
    glAttachShader(program, shader);
}

void link_program(GLuint program) {
    GLint done;
    glLinkProgram(program);
    glGetProgramiv(program, GL_LINK_STATUS, &done);
    if (!done) {
        char log[2000];
        glGetProgramInfoLog(program, sizeof log, NULL, log);
        fail("a program does not link: %s", log);
    }
    glUseProgram(program);
}

GLuint link_vertex_fragment(const char *vertex, const char *fragment) {
    static const char *const names[] = {"pos", "nrm", "uv", "col", "aux"};
    GLuint program = glCreateProgram();
    attach(program, GL_VERTEX_SHADER, vertex);
    attach(program, GL_FRAGMENT_SHADER, fragment);
    for (int i = 0; i < 5; i++) glBindAttribLocation(program, i, names[i]);
    link_program(program);
    return program;
}

GLint uniform(GLuint program, const char *name) { return glGetUniformLocation(program, name); }

void set_matrix(GLuint program, const char *name, struct matrix value) {
    glUniformMatrix4fv(uniform(program, name), 1, GL_FALSE, value.m);
}

void set_matrices(GLuint program, struct matrix place, float aspect) {
    set_matrix(program, "mv", place);
    set_matrix(program, "mvp", multiply(perspective(.9f, aspect, .5f, 50), place));
}

GLuint buffer(GLenum target, size_t size, const void *data) {
    GLuint name;
    glGenBuffers(1, &name);
    glBindBuffer(target, name);
    glBufferData(target, size, data, GL_STATIC_DRAW);
    return name;
}

void attribute(enum attribute index, int components, int stride, int start) {
    glEnableVertexAttribArray(index);
    glVertexAttribPointer(index, components, GL_FLOAT, GL_FALSE, stride * 4, (void *)(intptr_t)(start * 4));
}

void clear_target(int width, int height, float red, float green, float blue) {
    glViewport(0, 0, width, height);
    glClearColor(red, green, blue, 1);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
}

void clear_window(float red, float green, float blue) { clear_target(width, height, red, green, blue); }

uint32_t random_bits(uint32_t *state) {
    *state = *state * 1664525 + 1013904223;
    return *state >> 8;
}

static void put(uint8_t *texel, int red, int green, int blue, int alpha) {
    texel[0] = red;
    texel[1] = green;
    texel[2] = blue;
    texel[3] = alpha;
}

static void draw_square_texel(uint8_t *texel, int edge, int x, int y) {
    int odd = (x * 8 / edge ^ y * 8 / edge) & 1;
    put(texel, odd ? 230 : 40, x * 255 / (edge - 1), y * 255 / (edge - 1), 255);
}

static void draw_disc_texel(uint8_t *texel, int edge, int x, int y) {
    float radius = hypotf(x - edge / 2 + .5f, y - edge / 2 + .5f) / (edge / 2);
    put(texel, 255, 160, 60, radius < 1 ? 255 - (int)(radius * 200) : 0);
}

static void draw_brick_texel(uint8_t *texel, int edge, int x, int y, uint32_t *state) {
    int along = y * 8 / edge & 1 ? x + edge / 8 : x;
    int mortar = along % (edge / 4) < edge / 32 + 1 || y % (edge / 8) < edge / 32 + 1;
    int grain = random_bits(state) % 24;
    put(texel, mortar ? 180 : 150 + grain, mortar ? 175 : 70 + grain / 2, mortar ? 165 : 50, 255);
}

static void draw_noise_texel(uint8_t *texel, uint32_t *state) {
    int red = random_bits(state), green = random_bits(state), blue = random_bits(state);
    put(texel, red, green, blue, 255);
}

void draw_picture(uint8_t *texels, int edge, enum picture picture) {
    uint32_t state = 7;
    for (int y = 0; y < edge; y++) {
        for (int x = 0; x < edge; x++, texels += 4) {
            switch (picture) {
            case SQUARES: draw_square_texel(texels, edge, x, y); break;
            case DISC: draw_disc_texel(texels, edge, x, y); break;
            case BRICKS: draw_brick_texel(texels, edge, x, y, &state); break;
            case NOISE: draw_noise_texel(texels, &state); break;
            }
        }
    }
}

GLuint new_texture(GLenum target, GLenum filter) {
    GLuint name;
    glGenTextures(1, &name);
    glBindTexture(target, name);
    glTexParameteri(target, GL_TEXTURE_MIN_FILTER, filter);
    glTexParameteri(target, GL_TEXTURE_MAG_FILTER, filter);
    return name;
}

void set_wrap(GLenum target, GLenum wrap) {
    glTexParameteri(target, GL_TEXTURE_WRAP_S, wrap);
    glTexParameteri(target, GL_TEXTURE_WRAP_T, wrap);
}

GLuint picture_texture(int edge, enum picture picture, GLenum filter, GLenum wrap) {
    GLuint name = new_texture(GL_TEXTURE_2D, filter);
    uint8_t *texels = malloc(edge * edge * 4);
    draw_picture(texels, edge, picture);
    set_wrap(GL_TEXTURE_2D, wrap);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, edge, edge, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    free(texels);
    return name;
}

void check_framebuffer(const char *what) {
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) fail("%s: incomplete framebuffer", what);
}
