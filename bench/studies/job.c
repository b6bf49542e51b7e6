// A job's settings as a key, as a label and as cells of a table.
#include "studies/study.h"

#include <math.h>
#include <string.h>

// Raised whenever the result's columns or their meaning change: results of before are then made anew.
#define FORMAT 6

// --- Settings as the scene will have them ---

static double getMu(const StudyJob* job)
{
    return isnan(job->options.mu) || job->test->torque > 0.0 ? job->test->mu : job->options.mu;
}

static double getForce(const StudyJob* job)
{
    return isnan(job->options.force) || !(job->test->force > 0.0) ? job->test->force : job->options.force;
}

// Friction between rod and box; NaN without a rod.
static double getRodFriction(const StudyJob* job)
{
    double own = isnan(job->options.rodFriction) ? getMu(job) : job->options.rodFriction;
    return job->test->rod ? own : (double)NAN;
}

// A setting that only a rod makes use of.
static double getRodSetting(const StudyJob* job, double value)
{
    return job->test->rod ? value : (double)NAN;
}

static bool isMesh(const StudyJob* job)
{
    return benchUsesMesh(job->test);
}

// What the mesh stands on; "" where none touches.
static const char* getBase(const StudyJob* job)
{
    const char* base = benchGetBaseName(job->test, job->solver->capabilities, &job->options);
    return base != NULL ? base : "";
}

static int getLayers(const StudyJob* job)
{
    return job->options.layers > 0 ? job->options.layers : job->options.n;
}

static bool hasCapability(const StudyJob* job, uint32_t bit)
{
    return (job->solver->capabilities & bit) != 0;
}

static const char* getPrecision(const StudyJob* job)
{
    return job->options.precision == benchF32 ? "f32" : "f64";
}

// How the mass is shared out among the spheres; "" without any.
static const char* getMasses(const StudyJob* job)
{
    return !hasCapability(job, pbdr_benchUsesSpheres) ? ""
           : job->options.masses == benchMassesExact  ? "exact"
                                                      : "uniform";
}

static const char* getAblation(const StudyJob* job)
{
    switch (job->options.ablation) {
    case pbdr_ablateVelocityUpdate:
        return "velocity";
    case pbdr_ablateLinearMomentum:
        return "linear";
    case pbdr_ablateAngularMomentum:
        return "angular";
    default:
        return "none";
    }
}

// --- Key and label ---

// Microseconds per substep on one core, roughly: 0.1 per sphere and ten iterations in float, the double of it
// in double.
static double guessSeconds(const StudyJob* job)
{
    const BenchOptions* o = &job->options;
    double us = isMesh(job) ? 40.0 : 6.0;
    if (job->test->extended != NULL) {
        int bodies = job->test->extended->bodyCount;
        return 1.0e-6 * 3.0 * pow(bodies, 1.7) * o->duration / o->timeStep;
    }
    if (hasCapability(job, pbdr_benchUsesSpheres)) {
        double spheres =
            isMesh(job) ? 2191.0 * pow(0.005 / o->radius, 3.0) : (double)o->n * o->n * getLayers(job);
        bool particles = o->engine == pbdr_engineParticle;
        us = 3.0 + (particles ? 0.01 * o->iterations * spheres * (o->precision == benchF32 ? 1.0 : 2.0)
                              : 0.05 * pow(spheres, 2.0 / 3.0));
    }
    return 1.0e-6 * us * o->duration / o->timeStep + (isMesh(job) ? 0.05 : 0.002);
}

void studySealJob(StudyJob* job, uint64_t meshHash)
{
    const BenchOptions* o = &job->options;
    const BenchExtended* more = job->test->extended;
    char body[192], rod[192] = "";
    if (isMesh(job)) {
        snprintf(body, sizeof body,
                 "mesh=%016llx fit=%d stand=%d,%.15g radius=%.15g packing=%d,%d,%.15g contact=%d base=%s",
                 (unsigned long long)meshHash, (int)o->fit, (int)o->stand, o->yaw, o->radius, (int)o->packing,
                 o->count, o->tolerance, (int)o->contact, getBase(job));
    } else {
        snprintf(body, sizeof body, "n=%d layers=%d contact=%d", o->n, getLayers(job), (int)o->contact);
    }
    if (job->test->rod) {
        snprintf(rod, sizeof rod, " mu_rod=%.15g offset=%.15g push_height=%.15g rod_radius=%.15g",
                 getRodFriction(job), o->offset, o->pushHeight, o->rodRadius);
    }
    if (more != NULL) {
        snprintf(rod, sizeof rod,
                 " law=%d bodies=%d numbers=%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g",
                 (int)more->law, more->bodyCount, job->test->mass, job->test->slope, more->push, more->speed,
                 more->spin, more->height, more->restitution, more->ratio, more->gap, more->thickness);
    }
    snprintf(job->key, sizeof job->key,
             "format=%d pbdr=%s test=%d solver=%s engine=%s precision=%s masses=%d %s mu=%.15g force=%.15g%s "
             "duration=%.15g dt=%.15g iterations=%d relaxation=%.15g ablate=%s simd=%d series=%d "
             "seed=%d",
             FORMAT, pbdrVersion(), job->test->number, job->solver->label, benchGetEngineName(job->solver, o),
             getPrecision(job), (int)o->masses, body, getMu(job), getForce(job), rod, o->duration,
             o->timeStep, o->iterations, o->relaxation, getAblation(job), (int)o->simd, job->series,
             job->seed);
    job->expectedSeconds = guessSeconds(job);
}

