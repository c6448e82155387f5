// What the programs of Vulkan share: a device with one queue and one buffer of commands.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

// What a program ends with that the driver does not offer what it needs.
enum { NOT_OFFERED = 77 };

static void check(VkResult result, const char *what) {
    if (result != VK_SUCCESS) {
        fprintf(stderr, "%s: %d\n", what, result);
        exit(1);
    }
}
#define CHECK(call) check(call, #call)

static VkInstance instance;
static VkPhysicalDevice physical;
static VkDevice device;
static VkQueue queue;
static VkCommandBuffer commands;
static VkFence fence;

// A device with timelines, and extensions of the instance and of the device.
static void open_device(const char *const *names, uint32_t count, const char *const *device_names,
                        uint32_t device_count) {
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_2};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                 .pApplicationInfo = &application,
                                 .enabledExtensionCount = count,
                                 .ppEnabledExtensionNames = names};
    CHECK(vkCreateInstance(&info, NULL, &instance));
    uint32_t devices = 1;
    VkResult found = vkEnumeratePhysicalDevices(instance, &devices, &physical);
    if ((found != VK_SUCCESS && found != VK_INCOMPLETE) || devices == 0) {
        fputs("no device\n", stderr);
        exit(3);
    }
    const float priority = 1;
    VkDeviceQueueCreateInfo queues = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    VkPhysicalDeviceTimelineSemaphoreFeatures timelines = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES, .timelineSemaphore = VK_TRUE};
    VkDeviceCreateInfo made = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                               .pNext = &timelines,
                               .queueCreateInfoCount = 1,
                               .pQueueCreateInfos = &queues,
                               .enabledExtensionCount = device_count,
                               .ppEnabledExtensionNames = device_names};
    CHECK(vkCreateDevice(physical, &made, NULL, &device));
    vkGetDeviceQueue(device, 0, 0, &queue);
    VkCommandPool pool;
    VkCommandPoolCreateInfo pooled = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                      .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT};
    CHECK(vkCreateCommandPool(device, &pooled, NULL, &pool));
    VkCommandBufferAllocateInfo allocated = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = pool, .commandBufferCount = 1};
    CHECK(vkAllocateCommandBuffers(device, &allocated, &commands));
    VkFenceCreateInfo fenced = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    CHECK(vkCreateFence(device, &fenced, NULL, &fence));
}

static inline void begin(void) {
    VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    CHECK(vkBeginCommandBuffer(commands, &info));
}

// Submits the commands with what a submission says besides, and waits for it.
static void submit(VkSubmitInfo info) {
    info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    CHECK(vkQueueSubmit(queue, 1, &info, fence));
    CHECK(vkWaitForFences(device, 1, &fence, VK_TRUE, UINT64_MAX));
    CHECK(vkResetFences(device, 1, &fence));
}

static inline void end(void) {
    CHECK(vkEndCommandBuffer(commands));
    submit((VkSubmitInfo){.commandBufferCount = 1, .pCommandBuffers = &commands});
}
