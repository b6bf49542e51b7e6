// The simulation: a world of bodies made of spheres, and planes. Threads: one world may be used by one thread
// at a time; different worlds are independent. An id that is null, stale or of another world is a
// programmer's error: it is reported (pbdrHooks), and the call does nothing but return pbdr_statusInvalidId
// or a zero value.
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

// An independent world with the same settings, hooks, bodies, planes and state, which goes on bit for bit as the first
// would. Bodies share the shapes. The copy's ids are its own: pbdrWorld_GetBodies and pbdrWorld_GetPlanes list both
// worlds in the same order. Ledger and profile start switched off, events without any. threads: of the copy; 0: as many
// as the world has. On failure *copy is NULL.
PBDR_API pbdrStatus pbdrCopyWorld(const pbdrWorld* world, int threads, pbdrWorld** copy, pbdrError* error);

// Advances by substepCount substeps of the world's time step. Returns pbdrStepFlag bits of all of them
// together; stops early, after the substep in question, on pbdr_stepNotFinite. Below, a step is one such
// call.
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

// XPBD-R's: how hard it tries. Tolerance and steps of 0 are the defaults.
PBDR_API pbdrStatus pbdrWorld_SetEffort(pbdrWorld* world, pbdrEffort effort);
PBDR_API pbdrEffort pbdrWorld_GetEffort(const pbdrWorld* world);
PBDR_API pbdrStatus pbdrWorld_SetTolerance(pbdrWorld* world, double tolerance);
PBDR_API double pbdrWorld_GetTolerance(const pbdrWorld* world); // as given: 0 for the default
PBDR_API pbdrStatus pbdrWorld_SetMaxNewtonSteps(pbdrWorld* world, int steps);
PBDR_API int pbdrWorld_GetMaxNewtonSteps(const pbdrWorld* world); // as given

// Sleeping, of XPBD-R: an island that touches something and of which no point was faster than PBDR_SLEEP_SPEED for
// PBDR_SLEEP_TIME is not computed any more. Its velocities are zero, its contacts and their forces those that it had.
// It wakes when a body that is awake, or a kinematic one that moves, comes near one of its bodies. It also wakes when a
// force, torque, impulse, pose, velocity, friction, restitution or filter of one of them changes. A change of gravity, of a
// plane, or of the friction of a static or kinematic body wakes everything. So does whatever makes the world forget its
// contacts: bodies that are made, destroyed or placed. Switching it off wakes everything. Refused for other solvers.
PBDR_API pbdrStatus pbdrWorld_SetSleeping(pbdrWorld* world, bool on);
PBDR_API bool pbdrWorld_HasSleeping(const pbdrWorld* world);
// Bodies that sleep now.
PBDR_API int pbdrWorld_CountAsleep(const pbdrWorld* world);

// Settings that hold for good.
PBDR_API pbdrSolver pbdrWorld_GetSolver(const pbdrWorld* world);
PBDR_API pbdrPrecision pbdrWorld_GetPrecision(const pbdrWorld* world);
PBDR_API uint32_t pbdrWorld_GetAblation(const pbdrWorld* world); // pbdrAblation bits
PBDR_API pbdrFrictionMixing pbdrWorld_GetMixing(const pbdrWorld* world);
PBDR_API pbdrContactKind pbdrWorld_GetContactKind(const pbdrWorld* world); // never pbdr_contactAuto
PBDR_API int pbdrWorld_GetMaxPairCount(const pbdrWorld* world);
PBDR_API pbdrHooks pbdrWorld_GetHooks(const pbdrWorld* world);

// The engine in use: never pbdr_engineAuto.
PBDR_API pbdrEngine pbdrWorld_GetEngine(const pbdrWorld* world);

// The instructions in use: never pbdr_simdAuto.
PBDR_API pbdrSimd pbdrWorld_GetSimd(const pbdrWorld* world);

// Whether this build and this CPU can run a set of instructions.
PBDR_API bool pbdrIsSimdSupported(pbdrSimd simd);

// Memory the world asked its allocator for and holds, before rounding up to whole cache lines [bytes].
PBDR_API size_t pbdrWorld_GetByteCount(const pbdrWorld* world);

