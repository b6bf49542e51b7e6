// The rows of an option table that say what a scene is, for every command that makes one.
#ifndef PBDR_CLI_SCENE_OPTIONS_H
#define PBDR_CLI_SCENE_OPTIONS_H

#include "names.h"
#include "options.h"
#include "scene.h"

// o is a BenchOptions.
#define SCENE_OPTIONS(o)                                                                                     \
    OPTION_INT("n", "N", "box: spheres per axis (4)", &(o).n, 1, 1000),                                      \
        OPTION_INT("layers", "K", "box: layers of N x N spheres; the paper's box is --n 4 --layers 1 (N)",   \
                   &(o).layers, 1, 1000),                                                                    \
        OPTION_ABOVE("radius", "R", "mesh: sphere radius [m] (0.005)", &(o).radius, 0, 1),                   \
        OPTION_TEXT("mesh", "FILE", "a closed mesh instead of the bunny: OBJ, STL or PLY", &(o).meshPath),   \
        OPTION_CHOICE(                                                                                       \
            "base", "NAME",                                                                                  \
            "mesh: what it stands on, flat (vertices of the base put into one plane) or raw (flat); "        \
            "spheres have none",                                                                             \
            &(o).base, baseNames),                                                                           \
        OPTION_TEXT("spheres", "FILE",                                                                       \
                    "spheres and masses of the mesh from a file of pbdr pack, not packed here",              \
                    &(o).bodyPath),                                                                          \
        OPTION_DOUBLE("mu", "M", "friction on the ground, tests 1, 3, 4, 6 and 7 (0.4)", &(o).mu, 0,         \
                      PBDR_MAX_FRICTION),                                                                    \
        OPTION_DOUBLE("force", "N", "push of tests 1 and 4 [N] (17 and 10)", &(o).force, 0, 1e9),            \
        OPTION_DOUBLE("offset", "D", "Test 7: where the rod touches the face, from its middle [m] (0.02)",   \
                      &(o).offset, -0.1, 0.1),                                                               \
        OPTION_DOUBLE("mu-rod", "M", "Test 7: friction between rod and box (as --mu)", &(o).rodFriction, 0,  \
                      PBDR_MAX_FRICTION),                                                                    \
        OPTION_ABOVE("push-height", "Z", "Test 7: height of the rod's axis [m] (0.02)", &(o).pushHeight, 0,  \
                     0.2),                                                                                   \
        OPTION_ABOVE("rod-radius", "R", "Test 7: of the rod [m] (0.01)", &(o).rodRadius, 0, 0.05),           \
        OPTION_ABOVE("dt", "S", "the simulator's time step [s] (0.001)", &(o).timeStep, 0, 1)

#endif
