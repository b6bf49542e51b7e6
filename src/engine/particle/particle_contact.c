// Contact between spheres of different bodies.
//
//   dx as in contact/friction.h, times the relaxation
//   x_i += dx m_j/(m_i + m_j)
//   x_j -= dx m_i/(m_i + m_j)
//
// v_t there is the tangential part of the relative velocity v_i - v_j. (The authors' code takes v_i's alone
// there, so that friction acts between bodies that move together, and keeps the mass of a kinematic body,
// which takes no reaction; both are put right here.) If one of the two takes no reaction, the other one takes
// all of dx. m_i dx_i = -m_j dx_j, so the pair's P is conserved, and its L by the normal part, which acts along
// the line of centres. Friction acts at the centres, not at the point of contact, and so turns the pair by
// (x_i - x_j) x f: a property of the paper's particle model.
#include "contact/friction.h"
#include "engine/particle/stage.h"

// Whether a body may have moved by half its margin since the search.
static bool isStale(const pbdrParticleWorld* world)
{
    for (int index = 0; index < world->scene->bodies.count; index++) {
        const pbdrBody* body = pbdrGetBody(world->scene, index);
        if (body->alive && pbdrGetParticleBody(world, index)->travel > 0.5 * body->shape->margin) {
            return true;
        }
    }
    return false;
}

static pbdrVec3 readVec(void* const arrays[3], int i)
{
    return pbdrVec((double)((const real*)arrays[0])[i], (double)((const real*)arrays[1])[i],
                   (double)((const real*)arrays[2])[i]);
}

// Rounds to the particles' precision and adds; marks the block. Returns what was added.
static pbdrVec3 addContact(pbdrParticles* p, int i, pbdrVec3 dx)
{
    const real change[3] = {roundToReal(dx.x), roundToReal(dx.y), roundToReal(dx.z)};
    for (int k = 0; k < 3; k++) {
        ((real*)p->contact[k])[i] += change[k];
    }
    touchBlock(p, i / PBDR_BLOCK);
    return pbdrVec((double)change[0], (double)change[1], (double)change[2]);
}

static void collidePair(pbdrParticleWorld* world, pbdrPair* pair)
{
    pbdrParticles* p = &world->particles;
    int i = pair->first, j = pair->second;
    const real *radius = p->radius, *mass = p->mass;
    pbdrVec3 apart = pbdrSub(readVec(p->position, i), readVec(p->position, j));
    const pbdrOverlap overlap = pbdrGetOverlap(apart, (double)radius[i], (double)radius[j]);
    if (!(overlap.depth <= 0.0)) {
        return;
    }
    pbdrVec3 relative = pbdrSub(readVec(p->velocity, i), readVec(p->velocity, j));
    const pbdrBody* a = pbdrGetBody(world->scene, pbdrGetOwner(world, i));
    const pbdrBody* b = pbdrGetBody(world->scene, pbdrGetOwner(world, j));
    double mu = pbdrMixFriction(world->scene->mixing, a->friction, b->friction);
    pbdrVec3 dx = pbdrScale(world->scene->relaxation,
                            pbdrGetCorrection(&overlap, relative, mu, world->scene->timeStep));

    double massA = (double)mass[i], massB = (double)mass[j];
    double perStep = 1.0 / (world->scene->timeStep * world->scene->timeStep);
    pbdrVec3 force = {0.0, 0.0, 0.0};
    if (a->kind == pbdr_bodyDynamic) {
        double share = b->kind == pbdr_bodyDynamic ? massB / (massA + massB) : 1.0;
        force = pbdrScale(massA * perStep, addContact(p, i, pbdrScale(share, dx)));
    }
    if (b->kind == pbdr_bodyDynamic) {
        double share = a->kind == pbdr_bodyDynamic ? massA / (massA + massB) : 1.0;
        pbdrVec3 change = addContact(p, j, pbdrScale(-share, dx));
        if (a->kind != pbdr_bodyDynamic) {
            force = pbdrScale(-massB * perStep, change);
        }
    }
    pair->touched = 1;
    pair->force[0] += force.x;
    pair->force[1] += force.y;
    pair->force[2] += force.z;
}

void STAGE(pbdrCollideParticles)(pbdrParticleWorld* world)
{
    if (world->scene->bodyCount > 1 && isStale(world)) {
        STAGE(pbdrFindPairs)(world);
    }
    pbdrPair* pairs = world->pairs.items;
    for (int k = 0; k < world->pairs.count; k++) {
        collidePair(world, pairs + k);
    }
}
