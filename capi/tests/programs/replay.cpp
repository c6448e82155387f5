// Plays a capture and writes the pixels of all its pictures into a file, one after the other.

#include <cstdio>
#include <fstream>

#include "triglyph.hpp"

int main(int argc, char **argv) try {
    if (argc != 3) {
        return 2;
    }
    triglyph::check_version();
    triglyph::capture capture(argv[1]);
    triglyph::options options;
    options.threads = 1;
    triglyph::device device(capture.machine(), options);
    triglyph::player player(capture, TRIGLYPH_CHECK_PICTURES | TRIGLYPH_CHECK_EXPECTATIONS);
    std::ofstream file(argv[2], std::ios::binary);
    for (;;) {
        triglyph_play_event event = player.next(*device);
        if (event.kind == TRIGLYPH_PLAY_KIND_PICTURE) {
            triglyph::picture picture = player.take_picture();
            auto rgba = picture.rgba();
            file.write(reinterpret_cast<const char *>(rgba.data()), std::streamsize(rgba.size()));
        }
        if (!event.ok) {
            return 4;
        }
        if (event.kind == TRIGLYPH_PLAY_KIND_END) {
            return file.flush() ? 0 : 3;
        }
    }
} catch (const triglyph::error &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
