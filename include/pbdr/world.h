// The simulation: a world of bodies made of spheres, and planes. Threads: one world may be used by one thread
// at a time; different worlds are independent.
#ifndef PBDR_WORLD_H
#define PBDR_WORLD_H

#include "pbdr/shape.h"
#include "pbdr/types.h"

#ifdef __cplusplus
extern "C" {
#endif

// --- World ---

// Makes an empty world. On failure *world is NULL and error (may be NULL) says why.
PBDR_API pbdrStatus pbdrCreateWorld(const pbdrWorldDef* def, pbdrWorld** world, pbdrError* error);

// Gives back all memory of a world. NULL is fine.
PBDR_API void pbdrDestroyWorld(pbdrWorld* world);

// Advances by substepCount substeps of the world's time step. Returns pbdrStepFlag bits of all of them
// together; stops early, after the substep in question, on pbdr_stepNotFinite.
PBDR_API uint32_t pbdrWorld_Step(pbdrWorld* world, int substepCount);

// Substeps taken since creation; the simulated time is this times the time step, if that was never changed.
PBDR_API uint64_t pbdrWorld_GetSubstepCount(const pbdrWorld* world);

// Settings that may change between steps. Each refuses what pbdrCreateWorld would refuse.
PBDR_API pbdrStatus pbdrWorld_SetGravity(pbdrWorld* world, pbdrVec3 gravity);
PBDR_API pbdrVec3 pbdrWorld_GetGravity(const pbdrWorld* world);
PBDR_API pbdrStatus pbdrWorld_SetTimeStep(pbdrWorld* world, double timeStep);
PBDR_API double pbdrWorld_GetTimeStep(const pbdrWorld* world);
PBDR_API pbdrStatus pbdrWorld_SetIterations(pbdrWorld* world, int iterations);
PBDR_API int pbdrWorld_GetIterations(const pbdrWorld* world);
PBDR_API pbdrStatus pbdrWorld_SetRelaxation(pbdrWorld* world, double relaxation);
PBDR_API double pbdrWorld_GetRelaxation(const pbdrWorld* world);

// The engine in use: never pbdr_engineAuto.
PBDR_API pbdrEngine pbdrWorld_GetEngine(const pbdrWorld* world);

// The instructions in use: never pbdr_simdAuto.
PBDR_API pbdrSimd pbdrWorld_GetSimd(const pbdrWorld* world);

// Whether this build and this CPU can run a set of instructions.
PBDR_API bool pbdrIsSimdSupported(pbdrSimd simd);

// Memory the world asked its allocator for and holds, before rounding up to whole cache lines [bytes].
PBDR_API size_t pbdrWorld_GetByteCount(const pbdrWorld* world);

// Contacts of the last substep: planes first, each in order of particle; then pairs. Writes at most capacity
// of them and returns how many there are, so that capacity 0 (buffer may be NULL) counts.
PBDR_API int pbdrWorld_GetContacts(const pbdrWorld* world, pbdrContact* buffer, int capacity);

// Everything that changes in a world as it runs, as bytes: particles, applied forces, settings that have
// setters, contacts, substep count. A world made by the same calls, given these bytes, goes on bit for bit as
// the first would have; states of worlds that differ in bodies, planes or fixed settings are refused, and
// nothing is changed then. The bytes are for the same build on the same kind of machine.
PBDR_API size_t pbdrWorld_GetStateSize(const pbdrWorld* world);
PBDR_API pbdrStatus pbdrWorld_GetState(const pbdrWorld* world, void* buffer, size_t size, pbdrError* error);
PBDR_API pbdrStatus pbdrWorld_SetState(pbdrWorld* world, const void* buffer, size_t size, pbdrError* error);

// --- Planes ---

PBDR_API pbdrStatus pbdrCreatePlane(pbdrWorld* world, const pbdrPlaneDef* def, pbdrPlaneId* id,
                                    pbdrError* error);
PBDR_API void pbdrDestroyPlane(pbdrWorld* world, pbdrPlaneId id);
PBDR_API bool pbdrPlane_IsValid(const pbdrWorld* world, pbdrPlaneId id);

// --- Bodies ---

// The bodies, in the order of their ids' indices. Writes at most capacity ids and returns how many there are.
PBDR_API int pbdrWorld_GetBodies(const pbdrWorld* world, pbdrBodyId* buffer, int capacity);

// Copies the spheres and places them with their centre of mass at def->position.
PBDR_API pbdrStatus pbdrCreateBody(pbdrWorld* world, const pbdrBodyDef* def, pbdrBodyId* id,
                                   pbdrError* error);
// A body of a shape, which it shares: the definition says where it is and how it moves, and the shape's
// centre of mass is placed at def->position.
PBDR_API pbdrStatus pbdrCreateBodyFromShape(pbdrWorld* world, const pbdrBodyDef* def, pbdrShape* shape,
                                            pbdrBodyId* id, pbdrError* error);
PBDR_API void pbdrDestroyBody(pbdrWorld* world, pbdrBodyId id);
PBDR_API bool pbdrBody_IsValid(const pbdrWorld* world, pbdrBodyId id);

// Pose and velocity. The setters place every particle anew as a rigid body; the getters fit the particles.
// Setting the pose keeps the velocity and the other way round, and forgets the world's contacts. A body that
// has diverged is brought back by its pose first: it is then at rest. Static bodies have no velocity to set.
PBDR_API pbdrPose pbdrBody_GetPose(const pbdrWorld* world, pbdrBodyId id);
PBDR_API pbdrStatus pbdrBody_SetPose(pbdrWorld* world, pbdrBodyId id, pbdrPose pose);
PBDR_API pbdrVelocity pbdrBody_GetVelocity(const pbdrWorld* world, pbdrBodyId id);
PBDR_API pbdrStatus pbdrBody_SetVelocity(pbdrWorld* world, pbdrBodyId id, pbdrVelocity velocity);

// Linear momentum, and angular momentum about the centre of mass.
PBDR_API pbdrMomentum pbdrBody_GetMomentum(const pbdrWorld* world, pbdrBodyId id);

// Force [N] through and torque [N m] about the centre of mass, world axes. They act in every substep until
// changed. A torque about an axis on which the particles have no inertia (a chain's own axis) does nothing.
PBDR_API pbdrStatus pbdrBody_SetForce(pbdrWorld* world, pbdrBodyId id, pbdrVec3 force);
PBDR_API pbdrVec3 pbdrBody_GetForce(const pbdrWorld* world, pbdrBodyId id);
PBDR_API pbdrStatus pbdrBody_SetTorque(pbdrWorld* world, pbdrBodyId id, pbdrVec3 torque);
PBDR_API pbdrVec3 pbdrBody_GetTorque(const pbdrWorld* world, pbdrBodyId id);

// Friction coefficient, >= 0.
PBDR_API pbdrStatus pbdrBody_SetFriction(pbdrWorld* world, pbdrBodyId id, double friction);
PBDR_API double pbdrBody_GetFriction(const pbdrWorld* world, pbdrBodyId id);

PBDR_API pbdrBodyKind pbdrBody_GetKind(const pbdrWorld* world, pbdrBodyId id);

// Constants of a body: total mass [kg]; inertia about the centre of mass in rest axes, extraInertia included
// [kg m^2]; the centre of mass in the frame of the definition's positions [m].
PBDR_API double pbdrBody_GetMass(const pbdrWorld* world, pbdrBodyId id);
PBDR_API pbdrMat3 pbdrBody_GetRestInertia(const pbdrWorld* world, pbdrBodyId id);
PBDR_API pbdrVec3 pbdrBody_GetRestCentre(const pbdrWorld* world, pbdrBodyId id);

// The shape that the body holds; NULL for an invalid id. In a float world without particles its spheres are
// rounded to float.
PBDR_API const pbdrShape* pbdrBody_GetShape(const pbdrWorld* world, pbdrBodyId id);

// The particles themselves. An all-zero view for an invalid id. Worlds of pbdr_engineReduced keep none: only
// the count is set.
PBDR_API pbdrParticleView pbdrBody_GetParticles(const pbdrWorld* world, pbdrBodyId id);

// World positions of a body's sphere centres, in the order of its definition, in every engine. Writes at most
// capacity of them and returns how many there are.
PBDR_API int pbdrBody_GetPositions(const pbdrWorld* world, pbdrBodyId id, pbdrVec3* buffer, int capacity);

#ifdef __cplusplus
}
#endif

#endif
