// A world from inside: a scene, and the engine that moves it.
#ifndef PBDR_WORLD_INTERNAL_H
#define PBDR_WORLD_INTERNAL_H

#include "engine/engine.h"
#include "pbdr/sensor.h"

// Which bodies and planes touch, and what changed in the last step (events.c).
typedef struct pbdrEvents {
    bool on;
    pbdrList touching, lastTouching; // Touch: in this substep and in the one before, sorted
    pbdrList list;                   // pbdrContactEvent
} pbdrEvents;

// What the ledger adds up over substeps: plain bytes, for snapshots keep them.
typedef struct pbdrLedgerSums {
    double work, friction;    // so far [J]
    double penetration, slip; // largest of the row [m]
    double residual;          // largest of the row; NaN: the engine has not said in some substep
    uint64_t newtonSteps;     // of the row
    uint64_t incomplete;      // 1: some substep had no memory for bodies' entries
} pbdrLedgerSums;

typedef struct pbdrLedgerBook {
    bool on;
    pbdrLedgerSums sums;
    pbdrList entries;    // by the index of the body (ledger.c)
    pbdrProfile profile; // before the substep
} pbdrLedgerBook;

struct pbdrWorld {
    pbdrScene scene;
    pbdrHooks hooks;               // the caller's; the world's own memory may be a batch's (held.h)
    pbdrEngine engineKind;         // as in use: never automatic
    const pbdrEngineTable* engine; // and its table
    void* engineState;             // what it keeps
    pbdrList shapes;               // RoundedShape: a float world's copies (body_shape.c)
    pbdrEvents events;
    pbdrLedgerBook ledgerBook;
    bool sensing;    // substeps note how bodies moved before them (sensor.c)
    pbdrList before; // by the index of the body, as they did
    void* userData;
    bool hasTargets;    // some body may have one
    bool hasStepForces; // some body may have one
};

// The engine that a definition asks for, and its table: the only place that names them all. (engines.c)
pbdrEngine pbdrChooseEngine(const pbdrWorldDef* def);
const pbdrEngineTable* pbdrGetEngineTable(const pbdrWorldDef* def);

// The live body of an id, or NULL after reporting an assertion; its index with it. (body.c)
pbdrBody* pbdrFindBody(const pbdrWorld* world, pbdrBodyId id, int* index);
// The live plane of an id, or NULL after reporting an assertion. (plane.c)
pbdrPlane* pbdrFindPlane(const pbdrWorld* world, pbdrPlaneId id);
// The joint of an id; NULL, with an assertion, where it is not valid. (joint.c)
pbdrJoint* pbdrFindJoint(const pbdrWorld* world, pbdrJointId id);
// Destroys the live joint at an index, and the gears on its axis. (joint.c)
void pbdrRemoveJoint(pbdrWorld* world, int index);
// Whether a definition is one that pbdrJoint_GetDef made. (joint.c)
bool pbdrIsMadeAgain(const pbdrJointDef* def);
// A gear as its definition has it, checked; counts it at its two axes; how far its follower is off, if that is an angle or a
// length as asked for, else 0; where a joint's axis is. (gear.c)
pbdrStatus pbdrMakeGear(const pbdrWorld* world, const pbdrJointDef* def, pbdrJoint* gear, pbdrError* error);
void pbdrCountGear(const pbdrScene* scene, const pbdrJoint* gear, int change);
double pbdrMeasureGear(const pbdrScene* scene, const pbdrJoint* gear, bool turn);
double pbdrMeasurePosition(const pbdrScene* scene, const pbdrJoint* joint);
// Notes how bodies move before a substep. (sensor.c)
void pbdrNoteBefore(pbdrWorld* world);
// The shape that a body of this world holds, a reference taken; NULL without memory. (body_shape.c)
pbdrShape* pbdrHoldShape(pbdrWorld* world, pbdrShape* shape);
// Gives the bodies' shapes back. (body_shape.c)
void pbdrReleaseShapes(pbdrWorld* world);
// A body's velocity, without its pose and contacts; refused for what a body cannot have. (body.c)
pbdrStatus pbdrChangeVelocity(pbdrWorld* world, int index, const pbdrPose* pose, pbdrVelocity velocity);

// Before the first substep of a step, and after each. (events.c)
void pbdrStartEvents(pbdrWorld* world);
void pbdrRecordEvents(pbdrWorld* world);
// What touches now is what has been touching. (events.c)
void pbdrResetEvents(pbdrWorld* world);
void pbdrFreeEvents(pbdrWorld* world);

// Before and after each substep while the ledger is on. (ledger.c)
void pbdrOpenLedger(pbdrWorld* world);
void pbdrCloseLedger(pbdrWorld* world);
void pbdrFreeLedger(pbdrWorld* world);

// Where the solver lets a contact's force act on body A or on body B. (contact.c)
pbdrVec3 pbdrGetActingPoint(const pbdrScene* scene, const pbdrContact* contact, bool onA);

#endif
