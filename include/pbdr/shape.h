// Shapes: what bodies are made of. A shape is immutable and shared: a thousand bodies of one shape hold one
// copy of its spheres. Shapes belong to no world; references may be taken and given back by any thread.
#ifndef PBDR_SHAPE_H
#define PBDR_SHAPE_H

#include "pbdr/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pbdrShape pbdrShape;

// Spheres that make a rigid body. The arrays are copied.
typedef struct pbdrShapeDef {
    int sphereCount;           // >= 1
    const pbdrVec3* positions; // centres in any rest frame [m]
    const double* radii;       // [m], > 0
    const double* masses;      // [kg], > 0
    pbdrMat3 extraInertia;     // what the body has beyond its point masses, rest axes [kg m^2], default zero;
                               // may be indefinite, the sum may not
    pbdrHooks hooks;           // default all zero
    uint32_t cookie;           // set by pbdrDefaultShapeDef
} pbdrShapeDef;

PBDR_API pbdrShapeDef pbdrDefaultShapeDef(void);

// Makes a shape; the caller holds one reference. On failure *shape is NULL and error (may be NULL) says why.
PBDR_API pbdrStatus pbdrCreateShape(const pbdrShapeDef* def, pbdrShape** shape, pbdrError* error);

// Takes one more reference, and returns the shape.
PBDR_API pbdrShape* pbdrRetainShape(pbdrShape* shape);
// Gives a reference back; the last one frees the shape. NULL is fine.
PBDR_API void pbdrReleaseShape(pbdrShape* shape);

// 64 bits that two shapes share if bodies of them move alike to the bit: of spheres in their order, masses,
// inertia and surface.
PBDR_API uint64_t pbdrShape_GetHash(const pbdrShape* shape);

PBDR_API int pbdrShape_GetSphereCount(const pbdrShape* shape);
PBDR_API double pbdrShape_GetMass(const pbdrShape* shape);      // [kg]
PBDR_API pbdrVec3 pbdrShape_GetCentre(const pbdrShape* shape);  // of mass, in the definition's frame [m]
PBDR_API pbdrMat3 pbdrShape_GetInertia(const pbdrShape* shape); // about it, rest axes [kg m^2]
// The spheres, in the order of the definition: offsets from the centre of mass, rest axes [m]; radii [m];
// masses [kg]. Good as long as the shape is.
PBDR_API const pbdrVec3* pbdrShape_GetOffsets(const pbdrShape* shape);
PBDR_API const double* pbdrShape_GetRadii(const pbdrShape* shape);
PBDR_API const double* pbdrShape_GetMasses(const pbdrShape* shape);
// Memory that the shape holds [bytes].
PBDR_API size_t pbdrShape_GetByteCount(const pbdrShape* shape);

#ifdef __cplusplus
}
#endif

#endif
