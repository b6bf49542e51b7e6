// A small world for targets that restore one.
#ifndef PBDR_TESTS_FUZZ_SMALL_WORLD_H
#define PBDR_TESTS_FUZZ_SMALL_WORLD_H

#include "pbdr/pbdr.h"
#include "target.h"

static inline void addDumbbell(pbdrWorld* world, double height)
{
    static const pbdrVec3 positions[] = {{-0.05, 0.0, 0.0}, {0.05, 0.0, 0.0}};
    static const double radii[] = {0.05, 0.05}, masses[] = {0.5, 0.5};
    pbdrBodyDef def = pbdrDefaultBodyDef();
    pbdrBodyId id;
    def.position = (pbdrVec3){0.0, 0.0, height};
    def.particleCount = 2;
    def.positions = positions;
    def.radii = radii;
    def.masses = masses;
    FUZZ_REQUIRE(pbdrCreateBody(world, &def, &id, NULL) == pbdr_statusOk);
}

// Two dumbbells on the ground, three substeps later; the choice is of solver and precision.
static inline pbdrWorld* makeSmallWorld(int choice)
{
    pbdrWorldDef def = pbdrDefaultWorldDef();
    pbdrPlaneDef plane = pbdrDefaultPlaneDef();
    pbdrWorld* world = NULL;
    pbdrPlaneId ground;
    def.solver = (pbdrSolver)(choice / 2 % 3);
    def.precision = (pbdrPrecision)(choice % 2);
    FUZZ_REQUIRE(pbdrCreateWorld(&def, &world, NULL) == pbdr_statusOk);
    FUZZ_REQUIRE(pbdrCreatePlane(world, &plane, &ground, NULL) == pbdr_statusOk);
    addDumbbell(world, 0.05);
    addDumbbell(world, 0.15);
    pbdrWorld_Step(world, 3);
    return world;
}

#endif
