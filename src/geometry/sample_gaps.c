// The gaps of samples. A gap never grows, so a heap may hold gaps that are too large: one that comes to the
// top out of date is put back with its true value. A new sphere (c, r) can only change samples within r plus
// the largest gap of c, which a grid of cells finds.
#include "geometry/sample_gaps.h"

#include "base.h"
#include "math/vec.h"

#include <string.h>

#define MAX_CELLS 64 // per axis

// --- The heap ---

static bool isAbove(pbdrGapItem a, pbdrGapItem b)
{
    return a.gap > b.gap || (a.gap == b.gap && a.sample < b.sample);
}

// Moves the item at i down to where it belongs.
static void sink(pbdrSampleGaps* gaps, int i)
{
    pbdrGapItem item = gaps->heap[i];
    for (;;) {
        int child = 2 * i + 1;
        if (child >= gaps->heapCount) {
            break;
        }
        if (child + 1 < gaps->heapCount && isAbove(gaps->heap[child + 1], gaps->heap[child])) {
            child++;
        }
        if (!isAbove(gaps->heap[child], item)) {
            break;
        }
        gaps->heap[i] = gaps->heap[child];
        i = child;
    }
    gaps->heap[i] = item;
}

void pbdrDropFarthestSample(pbdrSampleGaps* gaps)
{
    gaps->heap[0] = gaps->heap[--gaps->heapCount];
    if (gaps->heapCount > 0) {
        sink(gaps, 0);
    }
}

int32_t pbdrGetFarthestSample(pbdrSampleGaps* gaps)
{
    while (gaps->heapCount > 0) {
        pbdrGapItem top = gaps->heap[0];
        double gap = gaps->gaps[top.sample];
        if (gap <= gaps->covered) {
            pbdrDropFarthestSample(gaps);
        } else if (gap < top.gap) {
            gaps->heap[0].gap = gap;
            sink(gaps, 0);
        } else {
            return top.sample;
        }
    }
    return -1;
}

// --- The cells ---

static int clampCell(double coordinate, double lower, double cellSize, int n)
{
    return (int)fmax(0.0, fmin(n - 1.0, floor((coordinate - lower) / cellSize)));
}

static int getCell(const pbdrSampleGaps* gaps, pbdrVec3 p)
{
    int i = clampCell(p.x, gaps->lower.x, gaps->cellSize, gaps->nx);
    int j = clampCell(p.y, gaps->lower.y, gaps->cellSize, gaps->ny);
    return (clampCell(p.z, gaps->lower.z, gaps->cellSize, gaps->nz) * gaps->ny + j) * gaps->nx + i;
}

static size_t countCells(const pbdrSampleGaps* gaps)
{
    return (size_t)gaps->nx * (size_t)gaps->ny * (size_t)gaps->nz;
}

static void fillCells(pbdrSampleGaps* gaps)
{
    size_t cells = countCells(gaps);
    for (int i = 0; i < gaps->count; i++) {
        gaps->cellFirsts[getCell(gaps, gaps->balls[i].point) + 1]++;
    }
    for (size_t c = 0; c < cells; c++) {
        gaps->cellFirsts[c + 1] += gaps->cellFirsts[c];
    }
    for (int i = gaps->count - 1; i >= 0; i--) { // from the back, so that firsts end as firsts
        gaps->cellSamples[--gaps->cellFirsts[getCell(gaps, gaps->balls[i].point) + 1]] = i;
    }
    // each first has moved one cell up
    memmove(gaps->cellFirsts, gaps->cellFirsts + 1, cells * sizeof *gaps->cellFirsts);
    gaps->cellFirsts[cells] = gaps->count;
}

// The cells that a ball meets.
typedef struct CellRange {
    int i0, i1, j0, j1, k0, k1;
} CellRange;

static CellRange getRange(const pbdrSampleGaps* gaps, pbdrVec3 c, double reach)
{
    pbdrVec3 lower = gaps->lower;
    double size = gaps->cellSize;
    return (CellRange){
        clampCell(c.x - reach, lower.x, size, gaps->nx), clampCell(c.x + reach, lower.x, size, gaps->nx),
        clampCell(c.y - reach, lower.y, size, gaps->ny), clampCell(c.y + reach, lower.y, size, gaps->ny),
        clampCell(c.z - reach, lower.z, size, gaps->nz), clampCell(c.z + reach, lower.z, size, gaps->nz)};
}

