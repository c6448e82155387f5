// Vulkan without a window: vulkan PICTURE draws a picture and writes its pixels, after a computation that is checked.
// It says which device it has drawn with.
//
// A compute program fills a buffer, twice what it finds there plus its place; a picture is cleared and three triangles
// are drawn to it, with a texture that was uploaded and colours that are interpolated, the last under blending.
#include "vulkan_common.h"

// Words of programs, made of the texts beside this file.
static const uint32_t VERTEX[] = {
#include "vulkan.vert.inc"
};
static const uint32_t FRAGMENT[] = {
#include "vulkan.frag.inc"
};
static const uint32_t COMPUTE[] = {
#include "vulkan.comp.inc"
};

enum { WIDTH = 128, HEIGHT = 96, NUMBERS = 1024, TEXELS = 16 };

// Memory with some properties; NVK of Mesa 25 has none that is the device's where the device has no memory of its own.
static VkDeviceMemory memory(VkMemoryRequirements wanted, VkMemoryPropertyFlags flags) {
    VkPhysicalDeviceMemoryProperties kinds;
    vkGetPhysicalDeviceMemoryProperties(physical, &kinds);
    for (uint32_t kind = 0; kind < kinds.memoryTypeCount; kind++) {
        if (!(wanted.memoryTypeBits & 1u << kind) || (kinds.memoryTypes[kind].propertyFlags & flags) != flags) continue;
        VkMemoryAllocateInfo info = {
            .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = wanted.size, .memoryTypeIndex = kind};
        VkDeviceMemory made;
        CHECK(vkAllocateMemory(device, &info, NULL, &made));
        return made;
    }
    if (flags == VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) return memory(wanted, 0);
    fputs("no memory of that kind\n", stderr);
    exit(1);
}

// A buffer that the program sees.
static VkBuffer buffer(VkDeviceSize size, VkBufferUsageFlags usage, void **mapped) {
    VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size, .usage = usage};
    VkBuffer made;
    VkMemoryRequirements wanted;
    CHECK(vkCreateBuffer(device, &info, NULL, &made));
    vkGetBufferMemoryRequirements(device, made, &wanted);
    VkDeviceMemory bytes =
        memory(wanted, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
    CHECK(vkBindBufferMemory(device, made, bytes, 0));
    CHECK(vkMapMemory(device, bytes, 0, VK_WHOLE_SIZE, 0, mapped));
    return made;
}

static VkImage image(uint32_t width, uint32_t height, VkImageUsageFlags usage, VkImageView *view) {
    VkImageCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
        .imageType = VK_IMAGE_TYPE_2D,
        .format = VK_FORMAT_R8G8B8A8_UNORM,
        .extent = {width, height, 1},
        .mipLevels = 1,
        .arrayLayers = 1,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .tiling = VK_IMAGE_TILING_OPTIMAL,
        .usage = usage,
    };
    VkImage made;
    VkMemoryRequirements wanted;
    CHECK(vkCreateImage(device, &info, NULL, &made));
    vkGetImageMemoryRequirements(device, made, &wanted);
    CHECK(vkBindImageMemory(device, made, memory(wanted, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT), 0));
    VkImageViewCreateInfo viewed = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
        .image = made,
        .viewType = VK_IMAGE_VIEW_TYPE_2D,
        .format = info.format,
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
    };
    CHECK(vkCreateImageView(device, &viewed, NULL, view));
    return made;
}

static void change_layout(VkImage image, VkImageLayout from, VkImageLayout to) {
    VkImageMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
        .oldLayout = from,
        .newLayout = to,
        .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .image = image,
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
    };
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL,
                         0, NULL, 1, &barrier);
}

static VkShaderModule module(const uint32_t *words, size_t size) {
    VkShaderModuleCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = size, .pCode = words};
    VkShaderModule made;
    CHECK(vkCreateShaderModule(device, &info, NULL, &made));
    return made;
}

