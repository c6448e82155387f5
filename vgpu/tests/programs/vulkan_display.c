// A swapchain on the display, without a window system: vulkan_display FRAMES fills that many frames with colours of
// which each is another one.
#include "vulkan_common.h"

static const char *const OF_INSTANCE[] = {VK_KHR_SURFACE_EXTENSION_NAME, VK_KHR_DISPLAY_EXTENSION_NAME};
static const char *const OF_DEVICE[] = {VK_KHR_SWAPCHAIN_EXTENSION_NAME};

enum { MOST = 16 };

// NVK of Mesa 25 has no memory of the device where there is none apart from the system's, and its swapchains need it.
static int has_memory_of_the_device(void) {
    VkPhysicalDeviceMemoryProperties kinds;
    vkGetPhysicalDeviceMemoryProperties(physical, &kinds);
    VkMemoryPropertyFlags all = 0;
    for (uint32_t kind = 0; kind < kinds.memoryTypeCount; kind++) all |= kinds.memoryTypes[kind].propertyFlags;
    return (all & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) != 0;
}

static VkSurfaceKHR surface(VkExtent2D *size) {
    uint32_t count = 1;
    VkDisplayPropertiesKHR display;
    VkDisplayModePropertiesKHR mode;
    VkDisplayPlanePropertiesKHR plane;
    CHECK(vkGetPhysicalDeviceDisplayPropertiesKHR(physical, &count, &display));
    CHECK(vkGetPhysicalDeviceDisplayPlanePropertiesKHR(physical, &count, &plane));
    CHECK(vkGetDisplayModePropertiesKHR(physical, display.display, &count, &mode));
    *size = mode.parameters.visibleRegion;
    VkDisplaySurfaceCreateInfoKHR info = {.sType = VK_STRUCTURE_TYPE_DISPLAY_SURFACE_CREATE_INFO_KHR,
                                          .displayMode = mode.displayMode,
                                          .transform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
                                          .globalAlpha = 1,
                                          .alphaMode = VK_DISPLAY_PLANE_ALPHA_OPAQUE_BIT_KHR,
                                          .imageExtent = *size};
    VkSurfaceKHR made;
    CHECK(vkCreateDisplayPlaneSurfaceKHR(instance, &info, NULL, &made));
    VkBool32 is_supported;
    CHECK(vkGetPhysicalDeviceSurfaceSupportKHR(physical, 0, made, &is_supported));
    if (!is_supported) exit(NOT_OFFERED);
    return made;
}

static void change_layout(VkImage image, VkImageLayout from, VkImageLayout to) {
    VkImageMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                    .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                    .dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                    .oldLayout = from,
                                    .newLayout = to,
                                    .image = image,
                                    .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0,
                         NULL, 1, &barrier);
}

int main(int count, char **arguments) {
    if (count != 2) return 2;
    open_device(OF_INSTANCE, 2, OF_DEVICE, 1);
    if (!has_memory_of_the_device()) return NOT_OFFERED;
    VkSwapchainCreateInfoKHR info = {.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
                                     .minImageCount = 3,
                                     .imageFormat = VK_FORMAT_B8G8R8A8_UNORM,
                                     .imageColorSpace = VK_COLOR_SPACE_SRGB_NONLINEAR_KHR,
                                     .imageArrayLayers = 1,
                                     .imageUsage = VK_IMAGE_USAGE_TRANSFER_DST_BIT,
                                     .preTransform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
                                     .compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR,
                                     .presentMode = VK_PRESENT_MODE_FIFO_KHR};
    info.surface = surface(&info.imageExtent);
    VkSwapchainKHR chain;
    CHECK(vkCreateSwapchainKHR(device, &info, NULL, &chain));
    VkImage images[MOST];
    uint32_t image_count = MOST;
    CHECK(vkGetSwapchainImagesKHR(device, chain, &image_count, images));
    VkSemaphoreCreateInfo plain = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
    VkSemaphore acquired, drawn;
    CHECK(vkCreateSemaphore(device, &plain, NULL, &acquired));
    CHECK(vkCreateSemaphore(device, &plain, NULL, &drawn));
    for (int frame = 0; frame < atoi(arguments[1]); frame++) {
        uint32_t at;
        CHECK(vkAcquireNextImageKHR(device, chain, UINT64_MAX, acquired, VK_NULL_HANDLE, &at));
        begin();
        change_layout(images[at], VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
        VkClearColorValue colour = {.float32 = {(float)(20 * frame) / 255, 1, (float)(255 - 20 * frame) / 255, 1}};
        VkImageSubresourceRange all = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
        vkCmdClearColorImage(commands, images[at], VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &colour, 1, &all);
        change_layout(images[at], VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
        CHECK(vkEndCommandBuffer(commands));
        VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
        submit((VkSubmitInfo){.waitSemaphoreCount = 1,
                              .pWaitSemaphores = &acquired,
                              .pWaitDstStageMask = &stage,
                              .commandBufferCount = 1,
                              .pCommandBuffers = &commands,
                              .signalSemaphoreCount = 1,
                              .pSignalSemaphores = &drawn});
        VkPresentInfoKHR shown = {.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
                                  .waitSemaphoreCount = 1,
                                  .pWaitSemaphores = &drawn,
                                  .swapchainCount = 1,
                                  .pSwapchains = &chain,
                                  .pImageIndices = &at};
        CHECK(vkQueuePresentKHR(queue, &shown));
    }
    CHECK(vkDeviceWaitIdle(device));
    vkDestroySwapchainKHR(device, chain, NULL);
    vkDestroyDevice(device, NULL);
    vkDestroyInstance(instance, NULL);
    return 0;
}
