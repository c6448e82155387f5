// What the scenes share: programs, buffers, textures, meshes.
#ifndef HELPERS_H
#define HELPERS_H

#include "context.h"
#include "matrix.h"

#include <stddef.h>
#include <stdint.h>

// The default framebuffer's pixels.
extern int width, height;

// The number of the frame that is drawn; what moves goes by it.
extern int frame;

float aspect(void);

// Where `link_vertex_fragment` puts the attributes `pos`, `nrm`, `uv`, `col` and `aux` of vertex programs.
enum attribute { POSITION, NORMAL, COORDINATES, COLOR, FURTHER };

// Programs of OpenGL ES 2 and of OpenGL 2.1 alike.
#define HIGH_PRECISION                                                                                                \
    "#ifdef GL_ES\n"                                                                                                  \
    "precision highp float;\n"                                                                                        \
    "#endif\n"

// Vertices of `quad_vertices`: a rectangle at `rect.zw`, as large as `rect.xy`; its coordinates are the varying `t`.
extern const char RECTANGLE[];

// Vertices of the meshes: the varyings are the normal `n` and the position `e` seen from the eye, and the texture's
// coordinates `t`. `set_matrices` is for its uniforms.
extern const char MESH[];

// Compiles, links and uses a program. Ends the program with the log if it does not compile.
GLuint link_vertex_fragment(const char *vertex, const char *fragment);

// The same in steps, for other stages.
void attach(GLuint program, GLenum stage, const char *source);
void link_program(GLuint program);

GLint uniform(GLuint program, const char *name);
void set_matrix(GLuint program, const char *name, struct matrix value);

// The matrices of MESH, for an object in a place seen from the eye.
void set_matrices(GLuint program, struct matrix place, float aspect);

// Buffers, bound and filled.
GLuint buffer(GLenum target, size_t size, const void *data);

// An attribute of floats in the bound buffer: how many, and its stride and start in floats.
void attribute(enum attribute index, int components, int stride, int start);

// Clears all of a target, the default framebuffer among them.
void clear_target(int width, int height, float red, float green, float blue);
void clear_window(float red, float green, float blue);

// A generator of numbers of 24 bits.
uint32_t random_bits(uint32_t *state);

// Test pictures, RGBA of 8 bits: squares over a gradient, a disc that fades, bricks, noise.
enum picture { SQUARES, DISC, BRICKS, NOISE };
void draw_picture(uint8_t *texels, int edge, enum picture picture);

// A square texture, made, bound and filled; `filter` is for both directions.
GLuint picture_texture(int edge, enum picture picture, GLenum filter, GLenum wrap);
GLuint new_texture(GLenum target, GLenum filter);
void set_wrap(GLenum target, GLenum wrap);

// Ends the program unless the bound framebuffer is complete.
void check_framebuffer(const char *what);

// The whole square from -1 to 1 as a strip of four vertices, with coordinates from 0 to 1, in a buffer of its own.
GLuint quad_vertices(void);
void quad_attributes(void);
void draw_rectangle(GLuint program, float width, float height, float x, float y);

// Cubes from -1 to 1, of triangles. Vertices have positions, normals and coordinates.
enum { MESH_FLOATS = 8, CUBE_VERTICES = 36 };
GLuint cube_vertices(void);
void mesh_attributes(void);

// Nine cubes that turn with the frames, and their pixels: a light from the eye's side, times the uniform `tint`.
extern const char TINTED_CUBES[];
void draw_nine_cubes(GLuint program, float aspect);

// A torus in buffers of vertices and of indices of 16 bits, as many around the whole of it and around its tube; returns
// the number of indices. `draw_torus` draws it.
int torus(int around, int across, float radius, float tube);
void draw_torus(int indices);

#endif
