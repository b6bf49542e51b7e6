// Sensors: numbers of joints, bodies and contacts as a robot would measure them (pbdr/sensor.h).
#include "world/definition.h"
#include "world/internal.h"

// Any value that uninitialised memory, or another definition, is unlikely to hold.
#define SENSOR_COOKIE 0x7062736eu

static const pbdrSensorDef defaultSensor = {
    .cookie = SENSOR_COOKIE,
    .site = {.rotation = {1.0, 0.0, 0.0, 0.0}},
};

void pbdrInitSensorDef(pbdrSensorDef* def, size_t size)
{
    pbdrInitDef(def, size, &defaultSensor, sizeof defaultSensor);
}

int pbdrCountSensorValues(pbdrSensorKind kind)
{
    switch (kind) {
    case pbdr_sensorJointPosition:
    case pbdr_sensorJointVelocity:
    case pbdr_sensorJointForce:
    case pbdr_sensorTouch:
        return 1;
    case pbdr_sensorRotation:
        return 4;
    default:
        return 3;
    }
}

// --- Accelerations ---

// How a body was and moved before the last substep.
typedef struct Before {
    pbdrMat3 frame;
    pbdrVelocity velocity;
    uint32_t generation;
    bool noted;
} Before;

void pbdrWorld_SetAccelerations(pbdrWorld* world, bool on)
{
    world->sensing = on;
    world->before.itemSize = sizeof(Before);
    world->before.count = 0;
}

// Without memory nothing is noted, and accelerations are zero.
void pbdrNoteBefore(pbdrWorld* world)
{
    const pbdrScene* scene = &world->scene;
    world->before.count = 0;
    if (!pbdrListReserve(&world->scene.memory, &world->before, scene->bodies.count)) {
        return;
    }
    world->before.count = scene->bodies.count;
    Before* before = world->before.items;
    for (int index = 0; index < scene->bodies.count; index++) {
        const pbdrBody* body = pbdrGetBody(scene, index);
        before[index] = (Before){.generation = body->generation};
        if (body->alive) {
            before[index].frame =
                pbdrMatFromQuat(pbdrBody_GetPose(world, pbdrGetBodyId(scene, index)).rotation);
            before[index].velocity = pbdrBody_GetVelocity(world, pbdrGetBodyId(scene, index));
            before[index].noted = true;
        }
    }
}

static const Before* findBefore(const pbdrWorld* world, int index)
{
    const Before* before = (const Before*)world->before.items + index;
    return index < world->before.count && before->noted &&
                   before->generation == pbdrGetBody(&world->scene, index)->generation
               ? before
               : NULL;
}

pbdrVelocity pbdrBody_GetAcceleration(const pbdrWorld* world, pbdrBodyId id)
{
    int index;
    const pbdrVelocity none = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    const Before* before = pbdrFindBody(world, id, &index) != NULL ? findBefore(world, index) : NULL;
    if (before == NULL) {
        return none;
    }
    const pbdrVelocity now = pbdrBody_GetVelocity(world, id);
    const double over = 1.0 / world->scene.timeStep;
    return (pbdrVelocity){pbdrScale(over, pbdrSub(now.linear, before->velocity.linear)),
                          pbdrScale(over, pbdrSub(now.angular, before->velocity.angular))};
}

// --- Sites ---

// Where a site is and how it moves, in world axes.
typedef struct Site {
    int body;
    pbdrVec3 centre, lever; // of the body's centre of mass; from there to the site
    pbdrQuat rotation;
    pbdrMat3 turn;
    pbdrVelocity velocity; // of the body
} Site;

static bool findSite(const pbdrWorld* world, const pbdrSensorDef* def, Site* site)
{
    if (def->body.index1 == 0 || !pbdrBody_IsValid(world, def->body)) {
        return false;
    }
    const pbdrPose pose = pbdrBody_GetPose(world, def->body);
    const pbdrMat3 frame = pbdrMatFromQuat(pose.rotation);
    site->body = def->body.index1 - 1;
    site->centre = pose.position;
    site->lever = pbdrMulMV(&frame, def->site.position);
    site->rotation = pbdrMulQQ(pose.rotation, def->site.rotation);
    site->turn = pbdrMatFromQuat(site->rotation);
    site->velocity = pbdrBody_GetVelocity(world, def->body);
    return true;
}

