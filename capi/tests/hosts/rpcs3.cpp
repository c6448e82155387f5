// A host like RPCS3: guest memory is one reservation of 4 GiB in which only what is allocated may be touched, the RSX
// has a thread of its own that looks at PUT, the hypervisor's calls are made by number, a timer sends vertical blanks,
// and the program polls the reference value and reports in memory. With --cut the RSX works in bounded runs of a few
// words, which other threads interrupt.

#include <memory>
#include <mutex>

#include "stream.hpp"

namespace {

// Guest addresses, as RPCS3 has them: main memory for the GPU, the RSX's context, local memory.
constexpr std::uint64_t IO_MEMORY = 0x20000000, CONTROL = 0x40000000, DRIVER_INFO = 0x40100000, REPORTS = 0x40200000;
constexpr std::uint64_t DEVICE = 0x40300000, LOCAL = 0xC0000000;

/// The first 4 MiB of the IO space are the recorded ones; the program's ring of commands follows.
constexpr std::uint32_t STREAM_SIZE = 4 << 20, RING = STREAM_SIZE, RING_SIZE = 1 << 10, IO_SIZE = 5 << 20;
constexpr std::uint32_t LOCAL_SIZE = 4 << 20;

// Numbers of the hypervisor's calls.
constexpr std::uint32_t MEMORY_ALLOCATE = 214, CONTEXT_ALLOCATE = 217, CONTEXT_IOMAP = 221, CONTEXT_ATTRIBUTE = 225;
// Methods: the reference value, a report.
constexpr std::uint32_t SET_REFERENCE = 1 << 18 | 0x50, GET_REPORT = 1 << 18 | 0x1800;
constexpr std::uint32_t PUT = 0x40, GET = 0x44, REFERENCE = 0x48, FIRST_REPORT = 0x1400;
// The driver information of head 1: whether it has flipped.
constexpr std::uint32_t HEAD_1_FLAGS = 0x10B8 + 0x40 + 0x08, FLIPPED = 1u << 31;

/// The guest's memory, by its addresses.
class guest_memory {
public:
    triglyph::view<std::uint8_t> allocate(std::uint64_t address, std::size_t size) {
        allocated_.push_back(all_.commit(address, size));
        return allocated_.back();
    }
    /// Words of the guest are big-endian; other threads may change them at any time.
    std::uint32_t load(std::uint64_t address) const {
        return __builtin_bswap32(__atomic_load_n(word(address), __ATOMIC_ACQUIRE));
    }
    void store(std::uint64_t address, std::uint32_t value) const {
        __atomic_store_n(word(address), __builtin_bswap32(value), __ATOMIC_RELEASE);
    }
    std::uint8_t *at(std::uint64_t address) const { return all_.at(address); }
    const std::vector<triglyph::view<std::uint8_t>> &allocated() const { return allocated_; }

private:
    std::uint32_t *word(std::uint64_t address) const { return reinterpret_cast<std::uint32_t *>(at(address)); }
    stream::reservation all_;
    std::vector<triglyph::view<std::uint8_t>> allocated_;
};

class host {
public:
    explicit host(stream::plan plan) : plan_(std::move(plan)), pictures_(plan_.pictures) {
        memory_.allocate(IO_MEMORY, IO_SIZE);
        memory_.allocate(CONTROL, 0x1000);
        memory_.allocate(DRIVER_INFO, 0x4000);
        memory_.allocate(REPORTS, 0x10000);
        memory_.allocate(DEVICE, 0x1000);
        memory_.allocate(LOCAL, LOCAL_SIZE);
        power_on();
        if (plan_.cut != 0) {
            interrupting_ = std::make_unique<stream::interrupting>(gpu_->device());
        }
    }

    void play() {
        initialize();
        if (!plan_.recording.empty()) {
            triglyph::check(triglyph_start_recording(device(), plan_.recording.c_str(), "rpcs3"));
        }
        std::thread rsx([this] { guarded([this] { rsx_thread(); }); });
        std::thread vblanks([this] { guarded([this] { vblank_thread(); }); });
        guarded([this] { program(); });
        stop_ = true;
        if (running_.owns_lock()) {
            running_.unlock();
        }
        rsx.join();
        vblanks.join();
        interrupting_.reset();
        if (!plan_.recording.empty()) {
            triglyph::check(triglyph_stop_recording(device()));
        }
        if (!failed_.empty()) {
            throw std::runtime_error(failed_);
        }
        std::printf("hypercalls %llu\nputs %llu\nreports %llu\nflips %llu\nvblanks %llu\npictures %llu\nsaves %llu\n"
                    "cuts %llu\nwraps %llu\n",
                    count(hypercalls_), count(submitted_), count(reports_), count(flips_), count(blanks_),
                    count(shown_), count(saves_), count(cuts_), count(wraps_));
    }

private:
    static unsigned long long count(std::uint64_t value) { return value; }
    triglyph_device *device() const { return gpu_->device().get(); }

