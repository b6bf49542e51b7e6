// Polygons to triangles, by cutting off ears: corners that stand out, with no other corner in their triangle.
// A polygon of n corners gives n - 2 triangles on its own corners whatever it looks like, so a closed surface
// stays closed.
//
//   corners --> plane of the largest area (Newell) --> ears, two neighbours looked at anew per cut: O(n^2)
//
// A simple polygon always has two ears (Meisters 1975). One that is bent out of its plane, touches itself or
// crosses itself may run out of them: then the flattest corner is cut. The triangles' areas in the plane,
// with their signs, add up to the polygon's, so they overlap if and only if one is below 0: the polygon
// crosses itself.
#include "meshfile/mesh_file.h"

#include "math/vec.h"

// Corners of a polygon at most: they are cut in quadratic time, a fraction of a second for this many.
#define MAX_CORNERS 10000
// A triangle below 0 by no more than this share of its polygon is flat, but for rounding.
#define CROSSING_SHARE 1.0e-9

typedef struct Polygon {
    const pbdrVec3* vertices;
    const int32_t* corners;
    int32_t *previous, *next; // the ring of corners that are left
    int32_t* isEar;           // of each corner: 1, or 0
    int x, y;                 // axes of the plane, so that the polygon turns to the left in it
    double area;              // twice the polygon's, there
    bool isCrossed;
} Polygon;

static void getPlace(const Polygon* polygon, int32_t corner, double place[2])
{
    const pbdrVec3* v = &polygon->vertices[polygon->corners[corner]];
    const double values[] = {v->x, v->y, v->z};
    place[0] = values[polygon->x];
    place[1] = values[polygon->y];
}

// Twice the area of the triangle a b c, above 0 if it turns to the left.
static double getTurn(const double a[2], const double b[2], const double c[2])
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

static double getCornerTurn(const Polygon* polygon, int32_t corner)
{
    double a[2], b[2], c[2];
    getPlace(polygon, polygon->previous[corner], a);
    getPlace(polygon, corner, b);
    getPlace(polygon, polygon->next[corner], c);
    return getTurn(a, b, c);
}

static bool isSamePlace(const double a[2], const double b[2])
{
    return a[0] == b[0] && a[1] == b[1];
}

// Only corners that do not stand out can be in the triangle of one that does, or on its border.
static bool findEar(const Polygon* polygon, int32_t corner)
{
    double a[2], b[2], c[2], p[2];
    getPlace(polygon, polygon->previous[corner], a);
    getPlace(polygon, corner, b);
    getPlace(polygon, polygon->next[corner], c);
    if (!(getTurn(a, b, c) > 0.0)) {
        return false;
    }
    int32_t last = polygon->previous[corner];
    for (int32_t k = polygon->next[polygon->next[corner]]; k != last; k = polygon->next[k]) {
        getPlace(polygon, k, p);
        bool isInside = getTurn(a, b, p) >= 0.0 && getTurn(b, c, p) >= 0.0 && getTurn(c, a, p) >= 0.0;
        if (isInside && !isSamePlace(p, a) && !isSamePlace(p, b) && !isSamePlace(p, c) &&
            !(getCornerTurn(polygon, k) > 0.0)) {
            return false;
        }
    }
    return true;
}

// Sets the axes by the polygon's area vector.
static void choosePlane(Polygon* polygon, int count)
{
    pbdrVec3 area = {0.0, 0.0, 0.0}, origin = polygon->vertices[polygon->corners[0]];
    for (int k = 1; k + 1 < count; k++) {
        pbdrVec3 a = pbdrSub(polygon->vertices[polygon->corners[k]], origin);
        pbdrVec3 b = pbdrSub(polygon->vertices[polygon->corners[k + 1]], origin);
        area = pbdrAdd(area, pbdrCross(a, b));
    }
    const double values[] = {area.x, area.y, area.z};
    int axis = fabs(values[1]) > fabs(values[0]) ? 1 : 0;
    axis = fabs(values[2]) > fabs(values[axis]) ? 2 : axis;
    polygon->x = values[axis] > 0.0 ? (axis + 1) % 3 : (axis + 2) % 3;
    polygon->y = values[axis] > 0.0 ? (axis + 2) % 3 : (axis + 1) % 3;
    polygon->area = fabs(values[axis]);
}

