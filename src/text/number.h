// Numbers as text, the same in every locale: the one place that turns text into a double.
#ifndef PBDR_TEXT_NUMBER_H
#define PBDR_TEXT_NUMBER_H

#include <stdbool.h>

// Characters of a number at most, when it is read: the longest double that printf's %.17g writes has 24.
#define PBDR_MAX_NUMBER_LENGTH 400

// Whether all characters from start to end are one decimal number, such as -1, .5, 2. or 1.5e-3; its value is
// the nearest double, with infinity beyond the largest one. No blanks, no hexadecimal digits, no words.
bool pbdrParseDecimal(const char* start, const char* end, double* value);

// The same for a whole text, which may also be nan, inf or infinity with a sign, as printf writes them.
bool pbdrParseNumber(const char* text, double* value);

#endif
