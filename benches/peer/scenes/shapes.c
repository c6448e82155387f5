// What is drawn: triangles, meshes, the other primitives; and what becomes of pixels: blending, stencil.
#include "helpers.h"
#include "scenes.h"

#include <math.h>
#include <string.h>

static GLuint program;
static GLuint disc;

static const char COLORED_VERTICES[] =
    "attribute vec3 pos;\n"
    "attribute vec3 col;\n"
    "varying vec3 c;\n"
    "void main() {\n"
    "    c = col;\n"
    "    gl_Position = vec4(pos, 1.0);\n"
    "}\n";

static const char COLORED_PIXELS[] = HIGH_PRECISION
    "varying vec3 c;\n"
    "void main() {\n"
    "    gl_FragColor = vec4(c, 1.0);\n"
    "}\n";

void prepare_triangle(void) {
    static const float vertices[] = {
        -.8f, -.7f, 0, 1, 0, 0, //
        .8f,  -.6f, 0, 0, 1, 0, //
        .1f,  .8f,  0, 0, 0, 1, //
    };
    link_vertex_fragment(COLORED_VERTICES, COLORED_PIXELS);
    buffer(GL_ARRAY_BUFFER, sizeof vertices, vertices);
    attribute(POSITION, 3, 6, 0);
    attribute(COLOR, 3, 6, 3);
}

void draw_triangle(void) {
    clear_window(.1f, .15f, .25f);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

void prepare_cubes(void) {
    cube_vertices();
    mesh_attributes();
    program = link_vertex_fragment(MESH, TINTED_CUBES);
    glEnable(GL_DEPTH_TEST);
    glEnable(GL_CULL_FACE);
}

void draw_cubes(void) {
    clear_window(.05f, .05f, .1f);
    draw_nine_cubes(program, aspect());
}

static const char POINT_VERTICES[] =
    "attribute vec3 pos;\n"
    "attribute vec3 col;\n"
    "varying vec3 c;\n"
    "uniform vec4 xf;\n"
    "void main() {\n"
    "    c = col;\n"
    "    gl_PointSize = xf.w;\n"
    "    gl_Position = vec4(pos.xy * xf.x + xf.yz, 0.0, 1.0);\n"
    "}\n";

// A spiral whose points are the vertices of all kinds of primitives.
void prepare_primitives(void) {
    float vertices[64][6];
    for (int i = 0; i < 64; i++) {
        float angle = i * .35f, radius = .1f + .012f * i;
        const float position[3] = {radius * cosf(angle), radius * sinf(angle), 0};
        const float color[3] = {.5f + .5f * cosf(angle), .5f + .5f * sinf(angle * 2), 1 - i / 64.f};
        memcpy(vertices[i], position, sizeof position);
        memcpy(vertices[i] + 3, color, sizeof color);
    }
    program = link_vertex_fragment(POINT_VERTICES, COLORED_PIXELS);
    buffer(GL_ARRAY_BUFFER, sizeof vertices, vertices);
    attribute(POSITION, 3, 6, 0);
    attribute(COLOR, 3, 6, 3);
}

void draw_primitives(void) {
    static const GLenum kinds[6] = {
        GL_POINTS, GL_LINES, GL_TRIANGLE_FAN, GL_TRIANGLE_STRIP, GL_TRIANGLES, GL_LINE_LOOP,
    };
    clear_window(.1f, .1f, .2f);
    for (int i = 0; i < 6; i++) {
        int x = i % 3 * width / 3, y = i / 3 * height / 2;
        glViewport(x, y, width / 3, height / 2);
        glEnable(GL_SCISSOR_TEST);
        glScissor(x + 4, y + 4, width / 3 - 8, height / 2 - 8);
        glUniform4f(uniform(program, "xf"), 1, 0, 0, 6);
        glDrawArrays(kinds[i], 0, kinds[i] == GL_TRIANGLE_FAN ? 24 : 60);
    }
    glDisable(GL_SCISSOR_TEST);
}

static const char TINTED_TEXTURE[] = HIGH_PRECISION
    "varying vec2 t;\n"
    "uniform sampler2D s;\n"
    "uniform vec4 tint;\n"
    "void main() {\n"
    "    gl_FragColor = texture2D(s, t) * tint;\n"
    "}\n";

void prepare_blending(void) {
    program = link_vertex_fragment(RECTANGLE, TINTED_TEXTURE);
    quad_vertices();
    disc = picture_texture(64, DISC, GL_LINEAR, GL_CLAMP_TO_EDGE);
    glEnable(GL_BLEND);
}

void draw_blending(void) {
    static const struct {
        GLenum source, destination, equation;
    } modes[6] = {
        {GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_FUNC_ADD},
        {GL_SRC_ALPHA, GL_ONE, GL_FUNC_ADD},
        {GL_DST_COLOR, GL_ZERO, GL_FUNC_ADD},
        {GL_ONE, GL_ONE_MINUS_SRC_COLOR, GL_FUNC_ADD},
        {GL_SRC_ALPHA, GL_ONE, GL_FUNC_REVERSE_SUBTRACT},
        {GL_CONSTANT_COLOR, GL_ONE_MINUS_CONSTANT_ALPHA, GL_FUNC_ADD},
    };
    clear_window(.3f, .35f, .5f);
    glBlendColor(.6f, .3f, .2f, .5f);
    for (int i = 0; i < 18; i++) {
        int mode = i % 6;
        glBlendFunc(modes[mode].source, modes[mode].destination);
        glBlendEquation(modes[mode].equation);
        glUniform4f(uniform(program, "tint"), .4f + .1f * (i % 7), 1 - .1f * (i % 5), .3f + .2f * (i % 4), .8f);
        draw_rectangle(program, .35f, .4f, -.7f + .28f * mode, -.6f + .6f * (i / 6));
    }
}

void prepare_stencil(void) {
    prepare_cubes();
    glEnable(GL_STENCIL_TEST);
}

static void draw_tinted_cube(struct matrix place, float red, float green, float blue) {
    glUniform3f(uniform(program, "tint"), red, green, blue);
    set_matrices(program, place, aspect());
    glDrawArrays(GL_TRIANGLES, 0, CUBE_VERTICES);
}

// A cube, its outline, another one where both are, and a square where those two are.
void draw_stencil(void) {
    clear_window(.2f, .25f, .2f);
    glEnable(GL_STENCIL_TEST);
    glStencilFunc(GL_ALWAYS, 1, 255);
    glStencilOp(GL_KEEP, GL_KEEP, GL_REPLACE);
    struct matrix first = multiply(translation(-.6f, 0, -5), multiply(rotation_x(.6f), rotation_y(.5f)));
    draw_tinted_cube(first, .9f, .7f, .2f);
    glStencilFunc(GL_NOTEQUAL, 1, 255);
    glStencilOp(GL_KEEP, GL_KEEP, GL_KEEP);
    glDisable(GL_DEPTH_TEST);
    draw_tinted_cube(multiply(first, scaling(1.15f, 1.15f, 1.15f)), 1, 1, 1);
    glStencilFunc(GL_EQUAL, 1, 255);
    glStencilOp(GL_KEEP, GL_INCR, GL_INCR);
    draw_tinted_cube(multiply(translation(.5f, .2f, -5), rotation_z(.4f)), .2f, .4f, 1);
    glStencilFunc(GL_LESS, 1, 3);
    glStencilOp(GL_KEEP, GL_KEEP, GL_INVERT);
    draw_tinted_cube(multiply(translation(.4f, -.3f, -5), scaling(.5f, .5f, .5f)), 1, .2f, .3f);
    glEnable(GL_DEPTH_TEST);
}
