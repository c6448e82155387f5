// What programs do since OpenGL ES 3 and OpenGL 3: compute, integers and blocks of uniforms, loops that depend on data.
#include "helpers.h"
#include "scenes.h"

#include <stdlib.h>
#include <string.h>

static GLuint program, compute_program;
static GLuint image;

// A histogram of what it draws, by way of shared memory.
static const char HISTOGRAM[] =
    "#version 430\n"
    "layout(local_size_x = 8, local_size_y = 8) in;\n"
    "layout(rgba8, binding = 0) uniform writeonly image2D img;\n"
    "layout(std430, binding = 0) buffer H { uint hist[64]; };\n"
    "shared uint part[64];\n"
    "void main() {\n"
    "    uint l = gl_LocalInvocationIndex;\n"
    "    part[l] = 0u;\n"
    "    barrier();\n"
    "    uvec2 p = gl_GlobalInvocationID.xy;\n"
    "    uint v = (p.x * p.x + p.y * p.y * 3u) >> 6u;\n"
    "    atomicAdd(part[v & 63u], 1u);\n"
    "    barrier();\n"
    "    atomicAdd(hist[l], part[l]);\n"
    "    uint s = part[(l * 7u) & 63u];\n"
    "    imageStore(img, ivec2(p), vec4(float(v & 255u) / 255.0, float(s) / 16.0, float(l) / 63.0, 1.0));\n"
    "}\n";

static const char HISTOGRAM_VERTICES[] =
    "#version 430\n"
    "in vec2 pos, uv;\n"
    "out vec2 t;\n"
    "uniform vec4 rect;\n"
    "void main() {\n"
    "    t = uv;\n"
    "    gl_Position = vec4(pos * rect.xy + rect.zw, 0.0, 1.0);\n"
    "}\n";

static const char HISTOGRAM_PIXELS[] =
    "#version 430\n"
    "in vec2 t;\n"
    "out vec4 o;\n"
    "uniform sampler2D s;\n"
    "layout(std430, binding = 0) buffer H { uint hist[64]; };\n"
    "void main() {\n"
    "    uint b = hist[uint(t.x * 63.99)];\n"
    "    vec4 c = texture(s, t);\n"
    "    o = t.y * 600.0 < float(b) ? vec4(1.0 - c.rgb, 1.0) : c;\n"
    "}\n";

enum { IMAGE_EDGE = 128, BINS = 64 };

void prepare_compute(void) {
    compute_program = glCreateProgram();
    attach(compute_program, GL_COMPUTE_SHADER, HISTOGRAM);
    link_program(compute_program);
    program = link_vertex_fragment(HISTOGRAM_VERTICES, HISTOGRAM_PIXELS);
    image = new_texture(GL_TEXTURE_2D, GL_NEAREST);
    glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, IMAGE_EDGE, IMAGE_EDGE);
    GLuint histogram = buffer(GL_SHADER_STORAGE_BUFFER, BINS * sizeof(uint32_t), NULL);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, histogram);
    quad_vertices();
}

void draw_compute(void) {
    static const uint32_t empty[BINS];
    glBufferSubData(GL_SHADER_STORAGE_BUFFER, 0, sizeof empty, empty);
    glUseProgram(compute_program);
    glBindImageTexture(0, image, 0, GL_FALSE, 0, GL_WRITE_ONLY, GL_RGBA8);
    glDispatchCompute(IMAGE_EDGE / 8, IMAGE_EDGE / 8, 1);
    glMemoryBarrier(GL_ALL_BARRIER_BITS);
    glUseProgram(program);
    clear_window(0, 0, 0);
    draw_rectangle(program, .9f, .9f, 0, 0);
}

static const char INTEGER_VERTICES[] =
    "#version 300 es\n"
    "precision highp float;\n"
    "precision highp int;\n"
    "in vec2 pos, uv;\n"
    "out vec2 t;\n"
    "flat out int id;\n"
    "layout(std140) uniform X { vec4 xf[16]; ivec4 k[16]; };\n"
    "uniform int n;\n"
    "void main() {\n"
    "    t = uv;\n"
    "    id = n;\n"
    "    gl_Position = vec4(pos * xf[n].xy + xf[n].zw, 0.0, 1.0);\n"
    "}\n";

static const char INTEGER_PIXELS[] =
    "#version 300 es\n"
    "precision highp float;\n"
    "precision highp int;\n"
    "precision highp usampler2D;\n"
    "precision highp sampler2DArray;\n"
    "in vec2 t;\n"
    "flat in int id;\n"
    "out vec4 o;\n"
    "layout(std140) uniform X { vec4 xf[16]; ivec4 k[16]; };\n"
    "uniform usampler2D u;\n"
    "uniform sampler2DArray a;\n"
    "void main() {\n"
    "    ivec2 p = ivec2(t * 32.0);\n"
    "    uint v = texelFetch(u, p & 15, 0).r;\n"
    "    int m = k[id].x;\n"
    "    uint w;\n"
    "    switch (m) {\n"
    "    case 0: w = v; break;\n"
    "    case 1: w = (v << 3u) ^ v; break;\n"
    "    case 2: w = v & uint(k[id].y); break;\n"
    "    case 3: w = (v * 2654435761u) >> 24u; break;\n"
    "    default: w = floatBitsToUint(float(v) + 0.5) >> 16u;\n"
    "    }\n"
    "    int q = int(w) % 37 - (p.x - p.y) / 3;\n"
    "    o = vec4(float(w & 255u) / 255.0, float(q & 63) / 63.0, float(uint(q) / 3u & 31u) / 31.0, 1.0)\n"
    "        * texture(a, vec3(t, float(id & 3)));\n"
    "}\n";

