// Packings of simple solids: equal spheres on a cubic grid of spacing 2r, so that neighbours just touch.
//
// Along an axis of n spheres the centres are (2i - (n-1)) r, i = 0..n-1: whole multiples of r, so that each
// sphere has its exact mirror image. Where the solid does not dictate n, its parity is free: odd puts a
// sphere on the axis, even puts the axis between spheres. Whichever keeps more spheres is taken, odd in a
// tie.
#include "geometry/sphere_set.h"

#include "base.h"
#include "math/vec.h"

// Share of a solid's size by which a sphere may stick out and still count as fitting: absorbs the rounding of
// decimal sizes (a ball of 0.1 m and spheres of 0.02 m touch, though 0.1/0.02 need not be 5), and is too
// small to see.
#define FIT_TOLERANCE 1.0e-9

// A cylinder, ball or capsule, upright. Lengths in units of the sphere radius, so that grid coordinates are
// whole.
typedef struct Solid {
    const char* name;
    bool rounded; // ball, capsule: round caps beyond the half height
    bool cubic;   // ball: the same parity along all axes, so that its inertia is a multiple of the identity
    double reach; // of sphere centres from the axis, and from the caps' centres [r]
    double halfHeight; // of sphere centres (cylinder) or of the caps' centres (ball, capsule) [r]
} Solid;

// Spheres per axis. The grid is symmetric, and the same along x and y.
typedef struct Grid {
    int nx, nz;
} Grid;

static double getCoordinate(int i, int n)
{
    return 2.0 * i - (n - 1);
}

static bool fits(const Solid* solid, double x, double y, double z)
{
    double beyond = fmax(fabs(z) - solid->halfHeight, 0.0);
    if (!solid->rounded && beyond > 0.0) {
        return false;
    }
    return x * x + y * y + beyond * beyond <= solid->reach * solid->reach;
}

// Counts the spheres of a grid that fit; writes them to positions unless that is NULL.
static int fillGrid(const Solid* solid, Grid grid, double radius, pbdrVec3* positions)
{
    int count = 0;
    for (int k = 0; k < grid.nz; k++) {
        double z = getCoordinate(k, grid.nz);
        for (int j = 0; j < grid.nx; j++) {
            double y = getCoordinate(j, grid.nx);
            for (int i = 0; i < grid.nx; i++) {
                double x = getCoordinate(i, grid.nx);
                if (!fits(solid, x, y, z)) {
                    continue;
                }
                if (positions != NULL) {
                    positions[count] = pbdrVec(x * radius, y * radius, z * radius);
                }
                count++;
            }
        }
    }
    return count;
}

// The largest n with the parity of 1 + shift whose outermost sphere, at (n-1) r, lies within reach; 0 if
// there is none.
static int getAxisCount(double reach, int shift)
{
    return reach >= shift ? 2 * (int)((reach - shift) / 2.0) + 1 + shift : 0;
}

static pbdrStatus packSolid(const Solid* solid, double radius, double mass, const pbdrHooks* hooks,
                            pbdrSphereSet* set, pbdrError* error)
{
    double top = solid->rounded ? solid->halfHeight + solid->reach : solid->halfHeight;
    if (solid->reach < 0.0 || top < 0.0) {
        return pbdrFail(error, pbdr_statusNoParticles,
                        "%s: a sphere of radius %g m does not fit, %g m is the most", solid->name, radius,
                        radius * (1.0 + fmin(solid->reach, top)));
    }
    pbdrStatus status = pbdrCheckGrid(solid->reach + 2.0, solid->reach + 2.0, top + 2.0, radius, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    Grid best = {0, 0};
    int bestCount = 0;
    for (int shiftXy = 0; shiftXy < 2; shiftXy++) {
        for (int shiftZ = 0; shiftZ < 2; shiftZ++) {
            Grid grid = {getAxisCount(solid->reach, shiftXy), getAxisCount(top, shiftZ)};
            int count = solid->cubic && shiftXy != shiftZ ? 0 : fillGrid(solid, grid, radius, NULL);
            if (count > bestCount) {
                best = grid;
                bestCount = count;
            }
        }
    }
    status = pbdrAllocateSpheres(bestCount, radius, mass, hooks, set, error);
    if (status == pbdr_statusOk) {
        fillGrid(solid, best, radius, set->positions);
    }
    return status;
}

// A solid's size must be finite and above zero, or not below zero where zero makes sense.
static pbdrStatus checkSize(const char* name, double size, bool zeroIsFine, pbdrError* error)
{
    if (!isfinite(size) || size < 0.0 || (size == 0.0 && !zeroIsFine)) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "%s: %g m is not finite and %s zero", name, size,
                        zeroIsFine ? "at least" : "above");
    }
    return pbdr_statusOk;
}

