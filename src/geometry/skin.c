// The boundary of a solid whose surface cuts through itself. A facet is part of it where the winding number
// just outside is 0; that changes along a facet only where another one cuts or touches it. So a facet that
// none meets is on the boundary as a whole or not at all, and others are cut into four, level by level, until
// none meets the pieces or they are small; then their middle decides.
#include "geometry/solid.h"

#include "base.h"
#include "math/vec.h"

#include <string.h>

// Facets are cut down to this share of the bounds' diagonal.
#define FINE_CUT (1.0 / 512.0)

// Pieces at most; when the next level could make more, the middles of those that are there decide.
#define MAX_PIECES 400000

// Nodes and facets looked at, after which middles decide: a second or two of work.
#define MAX_STEPS UINT64_C(100000000)

// "Touching", as a share of the diagonal: twice the step by which "just outside" is looked at.
#define TOUCH 2.0e-6

// A share of a sector's sine that is still its edge: rounding.
#define SECTOR_EDGE 1.0e-9

typedef struct Piece {
    pbdrTriangle triangle;
    int32_t parent; // facet of the whole surface
} Piece;

typedef struct Pieces {
    Piece* items;
    int count, capacity;
} Pieces;

static bool addPiece(Pieces* pieces, const pbdrTriangle* triangle, int32_t parent, const pbdrHooks* hooks)
{
    if (pieces->count == pieces->capacity) {
        int capacity = 2 * pieces->capacity + 256;
        Piece* grown = pbdrAllocate(hooks, (size_t)capacity, sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        if (pieces->count > 0) {
            memcpy(grown, pieces->items, (size_t)pieces->count * sizeof *grown);
        }
        pbdrRelease(hooks, pieces->items, (size_t)pieces->capacity, sizeof *grown);
        pieces->items = grown;
        pieces->capacity = capacity;
    }
    pieces->items[pieces->count++] = (Piece){*triangle, parent};
    return true;
}

// --- Who meets a piece ---

typedef struct Meeting {
    const pbdrTriangle* piece;
    const pbdrTriangle* parent;
    pbdrVec3 normal; // of the piece, unit
    double touch;    // [m]
    uint64_t* steps;
    bool met;
} Meeting;

// -1 or 1 if all corners are beyond the plane by more than touch, to that side; else 0.
static int getSideOf(const pbdrTriangle* triangle, pbdrVec3 point, pbdrVec3 normal, double touch)
{
    int above = 0, below = 0;
    for (int k = 0; k < 3; k++) {
        double height = pbdrDot(normal, pbdrSub(triangle->corners[k], point));
        above += height > touch;
        below += height < -touch;
    }
    return above == 3 ? 1 : below == 3 ? -1 : 0;
}

static bool isSame(pbdrVec3 a, pbdrVec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

// Whether a direction in the plane of the normal lies between two others, edges excluded.
static bool isBetween(pbdrVec3 direction, pbdrVec3 first, pbdrVec3 second, pbdrVec3 normal)
{
    double size = pbdrLength(direction);
    double left = pbdrDot(normal, pbdrCross(first, direction)) / (size * pbdrLength(first));
    double right = pbdrDot(normal, pbdrCross(direction, second)) / (size * pbdrLength(second));
    return size > 0.0 && left > SECTOR_EDGE && right > SECTOR_EDGE;
}

// Whether a facet that shares one corner with the parent (its number in each) reaches into the parent: where
// it meets the parent's plane, it does so along directions from that corner.
static bool reachesIn(const Meeting* meeting, const pbdrTriangle* other, int own, int its)
{
    const pbdrVec3* p = meeting->parent->corners;
    pbdrVec3 apex = p[own], n = meeting->normal;
    pbdrVec3 first = pbdrSub(p[(own + 1) % 3], apex), second = pbdrSub(p[(own + 2) % 3], apex);
    pbdrVec3 a = pbdrSub(other->corners[(its + 1) % 3], apex);
    pbdrVec3 b = pbdrSub(other->corners[(its + 2) % 3], apex);
    double heightA = pbdrDot(n, a), heightB = pbdrDot(n, b), touch = meeting->touch;
    bool onA = fabs(heightA) <= touch, onB = fabs(heightB) <= touch;
    if (!onA && !onB) {
        if ((heightA > 0.0) == (heightB > 0.0)) {
            return false;
        }
        double share = heightA / (heightA - heightB);
        return isBetween(pbdrAddScaled(a, share, pbdrSub(b, a)), first, second, n);
    }
    if ((onA && isBetween(a, first, second, n)) || (onB && isBetween(b, first, second, n))) {
        return true;
    }
    if (!onA || !onB) {
        return false;
    }
    // In the same plane: one sector may contain the other, whichever way round it goes.
    pbdrVec3 middle =
        pbdrAddScaled(pbdrScale(1.0 / pbdrLength(first), first), 1.0 / pbdrLength(second), second);
    return isBetween(middle, a, b, n) || isBetween(middle, b, a, n);
}

// Whether a facet that shares an edge with the parent lies on it, folded back.
static bool foldsBack(const Meeting* meeting, const pbdrTriangle* other, int own, int its)
{
    const pbdrVec3* p = meeting->parent->corners; // own and its: the corners that are not shared
    pbdrVec3 edge = pbdrSub(p[(own + 2) % 3], p[(own + 1) % 3]), base = p[(own + 1) % 3];
    pbdrVec3 across = pbdrCross(meeting->normal, edge); // to the parent's side
    pbdrVec3 tip = pbdrSub(other->corners[its], base);
    return fabs(pbdrDot(meeting->normal, tip)) <= meeting->touch && pbdrDot(across, tip) > 0.0;
}

static bool visitOther(void* context, const pbdrTriangle* other)
{
    Meeting* meeting = context;
    (*meeting->steps)++;
    if (other == meeting->parent) {
        return true;
    }
    pbdrVec3 area = pbdrGetAreaVector(other);
    pbdrVec3 normal = pbdrScale(1.0 / pbdrLength(area), area);
    if (getSideOf(other, meeting->piece->corners[0], meeting->normal, meeting->touch) != 0 ||
        getSideOf(meeting->piece, other->corners[0], normal, meeting->touch) != 0) {
        return true;
    }
    int shared = 0, own = 0, its = 0, ownSum = 0, itsSum = 0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            if (isSame(meeting->parent->corners[i], other->corners[j])) {
                shared++;
                own = i;
                its = j;
                ownSum += i;
                itsSum += j;
            }
        }
    }
    meeting->met = shared == 0   ? true
                   : shared == 1 ? reachesIn(meeting, other, own, its)
                   : shared == 2 ? foldsBack(meeting, other, 3 - ownSum, 3 - itsSum)
                                 : false; // the same facet twice, or its back
    return !meeting->met;
}

