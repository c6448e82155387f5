// The console around both hosts of the Switch: requests of its driver, service threads, buffers that the GPU sees, the
// sizes of its display.
//
// Source of the requests: libnx, nv.

#ifndef CONSOLE_SWITCH_HPP
#define CONSOLE_SWITCH_HPP

#include <algorithm>
#include <array>
#include <condition_variable>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <queue>

#include "stream.hpp"

namespace nx {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

/// The process's memory by its own addresses.
constexpr u64 PROCESS = 0x2100000000;
/// GPU addresses: the program allocates the space in which the stream has its buffers, and maps them where they were.
constexpr u64 GPU_SPACE = 0x100000000, GPU_SPACE_SIZE = 0x10000000, PAGE = 0x1000;
constexpr u32 GPFIFO_ENTRIES = 0x800;
/// Memory of a handle: its kind, and that the processor caches it.
constexpr std::uint8_t PITCH_KIND = 0xFE;
constexpr std::chrono::seconds LONG{60};

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
        send([&task] { task(); });
        return answer.get();
    }
    /// Has the thread do something, later.
    void send(std::function<void()> request) {
        {
            std::lock_guard lock(mutex_);
            requests_.push(std::move(request));
        }
        changed_.notify_one();
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

/// A buffer of the guest's memory: where the GPU and the process have it, and the host.
struct mapping {
    u64 gpu, process;
    triglyph::view<std::uint8_t> memory;
};

/// The buffers of a program.
class buffers {
public:
    void add(const mapping &made) { all_.push_back(made); }
    auto begin() const { return all_.begin(); }
    auto end() const { return all_.end(); }
    const mapping &at(u64 gpu, std::size_t size) const {
        for (const mapping &mapping : all_) {
            if (gpu >= mapping.gpu && gpu + size <= mapping.gpu + mapping.memory.size()) {
                return mapping;
            }
        }
        throw std::runtime_error("the stream stores where nothing is mapped");
    }
    /// What memory holds, which a state has beside the machine's.
    std::vector<std::vector<std::uint8_t>> held() const {
        std::vector<std::vector<std::uint8_t>> held;
        for (const mapping &mapping : all_) {
            held.emplace_back(mapping.memory.begin(), mapping.memory.end());
        }
        return held;
    }
    /// Memory holds something else, as after another program.
    void scribble() const {
        for (const mapping &mapping : all_) {
            std::memset(mapping.memory.data(), 0xCD, mapping.memory.size());
        }
    }
    void put_back(const std::vector<std::vector<std::uint8_t>> &held) const {
        for (std::size_t at = 0; at < held.size(); at++) {
            std::memcpy(all_[at].memory.data(), held[at].data(), held[at].size());
        }
    }
    /// A recorded picture by the process's address of its memory.
    triglyph_present in_process(const stream::record &record) const {
        triglyph_present picture = record.picture;
        const mapping &mapping = at(picture.address, 1);
        picture.space = TRIGLYPH_TEGRA_SPACE_PROCESS;
        picture.address = mapping.process + (picture.address - mapping.gpu);
        return picture;
    }

private:
    std::vector<mapping> all_;
};

/// The entries of a submission.
inline std::vector<u64> entries_of(const stream::record &record) {
    std::vector<u64> entries;
    for (std::size_t at = 1; at < record.bytes.size() / 8; at++) {
        entries.push_back(record.long_word(at));
    }
    return entries;
}

/// What the display is like: the console's own in the hand, a television in the dock.
struct mode {
    u32 width, height;
};
constexpr mode HANDHELD{1280, 720}, DOCKED{1920, 1080};

/// Shows a picture as it is, whose pixels it returns, and in a window of each mode: the same pixels, nearest ones.
/// `present` stores a picture in rows of a size, cut or scaled.
template <class Present>
std::vector<std::uint8_t> compose(const triglyph_present &picture, Present present) {
    auto whole = present(picture.width, picture.height, TRIGLYPH_FIT_CUT);
    for (const mode &mode : {HANDHELD, DOCKED}) {
        const auto window = present(mode.width, mode.height, TRIGLYPH_FIT_SCALE);
        for (u32 y = 0; y < mode.height; y++) {
            for (u32 x = 0; x < mode.width; x++) {
                const u32 from_x = (2 * x + 1) * picture.width / (2 * mode.width);
                const u32 from_y = (2 * y + 1) * picture.height / (2 * mode.height);
                const std::size_t from = 4 * (std::size_t(from_y) * picture.width + from_x);
                const std::uint8_t *pixel = &window[4 * (std::size_t(y) * mode.width + x)];
                EXPECT(std::equal(pixel, pixel + 4, &whole[from]));
            }
        }
    }
    return whole;
}

/// Plays the records of a plan in their order, each kind by its function.
template <class Map, class Store, class Submit, class Show>
void play(const stream::plan &plan, Map map, Store store, Submit submit, Show show) {
    for (const stream::record &record : plan.records) {
        switch (record.kind) {
        case stream::MAP:
            map(record);
            break;
        case stream::MEM:
            store(record);
            break;
        case stream::SUBMIT:
            submit(record);
            break;
        default:
            show(record);
        }
    }
}

inline unsigned long long count(u64 value) { return value; }

} // namespace nx

#endif // CONSOLE_SWITCH_HPP
