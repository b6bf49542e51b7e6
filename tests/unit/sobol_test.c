// Sobol's points (bench/studies/sobol.h): every interval of a power of two has its share.
#include "check.h"

#include "studies/sobol.h"

static void points__begin_as_published(void)
{
    static const double wanted[5][SOBOL_DIMENSIONS] = {{0.0, 0.0, 0.0, 0.0},
                                                       {0.5, 0.5, 0.5, 0.5},
                                                       {0.75, 0.25, 0.25, 0.25},
                                                       {0.25, 0.75, 0.75, 0.75},
                                                       {0.375, 0.375, 0.625, 0.875}};
    for (uint32_t k = 0; k < 5; k++) {
        double x[SOBOL_DIMENSIONS];
        sobolGetPoint(k, x);
        for (int d = 0; d < SOBOL_DIMENSIONS; d++) {
            CHECK_NEAR(x[d], wanted[k][d], 1.0e-9);
        }
    }
}

static void points__fill_every_interval_once(void)
{
    enum { COUNT = 256 };
    for (int d = 0; d < SOBOL_DIMENSIONS; d++) {
        int seen[COUNT] = {0};
        for (uint32_t k = 0; k < COUNT; k++) {
            double x[SOBOL_DIMENSIONS];
            sobolGetPoint(k, x);
            seen[(int)(x[d] * COUNT)]++;
        }
        for (int k = 0; k < COUNT; k++) {
            CHECK_EQ(seen[k], 1);
        }
    }
}

// Of 1024 points, each cell of 32 x 32 in the first two dimensions has one.
static void points__fill_every_square_once(void)
{
    int seen[32][32] = {{0}};
    for (uint32_t k = 0; k < 1024; k++) {
        double x[SOBOL_DIMENSIONS];
        sobolGetPoint(k, x);
        seen[(int)(32.0 * x[0])][(int)(32.0 * x[1])]++;
    }
    for (int k = 0; k < 1024; k++) {
        CHECK_EQ(seen[k / 32][k % 32], 1);
    }
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"points__begin_as_published", points__begin_as_published},
          {"points__fill_every_interval_once", points__fill_every_interval_once},
          {"points__fill_every_square_once", points__fill_every_square_once});
}
