// Drawing to other targets than the default framebuffer: textures, several at once, depth, several samples.
#include "helpers.h"
#include "scenes.h"

// Draws to the targets, and to the default framebuffer.
static GLuint inner, outer;
static GLuint textures[3], framebuffers[2];
static GLuint cube, quad;

static GLuint depth_buffer(int width, int height) {
    GLuint name;
    glGenRenderbuffers(1, &name);
    glBindRenderbuffer(GL_RENDERBUFFER, name);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT24, width, height);
    return name;
}

static GLuint bound_framebuffer(void) {
    GLuint name;
    glGenFramebuffers(1, &name);
    glBindFramebuffer(GL_FRAMEBUFFER, name);
    return name;
}

static GLuint target_texture(int width, int height, GLenum format) {
    GLuint name = new_texture(GL_TEXTURE_2D, GL_NEAREST);
    set_wrap(GL_TEXTURE_2D, GL_CLAMP_TO_EDGE);
    glTexImage2D(GL_TEXTURE_2D, 0, format, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    return name;
}

static void begin_target(GLuint framebuffer) {
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glUseProgram(inner);
    glEnable(GL_DEPTH_TEST);
    glBindBuffer(GL_ARRAY_BUFFER, cube);
    mesh_attributes();
}

static void begin_window(void) {
    glUseProgram(outer);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glDisable(GL_DEPTH_TEST);
    glBindBuffer(GL_ARRAY_BUFFER, quad);
    glDisableVertexAttribArray(NORMAL);
    quad_attributes();
}

static const char BLUR[] = HIGH_PRECISION
    "varying vec2 t;\n"
    "uniform sampler2D s;\n"
    "void main() {\n"
    "    vec2 o = vec2(1.0 / 128.0, 0.0);\n"
    "    vec3 c = texture2D(s, t).rgb * 0.4\n"
    "        + texture2D(s, t + o.xy).rgb * 0.15 + texture2D(s, t - o.xy).rgb * 0.15\n"
    "        + texture2D(s, t + o.yx).rgb * 0.15 + texture2D(s, t - o.yx).rgb * 0.15;\n"
    "    gl_FragColor = vec4(c, 1.0);\n"
    "}\n";

// The second one's edge is not a power of two.
static const int EDGES[2] = {128, 96};

void prepare_framebuffers(void) {
    inner = link_vertex_fragment(MESH, TINTED_CUBES);
    outer = link_vertex_fragment(RECTANGLE, BLUR);
    glEnable(GL_CULL_FACE);
    for (int i = 0; i < 2; i++) {
        textures[i] = target_texture(EDGES[i], EDGES[i], GL_RGBA);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, i == 0 ? GL_LINEAR : GL_NEAREST);
        GLuint depth = depth_buffer(EDGES[i], EDGES[i]);
        framebuffers[i] = bound_framebuffer();
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, textures[i], 0);
        glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth);
        check_framebuffer("fbo");
    }
    cube = cube_vertices();
    quad = quad_vertices();
}

void draw_framebuffers(void) {
    for (int i = 0; i < 2; i++) {
        begin_target(framebuffers[i]);
        clear_target(EDGES[i], EDGES[i], .05f, .05f, .1f);
        draw_nine_cubes(inner, 1);
    }
    begin_window();
    clear_window(.5f, .3f, .1f);
    for (int i = 0; i < 2; i++) {
        glBindTexture(GL_TEXTURE_2D, textures[i]);
        draw_rectangle(outer, .45f, .85f, -.5f + i, 0);
    }
}

static const char THREE_COLORS[] =
    "varying vec3 n, e;\n"
    "varying vec2 t;\n"
    "void main() {\n"
    "    gl_FragData[0] = vec4(normalize(n) * 0.5 + 0.5, 1.0);\n"
    "    gl_FragData[1] = vec4(t, fract(-e.z), 1.0);\n"
    "    gl_FragData[2] = vec4(vec3(-e.z / 8.0), 1.0);\n"
    "}\n";

static const char COMPOSITION[] =
    "varying vec2 t;\n"
    "uniform sampler2D a, b, c;\n"
    "void main() {\n"
    "    vec4 n = texture2D(a, t), p = texture2D(b, t), d = texture2D(c, t);\n"
    "    float l = max(dot(n.xyz * 2.0 - 1.0, vec3(.3, .5, .8)), 0.0);\n"
    "    gl_FragColor = t.x < 0.5 ? vec4(l * p.rgb + 0.1, 1.0) : t.y < 0.5 ? d : n;\n"
    "}\n";

