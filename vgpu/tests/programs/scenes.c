// Draws a scene with OpenGL ES 2 and writes its pixels to a file: scenes NAME FILE. Without arguments it lists them.
#include "common.h"

static const char TEXTURED[] =
    "precision mediump float; varying vec2 p; uniform sampler2D t; void main() { gl_FragColor = texture2D(t, p); }";
static const char COLORED[] = "precision mediump float; uniform vec4 color; void main() { gl_FragColor = color; }";

// A texture of squares in many colours, with all its levels.
static GLuint squares(int edge) {
    uint8_t *texels = malloc(4 * edge * edge);
    for (int i = 0; i < edge * edge; i++) {
        int x = i % edge, y = i / edge, odd = (x / 4 + y / 4) & 1;
        uint8_t texel[] = {odd ? 255 : 40, x * 255 / edge, y * 255 / edge, 255};
        memcpy(texels + 4 * i, texel, 4);
    }
    GLuint name = texture(edge, edge, texels);
    free(texels);
    return name;
}

static void textures(void) {
    squares(64);
    glGenerateMipmap(GL_TEXTURE_2D);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    GLuint used = program("attribute vec4 at; varying vec2 p; uniform float scale;"
                          "void main() { gl_Position = at; p = at.xy * scale; }",
                          TEXTURED);
    clear();
    for (int i = 0; i < 4; i++) {
        glUniform1f(glGetUniformLocation(used, "scale"), 0.3f + 2.5f * i);
        rectangle(-0.95f + 0.48f * i, -0.9f, -0.52f + 0.48f * i, 0.9f);
    }
}

// Leaning planes that pass through each other.
static void depth(void) {
    GLuint used = program(PLAIN, COLORED);
    clear();
    glEnable(GL_DEPTH_TEST);
    const float planes[3][16] = {
        {-0.9f, -0.9f, -0.8f, 1, 0.9f, -0.7f, 0.8f, 1, 0.9f, 0.7f, 0.8f, 1, -0.9f, 0.9f, -0.8f, 1},
        {-0.8f, -0.6f, 0.6f, 1, 0.7f, -0.9f, -0.7f, 1, 0.8f, 0.9f, -0.7f, 1, -0.7f, 0.6f, 0.6f, 1},
        {-0.6f, -0.9f, -0.4f, 1, 0.6f, -0.9f, -0.5f, 1, 1.2f, 1.8f, 0.9f, 2, -1.2f, 1.8f, 0.9f, 2},
    };
    for (int i = 0; i < 3; i++) {
        glUniform4f(glGetUniformLocation(used, "color"), i == 0, i == 1, i == 2, 1);
        fan(planes[i], 4);
    }
}

static void blending(void) {
    GLuint used = program(PLAIN, COLORED);
    static const GLenum factors[][2] = {
        {GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA},
        {GL_ONE, GL_ONE},
        {GL_DST_COLOR, GL_ZERO},
        {GL_ONE_MINUS_DST_COLOR, GL_ONE},
    };
    clear();
    glEnable(GL_BLEND);
    for (int i = 0; i < 12; i++) {
        glBlendFunc(factors[i % 4][0], factors[i % 4][1]);
        glBlendEquation(i == 7 ? GL_FUNC_REVERSE_SUBTRACT : GL_FUNC_ADD);
        glUniform4f(glGetUniformLocation(used, "color"), i % 3 * 0.4f, i % 5 * 0.2f, i % 2 * 0.7f, 0.3f + 0.05f * i);
        rectangle(-0.95f + 0.12f * i, -0.9f + 0.1f * (i % 4), -0.3f + 0.11f * i, 0.4f + 0.14f * (i % 3));
    }
}

// A picture is drawn to a texture, and that on two planes in another one.
static void framebuffers(void) {
    GLint outer;
    GLuint inner;
    glGetIntegerv(GL_FRAMEBUFFER_BINDING, &outer);
    target(64, 64, &inner);
    depth();
    glDisable(GL_DEPTH_TEST);
    glBindFramebuffer(GL_FRAMEBUFFER, outer);
    glViewport(0, 0, WIDTH, HEIGHT);
    clear();
    program(PLAIN, TEXTURED);
    glBindTexture(GL_TEXTURE_2D, inner);
    rectangle(-0.9f, -0.8f, 0.2f, 0.9f);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    const float leaning[] = {0, -0.9f, 0, 1, 0.9f, -0.5f, 0, 1, 1.8f, 1.6f, 0, 2, 0.1f, 0.8f, 0, 1};
    fan(leaning, 4);
}

