// The studies' job lists.
#include "studies/study.h"

#include "fail.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))
#define QUICK_DURATION 0.2 // [s]

static const StudyKind kinds[] = {
    {"tests", "all tests x all solvers and presets (Fig. all_exp)", false, studyNoSeries, 3, "all", false},
    {"raw", "tests 4 to 6 on the mesh whose base is not flat, for all that touch by a surface", false,
     studyNoSeries, 3, "all", false},
    {"budget", "all tests, each error split into its causes", false, studyNoSeries, 3, "all", false},
    // without MuJoCo's tuned preset, whose sweep is not on record
    {"sweep", "Test 1 over friction and force (Fig. sweep_mu_F)", false, studyNoSeries, 3,
     "plain,ode:tuned,bullet:tuned", false},
    {"time", "Test 1 over the sphere count; one job at a time (Fig. computation_times)", true, studyNoSeries,
     3, "plain", false},
    {"resolution-contact", "Test 7 over sphere count, friction, offset (Fig. rod_push_err)", false,
     studyNoSeries, 3, "all", false},
    {"resolution-inertia", "Tests 2 and 5 over the sphere count (Fig. rot_vs_spheres)", false, studyErrors, 3,
     "pbd-r,xpbdr", false},
    {"trajectory", "Test 7, the box's path at n = 3 and 10 (Fig. box_traj)", false, studyErrors, 1, "all",
     false},
    {"stills", "Test 4, poses of the bunny over time (Fig. bunny_tumbling)", false, studyPoses, 1,
     "mujoco,pbd-r,xpbdr", false},
    {"ablation", "Test 1, parts of PBD-R switched off (Table ablation)", false, studyNoSeries, 5, "pbd-r",
     false},
    {"extended", "tests 8 and up x all solvers and presets; not in the paper", false, studyNoSeries, 3, "all",
     false},
    {"uncertainty", "Test 7 over friction, the rod's, offset and height (Sobol's points); not part of all",
     false, studyNoSeries, 1, "pbd-r,xpbdr", true},
};

const StudyKind* studyGetKind(int index)
{
    return index >= 0 && index < COUNT(kinds) ? &kinds[index] : NULL;
}

// --- Solvers ---

static void addSolver(StudyPlan* plan, const char* text)
{
    pbdrError ignored; // a name that this build does not have leaves the list as it is
    if (plan->solverCount < STUDY_MAX_SOLVERS &&
        benchChooseSolver(text, &plan->solvers[plan->solverCount], &ignored) == pbdr_statusOk) {
        plan->solverCount++;
    }
}

// Adds each of a comma-separated list, with the prefix before its name.
static void addList(StudyPlan* plan, const char* prefix, const char* between, const char* list)
{
    while (*list != 0) {
        char text[160];
        size_t length = strcspn(list, ",");
        snprintf(text, sizeof text, "%s%s%.*s", prefix, between, (int)length, list);
        addSolver(plan, text);
        list += length + (list[length] == ',');
    }
}

static void addPresets(StudyPlan* plan, const pbdrBenchSolver* table)
{
    addList(plan, table->name, ":", table->presets != NULL ? table->presets : "");
}

static void addBuiltIns(StudyPlan* plan, bool presets)
{
    for (int k = 0; benchGetBuiltIn(k) != NULL; k++) {
        addSolver(plan, benchGetBuiltIn(k)->name);
        if (presets) {
            addPresets(plan, benchGetBuiltIn(k));
        }
    }
}

static void chooseSolvers(StudyPlan* plan, const char* which)
{
    if (plan->settings->solverCount > 0) {
        plan->solverCount = plan->settings->solverCount;
        memcpy(plan->solvers, plan->settings->solvers, (size_t)plan->solverCount * sizeof plan->solvers[0]);
        return;
    }
    while (*which != 0) {
        char name[160];
        size_t length = strcspn(which, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, which);
        bool all = strcmp(name, "all") == 0;
        if (all || strcmp(name, "plain") == 0) {
            addBuiltIns(plan, all);
        } else {
            addSolver(plan, name);
        }
        which += length + (which[length] == ',');
    }
}

