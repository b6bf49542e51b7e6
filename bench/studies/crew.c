// A study by several processes on several machines: rank 0 hands jobs out and works itself, the others ask for jobs. All
// of them see one folder, and each writes a log of its own there, so that whatever is killed, what was finished stays.
//
//   rank 1, 2, ...  --ask-->  rank 0  --job, or none left-->  rank 1, 2, ...  --done-->  rank 0
//
// A rank asks for its next job while it runs one, so that it does not wait for the answer.
#define _POSIX_C_SOURCE 200809L
#include "studies/study.h"

#include "fail.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MODULE "pbdr_mpi.so"
// How late rank 0 sees a question, and another rank its answer [ms].
#define TICK 4

// What a number means; each study has its own, for a rank may be one ahead.
enum { TAG_ASK = 1, TAG_JOB = 2, TAG_DONE = 3, TAG_COUNT = 4 };

// What mpirun and its like leave in the environment of those that they start: the number of ranks.
static int countRanks(void)
{
    static const char* const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        const char* value = getenv(names[k]);
        if (value != NULL && atoi(value) > 0) {
            return atoi(value);
        }
    }
    // srun with PMIx; in a script that srun has not started, the number of tasks alone says nothing
    const char* tasks = getenv("PMIX_RANK") != NULL ? getenv("SLURM_STEP_NUM_TASKS") : NULL;
    return tasks != NULL && atoi(tasks) > 0 ? atoi(tasks) : 1;
}

// Beside the program, or where an installation has it.
static void* openModule(char* message, size_t size)
{
    static const char* const places[] = {"", "../lib/pbdr/", "../bench/"};
    const char* named = getenv("PBDR_MPI_MODULE");
    char program[3000];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = 0;
    char* slash = strrchr(program, '/');
    if (slash != NULL) {
        slash[1] = 0;
    }
    void* module = named != NULL ? dlopen(named, RTLD_NOW | RTLD_GLOBAL) : NULL;
    for (size_t k = 0; named == NULL && module == NULL && k < sizeof places / sizeof places[0]; k++) {
        char path[4096];
        snprintf(path, sizeof path, "%s%s" MODULE, program, places[k]);
        if (access(path, R_OK) == 0) {
            module = dlopen(path, RTLD_NOW | RTLD_GLOBAL); // MPI looks for its own parts
        }
    }
    const char* why = module == NULL ? dlerror() : NULL;
    snprintf(message, size, "%s", why != NULL ? why : "no " MODULE " beside the program");
    return module;
}

bool studyJoinCrew(StudyCrew* crew, pbdrError* error)
{
    *crew = (StudyCrew){.rank = 0, .count = 1};
    const int count = countRanks();
    if (count <= 1) {
        return true;
    }
    char why[300];
    void* module = openModule(why, sizeof why);
    // a function's address through a pointer to one, as POSIX has it
    const StudyMessages* (*get)(void) = NULL;
    if (module != NULL) {
        *(void**)&get = dlsym(module, "studyGetMessages");
    }
    if (get == NULL) {
        benchFail(
            error, pbdr_statusNotSupported,
            "started as one of %d ranks, but this build has no MPI (%s): install libopenmpi-dev and build "
            "again, or use --shard",
            count, why);
        return false;
    }
    crew->messages = get();
    if (!crew->messages->start(&crew->rank, &crew->count)) {
        benchFail(error, pbdr_statusNotSupported, "MPI does not start");
        return false;
    }
    return true;
}

void studyLeaveCrew(const StudyCrew* crew)
{
    if (crew->messages != NULL) {
        crew->messages->end();
    }
}

// --- Rank 0 ---

typedef struct Foreman {
    const StudyMessages* messages;
    int tags; // of the study
    int* order;
    int orderCount, next;
    int doneCount; // ranks that are
} Foreman;

static int popJob(Foreman* foreman)
{
    return foreman->next < foreman->orderCount ? foreman->order[foreman->next++] : STUDY_NO_JOB_LEFT;
}

static void answer(Foreman* foreman)
{
    int rank, value;
    while (foreman->messages->receive(foreman->tags + TAG_ASK, &rank, &value)) {
        foreman->messages->send(rank, foreman->tags + TAG_JOB, popJob(foreman));
    }
    while (foreman->messages->receive(foreman->tags + TAG_DONE, &rank, &value)) {
        foreman->doneCount++;
    }
}

static int takeAsForeman(void* source, bool free)
{
    Foreman* foreman = source;
    answer(foreman);
    return free ? popJob(foreman) : STUDY_NO_JOB_YET;
}

static void sleepTick(void)
{
    const struct timespec tick = {.tv_nsec = TICK * 1000000L};
    nanosleep(&tick, NULL);
}

static StudyEnd runForeman(const StudyCrew* crew, StudyPool* pool, pbdrError* error)
{
    Foreman foreman = {.messages = crew->messages, .tags = TAG_COUNT * crew->round};
    foreman.order = calloc((size_t)pool->plan->jobCount + 1, sizeof *foreman.order);
    if (foreman.order == NULL) {
        benchFail(error, pbdr_statusNoMemory, "out of memory for %d jobs", pool->plan->jobCount);
        return studyBroken;
    }
    foreman.orderCount = studyOrderJobs(pool->plan, pool->results, foreman.order);
    pool->take = takeAsForeman;
    pool->source = &foreman;
    pool->tick = TICK;
    StudyEnd end = studyRunPool(pool, error);
    while (end == studyDone && foreman.doneCount < crew->count - 1) {
        answer(&foreman);
        sleepTick();
        end = *pool->stop != 0 ? studyInterrupted : end;
    }
    free(foreman.order);
    return end;
}

// --- The others ---

typedef struct Hand {
    const StudyMessages* messages;
    int tags; // of the study
    bool asked, dry;
    int held; // the next job, or STUDY_NO_JOB_YET
} Hand;

static void ask(Hand* hand)
{
    if (!hand->asked && !hand->dry && hand->held < 0) {
        hand->messages->send(0, hand->tags + TAG_ASK, 0);
        hand->asked = true;
    }
}

static int takeAsHand(void* source, bool free)
{
    Hand* hand = source;
    int rank, job;
    if (hand->asked && hand->messages->receive(hand->tags + TAG_JOB, &rank, &job)) {
        hand->asked = false;
        hand->dry = job < 0;
        hand->held = job < 0 ? STUDY_NO_JOB_YET : job;
    }
    if (!free) {
        return STUDY_NO_JOB_YET;
    }
    const int taken = hand->held;
    hand->held = STUDY_NO_JOB_YET;
    ask(hand);
    return taken < 0 && hand->dry ? STUDY_NO_JOB_LEFT : taken;
}

static StudyEnd runHand(const StudyCrew* crew, StudyPool* pool, pbdrError* error)
{
    Hand hand = {.messages = crew->messages, .tags = TAG_COUNT * crew->round, .held = STUDY_NO_JOB_YET};
    ask(&hand);
    pool->take = takeAsHand;
    pool->source = &hand;
    pool->tick = TICK;
    const StudyEnd end = studyRunPool(pool, error);
    if (end == studyDone) {
        crew->messages->send(0, hand.tags + TAG_DONE, 0);
    }
    return end;
}

StudyEnd studyRunCrew(StudyCrew* crew, StudyPool* pool, pbdrError* error)
{
    crew->round++;
    if (crew->count == 1) {
        return studyRunPool(pool, error);
    }
    return crew->rank == 0 ? runForeman(crew, pool, error) : runHand(crew, pool, error);
}
