// Programs: lighting, loops, many uniforms, discarded pixels; and OpenGL's fixed functions, which drivers make programs
// of.
#include "helpers.h"
#include "scenes.h"

#include <math.h>

static GLuint program;
static int indices;

static const char LIT[] = HIGH_PRECISION
    "varying vec3 n, e;\n"
    "varying vec2 t;\n"
    "uniform sampler2D s;\n"
    "uniform vec3 light;\n"
    "void main() {\n"
    "    vec3 N = normalize(n), L = normalize(light - e), V = normalize(-e);\n"
    "    vec3 h = normalize(L + V);\n"
    "    float d = max(dot(N, L), 0.0), sp = pow(max(dot(N, h), 0.0), 40.0);\n"
    "    vec3 c = texture2D(s, t).rgb;\n"
    "    gl_FragColor = vec4(c * (0.2 + 0.8 * d) + vec3(0.6) * sp, 1.0);\n"
    "}\n";

void prepare_lit(void) {
    indices = torus(48, 24, 1.2f, .55f);
    program = link_vertex_fragment(MESH, LIT);
    picture_texture(128, BRICKS, GL_LINEAR, GL_REPEAT);
    glEnable(GL_DEPTH_TEST);
    glEnable(GL_CULL_FACE);
}

void draw_lit(void) {
    clear_window(.1f, .12f, .15f);
    glUniform3f(uniform(program, "light"), 2, 3, 1);
    struct matrix turn = multiply(rotation_x(-.9f + frame * .1f), rotation_z(frame * .2f));
    set_matrices(program, multiply(translation(0, 0, -4), turn), aspect());
    draw_torus(indices);
}

static const char FRACTAL[] = HIGH_PRECISION
    "varying vec2 t;\n"
    "uniform vec2 o;\n"
    "void main() {\n"
    "    vec2 c = (t - 0.5) * 2.6 - o, z = vec2(0.0);\n"
    "    float k = 0.0;\n"
    "    for (int i = 0; i < 20; i++) {\n"
    "        if (dot(z, z) < 4.0) {\n"
    "            z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c;\n"
    "            k += 1.0;\n"
    "        }\n"
    "    }\n"
    "    vec3 q;\n"
    "    if (k > 19.0) q = vec3(0.0, 0.0, 0.1);\n"
    "    else if (mod(k, 2.0) < 1.0) q = vec3(k / 20.0, 0.5, 0.2);\n"
    "    else q = vec3(0.2, k / 20.0, 0.8);\n"
    "    gl_FragColor = vec4(q, 1.0);\n"
    "}\n";

void prepare_loops(void) {
    program = link_vertex_fragment(RECTANGLE, FRACTAL);
    quad_vertices();
}

void draw_loops(void) {
    clear_window(0, 0, 0);
    glUniform2f(uniform(program, "o"), .6f, 0);
    draw_rectangle(program, 1, 1, 0, 0);
}

static const char WAVES[] =
    "attribute vec3 pos;\n"
    "attribute vec3 nrm;\n"
    "attribute vec2 uv;\n"
    "uniform mat4 mvp, mv;\n"
    "uniform vec4 bone[24];\n"
    "varying vec3 n, e;\n"
    "void main() {\n"
    "    vec3 p = pos;\n"
    "    for (int i = 0; i < 24; i++) p += nrm * bone[i].w * sin(dot(pos, bone[i].xyz));\n"
    "    n = (mv * vec4(nrm, 0.0)).xyz;\n"
    "    e = (mv * vec4(p, 1.0)).xyz;\n"
    "    gl_Position = mvp * vec4(p, 1.0);\n"
    "}\n";

static const char TWELVE_LIGHTS[] = HIGH_PRECISION
    "varying vec3 n, e;\n"
    "uniform vec4 lpos[12];\n"
    "uniform vec4 lcol[12];\n"
    "void main() {\n"
    "    vec3 N = normalize(n), c = vec3(0.03);\n"
    "    for (int i = 0; i < 12; i++) {\n"
    "        vec3 d = lpos[i].xyz - e;\n"
    "        c += lcol[i].rgb * max(dot(N, normalize(d)), 0.0) / (1.0 + lpos[i].w * dot(d, d));\n"
    "    }\n"
    "    gl_FragColor = vec4(c, 1.0);\n"
    "}\n";

void prepare_uniforms(void) {
    program = link_vertex_fragment(WAVES, TWELVE_LIGHTS);
    indices = torus(40, 20, 1.2f, .5f);
    glEnable(GL_DEPTH_TEST);
}

static void set_waves(void) {
    float waves[24][4];
    for (int i = 0; i < 24; i++) {
        waves[i][0] = 1 + i % 5;
        waves[i][1] = 1 + i % 3;
        waves[i][2] = i % 4;
        waves[i][3] = .12f / (1 + i);
    }
    glUniform4fv(uniform(program, "bone"), 24, waves[0]);
}

