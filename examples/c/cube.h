// The cube that the examples draw: its vertices, a transform, a light, the texels of its faces. It is that of
// examples/rust/cube.rs.

#ifndef CUBE_H
#define CUBE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef __clang__
// Products are rounded before they are added, as in Rust.
#pragma STDC FP_CONTRACT OFF
#endif

// Vertices of twelve triangles, and bytes of a vertex.
#define CUBE_VERTICES 36u
#define CUBE_STRIDE 32u
// Texels across and down.
#define CUBE_SIZE 64u
// Ambient light: the least brightness of a face.
#define CUBE_AMBIENT 0.25f

// Position x, y, z; normal x, y, z; texture coordinates s, t of each vertex.
static inline void cube_vertices(float out[CUBE_VERTICES][8]) {
    static const float corners[6][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 0}, {1, 1}, {0, 1}};
    memset(out, 0, CUBE_VERTICES * sizeof out[0]);
    for (uint32_t at = 0; at < CUBE_VERTICES; at++) {
        const uint32_t axis = at / 12;
        const float side = at / 6 % 2 == 0 ? 1.0f : -1.0f, *corner = corners[at % 6];
        float *vertex = out[at];
        vertex[axis] = vertex[3 + axis] = side;
        vertex[(axis + 1) % 3] = 2 * corner[0] - 1;
        vertex[(axis + 2) % 3] = 2 * corner[1] - 1;
        vertex[6] = corner[0];
        vertex[7] = corner[1];
    }
}

// Rows that shaders take: a position (x, y, z, 1) is multiplied with the first four, which give x to the right, y
// upwards, depth from 0 at the near plane to w at the far one, w; then the direction to the light, in the cube's own
// space, and the ambient light.
static inline void cube_constants(uint32_t width, uint32_t height, float rows[6][4]) {
    const float distance = 4.5f, near = 2.0f, far = 7.0f, slope = far / (far - near);
    // The cube is rotated about y, then about x.
    const float sy = sinf(0.6f), cy = cosf(0.6f), sx = sinf(0.5f), cx = cosf(0.5f);
    const float x[3] = {cy, 0, sy}, y[3] = {sx * sy, cx, -sx * cy}, z[3] = {-cx * sy, sx, cx * cy};
    const float scale = 1.8f * (float)height / (float)width;
    for (int i = 0; i < 3; i++) {
        rows[0][i] = x[i] * scale;
        rows[1][i] = y[i] * 1.8f;
        rows[2][i] = z[i] * slope;
        rows[3][i] = z[i];
        rows[4][i] = 0.36f * x[i] + 0.64f * y[i] + -0.68f * z[i];
    }
    rows[0][3] = rows[1][3] = rows[4][3] = 0;
    rows[2][3] = slope * (distance - near);
    rows[3][3] = distance;
    for (int i = 0; i < 4; i++) {
        rows[5][i] = i == 0 ? CUBE_AMBIENT : 0;
    }
}

// Red, green, blue, alpha of texels in rows: a chequered pattern with a border.
static inline void cube_texels(uint8_t out[CUBE_SIZE * CUBE_SIZE][4]) {
    static const uint8_t colors[3][4] = {{240, 200, 90, 255}, {60, 130, 220, 255}, {30, 30, 40, 255}};
    for (uint32_t at = 0; at < CUBE_SIZE * CUBE_SIZE; at++) {
        const uint32_t x = at % CUBE_SIZE, y = at / CUBE_SIZE;
        const bool is_border = x < 2 || y < 2 || x >= CUBE_SIZE - 2 || y >= CUBE_SIZE - 2;
        memcpy(out[at], colors[is_border ? 2 : (x / 8 + y / 8) % 2], sizeof out[at]);
    }
}

#endif // CUBE_H
