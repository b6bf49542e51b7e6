// Shared by all of the library's folders: memory and assertions through the caller's hooks, error messages.
#ifndef PBDR_SRC_BASE_H
#define PBDR_SRC_BASE_H

#include "pbdr/base.h"

// Alignment of every allocation [bytes]: one AVX-512 vector, one cache line.
#define PBDR_ALIGNMENT 64

// Zeroed memory for count items, or NULL (also when the product overflows). count 0 gives a valid small
// block.
void* pbdrAllocate(const pbdrHooks* hooks, size_t count, size_t itemSize);

// Gives back what pbdrAllocate returned for the same count and itemSize. NULL is fine.
void pbdrRelease(const pbdrHooks* hooks, void* memory, size_t count, size_t itemSize);

// Fills error (may be NULL) with a printf-style message and returns status, so that a failure is one line:
//     return pbdrFail(error, pbdr_statusInvalidArgument, "radius: %g m is not above zero", radius);
pbdrStatus pbdrFail(pbdrError* error, pbdrStatus status, const char* format, ...)
#ifdef __GNUC__
    __attribute__((format(printf, 3, 4)))
#endif
    ;

// Reports a programmer's error to the hooks; evaluates to whether the condition holds:
//     if (!PBDR_ASSERT(hooks, world != NULL)) return 0;
bool pbdrReportAssert(const pbdrHooks* hooks, const char* condition, const char* file, int line);
#define PBDR_ASSERT(hooks, condition)                                                                        \
    ((condition) ? true : pbdrReportAssert((hooks), #condition, __FILE__, __LINE__))

#endif