// The corner to cut where there is no ear: the one whose triangle is least.
static int32_t findFlattest(const Polygon* polygon, int32_t start, int left)
{
    int32_t best = start, corner = start;
    double least = fabs(getCornerTurn(polygon, start));
    for (int k = 1; k < left; k++) {
        corner = polygon->next[corner];
        double turn = fabs(getCornerTurn(polygon, corner));
        if (turn < least) {
            least = turn;
            best = corner;
        }
    }
    return best;
}

// The ear with the shortest cut, or the first one of a quadrilateral, as most programs cut it; -1 if there is
// none. In a polygon that is bent out of its plane short cuts come near to the least area.
static int32_t chooseEar(const Polygon* polygon, int32_t start, int left)
{
    int32_t best = -1;
    double least = 0.0;
    for (int k = 0; k < left; k++, start = polygon->next[start]) {
        const int32_t* corners = polygon->corners;
        double cut = pbdrLength(pbdrSub(polygon->vertices[corners[polygon->next[start]]],
                                        polygon->vertices[corners[polygon->previous[start]]]));
        if (polygon->isEar[start] != 0 && (best < 0 || (cut < least && left > 4))) {
            best = start;
            least = cut;
        }
    }
    return best;
}

// Adds a corner's triangle.
static pbdrStatus cutCorner(pbdrMeshFile* file, Polygon* polygon, int32_t corner)
{
    if (getCornerTurn(polygon, corner) < -CROSSING_SHARE * polygon->area) {
        polygon->isCrossed = true;
    }
    return pbdrAddTriangle(file, polygon->corners[polygon->previous[corner]], polygon->corners[corner],
                           polygon->corners[polygon->next[corner]]);
}

static pbdrStatus cutPolygon(pbdrMeshFile* file, Polygon* polygon)
{
    pbdrStatus status = pbdr_statusOk;
    int32_t corner = 1;
    for (int32_t k = 0; k < file->cornerCount; k++) {
        polygon->isEar[k] = findEar(polygon, k);
    }
    for (int left = file->cornerCount; left > 3 && status == pbdr_statusOk; left--) {
        int32_t ear = chooseEar(polygon, corner, left);
        ear = ear >= 0 ? ear : findFlattest(polygon, corner, left);
        status = cutCorner(file, polygon, ear);
        int32_t before = polygon->previous[ear], after = polygon->next[ear];
        polygon->next[before] = after;
        polygon->previous[after] = before;
        polygon->isEar[before] = findEar(polygon, before);
        polygon->isEar[after] = findEar(polygon, after);
        corner = after;
    }
    return status == pbdr_statusOk ? cutCorner(file, polygon, corner) : status;
}

pbdrStatus pbdrAddPolygon(pbdrMeshFile* file)
{
    int count = file->cornerCount;
    int place = file->item != NULL ? file->itemIndex : file->text.line;
    file->hasLines = file->item == NULL;
    const int32_t* corners = file->corners.items;
    if (count > MAX_CORNERS) {
        return PBDR_FAIL_FORMAT(file, "face of %d corners, %d are possible", count, MAX_CORNERS);
    }
    if (count < 3) {
        file->seen.firstSkipped = file->seen.skippedFaces++ == 0 ? place : file->seen.firstSkipped;
        return pbdr_statusOk;
    }
    if (count == 3) {
        return pbdrAddTriangle(file, corners[0], corners[1], corners[2]);
    }
    pbdrStatus status = pbdrGrow(file, &file->links, 3 * (size_t)count);
    if (status != pbdr_statusOk) {
        return status;
    }
    int32_t* links = file->links.items;
    Polygon polygon = {
        .vertices = file->vertices.items,
        .corners = corners,
        .previous = links,
        .next = links + count,
        .isEar = links + 2 * count,
    };
    for (int32_t k = 0; k < count; k++) {
        polygon.previous[k] = (k + count - 1) % count;
        polygon.next[k] = (k + 1) % count;
    }
    choosePlane(&polygon, count);
    status = cutPolygon(file, &polygon);
    if (polygon.isCrossed) {
        file->seen.firstCrossed = file->seen.crossedFaces++ == 0 ? place : file->seen.firstCrossed;
    }
    return status;
}
