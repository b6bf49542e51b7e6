// The seven tests of the paper (tables `tests` and `default_params`).
#include "tests/catalogue.h"

#include <stddef.h>

#define PI 3.14159265358979323846

static const BenchTest catalogue[] = {
    {.number = 1, .name = "pushed box", .shape = pbdr_benchBox, .mass = 4.0, .mu = 0.4, .force = 17.0},
    {.number = 2, .name = "box with torque", .shape = pbdr_benchBox, .mass = 4.0, .mu = 0.0, .torque = 0.01},
    {.number = 3, .name = "box on slope", .shape = pbdr_benchBox, .mass = 4.0, .mu = 0.4, .slope = PI / 8},
    {.number = 4, .name = "pushed bunny", .shape = pbdr_benchMesh, .mass = 2.18, .mu = 0.4, .force = 10.0},
    {.number = 5,
     .name = "bunny with torque",
     .shape = pbdr_benchMesh,
     .mass = 2.18,
     .mu = 0.0,
     .torque = 0.01},
    {.number = 6,
     .name = "bunny on slope",
     .shape = pbdr_benchMesh,
     .mass = 2.18,
     .mu = 0.4,
     .slope = PI / 8},
    {.number = 7, .name = "rod pushing a box", .shape = pbdr_benchBox, .mass = 4.0, .mu = 0.4, .rod = true},
};

const BenchTest* benchFindTest(int number)
{
    for (size_t k = 0; k < sizeof catalogue / sizeof catalogue[0]; k++) {
        if (catalogue[k].number == number) {
            return &catalogue[k];
        }
    }
    return NULL;
}
