// Contact candidates of a world: the spheres near a plane, and the near pairs of spheres of two bodies. They are searched
// anew once something has moved by its margin (contact/candidates.h has the bounds).
#ifndef PBDR_GPU_KERNEL_SEARCH_H
#define PBDR_GPU_KERNEL_SEARCH_H

#include "gpu/kernel_math.h"
#include "gpu/plan.h"

// The quick kernels (cuda_quick*.cu) have smooth substeps of a body on a plane alone, or with one other body beside it
// (KERNEL_PAIRS), and no calls within a substep: where something else is needed they give up, and another kernel goes on.
#ifndef KERNEL_QUICK
#define KERNEL_QUICK 0
#endif

// On a device a quick kernel keeps the inverse of its world in the block's shared memory, behind the spheres: warp by warp,
// number by number, 32 apart.
#if KERNEL_QUICK && defined(__CUDACC__)
#define KERNEL_DESK 1
#else
#define KERNEL_DESK 0
#endif

// What is large: apart in kernels for several bodies, which else take the compiler minutes.
#if KERNEL_MOVERS > 1
#define BIG RARE
#else
#define BIG FN
#endif

// Number s of the world: they stand PBDR_KERNEL_LANES apart.
#define AT(s) values[(s)*PBDR_KERNEL_LANES]
#define KEY_STEP 32768
#define TOUCHED (1 << 30)

// contact/search.c has these, and why.
#define PLANE_STEPS 2.0
#define PAIR_STEPS 3.0
// A body on its own looks for pairs four times as far as worlds do: threads of a warp wait for the one that searches.
#if KERNEL_MOVERS == 1
#define REST_SHARE 2.0
#else
#define REST_SHARE 0.5
#endif
#define STRETCH 1.01

// What a body of PBD-R keeps beside its pose and velocity, where XPBD-R keeps an inverse; BODY_HAS_INVERSE: 1 if it stands there.
enum {
    REDUCED_FRAME = BODY_INVERSE,        // F, rows
    REDUCED_RATE = BODY_INVERSE + 9,     // G, rows [1/s]
    REDUCED_EXTRA = BODY_INVERSE + 18,   // spin of the extra inertia [kg m^2/s]
    REDUCED_GUESS = BODY_INVERSE + 21,   // rotation of the last match: w, x, y, z
    REDUCED_ANGULAR = BODY_INVERSE + 25, // BODY_ANGULAR as it was left: another one has been written since
    REDUCED_END = BODY_INVERSE + 28
};

FN Vec readVec(const double* values, int s)
{
    return vec(AT(s), AT(s + 1), AT(s + 2));
}

FN void writeVec(double* values, int s, Vec a)
{
    AT(s) = a.x;
    AT(s + 1) = a.y;
    AT(s + 2) = a.z;
}

FN Quat readQuat(const double* values, int s)
{
    return quat(AT(s), AT(s + 1), AT(s + 2), AT(s + 3));
}

FN void writeQuat(double* values, int s, Quat q)
{
    AT(s) = q.w;
    AT(s + 1) = q.x;
    AT(s + 2) = q.y;
    AT(s + 3) = q.z;
}

FN Twist readTwist(const double* values, int s)
{
    return makeTwist(readVec(values, s), readVec(values, s + 3));
}

FN void writeTwist(double* values, int s, Twist a)
{
    writeVec(values, s, a.u);
    writeVec(values, s + 3, a.w);
}

FN Mat readMat(const double* values, int s)
{
    Mat a;
    UNROLL
    for (int i = 0; i < 3; i++) {
        a.r[i] = readVec(values, s + 3 * i);
    }
    return a;
}

FN void writeMat(double* values, int s, const Mat* a)
{
    UNROLL
    for (int i = 0; i < 3; i++) {
        writeVec(values, s + 3 * i, a->r[i]);
    }
}

// What comes next in a row; last: the newest, before: the two before it. A body on a plane alone goes straight on, which
// has less rounding; one that others push goes on by a parabola.
FN Twist leadOn(const double* values, int last, int before)
{
    const Twist newest = readTwist(values, last), change = addTwist(newest, -1.0, readTwist(values, before));
#if KERNEL_PAIRS
    return addTwist(readTwist(values, before + 6), 3.0, change);
#else
    return addTwist(newest, 1.0, change);
#endif
}

