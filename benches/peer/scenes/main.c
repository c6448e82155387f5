// Scenes of OpenGL, drawn without a window by whichever driver EGL finds. ../README.md says how they are measured.
//
//     scenes -l                                              the scenes and the OpenGL that each needs
//     scenes [-s WxH] [-n FRAMES] [-o FILE.png] NAME         draws frames, and writes the last one
//     scenes [-s WxH] -b SECONDS NAME                        measures steady frames
//
// Exit status 3: the driver does not have what the scene needs.
#include "helpers.h"
#include "scenes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const struct scene {
    const char *name;
    enum version version;
    void (*prepare)(void), (*draw)(void);
} SCENES[] = {
    {"triangle", GLES_2_0, prepare_triangle, draw_triangle},
    {"quad", GLES_2_0, prepare_quad, draw_quad},
    {"cubes", GLES_2_0, prepare_cubes, draw_cubes},
    {"lit", GLES_2_0, prepare_lit, draw_lit},
    {"blend", GLES_2_0, prepare_blending, draw_blending},
    {"mipmap", GLES_2_0, prepare_mipmap, draw_mipmap},
    {"fbo", GLES_2_0, prepare_framebuffers, draw_framebuffers},
    {"loops", GLES_2_0, prepare_loops, draw_loops},
    {"uniforms", GLES_2_0, prepare_uniforms, draw_uniforms},
    {"stencil", GLES_2_0, prepare_stencil, draw_stencil},
    {"cubemap", GLES_2_0, prepare_cube_map, draw_cube_map},
    {"s3tc", GLES_2_0, prepare_s3tc, draw_s3tc},
    {"prims", GLES_2_0, prepare_primitives, draw_primitives},
    {"kill", GLES_2_0, prepare_kill, draw_kill},
    {"formats", GLES_2_0, prepare_formats, draw_formats},
    {"ffp", GL_2_1, prepare_fixed_function, draw_fixed_function},
    {"mrt", GL_2_1, prepare_several_targets, draw_several_targets},
    {"shadow", GL_2_1, prepare_shadow, draw_shadow},
    {"instancing", GLES_3_0, prepare_instancing, draw_instancing},
    {"compute", GL_4_3, prepare_compute, draw_compute},
    {"ubo-int", GLES_3_0, prepare_integers, draw_integers},
    {"tess-geom", GL_4_3, prepare_tessellation, draw_tessellation},
    {"xfb", GL_3_3, prepare_feedback, draw_feedback},
    {"dynamic", GL_3_3, prepare_dynamic, draw_dynamic},
    {"msaa", GL_3_3, prepare_multisampling, draw_multisampling},
};

enum {
    COUNT = sizeof SCENES / sizeof *SCENES,
    // Before anything is measured: programs are compiled, textures uploaded.
    WARM_UP = 5,
    // A frame is a small thing for a clock, and a driver may work on the next one meanwhile.
    GROUP = 8,
    MAX_GROUPS = 100000,
};

static double seconds_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec * 1e-9;
}

static void check_errors(const char *name) {
    GLenum error = glGetError();
    if (error) fail("%s: OpenGL error %#x", name, error);
}

static int compare(const void *a, const void *b) {
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

// Draws for some seconds and says the tenth percentile of the frame times of groups, and the smallest.
static void measure(const struct scene *scene, double seconds) {
    static double times[MAX_GROUPS];
    int groups = 0;
    for (frame = 0; frame < WARM_UP; frame++) scene->draw();
    glFinish();
    double start = seconds_now(), last = start;
    do {
        for (int i = 0; i < GROUP; i++, frame++) {
            scene->draw();
            glFlush();
        }
        glFinish();
        double now = seconds_now();
        times[groups++] = (now - last) / GROUP;
        last = now;
    } while (last - start < seconds && groups < MAX_GROUPS);
    check_errors(scene->name);
    qsort(times, groups, sizeof *times, compare);
    printf("tenth %.4f ms least %.4f ms of %d frames\n", 1e3 * times[groups / 10], 1e3 * times[0], groups * GROUP);
}

static void draw(const struct scene *scene, int frames, const char *file) {
    for (frame = 0; frame < frames; frame++) {
        scene->draw();
        glFinish();
    }
    check_errors(scene->name);
    if (file) write_picture(file, width, height);
}

static void list(void) {
    for (int i = 0; i < COUNT; i++) printf("%-12s %s\n", SCENES[i].name, version_name(SCENES[i].version));
}

static const struct scene *find(const char *name) {
    for (int i = 0; i < COUNT; i++) {
        if (strcmp(SCENES[i].name, name) == 0) return &SCENES[i];
    }
    fprintf(stderr, "there is no scene %s\n", name);
    exit(USAGE);
}

static _Noreturn void usage(void) {
    fputs("usage: scenes -l | scenes [-s WxH] [-n FRAMES] [-o FILE.png] [-b SECONDS] NAME\n", stderr);
    exit(USAGE);
}

int main(int count, char **arguments) {
    const char *file = NULL;
    int frames = 1, option;
    double seconds = 0;
    while ((option = getopt(count, arguments, "ls:n:o:b:")) != -1) {
        switch (option) {
        case 'l': list(); return 0;
        case 's':
            if (sscanf(optarg, "%dx%d", &width, &height) != 2 || width < 1 || height < 1) usage();
            break;
        case 'n': frames = atoi(optarg); break;
        case 'o': file = optarg; break;
        case 'b': seconds = atof(optarg); break;
        default: usage();
        }
    }
    if (optind + 1 != count) usage();
    const struct scene *scene = find(arguments[optind]);
    open_context(scene->version, width, height);
    printf("%s\n", glGetString(GL_RENDERER));
    scene->prepare();
    if (seconds > 0) measure(scene, seconds);
    else draw(scene, frames, file);
    close_context();
    return 0;
}
