// Work in parallel: many tasks that do not depend on each other, run by the caller's pool or by one of our own.
#ifndef PBDR_TASKS_TASKS_H
#define PBDR_TASKS_TASKS_H

#include "pbdr/types.h"
#include "scene/list.h"

typedef struct pbdrTasks pbdrTasks;

// For so many workers; hooks with run NULL: threads of our own, which sleep while there is nothing to do. NULL without
// memory, or if threads cannot be had.
pbdrTasks* pbdrMakeTasks(pbdrMemory* memory, int workerCount, const pbdrTaskHooks* hooks);
void pbdrFreeTasks(pbdrMemory* memory, pbdrTasks* tasks);

int pbdrCountWorkers(const pbdrTasks* tasks);
pbdrTaskHooks pbdrGetTaskHooks(const pbdrTasks* tasks);
// Runs task(data, index, worker) for every index below count, and returns when all have run.
void pbdrRunTasks(pbdrTasks* tasks, int count, pbdrTask* task, void* data);
// The same for 64 tasks at most, which every worker begins at a place of his own, the same in each call: what he worked on
// in the last one is in his cache. What a worker who is late has not begun, others do.
void pbdrRunKeptTasks(pbdrTasks* tasks, int count, pbdrTask* task, void* data);

#endif
