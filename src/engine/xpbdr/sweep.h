// Sweeps: Gauss-Seidel over a few contacts of each patch, with rigid contacts and forces as unknowns; what solves islands
// of many bodies. docs/theory/xpbdr.md, "Many bodies".
//
//   parts for threads (sweep_parts.c) --> which contacts (sweep_picks.c)
//     --> rows (sweep_rows.c), in groups of four patches that share no body (sweep_groups.c)
//     --> sweeps (sweep_run.c, sweep_kernel.c) --> exact solves of what they hold, stick or slide (subspace.c)
//     --> forces, motion (sweep_end.c)
//
// For a row with normal n, lever r from A's centre of mass (r + d from B's) and way w = dt v without forces:
//
//   y = y_free + dt^2 M^-1 sum J^T f,        f = F n + t
//   gap = ahead + n.J y,                     F >= 0, gap >= 0, F gap = 0
//   slip = (1 - n n^T) (w + J y),            |t| <= mu F, t against the slip where it is not zero
#ifndef PBDR_ENGINE_XPBDR_SWEEP_H
#define PBDR_ENGINE_XPBDR_SWEEP_H

#include "engine/xpbdr/kernels.h"
#include "engine/xpbdr/newton.h"

// Overlap that stays at most: taking it back would lift what lies on it, and give energy [m].
#define PBDR_SWEEP_SLACK 1.0e-4

// Patches of a group: one per lane of a vector.
#define PBDR_SWEEP_LANES 4

// A vector per lane, and a symmetric matrix: xx, yy, zz, xy, xz, yz.
typedef struct pbdrLaneVec {
    _Alignas(32) double v[3][PBDR_SWEEP_LANES];
} pbdrLaneVec;
typedef struct pbdrLaneTensor {
    _Alignas(32) double m[6][PBDR_SWEEP_LANES];
} pbdrLaneTensor;

// What a row does in an exact solve.
typedef enum pbdrRowState {
    pbdr_rowOpen = 0,
    pbdr_rowPresses = 1,
    pbdr_rowSticks = 2,
    pbdr_rowSlides = 4
} pbdrRowState;

// A contact of each patch of a group. A lane without one has perNormal = perSlip = 0. Columns are vectors.
typedef struct pbdrSweepRow {
    pbdrLaneVec n;                                               // towards A
    pbdrLaneVec lever;                                           // from A's centre of mass [m]
    double ahead[PBDR_SWEEP_LANES];                              // gap without forces [m]
    pbdrLaneVec way;                                             // dt v without forces [m]
    double perNormal[PBDR_SWEEP_LANES];                          // force over gap [N/m]
    double perSlip[PBDR_SWEEP_LANES];                            // force over slip [N/m]
    double give[PBDR_SWEEP_LANES], giveAcross[PBDR_SWEEP_LANES]; // one over them [m/N]
    double force[PBDR_SWEEP_LANES];                              // F [N]
    double bound[PBDR_SWEEP_LANES];                              // of friction in the last sweep or solve [N]
    pbdrLaneVec friction;                                        // t [N]
    int item[PBDR_SWEEP_LANES];                                  // -1: none
    unsigned char state[PBDR_SWEEP_LANES];                       // of pbdrRowState, in exact solves
} pbdrSweepRow;

// The forces of a row, to come back to.
typedef struct pbdrSweepForce {
    pbdrLaneVec friction;
    double force[PBDR_SWEEP_LANES];
} pbdrSweepForce;

// A row along a step of an exact solve: gap and slip are linear in the share of it (subspace_energy.c).
typedef struct pbdrSweepLine {
    double force, stiff, gap, gapStep; // [N, N/m, m, m]
    double bound, stiffAcross;         // [N, N/m]
    pbdrVec3 friction, slip, slipStep; // [N, m, m]
} pbdrSweepLine;

