// Findings of draws in C++: a machine that checks its draws tells why one changes nothing, others tell nothing.

#include <cstring>
#include <string>
#include <vector>

#include "expect.h"
#include "triglyph.hpp"
#include "triglyph_n3ds_commands.h"

namespace {

constexpr std::uint32_t HEAP = 0x20000000;

struct found {
    std::uint32_t kind, severity, register_number;
    std::string what, advice;
};

/// What a list with a draw of no vertices gives.
std::vector<found> draw(const triglyph::options &options) {
    std::vector<std::uint8_t> heap(1 << 16);
    std::vector<found> findings;
    std::uint32_t words[64], command[8];
    triglyph_words list{words, 64, 0, 0};
    triglyph_n3ds_list_color_target(&list, HEAP + 0x8000, TRIGLYPH_N3DS_PICA_COLOR_FORMAT_FORMAT_RGBA8, 64, 64);
    triglyph_n3ds_list_viewport(&list, 0, 0, 64, 64);
    triglyph_n3ds_list_draw_arrays(&list, 0, 0);
    triglyph_n3ds_gx_list(command, 0x30000000, triglyph_n3ds_list_finish(&list));
    triglyph_store_le(heap.data(), words, list.count);

    triglyph::n3ds gpu(options);
    gpu.device().map_host({0, HEAP}, heap);
    gpu.on_finding([&](const triglyph_finding &finding) {
        EXPECT(finding.size == sizeof finding);
        findings.push_back({finding.kind, finding.severity, finding.register_number, finding.what, finding.advice});
    });
    OK(triglyph_n3ds_execute(gpu.get(), command, nullptr));
    // Without a handler nothing is told.
    gpu.on_finding(nullptr);
    const std::size_t count = findings.size();
    OK(triglyph_n3ds_execute(gpu.get(), command, nullptr));
    EXPECT(findings.size() == count);
    return findings;
}

} // namespace

int main() {
    triglyph::options options;
    EXPECT(draw(options).empty());
    options.validate = 1;
    const auto findings = draw(options);
    EXPECT(!findings.empty());
    EXPECT(findings[0].kind == TRIGLYPH_FINDING_KIND_NO_VERTICES);
    EXPECT(findings[0].severity == TRIGLYPH_SEVERITY_INVISIBLE);
    EXPECT(findings[0].register_number == TRIGLYPH_N3DS_PICA_NUM_VERTICES);
    EXPECT(!findings[0].what.empty() && !findings[0].advice.empty());
    EXPECT(std::strcmp(triglyph_finding_kind_name(findings[0].kind), "no-vertices") == 0);
    return 0;
}