static pbdrVec3 getSiteVelocity(pbdrVelocity velocity, pbdrVec3 lever)
{
    return pbdrAdd(velocity.linear, pbdrCross(velocity.angular, lever));
}

// The mean of the site's acceleration over the substep, from its velocities before and after it; less gravity.
static pbdrVec3 getSiteAcceleration(const pbdrWorld* world, const pbdrSensorDef* def, const Site* site)
{
    const Before* before = findBefore(world, site->body);
    if (before == NULL) {
        return pbdrVec(0.0, 0.0, 0.0);
    }
    const pbdrVec3 now = getSiteVelocity(site->velocity, site->lever),
                   then = getSiteVelocity(before->velocity, pbdrMulMV(&before->frame, def->site.position));
    return pbdrSub(pbdrScale(1.0 / world->scene.timeStep, pbdrSub(now, then)), world->scene.gravity);
}

// --- Forces ---

// What a joint, or contact, does to the site's body, about the site. False where there is no such joint.
static bool findWrench(const pbdrWorld* world, const pbdrSensorDef* def, const Site* site, pbdrWrench* wrench)
{
    const pbdrVec3 point = pbdrAdd(site->centre, site->lever);
    if (def->joint.index1 == 0) {
        const bool all = def->other.index1 == 0;
        if (!all && !pbdrBody_IsValid(world, def->other)) {
            return false;
        }
        *wrench = all ? pbdrBody_GetContactWrench(world, def->body, point)
                      : pbdrWorld_GetPairWrench(world, def->body, def->other, point);
        return true;
    }
    if (!pbdrJoint_IsValid(world, def->joint)) {
        return false;
    }
    const pbdrScene* scene = &world->scene;
    const pbdrJoint* joint = pbdrGetJoint(scene, def->joint.index1 - 1);
    if (joint->bodies[0] != site->body && joint->bodies[1] != site->body) {
        return false;
    }
    const double sign = joint->bodies[1] == site->body ? 1.0 : -1.0;
    const pbdrBody* b = joint->bodies[1] >= 0 ? pbdrGetBody(scene, joint->bodies[1]) : NULL;
    const pbdrVec3 anchor =
        b != NULL ? pbdrAdd(b->centre, pbdrMulMV(&b->frame, joint->anchors[1])) : joint->anchors[1];
    const pbdrVec3 force = pbdrScale(sign, joint->reaction.force);
    *wrench = (pbdrWrench){
        force, pbdrAdd(pbdrScale(sign, joint->reaction.torque), pbdrCross(pbdrSub(anchor, point), force))};
    return true;
}

typedef struct TouchSum {
    const pbdrSensorDef* def;
    const Site* site;
    double force;
} TouchSum;

// Whether a place of the site's frame is in the zone.
static bool isInZone(const pbdrSensorDef* def, pbdrVec3 p)
{
    const pbdrVec3 z = def->zone;
    const double along = fabs(p.z) - z.z, across = p.x * p.x + p.y * p.y;
    switch (def->zoneKind) {
    case pbdr_zoneEllipsoid:
        return p.x * p.x / (z.x * z.x) + p.y * p.y / (z.y * z.y) + p.z * p.z / (z.z * z.z) <= 1.0;
    case pbdr_zoneBox:
        return fabs(p.x) <= z.x && fabs(p.y) <= z.y && along <= 0.0;
    case pbdr_zoneCapsule:
        return across + (along > 0.0 ? along * along : 0.0) <= z.x * z.x;
    case pbdr_zoneCylinder:
        return across <= z.x * z.x && along <= 0.0;
    default:
        return true;
    }
}