// The caller's pointer: the library does not look at it, and states do not hold it.
PBDR_API void pbdrWorld_SetUserData(pbdrWorld* world, void* userData);
PBDR_API void* pbdrWorld_GetUserData(const pbdrWorld* world);

// A hash of all bodies' poses and velocities. Worlds that agree in these agree in the hash, and hardly any
// others do. For checks that two runs have the same bits.
PBDR_API uint64_t pbdrWorld_GetHash(const pbdrWorld* world);

// Everything that changes in a world as it runs, as bytes: particles, applied forces, targets, what has
// setters (settings, friction, restitution, filters, where planes are), contacts, substep count; not user
// data and contact events. A world made by the same calls, given these bytes, goes on bit for bit as the
// first would have, whatever setters have changed since. A state is refused, and nothing is changed, if its
// world's bodies, planes or fixed settings were made otherwise. The bytes are for the same build on the same
// kind of machine.
PBDR_API size_t pbdrWorld_GetStateSize(const pbdrWorld* world);
PBDR_API pbdrStatus pbdrWorld_GetState(const pbdrWorld* world, void* buffer, size_t size, pbdrError* error);
PBDR_API pbdrStatus pbdrWorld_SetState(pbdrWorld* world, const void* buffer, size_t size, pbdrError* error);

// --- Contacts ---

// Contacts of the last substep: planes first, each in order of particle; then pairs. Writes at most capacity
// of them and returns how many there are, so that capacity 0 (buffer may be NULL) counts.
PBDR_API int pbdrWorld_GetContacts(const pbdrWorld* world, pbdrContact* buffer, int capacity);

// Force and torque of contact on a body in the last substep: by another body, by a plane, by all that it
// touches. The torque is about `point`, in world axes, of the forces where the solver lets them act: XPBD-R
// at the contacts' points, PBD and PBD-R at the spheres' centres. Zero where nothing touches.
PBDR_API pbdrWrench pbdrWorld_GetPairWrench(const pbdrWorld* world, pbdrBodyId body, pbdrBodyId other,
                                            pbdrVec3 point);
PBDR_API pbdrWrench pbdrWorld_GetPlaneWrench(const pbdrWorld* world, pbdrBodyId body, pbdrPlaneId plane,
                                             pbdrVec3 point);
PBDR_API pbdrWrench pbdrBody_GetContactWrench(const pbdrWorld* world, pbdrBodyId body, pbdrVec3 point);

// Whether steps note which bodies and planes begin and end to touch. While it is off (the default) it costs
// nothing. When it is switched on nothing counts as touching, so that the next substep begins every contact
// there is; pbdrWorld_SetState: what touches in the state does.
PBDR_API void pbdrWorld_SetContactEvents(pbdrWorld* world, bool on);
PBDR_API bool pbdrWorld_HasContactEvents(const pbdrWorld* world);

// What began and ended to touch in the last step, over all of its substeps: also a contact that began and
// ended within it. By substep; within one, planes first, by plane and body; then bodies, bodyA being the one
// with the smaller index. The contacts of something destroyed end in the next substep, under the id that it
// had. Writes at most capacity events and returns how many there are.
PBDR_API int pbdrWorld_GetContactEvents(const pbdrWorld* world, pbdrContactEvent* buffer, int capacity);

// --- Queries ---

// Both look at planes and at bodies at their present poses, by what these touch with: true surfaces, or spheres.
// filter says what is found (pbdrDefaultFilter: everything that has no filter of its own). hit may be NULL. Nothing
// is found with numbers that are not finite (but for an infinite maxDistance), and they allocate nothing.

// The first thing on a ray, up to maxDistance [m]. direction: of any length but zero. A ray that starts in
// something hits it at once: distance 0, the normal against the direction.
PBDR_API bool pbdrWorld_CastRay(const pbdrWorld* world, pbdrVec3 origin, pbdrVec3 direction,
                                double maxDistance, pbdrFilter filter, pbdrHit* hit);

// The surface nearest to a point, if it is within maxDistance [m]. Inside of something the distance is below
// zero: how deep the point is in that sphere, surface or plane, and of several the one that it is deepest in.
PBDR_API bool pbdrWorld_FindNearest(const pbdrWorld* world, pbdrVec3 point, double maxDistance,
                                    pbdrFilter filter, pbdrHit* hit);

// --- Planes ---

