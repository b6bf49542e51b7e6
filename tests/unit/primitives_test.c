// Boxes, balls, capsules and cylinders: mass and inertia are the solid's, the spheres lie inside, the surface
// is the primitive's own.
#include "scenes.h"
#include "shape/shape.h"

static void checkInertia(const pbdrShape* shape, double x, double y, double z)
{
    const double wanted[3] = {x, y, z}, size = fmax(x, fmax(y, z));
    const pbdrMat3 inertia = pbdrShape_GetInertia(shape);
    for (int k = 0; k < 9; k++) {
        CHECK_NEAR(inertia.m[k / 3][k % 3], k % 4 == 0 ? wanted[k / 3] : 0.0, 1e-12 * size);
    }
}

// Half sizes of the box around the spheres, and around the surface.
static void checkExtent(const pbdrShape* shape, pbdrVec3 half, bool touches)
{
    const double wanted[3] = {half.x, half.y, half.z};
    double most[3] = {0.0}, least[3] = {0.0};
    for (int i = 0; i < shape->sphereCount; i++) {
        const double at[3] = {shape->offsets[i].x, shape->offsets[i].y, shape->offsets[i].z};
        for (int k = 0; k < 3; k++) {
            most[k] = fmax(most[k], at[k] + shape->radii[i]);
            least[k] = fmin(least[k], at[k] - shape->radii[i]);
        }
    }
    const double upper[3] = {shape->surface.upper.x, shape->surface.upper.y, shape->surface.upper.z};
    const double lower[3] = {shape->surface.lower.x, shape->surface.lower.y, shape->surface.lower.z};
    for (int k = 0; k < 3; k++) {
        CHECK_LE(fmax(most[k], -least[k]), wanted[k] * (1.0 + 1e-9));
        CHECK_GE(fmin(most[k], -least[k]), touches ? wanted[k] * (1.0 - 1e-9) : 0.5 * wanted[k]);
        CHECK_NEAR(upper[k], wanted[k], 1e-12 * wanted[k]);
        CHECK_NEAR(lower[k], -wanted[k], 1e-12 * wanted[k]);
    }
}

static void checkMass(const pbdrShape* shape, double mass)
{
    CHECK_NEAR(pbdrShape_GetMass(shape), mass, 1e-12 * mass);
    CHECK_LE(distance(pbdrShape_GetCentre(shape), (pbdrVec3){0.0, 0.0, 0.0}), 1e-12 * shape->surface.radius);
    for (int i = 0; i < shape->sphereCount; i++) {
        CHECK_GE(shape->masses[i], 1e-3 * mass / shape->sphereCount);
    }
}

static void boxes__are_solid(void)
{
    const double sizes[6][3] = {{0.2, 0.2, 0.2},  {0.1, 0.2, 0.3},   {2.0, 0.1, 0.5},
                                {1.0, 1.0, 0.01}, {0.33, 0.47, 0.1}, {1e-3, 2e-3, 1e-3}};
    const int counts[6][2] = {{4, 64},    {4, 4 * 8 * 12}, {1, 20 * 1 * 5},
                              {1, 10000}, {2, 7 * 9 * 2},  {0, 4 * 8 * 4}};
    for (int k = 0; k < 6; k++) {
        const double x = sizes[k][0], y = sizes[k][1], z = sizes[k][2], mass = 0.5 + k;
        pbdrShape* box;
        pbdrError error;
        require(pbdrCreateBoxShape((pbdrVec3){x, y, z}, mass, counts[k][0], &box, &error), &error);
        CHECK_EQ(pbdrShape_GetSphereCount(box), counts[k][1]);
        CHECK_EQ(pbdrShape_GetSurfaceKind(box), pbdr_surfaceBox);
        checkMass(box, mass);
        checkInertia(box, mass * (y * y + z * z) / 12.0, mass * (x * x + z * z) / 12.0,
                     mass * (x * x + y * y) / 12.0);
        checkExtent(box, (pbdrVec3){0.5 * x, 0.5 * y, 0.5 * z}, true);
        pbdrReleaseShape(box);
    }
}

