// Free motion of links over a substep: straight lines, and torque-free rotation.
#include "engine/xpbdr/joint_lanes.h"

// Turns in a substep up to which the series for free rotation is as good as Runge-Kutta's method [rad].
#define SMALL_TURN 0.05

void STAGE(pbdrStartLanes)(const LinkLanes* lanes)
{
    const vmat frame = gatherMat(lanes->body, BODY(frame)), turning = gatherMat(lanes->shape, SHAPE(turning));
    const vmat inertia = vturnTensor(&frame, &turning);
    const vvec angular = gatherVec(lanes->link, LINK(angular)),
               load = gatherVec(lanes->link, LINK(loadAngular));
    scatterMat(&inertia, lanes->link, LINK(inertia));
    scatterVec(vmulMat(&inertia, angular), lanes->link, LINK(spin));
    scatterVec(vmulMat(&inertia, load), lanes->link, LINK(loadSpin));
}

typedef struct vquat {
    vreal w;
    vvec v;
} vquat;

static inline vquat gatherQuat(Lanes from, size_t offset)
{
    vreal rows[LANES];
    for (int lane = 0; lane < LANES; lane++) {
        rows[lane] = vloadAny((const real*)(const void*)(from.at[lane] + offset));
    }
    vtranspose(rows);
    return (vquat){rows[0], {rows[1], rows[2], rows[3]}};
}

static inline vquat vmulQuats(vquat a, vquat b)
{
    return (vquat){vsub(vmul(a.w, b.w), vdotVec(a.v, b.v)),
                   vaddVec(vaddScaled(vscaleVec(a.w, b.v), b.w, a.v), vcrossVec(a.v, b.v))};
}

// Rotations whose length is 1 but for rounding, or 1e-10: made 1 by a step of Newton's method for 1/sqrt. They go to the
// links' ends, and their matrices.
static inline void endRotations(const LinkLanes* lanes, vquat q)
{
    const vreal one = vset(1.0);
    const vreal s = vsub(vset(1.5), vmul(vset(0.5), vadd(vmul(q.w, q.w), vdotVec(q.v, q.v))));
    q = (vquat){vmul(s, q.w), vscaleVec(s, q.v)};
    vreal rows[LANES] = {q.w, q.v.x, q.v.y, q.v.z};
    vtranspose(rows);
    for (int lane = 0; lane < LANES; lane++) {
        vstoreAny(&lanes->links[lane]->rotation.w, rows[lane]);
    }
    const vvec twice = vaddVec(q.v, q.v);
    const vreal xx = vmul(twice.x, q.v.x), yy = vmul(twice.y, q.v.y), zz = vmul(twice.z, q.v.z),
                xy = vmul(twice.x, q.v.y), xz = vmul(twice.x, q.v.z), yz = vmul(twice.y, q.v.z),
                wx = vmul(q.w, twice.x), wy = vmul(q.w, twice.y), wz = vmul(q.w, twice.z);
    const vmat frame = {{{vsub(one, vadd(yy, zz)), vsub(xy, wz), vadd(xz, wy)},
                         {vadd(xy, wz), vsub(one, vadd(xx, zz)), vsub(yz, wx)},
                         {vsub(xz, wy), vadd(yz, wx), vsub(one, vadd(xx, yy))}}};
    scatterMat(&frame, lanes->link, LINK(frame));
}

// A turn too large for the series.
static void turnFar(pbdrLink* link, double dt)
{
    pbdrVec3 angular = link->angular;
    link->rotation = link->body->rotation;
    pbdrRotateFreely(link->body, dt, &link->rotation, &angular);
    link->frame = pbdrMatFromQuat(link->rotation);
}

// Rotation is by Magnus' series, to the fourth order in dt as Runge-Kutta's method; in body axes:
//   turn = dt w + dt^2/2 w' + dt^3 (w''/6 + w x w'/12) + dt^4/24 (w''' + w x w'')
void STAGE(pbdrDriftLanes)(const LinkLanes* lanes, double dt)
{
    const vmat frame = gatherMat(lanes->body, BODY(frame)),
               inverse = gatherMat(lanes->shape, SHAPE(inverseTurning));
    const vreal step = vset(dt), square = vset(dt * dt), two = vset(2.0);
    const vvec h = vmulTransposed(&frame, gatherVec(lanes->link, LINK(spin))), w = vmulMat(&inverse, h);
    const vvec h1 = vcrossVec(h, w), w1 = vmulMat(&inverse, h1);
    const vvec h2 = vaddVec(vcrossVec(h1, w), vcrossVec(h, w1)), w2 = vmulMat(&inverse, h2);
    const vvec h3 = vaddVec(vaddScaled(vcrossVec(h2, w), two, vcrossVec(h1, w1)), vcrossVec(h, w2)),
               w3 = vmulMat(&inverse, h3);
    vvec turn = vaddScaled(vscaleVec(step, w), vset(0.5 * dt * dt), w1);
    turn = vaddScaled(turn, vset(dt * dt * dt / 12.0), vaddScaled(vcrossVec(w, w1), two, w2));
    turn = vaddScaled(turn, vset(dt * dt * dt * dt / 24.0), vaddVec(w3, vcrossVec(w, w2)));
    // sine over angle and cosine of half of it, whose square is below 1e-3: terms of the fifth order are below 1e-17
    const vreal x = vmul(vset(0.25), vdotVec(turn, turn)), x2 = vmul(x, x), one = vset(1.0);
    const vreal sine = vadd(
        vsub(one, vmul(x, vset(1.0 / 6.0))),
        vmul(x2, vadd(vsub(vset(1.0 / 120.0), vmul(x, vset(1.0 / 5040.0))), vmul(x2, vset(1.0 / 362880.0)))));
    const vreal cosine = vadd(
        vsub(one, vmul(x, vset(0.5))),
        vmul(x2, vadd(vsub(vset(1.0 / 24.0), vmul(x, vset(1.0 / 720.0))), vmul(x2, vset(1.0 / 40320.0)))));
    endRotations(lanes, vmulQuats(gatherQuat(lanes->body, BODY(rotation)),
                                  (vquat){cosine, vscaleVec(vmul(vset(0.5), sine), turn)}));
    const vvec angular = vmulMat(&frame, w), velocity = gatherVec(lanes->link, LINK(velocity));
    scatterVec(angular, lanes->link, LINK(angular));
    scatterVec(vaddScaled(gatherVec(lanes->body, BODY(centre)), step, velocity), lanes->link, LINK(centre));
    const uint32_t small = vbits(vle(vmul(square, vdotVec(w, w)), vset(SMALL_TURN * SMALL_TURN)));
    for (int lane = 0; lane < lanes->count; lane++) {
        if ((small >> lane & 1) == 0) {
            turnFar(lanes->links[lane], dt);
        }
    }
}

void STAGE(pbdrShiftLanes)(const LinkLanes* lanes)
{
    const vvec way = gatherVec(lanes->link, LINK(node.x)), turn = gatherVec(lanes->link, TURN(node.x));
    scatterVec(vaddVec(gatherVec(lanes->link, LINK(centre)), way), lanes->link, LINK(centre));
    endRotations(lanes, vmulQuats((vquat){vset(1.0), vscaleVec(vset(0.5), turn)},
                                  gatherQuat(lanes->link, LINK(rotation))));
}
