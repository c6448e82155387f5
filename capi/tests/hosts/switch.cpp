// A host like Ryujinx and yuzu: the driver's ioctls come as bytes from several service threads, the process's memory is
// one reservation, the GPU is a worker's, syncpoints are waited for by events and by the display, and a buffer queue
// shows what was drawn at the size of the console or of a dock.

#include <algorithm>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <queue>

#include "stream.hpp"

namespace {

// The process's memory by its own addresses.
constexpr std::uint64_t PROCESS = 0x2100000000;
// GPU addresses: the program allocates the space in which the stream has its buffers, and maps them where they were.
constexpr std::uint64_t GPU_SPACE = 0x100000000, GPU_SPACE_SIZE = 0x10000000, PAGE = 0x1000;

// Requests of the driver, as libnx has them.
constexpr std::uint32_t NVMAP_CREATE = 0xC0080101, NVMAP_ALLOC = 0xC0200104;
constexpr std::uint32_t AS_INITIALIZE = 0x40284109, AS_ALLOC_SPACE = 0xC0184102, AS_MAP_BUFFER = 0xC0284106;
constexpr std::uint32_t AS_BIND_CHANNEL = 0x40044101;
constexpr std::uint32_t GPU_SUBMIT = 0xC018481B, GPU_ALLOC_GPFIFO = 0xC020481A;
constexpr std::uint32_t CTRL_REGISTER = 0xC004001F, CTRL_WAIT = 0xC010001D, CTRL_READ = 0xC0080014;

/// Memory that is reserved at once and committed as the kernel maps it.
class process_memory {
public:
    triglyph::view<std::uint8_t> commit(std::uint64_t size) {
        EXPECT(size % PAGE == 0);
        const triglyph::view<std::uint8_t> made = all_.commit(end_, size);
        end_ += size + PAGE; // a page that nothing may touch
        return made;
    }
    std::uint64_t address_of(const std::uint8_t *pointer) const {
        return PROCESS + std::uint64_t(pointer - all_.at(0));
    }

private:
    stream::reservation all_;
    std::uint64_t end_ = 0;
};

/// The bytes of a request.
class bytes {
public:
    template <class... Fields>
    explicit bytes(Fields... fields) {
        (add(fields), ...);
    }
    template <class T>
    void add(T value) {
        const auto *from = reinterpret_cast<const std::uint8_t *>(&value);
        data_.insert(data_.end(), from, from + sizeof value);
    }
    template <class T>
    T at(std::size_t offset) const {
        return stream::take<T>(data_, offset);
    }
    std::vector<std::uint8_t> &data() { return data_; }

private:
    std::vector<std::uint8_t> data_;
};

using u32 = std::uint32_t;
using u64 = std::uint64_t;

/// A thread of the services: what it is asked to do it does in order.
class service {
public:
    service() : thread_([this] { serve(); }) {}
    ~service() {
        {
            std::lock_guard lock(mutex_);
            stop_ = true;
        }
        changed_.notify_one();
        thread_.join();
    }
    /// Has the thread do something, and waits for the answer.
    template <class Request>
    auto ask(Request request) -> decltype(request()) {
        std::packaged_task<decltype(request())()> task(std::move(request));
        auto answer = task.get_future();
        {
            std::lock_guard lock(mutex_);
            requests_.push([&task] { task(); });
        }
        changed_.notify_one();
        return answer.get();
    }

private:
    void serve() {
        std::unique_lock lock(mutex_);
        for (;;) {
            changed_.wait(lock, [this] { return stop_ || !requests_.empty(); });
            if (requests_.empty()) {
                return;
            }
            const auto request = std::move(requests_.front());
            requests_.pop();
            lock.unlock();
            request();
            lock.lock();
        }
    }
    std::mutex mutex_;
    std::condition_variable changed_;
    std::queue<std::function<void()>> requests_;
    bool stop_ = false;
    std::thread thread_;
};

/// A buffer of the guest's memory that the GPU sees.
struct mapping {
    u64 gpu;
    triglyph::view<std::uint8_t> memory;
};

class host {
public:
    explicit host(stream::plan plan) : plan_(std::move(plan)), pictures_(plan_.pictures) {
        power_on();
        open_driver();
    }

