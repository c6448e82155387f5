// A PNG file of the default framebuffer. It is not compressed: that takes no library.
#include "context.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// What a stored block of deflate can hold.
enum { LARGEST_BLOCK = 65535 };

// A growing file in memory.
struct bytes {
    uint8_t *data;
    size_t length;
};

static void add(struct bytes *to, const void *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) to->data[to->length++] = ((const uint8_t *)bytes)[i];
}

static void add_be32(struct bytes *to, uint32_t value) {
    const uint8_t bytes[] = {value >> 24, value >> 16, value >> 8, value};
    add(to, bytes, sizeof bytes);
}

static uint32_t crc32(const uint8_t *bytes, size_t count) {
    uint32_t crc = ~0u;
    for (size_t i = 0; i < count; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320 : 0);
    }
    return ~crc;
}

static uint32_t adler32(const uint8_t *bytes, size_t count) {
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < count; i++) {
        a = (a + bytes[i]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

static void add_chunk(struct bytes *to, const char *kind, const uint8_t *bytes, size_t count) {
    add_be32(to, count);
    size_t start = to->length;
    add(to, kind, 4);
    add(to, bytes, count);
    add_be32(to, crc32(to->data + start, to->length - start));
}

// The zlib stream of bytes: a header, stored blocks, a checksum.
static struct bytes stored(const uint8_t *bytes, size_t count) {
    struct bytes stream = {malloc(count + count / LARGEST_BLOCK * 5 + 16), 0};
    add(&stream, "\x78\x01", 2);
    for (size_t at = 0; at < count; at += LARGEST_BLOCK) {
        size_t length = count - at < LARGEST_BLOCK ? count - at : LARGEST_BLOCK;
        const uint8_t header[] = {at + length == count, length, length >> 8, ~length, ~length >> 8};
        add(&stream, header, sizeof header);
        add(&stream, bytes + at, length);
    }
    add_be32(&stream, adler32(bytes, count));
    return stream;
}

// The rows as PNG has them: from the top, each after the number of its filter, which is 0 for none.
static struct bytes rows(int width, int height) {
    size_t row = (size_t)width * 4;
    struct bytes result = {malloc((row + 1) * height), 0};
    uint8_t *pixels = malloc(row * height);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    for (int y = height - 1; y >= 0; y--) {
        add(&result, "", 1);
        add(&result, pixels + y * row, row);
    }
    free(pixels);
    return result;
}

void write_picture(const char *path, int width, int height) {
    struct bytes raw = rows(width, height), stream = stored(raw.data, raw.length);
    struct bytes header = {(uint8_t[13]){0}, 0}, file = {malloc(stream.length + 64), 0};
    add_be32(&header, width);
    add_be32(&header, height);
    // 8 bits for each channel, red, green, blue and alpha.
    add(&header, "\x08\x06\0\0\0", 5);
    add(&file, "\x89PNG\r\n\x1a\n", 8);
    add_chunk(&file, "IHDR", header.data, header.length);
    add_chunk(&file, "IDAT", stream.data, stream.length);
    add_chunk(&file, "IEND", NULL, 0);
    FILE *out = fopen(path, "wb");
    int written = out && fwrite(file.data, 1, file.length, out) == file.length && fclose(out) == 0;
    if (!written) fail("cannot write %s", path);
    free(raw.data);
    free(stream.data);
    free(file.data);
}
