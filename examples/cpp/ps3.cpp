// A PlayStation 3 that has one program: it clears a picture, draws a triangle and flips to it.
//
// The host owns main and local memory, as an emulator does, and makes the hypervisor's calls for the program. The
// program writes methods into a push buffer in main memory and moves PUT; the RSX runs, on a thread of its own, and the
// head shows the buffer at the next vertical blank. The picture is written as a PPM file.
//
//     c++ -std=c++17 -Icapi/include examples/cpp/ps3.cpp target/release/libtriglyph.a -lpthread -ldl -lm -o ps3
//     ./ps3 picture.ppm

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <future>
#include <iostream>
#include <vector>

#include "triglyph.hpp"
#include "triglyph_rsx_registers.h"

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

// Names of a context's objects: the 3D class, local memory, main memory.
constexpr std::uint32_t CURIE = 0x31337000;
constexpr std::uint32_t DMA_LOCAL = 0xFEED0000;
constexpr std::uint32_t DMA_MAIN = 0xFEED0001;

/// Memory of the PS3 is big-endian.
void store(std::uint8_t *to, std::uint32_t word) {
    for (int byte = 0; byte < 4; byte++) {
        to[byte] = std::uint8_t(word >> (24 - 8 * byte));
    }
}

std::uint32_t bits(float value) {
    std::uint32_t word;
    std::memcpy(&word, &value, sizeof word);
    return word;
}

/// What a call of the hypervisor answered, if it is no success.
void succeed(std::int64_t result, const char *call) {
    if (result != TRIGLYPH_RSX_RESULT_SUCCESS) {
        throw triglyph::error(TRIGLYPH_STATUS_INVALID_ARGUMENT, std::string(call) + ": " + std::to_string(result));
    }
}

/// The program's push buffer, in the host's memory.
class push_buffer {
public:
    explicit push_buffer(std::vector<std::uint8_t> &main) : main_(main) {}

    /// Data for a method of subchannel 0 and those after it.
    void methods(std::uint32_t method, const std::vector<std::uint32_t> &data) {
        put(std::uint32_t(data.size()) << 18 | method);
        for (std::uint32_t word : data) {
            put(word);
        }
    }
    void set(std::uint32_t method, std::uint32_t word) { methods(method, {word}); }
    void floats(std::uint32_t method, const std::vector<float> &values) {
        std::vector<std::uint32_t> words;
        for (float value : values) {
            words.push_back(bits(value));
        }
        methods(method, words);
    }
    /// The IO offset after the last word.
    std::uint32_t end() const { return end_; }

private:
    void put(std::uint32_t word) {
        store(main_.data() + end_, word);
        end_ += 4;
    }
    std::vector<std::uint8_t> &main_;
    std::uint32_t end_ = PUSH;
};

// Names of methods are those of triglyph_rsx_registers.h.
#define M(name) TRIGLYPH_RSX_CURIE_##name
#define FIELD(name, value) TRIGLYPH_FIELD(TRIGLYPH_RSX_CURIE_##name, TRIGLYPH_RSX_CURIE_##name##_##value)
#define NUMBER(name, value) TRIGLYPH_FIELD(TRIGLYPH_RSX_CURIE_##name, value)

