// The end of sweeps (sweep.h): forces to the items, and what movers need to know.
#include "engine/xpbdr/sweep.h"

static void noteRows(const pbdrSweeps* sweeps, pbdrSweepPart* part, const pbdrSweepGroup* group, int lane)
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
        part->gap = fmax(part->gap, -gap);
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
    if (!sweeps->exact) {
        end.old = end.loaded ? -1.0 : end.old;
    }
    pbdrActivePatch* active = &solve->activePatches[group->patch[lane]];
    pbdrNoteEnd(solve, active, &end, end.loaded);
    pbdrPatch* patch = pbdrGetPatch(&solve->world->candidates, active->patch);
    if (group->rolls && active->rolling.active) {
        patch->rolling = pbdrReadLane(&group->moment, lane);
    }
}

static void finishPart(pbdrSweeps* sweeps, pbdrSweepPart* part)
{
    pbdrSolve* solve = sweeps->solve;
    const pbdrItems* items = pbdrGetItems(solve);
    double* touched = pbdrGetColumn(items, ITEM_TOUCHED);
    part->gap = 0.0;
    for (int k = part->firstPatch; k < part->firstPatch + part->patchCount; k++) {
        const pbdrActivePatch* active = &solve->activePatches[sweeps->order[k]];
        for (int i = active->law.first; i < active->law.first + active->padded; i++) {
            if (touched[i] > 0.0) {
                pbdrWriteColumns(items, ITEM_FORCE, i, (pbdrVec3){0.0, 0.0, 0.0});
                pbdrWriteColumns(items, ITEM_FRICTION, i, (pbdrVec3){0.0, 0.0, 0.0});
                touched[i] = 0.0;
            }
        }
        pbdrGetPatch(&solve->world->candidates, active->patch)->rolling = (pbdrVec3){0.0, 0.0, 0.0};
    }
    for (int layer = 0; layer < sweeps->layerCount; layer++) {
        for (int k = 0; k < part->layers[layer].count; k++) {
            const pbdrSweepGroup* group = &sweeps->groups[part->layers[layer].first + k];
            for (int lane = 0; lane < PBDR_SWEEP_LANES; lane++) {
                if (group->patch[lane] >= 0) {
                    noteRows(sweeps, part, group, lane);
                }
            }
        }
    }
}

void pbdrFinishSweeps(pbdrSweeps* sweeps, bool exact)
{
    pbdrForgetEnds(sweeps->solve);
    sweeps->exact = exact;
    pbdrRunPhases(sweeps, finishPart, false);
    for (int k = 0; k < sweeps->partCount; k++) {
        sweeps->solve->gap = fmax(sweeps->solve->gap, sweeps->parts[k].gap);
    }
}
