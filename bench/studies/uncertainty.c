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

static int compareSamples(const void* a, const void* b)
{
    const double x = ((const StudySample*)a)->value, y = ((const StudySample*)b)->value;
    return (x > y) - (x < y);
}

void studySetSample(StudySample* sample, const BenchOptions* options, double value)
{
    for (int p = 0; p < SOBOL_DIMENSIONS; p++) {
        sample->setting[p] = getParameter(options, p);
    }
    sample->value = value;
}

void studyWriteMomentsHead(FILE* file)
{
    fputs("solver,quantity,runs,mean,standard_deviation,least,q05,median,q95,most", file);
    for (int p = 0; p < SOBOL_DIMENSIONS; p++) {
        fprintf(file, ",correlation_%s", ranges[p].name);
    }
    fputc('\n', file);
}

void studyWriteMoments(FILE* file, const char* solver, const char* column, StudySample* samples, int count)
{
    double sum = 0.0, square = 0.0, along[SOBOL_DIMENSIONS] = {0.0}, own[SOBOL_DIMENSIONS] = {0.0},
           with[SOBOL_DIMENSIONS] = {0.0};
    for (int k = 0; k < count; k++) {
        const double value = samples[k].value;
        sum += value;
        square += value * value;
        for (int p = 0; p < SOBOL_DIMENSIONS; p++) {
            const double x = samples[k].setting[p];
            along[p] += x;
            own[p] += x * x;
            with[p] += x * value;
        }
    }
    fprintf(file, "%s,%s,%d", solver, column, count);
    if (count == 0) {
        fputs(",,,,,,,,,,\n", file);
        return;
    }
    qsort(samples, (size_t)count, sizeof *samples, compareSamples);
    const double mean = sum / count, variance = fmax(0.0, square / count - mean * mean);
    const double numbers[] = {mean,
                              sqrt(variance),
                              samples[0].value,
                              samples[(int)(0.05 * count)].value,
                              samples[count / 2].value,
                              samples[(int)(0.95 * count)].value,
                              samples[count - 1].value};
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

void studyWriteQuantilesHead(FILE* file)
{
    fputs("solver,quantity,setting,middle,runs,q05,q25,median,q75,q95\n", file);
}

// A row: quantiles of the samples whose setting p lies in a bin. values is scratch. Samples are sorted by their values.
static void writeBin(FILE* file, const char* solver, const char* column, const StudySample* samples,
                     int count, int p, int bin, double* values)
{
    const double width = (ranges[p].most - ranges[p].least) / STUDY_BINS,
                 from = ranges[p].least + bin * width;
    int in = 0;
    for (int k = 0; k < count; k++) {
        const double x = samples[k].setting[p];
        if ((int)fmin((x - ranges[p].least) / width, STUDY_BINS - 1.0) == bin) {
            values[in++] = samples[k].value;
        }
    }
    if (in == 0) {
        return;
    }
    fprintf(file, "%s,%s,%s,%.6g,%d", solver, column, ranges[p].name, from + 0.5 * width, in);
    const double shares[] = {0.05, 0.25, 0.5, 0.75, 0.95};
    for (size_t k = 0; k < sizeof shares / sizeof shares[0]; k++) {
        fprintf(file, ",%.6g", values[(int)(shares[k] * in)]);
    }
    fputc('\n', file);
}

void studyWriteQuantiles(FILE* file, const char* solver, const char* column, StudySample* samples, int count)
{
    double* values = calloc((size_t)count + 1, sizeof *values);
    qsort(samples, (size_t)count, sizeof *samples, compareSamples);
    for (int p = 0; p < SOBOL_DIMENSIONS && values != NULL; p++) {
        for (int bin = 0; bin < STUDY_BINS; bin++) {
            writeBin(file, solver, column, samples, count, p, bin, values);
        }
    }
    free(values);
}

// The errors that are looked at.
static const char* const columns[] = {"dynamic_tilt_final_position_m", "dynamic_tilt_final_rotation_deg",
                                      "quasistatic_final_position_m", "quasistatic_final_rotation_deg"};
enum { COLUMN_COUNT = sizeof columns / sizeof columns[0] };

// What `write` makes of each solver's jobs and each error.
static void writeAll(FILE* file, const StudyPlan* plan, char* const* results,
                     void (*write)(FILE*, const char*, const char*, StudySample*, int))
{
    StudySample* samples = calloc((size_t)plan->jobCount + 1, sizeof *samples);
    for (int s = 0; samples != NULL && s < plan->solverCount; s++) {
        for (int c = 0; c < COLUMN_COUNT; c++) {
            int count = 0;
            for (int k = 0; k < plan->jobCount; k++) {
                const double value = studyGetResult(results[k], columns[c]);
                if (plan->jobs[k].solver == &plan->solvers[s] && isfinite(value)) {
                    studySetSample(&samples[count++], &plan->jobs[k].options, value);
                }
            }
            write(file, plan->solvers[s].label, columns[c], samples, count);
        }
    }
    free(samples);
}

void studyWriteUncertainty(FILE* file, const StudyPlan* plan, char* const* results)
{
    studyWriteMomentsHead(file);
    writeAll(file, plan, results, studyWriteMoments);
}

void studyWriteBins(FILE* file, const StudyPlan* plan, char* const* results)
{
    studyWriteQuantilesHead(file);
    writeAll(file, plan, results, studyWriteQuantiles);
}