// A row's newest becomes another.
FN void writeRow(double* values, int last, int before, Twist a)
{
#if KERNEL_PAIRS
    writeTwist(values, before + 6, readTwist(values, before));
#endif
    writeTwist(values, before, readTwist(values, last));
    writeTwist(values, last, a);
}

#if KERNEL_DESK
FN double* getDesk(const pbdrKernelPlan* plan, const double* spheres)
{
    return (double*)spheres + 4 * plan->sphereCount + threadIdx.x / 32 * (PBDR_DESK_NUMBERS * 32) +
           threadIdx.x % 32;
}
#endif

FN int bodySlot(const pbdrKernelPlan* plan, int body)
{
    return plan->firstBody + body * BODY_SLOTS;
}

FN int patchSlot(const pbdrKernelPlan* plan, int patch)
{
    return plan->firstPatch + patch * PATCH_SLOTS;
}

FN int itemSlot(const pbdrKernelPlan* plan, int item)
{
    return plan->firstItem + item * ITEM_SLOTS;
}

FN int forceSlot(const pbdrKernelPlan* plan, int item)
{
    return plan->firstForce + item * 3;
}

// What the quick kernels know of their patches: a plane first, then a pair whose A moves.
FN int countPatches(const pbdrKernelPlan* plan)
{
    return KERNEL_QUICK && KERNEL_PAIRS ? 2 : plan->patchCount;
}

FN int isPlane(const pbdrKernelPlan* plan, int index)
{
    return KERNEL_QUICK && KERNEL_PAIRS ? index == 0 : !KERNEL_PAIRS || plan->patches[index].plane >= 0;
}

FN int readKey(const double* values, int s)
{
    return (int)(uint32_t)getBits(AT(s));
}

FN void writeKey(double* values, int s, int key)
{
    AT(s) = fromBits((uint32_t)key);
}

// A vector's length, or something larger that takes no root. Several bodies search when a world on its own does: which
// forces of a stack are found may depend on it.
FN double bound(Vec a)
{
#if KERNEL_MOVERS == 1
    return size(a.x) + size(a.y) + size(a.z);
#else
    return length(a);
#endif
}

FN double boundQ(Quat q)
{
#if KERNEL_MOVERS == 1
    return size(q.w) + size(q.x) + size(q.y) + size(q.z);
#else
    return lengthQ(q);
#endif
}

// How far a body's centre would go in this substep without contact.
FN Vec getDrift(const pbdrKernelPlan* plan, const double* values, int body)
{
    const int s = bodySlot(plan, body);
    if (plan->bodies[body].moves == 0) {
        return vec(0.0, 0.0, 0.0);
    }
    Vec pull = scale(1.0 / AT(s + BODY_MASS), readVec(values, s + BODY_FORCE));
    if (plan->bodies[body].moves == 1) {
        pull = add(pull, vec(plan->gravity[0], plan->gravity[1], plan->gravity[2]));
    }
    return scale(plan->timeStep, addScaled(readVec(values, s + BODY_VELOCITY), plan->timeStep, pull));
}

// And its surface by turning, at most.
FN double getTurn(const pbdrKernelPlan* plan, const double* values, int body)
{
    return plan->timeStep * bound(readVec(values, bodySlot(plan, body) + BODY_ANGULAR)) *
           plan->bodies[body].reach;
}

// How a patch's two stand to each other.
typedef struct Stand {
    double need;   // how far they may move in this substep [m]
    double height; // planes: of the centre
    Vec place;     // planes: the normal, in A's frame; pairs: A's centre in B's frame
    Quat turn;     // pairs
    double apart;  // how far the balls around them are from each other [m]; negative: they are not
} Stand;

