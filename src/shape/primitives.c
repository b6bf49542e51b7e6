// Boxes, balls, capsules and cylinders: spheres that fill them, masses that have the solid's inertia, and the
// true surface.
#include "shape/shape.h"

#include "geometry/sphere_set.h"
#include "math/vec.h"

#define DEFAULT_SPHERES 4
#define MAX_SPHERES_PER_SIDE 1000
// Of a box whose caller leaves their number open; a cube has 64.
#define SPHERE_BUDGET 1000.0

static pbdrStatus checkPrimitive(const char* name, const double sizes[3], double mass, int n,
                                 pbdrError* error)
{
    for (int k = 0; k < 3; k++) {
        if (!(sizes[k] > 0.0 && isfinite(sizes[k]))) {
            return pbdrFail(error, pbdr_statusInvalidArgument, "%s: a size of %g m is not above zero", name,
                            sizes[k]);
        }
    }
    if (!(mass > 0.0 && isfinite(mass))) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "%s: mass %g kg is not above zero", name, mass);
    }
    if (n < 0 || n > MAX_SPHERES_PER_SIDE) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "%s: %d spheres per side are not 1 to %d", name, n,
                        MAX_SPHERES_PER_SIDE);
    }
    return pbdr_statusOk;
}

static void countAlong(const double sizes[3], double spacing, double counts[3])
{
    for (int k = 0; k < 3; k++) {
        counts[k] = fmax(1.0, floor(sizes[k] / spacing + 0.5));
    }
}

// How many spheres there are along each side of a box, and their radius: n along the shortest, side by side. Where n is
// 0, four, or fewer so that all keep to the budget; those of a thin plate stand apart.
static double chooseGrid(const double sizes[3], int n, double counts[3])
{
    const double shortest = fmin(sizes[0], fmin(sizes[1], sizes[2]));
    int along = n == 0 ? DEFAULT_SPHERES : n;
    countAlong(sizes, shortest / along, counts);
    while (n == 0 && along > 1 && counts[0] * counts[1] * counts[2] > SPHERE_BUDGET) {
        countAlong(sizes, shortest / --along, counts);
    }
    for (double spacing = shortest; n == 0 && counts[0] * counts[1] * counts[2] > SPHERE_BUDGET;
         spacing *= 1.05) {
        countAlong(sizes, spacing, counts);
    }
    return 0.5 * shortest / along;
}

static pbdrMat3 makeDiagonal(double x, double y, double z)
{
    return (pbdrMat3){{{x, 0.0, 0.0}, {0.0, y, 0.0}, {0.0, 0.0, z}}};
}

// A shape of the set, whose masses become those of a solid with this inertia about the origin. Frees the set.
static pbdrStatus finish(pbdrSphereSet* set, double mass, pbdrMat3 inertia, const pbdrSurfaceDef* surface,
                         pbdrShape** shape, pbdrError* error)
{
    const pbdrMassProperties solid = {.mass = mass, .inertia = inertia};
    pbdrMassFit fit;
    pbdrStatus status = pbdrSphereSet_FitMasses(set, &solid, &fit, error);
    if (status == pbdr_statusOk) {
        pbdrShapeDef def = pbdrDefaultShapeDef();
        def.sphereCount = set->count;
        def.positions = set->positions;
        def.radii = set->radii;
        def.masses = set->masses;
        def.extraInertia = fit.extraInertia;
        def.surface = *surface;
        status = pbdrCreateShape(&def, shape, error);
    }
    pbdrSphereSet_Free(set);
    return status;
}

static pbdrSurfaceDef startSurface(pbdrSurfaceKind kind)
{
    pbdrSurfaceDef surface = pbdrDefaultShapeDef().surface;
    surface.kind = kind;
    return surface;
}

// n spheres along a side of this size, the outermost touching its ends.
static double getPlace(double size, double radius, int count, int index)
{
    return count == 1 ? 0.0 : (radius - 0.5 * size) + (size - 2.0 * radius) * index / (count - 1);
}

