// The study `uncertainty` in batches: Test 7's worlds by the kernel for small worlds (docs/gpu.md), a reference per point
// on the cores.
//
//     points --> references (DIR/uncertainty.references) --+
//            --> worlds, a batch at a time (DIR/uncertainty.SOLVER) --> errors --> tables
//
// A row of these files is a point that is done; a study that was stopped goes on with the others.
#ifndef PBDR_BENCH_SPREAD_H
#define PBDR_BENCH_SPREAD_H

#include "studies/rows.h"
#include "studies/study.h"

#include <pbdr/gpu.h>

typedef struct SpreadStudy {
    const char* folder;
    int points;
    int processes;               // for references
    int threads;                 // of the device, where it is the processor
    int worlds;                  // of a batch at most
    const pbdrDevice* device;    // NULL: references alone
    volatile sig_atomic_t* stop; // not 0: end
    void (*report)(const char* what, int done, int of);
} SpreadStudy;

// Fills the files. studyInterrupted and studyBroken as with any study.
StudyEnd spreadRun(const SpreadStudy* study, pbdrError* error);

// As studyWriteUncertainty and studyWriteBins, from the files: of the points that have both a reference and a run.
pbdrStatus spreadWriteTable(FILE* file, const SpreadStudy* study, pbdrError* error);
pbdrStatus spreadWriteBins(FILE* file, const SpreadStudy* study, pbdrError* error);
// Runs whose rod is caught in the box's face, apart from the others (spread_tail.c).
pbdrStatus spreadWriteTail(FILE* file, const SpreadStudy* study, pbdrError* error);
void spreadWriteTailHead(FILE* file);
// A solver's rows of it. False: out of memory.
bool spreadWriteTailOf(FILE* file, const char* solver, const SpreadRows* references, const SpreadRows* runs,
                       int points);

#endif
