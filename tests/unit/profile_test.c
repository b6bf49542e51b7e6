// Profiling: changes no bit, counts what happened, and is nothing while it is off.
#include "scenes.h"

#include <time.h>

// Every solver and engine.
typedef struct Kind {
    pbdrSolver solver;
    pbdrEngine engine;
    pbdrPrecision precision;
} Kind;

static const Kind kinds[] = {
    {pbdr_solverPbd, pbdr_engineParticle, pbdr_precisionF32},
    {pbdr_solverPbdR, pbdr_engineParticle, pbdr_precisionF64},
    {pbdr_solverPbd, pbdr_engineReduced, pbdr_precisionF64},
    {pbdr_solverPbdR, pbdr_engineReduced, pbdr_precisionF64},
    {pbdr_solverXpbdR, pbdr_engineReduced, pbdr_precisionF64},
};
enum { KIND_COUNT = sizeof kinds / sizeof kinds[0] };

// A pushed cube of 4 x 4 x 4 spheres, 16 of them on the ground; busy: a second body on it, and a pusher.
static pbdrWorld* makeKind(const Kind* kind, bool busy)
{
    pbdrWorldDef def = pbdrDefaultWorldDef();
    def.solver = kind->solver;
    def.engine = kind->engine;
    def.precision = kind->precision;
    def.iterations = 7;
    pbdrWorld* world = makeWorld(def);
    addGround(world, 0.4);
    pbdrBodyId cube = addCube(world, 4, 0.0, 0.0, 0.4);
    pbdrBody_SetForce(world, cube, (pbdrVec3){17.0, 0.0, 0.0});
    if (busy) {
        pbdrBodyDef above = pbdrDefaultBodyDef();
        above.position = (pbdrVec3){0.02, 0.01, 0.26};
        addBlock(world, 3, 2, 2, 0.03, 1.0, above);
        pbdrBodyDef pusher = pbdrDefaultBodyDef();
        pusher.kind = pbdr_bodyKinematic;
        pusher.position = (pbdrVec3){-0.2005, 0.03, 0.05};
        pbdrBodyId rod = addBlock(world, 10, 1, 1, 0.01, 2.0, pusher);
        pbdrBody_SetForce(world, rod, (pbdrVec3){0.1, 0.0, 0.0});
    }
    return world;
}

static const pbdrProfileStage* findStage(const pbdrProfile* profile, const char* name)
{
    for (int k = 0; k < profile->stageCount; k++) {
        if (strcmp(profile->stages[k].name, name) == 0) {
            return &profile->stages[k];
        }
    }
    return NULL;
}

static void profiling__changes_no_bit(void)
{
    for (int k = 0; k < KIND_COUNT; k++) {
        pbdrWorld *plain = makeKind(&kinds[k], true), *profiled = makeKind(&kinds[k], true);
        pbdrWorld_SetProfiling(profiled, true);
        for (int part = 0; part < 3; part++) {
            CHECK(pbdrWorld_Step(plain, 100) == pbdrWorld_Step(profiled, 100));
            CHECK(haveSameState(plain, profiled));
            CHECK(pbdrWorld_GetByteCount(plain) == pbdrWorld_GetByteCount(profiled));
            pbdrWorld_SetProfiling(profiled, part == 0); // off for the last part
        }
        pbdrDestroyWorld(plain), pbdrDestroyWorld(profiled);
    }
}

static void counts__are_those_of_the_run(void)
{
    for (int k = 0; k < KIND_COUNT; k++) {
        pbdrWorld* world = makeKind(&kinds[k], false);
        pbdrWorld_Step(world, 30); // not to be counted
        pbdrWorld_SetProfiling(world, true);
        CHECK(pbdrWorld_IsProfiling(world));
        uint64_t contacts = 0, most = 0;
        for (int i = 0; i < 50; i++) {
            pbdrWorld_Step(world, 1);
            uint64_t now = (uint64_t)pbdrWorld_GetContacts(world, NULL, 0);
            contacts += now;
            most = now > most ? now : most;
        }
        pbdrProfile p;
        pbdrWorld_GetProfile(world, &p);
        CHECK_EQ(p.substepCount, 50);
        CHECK_EQ(p.contacts.sum, contacts);
        CHECK_EQ(p.contacts.most, most);
        CHECK_EQ(p.contacts.most, 16);
        CHECK_EQ(findStage(&p, "close")->calls, 50);
        if (kinds[k].solver == pbdr_solverXpbdR) {
            CHECK_EQ(p.stageCount, 5);
            CHECK_EQ(findStage(&p, "solve")->calls, 50);
            CHECK_EQ(p.islands.sum, 50);
            CHECK_EQ(p.islands.most, 1);
            CHECK_EQ(p.iterationCount, 0);
            CHECK(p.newtonSteps.most <= p.newtonSteps.sum && p.newtonSteps.sum <= 50 * p.newtonSteps.most);
            CHECK_EQ(p.unconvergedCount, 0);
        } else {
            bool constrained = kinds[k].solver == pbdr_solverPbdR;
            // reduced: contacts are in the sums already, there is nothing to apply
            bool particles = kinds[k].engine == pbdr_engineParticle;
            CHECK_EQ(p.stageCount, (constrained ? 8 : 6) + particles);
            CHECK_EQ(p.iterationCount, 50 * 7);
            CHECK_EQ(findStage(&p, "integrate")->calls, 50);
            CHECK_EQ(findStage(&p, "matchShapes")->calls, 50 * 7);
            CHECK((findStage(&p, "restoreMomentum") != NULL) == constrained);
            CHECK_EQ(p.islands.sum + p.newtonSteps.sum + p.sweepCount, 0);
        }
        pbdrDestroyWorld(world);
    }
}

