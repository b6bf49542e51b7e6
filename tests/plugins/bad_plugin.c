// Plug-ins that misbehave, one per BEHAVIOUR: the benchmark must report each and go on. Where they do not
// misbehave they simulate a body that stays where it starts.
#define _DEFAULT_SOURCE
#include "pbdr/bench/solver.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    CRASH_IN_STEP = 1,
    CRASH_AT_LOAD,
    WRONG_ABI,
    NO_FUNCTIONS,
    REFUSES,
    EXITS,
    NAN_ROTATION, // in read, and so on
    ZERO_ROTATION,
    NAN_VELOCITY,
    NAN_MOMENTUM,
    NAMED_PBDR,
    NAME_WITH_NEWLINE,
    NAME_WITH_ESCAPE,
    NAME_WITH_FOLDER,
    VERSION_WITH_COMMA,
    UNKNOWN_FLAGS,
    DOUBTS,        // raises flags that there are
    FORGES,        // writes over all memory that it shares with other processes
    HANGS,         // in step
    HANGS_AT_LOAD, // and ignores what can be ignored
    GRABS_MEMORY,  // 1 GiB; refuses the scene where it cannot have it
    HAS_A_CHILD,   // that outlives it, and crashes
    PRINTS,        // on stdout
    OLD_ABI,       // of the version before joints, with a bit that meant nothing then
};

static pbdrPose start;

// Fills every shared, writable mapping of this process with the byte in $FORGED, or if there is none with
// random bytes.
static void forge(void)
{
    FILE* maps = fopen("/proc/self/maps", "r");
    char line[512], access[8];
    unsigned long first, end;
    const char* text = getenv("FORGED");
    while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
        if (sscanf(line, "%lx-%lx %7s", &first, &end, access) != 3 || strcmp(access, "rw-s") != 0) {
            continue;
        }
        for (unsigned char* byte = (unsigned char*)first; byte < (unsigned char*)end; byte++) {
            *byte = text != NULL ? (unsigned char)atoi(text) : (unsigned char)rand();
        }
    }
    if (maps != NULL) {
        fclose(maps);
    }
}

static void haveAChild(void)
{
    pid_t child = fork();
    if (child == 0) {
        FILE* file = fopen("grandchild.pid", "w");
        if (file != NULL) {
            fprintf(file, "%ld\n", (long)getpid());
            fclose(file);
        }
        sleep(20);
        _exit(0);
    }
    usleep(200000); // until the file is there
}

static void* create(const pbdrBenchScene* scene, char message[PBDR_BENCH_MESSAGE])
{
    start = scene->bodies[0].start;
    if (BEHAVIOUR == REFUSES) {
        snprintf(message, PBDR_BENCH_MESSAGE, "not supported: on Sundays");
        return NULL;
    }
    if (BEHAVIOUR == GRABS_MEMORY) {
        void* volatile memory = malloc((size_t)1 << 30); // clang leaves out what nobody looks at
        if (memory == NULL) {
            snprintf(message, PBDR_BENCH_MESSAGE, "there is no 1 GiB");
            return NULL;
        }
        free(memory);
    }
    if (BEHAVIOUR == HAS_A_CHILD) {
        haveAChild();
    }
    if (BEHAVIOUR == PRINTS) {
        puts("WORDS ON STDOUT");
    }
    return &start;
}

static uint32_t step(void* s, int count)
{
    (void)s, (void)count;
    if (BEHAVIOUR == EXITS) {
        exit(7);
    }
    if (BEHAVIOUR == CRASH_IN_STEP || BEHAVIOUR == HAS_A_CHILD) {
        abort();
    }
    while (BEHAVIOUR == HANGS) {
        sleep(1);
    }
    return BEHAVIOUR == UNKNOWN_FLAGS ? 0x80u : BEHAVIOUR == DOUBTS ? pbdr_stepNotConverged : 0;
}

static void readMotion(void* s, int body, pbdrPose* pose, pbdrVelocity* velocity)
{
    (void)s, (void)body;
    *pose = start;
    *velocity = (pbdrVelocity){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    if (BEHAVIOUR == NAN_ROTATION) {
        pose->rotation.y = (double)NAN;
    }
    if (BEHAVIOUR == ZERO_ROTATION) {
        pose->rotation = (pbdrQuat){0.0, 0.0, 0.0, 0.0};
    }
    if (BEHAVIOUR == NAN_VELOCITY) {
        velocity->linear.z = (double)NAN;
    }
}

static void readMomentum(void* s, int body, pbdrMomentum* momentum)
{
    (void)s, (void)body;
    *momentum = (pbdrMomentum){{0.0, 0.0, 0.0}, {0.0, 0.0, (double)NAN}};
}

static void destroy(void* s)
{
    (void)s;
    if (BEHAVIOUR == FORGES) {
        forge();
    }
}

const pbdrBenchSolver* pbdrBenchPlugin(void);
const pbdrBenchSolver* pbdrBenchPlugin(void)
{
    static pbdrBenchSolver solver = {
        .abi = BEHAVIOUR == WRONG_ABI ? PBDR_BENCH_ABI + 1
               : BEHAVIOUR == OLD_ABI ? PBDR_BENCH_OLDEST_ABI
                                      : PBDR_BENCH_ABI,
        .capabilities = BEHAVIOUR == OLD_ABI ? pbdr_benchUsesJoints : 0,
        .name = BEHAVIOUR == NAMED_PBDR          ? "pbdr"
                : BEHAVIOUR == NAME_WITH_NEWLINE ? "two\nlines"
                : BEHAVIOUR == NAME_WITH_ESCAPE  ? "red\033[31m"
                : BEHAVIOUR == NAME_WITH_FOLDER  ? "../up"
                                                 : "bad",
        .version = BEHAVIOUR == VERSION_WITH_COMMA ? "1,2" : "0",
        .create = create,
        .step = BEHAVIOUR == NO_FUNCTIONS ? NULL : step,
        .read = readMotion,
        .destroy = destroy,
        .readMomentum = BEHAVIOUR == NAN_MOMENTUM ? readMomentum : NULL,
    };
    if (BEHAVIOUR == CRASH_AT_LOAD) {
        abort();
    }
    while (BEHAVIOUR == HANGS_AT_LOAD) {
        sleep(1);
    }
    return &solver;
}