    void play() {
        if (!plan_.recording.empty()) {
            with_gpu([this] {
                triglyph::check(triglyph_start_recording(device(), plan_.recording.c_str(), "switch"));
            });
        }
        for (const stream::record &record : plan_.records) {
            switch (record.kind) {
            case stream::MAP:
                map(record);
                break;
            case stream::MEM:
                // The program has waited for the fence of what reads this memory.
                wait(fence_);
                std::memcpy(pointer(record.range.address, record.bytes.size()), record.bytes.data(),
                            record.bytes.size());
                break;
            case stream::SUBMIT:
                submit(record);
                break;
            default:
                show(record);
            }
        }
        wait(fence_);
        if (!plan_.recording.empty()) {
            with_gpu([this] { triglyph::check(triglyph_stop_recording(device())); });
        }
        power_off();
        std::printf("ioctls %llu\nsubmits %llu\nevents %llu\nwaits %llu\npictures %llu\nsaves %llu\nunfinished %llu\n"
                    "caller %llu\n",
                    count(ioctls_), count(submitted_), count(signalled_), count(waits_), count(shown_), count(saves_),
                    count(unfinished_), count(caller_.total()));
    }

private:
    static unsigned long long count(u64 value) { return value; }
    triglyph_device *device() const { return gpu_->device().get(); }

    /* ---- the machine ---- */

    void power_on() {
        gpu_ = std::make_unique<triglyph::tegra>(plan_.options);
        stream::expect_no_faults(*gpu_);
        gpu_->on_event([this](const triglyph_event &event) {
            if (event.kind == TRIGLYPH_EVENT_KIND_FENCE) {
                std::lock_guard lock(events_mutex_);
                events_ |= u64(1) << event.slot;
                signalled_++;
                events_changed_.notify_all();
            }
        });
        for (const mapping &mapping : mappings_) {
            map_process(mapping.memory);
        }
    }

    /// From here on a worker's thread does the machine's work, or the thread that makes a call.
    void start() {
        timeline_ = gpu_->device().timeline();
        if (plan_.cut != 0) {
            interrupting_ = std::make_unique<stream::interrupting>(gpu_->device());
        }
        if (plan_.thread) {
            triglyph::worker_options options;
            if (plan_.cut != 0) {
                options.slice.words = plan_.cut;
            }
            worker_ = std::make_unique<triglyph::worker>(gpu_->device(), options);
        }
    }

    void power_off() {
        interrupting_.reset();
        worker_.reset();
        gpu_.reset();
    }

    void map_process(triglyph::view<std::uint8_t> memory) {
        gpu_->device().map_host({TRIGLYPH_TEGRA_SPACE_PROCESS, process_.address_of(memory.data())}, memory);
    }

    /// Makes calls on the machine: the worker's thread does, or one caller at a time.
    template <class Calls>
    auto with_gpu(Calls calls) -> decltype(calls()) {
        if (worker_) {
            return worker_->call(calls);
        }
        std::lock_guard lock(machine_);
        return calls();
    }

    /// Saves the state while the GPU works, and loads it into another machine.
    void save_and_load() {
        triglyph::buffer state;
        with_gpu([&] {
            state = gpu_->device().snapshot(TRIGLYPH_SNAPSHOT_WITHOUT_MEMORY);
            // What the snapshot has left to do is not in memory yet, and never will be by this machine.
            for (const mapping &mapping : mappings_) {
                saved_.emplace_back(mapping.memory.begin(), mapping.memory.end());
            }
            unfinished_ += timeline_.completed() < timeline_.submitted();
        });
        power_off();
        for (const mapping &mapping : mappings_) {
            std::memset(mapping.memory.data(), 0xCD, mapping.memory.size());
        }
        power_on();
        for (std::size_t at = 0; at < saved_.size(); at++) {
            std::memcpy(mappings_[at].memory.data(), saved_[at].data(), saved_[at].size());
        }
        gpu_->device().restore(state.bytes());
        start();
        saves_++;
    }

    /* ---- the services ---- */

    u32 ioctl(u32 file, u32 request, bytes &argument) {
        ioctls_++;
        // Each file is served by one of three threads.
        return services_[file % 3].ask([&] {
            return caller_of(file)([&] {
                return with_gpu([&] { return gpu_->nvdrv_ioctl(file, request, argument.data()); });
            });
        });
    }
    /// Measures the time of calls, that of submissions apart.
    stream::stopwatch &caller_of(u32 file) { return file == channel_ ? caller_ : others_[file % 3]; }

