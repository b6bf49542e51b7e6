// The numbers of a recipe, as a page of `pbdr view` hands them to the engine: refused with a reason, or a world that steps.
#include "target.h"

#include "pbdr/pbdr.h"
#include "pbdr/recipe.h"

#include <string.h>

#define MOST 512 // numbers

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    double numbers[MOST];
    const size_t count = size / sizeof *numbers < MOST ? size / sizeof *numbers : MOST;
    memcpy(numbers, data, count * sizeof *numbers);
    pbdrRecipeWorld* made = NULL;
    pbdrError error = {0};
    const pbdrStatus status = pbdrCreateRecipeWorld(numbers, count, NULL, &made, &error);
    FUZZ_REQUIRE(status == pbdr_statusOk || (made == NULL && error.message[0] != 0));
    if (status == pbdr_statusOk) {
        pbdrRecipeWorld_Step(made, 2);
        pbdrDestroyRecipeWorld(made);
    }
    return 0;
}