// Where the caller leaves the number open: 4 along the shortest side as long as there are no more than 1000 in all, and
// a thin plate is no exception. Where the caller says it, it stays.
static void boxes__keep_to_their_budget_of_spheres(void)
{
    const struct {
        pbdrVec3 size;
        int n, spheres;
    } boxes[] = {
        {{0.2, 0.2, 0.2}, 0, 64},    {{1.0, 0.1, 0.1}, 0, 640}, // 40 x 4 x 4
        {{1.0, 1.0, 0.1}, 0, 800},                              // 20 x 20 x 2: 30 x 30 x 3 are 2700
        {{0.4, 0.4, 0.01}, 1, 1600}, {{0.4, 0.4, 0.001}, 0, 0},
        {{1.0, 1e-4, 1e-4}, 0, 0},   {{10.0, 1.0, 1e-6}, 0, 0},
    };
    for (size_t k = 0; k < sizeof boxes / sizeof boxes[0]; k++) {
        pbdrShape* shape;
        pbdrError error;
        const pbdrVec3 s = boxes[k].size;
        if (pbdrCreateBoxShape(s, 3.0, boxes[k].n, &shape, &error) != pbdr_statusOk) {
            printf("    %s\n", error.message);
            checkFailures++;
            continue;
        }
        int count = pbdrShape_GetSphereCount(shape);
        if (boxes[k].spheres > 0) {
            CHECK_EQ(count, boxes[k].spheres);
        } else {
            CHECK_LE(count, 1000);
            CHECK_GE(count, 800); // the budget is used
        }
        checkInertia(shape, 0.25 * (s.y * s.y + s.z * s.z), 0.25 * (s.x * s.x + s.z * s.z),
                     0.25 * (s.x * s.x + s.y * s.y));
        checkExtent(shape, pbdrScale(0.5, s), true);
        pbdrReleaseShape(shape);
    }
}

static void balls__are_solid(void)
{
    const double radii[3] = {0.01, 0.5, 20.0};
    for (int k = 0; k < 3; k++) {
        const double r = radii[k], mass = 2.0 + k;
        pbdrShape* ball;
        pbdrError error;
        require(pbdrCreateBallShape(r, mass, &ball, &error), &error);
        CHECK_EQ(pbdrShape_GetSphereCount(ball), 1);
        CHECK_EQ(pbdrShape_GetSurfaceKind(ball), pbdr_surfaceBall);
        checkMass(ball, mass);
        checkInertia(ball, 0.4 * mass * r * r, 0.4 * mass * r * r, 0.4 * mass * r * r);
        checkExtent(ball, (pbdrVec3){r, r, r}, true);
        pbdrReleaseShape(ball);
    }
}

// The moment across a capsule's axis as an integral over z of discs: Simpson's rule is exact for the tube,
// and for the caps (quartic) to rounding with enough steps.
static double getCapsuleMoment(double r, double length, double mass, bool axial)
{
    const int steps = 4000;
    const double top = 0.5 * length + r;
    double volume = 0.0, moment = 0.0;
    // each of the pieces [-top, -length/2], [-length/2, length/2], [length/2, top]
    const double ends[4] = {-top, -0.5 * length, 0.5 * length, top};
    for (int piece = 0; piece < 3; piece++) {
        const double h = (ends[piece + 1] - ends[piece]) / steps;
        for (int i = 0; i <= steps; i++) {
            const double z = ends[piece] + h * i, over = fmax(0.0, fabs(z) - 0.5 * length);
            const double square = fmax(0.0, r * r - over * over); // of the disc's radius
            const double weight = h / 3.0 * (i == 0 || i == steps ? 1.0 : i % 2 == 1 ? 4.0 : 2.0);
            volume += weight * square;
            moment += weight * square * (axial ? 0.5 * square : 0.25 * square + z * z);
        }
    }
    return mass * moment / volume;
}