    /// What goes wrong on a thread ends the others.
    template <class Work>
    void guarded(Work work) {
        try {
            work();
        } catch (const std::exception &error) {
            std::lock_guard lock(failing_);
            failed_ = error.what();
            stop_ = true;
        }
    }

    /* ---- the machine ---- */

    void power_on() {
        gpu_ = std::make_unique<triglyph::rsx>(plan_.options);
        stream::expect_no_faults(*gpu_);
        gpu_->on_event([this](const triglyph_event &event) {
            std::uint64_t lv1 = 0, lv2 = 0;
            triglyph::check(triglyph_rsx_event_bits(&event, &lv1, &lv2));
            flips_ += event.kind == TRIGLYPH_EVENT_KIND_FLIP;
            port_ |= lv2;
        });
        const auto show = [this](std::uint32_t space, std::uint64_t at, std::uint64_t address, std::size_t size) {
            gpu_->device().map_host({space, at}, {memory_.at(address), size});
        };
        show(TRIGLYPH_RSX_SPACE_XDR, IO_MEMORY, IO_MEMORY, IO_SIZE);
        show(TRIGLYPH_RSX_SPACE_PAGES, TRIGLYPH_RSX_CONTROL_PAGE, CONTROL, 0x1000);
        show(TRIGLYPH_RSX_SPACE_PAGES, TRIGLYPH_RSX_DRIVER_INFO, DRIVER_INFO, 0x4000);
        show(TRIGLYPH_RSX_SPACE_LOCAL, 0, LOCAL, LOCAL_SIZE);
        show(TRIGLYPH_RSX_SPACE_LOCAL, TRIGLYPH_RSX_REPORTS, REPORTS, 0x10000);
        show(TRIGLYPH_RSX_SPACE_LOCAL, TRIGLYPH_RSX_DEVICE_PAGE, DEVICE, 0x1000);
        gpu_->device().set_deferred(true);
    }

    /// Saves the state in the middle of whatever is under way, and goes on with another machine. The caller has the
    /// machine to itself; the program is paused where it waits for something.
    void save_and_load() {
        std::lock_guard pause(program_runs_);
        const triglyph::buffer state = gpu_->device().snapshot(TRIGLYPH_SNAPSHOT_WITHOUT_MEMORY);
        std::vector<std::vector<std::uint8_t>> saved;
        for (const auto &range : memory_.allocated()) {
            saved.emplace_back(range.begin(), range.end());
        }
        interrupting_.reset();
        gpu_.reset();
        for (const auto &range : memory_.allocated()) {
            std::memset(range.data(), 0xCD, range.size());
        }
        power_on();
        for (std::size_t at = 0; at < saved.size(); at++) {
            std::memcpy(memory_.allocated()[at].data(), saved[at].data(), saved[at].size());
        }
        gpu_->device().restore(state.bytes());
        gpu_->device().set_deferred(true);
        if (plan_.cut != 0) {
            interrupting_ = std::make_unique<stream::interrupting>(gpu_->device());
        }
        saves_++;
    }

    /// Makes calls on the machine between two runs of the RSX's thread.
    template <class Calls>
    auto between_runs(Calls calls) -> decltype(calls()) {
        wanted_++;
        std::lock_guard lock(machine_);
        wanted_--;
        return calls();
    }

    /// Calls of the program's, between two runs.
    template <class Calls>
    auto call(Calls calls) -> decltype(calls()) {
        const bool runs = running_.owns_lock();
        if (runs) {
            running_.unlock();
        }
        struct resume {
            std::unique_lock<std::mutex> *running;
            ~resume() {
                if (running) {
                    running->lock();
                }
            }
        } resume{runs ? &running_ : nullptr};
        return between_runs(calls);
    }

