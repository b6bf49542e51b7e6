// The library's own solvers, pbd, pbd-r and xpbdr, through its public API.
#include "solvers/registry.h"

#include "fail.h"
#include "pbdr/joint.h"
#include "pbdr/recipe.h"
#include "pbdr/shape.h"
#include "pbdr/world.h"
#include "peer_scene.h"

#include "vec.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct Simulation {
    pbdrWorld* world;
    pbdrSolver solver;
    pbdrBodyId bodies[PBDR_BENCH_MAX_BODIES];
} Simulation;

static void destroy(void* simulation)
{
    pbdrDestroyWorld(((Simulation*)simulation)->world);
    free(simulation);
}

// A body that has no spheres (an arch's wedge): one at its centre, which has all of its inertia and touches
// nothing. Its size does not matter.
#define LONE_RADIUS 1.0e-3 // [m]

static void setSurface(const pbdrBenchBody* from, pbdrVec3 centre, pbdrSurfaceDef* surface)
{
    surface->frame.position = centre;
    surface->half = from->halfExtents;
    surface->radius = from->radius;
    surface->halfLength = from->halfExtents.z;
    surface->kind = from->shape == pbdr_benchBox        ? pbdr_surfaceBox
                    : from->shape == pbdr_benchBall     ? pbdr_surfaceBall
                    : from->shape == pbdr_benchCylinder ? pbdr_surfaceCylinder
                                                        : pbdr_surfaceNone;
    for (int k = 0; k < 3 && from->shape == pbdr_benchBox; k++) { // as many points along a side as spheres
        surface->counts[k] = from->sphereGrid[k] > 1 ? from->sphereGrid[k] - 1 : 1;
    }
}

// The spheres as a shape, with the true surface if that is what touches. Test 7's rod is its spheres: the
// round tip is one of them.
static pbdrStatus makeShape(const pbdrBenchBody* from, pbdrContactKind contact, pbdrRecipe* recipe,
                            pbdrShape** shape, pbdrError* error)
{
    pbdrShapeDef def = pbdrDefaultShapeDef();
    def.sphereCount = from->sphereCount;
    def.positions = from->spherePositions;
    def.radii = from->sphereRadii;
    def.masses = from->sphereMasses;
    def.extraInertia = from->sphereExtraInertia;
    const pbdrVec3 origin = {0.0, 0.0, 0.0};
    const double lone = LONE_RADIUS;
    if (from->sphereCount == 0) {
        def.sphereCount = 1;
        def.positions = &origin;
        def.radii = &lone;
        def.masses = &from->mass;
        def.extraInertia = from->inertia;
    }
    pbdrVec3 back = {-from->sphereCentre.x, -from->sphereCentre.y, -from->sphereCentre.z};
    pbdrMesh mesh = {.vertexCount = 0};
    pbdrVec3* vertices = NULL;
    if (contact == pbdr_contactSurface && from->shape == pbdr_benchMesh) {
        vertices = malloc((size_t)from->vertexCount * sizeof *vertices);
        if (vertices == NULL) {
            return benchFail(error, pbdr_statusNoMemory, "surface: out of memory for %d vertices",
                             from->vertexCount);
        }
        for (int i = 0; i < from->vertexCount; i++) {
            vertices[i] = benchAdd(from->vertices[i], back);
        }
        mesh.vertexCount = from->vertexCount;
        mesh.vertices = vertices;
        mesh.triangleCount = from->triangleCount;
        mesh.triangles = (int32_t(*)[3])from->triangles; // only read
        def.surface.kind = pbdr_surfaceMesh;
        def.surface.mesh = &mesh;
    } else if (contact == pbdr_contactSurface && from->shape != pbdr_benchRod) {
        setSurface(from, back, &def.surface);
    }
    pbdrStatus status = pbdrCreateShape(&def, shape, error);
    if (recipe != NULL) {
        pbdrRecipe_AddShape(recipe, &def);
    }
    free(vertices);
    return status;
}

