// Contacts give no energy (docs/theory/xpbdr.md, Many bodies).
#include "engine/xpbdr/sweep.h"

// A body's motion is changed by contacts, if by more than this share.
#define UNCHANGED 1.0e-9
// The share of an island's forces that may be taken back, the one by which forces may be off (PBDR_BAD_RESIDUAL).
#define MOST_SHARE PBDR_BAD_RESIDUAL

// 2 x the energy of a motion with another one, over 1/dt^2.
static double multiply(const pbdrMover* mover, const double* y, const double* z)
{
    const pbdrVec3 u = {y[0], y[1], y[2]}, w = {y[3], y[4], y[5]};
    const pbdrVec3 v = {z[0], z[1], z[2]}, x = {z[3], z[4], z[5]};
    return mover->mass * pbdrDot(u, v) + pbdrDot(w, pbdrMulMV(&mover->inertia, x));
}

// Whether no contact changes how a body moves: it flies, and loses nothing.
static bool fliesFreely(const pbdrMover* mover, const double* y)
{
    double off = 0.0, size = 0.0;
    for (int c = 0; c < 6; c++) {
        off = fmax(off, fabs(y[c] - mover->firstY.v[c]));
        size = fmax(size, fabs(mover->firstY.v[c]));
    }
    return off <= UNCHANGED * size;
}

double pbdrGetSweepGain(pbdrSweeps* sweeps)
{
    const pbdrSolve* solve = sweeps->solve;
    double gain = pbdrSumWork(sweeps);
    for (int k = 0; k < solve->moverCount; k++) {
        const double* y = sweeps->motions[k].v;
        if (!fliesFreely(&solve->movers[k], y)) {
            gain -= 0.5 * solve->perStep * multiply(&solve->movers[k], y, y);
        }
    }
    return gain;
}

static void scaleLane(pbdrLaneVec* vector, int lane, double factor)
{
    for (int c = 0; c < 3; c++) {
        vector->v[c][lane] *= factor;
    }
}

// With forces that are less by a share x the gain is less by a x - b x^2/2: a is the work of all forces, less what they do
// against the loads, and b the work of the motion p that they make along itself.
void pbdrTakeGainOut(pbdrSweeps* sweeps, double gain)
{
    const pbdrSolve* solve = sweeps->solve;
    double a = pbdrSumWork(sweeps), b = 0.0;
    for (int k = 0; k < solve->moverCount; k++) {
        const pbdrMover* mover = &solve->movers[k];
        double p[6];
        for (int c = 0; c < 6; c++) {
            p[c] = sweeps->motions[k].v[c] - mover->firstY.v[c];
        }
        a -= solve->perStep * multiply(mover, mover->firstY.v, p);
        b += solve->perStep * multiply(mover, p, p);
    }
    if (!(a > 0.0)) {
        return;
    }
    const double root = a * a - 2.0 * b * gain;
    const double share = fmin(root > 0.0 ? 2.0 * gain / (a + sqrt(root)) : a / b, MOST_SHARE),
                 left = 1.0 - share;
    for (int i = 0; i < sweeps->rowCount; i++) {
        for (int lane = 0; lane < PBDR_SWEEP_LANES; lane++) {
            sweeps->rows[i].force[lane] *= left;
            scaleLane(&sweeps->rows[i].friction, lane, left);
        }
    }
    for (int k = 0; k < sweeps->groupCount; k++) {
        for (int lane = 0; lane < PBDR_SWEEP_LANES; lane++) {
            scaleLane(&sweeps->groups[k].moment, lane, left);
        }
    }
    pbdrPushRows(sweeps);
}
