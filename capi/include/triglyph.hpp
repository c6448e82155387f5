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

/// A structure that begins with its size, with that filled in and the rest 0.
template <class T>
T sized() {
    T value{};
    value.size = sizeof value;
    return value;
}

/// A view of an array, which it does not own.
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
    void interrupt() const { check(triglyph_interrupter_interrupt(get())); }
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
    triglyph_waiting waiting = sized<triglyph_waiting>();
};

/// Rows of the host's, top row first. A width of 0 is what the stride has room for, a height of 0 what the bytes have.
struct rows : triglyph_rows {
    rows(view<std::uint8_t> to, std::size_t bytes_of_a_row, triglyph_host_format with, std::uint32_t columns = 0,
         std::uint32_t lines = 0, triglyph_fit how = TRIGLYPH_FIT_CUT)
        : triglyph_rows{sizeof(triglyph_rows), std::uint32_t(with), to.data(), to.size(), bytes_of_a_row, columns,
                        lines, std::uint32_t(how), 0} {}
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

    std::vector<triglyph_event> take_events() const { return take(triglyph_take_events, sized<triglyph_event>()); }
    std::vector<triglyph_range> take_written() const { return take(triglyph_take_written, triglyph_range{}); }

    std::uint64_t faults(triglyph_fault_kind kind) const {
        std::uint64_t count = 0;
        check(triglyph_get_fault_count(device_, std::uint32_t(kind), &count));
        return count;
    }
    /// Texts of the first faults.
    std::vector<std::string> fault_texts() const {
        std::vector<std::string> texts;
        for (std::size_t at = 0;; at++) {
            triglyph_fault fault = sized<triglyph_fault>();
            bool found = false;
            check(triglyph_get_fault(device_, at, &fault, &found));
            if (!found) {
                return texts;
            }
            texts.emplace_back(fault.what);
        }
    }
    triglyph_stats stats() const {
        triglyph_stats stats = sized<triglyph_stats>();
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
        check(triglyph_get_timeline(device_, &timeline));
        return triglyph::timeline(timeline);
    }
    triglyph::interrupter interrupter() const {
        triglyph_interrupter *interrupter = nullptr;
        check(triglyph_get_interrupter(device_, &interrupter));
        return triglyph::interrupter(interrupter);
    }
    void set_deferred(bool deferred) const { check(triglyph_set_deferred(device_, deferred)); }
    run_end run_for(const triglyph_run_limit &limit) const {
        run_end end;
        check(triglyph_run_for(device_, &limit, &end.kind, &end.waiting));
        return end;
    }
    triglyph_shown present(triglyph_present present, bool big_endian, const triglyph_rows &rows,
                           const triglyph::presented &presented) const {
        present.size = sizeof present;
        triglyph_shown shown = sized<triglyph_shown>();
        check(triglyph_present_picture(device_, &present, big_endian, &rows, presented.get(), &shown));
        return shown;
    }
    picture read_picture(triglyph_present present, bool big_endian = false) const {
        present.size = sizeof present;
        triglyph_picture *picture = nullptr;
        check(triglyph_picture_read(device_, &present, big_endian, &picture));
        return triglyph::picture(picture);
    }

private:
    template <class T>
    std::vector<T> take(triglyph_status (*call)(triglyph_device *, T *, std::size_t, std::size_t *),
                        const T &first) const {
        std::vector<T> all;
        for (;;) {
            std::array<T, 64> some;
            some[0] = first;
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

    /// The same for a function that touches no other memory than some ranges, and defers no work.
    template <class Function>
    std::uint64_t send_touching(view<const triglyph_range> ranges, Function function) const {
        auto kept = std::make_unique<Function>(std::move(function));
        auto call = [](void *user_data) noexcept {
            (*std::unique_ptr<Function>(static_cast<Function *>(user_data)))();
        };
        std::uint64_t number = 0;
        check(triglyph_worker_send_touching(get(), call, kept.get(), ranges.data(), ranges.size(), &number));
        kept.release();
        return number;
    }
    /// Whether nothing that was sent can touch a range any more, in time.
    bool wait_range(const triglyph_range &range, std::chrono::nanoseconds timeout) const {
        bool free = false;
        check(triglyph_worker_wait_range(get(), &range, std::uint64_t(timeout.count()), &free));
        return free;
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
        check(triglyph_worker_get_timeline(get(), &timeline));
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

/// A machine of its own type, and whom it tells of faults, findings, events and lines of the log.
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

    /// Has `handler` called with each finding of a draw as it is executed. There are none unless `validate` is set in the
    /// options. It must not throw.
    void on_finding(std::function<void(const triglyph_finding &)> handler) {
        set(triglyph_set_finding_callback, on_finding_, std::move(handler));
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
    kept<triglyph_finding> on_finding_;
    kept<triglyph_event> on_event_;
    std::unique_ptr<log_handler> on_log_;
};

/// A Nintendo 3DS.
class n3ds : public machine<triglyph_n3ds, triglyph_n3ds_create, triglyph_n3ds_destroy, triglyph_n3ds_device> {
public:
    using machine::machine;
    // The calls of its tables, generated from their rows; do not edit.
    /// WriteHWRegs: consecutive registers from `offset`, counted from physical address 0x10000000. What finishes is
    /// queued for delivery.
    ///
    /// Results: `NO_RIGHT` without the rendering right; `BAD_OFFSET` for other registers; `BAD_SIZE` for more than 32
    /// words; `MISALIGNED_SIZE`.
    std::uint32_t write_registers(std::uint32_t session, std::uint32_t offset,
        view<const std::uint32_t> words) const {
        std::uint32_t got{};
        check(triglyph_n3ds_write_registers(get(), session, offset, words.data(), words.size(), &got));
        return got;
    }
    /// WriteHWRegsWithMask: as `triglyph_n3ds_write_registers`, but only the bits that are set in `masks`; words
    /// without a mask are not written.
    ///
    /// Results: as `triglyph_n3ds_write_registers`.
    std::uint32_t write_registers_with_mask(std::uint32_t session, std::uint32_t offset,
        view<const std::uint32_t> words, view<const std::uint32_t> masks) const {
        std::uint32_t got{};
        check(triglyph_n3ds_write_registers_with_mask(get(), session, offset, words.data(), masks.data(),
            std::min(words.size(), masks.size()), &got));
        return got;
    }
    /// WriteHWRegRepeat: all words into one register.
    ///
    /// Results: as `triglyph_n3ds_write_registers`.
    std::uint32_t write_register_repeat(std::uint32_t session, std::uint32_t offset,
        view<const std::uint32_t> words) const {
        std::uint32_t got{};
        check(triglyph_n3ds_write_register_repeat(get(), session, offset, words.data(), words.size(), &got));
        return got;
    }
    /// ReadHWRegs: consecutive registers into `words`.
    ///
    /// Results: as `triglyph_n3ds_write_registers`.
    std::uint32_t read_registers(std::uint32_t session, std::uint32_t offset, view<std::uint32_t> words) const {
        std::uint32_t got{};
        check(triglyph_n3ds_read_registers(get(), session, offset, words.data(), words.size(), &got));
        return got;
    }
    /// SetBufferSwap: shows a picture, for clients that draw without the GPU. It takes effect at once; the real GSP
    /// waits for the next VBlank when the beam is in the picture.
    ///
    /// Results: `NO_RIGHT` without the rendering right.
    std::uint32_t set_buffer_swap(std::uint32_t session, std::uint32_t screen,
        const triglyph_n3ds_framebuffer &framebuffer) const {
        std::uint32_t got{};
        check(triglyph_n3ds_set_buffer_swap(get(), session, screen, &framebuffer, &got));
        return got;
    }
    /// FlushDataCache and StoreDataCache: the processor wrote these bytes, at a virtual address. A hint, which any
    /// session may give.
    void flush_data_cache(std::uint32_t address, std::uint32_t size) const {
        check(triglyph_n3ds_flush_data_cache(get(), address, size));
    }
    /// SetLcdForceBlack: covers both screens with black, or uncovers them.
    void set_lcd_force_black(bool black) const {
        check(triglyph_n3ds_set_lcd_force_black(get(), black));
    }
    /// TriggerCmdReqQueue: executes what waits in the queue of the client with the rendering right, whichever client
    /// calls. Queues of the others wait, also when the right passes on: until the next trigger, or until a command of
    /// the new holder ends. Interrupts wait until the host delivers them.
    ///
    /// While submissions are deferred nothing happens: bounded runs execute the queue.
    void trigger() const {
        check(triglyph_n3ds_trigger(get()));
    }
    /// RegisterInterruptRelayQueue: makes a session a client; `event` is the handle that the host signals for it. Its
    /// relay queue is empty afterwards. A session that is a client already keeps its index; a new one finds its part of
    /// the page cleared (unverified; clients are known to empty their command queue themselves).
    ///
    /// Results: `RIGHT_TAKEN` when there are four others (the code is unverified).
    triglyph_n3ds_registration register_relay_queue(std::uint32_t session, std::uint32_t flags,
        std::uint32_t event) const {
        triglyph_n3ds_registration got{};
        check(triglyph_n3ds_register_relay_queue(get(), session, flags, event, &got));
        return got;
    }
    /// UnregisterInterruptRelayQueue: the session's place in the shared page is free again. It keeps the rendering
    /// right, but what waits in its queue is not executed, and completion interrupts are delivered to no client.
    void unregister_relay_queue(std::uint32_t session) const {
        check(triglyph_n3ds_unregister_relay_queue(get(), session));
    }
    /// TryAcquireRight: takes the rendering right if it is free.
    ///
    /// Results: `RIGHT_TAKEN` when another session has it.
    std::uint32_t try_acquire_right(std::uint32_t session) const {
        std::uint32_t got{};
        check(triglyph_n3ds_try_acquire_right(get(), session, &got));
        return got;
    }
    /// AcquireRight: takes the rendering right or waits for it; who waits is told later that it has it. The call's
    /// flag, which asks for extra initialisation, is the host's affair.
    std::uint32_t acquire_right(std::uint32_t session) const {
        std::uint32_t got{};
        check(triglyph_n3ds_acquire_right(get(), session, &got));
        return got;
    }
    /// ReleaseRight: gives the rendering right to the next who waits. Without effect for others than its holder.
    void release_right(std::uint32_t session) const {
        check(triglyph_n3ds_release_right(get(), session));
    }
    struct display_capture_info_values {
        triglyph_n3ds_capture_info top;
        triglyph_n3ds_capture_info bottom;
    };
    /// ImportDisplayCaptureInfo: what both screens show, or what the holder of the right has set for the next VBlank,
    /// which the real GSP loads when it is asked (Azahar #2273). Addresses are those that the client gave, where it
    /// did.
    display_capture_info_values display_capture_info() const {
        display_capture_info_values got{};
        check(triglyph_n3ds_display_capture_info(get(), &got.top, &got.bottom));
        return got;
    }
    /// SaveVramSysArea: copies what the screens show to where the system keeps it in VRAM. Requests to the service need
    /// flag 1 of the session's registration.
    void save_vram_area() const {
        check(triglyph_n3ds_save_vram_area(get()));
    }
    /// RestoreVramSysArea: copies it back; otherwise as `triglyph_n3ds_save_vram_area`.
    void restore_vram_area() const {
        check(triglyph_n3ds_restore_vram_area(get()));
    }
    /// Writes a register with all effects, by its offset in bytes from physical address 0x10000000: the GPU's begin at
    /// 0x400000, those that cover the screens are 0x202204 and 0x202A04. The answer says which unit finishes because of
    /// it; no interrupt is queued.
    triglyph_n3ds_executed write_register(std::uint32_t offset, std::uint32_t value) const {
        triglyph_n3ds_executed got{};
        check(triglyph_n3ds_write_register(get(), offset, value, &got));
        return got;
    }
    /// Reads a register, by its offset as in `triglyph_n3ds_write_register`. Recorded are the reads that change
    /// something.
    std::uint32_t read_register(std::uint32_t offset) const {
        std::uint32_t got{};
        check(triglyph_n3ds_read_register(get(), offset, &got));
        return got;
    }
    /// Copies bytes between physical addresses with the processors' DMA engine. The answer is how many ticks of the
    /// main processor that takes.
    std::uint64_t dma(std::uint32_t source, std::uint32_t target, std::uint32_t size) const {
        std::uint64_t got{};
        check(triglyph_n3ds_dma(get(), source, target, size, &got));
        return got;
    }
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
    /// The same with the command where the guest has it.
    triglyph_n3ds_executed execute_at(address at) const {
        triglyph_n3ds_executed executed{};
        check(triglyph_n3ds_execute_at(get(), at.space, at.at, &executed));
        return executed;
    }
    /// What a command will come to, for any thread.
    static triglyph_n3ds_forecast forecast(const std::array<std::uint32_t, 8> &words,
                                           triglyph_n3ds_bad_address bad = TRIGLYPH_N3DS_BAD_ADDRESS_ZERO) {
        triglyph_n3ds_forecast forecast{};
        check(triglyph_n3ds_get_forecast(words.data(), std::uint32_t(bad), &forecast));
        return forecast;
    }
    triglyph_shown present(triglyph_n3ds_screen screen, std::uint32_t eye, const triglyph_rows &rows,
                           const triglyph::presented &presented) const {
        triglyph_shown shown = sized<triglyph_shown>();
        check(triglyph_n3ds_present_screen(get(), std::uint32_t(screen), eye, &rows, presented.get(), &shown));
        return shown;
    }
};

/// A PlayStation 3.
class rsx : public machine<triglyph_rsx, triglyph_rsx_create, triglyph_rsx_destroy, triglyph_rsx_device> {
public:
    using machine::machine;
    // The calls of its tables, generated from their rows; do not edit.
    struct device_map_values {
        std::uint64_t lpar;
        std::uint64_t size;
    };
    /// `lv1_gpu_device_map`: the address of a device's page, and its bytes. Device 8 is a page of local memory; what
    /// the others hold is not documented, they read 0.
    ///
    /// Results: `TRIGLYPH_RSX_RESULT_ILLEGAL_PARAMETER_VALUE` for devices that cannot be mapped.
    answer<std::int64_t, device_map_values> device_map(std::uint64_t device) const {
        answer<std::int64_t, device_map_values> got{};
        check(triglyph_rsx_device_map(get(), device, &got.value.lpar, &got.value.size, &got.result));
        return got;
    }
    /// `lv1_gpu_device_unmap`.
    ///
    /// Results: `TRIGLYPH_RSX_RESULT_NO_ENTRY` for a device that is not mapped.
    std::int64_t device_unmap(std::uint64_t device) const {
        std::int64_t got{};
        check(triglyph_rsx_device_unmap(get(), device, &got));
        return got;
    }
    struct memory_allocate_values {
        std::uint32_t handle;
        std::uint64_t lpar;
    };
    /// `lv1_gpu_memory_allocate`: `size` bytes of local memory, a multiple of 1 MiB, and four limited resources. Memory
    /// that the host has not mapped is mapped. `resources` has 4 values.
    ///
    /// Results: `TRIGLYPH_RSX_RESULT_ILLEGAL_PARAMETER_VALUE` for sizes and resources beyond the limits,
    /// `TRIGLYPH_RSX_RESULT_RESOURCE_SHORTAGE` when there is not enough left.
    answer<std::int64_t, memory_allocate_values> memory_allocate(std::uint64_t size, const std::array<std::uint64_t,
        4> &resources) const {
        answer<std::int64_t, memory_allocate_values> got{};
        check(triglyph_rsx_memory_allocate(get(), size, resources.data(), &got.value.handle, &got.value.lpar,
            &got.result));
        return got;
    }
    /// `lv1_gpu_memory_free`.
    ///
    /// Results: `TRIGLYPH_RSX_RESULT_NO_ENTRY` for a handle without an allocation, `TRIGLYPH_RSX_RESULT_BUSY` while a
    /// context works on it.
    std::int64_t memory_free(std::uint32_t handle) const {
        std::int64_t got{};
        check(triglyph_rsx_memory_free(get(), handle, &got));
        return got;
    }
    /// `lv1_gpu_context_allocate`: a channel with its objects and pages. For `flags` see `TRIGLYPH_RSX_CONTEXT_*`.
    ///
    /// Results: `TRIGLYPH_RSX_RESULT_ILLEGAL_PARAMETER_VALUE` for an unknown memory handle;
    /// `TRIGLYPH_RSX_RESULT_RESOURCE_SHORTAGE` when there are three contexts (one in fast mode).
    answer<std::int64_t, triglyph_rsx_context> context_allocate(std::uint32_t memory, std::uint64_t flags) const {
        answer<std::int64_t, triglyph_rsx_context> got{};
        check(triglyph_rsx_context_allocate(get(), memory, flags, &got.value, &got.result));
        return got;
    }
    /// `lv1_gpu_context_free`.
    ///
    /// Results: `TRIGLYPH_RSX_RESULT_NO_ENTRY` for a handle without a context, as for all calls that take one.
    std::int64_t context_free(std::uint32_t context) const {
        std::int64_t got{};
        check(triglyph_rsx_context_free(get(), context, &got));
        return got;
    }
    /// `lv1_gpu_context_iomap`: `size` bytes of main memory at `lpar` appear at IO offset `io`; size 0 or address 0
    /// unmaps. Main memory is what the host has mapped in the space of main memory, by the same addresses. The GPU may
    /// write it with bit 63 of `flags`, read it with bit 62.
    ///
    /// Results: `TRIGLYPH_RSX_RESULT_ALIGNMENT_ERROR` unless all are multiples of 1 MiB (64 KiB with that flag);
    /// `TRIGLYPH_RSX_RESULT_ILLEGAL_PARAMETER_VALUE` beyond the IO space or where there is no main memory.
    std::int64_t context_iomap(std::uint32_t context, std::uint64_t io, std::uint64_t lpar, std::uint64_t size,
        std::uint64_t flags) const {
        std::int64_t got{};
        check(triglyph_rsx_context_iomap(get(), context, io, lpar, size, flags, &got));
        return got;
    }
    /// `lv1_gpu_context_attribute`: an operation with four parameters, such as 0x001, which sets GET and PUT; those of
    /// `Operation` in Rust. `parameters` has 4 values.
    ///
    /// Results: `TRIGLYPH_RSX_RESULT_NO_ENTRY` for an unknown operation or context;
    /// `TRIGLYPH_RSX_RESULT_ILLEGAL_PARAMETER_VALUE` for numbers beyond what there is;
    /// `TRIGLYPH_RSX_RESULT_WRONG_STATE` for frame-buffer copies without a frame buffer or while the channel is busy.
    std::int64_t context_attribute(std::uint32_t context, std::uint64_t operation, const std::array<std::uint64_t,
        4> &parameters) const {
        std::int64_t got{};
        check(triglyph_rsx_context_attribute(get(), context, operation, parameters.data(), &got));
        return got;
    }
    /// `lv1_gpu_context_intr`: the interrupts that have happened since the last call.
    ///
    /// Results: as `triglyph_rsx_context_free`.
    answer<std::int64_t, std::uint64_t> context_intr(std::uint32_t context) const {
        answer<std::int64_t, std::uint64_t> got{};
        check(triglyph_rsx_context_intr(get(), context, &got.value, &got.result));
        return got;
    }
    /// `lv1_gpu_attribute`: what its operations do is not documented; they succeed, as with RPCS3. `parameters` has 4
    /// values.
    ///
    /// Results: none so far.
    std::int64_t attribute(std::uint64_t operation, const std::array<std::uint64_t, 4> &parameters) const {
        std::int64_t got{};
        check(triglyph_rsx_attribute(get(), operation, parameters.data(), &got));
        return got;
    }
    /// A call by its number, for hosts that dispatch on r11: `arguments` are r3 and up. `arguments` has 8 values.
    /// `outputs` has room for five values, r4 to r8, or is null.
    answer<std::int64_t, std::array<std::uint64_t, 5>> hypercall(std::uint32_t number,
        const std::array<std::uint64_t, 8> &arguments) const {
        answer<std::int64_t, std::array<std::uint64_t, 5>> got{};
        check(triglyph_rsx_hypercall(get(), number, arguments.data(), got.value.data(), &got.result));
        return got;
    }
    /// Executes the commands of all channels: reads PUT of every context, and runs until all channels are idle, wait
    /// for a semaphore or are stopped. Then memory shows everything, and the control pages show GET and REF. To be
    /// called when the guest has written PUT, and when something has happened that a channel may wait for.
    ///
    /// A run that does not end is ended, with a fault; `triglyph_run_for` bounds it instead.
    void run() const {
        check(triglyph_rsx_run(get()));
    }
    /// A head (0 or 1) has begun to show a frame, at `time` in ticks of the processor's time base: flips that wait are
    /// done. For every context; the host calls this as often as its screen shows one.
    void vblank(std::uint32_t head, std::uint64_t time) const {
        check(triglyph_rsx_vblank(get(), head, time));
    }
    /// The frame of the second handler of vertical blanks, for hosts that keep its rate; with the screen's own rate
    /// `triglyph_rsx_vblank` does it.
    void second_vblank(std::uint32_t head, std::uint64_t time) const {
        check(triglyph_rsx_second_vblank(get(), head, time));
    }
    /// Sets the time since power on that reports, notifiers and PTIMER show, in nanoseconds. By itself it moves with
    /// the work that is done, so that runs can be repeated.
    void set_clock(std::uint64_t time) const {
        check(triglyph_rsx_set_clock(get(), time));
    }
    /// Writes a register of BAR0; the two low bits of the address are ignored. A push buffer does not run before
    /// `triglyph_rsx_run`.
    void mmio_write(std::uint32_t address, std::uint32_t word) const {
        check(triglyph_rsx_mmio_write(get(), address, word));
    }
    /// Reads a register of BAR0; the two low bits of the address are ignored.
    std::uint32_t mmio_read(std::uint32_t address) const {
        std::uint32_t got{};
        check(triglyph_rsx_mmio_read(get(), address, &got));
        return got;
    }
    /// Writes a word of instance memory; nothing happens beyond its end.
    void pramin_write(std::uint32_t offset, std::uint32_t word) const {
        check(triglyph_rsx_pramin_write(get(), offset, word));
    }
    /// Clears the error of a channel: it goes on at PUT, as drivers have it.
    void clear_error(std::uint32_t channel) const {
        check(triglyph_rsx_clear_error(get(), channel));
    }
    /// Writes a word of the bus: recorded so is only what goes to local memory.
    bool bus_write(std::uint64_t address, std::uint32_t word) const {
        bool got{};
        check(triglyph_rsx_bus_write(get(), address, word, &got));
        return got;
    }
    /// Sets what each submission may cost, in units of fuel: see `triglyph_options`, with which it begins. A recording
    /// has it.
    void set_fuel(std::uint64_t fuel) const {
        check(triglyph_rsx_set_fuel(get(), fuel));
    }
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
    triglyph_shown present(std::uint32_t head, const triglyph_rows &rows, const triglyph::presented &presented) const {
        triglyph_shown shown = sized<triglyph_shown>();
        check(triglyph_rsx_present_head(get(), head, &rows, presented.get(), &shown));
        return shown;
    }
};

/// A Tegra X1.
class tegra : public machine<triglyph_tegra, triglyph_tegra_create, triglyph_tegra_destroy, triglyph_tegra_device> {
public:
    using machine::machine;
    // The calls of its tables, generated from their rows; do not edit.
    /// CREATE: a handle of `size` bytes, without memory yet.
    ///
    /// Results: `TRIGLYPH_TEGRA_RESULT_BAD_VALUE` for size 0; `TRIGLYPH_TEGRA_RESULT_INSUFFICIENT_MEMORY` when there
    /// are too many.
    answer<std::uint32_t, std::uint32_t> nvmap_create(std::uint32_t size) const {
        answer<std::uint32_t, std::uint32_t> got{};
        check(triglyph_tegra_nvmap_create(get(), size, &got.value, &got.result));
        return got;
    }
    /// FROM_ID: another owner of a handle; ids are the handles.
    ///
    /// Results: `TRIGLYPH_TEGRA_RESULT_BAD_VALUE` for a handle that does not exist, as for all calls of handles.
    answer<std::uint32_t, std::uint32_t> nvmap_from_id(std::uint32_t id) const {
        answer<std::uint32_t, std::uint32_t> got{};
        check(triglyph_tegra_nvmap_from_id(get(), id, &got.value, &got.result));
        return got;
    }
    /// FREE: one owner less. What address spaces show of it stays.
    ///
    /// Results: see `triglyph_tegra_nvmap_from_id`.
    answer<std::uint32_t, triglyph_tegra_freed> nvmap_free(std::uint32_t handle) const {
        answer<std::uint32_t, triglyph_tegra_freed> got{};
        check(triglyph_tegra_nvmap_free(get(), handle, &got.value, &got.result));
        return got;
    }
    /// ALLOC: attaches memory of the process.
    ///
    /// Results: `TRIGLYPH_TEGRA_RESULT_ALREADY_ALLOCATED` when it has some; `TRIGLYPH_TEGRA_RESULT_BAD_VALUE` for an
    /// alignment that is no power of two; `TRIGLYPH_TEGRA_RESULT_INVALID_ADDRESS` beyond the process's addresses.
    std::uint32_t nvmap_alloc(std::uint32_t handle, const triglyph_tegra_memory &memory) const {
        std::uint32_t got{};
        check(triglyph_tegra_nvmap_alloc(get(), handle, &memory, &got));
        return got;
    }
    /// PARAM: see `TRIGLYPH_TEGRA_PARAM_*`.
    ///
    /// Results: `TRIGLYPH_TEGRA_RESULT_BAD_VALUE` for other parameters.
    answer<std::uint32_t, std::uint32_t> nvmap_param(std::uint32_t handle, std::uint32_t parameter) const {
        answer<std::uint32_t, std::uint32_t> got{};
        check(triglyph_tegra_nvmap_param(get(), handle, parameter, &got.value, &got.result));
        return got;
    }
    /// Opens an address space, as opening `/dev/nvhost-as-gpu` does. Its number is what `triglyph_range`s and faults
    /// name.
    ///
    /// Results: `TRIGLYPH_TEGRA_RESULT_INSUFFICIENT_MEMORY` when there are too many.
    answer<std::uint32_t, std::uint32_t> space_open() const {
        answer<std::uint32_t, std::uint32_t> got{};
        check(triglyph_tegra_space_open(get(), &got.value, &got.result));
        return got;
    }
    /// Closes an address space: nothing is mapped in it any more.
    ///
    /// Results: `TRIGLYPH_TEGRA_RESULT_BUSY` while a channel is bound to it; `TRIGLYPH_TEGRA_RESULT_BAD_PARAMETER` for
    /// a space that is not open, as for all calls of spaces.
    std::uint32_t space_close(std::uint32_t space) const {
        std::uint32_t got{};
        check(triglyph_tegra_space_close(get(), space, &got));
        return got;
    }
    /// INITIALIZE and INITIALIZE_EX. A null `layout` is the default.
    ///
    /// Results: `TRIGLYPH_TEGRA_RESULT_INVALID_STATE` when it was initialised; `TRIGLYPH_TEGRA_RESULT_BAD_VALUE` for
    /// other sizes of pages and for ranges that are not in order or no whole big pages.
    std::uint32_t space_initialize(std::uint32_t space, const triglyph_tegra_layout *layout = nullptr) const {
        std::uint32_t got{};
        check(triglyph_tegra_space_initialize(get(), space, layout, &got));
        return got;
    }
    /// ALLOC_SPACE: `pages` pages of address space for fixed mappings, see `TRIGLYPH_TEGRA_SPACE_*`. `at` is the
    /// address with the fixed flag, else an alignment or 0.
    ///
    /// Results: `TRIGLYPH_TEGRA_RESULT_NOT_INITIALIZED` before INITIALIZE, as for all calls below;
    /// `TRIGLYPH_TEGRA_RESULT_BAD_VALUE` for other sizes of pages, and for fixed space that is taken;
    /// `TRIGLYPH_TEGRA_RESULT_INSUFFICIENT_MEMORY` without room.
    answer<std::uint32_t, std::uint64_t> space_allocate(std::uint32_t space, std::uint32_t pages,
        std::uint64_t page_size, std::uint32_t flags, std::uint64_t at) const {
        answer<std::uint32_t, std::uint64_t> got{};
        check(triglyph_tegra_space_allocate(get(), space, pages, page_size, flags, at, &got.value, &got.result));
        return got;
    }
    /// FREE_SPACE, with everything that is mapped there.
    ///
    /// Results: `TRIGLYPH_TEGRA_RESULT_BAD_VALUE` unless it was allocated with this size.
    std::uint32_t space_free(std::uint32_t space, std::uint64_t offset, std::uint32_t pages,
        std::uint64_t page_size) const {
        std::uint32_t got{};
        check(triglyph_tegra_space_free(get(), space, offset, pages, page_size, &got));
        return got;
    }
    struct space_map_buffer_values {
        std::uint64_t offset;
        std::uint64_t page_size;
    };
    /// MAP_BUFFER_EX: shows a handle's memory to the GPU, or changes the kind of what is shown. Memory of the process
    /// is what the host has mapped in `TRIGLYPH_TEGRA_SPACE_PROCESS` by then.
    ///
    /// Results: `TRIGLYPH_TEGRA_RESULT_BAD_VALUE` for a handle that does not exist, parts beyond it, fixed addresses
    /// without space or with something mapped; `TRIGLYPH_TEGRA_RESULT_INVALID_STATE` for a handle without memory;
    /// `TRIGLYPH_TEGRA_RESULT_INVALID_ADDRESS` when the host has not mapped it;
    /// `TRIGLYPH_TEGRA_RESULT_INSUFFICIENT_MEMORY` without room.
    answer<std::uint32_t, space_map_buffer_values> space_map_buffer(std::uint32_t space,
        const triglyph_tegra_map_buffer &call) const {
        answer<std::uint32_t, space_map_buffer_values> got{};
        check(triglyph_tegra_space_map_buffer(get(), space, &call, &got.value.offset, &got.value.page_size,
            &got.result));
        return got;
    }
    /// UNMAP_BUFFER.
    ///
    /// Results: none but those of all calls: what is not mapped is unmapped.
    std::uint32_t space_unmap_buffer(std::uint32_t space, std::uint64_t offset) const {
        std::uint32_t got{};
        check(triglyph_tegra_space_unmap_buffer(get(), space, offset, &got));
        return got;
    }
    /// REMAP: entry by entry, up to the first that cannot be.
    ///
    /// Results: `TRIGLYPH_TEGRA_RESULT_BAD_VALUE` outside of sparse space and beyond a handle, otherwise as
    /// `triglyph_tegra_space_map_buffer`.
    std::uint32_t space_remap(std::uint32_t space, view<const triglyph_tegra_remap> entries) const {
        std::uint32_t got{};
        check(triglyph_tegra_space_remap(get(), space, entries.data(), entries.size(), &got));
        return got;
    }
    struct space_regions_values {
        triglyph_tegra_region small;
        triglyph_tegra_region big;
    };
    /// GET_VA_REGIONS: small pages, big pages.
    ///
    /// Results: see `triglyph_tegra_space_allocate`.
    answer<std::uint32_t, space_regions_values> space_regions(std::uint32_t space) const {
        answer<std::uint32_t, space_regions_values> got{};
        check(triglyph_tegra_space_regions(get(), space, &got.value.small, &got.value.big, &got.result));
        return got;
    }
    /// Opens a channel with a syncpoint of its own, as opening `/dev/nvhost-gpu` does.
    ///
    /// Results: `TRIGLYPH_TEGRA_RESULT_INSUFFICIENT_MEMORY` when there are no channels or syncpoints left.
    answer<std::uint32_t, std::uint32_t> channel_open() const {
        answer<std::uint32_t, std::uint32_t> got{};
        check(triglyph_tegra_channel_open(get(), &got.value, &got.result));
        return got;
    }
    /// Closes a channel, with everything it had still to do.
    ///
    /// Results: `TRIGLYPH_TEGRA_RESULT_BAD_PARAMETER` for a channel that is not open, as for all calls of channels.
    std::uint32_t channel_close(std::uint32_t channel) const {
        std::uint32_t got{};
        check(triglyph_tegra_channel_close(get(), channel, &got));
        return got;
    }
    /// BIND_CHANNEL: the address space of a channel, once.
    ///
    /// Results: `TRIGLYPH_TEGRA_RESULT_BAD_PARAMETER` for a space that is not open;
    /// `TRIGLYPH_TEGRA_RESULT_INVALID_STATE` when the channel has one.
    std::uint32_t channel_bind(std::uint32_t channel, std::uint32_t space) const {
        std::uint32_t got{};
        check(triglyph_tegra_channel_bind(get(), channel, space, &got));
        return got;
    }
    /// SUBMIT_GPFIFO: appends entries, and works until everything is done or waits. `flags`: `TRIGLYPH_TEGRA_SUBMIT_*`.
    /// Returns the fence after everything that was submitted. A null `fence` is the default.
    ///
    /// Results: `TRIGLYPH_TEGRA_RESULT_BAD_PARAMETER` for a fence that is both waited for and a number of increments,
    /// or that names no syncpoint; `TRIGLYPH_TEGRA_RESULT_INVALID_STATE` for a channel without an address space.
    answer<std::uint32_t, triglyph_tegra_fence> channel_submit(std::uint32_t channel,
        view<const std::uint64_t> entries, std::uint32_t flags, const triglyph_tegra_fence *fence = nullptr) const {
        answer<std::uint32_t, triglyph_tegra_fence> got{};
        check(triglyph_tegra_channel_submit(get(), channel, entries.data(), entries.size(), flags, fence,
            &got.value, &got.result));
        return got;
    }
    /// The syncpoint of a channel, and the value that it has when everything submitted is done.
    ///
    /// Results: see `triglyph_tegra_channel_close`.
    answer<std::uint32_t, triglyph_tegra_fence> channel_fence(std::uint32_t channel) const {
        answer<std::uint32_t, triglyph_tegra_fence> got{};
        check(triglyph_tegra_channel_fence(get(), channel, &got.value, &got.result));
        return got;
    }
    /// Adds 1 to a syncpoint, as other hardware does, and goes on with channels that waited for it: with the next
    /// bounded run if submissions are deferred. For an index beyond the syncpoints it does nothing but a fault.
    void increment_syncpoint(std::uint32_t index) const {
        check(triglyph_tegra_increment_syncpoint(get(), index));
    }
    /// Lets time pass that the GPU does not work in, in nanoseconds, so that timestamps keep up with the host's idea of
    /// time.
    void advance_time(std::uint64_t time) const {
        check(triglyph_tegra_advance_time(get(), time));
    }
    /// Goes on with channels that waited: for a word that the host has written since, or for a syncpoint.
    ///
    /// Work without an end is stopped, with a fault; `triglyph_run_for` bounds it instead.
    void run() const {
        check(triglyph_tegra_run(get()));
    }
    /// Sets what each submission may cost, in units of fuel: see `triglyph_options`, with which it begins. A recording
    /// has it.
    void set_fuel(std::uint64_t fuel) const {
        check(triglyph_tegra_set_fuel(get(), fuel));
    }
    /// EVENT_REGISTER, or EVENT_UNREGISTER with `false`.
    ///
    /// Results: `TRIGLYPH_TEGRA_RESULT_BAD_PARAMETER` for a slot beyond 63; `TRIGLYPH_TEGRA_RESULT_BUSY` for one that
    /// is armed and goes.
    std::uint32_t event_register(std::uint32_t slot, bool registered) const {
        std::uint32_t got{};
        check(triglyph_tegra_event_register(get(), slot, registered, &got));
        return got;
    }
    /// EVENT_WAIT, and EVENT_WAIT_ASYNC if the client chooses the slot: waits for a fence. A threshold of 0 has been
    /// reached. The host keeps the time: 0 asks whether the fence has been reached; any other timeout, or none, arms an
    /// event, which is an `TRIGLYPH_EVENT_KIND_FENCE` when it has been. A null `fence` is the default. `timeout` is in
    /// microseconds; a negative one is none. A negative `slot` is none.
    ///
    /// Results: `TRIGLYPH_TEGRA_RESULT_TIMEOUT` with timeout 0 when it has not been reached;
    /// `TRIGLYPH_TEGRA_RESULT_BUSY` for a slot that is armed; `TRIGLYPH_TEGRA_RESULT_BAD_PARAMETER` for syncpoints and
    /// slots that do not exist; `TRIGLYPH_TEGRA_RESULT_INSUFFICIENT_MEMORY` without a slot.
    answer<std::uint32_t, triglyph_tegra_wait> event_wait(const triglyph_tegra_fence &fence, std::int32_t timeout,
        std::int32_t slot) const {
        answer<std::uint32_t, triglyph_tegra_wait> got{};
        check(triglyph_tegra_event_wait(get(), &fence, timeout, slot, &got.value, &got.result));
        return got;
    }
    /// EVENT_SIGNAL: the client waits for this event no more.
    ///
    /// Results: `TRIGLYPH_TEGRA_RESULT_BAD_PARAMETER` for a slot beyond 63.
    std::uint32_t event_cancel(std::uint32_t slot) const {
        std::uint32_t got{};
        check(triglyph_tegra_event_cancel(get(), slot, &got));
        return got;
    }
    /// SYNCPT_READ: the value of a syncpoint.
    ///
    /// Results: `TRIGLYPH_TEGRA_RESULT_BAD_PARAMETER` for an index beyond the syncpoints.
    answer<std::uint32_t, std::uint32_t> syncpoint_value(std::uint32_t index) const {
        answer<std::uint32_t, std::uint32_t> got{};
        check(triglyph_tegra_syncpoint_value(get(), index, &got.value, &got.result));
        return got;
    }
    /// SYNCPT_READ_MAX: the value that a syncpoint has when everything submitted is done.
    ///
    /// Results: see `triglyph_tegra_syncpoint_value`.
    answer<std::uint32_t, std::uint32_t> syncpoint_maximum(std::uint32_t index) const {
        answer<std::uint32_t, std::uint32_t> got{};
        check(triglyph_tegra_syncpoint_maximum(get(), index, &got.value, &got.result));
        return got;
    }
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
        triglyph_play_event event = sized<triglyph_play_event>();
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