static void capsules__are_solid(void)
{
    const double sizes[3][2] = {{0.1, 0.3}, {0.05, 0.01}, {0.02, 1.0}};
    const int counts[3] = {4, 2, 51};
    for (int k = 0; k < 3; k++) {
        const double r = sizes[k][0], length = sizes[k][1], mass = 1.0 + k;
        pbdrShape* capsule;
        pbdrError error;
        require(pbdrCreateCapsuleShape(r, length, mass, &capsule, &error), &error);
        CHECK_EQ(pbdrShape_GetSphereCount(capsule), counts[k]);
        CHECK_EQ(pbdrShape_GetSurfaceKind(capsule), pbdr_surfaceCapsule);
        checkMass(capsule, mass);
        const double across = getCapsuleMoment(r, length, mass, false);
        checkInertia(capsule, across, across, getCapsuleMoment(r, length, mass, true));
        checkExtent(capsule, (pbdrVec3){r, r, 0.5 * length + r}, true);
        pbdrReleaseShape(capsule);
    }
}

static void cylinders__are_solid(void)
{
    const double sizes[4][2] = {{0.1, 0.2}, {0.05, 0.5}, {0.3, 0.02}, {0.07, 0.13}};
    for (int k = 0; k < 4; k++) {
        const double r = sizes[k][0], height = sizes[k][1], mass = 1.0 + k;
        pbdrShape* cylinder;
        pbdrError error;
        require(pbdrCreateCylinderShape(r, height, mass, k == 0 ? 0 : 3, &cylinder, &error), &error);
        CHECK_EQ(pbdrShape_GetSurfaceKind(cylinder), pbdr_surfaceCylinder);
        checkMass(cylinder, mass);
        const double across = mass * (3.0 * r * r + height * height) / 12.0;
        checkInertia(cylinder, across, across, 0.5 * mass * r * r);
        checkExtent(cylinder, (pbdrVec3){r, r, 0.5 * height}, false);
        pbdrReleaseShape(cylinder);
    }
}

static void checkRefused(pbdrStatus status, pbdrShape* const* shape, const pbdrError* error, const char* part)
{
    CHECK_EQ(status, pbdr_statusInvalidArgument);
    CHECK(*shape == NULL);
    CHECK_TEXT(error->message, part);
}

static void primitives__refuse_with_a_message(void)
{
    pbdrError error = {.message = ""};
    pbdrShape* shape = (pbdrShape*)(void*)&error; // anything
    const double wrong[4] = {0.0, -0.1, (double)NAN, (double)INFINITY};
    for (int k = 0; k < 4; k++) {
        const double bad = wrong[k];
        checkRefused(pbdrCreateBoxShape((pbdrVec3){0.1, bad, 0.1}, 1.0, 2, &shape, &error), &shape, &error,
                     "box: a size of");
        checkRefused(pbdrCreateBoxShape((pbdrVec3){0.1, 0.1, 0.1}, bad, 2, &shape, &error), &shape, &error,
                     "box: mass");
        checkRefused(pbdrCreateBallShape(bad, 1.0, &shape, &error), &shape, &error, "ball: a size of");
        checkRefused(pbdrCreateCapsuleShape(0.1, bad, 1.0, &shape, &error), &shape, &error,
                     "capsule: a size of");
        checkRefused(pbdrCreateCylinderShape(0.1, bad, 1.0, 2, &shape, &error), &shape, &error,
                     "cylinder: a size of");
        checkRefused(pbdrCreateCylinderShape(0.1, 0.1, bad, 2, &shape, &error), &shape, &error,
                     "cylinder: mass");
    }
    const int counts[2] = {-1, 1001};
    for (int k = 0; k < 2; k++) {
        checkRefused(pbdrCreateBoxShape((pbdrVec3){0.1, 0.1, 0.1}, 1.0, counts[k], &shape, &error), &shape,
                     &error, "spheres per side");
    }
    // more spheres than anyone means
    checkRefused(pbdrCreateBoxShape((pbdrVec3){1e6, 1e6, 1e-3}, 1.0, 4, &shape, &error), &shape, &error, "");
    checkRefused(pbdrCreateCapsuleShape(1e-6, 1e6, 1.0, &shape, &error), &shape, &error, "");
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"boxes__are_solid", boxes__are_solid},
          {"boxes__keep_to_their_budget_of_spheres", boxes__keep_to_their_budget_of_spheres},
          {"balls__are_solid", balls__are_solid}, {"capsules__are_solid", capsules__are_solid},
          {"cylinders__are_solid", cylinders__are_solid},
          {"primitives__refuse_with_a_message", primitives__refuse_with_a_message});
}
