// Levers of the middle of a substep (docs/theory/xpbdr.md, Motion).
//
// A body that turns on its contacts takes their points along. Forces that act at the points of the substep's begin turn
// it with levers that are half a step old, and a point that is held where it was then is off by half a step's turn:
// errors of first order. Here forces act at the points of the middle, and what is held is the velocity of the point
// where it is at the end, as far as the turn without further forces knows it: both of second order.
#include "engine/xpbdr/prepare.h"

// Shorter levers are padding's [m].
#define NO_RADIUS (-1.0)

// What contact turns a body about: a point of the body, and a ball about it that does not turn.
void pbdrTurnLevers(const pbdrXpbdrWorld* world, const pbdrActivePatch* active, const pbdrTwist* velocity,
                    int state)
{
    const pbdrItems* items = &world->candidates.items;
    const pbdrPatch* patch = pbdrGetPatch(&world->candidates, active->patch);
    const pbdrBody* body = pbdrGetBody(world->scene, patch->bodyA);
    const double dt = world->scene->timeStep;
    const pbdrQuat half = pbdrQuatFromVector(pbdrScale(0.5 * dt, pbdrGetAngular(velocity)));
    const pbdrMat3 turn = pbdrMatFromQuat(half);
    const double *radii = pbdrGetColumn(items, ITEM_RADIUS), *weights = pbdrGetColumn(items, ITEM_WEIGHT),
                 *ahead = pbdrGetColumn(items, ITEM_AHEAD);
    double* g = pbdrGetColumn(items, ITEM_STATE + 4 * state);
    for (int item = patch->first; item < patch->first + patch->count; item++) {
        if (!(radii[item] > NO_RADIUS)) {
            continue;
        }
        const pbdrVec3 n = pbdrReadColumns(items, ITEM_NORMAL, item);
        const pbdrVec3 begin = pbdrMulMV(&body->frame, pbdrReadColumns(items, ITEM_REST, item));
        const pbdrVec3 middle = pbdrMulMV(&turn, begin), end = pbdrMulMV(&turn, middle);
        const pbdrVec3 lever = pbdrAddScaled(middle, -radii[item], n);
        // what the end's velocity has beyond the begin's
        const pbdrVec3 more = pbdrCross(pbdrGetAngular(velocity), pbdrSub(end, begin));
        const pbdrVec3 v = pbdrMoveLever(velocity, pbdrAddScaled(end, -radii[item], n));
        const double fall = pbdrDot(n, v), k = active->law.k * weights[item];
        const pbdrVec3 hold = pbdrReadColumns(items, ITEM_HOLD, item), slip = pbdrAddScaled(v, -fall, n);
        pbdrWriteColumns(items, ITEM_LEVER, item, lever);
        g[item] =
            ahead[item] + dt * pbdrDot(n, more) + fmin(0.0, pbdrDot(n, pbdrMoveLever(&active->lag, lever)));
        pbdrWriteColumns(items, ITEM_STATE + 4 * state + 1, item, pbdrAddScaled(hold, -k * dt, slip));
    }
}
