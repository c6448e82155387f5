// The console around both 3DS hosts: memory, the page that GSP and programs share, the program's side of that page (as
// libctru does it), and a scheduler that counts cycles of the guest's processor.
//
// Source of the page's layout: 3dbrew, GSP Shared Memory.

#ifndef CONSOLE_3DS_HPP
#define CONSOLE_3DS_HPP

#include <functional>
#include <map>
#include <memory>

#include "stream.hpp"

namespace n3ds {

constexpr std::uint32_t FCRAM = 0x20000000, FCRAM_SIZE = 128 << 20;
constexpr std::uint32_t VRAM = 0x18000000, VRAM_SIZE = 6 << 20;
/// Linear heap and VRAM as processes see them.
constexpr std::uint32_t LINEAR_VIRTUAL = 0x30000000, VRAM_VIRTUAL = 0x1F000000;
/// The page of GSP is the last one of FCRAM.
constexpr std::uint32_t SHARED_PAGE = FCRAM + FCRAM_SIZE - 0x1000;

using command = std::array<std::uint32_t, 8>;

/// Events in the order of the cycles at which they are due.
class scheduler {
public:
    void after(std::uint64_t cycles, std::function<void()> event) { events_.emplace(now_ + cycles, std::move(event)); }
    /// The processor idles until the next event is due. False if there is none.
    bool idle() {
        if (events_.empty()) {
            return false;
        }
        auto next = events_.extract(events_.begin());
        now_ = next.key();
        next.mapped()();
        return true;
    }
    std::uint64_t now() const { return now_; }

private:
    std::uint64_t now_ = 0;
    std::multimap<std::uint64_t, std::function<void()>> events_;
};

/// Physical memory.
class memory {
public:
    std::uint8_t *at(std::uint32_t physical, std::size_t size) {
        if (physical >= FCRAM) {
            EXPECT(physical - FCRAM + size <= fcram.size());
            return fcram.data() + (physical - FCRAM);
        }
        EXPECT(physical >= VRAM && physical - VRAM + size <= vram.size());
        return vram.data() + (physical - VRAM);
    }
    /// Shows it to a machine.
    void map(triglyph::device_view device) {
        device.map_host({TRIGLYPH_N3DS_SPACE_PHYSICAL, FCRAM}, fcram);
        device.map_host({TRIGLYPH_N3DS_SPACE_PHYSICAL, VRAM}, vram);
    }

    std::vector<std::uint8_t> fcram = std::vector<std::uint8_t>(FCRAM_SIZE);
    std::vector<std::uint8_t> vram = std::vector<std::uint8_t>(VRAM_SIZE);
};

/// Words of the shared page, which program and GSP change at the same time.
class shared_page {
public:
    explicit shared_page(std::uint8_t *bytes) : bytes_(bytes) {}
    void *bytes() const { return bytes_; }
    std::uint32_t load(std::uint32_t offset) const { return __atomic_load_n(word(offset), __ATOMIC_ACQUIRE); }
    void store(std::uint32_t offset, std::uint32_t value) const {
        __atomic_store_n(word(offset), value, __ATOMIC_RELEASE);
    }
    /// Replaces a word by what a function makes of it, in one step; returns the one before.
    template <class Change>
    std::uint32_t change(std::uint32_t offset, Change change) const {
        std::uint32_t before = load(offset);
        while (!__atomic_compare_exchange_n(word(offset), &before, change(before), false, __ATOMIC_ACQ_REL,
                                            __ATOMIC_ACQUIRE)) {
        }
        return before;
    }

private:
    std::uint32_t *word(std::uint32_t offset) const { return reinterpret_cast<std::uint32_t *>(bytes_ + offset); }
    std::uint8_t *bytes_;
};

constexpr std::uint32_t QUEUE = 0x800, QUEUE_BYTES = 0x200, QUEUE_SLOTS = 15;
constexpr std::uint32_t RELAY_BYTES = 0x40, RELAY_SLOTS = 0x34;

inline std::uint32_t slot_of(std::uint32_t client, std::uint32_t slot) {
    return QUEUE + client * QUEUE_BYTES + 0x20 + slot % QUEUE_SLOTS * 0x20;
}

/// A program: what libctru does on the page.
class program {
public:
    program(shared_page page, std::uint32_t client) : page_(page), client_(client) {}

