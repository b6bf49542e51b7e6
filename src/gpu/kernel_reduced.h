// A substep of PBD-R in reduced coordinates (engine/reduced, whose equations these are) of one world in one thread, written
// once for the host and the device. Before this is included: KERNEL_MOVERS, KERNEL_PATCHES, KERNEL_ITEMS, KERNEL_PAIRS.
//
//   x = c + F q,  v = u + G q;   contacts: D = sum m dx, B = sum m dx q^T;   match: F = polar(F S + B)
#ifndef PBDR_GPU_KERNEL_REDUCED_H
#define PBDR_GPU_KERNEL_REDUCED_H

#include "gpu/kernel_bodies.h"

#define FLAG_NOT_FINITE 1u
#define FLAG_PAIRS_FULL 4u
#define FLAG_NOT_CONVERGED 8u

// a + s b
FN Mat addM(const Mat* a, double s, const Mat* b)
{
    Mat c;
    UNROLL
    for (int i = 0; i < 3; i++) {
        c.r[i] = addScaled(a->r[i], s, b->r[i]);
    }
    return c;
}

// a b^T
FN Mat mulMTM(const Mat* a, const Mat* b)
{
    Mat c;
    UNROLL
    for (int i = 0; i < 3; i++) {
        c.r[i] = vec(dot(a->r[i], b->r[0]), dot(a->r[i], b->r[1]), dot(a->r[i], b->r[2]));
    }
    return c;
}

// [w]x f
FN Mat crossM(Vec w, const Mat* f)
{
    Mat c;
    c.r[0] = sub(scale(w.y, f->r[2]), scale(w.z, f->r[1]));
    c.r[1] = sub(scale(w.z, f->r[0]), scale(w.x, f->r[2]));
    c.r[2] = sub(scale(w.x, f->r[1]), scale(w.y, f->r[0]));
    return c;
}

// sum of x cross y over a sum of x y^T
FN Vec axial(const Mat* a)
{
    return vec(a->r[1].z - a->r[2].y, a->r[2].x - a->r[0].z, a->r[0].y - a->r[1].x);
}

// x of A x = b for a symmetric, regular A, by cofactors.
FN Vec solveThree(const Mat* a, Vec b)
{
    const Vec c0 = cross(a->r[1], a->r[2]), c1 = cross(a->r[2], a->r[0]), c2 = cross(a->r[0], a->r[1]);
    const double per = 1.0 / dot(a->r[0], c0);
    return scale(per, addScaled(addScaled(scale(b.x, c0), b.y, c1), b.z, c2));
}

// The rotation nearest to A, near a guess (math/polar.c: solveNearGuess, which has the equations). Returns 0, and the
// guess, where A has none that is near.
FN int findRotation(const Mat* a, Quat guess, Quat* rotation)
{
    const Mat g = matFromQuat(guess);
    Mat b;
    UNROLL
    for (int i = 0; i < 3; i++) { // G^T A
        const Vec column = vec(i == 0   ? g.r[0].x
                               : i == 1 ? g.r[0].y
                                        : g.r[0].z,
                               i == 0   ? g.r[1].x
                               : i == 1 ? g.r[1].y
                                        : g.r[1].z,
                               i == 0   ? g.r[2].x
                               : i == 1 ? g.r[2].y
                                        : g.r[2].z);
        b.r[i] = mulTMV(a, column);
    }
    const Vec f = vec(b.r[2].y - b.r[1].z, b.r[0].z - b.r[2].x, b.r[1].x - b.r[0].y);
    const double top = b.r[0].x + b.r[1].y + b.r[2].z;
    const double xy = b.r[0].y + b.r[1].x, xz = b.r[0].z + b.r[2].x, yz = b.r[1].z + b.r[2].y;
    double shift = 0.0;
    Vec v = vec(0.0, 0.0, 0.0);
    int good = 0;
    for (int step = 0; step < 4 && !good; step++) {
        const double lambda = top + shift;
        const Vec row0 = vec(lambda - (b.r[0].x - b.r[1].y - b.r[2].z), -xy, -xz),
                  row1 = vec(-xy, lambda - (b.r[1].y - b.r[0].x - b.r[2].z), -yz),
                  row2 = vec(-xz, -yz, lambda - (b.r[2].z - b.r[0].x - b.r[1].y));
        const Vec c0 = cross(row1, row2), c1 = cross(row2, row0), c2 = cross(row0, row1);
        const double determinant = dot(row0, c0), trace = row0.x + row1.y + row2.z;
        const double gap = 3.0 * determinant / (trace * trace);
        if (!(row0.x > 0.0 && c2.z > 0.0 && gap > 1.0e-4 * top)) {
            break;
        }
        v = scale(1.0 / determinant, addScaled(addScaled(scale(f.x, c0), f.y, c1), f.z, c2));
        const double square = dot(v, v), change = (dot(f, v) - shift) / (1.0 + square);
        const double least = 1.1102230246251565e-16 * gap;
        good = change * change * square <= least * least;
        shift += change;
    }
    *rotation = good ? normalizeQ(mulQQ(guess, quat(1.0, v.x, v.y, v.z))) : guess;
    return good;
}