static void set_lights(void) {
    float places[12][4], colors[12][4];
    for (int i = 0; i < 12; i++) {
        float angle = i * PI / 6;
        places[i][0] = 2.2f * cosf(angle);
        places[i][1] = 2.2f * sinf(angle);
        places[i][2] = -3;
        places[i][3] = .8f;
        colors[i][0] = .3f + .6f * (i % 2);
        colors[i][1] = .3f + .3f * (i % 3);
        colors[i][2] = .9f - .2f * (i % 4);
        colors[i][3] = 1;
    }
    glUniform4fv(uniform(program, "lpos"), 12, places[0]);
    glUniform4fv(uniform(program, "lcol"), 12, colors[0]);
}

void draw_uniforms(void) {
    clear_window(0, 0, 0);
    set_waves();
    set_lights();
    set_matrices(program, multiply(translation(0, 0, -4), rotation_x(-.7f)), aspect());
    draw_torus(indices);
}

static const char HOLES_AND_FOG[] = HIGH_PRECISION
    "varying vec3 n, e;\n"
    "varying vec2 t;\n"
    "uniform sampler2D s;\n"
    "void main() {\n"
    "    vec2 q = fract(t * 3.0);\n"
    "    if (length(q - 0.5) < 0.3) discard;\n"
    "    float f = clamp((-e.z - 3.0) / 3.0, 0.0, 1.0);\n"
    "    vec3 c = texture2D(s, t).rgb * (gl_FrontFacing ? 1.0 : 0.4);\n"
    "    gl_FragColor = vec4(mix(c, vec3(0.6, 0.7, 0.8), f), 1.0);\n"
    "}\n";

void prepare_kill(void) {
    indices = torus(48, 24, 1.2f, .55f);
    program = link_vertex_fragment(MESH, HOLES_AND_FOG);
    picture_texture(64, SQUARES, GL_LINEAR, GL_REPEAT);
    glEnable(GL_DEPTH_TEST);
}

void draw_kill(void) {
    clear_window(.6f, .7f, .8f);
    struct matrix turn = multiply(rotation_x(-.6f), rotation_y(.4f));
    set_matrices(program, multiply(translation(0, 0, -4), turn), aspect());
    draw_torus(indices);
}

void prepare_fixed_function(void) {
    static const GLenum wanted[] = {
        GL_TEXTURE_2D, GL_LIGHTING, GL_LIGHT0, GL_LIGHT1, GL_NORMALIZE, GL_DEPTH_TEST, GL_FOG,
    };
    const int stride = MESH_FLOATS * sizeof(float);
    cube_vertices();
    glVertexPointer(3, GL_FLOAT, stride, (void *)0);
    glNormalPointer(GL_FLOAT, stride, (void *)12);
    glTexCoordPointer(2, GL_FLOAT, stride, (void *)24);
    glEnableClientState(GL_VERTEX_ARRAY);
    glEnableClientState(GL_NORMAL_ARRAY);
    glEnableClientState(GL_TEXTURE_COORD_ARRAY);
    picture_texture(64, BRICKS, GL_LINEAR, GL_REPEAT);
    for (unsigned i = 0; i < sizeof wanted / sizeof *wanted; i++) glEnable(wanted[i]);
    glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_MODULATE);
}

static void set_fog(void) {
    static const float color[] = {.5f, .5f, .55f, 1};
    glFogi(GL_FOG_MODE, GL_LINEAR);
    glFogf(GL_FOG_START, 3);
    glFogf(GL_FOG_END, 9);
    glFogfv(GL_FOG_COLOR, color);
}

static void set_lights_and_material(void) {
    static const float near_light[] = {3, 4, 2, 1}, far_light[] = {-1, .2f, .5f, 0};
    static const float red[] = {.6f, .2f, .2f, 1}, white[] = {1, 1, 1, 1}, dark[] = {.2f, .2f, .2f, 1};
    glLightfv(GL_LIGHT0, GL_POSITION, near_light);
    glLightfv(GL_LIGHT0, GL_DIFFUSE, white);
    glLightfv(GL_LIGHT0, GL_SPECULAR, white);
    glLightfv(GL_LIGHT1, GL_POSITION, far_light);
    glLightfv(GL_LIGHT1, GL_DIFFUSE, red);
    glMaterialfv(GL_FRONT_AND_BACK, GL_AMBIENT, dark);
    glMaterialfv(GL_FRONT_AND_BACK, GL_DIFFUSE, white);
    glMaterialfv(GL_FRONT_AND_BACK, GL_SPECULAR, white);
    glMaterialf(GL_FRONT_AND_BACK, GL_SHININESS, 20);
}

void draw_fixed_function(void) {
    clear_window(.5f, .5f, .55f);
    set_fog();
    glMatrixMode(GL_PROJECTION);
    glLoadMatrixf(perspective(.9f, aspect(), .5f, 50).m);
    glMatrixMode(GL_MODELVIEW);
    glLoadIdentity();
    set_lights_and_material();
    for (int i = 0; i < 4; i++) {
        struct matrix place = translation(-1.8f + 1.2f * i, .3f * (i & 1), -3.5f - 1.4f * i);
        glLoadMatrixf(multiply(place, multiply(rotation_x(.5f + i), rotation_y(.7f * i))).m);
        glDrawArrays(GL_TRIANGLES, 0, CUBE_VERTICES);
    }
}