    void rsx_thread() {
        stream::noise lengths;
        std::uint32_t seen = ~0u;
        while (!stop_) {
            const std::uint32_t put = memory_.load(CONTROL + PUT);
            if (put == seen || wanted_ != 0) {
                std::this_thread::yield();
                continue;
            }
            std::lock_guard lock(machine_);
            // A recording has what memory holds when a run begins: the program pauses meanwhile.
            std::unique_lock pause(program_runs_, std::defer_lock);
            if (!plan_.recording.empty()) {
                pause.lock();
            }
            const std::uint64_t words = plan_.cut == 0 ? UINT64_MAX : 1 + lengths.below(plan_.cut);
            const auto end = gpu_->device().run_for({UINT64_MAX, words});
            const bool all = end.kind == TRIGLYPH_RUN_END_DONE;
            EXPECT(all || end.kind == TRIGLYPH_RUN_END_BUDGET_USED || end.kind == TRIGLYPH_RUN_END_INTERRUPTED);
            seen = all ? put : ~0u;
            cuts_ += !all;
            if (plan_.save_at != 0 && saves_ == 0 && submitted_ >= plan_.save_at && (plan_.cut == 0 || !all)) {
                save_and_load();
            }
        }
    }

    /// As often as the screen shows a frame, or more often: what is drawn does not depend on it.
    void vblank_thread() {
        for (std::uint64_t time = 0; !stop_; time += 79800) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            between_runs([&] { gpu_->vblank(1, time); });
            blanks_++;
        }
    }

    std::array<std::uint64_t, 5> hypercall(std::uint32_t number, const std::array<std::uint64_t, 8> &arguments) {
        const auto answer = call([&] { return gpu_->hypercall(number, arguments); });
        EXPECT(answer.result == TRIGLYPH_RSX_RESULT_SUCCESS);
        hypercalls_++;
        return answer.value;
    }

    /* ---- the program ---- */

    void initialize() {
        const auto local = hypercall(MEMORY_ALLOCATE, {LOCAL_SIZE, 8, 0x300000, 15, 8});
        const auto context = hypercall(CONTEXT_ALLOCATE, {local[0], TRIGLYPH_RSX_CONTEXT_MAIN_REPORTS});
        context_ = context[0];
        EXPECT(context[1] == TRIGLYPH_RSX_CONTROL_PAGE && context[2] == TRIGLYPH_RSX_DRIVER_INFO);
        hypercall(CONTEXT_IOMAP,
                  {context_, 0, IO_MEMORY, IO_SIZE, TRIGLYPH_RSX_IOMAP_READ | TRIGLYPH_RSX_IOMAP_WRITE});
        hypercall(CONTEXT_ATTRIBUTE, {context_, 0x101, 1, 2, 0, 0}); // flips wait for vertical blanks
        hypercall(CONTEXT_ATTRIBUTE, {context_, 0x001, RING, RING, 0, 0});
    }

    void program() {
        running_ = std::unique_lock(program_runs_);
        for (const stream::record &record : plan_.records) {
            if (stop_) {
                return;
            }
            switch (record.kind) {
            case stream::MAP:
                EXPECT(record.range.address + record.range.size <= STREAM_SIZE);
                break;
            case stream::MEM:
                // The program has waited for the report of what reads this memory.
                std::memcpy(memory_.at((record.range.space == TRIGLYPH_RSX_SPACE_LOCAL ? LOCAL : IO_MEMORY) +
                                       record.range.address),
                            record.bytes.data(), record.bytes.size());
                break;
            case stream::SUBMIT:
                for (std::size_t at = 1; at < record.bytes.size() / 8; at += 2) {
                    submit(std::uint32_t(record.long_word(at)), std::uint32_t(record.long_word(at + 1)));
                }
                break;
            default:
                show(record);
            }
        }
    }

    /// Puts packets of the IO space into the ring, then a report and a reference value, and waits for both.
    void submit(std::uint32_t from, std::uint32_t bytes) {
        for (std::uint32_t at = 0; at < bytes;) {
            const std::uint32_t words = 1 + (memory_.load(IO_MEMORY + from + at) >> 18 & 0x7FF);
            reserve(words);
            for (std::uint32_t word = 0; word < words; word++, at += 4) {
                put(memory_.load(IO_MEMORY + from + at));
            }
            EXPECT(at <= bytes);
        }
        const std::uint32_t number = std::uint32_t(++submitted_), report = 16 * (number % 2048);
        const std::uint64_t place = REPORTS + FIRST_REPORT + report;
        memory_.store(place + 12, ~0u);
        reserve(4);
        put(GET_REPORT);
        put(1 << 24 | report);
        put(SET_REFERENCE);
        put(number);
        flush();
        poll([&] { return memory_.load(CONTROL + REFERENCE) == number; });
        poll([&] { return memory_.load(place + 12) == 0; });
        reports_++;
    }

