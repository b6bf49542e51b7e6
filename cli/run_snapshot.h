// A run's snapshots: saved as it goes, and taken up again.
//
//     key: makeRunKey(world, &key)                  of the world as the scene and the options made it
//     resumeRun(world, key, path)                   instead of starting; the ledger is on already, if wanted
//     saveRunSnapshot(world, key, path)             at the end of a frame, after its row of the ledger
#ifndef PBDR_CLI_RUN_SNAPSHOT_H
#define PBDR_CLI_RUN_SNAPSHOT_H

#include "pbdr/pbdr.h"

// A hash of the start: of all that the scene and the options say, down to friction and poses. Snapshots of
// other scenes, and of runs with other options, have other keys. Each says on stderr what failed, naming the
// file.
bool makeRunKey(const pbdrWorld* world, uint64_t* key);
// Goes on from a file.
bool resumeRun(pbdrWorld* world, uint64_t key, const char* path);
// Writes the file anew, whole or not at all.
bool saveRunSnapshot(const pbdrWorld* world, uint64_t key, const char* path);

#endif
