// A host like yuzu and its forks: the driver's devices are classes that call the library by what a request means;
// syncpoints are host1x's, which another engine counts as well; services are called from the threads of several cores.
// The process's memory is a file that is mapped twice: as the processor sees it, whose pages are protected until they
// are written, and as the GPU does. What was written is announced. A buffer queue hands buffers to the display. With
// --thread a worker does the machine's work, with --cut in slices that other threads interrupt.

#include <csignal>

#include "console_switch.hpp"

namespace {

using namespace nx;

constexpr u32 BUFFER_SLOTS = 3, CORES = 3;
/// The syncpoint of an engine that is the host's: video and its post-processing. Guest channels have others.
constexpr u32 VIC_SYNCPOINT = 188;

/// Memory of the process: a file of which the processor's view is tracked and the GPU's is not.
class host_memory {
public:
    static constexpr std::size_t SIZE = std::size_t(1) << 30;

    host_memory() : file_(memfd_create("process", 0)) {
        EXPECT(file_ >= 0 && ftruncate(file_, SIZE) == 0);
        backing_ = view(PROT_READ | PROT_WRITE);
        processor_ = view(PROT_NONE);
        here = this;
        struct sigaction action {};
        action.sa_sigaction = on_fault;
        action.sa_flags = SA_SIGINFO;
        EXPECT(sigaction(SIGSEGV, &action, nullptr) == 0);
    }
    ~host_memory() {
        signal(SIGSEGV, SIG_DFL);
        munmap(backing_, SIZE);
        munmap(processor_, SIZE);
        close(file_);
    }
    host_memory(const host_memory &) = delete;
    host_memory &operator=(const host_memory &) = delete;

    /// Memory that the kernel maps, which is tracked from the beginning.
    mapping commit(u64 gpu, u64 size) {
        EXPECT(size % PAGE == 0 && end_ + size <= SIZE);
        const mapping made{gpu, PROCESS + end_, {backing_ + end_, size}};
        EXPECT(mprotect(processor_ + end_, size, PROT_READ) == 0);
        end_ += size;
        return made;
    }

    /// The processor's view of an address.
    std::uint8_t *processor(u64 process) const { return processor_ + (process - PROCESS); }

    /// Calls `changed` with each run of pages that the processor has written, and tracks them again.
    template <class Changed>
    void take_dirty(Changed changed) {
        for (std::size_t page = 0; page < end_ / PAGE;) {
            if (!dirty_[page].load()) {
                page++;
                continue;
            }
            const std::size_t first = page;
            while (page < end_ / PAGE && dirty_[page].load()) {
                dirty_[page++] = false;
            }
            const std::size_t start = first * PAGE, size = (page - first) * PAGE;
            EXPECT(mprotect(processor_ + start, size, PROT_READ) == 0);
            changed(PROCESS + start, size);
        }
    }
    u64 faults() const { return faults_; }

private:
    std::uint8_t *view(int protection) const {
        void *made = mmap(nullptr, SIZE, protection, MAP_SHARED | MAP_NORESERVE, file_, 0);
        EXPECT(made != MAP_FAILED);
        return static_cast<std::uint8_t *>(made);
    }

    /// The first write to a page that is tracked.
    static void on_fault(int, siginfo_t *info, void *) {
        const auto at = std::uintptr_t(info->si_addr) - std::uintptr_t(here->processor_);
        if (at >= here->end_) {
            signal(SIGSEGV, SIG_DFL);
            return;
        }
        here->dirty_[at / PAGE] = true;
        here->faults_++;
        mprotect(here->processor_ + at / PAGE * PAGE, PAGE, PROT_READ | PROT_WRITE);
    }

    static inline host_memory *here = nullptr;
    int file_;
    std::uint8_t *backing_ = nullptr, *processor_ = nullptr;
    std::size_t end_ = 0;
    std::vector<std::atomic<bool>> dirty_ = std::vector<std::atomic<bool>>(SIZE / PAGE);
    std::atomic<u64> faults_ = 0;
};

/// Buffers between a program and the display: taken by the one, filled, queued with a fence, shown by the other.
class buffer_queue {
public:
    struct item {
        u32 slot;
        const stream::record *picture;
        triglyph_tegra_fence fence;
    };

