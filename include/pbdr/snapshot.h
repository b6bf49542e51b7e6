// Snapshots: a world's state in a file, or as bytes that can be kept for long, with all that tells whether a
// world can go on from them. Beside the state (pbdrWorld_GetState) a snapshot holds its version, the solver and
// settings, the content hashes of all shapes, the ledger's sums and a checksum. Whatever is truncated, damaged
// or of another world is refused with a message that names the file and what is wrong, and the world stays as
// it was. Like states, snapshots are for the same version on the same kind of machine.
#ifndef PBDR_SNAPSHOT_H
#define PBDR_SNAPSHOT_H

#include "pbdr/types.h"

#ifdef __cplusplus
extern "C" {
#endif

// Of the format: other versions are refused.
#define PBDR_SNAPSHOT_VERSION 1

// What a snapshot says of itself.
typedef struct pbdrSnapshotInfo {
    uint64_t key;          // the caller's
    uint64_t substepCount; // taken when it was made
    double timeStep;       // [s]
    pbdrVec3 gravity;      // [m/s^2]
    pbdrSolver solver;
    pbdrPrecision precision;
    pbdrEngine engine;
    pbdrContactKind contact;
    int bodyCount, planeCount; // alive
    uint64_t hash;             // pbdrWorld_GetHash of the world
    uint64_t size;             // of the whole [bytes]
} pbdrSnapshotInfo;

// --- Files ---

// Writes path.tmp beside the file and renames it: at any time there is the old file or the new one, whole. key:
// a number of the caller's that must be the same when it is loaded, such as a hash of the scene; 0 for none.
PBDR_API pbdrStatus pbdrWorld_SaveSnapshot(const pbdrWorld* world, uint64_t key, const char* path,
                                           pbdrError* error);
// Goes on from a file: the world then has the bits of the one that saved it, its settings included, and if its
// ledger is on, the ledger's sums (zero if that world kept none). Bodies, planes and fixed settings must have
// been made by the same calls.
PBDR_API pbdrStatus pbdrWorld_LoadSnapshot(pbdrWorld* world, uint64_t key, const char* path,
                                           pbdrError* error);
// What a file says of itself; refused unless it is whole.
PBDR_API pbdrStatus pbdrReadSnapshotInfo(const char* path, pbdrSnapshotInfo* info, pbdrError* error);

// --- Bytes ---

// The same as bytes. name: what messages call them, such as a file's path; NULL: "snapshot".
PBDR_API size_t pbdrWorld_GetSnapshotSize(const pbdrWorld* world);
PBDR_API pbdrStatus pbdrWorld_GetSnapshot(const pbdrWorld* world, uint64_t key, void* buffer, size_t size,
                                          pbdrError* error);
PBDR_API pbdrStatus pbdrWorld_SetSnapshot(pbdrWorld* world, uint64_t key, const void* buffer, size_t size,
                                          const char* name, pbdrError* error);

// The 64-bit hash by which snapshots are checked and shapes are known (FNV-1a).
PBDR_API uint64_t pbdrHashBytes(const void* bytes, size_t size);

#ifdef __cplusplus
}
#endif

#endif
