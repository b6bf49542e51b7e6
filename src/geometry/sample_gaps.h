// How far the samples of a surface are from the spheres of a packing that grows.
#ifndef PBDR_GEOMETRY_SAMPLE_GAPS_H
#define PBDR_GEOMETRY_SAMPLE_GAPS_H

#include "geometry/surface_balls.h"

typedef struct pbdrGapItem {
    double gap; // at least the sample's
    int32_t sample;
} pbdrGapItem;

typedef struct pbdrSampleGaps {
    int count;
    const pbdrBall* balls; // whose points are the samples
    double* gaps;          // distance from the spheres [m]
    double sum;            // of them [m]
    double covered;        // gaps up to this count as none [m]
    pbdrGapItem* heap;     // largest gap first, smaller sample first in a tie
    int heapCount;
    pbdrVec3 lower;  // corner of the cells [m]
    double cellSize; // [m]
    int nx, ny, nz;
    int32_t* cellFirsts;  // first of cellSamples; one more than there are cells
    int32_t* cellSamples; // by cell
    pbdrHooks hooks;
} pbdrSampleGaps;

// All gaps begin as `start`. The samples lie between the two corners, and spheres reach about as far as a
// cell. The balls are not copied. On failure it is empty.
pbdrStatus pbdrCreateSampleGaps(const pbdrBall* balls, int count, pbdrVec3 lower, pbdrVec3 upper,
                                double cellSize, double start, double covered, const pbdrHooks* hooks,
                                pbdrSampleGaps* gaps, pbdrError* error);
void pbdrFreeSampleGaps(pbdrSampleGaps* gaps);

// A new sphere, where no gap is over largestGap.
void pbdrLowerGaps(pbdrSampleGaps* gaps, const pbdrBall* sphere, double largestGap);

// The sample with the largest gap that is neither covered nor dropped; -1: there is none.
int32_t pbdrGetFarthestSample(pbdrSampleGaps* gaps);

// Passes over what pbdrGetFarthestSample returned, from now on.
void pbdrDropFarthestSample(pbdrSampleGaps* gaps);

// At most `limit` uncovered samples within a distance of a point, spread over all that there are. Returns how
// many.
int pbdrFindUncovered(const pbdrSampleGaps* gaps, pbdrVec3 point, double distance, int limit,
                      int32_t* samples);

#endif