static void loops(void) {
    GLuint used = program(PLAIN, "precision highp float; varying vec2 p; uniform vec4 circles[8];"
                                 "void main() { vec3 sum = vec3(0.1); for (int i = 0; i < 8; i++) {"
                                 "float d = distance(p, circles[i].xy); if (d > circles[i].z) continue;"
                                 "sum += vec3(circles[i].w, 1.0 - circles[i].w, 0.5) * (circles[i].z - d) * 3.0; }"
                                 "gl_FragColor = vec4(sum, 1.0); }");
    float circles[32];
    for (int i = 0; i < 8; i++) {
        const float circle[] = {0.1f + 0.11f * i, 0.2f + 0.07f * (i * 3 % 8), 0.15f + 0.02f * i, i / 7.0f};
        memcpy(circles + 4 * i, circle, sizeof circle);
    }
    glUniform4fv(glGetUniformLocation(used, "circles"), 8, circles);
    clear();
    rectangle(-1, -1, 1, 1);
}

static void stencil(void) {
    GLuint used = program(PLAIN, COLORED);
    clear();
    glEnable(GL_STENCIL_TEST);
    glStencilFunc(GL_ALWAYS, 1, 255);
    glStencilOp(GL_KEEP, GL_KEEP, GL_INCR);
    for (int i = 0; i < 4; i++) {
        glUniform4f(glGetUniformLocation(used, "color"), 0.2f * i, 0.4f, 0.6f, 1);
        rectangle(-0.9f + 0.3f * i, -0.9f + 0.2f * i, 0.1f + 0.3f * i, 0.3f + 0.2f * i);
    }
    glStencilOp(GL_KEEP, GL_KEEP, GL_KEEP);
    for (int i = 1; i < 4; i++) {
        glStencilFunc(GL_EQUAL, i, 255);
        glUniform4f(glGetUniformLocation(used, "color"), i == 1, i == 2, i == 3, 1);
        rectangle(-0.8f, -0.4f, 0.8f, 0.6f);
    }
}

static void discarded(void) {
    squares(32);
    program(PLAIN, "precision highp float; varying vec2 p; uniform sampler2D t; void main() {"
                   "if (fract(p.x * 5.0 + p.y * 3.0) < 0.4) discard;"
                   "gl_FragColor = texture2D(t, p * vec2(3.0, 2.0)) * gl_FragCoord.z * 2.0; }");
    clear();
    rectangle(-0.9f, -0.9f, 0.9f, 0.9f);
}

// A buffer of indices and one of vertices that change between draws.
static void buffers(void) {
    GLuint used = program("attribute vec4 at; attribute vec4 tint; varying vec4 c; uniform vec2 by;"
                          "void main() { gl_Position = at + vec4(by, 0, 0); c = tint; }",
                          "precision mediump float; varying vec4 c; void main() { gl_FragColor = c; }");
    GLint tint = glGetAttribLocation(used, "tint");
    static const uint16_t indices[] = {0, 1, 2, 2, 1, 3, 3, 1, 4};
    float vertices[5][3] = {{0, 0}, {0.3f, 0}, {0, 0.3f}, {0.3f, 0.35f}, {0.5f, 0.2f}};
    GLuint names[2];
    glGenBuffers(2, names);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, names[1]);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, sizeof indices, indices, GL_STATIC_DRAW);
    glBindBuffer(GL_ARRAY_BUFFER, names[0]);
    glBufferData(GL_ARRAY_BUFFER, sizeof vertices, NULL, GL_DYNAMIC_DRAW);
    glEnableVertexAttribArray(0);
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 12, NULL);
    glEnableVertexAttribArray(tint);
    glVertexAttribPointer(tint, 4, GL_UNSIGNED_BYTE, GL_TRUE, 12, (void *)8);
    clear();
    for (int i = 0; i < 40; i++) {
        for (int k = 0; k < 5; k++) {
            const uint8_t color[] = {6 * i, 50 * k, 255 - 6 * i, 255};
            memcpy(&vertices[k][2], color, 4);
        }
        vertices[4][1] = 0.2f - 0.005f * i;
        glBufferSubData(GL_ARRAY_BUFFER, 0, sizeof vertices, vertices);
        glUniform2f(glGetUniformLocation(used, "by"), -0.95f + 0.2f * (i % 8), -0.9f + 0.33f * (i / 8));
        glDrawElements(GL_TRIANGLES, 9, GL_UNSIGNED_SHORT, NULL);
    }
}