static bool isMet(const pbdrSolid* solid, const Piece* piece, pbdrVec3 normal, uint64_t* steps)
{
    Meeting meeting = {
        &piece->triangle, &solid->whole.triangles[piece->parent], normal, TOUCH * solid->size, steps, false};
    const pbdrVec3* c = piece->triangle.corners;
    double t = meeting.touch;
    pbdrVec3 lower = pbdrVec(fmin(c[0].x, fmin(c[1].x, c[2].x)) - t, fmin(c[0].y, fmin(c[1].y, c[2].y)) - t,
                             fmin(c[0].z, fmin(c[1].z, c[2].z)) - t);
    pbdrVec3 upper = pbdrVec(fmax(c[0].x, fmax(c[1].x, c[2].x)) + t, fmax(c[0].y, fmax(c[1].y, c[2].y)) + t,
                             fmax(c[0].z, fmax(c[1].z, c[2].z)) + t);
    pbdrVisitBox(&solid->whole, lower, upper, visitOther, &meeting);
    return meeting.met;
}

// --- Cutting ---

static double getLongestSide(const pbdrTriangle* triangle)
{
    const pbdrVec3* c = triangle->corners;
    return fmax(pbdrLength(pbdrSub(c[1], c[0])),
                fmax(pbdrLength(pbdrSub(c[2], c[1])), pbdrLength(pbdrSub(c[0], c[2]))));
}

static pbdrVec3 getMean(pbdrVec3 a, pbdrVec3 b)
{
    return pbdrScale(0.5, pbdrAdd(a, b));
}

