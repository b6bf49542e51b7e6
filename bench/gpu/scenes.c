// The worlds that the GPU is shown with: tests 1, 3 and 7 with the box of spheres, and two boxes stacked and pushed.
#include "gpu/show.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846
#define SIDE 0.2 // [m]
#define MASS 4.0 // of a box [kg]
#define N 4      // spheres along a side
#define ROD_RADIUS 0.01
#define ROD_SPHERES 10
#define ROD_MASS 2.0
#define ROD_ACCELERATION 0.05 // [m/s^2]

static pbdrStatus makeBox(pbdrShape** shape, pbdrError* error)
{
    pbdrSphereSet set;
    pbdrStatus status = pbdrPackBox(N, N, N, 0.5 * SIDE / N, MASS, NULL, &set, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    const double moment = MASS * SIDE * SIDE / 6.0;
    const pbdrMassProperties truth = {.mass = MASS,
                                      .inertia = {{{moment, 0, 0}, {0, moment, 0}, {0, 0, moment}}}};
    pbdrMassFit fit;
    status = pbdrSphereSet_FitMasses(&set, &truth, &fit, error);
    pbdrShapeDef def = pbdrDefaultShapeDef();
    def.sphereCount = set.count;
    def.positions = set.positions;
    def.radii = set.radii;
    def.masses = set.masses;
    def.extraInertia = fit.extraInertia;
    status = status == pbdr_statusOk ? pbdrCreateShape(&def, shape, error) : status;
    pbdrSphereSet_Free(&set);
    return status;
}

static pbdrStatus addRod(pbdrWorld* world, double dt, pbdrError* error)
{
    pbdrSphereSet set;
    pbdrShape* shape;
    pbdrStatus status = pbdrPackRod(ROD_SPHERES, ROD_RADIUS, ROD_MASS, NULL, &set, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    double tip = -HUGE_VAL; // from the centre
    for (int i = 0; i < set.count; i++) {
        tip = fmax(tip, set.positions[i].x - pbdrSphereSet_GetMassProperties(&set).centre.x);
    }
    pbdrShapeDef def = pbdrDefaultShapeDef();
    def.sphereCount = set.count;
    def.positions = set.positions;
    def.radii = set.radii;
    def.masses = set.masses;
    status = pbdrCreateShape(&def, &shape, error);
    pbdrSphereSet_Free(&set);
    if (status == pbdr_statusOk) {
        pbdrBodyDef body = pbdrDefaultBodyDef();
        body.kind = pbdr_bodyKinematic;
        body.friction = 0.4;
        body.position = (pbdrVec3){-0.5 * SIDE - ROD_RADIUS - tip, 0.02, 0.02};
        body.velocity.linear.x = -0.5 * dt * ROD_ACCELERATION; // then it is at a t^2/2
        pbdrBodyId id;
        status = pbdrCreateBodyFromShape(world, &body, shape, &id, error);
        pbdrReleaseShape(shape);
        if (status == pbdr_statusOk) {
            pbdrBody_SetForce(world, id, (pbdrVec3){ROD_MASS * ROD_ACCELERATION, 0.0, 0.0});
        }
    }
    return status;
}

pbdrStatus showMakeWorldOf(pbdrSolver solver, ShowScene scene, pbdrWorld** world, pbdrError* error)
{
    pbdrWorldDef def = pbdrDefaultWorldDef();
    def.solver = solver;
    def.engine = solver == pbdr_solverPbdR ? pbdr_engineReduced : def.engine;
    def.contact = pbdr_contactSpheres;
    pbdrStatus status = pbdrCreateWorld(&def, world, error);
    const double slope = scene == showSlope ? PI / 8 : 0.0;
    pbdrPlaneDef plane = pbdrDefaultPlaneDef();
    plane.normal = (pbdrVec3){sin(slope), 0.0, cos(slope)};
    plane.friction = 0.4;
    pbdrShape* box = NULL;
    status = status == pbdr_statusOk ? pbdrCreatePlane(*world, &plane, NULL, error) : status;
    status = status == pbdr_statusOk ? makeBox(&box, error) : status;
    pbdrBodyDef body = pbdrDefaultBodyDef();
    body.friction = 0.4;
    body.rotation = (pbdrQuat){cos(0.5 * slope), 0.0, sin(0.5 * slope), 0.0};
    for (int k = 0; k < (scene == showStack ? 2 : 1) && status == pbdr_statusOk; k++) {
        const double height = SIDE * (0.5 + k);
        pbdrBodyId id;
        body.position = (pbdrVec3){height * sin(slope), 0.0, height * cos(slope)};
        status = pbdrCreateBodyFromShape(*world, &body, box, &id, error);
    }
    if (box != NULL) {
        pbdrReleaseShape(box);
    }
    return status == pbdr_statusOk && scene == showRod ? addRod(*world, def.timeStep, error) : status;
}

pbdrStatus showMakeWorld(ShowScene scene, pbdrWorld** world, pbdrError* error)
{
    return showMakeWorldOf(pbdr_solverXpbdR, scene, world, error);
}

const char* showGetName(ShowScene scene)
{
    static const char* const names[] = {"1 pushed box", "3 box on slope", "7 rod pushing a box",
                                        "two boxes pushed"};
    return names[scene];
}

// Numbers from 0 to 1, the same everywhere: a counter's bits, mixed.
double showRandom(uint64_t index)
{
    uint64_t x = (index + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return (double)((x ^ (x >> 31)) >> 11) * 0x1p-53;
}

// Each world has a friction and a force of its own. Boxes tip over where friction is above 0.75.
void showVary(ShowScene scene, const pbdrBatchArrays* arrays)
{
    for (int w = 0; w < arrays->worldCount; w++) {
        const double mu = 0.1 + 0.5 * showRandom(2 * (uint64_t)w), push = showRandom(2 * (uint64_t)w + 1);
        const size_t first = (size_t)w * (size_t)arrays->bodyCount;
        arrays->planeFrictions[w] = mu;
        for (int b = 0; b < arrays->bodyCount; b++) {
            arrays->frictions[first + (size_t)b] = mu;
        }
        if (scene == showPush || scene == showStack) {
            arrays->forces[first].x = 5.0 + (scene == showPush ? 55.0 : 35.0) * push;
        }
        if (scene == showRod) { // the rod's acceleration, 0.04 to 0.06 m/s^2
            arrays->forces[first + 1].x = ROD_MASS * ROD_ACCELERATION * (0.8 + 0.4 * push);
        }
    }
}

double showGetWay(ShowScene scene, const pbdrBatchArrays* arrays, int world, double time)
{
    const double mu = arrays->planeFrictions[world];
    const double force = arrays->forces[(size_t)world * (size_t)arrays->bodyCount].x;
    const double drive = scene == showSlope ? PBDR_DEFAULT_GRAVITY * sin(PI / 8) : force / MASS;
    const double hold = mu * PBDR_DEFAULT_GRAVITY * (scene == showSlope ? cos(PI / 8) : 1.0);
    return 0.5 * fmax(0.0, drive - hold) * time * time;
}
