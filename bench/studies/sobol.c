#include "studies/sobol.h"

#define BITS 32

// Primitive polynomials (degree, inner coefficients) and the first direction numbers of dimensions 2 to 4; the first
// dimension is van der Corput's.
static const struct {
    int degree;
    uint32_t inner, first[3];
} table[SOBOL_DIMENSIONS] = {{0, 0, {0}}, {1, 0, {1}}, {2, 1, {1, 3}}, {3, 1, {1, 3, 1}}};

static uint32_t getDirection(int dimension, int bit)
{
    const int degree = table[dimension].degree;
    if (degree == 0) {
        return 1u << (BITS - 1 - bit);
    }
    uint32_t directions[BITS];
    for (int k = 0; k <= bit; k++) {
        if (k < degree) {
            directions[k] = table[dimension].first[k] << (BITS - 1 - k);
            continue;
        }
        directions[k] = directions[k - degree] ^ (directions[k - degree] >> degree);
        for (int j = 1; j < degree; j++) {
            if (((table[dimension].inner >> (degree - 1 - j)) & 1u) != 0) {
                directions[k] ^= directions[k - j];
            }
        }
    }
    return directions[bit];
}

void sobolGetPoint(uint32_t index, double point[SOBOL_DIMENSIONS])
{
    const uint32_t gray = index ^ (index >> 1);
    for (int d = 0; d < SOBOL_DIMENSIONS; d++) {
        uint32_t x = 0;
        for (int bit = 0; bit < BITS; bit++) {
            if (((gray >> bit) & 1u) != 0) {
                x ^= getDirection(d, bit);
            }
        }
        point[d] = ((double)x + 0.5) * 0x1p-32;
    }
}
