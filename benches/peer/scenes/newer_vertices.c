// What vertices do since OpenGL ES 3 and OpenGL 3: instances, tessellation and geometry programs, transform feedback.
#include "helpers.h"
#include "scenes.h"

#include <math.h>
#include <string.h>

static GLuint program;

static const char INSTANCE_VERTICES[] =
    "#version 300 es\n"
    "precision highp float;\n"
    "precision highp int;\n"
    "in vec3 pos, nrm;\n"
    "in vec4 aux;\n"
    "uniform mat4 mvp;\n"
    "out vec3 n;\n"
    "out vec3 c;\n"
    "void main() {\n"
    "    float a = aux.w;\n"
    "    mat2 r = mat2(cos(a), sin(a), -sin(a), cos(a));\n"
    "    vec3 p = pos;\n"
    "    p.xz = r * p.xz;\n"
    "    n = nrm;\n"
    "    n.xz = r * n.xz;\n"
    "    c = vec3(float(gl_InstanceID % 5) / 4.0, float(gl_InstanceID / 25) / 4.0,\n"
    "             float((gl_InstanceID / 5) % 5) / 4.0);\n"
    "    gl_Position = mvp * vec4(p * 0.3 + aux.xyz, 1.0);\n"
    "}\n";

static const char INSTANCE_PIXELS[] =
    "#version 300 es\n"
    "precision highp float;\n"
    "precision highp int;\n"
    "in vec3 n, c;\n"
    "out vec4 o;\n"
    "void main() {\n"
    "    float d = max(dot(normalize(n), vec3(0.3, 0.6, 0.74)), 0.0);\n"
    "    o = vec4((c * 0.8 + 0.2) * (0.3 + 0.7 * d), 1.0);\n"
    "}\n";

enum { INSTANCES = 125 };

// Five cubes each way, each with a place and an angle.
void prepare_instancing(void) {
    float instances[INSTANCES][4];
    for (int i = 0; i < INSTANCES; i++) {
        const float instance[4] = {i % 5 - 2, i / 25 - 2, i / 5 % 5 - 2, i * .2f};
        memcpy(instances[i], instance, sizeof instance);
    }
    program = link_vertex_fragment(INSTANCE_VERTICES, INSTANCE_PIXELS);
    cube_vertices();
    attribute(POSITION, 3, MESH_FLOATS, 0);
    attribute(NORMAL, 3, MESH_FLOATS, 3);
    buffer(GL_ARRAY_BUFFER, sizeof instances, instances);
    attribute(FURTHER, 4, 4, 0);
    glVertexAttribDivisor(FURTHER, 1);
    glEnable(GL_DEPTH_TEST);
    glEnable(GL_CULL_FACE);
}

void draw_instancing(void) {
    clear_window(.1f, .1f, .15f);
    struct matrix turn = multiply(rotation_x(.5f), rotation_y(.6f));
    struct matrix view = multiply(perspective(.8f, aspect(), .5f, 50), multiply(translation(0, 0, -7.5f), turn));
    set_matrix(program, "mvp", view);
    glDrawArraysInstanced(GL_TRIANGLES, 0, CUBE_VERTICES, INSTANCES);
}

static const char PATCH_VERTICES[] =
    "#version 410\n"
    "layout(location = 0) in vec2 pos;\n"
    "out vec2 q;\n"
    "void main() {\n"
    "    q = pos;\n"
    "    gl_Position = vec4(pos, 0.0, 1.0);\n"
    "}\n";

static const char PATCH_CONTROL[] =
    "#version 410\n"
    "layout(vertices = 4) out;\n"
    "in vec2 q[];\n"
    "out vec2 r[];\n"
    "void main() {\n"
    "    r[gl_InvocationID] = q[gl_InvocationID];\n"
    "    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;\n"
    "    gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = gl_TessLevelOuter[3] = 9.0;\n"
    "    gl_TessLevelInner[0] = gl_TessLevelInner[1] = 9.0;\n"
    "}\n";

