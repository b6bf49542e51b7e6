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

// Which tasks must have ended before one begins: all below this index, which is that of the first task of its phase.
typedef int pbdrPhaseStart(const void* data, int index);
// Runs tasks in phases, in the order of their indices: those of a phase may run at the same time. Workers take one after
// the other, so that nobody waits for a task which nobody has begun: any pool will do, also one that runs tasks in turn.
void pbdrRunPhases(pbdrTasks* tasks, int count, pbdrPhaseStart* getStart, pbdrTask* task, void* data);

#endif