void studyDescribeJob(const StudyJob* job, char* text, size_t size)
{
    const BenchOptions* o = &job->options;
    char body[192] = "", push[64] = ""; // an engine's name and version has up to 95 characters
    if (hasCapability(job, pbdr_benchUsesSpheres)) {
        const bool named = benchHasEngines(job->solver);
        int length = snprintf(body, sizeof body, " %s%s%s, %s masses,",
                              named ? benchGetEngineName(job->solver, o) : "", named ? " " : "",
                              getPrecision(job), getMasses(job));
        if (isMesh(job)) {
            snprintf(body + length, sizeof body - (size_t)length, " r %g mm,", 1000.0 * o->radius);
        } else {
            snprintf(body + length, sizeof body - (size_t)length, " n %d,", o->n);
        }
    }
    if (job->test->rod) {
        snprintf(push, sizeof push, " offset %g m,", o->offset);
    } else if (job->test->force > 0.0) {
        snprintf(push, sizeof push, " %g N,", getForce(job));
    }
    snprintf(text, size, "test %d %s%s, %s,%s mu %g,%s%s%s%s seed %d", job->test->number, job->test->name,
             benchStandsOnRawMesh(job->test, job->solver->capabilities, o) ? ", raw mesh" : "",
             job->solver->label, body, getMu(job), push, o->ablation != 0 ? " without " : "",
             o->ablation != 0 ? getAblation(job) : "", o->ablation != 0 ? "," : "", job->seed);
}

// --- Cells ---

void studyWriteNumber(FILE* file, double value, bool first)
{
    fputs(first ? "" : ",", file);
    if (isfinite(value)) {
        fprintf(file, "%.17g", value);
    }
}

void studyWriteText(FILE* file, const char* text)
{
    for (; *text != 0; text++) {
        fputc(strchr(",\t\n\r\"", *text) != NULL ? ' ' : *text, file);
    }
}

const char* studyGetJobColumns(void)
{
    return "test,solver,engine,precision,masses,ablate,seed,n,layers,radius_m,mu,force_N,mu_rod,offset_m,"
           "push_"
           "height_m,rod_radius_m,duration_s,"
           "dt_s,"
           "iterations,relaxation,base";
}

void studyWriteJobCells(FILE* file, const StudyJob* job)
{
    const BenchOptions* o = &job->options;
    double none = (double)NAN;
    bool spheres = hasCapability(job, pbdr_benchUsesSpheres), mesh = isMesh(job);
    fprintf(file, "%d,", job->test->number);
    studyWriteText(file, job->solver->label);
    fputc(',', file);
    studyWriteText(file, benchGetEngineName(job->solver, &job->options));
    fprintf(file, ",%s,%s,%s,%d", getPrecision(job), getMasses(job), getAblation(job), job->seed);
    const double cells[] = {
        spheres && !mesh ? o->n : none,
        spheres && !mesh ? getLayers(job) : none,
        spheres && mesh ? o->radius : none,
        getMu(job),
        getForce(job),
        getRodFriction(job),
        getRodSetting(job, o->offset),
        getRodSetting(job, o->pushHeight),
        getRodSetting(job, o->rodRadius),
        o->duration,
        o->timeStep,
        hasCapability(job, pbdr_benchUsesSettings) ? o->iterations : none,
        hasCapability(job, pbdr_benchUsesSettings) ? o->relaxation : none,
    };
    for (size_t k = 0; k < sizeof cells / sizeof cells[0]; k++) {
        if (isfinite(cells[k])) {
            fprintf(file, ",%.15g", cells[k]); // as they were typed: 0.1, not 0.10000000000000001
        } else {
            fputc(',', file);
        }
    }
    fprintf(file, ",%s", getBase(job));
}
