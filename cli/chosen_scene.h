// One test's scene from the command line, for the commands that look at a single one.
#ifndef PBDR_CLI_CHOSEN_SCENE_H
#define PBDR_CLI_CHOSEN_SCENE_H

#include "scene.h"

typedef struct ChosenScene {
    int number;           // of the test; 0: none given
    int seed;             // 0: the plain scene, pushed along +x
    BenchOptions options; // with the scene's settings
    // Made by makeChosenScene
    BenchShapes shapes;
    BenchScene scene;
} ChosenScene;

// The scene's rows of an option table; c is the ChosenScene.
#define SCENE_OPTIONS(c)                                                                                     \
    OPTION_INT("test", "N", "the test's number, 1 to 7", &(c).number, 1, 7),                                 \
        OPTION_INT("seed", "K", "the scene of bench's K-th seed, turned and shifted (plain: push along +x)", \
                   &(c).seed, 1, 10000),                                                                     \
        OPTION_INT("n", "N", "box: spheres per axis (4)", &(c).options.n, 1, 1000),                          \
        OPTION_INT("layers", "K", "box: layers of N x N spheres; fewer make a flat box (N)",                 \
                   &(c).options.layers, 1, 1000),                                                            \
        OPTION_ABOVE("radius", "R", "bunny: sphere radius [m] (0.005)", &(c).options.radius, 0, 1),          \
        OPTION_TEXT("mesh", "FILE", "a closed mesh instead of the bunny: OBJ, STL or PLY",                   \
                    &(c).options.meshPath),                                                                  \
        OPTION_TEXT("spheres", "FILE", "spheres and masses of the mesh from a file of pbdr pack",            \
                    &(c).options.bodyPath),                                                                  \
        OPTION_DOUBLE("mu", "M", "friction on the ground, tests 1, 3, 4, 6 and 7 (0.4)", &(c).options.mu, 0, \
                      PBDR_MAX_FRICTION),                                                                    \
        OPTION_DOUBLE("force", "N", "push of tests 1 and 4 [N] (17 and 10)", &(c).options.force, 0, 1e9),    \
        OPTION_DOUBLE("offset", "D", "Test 7: where the rod touches the face, from its middle [m] (0.02)",   \
                      &(c).options.offset, -0.1, 0.1),                                                       \
        OPTION_DOUBLE("mu-rod", "M", "Test 7: friction between rod and box (as --mu)",                       \
                      &(c).options.rodFriction, 0, PBDR_MAX_FRICTION),                                       \
        OPTION_ABOVE("push-height", "Z", "Test 7: height of the rod's axis [m] (0.02)",                      \
                     &(c).options.pushHeight, 0, 0.2),                                                       \
        OPTION_ABOVE("rod-radius", "R", "Test 7: of the rod [m] (0.01)", &(c).options.rodRadius, 0, 0.05),   \
        OPTION_ABOVE("dt", "S", "the simulator's time step [s] (0.001)", &(c).options.timeStep, 0, 1)

// Nothing chosen; defaults of the options.
ChosenScene defaultChosenScene(void);

// The test that was chosen. NULL with *code set, and the reason on stderr, if there is none.
const BenchTest* findChosenTest(const ChosenScene* chosen, const char* command, int* code);

// Fills shapes and scene. Returns an exit code; on failure the reason stands on stderr and nothing is kept.
int makeChosenScene(ChosenScene* chosen, const BenchTest* test, const char* command);
void freeChosenScene(ChosenScene* chosen);

#endif
