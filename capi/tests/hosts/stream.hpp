// What all hosts of these tests have in common: the recorded stream that they play, how they are to play it, and the
// pictures that they write.
//
//     HOST STREAM PICTURES [--tier jit|interpreter] [--save N] [--cut N] [--thread] [--record FILE]
//         [--threads N]
//
// A stream is a capture as tests/hosts.rs unpacks it: u32 kind, u32 bytes, then a record's payload as docs/capture.md
// describes it. Nothing of it is decoded by the library: a host has memory, words and pictures, as if its guest's
// processor had made them.

#ifndef STREAM_HPP
#define STREAM_HPP

#include <sys/mman.h>
#include <unistd.h>

#include <ctime>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "triglyph.hpp"

#define EXPECT(condition)                                                                                              \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            stream::fail(__FILE__, __LINE__, #condition);                                                              \
        }                                                                                                              \
    } while (0)

namespace stream {

[[noreturn]] inline void fail(const char *file, int line, const char *condition) {
    throw std::runtime_error(std::string(file) + ", line " + std::to_string(line) + ": " + condition);
}

/// Kinds of records, as in a capture.
enum kind : std::uint32_t { MAP = 2, MEM = 3, SUBMIT = 5, PRESENT = 6 };

struct record {
    std::uint32_t kind = 0;
    /// Where memory is mapped or stored, or where a picture is.
    triglyph_range range{};
    /// What is stored, or the words of a submission.
    std::vector<std::uint8_t> bytes;
    triglyph_present picture = triglyph::sized<triglyph_present>();
    /// The output of a picture.
    std::string label;

    /// A submission's word, little-endian.
    std::uint32_t word(std::size_t at) const {
        std::uint32_t word = 0;
        for (std::size_t byte = 0; byte < 4; byte++) {
            word |= std::uint32_t(bytes.at(4 * at + byte)) << 8 * byte;
        }
        return word;
    }
    std::uint64_t long_word(std::size_t at) const { return word(2 * at) | std::uint64_t(word(2 * at + 1)) << 32; }
};

template <class T>
T take(const std::vector<std::uint8_t> &from, std::size_t at) {
    T value;
    EXPECT(at + sizeof value <= from.size());
    std::memcpy(&value, from.data() + at, sizeof value);
    return value;
}

inline record parse(std::uint32_t kind, std::vector<std::uint8_t> payload) {
    record made;
    made.kind = kind;
    switch (kind) {
    case MAP:
        made.range.address = take<std::uint64_t>(payload, 0);
        made.range.size = take<std::uint64_t>(payload, 8);
        made.range.space = take<std::uint32_t>(payload, 16);
        break;
    case MEM:
        made.range.address = take<std::uint64_t>(payload, 0);
        made.range.space = take<std::uint32_t>(payload, 8);
        made.bytes.assign(payload.begin() + 16, payload.end());
        made.range.size = made.bytes.size();
        break;
    case SUBMIT:
        made.bytes = std::move(payload);
        break;
    case PRESENT:
        made.picture.address = made.range.address = take<std::uint64_t>(payload, 0);
        made.picture.space = take<std::uint32_t>(payload, 8);
        made.picture.format = take<std::uint32_t>(payload, 12);
        made.picture.width = take<std::uint32_t>(payload, 16);
        made.picture.height = take<std::uint32_t>(payload, 20);
        made.picture.pitch = take<std::uint32_t>(payload, 24);
        made.picture.layout = take<std::uint32_t>(payload, 28);
        made.label.assign(payload.begin() + 32, payload.end());
        break;
    default:
        throw std::runtime_error("a record that no host knows");
    }
    return made;
}

inline std::vector<record> read(const char *path) {
    std::ifstream file(path, std::ios::binary);
    const std::vector<std::uint8_t> bytes{std::istreambuf_iterator<char>(file), {}};
    std::vector<record> records;
    for (std::size_t at = 0; at < bytes.size();) {
        const auto kind = take<std::uint32_t>(bytes, at);
        const auto size = take<std::uint32_t>(bytes, at + 4);
        EXPECT(at + 8 + size <= bytes.size());
        const auto payload = bytes.begin() + std::ptrdiff_t(at + 8);
        records.push_back(parse(kind, {payload, payload + size}));
        at += 8 + size;
    }
    EXPECT(!records.empty());
    return records;
}

/// Numbers without a pattern, the same in each run.
class noise {
public:
    std::uint32_t below(std::uint32_t bound) {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return std::uint32_t(state_ >> 33) % bound;
    }

private:
    std::uint64_t state_ = 1;
};

/// 4 GiB of addresses, of which only what is committed may be touched.
class reservation {
public:
    static constexpr std::size_t SIZE = std::size_t(1) << 32;