// Two contexts: what one draws to a texture the other one shows.
static void contexts(void) {
    EGLContext first = eglGetCurrentContext();
    GLint outer;
    GLuint inner;
    glGetIntegerv(GL_FRAMEBUFFER_BINDING, &outer);
    clear();
    for (int i = 0; i < 3; i++) {
        EGLContext second = make_context(first);
        target(32, 32, &inner);
        glClearColor(i == 0, i == 1, i == 2, 1);
        glClear(GL_COLOR_BUFFER_BIT);
        GLuint used = program(PLAIN, COLORED);
        glUniform4f(glGetUniformLocation(used, "color"), 1, 1, 0.25f * i, 1);
        rectangle(-0.6f, -0.2f * i, 0.7f, 0.8f);
        glFinish();
        eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, first);
        eglDestroyContext(display, second);
        glBindTexture(GL_TEXTURE_2D, inner);
        // A new one: nv30 takes a program that this context has drawn with for the one that is set.
        program(PLAIN, TEXTURED);
        rectangle(-0.95f + 0.6f * i, -0.8f, -0.4f + 0.6f * i, 0.8f);
    }
    glBindFramebuffer(GL_FRAMEBUFFER, outer);
}

// A function of desktop OpenGL's, which the headers do not have.
#define DESKTOP(result, name, ...) result (*name)(__VA_ARGS__) = (void *)eglGetProcAddress(#name)

// Textured points of several sizes without a program, by a context of desktop OpenGL: their coordinates are divided by
// the last one.
static void sprites(void) {
    enum { POINT_SPRITE = 0x8861, COORD_REPLACE, COORD_ORIGIN = 0x8CA0, LOWER_LEFT, ATTENUATION = 0x8129 };
    EGLContext first = eglGetCurrentContext();
    GLuint inner;
    eglBindAPI(EGL_OPENGL_API);
    EGLContext second = eglCreateContext(display, config, first, NULL);
    if (!second || !eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, second)) fail("no desktop OpenGL");
    DESKTOP(void, glTexEnvi, GLenum, GLenum, GLint);
    DESKTOP(void, glPointParameteri, GLenum, GLint);
    DESKTOP(void, glPointParameterfv, GLenum, const GLfloat *);
    DESKTOP(void, glPointSize, GLfloat);
    DESKTOP(void, glBegin, GLenum);
    DESKTOP(void, glEnd, void);
    DESKTOP(void, glColor4f, GLfloat, GLfloat, GLfloat, GLfloat);
    DESKTOP(void, glVertex4f, GLfloat, GLfloat, GLfloat, GLfloat);
    target(WIDTH, HEIGHT, &inner);
    clear();
    squares(16);
    glEnable(GL_TEXTURE_2D);
    glEnable(POINT_SPRITE);
    glTexEnvi(POINT_SPRITE, COORD_REPLACE, GL_TRUE);
    // In memory's order, which the NV47 has; for the other one nv30 makes triangles of points.
    glPointParameteri(COORD_ORIGIN, LOWER_LEFT);
    glPointParameterfv(ATTENUATION, (const float[]){0.5f, 0, 2});
    glPointSize(24);
    glBegin(GL_POINTS);
    for (int i = 0; i < 24; i++) {
        float w = 1 + i % 3 * 0.5f, x = -0.85f + 0.31f * (i % 6), y = -0.8f + 0.5f * (i / 6);
        glColor4f(1, 1 - i * 0.03f, i * 0.04f, 1);
        glVertex4f(x * w, y * w, i * 0.03f * w, w);
    }
    glEnd();
    glFinish();
    eglBindAPI(EGL_OPENGL_ES_API);
    eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, first);
    glBindTexture(GL_TEXTURE_2D, inner);
    program(PLAIN, TEXTURED);
    rectangle(-1, -1, 1, 1);
}

static const struct {
    const char *name;
    void (*draw)(void);
} SCENES[] = {
    {"textures", textures},   {"depth", depth},     {"blending", blending}, {"framebuffers", framebuffers},
    {"loops", loops},         {"stencil", stencil}, {"discard", discarded}, {"buffers", buffers},
    {"contexts", contexts},   {"sprites", sprites},
};

int main(int count, char **arguments) {
    const int scenes = sizeof SCENES / sizeof *SCENES;
    if (count != 3) {
        for (int i = 0; i < scenes; i++) puts(SCENES[i].name);
        return 0;
    }
    static uint8_t pixels[4 * WIDTH * HEIGHT];
    make_context(EGL_NO_CONTEXT);
    target(WIDTH, HEIGHT, NULL);
    for (int i = 0; i < scenes; i++) {
        if (!strcmp(SCENES[i].name, arguments[1])) SCENES[i].draw();
    }
    glReadPixels(0, 0, WIDTH, HEIGHT, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    GLenum error = glGetError();
    if (error) {
        fprintf(stderr, "%s: OpenGL error %#x\n", arguments[1], error);
        return 1;
    }
    puts((const char *)glGetString(GL_RENDERER));
    FILE *file = fopen(arguments[2], "wb");
    return file && fwrite(pixels, sizeof pixels, 1, file) == 1 && fclose(file) == 0 ? 0 : 1;
}