static void searches__are_counted(void)
{
    for (int k = 0; k < KIND_COUNT; k++) {
        // one body: the particle engine has no pairs to search, the others keep a sliding body's candidates
        pbdrWorld* world = makeKind(&kinds[k], false);
        pbdrWorld_SetProfiling(world, true);
        pbdrWorld_Step(world, 50);
        pbdrProfile p;
        pbdrWorld_GetProfile(world, &p);
        bool particles = kinds[k].engine == pbdr_engineParticle;
        CHECK_EQ(p.searchCount, particles ? 0 : 1);
        CHECK_EQ(p.candidates.most, particles ? 0 : 16);
        pbdrDestroyWorld(world);
        world = makeKind(&kinds[k], true);
        pbdrWorld_SetProfiling(world, true);
        pbdrWorld_Step(world, 50);
        pbdrWorld_GetProfile(world, &p);
        CHECK_GE(p.searchCount, particles ? 50 : 1);
        CHECK_GE(p.candidates.most, 1);
        pbdrDestroyWorld(world);
    }
}

// A landing takes Newton steps; each substep's count is what the flag of the substep says.
static void newton__is_counted(void)
{
    pbdrWorld* world = makeKind(&kinds[KIND_COUNT - 1], true);
    pbdrWorld_SetProfiling(world, true);
    uint64_t unconverged = 0, sum = 0, most = 0;
    for (int i = 0; i < 200; i++) {
        unconverged += (pbdrWorld_Step(world, 1) & pbdr_stepNotConverged) != 0;
        pbdrProfile p;
        pbdrWorld_GetProfile(world, &p);
        most = p.newtonSteps.sum - sum > most ? p.newtonSteps.sum - sum : most;
        sum = p.newtonSteps.sum;
        CHECK_EQ(p.newtonSteps.most, most);
        CHECK_EQ(p.unconvergedCount, unconverged);
    }
    CHECK_GE(sum, 1);
    pbdrDestroyWorld(world);
}

// Stages follow each other without a gap: their sum is the time of the steps, as far as an outer clock can
// tell (it cannot be less), and none is negative.
static double getSeconds(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// The stages' times add up to what the steps took: stages follow each other, and the clock is read at their
// ends. Other programs may take the processor away between two readings; the best of twenty tries counts.
static void time__is_shared_out(void)
{
    pbdrWorld* world = makeKind(&kinds[KIND_COUNT - 1], false);
    double best = 0.0;
    for (int try = 0; try < 20; try++) {
        pbdrWorld_SetProfiling(world, true);
        double start = getSeconds();
        pbdrWorld_Step(world, 100);
        double elapsed = getSeconds() - start, sum = 0.0;
        pbdrProfile p;
        pbdrWorld_GetProfile(world, &p);
        for (int k = 0; k < p.stageCount; k++) {
            CHECK_GE(p.stages[k].seconds, 0.0);
            sum += p.stages[k].seconds;
        }
        CHECK_LE(sum, elapsed + 1.0e-5);
        CHECK_GE(p.clockSeconds, 0.0);
        CHECK_LE(p.clockSeconds, 1.0e-3);
        best = fmax(best, sum / elapsed);
    }
    CHECK_GE(best, 0.8);
    pbdrDestroyWorld(world);
}

static void profiling__off_measures_nothing(void)
{
    pbdrWorld* world = makeKind(&kinds[KIND_COUNT - 1], false);
    CHECK(!pbdrWorld_IsProfiling(world));
    pbdrWorld_Step(world, 10);
    pbdrProfile p, none = {0};
    pbdrWorld_GetProfile(world, &p);
    CHECK(memcmp(&p, &none, sizeof p) == 0);
    pbdrWorld_SetProfiling(world, true);
    pbdrWorld_Step(world, 10);
    pbdrWorld_SetProfiling(world, false);
    pbdrWorld_Step(world, 10);
    pbdrWorld_GetProfile(world, &p);
    CHECK_EQ(p.substepCount, 10); // kept
    CHECK_EQ(findStage(&p, "solve")->calls, 10);
    pbdrWorld_SetProfiling(world, true);
    pbdrWorld_GetProfile(world, &p);
    CHECK_EQ(p.substepCount + (uint64_t)p.stageCount, 0); // from zero
    pbdrDestroyWorld(world);
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"profiling__changes_no_bit", profiling__changes_no_bit},
          {"counts__are_those_of_the_run", counts__are_those_of_the_run},
          {"searches__are_counted", searches__are_counted}, {"newton__is_counted", newton__is_counted},
          {"time__is_shared_out", time__is_shared_out},
          {"profiling__off_measures_nothing", profiling__off_measures_nothing});
}
