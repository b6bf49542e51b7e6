// ODE (0.16) behind the plug-in table, through its C API, in double.
//
// dWorldStep (the direct solver), its ERP of 0.2 and CFM of 1e-10, semi-implicit Euler. ODE's friction is a
// box of two axes per contact; with dContactApprox1 each axis takes up to mu N.
//
// A mesh that rocks is its weak side. The bunny's base is uneven by 0.2 mm; pushed, it changes between
// triples of vertices, and while it does ODE's friction is 0.377 to 0.390 N instead of 0.4 N (N itself is
// right, M g on average): Test 4 ends 11 m off. On a steady set of contacts (flattened base, or a start that
// rests on three vertices between which the load stays) it is 0.400000 N, and the error is the integrator's.
// Probably the limits come from the normal forces before friction shifts them; those of the step before,
// instead, gave 0.403 to 0.44.
//
// Presets:
//   (none)  what ODE does by itself: its own colliders (a mesh as a trimesh, whose vertices pass through
//           float), friction axes where ODE puts them, gyroscopic term on, start as the scene says.
//   tuned   the first friction axis along the slip at each contact, which makes the box of friction exact for
//           sliding; gyroscopic term off; finite rotation (else a fast spin lags by (w dt)^2/12); start 1e-9
//           m deep, so that contact is there from the first step (a gap of one ulp is a step of free fall); a
//           mesh's vertices met by the plane in double, here.
#include "peer_scene.h"
#include "peers.h"

#include <ode/ode.h>

#include <stdlib.h>

#ifndef PBDR_ODE_VERSION
#define PBDR_ODE_VERSION "unknown" // ODE does not tell; the build passes what pkg-config says
#endif
#define PRESETS "tuned"

#define MAX_CONTACTS 64
#define START_DEPTH 1.0e-9 // [m], tuned
// Slower than this a contact has no slip direction yet, and the drive's is taken [m/s]: a thousandth of what
// the weakest drive of the tests gives in one step, far above rounding.
#define SLIP_SPEED 1.0e-7

typedef struct Simulation {
    const pbdrBenchScene* scene;
    bool tuned;
    dWorldID world;
    dJointGroupID contacts;
    dBodyID body, rod; // rod: NULL without one
    dGeomID ground, bodyGeom, rodGeom;
    dTriMeshDataID meshData;
    int64_t stepCount;
    PeerNotes notes;
} Simulation;

// --- Creation ---

static void makeBody(Simulation* s)
{
    const pbdrBenchBody* body = &s->scene->bodies[0];
    pbdrVec3 x = benchAddScaled(body->start.position, s->tuned ? -START_DEPTH : 0.0, s->scene->groundNormal);
    pbdrQuat q = body->start.rotation;
    const double(*i)[3] = body->inertia.m;
    dMass mass;
    dMassSetParameters(&mass, body->mass, 0.0, 0.0, 0.0, i[0][0], i[1][1], i[2][2], i[0][1], i[0][2],
                       i[1][2]);
    s->body = dBodyCreate(s->world);
    dBodySetMass(s->body, &mass);
    dBodySetPosition(s->body, x.x, x.y, x.z);
    dBodySetQuaternion(s->body, (dQuaternion){q.w, q.x, q.y, q.z});
    dBodySetGyroscopicMode(s->body, s->tuned ? 0 : 1);
    dBodySetFiniteRotationMode(s->body, s->tuned ? 1 : 0);
    dBodySetAutoDisableFlag(s->body, 0);
    if (body->shape == pbdr_benchBox) {
        pbdrVec3 h = body->halfExtents;
        s->bodyGeom = dCreateBox(NULL, 2.0 * h.x, 2.0 * h.y, 2.0 * h.z);
    } else if (!s->tuned) {
        s->meshData = dGeomTriMeshDataCreate();
        dGeomTriMeshDataBuildDouble(s->meshData, body->vertices, sizeof(pbdrVec3), body->vertexCount,
                                    body->triangles, 3 * body->triangleCount, 3 * sizeof(int32_t));
        s->bodyGeom = dCreateTriMesh(NULL, s->meshData, NULL, NULL, NULL);
    }
    if (s->bodyGeom != NULL) {
        dGeomSetBody(s->bodyGeom, s->body);
    }
}

static void makeRod(Simulation* s)
{
    const pbdrBenchBody* rod = &s->scene->bodies[1];
    pbdrQuat q = rod->start.rotation;
    s->rod = dBodyCreate(s->world);
    dBodySetKinematic(s->rod);
    dBodySetQuaternion(s->rod, (dQuaternion){q.w, q.x, q.y, q.z});
    s->rodGeom = dCreateCapsule(NULL, rod->rodRadius, 2.0 * (rod->halfExtents.x - rod->rodRadius));
    dGeomSetBody(s->rodGeom, s->rod);
    dGeomSetOffsetQuaternion(s->rodGeom, (dQuaternion){sqrt(0.5), 0.0, sqrt(0.5), 0.0}); // ODE's lie along z
}

