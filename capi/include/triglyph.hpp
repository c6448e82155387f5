// Triglyph: the GPUs of three consoles as a library. The C++17 interface, over triglyph.h.
//
// Handles destroy themselves, statuses that are not OK are exceptions, arrays are views. Nothing else is added: every
// call of triglyph.h can be made with a handle's get(), and triglyph::check() around it.

#ifndef TRIGLYPH_HPP
#define TRIGLYPH_HPP

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "triglyph.h"

namespace triglyph {

/// A status that is not OK, with what triglyph_last_error() said.
class error : public std::runtime_error {
public:
    error(triglyph_status status, const std::string &what) : std::runtime_error(what), status_(status) {}
    triglyph_status status() const noexcept { return status_; }

private:
    triglyph_status status_;
};

/// Throws unless a call succeeded.
inline void check(triglyph_status status) {
    if (status != TRIGLYPH_STATUS_OK) {
        throw error(status, std::string(triglyph_status_name(status)) + ": " + triglyph_last_error());
    }
}

/// Throws unless the library that is linked has this header's interface.
inline void check_version() {
    if (triglyph_abi_version() != TRIGLYPH_ABI_VERSION) {
        throw error(TRIGLYPH_STATUS_UNSUPPORTED, "libtriglyph has another interface than triglyph.hpp");
    }
}

/// An array of somebody else's.
template <class T>
class view {
public:
    constexpr view() noexcept = default;
    constexpr view(T *data, std::size_t size) noexcept : data_(data), size_(size) {}
    template <std::size_t N>
    constexpr view(T (&array)[N]) noexcept : data_(array), size_(N) {}
    template <class Container, class = decltype(std::declval<Container &>().data())>
    constexpr view(Container &container) noexcept : data_(container.data()), size_(container.size()) {}

    constexpr T *data() const noexcept { return data_; }
    constexpr std::size_t size() const noexcept { return size_; }
    constexpr std::size_t size_bytes() const noexcept { return size_ * sizeof(T); }
    constexpr bool empty() const noexcept { return size_ == 0; }
    constexpr T *begin() const noexcept { return data_; }
    constexpr T *end() const noexcept { return data_ + size_; }
    constexpr T &operator[](std::size_t at) const noexcept { return data_[at]; }

private:
    T *data_ = nullptr;
    std::size_t size_ = 0;
};

/// Where something is in guest memory.
struct address {
    std::uint32_t space;
    std::uint64_t at;
};

/// What a call of a console's system came to: the guest's result, and what it returned if that is a success.
template <class Result, class Value>
struct answer {
    Result result;
    Value value;
    explicit operator bool() const noexcept { return result == 0; }
};

/// A handle with an owner.
template <class Handle, triglyph_status (*Destroy)(Handle *)>
class owned {
public:
    owned() noexcept = default;
    explicit owned(Handle *handle) noexcept : handle_(handle) {}
    Handle *get() const noexcept { return handle_.get(); }
    explicit operator bool() const noexcept { return handle_ != nullptr; }

private:
    struct destroy {
        void operator()(Handle *handle) const noexcept { Destroy(handle); }
    };
    std::unique_ptr<Handle, destroy> handle_;
};

/// Bytes of the library's: a snapshot, a PNG file.
class buffer : public owned<triglyph_buffer, triglyph_buffer_destroy> {
public:
    using owned::owned;
    view<const std::uint8_t> bytes() const {
        const std::uint8_t *data = nullptr;
        std::size_t size = 0;
        check(triglyph_buffer_bytes(get(), &data, &size));
        return {data, size};
    }
};

/// A picture: RGBA, 8 bits a channel, top row first.
class picture : public owned<triglyph_picture, triglyph_picture_destroy> {
public:
    using owned::owned;
    std::uint32_t width() const {
        std::uint32_t width = 0;
        check(triglyph_picture_pixels(get(), &width, nullptr, nullptr));
        return width;
    }
    std::uint32_t height() const {
        std::uint32_t height = 0;
        check(triglyph_picture_pixels(get(), nullptr, &height, nullptr));
        return height;
    }
    view<const std::uint8_t> rgba() const {
        std::uint32_t width = 0, height = 0;
        const std::uint8_t *rgba = nullptr;
        check(triglyph_picture_pixels(get(), &width, &height, &rgba));
        return {rgba, std::size_t(4) * width * height};
    }
    buffer png(bool alpha) const {
        triglyph_buffer *png = nullptr;
        check(triglyph_picture_png(get(), alpha, &png));
        return buffer(png);
    }
};

/// Completed work of a device, for all threads.
class timeline : public owned<triglyph_timeline, triglyph_timeline_destroy> {
public:
    using owned::owned;
    std::uint64_t submitted() const {
        std::uint64_t submitted = 0;
        check(triglyph_timeline_counts(get(), &submitted, nullptr));
        return submitted;
    }
    std::uint64_t completed() const {
        std::uint64_t completed = 0;
        check(triglyph_timeline_counts(get(), nullptr, &completed));
        return completed;
    }
    bool wait(std::uint64_t number, std::chrono::nanoseconds timeout) const {
        bool complete = false;
        check(triglyph_timeline_wait(get(), number, std::uint64_t(timeout.count()), &complete));
        return complete;
    }
    std::uint64_t events() const {
        std::uint64_t events = 0;
        check(triglyph_timeline_events(get(), &events));
        return events;
    }
    std::uint64_t wait_event(std::uint64_t seen, std::chrono::nanoseconds timeout) const {
        std::uint64_t events = 0;
        check(triglyph_timeline_wait_event(get(), seen, std::uint64_t(timeout.count()), &events));
        return events;
    }
    bool wait_fence(std::uint32_t number, std::uint32_t value, std::chrono::nanoseconds timeout) const {
        bool reached = false;
        check(triglyph_timeline_wait_fence(get(), number, value, std::uint64_t(timeout.count()), &reached));
        return reached;
    }
};

/// Ends the bounded runs of a device, from any thread.
class interrupter : public owned<triglyph_interrupter, triglyph_interrupter_destroy> {
public:
    using owned::owned;
    void interrupt() const { check(triglyph_interrupt(get())); }
};

/// What was presented to some rows last.
class presented : public owned<triglyph_presented, triglyph_presented_destroy> {
public:
    using owned::owned;
    presented() : owned(make()) {}

private:
    static triglyph_presented *make() {
        triglyph_presented *presented = nullptr;
        check(triglyph_presented_create(&presented));
        return presented;
    }
};

/// Why a bounded run returned, and what is waited for.
struct run_end {
    std::uint32_t kind = TRIGLYPH_RUN_END_UNKNOWN;
    triglyph_waiting waiting{};
};

/// Options with the defaults filled in.
struct options : triglyph_options {
    options() : triglyph_options{} {
        size = sizeof(triglyph_options);
        check(triglyph_options_init(this));
    }
};

/// What all machines have. Does not own its device: a machine does, or a `device`.
class device_view {
public:
    explicit device_view(triglyph_device *device) noexcept : device_(device) {}
    triglyph_device *get() const noexcept { return device_; }

