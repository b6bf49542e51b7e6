#include "study_parts.h"

#include "fail.h"

#include <stdlib.h>
#include <string.h>

#define MOST_SHARDS 1000000

// --- Shards ---

bool studyParseShard(void* value, const char* text, const char** message)
{
    StudyShard* shard = value;
    char* end = NULL;
    const long index = strtol(text, &end, 10);
    const long count = *end == '/' ? strtol(end + 1, &end, 10) : 0;
    if (*end != 0 || count < 1 || count > MOST_SHARDS || index < 0 || index >= count) {
        *message = "I/N wanted, I from 0 to N-1";
        return false;
    }
    *shard = (StudyShard){(int)index, (int)count};
    return true;
}

// A number of the environment; false where there is none.
static bool getNumber(const char* name, long* number)
{
    const char* text = getenv(name);
    char* end = NULL;
    if (text == NULL || text[0] == 0) {
        return false;
    }
    *number = strtol(text, &end, 10);
    return *end == 0;
}

const char* studyFindShard(StudyShard* shard)
{
    long index = 0, count = 0, first = 0, step = 1;
    if (getNumber("SLURM_ARRAY_TASK_ID", &index)) {
        getNumber("SLURM_ARRAY_TASK_MIN", &first);
        if (getNumber("SLURM_ARRAY_TASK_STEP", &step) && step > 0) {
            index = (index - first) / step;
        } else {
            index -= first;
        }
        getNumber("SLURM_ARRAY_TASK_COUNT", &count);
    } else if (getNumber("JOB_COMPLETION_INDEX", &index)) {
        getNumber("JOB_COMPLETIONS", &count);
    } else {
        return NULL;
    }
    if (count < 1 || count > MOST_SHARDS || index < 0 || index >= count) {
        shard->count = 0;
        return "a job array is in the environment (SLURM_ARRAY_TASK_ID or JOB_COMPLETION_INDEX), but how "
               "many parts "
               "it has is not (SLURM_ARRAY_TASK_COUNT, JOB_COMPLETIONS); give --shard I/N, or --shard 0/1 "
               "for all jobs";
    }
    *shard = (StudyShard){(int)index, (int)count};
    return NULL;
}

void studyKeepShard(const StudyShard* shard, StudyPlan* plan)
{
    int kept = 0;
    for (int k = 0; k < plan->jobCount; k++) {
        if (k % shard->count == shard->index) {
            plan->jobs[kept++] = plan->jobs[k];
        }
    }
    plan->jobCount = kept;
}

// --- Logs ---

void studyNamePart(const StudyCrew* crew, const StudyShard* shard, char* name, size_t size)
{
    name[0] = 0;
    if (crew->count > 1) {
        snprintf(name, size, "rank-%d", crew->rank);
    } else if (shard->count > 1) {
        snprintf(name, size, "shard-%d-of-%d", shard->index, shard->count);
    }
}

bool studyGatherParts(const char* folder, const StudyPlan* plan, char** results, pbdrError* error)
{
    if (studyReadLogs(folder, plan, results, error) != pbdr_statusOk) {
        return false;
    }
    for (int k = 0; k < plan->jobCount; k++) {
        if (results[k] == NULL) {
            results[k] = studyMakeFailure("failed on another rank, whose messages say why");
            if (results[k] == NULL) {
                benchFail(error, pbdr_statusNoMemory, "out of memory");
                return false;
            }
        }
    }
    return true;
}

static bool readFolder(const char* folder, StudyLog* log, const StudyPlan* plan, char** results,
                       pbdrError* error)
{
    char** found = calloc((size_t)plan->jobCount + 1, sizeof *found);
    bool good = found != NULL ? studyReadLogs(folder, plan, found, error) == pbdr_statusOk
                              : benchFail(error, pbdr_statusNoMemory, "out of memory") == pbdr_statusOk;
    for (int k = 0; found != NULL && k < plan->jobCount; k++) {
        if (good && found[k] != NULL && results[k] == NULL) {
            results[k] = found[k];
            good = studyAppendLog(log, plan->jobs[k].key, found[k], error) == pbdr_statusOk;
        } else {
            free(found[k]);
        }
    }
    free(found);
    return good;
}

bool studyReadOthers(const char* folders, StudyLog* log, const StudyPlan* plan, char** results,
                     pbdrError* error)
{
    bool good = true;
    while (good && folders != NULL && *folders != 0) {
        char folder[4096];
        const size_t length = strcspn(folders, ",");
        snprintf(folder, sizeof folder, "%.*s", (int)(length < 4000 ? length : 4000), folders);
        good = length == 0 || readFolder(folder, log, plan, results, error);
        folders += length + (folders[length] == ',');
    }
    return good;
}
