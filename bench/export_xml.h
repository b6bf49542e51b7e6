// What the XML formats share: attributes with numbers, and the remarks on what they cannot say.
#ifndef PBDR_BENCH_EXPORT_XML_H
#define PBDR_BENCH_EXPORT_XML_H

#include "scene.h"

#include <stdio.h>

// Values for xmlNumbers: XML_NUMBERS(v.x, v.y, v.z).
#define XML_NUMBERS(...)                                                                                     \
    (const double[]){__VA_ARGS__}, (int)(sizeof((const double[]){__VA_ARGS__}) / sizeof(double))

// ` name="1 2 3"`: each number with as few digits as bring back its bits.
void xmlNumbers(FILE* file, const char* name, const double* values, int count);
// ` name="text"`.
void xmlText(FILE* file, const char* name, const char* text);

// The whole scene in words and numbers, as the inside of a comment: lines indented by four.
void xmlRemarks(FILE* file, const BenchScene* scene);

#endif
