// Bodies in a substep: loads, free rotation, motion. (engine/xpbdr/{movers,rotation,motion}.c, for one world.)
#ifndef PBDR_GPU_KERNEL_BODIES_H
#define PBDR_GPU_KERNEL_BODIES_H

#include "gpu/kernel_search.h"

// A body that contact moves.
typedef struct Mover {
    double mass;
    double
        perGyration; // 1 over the square of the radius of gyration: moments count over it as forces [1/m^2]
    Mat inertia;     // world axes
    Twist load;      // f_ext
    double loadSize;
    Twist y, first; // the unknown, and where its search began
    Twist step;     // Newton's
    Twist at;       // the state that was evaluated last
    Twist residual; // its
    int pushed;     // by a force from outside
    int precesses;  // its torque-free motion is no uniform turn
} Mover;

FN double mixFriction(int mixing, double a, double b)
{
    if (mixing == 0) {
        return a == b ? a : sqrt(a * b);
    }
    return mixing == 1 ? least(a, b) : mixing == 2 ? most(a, b) : 0.5 * (a + b);
}

// Torque-free motion over a substep by the classical Runge-Kutta method; w in body axes.
RARE void rotateFreely(const Mat* turning, const Mat* inverse, double dt, Quat* q, Vec* w)
{
    // a fast spin takes more steps: 0.05 rad each, and 1000 at most
    const double turns = length(*w) * dt / 0.05;
    const int count = turns > 1.0 ? (turns < 1000.0 ? (int)turns + 1 : 1000) : 1;
    const double h = dt / count;
    for (int n = 0; n < count; n++) {
        Quat turned = quat(0.0, 0.0, 0.0, 0.0), newQ = *q;
        Vec precession = vec(0.0, 0.0, 0.0), newW = *w;
        for (int k = 0; k < 4; k++) {
            const double stage = k == 0 ? 0.0 : k == 3 ? h : 0.5 * h;
            const double weight = k == 0 || k == 3 ? h / 6.0 : h / 3.0;
            const Quat atQ = quat(q->w + stage * turned.w, q->x + stage * turned.x, q->y + stage * turned.y,
                                  q->z + stage * turned.z);
            const Vec atW = addScaled(*w, stage, precession);
            turned = mulQQ(atQ, quat(0.0, 0.5 * atW.x, 0.5 * atW.y, 0.5 * atW.z));
            precession = mulMV(inverse, cross(mulMV(turning, atW), atW));
            newQ = quat(newQ.w + weight * turned.w, newQ.x + weight * turned.x, newQ.y + weight * turned.y,
                        newQ.z + weight * turned.z);
            newW = addScaled(newW, weight, precession);
        }
        *q = normalizeQ(newQ);
        *w = newW;
    }
}

// A rotation and an angular velocity, world axes.
typedef struct Turning {
    Quat q;
    Vec w;
} Turning;

// A substep without contact: half of the torque's kick, free rotation, the other half.
RARE Turning rotateUnderTorque(const pbdrKernelBody* shape, double massScale, Vec torque, double dt,
                               Turning from)
{
    const Mat turning = scaleM(massScale, shape->turning),
              inverse = scaleM(1.0 / massScale, shape->inverseTurning);
    const Mat frame = matFromQuat(from.q);
    const Vec half = scale(0.5 * dt, torque);
    Vec free = add(mulTMV(&frame, from.w), mulMV(&inverse, mulTMV(&frame, half)));
    Turning to = from;
    rotateFreely(&turning, &inverse, dt, &to.q, &free);
    const Mat end = matFromQuat(to.q);
    to.w = add(mulMV(&end, free), mulMV(&end, mulMV(&inverse, mulTMV(&end, half))));
    return to;
}

FN Twist getFreeAcceleration(const pbdrKernelPlan* plan, const double* values, int body, const Mover* mover)
{
    const int s = bodySlot(plan, body);
    const pbdrKernelBody* shape = &plan->bodies[body];
    const Mat frame = matFromQuat(readQuat(values, s + BODY_ROTATION));
    const Mat inverse = scaleM(shape->mass / mover->mass, shape->inverseTurning);
    return makeTwist(scale(1.0 / mover->mass, mover->load.u),
                     mulMV(&frame, mulMV(&inverse, mulTMV(&frame, mover->load.w))));
}

FN double getNorm(const Mover* mover, Twist a)
{
    return dot(a.u, a.u) + dot(a.w, a.w) * mover->perGyration;
}