static bool cutInFour(const Piece* piece, Pieces* next, const pbdrHooks* hooks)
{
    const pbdrVec3* c = piece->triangle.corners;
    pbdrVec3 ab = getMean(c[0], c[1]), bc = getMean(c[1], c[2]), ca = getMean(c[2], c[0]);
    const pbdrTriangle quarters[4] = {{{c[0], ab, ca}}, {{ab, c[1], bc}}, {{ca, bc, c[2]}}, {{ab, bc, ca}}};
    bool good = true;
    for (int k = 0; k < 4 && good; k++) {
        good = addPiece(next, &quarters[k], piece->parent, hooks);
    }
    return good;
}

// Sorts one level: to the skin, to the next level, or away. False without memory.
static bool sortLevel(const pbdrSolid* solid, const Pieces* level, bool last, Pieces* skin, Pieces* next,
                      uint64_t* steps)
{
    const pbdrHooks* hooks = &solid->whole.hooks;
    bool good = true;
    for (int i = 0; i < level->count && good; i++) {
        const Piece* piece = &level->items[i];
        pbdrVec3 area = pbdrGetAreaVector(&piece->triangle);
        double size = pbdrLength(area);
        if (!(size > 0.0)) {
            continue;
        }
        pbdrVec3 normal = pbdrScale(1.0 / size, area);
        bool small = last || getLongestSide(&piece->triangle) <= FINE_CUT * solid->size;
        if (!small && isMet(solid, piece, normal, steps)) {
            good = cutInFour(piece, next, hooks);
            continue;
        }
        const pbdrVec3* c = piece->triangle.corners;
        pbdrVec3 middle = pbdrScale(1.0 / 3.0, pbdrAdd(c[0], pbdrAdd(c[1], c[2])));
        if (pbdrIsOnSkin(solid, middle, normal, steps)) {
            good = addPiece(skin, &piece->triangle, piece->parent, hooks);
        }
    }
    return good;
}

static pbdrStatus plantPieces(pbdrSolid* solid, const Pieces* skin, pbdrError* error)
{
    const pbdrHooks* hooks = &solid->whole.hooks;
    size_t count = (size_t)skin->count;
    pbdrTriangle* triangles = pbdrAllocate(hooks, count, sizeof *triangles);
    if (triangles == NULL) {
        return pbdrFail(error, pbdr_statusNoMemory, "no memory for %zu facets of the boundary", count);
    }
    for (size_t i = 0; i < count; i++) {
        triangles[i] = skin->items[i].triangle;
    }
    pbdrStatus status = pbdrCreateTriangleTree(triangles, skin->count, hooks, &solid->skin, error);
    pbdrRelease(hooks, triangles, count, sizeof *triangles);
    return status;
}

pbdrStatus pbdrPlantSkin(pbdrSolid* solid, uint64_t* steps, pbdrError* error)
{
    const pbdrHooks hooks = solid->whole.hooks;
    Pieces level = {0}, next = {0}, skin = {0};
    bool good = true;
    for (int32_t t = 0; t < solid->whole.triangleCount && good; t++) {
        good = addPiece(&level, &solid->whole.triangles[t], t, &hooks);
    }
    while (good && level.count > 0) {
        // each piece may become four
        bool last = level.count > MAX_PIECES / 4 || skin.count > MAX_PIECES || *steps > MAX_STEPS;
        good = sortLevel(solid, &level, last, &skin, &next, steps);
        *steps += (uint64_t)level.count;
        Pieces empty = level;
        empty.count = 0;
        level = next;
        next = empty;
    }
    pbdrStatus status;
    if (!good) {
        status = pbdrFail(error, pbdr_statusNoMemory, "no memory for %d facets cut from overlapping ones",
                          level.count + next.count + skin.count);
    } else if (skin.count == 0) {
        status =
            pbdrFail(error, pbdr_statusMeshBroken, "mesh: none of %d facets lies between inside and outside",
                     solid->mesh.triangleCount);
    } else {
        status = plantPieces(solid, &skin, error);
    }
    pbdrRelease(&hooks, level.items, (size_t)level.capacity, sizeof *level.items);
    pbdrRelease(&hooks, next.items, (size_t)next.capacity, sizeof *next.items);
    pbdrRelease(&hooks, skin.items, (size_t)skin.capacity, sizeof *skin.items);
    return status;
}
