// Version, status codes, error messages and hooks: what every other pbdr header builds on.
#ifndef PBDR_BASE_H
#define PBDR_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PBDR_VERSION_MAJOR 0
#define PBDR_VERSION_MINOR 2
#define PBDR_VERSION_PATCH 0

#if defined(_WIN32) && defined(PBDR_SHARED)
#ifdef PBDR_BUILDING
#define PBDR_API __declspec(dllexport)
#else
#define PBDR_API __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define PBDR_API __attribute__((visibility("default")))
#else
#define PBDR_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

// What a fallible call returns. Zero is success; everything else is negative.
typedef enum pbdrStatus {
    pbdr_statusOk = 0,
    pbdr_statusInvalidArgument = -1, // a value that no input may have: NaN, negative mass, unset def, ...
    pbdr_statusInvalidId = -2,       // an id that is null, of something destroyed, or of another world
    pbdr_statusNoMemory = -3,        // the allocator returned NULL
    pbdr_statusNoParticles = -4,     // a body or packing without a single sphere
    pbdr_statusStateMismatch = -5,   // a saved state that belongs to another world
    pbdr_statusFileNotFound = -6,    // a file that cannot be opened or read
    pbdr_statusFileFormat = -7,      // a file that is not what its name says, or is damaged
    pbdr_statusMeshOpen = -8,        // a mesh with holes: it has no inside
    pbdr_statusMeshBroken = -9,      // a mesh whose facets disagree: doubled, flipped, non-manifold, empty
    pbdr_statusNotSupported = -10,   // a part that this build was made without
    pbdr_statusStopped = -11,        // the caller's progress function said so
} pbdrStatus;

// Length of an error message, with its closing zero [bytes].
#define PBDR_MESSAGE_LENGTH 512

// Why a call failed. Pass NULL where the reason is of no interest. Untouched on success.
typedef struct pbdrError {
    pbdrStatus status;
    char message[PBDR_MESSAGE_LENGTH]; // names the field, file, line and value at fault; no newline
} pbdrError;

// Caller's memory and assertions. All-zero hooks mean the C library's allocator and, in builds without
// NDEBUG, abort() on a failed assertion. The library keeps no global state (but for a counter that gives
// every world a number of its own, and decides no result): hooks live with each object.
typedef struct pbdrHooks {
    // Returns `size` bytes aligned to `alignment` (a power of two, at most 64), or NULL.
    void* (*allocate)(void* context, size_t size, size_t alignment);
    // Gives back what allocate returned, with the same size. Never called with NULL.
    void (*release)(void* context, void* memory, size_t size);
    // A programmer's error (a stale id, an id of another world). When it returns, the call in question does
    // nothing and returns a zero value or a status.
    void (*assertFailed)(void* context, const char* condition, const char* file, int line);
    void* context; // handed to each hook
} pbdrHooks;

// The library's version, "major.minor.patch".
PBDR_API const char* pbdrVersion(void);

// A status code's short name, such as "mesh is open". Never NULL.
PBDR_API const char* pbdrStatusName(pbdrStatus status);

#ifdef __cplusplus
}
#endif

#endif
