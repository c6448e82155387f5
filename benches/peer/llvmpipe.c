/* The scenes of ../pixel.rs and the program of ../vertex.rs, drawn by Mesa's llvmpipe. See README.md. */

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES3/gl3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TEXTURE = 256, VERTICES = 4096 * 3, MOST_FRAMES = 4000 };

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

static void die(const char *what) {
    fprintf(stderr, "%s (EGL %#x, GL %#x)\n", what, eglGetError(), glGetError());
    exit(1);
}

static uint32_t state = 7;

static uint32_t word(void) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state * 0x9E3779B1u;
}

static float between(float low, float high) { return low + (high - low) * (word() >> 8) / (float)(1 << 24); }

/* A context without any window. */
static void open_context(void) {
    PFNEGLGETPLATFORMDISPLAYEXTPROC get = (void *)eglGetProcAddress("eglGetPlatformDisplayEXT");
    EGLDisplay display = get ? get(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL) : EGL_NO_DISPLAY;
    if (display == EGL_NO_DISPLAY || !eglInitialize(display, NULL, NULL)) die("no EGL display");
    EGLint wanted[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_ES3_BIT, EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_NONE};
    EGLint version[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_NONE};
    EGLConfig config;
    EGLint count = 0;
    if (!eglBindAPI(EGL_OPENGL_ES_API) || !eglChooseConfig(display, wanted, &config, 1, &count) || count == 0)
        die("no EGL configuration");
    EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, version);
    if (context == EGL_NO_CONTEXT || !eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context))
        die("no OpenGL ES 3 context");
    const char *renderer = (const char *)glGetString(GL_RENDERER);
    printf("%s, %s\n", renderer, glGetString(GL_VERSION));
    if (!strstr(renderer, "llvmpipe")) die("this is not llvmpipe");
}

static GLuint compile(GLenum kind, const char *source) {
    GLuint shader = glCreateShader(kind);
    GLint ok;
    glShaderSource(shader, 1, &source, NULL);
    glCompileShader(shader);
    glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
    if (!ok) {
        char log[2000] = "";
        glGetShaderInfoLog(shader, sizeof log, NULL, log);
        die(log);
    }
    return shader;
}

static GLuint program(const char *vertex, const char *fragment) {
    static const char *names[] = {"position", "second", "third"};
    GLuint program = glCreateProgram();
    GLint ok;
    glAttachShader(program, compile(GL_VERTEX_SHADER, vertex));
    glAttachShader(program, compile(GL_FRAGMENT_SHADER, fragment));
    for (GLuint i = 0; i < 3; i++) glBindAttribLocation(program, i, names[i]);
    glLinkProgram(program);
    glGetProgramiv(program, GL_LINK_STATUS, &ok);
    if (!ok) die("a program does not link");
    glUseProgram(program);
    return program;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Draws until about a second and a half has passed; each frame ends with glFinish. The last column is processor time by
 * time: below 1 other processes used the cores too. */
static void measure(const char *name, GLsizei indices, GLsizei vertices, double items, const char *unit) {
    static double times[MOST_FRAMES];
    double first = 0, start = now(), processor = 0;
    int frames = 0;
    for (int warm = 1; frames < MOST_FRAMES && (warm || now() - start < 1.5);) {
        double begin = now();
        if (indices)
            glDrawElements(GL_TRIANGLES, indices, GL_UNSIGNED_SHORT, NULL);
        else
            glDrawArrays(GL_TRIANGLES, 0, vertices);
        glFinish();
        double time = now() - begin;
        if (first == 0) first = time;
        if (warm) {
            if (now() - start > 0.3) warm = 0, start = now(), processor = clock();
        } else {
            times[frames++] = time;
        }
    }
    double share = (clock() - processor) / CLOCKS_PER_SEC / (now() - start);
    if (glGetError()) die(name);
    qsort(times, frames, sizeof *times, compare);
    double median = times[frames / 2], best = times[0];
    printf("%-46s %7.2f ns %7.2f ns %9.1f M%s/s %8.1f ms %6.2f\n", name, median / items * 1e9, best / items * 1e9,
           items / median * 1e-6, unit, first * 1e3, share);
    fflush(stdout);
}

/* A grid of cells over the whole target; the plane leans away from the viewer. */
static GLsizei grid(int cells) {
    int side = cells + 1;
    float *vertex = malloc(sizeof(float) * 10 * side * side), *v = vertex;
    uint16_t *index = malloc(sizeof(uint16_t) * 6 * cells * cells), *i = index;
    for (int row = 0; row < side; row++)
        for (int column = 0; column < side; column++) {
            float x = (float)column / cells, y = (float)row / cells, w = 1 / (1 - 0.3f * x - 0.2f * y);
            float depth = 0.2f + 0.5f * x + 0.2f * y;
            float values[10] = {(2 * x - 1) * w, (2 * y - 1) * w, (2 * depth - 1) * w, w, x, y, 1 - x, 0.4f + 0.6f * y,
                                2 * x + 0.1f * y, 2 * y - 0.1f * x};
            memcpy(v, values, sizeof values), v += 10;
        }
    for (int row = 0; row < cells; row++)
        for (int column = 0; column < cells; column++) {
            int a = row * side + column, b = a + 1, c = a + side, d = c + 1;
            int corners[6] = {a, b, c, b, d, c};
            for (int k = 0; k < 6; k++) *i++ = corners[k];
        }
    glBufferData(GL_ARRAY_BUFFER, sizeof(float) * 10 * side * side, vertex, GL_STATIC_DRAW);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, sizeof(uint16_t) * 6 * cells * cells, index, GL_STATIC_DRAW);
    for (GLuint k = 0; k < 3; k++) {
        glEnableVertexAttribArray(k);
        glVertexAttribPointer(k, k == 2 ? 2 : 4, GL_FLOAT, GL_FALSE, 40, (void *)(uintptr_t)(16 * k));
    }
    free(vertex), free(index);
    return 6 * cells * cells;
}