    void succeed(u32 file, u32 request, bytes &argument) { EXPECT(ioctl(file, request, argument) == 0); }
    void succeed(u32 file, u32 request, bytes &&argument) { EXPECT(ioctl(file, request, argument) == 0); }

    u32 open(const char *path) {
        const auto file = services_[0].ask([&] { return with_gpu([&] { return gpu_->nvdrv_open(path); }); });
        EXPECT(file);
        return file.value;
    }

    void open_driver() {
        start();
        nvmap_ = open("/dev/nvmap");
        space_ = open("/dev/nvhost-as-gpu");
        channel_ = open("/dev/nvhost-gpu");
        ctrl_ = open("/dev/nvhost-ctrl");
        succeed(space_, AS_INITIALIZE, bytes(u32(0), u32(0), u32(0x20000), u32(0), u64(0), u64(0), u64(0)));
        succeed(space_, AS_ALLOC_SPACE,
                bytes(u32(GPU_SPACE_SIZE / PAGE), u32(PAGE), u32(TRIGLYPH_TEGRA_SPACE_FIXED), u32(0), GPU_SPACE));
        succeed(space_, AS_BIND_CHANNEL, bytes(channel_));
        bytes gpfifo(u32(0x800), u32(1), u32(0), u32(0), u32(0), u32(0), u32(0), u32(0));
        succeed(channel_, GPU_ALLOC_GPFIFO, gpfifo);
        fence_ = {gpfifo.at<u32>(12), gpfifo.at<u32>(16)};
    }

    /* ---- the program ---- */

    std::uint8_t *pointer(u64 gpu, std::size_t size) const {
        for (const mapping &mapping : mappings_) {
            if (gpu >= mapping.gpu && gpu + size <= mapping.gpu + mapping.memory.size()) {
                return mapping.memory.data() + (gpu - mapping.gpu);
            }
        }
        throw std::runtime_error("the stream stores where nothing is mapped");
    }

    /// Memory of the process, a handle for it, and the handle's memory where the GPU is to see it.
    void map(const stream::record &record) {
        const triglyph::view<std::uint8_t> memory = process_.commit(record.range.size);
        with_gpu([&] { map_process(memory); });
        bytes create(u32(record.range.size), u32(0));
        succeed(nvmap_, NVMAP_CREATE, create);
        const auto handle = create.at<u32>(4);
        bytes alloc(handle, u32(0), u32(1), u32(PAGE), u32(0xFE), u32(0), process_.address_of(memory.data()));
        succeed(nvmap_, NVMAP_ALLOC, alloc);
        bytes buffer(u32(TRIGLYPH_TEGRA_MAP_FIXED), u32(TRIGLYPH_TEGRA_DEFAULT_KIND), handle, u32(0), u64(0), u64(0),
                     record.range.address);
        succeed(space_, AS_MAP_BUFFER, buffer);
        EXPECT(buffer.at<u64>(32) == record.range.address);
        mappings_.push_back({record.range.address, memory});
    }

    void submit(const stream::record &record) {
        const auto entries = u32(record.bytes.size() / 8 - 1);
        bytes call(u64(0), entries, u32(TRIGLYPH_TEGRA_SUBMIT_FENCE_GET | TRIGLYPH_TEGRA_SUBMIT_HARDWARE_FORMAT),
                   u32(0), u32(0));
        for (u32 at = 1; at <= entries; at++) {
            call.add(record.long_word(at));
        }
        succeed(channel_, GPU_SUBMIT, call);
        fence_ = {call.at<u32>(16), call.at<u32>(20)};
        if (++submitted_ == plan_.save_at) {
            save_and_load();
        }
    }