static const char PATCH_EVALUATION[] =
    "#version 410\n"
    "layout(quads, equal_spacing, ccw) in;\n"
    "uniform mat4 mvp;\n"
    "out vec3 w;\n"
    "void main() {\n"
    "    vec2 p = mix(mix(gl_in[0].gl_Position.xy, gl_in[1].gl_Position.xy, gl_TessCoord.x),\n"
    "                 mix(gl_in[2].gl_Position.xy, gl_in[3].gl_Position.xy, gl_TessCoord.x), gl_TessCoord.y);\n"
    "    w = vec3(p.x, 0.25 * sin(p.x * 4.0) * cos(p.y * 5.0), p.y);\n"
    "    gl_Position = mvp * vec4(w, 1.0);\n"
    "}\n";

// Each triangle a little smaller, so that there are gaps between them.
static const char PATCH_GEOMETRY[] =
    "#version 410\n"
    "layout(triangles) in;\n"
    "layout(triangle_strip, max_vertices = 3) out;\n"
    "in vec3 w[];\n"
    "out vec3 n;\n"
    "out vec3 c;\n"
    "void main() {\n"
    "    vec3 m = (w[0] + w[1] + w[2]) / 3.0;\n"
    "    for (int i = 0; i < 3; i++) {\n"
    "        gl_Position = mix(gl_in[i].gl_Position,\n"
    "            (gl_in[0].gl_Position + gl_in[1].gl_Position + gl_in[2].gl_Position) / 3.0, 0.12);\n"
    "        n = normalize(cross(w[1] - w[0], w[2] - w[0]));\n"
    "        c = m * 0.5 + 0.5;\n"
    "        EmitVertex();\n"
    "    }\n"
    "    EndPrimitive();\n"
    "}\n";

static const char PATCH_PIXELS[] =
    "#version 410\n"
    "in vec3 n, c;\n"
    "out vec4 o;\n"
    "void main() {\n"
    "    o = vec4(c * (0.3 + 0.7 * abs(dot(n, vec3(0.4, 0.8, 0.45)))), 1.0);\n"
    "}\n";

void prepare_tessellation(void) {
    static const float corners[] = {-1.6f, -1.6f, 1.6f, -1.6f, -1.6f, 1.6f, 1.6f, 1.6f};
    program = glCreateProgram();
    attach(program, GL_VERTEX_SHADER, PATCH_VERTICES);
    attach(program, GL_TESS_CONTROL_SHADER, PATCH_CONTROL);
    attach(program, GL_TESS_EVALUATION_SHADER, PATCH_EVALUATION);
    attach(program, GL_GEOMETRY_SHADER, PATCH_GEOMETRY);
    attach(program, GL_FRAGMENT_SHADER, PATCH_PIXELS);
    link_program(program);
    buffer(GL_ARRAY_BUFFER, sizeof corners, corners);
    attribute(POSITION, 2, 2, 0);
    glEnable(GL_DEPTH_TEST);
}

void draw_tessellation(void) {
    clear_window(.1f, .12f, .2f);
    struct matrix turn = multiply(rotation_x(.7f), rotation_y(.4f));
    struct matrix view = multiply(perspective(.9f, aspect(), .3f, 30), multiply(translation(0, 0, -3.6f), turn));
    set_matrix(program, "mvp", view);
    glPatchParameteri(GL_PATCH_VERTICES, 4);
    glDrawArrays(GL_PATCHES, 0, 4);
}

static const char STEP[] =
    "#version 330\n"
    "layout(location = 0) in vec4 s;\n"
    "out vec4 p;\n"
    "void main() {\n"
    "    p = vec4(s.xy + s.zw * 0.4, -s.zw * 0.5 + vec2(0.1, 0.0));\n"
    "    gl_Position = vec4(0.0);\n"
    "}\n";

static const char NO_PIXELS[] =
    "#version 330\n"
    "out vec4 o;\n"
    "void main() {\n"
    "    o = vec4(1.0);\n"
    "}\n";