    void map(address at, std::uint64_t size, std::uint32_t access = TRIGLYPH_ACCESS_READ_WRITE) const {
        check(triglyph_map(device_, at.space, at.at, size, access));
    }
    void map_host(address at, view<std::uint8_t> bytes, std::uint32_t access = TRIGLYPH_ACCESS_READ_WRITE) const {
        check(triglyph_map_host(device_, at.space, at.at, bytes.size(), bytes.data(), access));
    }
    void unmap(address at, std::uint64_t size) const { check(triglyph_unmap(device_, at.space, at.at, size)); }
    template <class T>
    void read(address at, view<T> to) const {
        check(triglyph_read(device_, at.space, at.at, to.data(), to.size_bytes()));
    }
    template <class T>
    void write(address at, view<T> from) const {
        check(triglyph_write(device_, at.space, at.at, from.data(), from.size_bytes()));
    }
    void submit(view<const std::uint8_t> payload) const {
        check(triglyph_submit(device_, payload.data(), payload.size()));
    }
    void finish() const { check(triglyph_finish(device_)); }

    std::vector<triglyph_event> take_events() const { return take<triglyph_event>(triglyph_take_events); }
    std::vector<triglyph_range> take_written() const { return take<triglyph_range>(triglyph_take_written); }

    std::uint64_t faults(triglyph_fault_kind kind) const {
        std::uint64_t count = 0;
        check(triglyph_fault_count(device_, std::uint32_t(kind), &count));
        return count;
    }
    /// Texts of the first faults.
    std::vector<std::string> fault_texts() const {
        std::vector<std::string> texts;
        for (std::size_t at = 0;; at++) {
            triglyph_fault fault{};
            bool found = false;
            check(triglyph_fault_get(device_, at, &fault, &found));
            if (!found) {
                return texts;
            }
            texts.emplace_back(fault.what);
        }
    }
    triglyph_stats stats() const {
        triglyph_stats stats{};
        stats.size = sizeof stats;
        check(triglyph_get_stats(device_, &stats));
        return stats;
    }
    buffer snapshot(std::uint32_t flags = 0) const {
        triglyph_buffer *snapshot = nullptr;
        check(triglyph_snapshot(device_, flags, &snapshot));
        return buffer(snapshot);
    }
    void restore(view<const std::uint8_t> snapshot) const {
        check(triglyph_restore(device_, snapshot.data(), snapshot.size()));
    }
    triglyph::timeline timeline() const {
        triglyph_timeline *timeline = nullptr;
        check(triglyph_timeline_of(device_, &timeline));
        return triglyph::timeline(timeline);
    }
    triglyph::interrupter interrupter() const {
        triglyph_interrupter *interrupter = nullptr;
        check(triglyph_interrupter_of(device_, &interrupter));
        return triglyph::interrupter(interrupter);
    }
    void set_deferred(bool deferred) const { check(triglyph_set_deferred(device_, deferred)); }
    run_end run_for(const triglyph_run_limit &limit) const {
        run_end end;
        check(triglyph_run_for(device_, &limit, &end.kind, &end.waiting));
        return end;
    }
    bool present(const triglyph_present &present, bool big_endian, const triglyph_rows &rows,
                 const triglyph::presented &presented) const {
        bool changed = false;
        check(triglyph_present_picture(device_, &present, big_endian, &rows, presented.get(), &changed));
        return changed;
    }
    picture read_picture(const triglyph_present &present, bool big_endian = false) const {
        triglyph_picture *picture = nullptr;
        check(triglyph_picture_read(device_, &present, big_endian, &picture));
        return triglyph::picture(picture);
    }

private:
    template <class T>
    std::vector<T> take(triglyph_status (*call)(triglyph_device *, T *, std::size_t, std::size_t *)) const {
        std::vector<T> all;
        for (;;) {
            std::array<T, 64> some;
            std::size_t count = 0;
            check(call(device_, some.data(), some.size(), &count));
            all.insert(all.end(), some.begin(), some.begin() + count);
            if (count < some.size()) {
                return all;
            }
        }
    }
    triglyph_device *device_;
};

/// Options of a worker with the defaults filled in.
struct worker_options : triglyph_worker_options {
    worker_options() : triglyph_worker_options{} {
        size = sizeof(triglyph_worker_options);
        check(triglyph_worker_options_init(this));
    }
};

/// A device on a thread of its own. Any number of threads may use it; destroying it gives the device back.
class worker : public owned<triglyph_worker, triglyph_worker_destroy> {
public:
    explicit worker(device_view device, const triglyph_worker_options &options = triglyph::worker_options()) {
        triglyph_worker *worker = nullptr;
        check(triglyph_worker_create(device.get(), &options, &worker));
        static_cast<owned &>(*this) = owned(worker);
    }

