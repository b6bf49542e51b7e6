// Defaults of the definitions, and the checks that no definition passes without.
#include "world/definition.h"

#include "base.h"
#include "math/vec.h"
#include "shape/shape.h"

#include <float.h>

// Any values that uninitialised memory, or another definition, is unlikely to hold.
#define WORLD_COOKIE 0x70627764u
#define BODY_COOKIE 0x70626264u
#define PLANE_COOKIE 0x70627064u

static const pbdrWorldDef defaultWorld = {
    .cookie = WORLD_COOKIE,
    .gravity = {0.0, 0.0, -PBDR_DEFAULT_GRAVITY},
    .precision = pbdr_precisionF64,
    .solver = pbdr_solverXpbdR,
    .timeStep = PBDR_DEFAULT_TIME_STEP,
    .iterations = PBDR_DEFAULT_ITERATIONS,
    .relaxation = PBDR_DEFAULT_RELAXATION,
    .mixing = pbdr_mixGeometricMean,
    .simd = pbdr_simdAuto,
    .maxPairCount = 1 << 24,
    .threads = 1,
    .effort = pbdr_effortBalanced,
};

static const pbdrBodyDef defaultBody = {
    .cookie = BODY_COOKIE,
    .kind = pbdr_bodyDynamic,
    .rotation = {1.0, 0.0, 0.0, 0.0},
    .friction = PBDR_DEFAULT_FRICTION,
    .filter = {1u, UINT64_MAX},
};

static const pbdrPlaneDef defaultPlane = {
    .cookie = PLANE_COOKIE,
    .normal = {0.0, 0.0, 1.0},
    .friction = PBDR_DEFAULT_FRICTION,
    .filter = {1u, UINT64_MAX},
};

void pbdrInitWorldDef(pbdrWorldDef* def, size_t size)
{
    pbdrInitDef(def, size, &defaultWorld, sizeof defaultWorld);
}

void pbdrInitBodyDef(pbdrBodyDef* def, size_t size)
{
    pbdrInitDef(def, size, &defaultBody, sizeof defaultBody);
}

void pbdrInitPlaneDef(pbdrPlaneDef* def, size_t size)
{
    pbdrInitDef(def, size, &defaultPlane, sizeof defaultPlane);
}

#define REFUSE(...) return pbdrFail(error, pbdr_statusInvalidArgument, __VA_ARGS__)

pbdrStatus pbdrCheckVec(pbdrVec3 v, const char* name, pbdrError* error)
{
    if (!pbdrIsFiniteVec(v)) {
        REFUSE("%s: (%g, %g, %g) is not finite", name, v.x, v.y, v.z);
    }
    return pbdr_statusOk;
}

pbdrStatus pbdrCheckRotation(pbdrQuat q, const char* name, pbdrError* error)
{
    double length = pbdrLengthQ(q);
    if (!(fabs(length - 1.0) <= PBDR_UNIT_TOLERANCE)) {
        REFUSE("%s: quaternion (w %g, x %g, y %g, z %g) is not of unit length", name, q.w, q.x, q.y, q.z);
    }
    return pbdr_statusOk;
}

pbdrStatus pbdrCheckFriction(double friction, pbdrError* error)
{
    if (!(friction >= 0.0 && friction <= PBDR_MAX_FRICTION)) {
        REFUSE("friction: %g is not between 0 and %g", friction, PBDR_MAX_FRICTION);
    }
    return pbdr_statusOk;
}

pbdrStatus pbdrCheckRestitution(double restitution, pbdrError* error)
{
    if (!(restitution >= 0.0 && restitution <= 1.0)) {
        REFUSE("restitution: %g is not between 0 and 1", restitution);
    }
    return pbdr_statusOk;
}

static pbdrStatus checkRolling(double rolling, double spinning, pbdrError* error)
{
    if (!(rolling >= 0.0 && isfinite(rolling) && spinning >= 0.0 && isfinite(spinning))) {
        REFUSE("rollingFriction, spinningFriction: %g and %g m are not finite and at least 0", rolling,
               spinning);
    }
    return pbdr_statusOk;
}

pbdrStatus pbdrCheckTimeStep(double timeStep, pbdrError* error)
{
    if (!(timeStep > 0.0 && isfinite(timeStep))) {
        REFUSE("timeStep: %g s is not above zero", timeStep);
    }
    return pbdr_statusOk;
}

pbdrStatus pbdrCheckIterations(int iterations, pbdrError* error)
{
    if (iterations < 1) {
        REFUSE("iterations: %d is below 1", iterations);
    }
    if (iterations > PBDR_MAX_ITERATIONS) {
        REFUSE("iterations: %d is above %d", iterations, PBDR_MAX_ITERATIONS);
    }
    return pbdr_statusOk;
}

