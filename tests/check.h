// The test harness: named cases, checks that print what they saw, a count at the end. A C compiler is all it
// needs, so the tests run where nothing can be installed.
//
//     static void sum__is_exact(void) { CHECK_NEAR(1.0 + 1.0, 2.0, 0.0); }
//     int main(int argc, char** argv) { CASES(argc, argv, {"sum__is_exact", sum__is_exact}); }
//
// A program's arguments choose cases by substring. PBDR_TEST_VERBOSE=1 prints every checked value beside its
// bound.
#ifndef PBDR_TESTS_CHECK_H
#define PBDR_TESTS_CHECK_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct CheckCase {
    const char* name;
    void (*run)(void);
} CheckCase;

static int checkFailures;           // in the running case
static const char* checkSkipReason; // set by SKIP

static inline bool checkIsVerbose(void)
{
    const char* verbose = getenv("PBDR_TEST_VERBOSE");
    return verbose != NULL && verbose[0] == '1';
}

static inline void checkReport(bool good, const char* file, int line, const char* what, double value,
                               const char* relation, double bound)
{
    if (!good) {
        checkFailures++;
        printf("    %s:%d: %s = %.17g, wanted %s %.17g\n", file, line, what, value, relation, bound);
    } else if (checkIsVerbose()) {
        printf("    %s = %.6g (%s %.6g)\n", what, value, relation, bound);
    }
}

#define CHECK(condition)                                                                                     \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            checkFailures++;                                                                                 \
            printf("    %s:%d: not true: %s\n", __FILE__, __LINE__, #condition);                             \
        }                                                                                                    \
    } while (0)

// A NaN fails every one of these.
#define CHECK_LE(value, bound)                                                                               \
    do {                                                                                                     \
        double checkV = (double)(value), checkB = (double)(bound);                                           \
        checkReport(checkV <= checkB, __FILE__, __LINE__, #value, checkV, "<=", checkB);                     \
    } while (0)
#define CHECK_GE(value, bound)                                                                               \
    do {                                                                                                     \
        double checkV = (double)(value), checkB = (double)(bound);                                           \
        checkReport(checkV >= checkB, __FILE__, __LINE__, #value, checkV, ">=", checkB);                     \
    } while (0)
#define CHECK_EQ(value, expected)                                                                            \
    do {                                                                                                     \
        double checkV = (double)(value), checkB = (double)(expected);                                        \
        checkReport(checkV == checkB, __FILE__, __LINE__, #value, checkV, "==", checkB);                     \
    } while (0)
#define CHECK_NEAR(value, expected, tolerance) CHECK_LE(fabs((double)(value) - (double)(expected)), tolerance)
#define CHECK_TEXT(text, part)                                                                               \
    do {                                                                                                     \
        if (strstr((text), (part)) == NULL) {                                                                \
            checkFailures++;                                                                                 \
            printf("    %s:%d: \"%s\" does not contain \"%s\"\n", __FILE__, __LINE__, (text), (part));       \
        }                                                                                                    \
    } while (0)
#define SKIP(reason)                                                                                         \
    do {                                                                                                     \
        checkSkipReason = (reason);                                                                          \
        return;                                                                                              \
    } while (0)

static inline int checkRun(int argc, char** argv, const CheckCase* cases, int count)
{
    int passed = 0, failed = 0, skipped = 0;
    for (int i = 0; i < count; i++) {
        bool chosen = argc < 2;
        for (int k = 1; k < argc; k++) {
            chosen = chosen || strstr(cases[i].name, argv[k]) != NULL;
        }
        if (!chosen) {
            continue;
        }
        checkFailures = 0;
        checkSkipReason = NULL;
        cases[i].run();
        if (checkFailures > 0) {
            failed++;
            printf("FAILED  %s\n", cases[i].name);
        } else if (checkSkipReason != NULL) {
            skipped++;
            printf("SKIPPED %s: %s\n", cases[i].name, checkSkipReason);
        } else {
            passed++;
            printf("ok      %s\n", cases[i].name);
        }
        fflush(stdout);
    }
    printf("cases: %d passed, %d failed, %d skipped\n", passed, failed, skipped);
    return failed == 0 && passed + skipped > 0 ? 0 : 1;
}

#define CASES(argc, argv, ...)                                                                               \
    do {                                                                                                     \
        static const CheckCase checkCases[] = {__VA_ARGS__};                                                 \
        return checkRun(argc, argv, checkCases, (int)(sizeof checkCases / sizeof checkCases[0]));            \
    } while (0)

#endif
