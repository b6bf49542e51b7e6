// All of pbdr's core. Mesh files (pbdr/meshfile.h) are a library of their own.
#ifndef PBDR_PBDR_H
#define PBDR_PBDR_H

#include "pbdr/base.h"
#include "pbdr/batch.h"
#include "pbdr/constants.h"
#include "pbdr/geometry.h"
#include "pbdr/gpu.h"
#include "pbdr/joint.h"
#include "pbdr/ledger.h"
#include "pbdr/packing.h"
#include "pbdr/profile.h"
#include "pbdr/sensor.h"
#include "pbdr/shape.h"
#include "pbdr/snapshot.h"
#include "pbdr/types.h"
#include "pbdr/world.h"

#endif
