// One job run in this process, and its result as text.
#define _POSIX_C_SOURCE 200809L
#include "studies/study.h"

#include "result_names.h"
#include "vec.h"

#include <stdlib.h>
#include <string.h>

// --- Columns ---

// Test 7's errors against each of its references, at 2 s, 3 s, when the reference's rod leaves the box, and
// at the end.
#define PUSH_COLUMNS(name)                                                                                   \
    name "_t2_position_m," name "_t2_rotation_deg," name "_t3_position_m," name "_t3_rotation_deg," name     \
         "_contact_end_position_m," name "_contact_end_rotation_deg," name "_final_position_m," name         \
         "_final_rotation_deg,"

const char* studyGetResultColumns(void)
{
    return "outcome,particles,substeps,failed_at_s,t2_position_error_m,final_position_error_m,mean_position_"
           "error_m,"
           "t2_rotation_error_deg,final_rotation_error_deg,mean_rotation_error_deg,t2_velocity_error_mps,"
           "final_velocity_error_mps,mean_velocity_error_mps,t2_linear_momentum_error,final_linear_momentum_"
           "error,"
           "mean_linear_momentum_error,t2_angular_momentum_error,final_angular_momentum_error,"
           "mean_angular_momentum_error,final_signed_position_error_m,final_signed_rotation_error_deg,"
           "final_own_body_error,final_own_euler_error,max_tilt_deg,floor_position_m,floor_rotation_"
           "deg," PUSH_COLUMNS("quasistatic")
               PUSH_COLUMNS("dynamic_tilt") "dynamic_tilt_final_along_m,dynamic_tilt_final_across_m,dynamic_"
                                            "tilt_final_turn_deg,"
                                            "figure,unit,figure_exact,figure_value,energy_error_J,answer,"
                                            "flags,settings,problem";
}

// Processor time of the solver's steps over the whole run, set-up and scoring left out.
const char* studyGetTimingColumns(void)
{
    return "us_per_substep,total_s";
}

// Errors: x along the push, y across it, theta about the vertical, all from the start. Poses: of the centre
// of mass, body axes to the scene's (x along the push, z up, the ground at z = 0). The seed's turn is taken
// back.
const char* studyGetSeriesColumns(StudySeries series)
{
    return series == studyPoses ? "t_s,x_m,y_m,z_m,qw,qx,qy,qz"
                                : "t_s,position_error_m,rotation_error_deg,x_m,y_m,theta_rad";
}

static int countCommas(const char* text, size_t length)
{
    int count = 0;
    for (size_t k = 0; k < length; k++) {
        count += text[k] == ',';
    }
    return count;
}

bool studyIsResult(const char* text)
{
    size_t cells = strcspn(text, "\t");
    if (text[cells] == 0) {
        return false;
    }
    const char* timing = text + cells + 1;
    size_t timingLength = strcspn(timing, "\t");
    const char *wanted = studyGetResultColumns(), *wantedTiming = studyGetTimingColumns();
    return timing[timingLength] == '\t' && strchr(timing + timingLength + 1, '\t') == NULL &&
           countCommas(text, cells) == countCommas(wanted, strlen(wanted)) &&
           countCommas(timing, timingLength) == countCommas(wantedTiming, strlen(wantedTiming));
}

static const char* const outcomeNames[] = {
    [benchMeasured] = "measured",
    [benchDiverged] = "diverged",
    [benchNotSupported] = "not_supported",
    [benchFailed] = "failed",
};

bool studyIsFailure(const char* text)
{
    return strncmp(text, "failed,", 7) == 0;
}

double studyGetResult(const char* text, const char* column)
{
    const char* names = studyGetResultColumns();
    size_t length = strlen(column);
    while (strncmp(names, column, length) != 0 || (names[length] != ',' && names[length] != 0)) {
        size_t name = strcspn(names, ","), cell = strcspn(text, ",\t");
        if (names[name] == 0 || text[cell] != ',') {
            return (double)NAN;
        }
        names += name + 1;
        text += cell + 1;
    }
    char* end = NULL;
    double value = strtod(text, &end);
    return end != text ? value : (double)NAN;
}

// --- Cells ---

static void writeFlags(FILE* file, const BenchRun* run)
{
    const char* between = "";
    if (run->outOfRange) {
        fputs("out_of_range", file);
        between = ";";
    }
    if ((run->flags & pbdr_stepSpeedLimit) != 0) {
        fprintf(file, "%sspeed_limit", between);
        between = ";";
    }
    if ((run->flags & pbdr_stepPairsFull) != 0) {
        fprintf(file, "%spairs_full", between);
        between = ";";
    }
    if ((run->flags & pbdr_stepNotConverged) != 0) {
        fprintf(file, "%snot_converged", between);
    }
}

// What a test of the extended suite is about; nothing in the others. A job that crashed has no test.
static void writeFigure(FILE* file, const BenchRun* run)
{
    const BenchExtended* more = run->test != NULL ? run->test->extended : NULL;
    const char* answer = more != NULL ? benchGetAnswerName(run) : NULL;
    fprintf(file, ",%s,%s", more != NULL ? more->quantity : "", more != NULL ? more->unit : "");
    studyWriteNumber(file, run->errors.exact, false);
    studyWriteNumber(file, run->errors.quantity, false);
    studyWriteNumber(file, run->errors.energy.final, false);
    fprintf(file, ",%s", answer != NULL ? answer : "");
}

