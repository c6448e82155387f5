// A PlayStation 3 that has one program: it clears a picture, draws a triangle and flips to it.
//
// The host owns main and local memory, as an emulator does, and makes the hypervisor's calls for the program. The
// program writes methods into a push buffer in main memory and moves PUT; the RSX runs, on a thread of its own, and the
// head shows the buffer at the next vertical blank. The picture is written as a PNG file.
//
//     c++ -std=c++17 -Icapi/include examples/cpp/ps3.cpp target/release/libtriglyph.a -lpthread -ldl -lm -o ps3
//     ./ps3 picture.png

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <future>
#include <iostream>
#include <iterator>
#include <stdexcept>
#include <vector>

#include "triglyph.hpp"
#include "triglyph_rsx_commands.h"

namespace {

// Main memory by the address that the program passes to the hypervisor; its first 8 MiB are at IO offset 0.
constexpr std::uint64_t MAIN_AT = 0x10000000;
constexpr std::uint64_t MAIN_SIZE = 16 << 20;
constexpr std::uint64_t IO_SIZE = 8 << 20;
constexpr std::uint64_t LOCAL_SIZE = 16 << 20;

// IO offsets of the push buffer and of the vertices.
constexpr std::uint32_t PUSH = 0;
constexpr std::uint32_t VERTICES = 0x100000;

// Offsets in local memory.
constexpr std::uint32_t COLOR = 0;
constexpr std::uint32_t DEPTH = 0x400000;
constexpr std::uint32_t FRAGMENT_PROGRAM = 0x800000;

constexpr std::uint32_t WIDTH = 640;
constexpr std::uint32_t HEIGHT = 360;

// x, y, z, w; red, green, blue, alpha.
constexpr float TRIANGLE[3][8] = {
    {0.0f, 0.8f, 0.0f, 1.0f, 1.0f, 0.0f, 0.0f, 1.0f},
    {0.8f, -0.8f, 0.0f, 1.0f, 0.0f, 1.0f, 0.0f, 1.0f},
    {-0.8f, -0.8f, 0.0f, 1.0f, 0.0f, 0.0f, 1.0f, 1.0f},
};

// Programs are the words of `triglyph disasm --assemble --isa rsx-vertex` and `rsx-fragment`.
constexpr std::uint32_t VERTEX_CODE[] = {
    0x401F9C6C, 0x0040000D, 0x8106C083, 0x6041FF80, // mov o[HPOS], v[0]
    0x401F9C6C, 0x0040030D, 0x8106C083, 0x6041FF85, // mov o[COL0], v[3]  [end]
};
constexpr std::uint32_t FRAGMENT_CODE[] = {0x01003E01, 0x1C9DC801, 0x0001C800, 0x0001C800}; // mov r0, f[COL0]  [end]

/// What a call of the hypervisor answered, if it is no success.
void succeed(std::int64_t result, const char *call) {
    if (result != TRIGLYPH_RSX_RESULT_SUCCESS) {
        throw triglyph::error(TRIGLYPH_STATUS_INVALID_ARGUMENT, std::string(call) + ": " + std::to_string(result));
    }
}

// Names of methods and values, values in their fields.
#define M(name) TRIGLYPH_RSX_CURIE_##name
#define BITS(name, value) TRIGLYPH_FIELD(TRIGLYPH_RSX_CURIE_##name, value)

/// The program's push buffer.
void commands(triglyph_words *push) {
    const std::uint32_t limits = BITS(SET_TRANSFORM_TIMEOUT_INSTRUCTIONS, 0xFFFF) |
                                 BITS(SET_TRANSFORM_TIMEOUT_REGISTERS, 0x20);
    triglyph_rsx_push_gcm_defaults(push);
    triglyph_rsx_push_surface(push, WIDTH, HEIGHT, COLOR, DEPTH);
    triglyph_rsx_push_clear(push, 0xFF203040, 0xFFFFFF, 0);
    triglyph_rsx_push_vertex_program(push, 0, VERTEX_CODE, std::size(VERTEX_CODE) / 4);
    triglyph_rsx_push_set(push, M(SET_TRANSFORM_TIMEOUT), limits);
    triglyph_rsx_push_set(push, M(SET_VERTEX_ATTRIB_INPUT_MASK), 1 | 1 << 3); // attributes 0 and 3
    triglyph_rsx_push_set(push, M(SET_VERTEX_ATTRIB_OUTPUT_MASK), BITS(SET_VERTEX_ATTRIB_OUTPUT_MASK_COLOR0, 1));
    triglyph_rsx_push_fragment_program(push, M(SET_SHADER_PROGRAM_LOCATION_LOCAL), FRAGMENT_PROGRAM, 2);
    for (std::uint32_t attribute : {0u, 3u}) {
        triglyph_rsx_push_vertex_array(push, attribute, M(SET_VERTEX_DATA_ARRAY_FORMAT_KIND_FLOAT32), 4,
                                       sizeof TRIANGLE[0], M(SET_VERTEX_DATA_ARRAY_OFFSET_LOCATION_MAIN),
                                       VERTICES + (attribute ? 16 : 0));
    }
    triglyph_rsx_push_draw_arrays(push, M(SET_BEGIN_END_PRIMITIVE_TRIANGLES), 0, 3);
}

void write_png(const char *path, const triglyph::picture &picture) {
    auto png = picture.png(false);
    auto bytes = png.bytes();
    std::ofstream file(path, std::ios::binary);
    if (!file.write(reinterpret_cast<const char *>(bytes.data()), std::streamsize(bytes.size())).flush()) {
        throw std::runtime_error(path);
    }
}

void console(const char *path) {
    std::vector<std::uint8_t> main(MAIN_SIZE), local(LOCAL_SIZE);
    triglyph::rsx gpu;
    gpu.on_fault([](const triglyph_fault &fault) { std::cerr << "fault: " << fault.what << '\n'; });
    gpu.device().map_host({TRIGLYPH_RSX_SPACE_XDR, MAIN_AT}, main);
    gpu.device().map_host({TRIGLYPH_RSX_SPACE_LOCAL, 0}, local);

    auto memory = gpu.memory_allocate(LOCAL_SIZE, {8, 0x300000, 15, 8});
    succeed(memory.result, "lv1_gpu_memory_allocate");
    auto context = gpu.context_allocate(memory.value.handle, TRIGLYPH_RSX_CONTEXT_MAIN_REPORTS);
    succeed(context.result, "lv1_gpu_context_allocate");
    const std::uint64_t access = TRIGLYPH_RSX_IOMAP_READ | TRIGLYPH_RSX_IOMAP_WRITE;
    succeed(gpu.context_iomap(context.value.handle, 0, MAIN_AT, IO_SIZE, access), "lv1_gpu_context_iomap");
    // Head 1 flips to buffer 0 with the next frame.
    succeed(gpu.context_attribute(context.value.handle, 0x104,
                                  {0, std::uint64_t(WIDTH) << 32 | HEIGHT, std::uint64_t(4 * WIDTH) << 32 | COLOR, 0}),
            "lv1_gpu_context_attribute");
    succeed(gpu.context_attribute(context.value.handle, 0x101, {1, 2, 0, 0}), "lv1_gpu_context_attribute");

    std::uint32_t words[1024];
    triglyph_words push{words, std::size(words), 0, 0};
    commands(&push);
    triglyph_store_be(&main[PUSH], words, push.count);
    triglyph_store_floats_be(&main[VERTICES], TRIANGLE[0], sizeof TRIANGLE / sizeof(float));
    triglyph_rsx_store_fragment_program(&local[FRAGMENT_PROGRAM], FRAGMENT_CODE, std::size(FRAGMENT_CODE));
    // PUT is in the control page, which a guest would have mapped.
    triglyph::address control = gpu.lpar(context.value.control);
    std::uint8_t put[4];
    const std::uint32_t end = PUSH + 4 * std::uint32_t(push.count);
    triglyph_store_be(put, &end, 1);
    gpu.device().write({control.space, control.at + 0x40}, triglyph::view(put));
    // As in an emulator the FIFO runs on a thread of its own; the program's has nothing else to do than to wait for it.
    std::async(std::launch::async, [&gpu] { gpu.run(); }).get();
    succeed(gpu.context_attribute(context.value.handle, 0x102, {1, 1u << 31, 0, 0}), "lv1_gpu_context_attribute");
    gpu.vblank(1, 0);

    for (const triglyph_event &event : gpu.device().take_events()) {
        if (event.kind == TRIGLYPH_EVENT_KIND_FLIP) {
            std::cout << "head " << event.head << " shows buffer " << event.buffer << '\n';
            triglyph_present present{};
            present.space = TRIGLYPH_RSX_SPACE_LOCAL;
            present.address = event.offset;
            present.format = TRIGLYPH_FORMAT_X8R8G8B8;
            present.width = WIDTH;
            present.height = HEIGHT;
            present.pitch = 4 * WIDTH;
            present.layout = TRIGLYPH_LAYOUT_TOP_FIRST;
            write_png(path, gpu.device().read_picture(present, true));
        }
    }
    if (gpu.device().faults(TRIGLYPH_FAULT_KIND_BAD_COMMAND) != 0) {
        throw triglyph::error(TRIGLYPH_STATUS_INVALID_ARGUMENT, "the push buffer is wrong");
    }
}

} // namespace

int main(int argc, char **argv) try {
    triglyph::check_version();
    console(argc > 1 ? argv[1] : "ps3.png");
    return 0;
} catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
