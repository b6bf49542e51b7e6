// A pool of threads (tasks.h). Threads take the next index until there is none: who runs which task is left to chance, so
// a task's result must not depend on its worker.
//
// The gate is a number that says which round there is, whether it is open, and how many threads are in it. Threads enter an
// open round, and the caller closes it when no task is left, so that he waits for those alone who came in: one that is slow
// to wake costs nothing. Threads that are done look out for the next round for a while before they sleep, since the stages
// of a substep follow each other.
#include "tasks/tasks.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

// Looks at the gate before a thread sleeps, some tens of microseconds, and at what others have done before a thread that
// waits for them lets other programs run.
#define AWAKE 1000
#define PATIENCE 200

// The gate: rounds above, then whether the round is closed, then how many threads are in it.
#define ROUND ((uint64_t)1 << 32)
#define CLOSED ((uint64_t)1 << 31)
#define INSIDE (CLOSED - 1)

// A thread of the pool.
typedef struct Thread {
    pbdrTasks* tasks;
    int worker;
    pthread_t thread;
} Thread;

struct pbdrTasks {
    int workerCount;
    pbdrTaskHooks hooks;
    Thread* threads; // workerCount - 1: the caller works too
    int threadCount; // that were started
    pthread_mutex_t mutex;
    pthread_cond_t begins;
    atomic_int sleepers;
    atomic_bool quits;
    _Atomic uint64_t gate;
    // What there is to do: the caller's while the gate is closed
    pbdrTask* task;
    void* data;
    int count;
    bool kept; // workers begin at places of their own
    atomic_int next;
    _Atomic uint64_t taken; // of kept tasks, as bits
};

