// Shape matching: the rigid motion that best fits a body's particles.
//
//   predicted x_p --> centre t --> A = sum m_p (x_p - t) q_p^T --> polar R --> dx_p = R q_p + t - x_p
//
// PBD sums the centre as published, t = sum m x / sum m in the particles' precision; its rounding grows with
// the distance from the origin, and in float it is most of PBD's drift (Test 1, six seeds: 4 to 13 m with it,
// 0.2 to 2 m with PBD-R's sums about the last centre). PBD-R does not depend on it: its momentum constraint
// takes such shifts out again.
//
// The sums before the match (moments.c) are kept for the momentum constraint. Bodies share no particles, so
// any order gives the same bits. After Mueller et al. 2005.
#include "engine/particle/stage.h"
#include "math/polar.h"

// The centre as PBD sums it.
static pbdrVec3 sumCentre(const pbdrParticles* p, const pbdrParticleBody* own)
{
    vvec sum = vsetVec(0.0, 0.0, 0.0);
    vreal mass = vset((real)0);
    for (int i = getFirst(own); i < getEnd(own); i += LANES) {
        vreal m = vload((const real*)p->mass + i);
        sum = vaddVec(sum, vscaleVec(m, vloadVec(p->position, i)));
        mass = vadd(mass, m);
    }
    real total = (real)vsum(mass);
    return pbdrVec((double)((real)vsum(sum.x) / total), (double)((real)vsum(sum.y) / total),
                   (double)((real)vsum(sum.z) / total));
}

static void matchBody(pbdrParticleWorld* world, int index)
{
    pbdrBody* body = pbdrGetBody(world->scene, index);
    pbdrParticleBody* own = pbdrGetParticleBody(world, index);
    STAGE(pbdrMeasureSpread)(world, index, &own->before);
    if (world->scene->solver == pbdr_solverPbd) {
        own->before.centre = sumCentre(&world->particles, own);
    }
    if (!pbdrPolarRotation(&own->before.spread, body->rotation, pbdrGetInertiaCutoff(world->scene),
                           &body->rotation)) {
        world->scene->flags |= pbdr_stepNotFinite;
        return;
    }

    const pbdrParticles* p = &world->particles;
    const pbdrMat3 turn = pbdrMatFromQuat(body->rotation);
    const vvec row0 = vsetVec(turn.m[0][0], turn.m[0][1], turn.m[0][2]);
    const vvec row1 = vsetVec(turn.m[1][0], turn.m[1][1], turn.m[1][2]);
    const vvec row2 = vsetVec(turn.m[2][0], turn.m[2][1], turn.m[2][2]);
    const vvec t = vsetVec(own->before.centre.x, own->before.centre.y, own->before.centre.z);
    const vreal dt = vset((real)world->scene->timeStep);
    const bool usesStart = pbdrUsesStart(world->scene);
    vreal largest = vset((real)0);
    for (int i = getFirst(own); i < getEnd(own); i += LANES) {
        vvec q = vloadVec(p->rest, i);
        vvec goal = vaddVec((vvec){vdotVec(row0, q), vdotVec(row1, q), vdotVec(row2, q)}, t);
        vvec dx = vsubVec(goal, vloadVec(p->position, i));
        moveParticles(p, i, dx, dt, usesStart);
        largest = vmax(vdotVec(dx, dx), largest);
    }
    own->travel += own->contactWay + sqrt(vlargest(largest));
    own->contactWay = 0.0;
}

void STAGE(pbdrMatchShapes)(pbdrParticleWorld* world)
{
    forEachDynamic(world, matchBody);
}