static void writeCells(FILE* file, const BenchRun* run)
{
    const BenchErrors* e = &run->errors;
    fprintf(file, "%s,%d,%d", outcomeNames[run->outcome], run->particleCount, run->substepCount);
    studyWriteNumber(file, run->failedAt, false);
    const BenchSeries* series[] = {&e->position, &e->rotation, &e->velocity, &e->linearMomentum,
                                   &e->angularMomentum};
    for (size_t k = 0; k < sizeof series / sizeof series[0]; k++) {
        studyWriteNumber(file, series[k]->t2, false);
        studyWriteNumber(file, series[k]->final, false);
        studyWriteNumber(file, series[k]->mean, false);
    }
    studyWriteNumber(file, e->signedPosition.final, false);
    studyWriteNumber(file, e->signedRotation.final, false);
    studyWriteNumber(file, e->budget.ownBody, false);
    studyWriteNumber(file, e->budget.ownEuler, false);
    studyWriteNumber(file, e->maxTilt, false);
    studyWriteNumber(file, run->floorPosition, false);
    studyWriteNumber(file, run->floorRotation, false);
    _Static_assert(BENCH_REFERENCE_COUNT == 2, "a group of columns for each of Test 7's references");
    for (int k = 0; k < BENCH_REFERENCE_COUNT; k++) {
        const BenchGap gaps[] = {e->pushing[k].t2, e->pushing[k].t3, e->pushing[k].contactEnd,
                                 e->pushing[k].final};
        for (size_t g = 0; g < sizeof gaps / sizeof gaps[0]; g++) {
            studyWriteNumber(file, gaps[g].position, false);
            studyWriteNumber(file, gaps[g].rotation, false);
        }
    }
    const BenchGap* rest = &e->pushing[benchDynamicTilt].final;
    studyWriteNumber(file, rest->along, false);
    studyWriteNumber(file, rest->across, false);
    studyWriteNumber(file, rest->turn, false);
    writeFigure(file, run);
    fputc(',', file);
    writeFlags(file, run);
    fputc(',', file);
    for (int k = 0; k < run->settingCount; k++) {
        fputs(k > 0 ? ";" : "", file);
        studyWriteText(file, run->settings[k].key);
        fputc('=', file);
        studyWriteText(file, run->settings[k].value);
    }
    fputc(',', file);
    studyWriteText(file, run->problem);
    fputc('\t', file);
    studyWriteNumber(file, run->processorTimePerSubstep, true);
    studyWriteNumber(file, 1.0e-6 * run->processorTimePerSubstep * run->substepCount, false);
    fputc('\t', file);
}

// --- Series, from the frames that the runner writes ---

// A field of a row; "" past the last.
static const char* getField(const char* row, int index)
{
    for (; index > 0; index--) {
        row += strcspn(row, ",\n");
        if (*row != ',') {
            return "";
        }
        row++;
    }
    return row;
}

// Where the header has that name; past the last if nowhere.
static int findColumn(const char* header, const char* name)
{
    int index = 0;
    for (const char* field = header; *field != 0; field = getField(header, ++index)) {
        if (strncmp(field, name, strlen(name)) == 0 && strchr(",\n", field[strlen(name)]) != NULL) {
            break;
        }
    }
    return index;
}

static bool isSameField(const char* a, const char* b)
{
    size_t length = strcspn(a, ",\n");
    return length == strcspn(b, ",\n") && strncmp(a, b, length) == 0;
}

static bool isSampled(double t)
{
    return fabs(t / STUDY_SAMPLE_TIME - nearbyint(t / STUDY_SAMPLE_TIME)) <= 1.0e-6;
}

// Points at the multiples of STUDY_SAMPLE_TIME, of the body that the first row is about.
static void writeSeries(FILE* file, const char* frames, double turn)
{
    static const char* const names[] = {
        "t", "px", "py", "qw", "qz", "position_error_m", "rotation_error_deg"};
    enum { T, PX, PY, QW, QZ, POSITION, ROTATION, COLUMNS };
    int columns[COLUMNS], body = findColumn(frames, "body"), points = 0;
    for (int k = 0; k < COLUMNS; k++) {
        columns[k] = findColumn(frames, names[k]);
    }
    const char* firstRow = strchr(frames, '\n') + 1;
    double start[COLUMNS] = {0}, angle = 0.0;
    for (const char* row = firstRow; *row != 0; row = strchr(row, '\n') + 1) {
        double v[COLUMNS];
        for (int k = 0; k < COLUMNS; k++) {
            v[k] = strtod(getField(row, columns[k]), NULL);
        }
        if (row == firstRow) {
            memcpy(start, v, sizeof start);
        } else if (!isSameField(getField(row, body), getField(firstRow, body))) {
            continue;
        }
        // The body turns about the vertical from its start: theta = 2 atan2(z, w) - 2 atan2(z0, w0), without
        // jumps.
        double now = 2.0 * (atan2(v[QZ], v[QW]) - atan2(start[QZ], start[QW]));
        angle = now + 2.0 * BENCH_PI * nearbyint((angle - now) / (2.0 * BENCH_PI));
        if (!isSampled(v[T])) {
            continue;
        }
        double dx = v[PX] - start[PX], dy = v[PY] - start[PY], c = cos(turn), s = sin(turn);
        fprintf(file, "%s%.9g,%.9g,%.9g,%.9g,%.9g,%.9g", points++ > 0 ? ";" : "", v[T], v[POSITION],
                v[ROTATION], c * dx + s * dy, c * dy - s * dx, angle);
    }
}

