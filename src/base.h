// Shared by all of the library's folders: memory and assertions through the caller's hooks, error messages.
#ifndef PBDR_SRC_BASE_H
#define PBDR_SRC_BASE_H

#include "pbdr/base.h"

// Exported by libpbdr.so for the libraries beside it, libpbdr-meshfile and libpbdr-bodyfile, which are built
// on these few functions. They belong to the binary interface, which holds for one minor version (the SONAME
// names it), and not to the API: no installed header declares them. A function of the core that one of those
// libraries needs and that no public header declares carries this mark; without it the shared library does
// not link.
#define PBDR_PART_API PBDR_API

// Alignment of every allocation [bytes]: one AVX-512 vector, one cache line.
#define PBDR_ALIGNMENT 64

// Zeroed memory for count items, or NULL (also when the product overflows). count 0 gives a valid small
// block.
PBDR_PART_API void* pbdrAllocate(const pbdrHooks* hooks, size_t count, size_t itemSize);

// Gives back what pbdrAllocate returned for the same count and itemSize. NULL is fine.
PBDR_PART_API void pbdrRelease(const pbdrHooks* hooks, void* memory, size_t count, size_t itemSize);

// Fills error (may be NULL) with a printf-style message and returns status, so that a failure is one line:
//     return pbdrFail(error, pbdr_statusInvalidArgument, "radius: %g m is not above zero", radius);
PBDR_PART_API pbdrStatus pbdrFail(pbdrError* error, pbdrStatus status, const char* format, ...)
#ifdef __GNUC__
    __attribute__((format(printf, 3, 4)))
#endif
    ;

// Definitions (types.h) begin with cookie and size. Fills `size` bytes of one, the caller's, from the
// library's defaults of ownSize; what the library does not know is zero.
void pbdrInitDef(void* def, size_t size, const void* defaults, size_t ownSize);

// Reads a caller's definition into `own`, which holds the library's defaults: an older one leaves what it
// does not have. maker: the function that it should come from.
pbdrStatus pbdrReadDef(const void* def, const char* maker, void* own, size_t ownSize, pbdrError* error);

// Reports a programmer's error to the hooks; evaluates to whether the condition holds:
//     if (!PBDR_ASSERT(hooks, world != NULL)) return 0;
PBDR_PART_API bool pbdrReportAssert(const pbdrHooks* hooks, const char* condition, const char* file,
                                    int line);
#define PBDR_ASSERT(hooks, condition)                                                                        \
    ((condition) ? true : pbdrReportAssert((hooks), #condition, __FILE__, __LINE__))

#endif
