// Sine and cosine with the same bits on every machine; the C library's differ from one to the next.
#ifndef PBDR_MATH_SINE_H
#define PBDR_MATH_SINE_H

// sin(x)/x and cos(x) for x >= 0 [rad], each within one unit in the last place of 1 for x up to 2^20.
// Not finite: NaN.
void pbdrSineAndCosine(double x, double* sineOverX, double* cosine);

#endif