static void make_target(int size) {
    GLuint names[2], frame, texture;
    glGenFramebuffers(1, &frame);
    glBindFramebuffer(GL_FRAMEBUFFER, frame);
    glGenRenderbuffers(2, names);
    glBindRenderbuffer(GL_RENDERBUFFER, names[0]);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, size, size);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, names[0]);
    glBindRenderbuffer(GL_RENDERBUFFER, names[1]);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH24_STENCIL8, size, size);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, GL_RENDERBUFFER, names[1]);
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) die("an incomplete framebuffer");
    glViewport(0, 0, size, size);
    glClearDepthf(0);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);

    static uint32_t texels[TEXTURE * TEXTURE];
    for (int i = 0; i < TEXTURE * TEXTURE; i++) texels[i] = word() | 0x80000000u;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, TEXTURE, TEXTURE, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_REPEAT);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_REPEAT);
}

static void filter(GLint filter) {
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, filter);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, filter);
}

static const char *PASS = "attribute vec4 position, second; attribute vec2 third; varying vec4 color; varying vec2 uv;"
                          "void main() { gl_Position = position; color = second; uv = third; }";
#define HEAD "precision highp float; varying vec4 color; varying vec2 uv; uniform sampler2D texels; void main() {"
static const char *COLOR = HEAD "gl_FragColor = color; }";
static const char *TEXTURED = HEAD "gl_FragColor = texture2D(texels, uv) * color; }";
static const char *ALL = HEAD "vec4 c = texture2D(texels, uv) * color;"
                              "c = min(c + vec4(8.0, 16.0, 24.0, 4.0) / 255.0, 1.0);"
                              "c *= vec4(240.0, 224.0, 208.0, 192.0) / 255.0;"
                              "if (c.a <= 1.0 / 255.0) discard;"
                              "gl_FragColor = c; }";

static void all(int on) {
    if (!on) {
        glDisable(GL_DEPTH_TEST), glDisable(GL_BLEND);
        return;
    }
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_GEQUAL);
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
}

static void pixels(int size) {
    double area = (double)size * size;
    make_target(size);
    GLsizei indices = grid(1);
    program(PASS, COLOR);
    measure("colour", indices, 0, area, "pixel");
    program(PASS, TEXTURED);
    filter(GL_NEAREST);
    measure("nearest texture", indices, 0, area, "pixel");
    filter(GL_LINEAR);
    measure("linear texture", indices, 0, area, "pixel");
    all(1);
    program(PASS, ALL);
    measure("linear texture, 3 stages, alpha, depth, blend", indices, 0, area, "pixel");
    indices = grid(size / 8);
    measure("small triangles, all", indices, 0, area, "pixel");
    all(0);
    program(PASS, COLOR);
    measure("small triangles, colour", indices, 0, area, "pixel");
}

