// The laboratory's exports.
#ifndef PBDR_WEB_LAB_H
#define PBDR_WEB_LAB_H

#include "exports.h"

const double* labRecipe(void);
int labRecipeCount(void);
int labOwner(int body);
const char* labMjcf(void);
int labMakeTest(int number, int solver, const double settings[10]);
void labMeasure(int handle, double t, double out[2]);
void labReference(double t, double out[7]);
void labMesh(int counts[2], float* vertices, int32_t* triangles);
int labLoadScene(const char* path, int solver, const double settings[4]);

#endif
