// fork, shared memory, and waiting with a limit.
//
// Parent and child share the result's memory and nothing else: there is no pipe that a grandchild could hold
// open. The parent copies the result once, after the child's whole process group is gone.
#define _GNU_SOURCE // MAP_ANONYMOUS
#include "isolate.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

// What the two processes share; the result follows.
typedef struct Shared {
    volatile double share;
    volatile int done; // DONE once the work has returned
    _Alignas(64) char result[];
} Shared;

#define DONE 0x600d

static volatile sig_atomic_t runningChild; // 0: none

void benchEndIsolated(void)
{
    if (runningChild > 0) {
        kill(-(pid_t)runningChild, SIGKILL);
    }
}

// --- The child ---

// Private memory that this process has now [bytes]; 0 where the system does not say.
static rlim_t getDataSize(void)
{
    unsigned long size = 0, resident, shared, text, library, data = 0;
    FILE* file = fopen("/proc/self/statm", "r");
    if (file != NULL) {
        if (fscanf(file, "%lu %lu %lu %lu %lu %lu", &size, &resident, &shared, &text, &library, &data) != 6) {
            data = 0;
        }
        fclose(file);
    }
    return (rlim_t)data * (rlim_t)sysconf(_SC_PAGESIZE);
}

static void setUpChild(const BenchLimits* limits)
{
    setpgid(0, 0);
    const int ends[] = {SIGINT, SIGTERM, SIGALRM};
    for (size_t k = 0; k < sizeof ends / sizeof ends[0]; k++) {
        signal(ends[k], SIG_DFL); // the parent's handlers are not the child's
    }
    signal(SIGTTOU, SIG_IGN); // it is in the background of a terminal, and may write there
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL); // should the parent be killed
#endif
    int nothing = open("/dev/null", O_RDONLY);
    if (nothing >= 0) {
        dup2(nothing, STDIN_FILENO);
        close(nothing);
    }
    dup2(STDERR_FILENO, STDOUT_FILENO);
    // Private writable memory: what a library merely reserves, as CUDA does, is not counted.
    rlim_t most = getDataSize() + ((rlim_t)limits->megabytes << 20);
    setrlimit(RLIMIT_DATA, &(struct rlimit){most, most});
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
}

// --- The parent ---

static double getSeconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1.0e-9 * (double)now.tv_nsec;
}

static void describeEnd(int status, char* why, size_t whySize)
{
    if (WIFSIGNALED(status)) {
        snprintf(why, whySize, "crashed (signal %d: %s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    } else {
        snprintf(why, whySize, "ended its process (exit code %d)", WEXITSTATUS(status));
    }
}

// Whether the child has ended; it is left to be waited for, so that its number stays its own.
static bool hasEnded(pid_t child)
{
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ? errno != EINTR
                                                                               : info.si_pid == child;
}

// Waits until the child has ended, or must.
static BenchEnd watch(pid_t child, const Shared* shared, const BenchLimits* limits, BenchGoOn goOn,
                      void* goOnContext)
{
    double begun = getSeconds();
    for (long pause = 200000; !hasEnded(child); pause = pause < 10000000 ? 2 * pause : 20000000) { // [ns]
        double share = shared->share;
        if (goOn != NULL && !goOn(goOnContext, share >= 0.0 && share <= 1.0 ? share : 0.0)) {
            return benchEndStopped;
        }
        if (getSeconds() - begun > limits->seconds) {
            return benchEndFailed;
        }
        nanosleep(&(struct timespec){0, pause}, NULL);
    }
    return benchEndDone;
}

static BenchEnd finish(pid_t child, const Shared* shared, const BenchLimits* limits, BenchGoOn goOn,
                       void* goOnContext, char* why, size_t whySize)
{
    setpgid(child, child); // whoever of the two comes first
    runningChild = child;
    BenchEnd end = watch(child, shared, limits, goOn, goOnContext);
    kill(-child, SIGKILL); // with all that it has started
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    runningChild = 0;
    if (end == benchEndFailed) {
        int length = snprintf(why, whySize, "took longer than %g s (--plugin-timeout)", limits->seconds);
        if (shared->share > 0.0 && shared->share <= 1.0 && length >= 0 && (size_t)length < whySize) {
            snprintf(why + length, whySize - (size_t)length, ", at %.2g %% of the run",
                     100.0 * shared->share);
        }
    } else if (end == benchEndDone && (status != 0 || shared->done != DONE)) {
        describeEnd(status, why, whySize);
        end = benchEndFailed;
    }
    return end;
}

BenchEnd benchIsolate(BenchWork work, void* context, void* result, size_t size, const BenchLimits* limits,
                      BenchGoOn goOn, void* goOnContext, char* why, size_t whySize)
{
    size_t whole = sizeof(Shared) + size;
    Shared* shared = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        snprintf(why, whySize, "no shared memory: %s", strerror(errno));
        return benchEndFailed;
    }
    fflush(NULL); // or the child would write what is still in the buffers a second time
    pid_t child = fork();
    if (child == 0) {
        setUpChild(limits);
        work(context, shared->result, &shared->share);
        fflush(NULL);
        shared->done = DONE;
        _exit(0);
    }
    BenchEnd end = benchEndFailed;
    if (child < 0) {
        snprintf(why, whySize, "no process: %s", strerror(errno));
    } else {
        end = finish(child, shared, limits, goOn, goOnContext, why, whySize);
    }
    if (end == benchEndDone) {
        memcpy(result, shared->result, size);
    }
    munmap(shared, whole);
    return end;
}

bool benchCleanText(char* text, size_t size)
{
    bool clean = memchr(text, 0, size) != NULL;
    text[size - 1] = 0;
    for (char* c = text; *c != 0; c++) {
        if ((unsigned char)*c < 0x20 || (unsigned char)*c >= 0x7f) {
            *c = '?';
            clean = false;
        }
    }
    return clean;
}