    /// Makes room for a packet: at its end, the ring starts again at its beginning once all of it was fetched.
    void reserve(std::uint32_t words) {
        EXPECT(4 * words + 4 <= RING_SIZE);
        if (end_ + 4 * words + 4 > RING + RING_SIZE) {
            flush();
            put(0x20000000 | RING);
            end_ = RING;
            flush();
            wraps_++;
        }
    }

    void flush() {
        memory_.store(CONTROL + PUT, end_);
        poll([&] { return memory_.load(CONTROL + GET) == end_; });
    }

    void put(std::uint32_t word) {
        memory_.store(IO_MEMORY + end_, word);
        end_ += 4;
    }

    template <class Reached>
    void poll(Reached reached) {
        while (!reached() && !stop_) {
            running_.unlock();
            std::this_thread::yield();
            running_.lock();
        }
    }

    /// Flips to the picture, waits until the head shows it, and looks at the window.
    void show(const stream::record &record) {
        const triglyph_present &picture = record.picture;
        const std::uint64_t id = shown_ % 8, size = std::uint64_t(picture.width) << 32 | picture.height;
        hypercall(CONTEXT_ATTRIBUTE,
                  {context_, 0x104, id, size, std::uint64_t(picture.pitch) << 32 | picture.address, 0});
        hypercall(CONTEXT_ATTRIBUTE, {context_, 0x10A, 1, ~FLIPPED, 0, 0});
        hypercall(CONTEXT_ATTRIBUTE, {context_, 0x102, 1, id, 0, 0});
        poll([&] { return (memory_.load(DRIVER_INFO + HEAD_1_FLAGS) & FLIPPED) != 0; });
        call([&] { look(picture); });
        shown_++;
    }

    void look(const triglyph_present &picture) {
        const std::size_t bytes = std::size_t(4) * picture.width * picture.height;
        std::uint32_t width = 0, height = 0;
        triglyph::check(triglyph_rsx_head_size(gpu_->get(), 1, &width, &height));
        EXPECT(width == picture.width && height == picture.height);
        std::vector<std::uint8_t> window(bytes);
        const triglyph::rows rows(window, std::size_t(4) * width, TRIGLYPH_HOST_FORMAT_RGBA8, width, height);
        triglyph_shown shown = triglyph::sized<triglyph_shown>();
        triglyph::check(triglyph_rsx_present_head(gpu_->get(), 1, &rows, nullptr, &shown));
        EXPECT(shown.kind == TRIGLYPH_SHOWN_KIND_WHOLE);
        // Screens have no alpha, pictures in memory do.
        const triglyph::picture stored = gpu_->device().read_picture(picture, true);
        for (std::size_t at = 0; at < bytes; at++) {
            EXPECT(window[at] == (at % 4 == 3 ? 255 : stored.rgba()[at]));
        }
        pictures_.add(stored.rgba());
        triglyph::check(triglyph_record_present(device(), &picture, true));
    }

    stream::plan plan_;
    stream::pictures pictures_;
    guest_memory memory_;
    std::unique_ptr<triglyph::rsx> gpu_;
    std::unique_ptr<stream::interrupting> interrupting_;
    /// Who has the machine; whether the program runs, and does not wait for something.
    std::mutex machine_, program_runs_, failing_;
    std::unique_lock<std::mutex> running_;
    std::string failed_;
    std::atomic<bool> stop_ = false;
    std::atomic<int> wanted_ = 0;
    std::atomic<std::uint64_t> submitted_ = 0, flips_ = 0, blanks_ = 0, saves_ = 0, port_ = 0;
    std::uint64_t context_ = 0, hypercalls_ = 0, reports_ = 0, shown_ = 0, cuts_ = 0, wraps_ = 0;
    std::uint32_t end_ = RING;
};

} // namespace

int main(int argc, char **argv) {
    return stream::run<host>(argc, argv);
}