// The same points as whole poses, for a scene of one body.
static void writePoses(FILE* file, const char* frames, double turn)
{
    static const char* const names[] = {"t", "px", "py", "pz", "qw", "qx", "qy", "qz"};
    enum { T, PX, PY, PZ, QW, QX, QY, QZ, COLUMNS };
    int columns[COLUMNS], points = 0;
    for (int k = 0; k < COLUMNS; k++) {
        columns[k] = findColumn(frames, names[k]);
    }
    double c = cos(turn), s = sin(turn);
    const pbdrQuat back = {cos(0.5 * turn), 0.0, 0.0, -sin(0.5 * turn)};
    for (const char* row = strchr(frames, '\n') + 1; *row != 0; row = strchr(row, '\n') + 1) {
        double v[COLUMNS];
        for (int k = 0; k < COLUMNS; k++) {
            v[k] = strtod(getField(row, columns[k]), NULL);
        }
        if (isSampled(v[T])) {
            pbdrQuat q = benchMulQQ(back, (pbdrQuat){v[QW], v[QX], v[QY], v[QZ]});
            fprintf(file, "%s%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g", points++ > 0 ? ";" : "", v[T],
                    c * v[PX] + s * v[PY], c * v[PY] - s * v[PX], v[PZ], q.w, q.x, q.y, q.z);
        }
    }
}

// --- The run ---

// The whole of it, with whatever was allocated left to the caller. False: stopped.
static bool run(const StudyJob* job, BenchShapes* shapes, BenchScene* scene, FILE* frames,
                BenchProgress progress, void* context, BenchRun* result)
{
    pbdrError error = {.status = pbdr_statusNoMemory, .message = "out of memory"};
    pbdrStatus status = pbdr_statusOk;
    bool stopped = false;
    if (benchUsesMesh(job->test)) {
        status = benchPrepareMesh(shapes, &job->options, &error);
    }
    if (job->test->rod) {
        status = benchPreparePushing(shapes, &job->options, &error);
    }
    if (status == pbdr_statusOk) {
        status = benchMakeScene(job->test, &job->options, shapes, job->seed, scene, &error);
    }
    if (status == pbdr_statusOk) {
        status =
            benchRun(job->solver, scene, &job->options, frames, progress, context, result, &stopped, &error);
    }
    if (status != pbdr_statusOk) {
        result->outcome = benchFailed;
        snprintf(result->problem, sizeof result->problem, "%.255s", error.message);
    }
    return !stopped;
}

static BenchRun getNoRun(void)
{
    return (BenchRun){.outcome = benchFailed,
                      .failedAt = (double)NAN,
                      .timePerSubstep = (double)NAN,
                      .processorTimePerSubstep = (double)NAN,
                      .floorPosition = (double)NAN,
                      .floorRotation = (double)NAN,
                      .errors = benchGetNoErrors()};
}

char* studyRunJob(const StudyJob* job, BenchProgress progress, void* context)
{
    BenchRun result = getNoRun();
    BenchShapes shapes = {0};
    BenchScene scene = {0};
    char *frames = NULL, *text = NULL;
    size_t frameSize = 0, textSize = 0;
    FILE* frameFile = job->series != studyNoSeries ? open_memstream(&frames, &frameSize) : NULL;
    FILE* file = open_memstream(&text, &textSize);
    bool whole = file != NULL && (frameFile != NULL || job->series == studyNoSeries) &&
                 run(job, &shapes, &scene, frameFile, progress, context, &result);
    whole = (frameFile == NULL || fclose(frameFile) == 0) && whole;
    if (whole) {
        writeCells(file, &result);
        if (frames != NULL && frameSize > 0) {
            (job->series == studyPoses ? writePoses : writeSeries)(file, frames, scene.turn);
        }
    }
    whole = file != NULL && fclose(file) == 0 && whole;
    benchFreeScene(&scene);
    benchFreeShapes(&shapes);
    free(frames);
    if (!whole) {
        free(text);
        return NULL;
    }
    return text;
}

char* studyMakeFailure(const char* problem)
{
    BenchRun result = getNoRun();
    snprintf(result.problem, sizeof result.problem, "%s", problem);
    char* text = NULL;
    size_t size = 0;
    FILE* file = open_memstream(&text, &size);
    if (file == NULL) {
        return NULL;
    }
    writeCells(file, &result);
    if (fclose(file) != 0) {
        free(text);
        return NULL;
    }
    return text;
}