void target(push_buffer &push) {
    push.set(M(SET_OBJECT), CURIE);
    for (std::uint32_t method : {M(SET_CONTEXT_DMA_A), M(SET_CONTEXT_DMA_COLOR_A), M(SET_CONTEXT_DMA_ZETA)}) {
        push.set(method, DMA_LOCAL);
    }
    push.set(M(SET_CONTEXT_DMA_VERTEX_B), DMA_MAIN);
    push.set(M(SET_SURFACE_FORMAT), FIELD(SET_SURFACE_FORMAT_COLOR, A8R8G8B8) | FIELD(SET_SURFACE_FORMAT_DEPTH, Z24S8) |
                                        FIELD(SET_SURFACE_FORMAT_LAYOUT, LINEAR));
    push.methods(M(SET_SURFACE_CLIP_HORIZONTAL), {WIDTH << 16, HEIGHT << 16});
    push.set(M(SET_SURFACE_PITCH_A), 4 * WIDTH);
    push.set(M(SET_SURFACE_COLOR_AOFFSET), COLOR);
    push.set(M(SET_SURFACE_ZETA_OFFSET), DEPTH);
    push.set(M(SET_SURFACE_PITCH_Z), 4 * WIDTH);
    push.set(M(SET_SURFACE_COLOR_TARGET), NUMBER(SET_SURFACE_COLOR_TARGET_A, 1));
    for (std::uint32_t window = 0; window < M(SET_WINDOW_CLIP_HORIZONTAL_COUNT); window++) {
        push.methods(M(SET_WINDOW_CLIP_HORIZONTAL)(window), {0x0FFF0000, 0x0FFF0000});
    }
    push.methods(M(SET_SCISSOR_HORIZONTAL), {WIDTH << 16, HEIGHT << 16});
    push.methods(M(SET_VIEWPORT_HORIZONTAL), {WIDTH << 16, HEIGHT << 16});
    push.floats(M(SET_VIEWPORT_OFFSET)(0), {WIDTH / 2.0f, HEIGHT / 2.0f, 0.5f, 0.0f});
    push.floats(M(SET_VIEWPORT_SCALE)(0), {WIDTH / 2.0f, HEIGHT / -2.0f, 0.5f, 0.0f});
    push.floats(M(SET_CLIP_MIN), {0.0f, 1.0f});
    // A new context has zeros everywhere else.
    push.set(M(SET_COLOR_MASK), 0x01010101);
    push.set(M(SET_ZMIN_MAX_CONTROL), NUMBER(SET_ZMIN_MAX_CONTROL_CLIP, 1));
    push.set(M(SET_SHADE_MODE), M(SET_SHADE_MODE_MODE_SMOOTH));
    push.set(M(SET_RENDER_ENABLE), FIELD(SET_RENDER_ENABLE_MODE, ALWAYS));
    push.set(M(SET_ANTI_ALIASING_CONTROL), NUMBER(SET_ANTI_ALIASING_CONTROL_SAMPLE_MASK, 0xFFFF));
}

void programs(push_buffer &push, std::vector<std::uint8_t> &local) {
    // mov o[HPOS], v[0]; mov o[COL0], v[3]: the words of `triglyph disasm --assemble --isa rsx-vertex`.
    push.set(M(SET_TRANSFORM_PROGRAM_LOAD), 0);
    push.methods(M(SET_TRANSFORM_PROGRAM)(0), {0x401F9C6C, 0x0040000D, 0x8106C083, 0x6041FF80});
    push.methods(M(SET_TRANSFORM_PROGRAM)(0), {0x401F9C6C, 0x0040030D, 0x8106C083, 0x6041FF85});
    push.set(M(SET_TRANSFORM_PROGRAM_START), 0);
    push.set(M(SET_TRANSFORM_TIMEOUT), NUMBER(SET_TRANSFORM_TIMEOUT_INSTRUCTIONS, 0xFFFF) |
                                           NUMBER(SET_TRANSFORM_TIMEOUT_REGISTERS, 0x20));
    push.set(M(SET_VERTEX_ATTRIB_INPUT_MASK), 1 | 1 << 3); // attributes 0 and 3
    push.set(M(SET_VERTEX_ATTRIB_OUTPUT_MASK), NUMBER(SET_VERTEX_ATTRIB_OUTPUT_MASK_COLOR0, 1));
    // mov r0, f[COL0]; fragment programs have the halves of their words exchanged.
    std::uint8_t *code = local.data() + FRAGMENT_PROGRAM;
    for (std::uint32_t word : {0x01003E01u, 0x1C9DC801u, 0x0001C800u, 0x0001C800u}) {
        store(code, word << 16 | word >> 16);
        code += 4;
    }
    push.set(M(SET_SHADER_PROGRAM), FRAGMENT_PROGRAM | FIELD(SET_SHADER_PROGRAM_LOCATION, LOCAL));
    push.set(M(SET_SHADER_CONTROL),
             NUMBER(SET_SHADER_CONTROL_EXPORT_FLOAT, 1) | NUMBER(SET_SHADER_CONTROL_REGISTERS, 2));
}

