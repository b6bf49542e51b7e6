// One scene of many bodies with one solver, for valgrind's callgrind to count the instructions of its steps: what
// scripts/instructions.sh runs.
//
//     valgrind --tool=callgrind --instr-atstart=no build/measure/instructions SCENE SOLVER [EVERY SOME]
//
// Counted are SOME substeps in the middle of every stretch of EVERY, all of them by default; and nothing else: neither the
// scene's making nor what stands between substeps. XPBD-R runs without profiling, as users run it. Prints how many were
// counted. Without valgrind it only runs.
#include "callgrind.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv)
{
    if (argc != 3 && argc != 5) {
        fprintf(stderr, "usage: instructions SCENE SOLVER [EVERY SOME]\n");
        return 2;
    }
    const ManyEntry* entry = manyFindEntry(argv[1]);
    const ManySolver* solver = manyFindSolver(argv[2]);
    if (entry == NULL || solver == NULL) {
        fprintf(stderr, "instructions: there is no %s '%s'\n", entry == NULL ? "scene" : "solver",
                entry == NULL ? argv[1] : argv[2]);
        return 2;
    }
    ManyScene scene;
    char message[MANY_MESSAGE];
    if (!manyBuildScene(entry, NULL, &scene, message, sizeof message)) {
        fprintf(stderr, "instructions: %s\n", message);
        return 1;
    }
    scene.unprofiled = true;
    void* simulation = solver->create(&scene, message);
    if (simulation == NULL) {
        fprintf(stderr, "instructions: %s\n", message);
        manyFreeScene(&scene);
        return 1;
    }
    const int substeps = (int)(scene.duration / scene.timeStep + 0.5);
    const int every = argc == 5 ? atoi(argv[3]) : substeps, some = argc == 5 ? atoi(argv[4]) : substeps;
    if (some < 1 || every < some) {
        fprintf(stderr, "instructions: '%s' of every '%s' substeps cannot be counted\n", argv[4], argv[3]);
        return 2;
    }
    printf("%d\n", stepAndCount(solver, simulation, substeps, every, some, NULL));
    solver->destroy(simulation);
    manyFreeScene(&scene);
    return 0;
}