static void describeSettings(Simulation* s)
{
    const pbdrBenchScene* scene = s->scene;
    PeerNotes* notes = &s->notes;
    peerAddNote(notes, "version", "%s", PBDR_ODE_VERSION);
    peerAddNote(notes, "configuration", "%s", dGetConfiguration());
    peerAddNote(notes, "integrator", "semi-implicit Euler, %g s, gyroscopic term %s", scene->timeStep,
                s->tuned ? "off, finite rotation" : "on");
    peerAddNote(notes, "solver", "dWorldStep, ERP %g, CFM %g", dWorldGetERP(s->world),
                dWorldGetCFM(s->world));
    peerAddNote(notes, "friction",
                "given per contact: ground %g, rod %g; box of two axes (dContactApprox1), %s",
                scene->groundFriction, scene->bodyCount == 2 ? scene->pairFriction : 0.0,
                s->tuned ? "the first along the slip" : "where ODE puts them");
    peerAddNote(notes, "inertia", "true");
    peerAddNote(notes, "shape", "%s",
                scene->bodies[0].shape == pbdr_benchBox ? "box (ODE's box-plane collider)"
                : s->tuned ? "mesh: all vertices below the plane, found in double"
                           : "mesh: ODE's trimesh-plane collider (vertices in float)");
    peerAddNote(notes, "start", s->tuned ? "%g m deep" : "touching, as given", START_DEPTH);
    if (scene->bodyCount == 2) {
        peerAddNote(notes, "rod", "capsule, kinematic body, position and velocity set at every step");
    }
}

static void destroy(void* simulation)
{
    Simulation* s = simulation;
    dGeomID geoms[] = {s->ground, s->bodyGeom, s->rodGeom};
    for (int k = 0; k < 3; k++) {
        if (geoms[k] != NULL) {
            dGeomDestroy(geoms[k]);
        }
    }
    if (s->meshData != NULL) {
        dGeomTriMeshDataDestroy(s->meshData);
    }
    dJointGroupDestroy(s->contacts);
    dWorldDestroy(s->world);
    free(s);
}

static void* create(const pbdrBenchScene* scene, char message[PBDR_BENCH_MESSAGE])
{
    if (!peerTakesScene(scene, message) || !peerHasPreset(PRESETS, scene->preset, message)) {
        return NULL;
    }
    if (!dCheckConfiguration("ODE_double_precision")) {
        snprintf(message, PBDR_BENCH_MESSAGE, "this ODE was built in single precision");
        return NULL;
    }
    Simulation* s = calloc(1, sizeof *s);
    if (s == NULL) {
        snprintf(message, PBDR_BENCH_MESSAGE, "no memory");
        return NULL;
    }
    pbdrVec3 g = scene->gravity, n = scene->groundNormal;
    s->scene = scene;
    s->tuned = strcmp(scene->preset, "tuned") == 0;
    s->world = dWorldCreate();
    s->contacts = dJointGroupCreate(0);
    dWorldSetGravity(s->world, g.x, g.y, g.z);
    s->ground = dCreatePlane(NULL, n.x, n.y, n.z, 0.0);
    makeBody(s);
    if (scene->bodyCount == 2) {
        makeRod(s);
    }
    describeSettings(s);
    return s;
}

// --- Contact ---

static pbdrVec3 getVec(const dReal* v)
{
    return (pbdrVec3){v[0], v[1], v[2]};
}

static pbdrVec3 getVelocityAt(dBodyID body, pbdrVec3 point)
{
    if (body == NULL) {
        return (pbdrVec3){0.0, 0.0, 0.0};
    }
    pbdrVec3 arm = benchAddScaled(point, -1.0, getVec(dBodyGetPosition(body)));
    return benchAddScaled(getVec(dBodyGetLinearVel(body)), 1.0,
                          benchCross(getVec(dBodyGetAngularVel(body)), arm));
}

// Lays the first friction axis along the slip, or where the drive would make the body slip; false if nothing
// says where that is.
static bool findSlip(const Simulation* s, dBodyID other, const dContactGeom* geom, dVector3 direction)
{
    const pbdrBenchBody* body = &s->scene->bodies[0];
    pbdrVec3 point = getVec(geom->pos), normal = getVec(geom->normal);
    pbdrVec3 slip = benchAddScaled(getVelocityAt(s->body, point), -1.0, getVelocityAt(other, point));
    slip = benchAddScaled(slip, -benchDot(slip, normal), normal);
    double size = sqrt(benchDot(slip, slip));
    if (size < SLIP_SPEED) {
        slip = benchAddScaled(s->scene->gravity, 1.0 / body->mass, body->force);
        slip = benchAddScaled(slip, -benchDot(slip, normal), normal);
        size = sqrt(benchDot(slip, slip));
        if (size < SLIP_SPEED) {
            return false;
        }
    }
    direction[0] = slip.x / size, direction[1] = slip.y / size, direction[2] = slip.z / size;
    return true;
}