PBDR_API pbdrStatus pbdrCreatePlane(pbdrWorld* world, const pbdrPlaneDef* def, pbdrPlaneId* id,
                                    pbdrError* error);
PBDR_API void pbdrDestroyPlane(pbdrWorld* world, pbdrPlaneId id);
PBDR_API bool pbdrPlane_IsValid(const pbdrWorld* world, pbdrPlaneId id);

// The planes, in the order of their ids' indices. Writes at most capacity ids and returns how many there are.
PBDR_API int pbdrWorld_GetPlanes(const pbdrWorld* world, pbdrPlaneId* buffer, int capacity);

// The setters refuse what pbdrCreatePlane would. Moving a plane moves nothing with it, because it has no
// velocity. Like a change of its filter, it makes the world forget its contacts.
PBDR_API pbdrStatus pbdrPlane_SetNormal(pbdrWorld* world, pbdrPlaneId id, pbdrVec3 normal);
PBDR_API pbdrVec3 pbdrPlane_GetNormal(const pbdrWorld* world, pbdrPlaneId id);
PBDR_API pbdrStatus pbdrPlane_SetOffset(pbdrWorld* world, pbdrPlaneId id, double offset); // [m]
PBDR_API double pbdrPlane_GetOffset(const pbdrWorld* world, pbdrPlaneId id);
PBDR_API pbdrStatus pbdrPlane_SetFriction(pbdrWorld* world, pbdrPlaneId id, double friction);
PBDR_API double pbdrPlane_GetFriction(const pbdrWorld* world, pbdrPlaneId id);
PBDR_API pbdrStatus pbdrPlane_SetRestitution(pbdrWorld* world, pbdrPlaneId id, double restitution);
PBDR_API double pbdrPlane_GetRestitution(const pbdrWorld* world, pbdrPlaneId id);
PBDR_API pbdrStatus pbdrPlane_SetFilter(pbdrWorld* world, pbdrPlaneId id, pbdrFilter filter);
PBDR_API pbdrFilter pbdrPlane_GetFilter(const pbdrWorld* world, pbdrPlaneId id);
PBDR_API pbdrStatus pbdrPlane_SetUserData(pbdrWorld* world, pbdrPlaneId id, void* userData);
PBDR_API void* pbdrPlane_GetUserData(const pbdrWorld* world, pbdrPlaneId id);

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
// Setting the pose keeps the velocity, and setting the velocity keeps the pose. A new pose makes the world
// forget its contacts. A body that
// has diverged (a state that is not finite, or faster than PBDR_SPEED_LIMIT or PBDR_TURN_LIMIT) is brought
// back by its pose first: it is then at rest. Static bodies have no velocity to set. Both end a target.
PBDR_API pbdrPose pbdrBody_GetPose(const pbdrWorld* world, pbdrBodyId id);
PBDR_API pbdrStatus pbdrBody_SetPose(pbdrWorld* world, pbdrBodyId id, pbdrPose pose);
PBDR_API pbdrVelocity pbdrBody_GetVelocity(const pbdrWorld* world, pbdrBodyId id);
PBDR_API pbdrStatus pbdrBody_SetVelocity(pbdrWorld* world, pbdrBodyId id, pbdrVelocity velocity);

// Moves a kinematic body so that it is exactly at the pose after `time` [s], rounded up to whole substeps, at
// least one. It moves at constant linear and angular velocity, turns the shorter way round, and is at rest
// from then on. Contact feels the velocity. Applied force and torque become zero; setting them, the pose or
// the velocity ends the target, and so does another target, which starts where the body is.
// pbdrWorld_SetTimeStep keeps the time, rounded up again.
PBDR_API pbdrStatus pbdrBody_SetTarget(pbdrWorld* world, pbdrBodyId id, pbdrPose pose, double time);
// Whether a body is on its way to a target; then which, and the time left [s]. Both may be NULL.
PBDR_API bool pbdrBody_GetTarget(const pbdrWorld* world, pbdrBodyId id, pbdrPose* pose, double* time);

// Linear momentum, and angular momentum about the centre of mass.
PBDR_API pbdrMomentum pbdrBody_GetMomentum(const pbdrWorld* world, pbdrBodyId id);

