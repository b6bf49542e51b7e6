// The tail of the study `uncertainty`: runs whose rod is caught between the spheres of the box's face and takes the box along,
// where the reference's, on a flat face, slides off its edge. No run is left out: they are counted apart from the others.
#include "studies/spread.h"

#include <math.h>
#include <stdlib.h>

#define BINS 12 // of a setting's range, as in uncertainty_bins.csv

typedef struct Run {
    double setting[2];
    double error; // of the place at the end [m]; NaN: there is no reference, or no run
    bool caught;
} Run;

// What is looked at: all runs, and by where the rod touches the face.
static const struct {
    const char* name;
    double least, most;
} groups[2] = {{"offset_m", 0.0, 0.06}, {"push_height_m", 0.02, 0.08}};

static int compareNumbers(const void* a, const void* b)
{
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static bool isIn(const Run* run, int setting, int bin)
{
    if (setting < 0) {
        return true;
    }
    const double share =
        (run->setting[setting] - groups[setting].least) / (groups[setting].most - groups[setting].least);
    return (int)fmin(share * BINS, BINS - 1.0) == bin;
}

// A row: the runs of a bin of a setting, or all of them (setting -1). values is scratch.
static void writeGroup(FILE* file, const char* solver, const Run* runs, int count, int setting, int bin,
                       double* values)
{
    int all = 0, without = 0, caught = 0, others = 0;
    double caughtSum = 0.0, sum = 0.0;
    for (int k = 0; k < count; k++) {
        if (isIn(&runs[k], setting, bin)) {
            all++;
            if (!isfinite(runs[k].error)) {
                without++;
            } else if (runs[k].caught) {
                caught++;
                caughtSum += runs[k].error;
            } else {
                sum += runs[k].error;
                values[others++] = runs[k].error;
            }
        }
    }
    const double width = setting < 0 ? 0.0 : (groups[setting].most - groups[setting].least) / BINS;
    fprintf(file, "%s,%s,", solver, setting < 0 ? "all" : groups[setting].name);
    if (setting >= 0) {
        fprintf(file, "%.6g", groups[setting].least + (bin + 0.5) * width);
    }
    fprintf(file, ",%d,%d,%d", all, without, caught);
    qsort(values, (size_t)others, sizeof *values, compareNumbers);
    const double none = (double)NAN;
    const double numbers[] = {caught > 0 ? caughtSum / caught : none, others > 0 ? sum / others : none,
                              others > 0 ? values[others / 2] : none,
                              others > 0 ? values[(int)(0.95 * others)] : none,
                              others > 0 ? values[others - 1] : none};
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
        studyWriteNumber(file, numbers[k], false);
    }
    fputc('\n', file);
}

void spreadWriteTailHead(FILE* file)
{
    fputs("solver,setting,middle,runs,without_reference,caught,caught_mean_m,others_mean_m,others_median_m,"
          "others_q95_m,others_most_m\n",
          file);
}

bool spreadWriteTailOf(FILE* file, const char* solver, const SpreadRows* references, const SpreadRows* runs,
                       int points)
{
    Run* list = calloc((size_t)points + 1, sizeof *list);
    double* values = calloc((size_t)points + 1, sizeof *values);
    int count = 0;
    for (int k = 0; k < points && list != NULL; k++) {
        if (references->has[k] && runs->has[k]) {
            BenchOptions options = benchDefaultOptions();
            studySpread((uint32_t)k, &options);
            const SpreadRow a = references->rows[k], b = runs->rows[k];
            // by half of the rod's way the reference has lost the box or never does
            const double half =
                0.25 * benchDescribePushing(&options).rodAcceleration * options.duration * options.duration;
            list[count++] = (Run){
                {options.offset, options.pushHeight}, hypot(b.x - a.x, b.y - a.y), a.x < half && b.x > half};
        }
    }
    const bool good = list != NULL && values != NULL;
    if (good) {
        writeGroup(file, solver, list, count, -1, 0, values);
        for (int setting = 0; setting < 2; setting++) {
            for (int bin = 0; bin < BINS; bin++) {
                writeGroup(file, solver, list, count, setting, bin, values);
            }
        }
    }
    free(list);
    free(values);
    return good;
}
