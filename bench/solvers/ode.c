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
// Settings, in both presets for all tests the same:
//   friction_along_slip  the first friction axis along the slip at each contact, which makes the box of friction exact for
//                        sliding; else where ODE puts it
//   finite_rotation      else a fast spin lags by (w dt)^2/12
//   start_depth_m        how deep bodies start: a gap of one ulp is a step of free fall
//   mesh                 what meets the plane of a mesh: "trimesh", ODE's own collider (vertices in float), or "vertices", all
//                        that are below the plane, found here in double. A convex mesh among others is a dConvex.
//   erp, cfm             of the world
//   gyroscopic           the gyroscopic term, which ODE makes implicit
//
// Presets: (none) is what ODE does by itself; tuned is what the search found (engines/ode/search.csv).
#include "peer_settings.h"
#include "peers.h"

#include <ode/ode.h>

#include <setjmp.h>
#include <stdlib.h>

#ifndef PBDR_ODE_VERSION
#define PBDR_ODE_VERSION "unknown" // ODE does not tell; the build passes what pkg-config says
#endif
#define PRESETS "tuned"

#define MAX_CONTACTS 64
// Slower than this a contact has no slip direction yet, and the drive's is taken [m/s]: a thousandth of what
// the weakest drive of the tests gives in one step, far above rounding.
#define SLIP_SPEED 1.0e-7
// Slower impacts do not bounce [m/s].
#define BOUNCE_SPEED 1.0e-3

static const PeerSetting settingTable[] = {
    {"friction_along_slip", "false", "true"},
    {"finite_rotation", "false", "false"},
    {"start_depth_m", "0", "1e-09"},
    {"mesh", "trimesh", "vertices"},
    {"erp", "0.2", "0.2"},
    {"cfm", "1e-10", "1e-10"},
    {"gyroscopic", "true", "false"},
};

typedef struct Simulation {
    const pbdrBenchScene* scene;
    PeerSettings settings;
    bool alongSlip;
    dWorldID world;
    dJointGroupID contacts;
    int freeCount;                              // bodies but for the rod
    dBodyID bodies[PBDR_BENCH_MAX_BODIES], rod; // rod: NULL without one
    dGeomID ground, geoms[PBDR_BENCH_MAX_BODIES],
        rodGeom; // geoms: NULL for a mesh whose vertices are met here
    dTriMeshDataID meshData;
    dReal* planes; // of a convex mesh
    unsigned* polygons;
    int64_t stepCount;
    bool failed; // an assertion of ODE's own
    PeerNotes notes;
} Simulation;

// --- Creation ---

static dGeomID makeTrimesh(Simulation* s, const pbdrBenchBody* body)
{
    s->meshData = dGeomTriMeshDataCreate();
    dGeomTriMeshDataBuildDouble(s->meshData, body->vertices, sizeof(pbdrVec3), body->vertexCount,
                                body->triangles, 3 * body->triangleCount, 3 * sizeof(int32_t));
    return dCreateTriMesh(NULL, s->meshData, NULL, NULL, NULL);
}

// A mesh of a scene of several (an arch's wedge) is convex, and all have the same: planes, points and triangles
// as ODE wants them, which it does not copy. NULL without memory.
static dGeomID makeConvex(Simulation* s, const pbdrBenchBody* body)
{
    int count = body->triangleCount;
    if (s->planes == NULL) {
        s->planes = malloc(4 * (size_t)count * sizeof *s->planes);
        s->polygons = malloc(4 * (size_t)count * sizeof *s->polygons);
    }
    if (s->planes == NULL || s->polygons == NULL) {
        return NULL;
    }
    for (int k = 0; k < count; k++) {
        const int32_t* corner = body->triangles[k];
        pbdrVec3 a = body->vertices[corner[0]];
        pbdrVec3 n =
            benchCross(benchSub(body->vertices[corner[1]], a), benchSub(body->vertices[corner[2]], a));
        n = benchScale(1.0 / benchLength(n), n);
        const double plane[4] = {n.x, n.y, n.z, benchDot(n, a)};
        memcpy(&s->planes[4 * k], plane, sizeof plane);
        s->polygons[4 * k] = 3;
        for (int i = 0; i < 3; i++) {
            s->polygons[4 * k + 1 + i] = (unsigned)corner[i];
        }
    }
    return dCreateConvex(NULL, s->planes, (unsigned)count, &body->vertices[0].x, (unsigned)body->vertexCount,
                         s->polygons);
}

