// What the programs share: a context without a surface, a picture to draw to, shaders.
#ifndef COMMON_H
#define COMMON_H

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES2/gl2.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 128
#define HEIGHT 96

static void fail(const char *what) {
    fprintf(stderr, "%s: EGL error %#x\n", what, eglGetError());
    exit(1);
}

static EGLDisplay display;
static EGLConfig config;

// A context of OpenGL ES 2 on a display without a window system, made current; it shares objects with `shared`.
static inline EGLContext make_context(EGLContext shared) {
    if (!display) {
        PFNEGLGETPLATFORMDISPLAYEXTPROC get = (void *)eglGetProcAddress("eglGetPlatformDisplayEXT");
        display = get ? get(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL) : EGL_NO_DISPLAY;
        if (!display || !eglInitialize(display, NULL, NULL)) fail("no display");
        const EGLint wanted[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_ES2_BIT, EGL_NONE};
        EGLint count;
        if (!eglChooseConfig(display, wanted, &config, 1, &count) || count == 0) fail("no configuration");
        eglBindAPI(EGL_OPENGL_ES_API);
    }
    const EGLint version[] = {EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE};
    EGLContext context = eglCreateContext(display, config, shared, version);
    if (!context || !eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context)) fail("no context");
    return context;
}

static inline GLuint texture(int width, int height, const void *texels) {
    GLuint name;
    glGenTextures(1, &name);
    glBindTexture(GL_TEXTURE_2D, name);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    return name;
}

// A framebuffer object of a texture, with depth and stencil, made current.
static inline GLuint target(int width, int height, GLuint *color) {
    GLuint name, depth;
    GLuint made = texture(width, height, NULL);
    if (color) *color = made;
    glGenFramebuffers(1, &name);
    glBindFramebuffer(GL_FRAMEBUFFER, name);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, made, 0);
    glGenRenderbuffers(1, &depth);
    glBindRenderbuffer(GL_RENDERBUFFER, depth);
    glRenderbufferStorage(GL_RENDERBUFFER, 0x88F0 /* DEPTH24_STENCIL8 */, width, height);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_STENCIL_ATTACHMENT, GL_RENDERBUFFER, depth);
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) fail("no framebuffer");
    glViewport(0, 0, width, height);
    return name;
}

static inline GLuint shader(GLenum kind, const char *text) {
    GLuint name = glCreateShader(kind);
    GLint done;
    glShaderSource(name, 1, &text, NULL);
    glCompileShader(name);
    glGetShaderiv(name, GL_COMPILE_STATUS, &done);
    if (!done) {
        char log[4096];
        glGetShaderInfoLog(name, sizeof log, NULL, log);
        fprintf(stderr, "%s\n%s\n", text, log);
        exit(1);
    }
    return name;
}

// A program whose vertices are attribute 0, made current: x, y, z, w.
static inline GLuint program(const char *vertex, const char *fragment) {
    GLuint name = glCreateProgram();
    GLint done;
    glAttachShader(name, shader(GL_VERTEX_SHADER, vertex));
    glAttachShader(name, shader(GL_FRAGMENT_SHADER, fragment));
    glBindAttribLocation(name, 0, "at");
    glLinkProgram(name);
    glGetProgramiv(name, GL_LINK_STATUS, &done);
    if (!done) fail("a program that does not link");
    glUseProgram(name);
    return name;
}

// Positions, and the same from 0 to 1.
static const char PLAIN[] =
    "attribute vec4 at; varying vec2 p; void main() { gl_Position = at; p = at.xy * 0.5 + 0.5; }";

// Draws a fan of vertices of four floats.
static inline void fan(const float *vertices, int count) {
    GLuint buffer;
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    glBufferData(GL_ARRAY_BUFFER, 16 * count, vertices, GL_STREAM_DRAW);
    glEnableVertexAttribArray(0);
    glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 16, NULL);
    glDrawArrays(GL_TRIANGLE_FAN, 0, count);
    glDeleteBuffers(1, &buffer);
}

static inline void rectangle(float x0, float y0, float x1, float y1) {
    const float corners[] = {x0, y0, 0, 1, x1, y0, 0, 1, x1, y1, 0, 1, x0, y1, 0, 1};
    fan(corners, 4);
}

static inline void clear(void) {
    glClearColor(0.2f, 0.4f, 0.6f, 1);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
}

// The colour of a pixel of the current framebuffer.
static inline uint32_t pixel(int x, int y) {
    uint8_t bytes[4];
    glReadPixels(x, y, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, bytes);
    return (uint32_t)bytes[0] << 24 | bytes[1] << 16 | bytes[2] << 8 | bytes[3];
}

#endif
