// A host like Ryujinx: the calls are those of C, as P/Invoke makes them, with unmanaged callbacks. Services copy the
// bytes of a request, have it answered on the one thread that has the GPU, and copy them back. One syncpoint manager
// tells all who wait. The process's memory is one reservation that nothing tracks; a display thread acquires buffers.
// With --thread the GPU's thread does work in slices between requests; with --cut other threads interrupt these.

#include "console_switch.hpp"

namespace {

using namespace nx;

// Requests of the driver.
constexpr u32 NVMAP_CREATE = 0xC0080101, NVMAP_ALLOC = 0xC0200104;
constexpr u32 AS_INITIALIZE = 0x40284109, AS_ALLOC_SPACE = 0xC0184102, AS_MAP_BUFFER = 0xC0284106;
constexpr u32 AS_BIND_CHANNEL = 0x40044101;
constexpr u32 GPU_SUBMIT = 0xC018481B, GPU_ALLOC_GPFIFO = 0xC020481A;
constexpr u32 CTRL_WAIT = 0xC010001D, CTRL_READ = 0xC0080014;

/// The result of a call of C, as an exception of C#.
void invoke(triglyph_status status) {
    if (status != TRIGLYPH_STATUS_OK) {
        throw std::runtime_error(std::string(triglyph_status_name(status)) + ": " + triglyph_last_error());
    }
}

/// The process's memory: reserved at once, committed as the kernel maps it, with a page between parts that nothing may
/// touch.
class memory_block {
public:
    mapping commit(u64 gpu, u64 size) {
        EXPECT(size % PAGE == 0);
        const mapping made{gpu, PROCESS + end_, all_.commit(end_, size)};
        end_ += size + PAGE;
        return made;
    }

private:
    stream::reservation all_;
    u64 end_ = 0;
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

/// Who waits for syncpoints: callbacks by the slot of an event.
class syncpoint_manager {
public:
    /// From the GPU's thread.
    void signal(u32 slot) {
        std::lock_guard lock(mutex_);
        signalled_[slot] = true;
        count_++;
        changed_.notify_all();
    }
    void wait(u32 slot) {
        std::unique_lock lock(mutex_);
        EXPECT(changed_.wait_for(lock, LONG, [&] { return signalled_[slot]; }));
        signalled_[slot] = false;
    }
    u64 count() const { return count_; }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<u32, bool> signalled_;
    u64 count_ = 0;
};

/// The thread that has the GPU: requests in their order, and slices of work between them.
class gpu_thread {
public:
    gpu_thread(triglyph_device *device, u32 cut) : device_(device), cut_(cut) {
        invoke(triglyph_set_deferred(device, true));
        invoke(triglyph_get_interrupter(device, &interrupter_));
        thread_ = std::thread([this] { dispatch(); });
    }
    ~gpu_thread() {
        {
            std::lock_guard lock(mutex_);
            stop_ = true;
        }
        wake();
        thread_.join();
        triglyph_interrupter_destroy(interrupter_);
    }
    template <class Calls>
    auto call(Calls &calls) -> decltype(calls()) {
        std::packaged_task<decltype(calls())()> task(std::ref(calls));
        auto answer = task.get_future();
        {
            std::lock_guard lock(mutex_);
            requests_.push([&task] { task(); });
        }
        wake();
        return answer.get();
    }

private:
    /// A request ends the slice that is under way.
    void wake() {
        triglyph_interrupter_interrupt(interrupter_);
        changed_.notify_one();
    }

    void dispatch() {
        bool has_work = true;
        std::unique_lock lock(mutex_);
        for (;;) {
            changed_.wait(lock, [&] { return stop_ || has_work || !requests_.empty(); });
            if (!requests_.empty()) {
                const auto request = std::move(requests_.front());
                requests_.pop();
                lock.unlock();
                request();
                lock.lock();
                has_work = true;
                continue;
            }
            if (stop_) {
                return;
            }
            lock.unlock();
            has_work = slice();
            lock.lock();
        }
    }