static bool usesSpheres(const BenchSolver* solver)
{
    return (solver->capabilities & pbdr_benchUsesSpheres) != 0;
}

// Engine and precision can be chosen.
static bool usesSettings(const BenchSolver* solver)
{
    return (solver->capabilities & pbdr_benchUsesSettings) != 0;
}

static bool isNamed(const BenchSolver* solver, const char* name)
{
    return solver->table != NULL && strcmp(solver->table->name, name) == 0;
}

// --- Jobs ---

static BenchOptions getOptions(const StudyPlan* plan)
{
    BenchOptions options = benchDefaultOptions();
    options.precision = benchF32; // as the paper, where a study does not say
    options.meshPath = plan->settings->meshPath;
    if (plan->quick) {
        options.duration = QUICK_DURATION;
    }
    return options;
}

static StudyJob* getNextJob(StudyPlan* plan)
{
    if (plan->jobCount == plan->jobCapacity) {
        int capacity = plan->jobCapacity > 0 ? 2 * plan->jobCapacity : 64;
        StudyJob* jobs = realloc(plan->jobs, (size_t)capacity * sizeof *jobs);
        if (jobs == NULL) {
            plan->status = pbdr_statusNoMemory;
            return NULL;
        }
        plan->jobs = jobs;
        plan->jobCapacity = capacity;
    }
    return &plan->jobs[plan->jobCount++];
}

// A job per seed.
static void addJobs(StudyPlan* plan, int number, const BenchSolver* solver, const BenchOptions* options)
{
    const BenchTest* test = benchFindTest(number);
    if (test == NULL) {
        plan->missingTest = number;
        return;
    }
    if (benchUsesMesh(test) && !plan->settings->meshUsable) {
        plan->missingMesh = true;
        return;
    }
    for (int seed = 1; seed <= plan->seeds && plan->status == pbdr_statusOk; seed++) {
        StudyJob* job = getNextJob(plan);
        if (job != NULL) {
            *job = (StudyJob){.test = test,
                              .solver = solver,
                              .options = benchResolveOptions(solver, options),
                              .seed = seed,
                              .series = plan->kind->series};
            studySealJob(job, plan->settings->meshHash);
        }
    }
}

static void planTests(StudyPlan* plan)
{
    for (int number = BENCH_FIRST_TEST; number <= BENCH_LAST_TEST; number++) {
        for (int s = 0; s < plan->solverCount; s++) {
            BenchOptions options = getOptions(plan);
            addJobs(plan, number, &plan->solvers[s], &options);
        }
    }
}

// Who touches by a mesh, on the mesh as it is.
static void planRaw(StudyPlan* plan)
{
    for (int number = BENCH_FIRST_TEST; number <= BENCH_LAST_TEST; number++) {
        for (int s = 0; s < plan->solverCount; s++) {
            BenchOptions options = getOptions(plan);
            options.base = benchBaseRaw;
            const BenchOptions resolved = benchResolveOptions(&plan->solvers[s], &options);
            if (benchGetBaseName(benchFindTest(number), plan->solvers[s].capabilities, &resolved) != NULL) {
                addJobs(plan, number, &plan->solvers[s], &options);
            }
        }
    }
}

// As the tests, and in double too where a solver knows both precisions: the same engine, so that precision is
// all that differs.
static void planBudget(StudyPlan* plan)
{
    static const BenchPrecision precisions[] = {benchF32, benchF64};
    for (int number = BENCH_FIRST_TEST; number <= BENCH_LAST_TEST; number++) {
        for (int s = 0; s < plan->solverCount; s++) {
            bool both = usesSettings(&plan->solvers[s]);
            for (int k = 0; k < (both ? COUNT(precisions) : 1); k++) {
                BenchOptions options = getOptions(plan);
                options.engine = pbdr_engineParticle;
                options.precision = precisions[k];
                addJobs(plan, number, &plan->solvers[s], &options);
            }
        }
    }
}

