// Memory that is counted, for tests of what the library takes and gives back.
#ifndef PBDR_TESTS_LEDGER_H
#define PBDR_TESTS_LEDGER_H

#include "pbdr/base.h"

#include <stdlib.h>

// An allocator that counts, and fails on demand.
typedef struct Ledger {
    size_t bytes;    // held now
    int blocks;      // held now
    int allocations; // ever
    int failAt;      // this allocation (from 1) returns NULL; 0: none
    int assertions;  // reported
} Ledger;

static inline void* ledgerAllocate(void* context, size_t size, size_t alignment)
{
    Ledger* ledger = context;
    if (++ledger->allocations == ledger->failAt) {
        return NULL;
    }
    void* memory = aligned_alloc(alignment, size);
    ledger->bytes += size;
    ledger->blocks++;
    return memory;
}

static inline void ledgerRelease(void* context, void* memory, size_t size)
{
    Ledger* ledger = context;
    ledger->bytes -= size;
    ledger->blocks--;
    free(memory);
}

static inline void ledgerAssert(void* context, const char* condition, const char* file, int line)
{
    (void)condition, (void)file, (void)line;
    ((Ledger*)context)->assertions++;
}

static inline pbdrHooks makeHooks(Ledger* ledger)
{
    return (pbdrHooks){ledgerAllocate, ledgerRelease, ledgerAssert, ledger};
}

#endif
