// The benchmark's failures, told as the library tells its own.
#ifndef PBDR_BENCH_FAIL_H
#define PBDR_BENCH_FAIL_H

#include "pbdr/base.h"

// Fills error (may be NULL) with a printf-style message and returns status, so that a failure is one line.
pbdrStatus benchFail(pbdrError* error, pbdrStatus status, const char* format, ...)
#ifdef __GNUC__
    __attribute__((format(printf, 3, 4)))
#endif
    ;

#endif
