// The Switch's driver and the PS3's hypervisor from C++: what their calls answer, and work that another thread waits
// for; a device on a thread of its own; lines of the log.

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "expect.h"
#include "triglyph.hpp"

static void tegra() {
    constexpr std::uint64_t ADDRESS = 0x800000000;
    std::vector<std::uint8_t> process(1 << 20);
    triglyph::tegra gpu;
    gpu.device().map_host({TRIGLYPH_TEGRA_SPACE_PROCESS, ADDRESS}, process);
    EXPECT(gpu.nvmap_create(0).result == TRIGLYPH_TEGRA_RESULT_BAD_VALUE);
    auto map = gpu.nvmap_create(1 << 20);
    EXPECT(map && gpu.nvmap_alloc(map.value, {ADDRESS, 0x1000, 0, 1, 0xFF}) == TRIGLYPH_TEGRA_RESULT_SUCCESS);
    auto space = gpu.space_open();
    EXPECT(space && gpu.space_initialize(space.value) == 0);
    triglyph_tegra_map_buffer call{};
    call.kind = TRIGLYPH_TEGRA_DEFAULT_KIND;
    call.handle = map.value;
    auto buffer = gpu.space_map_buffer(space.value, call);
    EXPECT(buffer);
    std::uint64_t at = 0;
    bool found = false;
    triglyph::check(triglyph_tegra_process_address(gpu.get(), space.value, buffer.value.offset + 16, &at, &found));
    EXPECT(found && at == ADDRESS + 16);
    auto channel = gpu.channel_open();
    EXPECT(channel && gpu.channel_submit(channel.value, {}, 0).result == TRIGLYPH_TEGRA_RESULT_INVALID_STATE);
    EXPECT(gpu.channel_bind(channel.value, space.value) == 0);
    EXPECT(gpu.channel_fence(channel.value) && !gpu.channel_fence(channel.value + 1));
    EXPECT(gpu.space_regions(space.value).value.big.page_size == 0x20000);

    triglyph::timeline timeline = gpu.device().timeline();
    const std::uint64_t next = timeline.submitted() + 1;
    std::thread waiting([&] { EXPECT(timeline.wait(next, std::chrono::seconds(60))); });
    // Two words in the process's memory: a method of the host's class without effect (NOP), and its data.
    const std::uint32_t words[] = {0x20010002, 7};
    std::memcpy(process.data(), words, sizeof words);
    const std::uint64_t entry = buffer.value.offset | std::uint64_t(2) << 42;
    auto fence = gpu.channel_submit(channel.value, triglyph::view(&entry, 1), TRIGLYPH_TEGRA_SUBMIT_FENCE_GET);
    waiting.join();
    EXPECT(fence && fence.value.value == 2);
    EXPECT(timeline.wait_fence(fence.value.syncpoint, fence.value.value, std::chrono::seconds(60)));
    EXPECT(!timeline.wait_fence(fence.value.syncpoint, fence.value.value + 1, std::chrono::nanoseconds(1)));
    gpu.device().set_deferred(true);
    const auto later = gpu.channel_submit(channel.value, triglyph::view(&entry, 1), TRIGLYPH_TEGRA_SUBMIT_FENCE_GET);
    EXPECT(!timeline.wait_fence(later.value.syncpoint, later.value.value, std::chrono::nanoseconds(1)));
    EXPECT(gpu.device().run_for({UINT64_MAX, UINT64_MAX}).kind == TRIGLYPH_RUN_END_DONE);
    EXPECT(timeline.wait_fence(later.value.syncpoint, later.value.value, std::chrono::seconds(60)));
    gpu.device().set_deferred(false);
    fence = later;
    EXPECT(gpu.syncpoint_value(fence.value.syncpoint).value == fence.value.value);
    auto wait = gpu.event_wait(fence.value, 0, -1);
    EXPECT(wait && wait.value.armed == 0 && wait.value.value == 4);
    fence.value.value++;
    wait = gpu.event_wait(fence.value, -1, -1);
    EXPECT(wait && wait.value.armed == 1);
    gpu.increment_syncpoint(fence.value.syncpoint);
    auto events = gpu.device().take_events();
    EXPECT(events.size() == 1 && events[0].kind == TRIGLYPH_EVENT_KIND_FENCE && events[0].slot == wait.value.slot);
    triglyph_tegra_characteristics known{};
    triglyph::check(triglyph_tegra_get_characteristics(gpu.get(), &known));
    EXPECT(known.arch == 0x120 && known.classes[1] == 0xB197);
    // Two rows of two pixels of the process's memory, in the host's format.
    const std::uint8_t texels[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    std::memcpy(process.data() + 0x1000, texels, sizeof texels);
    triglyph_present buffer_of_two{};
    buffer_of_two.space = TRIGLYPH_TEGRA_SPACE_PROCESS;
    buffer_of_two.format = TRIGLYPH_FORMAT_X8B8G8R8;
    buffer_of_two.address = ADDRESS + 0x1000;
    buffer_of_two.width = buffer_of_two.height = 2;
    buffer_of_two.pitch = 8;
    std::vector<std::uint8_t> pixels(16);
    const triglyph::rows rows(pixels, 8, TRIGLYPH_HOST_FORMAT_BGRA8);
    triglyph::presented presented;
    EXPECT(gpu.device().present(buffer_of_two, false, rows, presented).changed);
    EXPECT(pixels[0] == 3 && pixels[2] == 1 && pixels[3] == 255 && pixels[12] == 15);
    gpu.device().present(buffer_of_two, false, rows, presented);
    EXPECT(!gpu.device().present(buffer_of_two, false, rows, presented).changed);
    process[0x1000] = 7;
    EXPECT(gpu.device().present(buffer_of_two, false, rows, presented).changed && pixels[2] == 7);
    // What the guest's buffer queue says is no exception: a buffer larger than the rows, one that there cannot be.
    buffer_of_two.width = buffer_of_two.height = 300;
    buffer_of_two.pitch = 1200;
    EXPECT(gpu.device().present(buffer_of_two, false, rows, presented).kind == TRIGLYPH_SHOWN_KIND_CUT);
    buffer_of_two.pitch = 1;
    EXPECT(gpu.device().present(buffer_of_two, false, rows, presented).kind == TRIGLYPH_SHOWN_KIND_NOTHING);
    EXPECT(gpu.device().fault_texts().empty());
}

static void rsx() {
    triglyph::options options;
    options.accuracy = TRIGLYPH_ACCURACY_EXACT;
    triglyph::rsx gpu(options);
    EXPECT(gpu.memory_allocate(1, {}).result == TRIGLYPH_RSX_RESULT_ILLEGAL_PARAMETER_VALUE);
    // lv1_gpu_memory_allocate by its number.
    const auto [result, outputs] = gpu.hypercall(214, {1 << 20});
    EXPECT(result == TRIGLYPH_RSX_RESULT_SUCCESS && outputs[0] != 0);
    std::int64_t other = -1;
    const std::uint64_t arguments[8] = {};
    triglyph::check(triglyph_rsx_hypercall(gpu.get(), 999, arguments, nullptr, &other));
    EXPECT(other == TRIGLYPH_RSX_RESULT_NO_ENTRY);
    EXPECT(gpu.lpar(outputs[1]).space == TRIGLYPH_RSX_SPACE_LOCAL);
    const auto page = gpu.device_map(8);
    EXPECT(page && page.value.size == 0x1000);
    try {
        gpu.lpar(1);
        EXPECT(false);
    } catch (const triglyph::error &error) {
        EXPECT(error.status() == TRIGLYPH_STATUS_UNMAPPED);
    }
    gpu.pramin_write(0x100, 0x12345678);
    std::uint32_t word = 0;
    triglyph::check(triglyph_rsx_pramin_read(gpu.get(), 0x100, &word));
    EXPECT(word == 0x12345678);
}

/// Commands of other threads, in their order, and what becomes of their answers.
static void worker() {
    constexpr std::uint32_t VRAM = 0x18000000, VRAM_VIRTUAL = 0x1F000000;
    std::atomic<int> interrupts = 0;
    std::vector<std::uint8_t> vram(1 << 16);
    triglyph::n3ds gpu;
    gpu.device().map_host({0, VRAM}, vram);
    gpu.on_event([&](const triglyph_event &event) {
        interrupts += event.kind == TRIGLYPH_EVENT_KIND_INTERRUPT;
    });
    triglyph_worker_options options = triglyph::worker_options();
    EXPECT(options.capacity > 1 && options.slice.nanoseconds > 0);
    options.capacity = 0;
    try {
        triglyph::worker without_room(gpu.device(), options);
        EXPECT(false);
    } catch (const triglyph::error &error) {
        EXPECT(error.status() == TRIGLYPH_STATUS_INVALID_ARGUMENT);
    }
    options.capacity = 2;
    {
        triglyph::worker worker(gpu.device(), options);
        std::uint64_t last = 0;
        for (std::uint32_t i = 0; i < 100; i++) {
            last = worker.send([&gpu, i] {
                const std::uint32_t words[] = {2, VRAM_VIRTUAL, i, VRAM_VIRTUAL + 64, 0, 0, 0, 0x201};
                gpu.device().submit({reinterpret_cast<const std::uint8_t *>(words), sizeof words});
            });
        }
        EXPECT(worker.wait(last, std::chrono::seconds(60)) && last == 100);
        EXPECT(worker.wait_idle(std::chrono::seconds(60)).kind == TRIGLYPH_RUN_END_DONE);
        EXPECT(worker.timeline().completed() == worker.timeline().submitted());
        EXPECT(worker.call([&] { return int(vram[0]); }) == 99 && interrupts == 100);
        // Work of which it is known before what it comes to, and what it touches.
        const std::array<std::uint32_t, 8> fill = {2, VRAM_VIRTUAL, 7, VRAM_VIRTUAL + 64, 0, 0, 0, 0x201};
        const auto forecast = triglyph::n3ds::forecast(fill);
        EXPECT(forecast.count == 1 && forecast.executed.outcome == TRIGLYPH_N3DS_OUTCOME_DONE);
        triglyph_n3ds_executed executed{};
        worker.send_touching({forecast.touched, forecast.count}, [&] {
            std::memcpy(vram.data() + 0x1000, fill.data(), sizeof fill);
            executed = gpu.execute_at({TRIGLYPH_N3DS_SPACE_PHYSICAL, VRAM + 0x1000});
        });
        EXPECT(worker.wait_range(forecast.touched[0], std::chrono::seconds(60)) && vram[0] == 7);
        EXPECT(executed.outcome == TRIGLYPH_N3DS_OUTCOME_DONE && executed.ticks == forecast.executed.ticks);
        // The device is the worker's: other threads' calls are refused, and so is a second worker.
        EXPECT(triglyph_finish(gpu.device().get()) == TRIGLYPH_STATUS_BUSY);
        EXPECT(triglyph_n3ds_destroy(gpu.get()) == TRIGLYPH_STATUS_BUSY);
        try {
            triglyph::worker second(gpu.device());
            EXPECT(false);
        } catch (const triglyph::error &error) {
            EXPECT(error.status() == TRIGLYPH_STATUS_BUSY);
        }
        // What a command throws its sender gets; a command cannot wait for its own thread.
        try {
            worker.call([&] { worker.wake(), worker.wait(1, std::chrono::seconds(60)); });
            EXPECT(false);
        } catch (const triglyph::error &error) {
            EXPECT(error.status() == TRIGLYPH_STATUS_BUSY);
        }
        // Without waiting, until the queue is full.
        auto nothing = [](void *) {};
        std::uint64_t number = 0;
        worker.call([&] {
            bool taken = true;
            while (taken) {
                triglyph::check(triglyph_worker_try_send(worker.get(), nothing, nullptr, &number, &taken));
            }
        });
        EXPECT(worker.wait(number, std::chrono::seconds(60)));
        EXPECT(triglyph_worker_send(worker.get(), nullptr, nullptr, nullptr) == TRIGLYPH_STATUS_NULL_POINTER);
    }
    // It is everybody's again; submissions still wait for runs.
    EXPECT(gpu.device().run_for({UINT64_MAX, UINT64_MAX}).kind == TRIGLYPH_RUN_END_DONE);
    gpu.device().set_deferred(false);
    gpu.on_event(nullptr);
    EXPECT(gpu.device().take_events().empty() && gpu.device().fault_texts().empty());
}

/// A path that cannot be a key file: the machine is created, and its log says so.
static void log() {
    triglyph::options options;
    options.key_file = "/";
    triglyph::n3ds made(options);
    std::vector<std::string> lines;
    made.on_log([&](triglyph_log_level level, const char *line) {
        EXPECT(level == TRIGLYPH_LOG_LEVEL_WARNING);
        lines.emplace_back(line);
    });
    EXPECT(lines.size() == 1 && lines[0].rfind("the key file is not used: /", 0) == 0);
    triglyph::n3ds moved = std::move(made);
    moved.on_log(nullptr);
}

/* The same driver by the bytes of its clients. */
static void nvdrv() {
    triglyph::tegra gpu;
    EXPECT(gpu.nvdrv_open("/dev/null").result == TRIGLYPH_TEGRA_RESULT_NO_FILE);
    auto info = gpu.nvdrv_open("/dev/nvhost-ctrl-gpu"), nvmap = gpu.nvdrv_open("/dev/nvmap");
    EXPECT(info.result == 0 && nvmap.result == 0 && info.value != nvmap.value);
    std::vector<std::uint8_t> fields(16), characteristics(0xA0);
    EXPECT(gpu.nvdrv_ioctl(info.value, 0xC0B04705, fields, {}, characteristics) == 0);
    EXPECT(fields[0] == 0xA0 && characteristics[0] == 0x20 && characteristics[1] == 0x01);
    std::vector<std::uint8_t> create{0, 16, 0, 0, 0, 0, 0, 0};
    EXPECT(gpu.nvdrv_ioctl(nvmap.value, 0xC0080101, create) == 0 && create[4] == 4);
    EXPECT(gpu.nvdrv_ioctl(nvmap.value, 0xC00801FF, create) == TRIGLYPH_TEGRA_RESULT_NOT_IMPLEMENTED);
    std::uint32_t slot, result;
    triglyph::check(triglyph_tegra_nvdrv_query_event(gpu.get(), nvmap.value, 3, &slot, &result));
    EXPECT(result == TRIGLYPH_TEGRA_RESULT_BAD_PARAMETER);
    EXPECT(gpu.nvdrv_close(nvmap.value) == 0 && gpu.nvdrv_close(nvmap.value) == TRIGLYPH_TEGRA_RESULT_NO_FILE);
}

int main() try {
    tegra();
    nvdrv();
    rsx();
    worker();
    log();
    return 0;
} catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