static const char PARTICLE_VERTICES[] =
    "#version 330\n"
    "in vec4 pos;\n"
    "out vec2 v;\n"
    "void main() {\n"
    "    v = pos.zw;\n"
    "    gl_Position = vec4(pos.xy, 0.0, 1.0);\n"
    "}\n";

static const char PARTICLE_PIXELS[] =
    "#version 330\n"
    "in vec2 v;\n"
    "out vec4 o;\n"
    "uniform vec3 tint;\n"
    "void main() {\n"
    "    o = vec4(tint * (0.5 + 0.5 * cos(v.xyx * 9.0)), 1.0);\n"
    "}\n";

enum { PARTICLES = 64, RESTART = 0xffff, STRIP_INDICES = 78 };

static GLuint step_program;
static GLuint steps[3];
static int strip_indices;

static void prepare_particles(void) {
    float particles[PARTICLES][4];
    for (int i = 0; i < PARTICLES; i++) {
        float angle = i * 2 * PI / 16, radius = .2f + .15f * (i / 16);
        const float particle[4] = {radius * cosf(angle), radius * sinf(angle), cosf(angle * 3), sinf(angle)};
        memcpy(particles[i], particle, sizeof particle);
    }
    steps[0] = buffer(GL_ARRAY_BUFFER, sizeof particles, particles);
    steps[1] = buffer(GL_ARRAY_BUFFER, sizeof particles, NULL);
    steps[2] = buffer(GL_ARRAY_BUFFER, sizeof particles, NULL);
}

// Strips between rings of sixteen particles, with restarts between them.
static void prepare_strips(void) {
    uint16_t indices[STRIP_INDICES + 2];
    int count = 0;
    for (int strip = 0; strip < 3; strip++) {
        int ring = 16 * (strip & 1);
        for (int i = 0; i < 17 && count < STRIP_INDICES; i++) {
            indices[count++] = (i & 15) + ring;
            indices[count++] = (i & 15) + ring + 16;
        }
        if (count < STRIP_INDICES) indices[count++] = RESTART;
    }
    strip_indices = count;
    buffer(GL_ELEMENT_ARRAY_BUFFER, count * sizeof *indices, indices);
    glEnable(GL_PRIMITIVE_RESTART);
    glPrimitiveRestartIndex(RESTART);
}

void prepare_feedback(void) {
    static const char *const kept[] = {"p"};
    step_program = glCreateProgram();
    attach(step_program, GL_VERTEX_SHADER, STEP);
    attach(step_program, GL_FRAGMENT_SHADER, NO_PIXELS);
    glTransformFeedbackVaryings(step_program, 1, kept, GL_INTERLEAVED_ATTRIBS);
    link_program(step_program);
    program = link_vertex_fragment(PARTICLE_VERTICES, PARTICLE_PIXELS);
    prepare_particles();
    prepare_strips();
}

static void step_particles(void) {
    glUseProgram(step_program);
    glEnable(GL_RASTERIZER_DISCARD);
    for (int i = 0; i < 2; i++) {
        glBindBuffer(GL_ARRAY_BUFFER, steps[i]);
        attribute(POSITION, 4, 4, 0);
        glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, steps[i + 1]);
        glBeginTransformFeedback(GL_POINTS);
        glDrawArrays(GL_POINTS, 0, PARTICLES);
        glEndTransformFeedback();
    }
    glDisable(GL_RASTERIZER_DISCARD);
}

void draw_feedback(void) {
    step_particles();
    glUseProgram(program);
    clear_window(.1f, .1f, .1f);
    glBindBuffer(GL_ARRAY_BUFFER, steps[2]);
    attribute(POSITION, 4, 4, 0);
    glUniform3f(uniform(program, "tint"), 1, .8f, .4f);
    glDrawElementsBaseVertex(GL_TRIANGLE_STRIP, strip_indices, GL_UNSIGNED_SHORT, NULL, 16);
    glUniform3f(uniform(program, "tint"), .3f, .8f, 1);
    glPointSize(5);
    glDrawArrays(GL_POINTS, 0, PARTICLES);
}