    /// Works for a while. False when nothing can go on.
    bool slice() {
        const triglyph_run_limit limit{1000000, cut_ ? cut_ : UINT64_MAX};
        u32 end = 0;
        invoke(triglyph_run_for(device_, &limit, &end, nullptr));
        return end == TRIGLYPH_RUN_END_BUDGET_USED || end == TRIGLYPH_RUN_END_INTERRUPTED;
    }

    triglyph_device *device_;
    u32 cut_;
    triglyph_interrupter *interrupter_ = nullptr;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::queue<std::function<void()>> requests_;
    bool stop_ = false;
    std::thread thread_;
};

class host {
public:
    explicit host(stream::plan plan) : plan_(std::move(plan)), pictures_(plan_.pictures) {
        invoke(triglyph_presented_create(&presented_));
        power_on();
        start();
        open_driver();
    }
    ~host() { triglyph_presented_destroy(presented_); }

    void play() {
        if (!plan_.recording.empty()) {
            with_gpu([this] { invoke(triglyph_start_recording(device(), plan_.recording.c_str(), "ryujinx")); });
        }
        const auto write = [this](const stream::record &record) {
            // The program has waited for the fence of what reads this memory.
            wait(fence_);
            store(record);
        };
        nx::play(
            plan_, [this](const stream::record &record) { map(record); }, write,
            [this](const stream::record &record) { submit(record); },
            [this](const stream::record &record) { show(record); });
        wait(fence_);
        if (!plan_.recording.empty()) {
            with_gpu([this] { invoke(triglyph_stop_recording(device())); });
        }
        power_off();
        std::printf("ioctls %llu\nsubmits %llu\nevents %llu\nwaits %llu\npictures %llu\nsaves %llu\nunfinished %llu\n"
                    "caller %llu\n",
                    count(ioctls_), count(submitted_), count(syncpoints_.count()), count(waits_), count(shown_),
                    count(saves_), count(unfinished_), count(caller_.total()));
    }

private:
    triglyph_device *device() const { return triglyph_tegra_device(tegra_); }

    /* ---- the machine ---- */

    static void on_event(void *user_data, const triglyph_event *event) {
        if (event->kind == TRIGLYPH_EVENT_KIND_FENCE) {
            static_cast<host *>(user_data)->syncpoints_.signal(event->slot);
        }
    }
    static void on_fault(void *, const triglyph_fault *fault) {
        std::fprintf(stderr, "fault: %s\n", fault->what);
        std::abort();
    }

    void power_on() {
        invoke(triglyph_tegra_create(&plan_.options, &tegra_));
        invoke(triglyph_set_fault_callback(device(), on_fault, nullptr));
        invoke(triglyph_set_event_callback(device(), on_event, this));
        invoke(triglyph_get_timeline(device(), &timeline_));
        for (const mapping &mapping : buffers_) {
            map_process(mapping);
        }
    }

    /// From here on the GPU's thread has the machine, if there is one; otherwise the thread that makes a call.
    void start() {
        if (plan_.cut != 0) {
            interrupting_ = std::make_unique<stream::interrupting>(triglyph::device_view(device()));
        }
        if (plan_.thread) {
            thread_ = std::make_unique<gpu_thread>(device(), plan_.cut);
        }
    }

    void power_off() {
        interrupting_.reset();
        thread_.reset();
        triglyph_timeline_destroy(timeline_);
        invoke(triglyph_tegra_destroy(tegra_));
    }

    void map_process(const mapping &mapping) {
        invoke(triglyph_map_host(device(), TRIGLYPH_TEGRA_SPACE_PROCESS, mapping.process, mapping.memory.size(),
                                 mapping.memory.data(), TRIGLYPH_ACCESS_READ_WRITE));
    }

    template <class Calls>
    auto with_gpu(Calls calls) -> decltype(calls()) {
        if (thread_) {
            return thread_->call(calls);
        }
        std::lock_guard lock(machine_);
        return calls();
    }

