// What a run adds up, and how it tells it.
#define _POSIX_C_SOURCE 200809L
#include "run.h"

#include "names.h"

#include "json_writer.h"
#include "pbdr/ledger.h"
#include "pbdr/profile.h"
#include "runner.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const uint32_t flagBits[4] = {pbdr_stepNotConverged, pbdr_stepPairsFull, pbdr_stepSpeedLimit,
                                     pbdr_stepNotFinite};
static const char* const flagNames[4] = {"not_converged", "pairs_full", "speed_limit", "not_finite"};

static double getCpuSeconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1.0e-9 * (double)now.tv_nsec;
}

// Kinetic and potential energy of the dynamic bodies [J].
static double getEnergy(const pbdrSceneWorld* run)
{
    pbdrLedger row;
    pbdrWorld_GetLedger(run->world, &row);
    return row.kineticEnergy + row.potentialEnergy;
}

// Counts the contacts and finds the deepest [m]; false without memory for them.
static bool measureContacts(RunSummary* summary, const pbdrSceneWorld* run, int* count, double* deepest)
{
    *deepest = 0.0;
    *count = pbdrWorld_GetContacts(run->world, summary->buffer, summary->bufferRoom);
    if (*count > summary->bufferRoom) {
        free(summary->buffer);
        summary->bufferRoom = 2 * *count;
        summary->buffer = malloc((size_t)summary->bufferRoom * sizeof *summary->buffer);
        if (summary->buffer == NULL) {
            summary->bufferRoom = 0;
            return false;
        }
        pbdrWorld_GetContacts(run->world, summary->buffer, summary->bufferRoom);
    }
    for (int k = 0; k < *count; k++) {
        *deepest = fmax(*deepest, -summary->buffer[k].separation);
    }
    return true;
}

static bool look(RunSummary* summary, const pbdrSceneWorld* run)
{
    int count;
    double deepest;
    const double energy = getEnergy(run);
    if (!measureContacts(summary, run, &count, &deepest)) {
        return false;
    }
    summary->deepest = fmax(summary->deepest, deepest);
    for (int k = 0; k < run->scene->jointCount; k++) {
        summary->gap = fmax(summary->gap, pbdrJoint_GetGap(run->world, run->joints[k]));
        summary->turn = fmax(summary->turn, pbdrJoint_GetTurnGap(run->world, run->joints[k]));
    }
    summary->contacts += count;
    summary->looks++;
    summary->energyRise = fmax(summary->energyRise, energy - summary->energyLeast);
    summary->energyLeast = fmin(summary->energyLeast, energy);
    summary->energyEnd = energy;
    return true;
}

double getLargestSpeed(const pbdrSceneWorld* run)
{
    double largest = 0.0;
    for (int i = 0; i < run->idCount; i++) {
        const pbdrVec3 v = pbdrBody_GetVelocity(run->world, run->ids[i]).linear;
        if (pbdrBody_GetKind(run->world, run->ids[i]) == pbdr_bodyDynamic) {
            largest = fmax(largest, sqrt(v.x * v.x + v.y * v.y + v.z * v.z));
        }
    }
    return largest;
}

bool startSummary(RunSummary* summary, const pbdrSceneWorld* run, int64_t keepTimes)
{
    *summary = (RunSummary){.substeps = 0};
    summary->energyStart = summary->energyEnd = summary->energyLeast = getEnergy(run);
    if (keepTimes > 0) {
        summary->timeRoom = keepTimes;
        summary->times = malloc((size_t)keepTimes * sizeof *summary->times);
        pbdrWorld_SetProfiling(run->world, true); // for Newton steps and residual: 0.15 us a substep
    }
    return keepTimes == 0 || summary->times != NULL;
}

void freeSummary(RunSummary* summary)
{
    free(summary->times);
    free(summary->buffer);
    summary->times = NULL;
    summary->buffer = NULL;
}

uint32_t stepTimed(RunSummary* summary, pbdrSceneWorld* run)
{
    const double wall = benchGetSeconds(), cpu = getCpuSeconds();
    const uint32_t flags = pbdrSceneWorld_Step(run, 1);
    const double spent = getCpuSeconds() - cpu;
    summary->wallSeconds += benchGetSeconds() - wall;
    summary->cpuSeconds += spent;
    summary->substeps++;
    if (summary->timeCount < summary->timeRoom) {
        summary->times[summary->timeCount++] = spent;
    }
    for (int k = 0; k < 4; k++) {
        summary->flagged[k] += (flags & flagBits[k]) != 0;
    }
    if (summary->times != NULL && !look(summary, run)) {
        summary->failed = true;
    }
    return flags;
}

bool addFrame(RunSummary* summary, const pbdrSceneWorld* run)
{
    return !summary->failed && (summary->times != NULL || look(summary, run));
}

// --- Telling it ---