static void planSweep(StudyPlan* plan)
{
    static const double mus[] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8};
    static const double forces[] = {5.0, 10.0, 17.0, 25.0, 40.0, 60.0, 80.0, 100.0};
    int stride = plan->quick ? 3 : 1;
    for (int s = 0; s < plan->solverCount; s++) {
        for (int m = 0; m < COUNT(mus); m += stride) {
            for (int f = 0; f < COUNT(forces); f += stride) {
                BenchOptions options = getOptions(plan);
                options.duration = plan->quick ? 2.0 : options.duration; // long enough to be killed in
                options.mu = mus[m];
                options.force = forces[f];
                addJobs(plan, 1, &plan->solvers[s], &options);
            }
        }
    }
}

// The whole of Test 1 for all, because a solver's first second may cost more than the others (MuJoCo's: two
// thirds more than its mean). Particles as far as that takes a minute, the larger ones with one seed; what
// costs by contacts goes on to a million spheres.
static void planTime(StudyPlan* plan)
{
    static const int counts[] = {4, 6, 8, 10, 14, 18, 22, 28, 36, 46, 60, 80, 100};
    enum { PARTICLE_COUNTS = 10, QUICK_COUNTS = 3, ONE_SEED_FROM = 28 };
    int seeds = plan->seeds;
    static const BenchPrecision precisions[] = {benchF32, benchF64}; // of particles; reduced
    for (int s = 0; s < plan->solverCount; s++) {
        const BenchSolver* solver = &plan->solvers[s];
        bool pbdR = isNamed(solver, "pbd-r"), sized = pbdR || isNamed(solver, "xpbdr");
        for (int p = 0; p < (pbdR ? COUNT(precisions) : 1); p++) {
            int points = !sized           ? 1
                         : plan->quick    ? QUICK_COUNTS
                         : pbdR && p == 0 ? PARTICLE_COUNTS
                                          : COUNT(counts);
            for (int k = 0; k < points; k++) {
                BenchOptions options = getOptions(plan);
                options.precision = precisions[p];
                options.n = counts[k];
                plan->seeds = pbdR && p == 0 && counts[k] >= ONE_SEED_FROM ? 1 : seeds;
                addJobs(plan, 1, solver, &options);
                plan->seeds = seeds;
            }
        }
    }
}

static void planContact(StudyPlan* plan)
{
    static const int counts[] = {3, 4, 6, 8, 10};
    static const double mus[] = {0.2, 0.4, 0.6}, offsets[] = {0.02, 0.04, 0.06};
    int stride = plan->quick ? 2 : 1;
    for (int s = 0; s < plan->solverCount; s++) {
        int points = usesSpheres(&plan->solvers[s]) ? COUNT(counts) : 1; // a true box is what it is
        for (int k = 0; k < points; k += stride) {
            for (int m = 0; m < COUNT(mus); m += stride) {
                for (int d = 0; d < COUNT(offsets); d += stride) {
                    BenchOptions options = getOptions(plan);
                    options.precision = benchF64;
                    options.n = counts[k];
                    options.mu = mus[m]; // and the rod's, which follows it
                    options.offset = offsets[d];
                    addJobs(plan, 7, &plan->solvers[s], &options);
                }
            }
        }
    }
}

// In double, in float as the paper, and with exact masses, which leave nothing of the packing's error; a
// solver that has one way runs in that.
static void planInertia(StudyPlan* plan)
{
    static const int counts[] = {3, 4, 5, 6, 8, 10};
    static const double radii[] = {0.020, 0.015, 0.012, 0.010, 0.008, 0.007, 0.006, 0.005};
    static const struct {
        BenchPrecision precision;
        BenchMasses masses;
    } ways[] = {{benchF64, benchMassesAuto}, {benchF32, benchMassesAuto}, {benchF64, benchMassesExact}};
    int boxes = plan->quick ? 2 : COUNT(counts), bunnies = plan->quick ? 2 : COUNT(radii);
    for (int s = 0; s < plan->solverCount; s++) {
        int wayCount = !usesSpheres(&plan->solvers[s])   ? 0
                       : usesSettings(&plan->solvers[s]) ? COUNT(ways)
                                                         : 1;
        for (int p = 0; p < wayCount; p++) {
            BenchOptions options = getOptions(plan);
            options.precision = ways[p].precision;
            options.masses = ways[p].masses;
            for (int k = 0; k < boxes; k++) {
                options.n = counts[k];
                addJobs(plan, 2, &plan->solvers[s], &options);
            }
            for (int k = 0; k < bunnies; k++) {
                options.radius = radii[k];
                addJobs(plan, 5, &plan->solvers[s], &options);
            }
        }
    }
}