    /// Saves the state while the GPU works, and loads it into another machine.
    void save_and_load() {
        triglyph_buffer *state = nullptr;
        std::vector<std::vector<std::uint8_t>> held;
        with_gpu([&] {
            invoke(triglyph_snapshot(device(), TRIGLYPH_SNAPSHOT_WITHOUT_MEMORY, &state));
            // What the snapshot has left to do is not in memory yet, and never will be by this machine.
            u64 submitted = 0, completed = 0;
            invoke(triglyph_timeline_counts(timeline_, &submitted, &completed));
            unfinished_ += completed < submitted;
            held = buffers_.held();
        });
        power_off();
        buffers_.scribble();
        power_on();
        buffers_.put_back(held);
        const std::uint8_t *data = nullptr;
        std::size_t size = 0;
        invoke(triglyph_buffer_bytes(state, &data, &size));
        invoke(triglyph_restore(device(), data, size));
        triglyph_buffer_destroy(state);
        start();
        saves_++;
    }

    /* ---- the services ---- */

    /// Ioctl: the guest's bytes are copied, a device file answers, they are copied back.
    u32 ioctl(u32 file, u32 request, bytes &guest) {
        ioctls_++;
        return service_.ask([&] {
            std::vector<std::uint8_t> argument = guest.data();
            u32 result = 0;
            caller_of(file)([&] {
                with_gpu([&] {
                    invoke(triglyph_tegra_nvdrv_ioctl(tegra_, file, request, argument.data(), argument.size(), nullptr,
                                                      0, nullptr, 0, &result));
                });
            });
            guest.data() = std::move(argument);
            return result;
        });
    }
    /// Measures the time of calls, that of submissions apart.
    stream::stopwatch &caller_of(u32 file) { return file == channel_ ? caller_ : others_; }

    void succeed(u32 file, u32 request, bytes &argument) { EXPECT(ioctl(file, request, argument) == 0); }
    void succeed(u32 file, u32 request, bytes &&argument) { EXPECT(ioctl(file, request, argument) == 0); }

    u32 open(const char *path) {
        return service_.ask([&] {
            u32 file = 0, result = 0;
            with_gpu([&] { invoke(triglyph_tegra_nvdrv_open(tegra_, path, &file, &result)); });
            EXPECT(result == 0);
            return file;
        });
    }

    void open_driver() {
        nvmap_ = open("/dev/nvmap");
        space_ = open("/dev/nvhost-as-gpu");
        channel_ = open("/dev/nvhost-gpu");
        ctrl_ = open("/dev/nvhost-ctrl");
        succeed(space_, AS_INITIALIZE, bytes(u32(0), u32(0), u32(0x20000), u32(0), u64(0), u64(0), u64(0)));
        succeed(space_, AS_ALLOC_SPACE,
                bytes(u32(GPU_SPACE_SIZE / PAGE), u32(PAGE), u32(TRIGLYPH_TEGRA_SPACE_FIXED), u32(0), GPU_SPACE));
        succeed(space_, AS_BIND_CHANNEL, bytes(channel_));
        bytes gpfifo(GPFIFO_ENTRIES, u32(1), u32(0), u32(0), u32(0), u32(0), u32(0), u32(0));
        succeed(channel_, GPU_ALLOC_GPFIFO, gpfifo);
        fence_ = {gpfifo.at<u32>(12), gpfifo.at<u32>(16)};
    }

    /* ---- the program ---- */

    void store(const stream::record &record) {
        const mapping &mapping = buffers_.at(record.range.address, record.bytes.size());
        std::memcpy(mapping.memory.data() + (record.range.address - mapping.gpu), record.bytes.data(),
                    record.bytes.size());
    }

