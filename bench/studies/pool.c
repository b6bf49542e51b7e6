// Jobs in processes of their own, several at once.
//
// A child sends its result as one line of text through a pipe; the parent alone writes the log. A child that
// crashes is a result like any other. Children look at each frame whether their parent is still there, so
// that nothing is left running when it is killed.
#define _POSIX_C_SOURCE 200809L
#include "studies/study.h"

#include "fail.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define TICK 200 // between reports, and how late an interrupt may be seen [ms]

// A child at work.
typedef struct Slot {
    pid_t child; // 0: free
    int pipe;
    int job;
    double begun; // [s]
    char* text;   // what it has sent
    size_t length;
} Slot;

typedef struct Run {
    StudyPool* pool;
    int slotCount, busyCount;
    Slot* slots;
    struct pollfd* polled;
    int* order; // jobs still to be run, the next one first
    int orderCount, next;
    bool dry;                       // others have no job for us any more
    int started;                    // processes
    double expectedDone, spentDone; // over the jobs that ended here: guessed and true time [s]
} Run;

// --- The child's side ---

static bool isParentThere(void* context, double doneShare)
{
    (void)doneShare;
    return getppid() == *(pid_t*)context;
}

static void workAsChild(const Run* run, const StudyJob* job, int pipe, pid_t parent)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, standard = {.sa_handler = SIG_DFL};
    sigaction(SIGINT, &ignore, NULL); // Ctrl-C reaches the whole group; the parent ends its children itself
    sigaction(SIGTERM, &standard, NULL);
    for (int k = 0; k < run->slotCount; k++) {
        if (run->slots[k].child > 0) {
            close(run->slots[k].pipe);
        }
    }
    char* text = studyRunJob(job, isParentThere, &parent);
    if (text == NULL) {
        _exit(3);
    }
    size_t length = strlen(text);
    text[length] = '\n'; // in place of the 0: what marks the end of a whole result
    for (size_t done = 0; done <= length;) {
        ssize_t count = write(pipe, text + done, length + 1 - done);
        if (count > 0) {
            done += (size_t)count;
        } else if (errno != EINTR) {
            _exit(3);
        }
    }
    _exit(0);
}

// --- Starting and ending children ---

static bool start(Run* run, Slot* slot, int job, pbdrError* error)
{
    int ends[2];
    if (pipe(ends) != 0) {
        benchFail(error, pbdr_statusNoMemory, "no pipe: %s", strerror(errno));
        return false;
    }
    fflush(NULL); // or the child would write what is still in the buffers a second time
    pid_t parent = getpid();
    run->started++;
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        if (studyIsFaultDue("crash", run->started)) {
            raise(SIGKILL);
        }
        workAsChild(run, &run->pool->plan->jobs[job], ends[1], parent);
    }
    close(ends[1]);
    if (child < 0) {
        benchFail(error, pbdr_statusNoMemory, "no process: %s", strerror(errno));
        close(ends[0]);
        return false;
    }
    *slot = (Slot){.child = child, .pipe = ends[0], .job = job, .begun = benchGetSeconds()};
    run->busyCount++;
    return true;
}

// Waits for the child and frees the slot. Returns how the child ended, as waitpid has it.
static int release(Run* run, Slot* slot)
{
    int status = 0;
    close(slot->pipe);
    while (waitpid(slot->child, &status, 0) < 0 && errno == EINTR) {
    }
    free(slot->text);
    *slot = (Slot){0};
    run->busyCount--;
    return status;
}

static void endAll(Run* run)
{
    for (int k = 0; k < run->slotCount; k++) {
        if (run->slots[k].child > 0) {
            kill(run->slots[k].child, SIGKILL);
            release(run, &run->slots[k]);
        }
    }
}

// --- The parent's side ---