// Four patches of which no two share a body that moves, so that a vector may sweep them at once.
typedef struct pbdrSweepGroup {
    _Alignas(32) double mu[PBDR_SWEEP_LANES];
    double slack[PBDR_SWEEP_LANES];                          // overlap that stays [m]
    pbdrLaneVec between;                                     // d: A's centre of mass less B's [m]
    double massA[PBDR_SWEEP_LANES], massB[PBDR_SWEEP_LANES]; // dt^2/m
    pbdrLaneTensor spinA, spinB;                             // dt^2 I^-1
    // Rolling and spinning friction of a whole patch (rolling.h)
    double roll[PBDR_SWEEP_LANES], spin[PBDR_SWEEP_LANES];  // lengths [m]
    pbdrLaneVec axis;                                       // the normal that it turns about
    pbdrLaneVec turn;                                       // dt w without forces
    double perTurn[PBDR_SWEEP_LANES];                       // moment over turn [N m]
    pbdrLaneVec moment;                                     // on A [N m]
    int patch[PBDR_SWEEP_LANES];                            // active patch of the island; -1: none
    int moverA[PBDR_SWEEP_LANES], moverB[PBDR_SWEEP_LANES]; // the island's moverCount: does not move
    int firstRow, rowCount;
    int colour;   // groups of one colour share no body that moves
    double error; // how far its contacts were from their laws in its last sweep, at most [m]
    bool rolls;   // some lane has rolling or spinning friction
} pbdrSweepGroup;

// Which items of a patch become its rows, and the next patch of its colour.
#define PBDR_SWEEP_PICKS 12
typedef struct pbdrSweepPick {
    int items[PBDR_SWEEP_PICKS];
    int count, next;
} pbdrSweepPick;

// y of a mover, padded; one more at the end, for what does not move.
typedef struct pbdrSweepMotion {
    double v[8];
} pbdrSweepMotion;

// Parts of an island (sweep_parts.c). A small one is one part.
#define PBDR_SWEEP_SLABS 16
#define PBDR_SWEEP_PARTS (2 * PBDR_SWEEP_SLABS)
// Kinds of parts, in each of which a body has colours of its own: slabs, what joins them, every second one, and the rest.
#define PBDR_SWEEP_KINDS 4
// Stretches of a part's groups: the first ones, and those of contacts that sweeps drove in, round by round.
#define PBDR_SWEEP_LAYERS 9

typedef struct pbdrSweepPart {
    int firstPatch, patchCount; // in the order of the sweeps
    struct {
        int first, count;
    } layers[PBDR_SWEEP_LAYERS]; // groups
    // What was found of its rows
    double error; // how far a contact was from its law in the last sweep, at most [m]
    double work;  // of all rows' forces [J]
    double approach,
        pace;    // how far contacts would go in without forces, and the square of the longest way [m, m^2]
    double load; // largest force [N]
    double gap;  // that is left at the end [m]
} pbdrSweepPart;

// The rows of an island being swept; all but the solve is the worker's scratch.
typedef struct pbdrSweeps {
    pbdrSolve* solve;
    int slabCount, partCount, layerCount;
    pbdrSweepPart parts[PBDR_SWEEP_PARTS];
    int32_t* order; // active patches of the island, part by part
    // What parts are being swept, and how
    pbdrSweepKind kind;
    int times;      // one sweep after the other
    double skipped; // groups that were nearer to their laws than that are left out [m]
    pbdrSweepGroup* groups;
    int groupCount;
    pbdrSweepRow* rows;
    int rowCount;
    pbdrSweepMotion* motions;
    double rounding;  // a gap that means nothing [m]
    int count;        // sweeps so far
    double error;     // how far a contact was from its law in the last sweep, at most [m]
    double stiffness; // of rows over that of their bodies, in exact solves
    double deep;      // which contacts become rows, that are driven in as far [m]
    double aim;       // error that will do in exact solves [m]
    double left;      // by the last of their solves [m]
    pbdrSweepLine* lines;
    int lineCount;
    bool follows; // bounds of friction follow the normal forces in exact solves
    bool hard;    // exact solves may take many steps
    bool moves;   // bodies do, more than what is set down
    bool planned; // the island's system knows the patches that bear
    bool exact;   // contacts are near enough to their laws for mean velocities
} pbdrSweeps;

// One lane of them.
static inline pbdrVec3 pbdrReadLane(const pbdrLaneVec* a, int lane)
{
    return (pbdrVec3){a->v[0][lane], a->v[1][lane], a->v[2][lane]};
}

static inline void pbdrWriteLane(pbdrLaneVec* to, int lane, pbdrVec3 a)
{
    to->v[0][lane] = a.x;
    to->v[1][lane] = a.y;
    to->v[2][lane] = a.z;
}

// The motion of A less B at a row's point.
pbdrVec3 pbdrGetRowMove(const pbdrSweeps* sweeps, const pbdrSweepGroup* group, const pbdrSweepRow* row,
                        int lane);

// --- sweep_picks.c ---

