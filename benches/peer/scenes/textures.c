// Textures: filters, wraps, levels, cubes, compressed ones, formats.
#include "helpers.h"
#include "scenes.h"

#include <stdlib.h>
#include <string.h>

static GLuint program;
static GLuint textures[8];
static int indices;

static const char REPEATED_TEXTURE[] = HIGH_PRECISION
    "varying vec2 t;\n"
    "uniform sampler2D s;\n"
    "uniform float k;\n"
    "void main() {\n"
    "    gl_FragColor = texture2D(s, t * k);\n"
    "}\n";

void prepare_quad(void) {
    program = link_vertex_fragment(RECTANGLE, REPEATED_TEXTURE);
    quad_vertices();
    textures[0] = picture_texture(64, SQUARES, GL_NEAREST, GL_CLAMP_TO_EDGE);
    textures[1] = picture_texture(64, BRICKS, GL_LINEAR, GL_REPEAT);
    textures[2] = picture_texture(32, SQUARES, GL_LINEAR, GL_MIRRORED_REPEAT);
}

void draw_quad(void) {
    static const float times[3] = {1, 2.5f, 3};
    clear_window(.2f, .2f, .2f);
    for (int i = 0; i < 3; i++) {
        glBindTexture(GL_TEXTURE_2D, textures[i]);
        glUniform1f(uniform(program, "k"), times[i]);
        draw_rectangle(program, .3f, .8f, -.66f + .66f * i, 0);
    }
}

static const char FLOOR[] =
    "attribute vec2 pos;\n"
    "attribute vec2 uv;\n"
    "uniform mat4 mvp;\n"
    "varying vec2 t;\n"
    "void main() {\n"
    "    t = uv * 16.0;\n"
    "    gl_Position = mvp * vec4(pos.x * 6.0, -1.0, pos.y * 12.0 - 12.0, 1.0);\n"
    "}\n";

static const char TEXTURED[] = HIGH_PRECISION
    "varying vec2 t;\n"
    "uniform sampler2D s;\n"
    "void main() {\n"
    "    gl_FragColor = texture2D(s, t);\n"
    "}\n";

// A level of 4x4 squares in a colour of its own.
static void fill_level(int level, int edge) {
    static const uint8_t colors[][3] = {
        {255, 255, 255}, {255, 80, 80}, {80, 255, 80}, {80, 80, 255}, {255, 255, 80}, {255, 80, 255}, {80, 255, 255},
    };
    uint8_t *texels = malloc(edge * edge * 4), *texel = texels;
    int divisor = edge > 3 ? edge : 4;
    for (int y = 0; y < edge; y++) {
        for (int x = 0; x < edge; x++, texel += 4) {
            int odd = (x * 4 / divisor ^ y * 4 / divisor) & 1;
            for (int i = 0; i < 3; i++) texel[i] = colors[level][i] / (odd ? 1 : 3);
            texel[3] = 255;
        }
    }
    glTexImage2D(GL_TEXTURE_2D, level, GL_RGBA, edge, edge, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    free(texels);
}

void prepare_mipmap(void) {
    static const GLenum filters[3] = {GL_NEAREST_MIPMAP_NEAREST, GL_LINEAR_MIPMAP_NEAREST, GL_LINEAR_MIPMAP_LINEAR};
    program = link_vertex_fragment(FLOOR, TEXTURED);
    quad_vertices();
    for (int i = 0; i < 3; i++) {
        textures[i] = new_texture(GL_TEXTURE_2D, GL_LINEAR);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, filters[i]);
        for (int level = 0; level <= 6; level++) fill_level(level, 64 >> level);
    }
}

void draw_mipmap(void) {
    clear_window(.4f, .6f, .9f);
    for (int i = 0; i < 3; i++) {
        struct matrix view = perspective(1.1f, aspect(), .2f, 60);
        set_matrix(program, "mvp", multiply(view, translation(-12 + 12.5f * i, -.3f, 0)));
        glBindTexture(GL_TEXTURE_2D, textures[i]);
        glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    }
}

static const char REFLECTION[] = HIGH_PRECISION
    "varying vec3 n, e;\n"
    "varying vec2 t;\n"
    "uniform samplerCube s;\n"
    "void main() {\n"
    "    vec3 r = reflect(normalize(e), normalize(n));\n"
    "    gl_FragColor = textureCube(s, r) * (0.6 + 0.4 * r.z * r.z);\n"
    "}\n";

