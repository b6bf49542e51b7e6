// Contact that knows the surface (surface_contact.h).
#include "solver/surface_contact.h"

#include "solver/candidates.h"

// Sweeps of the projection onto a cell at most. Faces at right angles need one; the sharper, the more.
#define MAX_SWEEPS 100

// --- Cells ---

// Hildreth's method: x = p - sum lambda_k v_k is the point of the cell nearest to p.
static pbdrVec3 projectOntoCell(const pbdrVec3* normals, int count, pbdrVec3 centre, double radius,
                                pbdrVec3 p)
{
    double lambdas[PBDR_MAX_FACE_NORMALS] = {0.0};
    pbdrVec3 x = p;
    for (int sweep = 0; sweep < MAX_SWEEPS; sweep++) {
        double largest = 0.0;
        for (int k = 0; k < count; k++) {
            double height = pbdrDot(normals[k], pbdrSub(x, centre)) - radius;
            double change = fmax(height, -lambdas[k]);
            lambdas[k] += change;
            x = pbdrAddScaled(x, -change, normals[k]);
            largest = fmax(largest, fabs(change));
        }
        if (largest <= 1.0e-15 * radius) {
            break;
        }
    }
    return x;
}

double pbdrGetCellGap(const pbdrBody* body, int sphere, pbdrVec3 x, double radius, pbdrVec3 other,
                      double otherRadius, pbdrVec3* outwards)
{
    pbdrVec3 normals[PBDR_MAX_FACE_NORMALS];
    int first = body->faceFirsts[sphere], count = body->faceFirsts[sphere + 1] - first;
    double highest = -HUGE_VAL;
    for (int k = 0; k < count; k++) {
        normals[k] = pbdrMulMV(&body->stretch, body->faceNormals[first + k]);
        double height = pbdrDot(normals[k], pbdrSub(other, x)) - radius;
        if (height > highest) {
            highest = height;
            *outwards = normals[k];
        }
    }
    if (highest <= 0.0) {
        return highest - otherRadius; // the other's centre is inside: out through the nearest face
    }
    pbdrVec3 apart = pbdrSub(other, projectOntoCell(normals, count, x, radius, other));
    double distance = pbdrLength(apart);
    if (distance > 0.0) {
        *outwards = pbdrScale(1.0 / distance, apart);
    }
    return distance - otherRadius;
}

// --- Choice ---

static bool hasFaces(const pbdrBody* body, int sphere)
{
    return body->faceFirsts != NULL && body->faceFirsts[sphere + 1] > body->faceFirsts[sphere];
}

// An item's spheres: their numbers in the bodies' definitions.
static int getSphere(const pbdrWorld* world, const pbdrPatch* patch, int side, int item)
{
    const pbdrBody* body = pbdrGetBody(world, side == 0 ? patch->bodyA : patch->bodyB);
    return body->tree.indices[world->items.spheres[side][item]];
}

static double getSphereGap(const pbdrWorld* world, const pbdrPatch* patch, int item)
{
    const pbdrItems* items = &world->items;
    pbdrVec3 x[2];
    for (int side = 0; side < 2; side++) {
        const pbdrBody* body = pbdrGetBody(world, side == 0 ? patch->bodyA : patch->bodyB);
        const int column = side == 0 ? ITEM_REST : ITEM_REST_B;
        pbdrVec3 q = {pbdrGetColumn(items, column)[item], pbdrGetColumn(items, column + 1)[item],
                      pbdrGetColumn(items, column + 2)[item]};
        x[side] = pbdrAdd(body->centre0, pbdrMulMV(&body->stretch, q));
    }
    return pbdrLength(pbdrSub(x[0], x[1])) - pbdrGetColumn(items, ITEM_RADIUS)[item] -
           pbdrGetColumn(items, ITEM_RADIUS_B)[item];
}

