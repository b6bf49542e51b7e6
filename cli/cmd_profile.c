// pbdr profile: where the time of a run goes, stage by stage, and what the solver did.
//
// Two worlds of the same scene run in turns, one profiled, one not: the second says what the first would have
// taken without its clock.
#include "chosen_scene.h"
#include "command.h"
#include "names.h"
#include "options.h"
#include "output.h"
#include "profile_kernel.h"

#include "runner.h"

#include "pbdr/profile.h"
#include "pbdr/world.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char* const simdNames[] = {"auto", "scalar", "avx2", "neon", NULL};
static const char* const massNames[] = {"auto", "uniform", "exact", NULL};

typedef struct Profile {
    ChosenScene chosen;
    int solver; // index into solverNames; -1: none given
    int engine, precision, simd, masses;
    int backend; // index into backendNames
    int worlds;  // of backend gpu
    const char* csvPath;
    // What is run
    BenchSolver described;
    void* simulations[2]; // profiled, plain
    double seconds[2];    // by a clock outside
    double buildSeconds;  // of one of them
    uint32_t flags;
    pbdrProfile profile;
} Profile;

// --- Running ---

// Worlds in turns, a twentieth of the run at a time: what else the machine does hits both alike.
static void runBoth(Profile* profile, int substeps)
{
    const pbdrBenchSolver* table = profile->described.table;
    int part = substeps / 20 > 10 ? substeps / 20 : 10;
    for (int done = 0; done < substeps && (profile->flags & pbdr_stepNotFinite) == 0; done += part) {
        int count = substeps - done < part ? substeps - done : part;
        for (int turn = 0; turn < 2; turn++) {
            int k = (done / part + turn) % 2;
            double begin = benchGetSeconds();
            profile->flags |= table->step(profile->simulations[k], count);
            profile->seconds[k] += benchGetSeconds() - begin;
        }
    }
}

static int runScene(Profile* profile)
{
    const BenchOptions* o = &profile->chosen.options;
    pbdrBenchScene scene = profile->chosen.scene.data;
    scene.preset = "";
    scene.engine = o->engine;
    scene.precision = o->precision == benchF32 ? pbdr_precisionF32 : pbdr_precisionF64;
    int code = EXIT_OK;
    for (int k = 0; k < 2 && code == EXIT_OK; k++) {
        char message[PBDR_BENCH_MESSAGE];
        double begin = benchGetSeconds();
        profile->simulations[k] = profile->described.table->create(&scene, message);
        profile->buildSeconds = benchGetSeconds() - begin;
        if (profile->simulations[k] == NULL) {
            benchPrintMessage("pbdr profile: %s: %s\n", profile->described.label, message);
            code = EXIT_FAILED;
        }
    }
    if (code == EXIT_OK) {
        pbdrWorld* world = benchGetWorld(profile->simulations[0]);
        profile->simd = pbdrWorld_GetSimd(world);
        pbdrWorld_SetProfiling(world, true);
        runBoth(profile, (int)fmax(1.0, nearbyint(o->duration / o->timeStep)));
        pbdrWorld_GetProfile(world, &profile->profile);
    }
    for (int k = 0; k < 2; k++) {
        if (profile->simulations[k] != NULL) {
            profile->described.table->destroy(profile->simulations[k]);
        }
    }
    return code;
}

// --- What came of it ---

// A stage's time without the clock's own.
static double getNet(const pbdrProfile* profile, int stage)
{
    const pbdrProfileStage* s = &profile->stages[stage];
    return fmax(0.0, s->seconds - (double)s->calls * profile->clockSeconds);
}

// Sums over the stages: raw and net time, and calls.
typedef struct Sums {
    double seconds, net, calls;
} Sums;

static Sums getSums(const pbdrProfile* profile)
{
    Sums sums = {0.0, 0.0, 0.0};
    for (int k = 0; k < profile->stageCount; k++) {
        sums.seconds += profile->stages[k].seconds;
        sums.net += getNet(profile, k);
        sums.calls += (double)profile->stages[k].calls;
    }
    return sums;
}

static bool isOneOf(const char* const* names, const char* name)
{
    while (*names != NULL && strcmp(*names, name) != 0) {
        names++;
    }
    return *names != NULL;
}

// What a stage's cost grows with: contacts, spheres, or (NULL) neither, or both.
static const char* getUnit(const Profile* profile, const char* stage)
{
    static const char* const perContact[] = {"candidates", "solve", "collidePlanes", NULL};
    static const char* const perSphere[] = {"integrate",   "collidePlanes",   "applyContacts",
                                            "matchShapes", "restoreMomentum", "followMomentum",
                                            NULL};
    if (profile->chosen.options.engine == pbdr_engineParticle) {
        return isOneOf(perSphere, stage) ? "sphere" : NULL;
    }
    return isOneOf(perContact, stage) ? "contact" : NULL;
}

