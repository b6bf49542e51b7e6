// A snapshot from inside: its layout, and the check that it is whole.
//
//   head | a key per body's place | state (state.c) | checksum of all before
#ifndef PBDR_WORLD_SNAPSHOT_H
#define PBDR_WORLD_SNAPSHOT_H

#include "world/internal.h"

#include "math/hash.h"
#include "pbdr/snapshot.h"

#define PBDR_SNAPSHOT_MAGIC "pbdrsnap"
#define PBDR_BYTE_ORDER 0x01020304u

typedef struct pbdrSnapshotHead {
    char magic[8];
    uint32_t byteOrder, version;
    uint64_t size, stateSize; // [bytes]
    char library[16];         // pbdrVersion
    uint64_t key, substepCount, hash;
    double timeStep;
    pbdrVec3 gravity;
    int32_t solver, precision, engine, contact, mixing;
    uint32_t ablation;
    int32_t placeCount, bodyCount, planeCount; // places for bodies; alive
    int32_t hasLedger;
    pbdrLedgerSums ledger;
} pbdrSnapshotHead;

_Static_assert(sizeof(pbdrSnapshotHead) == 200, "all bytes of a snapshot are defined");

// Of a body's place.
typedef struct pbdrSnapshotBody {
    uint64_t shape; // content hash; 0: nobody is there
    uint32_t generation;
    int32_t kind;
} pbdrSnapshotBody;

// Whether the head is one, of this version, and of `size` bytes. The rest has not been looked at.
pbdrStatus pbdrCheckSnapshotHead(const pbdrSnapshotHead* head, size_t size, const char* name,
                                 pbdrError* error);
// What to say where the checksum is not that of the bytes before it.
pbdrStatus pbdrCheckSnapshotSum(uint64_t stored, uint64_t found, const char* name, pbdrError* error);

#endif