FN Stand getStand(const pbdrKernelPlan* plan, const double* values, int index)
{
    const pbdrKernelPatch* patch = &plan->patches[index];
    const int a = bodySlot(plan, patch->bodyA);
    const pbdrKernelBody* bodyA = &plan->bodies[patch->bodyA];
    const Quat qa = readQuat(values, a + BODY_ROTATION);
    const double reachA = STRETCH * bodyA->reach + bodyA->largestRadius;
    Stand stand;
    stand.turn = quat(1.0, 0.0, 0.0, 0.0);
    if (isPlane(plan, index)) {
        const pbdrKernelPlane* plane = &plan->planes[patch->plane];
        const Vec n = vec(plane->frame[2][0], plane->frame[2][1], plane->frame[2][2]);
        const Mat frame = matFromQuat(qa);
        stand.height = dot(n, readVec(values, a + BODY_CENTRE)) - plane->offset;
        stand.place = mulTMV(&frame, n);
        stand.need = size(dot(getDrift(plan, values, patch->bodyA), n)) + getTurn(plan, values, patch->bodyA);
        stand.apart = stand.height - reachA;
        return stand;
    }
    const int b = bodySlot(plan, patch->bodyB);
    const pbdrKernelBody* bodyB = &plan->bodies[patch->bodyB];
    const Quat qb = readQuat(values, b + BODY_ROTATION);
    const Mat frame = matFromQuat(qb);
    const Vec between = sub(readVec(values, a + BODY_CENTRE), readVec(values, b + BODY_CENTRE));
    stand.height = 0.0;
    stand.place = mulTMV(&frame, between);
    stand.turn = mulQQ(quat(qb.w, -qb.x, -qb.y, -qb.z), qa);
    stand.need = bound(sub(getDrift(plan, values, patch->bodyA), getDrift(plan, values, patch->bodyB))) +
                 getTurn(plan, values, patch->bodyA) + getTurn(plan, values, patch->bodyB);
    stand.apart = length(between) - reachA - (STRETCH * bodyB->reach + bodyB->largestRadius);
    return stand;
}

// Whether a patch's items must be searched.
BIG int isStale(const pbdrKernelPlan* plan, const double* values, int index)
{
    const Stand stand = getStand(plan, values, index);
    const int s = patchSlot(plan, index), anchor = s + PATCH_ANCHOR;
    const double reach = plan->bodies[plan->patches[index].bodyA].reach;
    double moved = bound(sub(stand.place, readVec(values, anchor)));
    if (isPlane(plan, index)) {
        moved = size(stand.height - AT(anchor + 3)) + moved * reach;
    } else {
        const Quat q = stand.turn, r = readQuat(values, anchor + 3);
        const double sign = q.w * r.w + q.x * r.x + q.y * r.y + q.z * r.z < 0.0 ? -1.0 : 1.0;
        // |R - R'| = 2 sin(angle/2) <= 2 |q - q'|
        moved += 2.0 * reach *
                 boundQ(quat(q.w - sign * r.w, q.x - sign * r.x, q.y - sign * r.y, q.z - sign * r.z));
    }
    return !(stand.need <= AT(s + PATCH_MARGIN) - moved);
}

FN Vec readSphere(const double* spheres, int index)
{
    return vec(spheres[4 * index], spheres[4 * index + 1], spheres[4 * index + 2]);
}

// The list that is being made: keys alone, and where each patch's begin.
typedef struct Found {
    int keys[KERNEL_ITEMS];
    int starts[KERNEL_PATCHES + 1];
    int count, capacity, full;
    int old, oldEnd; // of the same patch, not yet passed
    int changed;     // another list than before
} Found;

FN void addItem(const pbdrKernelPlan* plan, const double* values, int key, Found* found)
{
    if (found->count >= found->capacity) {
        found->full = 1;
        return;
    }
    found->changed |= found->old >= found->oldEnd ||
                      (readKey(values, itemSlot(plan, found->old) + ITEM_KEY) & ~TOUCHED) != key;
    found->old++;
    found->keys[found->count++] = key;
}

// What an item keeps.
typedef struct Kept {
    int key;
    Vec friction;
} Kept;

