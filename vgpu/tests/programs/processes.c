// Processes with a GPU of their own: processes together | fork | exec | forever.
#include <sys/wait.h>
#include <unistd.h>

#include "common.h"

// Whether what is drawn can be read back.
static int draws(void) {
    make_context(EGL_NO_CONTEXT);
    target(WIDTH, HEIGHT, NULL);
    GLuint used = program(PLAIN, "precision mediump float; uniform vec4 color; void main() { gl_FragColor = color; }");
    int right = 1;
    for (int i = 0; i < 50; i++) {
        clear();
        glUniform4f(glGetUniformLocation(used, "color"), i % 2, 1, 0, 1);
        rectangle(-0.5f, -0.5f, 0.5f, 0.5f);
        right &= pixel(WIDTH / 2, HEIGHT / 2) == (i % 2 ? 0xFFFF00FF : 0x00FF00FF) && pixel(0, 0) == 0x336699FF;
    }
    return right;
}

// Whether a child ends well.
static int ends_well(pid_t child) {
    int status;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int main(int count, char **arguments) {
    const char *what = count > 1 ? arguments[1] : "";
    if (!strcmp(what, "alone")) return !draws();
    if (!strcmp(what, "at once")) _exit(!draws());
    if (!strcmp(what, "together")) {
        // Both look for the device, each has its own.
        pid_t child = fork();
        int right = draws();
        if (child == 0) return !right;
        return !(ends_well(child) && right);
    }
    if (!strcmp(what, "fork")) {
        // A child of a process that draws has no channel. It may end, by _exit or exit, and the parent goes on.
        int right = draws();
        for (int i = 0; i < 2; i++) {
            pid_t child = fork();
            if (child == 0 && i == 0) _exit(0);
            if (child == 0) exit(0);
            right &= ends_well(child);
        }
        return !(right && draws());
    }
    if (!strcmp(what, "exec")) {
        // Another program takes the place of a child of a process that draws.
        int right = draws();
        pid_t child = fork();
        if (child == 0) execl(arguments[0], arguments[0], "alone", NULL);
        return !(ends_well(child) && right);
    }
    if (!strcmp(what, "forever")) {
        for (;;) {
            if (!draws()) return 1;
            puts("drawn");
            fflush(stdout);
        }
    }
    return 2;
}
