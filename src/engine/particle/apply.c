// Applies the sum of an iteration's contact corrections: x += dx, then the velocity update.
//
// PBD's update v = (x - x_start)/dt is a difference of large numbers over a small one: it rounds anew for
// every particle in every iteration, moved or not, and that is PBD's drift. PBD-R's v += dx/dt changes only
// what was moved, so only blocks in contact are visited.
#include "engine/particle/stage.h"

void STAGE(pbdrApplyContacts)(pbdrParticleWorld* world)
{
    pbdrParticles* p = &world->particles;
    const vreal dt = vset((real)world->scene->timeStep);
    const vvec zero = vsetVec(0.0, 0.0, 0.0);
    const bool usesStart = pbdrUsesStart(world->scene);

    if (usesStart) {
        int index = 0;
        while (pbdrNextDynamic(world->scene, &index) != NULL) {
            const pbdrParticleBody* own = pbdrGetParticleBody(world, index - 1);
            for (int i = getFirst(own); i < getEnd(own); i += LANES) {
                moveParticles(p, i, vloadVec(p->contact, i), dt, true);
            }
        }
    }
    for (int k = 0; k < p->touchedCount; k++) {
        int block = ((const int32_t*)p->touchedBlocks)[k];
        vreal largest = vset((real)0);
        for (int i = block * PBDR_BLOCK; i < (block + 1) * PBDR_BLOCK; i += LANES) {
            vvec dx = vloadVec(p->contact, i);
            if (!usesStart) {
                moveParticles(p, i, dx, dt, false);
            }
            vstoreVec(p->contact, i, zero);
            largest = vmax(vdotVec(dx, dx), largest);
        }
        pbdrBlock* info = (pbdrBlock*)p->blocks + block;
        info->touched = false;
        pbdrParticleBody* own = pbdrGetParticleBody(world, info->body);
        double way = sqrt(vlargest(largest));
        own->contactWay = way > own->contactWay ? way : own->contactWay;
    }
    p->touchedCount = 0;
}