// The block of both programs: where each of sixteen rectangles is, and which operation it shows with what number.
static void prepare_block(void) {
    struct {
        float places[16][4];
        int32_t operations[16][4];
    } block = {0};
    for (int i = 0; i < 16; i++) {
        const float place[4] = {.23f, .23f, -.75f + .5f * (i % 4), -.75f + .5f * (i / 4)};
        memcpy(block.places[i], place, sizeof place);
        block.operations[i][0] = i % 5;
        block.operations[i][1] = 0xf0 >> (i & 3);
    }
    GLuint name = buffer(GL_UNIFORM_BUFFER, sizeof block, &block);
    glBindBufferBase(GL_UNIFORM_BUFFER, 0, name);
    glUniformBlockBinding(program, glGetUniformBlockIndex(program, "X"), 0);
}

static void prepare_integer_texture(void) {
    uint16_t texels[16 * 16];
    uint32_t state = 3;
    for (int i = 0; i < 16 * 16; i++) texels[i] = random_bits(&state);
    new_texture(GL_TEXTURE_2D, GL_NEAREST);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_R16UI, 16, 16, 0, GL_RED_INTEGER, GL_UNSIGNED_SHORT, texels);
}

static void prepare_layers(void) {
    uint8_t texels[4][32 * 32 * 4];
    for (int layer = 0; layer < 4; layer++) draw_picture(texels[layer], 32, layer);
    new_texture(GL_TEXTURE_2D_ARRAY, GL_NEAREST);
    glTexImage3D(GL_TEXTURE_2D_ARRAY, 0, GL_RGBA8, 32, 32, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
}

void prepare_integers(void) {
    program = link_vertex_fragment(INTEGER_VERTICES, INTEGER_PIXELS);
    prepare_block();
    prepare_integer_texture();
    glActiveTexture(GL_TEXTURE1);
    prepare_layers();
    glUniform1i(uniform(program, "u"), 0);
    glUniform1i(uniform(program, "a"), 1);
    quad_vertices();
}

void draw_integers(void) {
    clear_window(.1f, .1f, .1f);
    for (int i = 0; i < 16; i++) {
        glUniform1i(uniform(program, "n"), i);
        glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    }
}

static const char PLAIN_VERTICES[] =
    "#version 330\n"
    "in vec2 pos, uv;\n"
    "out vec2 t;\n"
    "void main() {\n"
    "    t = uv;\n"
    "    gl_Position = vec4(pos, 0.0, 1.0);\n"
    "}\n";

static const char DYNAMIC_PIXELS[] =
    "#version 330\n"
    "in vec2 t;\n"
    "out vec4 o;\n"
    "uniform int n;\n"
    "uniform vec4 ctl[32];\n"
    "uniform sampler2D s;\n"
    "float f(vec2 p, int m) {\n"
    "    float a = 0.0;\n"
    "    for (int i = 0; i < m; i++) {\n"
    "        if (i == ctl[i].z * 31.0) continue;\n"
    "        a += ctl[i].x * sin(p.x * ctl[i].y + float(i)) * cos(p.y * ctl[31 - i].y);\n"
    "        if (a > 2.5) break;\n"
    "    }\n"
    "    return a;\n"
    "}\n"
    "void main() {\n"
    "    int m = int(t.x * float(n));\n"
    "    float a = f(t * 6.0, m);\n"
    "    vec2 g = vec2(dFdx(a), dFdy(a));\n"
    "    int idx = int(t.y * 31.0);\n"
    "    float w = 0.0;\n"
    "    int k = idx;\n"
    "    while (k > 0) {\n"
    "        w += 1.0;\n"
    "        k = (k & 1) == 0 ? k >> 1 : (k > 7 ? k - 7 : k - 1);\n"
    "    }\n"
    "    o = vec4(0.5 + 0.25 * a, clamp(length(g) * 4.0, 0.0, 1.0), w / 12.0, 1.0)\n"
    "        * textureLod(s, t * 2.0, t.y * 4.0)\n"
    "        + textureGrad(s, t, vec2(0.05, 0.0), vec2(0.0, 0.05)) * 0.2;\n"
    "}\n";

enum { CONTROLS = 32 };

void prepare_dynamic(void) {
    program = link_vertex_fragment(PLAIN_VERTICES, DYNAMIC_PIXELS);
    picture_texture(64, BRICKS, GL_LINEAR, GL_REPEAT);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_NEAREST);
    glGenerateMipmap(GL_TEXTURE_2D);
    quad_vertices();
}

void draw_dynamic(void) {
    float controls[CONTROLS][4] = {{0}};
    for (int i = 0; i < CONTROLS; i++) {
        controls[i][0] = .9f / (1 + i % 9);
        controls[i][1] = 1 + i % 7;
    }
    // The fifth is left out.
    controls[5][2] = 5 / 31.f;
    clear_window(0, 0, 0);
    glUniform4fv(uniform(program, "ctl"), CONTROLS, controls[0]);
    glUniform1i(uniform(program, "n"), CONTROLS);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}
