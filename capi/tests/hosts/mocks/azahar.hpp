// What docs/hosts/azahar.md uses of Azahar: declarations with its names, nothing of what they do.

#include <cstring>
#include <functional>
#include <string>

#include "triglyph.hpp"

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s64 = std::int64_t;

void LogDebug(const char *line);
void SignalEvent(u32 handle);

namespace Memory {
constexpr u32 VRAM_PADDR = 0x18000000, VRAM_SIZE = 0x600000, FCRAM_PADDR = 0x20000000, FCRAM_SIZE = 0x8000000;

class MemorySystem {
public:
    u8 *GetPhysicalPointer(u32 address);
    void CopyBlock(u32 target, u32 source, std::size_t size);
};
} // namespace Memory

namespace Core {
struct TimingEventType;

class Timing {
public:
    TimingEventType *RegisterEvent(const std::string &name, std::function<void(std::uintptr_t, s64)> callback);
    void ScheduleEvent(s64 cycles, const TimingEventType *event, std::uintptr_t user_data = 0);
};
} // namespace Core

namespace Service::GSP {
enum class InterruptId : u8 { PSC0, PSC1, PDC0, PDC1, PPF, P3D, DMA };
using InterruptHandler = std::function<void(InterruptId, u64)>;

struct Command {
    u32 words[8];
};
} // namespace Service::GSP
