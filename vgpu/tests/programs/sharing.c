// Two processes share a node and a buffer: sharing. The first one opens the node, as a display server does, and the
// second one finds its own GPU behind that descriptor. The first one draws to a texture and hands it over as a descriptor; the second
// one, which has a GPU of its own, reads it as a texture and draws to it, and the first one sees that.
#include "common.h"

#include <GLES2/gl2ext.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS 20

// How a picture lies in a buffer.
struct picture {
    int32_t format, stride, offset;
    uint64_t modifier;
};

static void *function(const char *name) {
    void *found = (void *)eglGetProcAddress(name);
    if (!found) fail(name);
    return found;
}

// Sends a descriptor with what it is.
static void hand_over(int to, int descriptor, struct picture picture) {
    char room[CMSG_SPACE(sizeof(int))] = {0};
    struct iovec bytes = {&picture, sizeof picture};
    struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
    if (sendmsg(to, &message, 0) < 0) fail("a descriptor was not sent");
}

static int receive(int from, struct picture *picture) {
    char room[CMSG_SPACE(sizeof(int))];
    struct iovec bytes = {picture, sizeof *picture};
    struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    if (recvmsg(from, &message, 0) != sizeof *picture) fail("no descriptor was received");
    int descriptor;
    memcpy(&descriptor, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof descriptor);
    return descriptor;
}

// One byte of the other process: it is done.
static void tell(int to) {
    if (write(to, "", 1) != 1) fail("the other process is gone");
}

static void hear(int from) {
    char byte;
    if (read(from, &byte, 1) != 1) fail("the other process is gone");
}

// The colour of a round, of the first process or the second.
static uint32_t colour(int round, int second) {
    return (uint32_t)(round * 10) << 24 | (second ? 0xFF0000 : 0) | (uint32_t)(255 - round * 10) << 8 | 0xFF;
}

static void fill(uint32_t rgba) {
    glClearColor((rgba >> 24) / 255.0f, (rgba >> 16 & 255) / 255.0f, (rgba >> 8 & 255) / 255.0f, 1);
    glClear(GL_COLOR_BUFFER_BIT);
}

// Whether all of a framebuffer has a colour.
static int is_all(uint32_t rgba) {
    return pixel(0, 0) == rgba && pixel(WIDTH / 2, HEIGHT / 2) == rgba && pixel(WIDTH - 1, HEIGHT - 1) == rgba;
}

// Whether a descriptor is that of a node of nouveau's, for a process that has not asked for one yet.
static int is_node(int descriptor) {
    struct {
        int version[3];
        size_t name_length;
        char *name;
        size_t date_length;
        char *date;
        size_t description_length;
        char *description;
    } version = {0};
    struct stat status;
    char name[16] = "";
    version.name_length = sizeof name - 1;
    version.name = name;
    return !fstat(descriptor, &status) && S_ISCHR(status.st_mode) && !ioctl(descriptor, _IOC(3, 'd', 0, sizeof version),
        &version) && !strcmp(name, "nouveau");
}

static int first(int other) {
    int node = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
    if (!is_node(node)) fail("no node");
    hand_over(other, node, (struct picture){0});
    close(node);
    EGLContext context = make_context(EGL_NO_CONTEXT);
    GLuint color;
    GLuint drawn = target(WIDTH, HEIGHT, &color);
    fill(colour(0, 0));
    PFNEGLCREATEIMAGEKHRPROC create = function("eglCreateImageKHR");
    PFNEGLEXPORTDMABUFIMAGEQUERYMESAPROC query = function("eglExportDMABUFImageQueryMESA");
    PFNEGLEXPORTDMABUFIMAGEMESAPROC export = function("eglExportDMABUFImageMESA");
    EGLImageKHR image = create(display, context, EGL_GL_TEXTURE_2D_KHR, (EGLClientBuffer)(uintptr_t)color, NULL);
    struct picture picture;
    int planes, descriptor;
    if (!image || !query(display, image, &picture.format, &planes, &picture.modifier) || planes != 1) fail("no image");
    if (!export(display, image, &descriptor, &picture.stride, &picture.offset)) fail("no descriptor");
    // A compositor looks at the size, and refuses what a picture does not fit in.
    if (lseek(descriptor, 0, SEEK_END) < picture.offset + picture.stride * HEIGHT) fail("a buffer that is too small");
    hand_over(other, descriptor, picture);
    close(descriptor);
    int right = 1;
    for (int round = 0; round < ROUNDS; round++) {
        glBindFramebuffer(GL_FRAMEBUFFER, drawn);
        fill(colour(round, 0));
        glFlush();
        tell(other);
        hear(other);
        right &= is_all(colour(round, 1));
    }
    return right;
}

static int second(int other) {
    struct picture picture;
    int node = receive(other, &picture);
    if (!is_node(node)) fail("the node of another process is none here");
    close(node);
    make_context(EGL_NO_CONTEXT);
    int descriptor = receive(other, &picture);
    PFNEGLCREATEIMAGEKHRPROC create = function("eglCreateImageKHR");
    PFNGLEGLIMAGETARGETTEXTURE2DOESPROC bind = function("glEGLImageTargetTexture2DOES");
    const EGLint wanted[] = {EGL_WIDTH, WIDTH, EGL_HEIGHT, HEIGHT, EGL_LINUX_DRM_FOURCC_EXT, picture.format,
        EGL_DMA_BUF_PLANE0_FD_EXT, descriptor, EGL_DMA_BUF_PLANE0_OFFSET_EXT, picture.offset,
        EGL_DMA_BUF_PLANE0_PITCH_EXT, picture.stride, EGL_NONE};
    EGLImageKHR image = create(display, EGL_NO_CONTEXT, EGL_LINUX_DMA_BUF_EXT, NULL, wanted);
    close(descriptor);
    if (!image) fail("the buffer of another process cannot be imported");
    GLuint received = texture(1, 1, NULL), shown = target(WIDTH, HEIGHT, NULL), drawn;
    glBindTexture(GL_TEXTURE_2D, received);
    bind(GL_TEXTURE_2D, image);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glGenFramebuffers(1, &drawn);
    glBindFramebuffer(GL_FRAMEBUFFER, drawn);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, received, 0);
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) fail("no framebuffer of a buffer");
    program(PLAIN, "precision mediump float; varying vec2 p; uniform sampler2D t; void main() { gl_FragColor = "
                   "texture2D(t, p); }");
    int right = 1;
    for (int round = 0; round < ROUNDS; round++) {
        hear(other);
        glBindFramebuffer(GL_FRAMEBUFFER, shown);
        clear();
        glBindTexture(GL_TEXTURE_2D, received);
        rectangle(-1, -1, 1, 1);
        right &= is_all(colour(round, 0));
        glBindFramebuffer(GL_FRAMEBUFFER, drawn);
        fill(colour(round, 1));
        glFlush();
        tell(other);
    }
    return right;
}

int main(void) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) return 2;
    // Before any of them has a GPU.
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        return !second(ends[1]);
    }
    close(ends[1]);
    int right = first(ends[0]), status;
    return !(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0 && right);
}