// Time of a call per unit [ns]; NaN without one.
static double getPerUnit(const Profile* profile, int stage)
{
    const pbdrProfile* p = &profile->profile;
    const char* unit = getUnit(profile, p->stages[stage].name);
    double units = 0.0;
    if (unit != NULL && p->substepCount > 0) {
        units = unit[0] == 's' ? (double)profile->chosen.scene.data.bodies[0].sphereCount
                               : (double)p->contacts.sum / (double)p->substepCount;
    }
    return units > 0.0 ? 1.0e9 * getNet(p, stage) / (units * (double)p->stages[stage].calls) : (double)NAN;
}

// A count as a row: sum over the run, most in a substep (0: not known).
typedef struct Count {
    const char *name, *help;
    uint64_t sum, most;
} Count;

#define MAX_COUNTS 8

static int listCounts(const Profile* profile, Count counts[MAX_COUNTS])
{
    const pbdrProfile* p = &profile->profile;
    bool particles = profile->chosen.options.engine == pbdr_engineParticle;
    int count = 0;
    counts[count++] = (Count){"contacts", "spheres, or points of a surface, that touched", p->contacts.sum,
                              p->contacts.most};
    counts[count++] = (Count){"candidates", particles ? "pairs of spheres looked at" : "contacts looked at",
                              p->candidates.sum, p->candidates.most};
    counts[count++] =
        (Count){"searches", particles ? "for pairs of spheres" : "for candidates", p->searchCount, 0};
    if (solverNames[profile->solver][0] != 'x') {
        counts[count++] = (Count){"iterations", "of the contact loop", p->iterationCount, 0};
        return count;
    }
    counts[count++] =
        (Count){"islands", "bodies in contact, solved together", p->islands.sum, p->islands.most};
    counts[count++] =
        (Count){"newton_steps", "linear systems solved", p->newtonSteps.sum, p->newtonSteps.most};
    counts[count++] = (Count){"sweeps", "sweeps over an island", p->sweepCount, 0};
    counts[count++] = (Count){"multiplier_updates", "gaps and slips taken out", p->multiplierUpdateCount, 0};
    return count;
}

static void printStages(const Profile* profile)
{
    const pbdrProfile* p = &profile->profile;
    const Sums sums = getSums(p);
    double substeps = (double)p->substepCount, perSubstep = 1.0e6 / substeps;
    printf("%-18s %7s %12s %14s  %s\n", "stage", "share", "us/substep", "calls/substep", "ns per call and");
    for (int k = 0; k < p->stageCount; k++) {
        const pbdrProfileStage* stage = &p->stages[k];
        double perUnit = getPerUnit(profile, k);
        printf("%-18s %6.1f%% %12.4f %14.4g", stage->name,
               sums.net > 0.0 ? 100.0 * getNet(p, k) / sums.net : 0.0, perSubstep * getNet(p, k),
               (double)stage->calls / substeps);
        if (isfinite(perUnit)) {
            printf("  %.3g %s", perUnit, getUnit(profile, stage->name));
        }
        printf("\n");
    }
    printf("%-18s %6.1f%% %12.4f %14.4g\n", "sum of stages", 100.0, perSubstep * sums.net,
           sums.calls / substeps);
    printf("%-18s %7s %12.4f                 %.4g readings of %.1f ns, taken out of the stages above\n",
           "clock", "", perSubstep * (sums.seconds - sums.net), sums.calls / substeps,
           1.0e9 * p->clockSeconds);
    printf("%-18s %7s %12.4f                 stages, clock and counting\n", "profiled run", "",
           perSubstep * profile->seconds[0]);
    printf("%-18s %7s %12.4f                 the same without profiling, in turns: what a substep takes\n\n",
           "plain run", "", perSubstep * profile->seconds[1]);
}

static void printTable(const Profile* profile)
{
    const pbdrProfile* p = &profile->profile;
    const BenchOptions* o = &profile->chosen.options;
    const BenchScene* scene = &profile->chosen.scene;
    const bool named = benchHasEngines(&profile->described);
    printf("test %d %s, %s (%s%s%s, %s), %d spheres, %llu substeps of %g s; world built in %.3g s\n\n",
           scene->test->number, scene->test->name, profile->described.label,
           named ? benchGetEngineName(&profile->described, o) : "", named ? ", " : "",
           precisionNames[o->precision + 1], simdNames[profile->simd], scene->data.bodies[0].sphereCount,
           (unsigned long long)p->substepCount, o->timeStep, profile->buildSeconds);
    printStages(profile);
    Count counts[MAX_COUNTS];
    int count = listCounts(profile, counts);
    printf("%-18s %7s %12s %14s\n", "count", "most", "per substep", "in all");
    for (int k = 0; k < count; k++) {
        char most[24] = "";
        if (counts[k].most > 0) {
            snprintf(most, sizeof most, "%llu", (unsigned long long)counts[k].most);
        }
        printf("%-18s %7s %12.4g %14llu  %s\n", counts[k].name, most,
               (double)counts[k].sum / (double)p->substepCount, (unsigned long long)counts[k].sum,
               counts[k].help);
    }
    if (solverNames[profile->solver][0] == 'x') {
        printf("%-18s %7s %12s %14llu  substeps beyond the tolerance\n", "unconverged", "", "",
               (unsigned long long)p->unconvergedCount);
    }
}

