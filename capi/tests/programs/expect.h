/* What tests in C and C++ expect: they end where it is not so, and say what it was and the library's last error. */

#ifndef EXPECT_H
#define EXPECT_H

#include <stdio.h>
#include <stdlib.h>

#include "triglyph.h"

#define EXPECT(condition)                                                                                              \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s, line %d: %s (%s)\n", __FILE__, __LINE__, #condition, triglyph_last_error());          \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)
#define OK(call) EXPECT((call) == TRIGLYPH_STATUS_OK)

#endif