static char* explainEnd(int status)
{
    char why[128];
    if (WIFSIGNALED(status)) {
        snprintf(why, sizeof why, "crashed (signal %d: %s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    } else {
        snprintf(why, sizeof why, "ended its process (exit code %d)", WEXITSTATUS(status));
    }
    return studyMakeFailure(why);
}

// Seconds until all is done: guesses, corrected by how the finished jobs compare with theirs.
static double estimateLeft(const Run* run)
{
    const StudyJob* jobs = run->pool->plan->jobs;
    double scale = run->expectedDone > 0.0 ? run->spentDone / run->expectedDone : 1.0;
    double sum = 0.0, longest = 0.0, now = benchGetSeconds();
    for (int k = 0; k < run->slotCount; k++) {
        if (run->slots[k].child > 0) {
            double left = scale * jobs[run->slots[k].job].expectedSeconds - (now - run->slots[k].begun);
            sum += left > 0.0 ? left : 0.0;
            longest = left > longest ? left : longest;
        }
    }
    for (int k = run->next; k < run->orderCount; k++) {
        sum += scale * jobs[run->order[k]].expectedSeconds;
    }
    return sum / run->slotCount > longest ? sum / run->slotCount : longest;
}

// A child has closed its pipe: takes its result. False if it cannot be kept.
static bool finish(Run* run, Slot* slot, pbdrError* error)
{
    StudyPool* pool = run->pool;
    int job = slot->job;
    double spent = benchGetSeconds() - slot->begun;
    char* text = slot->text;
    bool whole = text != NULL && slot->length > 0 && text[slot->length - 1] == '\n';
    slot->text = NULL;
    if (whole) {
        text[slot->length - 1] = 0;
        whole = studyIsResult(text);
    }
    int status = release(run, slot);
    if (!whole) {
        free(text);
        text = explainEnd(status);
    }
    if (text == NULL) {
        benchFail(error, pbdr_statusNoMemory, "out of memory");
        return false;
    }
    pool->results[job] = text;
    run->expectedDone += pool->plan->jobs[job].expectedSeconds;
    run->spentDone += spent;
    if (!studyIsFailure(text) &&
        studyAppendLog(pool->log, pool->plan->jobs[job].key, text, error) != pbdr_statusOk) {
        return false;
    }
    pool->report(pool->context, job, estimateLeft(run));
    return true;
}

// Reads what a child has sent. False if that cannot be kept.
static bool receive(Run* run, Slot* slot, pbdrError* error)
{
    char bytes[16384];
    ssize_t count = read(slot->pipe, bytes, sizeof bytes);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) {
        return true;
    }
    if (count <= 0) {
        return finish(run, slot, error);
    }
    char* text = realloc(slot->text, slot->length + (size_t)count + 1);
    if (text == NULL) {
        benchFail(error, pbdr_statusNoMemory, "out of memory");
        return false;
    }
    memcpy(text + slot->length, bytes, (size_t)count);
    slot->text = text;
    slot->length += (size_t)count;
    return true;
}

// Starts jobs while there are free slots. A process that cannot be had is an error only if none is at work.
static bool fillSlots(Run* run, pbdrError* error)
{
    const StudyPool* pool = run->pool;
    for (int k = 0; k < run->slotCount && pool->take != NULL; k++) {
        const bool free = run->slots[k].child == 0 && !run->dry;
        const int job = pool->take(pool->source, free);
        run->dry = run->dry || (free && job == STUDY_NO_JOB_LEFT);
        if (free && job >= 0) {
            run->order[run->orderCount++] = job; // started below
        }
    }
    for (int k = 0; k < run->slotCount && run->next < run->orderCount; k++) {
        if (run->slots[k].child == 0) {
            if (!start(run, &run->slots[k], run->order[run->next], error)) {
                return run->busyCount > 0;
            }
            run->next++;
        }
    }
    return true;
}

static bool waitAndReceive(Run* run, pbdrError* error)
{
    for (int k = 0; k < run->slotCount; k++) {
        bool busy = run->slots[k].child > 0;
        run->polled[k] = (struct pollfd){.fd = busy ? run->slots[k].pipe : -1, .events = POLLIN};
    }
    const int tick = run->pool->take != NULL ? run->pool->tick : TICK;
    if (poll(run->polled, (nfds_t)run->slotCount, tick) <= 0) {
        return true; // a tick, or a signal
    }
    for (int k = 0; k < run->slotCount; k++) {
        if (run->slots[k].child > 0 && run->polled[k].revents != 0 && !receive(run, &run->slots[k], error)) {
            return false;
        }
    }
    return true;
}

static StudyEnd work(Run* run, pbdrError* error)
{
    StudyPool* pool = run->pool;
    while (run->next < run->orderCount || run->busyCount > 0 || (pool->take != NULL && !run->dry)) {
        if (*pool->stop != 0) {
            return studyInterrupted;
        }
        if (!fillSlots(run, error) || !waitAndReceive(run, error)) {
            return studyBroken;
        }
        if (run->busyCount > 0 || run->next < run->orderCount) {
            pool->report(pool->context, -1, estimateLeft(run));
        }
    }
    return studyDone;
}

int studyOrderJobs(const StudyPlan* plan, char* const* results, int* order)
{
    int count = 0;
    for (int k = 0; k < plan->jobCount; k++) {
        if (results[k] != NULL) {
            continue;
        }
        int place = count++;
        while (!plan->kind->alone && place > 0 &&
               plan->jobs[order[place - 1]].expectedSeconds < plan->jobs[k].expectedSeconds) {
            order[place] = order[place - 1];
            place--;
        }
        order[place] = k;
    }
    return count;
}

StudyEnd studyRunPool(StudyPool* pool, pbdrError* error)
{
    Run run = {.pool = pool, .slotCount = pool->plan->kind->alone ? 1 : pool->processes};
    run.slots = calloc((size_t)run.slotCount, sizeof *run.slots);
    run.polled = calloc((size_t)run.slotCount, sizeof *run.polled);
    run.order = calloc((size_t)pool->plan->jobCount + 1, sizeof *run.order);
    StudyEnd end = studyBroken;
    if (run.slots != NULL && run.polled != NULL && run.order != NULL) {
        run.orderCount = pool->take == NULL ? studyOrderJobs(pool->plan, pool->results, run.order) : 0;
        end = work(&run, error);
        endAll(&run);
    } else {
        benchFail(error, pbdr_statusNoMemory, "out of memory for %d processes", run.slotCount);
    }
    free(run.slots);
    free(run.polled);
    free(run.order);
    return end;
}