// A body's sums over its point masses.
typedef struct Points {
    double weight; // [kg]
    Mat spread;    // S [kg m^2]
    Mat extra;     // J, rest axes [kg m^2]
    int hasExtra;
} Points;

FN Points getPoints(const pbdrKernelPlan* plan, const double* values, int body)
{
    const pbdrKernelBody* shape = &plan->bodies[body];
    const double share = AT(bodySlot(plan, body) + BODY_MASS) / shape->mass;
    Points points;
    points.weight = share * shape->weight;
    points.spread = scaleM(share, shape->spread);
    points.extra = scaleM(share, shape->extraInertia);
    points.hasExtra = shape->hasExtra;
    return points;
}

// Their inertia with the frame F.
FN Mat getInertia(const Mat* frame, const Mat* spread)
{
    const Mat s = turnTensor(frame, spread);
    Mat a;
    a.r[0] = vec(s.r[1].y + s.r[2].z, -s.r[0].y, -s.r[0].z);
    a.r[1] = vec(-s.r[0].y, s.r[0].x + s.r[2].z, -s.r[1].z);
    a.r[2] = vec(-s.r[0].z, -s.r[1].z, s.r[0].x + s.r[1].y);
    return a;
}

FN Vec getSpin(const Mat* frame, const Mat* spread, const Mat* rate)
{
    const Mat placed = mulMM(frame, spread), both = mulMTM(&placed, rate);
    return axial(&both);
}

FN Mat turnExtra(const Points* points, Quat rotation)
{
    const Mat turn = matFromQuat(rotation);
    return turnTensor(&turn, &points->extra);
}

// F and G of a body whose pose or angular velocity has been written.
FN void startBody(const pbdrKernelPlan* plan, double* values, int body)
{
    const int s = bodySlot(plan, body);
    const Vec w = readVec(values, s + BODY_ANGULAR), last = readVec(values, s + REDUCED_ANGULAR);
    const int fresh = AT(s + BODY_HAS_INVERSE) == 0.0;
    if (!fresh && w.x == last.x && w.y == last.y && w.z == last.z) {
        return;
    }
    const Quat q = readQuat(values, s + BODY_ROTATION);
    const Points points = getPoints(plan, values, body);
    const Mat frame = matFromQuat(q), rate = crossM(w, &frame);
    writeMat(values, s + REDUCED_FRAME, &frame);
    writeMat(values, s + REDUCED_RATE, &rate);
    writeQuat(values, s + REDUCED_GUESS, q);
    const Mat extra = turnExtra(&points, q);
    writeVec(values, s + REDUCED_EXTRA, points.hasExtra ? mulMV(&extra, w) : vec(0.0, 0.0, 0.0));
    writeVec(values, s + REDUCED_ANGULAR, w);
    AT(s + BODY_HAS_INVERSE) = 1.0;
}