// A moment that leaves the core to its other thread.
static void breathe(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

// Between two looks at what others do.
static void rest(int looks)
{
    if (looks < PATIENCE) {
        breathe();
    } else {
        sched_yield();
    }
}

static void workKept(pbdrTasks* tasks, int worker)
{
    const int first = worker * tasks->count / tasks->workerCount;
    for (int k = 0; k < tasks->count; k++) {
        const int index = first + k < tasks->count ? first + k : first + k - tasks->count;
        const uint64_t bit = (uint64_t)1 << index;
        if ((atomic_load_explicit(&tasks->taken, memory_order_relaxed) & bit) == 0 &&
            (atomic_fetch_or_explicit(&tasks->taken, bit, memory_order_relaxed) & bit) == 0) {
            tasks->task(tasks->data, index, worker);
        }
    }
}

static void work(pbdrTasks* tasks, int worker)
{
    if (tasks->kept) {
        workKept(tasks, worker);
        return;
    }
    for (;;) {
        const int index = atomic_fetch_add_explicit(&tasks->next, 1, memory_order_relaxed);
        if (index >= tasks->count) {
            return;
        }
        tasks->task(tasks->data, index, worker);
    }
}

// Whether there is a round to enter other than the last one.
static bool isOpen(uint64_t gate, uint64_t last)
{
    return (gate & CLOSED) == 0 && gate / ROUND != last;
}

static bool mayGoOn(pbdrTasks* tasks, uint64_t last)
{
    return isOpen(atomic_load(&tasks->gate), last) || atomic_load(&tasks->quits);
}

// Until there is a round, or nothing to do ever again.
static void waitForRound(pbdrTasks* tasks, uint64_t last)
{
    for (int looks = 0; looks < AWAKE; looks++) {
        if (mayGoOn(tasks, last)) {
            return;
        }
        breathe();
    }
    pthread_mutex_lock(&tasks->mutex);
    atomic_fetch_add(&tasks->sleepers,
                     1); // before the gate is looked at: who opens it looks at this afterwards
    while (!mayGoOn(tasks, last)) {
        pthread_cond_wait(&tasks->begins, &tasks->mutex);
    }
    atomic_fetch_sub(&tasks->sleepers, 1);
    pthread_mutex_unlock(&tasks->mutex);
}

static void* serve(void* context)
{
    const Thread* thread = context;
    pbdrTasks* tasks = thread->tasks;
    uint64_t last = 0;
    for (;;) {
        waitForRound(tasks, last);
        if (atomic_load(&tasks->quits)) {
            return NULL;
        }
        uint64_t gate = atomic_load(&tasks->gate);
        if (!isOpen(gate, last) || !atomic_compare_exchange_strong(&tasks->gate, &gate, gate + 1)) {
            continue;
        }
        last = gate / ROUND;
        work(tasks, thread->worker);
        atomic_fetch_sub(&tasks->gate, 1);
    }
}

static void wake(pbdrTasks* tasks)
{
    if (atomic_load(&tasks->sleepers) > 0) {
        pthread_mutex_lock(&tasks->mutex);
        pthread_cond_broadcast(&tasks->begins);
        pthread_mutex_unlock(&tasks->mutex);
    }
}

static void stopThreads(pbdrTasks* tasks)
{
    atomic_store(&tasks->quits, true);
    wake(tasks);
    for (int k = 0; k < tasks->threadCount; k++) {
        pthread_join(tasks->threads[k].thread, NULL);
    }
    pthread_cond_destroy(&tasks->begins);
    pthread_mutex_destroy(&tasks->mutex);
}

static bool startThreads(pbdrTasks* tasks)
{
    atomic_init(&tasks->sleepers, 0);
    atomic_init(&tasks->quits, false);
    atomic_init(&tasks->gate, CLOSED);
    if (pthread_mutex_init(&tasks->mutex, NULL) != 0) {
        return false;
    }
    if (pthread_cond_init(&tasks->begins, NULL) != 0) {
        pthread_mutex_destroy(&tasks->mutex);
        return false;
    }
    for (int k = 0; k < tasks->workerCount - 1; k++) {
        Thread* thread = &tasks->threads[k];
        *thread = (Thread){.tasks = tasks, .worker = k + 1};
        if (pthread_create(&thread->thread, NULL, serve, thread) != 0) {
            stopThreads(tasks);
            return false;
        }
        tasks->threadCount++;
    }
    return true;
}

pbdrTasks* pbdrMakeTasks(pbdrMemory* memory, int workerCount, const pbdrTaskHooks* hooks)
{
    pbdrTasks* tasks = pbdrTakeMemory(memory, 1, sizeof *tasks);
    if (tasks == NULL) {
        return NULL;
    }
    tasks->workerCount = workerCount;
    tasks->hooks = *hooks;
    if (workerCount == 1 || hooks->run != NULL) {
        return tasks;
    }
    tasks->threads = pbdrTakeMemory(memory, (size_t)workerCount - 1, sizeof *tasks->threads);
    if (tasks->threads == NULL || !startThreads(tasks)) {
        pbdrGiveMemory(memory, tasks->threads, (size_t)workerCount - 1, sizeof *tasks->threads);
        pbdrGiveMemory(memory, tasks, 1, sizeof *tasks);
        return NULL;
    }
    return tasks;
}

void pbdrFreeTasks(pbdrMemory* memory, pbdrTasks* tasks)
{
    if (tasks == NULL) {
        return;
    }
    if (tasks->threads != NULL) {
        stopThreads(tasks);
        pbdrGiveMemory(memory, tasks->threads, (size_t)tasks->workerCount - 1, sizeof *tasks->threads);
    }
    pbdrGiveMemory(memory, tasks, 1, sizeof *tasks);
}

int pbdrCountWorkers(const pbdrTasks* tasks)
{
    return tasks->workerCount;
}

pbdrTaskHooks pbdrGetTaskHooks(const pbdrTasks* tasks)
{
    return tasks->hooks;
}

// By several workers.
static void share(pbdrTasks* tasks, int count, bool kept, pbdrTask* task, void* data)
{
    if (tasks->hooks.run != NULL) {
        tasks->hooks.run(tasks->hooks.context, count, task, data);
        return;
    }
    tasks->task = task;
    tasks->data = data;
    tasks->count = count;
    tasks->kept = kept;
    atomic_store_explicit(&tasks->next, 0, memory_order_relaxed);
    atomic_store_explicit(&tasks->taken, 0, memory_order_relaxed);
    atomic_store(&tasks->gate, (atomic_load(&tasks->gate) / ROUND + 1) * ROUND); // nobody is inside
    wake(tasks);
    work(tasks, 0);
    atomic_fetch_or(&tasks->gate, CLOSED);
    for (int looks = 0; (atomic_load(&tasks->gate) & INSIDE) != 0; looks++) {
        rest(looks);
    }
}

static inline void run(pbdrTasks* tasks, int count, bool kept, pbdrTask* task, void* data)
{
    if (tasks->workerCount > 1 && count > 1) {
        share(tasks, count, kept, task, data);
        return;
    }
    for (int k = 0; k < count; k++) {
        task(data, k, 0);
    }
}

void pbdrRunTasks(pbdrTasks* tasks, int count, pbdrTask* task, void* data)
{
    run(tasks, count, false, task, data);
}

void pbdrRunKeptTasks(pbdrTasks* tasks, int count, pbdrTask* task, void* data)
{
    run(tasks, count, true, task, data);
}