enum { COLORS_WIDTH = 160, COLORS_HEIGHT = 120 };

void prepare_several_targets(void) {
    cube = cube_vertices();
    inner = link_vertex_fragment(MESH, THREE_COLORS);
    outer = link_vertex_fragment(RECTANGLE, COMPOSITION);
    glUniform1i(uniform(outer, "a"), 0);
    glUniform1i(uniform(outer, "b"), 1);
    glUniform1i(uniform(outer, "c"), 2);
    framebuffers[0] = bound_framebuffer();
    for (int i = 0; i < 3; i++) {
        glActiveTexture(GL_TEXTURE0 + i);
        textures[i] = target_texture(COLORS_WIDTH, COLORS_HEIGHT, GL_RGBA8);
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0 + i, GL_TEXTURE_2D, textures[i], 0);
    }
    GLuint depth = depth_buffer(COLORS_WIDTH, COLORS_HEIGHT);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth);
    check_framebuffer("mrt");
    quad = quad_vertices();
}

void draw_several_targets(void) {
    static const GLenum colors[3] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1, GL_COLOR_ATTACHMENT2};
    begin_target(framebuffers[0]);
    glDrawBuffers(3, colors);
    clear_target(COLORS_WIDTH, COLORS_HEIGHT, 0, 0, 0);
    struct matrix turn = multiply(rotation_x(.6f), rotation_y(.5f));
    set_matrices(inner, multiply(translation(0, 0, -3.6f), turn), (float)COLORS_WIDTH / COLORS_HEIGHT);
    glDrawArrays(GL_TRIANGLES, 0, CUBE_VERTICES);
    begin_window();
    clear_window(0, 0, 0);
    draw_rectangle(outer, 1, 1, 0, 0);
}

static const char DEPTH_VERTICES[] =
    "attribute vec3 pos;\n"
    "uniform mat4 mvp, mv;\n"
    "void main() {\n"
    "    gl_Position = mvp * vec4(pos, 1.0);\n"
    "}\n";

static const char WHITE[] =
    "void main() {\n"
    "    gl_FragColor = vec4(1.0);\n"
    "}\n";

static const char SHADOWED_VERTICES[] =
    "attribute vec3 pos, nrm;\n"
    "uniform mat4 mvp, mv, sh;\n"
    "varying vec3 n;\n"
    "varying vec4 s;\n"
    "void main() {\n"
    "    n = nrm;\n"
    "    s = sh * mv * vec4(pos, 1.0);\n"
    "    gl_Position = mvp * vec4(pos, 1.0);\n"
    "}\n";

static const char SHADOWED_PIXELS[] =
    "varying vec3 n;\n"
    "varying vec4 s;\n"
    "uniform sampler2DShadow m;\n"
    "uniform vec3 tint;\n"
    "void main() {\n"
    "    float l = shadow2DProj(m, s).r;\n"
    "    gl_FragColor = vec4(tint * (0.3 + 0.7 * l * max(dot(n, normalize(vec3(.5, 1.0, .7))), 0.0)), 1.0);\n"
    "}\n";

enum { SHADOW_EDGE = 256 };

static void prepare_shadow_map(void) {
    textures[0] = new_texture(GL_TEXTURE_2D, GL_NEAREST);
    set_wrap(GL_TEXTURE_2D, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_R_TO_TEXTURE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
    const GLenum kind = GL_DEPTH_COMPONENT, stored = GL_DEPTH_COMPONENT24;
    glTexImage2D(GL_TEXTURE_2D, 0, stored, SHADOW_EDGE, SHADOW_EDGE, 0, kind, GL_UNSIGNED_INT, NULL);
    framebuffers[0] = bound_framebuffer();
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, textures[0], 0);
    glDrawBuffer(GL_NONE);
    glReadBuffer(GL_NONE);
    check_framebuffer("shadow");
}

void prepare_shadow(void) {
    cube = cube_vertices();
    mesh_attributes();
    inner = link_vertex_fragment(DEPTH_VERTICES, WHITE);
    outer = link_vertex_fragment(SHADOWED_VERTICES, SHADOWED_PIXELS);
    prepare_shadow_map();
    glEnable(GL_DEPTH_TEST);
}

// A floor and three cubes on it.
static struct matrix shadow_object(int i) {
    if (i == 0) return multiply(translation(0, -1.2f, 0), scaling(4, .1f, 4));
    struct matrix place = translation(i - 2, -.2f + .4f * (i & 1), .5f * i - 1);
    return multiply(place, multiply(rotation_y(i), scaling(.4f, .5f, .4f)));
}

