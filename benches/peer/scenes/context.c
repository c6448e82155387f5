#include "context.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static EGLDisplay display;
static EGLContext context;
static EGLSurface surface;

static const struct {
    const char *name;
    int desktop, major, minor;
    EGLint renderable;
} VERSIONS[] = {
    [GLES_2_0] = {"OpenGL ES 2.0", 0, 2, 0, EGL_OPENGL_ES2_BIT},
    [GLES_3_0] = {"OpenGL ES 3.0", 0, 3, 0, EGL_OPENGL_ES3_BIT},
    [GL_2_1] = {"OpenGL 2.1", 1, 2, 1, EGL_OPENGL_BIT},
    [GL_3_3] = {"OpenGL 3.3", 1, 3, 3, EGL_OPENGL_BIT},
    [GL_4_3] = {"OpenGL 4.3", 1, 4, 3, EGL_OPENGL_BIT},
};

const char *version_name(enum version version) { return VERSIONS[version].name; }

void fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(FAILED);
}

static _Noreturn void not_offered(enum version version, const char *what) {
    fprintf(stderr, "the driver has no %s for %s (EGL %#x)\n", what, version_name(version), eglGetError());
    exit(NOT_OFFERED);
}

static EGLint config_value(EGLConfig config, EGLint name) {
    EGLint value = 0;
    eglGetConfigAttrib(display, config, name, &value);
    return value;
}

// The first configuration of exactly 8 bits and one sample: EGL sorts those with more bits before it.
static EGLConfig choose(enum version version) {
    const EGLint wanted[] = {
        EGL_SURFACE_TYPE,    EGL_PBUFFER_BIT,
        EGL_RENDERABLE_TYPE, VERSIONS[version].renderable,
        EGL_RED_SIZE,        8,
        EGL_GREEN_SIZE,      8,
        EGL_BLUE_SIZE,       8,
        EGL_ALPHA_SIZE,      8,
        EGL_DEPTH_SIZE,      24,
        EGL_STENCIL_SIZE,    8,
        EGL_NONE,
    };
    EGLConfig configs[256];
    EGLint count = 0;
    eglChooseConfig(display, wanted, configs, 256, &count);
    for (int i = 0; i < count; i++) {
        EGLint red = config_value(configs[i], EGL_RED_SIZE), samples = config_value(configs[i], EGL_SAMPLES);
        if (red == 8 && samples == 0) return configs[i];
    }
    not_offered(version, "configuration");
}

static EGLContext make(enum version version, EGLConfig config) {
    const int major = VERSIONS[version].major, minor = VERSIONS[version].minor;
    const EGLint plain[] = {EGL_CONTEXT_MAJOR_VERSION, major, EGL_CONTEXT_MINOR_VERSION, minor, EGL_NONE};
    const EGLint core[] = {
        EGL_CONTEXT_MAJOR_VERSION,       major,
        EGL_CONTEXT_MINOR_VERSION,       minor,
        EGL_CONTEXT_OPENGL_PROFILE_MASK, EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
        EGL_NONE,
    };
    // Without a version it is the latest one that still has all of 2.1.
    const EGLint latest[] = {EGL_NONE};
    const EGLint *wanted = !VERSIONS[version].desktop ? plain : version == GL_2_1 ? latest : core;
    return eglCreateContext(display, config, EGL_NO_CONTEXT, wanted);
}

void open_context(enum version version, int width, int height) {
    PFNEGLGETPLATFORMDISPLAYEXTPROC get = (void *)eglGetProcAddress("eglGetPlatformDisplayEXT");
    display = get ? get(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL) : EGL_NO_DISPLAY;
    if (display == EGL_NO_DISPLAY || !eglInitialize(display, NULL, NULL)) fail("no EGL display without a window");
    eglBindAPI(VERSIONS[version].desktop ? EGL_OPENGL_API : EGL_OPENGL_ES_API);
    EGLConfig config = choose(version);
    const EGLint size[] = {EGL_WIDTH, width, EGL_HEIGHT, height, EGL_NONE};
    surface = eglCreatePbufferSurface(display, config, size);
    context = make(version, config);
    if (!context || !eglMakeCurrent(display, surface, surface, context)) not_offered(version, "context");
    if (version == GL_3_3 || version == GL_4_3) {
        // Core profiles have no array object of their own.
        GLuint arrays;
        glGenVertexArrays(1, &arrays);
        glBindVertexArray(arrays);
    }
    glViewport(0, 0, width, height);
}

void close_context(void) {
    eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(display, context);
    eglDestroySurface(display, surface);
    eglTerminate(display);
}
