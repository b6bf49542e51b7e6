// Sphere sets: their memory, and their mass properties as point masses.
#include "geometry/sphere_set.h"

#include "base.h"
#include "math/vec.h"

#include <string.h>

pbdrStatus pbdrBeginPacking(double radius, double mass, const pbdrHooks* hooks, pbdrSphereSet* set,
                            pbdrError* error)
{
    if (!PBDR_ASSERT(hooks, set != NULL)) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "set: NULL");
    }
    memset(set, 0, sizeof *set);
    if (!isfinite(radius) || !(radius > 0.0)) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "radius: %g m is not finite and above zero",
                        radius);
    }
    if (!isfinite(mass) || !(mass > 0.0)) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "mass: %g kg is not finite and above zero", mass);
    }
    return pbdr_statusOk;
}

pbdrStatus pbdrCheckGrid(double nx, double ny, double nz, double radius, pbdrError* error)
{
    if (!(nx * ny * nz <= PBDR_MAX_SPHERES)) {
        return pbdrFail(error, pbdr_statusInvalidArgument,
                        "grid: %.10g x %.10g x %.10g spheres of radius %g m are more than %d", nx, ny, nz,
                        radius, PBDR_MAX_SPHERES);
    }
    if (!isfinite(2.0 * radius * fmax(nx, fmax(ny, nz)))) {
        return pbdrFail(error, pbdr_statusInvalidArgument,
                        "radius: %g m makes a grid of %.10g x %.10g x %.10g spheres infinitely wide", radius,
                        nx, ny, nz);
    }
    return pbdr_statusOk;
}

pbdrStatus pbdrAllocateSpheres(int count, double radius, double mass, const pbdrHooks* hooks,
                               pbdrSphereSet* set, pbdrError* error)
{
    if (!(mass / count > 0.0)) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "mass: %g kg shared by %d spheres is zero", mass,
                        count);
    }
    if (hooks != NULL) {
        set->hooks = *hooks;
    }
    size_t n = (size_t)count;
    set->count = count;
    set->positions = pbdrAllocate(hooks, n, sizeof *set->positions);
    set->radii = pbdrAllocate(hooks, n, sizeof *set->radii);
    set->masses = pbdrAllocate(hooks, n, sizeof *set->masses);
    if (set->positions == NULL || set->radii == NULL || set->masses == NULL) {
        pbdrSphereSet_Free(set);
        return pbdrFail(error, pbdr_statusNoMemory, "no memory for %d spheres", count);
    }
    for (int i = 0; i < count; i++) {
        set->radii[i] = radius;
        set->masses[i] = mass / count;
    }
    return pbdr_statusOk;
}

void pbdrSphereSet_Free(pbdrSphereSet* set)
{
    if (set == NULL) {
        return;
    }
    size_t n = (size_t)set->count;
    pbdrHooks hooks = set->hooks;
    pbdrRelease(&hooks, set->positions, n, sizeof *set->positions);
    pbdrRelease(&hooks, set->radii, n, sizeof *set->radii);
    pbdrRelease(&hooks, set->masses, n, sizeof *set->masses);
    memset(set, 0, sizeof *set);
}

pbdrStatus pbdrSphereSet_Copy(const pbdrSphereSet* from, const pbdrHooks* hooks, pbdrSphereSet* set,
                              pbdrError* error)
{
    memset(set, 0, sizeof *set);
    if (from->count < 1) {
        return pbdr_statusOk;
    }
    pbdrStatus status = pbdrAllocateSpheres(from->count, 1.0, 1.0, hooks, set, error);
    if (status == pbdr_statusOk) {
        memcpy(set->positions, from->positions, (size_t)from->count * sizeof *set->positions);
        memcpy(set->radii, from->radii, (size_t)from->count * sizeof *set->radii);
        memcpy(set->masses, from->masses, (size_t)from->count * sizeof *set->masses);
    }
    return status;
}

pbdrMassProperties pbdrSphereSet_GetMassProperties(const pbdrSphereSet* set)
{
    pbdrMassProperties p = {0};
    if (!PBDR_ASSERT(NULL, set != NULL) || set->count < 1) {
        return p;
    }
    // The mean is taken about the first sphere and the moments about the mean: about the origin, or by the
    // parallel-axis rule, a set far from the origin would lose digits to differences of large numbers.
    pbdrVec3 first = set->positions[0], sum = {0.0, 0.0, 0.0};
    for (int i = 0; i < set->count; i++) {
        p.mass += set->masses[i];
        sum = pbdrAddScaled(sum, set->masses[i], pbdrSub(set->positions[i], first));
    }
    p.centre = pbdrAddScaled(first, 1.0 / p.mass, sum);
    double xx = 0.0, yy = 0.0, zz = 0.0, xy = 0.0, xz = 0.0, yz = 0.0;
    for (int i = 0; i < set->count; i++) {
        double m = set->masses[i];
        pbdrVec3 d = pbdrSub(set->positions[i], p.centre);
        xx += m * d.x * d.x;
        yy += m * d.y * d.y;
        zz += m * d.z * d.z;
        xy += m * d.x * d.y;
        xz += m * d.x * d.z;
        yz += m * d.y * d.z;
    }
    p.inertia = pbdrMakeInertia(xx, yy, zz, xy, xz, yz);
    return p;
}