// For each sphere of the probing side, the item with the nearest sphere of the other. nearest holds item + 1.
static void findNearest(const pbdrWorld* world, const pbdrPatch* patch, int prober, int32_t* nearest)
{
    const double* gaps = pbdrGetColumn(&world->items, ITEM_AHEAD); // free until items are prepared
    for (int item = patch->first; item < patch->first + patch->count; item++) {
        nearest[getSphere(world, patch, prober, item)] = 0;
    }
    for (int item = patch->first; item < patch->first + patch->count; item++) {
        int32_t* best = &nearest[getSphere(world, patch, prober, item)];
        if (*best == 0 || gaps[item] < gaps[*best - 1]) {
            *best = item + 1;
        }
    }
}

// Moves what an item carries to another that carries nothing.
static void handOver(const pbdrItems* items, int from, int to)
{
    double* touched = pbdrGetColumn(items, ITEM_TOUCHED);
    bool takes = to >= 0 && touched[from] > 0.0 && !(touched[to] > 0.0);
    for (int column = ITEM_FORCE; column < ITEM_SIDE; column++) {
        double* values = pbdrGetColumn(items, column);
        if (takes) {
            values[to] = values[from];
        }
        values[from] = 0.0;
    }
}

static void chooseItems(pbdrWorld* world, const pbdrPatch* patch)
{
    const pbdrItems* items = &world->items;
    const pbdrBody* bodies[2] = {pbdrGetBody(world, patch->bodyA), pbdrGetBody(world, patch->bodyB)};
    double* gaps = pbdrGetColumn(items, ITEM_AHEAD);
    double* sides = pbdrGetColumn(items, ITEM_SIDE);
    int32_t* nearest[2] = {world->nearest[0].items, world->nearest[1].items};
    for (int item = patch->first; item < patch->first + patch->count; item++) {
        gaps[item] = getSphereGap(world, patch, item);
        sides[item] = SIDE_NONE;
    }
    for (int prober = 1; prober >= 0; prober--) { // B's spheres on A's surface first
        const int surface = 1 - prober;
        if (bodies[surface]->faceFirsts == NULL) {
            continue;
        }
        findNearest(world, patch, prober, nearest[prober]);
        for (int item = patch->first; item < patch->first + patch->count; item++) {
            bool chosen = nearest[prober][getSphere(world, patch, prober, item)] == item + 1;
            if (chosen && sides[item] == SIDE_NONE) {
                bool cell = hasFaces(bodies[surface], getSphere(world, patch, surface, item));
                sides[item] = !cell ? SIDE_SPHERES : surface == 0 ? SIDE_A : SIDE_B;
            }
        }
    }
    for (int item = patch->first; item < patch->first + patch->count; item++) {
        if (sides[item] != SIDE_NONE || !(pbdrGetColumn(items, ITEM_TOUCHED)[item] > 0.0)) {
            continue;
        }
        int to = -1;
        for (int prober = 1; prober >= 0 && to < 0; prober--) {
            if (bodies[1 - prober]->faceFirsts != NULL) {
                to = nearest[prober][getSphere(world, patch, prober, item)] - 1;
            }
        }
        handOver(items, item, to);
    }
}

bool pbdrChooseSurfaceItems(pbdrWorld* world)
{
    for (int k = 0; k < world->patches.count; k++) {
        const pbdrPatch* patch = pbdrGetPatch(world, k);
        if (patch->bodyB < 0) {
            continue;
        }
        const pbdrBody *a = pbdrGetBody(world, patch->bodyA), *b = pbdrGetBody(world, patch->bodyB);
        if (a->faceFirsts == NULL && b->faceFirsts == NULL) {
            double* sides = pbdrGetColumn(&world->items, ITEM_SIDE);
            for (int item = patch->first; item < patch->first + patch->count; item++) {
                sides[item] = SIDE_SPHERES;
            }
            continue;
        }
        if (!pbdrListReserve(world, &world->nearest[0], a->particleCount) ||
            !pbdrListReserve(world, &world->nearest[1], b->particleCount)) {
            return false;
        }
        chooseItems(world, patch);
    }
    return true;
}