/* The lighting program; all triangles lie right of the screen, so that nothing but vertices is measured. */
static void vertices(void) {
    static const char *lighting =
        "attribute vec4 position, second, third; varying vec4 color; varying vec2 uv;"
        "uniform mat4 view, projection; uniform vec4 light[3], shine[3], ambient, diffuse, emission, texture0, texture1;"
        "uniform float fade;"
        "void main() {"
        "  vec4 at = view * position; gl_Position = projection * at;"
        "  vec3 n = mat3(view) * second.xyz; n *= inversesqrt(dot(n, n));"
        "  vec3 sum = ambient.xyz;"
        "  for (int i = 0; i < 3; i++) {"
        "    vec3 d = light[i].xyz - at.xyz; float square = dot(d, d); d *= inversesqrt(square);"
        "    sum += max(dot(n, d), 0.0) / (square * shine[i].w + 1.0) * shine[i].xyz;"
        "  }"
        "  color = vec4(clamp(diffuse.xyz * sum + emission.xyz, 0.0, 1.0), clamp(at.z * fade + 1.0, 0.0, 1.0));"
        "  uv = vec2(dot(texture0, third), dot(texture1, third));"
        "}";
    static float data[VERTICES][12];
    for (int i = 0; i < VERTICES; i++) {
        for (int k = 0; k < 3; k++) data[i][k] = between(-1, 1);
        for (int k = 4; k < 7; k++) data[i][k] = between(-1, 1);
        for (int k = 8; k < 11; k++) data[i][k] = between(0, 1);
        data[i][3] = data[i][11] = 1;
    }
    glBufferData(GL_ARRAY_BUFFER, sizeof data, data, GL_STATIC_DRAW);
    for (GLuint k = 0; k < 3; k++) glVertexAttribPointer(k, 4, GL_FLOAT, GL_FALSE, 48, (void *)(uintptr_t)(16 * k));
    GLuint p = program(lighting, TEXTURED);
    float view[16] = {0.8f, 0, -0.6f, 0, 0, 1, 0, 0, 0.6f, 0, 0.8f, 0, 0.1f, -0.2f, -4, 1};
    /* w = -z, x = -20 z. */
    float projection[16] = {0, 0, 0, 0, 0, 1.7f, 0, 0, -20, 0, 0.02f, -1, 0, 0, 0.1f, 0};
    float light[12] = {2, 3, 0, 1, -3, 1, -2, 1, 0, -4, -6, 1};
    float shine[12] = {1, 0.9f, 0.8f, 0.05f, 0.2f, 0.4f, 0.9f, 0.02f, 0.6f, 0.1f, 0.1f, 0.1f};
    glUniformMatrix4fv(glGetUniformLocation(p, "view"), 1, GL_FALSE, view);
    glUniformMatrix4fv(glGetUniformLocation(p, "projection"), 1, GL_FALSE, projection);
    glUniform4fv(glGetUniformLocation(p, "light"), 3, light);
    glUniform4fv(glGetUniformLocation(p, "shine"), 3, shine);
    glUniform4f(glGetUniformLocation(p, "ambient"), 0.1f, 0.1f, 0.12f, 1);
    glUniform4f(glGetUniformLocation(p, "diffuse"), 0.9f, 0.8f, 0.7f, 1);
    glUniform4f(glGetUniformLocation(p, "emission"), 0.02f, 0, 0, 1);
    glUniform4f(glGetUniformLocation(p, "texture0"), 2, 0, 0, 0.25f);
    glUniform4f(glGetUniformLocation(p, "texture1"), 0, -2, 0, 0.5f);
    glUniform1f(glGetUniformLocation(p, "fade"), 0.05f);
    measure("lighting program", 0, VERTICES, VERTICES, "vertex");
}

int main(int count, char **arguments) {
    int size = count > 1 ? atoi(arguments[1]) : 512;
    GLuint buffers[2];
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (size < 8 || size > 1024) die("usage: llvmpipe [8..1024 pixels along an edge]");
    open_context();
    glGenBuffers(2, buffers);
    glBindBuffer(GL_ARRAY_BUFFER, buffers[0]);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, buffers[1]);
    printf("%dx%d\n%-46s %10s %10s %18s %11s %6s\n", size, size, "", "median", "best", "", "first frame", "CPU");
    pixels(size);
    vertices();
    return 0;
}
