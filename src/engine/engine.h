// An engine: how the bodies of a scene move. The world knows its engine by this table alone; what an engine
// keeps beside the scene is its own business.
#ifndef PBDR_ENGINE_ENGINE_H
#define PBDR_ENGINE_ENGINE_H

#include "scene/scene.h"

typedef struct pbdrEngineTable {
    // Makes the engine of a scene without bodies and planes. NULL without memory.
    void* (*create)(pbdrScene* scene);
    void (*destroy)(void* engine);

    // Room for a body that is about to be placed in the scene, at this index and of this shape, and what
    // follows from the shape. False, and nothing changed, without memory.
    bool (*addBody)(void* engine, int index, const pbdrShape* shape);
    void (*removeBody)(void* engine, int index); // NULL: there is nothing to do
    // Room for the scene's planes. False without memory. NULL: it needs none.
    bool (*addPlane)(void* engine);

    // Places a body as a rigid one, with the rotation that it has.
    void (*place)(void* engine, int index, pbdrVec3 centre, pbdrVelocity velocity);
    // Where a body is and how it moves.
    pbdrPose (*getPose)(const void* engine, int index);
    pbdrVelocity (*getVelocity)(const void* engine, int index);
    bool isRigid; // both are the scene's own: a body's centre, rotation, velocity and angular
    pbdrMomentum (*getMomentum)(const void* engine, int index);
    // World positions of a body's spheres, in the order of its definition; as pbdrBody_GetPositions.
    int (*getPositions)(const void* engine, int index, pbdrVec3* buffer, int capacity);
    // The particles themselves; NULL: the engine keeps none.
    pbdrParticleView (*getParticles)(const void* engine, int index);

    // One substep, flags into the scene's.
    void (*step)(void* engine);
    // The time step has just become `ratio` times what it was. NULL: nothing that it carries goes with it.
    void (*rescale)(void* engine, double ratio);

    // Accelerations of bodies and of joints' axes by their indices, at the present state and without contacts;
    // pbdr_statusNotSupported where joints make loops. NULL: the engine has no joints.
    pbdrStatus (*findAccelerations)(void* engine, pbdrVelocity* bodies, double* joints);

    // Visits the contacts of the last substep in the order of pbdrWorld_GetContacts and returns how many
    // there are; visit NULL: only counts.
    int (*visitContacts)(const void* engine, pbdrContactVisit visit, void* context);
    // Forgets them and all that they carry.
    void (*forgetContacts)(void* engine);
    // Candidates looked at in the last substep, and islands that touch something (NULL: the engine has none).
    int (*countCandidates)(const void* engine);
    int (*countIslands)(const void* engine);

    // Everything beside the scene that decides how the world goes on, as bytes.
    size_t (*getStateSize)(const void* engine);
    void (*save)(const void* engine, char* bytes);
    // Whether bytes from outside are a state of this engine: it is asked before anything changes.
    bool (*isSound)(const void* engine, const char* bytes, size_t size);
    // False without memory.
    bool (*load)(void* engine, const char* bytes, size_t size);
} pbdrEngineTable;

extern const pbdrEngineTable pbdrParticleEngine;
extern const pbdrEngineTable pbdrReducedEngine;
extern const pbdrEngineTable pbdrXpbdrEngine;

#endif
