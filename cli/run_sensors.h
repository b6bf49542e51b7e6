// The sensors of a run, as CSV: a row per frame.
#ifndef PBDR_CLI_RUN_SENSORS_H
#define PBDR_CLI_RUN_SENSORS_H

#include "output.h"

#include "pbdr/scenefile.h"

// What a column of a sensor with so many numbers ends with: .x and so on; "" where there is one.
const char* getSensorPart(int count, int index);
// Opens the file (path NULL: none) and writes the columns: t, and of every sensor its name, with .x and so on where it has
// several numbers. False: it cannot be written, or the scene has no sensors; stderr says why.
bool openRunSensors(Output* output, const pbdrSceneFile* scene, const char* path);
// A row; nothing without a file.
void writeRunSensors(const Output* output, const pbdrSceneWorld* made);

#endif
