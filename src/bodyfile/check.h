// What the numbers of a body file may be; reading and writing ask the same.
#ifndef PBDR_BODYFILE_CHECK_H
#define PBDR_BODYFILE_CHECK_H

#include "pbdr/bodyfile.h"

// Lengths and places beyond this are typing errors, and their squares would overflow sums [m].
#define PBDR_BODY_MAX_LENGTH 1.0e6
// Radii below this have no volume left to share out masses by [m].
#define PBDR_BODY_MIN_RADIUS 1.0e-9
// Masses, and mass times length squared, are below this [kg, kg m^2].
#define PBDR_BODY_MAX_MASS 1.0e15
// Masses add up to `mass`, and tensors are symmetric, to this share: printed with six digits or more.
#define PBDR_BODY_AGREEMENT 1.0e-5

// Checks the whole body. Messages name key, index and value.
pbdrStatus pbdrCheckBody(const pbdrBodyFile* body, pbdrError* error);

#endif
