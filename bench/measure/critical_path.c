// The critical path of two threads on one large island, in instructions, for valgrind's callgrind to count: what
// scripts/critical_path.sh runs.
//
//     build/measure/critical_path plan SCENE SOLVER SUBSTEPS EVERY SOME PLAN
//     valgrind --tool=callgrind --instr-atstart=no build/measure/critical_path all|path SCENE SOLVER SUBSTEPS EVERY SOME PLAN
//
// All tasks of the world run in one thread, in the caller's pool that this program is. "plan" runs without valgrind, times
// each task and shares the tasks of each call out to two workers, as the library's own threads would: each begins at a
// place of its own and takes what is left, whoever is free first. What the worker who ends first did is written to PLAN. A
// world has the same tasks in every run, so under valgrind "all" counts every instruction, and "path" leaves out what PLAN
// names: what is left is what two threads cannot do at the same time. What it costs to wake and to meet is not in it.
// Counted are SOME substeps in the middle of every stretch of EVERY.
#define _POSIX_C_SOURCE 200809L

#include "callgrind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MOST_TASKS 65536

typedef struct Pool {
    bool plans, leavesOut;
    bool counts; // the present substep
    FILE* plan;
    double times[MOST_TASKS];       // [s]
    unsigned char away[MOST_TASKS]; // done by the worker who ends first
} Pool;

static double readClock(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1.0e-9 * (double)time.tv_nsec;
}

// Who does what, by the times of the tasks.
static void shareOut(Pool* pool, int count)
{
    double ends[2] = {0.0, 0.0};
    int next[2] = {0, count / 2};
    unsigned char owner[MOST_TASKS];
    memset(owner, 2, (size_t)count);
    for (int done = 0; done < count; done++) {
        const int worker = ends[1] < ends[0] ? 1 : 0;
        while (owner[next[worker] % count] != 2) {
            next[worker]++;
        }
        owner[next[worker] % count] = (unsigned char)worker;
        ends[worker] += pool->times[next[worker] % count];
    }
    const int last = ends[1] > ends[0] ? 1 : 0;
    for (int k = 0; k < count; k++) {
        pool->away[k] = owner[k] != last;
    }
}

static void runTasks(void* context, int count, pbdrTask* task, void* data)
{
    Pool* pool = context;
    if (count > MOST_TASKS) {
        fprintf(stderr, "critical_path: %d tasks at once\n", count);
        exit(1);
    }
    if (pool->plans) {
        for (int k = 0; k < count; k++) {
            const double start = readClock();
            task(data, k, 0);
            pool->times[k] = readClock() - start;
        }
        shareOut(pool, count);
        fwrite(&count, sizeof count, 1, pool->plan);
        fwrite(pool->away, 1, (size_t)count, pool->plan);
        return;
    }
    int planned = 0;
    if (fread(&planned, sizeof planned, 1, pool->plan) != 1 || planned != count ||
        fread(pool->away, 1, (size_t)count, pool->plan) != (size_t)count) {
        fprintf(stderr, "critical_path: the plan is of another run\n");
        exit(1);
    }
    for (int k = 0; k < count; k++) {
        const bool leave = pool->leavesOut && pool->counts && pool->away[k];
        if (leave) {
            CALLGRIND_TOGGLE_COLLECT;
        }
        task(data, k, 0);
        if (leave) {
            CALLGRIND_TOGGLE_COLLECT;
        }
    }
}

static int run(Pool* pool, const ManySolver* solver, ManyScene* scene, int substeps, int every, int some)
{
    char message[MANY_MESSAGE];
    void* simulation = solver->create(scene, message);
    if (simulation == NULL) {
        fprintf(stderr, "critical_path: %s\n", message);
        return 1;
    }
    printf("%d\n", stepAndCount(solver, simulation, substeps, every, some, &pool->counts));
    solver->destroy(simulation);
    return 0;
}

int main(int argc, char** argv)
{
    static Pool pool;
    if (argc != 8) {
        fprintf(stderr, "usage: critical_path plan|all|path SCENE SOLVER SUBSTEPS EVERY SOME PLAN\n");
        return 2;
    }
    const ManyEntry* entry = manyFindEntry(argv[2]);
    const ManySolver* solver = manyFindSolver(argv[3]);
    const int substeps = atoi(argv[4]), every = atoi(argv[5]), some = atoi(argv[6]);
    if (entry == NULL || solver == NULL || some < 1 || every < some || substeps < every) {
        fprintf(stderr, "critical_path: there is no such scene or solver, or no such substeps\n");
        return 2;
    }
    pool.plans = strcmp(argv[1], "plan") == 0;
    pool.leavesOut = strcmp(argv[1], "path") == 0;
    pool.plan = fopen(argv[7], pool.plans ? "wb" : "rb");
    if (pool.plan == NULL) {
        fprintf(stderr, "critical_path: %s cannot be opened\n", argv[7]);
        return 1;
    }
    ManyScene scene;
    char message[MANY_MESSAGE];
    if (!manyBuildScene(entry, NULL, &scene, message, sizeof message)) {
        fprintf(stderr, "critical_path: %s\n", message);
        return 1;
    }
    const pbdrTaskHooks hooks = {runTasks, &pool};
    scene.threads = 2;
    scene.unprofiled = true;
    scene.tasks = &hooks;
    const int code = run(&pool, solver, &scene, substeps, every, some);
    manyFreeScene(&scene);
    return fclose(pool.plan) == 0 ? code : 1;
}
