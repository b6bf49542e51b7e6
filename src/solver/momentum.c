// The momentum constraint of PBD-R: shape matching must leave linear and angular momentum as they were.
//
//   dv = (P_before - P_after)/M          w = I^-1 (L_after - L_before)          (paper, eqs. lin_momentum,
//   ang_momentum) velocity half:  v += dv - w x r      position half:  x += dt (dv - w x r)      r = x -
//   centre of mass, I: after the match
//
// After the velocity half P and L are exactly those from before. The position half then moves r after v was
// set, so L of a whole substep is exact only as dt goes to 0. The angular half is needed in exact arithmetic
// too: shape matching after an Euler step takes about (|w| dt)^2 of the spin in each substep.
#include "math/sym3.h"
#include "solver/stage.h"

// Sets body->correction and body->turn from the sums before and after shape matching.
static void findCorrection(pbdrWorld* world, pbdrBody* body)
{
    STAGE(pbdrMeasureInertia)(world, body, &body->after);
    body->correction = pbdrVec(0.0, 0.0, 0.0);
    body->turn = pbdrVec(0.0, 0.0, 0.0);
    if ((world->ablation & pbdr_ablateLinearMomentum) == 0) {
        pbdrVec3 lost = pbdrSub(body->before.relativeMomentum, body->after.relativeMomentum);
        body->correction = pbdrScale(1.0 / body->weight, lost);
    }
    if ((world->ablation & pbdr_ablateAngularMomentum) == 0) {
        body->turn = pbdrGetExcessSpin(body, &body->after.inertia, body->after.spin, body->before.spin,
                                       pbdrGetInertiaCutoff(world));
    }
}

// arrays += scale (dv - w x r)
static void addCorrection(const pbdrWorld* world, const pbdrBody* body, void* const arrays[3], double scale)
{
    const pbdrVec3 dv = body->correction, w = body->turn, t = body->after.centre;
    const vvec shift = vsetVec(scale * dv.x, scale * dv.y, scale * dv.z);
    const vvec turn = vsetVec(scale * w.x, scale * w.y, scale * w.z);
    const vvec centre = vsetVec(t.x, t.y, t.z);
    for (int i = getFirst(body); i < getEnd(body); i += LANES) {
        vvec r = vsubVec(vloadVec(world->particles.position, i), centre);
        vvec change = vsubVec(shift, vcrossVec(turn, r));
        vstoreVec(arrays, i, vaddVec(vloadVec(arrays, i), change));
    }
}

void STAGE(pbdrRestoreMomentum)(pbdrWorld* world)
{
    int index = 0;
    for (pbdrBody* body; (body = pbdrNextDynamic(world, &index)) != NULL;) {
        findCorrection(world, body);
        addCorrection(world, body, world->particles.velocity, 1.0);
    }
}

void STAGE(pbdrFollowMomentum)(pbdrWorld* world)
{
    int index = 0;
    for (pbdrBody* body; (body = pbdrNextDynamic(world, &index)) != NULL;) {
        addCorrection(world, body, world->particles.position, world->timeStep);
        body->travel +=
            world->timeStep * (pbdrLength(body->correction) + pbdrLength(body->turn) * body->reach);
    }
}