    /// Has the thread call a function, after those that were sent before. Waits while the queue is full. Returns the
    /// number of the command. The function must not throw.
    template <class Function>
    std::uint64_t send(Function function) const {
        auto kept = std::make_unique<Function>(std::move(function));
        auto call = [](void *user_data) noexcept {
            (*std::unique_ptr<Function>(static_cast<Function *>(user_data)))();
        };
        std::uint64_t number = 0;
        check(triglyph_worker_send(get(), call, kept.get(), &number));
        kept.release();
        return number;
    }

    /// Has the thread call a function, and returns what it returns or throws what it throws.
    template <class Function>
    auto call(Function &&function) const -> decltype(function()) {
        std::packaged_task<decltype(function())()> task(std::ref(function));
        auto run = [](void *user_data) noexcept { (*static_cast<decltype(task) *>(user_data))(); };
        check(triglyph_worker_call(get(), run, &task));
        return task.get_future().get();
    }

    /// Has channels that wait look at memory again.
    void wake() const { check(triglyph_worker_wake(get())); }
    /// Whether a command was executed in time.
    bool wait(std::uint64_t number, std::chrono::nanoseconds timeout) const {
        bool executed = false;
        check(triglyph_worker_wait(get(), number, std::uint64_t(timeout.count()), &executed));
        return executed;
    }
    /// Waits until nothing can go on. The kind is TRIGLYPH_RUN_END_UNKNOWN if that takes longer.
    run_end wait_idle(std::chrono::nanoseconds timeout) const {
        run_end end;
        check(triglyph_worker_wait_idle(get(), std::uint64_t(timeout.count()), nullptr, &end.kind, &end.waiting));
        return end;
    }
    triglyph::timeline timeline() const {
        triglyph_timeline *timeline = nullptr;
        check(triglyph_worker_timeline(get(), &timeline));
        return triglyph::timeline(timeline);
    }
};

/// A machine of which only what all machines have is used.
class device : public owned<triglyph_device, triglyph_device_destroy> {
public:
    explicit device(std::uint32_t machine, const triglyph_options &options = triglyph::options()) {
        triglyph_device *device = nullptr;
        check(triglyph_device_create(machine, &options, &device));
        static_cast<owned &>(*this) = owned(device);
    }
    device_view operator*() const { return device_view(get()); }
};

/// A machine of its own type, and whom it tells of faults, events and lines of the log.
template <class Handle, triglyph_status (*Create)(const triglyph_options *, Handle **),
          triglyph_status (*Destroy)(Handle *), triglyph_device *(*Device)(Handle *)>
class machine : public owned<Handle, Destroy> {
public:
    explicit machine(const triglyph_options &options = triglyph::options()) {
        Handle *handle = nullptr;
        check(Create(&options, &handle));
        static_cast<owned<Handle, Destroy> &>(*this) = owned<Handle, Destroy>(handle);
    }
    machine(machine &&) noexcept = default;
    machine &operator=(machine &&) noexcept = default;
    /// The compiler's thread, which may have a line for the log, ends before the handlers do.
    ~machine() { static_cast<owned<Handle, Destroy> &>(*this) = owned<Handle, Destroy>(); }
    device_view device() const { return device_view(Device(this->get())); }

