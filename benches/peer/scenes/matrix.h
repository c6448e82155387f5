// Matrices of 4x4, column by column as OpenGL takes them, for column vectors. Angles are in radians.
#ifndef MATRIX_H
#define MATRIX_H

#define PI 3.14159265f

struct matrix {
    float m[16];
};

struct matrix identity(void);

// What `b` does first and `a` then.
struct matrix multiply(struct matrix a, struct matrix b);

// `field` is the angle of view from bottom to top, `aspect` the width of a picture as a multiple of its height.
struct matrix perspective(float field, float aspect, float near, float far);

struct matrix translation(float x, float y, float z);
struct matrix scaling(float x, float y, float z);
struct matrix rotation_x(float angle);
struct matrix rotation_y(float angle);
struct matrix rotation_z(float angle);

#endif
