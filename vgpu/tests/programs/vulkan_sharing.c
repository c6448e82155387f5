// Two processes share semaphores of Vulkan: vulkan_sharing. Each has a GPU of its own. They take turns along a timeline
// that one has made and the other has by its descriptor, and one waits for sync files of the other's work.
#include "vulkan_common.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 20 };

static const char *const EXTENSIONS[] = {VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME,
                                         VK_KHR_EXTERNAL_FENCE_FD_EXTENSION_NAME};

#define FUNCTION(name) ((PFN_##name)vkGetDeviceProcAddr(device, #name))

static void fail(const char *what) {
    fprintf(stderr, "%s\n", what);
    exit(1);
}

static void hand_over(int to, int descriptor) {
    char room[CMSG_SPACE(sizeof(int))] = {0}, byte = 0;
    struct iovec bytes = {&byte, 1};
    struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
    if (sendmsg(to, &message, 0) < 0) fail("a descriptor was not sent");
    close(descriptor);
}

static int receive(int from) {
    char room[CMSG_SPACE(sizeof(int))], byte;
    struct iovec bytes = {&byte, 1};
    struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    if (recvmsg(from, &message, 0) != 1) fail("no descriptor was received");
    int descriptor;
    memcpy(&descriptor, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof descriptor);
    return descriptor;
}

static VkSemaphore semaphore(VkSemaphoreType kind, VkExternalSemaphoreHandleTypeFlags exported) {
    VkExportSemaphoreCreateInfo shared = {.sType = VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO,
                                          .handleTypes = exported};
    VkSemaphoreTypeCreateInfo typed = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                       .pNext = exported ? &shared : NULL,
                                       .semaphoreType = kind};
    VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &typed};
    VkSemaphore made;
    CHECK(vkCreateSemaphore(device, &info, NULL, &made));
    return made;
}

static int export_semaphore(VkSemaphore made, VkExternalSemaphoreHandleTypeFlagBits kind) {
    VkSemaphoreGetFdInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR, .semaphore = made, .handleType = kind};
    int descriptor;
    CHECK(FUNCTION(vkGetSemaphoreFdKHR)(device, &info, &descriptor));
    return descriptor;
}

static void import_semaphore(VkSemaphore made, VkExternalSemaphoreHandleTypeFlagBits kind, int descriptor) {
    VkImportSemaphoreFdInfoKHR info = {.sType = VK_STRUCTURE_TYPE_IMPORT_SEMAPHORE_FD_INFO_KHR,
                                       .semaphore = made,
                                       .handleType = kind,
                                       .fd = descriptor};
    if (kind == VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT) info.flags = VK_SEMAPHORE_IMPORT_TEMPORARY_BIT;
    CHECK(FUNCTION(vkImportSemaphoreFdKHR)(device, &info));
}

// Has the queue signal a point.
static void signal_point(VkSemaphore line, uint64_t point) {
    VkTimelineSemaphoreSubmitInfo points = {.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                            .signalSemaphoreValueCount = 1,
                                            .pSignalSemaphoreValues = &point};
    submit((VkSubmitInfo){.pNext = &points, .signalSemaphoreCount = 1, .pSignalSemaphores = &line});
}

static void wait_for_point(VkSemaphore line, uint64_t point) {
    VkSemaphoreWaitInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                .semaphoreCount = 1,
                                .pSemaphores = &line,
                                .pValues = &point};
    CHECK(vkWaitSemaphores(device, &info, 30000000000));
}

static void wait_for_file(int descriptor) {
    struct pollfd file = {descriptor, POLLIN, 0};
    if (poll(&file, 1, 30000) != 1 || !(file.revents & POLLIN)) fail("a sync file is not reached");
}

static void first(int other) {
    open_device(NULL, 0, EXTENSIONS, 2);
    VkSemaphore line = semaphore(VK_SEMAPHORE_TYPE_TIMELINE, VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT);
    hand_over(other, export_semaphore(line, VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT));
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        signal_point(line, 2 * round - 1);
        wait_for_point(line, 2 * round);
    }
    VkSemaphore once = semaphore(VK_SEMAPHORE_TYPE_BINARY, VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT);
    submit((VkSubmitInfo){.signalSemaphoreCount = 1, .pSignalSemaphores = &once});
    hand_over(other, export_semaphore(once, VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT));
    VkExportFenceCreateInfo shared = {.sType = VK_STRUCTURE_TYPE_EXPORT_FENCE_CREATE_INFO,
                                      .handleTypes = VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT};
    VkFenceCreateInfo fenced = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, .pNext = &shared};
    VkFence exported;
    CHECK(vkCreateFence(device, &fenced, NULL, &exported));
    CHECK(vkQueueSubmit(queue, 0, NULL, exported));
    VkFenceGetFdInfoKHR info = {.sType = VK_STRUCTURE_TYPE_FENCE_GET_FD_INFO_KHR,
                                .fence = exported,
                                .handleType = VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT};
    int descriptor;
    CHECK(FUNCTION(vkGetFenceFdKHR)(device, &info, &descriptor));
    hand_over(other, descriptor);
}

static void second(int other) {
    int shared = receive(other);
    open_device(NULL, 0, EXTENSIONS, 2);
    VkSemaphore line = semaphore(VK_SEMAPHORE_TYPE_TIMELINE, 0);
    import_semaphore(line, VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT, shared);
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        wait_for_point(line, 2 * round - 1);
        signal_point(line, 2 * round);
    }
    int file = receive(other);
    wait_for_file(file);
    VkSemaphore once = semaphore(VK_SEMAPHORE_TYPE_BINARY, 0);
    import_semaphore(once, VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT, file);
    VkPipelineStageFlags all = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    submit((VkSubmitInfo){.waitSemaphoreCount = 1, .pWaitSemaphores = &once, .pWaitDstStageMask = &all});
    wait_for_file(receive(other));
}

int main(void) {
    int ends[2], status;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) return 2;
    // Before any of them has a GPU.
    pid_t child = fork();
    close(ends[child == 0 ? 0 : 1]);
    if (child == 0) {
        second(ends[1]);
        return 0;
    }
    first(ends[0]);
    return !(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
