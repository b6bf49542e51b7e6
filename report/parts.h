// The parts of the report, one per figure or table of the paper. Each writes its section, its figures, its
// tables and its lines of the summary; a part without its results says which are missing.
#ifndef PBDR_REPORT_PARTS_H
#define PBDR_REPORT_PARTS_H

#include "page.h"

void addDrawingsPart(Page* page);
void addTestsPart(Page* page);
// Only where the report's folder has replays (pbdr report --replays).
void addReplaysPart(Page* page);
void addStillsPart(Page* page);
void addBudgetPart(Page* page);
void addSweepPart(Page* page);
void addTimePart(Page* page);
void addTrajectoryPart(Page* page);
void addContactPart(Page* page);
void addRotationPart(Page* page);
void addAblationPart(Page* page);
void addExtendedPart(Page* page);
void addSettingsPart(Page* page);
// Only where the results have the study (docs/cluster.md), which takes a cluster.
void addUncertaintyPart(Page* page);

// Looks for damage in the results of the extended suite alone.
void checkExtendedFile(Page* page);

// A line of the summary: the paper's claim, what it prints, what we found. Each in a printf's pieces of text.
void summarize(Page* page, const char* claim, const char* printed, const char* found);

#endif