static void addTouch(void* context, const pbdrContact* contact)
{
    TouchSum* sum = context;
    const int own = sum->site->body + 1;
    const bool onA = contact->bodyA.index1 == own, onB = contact->bodyB.index1 == own;
    const int other = onA ? contact->bodyB.index1 : contact->bodyA.index1;
    if ((!onA && !onB) || (sum->def->other.index1 != 0 && other != sum->def->other.index1)) {
        return;
    }
    const pbdrVec3 d = pbdrSub(contact->point, pbdrAdd(sum->site->centre, sum->site->lever));
    if (isInZone(sum->def, pbdrMulTransposedMV(&sum->site->turn, d))) {
        sum->force += pbdrDot(contact->normal, contact->force);
    }
}

// --- Reading ---

static void setVec(pbdrVec3 v, double* values)
{
    values[0] = v.x;
    values[1] = v.y;
    values[2] = v.z;
}

static bool readSite(const pbdrWorld* world, const pbdrSensorDef* def, double values[PBDR_SENSOR_VALUES])
{
    Site site;
    pbdrWrench wrench;
    if (!findSite(world, def, &site)) {
        return false;
    }
    switch (def->kind) {
    case pbdr_sensorForce:
    case pbdr_sensorTorque:
        if (!findWrench(world, def, &site, &wrench)) {
            return false;
        }
        setVec(pbdrMulTransposedMV(&site.turn, def->kind == pbdr_sensorForce ? wrench.force : wrench.torque),
               values);
        return true;
    case pbdr_sensorAccelerometer:
        setVec(pbdrMulTransposedMV(&site.turn, getSiteAcceleration(world, def, &site)), values);
        return true;
    case pbdr_sensorGyro:
        setVec(pbdrMulTransposedMV(&site.turn, site.velocity.angular), values);
        return true;
    case pbdr_sensorVelocimeter:
        setVec(pbdrMulTransposedMV(&site.turn, getSiteVelocity(site.velocity, site.lever)), values);
        return true;
    case pbdr_sensorTouch: {
        TouchSum sum = {def, &site, 0.0};
        world->engine->visitContacts(world->engineState, addTouch, &sum);
        values[0] = sum.force;
        return true;
    }
    case pbdr_sensorPosition:
        setVec(pbdrAdd(site.centre, site.lever), values);
        return true;
    case pbdr_sensorRotation:
        values[0] = site.rotation.w;
        setVec(pbdrVec(site.rotation.x, site.rotation.y, site.rotation.z), values + 1);
        return true;
    case pbdr_sensorLinearVelocity:
        setVec(getSiteVelocity(site.velocity, site.lever), values);
        return true;
    case pbdr_sensorAngularVelocity:
        setVec(site.velocity.angular, values);
        return true;
    default:
        return false;
    }
}

int pbdrReadSensor(const pbdrWorld* world, const pbdrSensorDef* callers, double values[PBDR_SENSOR_VALUES])
{
    pbdrSensorDef def = defaultSensor;
    if (pbdrReadDef(callers, "pbdrDefaultSensorDef", &def, sizeof def, NULL) != pbdr_statusOk) {
        return 0;
    }
    const bool ofJoint = def.kind == pbdr_sensorJointPosition || def.kind == pbdr_sensorJointVelocity ||
                         def.kind == pbdr_sensorJointForce;
    if (ofJoint && (def.joint.index1 == 0 || !pbdrJoint_IsValid(world, def.joint))) {
        return 0;
    }
    if (def.kind == pbdr_sensorJointPosition) {
        values[0] = pbdrJoint_GetPosition(world, def.joint);
    } else if (def.kind == pbdr_sensorJointVelocity) {
        values[0] = pbdrJoint_GetVelocity(world, def.joint);
    } else if (def.kind == pbdr_sensorJointForce) {
        values[0] = pbdrJoint_GetAxisForce(world, def.joint);
    } else if (!readSite(world, &def, values)) {
        return 0;
    }
    return pbdrCountSensorValues(def.kind);
}
