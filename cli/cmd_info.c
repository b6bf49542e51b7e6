// pbdr info: build, CPU features, libraries found, data.
#define _POSIX_C_SOURCE 200809L
#include "command.h"
#include "data.h"
#include "options.h"

#include "pbdr/scenefile.h"
#include "pbdr/world.h"
#include "solvers/registry.h"

#include <stdio.h>
#include <unistd.h>

// What the CPU can do, of what matters to vector code.
static void printFeatures(void)
{
    printf("CPU          ");
#if defined(__x86_64__) && defined(__GNUC__)
    const char* names[] = {"sse4.2", "avx", "avx2", "fma", "avx512f"};
    const int has[] = {__builtin_cpu_supports("sse4.2"), __builtin_cpu_supports("avx"),
                       __builtin_cpu_supports("avx2"), __builtin_cpu_supports("fma"),
                       __builtin_cpu_supports("avx512f")};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        printf("%s%s", has[k] ? " " : "", has[k] ? names[k] : "");
    }
#else
    printf(" features unknown");
#endif
    printf(", %ld processors\n", sysconf(_SC_NPROCESSORS_ONLN));
}

// The tests of a suite, by number and name, some to a line.
static void printTests(const char* label, int first, int last)
{
    int column = printf("%-13s", label);
    for (int number = first; number <= last; number++) {
        char text[96];
        int length = snprintf(text, sizeof text, "%d %s%s", number, benchFindTest(number)->name,
                              number < last ? "," : "");
        if (column + length > 115) {
            column = printf("\n%-13s", "") - 1;
        }
        column += printf(" %s", text);
    }
    printf("\n");
}

int commandInfo(int argc, char** argv)
{
    switch (parseOptions("info", NULL, 0, argc, argv)) {
    case optionsBad:
        return EXIT_USAGE;
    case optionsHelp:
        printf("usage: pbdr info\n\nPrints the version, the build, the CPU's features, the libraries found "
               "and the benchmark's tests.\n");
        return EXIT_OK;
    case optionsOk:
        break;
    }
    const char* mesh = getDefaultMesh();
    printf("pbdr          %s\n", pbdrVersion());
    printf("build         %s, C compiler %s%s%s\n", PBDR_BUILD_TYPE, __VERSION__,
           PBDR_SANITIZE[0] != 0 ? ", sanitizers " : "", PBDR_SANITIZE);
    printf("precisions    f32, f64\n");
    printf("solvers      ");
    for (int k = 0; benchGetBuiltIn(k) != NULL; k++) {
        const pbdrBenchSolver* solver = benchGetBuiltIn(k);
        printf("%s %s%s%s%s%s", k > 0 ? "," : "", solver->name, solver->version != NULL ? " " : "",
               solver->version != NULL ? solver->version : "",
               solver->presets != NULL && solver->presets[0] != 0 ? " presets " : "",
               solver->presets != NULL ? solver->presets : "");
    }
    printf("\n");
    for (int k = 0; benchGetMissingPeer(k) != NULL; k++) {
        printf("not in it     %s\n", benchGetMissingPeer(k));
    }
    printTests("tests", BENCH_FIRST_TEST, BENCH_LAST_TEST);
    printTests("extended", BENCH_FIRST_EXTENDED, BENCH_LAST_EXTENDED);
    printf("vectors       scalar%s\n", pbdrIsSimdSupported(pbdr_simdAvx2) ? ", avx2 (in use)"
                                       : pbdrIsSimdSupported(pbdr_simdNeon)
                                           ? ", neon (in use)"
                                           : " (in use; neither AVX2 nor NEON here)");
    printFeatures();
    printf("mesh files    OBJ, STL, PLY, MSH; %s\n",
           PBDR_ASSIMP_VERSION[0] != 0 ? "DAE, glTF, GLB, 3MF, OFF through assimp " PBDR_ASSIMP_VERSION
                                       : "not DAE, glTF, GLB, 3MF, OFF: built without assimp (Debian: "
                                         "libassimp-dev, pkg-config)");
    printf("body files    %s\n", PBDR_JANSSON_VERSION[0] != 0
                                     ? "written; read through jansson " PBDR_JANSSON_VERSION
                                     : "written, not read: built without jansson (Debian: libjansson-dev)");
    printf("scenes        JSON; %s\n",
           pbdrCanLoadMjcf() ? "MJCF and URDF through MuJoCo's library"
                             : "not MJCF and URDF: built without MuJoCo (scripts/fetch_mujoco.sh)");
    printf("bunny         %s%s\n", mesh,
           access(mesh, R_OK) == 0 ? "" : " (not there: scripts/setup.sh fetches it)");
    return EXIT_OK;
}