    /// Memory of the process, a handle for it, and the handle's memory where the GPU is to see it.
    void map(const stream::record &record) {
        const mapping made = block_.commit(record.range.address, record.range.size);
        with_gpu([&] { map_process(made); });
        bytes create(u32(record.range.size), u32(0));
        succeed(nvmap_, NVMAP_CREATE, create);
        const auto handle = create.at<u32>(4);
        succeed(nvmap_, NVMAP_ALLOC, bytes(handle, u32(0), u32(1), u32(PAGE), u32(PITCH_KIND), u32(0), made.process));
        bytes buffer(u32(TRIGLYPH_TEGRA_MAP_FIXED), u32(TRIGLYPH_TEGRA_DEFAULT_KIND), handle, u32(0), u64(0), u64(0),
                     record.range.address);
        succeed(space_, AS_MAP_BUFFER, buffer);
        EXPECT(buffer.at<u64>(32) == record.range.address);
        buffers_.add(made);
    }

    void submit(const stream::record &record) {
        const auto entries = entries_of(record);
        bytes call(u64(0), u32(entries.size()),
                   u32(TRIGLYPH_TEGRA_SUBMIT_FENCE_GET | TRIGLYPH_TEGRA_SUBMIT_HARDWARE_FORMAT), u32(0), u32(0));
        for (const u64 entry : entries) {
            call.add(entry);
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
            u32 slot = 0, answer = 0;
            service_.ask([&] {
                with_gpu([&] {
                    invoke(triglyph_tegra_nvdrv_query_event(tegra_, ctrl_, call.at<u32>(12), &slot, &answer));
                });
            });
            EXPECT(answer == 0);
            waits_++;
            syncpoints_.wait(slot);
        }
        bytes read(fence.syncpoint, u32(0));
        succeed(ctrl_, CTRL_READ, read);
        EXPECT(std::int32_t(read.at<u32>(4) - fence.value) >= 0);
    }

    /* ---- the display ---- */

    /// PostFrameBuffer: the display's thread waits for the fences of a buffer (AcquireBuffer), then shows it.
    void show(const stream::record &record) {
        display_.ask([&] {
            if (thread_) {
                bool reached = false;
                invoke(triglyph_timeline_wait_fence(timeline_, fence_.syncpoint, fence_.value, 60000000000u, &reached));
                EXPECT(reached);
            }
            with_gpu([&] {
                const triglyph_present picture = buffers_.in_process(record);
                const auto whole = compose(picture, [&](u32 width, u32 height, triglyph_fit fit) {
                    return present(picture, width, height, fit);
                });
                pictures_.add(triglyph::view<const std::uint8_t>(whole.data(), whole.size()));
                invoke(triglyph_record_present(device(), &picture, true));
            });
        });
        shown_++;
    }

    std::vector<std::uint8_t> present(const triglyph_present &picture, u32 width, u32 height, triglyph_fit fit) {
        std::vector<std::uint8_t> window(std::size_t(4) * width * height);
        const triglyph::rows rows(window, std::size_t(4) * width, TRIGLYPH_HOST_FORMAT_RGBA8, width, height, fit);
        auto shown = triglyph::sized<triglyph_shown>();
        invoke(triglyph_present_picture(device(), &picture, false, &rows, presented_, &shown));
        EXPECT(shown.stored_width == width && shown.stored_height == height && shown.missing == 0);
        return window;
    }

    stream::plan plan_;
    stream::pictures pictures_;
    memory_block block_;
    buffers buffers_;
    syncpoint_manager syncpoints_;
    triglyph_tegra *tegra_ = nullptr;
    triglyph_timeline *timeline_ = nullptr;
    triglyph_presented *presented_ = nullptr;
    std::unique_ptr<gpu_thread> thread_;
    std::unique_ptr<stream::interrupting> interrupting_;
    std::mutex machine_;
    u32 nvmap_ = 0, space_ = 0, channel_ = 0, ctrl_ = 0;
    triglyph_tegra_fence fence_{};
    stream::stopwatch caller_, others_;
    u64 submitted_ = 0, waits_ = 0, shown_ = 0, saves_ = 0, unfinished_ = 0;
    u64 ioctls_ = 0;
    service service_, display_;
};

} // namespace

int main(int argc, char **argv) {
    return stream::run<host>(argc, argv);
}
