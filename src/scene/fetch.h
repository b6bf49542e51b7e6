// What a step brings into the cache for the one after it: a batch's next world. A few lines at the end of each stage, for a
// burst of them fills the processor's buffers and holds up the step's own loads: 10,000 worlds cost 19 % over a single one
// with all lines of a substep in one go, 8 % with a slower loop of the same, 5 % by stages.
#ifndef PBDR_SCENE_FETCH_H
#define PBDR_SCENE_FETCH_H

#include <stddef.h>

#define PBDR_CACHE_LINE 64 // [bytes]

// Brings the line of an address into the cache, to be written. Nothing is read: the address may be anything.
#ifdef __GNUC__
#define PBDR_FETCH(address) __builtin_prefetch((address), 1, 3)
#else
#define PBDR_FETCH(address) ((void)(address))
#endif

#define PBDR_FETCH_LINES 8 // that are fetched together, without a loop's instructions
#define PBDR_FETCH_BYTES ((size_t)PBDR_FETCH_LINES * PBDR_CACHE_LINE)

typedef struct pbdrFetch {
    const char* next;
    int blocks, atATime; // of PBDR_FETCH_BYTES: that are left to be fetched, and in one go
} pbdrFetch;

static inline void pbdrFetchSome(pbdrFetch* fetch)
{
    for (int k = 0; k < fetch->atATime && fetch->blocks > 0; k++) {
        const char* line = fetch->next;
        PBDR_FETCH(line);
        PBDR_FETCH(line + 1 * PBDR_CACHE_LINE);
        PBDR_FETCH(line + 2 * PBDR_CACHE_LINE);
        PBDR_FETCH(line + 3 * PBDR_CACHE_LINE);
        PBDR_FETCH(line + 4 * PBDR_CACHE_LINE);
        PBDR_FETCH(line + 5 * PBDR_CACHE_LINE);
        PBDR_FETCH(line + 6 * PBDR_CACHE_LINE);
        PBDR_FETCH(line + 7 * PBDR_CACHE_LINE);
        fetch->next += PBDR_FETCH_BYTES;
        fetch->blocks--;
    }
}

#endif