static dGeomID makeGeom(Simulation* s, const pbdrBenchBody* body)
{
    pbdrVec3 h = body->halfExtents;
    switch (body->shape) {
    case pbdr_benchBox:
        return dCreateBox(NULL, 2.0 * h.x, 2.0 * h.y, 2.0 * h.z);
    case pbdr_benchBall:
        return dCreateSphere(NULL, body->radius);
    case pbdr_benchCylinder:
        return dCreateCylinder(NULL, body->radius, 2.0 * h.z);
    default:
        return s->freeCount > 1                                             ? makeConvex(s, body)
               : strcmp(peerGetText(&s->settings, "mesh"), "vertices") == 0 ? NULL
                                                                            : makeTrimesh(s, body);
    }
}

static void makeBody(Simulation* s, int index)
{
    const pbdrBenchBody* body = &s->scene->bodies[index];
    bool flying = benchDot(s->scene->gravity, s->scene->gravity) == 0.0 || s->scene->jointCount > 0;
    double depth = flying ? 0.0 : peerGetNumber(&s->settings, "start_depth_m");
    pbdrVec3 x = benchAddScaled(body->start.position, -depth, s->scene->groundNormal);
    pbdrQuat q = body->start.rotation;
    pbdrVec3 v = body->startVelocity.linear, w = body->startVelocity.angular;
    const double(*i)[3] = body->inertia.m;
    dMass mass;
    dMassSetParameters(&mass, body->mass, 0.0, 0.0, 0.0, i[0][0], i[1][1], i[2][2], i[0][1], i[0][2],
                       i[1][2]);
    dBodyID rigid = s->bodies[index] = dBodyCreate(s->world);
    dBodySetMass(rigid, &mass);
    dBodySetPosition(rigid, x.x, x.y, x.z);
    dBodySetQuaternion(rigid, (dQuaternion){q.w, q.x, q.y, q.z});
    dBodySetLinearVel(rigid, v.x, v.y, v.z);
    dBodySetAngularVel(rigid, w.x, w.y, w.z);
    dBodySetGyroscopicMode(rigid, peerIsOn(&s->settings, "gyroscopic") ? 1 : 0);
    dBodySetFiniteRotationMode(rigid, peerIsOn(&s->settings, "finite_rotation") ? 1 : 0);
    dBodySetAutoDisableFlag(rigid, 0);
    s->geoms[index] = makeGeom(s, body);
    if (s->geoms[index] != NULL) {
        dGeomSetBody(s->geoms[index], rigid);
    }
}

static void makeRod(Simulation* s)
{
    const pbdrBenchBody* rod = &s->scene->bodies[1];
    pbdrQuat q = rod->start.rotation;
    s->rod = dBodyCreate(s->world);
    dBodySetKinematic(s->rod);
    dBodySetQuaternion(s->rod, (dQuaternion){q.w, q.x, q.y, q.z});
    s->rodGeom = dCreateCapsule(NULL, rod->radius, 2.0 * (rod->halfExtents.x - rod->radius));
    dGeomSetBody(s->rodGeom, s->rod);
    dGeomSetOffsetQuaternion(s->rodGeom, (dQuaternion){sqrt(0.5), 0.0, sqrt(0.5), 0.0}); // ODE's lie along z
}

// --- Joints ---

static dBodyID getBody(const Simulation* s, int body)
{
    return body < 0 ? NULL : s->bodies[body];
}

static void addJoint(Simulation* s, const pbdrBenchJoint* joint)
{
    const pbdrVec3 point = joint->points[0], axis = joint->axis;
    dBodyID a = getBody(s, joint->bodies[0]), b = getBody(s, joint->bodies[1]);
    if (joint->kind == pbdr_benchHingeJoint) {
        dJointID id = dJointCreateHinge(s->world, NULL);
        dJointAttach(id, a, b);
        dJointSetHingeAnchor(id, point.x, point.y, point.z);
        dJointSetHingeAxis(id, axis.x, axis.y, axis.z);
    } else if (joint->kind == pbdr_benchSlideJoint) {
        dJointID id = dJointCreateSlider(s->world, NULL);
        dJointAttach(id, a, b);
        dJointSetSliderAxis(id, axis.x, axis.y, axis.z);
    } else if (joint->kind == pbdr_benchBallJoint) {
        dJointID id = dJointCreateBall(s->world, NULL);
        dJointAttach(id, a, b);
        dJointSetBallAnchor(id, point.x, point.y, point.z);
    }
}