    /// EVENT_WAIT: the guest's thread sleeps until the event of a slot is signalled.
    void wait(const triglyph_tegra_fence &fence) {
        for (;;) {
            bytes call(fence.syncpoint, fence.value, std::int32_t(-1), u32(0));
            const u32 result = ioctl(ctrl_, CTRL_WAIT, call);
            if (result == 0) {
                break;
            }
            EXPECT(result == TRIGLYPH_TEGRA_RESULT_TIMEOUT);
            const auto slot = services_[0].ask([&] {
                return with_gpu([&] { return gpu_->nvdrv_query_event(ctrl_, call.at<u32>(12)); });
            });
            EXPECT(slot);
            waits_++;
            std::unique_lock lock(events_mutex_);
            const u64 bit = u64(1) << slot.value;
            EXPECT(events_changed_.wait_for(lock, std::chrono::seconds(60), [&] { return (events_ & bit) != 0; }));
            events_ &= ~bit;
        }
        bytes read(fence.syncpoint, u32(0));
        succeed(ctrl_, CTRL_READ, read);
        EXPECT(std::int32_t(read.at<u32>(4) - fence.value) >= 0);
    }

    /* ---- the display ---- */

    /// A buffer is queued with its fence; the display's service waits for that and shows the buffer, as it is and in
    /// windows of the console's and the dock's sizes.
    void show(const stream::record &record) {
        const triglyph_tegra_fence fence = fence_;
        services_[2].ask([&] {
            if (worker_) {
                EXPECT(timeline_.wait_fence(fence.syncpoint, fence.value, std::chrono::seconds(60)));
            }
            triglyph_present picture = record.picture;
            const std::uint8_t *memory = pointer(picture.address, 1);
            picture.space = TRIGLYPH_TEGRA_SPACE_PROCESS;
            picture.address = process_.address_of(memory);
            with_gpu([&] { compose(picture); });
        });
        shown_++;
    }

    std::vector<std::uint8_t> present(const triglyph_present &picture, u32 width, u32 height, triglyph_fit fit) {
        std::vector<std::uint8_t> window(std::size_t(4) * width * height);
        const triglyph::rows rows(window, std::size_t(4) * width, TRIGLYPH_HOST_FORMAT_RGBA8, width, height, fit);
        const triglyph_shown shown = gpu_->device().present(picture, false, rows, presented_);
        EXPECT(shown.stored_width == width && shown.stored_height == height && shown.missing == 0);
        return window;
    }

    void compose(const triglyph_present &picture) {
        const auto whole = present(picture, picture.width, picture.height, TRIGLYPH_FIT_CUT);
        pictures_.add(triglyph::view<const std::uint8_t>(whole.data(), whole.size()));
        for (const auto [width, height] : {std::array<u32, 2>{1280, 720}, std::array<u32, 2>{1920, 1080}}) {
            const auto window = present(picture, width, height, TRIGLYPH_FIT_SCALE);
            for (u32 y = 0; y < height; y++) {
                for (u32 x = 0; x < width; x++) {
                    const u32 from_x = (2 * x + 1) * picture.width / (2 * width);
                    const u32 from_y = (2 * y + 1) * picture.height / (2 * height);
                    const std::size_t from = 4 * (std::size_t(from_y) * picture.width + from_x);
                    EXPECT(std::equal(&window[4 * (std::size_t(y) * width + x)],
                                      &window[4 * (std::size_t(y) * width + x)] + 4, &whole[from]));
                }
            }
        }
        triglyph::check(triglyph_record_present(device(), &picture, true));
    }

    stream::plan plan_;
    stream::pictures pictures_;
    process_memory process_;
    std::vector<mapping> mappings_;
    std::vector<std::vector<std::uint8_t>> saved_;
    std::unique_ptr<triglyph::tegra> gpu_;
    triglyph::timeline timeline_;
    std::unique_ptr<triglyph::worker> worker_;
    std::unique_ptr<stream::interrupting> interrupting_;
    triglyph::presented presented_;
    std::mutex machine_, events_mutex_;
    std::condition_variable events_changed_;
    u64 events_ = 0, signalled_ = 0;
    u32 nvmap_ = 0, space_ = 0, channel_ = 0, ctrl_ = 0;
    triglyph_tegra_fence fence_{};
    stream::stopwatch caller_, others_[3];
    u64 submitted_ = 0, waits_ = 0, shown_ = 0, saves_ = 0, unfinished_ = 0;
    std::atomic<u64> ioctls_ = 0;
    service services_[3];
};

} // namespace

int main(int argc, char **argv) {
    return stream::run<host>(argc, argv);
}