// The items of a list that is another one than before, each with what its predecessor carries. friction: where T stands.
RARE void moveItems(const pbdrKernelPlan* plan, double* values, const Found* found, int friction)
{
    Kept kept[KERNEL_ITEMS];
    for (int index = 0; index < plan->patchCount; index++) {
        const int s = patchSlot(plan, index), first = found->starts[index], end = found->starts[index + 1];
        int from = (int)AT(s + PATCH_FIRST);
        const int fromEnd = from + (int)AT(s + PATCH_COUNT);
        for (int i = first; i < end; i++) {
            const int key = found->keys[i];
            int old = from < fromEnd ? readKey(values, itemSlot(plan, from) + ITEM_KEY) : 0;
            while (from < fromEnd && (old & ~TOUCHED) < key) {
                from++;
                old = from < fromEnd ? readKey(values, itemSlot(plan, from) + ITEM_KEY) : 0;
            }
            const int same = from < fromEnd && (old & ~TOUCHED) == key;
            kept[i].key = same ? old : key;
            kept[i].friction = same ? readVec(values, itemSlot(plan, from) + friction) : vec(0.0, 0.0, 0.0);
        }
        AT(s + PATCH_FIRST) = (double)first;
        AT(s + PATCH_COUNT) = (double)(end - first);
    }
    for (int i = 0; i < found->count; i++) {
        writeKey(values, itemSlot(plan, i) + ITEM_KEY, kept[i].key);
        writeVec(values, itemSlot(plan, i) + friction, kept[i].friction);
    }
}

// Searches the items of all patches. Most searches find the list that is there, and leave it. Returns 1 if there are more
// than there is room for.
RARE int searchItems(const pbdrKernelPlan* plan, const double* spheres, double* values, int friction)
{
    Found found;
    found.count = found.full = found.changed = 0;
    found.capacity = plan->itemCount;
    for (int index = 0; index < plan->patchCount; index++) {
        const pbdrKernelPatch* patch = &plan->patches[index];
        const Stand stand = getStand(plan, values, index);
        const int s = patchSlot(plan, index);
        const pbdrKernelBody* a = &plan->bodies[patch->bodyA];
        found.old = (int)AT(s + PATCH_FIRST);
        found.oldEnd = found.old + (int)AT(s + PATCH_COUNT);
        found.changed |= found.old != found.count;
        found.starts[index] = found.count;
        double margin;
        if (isPlane(plan, index)) {
            margin = most(a->margin + PLANE_STEPS * stand.need, stand.apart);
            for (int i = 0; i < a->sphereCount; i++) {
                const int sphere = a->firstSphere + i;
                if (stand.height + dot(stand.place, readSphere(spheres, sphere)) - spheres[4 * sphere + 3] <=
                    margin) {
                    addItem(plan, values, i * KEY_STEP, &found);
                }
            }
            AT(s + PATCH_ANCHOR + 3) = stand.height;
        } else {
            const pbdrKernelBody* b = &plan->bodies[patch->bodyB];
            const double base = 0.5 * (a->margin + b->margin);
            margin = most(most(REST_SHARE * base, PAIR_STEPS * stand.need), stand.apart);
            const Mat turn = matFromQuat(stand.turn);
            const double reachB = b->reach + b->largestRadius;
            for (int i = 0; i < a->sphereCount && stand.apart < margin; i++) {
                const int sphere = a->firstSphere + i;
                const Vec x = add(stand.place, mulMV(&turn, readSphere(spheres, sphere)));
                const double near = spheres[4 * sphere + 3] + margin;
                if (dot(x, x) > (near + reachB) * (near + reachB)) {
                    continue;
                }
                for (int j = 0; j < b->sphereCount; j++) {
                    const int other = b->firstSphere + j;
                    const Vec to = sub(x, readSphere(spheres, other));
                    const double reach = near + spheres[4 * other + 3];
                    if (dot(to, to) <= reach * reach) {
                        addItem(plan, values, i * KEY_STEP + j, &found);
                    }
                }
            }
            writeQuat(values, s + PATCH_ANCHOR + 3, stand.turn);
        }
        writeVec(values, s + PATCH_ANCHOR, stand.place);
        AT(s + PATCH_MARGIN) = margin;
        found.changed |= found.old != found.oldEnd;
    }
    found.starts[plan->patchCount] = found.count;
    if (found.changed) {
        moveItems(plan, values, &found, friction);
    }
    if (found.full) { // what is left out is looked for again, and flagged, in each substep
        AT(patchSlot(plan, 0) + PATCH_MARGIN) = -1.0;
    }
    return found.full;
}

// Items anew where something has moved by its margin. Returns 1 if there are more than there is room for.
FN int refreshItems(const pbdrKernelPlan* plan, const double* spheres, double* values, int friction)
{
    int stale = 0;
    for (int p = 0; p < plan->patchCount; p++) {
        stale = stale || isStale(plan, values, p);
    }
    return stale && searchItems(plan, spheres, values, friction);
}

#endif
