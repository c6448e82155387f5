// What docs/hosts/rpcs3.md uses of RPCS3: declarations with its names, nothing of what they do.

#include <array>
#include <atomic>
#include <mutex>

#include "triglyph.hpp"

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s64 = std::int64_t;

namespace vm {
extern u8 *const g_base_addr;
}

namespace rsx {
class thread {
public:
    u32 rsx_event_port;
    void init(u32 control);
    void on_init_thread();
    void on_task();
    void run_FIFO();
    void post_vblank_event(u64 time);
    bool request_emu_flip(u32 buffer);
    void handle_emu_flip(u32 buffer);
    void get_zcull_stats(u32 type, u32 sink);
    bool on_access_violation(u32 address, bool is_writing);
    void on_notify_memory_mapped(u32 address, u32 size);
};
} // namespace rsx

void rsx_log(const char *line);
void sys_event_port_send(u64 data);
bool is_stopped();
void wait_for_put_or_semaphore(const triglyph_waiting &waiting);