// A set of one descriptor, and a layout of pipelines that have it.
static VkDescriptorSet set(VkDescriptorType type, VkShaderStageFlags stages, VkPipelineLayout *layout) {
    VkDescriptorSetLayoutBinding binding = {.descriptorType = type, .descriptorCount = 1, .stageFlags = stages};
    VkDescriptorSetLayoutCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 1, .pBindings = &binding};
    VkDescriptorSetLayout of_set;
    CHECK(vkCreateDescriptorSetLayout(device, &info, NULL, &of_set));
    VkPipelineLayoutCreateInfo of_pipeline = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1, .pSetLayouts = &of_set};
    CHECK(vkCreatePipelineLayout(device, &of_pipeline, NULL, layout));
    VkDescriptorPoolSize size = {type, 1};
    VkDescriptorPoolCreateInfo pooled = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                         .maxSets = 1,
                                         .poolSizeCount = 1,
                                         .pPoolSizes = &size};
    VkDescriptorPool pool;
    CHECK(vkCreateDescriptorPool(device, &pooled, NULL, &pool));
    VkDescriptorSetAllocateInfo allocated = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                             .descriptorPool = pool,
                                             .descriptorSetCount = 1,
                                             .pSetLayouts = &of_set};
    VkDescriptorSet made;
    CHECK(vkAllocateDescriptorSets(device, &allocated, &made));
    return made;
}

static void compute(void) {
    void *mapped;
    VkBufferUsageFlags usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    VkBuffer numbers = buffer(4 * NUMBERS, usage, &mapped);
    VkPipelineLayout layout;
    VkDescriptorSet storage = set(VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_SHADER_STAGE_COMPUTE_BIT, &layout);
    VkDescriptorBufferInfo whole = {numbers, 0, VK_WHOLE_SIZE};
    VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                  .dstSet = storage,
                                  .descriptorCount = 1,
                                  .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                  .pBufferInfo = &whole};
    vkUpdateDescriptorSets(device, 1, &write, 0, NULL);
    VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = module(COMPUTE, sizeof COMPUTE),
                  .pName = "main"},
        .layout = layout,
    };
    VkPipeline pipeline;
    CHECK(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
    begin();
    vkCmdFillBuffer(commands, numbers, 0, VK_WHOLE_SIZE, 21);
    VkMemoryBarrier filled = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                              .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                              .dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1, &filled,
                         0, NULL, 0, NULL);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &storage, 0, NULL);
    vkCmdDispatch(commands, NUMBERS / 64, 1, 1);
    end();
    const uint32_t *found = mapped;
    for (uint32_t i = 0; i < NUMBERS; i++) {
        if (found[i] != 42 + i) {
            fprintf(stderr, "number %u is %u\n", i, found[i]);
            exit(1);
        }
    }
}

static VkRenderPass render_pass(void) {
    VkAttachmentDescription color = {.format = VK_FORMAT_R8G8B8A8_UNORM,
                                     .samples = VK_SAMPLE_COUNT_1_BIT,
                                     .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                     .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                     .initialLayout = VK_IMAGE_LAYOUT_UNDEFINED,
                                     .finalLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL};
    VkAttachmentReference drawn = {0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
    VkSubpassDescription subpass = {.colorAttachmentCount = 1, .pColorAttachments = &drawn};
    VkRenderPassCreateInfo info = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                   .attachmentCount = 1,
                                   .pAttachments = &color,
                                   .subpassCount = 1,
                                   .pSubpasses = &subpass};
    VkRenderPass made;
    CHECK(vkCreateRenderPass(device, &info, NULL, &made));
    return made;
}

static VkPipeline graphics(VkPipelineLayout layout, VkRenderPass pass) {
    VkPipelineShaderStageCreateInfo stages[] = {
        {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
         .stage = VK_SHADER_STAGE_VERTEX_BIT,
         .module = module(VERTEX, sizeof VERTEX),
         .pName = "main"},
        {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
         .stage = VK_SHADER_STAGE_FRAGMENT_BIT,
         .module = module(FRAGMENT, sizeof FRAGMENT),
         .pName = "main"},
    };
    VkPipelineVertexInputStateCreateInfo vertices = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
    VkPipelineInputAssemblyStateCreateInfo assembly = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
        .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST};
    VkViewport viewport = {0, 0, WIDTH, HEIGHT, 0, 1};
    VkRect2D scissor = {{0, 0}, {WIDTH, HEIGHT}};
    VkPipelineViewportStateCreateInfo viewports = {.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
                                                   .viewportCount = 1,
                                                   .pViewports = &viewport,
                                                   .scissorCount = 1,
                                                   .pScissors = &scissor};
    VkPipelineRasterizationStateCreateInfo raster = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO, .lineWidth = 1};
    VkPipelineMultisampleStateCreateInfo samples = {.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
                                                    .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
    VkPipelineColorBlendAttachmentState over = {.blendEnable = VK_TRUE,
                                                .srcColorBlendFactor = VK_BLEND_FACTOR_SRC_ALPHA,
                                                .dstColorBlendFactor = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA,
                                                .srcAlphaBlendFactor = VK_BLEND_FACTOR_ONE,
                                                .dstAlphaBlendFactor = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA,
                                                .colorWriteMask = 0xF};
    VkPipelineColorBlendStateCreateInfo blending = {.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
                                                    .attachmentCount = 1,
                                                    .pAttachments = &over};
    VkGraphicsPipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                         .stageCount = 2,
                                         .pStages = stages,
                                         .pVertexInputState = &vertices,
                                         .pInputAssemblyState = &assembly,
                                         .pViewportState = &viewports,
                                         .pRasterizationState = &raster,
                                         .pMultisampleState = &samples,
                                         .pColorBlendState = &blending,
                                         .layout = layout,
                                         .renderPass = pass};
    VkPipeline made;
    CHECK(vkCreateGraphicsPipelines(device, VK_NULL_HANDLE, 1, &info, NULL, &made));
    return made;
}

