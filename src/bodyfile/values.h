// A body file while it is read, and the values of its JSON tree. Messages name key, index and value.
#ifndef PBDR_BODYFILE_VALUES_H
#define PBDR_BODYFILE_VALUES_H

#include "pbdr/bodyfile.h"

#include <jansson.h>

typedef struct pbdrBodyReader {
    const char* path;
    const pbdrHooks* hooks;
    pbdrError* error;
    json_t* root;
    pbdrBodyFile* body;
} pbdrBodyReader;

// Fails with "path: reason", without what a terminal would choke on: a reason may quote the file.
pbdrStatus pbdrFailBody(const pbdrBodyReader* reader, pbdrStatus status, const char* format, ...)
#ifdef __GNUC__
    __attribute__((format(printf, 3, 4)))
#endif
    ;

// The value of a key, if there is one that is not null.
const json_t* pbdrGetBodyValue(const json_t* object, const char* key);

// `place` is the key with its indices, such as centers[7].
pbdrStatus pbdrReadBodyNumber(const pbdrBodyReader* reader, const json_t* value, const char* place,
                              double* number);
pbdrStatus pbdrReadBodyVector(const pbdrBodyReader* reader, const json_t* value, const char* place,
                              pbdrVec3* vector);
pbdrStatus pbdrReadBodyTensor(const pbdrBodyReader* reader, const json_t* value, const char* key,
                              pbdrMat3* tensor);

// An array of `wanted` entries, one per sphere; the same with numbers in it.
pbdrStatus pbdrFindBodyList(const pbdrBodyReader* reader, const char* key, size_t wanted,
                            const json_t** list);
pbdrStatus pbdrReadBodyList(const pbdrBodyReader* reader, const char* key, size_t count, double* numbers);

#endif
