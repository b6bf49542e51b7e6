// The library's own solvers, pbd and pbdr, through its public API.
#include "solver.h"

#include "pbdr/world.h"

#include <stdlib.h>
#include <string.h>

typedef struct Simulation {
    pbdrWorld* world;
    pbdrBodyId body;
} Simulation;

static void destroySimulation(void* simulation)
{
    pbdrDestroyWorld(((Simulation*)simulation)->world);
    free(simulation);
}

static pbdrStatus build(Simulation* simulation, const BenchScene* scene, const BenchOptions* options,
                        pbdrSolver solver, pbdrError* error)
{
    pbdrWorldDef worldDef = pbdrDefaultWorldDef();
    worldDef.gravity = scene->gravity;
    worldDef.precision = options->precision;
    worldDef.solver = solver;
    worldDef.ablation = options->ablation;
    worldDef.timeStep = options->timeStep;
    worldDef.iterations = options->iterations;
    worldDef.relaxation = options->relaxation;
    worldDef.simd = options->simd;
    pbdrStatus status = pbdrCreateWorld(&worldDef, &simulation->world, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    pbdrPlaneDef planeDef = pbdrDefaultPlaneDef();
    planeDef.normal = scene->groundNormal;
    planeDef.friction = scene->mu;
    status = pbdrCreatePlane(simulation->world, &planeDef, NULL, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    pbdrBodyDef bodyDef = pbdrDefaultBodyDef();
    bodyDef.particleCount = scene->spheres.count;
    bodyDef.positions = scene->spheres.positions;
    bodyDef.radii = scene->spheres.radii;
    bodyDef.masses = scene->spheres.masses;
    bodyDef.position = scene->start.position;
    bodyDef.rotation = scene->start.rotation;
    bodyDef.friction = scene->mu;
    status = pbdrCreateBody(simulation->world, &bodyDef, &simulation->body, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    pbdrBody_SetForce(simulation->world, simulation->body, scene->force);
    pbdrBody_SetTorque(simulation->world, simulation->body, scene->torque);
    return pbdr_statusOk;
}

static void* create(const BenchScene* scene, const BenchOptions* options, pbdrSolver solver, pbdrError* error)
{
    Simulation* simulation = calloc(1, sizeof *simulation);
    if (simulation != NULL && build(simulation, scene, options, solver, error) != pbdr_statusOk) {
        destroySimulation(simulation);
        simulation = NULL;
    }
    return simulation;
}

static void* createPbd(const BenchScene* scene, const BenchOptions* options, pbdrError* error)
{
    return create(scene, options, pbdr_solverPbd, error);
}

static void* createPbdR(const BenchScene* scene, const BenchOptions* options, pbdrError* error)
{
    return create(scene, options, pbdr_solverPbdR, error);
}

static uint32_t step(void* simulation, int substepCount)
{
    return pbdrWorld_Step(((Simulation*)simulation)->world, substepCount);
}

static BenchMotion readMotion(void* simulation)
{
    const Simulation* s = simulation;
    return (BenchMotion){pbdrBody_GetPose(s->world, s->body), pbdrBody_GetVelocity(s->world, s->body),
                         pbdrBody_GetMomentum(s->world, s->body)};
}

static const char* getSimd(void* simulation)
{
    return pbdrWorld_GetSimd(((Simulation*)simulation)->world) == pbdr_simdAvx2 ? "avx2" : "scalar";
}

static const BenchSolver solvers[] = {
    {"pbd", "particle", false, createPbd, step, readMotion, getSimd, destroySimulation},
    {"pbdr", "particle", true, createPbdR, step, readMotion, getSimd, destroySimulation},
};

const BenchSolver* benchGetSolver(int index)
{
    return index >= 0 && index < (int)(sizeof solvers / sizeof solvers[0]) ? &solvers[index] : NULL;
}

const BenchSolver* benchFindSolver(const char* name)
{
    for (int k = 0; benchGetSolver(k) != NULL; k++) {
        if (strcmp(solvers[k].name, name) == 0) {
            return &solvers[k];
        }
    }
    return NULL;
}
