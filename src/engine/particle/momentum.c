// The momentum constraint of PBD-R: shape matching must leave linear and angular momentum as they were.
//
//   dv = (P_before - P_after)/M        w = I^-1 (L_after - L_before)
//   velocity half:  v += dv - w x r
//   position half:  x += dt (dv - w x r)
//
// (the paper's eqs. lin_momentum and ang_momentum; r = x - centre of mass, I after the match).
//
// After the velocity half P and L are exactly those from before. The position half then moves r after v was
// set, so L of a whole substep is exact only as dt goes to 0. The angular half is needed in exact arithmetic
// too: shape matching after an Euler step takes about (|w| dt)^2 of the spin in each substep.
#include "engine/extra_inertia.h"
#include "engine/particle/stage.h"

// Sets the correction and the turn from the sums before and after shape matching.
static void findCorrection(pbdrParticleWorld* world, int index)
{
    const pbdrBody* body = pbdrGetBody(world->scene, index);
    pbdrParticleBody* own = pbdrGetParticleBody(world, index);
    STAGE(pbdrMeasureInertia)(world, index, &own->after);
    own->correction = pbdrVec(0.0, 0.0, 0.0);
    own->turn = pbdrVec(0.0, 0.0, 0.0);
    if ((world->scene->ablation & pbdr_ablateLinearMomentum) == 0) {
        pbdrVec3 lost = pbdrSub(own->before.relativeMomentum, own->after.relativeMomentum);
        own->correction = pbdrScale(1.0 / own->weight, lost);
    }
    if ((world->scene->ablation & pbdr_ablateAngularMomentum) == 0) {
        own->turn = pbdrRestoreSpin(body, &own->after.inertia, own->after.spin, own->before.spin,
                                    pbdrGetInertiaCutoff(world->scene), &own->extraSpin);
    }
}

// arrays += scale (dv - w x r)
static void addCorrection(const pbdrParticleWorld* world, const pbdrParticleBody* own, void* const arrays[3],
                          double scale)
{
    const pbdrVec3 dv = own->correction, w = own->turn, t = own->after.centre;
    const vvec shift = vsetVec(scale * dv.x, scale * dv.y, scale * dv.z);
    const vvec turn = vsetVec(scale * w.x, scale * w.y, scale * w.z);
    const vvec centre = vsetVec(t.x, t.y, t.z);
    for (int i = getFirst(own); i < getEnd(own); i += LANES) {
        vvec r = vsubVec(vloadVec(world->particles.position, i), centre);
        vvec change = vsubVec(shift, vcrossVec(turn, r));
        vstoreVec(arrays, i, vaddVec(vloadVec(arrays, i), change));
    }
}

static void restoreBody(pbdrParticleWorld* world, int index)
{
    findCorrection(world, index);
    addCorrection(world, pbdrGetParticleBody(world, index), world->particles.velocity, 1.0);
}

static void followBody(pbdrParticleWorld* world, int index)
{
    const double dt = world->scene->timeStep, reach = pbdrGetBody(world->scene, index)->shape->reach;
    pbdrParticleBody* own = pbdrGetParticleBody(world, index);
    addCorrection(world, own, world->particles.position, dt);
    own->travel += dt * (pbdrLength(own->correction) + pbdrLength(own->turn) * reach);
}

void STAGE(pbdrRestoreMomentum)(pbdrParticleWorld* world)
{
    forEachDynamic(world, restoreBody);
}

void STAGE(pbdrFollowMomentum)(pbdrParticleWorld* world)
{
    forEachDynamic(world, followBody);
}