void pbdrLowerGaps(pbdrSampleGaps* gaps, const pbdrBall* sphere, double largestGap)
{
    CellRange range = getRange(gaps, sphere->centre, sphere->radius + largestGap);
    for (int k = range.k0; k <= range.k1; k++) {
        for (int j = range.j0; j <= range.j1; j++) {
            const int32_t* row = gaps->cellFirsts + (k * gaps->ny + j) * gaps->nx;
            for (int32_t n = row[range.i0]; n < row[range.i1 + 1]; n++) {
                int32_t sample = gaps->cellSamples[n];
                pbdrVec3 d = pbdrSub(gaps->balls[sample].point, sphere->centre);
                double gap = pbdrLength(d) - sphere->radius;
                if (gap < gaps->gaps[sample]) {
                    gap = fmax(gap, 0.0);
                    gaps->sum += gap - gaps->gaps[sample];
                    gaps->gaps[sample] = gap;
                }
            }
        }
    }
}

// Every step-th of the uncovered samples within a distance goes to samples, unless that is NULL. Returns how
// many there are in all.
static int listUncovered(const pbdrSampleGaps* gaps, pbdrVec3 point, double distance, int step,
                         int32_t* samples)
{
    CellRange range = getRange(gaps, point, distance);
    int count = 0;
    for (int k = range.k0; k <= range.k1; k++) {
        for (int j = range.j0; j <= range.j1; j++) {
            const int32_t* row = gaps->cellFirsts + (k * gaps->ny + j) * gaps->nx;
            for (int32_t n = row[range.i0]; n < row[range.i1 + 1]; n++) {
                int32_t sample = gaps->cellSamples[n];
                if (gaps->gaps[sample] <= gaps->covered ||
                    pbdrLength(pbdrSub(gaps->balls[sample].point, point)) > distance) {
                    continue;
                }
                if (samples != NULL && count % step == 0) {
                    samples[count / step] = sample;
                }
                count++;
            }
        }
    }
    return count;
}

int pbdrFindUncovered(const pbdrSampleGaps* gaps, pbdrVec3 point, double distance, int limit,
                      int32_t* samples)
{
    int count = listUncovered(gaps, point, distance, 1, NULL);
    int step = (count + limit - 1) / limit;
    if (count > 0) {
        listUncovered(gaps, point, distance, step, samples);
    }
    return count > 0 ? (count + step - 1) / step : 0;
}

// --- Making ---

pbdrStatus pbdrCreateSampleGaps(const pbdrBall* balls, int count, pbdrVec3 lower, pbdrVec3 upper,
                                double cellSize, double start, double covered, const pbdrHooks* hooks,
                                pbdrSampleGaps* gaps, pbdrError* error)
{
    pbdrVec3 extent = pbdrSub(upper, lower);
    double longest = fmax(extent.x, fmax(extent.y, extent.z));
    cellSize = fmax(cellSize, longest / MAX_CELLS);
    *gaps = (pbdrSampleGaps){.count = count,
                             .balls = balls,
                             .sum = start * count,
                             .covered = covered,
                             .heapCount = count,
                             .lower = lower,
                             .cellSize = cellSize,
                             .nx = (int)(extent.x / cellSize) + 1,
                             .ny = (int)(extent.y / cellSize) + 1,
                             .nz = (int)(extent.z / cellSize) + 1};
    if (hooks != NULL) {
        gaps->hooks = *hooks;
    }
    size_t n = (size_t)count;
    gaps->gaps = pbdrAllocate(hooks, n, sizeof *gaps->gaps);
    gaps->heap = pbdrAllocate(hooks, n, sizeof *gaps->heap);
    gaps->cellSamples = pbdrAllocate(hooks, n, sizeof *gaps->cellSamples);
    gaps->cellFirsts = pbdrAllocate(hooks, countCells(gaps) + 1, sizeof *gaps->cellFirsts);
    if (gaps->gaps == NULL || gaps->heap == NULL || gaps->cellSamples == NULL || gaps->cellFirsts == NULL) {
        pbdrFreeSampleGaps(gaps);
        return pbdrFail(error, pbdr_statusNoMemory, "no memory for %d samples", count);
    }
    fillCells(gaps);
    for (int i = 0; i < count; i++) { // all are equal, so this is a heap
        gaps->gaps[i] = start;
        gaps->heap[i] = (pbdrGapItem){start, i};
    }
    return pbdr_statusOk;
}

void pbdrFreeSampleGaps(pbdrSampleGaps* gaps)
{
    pbdrHooks hooks = gaps->hooks;
    size_t n = (size_t)gaps->count;
    pbdrRelease(&hooks, gaps->gaps, n, sizeof *gaps->gaps);
    pbdrRelease(&hooks, gaps->heap, n, sizeof *gaps->heap);
    pbdrRelease(&hooks, gaps->cellSamples, n, sizeof *gaps->cellSamples);
    pbdrRelease(&hooks, gaps->cellFirsts, countCells(gaps) + 1, sizeof *gaps->cellFirsts);
    memset(gaps, 0, sizeof *gaps);
}
