// Exact solves: what subspace.c and subspace_energy.c share.
//
// The forces f0 that rows bear are multipliers of stiff springs. For a displacement d of the bodies from where f0 leaves
// them, with gaps g and slips s there, a row bears
//
//   F = max(0, F0 - k g),    t = t0 - k_t s, cut to |t| <= b,    b = mu F0
//
// The forces of d = 0 balance, so M/dt^2 d = sum J^T (f(d) - f0): the minimum of a convex energy of d, since the bounds b
// of friction do not follow d. Newton's method finds it, with steps to the minimum along them where they would go too
// far: which rows hold, stick and slide comes out, in whatever order they change. Then f(d) are the multipliers, mu F the
// bounds, and so on: each time all but 1/(1 + k dt^2/m) of a gap goes, and redundant rows need no care.
#ifndef PBDR_ENGINE_XPBDR_SUBSPACE_H
#define PBDR_ENGINE_XPBDR_SUBSPACE_H

#include "engine/xpbdr/sweep.h"

// What a row bears.
typedef struct pbdrBearing {
    double force;
    pbdrVec3 friction;
    double gap;
    pbdrVec3 slip;
    int state;      // pbdrRowState
    double share;   // of the stiffness against slips aside that is left where it slides
    pbdrVec3 along; // where friction points there
} pbdrBearing;

// After the displacement so far.
pbdrBearing pbdrBearRow(const pbdrSweeps* sweeps, const pbdrSweepGroup* group, const pbdrSweepRow* row,
                        int lane);

// Calls visit for every row, with a number; returns the sum.
typedef double (*pbdrRowVisit)(pbdrSweeps* sweeps, pbdrSweepGroup* group, pbdrSweepRow* row, int lane,
                               double value);
double pbdrVisitRows(pbdrSweeps* sweeps, pbdrRowVisit visit, double value);

// The displacement with the least energy, into the movers' y: in how many steps; -1 without factors; `most` if it was not
// found.
int pbdrMinimise(pbdrSweeps* sweeps, double stiffness, int most);

#endif
