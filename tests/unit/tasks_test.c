// The pool of threads (tasks/tasks.h): every task once, a worker never twice at a time, also on a caller's pool.
#include "scenes.h"
#include "tasks/tasks.h"

#include "math/vec.h"

#include <stdatomic.h>

#define TASKS 2000
#define WORKERS 8

typedef struct Tally {
    atomic_int runs[TASKS], busy[WORKERS], clashes, strangers;
    int workers;
    double results[TASKS];
} Tally;

static void tally(void* data, int index, int worker)
{
    Tally* tally = data;
    if (worker < 0 || worker >= tally->workers) {
        atomic_fetch_add(&tally->strangers, 1);
        return;
    }
    atomic_fetch_add(&tally->clashes, atomic_fetch_add(&tally->busy[worker], 1) != 0);
    atomic_fetch_add(&tally->runs[index], 1);
    double sum = 0.0;
    for (int k = 1; k < 200; k++) {
        sum += 1.0 / (k + index);
    }
    tally->results[index] = sum;
    atomic_fetch_sub(&tally->busy[worker], 1);
}

static void checkPool(int workers, const pbdrTaskHooks* hooks, int rounds, int count, bool kept)
{
    static Tally sums;
    memset(&sums, 0, sizeof sums);
    sums.workers = workers;
    pbdrMemory memory = {.byteCount = 0};
    pbdrTasks* tasks = pbdrMakeTasks(&memory, workers, hooks);
    CHECK(tasks != NULL);
    CHECK_EQ(pbdrCountWorkers(tasks), workers);
    for (int round = 0; round < rounds; round++) {
        (kept ? pbdrRunKeptTasks : pbdrRunTasks)(tasks, count, tally, &sums);
    }
    for (int k = 0; k < TASKS; k++) {
        CHECK_EQ(atomic_load(&sums.runs[k]), k < count ? rounds : 0);
    }
    CHECK_EQ(atomic_load(&sums.clashes), 0);
    CHECK_EQ(atomic_load(&sums.strangers), 0);
    pbdrFreeTasks(&memory, tasks);
    CHECK_EQ(memory.byteCount, 0);
}

static void tasks__all_run_once(void)
{
    const pbdrTaskHooks none = {NULL, NULL};
    for (int workers = 1; workers <= WORKERS; workers++) {
        checkPool(workers, &none, 5, TASKS, false);
        checkPool(workers, &none, 200, 3, false);
        checkPool(workers, &none, 5, 1, false);
        checkPool(workers, &none, 5, 0, false);
    }
}

// Those that workers keep, up to 64 of them.
static void kept_tasks__all_run_once(void)
{
    const pbdrTaskHooks none = {NULL, NULL};
    for (int workers = 1; workers <= WORKERS; workers++) {
        for (int count = 0; count <= 64; count += count < 9 ? 1 : 11) {
            checkPool(workers, &none, 50, count, true);
        }
    }
}

// A caller's pool that runs everything backwards, on its own thread, by the last worker.
static void runBackwards(void* context, int count, pbdrTask* task, void* data)
{
    ++*(int*)context;
    for (int k = count; k-- > 0;) {
        task(data, k, WORKERS - 1);
    }
}

static void hooks__run_the_tasks(void)
{
    int calls = 0;
    const pbdrTaskHooks hooks = {runBackwards, &calls};
    checkPool(WORKERS, &hooks, 7, 50, false);
    CHECK_EQ(calls, 7);
}

// A world of so many threads, or of a caller's pool that counts its calls, with the ground and a box to put into it.
static pbdrWorld* makeShared(int threads, int* calls, int perSide, pbdrShape** shape)
{
    pbdrWorldDef def = pbdrDefaultWorldDef();
    def.solver = pbdr_solverXpbdR;
    def.threads = threads;
    def.tasks = calls != NULL ? (pbdrTaskHooks){runBackwards, calls} : (pbdrTaskHooks){NULL, NULL};
    pbdrWorld* world = makeWorld(def);
    addGround(world, 0.4);
    pbdrError error;
    require(pbdrCreateBoxShape(pbdrVec(0.1, 0.1, 0.1), 1.0, perSide, shape, &error), &error);
    return world;
}