static void draw_shadow_map(struct matrix light) {
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffers[0]);
    glViewport(0, 0, SHADOW_EDGE, SHADOW_EDGE);
    glClear(GL_DEPTH_BUFFER_BIT);
    glUseProgram(inner);
    for (int i = 0; i < 4; i++) {
        set_matrix(inner, "mvp", multiply(light, shadow_object(i)));
        glDrawArrays(GL_TRIANGLES, 0, CUBE_VERTICES);
    }
}

void draw_shadow(void) {
    struct matrix turn = multiply(rotation_x(.9f), rotation_y(-.6f));
    struct matrix light = multiply(perspective(.9f, 1, 2, 12), multiply(translation(0, 0, -6), turn));
    // From -1 to 1 to a texture's 0 to 1, a little nearer than what casts the shadow.
    struct matrix to_map = multiply(multiply(translation(.5f, .5f, .496f), scaling(.5f, .5f, .5f)), light);
    struct matrix eye = multiply(translation(0, 0, -5), rotation_x(.5f));
    struct matrix view = multiply(perspective(.9f, aspect(), .5f, 50), eye);
    draw_shadow_map(light);
    glUseProgram(outer);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    clear_window(.4f, .5f, .7f);
    for (int i = 0; i < 4; i++) {
        struct matrix object = shadow_object(i);
        set_matrix(outer, "mvp", multiply(view, object));
        set_matrix(outer, "mv", object);
        set_matrix(outer, "sh", to_map);
        glUniform3f(uniform(outer, "tint"), .9f, .3f + .2f * i, i ? .3f : .8f);
        glDrawArrays(GL_TRIANGLES, 0, CUBE_VERTICES);
    }
}

static const char TURNED_VERTICES[] =
    "#version 330\n"
    "in vec3 pos, col;\n"
    "out vec3 c;\n"
    "uniform float a;\n"
    "void main() {\n"
    "    c = col;\n"
    "    mat2 r = mat2(cos(a), sin(a), -sin(a), cos(a));\n"
    "    gl_Position = vec4(r * pos.xy, 0.0, 1.0);\n"
    "}\n";

static const char VOLUME_PIXELS[] =
    "#version 330\n"
    "in vec3 c;\n"
    "out vec4 o;\n"
    "uniform sampler3D s;\n"
    "void main() {\n"
    "    o = vec4(c, 1.0) * texture(s, c);\n"
    "}\n";

static void prepare_volume(void) {
    uint8_t texels[16][16][16][4];
    for (int i = 0; i < 16 * 16 * 16; i++) {
        int x = i & 15, y = i >> 4 & 15, z = i >> 8;
        const uint8_t texel[4] = {128 + x * 8, 128 + y * 8, 255 - z * 8, 255};
        for (int k = 0; k < 4; k++) texels[z][y][x][k] = texel[k];
    }
    new_texture(GL_TEXTURE_3D, GL_LINEAR);
    glTexImage3D(GL_TEXTURE_3D, 0, GL_RGBA8, 16, 16, 16, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
}

void prepare_multisampling(void) {
    static const float vertices[] = {
        -.8f, -.1f,  0, 1, 0, 0, //
        .8f,  -.05f, 0, 0, 1, 0, //
        .1f,  .3f,   0, 0, 0, 1, //
    };
    GLuint samples;
    inner = link_vertex_fragment(TURNED_VERTICES, VOLUME_PIXELS);
    buffer(GL_ARRAY_BUFFER, sizeof vertices, vertices);
    attribute(POSITION, 3, 6, 0);
    attribute(COLOR, 3, 6, 3);
    prepare_volume();
    glGenRenderbuffers(1, &samples);
    glBindRenderbuffer(GL_RENDERBUFFER, samples);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, 4, GL_RGBA8, width, height);
    framebuffers[0] = bound_framebuffer();
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, samples);
    check_framebuffer("msaa");
}

void draw_multisampling(void) {
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffers[0]);
    clear_window(.1f, .1f, .3f);
    for (int i = 0; i < 5; i++) {
        glUniform1f(uniform(inner, "a"), i * 1.25f);
        glDrawArrays(GL_TRIANGLES, 0, 3);
    }
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffers[0]);
    glBlitFramebuffer(0, 0, width, height, 0, 0, width, height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glEnable(GL_SCISSOR_TEST);
    glScissor(0, 0, 8, 8);
    glClearColor(1, 1, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glDisable(GL_SCISSOR_TEST);
}