static void planTrajectory(StudyPlan* plan)
{
    static const int counts[] = {3, 10};
    for (int s = 0; s < plan->solverCount; s++) {
        for (int k = 0; k < (usesSpheres(&plan->solvers[s]) ? COUNT(counts) : 1); k++) {
            BenchOptions options = getOptions(plan);
            options.precision = benchF64;
            options.n = counts[k];
            addJobs(plan, 7, &plan->solvers[s], &options);
        }
    }
}

static void planStills(StudyPlan* plan)
{
    for (int s = 0; s < plan->solverCount; s++) {
        BenchOptions options = getOptions(plan);
        addJobs(plan, 4, &plan->solvers[s], &options);
    }
}

// The paper's box: one layer of 4 x 4 spheres.
static void planAblation(StudyPlan* plan)
{
    static const uint32_t parts[] = {0, pbdr_ablateVelocityUpdate, pbdr_ablateLinearMomentum,
                                     pbdr_ablateAngularMomentum};
    for (int s = 0; s < plan->solverCount; s++) {
        for (int k = 0; k < COUNT(parts) && (plan->solvers[s].capabilities & pbdr_benchUsesAblation) != 0;
             k++) {
            BenchOptions options = getOptions(plan);
            options.n = 4;
            options.layers = 1;
            options.ablation = parts[k];
            addJobs(plan, 1, &plan->solvers[s], &options);
        }
    }
}

// Every test for its own time. MuJoCo's feet are Test 7's question.
static void planExtended(StudyPlan* plan)
{
    for (int number = BENCH_FIRST_EXTENDED; number <= BENCH_LAST_EXTENDED; number++) {
        for (int s = 0; s < plan->solverCount; s++) {
            BenchOptions options = getOptions(plan);
            double duration = benchFindTest(number)->duration;
            options.duration = plan->quick ? fmin(options.duration, duration) : duration;
            options.timeStep *= benchGetStepShare(benchFindTest(number));
            if (strcmp(plan->solvers[s].label, "mujoco:feet") != 0) {
                addJobs(plan, number, &plan->solvers[s], &options);
            }
        }
    }
}

// In double, on the paper's box.
static void planUncertainty(StudyPlan* plan)
{
    const int points = plan->settings->points > 0 ? plan->settings->points : plan->quick ? 8 : 1000;
    for (int s = 0; s < plan->solverCount; s++) {
        for (int k = 0; k < points; k++) {
            BenchOptions options = getOptions(plan);
            options.precision = benchF64;
            studySpread((uint32_t)k, &options);
            addJobs(plan, 7, &plan->solvers[s], &options);
        }
    }
}

pbdrStatus studyMakePlan(const StudyKind* kind, const StudySettings* settings, StudyPlan* plan,
                         pbdrError* error)
{
    static void (*const makers[])(StudyPlan*) = {planTests,  planRaw,      planBudget,   planSweep,
                                                 planTime,   planContact,  planInertia,  planTrajectory,
                                                 planStills, planAblation, planExtended, planUncertainty};
    _Static_assert(COUNT(makers) == COUNT(kinds), "a job list for each study, in the same order");
    *plan = (StudyPlan){.kind = kind, .settings = settings, .quick = settings->quick};
    plan->seeds = settings->seeds > 0 ? settings->seeds : (settings->quick ? 1 : kind->seeds);
    plan->solvers = calloc(STUDY_MAX_SOLVERS, sizeof *plan->solvers);
    if (plan->solvers != NULL) {
        chooseSolvers(plan, kind->solvers);
        makers[kind - kinds](plan);
    }
    if (plan->solvers == NULL || plan->status != pbdr_statusOk) {
        studyFreePlan(plan);
        return benchFail(error, pbdr_statusNoMemory, "out of memory for the jobs of %s", kind->name);
    }
    return pbdr_statusOk;
}

void studyFreePlan(StudyPlan* plan)
{
    free(plan->jobs);
    free(plan->solvers);
    *plan = (StudyPlan){0};
}
