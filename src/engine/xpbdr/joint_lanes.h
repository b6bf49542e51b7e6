// Four links at a time, one per lane: for what is done to each link on its own.
#ifndef PBDR_ENGINE_XPBDR_JOINT_LANES_H
#define PBDR_ENGINE_XPBDR_JOINT_LANES_H

#include "math/simd.h"

#include "engine/xpbdr/joint_kernel.h"

#include <stddef.h>

// Where the lanes' links, bodies or shapes stand.
typedef struct Lanes {
    char* at[LANES];
} Lanes;

typedef struct LinkLanes {
    pbdrLink* links[LANES];
    int count; // of different ones
    Lanes link, body, shape;
} LinkLanes;

// The k-th link and those behind it, parents first. Where fewer are left than there are lanes the last one stands in several,
// and the same is written several times.
static inline LinkLanes getLanes(const pbdrMechanism* mechanism, int k)
{
    LinkLanes lanes;
    lanes.count = mechanism->linkCount - k < LANES ? mechanism->linkCount - k : LANES;
    for (int lane = 0; lane < LANES; lane++) {
        const int place = lane < lanes.count ? k + lane : k + lanes.count - 1;
        pbdrLink* link = &mechanism->links[mechanism->links[place].node.order];
        lanes.links[lane] = link;
        lanes.link.at[lane] = (char*)link;
        lanes.body.at[lane] = (char*)(uintptr_t)link->body; // which is only read
        lanes.shape.at[lane] = (char*)(uintptr_t)link->body->shape;
    }
    return lanes;
}

// Where things of a lane stand.
#define LINK(field) offsetof(pbdrLink, field)
#define BODY(field) offsetof(pbdrBody, field)
#define SHAPE(field) offsetof(pbdrShape, field)
#define TURN(field) (offsetof(pbdrLink, field) + sizeof(double[PBDR_TURN]))
#define ROW(field, row) (offsetof(pbdrLink, field) + (row) * sizeof(double[PBDR_MOTION]))

static inline double getLarger(double square, double worst)
{
    return square <= worst ? worst : square; // also of NaN
}

// --- Vectors ---

static inline vvec gatherVec(Lanes from, size_t offset)
{
    vreal rows[LANES];
    for (int lane = 0; lane < LANES; lane++) {
        rows[lane] = vloadThree((const real*)(const void*)(from.at[lane] + offset));
    }
    vtranspose(rows);
    return (vvec){rows[0], rows[1], rows[2]};
}

static inline void scatterVec(vvec a, Lanes to, size_t offset)
{
    vreal rows[LANES] = {a.x, a.y, a.z, a.z};
    vtranspose(rows);
    for (int lane = 0; lane < LANES; lane++) {
        vstoreThree((real*)(void*)(to.at[lane] + offset), rows[lane]);
    }
}

// Half a motion: a vector and a zero.
static inline void scatterHalf(vvec a, Lanes to, size_t offset)
{
    vreal rows[LANES] = {a.x, a.y, a.z, vset(0.0)};
    vtranspose(rows);
    for (int lane = 0; lane < LANES; lane++) {
        vstore((real*)(void*)(to.at[lane] + offset), rows[lane]);
    }
}

static inline vreal gatherReal(Lanes from, size_t offset)
{
    return vsetFour(
        *(const real*)(const void*)(from.at[0] + offset), *(const real*)(const void*)(from.at[1] + offset),
        *(const real*)(const void*)(from.at[2] + offset), *(const real*)(const void*)(from.at[3] + offset));
}

static inline vvec vaddScaled(vvec a, vreal s, vvec b)
{
    return vaddVec(a, vscaleVec(s, b));
}

// --- Matrices, by rows ---

typedef struct vmat {
    vvec rows[3];
} vmat;

static inline vmat gatherMat(Lanes from, size_t offset)
{
    vmat m;
    for (int row = 0; row < 3; row++) {
        m.rows[row] = gatherVec(from, offset + (size_t)row * sizeof(double[3]));
    }
    return m;
}

static inline void scatterMat(const vmat* m, Lanes to, size_t offset)
{
    for (int row = 0; row < 3; row++) {
        scatterVec(m->rows[row], to, offset + (size_t)row * sizeof(double[3]));
    }
}

static inline vvec vmulMat(const vmat* a, vvec v)
{
    return (vvec){vdotVec(a->rows[0], v), vdotVec(a->rows[1], v), vdotVec(a->rows[2], v)};
}

// A^T v
static inline vvec vmulTransposed(const vmat* a, vvec v)
{
    return vaddScaled(vaddScaled(vscaleVec(v.x, a->rows[0]), v.y, a->rows[1]), v.z, a->rows[2]);
}

// R B R^T of a symmetric B: a tensor's components after turning by R.
static inline vmat vturnTensor(const vmat* r, const vmat* b)
{
    vmat turned;
    vvec rb[3];
    for (int i = 0; i < 3; i++) {
        rb[i] = vmulTransposed(b, r->rows[i]);
    }
    const vreal xy = vdotVec(rb[0], r->rows[1]), xz = vdotVec(rb[0], r->rows[2]),
                yz = vdotVec(rb[1], r->rows[2]);
    turned.rows[0] = (vvec){vdotVec(rb[0], r->rows[0]), xy, xz};
    turned.rows[1] = (vvec){xy, vdotVec(rb[1], r->rows[1]), yz};
    turned.rows[2] = (vvec){xz, yz, vdotVec(rb[2], r->rows[2])};
    return turned;
}

// --- joint_drift.c ---

// Inertia and angular momenta at the begin.
void STAGE(pbdrStartLanes)(const LinkLanes* lanes);
// The links' ends after free motion, and the angular velocities that belong to their momenta.
void STAGE(pbdrDriftLanes)(const LinkLanes* lanes, double dt);
// The links' ends after a small step: linear in it.
void STAGE(pbdrShiftLanes)(const LinkLanes* lanes);

// --- joint_hinges.c ---

// pbdrPlaceLink of hinges. Returns the largest square of a gap or turn [m^2, rad^2].
double STAGE(pbdrPlaceHinges)(const LinkLanes* lanes, bool atEnd, bool angle);

#endif