// Twelve towers of three boxes that topple onto each other: the same bits for any number of threads, and for a
// caller's pool.
static void threads__change_no_bit(void)
{
    int calls = 0;
    uint64_t hashes[5];
    const int threads[5] = {1, 2, 3, 8, 8};
    for (int k = 0; k < 5; k++) {
        pbdrShape* shape;
        pbdrError error;
        pbdrWorld* world = makeShared(threads[k], k == 4 ? &calls : NULL, 3, &shape);
        for (int i = 0; i < 36; i++) {
            pbdrBodyDef body = pbdrDefaultBodyDef();
            body.friction = 0.4;
            body.position =
                pbdrVec(0.16 * (i % 12) + 0.03 * (i / 12), 0.01 * (i % 5), 0.06 + 0.11 * (i / 12));
            body.velocity.linear = pbdrVec(0.02 * (i % 7), 0.0, 0.0);
            body.velocity.angular = pbdrVec(0.0, 0.3 * (i % 3), 0.1);
            require(pbdrCreateBodyFromShape(world, &body, shape, NULL, &error), &error);
        }
        pbdrReleaseShape(shape);
        for (int step = 0; step < 150; step++) {
            pbdrWorld_Step(world, 1);
        }
        hashes[k] = pbdrWorld_GetHash(world);
        CHECK(hashes[k] == hashes[0]);
        pbdrDestroyWorld(world);
    }
    CHECK_GE(calls, 100);
}

// A block of 343 boxes that falls down and apart: one island, which all threads prepare.
static void threads__that_share_an_island_change_no_bit(void)
{
    int calls = 0;
    uint64_t first = 0;
    const int threads[5] = {1, 2, 3, 8, 8};
    for (int k = 0; k < 5; k++) {
        pbdrShape* shape;
        pbdrError error;
        pbdrWorld* world = makeShared(threads[k], k == 4 ? &calls : NULL, 2, &shape);
        for (int i = 0; i < 343; i++) {
            pbdrBodyDef body = pbdrDefaultBodyDef();
            body.position = pbdrVec(0.1002 * (i % 7), 0.1002 * (i / 7 % 7), 0.0502 + 0.1002 * (i / 49));
            body.velocity.linear = pbdrVec(0.1 * (i % 3 - 1), 0.07 * (i % 5 - 2), -0.2);
            body.velocity.angular = pbdrVec(0.2 * (i % 4), 0.3 * (i % 3), 0.1);
            require(pbdrCreateBodyFromShape(world, &body, shape, NULL, &error), &error);
        }
        pbdrReleaseShape(shape);
        for (int step = 0; step < 6; step++) {
            pbdrWorld_Step(world, 1);
        }
        const uint64_t hash = pbdrWorld_GetHash(world);
        first = k == 0 ? hash : first;
        CHECK(hash == first);
        pbdrDestroyWorld(world);
    }
    CHECK_GE(calls, 6 * 8); // parts are prepared, filled, measured, swept, pushed and finished
}

static void threads__out_of_range_are_refused(void)
{
    const int bad[3] = {0, -3, PBDR_MAX_THREADS + 1};
    for (int k = 0; k < 3; k++) {
        pbdrWorldDef def = makePbdRDef();
        def.threads = bad[k];
        pbdrWorld* world;
        pbdrError error;
        CHECK_EQ(pbdrCreateWorld(&def, &world, &error), pbdr_statusInvalidArgument);
        CHECK_TEXT(error.message, "threads");
    }
}

// --- Batches ---

static void runAndCount(void* context, int count, pbdrTask* task, void* data)
{
    *(int*)context = count;
    for (int k = 0; k < count; k++) {
        task(data, k, 0);
    }
}

// However few worlds there are, every thread has one.
static void batch__shares_few_worlds_out(void)
{
    pbdrWorld* world = makeWorld(makePbdRDef());
    addGround(world, 0.4);
    addCube(world, 2, 0.0, 0.0, 0.1);
    int tasks = 0;
    pbdrBatchDef def = pbdrDefaultBatchDef();
    def.threads = 4;
    def.tasks = (pbdrTaskHooks){.run = runAndCount, .context = &tasks};
    for (def.count = 4; def.count <= 40; def.count += 9) {
        pbdrBatch* batch;
        require(pbdrCreateBatch(world, &def, &batch, NULL), NULL);
        CHECK_EQ(pbdrBatch_Step(batch, 1, NULL), pbdr_statusOk);
        CHECK(tasks >= 4 && tasks <= def.count);
        CHECK_EQ(pbdrWorld_GetSubstepCount(pbdrBatch_GetWorld(batch, def.count - 1)), 1);
        pbdrDestroyBatch(batch);
    }
    pbdrDestroyWorld(world);
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"tasks__all_run_once", tasks__all_run_once},
          {"kept_tasks__all_run_once", kept_tasks__all_run_once},
          {"hooks__run_the_tasks", hooks__run_the_tasks}, {"threads__change_no_bit", threads__change_no_bit},
          {"threads__that_share_an_island_change_no_bit", threads__that_share_an_island_change_no_bit},
          {"threads__out_of_range_are_refused", threads__out_of_range_are_refused},
          {"batch__shares_few_worlds_out", batch__shares_few_worlds_out});
}
