/* What the consoles have in common: what a machine does, and a host's console that has one. */

#ifndef CONSOLE_H
#define CONSOLE_H

#include <stdatomic.h>

#include "../expect.h"

#define LONG 60000000000u /* a minute, in nanoseconds */
#define MEMORY (1u << 20)

typedef struct console console;

/* What only a machine has. */
typedef struct {
    const char *name;
    uint32_t number;
    /* Memory of the host's that the guest's processor and the GPU share. */
    uint32_t space;
    uint64_t address;
    void (*create)(console *console, const triglyph_options *options);
    void (*destroy)(console *console);
    /* The guest starts its program, changes what it stores, and ends it. */
    void (*begin)(console *console);
    void (*change)(console *console, uint32_t value);
    void (*end)(console *console);
    /* What the guest's system does with interrupts. */
    void (*serve)(console *console);
    /* The counter that shows when the program does what it was changed to; 0 if there is none. */
    uint32_t counter;
} machine;

struct console {
    const machine *machine;
    triglyph_n3ds *n3ds;
    triglyph_rsx *rsx;
    triglyph_tegra *tegra;
    triglyph_device *device;
    triglyph_worker *worker;
    /* The memory of the host's; null for a console whose memory is the library's. */
    uint8_t *memory;
    triglyph_buffer *saved;
    atomic_uint interrupts, vblanks, served;
    uint32_t value;
    uint64_t offset; /* of the buffer in the Tegra's address space */
    char path[1024];
};

/* A machine with its number, the address space and address of its memory, and its counter; and the functions that make
 * and destroy it. */
#define MACHINE(name, text, number, space, address, counter)                                                           \
    static void name##_create(console *console, const triglyph_options *options) {                                     \
        OK(triglyph_##name##_create(options, &console->name));                                                         \
        console->device = triglyph_##name##_device(console->name);                                                     \
    }                                                                                                                  \
    static void name##_destroy(console *console) {                                                                     \
        OK(triglyph_##name##_destroy(console->name));                                                                  \
    }                                                                                                                  \
    const machine name##_machine = {text, number, space, address, name##_create, name##_destroy,                       \
                                    name##_begin, name##_change, name##_end, name##_serve, counter}

extern const machine n3ds_machine, rsx_machine, tegra_machine;

/* Words of the guest's, in its byte order, as its processor stores them. */
void store(console *console, uint64_t at, const uint32_t *words, size_t count);

/* The callback for faults: there are none. */
void no_fault(void *user_data, const triglyph_fault *fault);

/* A second machine goes on from the save state, in memory of the library's. */
void restore(console *other, const console *first);

/* All that is mapped, and what it holds. */
void compare(console *first, console *second);

/* The recording has the same bytes at all times that were looked at. */
void replay(const console *console, uint32_t tier);

#endif
