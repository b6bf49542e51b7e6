// The pair of Runge-Kutta formulas of orders 5 and 4 by Dormand & Prince (1980), the step chosen by their
// difference.
#include "stepper.h"

#include <math.h>
#include <string.h>

#define STAGES 7
#define EVENT_TIME 1.0e-13 // to which events are located [s]

static const double nodes[STAGES] = {0.0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1.0, 1.0};
static const double matrix[STAGES][STAGES - 1] = {
    {0},
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {35.0 / 384, 0.0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784,
     11.0 / 84}, // the fifth-order result is the last stage
};
static const double errorWeights[STAGES] = {71.0 / 57600,      0.0,          -71.0 / 16695, 71.0 / 1920,
                                            -17253.0 / 339200, 22.0 / 525.0, -1.0 / 40};

typedef struct Step {
    double y[BENCH_MAX_STATE];
    double rate[BENCH_MAX_STATE]; // at the end
    double margins[BENCH_MAX_MARGINS];
    double error; // over the tolerance
} Step;

// One step of length h from y, whose rate is known. False if a stage has no rate.
static bool takeStep(const BenchSystem* system, double t, const double* y, const double* rate, double h,
                     Step* step)
{
    double k[STAGES][BENCH_MAX_STATE];
    memcpy(k[0], rate, sizeof k[0]);
    for (int stage = 1; stage < STAGES; stage++) {
        for (int i = 0; i < system->size; i++) {
            double sum = 0.0;
            for (int j = 0; j < stage; j++) {
                sum += matrix[stage][j] * k[j][i];
            }
            step->y[i] = y[i] + h * sum;
        }
        if (!system->rate(system->context, t + nodes[stage] * h, step->y, k[stage], step->margins)) {
            return false;
        }
    }
    memcpy(step->rate, k[STAGES - 1], sizeof step->rate);
    step->error = 0.0;
    for (int i = 0; i < system->size; i++) {
        double sum = 0.0;
        for (int j = 0; j < STAGES; j++) {
            sum += errorWeights[j] * k[j][i];
        }
        // A NaN must count as an error.
        double share = fabs(h * sum) / (system->tolerance * system->scale[i]);
        step->error = share <= step->error ? step->error : share;
    }
    return true;
}

// The first margin under its floor, or benchReachedEnd.
static int findEvent(const BenchSystem* system, const double* margins)
{
    for (int k = 0; k < system->marginCount; k++) {
        if (!(margins[k] >= system->floor[k])) {
            return k;
        }
    }
    return benchReachedEnd;
}

// Shortens an accepted step to the moment just after the first event within it. Returns its length.
static double cutAtEvent(const BenchSystem* system, double t, const double* y, const double* rate, double h,
                         Step* step, int* event)
{
    double low = 0.0, high = h;
    while (high - low > EVENT_TIME && 0.5 * (low + high) > low) {
        double middle = 0.5 * (low + high);
        Step trial;
        if (!takeStep(system, t, y, rate, middle, &trial)) {
            break;
        }
        int found = findEvent(system, trial.margins);
        if (found == benchReachedEnd) {
            low = middle;
        } else {
            high = middle;
            *step = trial;
            *event = found;
        }
    }
    return high;
}

int benchAdvance(const BenchSystem* system, double* t, double* y, double end, double* step, int* stepCount)
{
    double rate[BENCH_MAX_STATE] = {0}, margins[BENCH_MAX_MARGINS];
    if (!system->rate(system->context, *t, y, rate, margins)) {
        return benchRateFailed;
    }
    while (*t < end) {
        double h = fmin(fmin(*step, system->maxStep), end - *t);
        bool last = h >= end - *t;
        Step next;
        bool defined = takeStep(system, *t, y, rate, h, &next);
        if (!defined || !(next.error <= 1.0)) {
            *step = h * (defined && isfinite(next.error) ? fmax(0.2, 0.9 * pow(next.error, -0.2)) : 0.2);
            if (!(*step > 1.0e-15 * fmax(*t, 1.0e-3))) {
                return defined ? benchStepTooSmall : benchRateFailed;
            }
            continue;
        }
        int event = findEvent(system, next.margins);
        double taken = event == benchReachedEnd ? h : cutAtEvent(system, *t, y, rate, h, &next, &event);
        memcpy(y, next.y, (size_t)system->size * sizeof *y);
        memcpy(rate, next.rate, sizeof rate);
        *t = event == benchReachedEnd && last ? end : *t + taken;
        (*stepCount)++;
        if (event != benchReachedEnd) {
            return event;
        }
        // A step that was cut short by the end says little about the next one.
        double wanted = h * fmin(5.0, 0.9 * pow(fmax(next.error, 1.0e-10), -0.2));
        *step = last ? fmax(*step, wanted) : wanted;
    }
    return benchReachedEnd;
}