void draw(push_buffer &push, std::vector<std::uint8_t> &main) {
    const float vertices[3][8] = {
        // x, y, z, w; red, green, blue, alpha
        {0.0f, 0.8f, 0.0f, 1.0f, 1.0f, 0.0f, 0.0f, 1.0f},
        {0.8f, -0.8f, 0.0f, 1.0f, 0.0f, 1.0f, 0.0f, 1.0f},
        {-0.8f, -0.8f, 0.0f, 1.0f, 0.0f, 0.0f, 1.0f, 1.0f},
    };
    std::uint8_t *to = main.data() + VERTICES;
    for (const auto &vertex : vertices) {
        for (float value : vertex) {
            store(to, bits(value));
            to += 4;
        }
    }
    push.set(M(SET_COLOR_CLEAR_VALUE), 0xFF203040);
    push.set(M(CLEAR_SURFACE), NUMBER(CLEAR_SURFACE_R, 1) | NUMBER(CLEAR_SURFACE_G, 1) | NUMBER(CLEAR_SURFACE_B, 1) |
                                   NUMBER(CLEAR_SURFACE_A, 1));
    for (std::uint32_t attribute : {0u, 3u}) {
        push.set(M(SET_VERTEX_DATA_ARRAY_OFFSET)(attribute),
                 (VERTICES + (attribute ? 16 : 0)) | FIELD(SET_VERTEX_DATA_ARRAY_OFFSET_LOCATION, MAIN));
        push.set(M(SET_VERTEX_DATA_ARRAY_FORMAT)(attribute),
                 FIELD(SET_VERTEX_DATA_ARRAY_FORMAT_KIND, FLOAT32) | NUMBER(SET_VERTEX_DATA_ARRAY_FORMAT_SIZE, 4) |
                     NUMBER(SET_VERTEX_DATA_ARRAY_FORMAT_STRIDE, 32));
    }
    push.set(M(SET_BEGIN_END), M(SET_BEGIN_END_PRIMITIVE_TRIANGLES));
    push.set(M(DRAW_ARRAYS), NUMBER(DRAW_ARRAYS_COUNT_MINUS_1, 2));
    push.set(M(SET_BEGIN_END), M(SET_BEGIN_END_PRIMITIVE_END));
}

void write_ppm(const char *path, const triglyph::picture &picture) {
    std::ofstream file(path, std::ios::binary);
    file << "P6\n" << picture.width() << ' ' << picture.height() << "\n255\n";
    auto rgba = picture.rgba();
    for (std::size_t at = 0; at < rgba.size(); at += 4) {
        file.write(reinterpret_cast<const char *>(&rgba[at]), 3);
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

    push_buffer push(main);
    target(push);
    programs(push, local);
    draw(push, main);
    // PUT is in the control page, which a guest would have mapped.
    triglyph::address control = gpu.lpar(context.value.control);
    std::uint8_t put[4];
    store(put, push.end());
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
            write_ppm(path, gpu.device().read_picture(present, true));
        }
    }
    if (gpu.device().faults(TRIGLYPH_FAULT_KIND_BAD_COMMAND) != 0) {
        throw triglyph::error(TRIGLYPH_STATUS_INVALID_ARGUMENT, "the push buffer is wrong");
    }
}

} // namespace

int main(int argc, char **argv) try {
    triglyph::check_version();
    console(argc > 1 ? argv[1] : "ps3.ppm");
    return 0;
} catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