// geom's normal points to the body.
static void addContact(Simulation* s, dBodyID other, const dContactGeom* geom, double friction)
{
    dContact contact;
    memset(&contact, 0, sizeof contact);
    contact.geom = *geom;
    contact.surface.mode = dContactApprox1;
    contact.surface.mu = friction;
    if (s->tuned && findSlip(s, other, geom, contact.fdir1)) {
        contact.surface.mode |= dContactFDir1;
    }
    dJointAttach(dJointCreateContact(s->world, s->contacts, &contact), s->body, other);
}

// All of a mesh's vertices that are in the ground, as ODE's own collider finds them, but in double.
static void addVertexContacts(Simulation* s)
{
    const pbdrBenchBody* body = &s->scene->bodies[0];
    const dReal* q = dBodyGetQuaternion(s->body);
    pbdrVec3 n = s->scene->groundNormal, centre = getVec(dBodyGetPosition(s->body));
    pbdrVec3 normal = benchUnrotate((pbdrQuat){q[0], q[1], q[2], q[3]}, n);
    double height = benchDot(n, centre);
    for (int i = 0; i < body->vertexCount; i++) {
        double depth = -height - benchDot(normal, body->vertices[i]);
        if (depth < 0.0) {
            continue;
        }
        pbdrVec3 point =
            benchAddScaled(centre, 1.0, benchRotate((pbdrQuat){q[0], q[1], q[2], q[3]}, body->vertices[i]));
        dContactGeom geom = {.pos = {point.x, point.y, point.z}, .normal = {n.x, n.y, n.z}, .depth = depth};
        addContact(s, NULL, &geom, s->scene->groundFriction);
    }
}

static void addContacts(Simulation* s, dGeomID with, dBodyID other, double friction)
{
    dContactGeom geoms[MAX_CONTACTS];
    int count = dCollide(s->bodyGeom, with, MAX_CONTACTS, geoms, sizeof geoms[0]);
    for (int i = 0; i < count; i++) {
        addContact(s, other, &geoms[i], friction);
    }
}

// --- Run ---

static void placeRod(Simulation* s)
{
    pbdrPose pose;
    pbdrVelocity velocity;
    peerGetPrescribed(&s->scene->bodies[1], (double)s->stepCount * s->scene->timeStep, &pose, &velocity);
    dBodySetPosition(s->rod, pose.position.x, pose.position.y, pose.position.z);
    dBodySetLinearVel(s->rod, velocity.linear.x, velocity.linear.y, velocity.linear.z);
}

static void stepOnce(Simulation* s)
{
    const pbdrBenchBody* body = &s->scene->bodies[0];
    dBodyAddForce(s->body, body->force.x, body->force.y, body->force.z);
    dBodyAddTorque(s->body, body->torque.x, body->torque.y, body->torque.z);
    if (s->bodyGeom != NULL) {
        addContacts(s, s->ground, NULL, s->scene->groundFriction);
    } else {
        addVertexContacts(s);
    }
    if (s->rod != NULL) {
        placeRod(s);
        addContacts(s, s->rodGeom, s->rod, s->scene->pairFriction);
    }
    dWorldStep(s->world, s->scene->timeStep);
    dJointGroupEmpty(s->contacts);
    s->stepCount++;
}

static uint32_t step(void* simulation, int count)
{
    Simulation* s = simulation;
    dAllocateODEDataForThread(dAllocateMaskAll); // what the colliders keep per thread; no more than once each
    for (int i = 0; i < count; i++) {
        stepOnce(s);
        pbdrVec3 x = getVec(dBodyGetPosition(s->body));
        if (!isfinite(x.x + x.y + x.z)) {
            return pbdr_stepNotFinite;
        }
    }
    return 0;
}

static void readMotion(void* simulation, int body, pbdrPose* pose, pbdrVelocity* velocity)
{
    const Simulation* s = simulation;
    if (body == 1) {
        peerGetPrescribed(&s->scene->bodies[1], (double)s->stepCount * s->scene->timeStep, pose, velocity);
        return;
    }
    const dReal* q = dBodyGetQuaternion(s->body);
    pose->position = getVec(dBodyGetPosition(s->body));
    pose->rotation = (pbdrQuat){q[0], q[1], q[2], q[3]};
    velocity->linear = getVec(dBodyGetLinearVel(s->body));
    velocity->angular = getVec(dBodyGetAngularVel(s->body));
}

static bool describe(void* simulation, int index, const char** key, const char** value)
{
    return peerGetNote(&((Simulation*)simulation)->notes, index, key, value);
}

const pbdrBenchSolver* benchGetOde(void)
{
    static const pbdrBenchSolver solver = {
        .abi = PBDR_BENCH_ABI,
        .name = "ode",
        .version = PBDR_ODE_VERSION,
        .presets = PRESETS,
        .create = create,
        .step = step,
        .read = readMotion,
        .destroy = destroy,
        .describe = describe,
    };
    static bool started;
    if (!started) {
        dInitODE2(0);
        started = true;
    }
    return &solver;
}
