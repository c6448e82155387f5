// A host like Panda3DS: its own GSP reads the command queue of the shared page and has each command executed; the host
// schedules interrupts, writes the relay queue, and drives the screens by registers. With --thread the commands are
// executed on a worker's thread, and their ends are known in advance by forecasts.

#include "console_3ds.hpp"

namespace {

using n3ds::command;

/// What a command has come to, kept until its interrupt is due: the worker's thread may still be at it.
struct pending {
    command words{};
    triglyph_n3ds_executed executed{};
};

class host : n3ds::console {
public:
    explicit host(stream::plan plan) : console(std::move(plan)) { power_on(); }

    void play() {
        host_copy();
        auto stored = [this](const stream::record &record) {
            // The program writes memory only after the GPU has finished reading it.
            if (worker_) {
                EXPECT(worker_->wait_range(record.range, std::chrono::seconds(60)));
            }
            store(record);
        };
        const auto calls = [this](auto made) { with_gpu(made); };
        play_and_record("panda3ds", calls, stored, [this](const command &words) { submit(words); },
                        [this](const stream::record &record) { show(record); }, [this] { wait(); });
        worker_.reset();
        std::printf("execute %llu\nexecute_at %llu\nhost copies %llu\ninterrupts %llu\npictures %llu\nsaves %llu\n"
                    "caller %llu\n",
                    count(executes_), count(executes_at_), count(copies_), count(interrupts_),
                    count(window_.presented), count(saves_), count(caller_.total()));
    }

private:

    /* ---- the machine ---- */

    void power_on() {
        switch_on();
        if (plan_.thread) {
            worker_ = std::make_unique<triglyph::worker>(gpu_->device());
        }
    }

    /// Makes calls on the machine, on whichever thread has it.
    template <class Calls>
    void with_gpu(Calls calls) {
        if (worker_) {
            worker_->call(calls);
        } else {
            calls();
        }
    }

    /// The user saves the state, at whatever the machine does, and loads it into another one.
    void save_and_load() {
        replace_machine([this](auto calls) { with_gpu(calls); }, [this] { worker_.reset(); }, [this] { power_on(); });
    }

    /* ---- GSP ---- */

    /// TriggerCmdReqQueue: takes all commands out of the queue of client 0.
    void trigger() {
        for (;;) {
            const std::uint32_t header = page_.load(n3ds::QUEUE);
            if ((header >> 8 & 0xFF) == 0) {
                return;
            }
            const std::uint32_t slot = n3ds::slot_of(0, header & 0xFF);
            auto next = std::make_shared<pending>();
            for (std::uint32_t at = 0; at < 8; at++) {
                next->words[at] = page_.load(slot + 4 * at);
            }
            caller_([&] { execute(next, slot); });
            page_.change(n3ds::QUEUE, [](std::uint32_t word) {
                return (word & 0xFFFF0000) | ((word >> 8 & 0xFF) - 1) << 8 | ((word & 0xFF) + 1) % n3ds::QUEUE_SLOTS;
            });
            if (++submitted_ == plan_.save_at) {
                save_and_load();
            }
        }
    }

    void execute(const std::shared_ptr<pending> &next, std::uint32_t slot) {
        if (!worker_) {
            // Every second one where the guest has it.
            if (submitted_ % 2 == 0) {
                next->executed = gpu_->execute(next->words);
                executes_++;
            } else {
                next->executed = gpu_->execute_at({TRIGLYPH_N3DS_SPACE_PHYSICAL, n3ds::SHARED_PAGE + slot});
                executes_at_++;
            }
            copy(next->executed);
            schedule(next, next->executed, 0);
            return;
        }
        const triglyph_n3ds_forecast forecast = triglyph::n3ds::forecast(next->words);
        auto calls = [this, next] {
            next->executed = gpu_->execute(next->words);
            copy(next->executed);
        };
        const std::uint64_t number =
            forecast.anywhere ? worker_->send(calls)
                              : worker_->send_touching({forecast.touched, forecast.count}, calls);
        executes_++;
        schedule(next, forecast.executed, number);
    }

    /// DMA of memory that only the kernel's page tables know.
    void copy(const triglyph_n3ds_executed &executed) {
        if (executed.outcome == TRIGLYPH_N3DS_OUTCOME_HOST_COPY) {
            std::memcpy(pointer(executed.copy_target, executed.copy_size),
                        pointer(executed.copy_source, executed.copy_size), executed.copy_size);
            copies_++;
        }
    }

