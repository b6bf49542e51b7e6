// The study `uncertainty`: Test 7 with friction, the rod's friction, offset and height of the push spread over their
// ranges, and what of the error follows which.
#include "studies/study.h"

#include "studies/sobol.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STUDY_BINS 12 // of a setting's range

static const struct {
    const char* name;
    double least, most;
} ranges[SOBOL_DIMENSIONS] = {
    {"mu", 0.2, 0.6},
    {"mu_rod", 0.1, 0.6},
    {"offset_m", 0.0, 0.06},
    {"push_height_m", 0.02, 0.08},
};

void studySpread(uint32_t index, BenchOptions* options)
{
    double x[SOBOL_DIMENSIONS];
    sobolGetPoint(index, x);
    for (int k = 0; k < SOBOL_DIMENSIONS; k++) {
        x[k] = ranges[k].least + (ranges[k].most - ranges[k].least) * x[k];
    }
    options->mu = x[0];
    options->rodFriction = x[1];
    options->offset = x[2];
    options->pushHeight = x[3];
}

static double getParameter(const BenchOptions* options, int k)
{
    return (const double[]){options->mu, options->rodFriction, options->offset, options->pushHeight}[k];
}

static int compareNumbers(const void* a, const void* b)
{
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

// A row: moments, quantiles and correlations of a column over the jobs of a solver. values is scratch.
static void writeRow(FILE* file, const StudyPlan* plan, char* const* results, const BenchSolver* solver,
                     const char* column, double* values)
{
    int count = 0;
    double sum = 0.0, square = 0.0, along[SOBOL_DIMENSIONS] = {0.0}, own[SOBOL_DIMENSIONS] = {0.0},
           with[SOBOL_DIMENSIONS] = {0.0};
    for (int k = 0; k < plan->jobCount; k++) {
        const double value = studyGetResult(results[k], column);
        if (plan->jobs[k].solver != solver || !isfinite(value)) {
            continue;
        }
        values[count++] = value;
        sum += value;
        square += value * value;
        for (int p = 0; p < SOBOL_DIMENSIONS; p++) {
            const double x = getParameter(&plan->jobs[k].options, p);
            along[p] += x;
            own[p] += x * x;
            with[p] += x * value;
        }
    }
    fprintf(file, "%s,%s,%d", solver->label, column, count);
    if (count == 0) {
        fputs(",,,,,,,,,,\n", file);
        return;
    }
    qsort(values, (size_t)count, sizeof *values, compareNumbers);
    const double mean = sum / count, variance = fmax(0.0, square / count - mean * mean);
    const double numbers[] = {mean,
                              sqrt(variance),
                              values[0],
                              values[(int)(0.05 * count)],
                              values[count / 2],
                              values[(int)(0.95 * count)],
                              values[count - 1]};
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
        studyWriteNumber(file, numbers[k], false);
    }
    for (int p = 0; p < SOBOL_DIMENSIONS; p++) {
        const double spread = fmax(0.0, own[p] / count - along[p] / count * (along[p] / count));
        const double both = with[p] / count - along[p] / count * mean;
        studyWriteNumber(file, spread > 0.0 && variance > 0.0 ? both / sqrt(spread * variance) : (double)NAN,
                         false);
    }
    fputc('\n', file);
}

// The errors that are looked at.
static const char* const columns[] = {"dynamic_tilt_final_position_m", "dynamic_tilt_final_rotation_deg",
                                      "quasistatic_final_position_m", "quasistatic_final_rotation_deg"};
enum { COLUMN_COUNT = sizeof columns / sizeof columns[0] };

void studyWriteUncertainty(FILE* file, const StudyPlan* plan, char* const* results)
{
    fputs("solver,quantity,runs,mean,standard_deviation,least,q05,median,q95,most", file);
    for (int p = 0; p < SOBOL_DIMENSIONS; p++) {
        fprintf(file, ",correlation_%s", ranges[p].name);
    }
    fputc('\n', file);
    double* values = calloc((size_t)plan->jobCount + 1, sizeof *values);
    for (int s = 0; values != NULL && s < plan->solverCount; s++) {
        for (int c = 0; c < COLUMN_COUNT; c++) {
            writeRow(file, plan, results, &plan->solvers[s], columns[c], values);
        }
    }
    free(values);
}

// A row: quantiles of a column over the jobs of a solver whose setting p lies in a bin. values is scratch.
static void writeBin(FILE* file, const StudyPlan* plan, char* const* results, const BenchSolver* solver,
                     const char* column, int p, int bin, double* values)
{
    const double width = (ranges[p].most - ranges[p].least) / STUDY_BINS,
                 from = ranges[p].least + bin * width;
    int count = 0;
    for (int k = 0; k < plan->jobCount; k++) {
        const double x = getParameter(&plan->jobs[k].options, p);
        const int in = (int)fmin((x - ranges[p].least) / width, STUDY_BINS - 1.0);
        const double value =
            in == bin && plan->jobs[k].solver == solver ? studyGetResult(results[k], column) : (double)NAN;
        if (isfinite(value)) {
            values[count++] = value;
        }
    }
    if (count == 0) {
        return;
    }
    qsort(values, (size_t)count, sizeof *values, compareNumbers);
    fprintf(file, "%s,%s,%s,%.6g,%d", solver->label, column, ranges[p].name, from + 0.5 * width, count);
    const double shares[] = {0.05, 0.25, 0.5, 0.75, 0.95};
    for (size_t k = 0; k < sizeof shares / sizeof shares[0]; k++) {
        fprintf(file, ",%.6g", values[(int)(shares[k] * count)]);
    }
    fputc('\n', file);
}

void studyWriteBins(FILE* file, const StudyPlan* plan, char* const* results)
{
    fputs("solver,quantity,setting,middle,runs,q05,q25,median,q75,q95\n", file);
    double* values = calloc((size_t)plan->jobCount + 1, sizeof *values);
    for (int s = 0; values != NULL && s < plan->solverCount; s++) {
        for (int c = 0; c < COLUMN_COUNT; c++) {
            for (int p = 0; p < SOBOL_DIMENSIONS; p++) {
                for (int bin = 0; bin < STUDY_BINS; bin++) {
                    writeBin(file, plan, results, &plan->solvers[s], columns[c], p, bin, values);
                }
            }
        }
    }
    free(values);
}
