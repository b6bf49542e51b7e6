// Scenes written in formats that other simulators read.
#ifndef PBDR_BENCH_EXPORT_H
#define PBDR_BENCH_EXPORT_H

#include "scene.h"

#include <stdio.h>

// All of the scene as data (schema pbdr-scene/1), with what must come of it.
void benchExportJson(FILE* file, const BenchScene* scene, const BenchOptions* options);

// A MuJoCo model that needs no code to drive it: forces, torques and the rod's motion are actuators of
// constant strength. Contact settings are the paper's.
void benchExportMjcf(FILE* file, const BenchScene* scene);

// Links with inertia and collision shapes. URDF has no ground, gravity, friction or force: those stand in a
// comment. meshName: the file that benchExportStl writes, beside this one; NULL where no body is a mesh.
void benchExportUrdf(FILE* file, const BenchScene* scene, const char* meshName);

// The first mesh of the scene, in its body's frame, as binary STL (coordinates in float).
void benchExportStl(FILE* file, const BenchScene* scene);
bool benchHasMesh(const BenchScene* scene);

// What must come of the scene, in words.
const char* benchDescribeReference(const BenchScene* scene);

#endif