static int compareTimes(const void* a, const void* b)
{
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static double getMean(const double* values, int64_t count)
{
    double sum = 0.0;
    for (int64_t k = 0; k < count; k++) {
        sum += values[k];
    }
    return count > 0 ? sum / (double)count : (double)NAN;
}

// Changes the order of the times.
static void writeTimes(JsonWriter* json, const RunSummary* summary)
{
    const int64_t count = summary->timeCount, quarter = count / 4;
    double* times = summary->times;
    jsonOpen(json, "cpu_us_per_substep", '{');
    if (count > 0) {
        jsonNumber(json, "mean", 1.0e6 * getMean(times, count));
        jsonNumber(json, "last_quarter", 1.0e6 * getMean(times + count - quarter, quarter));
        qsort(times, (size_t)count, sizeof *times, compareTimes);
        jsonNumber(json, "p50", 1.0e6 * times[count / 2]);
        jsonNumber(json, "p99", 1.0e6 * times[(count * 99) / 100]);
        jsonNumber(json, "max", 1.0e6 * times[count - 1]);
    }
    jsonClose(json, '}');
}

void writeSummary(FILE* file, const RunSummary* summary, const pbdrSceneWorld* run, int threads,
                  const char* hash)
{
    static const char* const efforts[] = {"fast", "balanced", "exact"};
    const double tolerance = pbdrWorld_GetTolerance(run->world);
    const double perStep = summary->substeps > 0 ? 1.0 / (double)summary->substeps : (double)NAN;
    const double perLook = summary->looks > 0 ? 1.0 / (double)summary->looks : (double)NAN;
    const bool solves = pbdrWorld_GetSolver(run->world) == pbdr_solverXpbdR;
    pbdrProfile profile;
    pbdrWorld_GetProfile(run->world, &profile);
    JsonWriter json = {file, 0, true};
    jsonOpen(&json, NULL, '{');
    jsonText(&json, "schema", "pbdr-run/2");
    jsonText(&json, "version", pbdrVersion());
    jsonText(&json, "scene", run->scene->path);
    jsonText(&json, "solver", solverNames[pbdrWorld_GetSolver(run->world)]);
    jsonText(&json, "contact",
             pbdrWorld_GetContactKind(run->world) == pbdr_contactSurface ? "surface" : "spheres");
    jsonNumber(&json, "time_step_s", pbdrWorld_GetTimeStep(run->world));
    jsonText(&json, "effort", efforts[pbdrWorld_GetEffort(run->world)]);
    jsonNumber(&json, "tolerance", tolerance > 0.0 ? tolerance : PBDR_DEFAULT_TOLERANCE);
    jsonNumber(&json, "max_newton_steps",
               pbdrWorld_GetMaxNewtonSteps(run->world)); // 0: as the solver sees fit
    jsonTruth(&json, "sleeping", pbdrWorld_HasSleeping(run->world));
    jsonNumber(&json, "bodies", run->scene->bodyCount);
    jsonNumber(&json, "substeps", (double)summary->substeps);
    jsonNumber(&json, "duration_s",
               (double)pbdrWorld_GetSubstepCount(run->world) * pbdrWorld_GetTimeStep(run->world));
    jsonNumber(&json, "threads", threads);
    writeTimes(&json, summary);
    jsonNumber(&json, "wall_us_per_substep", 1.0e6 * summary->wallSeconds * perStep);
    jsonNumber(&json, "contacts_mean", summary->contacts * perLook);
    jsonOpen(&json, "flags", '{');
    for (int k = 0; k < 4; k++) {
        jsonNumber(&json, flagNames[k], (double)summary->flagged[k]);
    }
    jsonClose(&json, '}');
    jsonNumber(&json, "deepest_penetration_m", summary->deepest);
    if (run->scene->jointCount > 0) {
        jsonNumber(&json, "largest_joint_gap_m", summary->gap);
        jsonNumber(&json, "largest_joint_turn_rad", summary->turn);
    }
    jsonNumber(&json, "energy_start_J", summary->energyStart);
    jsonNumber(&json, "energy_end_J", summary->energyEnd);
    jsonNumber(&json, "largest_energy_rise_J", summary->energyRise);
    jsonNumber(&json, "max_speed_end_mps", getLargestSpeed(run));
    jsonNumber(&json, "largest_residual", profile.residual);
    jsonNumber(&json, "newton_steps_mean",
               solves ? (double)profile.newtonSteps.sum / (double)profile.substepCount : (double)NAN);
    jsonNumber(&json, "asleep_end", pbdrWorld_CountAsleep(run->world));
    if (hash != NULL) {
        jsonText(&json, "hash", hash);
    }
    jsonOpen(&json, "ignored", '[');
    for (int k = 0; k < run->scene->ignoredCount; k++) {
        jsonText(&json, NULL, run->scene->ignored[k]);
    }
    jsonClose(&json, ']');
    jsonClose(&json, '}');
    fputc('\n', file);
}

void printSummary(const RunSummary* summary, const pbdrSceneWorld* run, const char* hash)
{
    static const char* const words[4] = {"contact forces not converged", "contacts dropped, pairs full",
                                         "a body over the speed limit", "a state that is not finite"};
    int moving = 0;
    for (int i = 0; i < run->scene->bodyCount; i++) {
        moving += run->scene->bodies[i].kind != pbdr_bodyStatic;
    }
    printf("%d bodies, %d of them moving, %d planes; %lld substeps of %g s to t = %g s\n",
           run->scene->bodyCount, moving, run->scene->planeCount, (long long)summary->substeps,
           pbdrWorld_GetTimeStep(run->world),
           (double)pbdrWorld_GetSubstepCount(run->world) * pbdrWorld_GetTimeStep(run->world));
    printf("%.1f us of processor time a substep, %.1f contacts, %.2g m of penetration at most\n",
           1.0e6 * summary->cpuSeconds / fmax(1.0, (double)summary->substeps),
           summary->contacts / fmax(1.0, (double)summary->looks), summary->deepest);
    if (run->scene->jointCount > 0) {
        printf("%d joints, %.2g m and %.2g rad open at most\n", run->scene->jointCount, summary->gap,
               summary->turn);
    }
    printf("at the end: largest speed %.3g m/s, energy %.6g J (at the start %.6g J)\n", getLargestSpeed(run),
           summary->energyEnd, summary->energyStart);
    for (int k = 0; k < 4; k++) {
        if (summary->flagged[k] > 0) {
            benchPrintMessage("pbdr run: warning: %s in %lld of %lld substeps\n", words[k],
                              (long long)summary->flagged[k], (long long)summary->substeps);
        }
    }
    if (hash != NULL) {
        printf("hash %s\n", hash);
    }
}