    std::uint32_t waiting() const { return page_.load(queue()) >> 8 & 0xFF; }

    /// Puts a command into the queue, which has room. True if GSP is to be triggered.
    bool submit(const command &words) const {
        const std::uint32_t header = page_.load(queue());
        EXPECT((header >> 8 & 0xFF) < QUEUE_SLOTS);
        const std::uint32_t slot = slot_of(client_, (header & 0xFF) + (header >> 8 & 0xFF));
        for (std::uint32_t at = 0; at < 8; at++) {
            page_.store(slot + 4 * at, words[at]);
        }
        return (page_.change(queue(), [](std::uint32_t word) { return word + 0x100; }) >> 8 & 0xFF) == 0;
    }

    /// Takes the oldest interrupt out of the relay queue; -1 without one.
    int take_interrupt() const {
        const std::uint32_t base = client_ * RELAY_BYTES, header = page_.load(base);
        if ((header >> 8 & 0xFF) == 0) {
            return -1;
        }
        const std::uint32_t first = header & 0xFF, slot = base + 0xC + first;
        const int interrupt = int(page_.load(slot & ~3u) >> slot % 4 * 8 & 0xFF);
        page_.change(base, [](std::uint32_t word) {
            return (word & 0xFF000000) | ((word >> 8 & 0xFF) - 1) << 8 | ((word & 0xFF) + 1) % RELAY_SLOTS;
        });
        return interrupt;
    }

    /// Says what a screen is to show from the next VBlank on: seven words of framebuffer information.
    void show(std::uint32_t screen, const std::array<std::uint32_t, 7> &information) const {
        const std::uint32_t base = 0x200 + client_ * 0x80 + screen * 0x40;
        const std::uint32_t other = (page_.load(base) & 1) ^ 1;
        for (std::uint32_t at = 0; at < 7; at++) {
            page_.store(base + 4 + other * 28 + 4 * at, information[at]);
        }
        page_.change(base, [other](std::uint32_t word) { return (word & 0xFFFF0000) | 0x100 | other; });
    }

private:
    std::uint32_t queue() const { return QUEUE + client_ * QUEUE_BYTES; }
    shared_page page_;
    std::uint32_t client_;
};

/// The words of a submission.
inline command words_of(const stream::record &record) {
    command words{};
    for (std::size_t at = 0; at < words.size(); at++) {
        words[at] = record.word(at);
    }
    return words;
}

/// Which screen a recorded picture is for.
inline triglyph_n3ds_screen screen_of(const stream::record &record) {
    return record.label == "bottom" ? TRIGLYPH_N3DS_SCREEN_BOTTOM : TRIGLYPH_N3DS_SCREEN_TOP;
}

/// What the program tells GSP so that a recorded picture is shown.
inline std::array<std::uint32_t, 7> information_of(const stream::record &record) {
    const auto physical = std::uint32_t(record.picture.address);
    const std::uint32_t virtual_address =
        physical >= FCRAM ? physical - FCRAM + LINEAR_VIRTUAL : physical - VRAM + VRAM_VIRTUAL;
    // The top screen has 800 columns and shows each one twice, bit 6, unless it has a picture for each eye.
    const std::uint32_t format = (screen_of(record) == TRIGLYPH_N3DS_SCREEN_TOP ? 0x80340 : 0x80300);
    return {0, virtual_address, virtual_address, record.picture.pitch, format | (record.picture.format - 1), 0, 0};
}

/// The window: rows of a screen's size.
class window {
public:
    explicit window(const std::string &path) : pictures_(path) {}
    void show(const triglyph::n3ds &gpu, const stream::record &record) {
        const std::uint32_t width = record.picture.width, height = record.picture.height;
        rows_.resize(std::size_t(4) * width * height);
        const triglyph::rows rows(rows_, std::size_t(4) * width, TRIGLYPH_HOST_FORMAT_RGBA8, width, height);
        const triglyph_shown shown = gpu.present(screen_of(record), 0, rows, presented_[screen_of(record)]);
        EXPECT(shown.kind == TRIGLYPH_SHOWN_KIND_WHOLE && shown.width == width && shown.height == height);
        pictures_.add(triglyph::view<const std::uint8_t>(rows_.data(), rows_.size()));
        presented++;
    }
    std::uint64_t presented = 0;

private:
    stream::pictures pictures_;
    std::vector<std::uint8_t> rows_;
    triglyph::presented presented_[2];
};

/// What both hosts are made of: memory, the shared page with its program, the scheduler, the window, and the machine,
/// which loading a state replaces.
class console {
protected:
    explicit console(stream::plan plan) : plan_(std::move(plan)), window_(plan_.pictures) {}