pbdrStatus pbdrCreateBoxShape(pbdrVec3 size, double mass, int n, pbdrShape** shape, pbdrError* error)
{
    *shape = NULL;
    const double sizes[3] = {size.x, size.y, size.z};
    pbdrStatus status = checkPrimitive("box", sizes, mass, n, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    pbdrSurfaceDef surface = startSurface(pbdr_surfaceBox);
    surface.half = pbdrScale(0.5, size);
    double counts[3];
    int n3[3] = {1, 1, 1};
    const double radius = chooseGrid(sizes, n, counts);
    status = pbdrCheckGrid(counts[0], counts[1], counts[2], radius, error);
    pbdrSphereSet set = {0};
    if (status == pbdr_statusOk) {
        for (int k = 0; k < 3; k++) {
            n3[k] = (int)counts[k];
            surface.counts[k] = n3[k] > 1 ? n3[k] - 1 : 1; // as many points along a side as spheres
        }
        status = pbdrAllocateSpheres(n3[0] * n3[1] * n3[2], radius, mass, NULL, &set, error);
    }
    if (status != pbdr_statusOk) {
        return status;
    }
    int i = 0;
    for (int x = 0; x < n3[0]; x++) {
        for (int y = 0; y < n3[1]; y++) {
            for (int z = 0; z < n3[2]; z++) {
                set.positions[i++] =
                    pbdrVec(getPlace(size.x, radius, n3[0], x), getPlace(size.y, radius, n3[1], y),
                            getPlace(size.z, radius, n3[2], z));
            }
        }
    }
    const double xx = size.x * size.x, yy = size.y * size.y, zz = size.z * size.z;
    const pbdrMat3 inertia =
        makeDiagonal(mass * (yy + zz) / 12.0, mass * (xx + zz) / 12.0, mass * (xx + yy) / 12.0);
    return finish(&set, mass, inertia, &surface, shape, error);
}

pbdrStatus pbdrCreateBallShape(double radius, double mass, pbdrShape** shape, pbdrError* error)
{
    *shape = NULL;
    const double sizes[3] = {radius, radius, radius};
    pbdrStatus status = checkPrimitive("ball", sizes, mass, 1, error);
    pbdrSphereSet set = {0};
    if (status == pbdr_statusOk) {
        status = pbdrAllocateSpheres(1, radius, mass, NULL, &set, error);
    }
    if (status != pbdr_statusOk) {
        return status;
    }
    const double moment = 0.4 * mass * radius * radius;
    pbdrSurfaceDef surface = startSurface(pbdr_surfaceBall);
    surface.radius = radius;
    return finish(&set, mass, makeDiagonal(moment, moment, moment), &surface, shape, error);
}

pbdrStatus pbdrCreateCapsuleShape(double radius, double length, double mass, pbdrShape** shape,
                                  pbdrError* error)
{
    *shape = NULL;
    const double sizes[3] = {radius, radius, length};
    pbdrStatus status = checkPrimitive("capsule", sizes, mass, 1, error);
    const double count = status == pbdr_statusOk ? ceil(length / radius) + 1.0 : 0.0;
    if (status == pbdr_statusOk) {
        status = pbdrCheckGrid(1.0, 1.0, count, radius, error);
    }
    pbdrSphereSet set = {0};
    if (status == pbdr_statusOk) {
        status = pbdrAllocateSpheres((int)count, radius, mass, NULL, &set, error);
    }
    if (status != pbdr_statusOk) {
        return status;
    }
    for (int i = 0; i < set.count; i++) {
        set.positions[i] = pbdrVec(0.0, 0.0, -0.5 * length + length * i / (set.count - 1));
    }
    // a cylinder and two half balls, whose centres of mass are 3/8 of the radius off their flat sides
    const double rr = radius * radius, density = mass / (rr * (length + 4.0 / 3.0 * radius));
    const double tube = density * rr * length, caps = density * 4.0 / 3.0 * rr * radius;
    const double across = tube * (0.25 * rr + length * length / 12.0) +
                          caps * (0.4 * rr + 0.25 * length * length + 0.375 * length * radius);
    pbdrSurfaceDef surface = startSurface(pbdr_surfaceCapsule);
    surface.radius = radius;
    surface.halfLength = 0.5 * length;
    return finish(&set, mass, makeDiagonal(across, across, 0.5 * tube * rr + 0.4 * caps * rr), &surface,
                  shape, error);
}

pbdrStatus pbdrCreateCylinderShape(double radius, double height, double mass, int n, pbdrShape** shape,
                                   pbdrError* error)
{
    *shape = NULL;
    const double sizes[3] = {radius, radius, height};
    pbdrStatus status = checkPrimitive("cylinder", sizes, mass, n, error);
    const double along = n == 0 ? DEFAULT_SPHERES : n;
    pbdrSphereSet set = {0};
    if (status == pbdr_statusOk) {
        status = pbdrPackCylinder(radius, height, 0.5 * fmin(2.0 * radius, height) / along, mass, NULL, &set,
                                  error);
    }
    if (status != pbdr_statusOk) {
        return status;
    }
    const double across = mass * (0.25 * radius * radius + height * height / 12.0);
    pbdrSurfaceDef surface = startSurface(pbdr_surfaceCylinder);
    surface.radius = radius;
    surface.halfLength = 0.5 * height;
    return finish(&set, mass, makeDiagonal(across, across, 0.5 * mass * radius * radius), &surface, shape,
                  error);
}