static VkBufferImageCopy whole(uint32_t width, uint32_t height) {
    VkBufferImageCopy copy = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                              .imageExtent = {width, height, 1}};
    return copy;
}

static void draw(const char *file) {
    void *texels, *pixels;
    VkBuffer up = buffer(4 * TEXELS * TEXELS, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, &texels);
    VkBuffer down = buffer(4 * WIDTH * HEIGHT, VK_BUFFER_USAGE_TRANSFER_DST_BIT, &pixels);
    for (uint32_t i = 0; i < TEXELS * TEXELS; i++) {
        uint32_t x = i % TEXELS, y = i / TEXELS, lit = (x / 4 + y / 4) % 2 ? 0xFF : 0x80;
        ((uint32_t *)texels)[i] = 0xFF000000 | lit << 16 | (0x10 * y) << 8 | 0x10 * x;
    }
    VkImageView texture_view, target_view;
    VkImage texture =
        image(TEXELS, TEXELS, VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT, &texture_view);
    VkImage target =
        image(WIDTH, HEIGHT, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT, &target_view);
    VkSamplerCreateInfo sampled = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                                   .magFilter = VK_FILTER_LINEAR,
                                   .minFilter = VK_FILTER_LINEAR};
    VkSampler sampler;
    CHECK(vkCreateSampler(device, &sampled, NULL, &sampler));
    VkPipelineLayout layout;
    VkDescriptorSet textures =
        set(VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, VK_SHADER_STAGE_FRAGMENT_BIT, &layout);
    VkDescriptorImageInfo seen = {sampler, texture_view, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
    VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                  .dstSet = textures,
                                  .descriptorCount = 1,
                                  .descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                                  .pImageInfo = &seen};
    vkUpdateDescriptorSets(device, 1, &write, 0, NULL);
    VkRenderPass pass = render_pass();
    VkPipeline pipeline = graphics(layout, pass);
    VkFramebufferCreateInfo framed = {.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                      .renderPass = pass,
                                      .attachmentCount = 1,
                                      .pAttachments = &target_view,
                                      .width = WIDTH,
                                      .height = HEIGHT,
                                      .layers = 1};
    VkFramebuffer frame;
    CHECK(vkCreateFramebuffer(device, &framed, NULL, &frame));

    begin();
    change_layout(texture, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    VkBufferImageCopy uploaded = whole(TEXELS, TEXELS), read = whole(WIDTH, HEIGHT);
    vkCmdCopyBufferToImage(commands, up, texture, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &uploaded);
    change_layout(texture, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    VkClearValue clear = {.color = {.float32 = {0.2f, 0.4f, 0.6f, 1}}};
    VkRenderPassBeginInfo info = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                  .renderPass = pass,
                                  .framebuffer = frame,
                                  .renderArea = {{0, 0}, {WIDTH, HEIGHT}},
                                  .clearValueCount = 1,
                                  .pClearValues = &clear};
    vkCmdBeginRenderPass(commands, &info, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, 1, &textures, 0, NULL);
    vkCmdDraw(commands, 9, 1, 0, 0);
    vkCmdEndRenderPass(commands);
    vkCmdCopyImageToBuffer(commands, target, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, down, 1, &read);
    end();
    FILE *out = fopen(file, "wb");
    if (!out || fwrite(pixels, 4 * WIDTH * HEIGHT, 1, out) != 1 || fclose(out) != 0) {
        perror(file);
        exit(1);
    }
}

int main(int count, char **arguments) {
    if (count != 2) return 2;
    open_device(NULL, 0, NULL, 0);
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(physical, &properties);
    puts(properties.deviceName);
    compute();
    draw(arguments[1]);
    return 0;
}
