// What the two modules share: worlds by their numbers, and the last message.
#ifndef PBDR_WEB_EXPORTS_H
#define PBDR_WEB_EXPORTS_H

#include "pbdr/ledger.h"
#include "pbdr/pbdr.h"
#include "pbdr/recipe.h"

#define WEB_MAX_WORLDS 64

extern pbdrError webError;

// NULL where there is none of that number.
pbdrRecipeWorld* webGet(int handle);

const char* webMessage(void);
const char* webVersion(void);
int webCreate(const double* numbers, int count);
void webDestroy(int handle);
unsigned webStep(int handle, int substeps);
void webHash(int handle, char* text);
void webCounts(int handle, double out[5]);
void webReadBodies(int handle, double* out);
int webReadContacts(int handle, pbdrContact* scratch, double* out, int capacity);
void webReadLedger(int handle, double out[PBDR_LEDGER_COLUMNS]);
int webStateSize(int handle);
int webGetState(int handle, void* buffer, int size);
int webSetState(int handle, const void* buffer, int size);
void webSetForce(int handle, int body, double fx, double fy, double fz, double tx, double ty, double tz);
void webReadForce(int handle, int body, double out[6]);
void webReadCentre(int handle, int body, double out[3]);
void webSetFriction(int handle, double friction);
int webReadJoints(int handle, pbdrJointId* ids, double* out);
void webReadAxes(int handle, pbdrJointId* ids, double* out);
int webReadSpheres(int handle, int body, double* out);

#endif
