// The table of step flags.
#include "flags.h"

static const struct {
    uint32_t bit;
    const char *name, *mark, *meaning;
} flagTable[] = {
    {pbdr_stepNotFinite, "not_finite", "not finite", "a body's state left finite numbers; lower --dt"},
    {pbdr_stepSpeedLimit, "speed_limit", "speed limit", "a body was faster than the limit of 1e5 m/s"},
    {pbdr_stepPairsFull, "pairs_full", "pairs full",
     "contacts were dropped, or memory ran out: the figures are not those of the scene"},
    {pbdr_stepNotConverged, "not_converged", "not converged",
     "contact forces were off by more than the solver's tolerance in some substep; lower --dt"},
};

enum { FLAG_COUNT = sizeof flagTable / sizeof flagTable[0] };

int benchListFlags(const BenchRun* run, const char* names[BENCH_MAX_FLAGS])
{
    int count = 0;
    if (run->outcome == benchNotSupported) {
        names[count++] = "not_supported";
    }
    if (run->outcome == benchFailed) {
        names[count++] = "failed";
    }
    if (run->outOfRange) {
        names[count++] = "out_of_range";
    }
    uint32_t flags = run->flags | (run->outcome == benchDiverged ? pbdr_stepNotFinite : 0);
    for (int k = 0; k < FLAG_COUNT; k++) {
        if ((flags & flagTable[k].bit) != 0) {
            names[count++] = flagTable[k].name;
        }
    }
    return count;
}

void benchPrintFlagMarks(FILE* file, uint32_t flags)
{
    const char* separator = "";
    for (int k = 0; k < FLAG_COUNT; k++) {
        if ((flags & flagTable[k].bit) != 0) {
            fprintf(file, "%s!%s", separator, flagTable[k].mark);
            separator = ", ";
        }
    }
}

void benchPrintFlagLegend(FILE* file, uint32_t flags)
{
    for (int k = 0; k < FLAG_COUNT; k++) {
        if ((flags & flagTable[k].bit) != 0) {
            fprintf(file, "!%s: %s\n", flagTable[k].mark, flagTable[k].meaning);
        }
    }
}
