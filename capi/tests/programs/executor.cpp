// A job system of a C++ host draws a capture: threads that take jobs out of a queue.

#include <condition_variable>
#include <cstdio>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "triglyph.hpp"

class job_system {
public:
    explicit job_system(unsigned threads) {
        while (threads-- > 0) {
            threads_.emplace_back([this] { work(); });
        }
    }

    ~job_system() {
        {
            const std::lock_guard lock(mutex_);
            stopping_ = true;
        }
        wake_.notify_all();
        for (std::thread &thread : threads_) {
            thread.join();
        }
    }

    void add(std::function<void()> job) {
        {
            const std::lock_guard lock(mutex_);
            jobs_.push_back(std::move(job));
            added_++;
        }
        wake_.notify_one();
    }

    unsigned added() {
        const std::lock_guard lock(mutex_);
        return added_;
    }

private:
    // Executes jobs until none is left and there will be no more.
    void work() {
        std::unique_lock lock(mutex_);
        for (;;) {
            wake_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
            if (jobs_.empty()) {
                return;
            }
            const std::function<void()> job = std::move(jobs_.front());
            jobs_.pop_front();
            lock.unlock();
            job();
            lock.lock();
        }
    }

    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<std::function<void()>> jobs_;
    std::vector<std::thread> threads_;
    unsigned added_ = 0;
    bool stopping_ = false;
};

static void execute(void *user_data, triglyph_job job, void *argument) {
    static_cast<job_system *>(user_data)->add([=] { job(argument); });
}

// Plays a capture on a device that has these threads. Returns how many jobs they got.
static unsigned play(const char *path, unsigned threads, std::FILE *pixels) {
    job_system jobs(threads);
    triglyph::options options;
    options.threads = threads + 1;
    options.execute = execute;
    options.execute_user_data = &jobs;
    triglyph::capture capture(path);
    triglyph::device device(capture.machine(), options);
    triglyph::player player(capture, TRIGLYPH_CHECK_PICTURES | TRIGLYPH_CHECK_EXPECTATIONS);
    for (;;) {
        const triglyph_play_event event = player.next(*device);
        if (event.kind == TRIGLYPH_PLAY_KIND_END) {
            return jobs.added();
        }
        if (!event.ok) {
            throw triglyph::error(TRIGLYPH_STATUS_BAD_CAPTURE, "a picture is not as expected");
        }
        if (event.kind == TRIGLYPH_PLAY_KIND_PICTURE && pixels) {
            triglyph::picture picture = player.take_picture();
            const auto rgba = picture.rgba();
            std::fwrite(rgba.data(), 1, rgba.size(), pixels);
        }
    }
}

int main(int argc, char **argv) {
    if (argc != 3) {
        return 2;
    }
    std::FILE *pixels = std::fopen(argv[2], "wb");
    if (!pixels) {
        return 3;
    }
    try {
        const unsigned none = play(argv[1], 0, nullptr), some = play(argv[1], 3, pixels);
        if (none != 0 || some == 0) {
            std::fprintf(stderr, "%u and %u jobs\n", none, some);
            return 1;
        }
    } catch (const triglyph::error &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return std::fclose(pixels) ? 3 : 0;
}
