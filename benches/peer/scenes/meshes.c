// Rectangles, cubes and tori.
#include "helpers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

GLuint quad_vertices(void) {
    static const float corners[] = {
        -1, -1, 0, 0, //
        1,  -1, 1, 0, //
        -1, 1,  0, 1, //
        1,  1,  1, 1, //
    };
    GLuint name = buffer(GL_ARRAY_BUFFER, sizeof corners, corners);
    quad_attributes();
    return name;
}

void quad_attributes(void) {
    attribute(POSITION, 2, 4, 0);
    attribute(COORDINATES, 2, 4, 2);
}

void draw_rectangle(GLuint program, float width, float height, float x, float y) {
    glUniform4f(uniform(program, "rect"), width, height, x, y);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

// A vertex of the cube's side that points along an axis, one way or the other.
static void cube_vertex(float *vertex, int axis, float way, const float *corner) {
    float position[3], normal[3] = {0};
    position[axis] = way;
    position[(axis + 1) % 3] = corner[0] * way;
    position[(axis + 2) % 3] = corner[1];
    normal[axis] = way;
    memcpy(vertex, position, sizeof position);
    memcpy(vertex + 3, normal, sizeof normal);
    vertex[6] = corner[0] * .5f + .5f;
    vertex[7] = corner[1] * .5f + .5f;
}

GLuint cube_vertices(void) {
    static const float corners[6][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, -1}, {1, 1}, {-1, 1}};
    float vertices[CUBE_VERTICES][MESH_FLOATS];
    for (int i = 0; i < CUBE_VERTICES; i++) {
        int side = i / 6;
        cube_vertex(vertices[i], side / 2, side & 1 ? -1 : 1, corners[i % 6]);
    }
    return buffer(GL_ARRAY_BUFFER, sizeof vertices, vertices);
}

void mesh_attributes(void) {
    attribute(POSITION, 3, MESH_FLOATS, 0);
    attribute(NORMAL, 3, MESH_FLOATS, 3);
    attribute(COORDINATES, 2, MESH_FLOATS, 6);
}

const char TINTED_CUBES[] = HIGH_PRECISION
    "varying vec3 n, e;\n"
    "varying vec2 t;\n"
    "uniform vec3 tint;\n"
    "void main() {\n"
    "    float d = max(dot(normalize(n), normalize(vec3(.4, .7, 1.0))), 0.0);\n"
    "    gl_FragColor = vec4(tint * (0.25 + 0.75 * d), 1.0);\n"
    "}\n";

void draw_nine_cubes(GLuint program, float aspect) {
    for (int i = 0; i < 9; i++) {
        float angle = frame * .3f + i * .7f;
        struct matrix place = translation((i % 3 - 1) * 1.5f, (i / 3 - 1) * 1.3f, -6.5f - (i & 1));
        struct matrix turn = multiply(rotation_y(angle * 1.3f), scaling(.75f, .75f, .75f));
        set_matrices(program, multiply(place, multiply(rotation_x(angle), turn)), aspect);
        glUniform3f(uniform(program, "tint"), .4f + .6f * (i % 3) / 2, .4f + .6f * (i / 3) / 2, 1 - .08f * i);
        glDrawArrays(GL_TRIANGLES, 0, CUBE_VERTICES);
    }
}

static void torus_vertices(int around, int across, float radius, float tube) {
    size_t size = (around + 1) * (across + 1) * MESH_FLOATS * sizeof(float);
    float *vertices = malloc(size), *vertex = vertices;
    for (int i = 0; i <= around; i++) {
        for (int j = 0; j <= across; j++, vertex += MESH_FLOATS) {
            float a = 2 * PI * i / around, b = 2 * PI * j / across;
            vertex[0] = (radius + tube * cosf(b)) * cosf(a);
            vertex[1] = (radius + tube * cosf(b)) * sinf(a);
            vertex[2] = tube * sinf(b);
            vertex[3] = cosf(b) * cosf(a);
            vertex[4] = cosf(b) * sinf(a);
            vertex[5] = sinf(b);
            vertex[6] = 4.f * i / around;
            vertex[7] = 2.f * j / across;
        }
    }
    buffer(GL_ARRAY_BUFFER, size, vertices);
    free(vertices);
    mesh_attributes();
}

static int torus_indices(int around, int across) {
    int count = around * across * 6;
    uint16_t *indices = malloc(count * sizeof *indices), *index = indices;
    for (int i = 0; i < around; i++) {
        for (int j = 0; j < across; j++) {
            int a = i * (across + 1) + j, b = a + across + 1;
            const int corners[6] = {a, b, a + 1, a + 1, b, b + 1};
            for (int k = 0; k < 6; k++) *index++ = corners[k];
        }
    }
    buffer(GL_ELEMENT_ARRAY_BUFFER, count * sizeof *indices, indices);
    free(indices);
    return count;
}

int torus(int around, int across, float radius, float tube) {
    torus_vertices(around, across, radius, tube);
    return torus_indices(around, across);
}

void draw_torus(int indices) { glDrawElements(GL_TRIANGLES, indices, GL_UNSIGNED_SHORT, NULL); }
