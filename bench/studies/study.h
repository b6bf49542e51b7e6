// Studies: the paper's figures and its table as lists of jobs that can be stopped at any time and gone on
// with.
//
//     plan (job lists as data) --> pool (a process per job) --> log (a line per finished job) --> tables
//     (CSV)
//
// A job is one run of one solver on one scene. Its key is a text of all its settings; a finished job is a
// line of the log that begins with its key, so a study that was killed finds there what is done. Tables are
// written from the plan and the log alone, in the plan's order: they do not depend on the order in which jobs
// ended, or on how often.
#ifndef PBDR_BENCH_STUDY_H
#define PBDR_BENCH_STUDY_H

#include "runner.h"

#include <signal.h>

#define STUDY_MAX_SOLVERS 32
#define STUDY_SAMPLE_TIME 0.1 // between the points of a series [s]

// --- Plan ---

// What the command line says about every study.
typedef struct StudySettings {
    int seeds;  // 0: the study's own number
    bool quick; // short runs and few points, to try things out
    int points; // of the study `uncertainty`; 0: its own number
    int solverCount;
    BenchSolver solvers[STUDY_MAX_SOLVERS]; // none: the study's own choice
    const char* meshPath;
    bool meshUsable;   // tests with a mesh can be run
    uint64_t meshHash; // of the file's bytes: another mesh is another key, wherever it lies
} StudySettings;

// What a job records over time.
typedef enum StudySeries {
    studyNoSeries,
    studyErrors, // errors, and the place in the plane
    studyPoses,  // whole poses, to draw the body by
} StudySeries;

typedef struct StudyJob {
    const BenchTest* test;
    const BenchSolver* solver; // the plan's
    BenchOptions options;
    int seed;
    StudySeries series;     // wanted besides
    double expectedSeconds; // a guess, for the time left and to begin with the longest
    char key[768];
} StudyJob;

typedef struct StudyKind {
    const char* name;
    const char* help; // one line
    bool alone;       // timings are the result: one job at a time
    StudySeries series;
    int seeds;
    const char* solvers; // by default: "all", "plain" (all, without presets), names, separated by
                         // commas; those not built are left out
    bool apart;          // no part of "all"
} StudyKind;

typedef struct StudyPlan {
    const StudyKind* kind;
    int solverCount;
    BenchSolver* solvers;
    int jobCount, jobCapacity;
    StudyJob* jobs;
    int seeds;
    bool quick;
    const StudySettings* settings;
    int missingTest;   // a test that this build does not have; 0 for none
    bool missingMesh;  // tests were left out for want of the mesh
    pbdrStatus status; // of adding jobs
} StudyPlan;

// The index-th study, or NULL past the last.
const StudyKind* studyGetKind(int index);

// The study's jobs, in the order of its table. settings must outlive the plan. May have no job: missingTest
// and missingMesh say why, else no solver fits.
pbdrStatus studyMakePlan(const StudyKind* kind, const StudySettings* settings, StudyPlan* plan,
                         pbdrError* error);
void studyFreePlan(StudyPlan* plan);

// The index-th setting of the study `uncertainty`. (uncertainty.c)
void studySpread(uint32_t index, BenchOptions* options);

// --- Job ---

// Fills key and expectedSeconds from the rest.
void studySealJob(StudyJob* job, uint64_t meshHash);
// For people: "test 1 pushed box, pbd-r, mu 0.4, 17 N, seed 1". Names what the study varies.
void studyDescribeJob(const StudyJob* job, char* text, size_t size);

// The columns of a job's settings, and its cells: comma-separated, without line end.
const char* studyGetJobColumns(void);
void studyWriteJobCells(FILE* file, const StudyJob* job);
// A number as in all our CSV files; nothing where there is none. first: no comma before it.
void studyWriteNumber(FILE* file, double value, bool first);
// A text without the separators of CSV and log.
void studyWriteText(FILE* file, const char* text);

// --- Result: what stands behind the key in the log ---
//
//     cells TAB timing cells TAB series        series: points separated by ';', their cells by ','

// Runs a job in this process. The text, to be freed; NULL if progress stopped it or there is no memory.
char* studyRunJob(const StudyJob* job, BenchProgress progress, void* context);
// The text of a job whose process ended before its time.
char* studyMakeFailure(const char* problem);
// Whether a text is a whole result.
bool studyIsResult(const char* text);
// Whether it tells of a failure: such results are shown, not kept, so that the next try may do better.
bool studyIsFailure(const char* text);

const char* studyGetResultColumns(void);
const char* studyGetTimingColumns(void);
const char* studyGetSeriesColumns(StudySeries series);
// The number in a result's column, NaN where there is none.
double studyGetResult(const char* text, const char* column);

// --- Log ---

typedef struct StudyLog {
    int file;
    int appended; // lines, by this process
    char path[4096];
} StudyLog;

// Locks a folder against other studies; part: of the name of the log that is locked, as studyOpenLog has it. Keep the
// file open: the lock ends with this process, however it ends. -1 with the reason in error: somebody else has it (the
// message names the process), or the folder cannot be written.
int studyLockFolder(const char* folder, const char* part, pbdrError* error);

