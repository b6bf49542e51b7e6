// What threads are worth on one large island: the table of docs/many.md, as CSV on stdout.
//
//     build/measure/threads [SECONDS [THREADS...]]      default: 1.5 s of simulated time; 1 2 4 8 threads
//
// A row per contact and number of threads: the pile of 1000 boxes, time on the wall, processor time of the process and
// of the thread that calls the step, how long a word takes from one core to another and back, before and after the run (the
// longer of the two), and a hash of all poses and velocities at the end. Measure on idle cores. On a virtual machine its
// cores may be near each other at one time (60 ns) and in different parts of a processor at another (350 ns): read ratios of
// rows with the same.
#define _POSIX_C_SOURCE 200809L

#include "many/many.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define MOST_THREADS 64
// Words that go to and fro to tell how far cores are apart.
#define WORDS 200000

static double readClock(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1.0e-9 * (double)time.tv_nsec;
}

// FNV-1a over the bytes of all bodies' poses and velocities.
static uint64_t hashBodies(const ManySolver* solver, void* simulation, const ManyScene* scene)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (int k = 0; k < scene->bodyCount; k++) {
        struct {
            pbdrPose pose;
            pbdrVelocity velocity;
        } body;
        solver->read(simulation, k, &body.pose, &body.velocity);
        const unsigned char* bytes = (const unsigned char*)&body;
        for (size_t i = 0; i < sizeof body; i++) {
            hash = (hash ^ bytes[i]) * 0x100000001b3u;
        }
    }
    return hash;
}

static atomic_int word;

static void* answer(void* nothing)
{
    for (int k = 0; k < WORDS; k++) {
        while (atomic_load(&word) != 2 * k + 1) {
        }
        atomic_store(&word, 2 * k + 2);
    }
    return nothing;
}

// From one thread to another and back [ns]; NaN if there is none.
static double timeWord(void)
{
    pthread_t other;
    atomic_store(&word, 0);
    if (pthread_create(&other, NULL, answer, NULL) != 0) {
        return (double)NAN;
    }
    const double start = readClock(CLOCK_MONOTONIC);
    for (int k = 0; k < WORDS; k++) {
        atomic_store(&word, 2 * k + 1);
        while (atomic_load(&word) != 2 * k + 2) {
        }
    }
    const double seconds = readClock(CLOCK_MONOTONIC) - start;
    pthread_join(other, NULL);
    return 1.0e9 * seconds / WORDS;
}

// Prints a row. False with a message.
static bool run(const ManySolver* solver, ManyScene* scene, int threads, double seconds)
{
    char message[MANY_MESSAGE];
    scene->threads = threads;
    void* simulation = solver->create(scene, message);
    if (simulation == NULL) {
        fprintf(stderr, "threads: %s\n", message);
        return false;
    }
    const double before = timeWord();
    const int substeps = (int)(seconds / scene->timeStep + 0.5);
    const double wall = readClock(CLOCK_MONOTONIC), all = readClock(CLOCK_PROCESS_CPUTIME_ID),
                 own = readClock(CLOCK_THREAD_CPUTIME_ID);
    for (int k = 0; k < substeps; k++) {
        solver->step(simulation);
    }
    const double times[3] = {readClock(CLOCK_MONOTONIC) - wall, readClock(CLOCK_PROCESS_CPUTIME_ID) - all,
                             readClock(CLOCK_THREAD_CPUTIME_ID) - own};
    printf("%s,%s,%d,%d,%.4g,%.4g,%.4g,%.3g,%016llx\n", scene->name, solver->name, threads, substeps,
           times[0], times[1], times[2], fmax(before, timeWord()),
           (unsigned long long)hashBodies(solver, simulation, scene));
    fflush(stdout);
    solver->destroy(simulation);
    return true;
}

int main(int argc, char** argv)
{
    int threads[MOST_THREADS] = {1, 2, 4, 8}, count = 4;
    const double seconds = argc > 1 ? strtod(argv[1], NULL) : 1.5;
    if (argc > 2) {
        count = 0;
        for (int k = 2; k < argc && count < MOST_THREADS; k++) {
            threads[count++] = atoi(argv[k]);
        }
    }
    if (!(seconds > 0.0)) {
        fprintf(stderr, "threads: '%s' is no time in seconds\n", argv[1]);
        return 2;
    }
    ManyScene scene;
    char message[MANY_MESSAGE];
    if (!manyBuildScene(manyFindEntry("pile1000"), NULL, &scene, message, sizeof message)) {
        fprintf(stderr, "threads: %s\n", message);
        return 1;
    }
    puts("scene,solver,threads,substeps,wall_s,cpu_s,caller_cpu_s,word_ns,hash");
    const ManySolver* solvers[2] = {manyGetXpbdRSpheres(), manyGetXpbdR()};
    bool good = true;
    for (int s = 0; s < 2; s++) {
        for (int k = 0; k < count && good; k++) {
            good = run(solvers[s], &scene, threads[k], seconds);
        }
    }
    manyFreeScene(&scene);
    return good ? 0 : 1;
}
