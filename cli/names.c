#include "names.h"

#include "old_names.h"
#include "text.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

const char* const solverNames[] = {"pbd", "pbd-r", "xpbdr", NULL};
const char* const engineNames[] = {"auto", "particle", "reduced", NULL};
const char* const precisionNames[] = {"auto", "f32", "f64", NULL};
const char* const contactNames[] = {"auto", "spheres", "surface", NULL};
const char* const baseNames[] = {"flat", "raw", NULL};
const char* const backendNames[] = {"cpu", "gpu", NULL};
const char* const effortNames[] = {"fast", "balanced", "exact", NULL};

const char* takeSolverName(const char* name)
{
    static bool told = false;
    const char* now = benchRenameSolver(name);
    if (now != name && !told) {
        benchPrintMessage(
            "pbdr: note: the solver '%s' is now called '%s'; the next version will not know the old name\n",
            name, now);
        told = true;
    }
    return now;
}

int findSolver(const char* name, const char** preset)
{
    const size_t length = strcspn(name, ":");
    if (preset != NULL) {
        *preset = name[length] == ':' ? name + length + 1 : "";
    }
    for (int k = 0; solverNames[k] != NULL; k++) {
        if (strlen(solverNames[k]) == length && strncmp(solverNames[k], name, length) == 0) {
            return k;
        }
    }
    return -1;
}