// One value of a row, or nothing where it has no meaning.
static void writeNumber(FILE* file, double value)
{
    if (isfinite(value)) {
        fprintf(file, ",%.9g", value);
    } else {
        fprintf(file, ",");
    }
}

static void writeRow(FILE* file, const Profile* profile, const char* kind, const char* name,
                     const double values[8])
{
    const BenchOptions* o = &profile->chosen.options;
    fprintf(file, "%d,%s,%s,%s,%d,%d,%llu,%s,%s", profile->chosen.number, profile->described.label,
            benchGetEngineName(&profile->described, o), precisionNames[o->precision + 1],
            profile->chosen.seed, profile->chosen.scene.data.bodies[0].sphereCount,
            (unsigned long long)profile->profile.substepCount, kind, name);
    for (int k = 0; k < 8; k++) {
        writeNumber(file, values[k]);
    }
    fprintf(file, "\n");
}

static void writeCsv(FILE* file, const Profile* profile)
{
    const pbdrProfile* p = &profile->profile;
    const Sums sums = getSums(p);
    const double substeps = (double)p->substepCount, none = (double)NAN;
    fprintf(file, "test,solver,engine,precision,seed,spheres,substeps,kind,name,calls,seconds,clock_seconds,"
                  "net_seconds,share,us_per_substep,ns_per_unit,most\n");
    for (int k = 0; k < p->stageCount; k++) {
        double net = getNet(p, k), seconds = p->stages[k].seconds;
        writeRow(file, profile, "stage", p->stages[k].name,
                 (double[8]){(double)p->stages[k].calls, seconds, seconds - net, net,
                             sums.net > 0.0 ? net / sums.net : 0.0, 1.0e6 * net / substeps,
                             getPerUnit(profile, k), none});
    }
    writeRow(file, profile, "total", "stages",
             (double[8]){sums.calls, sums.seconds, sums.seconds - sums.net, sums.net, 1.0,
                         1.0e6 * sums.net / substeps, none, none});
    const char* const runs[2] = {"profiled_run", "plain_run"};
    for (int k = 0; k < 2; k++) {
        writeRow(file, profile, "total", runs[k],
                 (double[8]){substeps, profile->seconds[k], none, none, none,
                             1.0e6 * profile->seconds[k] / substeps, none, none});
    }
    Count counts[MAX_COUNTS + 1];
    int count = listCounts(profile, counts);
    counts[count++] = (Count){"unconverged", "", p->unconvergedCount, 0};
    for (int k = 0; k < count; k++) {
        double most = counts[k].most > 0 ? (double)counts[k].most : none;
        writeRow(file, profile, "count", counts[k].name,
                 (double[8]){(double)counts[k].sum, none, none, none, none, none, none, most});
    }
}

static int showResults(const Profile* profile)
{
    int code = EXIT_OK;
    Output output;
    if (profile->csvPath != NULL) {
        if (!openOutput(&output, profile->csvPath)) {
            return EXIT_FAILED;
        }
        writeCsv(output.file, profile);
        code = closeOutput(&output, true) ? EXIT_OK : EXIT_FAILED;
    }
    printTable(profile);
    if ((profile->flags & pbdr_stepNotFinite) != 0) {
        benchPrintMessage("pbdr profile: note: the run diverged at %g s and ends there\n",
                          (double)profile->profile.substepCount * profile->chosen.options.timeStep);
    }
    return code;
}

// --- The command ---

static int execute(Profile* profile, const BenchTest* test)
{
    pbdrError error;
    if (profile->csvPath != NULL && !probeOutput(profile->csvPath)) {
        return EXIT_FAILED;
    }
    if (benchChooseSolver(solverNames[profile->solver], &profile->described, &error) != pbdr_statusOk) {
        benchPrintMessage("pbdr profile: %s\n", error.message);
        return EXIT_FAILED;
    }
    BenchOptions* o = &profile->chosen.options;
    o->engine = (pbdrEngine)profile->engine;
    o->precision = (BenchPrecision)(profile->precision - 1);
    o->masses = (BenchMasses)profile->masses;
    o->simd = (pbdrSimd)profile->simd;
    *o = benchResolveOptions(&profile->described, o);
    int code = makeChosenScene(&profile->chosen, test, "profile");
    if (code == EXIT_OK) {
        code = runScene(profile);
        code = code == EXIT_OK ? showResults(profile) : code;
        freeChosenScene(&profile->chosen);
    }
    return code;
}

