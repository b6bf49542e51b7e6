// Faults on purpose, so that tests of stopping and going on strike at a place, not at a time.
#include "studies/study.h"

#include <stdlib.h>
#include <string.h>

bool studyIsFaultDue(const char* kind, int count)
{
    const char* wanted = getenv("PBDR_STUDY_FAULT");
    size_t length = strlen(kind);
    return wanted != NULL && strncmp(wanted, kind, length) == 0 && wanted[length] == ':' &&
           strtol(wanted + length + 1, NULL, 10) == count;
}
