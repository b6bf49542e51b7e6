// A pool of threads (tasks.h). Threads take the next index until there is none: who runs which task is left to chance, so
// a task's result must not depend on its worker.
#include "tasks/tasks.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

// Looks at what others have done before a thread that waits for them lets other programs run.
#define PATIENCE 200

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
    pthread_cond_t begins, ends;
    // Under the mutex: what there is to do
    uint64_t round;
    int busy; // threads that work on it
    bool quits;
    pbdrTask* task;
    void* data;
    int count;
    atomic_int next;
};

static void work(pbdrTasks* tasks, int worker)
{
    for (;;) {
        const int index = atomic_fetch_add_explicit(&tasks->next, 1, memory_order_relaxed);
        if (index >= tasks->count) {
            return;
        }
        tasks->task(tasks->data, index, worker);
    }
}

static void* serve(void* context)
{
    const Thread* thread = context;
    pbdrTasks* tasks = thread->tasks;
    uint64_t seen = 0;
    pthread_mutex_lock(&tasks->mutex);
    for (;;) {
        while (tasks->round == seen && !tasks->quits) {
            pthread_cond_wait(&tasks->begins, &tasks->mutex);
        }
        if (tasks->quits) {
            pthread_mutex_unlock(&tasks->mutex);
            return NULL;
        }
        seen = tasks->round;
        pthread_mutex_unlock(&tasks->mutex);
        work(tasks, thread->worker);
        pthread_mutex_lock(&tasks->mutex);
        if (--tasks->busy == 0) {
            pthread_cond_signal(&tasks->ends);
        }
    }
}

static void stopThreads(pbdrTasks* tasks)
{
    pthread_mutex_lock(&tasks->mutex);
    tasks->quits = true;
    pthread_cond_broadcast(&tasks->begins);
    pthread_mutex_unlock(&tasks->mutex);
    for (int k = 0; k < tasks->threadCount; k++) {
        pthread_join(tasks->threads[k].thread, NULL);
    }
    pthread_cond_destroy(&tasks->begins);
    pthread_cond_destroy(&tasks->ends);
    pthread_mutex_destroy(&tasks->mutex);
}

static bool startThreads(pbdrTasks* tasks)
{
    if (pthread_mutex_init(&tasks->mutex, NULL) != 0) {
        return false;
    }
    if (pthread_cond_init(&tasks->begins, NULL) != 0) {
        pthread_mutex_destroy(&tasks->mutex);
        return false;
    }
    if (pthread_cond_init(&tasks->ends, NULL) != 0) {
        pthread_cond_destroy(&tasks->begins);
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

void pbdrRunTasks(pbdrTasks* tasks, int count, pbdrTask* task, void* data)
{
    if (tasks->workerCount == 1 || count <= 1) {
        for (int k = 0; k < count; k++) {
            task(data, k, 0);
        }
        return;
    }
    if (tasks->hooks.run != NULL) {
        tasks->hooks.run(tasks->hooks.context, count, task, data);
        return;
    }
    pthread_mutex_lock(&tasks->mutex);
    tasks->task = task;
    tasks->data = data;
    tasks->count = count;
    atomic_store_explicit(&tasks->next, 0, memory_order_relaxed);
    tasks->busy = tasks->threadCount;
    tasks->round++;
    pthread_cond_broadcast(&tasks->begins);
    pthread_mutex_unlock(&tasks->mutex);
    work(tasks, 0);
    pthread_mutex_lock(&tasks->mutex);
    while (tasks->busy > 0) {
        pthread_cond_wait(&tasks->ends, &tasks->mutex);
    }
    pthread_mutex_unlock(&tasks->mutex);
}

// --- Phases ---

typedef struct Phases {
    pbdrPhaseStart* getStart;
    pbdrTask* task;
    void* data;
    int count;
    atomic_int next, done;
} Phases;

static void waitFor(Phases* phases, int start)
{
    for (int looks = 0; atomic_load_explicit(&phases->done, memory_order_acquire) < start; looks++) {
        if (looks >= PATIENCE) {
            sched_yield();
        }
    }
}

static void takePart(void* data, int index, int worker)
{
    Phases* phases = data;
    (void)index;
    for (;;) {
        const int next = atomic_fetch_add_explicit(&phases->next, 1, memory_order_relaxed);
        if (next >= phases->count) {
            return;
        }
        waitFor(phases, phases->getStart(phases->data, next));
        phases->task(phases->data, next, worker);
        atomic_fetch_add_explicit(&phases->done, 1, memory_order_release);
    }
}

void pbdrRunPhases(pbdrTasks* tasks, int count, pbdrPhaseStart* getStart, pbdrTask* task, void* data)
{
    Phases phases = {.getStart = getStart, .task = task, .data = data, .count = count};
    atomic_init(&phases.next, 0);
    atomic_init(&phases.done, 0);
    pbdrRunTasks(tasks, tasks->workerCount < count ? tasks->workerCount : count, takePart, &phases);
}