// Squares over a gradient; each side has a colour of its own.
static void fill_side(int side) {
    uint8_t texels[32][32][4];
    for (int y = 0; y < 32; y++) {
        for (int x = 0; x < 32; x++) {
            int odd = (x / 4 ^ y / 4) & 1;
            uint8_t *texel = texels[y][x];
            texel[0] = (side & 1 ? 200 : 80) + odd * 50;
            texel[1] = (side & 2 ? 180 : 60) + x * 2;
            texel[2] = (side & 4 ? 190 : 50) + y * 2;
            texel[3] = 255;
        }
    }
    GLenum target = GL_TEXTURE_CUBE_MAP_POSITIVE_X + side;
    glTexImage2D(target, 0, GL_RGBA, 32, 32, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
}

void prepare_cube_map(void) {
    indices = torus(40, 20, 1.1f, .6f);
    program = link_vertex_fragment(MESH, REFLECTION);
    new_texture(GL_TEXTURE_CUBE_MAP, GL_LINEAR);
    set_wrap(GL_TEXTURE_CUBE_MAP, GL_CLAMP_TO_EDGE);
    for (int side = 0; side < 6; side++) fill_side(side);
    glEnable(GL_DEPTH_TEST);
}

void draw_cube_map(void) {
    clear_window(.1f, .1f, .1f);
    set_matrices(program, multiply(translation(0, 0, -4), rotation_x(-.8f)), aspect());
    draw_torus(indices);
}

static const char OVER_BLUE[] = HIGH_PRECISION
    "varying vec2 t;\n"
    "uniform sampler2D s;\n"
    "void main() {\n"
    "    vec4 c = texture2D(s, t);\n"
    "    gl_FragColor = vec4(mix(vec3(0.2, 0.3, 0.6), c.rgb, c.a), 1.0);\n"
    "}\n";

enum { DXT1, DXT3, DXT5, KINDS_OF_S3TC };

// Eight bytes: DXT3 has four bits for each texel, DXT5 two values and three bits for each.
static uint8_t *put_alpha(uint8_t *to, int kind, int block, uint32_t *state) {
    int i = 0;
    if (kind == DXT5) {
        to[i++] = 255 - (block >> 4) * 4;
        to[i++] = 40 + (block & 15);
    }
    while (i < 8) to[i++] = random_bits(state);
    return to + 8;
}

// Two colours of 5, 6 and 5 bits, and two bits for each texel.
static uint8_t *put_colors(uint8_t *to, int kind, int block, uint32_t *state) {
    int x = block & 15, y = block >> 4;
    uint16_t colors[2] = {(x * 2) << 11 | 32 << 5 | (31 - y), 4 << 11 | (y * 4) << 5 | x};
    // The lesser one first: three colours, and a texel may be transparent.
    int swap = kind == DXT1 && (block & 3) == 0 && colors[0] > colors[1];
    memcpy(to, &colors[swap], 2);
    memcpy(to + 2, &colors[!swap], 2);
    for (int i = 4; i < 8; i++) to[i] = random_bits(state);
    return to + 8;
}

void prepare_s3tc(void) {
    static const GLenum formats[KINDS_OF_S3TC] = {
        GL_COMPRESSED_RGBA_S3TC_DXT1_EXT,
        GL_COMPRESSED_RGBA_S3TC_DXT3_EXT,
        GL_COMPRESSED_RGBA_S3TC_DXT5_EXT,
    };
    program = link_vertex_fragment(RECTANGLE, OVER_BLUE);
    quad_vertices();
    for (int kind = 0; kind < KINDS_OF_S3TC; kind++) {
        uint8_t blocks[16 * 16 * 16], *end = blocks;
        uint32_t state = 5 + kind;
        for (int block = 0; block < 16 * 16; block++) {
            if (kind != DXT1) end = put_alpha(end, kind, block, &state);
            end = put_colors(end, kind, block, &state);
        }
        textures[kind] = new_texture(GL_TEXTURE_2D, GL_NEAREST);
        glCompressedTexImage2D(GL_TEXTURE_2D, 0, formats[kind], 64, 64, 0, end - blocks, blocks);
    }
}

void draw_s3tc(void) {
    clear_window(0, 0, 0);
    for (int i = 0; i < 3; i++) {
        glBindTexture(GL_TEXTURE_2D, textures[i]);
        draw_rectangle(program, .3f, .8f, -.66f + .66f * i, 0);
    }
}

static const struct format {
    GLenum format, type;
    int bytes, width, height;
} FORMATS[8] = {
    {GL_RGB, GL_UNSIGNED_SHORT_5_6_5, 2, 32, 32},
    {GL_RGBA, GL_UNSIGNED_SHORT_4_4_4_4, 2, 32, 32},
    {GL_RGBA, GL_UNSIGNED_SHORT_5_5_5_1, 2, 32, 32},
    {GL_LUMINANCE, GL_UNSIGNED_BYTE, 1, 32, 32},
    {GL_LUMINANCE_ALPHA, GL_UNSIGNED_BYTE, 2, 32, 32},
    {GL_ALPHA, GL_UNSIGNED_BYTE, 1, 32, 32},
    {GL_RGB, GL_UNSIGNED_BYTE, 3, 32, 16},
    {GL_RGBA, GL_UNSIGNED_BYTE, 4, 48, 32},
};

static void fill_format(const struct format *format, uint32_t state) {
    uint8_t *texels = malloc(format->width * format->height * 4), *texel = texels;
    for (int y = 0; y < format->height; y++) {
        for (int x = 0; x < format->width; x++, texel += format->bytes) {
            uint32_t value = (x * 8 & 255) | (y * 8 & 255) << 8 | (random_bits(&state) & 0x3f) << 16 | 255u << 24;
            if (format->bytes == 2) value = (uint16_t)(x * 2113 + y * 67 + 1);
            memcpy(texel, &value, format->bytes);
        }
    }
    GLenum kind = format->format;
    glTexImage2D(GL_TEXTURE_2D, 0, kind, format->width, format->height, 0, kind, format->type, texels);
    free(texels);
}

void prepare_formats(void) {
    program = link_vertex_fragment(RECTANGLE, TEXTURED);
    quad_vertices();
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    for (int i = 0; i < 8; i++) {
        textures[i] = new_texture(GL_TEXTURE_2D, GL_NEAREST);
        set_wrap(GL_TEXTURE_2D, GL_CLAMP_TO_EDGE);
        fill_format(&FORMATS[i], i + 1);
    }
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
}

void draw_formats(void) {
    clear_window(.3f, .5f, .3f);
    for (int i = 0; i < 8; i++) {
        glBindTexture(GL_TEXTURE_2D, textures[i]);
        draw_rectangle(program, .22f, .42f, -.75f + .5f * (i % 4), i < 4 ? .5f : -.5f);
    }
}