// What single options cannot say.
static int checkTogether(const Profile* profile)
{
    const BenchOptions* o = &profile->chosen.options;
    if (profile->backend == 1 && profile->solver >= 0 && solverNames[profile->solver][0] != 'x') {
        benchPrintMessage("pbdr profile: --backend gpu: the kernel has xpbdr alone\n");
        return EXIT_USAGE;
    }
    if (profile->backend == 0 && profile->worlds > 0) {
        benchPrintMessage("pbdr profile: --worlds goes with --backend gpu\n");
        return EXIT_USAGE;
    }
    if (profile->solver < 0 && profile->backend == 0) {
        benchPrintMessage("pbdr profile: --solver NAME is needed: pbd, pbd-r or xpbdr\n");
        return EXIT_USAGE;
    }
    if ((profile->backend == 1 || solverNames[profile->solver][0] == 'x') &&
        (profile->engine == 1 || profile->precision == 1)) {
        benchPrintMessage("pbdr profile: --%s %s: xpbdr has one engine, its own, in double\n",
                          profile->engine == 1 ? "engine" : "precision",
                          profile->engine == 1 ? "particle" : "f32");
        return EXIT_USAGE;
    }
    if (benchHasTooManySubsteps(o)) {
        benchPrintMessage("pbdr profile: --duration %g with --dt %g: more than %g substeps\n", o->duration,
                          o->timeStep, BENCH_MAX_SUBSTEPS);
        return EXIT_USAGE;
    }
    return EXIT_OK;
}

int commandProfile(int argc, char** argv)
{
    Profile profile = {.chosen = defaultChosenScene(), .solver = -1};
    BenchOptions* o = &profile.chosen.options;
    o->duration = 1.0;
    const Option table[] = {
        OPTION_SOLVER("solver", "NAME", "pbd, pbd-r or xpbdr; peers have no stages to show", &profile.solver),
        CHOSEN_SCENE_OPTIONS(profile.chosen, BENCH_LAST_TEST),
        OPTION_CHOICE("engine", "NAME", "of pbd and pbd-r: particle or reduced (auto, as in bench)",
                      &profile.engine, engineNames),
        OPTION_CHOICE("precision", "P", "of pbd and pbd-r: f32 or f64 (auto: particle f32, reduced f64)",
                      &profile.precision, precisionNames),
        OPTION_CHOICE("masses", "NAME", "uniform or exact (auto: xpbdr exact, others uniform)",
                      &profile.masses, massNames),
        OPTION_CHOICE("simd", "NAME", "auto, scalar, avx2 or neon (auto)", &profile.simd, simdNames),
        OPTION_INT("iterations", "K", "of pbd and pbd-r, per substep (10)", &o->iterations, 1,
                   BENCH_MAX_ITERATIONS),
        OPTION_ABOVE("relaxation", "W", "of pbd and pbd-r: share of each contact correction applied (0.9)",
                     &o->relaxation, 0, 1),
        OPTION_ABOVE("duration", "S", "simulated time [s] (1)", &o->duration, 0, 1e6),
        OPTION_CHOICE("backend", "NAME",
                      "cpu, or gpu: copies of the scene by the kernel for small worlds, xpbdr alone (cpu)",
                      &profile.backend, backendNames),
        OPTION_INT("worlds", "N", "copies with --backend gpu (4096)", &profile.worlds, 1, 100000000),
        OPTION_TEXT("csv", "FILE", "write a row per stage, total and count", &profile.csvPath),
    };
    const size_t optionCount = sizeof table / sizeof table[0];
    switch (parseOptions("profile", table, optionCount, argc, argv)) {
    case optionsBad:
        return EXIT_USAGE;
    case optionsHelp:
        printf(
            "usage: pbdr profile --test N --solver NAME [OPTIONS]\n\nWhere the time of a run goes, stage by "
            "stage, and what the solver did; defaults in parentheses.\nThe stages and how to read the "
            "table: docs/profile.md.\n\n");
        printOptions(table, optionCount);
        return EXIT_OK;
    case optionsOk:
        break;
    }
    int code = checkTogether(&profile);
    const BenchTest* test = code == EXIT_OK ? findChosenTest(&profile.chosen, "profile", &code) : NULL;
    if (test != NULL && profile.backend == 1) {
        return profileKernel(&profile.chosen, test, profile.worlds > 0 ? profile.worlds : 4096,
                             profile.csvPath);
    }
    return test != NULL ? execute(&profile, test) : code;
}