    void schedule(std::shared_ptr<pending> command, const triglyph_n3ds_executed &expected, std::uint64_t number) {
        const bool copied = expected.outcome == TRIGLYPH_N3DS_OUTCOME_HOST_COPY;
        EXPECT(copied || expected.outcome == TRIGLYPH_N3DS_OUTCOME_DONE ||
               expected.outcome == TRIGLYPH_N3DS_OUTCOME_NOTHING_TO_SIGNAL);
        if (expected.has_interrupt || copied) {
            const std::uint32_t interrupt = copied ? TRIGLYPH_N3DS_INTERRUPT_DMA : expected.interrupt;
            scheduler_.after(expected.ticks, [this, command, interrupt, number, saves = saves_] {
                // What an earlier machine's worker was sent is part of its saved state.
                if (worker_ && saves == saves_) {
                    EXPECT(worker_->wait(number, std::chrono::seconds(60)));
                }
                EXPECT(!command->executed.has_interrupt || command->executed.interrupt == interrupt);
                raise(interrupt);
            });
        }
    }

    /// Puts an interrupt into the relay queue; the kernel would signal the client's event.
    void raise(std::uint32_t interrupt) {
        const std::uint32_t header = page_.load(0);
        const std::uint32_t slot = 0xC + ((header & 0xFF) + (header >> 8 & 0xFF)) % n3ds::RELAY_SLOTS;
        page_.change(slot & ~3u, [&](std::uint32_t word) {
            return (word & ~(0xFFu << slot % 4 * 8)) | interrupt << slot % 4 * 8;
        });
        page_.change(0, [](std::uint32_t word) { return word + 0x100; });
    }

    /// A frame ends: GSP writes what the program wants to see to the screen's controller.
    void vblank(std::uint32_t screen) {
        const std::uint32_t base = 0x200 + screen * 0x40, header = page_.load(base);
        if (header & 0x100) {
            std::array<std::uint32_t, 7> information{};
            for (std::uint32_t at = 0; at < 7; at++) {
                information[at] = page_.load(base + 4 + (header & 1) * 28 + 4 * at);
            }
            const std::uint32_t registers = 0x400400 + screen * 0x100, second = information[0] & 1;
            gpu_->write_register(registers + (second ? 0x6C : 0x68), physical(information[1]));
            gpu_->write_register(registers + (second ? 0x98 : 0x94), physical(information[2]));
            gpu_->write_register(registers + 0x90, information[3]);
            gpu_->write_register(registers + 0x70, information[4]);
            gpu_->write_register(registers + 0x78, information[5]);
            EXPECT(gpu_->read_register(registers + 0x70) == information[4]);
            page_.change(base, [](std::uint32_t word) { return word & ~0x100u; });
        }
        EXPECT(gpu_->vblank(triglyph_n3ds_screen(screen)) == 0);
        raise(screen ? TRIGLYPH_N3DS_INTERRUPT_PDC1 : TRIGLYPH_N3DS_INTERRUPT_PDC0);
    }

    /* ---- the kernel's page tables ---- */

    static std::uint32_t physical(std::uint32_t address) {
        return address >= n3ds::LINEAR_VIRTUAL ? address - n3ds::LINEAR_VIRTUAL + n3ds::FCRAM
                                               : address - n3ds::VRAM_VIRTUAL + n3ds::VRAM;
    }
    std::uint8_t *pointer(std::uint32_t address, std::size_t size) {
        if (address >= HEAP && address + size <= HEAP + heap_.size()) {
            return heap_.data() + (address - HEAP);
        }
        return memory_.at(physical(address), size);
    }

    /* ---- the program ---- */

    void submit(const command &words) {
        if (program_.waiting() == n3ds::QUEUE_SLOTS) {
            wait();
        }
        if (program_.submit(words)) {
            trigger();
        }
    }

    /// Waits for the interrupts of all that was submitted.
    void wait() {
        while (scheduler_.idle()) {
            take_interrupts();
        }
        EXPECT(program_.waiting() == 0);
    }

    void show(const stream::record &record) {
        wait();
        program_.show(n3ds::screen_of(record), n3ds::information_of(record));
        with_gpu([&] {
            vblank(TRIGLYPH_N3DS_SCREEN_TOP);
            vblank(TRIGLYPH_N3DS_SCREEN_BOTTOM);
            present(record);
        });
    }

    /// Before its first frame the program copies from its heap, which the GPU's physical memory does not show.
    void host_copy() {
        for (std::size_t at = 0; at < heap_.size(); at++) {
            heap_[at] = std::uint8_t(7 * at);
        }
        const std::uint32_t target = n3ds::LINEAR_VIRTUAL + n3ds::FCRAM_SIZE - 0x2000;
        submit({0, HEAP, target, std::uint32_t(heap_.size()), 0, 0, 0, 0});
        wait();
        EXPECT(std::memcmp(pointer(target, heap_.size()), heap_.data(), heap_.size()) == 0);
    }

    static constexpr std::uint32_t HEAP = 0x08000000;
    std::vector<std::uint8_t> heap_ = std::vector<std::uint8_t>(0x400);

    std::unique_ptr<triglyph::worker> worker_;
    stream::stopwatch caller_;
    std::uint64_t submitted_ = 0;
    std::uint64_t executes_ = 0, executes_at_ = 0, copies_ = 0;
};

} // namespace

int main(int argc, char **argv) {
    return stream::run<host>(argc, argv);
}
