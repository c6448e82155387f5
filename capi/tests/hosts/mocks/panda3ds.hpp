// What docs/hosts/panda3ds.md uses of Panda3DS: declarations with its names, nothing of what they do.

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include "triglyph.hpp"

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

namespace Helpers {
void warn(const char *format, ...);
}

enum class GPUInterrupt : u8 { PSC0, PSC1, VBlank0, VBlank1, PPF, P3D, DMA };

class Memory {
public:
    static constexpr u32 FCRAM_SIZE = 128 << 20;
    u8 *getFCRAM();
    void setVRAM(u8 *vram);
    u8 read8(u32 address);
    void write8(u32 address, u8 value);
};

struct Scheduler {
    enum class EventType { VBlank, GPUInterrupt };
    u64 currentTimestamp = 0;
    void rescheduleEvent(EventType type, u64 timestamp);
};

class GPUService {
public:
    void requestInterrupt(GPUInterrupt type);
};
