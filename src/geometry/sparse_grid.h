// A grid without bounds of which only the nodes in use are kept, and the mesh of a level set on it.
#ifndef PBDR_GEOMETRY_SPARSE_GRID_H
#define PBDR_GEOMETRY_SPARSE_GRID_H

#include "pbdr/geometry.h"

// Nodes along an axis are numbered from -PBDR_GRID_LIMIT to PBDR_GRID_LIMIT - 1.
#define PBDR_GRID_LIMIT (1 << 18)

typedef struct pbdrGridPlace {
    int32_t i[3];
} pbdrGridPlace;

// A hash table from keys above zero to numbers.
typedef struct pbdrKeyTable {
    size_t capacity, count;
    uint64_t* keys; // 0: free
    double* values;
} pbdrKeyTable;

typedef double (*pbdrFieldFunction)(const void* context, pbdrVec3 place);

typedef struct pbdrSparseGrid {
    pbdrVec3 origin;            // of node (0, 0, 0) [m]
    double cellSize;            // [m]
    pbdrFieldFunction getField; // asked once per node in use
    const void* context;
    const pbdrHooks* hooks;
    size_t nodeLimit;     // that may be in use; 0: any number
    pbdrKeyTable nodes;   // the field there
    pbdrKeyTable cells;   // visited
    pbdrKeyTable edges;   // the vertex on a crossed edge
    pbdrGridPlace* queue; // cells to visit
    size_t queueCount, queueCapacity;
    pbdrVec3* vertices;
    int vertexCount, vertexCapacity;
    int32_t (*triangles)[3];
    int triangleCount, triangleCapacity;
    pbdrStatus status; // the first failure: no memory, or beyond the grid or the limit
} pbdrSparseGrid;

void pbdrFreeSparseGrid(pbdrSparseGrid* grid);

pbdrGridPlace pbdrGetGridCell(const pbdrSparseGrid* grid, pbdrVec3 place);

// The field at a place within its cell, interpolated as the mesh has it: linearly on six tetrahedra per cell.
double pbdrInterpolateField(pbdrSparseGrid* grid, pbdrVec3 place);

// From now on asks another function, and adds to the nodes in use what `getChange` gives.
void pbdrChangeField(pbdrSparseGrid* grid, pbdrFieldFunction getField, pbdrFieldFunction getChange,
                     const void* context);

// Whether the level set crosses a cell.
bool pbdrIsCellCrossed(pbdrSparseGrid* grid, pbdrGridPlace cell, double level);

// Starts at a crossed cell and follows the level set as far as it goes, unless it has been there.
void pbdrFollowLevelSet(pbdrSparseGrid* grid, pbdrGridPlace start, double level);

#endif