// Force [N] through and torque [N m] about the centre of mass, world axes. They act in every substep until
// changed. A torque about an axis on which the particles have no inertia (a chain's own axis) does nothing.
PBDR_API pbdrStatus pbdrBody_SetForce(pbdrWorld* world, pbdrBodyId id, pbdrVec3 force);
PBDR_API pbdrVec3 pbdrBody_GetForce(const pbdrWorld* world, pbdrBodyId id);
PBDR_API pbdrStatus pbdrBody_SetTorque(pbdrWorld* world, pbdrBodyId id, pbdrVec3 torque);
PBDR_API pbdrVec3 pbdrBody_GetTorque(const pbdrWorld* world, pbdrBodyId id);

// Force [N] at a point in world space, and torque [N m], that act besides in every substep of the next step,
// and no longer. Several add up. The force turns the body by its lever at the time of the call. Not for
// static bodies.
PBDR_API pbdrStatus pbdrBody_ApplyForce(pbdrWorld* world, pbdrBodyId id, pbdrVec3 force, pbdrVec3 point);
PBDR_API pbdrStatus pbdrBody_ApplyTorque(pbdrWorld* world, pbdrBodyId id, pbdrVec3 torque);

// Impulse [N s] at a point in world space, and angular impulse [N m s]: they change the velocity at once. Not
// for static bodies.
PBDR_API pbdrStatus pbdrBody_ApplyImpulse(pbdrWorld* world, pbdrBodyId id, pbdrVec3 impulse, pbdrVec3 point);
PBDR_API pbdrStatus pbdrBody_ApplyAngularImpulse(pbdrWorld* world, pbdrBodyId id, pbdrVec3 impulse);

// Friction coefficient, >= 0; restitution, 0 to 1.
PBDR_API pbdrStatus pbdrBody_SetFriction(pbdrWorld* world, pbdrBodyId id, double friction);
PBDR_API double pbdrBody_GetFriction(const pbdrWorld* world, pbdrBodyId id);
PBDR_API pbdrStatus pbdrBody_SetRestitution(pbdrWorld* world, pbdrBodyId id, double restitution);
PBDR_API double pbdrBody_GetRestitution(const pbdrWorld* world, pbdrBodyId id);

// Whether a body sleeps (pbdrWorld_SetSleeping). Waking a body wakes its whole island with the next substep.
PBDR_API bool pbdrBody_IsAsleep(const pbdrWorld* world, pbdrBodyId id);
PBDR_API pbdrStatus pbdrBody_Wake(pbdrWorld* world, pbdrBodyId id);

// Whom the body touches. Another filter forgets the world's contacts.
PBDR_API pbdrStatus pbdrBody_SetFilter(pbdrWorld* world, pbdrBodyId id, pbdrFilter filter);
PBDR_API pbdrFilter pbdrBody_GetFilter(const pbdrWorld* world, pbdrBodyId id);

// The caller's pointer: the library does not look at it, and states do not hold it.
PBDR_API pbdrStatus pbdrBody_SetUserData(pbdrWorld* world, pbdrBodyId id, void* userData);
PBDR_API void* pbdrBody_GetUserData(const pbdrWorld* world, pbdrBodyId id);

PBDR_API pbdrBodyKind pbdrBody_GetKind(const pbdrWorld* world, pbdrBodyId id);

// Constants of a body: total mass [kg]; inertia about the centre of mass in rest axes, extraInertia included
// [kg m^2]; the centre of mass in the frame of the definition's positions [m].
PBDR_API double pbdrBody_GetMass(const pbdrWorld* world, pbdrBodyId id);
PBDR_API pbdrMat3 pbdrBody_GetRestInertia(const pbdrWorld* world, pbdrBodyId id);
PBDR_API pbdrVec3 pbdrBody_GetRestCentre(const pbdrWorld* world, pbdrBodyId id);

// The shape that the body holds; NULL for an invalid id. In a float world without particles its spheres are
// rounded to float.
PBDR_API const pbdrShape* pbdrBody_GetShape(const pbdrWorld* world, pbdrBodyId id);

// Gives a body another shape: its centre of mass, rotation and velocity stay, the world's contacts are forgotten. States
// that were saved before fit again once the body has its first shape again.
PBDR_API pbdrStatus pbdrBody_SetShape(pbdrWorld* world, pbdrBodyId id, pbdrShape* shape, pbdrError* error);

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