pbdrStatus pbdrCheckRelaxation(double relaxation, pbdrError* error)
{
    if (!(relaxation > 0.0 && relaxation <= 1.0)) {
        REFUSE("relaxation: %g is not above 0 and at most 1", relaxation);
    }
    return pbdr_statusOk;
}

pbdrStatus pbdrCheckEffort(int effort, pbdrError* error)
{
    if (effort < pbdr_effortFast || effort > pbdr_effortExact) {
        REFUSE("effort: %d is out of range", effort);
    }
    return pbdr_statusOk;
}

pbdrStatus pbdrCheckTolerance(double tolerance, pbdrError* error)
{
    if (tolerance != 0.0 && !(tolerance >= PBDR_MIN_TOLERANCE && tolerance <= PBDR_MAX_TOLERANCE)) {
        REFUSE("tolerance: %g is neither 0 nor between %g and %g", tolerance, PBDR_MIN_TOLERANCE,
               PBDR_MAX_TOLERANCE);
    }
    return pbdr_statusOk;
}

pbdrStatus pbdrCheckNewtonSteps(int steps, pbdrError* error)
{
    if (steps < 0 || steps > PBDR_MAX_NEWTON_STEPS) {
        REFUSE("maxNewtonSteps: %d is not between 0 and %d", steps, PBDR_MAX_NEWTON_STEPS);
    }
    return pbdr_statusOk;
}

// Of XPBD-R's own settings.
static pbdrStatus checkSolving(const pbdrWorldDef* def, pbdrError* error)
{
    pbdrStatus status = pbdrCheckEffort((int)def->effort, error);
    if (status == pbdr_statusOk) {
        status = pbdrCheckTolerance(def->tolerance, error);
    }
    if (status == pbdr_statusOk) {
        status = pbdrCheckNewtonSteps(def->maxNewtonSteps, error);
    }
    if (status == pbdr_statusOk && def->sleeping && def->solver != pbdr_solverXpbdR) {
        REFUSE("sleeping: only XPBD-R puts bodies to sleep");
    }
    return status;
}

static pbdrStatus checkWorldDef(const pbdrWorldDef* def, pbdrError* error)
{
    const uint32_t ablations =
        pbdr_ablateVelocityUpdate | pbdr_ablateLinearMomentum | pbdr_ablateAngularMomentum;
    if ((unsigned)def->precision > pbdr_precisionF64 || (unsigned)def->solver > pbdr_solverXpbdR ||
        (unsigned)def->engine > pbdr_engineReduced || (unsigned)def->mixing > pbdr_mixAverage ||
        (unsigned)def->simd > pbdr_simdNeon || (def->ablation & ~ablations) != 0) {
        REFUSE("world definition: precision %d, solver %d, engine %d, mixing %d, simd %d or ablation 0x%x is "
               "out of range",
               (int)def->precision, (int)def->solver, (int)def->engine, (int)def->mixing, (int)def->simd,
               (unsigned)def->ablation);
    }
    if ((unsigned)def->contact > pbdr_contactSurface ||
        (def->contact == pbdr_contactSurface && def->solver != pbdr_solverXpbdR)) {
        REFUSE("contact: %d is out of range, or the surface for a solver other than XPBD-R",
               (int)def->contact);
    }
    if (def->solver == pbdr_solverXpbdR && def->engine == pbdr_engineParticle) {
        REFUSE("world definition: XPBD-R has no particle engine");
    }
    if (def->maxPairCount < 0) {
        REFUSE("maxPairCount: %d is negative", def->maxPairCount);
    }
    if ((def->hooks.allocate == NULL) != (def->hooks.release == NULL)) {
        REFUSE("hooks: allocate and release go together");
    }
    if (def->threads < 1 || def->threads > PBDR_MAX_THREADS) {
        REFUSE("threads: %d is not between 1 and %d", def->threads, PBDR_MAX_THREADS);
    }
    pbdrStatus status = pbdrCheckVec(def->gravity, "gravity", error);
    if (status == pbdr_statusOk) {
        status = checkSolving(def, error);
    }
    if (status == pbdr_statusOk) {
        status = pbdrCheckTimeStep(def->timeStep, error);
    }
    if (status == pbdr_statusOk) {
        status = pbdrCheckIterations(def->iterations, error);
    }
    return status == pbdr_statusOk ? pbdrCheckRelaxation(def->relaxation, error) : status;
}

pbdrStatus pbdrReadWorldDef(const pbdrWorldDef* callers, pbdrWorldDef* def, pbdrError* error)
{
    *def = defaultWorld;
    pbdrStatus status = pbdrReadDef(callers, "pbdrDefaultWorldDef", def, sizeof *def, error);
    return status == pbdr_statusOk ? checkWorldDef(def, error) : status;
}

// Largest value that a particle's scalar can hold.
static double getLargestReal(pbdrPrecision precision)
{
    return precision == pbdr_precisionF32 ? (double)FLT_MAX : DBL_MAX;
}

