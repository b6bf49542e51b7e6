// valgrind's requests to callgrind, which do nothing where they are not known. bench/measure/.
#ifndef PBDR_BENCH_MEASURE_CALLGRIND_H
#define PBDR_BENCH_MEASURE_CALLGRIND_H

#if defined(__has_include)
#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#endif
#endif
#ifndef CALLGRIND_START_INSTRUMENTATION
#define CALLGRIND_START_INSTRUMENTATION
#define CALLGRIND_STOP_INSTRUMENTATION
#define CALLGRIND_TOGGLE_COLLECT
#endif

#endif