BIG void setMover(const pbdrKernelPlan* plan, const double* values, int body, Mover* mover)
{
    const int s = bodySlot(plan, body);
    const pbdrKernelBody* shape = &plan->bodies[body];
    const Quat q = readQuat(values, s + BODY_ROTATION);
    const Mat frame = matFromQuat(q);
    const double massScale = AT(s + BODY_MASS) / shape->mass;
    const Mat turning = scaleM(massScale, shape->turning);
    mover->mass = AT(s + BODY_MASS);
    mover->inertia = turnTensor(&frame, &turning);
    mover->perGyration = 3.0 * mover->mass / (turning.r[0].x + turning.r[1].y + turning.r[2].z);
    const Vec force = readVec(values, s + BODY_FORCE), torque = readVec(values, s + BODY_TORQUE);
    const Vec w = readVec(values, s + BODY_ANGULAR);
    mover->pushed = dot(force, force) > 0.0 || dot(torque, torque) > 0.0;
    const Vec gravity = vec(plan->gravity[0], plan->gravity[1], plan->gravity[2]);
    const Vec spin = mulMV(&mover->inertia, w), gyroscopic = cross(spin, w);
    Vec turn = torque;
    // less is rounding of a spherical top's, or of a body at rest
    mover->precesses = dot(gyroscopic, gyroscopic) > 1.0e-28 * (dot(spin, spin) * dot(w, w));
    if (!KERNEL_QUICK && mover->precesses) {
        Turning from;
        from.q = q;
        from.w = w;
        const Vec end = rotateUnderTorque(shape, massScale, torque, plan->timeStep, from).w;
        turn = scale(1.0 / plan->timeStep, mulMV(&mover->inertia, sub(end, w)));
    }
    mover->load = makeTwist(addScaled(force, mover->mass, gravity), turn);
    mover->loadSize = sqrt(getNorm(mover, mover->load));
}

// The velocity of a body in this substep as far as contact does not change it; a kinematic body's is the one at the end
// of the substep (engine/xpbdr/items.c).
FN Twist getVelocity(const pbdrKernelPlan* plan, const double* values, int body)
{
    const int s = bodySlot(plan, body);
    Vec v = readVec(values, s + BODY_VELOCITY);
    if (plan->bodies[body].moves < 0) {
        v = addScaled(v, 1.5 * plan->timeStep / AT(s + BODY_MASS), readVec(values, s + BODY_FORCE));
    }
    return makeTwist(v, readVec(values, s + BODY_ANGULAR));
}

// Adds a small change to a sum in the world's numbers, and what rounding took of it to the next change (Kahan).
FN Vec addCarefully(double* values, Vec old, Vec change, int left)
{
    const Vec whole = add(change, readVec(values, left)), sum = add(old, whole);
    writeVec(values, left, sub(whole, sub(sum, old)));
    return sum;
}

FN Quat turnBy(Quat q, Vec angle)
{
    return normalizeQ(mulQQ(quatFromVector(angle), q));
}

// loaded: by some contact; impact: its contacts stop it within the substep; history: as its slot says.
BIG void moveBody(const pbdrKernelPlan* plan, double* values, int body, const Mover* mover, int loaded,
                  int impact, double history)
{
    const int s = bodySlot(plan, body);
    const double dt = plan->timeStep;
    const Vec v = readVec(values, s + BODY_VELOCITY), w = readVec(values, s + BODY_ANGULAR);
    const Vec newV = addCarefully(values, v, scale(plan->rate, mover->y.u), s + BODY_VELOCITY_LEFT);
    const Vec newW = addScaled(w, plan->rate, mover->y.w);
    const Vec way = impact ? scale(dt, newV) : scale(0.5 * dt, add(v, newV));
    writeVec(values, s + BODY_CENTRE,
             addCarefully(values, readVec(values, s + BODY_CENTRE), way, s + BODY_CENTRE_LEFT));
    Quat q = readQuat(values, s + BODY_ROTATION);
    if (KERNEL_QUICK || loaded) {
        q = turnBy(q, impact ? scale(dt, newW) : scale(0.5 * dt, add(w, newW)));
    } else {
        Turning from;
        from.q = q;
        from.w = w;
        q = rotateUnderTorque(&plan->bodies[body], AT(s + BODY_MASS) / plan->bodies[body].mass,
                              readVec(values, s + BODY_TORQUE), dt, from)
                .q;
    }
    writeQuat(values, s + BODY_ROTATION, q);
    writeVec(values, s + BODY_VELOCITY, newV);
    writeVec(values, s + BODY_ANGULAR, newW);
#if KERNEL_MOVERS == 1
    writeRow(values, s + BODY_LAST_STEP, s + BODY_STEP_BEFORE, mover->y);
#else
    writeTwist(values, s + BODY_LAST_STEP, mover->y);
#endif
    AT(s + BODY_HISTORY) = history;
}

// A body that its force alone moves (scene/driven.c).
BIG void moveDriven(const pbdrKernelPlan* plan, double* values, int body)
{
    const int s = bodySlot(plan, body);
    const double dt = plan->timeStep;
    const Vec w = readVec(values, s + BODY_ANGULAR);
    const Vec v = addScaled(readVec(values, s + BODY_VELOCITY), dt / AT(s + BODY_MASS),
                            readVec(values, s + BODY_FORCE));
    writeVec(values, s + BODY_CENTRE, addScaled(readVec(values, s + BODY_CENTRE), dt, v));
    writeVec(values, s + BODY_VELOCITY, v);
    writeQuat(values, s + BODY_ROTATION, turnBy(readQuat(values, s + BODY_ROTATION), scale(dt, w)));
}

#endif