FN void integrateBody(const pbdrKernelPlan* plan, double* values, int body)
{
    const int s = bodySlot(plan, body);
    const double dt = plan->timeStep;
    if (plan->bodies[body].moves <= 0) {
        if (plan->bodies[body].moves < 0) {
            moveDriven(plan, values, body);
            const Mat frame = matFromQuat(readQuat(values, s + BODY_ROTATION)),
                      rate = crossM(readVec(values, s + BODY_ANGULAR), &frame);
            writeMat(values, s + REDUCED_FRAME, &frame);
            writeMat(values, s + REDUCED_RATE, &rate);
        }
        return;
    }
    const Mat frame = readMat(values, s + REDUCED_FRAME);
    Mat rate = readMat(values, s + REDUCED_RATE);
    const Vec torque = readVec(values, s + BODY_TORQUE),
              gravity = vec(plan->gravity[0], plan->gravity[1], plan->gravity[2]);
    if (dot(torque, torque) > 0.0) {
        const Points points = getPoints(plan, values, body);
        const Mat own = getInertia(&frame, &points.spread),
                  extra = turnExtra(&points, readQuat(values, s + REDUCED_GUESS)),
                  inertia = points.hasExtra ? addM(&extra, 1.0, &own) : own;
        const Vec alpha = solveThree(&inertia, torque);
        if (points.hasExtra) {
            writeVec(values, s + REDUCED_EXTRA,
                     add(readVec(values, s + REDUCED_EXTRA), mulMV(&extra, scale(dt, alpha))));
        }
        const Mat field = crossM(alpha, &frame);
        rate = addM(&rate, dt, &field);
    }
    const Vec acceleration = addScaled(gravity, 1.0 / AT(s + BODY_MASS), readVec(values, s + BODY_FORCE));
    const Vec v = addScaled(readVec(values, s + BODY_VELOCITY), dt, acceleration);
    const Mat moved = addM(&frame, dt, &rate);
    writeVec(values, s + BODY_VELOCITY, v);
    writeVec(values, s + BODY_CENTRE, addScaled(readVec(values, s + BODY_CENTRE), dt, v));
    writeMat(values, s + REDUCED_FRAME, &moved);
    writeMat(values, s + REDUCED_RATE, &rate);
}

// --- Contacts ---

// D and B of a mover in an iteration.
typedef struct Shove {
    Vec linear;
    Mat spread;
} Shove;

// A sphere of a body: where it is and how it moves.
typedef struct Particle {
    Vec q, x, v;
    double radius, mass;
} Particle;

FN Particle getParticle(const pbdrKernelPlan* plan, const double* spheres, const double* values, int body,
                        int index)
{
    const int s = bodySlot(plan, body), sphere = plan->bodies[body].firstSphere + index;
    const Mat frame = readMat(values, s + REDUCED_FRAME), rate = readMat(values, s + REDUCED_RATE);
    Particle a;
    a.q = readSphere(spheres, sphere);
    a.radius = spheres[4 * sphere + 3];
    a.mass = spheres[4 * plan->sphereCount + sphere] * (AT(s + BODY_MASS) / plan->bodies[body].mass);
    a.x = add(readVec(values, s + BODY_CENTRE), mulMV(&frame, a.q));
    a.v = add(readVec(values, s + BODY_VELOCITY), mulMV(&rate, a.q));
    return a;
}

FN void shove(Shove* sums, Vec push, Vec q)
{
    sums->linear = add(sums->linear, push);
    sums->spread.r[0] = addScaled(sums->spread.r[0], push.x, q);
    sums->spread.r[1] = addScaled(sums->spread.r[1], push.y, q);
    sums->spread.r[2] = addScaled(sums->spread.r[2], push.z, q);
}

// The contact law: -e n + max(mu e, -|v_t| dt) v_t/|v_t|  (contact/friction.h)
FN Vec getCorrection(double depth, Vec n, Vec v, double mu, double dt)
{
    const Vec slip = addScaled(v, -dot(v, n), n);
    const double square = dot(slip, slip), speed = square > 0.0 ? sqrt(square) : 0.0;
    Vec dx = scale(-depth, n);
    return speed > 0.0 ? addScaled(dx, most(mu * depth, -speed * dt) / speed, slip) : dx;
}

