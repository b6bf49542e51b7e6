// One test's scene from the command line, for the commands that look at a single one.
#ifndef PBDR_CLI_CHOSEN_SCENE_H
#define PBDR_CLI_CHOSEN_SCENE_H

#include "scene_options.h"

typedef struct ChosenScene {
    int number;           // of the test; 0: none given
    int seed;             // 0: the plain scene, pushed along +x
    BenchOptions options; // with the scene's settings
    // Made by makeChosenScene
    BenchShapes shapes;
    BenchScene scene;
} ChosenScene;

// The scene's rows of an option table; c is the ChosenScene, last the number of the last test that is taken.
#define CHOSEN_SCENE_OPTIONS(c, last)                                                                        \
    OPTION_INT("test", "N", "the test's number, from 1 on", &(c).number, 1, last),                           \
        OPTION_INT("seed", "K", "the scene of bench's K-th seed, turned and shifted (plain: push along +x)", \
                   &(c).seed, 1, 10000),                                                                     \
        SCENE_OPTIONS((c).options)

// Nothing chosen; defaults of the options.
ChosenScene defaultChosenScene(void);

// The test that was chosen. NULL with *code set, and the reason on stderr, if there is none.
const BenchTest* findChosenTest(const ChosenScene* chosen, const char* command, int* code);

// Fills shapes and scene. Returns an exit code; on failure the reason stands on stderr and nothing is kept.
int makeChosenScene(ChosenScene* chosen, const BenchTest* test, const char* command);
void freeChosenScene(ChosenScene* chosen);

#endif
