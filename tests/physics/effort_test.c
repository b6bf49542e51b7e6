// How hard XPBD-R tries: effort and tolerance. Boxes that fall into a corner clatter, which sweeps solve as far as they are
// asked to.
#include "xpbdr_scenes.h"

#define BOXES 36
#define STEPS 400

// What a fall took, and what it was left with.
typedef struct Fall {
    double residual;       // largest that an island was left with
    double over;           // substeps with one over the tolerance, or over 1e-5 where there is none
    double rise;           // of energy in a substep, the largest [J]
    double sweeps, newton; // in a substep
    double unconverged;    // substeps
} Fall;

static Fall drop(pbdrEffort effort, double tolerance)
{
    uint64_t seed = 7;
    pbdrWorld* world = makeConvergedOnGround(0.5);
    addPlane(world, pbdrVec(1.0, 0.0, 0.0), 0.0, 0.5);
    addPlane(world, pbdrVec(0.0, 1.0, 0.0), 0.0, 0.5);
    CHECK_EQ(pbdrWorld_SetEffort(world, effort), pbdr_statusOk);
    CHECK_EQ(pbdrWorld_SetTolerance(world, tolerance), pbdr_statusOk);
    pbdrBodyId boxes[BOXES];
    for (int k = 0; k < BOXES; k++) {
        pbdrBodyDef def = pbdrDefaultBodyDef();
        def.position = pbdrVec(0.15 + 0.27 * (k % 2), 0.15 + 0.27 * (k / 2 % 2), 0.15 + 0.27 * (k / 4));
        def.rotation = drawRotation(&seed);
        def.friction = 0.5;
        boxes[k] = addBlock(world, 3, 3, 3, 0.025, 1.0, def);
    }
    Fall fall = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    double energy = HUGE_VAL;
    for (int step = 0; step < STEPS; step++) {
        pbdrWorld_SetProfiling(world, true); // from zero
        fall.unconverged += stepCounting(world, 1);
        pbdrProfile profile;
        pbdrWorld_GetProfile(world, &profile);
        fall.residual = fmax(fall.residual, profile.residual);
        fall.over += profile.residual > (tolerance > 0.0 ? tolerance : 1e-5);
        fall.sweeps += (double)profile.sweepCount / STEPS;
        fall.newton += (double)profile.newtonSteps.sum / STEPS;
        double now = 0.0;
        for (int k = 0; k < BOXES; k++) {
            now += getEnergy(world, boxes[k]);
        }
        fall.rise = fmax(fall.rise, now - energy);
        energy = now;
    }
    printf("    effort %d, tolerance %g: residual %.2g, over the tolerance in %g substeps, energy rises by "
           "%.2g J, %.3g sweeps "
           "and %.3g Newton steps a substep, %g not converged\n",
           (int)effort, tolerance, fall.residual, fall.over, fall.rise, fall.sweeps, fall.newton,
           fall.unconverged);
    pbdrDestroyWorld(world);
    return fall;
}

// A tolerance is met in the middle of a clatter, too: by all but a few substeps in which friction and normal forces chase
// each other. Without one, sweeps end where they will do, at under a thousandth.
static void tolerance__is_met_by_what_clatters(void)
{
    const Fall none = drop(pbdr_effortBalanced, 0.0);
    const Fall loose = drop(pbdr_effortBalanced, 1e-4), tight = drop(pbdr_effortBalanced, 1e-5);
    CHECK_LE(none.residual, 1e-3);
    CHECK_GE(none.over, 0.3 * STEPS);
    CHECK_LE(loose.over, 0.02 * STEPS);
    CHECK_LE(tight.over, 0.04 * STEPS);
    CHECK_EQ(none.unconverged + loose.unconverged + tight.unconverged, 0);
    CHECK_LE(fmax(none.rise, fmax(loose.rise, tight.rise)), 1e-12);
}

// Fast ends its sweeps as soon as nothing is left that must not stay, ten at most, and solves nothing exactly; exact goes on
// until all is solved as far as it can be.
static void effort__is_what_it_says(void)
{
    const Fall fast = drop(pbdr_effortFast, 0.0), balanced = drop(pbdr_effortBalanced, 0.0);
    const Fall exact = drop(pbdr_effortExact, 0.0);
    CHECK_LE(fast.sweeps, 0.9 * balanced.sweeps);
    CHECK_LE(fast.residual, 1e-3);
    CHECK_LE(fast.rise, 1e-4);
    CHECK_LE(exact.residual, 0.1 * balanced.residual);
    CHECK_LE(exact.rise, 1e-12);
    CHECK_EQ(fast.unconverged + exact.unconverged, 0);
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"tolerance__is_met_by_what_clatters", tolerance__is_met_by_what_clatters},
          {"effort__is_what_it_says", effort__is_what_it_says});
}
