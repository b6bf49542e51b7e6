// Parts of studies: shards of job arrays, ranks of mpirun, and the logs that they leave (docs/cluster.md).
#ifndef PBDR_CLI_STUDY_PARTS_H
#define PBDR_CLI_STUDY_PARTS_H

#include "studies/study.h"

// Every count-th job, from the index-th on.
typedef struct StudyShard {
    int index, count; // count 0: there is one, and it is not known which
} StudyShard;

// "I/N", for the table of options.
bool studyParseShard(void* value, const char* text, const char** message);
// The shard of a job array's environment: Slurm's, or a Kubernetes job's. Without one it stays as it is. What is wrong with
// it, with shard->count 0; or NULL.
const char* studyFindShard(StudyShard* shard);
// Leaves the shard's jobs in the plan.
void studyKeepShard(const StudyShard* shard, StudyPlan* plan);

// The part of a log's name: "", "rank-3" or "shard-3-of-8".
void studyNamePart(const StudyCrew* crew, const StudyShard* shard, char* name, size_t size);
// What other ranks have left in their logs; a failure for what they have not.
bool studyGatherParts(const char* folder, const StudyPlan* plan, char** results, pbdrError* error);
// Results of logs in other folders (a list with commas, or NULL), added to a log.
bool studyReadOthers(const char* folders, StudyLog* log, const StudyPlan* plan, char** results,
                     pbdrError* error);

#endif
