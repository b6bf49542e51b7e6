// The end of sweeps (sweep.h): forces to the items, and what movers need to know.
#include "engine/xpbdr/sweep.h"

static void noteRows(const pbdrSweeps* sweeps, const pbdrSweepGroup* group, int lane, bool exact)
{
    pbdrSolve* solve = sweeps->solve;
    const pbdrItems* items = pbdrGetItems(solve);
    const double *ahead = pbdrGetColumn(items, ITEM_AHEAD), *before = pbdrGetColumn(items, ITEM_BEFORE);
    pbdrPatchEnd end = {.fresh = 0.0};
    for (int i = group->firstRow; i < group->firstRow + group->rowCount; i++) {
        const pbdrSweepRow* row = &sweeps->rows[i];
        const int item = row->item[lane];
        if (item < 0) {
            continue;
        }
        const pbdrVec3 n = pbdrReadLane(&row->n, lane), t = pbdrReadLane(&row->friction, lane);
        const double gap = row->ahead[lane] + pbdrDot(n, pbdrGetRowMove(sweeps, group, row, lane));
        solve->gap = fmax(solve->gap, -gap);
        if (!(row->force[lane] > 0.0)) {
            continue;
        }
        pbdrWriteColumns(items, ITEM_FORCE, item, pbdrAddScaled(t, row->force[lane], n));
        pbdrWriteColumns(items, ITEM_FRICTION, item, t);
        pbdrGetColumn(items, ITEM_TOUCHED)[item] = 1.0;
        const double mean = 0.5 * (ahead[item] + gap);
        if (before[item] > 0.0) {
            end.old = fmin(end.old, mean);
            end.opened = fmax(end.opened, mean);
        } else {
            end.fresh = fmin(end.fresh, mean);
        }
        end.loaded = true;
    }
    if (!exact) {
        end.old = end.loaded ? -1.0 : end.old;
    }
    pbdrActivePatch* active = &solve->activePatches[group->patch[lane]];
    pbdrNoteEnd(solve, active, &end, end.loaded);
    pbdrPatch* patch = pbdrGetPatch(&solve->world->candidates, active->patch);
    if (group->rolls && active->rolling.active) {
        patch->rolling = pbdrReadLane(&group->moment, lane);
    }
}

void pbdrFinishSweeps(pbdrSweeps* sweeps, bool exact)
{
    pbdrSolve* solve = sweeps->solve;
    const pbdrItems* items = pbdrGetItems(solve);
    double* touched = pbdrGetColumn(items, ITEM_TOUCHED);
    pbdrForgetEnds(solve);
    for (int k = 0; k < solve->activePatchCount; k++) {
        const pbdrActivePatch* active = &solve->activePatches[k];
        for (int i = active->law.first; i < active->law.first + active->padded; i++) {
            if (touched[i] > 0.0) {
                pbdrWriteColumns(items, ITEM_FORCE, i, (pbdrVec3){0.0, 0.0, 0.0});
                pbdrWriteColumns(items, ITEM_FRICTION, i, (pbdrVec3){0.0, 0.0, 0.0});
                touched[i] = 0.0;
            }
        }
        pbdrGetPatch(&solve->world->candidates, active->patch)->rolling = (pbdrVec3){0.0, 0.0, 0.0};
    }
    for (int k = 0; k < sweeps->groupCount; k++) {
        for (int lane = 0; lane < PBDR_SWEEP_LANES; lane++) {
            if (sweeps->groups[k].patch[lane] >= 0) {
                noteRows(sweeps, &sweeps->groups[k], lane, exact);
            }
        }
    }
}