// The force of a spring at the begin of a step.
static void pullSpring(Simulation* s, const pbdrBenchJoint* joint)
{
    pbdrVec3 ends[2] = {joint->points[0], joint->points[1]};
    for (int side = 0; side < 2; side++) {
        dBodyID body = getBody(s, joint->bodies[side]);
        if (body != NULL) {
            const pbdrVec3 own = peerToOwnPoint(s->scene, joint->bodies[side], joint->points[side]);
            dVector3 at;
            dBodyGetRelPointPos(body, own.x, own.y, own.z, at);
            ends[side] = (pbdrVec3){at[0], at[1], at[2]};
        }
    }
    const pbdrVec3 f = peerGetSpringForce(joint, ends[0], ends[1]);
    for (int side = 0; side < 2; side++) {
        dBodyID body = getBody(s, joint->bodies[side]);
        const double sign = side == 1 ? 1.0 : -1.0;
        if (body != NULL) {
            dBodyAddForceAtPos(body, sign * f.x, sign * f.y, sign * f.z, ends[side].x, ends[side].y,
                               ends[side].z);
        }
    }
}

static void describeSettings(Simulation* s)
{
    const pbdrBenchScene* scene = s->scene;
    PeerNotes* notes = &s->notes;
    peerAddNote(notes, "version", "%s", PBDR_ODE_VERSION);
    peerAddNote(notes, "configuration", "%s", dGetConfiguration());
    peerNoteSettings(notes, &s->settings);
    peerAddNote(notes, "integrator", "semi-implicit Euler, %g s, gyroscopic term %s%s", scene->timeStep,
                peerIsOn(&s->settings, "gyroscopic") ? "on" : "off",
                peerIsOn(&s->settings, "finite_rotation") ? ", finite rotation" : "");
    peerAddNote(notes, "solver", "dWorldStep, ERP %g, CFM %g", dWorldGetERP(s->world),
                dWorldGetCFM(s->world));
    if (scene->jointCount > 0) {
        peerAddNote(notes, "joints", "ODE's hinge, slider, ball; springs as forces of the step's begin");
        return;
    }
    peerAddNote(notes, "friction",
                "given per contact: ground %g, rod %g; box of two axes (dContactApprox1), %s",
                scene->groundFriction, s->rod != NULL ? scene->pairFriction : 0.0,
                s->alongSlip ? "the first along the slip" : "where ODE puts them");
    peerAddNote(notes, "inertia", "true");
    peerAddNote(notes, "shape", "%s",
                scene->bodies[0].shape == pbdr_benchBox        ? "box (ODE's colliders)"
                : scene->bodies[0].shape == pbdr_benchBall     ? "ball"
                : scene->bodies[0].shape == pbdr_benchCylinder ? "cylinder (ODE's cylinder-plane collider)"
                : s->planes != NULL                            ? "convex (ODE's colliders)"
                : s->geoms[0] == NULL ? "mesh: all vertices below the plane, found in double"
                                      : "mesh: ODE's trimesh colliders (vertices in float)");
    if (scene->restitution > 0.0) {
        peerAddNote(notes, "restitution", "bounce %g, from %g m/s on", scene->restitution, BOUNCE_SPEED);
    }
    peerAddNote(notes, "start", "%g m deep", peerGetNumber(&s->settings, "start_depth_m"));
    if (s->rod != NULL) {
        peerAddNote(notes, "rod", "capsule, kinematic body, position and velocity set at every step");
    }
}

