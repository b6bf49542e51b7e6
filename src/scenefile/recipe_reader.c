// The numbers of a recipe, one after the other.
#include "scenefile/recipe_reader.h"

#include <math.h>

bool pbdrIsGood(const pbdrRecipeReader* reader)
{
    return reader->status == pbdr_statusOk;
}

void pbdrFailMemory(pbdrRecipeReader* reader)
{
    if (pbdrIsGood(reader)) {
        reader->status = pbdrFail(reader->error, pbdr_statusNoMemory, "recipe: out of memory");
    }
}

static const double zeros[9];

const double* pbdrTakeNumbers(pbdrRecipeReader* reader, size_t count)
{
    if (!pbdrIsGood(reader) || count > reader->count - reader->at) {
        REFUSE(reader, "recipe: ends after %zu numbers, in the middle of an entry", reader->count);
        return zeros;
    }
    const double* numbers = reader->numbers + reader->at;
    reader->at += count;
    return numbers;
}

double pbdrTakeNumber(pbdrRecipeReader* reader)
{
    return *pbdrTakeNumbers(reader, 1);
}

int pbdrTakeInt(pbdrRecipeReader* reader, const char* what, int least, int most)
{
    double number = pbdrTakeNumber(reader);
    if (pbdrIsGood(reader) && !(number >= least && number <= most && number == floor(number))) {
        REFUSE(reader, "recipe: number %zu, %s: %g is no whole number from %d to %d", reader->at - 1, what,
               number, least, most);
    }
    return pbdrIsGood(reader) ? (int)number : least;
}

pbdrVec3 pbdrTakeVec(pbdrRecipeReader* reader)
{
    const double* n = pbdrTakeNumbers(reader, 3);
    return (pbdrVec3){n[0], n[1], n[2]};
}

pbdrQuat pbdrTakeQuat(pbdrRecipeReader* reader)
{
    const double* n = pbdrTakeNumbers(reader, 4);
    return (pbdrQuat){n[0], n[1], n[2], n[3]};
}

static uint64_t takeMask(pbdrRecipeReader* reader)
{
    uint64_t parts[2];
    for (int k = 0; k < 2; k++) {
        double number = pbdrTakeNumber(reader);
        bool good = number >= 0.0 && number < 4294967296.0;
        if (!good) {
            REFUSE(reader, "recipe: number %zu: %g is no half of a filter", reader->at - 1, number);
        }
        parts[k] = good ? (uint64_t)number : 0;
    }
    return parts[0] | parts[1] << 32;
}

void pbdrTakeMaterial(pbdrRecipeReader* reader, double* friction, double* rolling, double* spinning,
                      double* restitution, pbdrFilter* filter)
{
    const double* n = pbdrTakeNumbers(reader, 4);
    *friction = n[0];
    *rolling = n[1];
    *spinning = n[2];
    *restitution = n[3];
    filter->category = takeMask(reader);
    filter->mask = takeMask(reader);
}