    static unsigned long long count(std::uint64_t value) { return value; }
    triglyph_device *device() const { return gpu_->device().get(); }

    /// Plays the stream with `calls(f)` to make calls on the machine, which records it if it is to be recorded.
    template <class Calls, class Store, class Submit, class Show, class Wait>
    void play_and_record(const char *name, Calls calls, Store store, Submit submit, Show show, Wait wait) {
        const bool records = !plan_.recording.empty();
        if (records) {
            calls([&] { triglyph::check(triglyph_start_recording(device(), plan_.recording.c_str(), name)); });
        }
        play_records(store, submit, show);
        wait();
        if (records) {
            calls([&] { triglyph::check(triglyph_stop_recording(device())); });
        }
    }

    /// Saves the state in the middle of whatever is under way, and loads it into another machine. `stop` ends the
    /// threads of the machine, `start` switches another one on. Returns what memory held.
    template <class Calls, class Stop, class Start>
    memory replace_machine(Calls calls, Stop stop, Start start) {
        triglyph::buffer state;
        calls([&] { state = gpu_->device().snapshot(TRIGLYPH_SNAPSHOT_WITHOUT_MEMORY); });
        stop();
        memory held = switch_off();
        start();
        put_back(held);
        calls([&] { gpu_->device().restore(state.bytes()); });
        saves_++;
        return held;
    }

    /// The picture of a window, and that of a recording.
    void present(const stream::record &record) {
        window_.show(*gpu_, record);
        triglyph::check(triglyph_record_present(device(), &record.picture, true));
    }

    /// The program takes all interrupts out of its relay queue.
    void take_interrupts() {
        while (program_.take_interrupt() >= 0) {
            interrupts_++;
        }
    }

    /// A new machine, which sees the memory of this console and makes no faults.
    void switch_on() {
        gpu_ = std::make_unique<triglyph::n3ds>(plan_.options);
        stream::expect_no_faults(*gpu_);
        memory_.map(gpu_->device());
    }

    /// Destroys the machine and all that memory holds. Returns what it held, which a state has beside the machine's.
    memory switch_off() {
        gpu_.reset();
        memory held = memory_;
        std::fill(memory_.fcram.begin(), memory_.fcram.end(), std::uint8_t(0xCD));
        std::fill(memory_.vram.begin(), memory_.vram.end(), std::uint8_t(0xCD));
        return held;
    }

    /// Memory holds what a state says.
    void put_back(const memory &held) {
        std::copy(held.fcram.begin(), held.fcram.end(), memory_.fcram.begin());
        std::copy(held.vram.begin(), held.vram.end(), memory_.vram.begin());
    }

    void store(const stream::record &record) {
        std::memcpy(memory_.at(std::uint32_t(record.range.address), record.bytes.size()), record.bytes.data(),
                    record.bytes.size());
    }

    /// Plays the stream: `store` stores bytes of the program's, `submit` takes a command, `show` a picture.
    template <class Store, class Submit, class Show>
    void play_records(Store store, Submit submit, Show show) {
        for (const stream::record &record : plan_.records) {
            switch (record.kind) {
            case stream::MAP:
                memory_.at(std::uint32_t(record.range.address), record.range.size);
                break;
            case stream::MEM:
                store(record);
                break;
            case stream::SUBMIT:
                submit(words_of(record));
                break;
            default:
                show(record);
            }
        }
    }

    stream::plan plan_;
    memory memory_;
    scheduler scheduler_;
    shared_page page_{memory_.at(SHARED_PAGE, 0x1000)};
    program program_{page_, 0};
    window window_;
    std::unique_ptr<triglyph::n3ds> gpu_;
    std::uint64_t interrupts_ = 0, saves_ = 0;
};

} // namespace n3ds

#endif // CONSOLE_3DS_HPP
