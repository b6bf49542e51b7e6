// Packing, weighing and trying a shape, and the table of many.
#include "shapes.h"

#include "flags.h"
#include "text.h"
#include "vec.h"

#include <string.h>

#define GAP_SAMPLES 50000
#define DEGREES (180.0 / BENCH_PI)

static const int testNumbers[SHAPE_TEST_COUNT] = {4, 6};

int benchGetShapeTest(int index)
{
    return testNumbers[index];
}

const char* benchGetVerdictName(ShapeVerdict verdict)
{
    static const char* const names[] = {
        [shapeUpright] = "upright as it must", [shapeLeans] = "leans as it must",
        [shapeTips] = "tips as it must",       [shapeRolls] = "rolls",
        [shapeClose] = "too close to call",    [shapeFell] = "FELL",
        [shapeStayed] = "DID NOT TIP",         [shapeFailed] = "FAILED",
    };
    return names[verdict];
}

bool benchIsShapeBad(const ShapeResult* result)
{
    bool bad = result->problem[0] != 0;
    for (int k = 0; k < SHAPE_TEST_COUNT; k++) {
        bad = bad || result->runs[k].verdict >= shapeFell;
    }
    return bad;
}

// --- One shape ---

static const char* getFileName(const char* path)
{
    const char* slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

// Largest difference of entries, over the largest entry of b.
static double compareInertia(const pbdrMat3* a, const pbdrMat3* b)
{
    double difference = 0.0, largest = 0.0;
    for (int k = 0; k < 9; k++) {
        difference = fmax(difference, fabs(a->m[k / 3][k % 3] - b->m[k / 3][k % 3]));
        largest = fmax(largest, fabs(b->m[k / 3][k % 3]));
    }
    return difference / largest;
}

// The masses that the runs have, weighed against the solid.
static pbdrStatus weighSpheres(const BenchShapes* shapes, ShapeResult* result, pbdrError* error)
{
    pbdrSphereSet set;
    pbdrStatus status = pbdrSphereSet_Copy(&shapes->meshSpheres, NULL, &set, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    const pbdrMassProperties* truth = &shapes->meshTruth;
    pbdrMassProperties own = pbdrSphereSet_GetMassProperties(&set);
    result->uniformInertiaError = compareInertia(&own.inertia, &truth->inertia);
    status = pbdrSphereSet_FitMasses(&set, truth, &result->massFit, error);
    own = pbdrSphereSet_GetMassProperties(&set);
    for (int k = 0; k < 9; k++) {
        own.inertia.m[k / 3][k % 3] += result->massFit.extraInertia.m[k / 3][k % 3];
    }
    result->massError = fabs(own.mass - truth->mass) / truth->mass;
    result->centreError = benchLength(benchSub(own.centre, truth->centre)) / BENCH_SIDE;
    result->inertiaError = compareInertia(&own.inertia, &truth->inertia);
    pbdrSphereSet_Free(&set);
    return status;
}

static pbdrStatus measureShape(const BenchShapes* shapes, ShapeResult* result, pbdrError* error)
{
    pbdrSphereSet set;
    pbdrStatus status = pbdrSphereSet_Copy(&shapes->meshSpheres, NULL, &set, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    for (int i = 0; i < set.count; i++) { // the mesh is about its centre of mass
        set.positions[i] = benchSub(set.positions[i], shapes->meshTruth.centre);
    }
    pbdrPackingQuality quality;
    status = pbdrMeasurePacking(&shapes->mesh, &set, GAP_SAMPLES, 1, NULL, &quality, error);
    pbdrSphereSet_Free(&set);
    if (status != pbdr_statusOk) {
        return status;
    }
    result->sphereCount = quality.sphereCount;
    result->volume = quality.volume;
    result->volumeError = quality.volumeError;
    result->meanGap = quality.meanGap;
    result->largestGap = quality.largestGap;
    // of the spheres' own centre of mass, which is the solid's to rounding where quadrature found that
    quality.centre = benchVec(0.0, 0.0, 0.0);
    result->centreHeight = quality.support[0].z < 0.0 ? -quality.support[0].z : 0.0;
    result->reach = pbdrPackingQuality_GetReach(&quality, benchVec(1.0, 0.0, 0.0)); // scenes push along +x
    pbdrPackingQuality_Free(&quality);
    return status;
}

static ShapeVerdict judge(const ShapeResult* result, double tilt)
{
    if (fabs(result->reach - result->needed) <= SHAPE_CLOSE_CALL * result->needed) {
        return shapeClose;
    }
    if (result->needed < result->reach) {
        return tilt <= SHAPE_UPRIGHT_TILT ? shapeUpright : shapeFell;
    }
    if (tilt <= SHAPE_UPRIGHT_TILT) {
        return shapeStayed;
    }
    // the rule says that it leaves its base, not how far it goes
    return tilt < SHAPE_TIPPED_TILT ? shapeLeans : result->standing.rolls ? shapeRolls : shapeTips;
}

// Progress of all runs of a shape from that of one.
typedef struct RunShare {
    BenchProgress progress;
    void* context;
    int done, total;
} RunShare;

static bool passOn(void* context, double doneShare)
{
    const RunShare* share = context;
    return share->progress == NULL ||
           share->progress(share->context, (share->done + doneShare) / share->total);
}

static pbdrStatus runTest(const BenchTest* test, const BenchOptions* options, const BenchShapes* shapes,
                          int seeds, RunShare* share, ShapeResult* result, ShapeRuns* runs, bool* stopped,
                          pbdrError* error)
{
    BenchSolver solver;
    pbdrStatus status = benchChooseSolver("xpbdr", &solver, error);
    runs->verdict = shapeUpright;
    for (int seed = 1; seed <= seeds && status == pbdr_statusOk && !*stopped; seed++) {
        const BenchOptions resolved = benchResolveOptions(&solver, options);
        BenchScene scene;
        BenchRun run;
        status = benchMakeScene(test, &resolved, shapes, seed, &scene, error);
        if (status != pbdr_statusOk) {
            break;
        }
        result->needed = scene.data.groundFriction * result->centreHeight;
        status = benchRun(&solver, &scene, &resolved, NULL, passOn, share, &run, stopped, error);
        benchFreeScene(&scene);
        share->done++;
        if (status != pbdr_statusOk) {
            break;
        }
        bool measured = run.outcome == benchMeasured;
        ShapeVerdict verdict = measured ? judge(result, run.errors.maxTilt) : shapeFailed;
        runs->verdict = seed == 1 || verdict > runs->verdict ? verdict : runs->verdict;
        runs->position = fmax(runs->position, run.errors.position.final);
        runs->rotation = fmax(runs->rotation, run.errors.rotation.final);
        runs->tilt = fmax(runs->tilt, run.errors.maxTilt);
        runs->flags |= run.flags;
    }
    return status;
}

void benchTryShape(const BenchOptions* options, int seeds, BenchProgress progress, void* context,
                   ShapeResult* result, bool* stopped)
{
    memset(result, 0, sizeof *result);
    snprintf(result->name, sizeof result->name, "%.95s", getFileName(options->meshPath));
    benchMakePrintable(result->name);
    BenchShapes shapes = {0};
    pbdrError error = {.message = "out of memory"};
    BenchOptions spheres = *options;
    spheres.contact = pbdr_contactSpheres; // theirs is the support that the rule is applied to
    pbdrStatus status = benchPrepareMesh(&shapes, &spheres, &error);
    result->standing = shapes.standing;
    status = status != pbdr_statusOk ? status : weighSpheres(&shapes, result, &error);
    status = status != pbdr_statusOk ? status : measureShape(&shapes, result, &error);
    RunShare share = {progress, context, 0, seeds * SHAPE_TEST_COUNT};
    for (int k = 0; k < SHAPE_TEST_COUNT && status == pbdr_statusOk && !*stopped; k++) {
        status = runTest(benchFindTest(testNumbers[k]), &spheres, &shapes, seeds, &share, result,
                         &result->runs[k], stopped, &error);
    }
    if (status != pbdr_statusOk) {
        snprintf(result->problem, sizeof result->problem, "%.255s", error.message);
    }
    benchMakePrintable(result->problem);
    benchFreeShapes(&shapes);
}

// --- Tables ---

static const char* getRungName(const ShapeResult* result)
{
    static const char* const names[] = {"closed form", "clamped", "extra inertia"};
    return names[result->massFit.rung];
}

static double getWorstMassError(const ShapeResult* result)
{
    return fmax(result->massError, fmax(result->centreError, result->inertiaError));
}

static void printHead(FILE* file, bool markdown)
{
    if (markdown) {
        fprintf(file,
                "| mesh | turned [deg] | spheres | masses by | mass, centre, inertia off by | (equal masses) "
                "| mean gap [mm] | h [mm] | mu h [mm] | reach [mm] | T4 position [m], rotation, tilt [deg] "
                "| verdict | T6 position [m], rotation, tilt [deg] | verdict |\n"
                "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
        return;
    }
    fprintf(file, "%-27s%7s%8s  %-14s%9s%9s%7s%8s%8s%8s", "", "turned", "", "masses", "", "(equal", "gap",
            "h", "mu h", "reach");
    for (int k = 0; k < SHAPE_TEST_COUNT; k++) {
        fprintf(file, "  T%d %8s %8s %8s  %-18s", testNumbers[k], "position", "rotation", "tilt", "");
    }
    fprintf(file, "\n%-27s%7s%8s  %-14s%9s%9s%7s%8s%8s%8s", "mesh", "[deg]", "spheres", "by", "off by",
            "masses)", "[mm]", "[mm]", "[mm]", "[mm]");
    for (int k = 0; k < SHAPE_TEST_COUNT; k++) {
        fprintf(file, "     %8s %8s %8s  %-18s", "[m]", "[deg]", "[deg]", "verdict");
    }
    fputc('\n', file);
}

static void printShape(FILE* file, const ShapeResult* r, bool markdown)
{
    if (r->problem[0] != 0) {
        fprintf(file, markdown ? "| %s | refused: %s |\n" : "%-27s refused: %s\n", r->name, r->problem);
        return;
    }
    fprintf(file,
            markdown ? "| %s | %.2f | %d | %s | %.0e | %.0e | %.2f | %.1f | %.1f | %.1f |"
                     : "%-27s%7.2f%8d  %-14s%9.0e%9.0e%7.2f%8.1f%8.1f%8.1f",
            r->name, DEGREES * r->standing.turn, r->sphereCount, getRungName(r), getWorstMassError(r),
            r->uniformInertiaError, 1000.0 * r->meanGap, 1000.0 * r->centreHeight, 1000.0 * r->needed,
            1000.0 * r->reach);
    for (int k = 0; k < SHAPE_TEST_COUNT; k++) {
        const ShapeRuns* runs = &r->runs[k];
        fprintf(file, markdown ? " %.1e, %.1e, %.1e | %s" : "     %8.1e %8.1e %8.1e  %-18s", runs->position,
                runs->rotation, runs->tilt, benchGetVerdictName(runs->verdict));
        fputs(runs->flags != 0 ? " " : "", file);
        benchPrintFlagMarks(file, runs->flags);
        fputs(markdown ? " |" : "", file);
    }
    fputc('\n', file);
}

void benchPrintShapes(FILE* file, const ShapeResult* results, int count, bool markdown)
{
    uint32_t flags = 0;
    printHead(file, markdown);
    for (int k = 0; k < count; k++) {
        printShape(file, &results[k], markdown);
        for (int t = 0; t < SHAPE_TEST_COUNT; t++) {
            flags |= results[k].runs[t].flags;
        }
    }
    fputs(markdown && flags != 0 ? "\n" : "", file);
    benchPrintFlagLegend(file, flags);
}

// Text in a cell, without what would end it.
static void writeCell(FILE* file, const char* text)
{
    for (; *text != 0; text++) {
        fputc(strchr(",\"\n\r", *text) != NULL ? ' ' : *text, file);
    }
}

void benchWriteShapesCsv(FILE* file, const ShapeResult* results, int count)
{
    fputs(
        "mesh,problem,turn_rad,stable_facets,rolls,stand_slope_rad,next_turn_rad,spheres,masses_by,mass_"
        "error,"
        "centre_error,inertia_error,uniform_inertia_error,volume_m3,volume_error_m3,mean_gap_m,largest_gap_m,"
        "centre_height_m,mu_h_m,reach_m",
        file);
    for (int k = 0; k < SHAPE_TEST_COUNT; k++) {
        int n = testNumbers[k];
        fprintf(file, ",t%d_position_m,t%d_rotation_deg,t%d_tilt_deg,t%d_flags,t%d_verdict", n, n, n, n, n);
    }
    fputc('\n', file);
    for (int i = 0; i < count; i++) {
        const ShapeResult* r = &results[i];
        writeCell(file, r->name);
        fputc(',', file);
        writeCell(file, r->problem);
        fprintf(file, ",%.9g,%d,%d,%.9g,%.9g,%d,%s,%.3g,%.3g,%.3g,%.6g,%.9g,%.3g,%.6g,%.6g,%.9g,%.9g,%.9g",
                r->standing.turn, r->standing.stableCount, r->standing.rolls, r->standing.slope,
                r->standing.nextTurn, r->sphereCount, getRungName(r), r->massError, r->centreError,
                r->inertiaError, r->uniformInertiaError, r->volume, r->volumeError, r->meanGap, r->largestGap,
                r->centreHeight, r->needed, r->reach);
        for (int k = 0; k < SHAPE_TEST_COUNT; k++) {
            const ShapeRuns* runs = &r->runs[k];
            fprintf(file, ",%.9g,%.9g,%.9g,%u,%s", runs->position, runs->rotation, runs->tilt, runs->flags,
                    r->problem[0] != 0 ? "refused" : benchGetVerdictName(runs->verdict));
        }
        fputc('\n', file);
    }
}
