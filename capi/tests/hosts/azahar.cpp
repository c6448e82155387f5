// A host like Azahar that leaves GSP to the library: the program's requests go to it as command buffers, the queue is
// in a page of the host's, and the host has completions delivered by its scheduler, in cycles of the guest's processor.
// With --cut the work is done in bounded runs of a few words, which another thread interrupts.

#include "console_3ds.hpp"

namespace {

constexpr std::uint32_t SESSION = 0x1234, EVENT = 0x77, SHARED_MEMORY = 0x66;

class host : n3ds::console {
public:
    explicit host(stream::plan plan) : console(std::move(plan)) {
        power_on();
        // The kernel maps the shared memory when the program asks for it: after it has registered.
        request({0x00130042, 1, 0, EVENT});
        EXPECT(request_[1] == 0x2A07 && request_[2] == 0 && request_[4] == SHARED_MEMORY);
        triglyph::check(triglyph_n3ds_set_shared_page(gpu_->get(), page_.bytes()));
        request({0x00160042, 0, 0, 0xFFFF8001});
        EXPECT(request_[1] == 0);
    }

    void play() {
        auto stored = [this](const stream::record &record) {
            // The program has waited for the interrupts of what reads this memory.
            wait();
            store(record);
        };
        play_and_record("azahar", at_once, stored, [this](const n3ds::command &words) { submit(words); },
                        [this](const stream::record &record) { show(record); }, [this] { wait(); });
        interrupting_.reset();
        std::printf("requests %llu\nsubmitted %llu\ndelivered %llu\ninterrupts %llu\npictures %llu\nsaves %llu\n"
                    "cuts %llu\ncycles %llu\n",
                    count(requests_), count(submitted_), count(delivered_), count(interrupts_),
                    count(window_.presented), count(saves_), count(cuts_), count(scheduler_.now()));
    }

private:
    /// Calls on the machine are made by the thread of the guest's processor.
    static constexpr auto at_once = [](auto calls) { calls(); };

    void power_on() {
        switch_on();
        triglyph::check(triglyph_n3ds_set_shared_memory_handle(gpu_->get(), SHARED_MEMORY));
        gpu_->device().set_deferred(plan_.cut != 0);
        if (plan_.cut != 0) {
            interrupting_ = std::make_unique<stream::interrupting>(gpu_->device());
        }
    }

    /// Saves the state in the middle of whatever is under way, and loads it into another machine. The page is in
    /// memory that the host saves; it goes back after GSP has been moved to it.
    void save_and_load() {
        const auto start = [this] {
            power_on();
            triglyph::check(triglyph_n3ds_set_shared_page(gpu_->get(), page_.bytes()));
        };
        const n3ds::memory held = replace_machine(at_once, [this] { interrupting_.reset(); }, start);
        gpu_->device().set_deferred(plan_.cut != 0);
        std::memcpy(page_.bytes(), held.fcram.data() + (n3ds::SHARED_PAGE - n3ds::FCRAM), 0x1000);
    }

    /// A request of the program's to gsp::Gpu: its command buffer, with the answer in its place.
    void request(std::initializer_list<std::uint32_t> words) {
        static const triglyph_n3ds_process no_memory{};
        request_.fill(0);
        std::copy(words.begin(), words.end(), request_.begin());
        bool blocked = true;
        triglyph::check(
            triglyph_n3ds_ipc(gpu_->get(), SESSION, request_.data(), request_.size(), &no_memory, &blocked));
        EXPECT(!blocked);
        requests_++;
    }

    /// Interrupts of what has ended go to the scheduler.
    void collect() {
        triglyph_n3ds_completion completions[8];
        std::size_t count = 0;
        do {
            triglyph::check(triglyph_n3ds_take_completions(gpu_->get(), completions, 8, &count));
            for (std::size_t at = 0; at < count; at++) {
                const auto interrupt = triglyph_n3ds_interrupt(completions[at].interrupt);
                scheduler_.after(completions[at].ticks, [this, interrupt] { deliver(interrupt); });
            }
        } while (count == 8);
    }

    void deliver(triglyph_n3ds_interrupt interrupt) {
        // Bit 0: the event of client 0 is to be signalled. GSP goes on with the queue.
        EXPECT(gpu_->deliver(interrupt) == 1);
        delivered_++;
        take_interrupts();
        collect();
    }

    /// Bounded runs until nothing can go on. False if nothing was done.
    bool run() {
        bool done = false;
        while (plan_.cut != 0) {
            const auto end = gpu_->device().run_for({UINT64_MAX, 1 + lengths_.below(plan_.cut)});
            if (end.kind == TRIGLYPH_RUN_END_DONE || end.kind == TRIGLYPH_RUN_END_WAITING) {
                break;
            }
            EXPECT(end.kind == TRIGLYPH_RUN_END_BUDGET_USED || end.kind == TRIGLYPH_RUN_END_INTERRUPTED);
            cuts_++;
            done = true;
            save_if_due();
        }
        collect();
        return done;
    }

    void save_if_due() {
        if (plan_.save_at != 0 && submitted_ >= plan_.save_at && saves_ == 0) {
            save_and_load();
        }
    }

    /* ---- the program ---- */

    void submit(const n3ds::command &words) {
        if (program_.waiting() == n3ds::QUEUE_SLOTS) {
            wait();
        }
        submitted_++;
        if (program_.submit(words)) {
            request({0x000C0000});
            EXPECT(request_[1] == 0);
        }
        collect();
        if (plan_.cut == 0) {
            save_if_due();
        }
    }

    /// The program sleeps until all interrupts have come.
    void wait() {
        while (run() || scheduler_.idle()) {
        }
        EXPECT(program_.waiting() == 0);
    }

    void show(const stream::record &record) {
        wait();
        program_.show(n3ds::screen_of(record), n3ds::information_of(record));
        for (auto screen : {TRIGLYPH_N3DS_SCREEN_TOP, TRIGLYPH_N3DS_SCREEN_BOTTOM}) {
            scheduler_.after(TRIGLYPH_N3DS_TICKS_PER_SECOND / 60, [this, screen] {
                EXPECT(gpu_->vblank(screen) == 1);
                take_interrupts();
            });
        }
        wait();
        present(record);
    }

    stream::noise lengths_;
    std::array<std::uint32_t, 66> request_{};
    std::unique_ptr<stream::interrupting> interrupting_;
    std::uint64_t requests_ = 0, submitted_ = 0, delivered_ = 0, cuts_ = 0;
};

} // namespace

int main(int argc, char **argv) {
    return stream::run<host>(argc, argv);
}
