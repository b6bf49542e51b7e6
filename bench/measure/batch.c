// What a world costs within a batch and on its own: Test 1 of Python's five lines (a cube of 64 spheres that is pushed over a
// plane, touching by its surface), the same substeps in both ways. For callgrind, which counts the instructions of one
// function: scripts/python_show.py.
//
//     batch one|called|many WORLDS SUBSTEPS CALLS      steps so many worlds CALLS times by SUBSTEPS
//
// one: each world by one call for all of it; called: by SUBSTEPS at a time, with its poses and velocities read after each, as a
// batch hands them out; many: as a batch.
#include "pbdr/batch.h"
#include "pbdr/pbdr.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))

static pbdrWorld* makeWorld(void)
{
    pbdrWorldDef def = pbdrDefaultWorldDef();
    def.solver = pbdr_solverXpbdR;
    pbdrWorld* world = NULL;
    pbdrShape* shape = NULL;
    pbdrBodyId body;
    pbdrBodyDef bodyDef = pbdrDefaultBodyDef();
    pbdrPlaneDef plane = pbdrDefaultPlaneDef();
    plane.friction = bodyDef.friction = 0.4;
    bodyDef.position.z = 0.1;
    if (pbdrCreateWorld(&def, &world, NULL) != pbdr_statusOk ||
        pbdrCreatePlane(world, &plane, NULL, NULL) != pbdr_statusOk ||
        pbdrCreateBoxShape((pbdrVec3){0.2, 0.2, 0.2}, 4.0, 4, &shape, NULL) != pbdr_statusOk ||
        pbdrCreateBodyFromShape(world, &bodyDef, shape, &body, NULL) != pbdr_statusOk) {
        fprintf(stderr, "batch: the world cannot be made\n");
        exit(1);
    }
    pbdrReleaseShape(shape);
    pbdrBody_SetForce(world, body, (pbdrVec3){17.0, 0.0, 0.0});
    return world;
}

// Under callgrind what these two do is counted, and nothing else.
NOINLINE static double stepAlone(pbdrWorld* world, pbdrBodyId body, int substeps, int calls, int reads)
{
    double sum = 0.0;
    for (int k = 0; k < calls; k++) {
        pbdrWorld_Step(world, substeps);
        if (reads != 0) {
            sum += pbdrBody_GetPose(world, body).position.x + pbdrBody_GetVelocity(world, body).linear.x;
        }
    }
    return sum;
}

NOINLINE static double stepTogether(pbdrBatch* batch, int substeps, int calls)
{
    for (int k = 0; k < calls; k++) {
        pbdrBatch_Step(batch, substeps, NULL);
    }
    return pbdrBatch_GetArrays(batch).positions[0].x;
}

int main(int argc, char** argv)
{
    const char* way = argc == 5 ? argv[1] : "";
    const int worlds = argc == 5 ? atoi(argv[2]) : 0, substeps = argc == 5 ? atoi(argv[3]) : 0,
              calls = argc == 5 ? atoi(argv[4]) : 0;
    const int one = strcmp(way, "one") == 0, called = strcmp(way, "called") == 0,
              many = strcmp(way, "many") == 0;
    if (worlds < 1 || substeps < 1 || calls < 1 || one + called + many != 1) {
        fprintf(stderr, "usage: batch one|called|many WORLDS SUBSTEPS CALLS\n");
        return 2;
    }
    pbdrWorld* world = makeWorld();
    double sum = 0.0;
    if (many) {
        pbdrBatchDef def = pbdrDefaultBatchDef();
        def.count = worlds;
        pbdrBatch* batch = NULL;
        if (pbdrCreateBatch(world, &def, &batch, NULL) != pbdr_statusOk) {
            fprintf(stderr, "batch: out of memory for %d worlds\n", worlds);
            return 1;
        }
        pbdrBatch_Step(batch, substeps, NULL); // contacts come, and room for them
        sum = stepTogether(batch, substeps, calls);
        pbdrDestroyBatch(batch);
    } else {
        for (int k = 0; k < worlds; k++) {
            pbdrWorld* copy = NULL;
            pbdrBodyId body;
            if (pbdrCopyWorld(world, 1, &copy, NULL) != pbdr_statusOk) {
                fprintf(stderr, "batch: out of memory\n");
                return 1;
            }
            pbdrWorld_GetBodies(copy, &body, 1);
            pbdrWorld_Step(copy, substeps);
            sum += one ? stepAlone(copy, body, substeps * calls, 1, 0)
                       : stepAlone(copy, body, substeps, calls, 1);
            pbdrDestroyWorld(copy);
        }
    }
    pbdrDestroyWorld(world);
    printf("%.17g\n", sum);
    return 0;
}
