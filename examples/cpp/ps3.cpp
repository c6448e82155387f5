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

void target(push_buffer &push) {
    push.set(0x0000, CURIE);
    for (std::uint32_t method : {0x184, 0x194, 0x198, 0x19C}) {
        push.set(method, DMA_LOCAL);
    }
    push.set(0x188, DMA_MAIN);
    push.set(0x1A0, DMA_MAIN);
    push.set(0x208, 8 | 2 << 5 | 1 << 8); // A8R8G8B8, Z24S8, rows
    push.methods(0x200, {WIDTH << 16, HEIGHT << 16});
    push.methods(0x20C, {4 * WIDTH, COLOR, DEPTH});
    push.set(0x22C, 4 * WIDTH);
    push.set(0x220, 1);
    push.set(0x324, 0x01010101);
    for (std::uint32_t window = 0; window < 8; window++) {
        push.methods(0x2C0 + 8 * window, {0x0FFF0000, 0x0FFF0000});
    }
    push.methods(0x8C0, {WIDTH << 16, HEIGHT << 16}); // scissor
    push.methods(0xA00, {WIDTH << 16, HEIGHT << 16}); // viewport
    push.floats(0xA20, {WIDTH / 2.0f, HEIGHT / 2.0f, 0.5f, 0.0f});
    push.floats(0xA30, {WIDTH / 2.0f, HEIGHT / -2.0f, 0.5f, 0.0f});
    push.floats(0x394, {0.0f, 1.0f});
    push.set(0x1D78, 1);
    push.set(0x1834, 0x901);      // counter-clockwise is front
    push.set(0x368, 0x1D01);      // smooth
    push.set(0x1E98, 0x01000000); // no conditional rendering
    push.set(0x1D7C, 0xFFFF0000);
}

void programs(push_buffer &push, std::vector<std::uint8_t> &local) {
    // mov o[HPOS], v[0]; mov o[COL0], v[3]
    push.set(0x1E9C, 0);
    push.methods(0xB80, {0x401F9C6C, 0x0040000D, 0x8106C083, 0x6041FF80});
    push.methods(0xB80, {0x401F9C6C, 0x0040030D, 0x8106C083, 0x6041FF85});
    push.set(0x1EA0, 0);
    push.set(0x1EF8, 0x20FFFF);
    push.set(0x1FF0, 1 | 1 << 3); // attributes 0 and 3
    push.set(0x1FF4, 1);          // colour 0
    // mov r0, f[COL0]; fragment programs have the halves of their words exchanged.
    std::uint8_t *code = local.data() + FRAGMENT_PROGRAM;
    for (std::uint32_t word : {0x01003E01u, 0x1C9DC801u, 0x0001C800u, 0x0001C800u}) {
        store(code, word << 16 | word >> 16);
        code += 4;
    }
    push.set(0x8E4, FRAGMENT_PROGRAM | 1);
    push.set(0x1D60, 0x02000040);
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
    push.set(0x1D90, 0xFF203040);
    push.set(0x1D94, 0xF0); // clears all channels
    for (std::uint32_t attribute : {0u, 3u}) {
        push.set(0x1680 + 4 * attribute, (VERTICES + (attribute ? 16 : 0)) | 1u << 31);
        push.set(0x1740 + 4 * attribute, 2 | 4 << 4 | 32 << 8); // four floats, 32 bytes a vertex
    }
    push.set(0x1808, 5); // triangles
    push.set(0x1814, 2 << 24);
    push.set(0x1808, 0);
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
