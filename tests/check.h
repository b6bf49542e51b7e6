// The test harness: named cases, checks that print what they saw, a count at the end. A C compiler is all it
// needs, so the tests run where nothing can be installed.
//
//     static void sum__is_exact(void) { CHECK_NEAR(1.0 + 1.0, 2.0, 0.0); }
//     int main(int argc, char** argv) { CASES(argc, argv, {"sum__is_exact", sum__is_exact}); }
//
// A program's arguments choose cases by substring; those that begin with - leave out what they name.
// PBDR_TEST_VERBOSE=1 prints every checked value beside its bound. Each case's name is printed before it
// runs, and a program that ends within one (a signal, abort, exit) says in which and counts it as failed.
// Under the address sanitizer a bad access is the sanitizer's to report: the last line that begins with "run"
// names the case.
#ifndef PBDR_TESTS_CHECK_H
#define PBDR_TESTS_CHECK_H

#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct CheckCase {
    const char* name;
    void (*run)(void);
} CheckCase;

static int checkFailures;                          // in the running case
static const char* checkSkipReason;                // set by SKIP
static const char* checkRunning;                   // name of the running case; NULL between cases
static int checkPassed, checkFailed, checkSkipped; // cases so far

static inline bool checkIsVerbose(void)
{
    const char* verbose = getenv("PBDR_TEST_VERBOSE");
    return verbose != NULL && verbose[0] == '1';
}

static inline bool checkIsMeasuring(void)
{
    const char* measuring = getenv("PBDR_TEST_MEASURED");
    return measuring != NULL && measuring[0] == '1';
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

static inline void checkReportNear(const char* file, int line, const char* what, double value,
                                   double expected, double tolerance)
{
    double difference = value - expected;
    if (!(fabs(difference) <= tolerance)) {
        checkFailures++;
        printf("    %s:%d: %s = %.17g, wanted %.17g +- %.3g, off by %.3g\n", file, line, what, value,
               expected, tolerance, difference);
    } else if (checkIsVerbose()) {
        printf("    %s = %.6g (%.6g +- %.3g, off by %.3g)\n", what, value, expected, tolerance, difference);
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
#define CHECK_NEAR(value, expected, tolerance)                                                               \
    checkReportNear(__FILE__, __LINE__, #value, (double)(value), (double)(expected), (double)(tolerance))
// A number that a page states: at most its bar, and told as a line of CSV, without commas of its own, where PBDR_TEST_MEASURED=1 (scripts/joints.sh).
#define CHECK_MEASURED(what, value, bar)                                                                     \
    do {                                                                                                     \
        const double checkMeasured = (double)(value);                                                        \
        CHECK_LE(checkMeasured, bar);                                                                        \
        if (checkIsMeasuring()) {                                                                            \
            printf("measured,%s,%.3g,%.3g\n", what, checkMeasured, (double)(bar));                           \
        }                                                                                                    \
    } while (0)
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

static inline void checkPrintCount(void)
{
    printf("cases: %d passed, %d failed, %d skipped\n", checkPassed, checkFailed, checkSkipped);
    fflush(stdout);
}

// The program ends within a case: by exit, or by a signal (printf is not for handlers, but the program is
// lost anyway, and the name has been printed before).
static inline void checkReportEnd(void)
{
    if (checkRunning != NULL) {
        printf("FAILED  %s: the program ended in it\n", checkRunning);
        checkRunning = NULL;
        checkFailed++;
        checkPrintCount();
        _Exit(1); // whatever exit was called with
    }
}

static inline void checkReportSignal(int number)
{
    signal(number, SIG_DFL);
    const char* name = checkRunning;
    checkRunning = NULL;
    if (name != NULL) {
        printf("CRASHED %s: signal %d\n", name, number);
        checkFailed++;
        checkPrintCount();
    }
    raise(number);
}

static inline void checkWatch(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    const int signals[] = {SIGABRT, SIGTERM};
#else
    const int signals[] = {SIGABRT, SIGTERM, SIGSEGV, SIGFPE, SIGILL};
#endif
    for (size_t k = 0; k < sizeof signals / sizeof signals[0]; k++) {
        signal(signals[k], checkReportSignal);
    }
    atexit(checkReportEnd);
}

static inline void checkRunCase(const CheckCase* one)
{
    checkFailures = 0;
    checkSkipReason = NULL;
    printf("run     %s\n", one->name);
    fflush(stdout);
    checkRunning = one->name;
    clock_t start = clock();
    one->run();
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC; // of the processor
    checkRunning = NULL;
    if (checkFailures > 0) {
        checkFailed++;
        printf("FAILED  %s\n", one->name);
    } else if (checkSkipReason != NULL) {
        checkSkipped++;
        printf("SKIPPED %s: %s\n", one->name, checkSkipReason);
    } else {
        checkPassed++;
        printf(seconds < 0.1 ? "ok      %s\n" : "ok      %s (%.1f s)\n", one->name, seconds);
    }
    fflush(stdout);
}

static inline int checkRun(int argc, char** argv, const CheckCase* cases, int count)
{
    checkWatch();
    for (int i = 0; i < count; i++) {
        bool chosen = false, named = false, leftOut = false;
        for (int k = 1; k < argc; k++) {
            bool leaves = argv[k][0] == '-';
            bool matches = strstr(cases[i].name, argv[k] + leaves) != NULL;
            leftOut = leftOut || (leaves && matches);
            named = named || !leaves;
            chosen = chosen || (!leaves && matches);
        }
        if ((chosen || !named) && !leftOut) {
            checkRunCase(&cases[i]);
        }
    }
    checkPrintCount();
    return checkFailed == 0 && checkPassed + checkSkipped > 0 ? 0 : 1;
}

#define CASES(argc, argv, ...)                                                                               \
    do {                                                                                                     \
        static const CheckCase checkCases[] = {__VA_ARGS__};                                                 \
        return checkRun(argc, argv, checkCases, (int)(sizeof checkCases / sizeof checkCases[0]));            \
    } while (0)

#endif