    reservation() : base_(static_cast<std::uint8_t *>(mmap(nullptr, SIZE, PROT_NONE, FLAGS, -1, 0))) {
        EXPECT(base_ != MAP_FAILED);
    }
    ~reservation() { munmap(base_, SIZE); }
    reservation(const reservation &) = delete;
    reservation &operator=(const reservation &) = delete;

    triglyph::view<std::uint8_t> commit(std::uint64_t offset, std::size_t size) const {
        EXPECT(offset + size <= SIZE && mprotect(base_ + offset, size, PROT_READ | PROT_WRITE) == 0);
        return {base_ + offset, size};
    }
    std::uint8_t *at(std::uint64_t offset) const { return base_ + offset; }

private:
    static constexpr int FLAGS = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    std::uint8_t *base_;
};

/// How a stream is to be played.
struct plan {
    std::vector<record> records;
    std::string pictures, recording;
    triglyph::options options;
    /// The submission after which the host saves its state, destroys the machine and goes on with another; from 1.
    std::size_t save_at = 0;
    /// Words of a bounded run at most; 0 for work that is done at once.
    std::uint32_t cut = 0;
    /// Whether the machine has a thread of its own.
    bool thread = false;

    plan(int argc, char **argv) {
        if (argc < 3) {
            throw std::runtime_error("a stream and a file for its pictures");
        }
        records = read(argv[1]);
        pictures = argv[2];
        options.threads = 2;
        for (int at = 3; at < argc; at++) {
            const std::string name = argv[at];
            if (name == "--thread") {
                thread = true;
                continue;
            }
            EXPECT(at + 1 < argc);
            const std::string value = argv[++at];
            if (name == "--tier") {
                options.tier = value == "jit" ? TRIGLYPH_TIER_JIT : TRIGLYPH_TIER_INTERPRETER;
            } else if (name == "--save") {
                save_at = std::stoul(value);
            } else if (name == "--cut") {
                cut = std::uint32_t(std::stoul(value));
            } else if (name == "--threads") {
                options.threads = std::uint32_t(std::stoul(value));
            } else if (name == "--record") {
                recording = value;
            } else {
                throw std::runtime_error("what is " + name);
            }
        }
    }
};

/// The pictures that a host has shown: R, G, B, A of all their pixels, in a file.
class pictures {
public:
    explicit pictures(const std::string &path) : file_(path, std::ios::binary) {}
    void add(triglyph::view<const std::uint8_t> pixels) {
        file_.write(reinterpret_cast<const char *>(pixels.data()), std::streamsize(pixels.size()));
        EXPECT(file_.good());
    }

private:
    std::ofstream file_;
};

/// Nanoseconds that the thread which asks has worked.
inline std::uint64_t worked() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return std::uint64_t(time.tv_sec) * 1000000000 + std::uint64_t(time.tv_nsec);
}

/// Adds up what a thread works in some calls.
class stopwatch {
public:
    template <class Call>
    auto operator()(Call call) {
        struct lap {
            std::uint64_t &total, start;
            ~lap() { total += worked() - start; }
        } lap{total_, worked()};
        return call();
    }
    std::uint64_t total() const { return total_; }

private:
    std::uint64_t total_ = 0;
};

/// A thread that interrupts a machine's bounded runs all the time, whatever they do.
class interrupting {
public:
    explicit interrupting(triglyph::device_view device)
        : interrupter_(device.interrupter()), thread_([this] {
              noise pauses;
              while (!stop_) {
                  std::this_thread::sleep_for(std::chrono::microseconds(50 + pauses.below(400)));
                  interrupter_.interrupt();
              }
          }) {}
    ~interrupting() {
        stop_ = true;
        thread_.join();
    }

private:
    triglyph::interrupter interrupter_;
    std::atomic<bool> stop_ = false;
    std::thread thread_;
};

/// Faults of a stream that has none end a host at once.
template <class Machine>
void expect_no_faults(Machine &machine) {
    machine.on_fault([](const triglyph_fault &fault) {
        std::fprintf(stderr, "fault: %s\n", fault.what);
        std::abort();
    });
}

/// Runs a host, ten minutes at most, and says what went wrong. A recording is stored a second time without what nothing
/// reads.
template <class Host>
int run(int argc, char **argv) {
    alarm(600);
    try {
        triglyph::check_version();
        const plan how(argc, argv);
        Host(how).play();
        if (!how.recording.empty()) {
            const std::string trimmed = how.recording + ".trimmed";
            triglyph::check(
                triglyph_capture_trim(how.recording.c_str(), trimmed.c_str(), TRIGLYPH_TRIM_UNIT_BYTES));
        }
        return 0;
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}

} // namespace stream

#endif // STREAM_HPP