// How far centres of unit spheres may lie from the middle of a solid of half width `size` [r].
static double getReach(double size, double radius)
{
    return size / radius * (1.0 + FIT_TOLERANCE) - 1.0;
}

pbdrStatus pbdrPackBox(int nx, int ny, int nz, double radius, double mass, const pbdrHooks* hooks,
                       pbdrSphereSet* set, pbdrError* error)
{
    pbdrStatus status = pbdrBeginPacking(radius, mass, hooks, set, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    if (nx < 1 || ny < 1 || nz < 1) {
        return pbdrFail(error, pbdr_statusInvalidArgument,
                        "box: %d x %d x %d spheres; each count must be at least 1", nx, ny, nz);
    }
    status = pbdrCheckGrid(nx, ny, nz, radius, error);
    if (status == pbdr_statusOk) {
        status = pbdrAllocateSpheres(nx * ny * nz, radius, mass, hooks, set, error);
    }
    if (status != pbdr_statusOk) {
        return status;
    }
    int count = 0;
    for (int k = 0; k < nz; k++) {
        for (int j = 0; j < ny; j++) {
            for (int i = 0; i < nx; i++) {
                set->positions[count++] =
                    pbdrVec(getCoordinate(i, nx) * radius, getCoordinate(j, ny) * radius,
                            getCoordinate(k, nz) * radius);
            }
        }
    }
    return pbdr_statusOk;
}

pbdrStatus pbdrPackRod(int count, double radius, double mass, const pbdrHooks* hooks, pbdrSphereSet* set,
                       pbdrError* error)
{
    pbdrStatus status = pbdrBeginPacking(radius, mass, hooks, set, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    if (count < 1) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "rod: %d spheres; the count must be at least 1",
                        count);
    }
    return pbdrPackBox(count, 1, 1, radius, mass, hooks, set, error);
}

pbdrStatus pbdrPackCylinder(double cylinderRadius, double height, double radius, double mass,
                            const pbdrHooks* hooks, pbdrSphereSet* set, pbdrError* error)
{
    pbdrStatus status = pbdrBeginPacking(radius, mass, hooks, set, error);
    status = status != pbdr_statusOk ? status : checkSize("cylinder radius", cylinderRadius, false, error);
    status = status != pbdr_statusOk ? status : checkSize("cylinder height", height, false, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    Solid solid = {"cylinder", false, false, getReach(cylinderRadius, radius),
                   getReach(0.5 * height, radius)};
    return packSolid(&solid, radius, mass, hooks, set, error);
}

pbdrStatus pbdrPackSphere(double ballRadius, double radius, double mass, const pbdrHooks* hooks,
                          pbdrSphereSet* set, pbdrError* error)
{
    pbdrStatus status = pbdrBeginPacking(radius, mass, hooks, set, error);
    status = status != pbdr_statusOk ? status : checkSize("ball radius", ballRadius, false, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    Solid solid = {"ball", true, true, getReach(ballRadius, radius), 0.0};
    return packSolid(&solid, radius, mass, hooks, set, error);
}

pbdrStatus pbdrPackCapsule(double capsuleRadius, double length, double radius, double mass,
                           const pbdrHooks* hooks, pbdrSphereSet* set, pbdrError* error)
{
    pbdrStatus status = pbdrBeginPacking(radius, mass, hooks, set, error);
    status = status != pbdr_statusOk ? status : checkSize("capsule radius", capsuleRadius, false, error);
    status = status != pbdr_statusOk ? status : checkSize("capsule length", length, true, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    // without a length it is a ball, and packed as one
    Solid solid = {"capsule", true, length == 0.0, getReach(capsuleRadius, radius), 0.5 * length / radius};
    return packSolid(&solid, radius, mass, hooks, set, error);
}
