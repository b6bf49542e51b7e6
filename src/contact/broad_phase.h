// Which bodies come near each other, by their boxes: a sweep along x that every search for contacts begins
// with.
#ifndef PBDR_CONTACT_BROAD_PHASE_H
#define PBDR_CONTACT_BROAD_PHASE_H

#include "scene/scene.h"

// A body's bounds, with all that its search must see.
typedef struct pbdrBox {
    int body;
    double lower[3], upper[3]; // [m]
} pbdrBox;

// Called with the boxes of two bodies; returns false where something went wrong (no memory, say).
typedef bool (*pbdrBoxVisit)(void* context, const pbdrBox* a, const pbdrBox* b);

// Sorts the boxes along x and visits every two that overlap and that contact is possible between.
// False if any visit was; all are made.
bool pbdrSweepBoxes(const pbdrScene* scene, pbdrList* boxes, pbdrBoxVisit visit, void* context);

#endif
