// OpenGL without a window: a context with a picture of its own, and that picture as a file.
#ifndef CONTEXT_H
#define CONTEXT_H

#define GL_GLEXT_PROTOTYPES
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <GL/glext.h>

// What a scene is written for. Of OpenGL 2.1 a driver may give a later version that has all of it; those from 3.3 on
// are core profiles.
enum version { GLES_2_0, GLES_3_0, GL_2_1, GL_3_3, GL_4_3 };

// The same in words.
const char *version_name(enum version version);

// Makes a context current whose default framebuffer has 8 bits for each colour, 24 for depth, 8 for stencil and no
// further samples. Ends the program with NOT_OFFERED where the driver has no such version.
void open_context(enum version version, int width, int height);
void close_context(void);

// Writes the default framebuffer as a PNG file.
void write_picture(const char *path, int width, int height);

// Says why and ends the program.
_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

// Exit statuses.
enum { FAILED = 1, USAGE = 2, NOT_OFFERED = 3 };

#endif