// Opens folder/NAME.log (part: folder/NAME.PART.log, of a rank or a shard), cuts off what a kill left of a last line,
// and hands out its results: results[k] (to be freed) is that of the plan's k-th job, or NULL. Lines of other keys are
// left alone.
pbdrStatus studyOpenLog(StudyLog* log, const char* folder, const char* part, const StudyPlan* plan,
                        char** results, pbdrError* error);
// The same of all of the study's logs in a folder, parts and whole, which stay as they are: a last line that is not whole
// counts for nothing.
pbdrStatus studyReadLogs(const char* folder, const StudyPlan* plan, char** results, pbdrError* error);
// One line by one write.
pbdrStatus studyAppendLog(StudyLog* log, const char* key, const char* result, pbdrError* error);
void studyCloseLog(StudyLog* log);

// --- Pool ---

typedef struct StudyPool {
    const StudyPlan* plan;
    StudyLog* log;
    int processes;               // at once; one if the plan runs alone
    volatile sig_atomic_t* stop; // not 0: end
    // job: the one that has just ended, or -1 every now and then. secondsLeft: estimate.
    void (*report)(void* context, int job, double secondsLeft);
    void* context;
    char** results; // as studyOpenLog left them; filled by the run
    // Where jobs come from, if not all from this process (crew.c): the next one, or one of those below; called for each
    // free place, and at least every `tick` milliseconds.
    int (*take)(void* source, bool free);
    void* source;
    int tick;
} StudyPool;

#define STUDY_NO_JOB_YET (-1)
#define STUDY_NO_JOB_LEFT (-2)

typedef enum StudyEnd {
    studyDone,        // every job has a result, if only a failure
    studyInterrupted, // *stop was set; running jobs were ended
    studyBroken,      // the log could not be written, or no process started: see error
} StudyEnd;

StudyEnd studyRunPool(StudyPool* pool, pbdrError* error);
// The jobs without a result: the longest first, so that no long one is left for the end; a plan that runs alone keeps its
// order. Returns how many there are.
int studyOrderJobs(const StudyPlan* plan, char* const* results, int* order);

// --- Crew: a study on several machines, by MPI (crew.c) ---

// What MPI is needed for: numbers between ranks. A module of its own has it (crew_mpi.c), which is loaded under mpirun.
typedef struct StudyMessages {
    bool (*start)(int* rank, int* count);
    void (*send)(int rank, int tag, int value);
    bool (*receive)(int tag, int* rank, int* value); // false: nothing has come
    void (*end)(void);
} StudyMessages;

typedef struct StudyCrew {
    int rank, count; // of this process, and ranks in all; 0 and 1 without mpirun
    int round;       // studies so far
    const StudyMessages* messages;
} StudyCrew;

// Joins the others if mpirun (srun, mpiexec) has started this process. False with the reason in error: it has, and this
// build has no MPI.
bool studyJoinCrew(StudyCrew* crew, pbdrError* error);
// Runs the pool with all ranks: rank 0 hands jobs out and does its share. Every rank has a log of its own.
StudyEnd studyRunCrew(StudyCrew* crew, StudyPool* pool, pbdrError* error);
// All ranks are done; or this one gives up, and takes the others with it.
void studyLeaveCrew(const StudyCrew* crew);

// --- Faults on purpose ---

// Whether the environment's PBDR_STUDY_FAULT is "kind:count", for tests: kill:K kills the study once it has
// appended K lines to its log, tear:K in the middle of the K-th line, crash:K ends the K-th process it
// starts.
bool studyIsFaultDue(const char* kind, int count);

// --- Tables ---

// A row per job; timings in the last columns.
void studyWriteTable(FILE* file, const StudyPlan* plan, char* const* results);
// A row per point of each job's series.
void studyWriteSeries(FILE* file, const StudyPlan* plan, char* const* results);
// Test 7's references for the first job, at the times of a series: what its trajectories ought to be.
void studyWriteReferences(FILE* file, const StudyPlan* plan, char* const* results);
// The mesh and its packing, for whoever draws the poses: vertices and triangles of the true shape and the
// spheres, each about its own centre of mass. Made of the user's mesh: not ours to give away.
void studyWriteShape(FILE* file, const StudyPlan* plan, char* const* results);
// What the ablations do to each quantity: means over the seeds, and their ratio to the full solver's.
void studyWriteAblations(FILE* file, const StudyPlan* plan, char* const* results);
// The error budget: what of each solver's error in each test is rounding, packing, floor and contact.
void studyWriteBudget(FILE* file, const StudyPlan* plan, char* const* results);
// The study `uncertainty`: moments and quantiles of the errors per solver, and their correlation with each setting.
void studyWriteUncertainty(FILE* file, const StudyPlan* plan, char* const* results);
// And quantiles of the errors over each setting's range, for a figure.
void studyWriteBins(FILE* file, const StudyPlan* plan, char* const* results);

// A run of it: its settings (as studySpread has them) and its error. The writers below sort samples.
typedef struct StudySample {
    double setting[4], value;
} StudySample;

void studySetSample(StudySample* sample, const BenchOptions* options, double value);
// The parts of these tables: a head, and the rows of one solver and one error.
void studyWriteMomentsHead(FILE* file);
void studyWriteMoments(FILE* file, const char* solver, const char* column, StudySample* samples, int count);
void studyWriteQuantilesHead(FILE* file);
void studyWriteQuantiles(FILE* file, const char* solver, const char* column, StudySample* samples, int count);

#endif