static pbdrStatus addBody(Simulation* simulation, const pbdrBenchBody* from, const pbdrBenchScene* scene,
                          double friction, int index, pbdrRecipe* recipe, pbdrError* error)
{
    pbdrShape* shape = NULL;
    pbdrStatus status = makeShape(from, scene->contact, recipe, &shape, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    pbdrBodyDef def = pbdrDefaultBodyDef();
    def.kind = from->prescribed ? pbdr_bodyKinematic : pbdr_bodyDynamic;
    def.position = from->sphereStart.position;
    def.rotation = from->sphereStart.rotation;
    def.friction = friction;
    def.restitution = scene->restitution;
    if (scene->jointCount > 0) {
        def.filter.mask = 0; // nothing touches
    }
    // Semi-implicit Euler starts from the velocity half a substep ago, so that a prescribed body is at start
    // + a t^2/2 exactly.
    pbdrVec3 a = from->prescribedAcceleration;
    double back = -0.5 * scene->timeStep;
    def.velocity = from->startVelocity;
    if (from->prescribed) {
        def.velocity.linear = (pbdrVec3){back * a.x, back * a.y, back * a.z};
    }
    pbdrBodyId* id = &simulation->bodies[index];
    status = pbdrCreateBodyFromShape(simulation->world, &def, shape, id, error);
    pbdrReleaseShape(shape);
    if (status == pbdr_statusOk) {
        double m = from->mass;
        pbdrVec3 drive = {m * a.x, m * a.y, m * a.z}; // a kinematic body moves by its force alone
        pbdrVec3 force = from->prescribed ? drive : from->force;
        pbdrBody_SetForce(simulation->world, *id, force);
        pbdrBody_SetTorque(simulation->world, *id, from->torque);
        if (recipe != NULL) {
            pbdrRecipe_AddBody(recipe, &def, index, force, from->torque);
        }
    }
    return status;
}

static pbdrStatus addJoint(const Simulation* simulation, const pbdrBenchScene* scene,
                           const pbdrBenchJoint* joint, pbdrRecipe* recipe, pbdrError* error)
{
    static const pbdrJointKind kinds[] = {pbdr_jointBall, pbdr_jointHinge, pbdr_jointSlide, pbdr_jointSpan};
    const pbdrBodyId world = {0, 0, 0};
    const int a = joint->bodies[0], b = joint->bodies[1];
    pbdrJointDef def = pbdrDefaultJointDef();
    def.kind = kinds[joint->kind];
    def.bodyA = a < 0 ? world : simulation->bodies[a];
    def.bodyB = b < 0 ? world : simulation->bodies[b];
    const pbdrVec3 anyAxis = {0.0, 0.0, 1.0};
    bool spring = joint->kind == pbdr_benchSpringJoint;
    pbdrStatus status =
        pbdrPlaceJointDef(simulation->world, &def, joint->points[1], spring ? anyAxis : joint->axis);
    if (spring) {
        def.frameA.anchor = peerToOwnPoint(scene, a, joint->points[0]);
        def.stiffness = joint->stiffness;
        def.damping = joint->damping;
        def.reference = joint->length;
    }
    if (status == pbdr_statusOk) {
        status = pbdrCreateJoint(simulation->world, &def, NULL, error);
    }
    if (status == pbdr_statusOk && recipe != NULL) {
        pbdrRecipe_AddJoint(recipe, &def, a, b);
    }
    return status;
}

static pbdrStatus build(Simulation* simulation, const pbdrBenchScene* scene, pbdrSolver solver,
                        pbdrRecipe* recipe, pbdrError* error)
{
    pbdrWorldDef worldDef = pbdrDefaultWorldDef();
    worldDef.gravity = scene->gravity;
    worldDef.precision = scene->precision;
    worldDef.engine = scene->engine;
    worldDef.solver = solver;
    worldDef.contact = scene->contact;
    worldDef.ablation = scene->ablation;
    worldDef.timeStep = scene->timeStep;
    worldDef.iterations = scene->iterations;
    worldDef.relaxation = scene->relaxation;
    worldDef.simd = scene->simd;
    pbdrStatus status = pbdrCreateWorld(&worldDef, &simulation->world, error);
    // Friction mixes as the geometric mean: with the body at mu, the ground at mu and the rod at mu_rod^2/mu
    // each pair gets its own coefficient.
    double mu = scene->groundFriction, pair = scene->pairFriction;
    pbdrPlaneDef planeDef = pbdrDefaultPlaneDef();
    planeDef.normal = scene->groundNormal;
    planeDef.friction = mu;
    planeDef.restitution = scene->restitution;
    if (status == pbdr_statusOk) {
        status = pbdrCreatePlane(simulation->world, &planeDef, NULL, error);
    }
    if (recipe != NULL) {
        pbdrRecipe_AddWorld(recipe, &worldDef);
        pbdrRecipe_AddPlane(recipe, &planeDef);
    }
    for (int i = 0; i < scene->bodyCount && status == pbdr_statusOk; i++) {
        bool free = !scene->bodies[i].prescribed; // then pair is mu (findObstacle)
        double friction = i == 0 || free ? mu : (mu > 0.0 ? pair * pair / mu : 0.0);
        status = addBody(simulation, &scene->bodies[i], scene, friction, i, recipe, error);
    }
    for (int k = 0; k < scene->jointCount && status == pbdr_statusOk; k++) {
        status = addJoint(simulation, scene, &scene->joints[k], recipe, error);
    }
    return status;
}

// What of the scene the solver cannot do; NULL for nothing.
static const char* findObstacle(const pbdrBenchScene* scene, pbdrSolver solver)
{
    if (scene->restitution > 0.0 && solver != pbdr_solverXpbdR) {
        return "restitution, which PBD and PBD-R do not have";
    }
    if (scene->jointCount > 0 && solver != pbdr_solverXpbdR) {
        return "joints";
    }
    for (int i = 0; i < scene->bodyCount && scene->jointCount == 0; i++) {
        const pbdrBenchBody* body = &scene->bodies[i];
        if (body->sphereCount == 0 && scene->contact == pbdr_contactSpheres) {
            return "bodies with flat joints, which spheres do not make";
        }
        if (i > 0 && !body->prescribed && scene->pairFriction != scene->groundFriction) {
            return "friction between bodies other than with the ground";
        }
    }
    return NULL;
}

void* benchCreateRecorded(const pbdrBenchScene* scene, pbdrSolver solver, pbdrRecipe* recipe,
                          char message[PBDR_BENCH_MESSAGE])
{
    const char* obstacle = findObstacle(scene, solver);
    if (obstacle != NULL) {
        snprintf(message, PBDR_BENCH_MESSAGE, "not supported: %s", obstacle);
        return NULL;
    }
    pbdrError error = {.status = pbdr_statusNoMemory, .message = "out of memory"};
    Simulation* simulation = calloc(1, sizeof *simulation);
    if (simulation != NULL) {
        simulation->solver = solver;
    }
    if (simulation == NULL || build(simulation, scene, solver, recipe, &error) != pbdr_statusOk) {
        snprintf(message, PBDR_BENCH_MESSAGE, "%.255s", error.message);
        if (simulation != NULL) {
            destroy(simulation);
        }
        return NULL;
    }
    return simulation;
}

static void* create(const pbdrBenchScene* scene, pbdrSolver solver, char message[PBDR_BENCH_MESSAGE])
{
    return benchCreateRecorded(scene, solver, NULL, message);
}

static void* createPbd(const pbdrBenchScene* scene, char message[PBDR_BENCH_MESSAGE])
{
    return create(scene, pbdr_solverPbd, message);
}

static void* createPbdR(const pbdrBenchScene* scene, char message[PBDR_BENCH_MESSAGE])
{
    return create(scene, pbdr_solverPbdR, message);
}

static void* createXpbdR(const pbdrBenchScene* scene, char message[PBDR_BENCH_MESSAGE])
{
    return create(scene, pbdr_solverXpbdR, message);
}

pbdrWorld* benchGetWorld(void* simulation)
{
    return ((Simulation*)simulation)->world;
}

static uint32_t step(void* simulation, int count)
{
    return pbdrWorld_Step(((Simulation*)simulation)->world, count);
}

static void readMotion(void* simulation, int body, pbdrPose* pose, pbdrVelocity* velocity)
{
    const Simulation* s = simulation;
    *pose = pbdrBody_GetPose(s->world, s->bodies[body]);
    *velocity = pbdrBody_GetVelocity(s->world, s->bodies[body]);
}

static void readMomentum(void* simulation, int body, pbdrMomentum* momentum)
{
    const Simulation* s = simulation;
    *momentum = pbdrBody_GetMomentum(s->world, s->bodies[body]);
}

static bool describe(void* simulation, int index, const char** key, const char** value)
{
    const Simulation* s = simulation;
    switch (index) {
    case 0:
        *key = "simd";
        *value = (const char*[]){"auto", "scalar", "avx2", "neon"}[pbdrWorld_GetSimd(s->world)];
        return true;
    case 1:
        *key = "friction_mixing";
        *value = "geometric_mean";
        return true;
    case 2:
        *key = "integrator";
        *value = s->solver == pbdr_solverXpbdR ? "second order" : "semi-implicit Euler";
        return true;
    default:
        return false;
    }
}

// What they have in common.
#define OWN_SOLVER(solverName, presetNames, createFunction, more)                                            \
    {                                                                                                        \
        .abi = PBDR_BENCH_ABI, .name = solverName, .version = NULL, .presets = presetNames,                  \
        .capabilities = pbdr_benchUsesSpheres | (more), .create = createFunction, .step = step,              \
        .read = readMotion, .destroy = destroy, .readMomentum = readMomentum, .describe = describe           \
    }

const pbdrBenchSolver* benchGetPbd(void)
{
    static const pbdrBenchSolver solver = OWN_SOLVER("pbd", "", createPbd, pbdr_benchUsesSettings);
    return &solver;
}

const pbdrBenchSolver* benchGetPbdR(void)
{
    static const pbdrBenchSolver solver =
        OWN_SOLVER("pbd-r", "", createPbdR, pbdr_benchUsesSettings | pbdr_benchUsesAblation);
    return &solver;
}

const pbdrBenchSolver* benchGetXpbdR(void)
{
    static const pbdrBenchSolver solver =
        OWN_SOLVER("xpbdr", BENCH_SPHERES_PRESET, createXpbdR, pbdr_benchUsesJoints);
    return &solver;
}
