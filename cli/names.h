// Words that options take, in the order of the enums that they stand for; NULL-terminated, as OPTION_CHOICE wants them.
#ifndef PBDR_CLI_NAMES_H
#define PBDR_CLI_NAMES_H

extern const char* const solverNames[];    // pbdrSolver
extern const char* const engineNames[];    // pbdrEngine
extern const char* const precisionNames[]; // BenchPrecision + 1
extern const char* const contactNames[];   // pbdrContactKind
extern const char* const baseNames[];      // BenchBase
extern const char* const backendNames[];   // 1: the kernel for small worlds
extern const char* const effortNames[];    // pbdrEffort

// What a solver is called that the user has named: 'pbdr', as it was called before, is read as 'pbd-r', and a note on
// stderr says so, once. To be dropped with the next version.
const char* takeSolverName(const char* name);

// The pbdrSolver of a name such as xpbdr or xpbdr:spheres, or -1. preset (may be NULL): what follows the colon, "" for
// nothing.
int findSolver(const char* name, const char** preset);

#endif