RARE void collidePatch(const pbdrKernelPlan* plan, const double* spheres, double* values, int index,
                       int shows, Shove* sums)
{
    const pbdrKernelPatch* of = &plan->patches[index];
    const int s = patchSlot(plan, index), first = (int)AT(s + PATCH_FIRST), count = (int)AT(s + PATCH_COUNT);
    const int a = bodySlot(plan, of->bodyA), moverA = plan->bodies[of->bodyA].mover;
    const int b = of->bodyB >= 0 ? bodySlot(plan, of->bodyB) : 0,
              moverB = of->bodyB >= 0 ? plan->bodies[of->bodyB].mover : -1;
    const double mu = mixFriction(plan->mixing, AT(a + BODY_FRICTION),
                                  of->plane >= 0 ? AT(plan->firstPlane + of->plane) : AT(b + BODY_FRICTION));
    Vec pull = vec(0.0, 0.0, 0.0);
    for (int i = first; i < first + count; i++) {
        const int at = itemSlot(plan, i) + ITEM_KEY, key = readKey(values, at);
        const Particle one = getParticle(plan, spheres, values, of->bodyA, (key & ~TOUCHED) / KEY_STEP);
        Vec n, v = one.v, other = vec(0.0, 0.0, 0.0);
        double depth, mass = one.mass;
        if (of->plane >= 0) {
            const pbdrKernelPlane* plane = &plan->planes[of->plane];
            n = vec(plane->frame[2][0], plane->frame[2][1], plane->frame[2][2]);
            depth = dot(n, one.x) - plane->offset - one.radius;
        } else {
            const Particle two = getParticle(plan, spheres, values, of->bodyB, key % KEY_STEP);
            const Vec apart = sub(one.x, two.x);
            const double distance = length(apart);
            n = distance > 0.0 ? scale(1.0 / distance, apart) : vec(0.0, 0.0, 1.0);
            depth = distance - one.radius - two.radius;
            v = sub(one.v, two.v);
            other = two.q;
            mass = moverA >= 0 && moverB >= 0 ? one.mass * two.mass / (one.mass + two.mass)
                   : moverA >= 0              ? one.mass
                                              : two.mass;
        }
        if (!(depth <= 0.0)) {
            continue;
        }
        const Vec push = scale(plan->relaxation * mass, getCorrection(depth, n, v, mu, plan->timeStep));
        if (moverA >= 0) {
            shove(&sums[moverA], push, one.q);
        }
        if (moverB >= 0) {
            shove(&sums[moverB], scale(-1.0, push), other);
        }
        pull = addScaled(pull, plan->perStep, push);
        if (shows) {
            const int force = forceSlot(plan, i);
            writeVec(values, force, addScaled(readVec(values, force), plan->perStep, push));
        }
        writeKey(values, at, key | TOUCHED);
    }
    writeVec(values, a + BODY_PULL, add(readVec(values, a + BODY_PULL), pull));
    if (of->bodyB >= 0) {
        writeVec(values, b + BODY_PULL, sub(readVec(values, b + BODY_PULL), pull));
    }
}

// --- Shape matching and the momentum constraint ---

RARE uint32_t matchBody(const pbdrKernelPlan* plan, double* values, int body, const Shove* sums)
{
    const int s = bodySlot(plan, body);
    const Points points = getPoints(plan, values, body);
    const Mat frame = readMat(values, s + REDUCED_FRAME);
    Mat rate = readMat(values, s + REDUCED_RATE);
    const Mat spread = mulMM(&frame, &points.spread), moved = addM(&spread, 1.0, &sums->spread),
              withRate = mulMTM(&moved, &rate), withPlace = mulMTM(&sums->spread, &frame);
    const Vec before = addScaled(axial(&withRate), -plan->rate, axial(&withPlace));
    Quat q;
    const int good = findRotation(&moved, readQuat(values, s + REDUCED_GUESS), &q);
    const Mat turn = matFromQuat(q), change = addM(&turn, -1.0, &frame);
    const Vec shift = scale(1.0 / points.weight, sums->linear);
    writeVec(values, s + BODY_CENTRE, add(readVec(values, s + BODY_CENTRE), shift));
    writeVec(values, s + BODY_VELOCITY, addScaled(readVec(values, s + BODY_VELOCITY), plan->rate, shift));
    writeQuat(values, s + REDUCED_GUESS, q);
    rate = addM(&rate, plan->rate, &change);
    // L is what it was before the match
    const Mat own = getInertia(&turn, &points.spread);
    const Vec spin = getSpin(&turn, &points.spread, &rate);
    Vec excess;
    if (points.hasExtra) {
        const Mat extra = turnExtra(&points, q), whole = addM(&extra, 1.0, &own);
        const Vec w = solveThree(&whole, add(before, readVec(values, s + REDUCED_EXTRA)));
        writeVec(values, s + REDUCED_EXTRA, mulMV(&extra, w));
        excess = sub(solveThree(&own, spin), w);
    } else {
        excess = solveThree(&own, sub(spin, before));
    }
    const Mat field = crossM(excess, &turn), follows = addM(&turn, -plan->timeStep, &field);
    rate = addM(&rate, -1.0, &field);
    writeMat(values, s + REDUCED_FRAME, &follows);
    writeMat(values, s + REDUCED_RATE, &rate);
    const double size = dot(before, before);
    return (good ? 0u : FLAG_NOT_CONVERGED) | (size < 1.0e300 ? 0u : FLAG_NOT_FINITE);
}

