// Shapes of another mass: batches give each world's bodies their own.
#include "shape/shape.h"

#include <float.h>
#include <stddef.h>
#include <string.h>

pbdrStatus pbdrCreateScaledShape(pbdrShape* from, double mass, pbdrShape** result, pbdrError* error)
{
    *result = NULL;
    const double ratio = mass / from->mass;
    if (!(mass >= DBL_MIN && mass <= DBL_MAX) || !(ratio >= 1.0e-100 && ratio <= 1.0e100)) {
        return pbdrFail(error, pbdr_statusInvalidArgument,
                        "mass: %g kg is not above zero, or out of all proportion", mass);
    }
    pbdrShape* shape = pbdrAllocate(&from->hooks, 1, sizeof *shape);
    double* masses = pbdrAllocate(&from->hooks, (size_t)from->sphereCount, sizeof *masses);
    if (shape == NULL || masses == NULL) {
        pbdrRelease(&from->hooks, shape, 1, sizeof *shape);
        pbdrRelease(&from->hooks, masses, (size_t)from->sphereCount, sizeof *masses);
        return pbdrFail(error, pbdr_statusNoMemory, "shape: out of memory for %d masses", from->sphereCount);
    }
    // field by field where it is not shared: references is an atomic, which no assignment may copy
    memcpy((char*)shape + offsetof(pbdrShape, hooks), (const char*)from + offsetof(pbdrShape, hooks),
           sizeof *shape - offsetof(pbdrShape, hooks));
    atomic_init(&shape->references, 1);
    shape->owner = pbdrRetainShape(from->owner != NULL ? from->owner : from);
    shape->byteCount = sizeof *shape + (size_t)from->sphereCount * sizeof *masses;
    shape->masses = masses;
    for (int i = 0; i < from->sphereCount; i++) {
        masses[i] = ratio * from->masses[i];
    }
    shape->mass = mass;
    shape->weight = ratio * from->weight;
    for (int k = 0; k < 9; k++) {
        shape->inertia.m[k / 3][k % 3] *= ratio;
        shape->extraInertia.m[k / 3][k % 3] *= ratio;
        shape->turning.m[k / 3][k % 3] *= ratio;
        shape->inverseTurning.m[k / 3][k % 3] /= ratio;
        shape->spread.m[k / 3][k % 3] *= ratio;
    }
    pbdrSetShapeHash(shape);
    *result = shape;
    return pbdr_statusOk;
}