    u32 dequeue() {
        std::unique_lock lock(mutex_);
        EXPECT(changed_.wait_for(lock, LONG, [this] { return !free_.empty(); }));
        const u32 slot = free_.front();
        free_.pop();
        return slot;
    }
    void queue(const item &item) {
        std::lock_guard lock(mutex_);
        queued_.push(item);
    }
    bool acquire(item &item) {
        std::lock_guard lock(mutex_);
        if (queued_.empty()) {
            return false;
        }
        item = queued_.front();
        queued_.pop();
        return true;
    }
    void release(u32 slot) {
        std::lock_guard lock(mutex_);
        free_.push(slot);
        changed_.notify_all();
    }

private:
    static std::queue<u32> all() {
        std::queue<u32> slots;
        for (u32 slot = 0; slot < BUFFER_SLOTS; slot++) {
            slots.push(slot);
        }
        return slots;
    }
    std::mutex mutex_;
    std::condition_variable changed_;
    std::queue<u32> free_ = all();
    std::queue<item> queued_;
};

template <class Value>
Value expect(const triglyph::answer<u32, Value> &answer) {
    EXPECT(answer.result == 0);
    return answer.value;
}

class host {
public:
    explicit host(stream::plan plan) : plan_(std::move(plan)), pictures_(plan_.pictures) {
        power_on();
        start();
        open_driver();
    }

    void play() {
        if (!plan_.recording.empty()) {
            with_gpu([this] { triglyph::check(triglyph_start_recording(device(), plan_.recording.c_str(), "yuzu")); });
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
            with_gpu([this] { triglyph::check(triglyph_stop_recording(device())); });
        }
        power_off();
        EXPECT(memory_.faults() > 0 && written_ > 0);
        std::printf("ioctls %llu\nsubmits %llu\nevents %llu\nwaits %llu\npictures %llu\nsaves %llu\nunfinished %llu\n"
                    "faults %llu\nwritten %llu\nincrements %llu\ncaller %llu\n",
                    count(calls_), count(submitted_), count(signalled_), count(waits_), count(shown_), count(saves_),
                    count(unfinished_), count(memory_.faults()), count(written_), count(increments_),
                    count(caller_.total()));
    }

private:
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
        triglyph::check(triglyph_set_host_writes_announced(device(), true));
        // Recompilers would look whether code was among it.
        triglyph::check(triglyph_set_written_callback(
            device(), [](void *host_, const triglyph_range *) { static_cast<host *>(host_)->written_++; }, this));
        for (const mapping &mapping : buffers_) {
            map_process(mapping);
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

    void map_process(const mapping &mapping) {
        gpu_->device().map_host({TRIGLYPH_TEGRA_SPACE_PROCESS, mapping.process}, mapping.memory);
    }

    /// Makes calls on the machine: the worker's thread does, or one core at a time.
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
        std::vector<std::vector<std::uint8_t>> held;
        with_gpu([&] {
            state = gpu_->device().snapshot(TRIGLYPH_SNAPSHOT_WITHOUT_MEMORY);
            // What the snapshot has left to do is not in memory yet, and never will be by this machine.
            held = buffers_.held();
            unfinished_ += timeline_.completed() < timeline_.submitted();
        });
        power_off();
        buffers_.scribble();
        power_on();
        buffers_.put_back(held);
        gpu_->device().restore(state.bytes());
        start();
        saves_++;
    }

    /* ---- the services ---- */

    /// A call of the driver's by a thread of a core, each core in its turn, whose time is measured.
    template <class Call>
    auto on_core(Call call, stream::stopwatch &watch) -> decltype(call()) {
        const u32 core = u32(calls_++ % CORES);
        return cores_[core].ask([&] { return watch([&] { return with_gpu(call); }); });
    }
    template <class Call>
    auto on_core(Call call) -> decltype(call()) {
        return on_core(call, others_);
    }

    void open_driver() {
        space_ = expect(on_core([this] { return gpu_->space_open(); }));
        channel_ = expect(on_core([this] { return gpu_->channel_open(); }));
        on_core([this] {
            const triglyph_tegra_layout layout{0x20000, 0, 0, 0};
            EXPECT(gpu_->space_initialize(space_, &layout) == 0);
            expect(gpu_->space_allocate(space_, u32(GPU_SPACE_SIZE / PAGE), PAGE, TRIGLYPH_TEGRA_SPACE_FIXED,
                                        GPU_SPACE));
            EXPECT(gpu_->channel_bind(channel_, space_) == 0);
        });
        fence_ = expect(on_core([this] { return gpu_->channel_fence(channel_); }));
    }

    /* ---- the program ---- */

    /// The processor writes: pages that are tracked fault once.
    void store(const stream::record &record) {
        const mapping &mapping = buffers_.at(record.range.address, record.bytes.size());
        std::memcpy(memory_.processor(mapping.process) + (record.range.address - mapping.gpu), record.bytes.data(),
                    record.bytes.size());
    }

    /// nvmap and nvhost_as_gpu: a handle for memory of the process, which the GPU sees at an address.
    void map(const stream::record &record) {
        const mapping made = memory_.commit(record.range.address, record.range.size);
        const u32 handle = expect(on_core([&] {
            map_process(made);
            return gpu_->nvmap_create(u32(record.range.size));
        }));
        on_core([&] {
            EXPECT(gpu_->nvmap_alloc(handle, {made.process, u32(PAGE), 0, 1, PITCH_KIND}) == 0);
        });
        on_core([&] {
            triglyph_tegra_map_buffer call{};
            call.flags = TRIGLYPH_TEGRA_MAP_FIXED;
            call.kind = TRIGLYPH_TEGRA_DEFAULT_KIND;
            call.handle = handle;
            call.offset = record.range.address;
            EXPECT(expect(gpu_->space_map_buffer(space_, call)).offset == record.range.address);
        });
        buffers_.add(made);
    }