// The rotation and the angular velocity that a body shows.
FN void showBody(const pbdrKernelPlan* plan, double* values, int body)
{
    const int s = bodySlot(plan, body);
    const Points points = getPoints(plan, values, body);
    const Mat frame = readMat(values, s + REDUCED_FRAME), rate = readMat(values, s + REDUCED_RATE),
              spread = mulMM(&frame, &points.spread), inertia = getInertia(&frame, &points.spread);
    Quat q;
    findRotation(&spread, readQuat(values, s + REDUCED_GUESS), &q);
    const Vec w = solveThree(&inertia, getSpin(&frame, &points.spread, &rate));
    writeQuat(values, s + BODY_ROTATION, q);
    writeVec(values, s + BODY_ANGULAR, w);
    writeVec(values, s + REDUCED_ANGULAR, w);
}

// shows: what items bear goes to where wrenches are summed from.
FN uint32_t stepReducedOnce(const pbdrKernelPlan* plan, const double* spheres, double* values, int shows)
{
    uint32_t flags = 0u;
    int stale = 0;
    for (int p = 0; p < plan->patchCount; p++) {
        stale = stale || isStale(plan, values, p);
    }
    if (stale && searchItems(plan, spheres, values, ITEM_FRICTION)) {
        flags |= FLAG_PAIRS_FULL;
    }
    for (int b = 0; b < plan->bodyCount; b++) {
        writeVec(values, bodySlot(plan, b) + BODY_PULL, vec(0.0, 0.0, 0.0));
        integrateBody(plan, values, b);
    }
    for (int p = 0; p < plan->patchCount; p++) {
        const int first = (int)AT(patchSlot(plan, p) + PATCH_FIRST),
                  count = (int)AT(patchSlot(plan, p) + PATCH_COUNT);
        for (int i = first; i < first + count; i++) {
            const int at = itemSlot(plan, i) + ITEM_KEY;
            writeKey(values, at, readKey(values, at) & ~TOUCHED);
            if (shows) {
                writeVec(values, forceSlot(plan, i), vec(0.0, 0.0, 0.0));
            }
        }
    }
    Shove sums[KERNEL_MOVERS];
    for (int iteration = 0; iteration < plan->iterations; iteration++) {
        for (int m = 0; m < plan->moverCount; m++) {
            sums[m].linear = sums[m].spread.r[0] = sums[m].spread.r[1] = sums[m].spread.r[2] =
                vec(0.0, 0.0, 0.0);
        }
        for (int p = 0; p < plan->patchCount; p++) { // planes are the first
            collidePatch(plan, spheres, values, p, shows, sums);
        }
        for (int m = 0; m < plan->moverCount; m++) {
            flags |= matchBody(plan, values, plan->movers[m], &sums[m]);
        }
    }
    for (int m = 0; m < plan->moverCount; m++) {
        showBody(plan, values, plan->movers[m]);
    }
    return flags;
}

FN void stepReduced(const pbdrKernelPlan* plan, const double* spheres, double* values, int substepCount)
{
    uint32_t flags = 0u;
    for (int b = 0; b < plan->bodyCount; b++) {
        startBody(plan, values, b);
    }
    for (int i = 0; i < substepCount; i++) {
        flags |= stepReducedOnce(plan, spheres, values, i == substepCount - 1);
    }
    int contacts = 0;
    for (int p = 0; p < plan->patchCount; p++) {
        const int first = (int)AT(patchSlot(plan, p) + PATCH_FIRST),
                  count = (int)AT(patchSlot(plan, p) + PATCH_COUNT);
        for (int i = first; i < first + count; i++) {
            contacts += (readKey(values, itemSlot(plan, i) + ITEM_KEY) & TOUCHED) != 0;
        }
    }
    AT(WORLD_FLAGS) = (double)flags;
    AT(WORLD_CONTACTS) = (double)contacts;
}

#endif