static void destroy(void* simulation)
{
    Simulation* s = simulation;
    for (int k = 0; k < s->freeCount; k++) {
        if (s->geoms[k] != NULL) {
            dGeomDestroy(s->geoms[k]);
        }
    }
    if (s->rodGeom != NULL) {
        dGeomDestroy(s->rodGeom);
    }
    dGeomDestroy(s->ground);
    if (s->meshData != NULL) {
        dGeomTriMeshDataDestroy(s->meshData);
    }
    free(s->planes);
    free(s->polygons);
    dJointGroupDestroy(s->contacts);
    dWorldDestroy(s->world);
    free(s);
}

static void* create(const pbdrBenchScene* scene, char message[PBDR_BENCH_MESSAGE])
{
    if (!peerTakesScene(scene, message) || !peerTakesSprings(scene, message) ||
        !peerHasPreset(PRESETS, scene->preset, message)) {
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
    if (!peerTakeSettings(&s->settings, settingTable, (int)(sizeof settingTable / sizeof settingTable[0]),
                          strcmp(scene->preset, "tuned") == 0, message)) {
        free(s);
        return NULL;
    }
    s->alongSlip = peerIsOn(&s->settings, "friction_along_slip");
    s->world = dWorldCreate();
    dWorldSetERP(s->world, peerGetNumber(&s->settings, "erp"));
    dWorldSetCFM(s->world, peerGetNumber(&s->settings, "cfm"));
    s->contacts = dJointGroupCreate(0);
    dWorldSetGravity(s->world, g.x, g.y, g.z);
    s->ground = dCreatePlane(NULL, n.x, n.y, n.z, 0.0);
    s->freeCount = scene->bodyCount - (peerHasRod(scene) ? 1 : 0);
    for (int k = 0; k < s->freeCount; k++) {
        makeBody(s, k);
    }
    if (peerHasRod(scene)) {
        makeRod(s);
    }
    for (int k = 0; k < scene->jointCount; k++) {
        addJoint(s, &scene->joints[k]);
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
static bool findSlip(const Simulation* s, int index, dBodyID other, const dContactGeom* geom,
                     dVector3 direction)
{
    const pbdrBenchBody* body = &s->scene->bodies[index];
    pbdrVec3 point = getVec(geom->pos), normal = getVec(geom->normal);
    pbdrVec3 slip = benchAddScaled(getVelocityAt(s->bodies[index], point), -1.0, getVelocityAt(other, point));
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

// geom's normal points to the body of that index.
static void addContact(Simulation* s, int index, dBodyID other, const dContactGeom* geom, double friction)
{
    dContact contact;
    memset(&contact, 0, sizeof contact);
    contact.geom = *geom;
    contact.surface.mode = dContactApprox1;
    contact.surface.mu = friction;
    if (s->scene->restitution > 0.0) {
        contact.surface.mode |= dContactBounce;
        contact.surface.bounce = s->scene->restitution;
        contact.surface.bounce_vel = BOUNCE_SPEED;
    }
    if (s->alongSlip && findSlip(s, index, other, geom, contact.fdir1)) {
        contact.surface.mode |= dContactFDir1;
    }
    dJointAttach(dJointCreateContact(s->world, s->contacts, &contact), s->bodies[index], other);
}

// All of a mesh's vertices that are in the ground, as ODE's own collider finds them, but in double.
static void addVertexContacts(Simulation* s)
{
    const pbdrBenchBody* body = &s->scene->bodies[0];
    const dReal* q = dBodyGetQuaternion(s->bodies[0]);
    pbdrVec3 n = s->scene->groundNormal, centre = getVec(dBodyGetPosition(s->bodies[0]));
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
        addContact(s, 0, NULL, &geom, s->scene->groundFriction);
    }
}

static void addContacts(Simulation* s, int index, dGeomID with, dBodyID other, double friction)
{
    dContactGeom geoms[MAX_CONTACTS];
    int count = dCollide(s->geoms[index], with, MAX_CONTACTS, geoms, sizeof geoms[0]);
    for (int i = 0; i < count; i++) {
        addContact(s, index, other, &geoms[i], friction);
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

// Whether two geoms' boxes overlap.
static bool areNear(dGeomID a, dGeomID b)
{
    dReal x[6], y[6];
    dGeomGetAABB(a, x);
    dGeomGetAABB(b, y);
    bool near = true;
    for (int k = 0; k < 3; k++) {
        near = near && x[2 * k] <= y[2 * k + 1] && y[2 * k] <= x[2 * k + 1];
    }
    return near;
}

static void stepOnce(Simulation* s)
{
    for (int k = 0; k < s->freeCount; k++) {
        const pbdrBenchBody* body = &s->scene->bodies[k];
        dBodyAddForce(s->bodies[k], body->force.x, body->force.y, body->force.z);
        dBodyAddTorque(s->bodies[k], body->torque.x, body->torque.y, body->torque.z);
        if (s->scene->jointCount > 0) {
            continue; // nothing touches
        }
        if (s->geoms[k] == NULL) {
            addVertexContacts(s);
            continue;
        }
        addContacts(s, k, s->ground, NULL, s->scene->groundFriction);
        for (int i = 0; i < k; i++) {
            if (areNear(s->geoms[k], s->geoms[i])) {
                addContacts(s, k, s->geoms[i], s->bodies[i], s->scene->pairFriction);
            }
        }
    }
    for (int k = 0; k < s->scene->jointCount; k++) {
        if (s->scene->joints[k].kind == pbdr_benchSpringJoint) {
            pullSpring(s, &s->scene->joints[k]);
        }
    }
    if (s->rod != NULL) {
        placeRod(s);
        addContacts(s, 0, s->rodGeom, s->rod, s->scene->pairFriction);
    }
    dWorldStep(s->world, s->scene->timeStep);
    dJointGroupEmpty(s->contacts);
    s->stepCount++;
}

// ODE's own handler prints. What it has to say (an LCP that was given up) is a flag here.
static _Thread_local int messageCount;

static void countMessage(int number, const char* text, va_list arguments)
{
    (void)number, (void)text, (void)arguments;
    messageCount++;
}

// An assertion of ODE's own would end the process; its handler must not return. Here it ends the run: the simulation has
// failed from then on, and only its memory is freed. Outside of a step there is nowhere to go.
static _Thread_local jmp_buf failure;
static _Thread_local bool stepping;

static void leaveStep(int number, const char* text, va_list arguments)
{
    (void)number, (void)text, (void)arguments;
    if (!stepping) {
        abort();
    }
    longjmp(failure, 1);
}

static uint32_t step(void* simulation, int count)
{
    Simulation* s = simulation;
    if (s->failed || setjmp(failure) != 0) {
        s->failed = true;
        stepping = false;
        return pbdr_stepNotFinite;
    }
    stepping = true;
    messageCount = 0;
    dAllocateODEDataForThread(dAllocateMaskAll); // what the colliders keep per thread; no more than once each
    for (int i = 0; i < count; i++) {
        stepOnce(s);
        for (int k = 0; k < s->freeCount; k++) {
            pbdrVec3 x = getVec(dBodyGetPosition(s->bodies[k]));
            if (!isfinite(x.x + x.y + x.z)) {
                stepping = false;
                return pbdr_stepNotFinite;
            }
        }
    }
    stepping = false;
    return messageCount > 0 ? pbdr_stepNotConverged : 0;
}

static void readMotion(void* simulation, int body, pbdrPose* pose, pbdrVelocity* velocity)
{
    const Simulation* s = simulation;
    if (body >= s->freeCount) {
        peerGetPrescribed(&s->scene->bodies[1], (double)s->stepCount * s->scene->timeStep, pose, velocity);
        return;
    }
    const dReal* q = dBodyGetQuaternion(s->bodies[body]);
    pose->position = getVec(dBodyGetPosition(s->bodies[body]));
    pose->position.x = s->failed ? (double)NAN : pose->position.x;
    pose->rotation = (pbdrQuat){q[0], q[1], q[2], q[3]};
    velocity->linear = getVec(dBodyGetLinearVel(s->bodies[body]));
    velocity->angular = getVec(dBodyGetAngularVel(s->bodies[body]));
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
        .capabilities = pbdr_benchUsesJoints,
        .create = create,
        .step = step,
        .read = readMotion,
        .destroy = destroy,
        .describe = describe,
    };
    static bool started;
    if (!started) {
        dInitODE2(0);
        dSetMessageHandler(countMessage);
        dSetErrorHandler(leaveStep);
        dSetDebugHandler(leaveStep);
        started = true;
    }
    return &solver;
}