// The items of a patch that become its rows: the nearest contact, the one farthest from it, the ones farthest to both
// sides of the line between them, and what bore load before. None if all are far away.
pbdrSweepPick pbdrPickRows(const pbdrItems* items, const pbdrActivePatch* active);
// ITEM_ROW of all live items of a part.
void pbdrMarkRows(const pbdrSweeps* sweeps, const pbdrSweepPart* part);
// The item of a patch that is not marked and that the sweeps drove in deepest, by more than `deep` [m]; -1: none.
int pbdrFindDeepest(const pbdrSweeps* sweeps, const pbdrActivePatch* active, double deep);

// --- sweep_parts.c ---

// Divides the island. False without memory.
bool pbdrDivideIsland(pbdrSweeps* sweeps);
typedef void pbdrPartTask(pbdrSweeps* sweeps, pbdrSweepPart* part);
// For all parts, by all threads where the island is wide: in any order; or so that no two that run at the same time share a
// body that moves, in one order or the other.
void pbdrRunParts(pbdrSweeps* sweeps, pbdrPartTask* task);
void pbdrRunPhases(pbdrSweeps* sweeps, pbdrPartTask* task, bool backwards);

// --- sweep_rows.c ---

// A lane of a group for an active patch, and a row in it.
void pbdrSetLane(const pbdrSweeps* sweeps, pbdrSweepGroup* group, int lane, int patch);
void pbdrMakeRow(const pbdrSweeps* sweeps, const pbdrSweepGroup* group, int lane, int item,
                 const pbdrTwist* velocity, pbdrSweepRow* row);
// A group's rows without contacts.
void pbdrClearRows(const pbdrSweeps* sweeps, const pbdrSweepGroup* group);
// The rows that its patches have picked, with what they bore.
void pbdrFillGroup(const pbdrSweeps* sweeps, pbdrSweepGroup* group);

// --- sweep_groups.c ---

// Prepares an island's items; its rows and groups, with the forces of the last substep. False without memory.
bool pbdrMakeSweeps(pbdrSolve* solve, pbdrSweeps* sweeps);
// Contacts that are not rows and that the sweeps drove in by `deep` [m] become rows. -1 without memory; else how many.
int pbdrAddDeepRows(pbdrSweeps* sweeps, double deep);

// --- subspace.c ---

// How much an exact solve may take.
typedef enum pbdrSolveEffort {
    pbdr_solveEasy,     // no search along steps
    pbdr_solveHard,     // many steps
    pbdr_solveStubborn, // whatever it takes, in small islands
} pbdrSolveEffort;

// Solves exactly for the forces of rows, from what they bear. near: those as near as that stick at first, whatever they
// bear [m]. False if nothing came of it, and nothing changed.
bool pbdrSolveSubspace(pbdrSweeps* sweeps, double near, pbdrSolveEffort effort);
// Solutions of linear systems that it takes at least.
#define PBDR_SUBSPACE_STEPS 6

// --- sweep_run.c ---

// Some sweeps of a kind over the groups that were not as near to their laws as `skipped` [m], several of a part before the
// next, then one over all; each in the other direction than the last.
void pbdrSweep(pbdrSweeps* sweeps, int some, pbdrSweepKind kind, double skipped);
// How far contacts are from their laws, by a sweep over all groups that does not count.
void pbdrCheckSweeps(pbdrSweeps* sweeps);
// y of all movers from the rows' forces.
void pbdrPushRows(pbdrSweeps* sweeps);
// The work of all rows' forces along the ways that the motions make [J].
double pbdrSumWork(pbdrSweeps* sweeps);

// --- sweep_energy.c ---

// What contacts add to the energy of bodies that move with their end velocities: sum f.(dt J V+) - |V+ - V|^2_M/2. Where
// every contact keeps its law this is not above zero (docs/theory/xpbdr.md) [J].
double pbdrGetSweepGain(pbdrSweeps* sweeps);
// Makes all forces less by the share, at most a thousandth, that takes such a gain out.
void pbdrTakeGainOut(pbdrSweeps* sweeps, double gain);

// --- sweep.c ---

// Substeps in a row in which exact solves failed, at most: twice to the power of that pass before the next.
#define PBDR_MOST_FAILURES 5
// The same while the island stands still without a solution.
#define PBDR_MOST_STANDS 8
// Instead of them, where they succeeded.
#define PBDR_SOLVED (-1)

// Solves the island and leaves its motion in the movers, its forces in the items.
void pbdrSweepIsland(pbdrSolve* solve);

// --- sweep_end.c ---

// Writes the items' forces and what movers need to know of them; exact: the island may move with mean velocities.
void pbdrFinishSweeps(pbdrSweeps* sweeps, bool exact);

#endif
