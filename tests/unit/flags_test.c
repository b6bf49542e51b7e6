// A figure that its solver has doubts about is marked where it is printed, and the mark is explained.
#include "flags.h"
#include "results.h"
#include "shapes.h"

#include "check.h"

static char printed[8192];

static void readBack(FILE* file)
{
    rewind(file);
    size_t size = fread(printed, 1, sizeof printed - 1, file);
    printed[size] = 0;
    fclose(file);
}

// Three seeds of a row, the second with flags.
static void printRuns(uint32_t flags, BenchOutcome outcome)
{
    BenchRun runs[3];
    for (int k = 0; k < 3; k++) {
        runs[k] = (BenchRun){.test = benchFindTest(1), .options = benchDefaultOptions(), .failedAt = 0.5};
        snprintf(runs[k].solver.label, sizeof runs[k].solver.label, "mine");
    }
    runs[1].flags = flags;
    runs[1].outcome = outcome;
    FILE* file = tmpfile();
    CHECK(file != NULL);
    benchPrintTable(file, runs, 3);
    readBack(file);
}

static void table__marks_and_explains_every_flag(void)
{
    const struct {
        uint32_t bit;
        const char *mark, *legend;
    } flags[] = {
        {pbdr_stepNotFinite, "!not finite (1 of 3)\n", "\n!not finite: "},
        {pbdr_stepSpeedLimit, "!speed limit (1 of 3)\n", "\n!speed limit: "},
        {pbdr_stepPairsFull, "!pairs full (1 of 3)\n", "\n!pairs full: "},
        {pbdr_stepNotConverged, "!not converged (1 of 3)\n", "\n!not converged: "},
    };
    for (size_t k = 0; k < sizeof flags / sizeof flags[0]; k++) {
        printRuns(flags[k].bit, benchMeasured);
        CHECK_TEXT(printed, flags[k].mark);
        CHECK_TEXT(printed, flags[k].legend);
    }
    printRuns(pbdr_stepPairsFull | pbdr_stepNotConverged, benchMeasured);
    CHECK_TEXT(printed, "!pairs full, !not converged (1 of 3)\n");
}

static void table__has_no_mark_where_all_is_well(void)
{
    printRuns(0, benchMeasured);
    CHECK(strchr(printed, '!') == NULL);
    // a run that diverged is said to have; its flags mark no figure
    printRuns(pbdr_stepNotFinite, benchDiverged);
    CHECK(strchr(printed, '!') == NULL);
    CHECK_TEXT(printed, "diverged at 0.50 s (1 of 3)");
}

static void names__are_those_of_the_schema(void)
{
    const char* names[BENCH_MAX_FLAGS];
    BenchRun run = {.flags = pbdr_stepNotConverged | pbdr_stepPairsFull | pbdr_stepSpeedLimit,
                    .outcome = benchDiverged,
                    .outOfRange = true};
    CHECK_EQ(benchListFlags(&run, names), 5);
    const char* const wanted[] = {"out_of_range", "not_finite", "speed_limit", "pairs_full", "not_converged"};
    for (int k = 0; k < 5; k++) {
        CHECK(strcmp(names[k], wanted[k]) == 0);
    }
    run = (BenchRun){.outcome = benchFailed};
    CHECK(benchListFlags(&run, names) == 1 && strcmp(names[0], "failed") == 0);
    run = (BenchRun){.outcome = benchNotSupported};
    CHECK(benchListFlags(&run, names) == 1 && strcmp(names[0], "not_supported") == 0);
}

static void shapes__are_marked_too(void)
{
    ShapeResult result = {.name = "part.obj"};
    for (int markdown = 0; markdown < 2; markdown++) {
        result.runs[1].flags = pbdr_stepPairsFull;
        FILE* file = tmpfile();
        CHECK(file != NULL);
        benchPrintShapes(file, &result, 1, markdown != 0);
        readBack(file);
        CHECK_TEXT(printed,
                   markdown ? "upright as it must !pairs full |\n" : "upright as it must !pairs full\n");
        CHECK_TEXT(printed, "\n!pairs full: contacts were dropped");
        result.runs[1].flags = 0;
        file = tmpfile();
        CHECK(file != NULL);
        benchPrintShapes(file, &result, 1, markdown != 0);
        readBack(file);
        CHECK(strchr(printed, '!') == NULL);
    }
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"table__marks_and_explains_every_flag", table__marks_and_explains_every_flag},
          {"table__has_no_mark_where_all_is_well", table__has_no_mark_where_all_is_well},
          {"names__are_those_of_the_schema", names__are_those_of_the_schema},
          {"shapes__are_marked_too", shapes__are_marked_too});
}