    /// nvhost_gpu: what the processor has written is announced, then the entries go to the channel. Each second
    /// submission waits for another engine, which counts its syncpoint when the entries are there already.
    void submit(const stream::record &record) {
        const auto entries = entries_of(record);
        const bool waits = submitted_ % 2 == 1;
        const triglyph_tegra_fence before{VIC_SYNCPOINT, u32(increments_ + 1)};
        const u32 flags = TRIGLYPH_TEGRA_SUBMIT_FENCE_GET | TRIGLYPH_TEGRA_SUBMIT_HARDWARE_FORMAT |
                          (waits ? TRIGLYPH_TEGRA_SUBMIT_FENCE_WAIT : 0);
        const auto call = [&] {
            memory_.take_dirty([this](u64 at, u64 size) {
                triglyph::check(triglyph_host_wrote(device(), TRIGLYPH_TEGRA_SPACE_PROCESS, at, size));
            });
            return gpu_->channel_submit(channel_, {entries.data(), entries.size()}, flags, waits ? &before : nullptr);
        };
        fence_ = expect(on_core(call, caller_));
        if (waits) {
            increments_++;
            // Without a thread of the machine's, the call does the work that has waited.
            vic_.ask([this] {
                caller_([this] { with_gpu([this] { gpu_->increment_syncpoint(VIC_SYNCPOINT); }); });
            });
        }
        if (++submitted_ == plan_.save_at) {
            save_and_load();
        }
    }

    /// nvhost_ctrl: the guest's thread sleeps until the event is signalled.
    void wait(const triglyph_tegra_fence &fence) {
        for (;;) {
            const auto answer = expect(on_core([&] { return gpu_->event_wait(fence, -1, -1); }));
            if (!answer.armed) {
                break;
            }
            waits_++;
            std::unique_lock lock(events_mutex_);
            const u64 bit = u64(1) << answer.slot;
            EXPECT(events_changed_.wait_for(lock, LONG, [&] { return (events_ & bit) != 0; }));
            events_ &= ~bit;
        }
        EXPECT(timeline_.wait_fence(fence.syncpoint, fence.value, std::chrono::seconds(0)));
    }

    /* ---- the display ---- */

    /// QueueBuffer, and the next VBlank.
    void show(const stream::record &record) {
        queue_.queue({queue_.dequeue(), &record, fence_});
        display_.ask([this] {
            buffer_queue::item item{};
            while (queue_.acquire(item)) {
                // A machine without a thread has done the work by now.
                EXPECT(!worker_ || timeline_.wait_fence(item.fence.syncpoint, item.fence.value, LONG));
                with_gpu([&] { composite(buffers_.in_process(*item.picture)); });
                queue_.release(item.slot);
                shown_++;
            }
        });
    }

    void composite(const triglyph_present &picture) {
        const auto whole = compose(picture, [&](u32 width, u32 height, triglyph_fit fit) {
            std::vector<std::uint8_t> window(std::size_t(4) * width * height);
            const triglyph::rows rows(window, std::size_t(4) * width, TRIGLYPH_HOST_FORMAT_RGBA8, width, height, fit);
            const triglyph_shown shown = gpu_->device().present(picture, false, rows, presented_);
            EXPECT(shown.stored_width == width && shown.stored_height == height && shown.missing == 0);
            return window;
        });
        pictures_.add(triglyph::view<const std::uint8_t>(whole.data(), whole.size()));
        triglyph::check(triglyph_record_present(device(), &picture, true));
    }

    stream::plan plan_;
    stream::pictures pictures_;
    host_memory memory_;
    buffers buffers_;
    buffer_queue queue_;
    std::unique_ptr<triglyph::tegra> gpu_;
    triglyph::timeline timeline_;
    std::unique_ptr<triglyph::worker> worker_;
    std::unique_ptr<stream::interrupting> interrupting_;
    triglyph::presented presented_;
    std::mutex machine_, events_mutex_;
    std::condition_variable events_changed_;
    u64 events_ = 0, signalled_ = 0;
    u32 space_ = 0, channel_ = 0;
    triglyph_tegra_fence fence_{};
    stream::stopwatch caller_, others_;
    u64 calls_ = 0, submitted_ = 0, waits_ = 0, shown_ = 0, saves_ = 0, unfinished_ = 0, increments_ = 0;
    std::atomic<u64> written_ = 0;
    service cores_[CORES], vic_, display_;
};

} // namespace

int main(int argc, char **argv) {
    return stream::run<host>(argc, argv);
}
