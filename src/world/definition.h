// Checks of definitions and of single values; each says in error what it refuses.
#ifndef PBDR_WORLD_DEFINITION_H
#define PBDR_WORLD_DEFINITION_H

#include "pbdr/joint.h"
#include "pbdr/shape.h"
#include "pbdr/world.h"

// Each reads the caller's definition, of this version or an older one, into *def, and checks it.
pbdrStatus pbdrReadWorldDef(const pbdrWorldDef* callers, pbdrWorldDef* def, pbdrError* error);
pbdrStatus pbdrReadBodyDef(const pbdrBodyDef* callers, pbdrPrecision precision, pbdrBodyDef* def,
                           pbdrError* error);
pbdrStatus pbdrReadPlaneDef(const pbdrPlaneDef* callers, pbdrPlaneDef* def, pbdrError* error);
// A joint's, but for its bodies. (joint_definition.c)
pbdrStatus pbdrReadJointDef(const pbdrJointDef* callers, pbdrJointDef* def, pbdrError* error);

// Whether particles of this precision can hold a shape's spheres.
pbdrStatus pbdrCheckShape(const pbdrShape* shape, pbdrPrecision precision, pbdrError* error);
// Whether a particle can hold these values.
bool pbdrFitsPrecision(pbdrVec3 v, pbdrPrecision precision);
pbdrStatus pbdrCheckVec(pbdrVec3 v, const char* name, pbdrError* error);
pbdrStatus pbdrCheckRotation(pbdrQuat q, const char* name, pbdrError* error);
pbdrStatus pbdrCheckFriction(double friction, pbdrError* error);
pbdrStatus pbdrCheckRestitution(double restitution, pbdrError* error);
pbdrStatus pbdrCheckNormal(pbdrVec3 normal, pbdrError* error);
pbdrStatus pbdrCheckOffset(double offset, pbdrError* error);
pbdrStatus pbdrCheckTimeStep(double timeStep, pbdrError* error);
pbdrStatus pbdrCheckIterations(int iterations, pbdrError* error);
pbdrStatus pbdrCheckRelaxation(double relaxation, pbdrError* error);
pbdrStatus pbdrCheckEffort(int effort, pbdrError* error);
pbdrStatus pbdrCheckTolerance(double tolerance, pbdrError* error);
pbdrStatus pbdrCheckNewtonSteps(int steps, pbdrError* error);

#endif
