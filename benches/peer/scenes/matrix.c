#include "matrix.h"

#include <math.h>

struct matrix identity(void) {
    return (struct matrix){{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
}

struct matrix multiply(struct matrix a, struct matrix b) {
    struct matrix result;
    for (int column = 0; column < 4; column++) {
        for (int row = 0; row < 4; row++) {
            float sum = 0;
            for (int k = 0; k < 4; k++) sum += a.m[k * 4 + row] * b.m[column * 4 + k];
            result.m[column * 4 + row] = sum;
        }
    }
    return result;
}

struct matrix perspective(float field, float aspect, float near, float far) {
    struct matrix result = {{0}};
    float scale = 1 / tanf(field / 2);
    result.m[0] = scale / aspect;
    result.m[5] = scale;
    result.m[10] = (far + near) / (near - far);
    result.m[11] = -1;
    result.m[14] = 2 * far * near / (near - far);
    return result;
}

struct matrix translation(float x, float y, float z) {
    struct matrix result = identity();
    result.m[12] = x;
    result.m[13] = y;
    result.m[14] = z;
    return result;
}

struct matrix scaling(float x, float y, float z) {
    struct matrix result = identity();
    result.m[0] = x;
    result.m[5] = y;
    result.m[10] = z;
    return result;
}

struct matrix rotation_x(float angle) {
    struct matrix result = identity();
    result.m[5] = result.m[10] = cosf(angle);
    result.m[6] = sinf(angle);
    result.m[9] = -sinf(angle);
    return result;
}

struct matrix rotation_y(float angle) {
    struct matrix result = identity();
    result.m[0] = result.m[10] = cosf(angle);
    result.m[2] = -sinf(angle);
    result.m[8] = sinf(angle);
    return result;
}

struct matrix rotation_z(float angle) {
    struct matrix result = identity();
    result.m[0] = result.m[5] = cosf(angle);
    result.m[1] = sinf(angle);
    result.m[4] = -sinf(angle);
    return result;
}
