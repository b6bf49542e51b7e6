// Reading a recipe: where a reader is, and the numbers as what they stand for. After the first failure nothing is read.
#ifndef PBDR_SCENEFILE_RECIPE_READER_H
#define PBDR_SCENEFILE_RECIPE_READER_H

#include "base.h"
#include "pbdr/recipe.h"

typedef struct pbdrRecipeReader {
    const double* numbers;
    size_t count, at;
    pbdrRecipeWorld* made;
    pbdrStatus status; // the first failure
    pbdrError* error;
    bool hasLeast; // force of the next joint's motor
    double least;
} pbdrRecipeReader;

#define REFUSE(reader, ...)                                                                                  \
    ((reader)->status = pbdrIsGood(reader) ? pbdrFail((reader)->error, pbdr_statusFileFormat, __VA_ARGS__)   \
                                           : (reader)->status)

bool pbdrIsGood(const pbdrRecipeReader* reader);
void pbdrFailMemory(pbdrRecipeReader* reader);

// The next `count` numbers; where there are not as many, zeros (for up to nine), and the recipe is refused.
const double* pbdrTakeNumbers(pbdrRecipeReader* reader, size_t count);
double pbdrTakeNumber(pbdrRecipeReader* reader);
// A whole number from least to most; least where it is none.
int pbdrTakeInt(pbdrRecipeReader* reader, const char* what, int least, int most);
pbdrVec3 pbdrTakeVec(pbdrRecipeReader* reader);
pbdrQuat pbdrTakeQuat(pbdrRecipeReader* reader);
void pbdrTakeMaterial(pbdrRecipeReader* reader, double* friction, double* rolling, double* spinning,
                      double* restitution, pbdrFilter* filter);

#endif