    /// Has `handler` called with each fault as it happens. It must not throw.
    void on_fault(std::function<void(const triglyph_fault &)> handler) {
        set(triglyph_set_fault_callback, on_fault_, std::move(handler));
    }

    /// Has `handler` called with each event, before the call in which it happens returns. It must not throw.
    void on_event(std::function<void(const triglyph_event &)> handler) {
        set(triglyph_set_event_callback, on_event_, std::move(handler));
    }

    /// Has `handler` called with each line for the log, on this thread or the compiler's. It must not throw, nor call
    /// the device.
    void on_log(std::function<void(triglyph_log_level, const char *)> handler) {
        auto next = std::make_unique<log_handler>(std::move(handler));
        auto call = [](void *user_data, std::uint32_t level, const char *line) noexcept {
            (*static_cast<log_handler *>(user_data))(triglyph_log_level(level), line);
        };
        check(triglyph_set_log_callback(device().get(), *next ? +call : nullptr, next.get()));
        on_log_ = std::move(next);
    }

private:
    using log_handler = std::function<void(triglyph_log_level, const char *)>;
    template <class T>
    using kept = std::unique_ptr<std::function<void(const T &)>>;

    template <class T>
    void set(triglyph_status (*set)(triglyph_device *, void (*)(void *, const T *), void *), kept<T> &current,
             std::function<void(const T &)> handler) {
        auto next = std::make_unique<std::function<void(const T &)>>(std::move(handler));
        auto call = [](void *user_data, const T *value) noexcept {
            (*static_cast<std::function<void(const T &)> *>(user_data))(*value);
        };
        check(set(device().get(), *next ? +call : nullptr, next.get()));
        current = std::move(next);
    }
    kept<triglyph_fault> on_fault_;
    kept<triglyph_event> on_event_;
    std::unique_ptr<log_handler> on_log_;
};

/// A Nintendo 3DS.
class n3ds : public machine<triglyph_n3ds, triglyph_n3ds_create, triglyph_n3ds_destroy, triglyph_n3ds_device> {
public:
    using machine::machine;
    // The calls of its tables, made of their rows; do not edit.
    // Calls without a row:
    triglyph_n3ds_executed execute(const std::array<std::uint32_t, 8> &words) const {
        triglyph_n3ds_executed executed{};
        check(triglyph_n3ds_execute(get(), words.data(), &executed));
        return executed;
    }
    /// As execute, for a session that may not have the rendering right.
    triglyph_n3ds_executed execute_for(std::uint32_t session, const std::array<std::uint32_t, 8> &words) const {
        triglyph_n3ds_executed executed{};
        check(triglyph_n3ds_execute_for(get(), session, words.data(), &executed));
        return executed;
    }
    /// Delivers an interrupt. Bit n says that the host is to signal the event of client n, here and below.
    std::uint32_t deliver(triglyph_n3ds_interrupt interrupt) const {
        std::uint32_t clients = 0;
        check(triglyph_n3ds_deliver(get(), std::uint32_t(interrupt), &clients));
        return clients;
    }
    /// Delivers everything that has completed.
    std::uint32_t auto_deliver() const {
        std::uint32_t clients = 0;
        check(triglyph_n3ds_auto_deliver(get(), &clients));
        return clients;
    }
    /// A screen has shown a frame.
    std::uint32_t vblank(triglyph_n3ds_screen screen) const {
        std::uint32_t clients = 0;
        check(triglyph_n3ds_vblank(get(), std::uint32_t(screen), &clients));
        return clients;
    }
    /// Sets what each submission may cost, in units of fuel.
    void set_fuel(std::uint64_t fuel) const { check(triglyph_n3ds_set_fuel(get(), fuel)); }
};

/// A PlayStation 3.
class rsx : public machine<triglyph_rsx, triglyph_rsx_create, triglyph_rsx_destroy, triglyph_rsx_device> {
public:
    using machine::machine;
    // The calls of its tables, made of their rows; do not edit.
    // Calls without a row:
    /// Where an address of the hypervisor's is in guest memory; throws where nothing is.
    address lpar(std::uint64_t lpar) const {
        address at{};
        bool found = false;
        check(triglyph_rsx_lpar(get(), lpar, &at.space, &at.at, &found));
        if (!found) {
            throw error(TRIGLYPH_STATUS_UNMAPPED, "an address of nothing");
        }
        return at;
    }
};

/// A Tegra X1.
class tegra : public machine<triglyph_tegra, triglyph_tegra_create, triglyph_tegra_destroy, triglyph_tegra_device> {
public:
    using machine::machine;
    // The calls of its tables, made of their rows; do not edit.
    // Calls without a row:
    /// Opens a device of the service by its path.
    answer<std::uint32_t, std::uint32_t> nvdrv_open(const std::string &path) const {
        answer<std::uint32_t, std::uint32_t> got{};
        check(triglyph_tegra_nvdrv_open(get(), path.c_str(), &got.value, &got.result));
        return got;
    }
    /// Ioctl, Ioctl2 with `inline_in`, Ioctl3 with `inline_out`.
    std::uint32_t nvdrv_ioctl(std::uint32_t file, std::uint32_t request, view<std::uint8_t> buffer,
                              view<const std::uint8_t> inline_in = {}, view<std::uint8_t> inline_out = {}) const {
        std::uint32_t result = 0;
        check(triglyph_tegra_nvdrv_ioctl(get(), file, request, buffer.data(), buffer.size(), inline_in.data(),
                                         inline_in.size(), inline_out.data(), inline_out.size(), &result));
        return result;
    }
    std::uint32_t nvdrv_close(std::uint32_t file) const {
        std::uint32_t result = 0;
        check(triglyph_tegra_nvdrv_close(get(), file, &result));
        return result;
    }
    /// The slot of the event that QueryEvent asks for.
    answer<std::uint32_t, std::uint32_t> nvdrv_query_event(std::uint32_t file, std::uint32_t event) const {
        answer<std::uint32_t, std::uint32_t> got{};
        check(triglyph_tegra_nvdrv_query_event(get(), file, event, &got.value, &got.result));
        return got;
    }
};

/// A capture.
class capture : public owned<triglyph_capture, triglyph_capture_destroy> {
public:
    explicit capture(const std::string &path) {
        triglyph_capture *capture = nullptr;
        check(triglyph_capture_open(path.c_str(), &capture));
        static_cast<owned &>(*this) = owned(capture);
    }
    /// Which `triglyph_machine` it is for.
    std::uint32_t machine() const {
        std::uint32_t machine = 0;
        check(triglyph_capture_header(get(), &machine, nullptr));
        return machine;
    }
};

/// One run through a capture.
class player : public owned<triglyph_player, triglyph_player_destroy> {
public:
    player(const capture &capture, std::uint32_t checks) {
        triglyph_player *player = nullptr;
        check(triglyph_player_create(capture.get(), checks, &player));
        static_cast<owned &>(*this) = owned(player);
    }
    triglyph_play_event next(device_view device) const {
        triglyph_play_event event{};
        check(triglyph_player_next(get(), device.get(), &event));
        return event;
    }
    picture take_picture() const {
        triglyph_picture *picture = nullptr;
        check(triglyph_player_take_picture(get(), &picture));
        return triglyph::picture(picture);
    }
};

} // namespace triglyph

#endif // TRIGLYPH_HPP