bool pbdrFitsPrecision(pbdrVec3 v, pbdrPrecision precision)
{
    double largest = getLargestReal(precision);
    return fabs(v.x) <= largest && fabs(v.y) <= largest && fabs(v.z) <= largest; // false for NaN
}

static pbdrStatus checkRange(pbdrVec3 v, pbdrPrecision precision, const char* name, pbdrError* error)
{
    if (!pbdrFitsPrecision(v, precision)) {
        REFUSE("%s: (%g, %g, %g) is not finite in this precision", name, v.x, v.y, v.z);
    }
    return pbdr_statusOk;
}

pbdrStatus pbdrCheckShape(const pbdrShape* shape, pbdrPrecision precision, pbdrError* error)
{
    if (precision == pbdr_precisionF64) {
        return pbdr_statusOk; // creation has seen to it
    }
    for (int i = 0; i < shape->sphereCount; i++) {
        pbdrVec3 q = shape->offsets[i];
        if (!pbdrFitsPrecision(q, precision)) {
            REFUSE("sphere %d: position (%g, %g, %g) m is not finite in float", i, q.x, q.y, q.z);
        }
        // a float below FLT_MIN is zero or denormal: it would make a body without mass
        double radius = shape->radii[i], mass = shape->masses[i];
        if (!(radius >= (double)FLT_MIN && radius <= (double)FLT_MAX)) {
            REFUSE("sphere %d: radius %g m is not above zero in float", i, radius);
        }
        if (!(mass >= (double)FLT_MIN && mass <= (double)FLT_MAX)) {
            REFUSE("sphere %d: mass %g kg is not above zero in float", i, mass);
        }
    }
    return pbdr_statusOk;
}

static pbdrStatus checkBodyDef(const pbdrBodyDef* def, pbdrPrecision precision, pbdrError* error)
{
    if ((unsigned)def->kind > pbdr_bodyKinematic) {
        REFUSE("body: kind %d is out of range", (int)def->kind);
    }
    pbdrStatus status = checkRange(def->position, precision, "position", error);
    if (status == pbdr_statusOk) {
        status = pbdrCheckRotation(def->rotation, "rotation", error);
    }
    if (status == pbdr_statusOk) {
        status = checkRange(def->velocity.linear, precision, "linear velocity", error);
    }
    if (status == pbdr_statusOk) {
        status = checkRange(def->velocity.angular, precision, "angular velocity", error);
    }
    if (status == pbdr_statusOk && def->kind == pbdr_bodyStatic &&
        pbdrLength(def->velocity.linear) + pbdrLength(def->velocity.angular) > 0.0) {
        REFUSE("body: a static body with a velocity");
    }
    if (status == pbdr_statusOk) {
        status = pbdrCheckRestitution(def->restitution, error);
    }
    if (status == pbdr_statusOk) {
        status = checkRolling(def->rollingFriction, def->spinningFriction, error);
    }
    return status == pbdr_statusOk ? pbdrCheckFriction(def->friction, error) : status;
}

pbdrStatus pbdrReadBodyDef(const pbdrBodyDef* callers, pbdrPrecision precision, pbdrBodyDef* def,
                           pbdrError* error)
{
    *def = defaultBody;
    pbdrStatus status = pbdrReadDef(callers, "pbdrDefaultBodyDef", def, sizeof *def, error);
    return status == pbdr_statusOk ? checkBodyDef(def, precision, error) : status;
}

pbdrStatus pbdrCheckNormal(pbdrVec3 normal, pbdrError* error)
{
    if (!(fabs(pbdrLength(normal) - 1.0) <= PBDR_UNIT_TOLERANCE)) {
        REFUSE("plane normal: (%g, %g, %g) is not of unit length", normal.x, normal.y, normal.z);
    }
    return pbdr_statusOk;
}

pbdrStatus pbdrCheckOffset(double offset, pbdrError* error)
{
    if (!isfinite(offset)) {
        REFUSE("plane offset: %g m is not finite", offset);
    }
    return pbdr_statusOk;
}

pbdrStatus pbdrReadPlaneDef(const pbdrPlaneDef* callers, pbdrPlaneDef* def, pbdrError* error)
{
    *def = defaultPlane;
    pbdrStatus status = pbdrReadDef(callers, "pbdrDefaultPlaneDef", def, sizeof *def, error);
    if (status == pbdr_statusOk) {
        status = pbdrCheckNormal(def->normal, error);
    }
    if (status == pbdr_statusOk) {
        status = pbdrCheckOffset(def->offset, error);
    }
    if (status == pbdr_statusOk) {
        status = pbdrCheckRestitution(def->restitution, error);
    }
    if (status == pbdr_statusOk) {
        status = checkRolling(def->rollingFriction, def->spinningFriction, error);
    }
    return status == pbdr_statusOk ? pbdrCheckFriction(def->friction, error) : status;
}
