// The sphere tree finds what trying every sphere and every pair finds, on any set, and stops when told to.
#include "check.h"
#include "geometry/sphere_tree.h"
#include "ledger.h"

#define MAX_SPHERES 400

// A number in [-1, 1): Knuth's linear congruential generator, the same on every machine.
static double draw(uint64_t* seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-52 - 1.0;
}

typedef enum Shape { shapeCloud, shapeGrid, shapeOnePlace, shapeLine, SHAPE_COUNT } Shape;

static pbdrTreeSphere drawSphere(Shape shape, int i, uint64_t* seed)
{
    double x = draw(seed), y = draw(seed), z = draw(seed), r = 0.02 + 0.1 * fabs(draw(seed));
    switch (shape) {
    case shapeGrid: // every coordinate is shared by many: ties in the median
        return (pbdrTreeSphere){{i % 7 * 0.1, i / 7 % 7 * 0.1, i / 49 * 0.1}, 0.05};
    case shapeOnePlace:
        return (pbdrTreeSphere){{0.3, -0.2, 0.1}, r};
    case shapeLine:
        return (pbdrTreeSphere){{0.5 * x, x, -2.0 * x}, r};
    default:
        return (pbdrTreeSphere){{x, y, z}, r};
    }
}

// A tree, and the spheres in the order they were given.
typedef struct Set {
    int count;
    pbdrTreeSphere given[MAX_SPHERES];
    pbdrSphereTree tree;
} Set;

static void makeSet(const pbdrHooks* hooks, Set* set, Shape shape, int count, uint64_t* seed)
{
    pbdrTreeSphere* spheres = pbdrAllocate(hooks, (size_t)count, sizeof *spheres);
    int32_t* indices = pbdrAllocate(hooks, (size_t)count, sizeof *indices);
    set->count = count;
    for (int i = 0; i < count; i++) {
        set->given[i] = spheres[i] = drawSphere(shape, i, seed);
        indices[i] = i;
    }
    CHECK(pbdrBuildSphereTree(hooks, spheres, indices, count, &set->tree));
}

// What a query visited, by the spheres' given indices; left: visits until it stops, below 0 for never.
typedef struct Visits {
    const pbdrSphereTree *a, *b;
    unsigned char seen[MAX_SPHERES][MAX_SPHERES];
    int count, left;
} Visits;

static bool notePair(void* context, int a, int b)
{
    Visits* visits = context;
    visits->seen[visits->a->indices[a]][b < 0 ? 0 : visits->b->indices[b]]++;
    visits->count++;
    return --visits->left != 0;
}

static bool noteSphere(void* context, int a)
{
    return notePair(context, a, -1);
}

static Visits visits; // too large for a stack

static void startVisits(const pbdrSphereTree* a, const pbdrSphereTree* b, int left)
{
    memset(&visits, 0, sizeof visits);
    visits.a = a;
    visits.b = b;
    visits.left = left;
}

static const int counts[] = {1, 2, 8, 9, 17, 100, 399};
#define COUNT_COUNT (int)(sizeof counts / sizeof counts[0])

// Leaves partition the spheres, `indices` is a permutation and every node bounds what is below it.
static void tree__holds_every_sphere_once(void)
{
    uint64_t seed = 1;
    for (int k = 0; k < SHAPE_COUNT * COUNT_COUNT; k++) {
        static Set set;
        Ledger ledger = {0};
        pbdrHooks hooks = makeHooks(&ledger);
        makeSet(&hooks, &set, (Shape)(k % SHAPE_COUNT), counts[k / SHAPE_COUNT], &seed);
        int inLeaves = 0, taken[MAX_SPHERES] = {0};
        for (int n = 0; n < set.tree.nodeCount; n++) {
            const pbdrTreeNode* node = &set.tree.nodes[n];
            if (node->count == 0) {
                CHECK(node->second > n + 1 && node->second < set.tree.nodeCount);
                continue;
            }
            CHECK_EQ(node->second, inLeaves); // leaf by leaf
            inLeaves += node->count;
            for (int i = node->second; i < node->second + node->count; i++) {
                const pbdrTreeSphere* s = &set.tree.spheres[i];
                CHECK(memcmp(s, &set.given[set.tree.indices[i]], sizeof *s) == 0);
                taken[set.tree.indices[i]]++;
                CHECK(s->centre.x >= node->lower[0] && s->centre.x <= node->upper[0]);
                CHECK(s->centre.y >= node->lower[1] && s->centre.y <= node->upper[1]);
                CHECK(s->centre.z >= node->lower[2] && s->centre.z <= node->upper[2]);
                CHECK(s->radius <= node->radius);
            }
        }
        CHECK_EQ(inLeaves, set.count);
        for (int i = 0; i < set.count; i++) {
            CHECK_EQ(taken[i], 1);
        }
        CHECK(pbdrSphereTree_GetByteCount(&set.tree) <= ledger.bytes);
        pbdrFreeSphereTree(&hooks, &set.tree);
        CHECK_EQ(ledger.bytes, 0);
        CHECK_EQ(pbdrSphereTree_GetByteCount(&set.tree), 0);
    }
}

// height + n.q - r <= margin, each once. The tree tests the same expression at its leaves, and bounds of a
// node round at most two ulps apart from it: spheres that close to the margin (4 of 1e-16 in 1 m) may differ.
static void plane__visits_what_brute_force_finds(void)
{
    uint64_t seed = 2;
    int found = 0, tried = 0;
    for (int trial = 0; trial < 400; trial++) {
        static Set set;
        Ledger ledger = {0};
        pbdrHooks hooks = makeHooks(&ledger);
        makeSet(&hooks, &set, (Shape)(trial % SHAPE_COUNT), counts[trial % COUNT_COUNT], &seed);
        // a normal that need not be of unit length: a stretched body's F^T n is not
        pbdrVec3 normal = {draw(&seed), trial % 5 == 0 ? 0.0 : draw(&seed), draw(&seed)};
        double height = draw(&seed), margin = 0.05 * draw(&seed);
        startVisits(&set.tree, NULL, -1);
        CHECK(pbdrSphereTree_VisitBelow(&set.tree, normal, height, margin, noteSphere, &visits));
        for (int i = 0; i < set.count; i++) {
            double over = height + pbdrDot(normal, set.given[i].centre) - set.given[i].radius - margin;
            int times = visits.seen[i][0];
            CHECK(fabs(over) < 1e-15 ? times <= 1 : times == (over <= 0.0));
            found += times;
            tried++;
        }
        pbdrFreeSphereTree(&hooks, &set.tree);
    }
    CHECK_GE(found, tried / 5); // neither all nor nothing
    CHECK_LE(found, tried * 4 / 5);
}

static pbdrTreePlace drawPlace(double distance, double strain, uint64_t* seed)
{
    pbdrQuat q = pbdrNormalizeQ((pbdrQuat){draw(seed), draw(seed), draw(seed), draw(seed)});
    pbdrTreePlace where = {{distance * draw(seed), distance * draw(seed), distance * draw(seed)},
                           pbdrMatFromQuat(q)};
    for (int k = 0; k < 9; k++) {
        where.stretch.m[k / 3][k % 3] *= 1.0 + strain * draw(seed);
    }
    return where;
}

// |x_a - x_b| <= r_a + r_b + margin, each pair once, whichever way the bodies are turned. x = c + F q with F
// a rotation times 1 +- 0.3 %: what PBD-R's Euler step makes of it at 0.08 rad per substep, (w dt)^2/2.
static void pairs__are_those_that_brute_force_finds(void)
{
    uint64_t seed = 3;
    long found = 0, tried = 0;
    for (int trial = 0; trial < 300; trial++) {
        static Set a, b;
        Ledger ledger = {0};
        pbdrHooks hooks = makeHooks(&ledger);
        makeSet(&hooks, &a, (Shape)(trial % SHAPE_COUNT), counts[trial % COUNT_COUNT], &seed);
        makeSet(&hooks, &b, (Shape)(trial / SHAPE_COUNT % SHAPE_COUNT), counts[trial / 3 % COUNT_COUNT],
                &seed);
        pbdrTreePlace placeA = drawPlace(0.5, 0.003, &seed), placeB = drawPlace(0.5, 0.003, &seed);
        double margin = 0.05 + 0.1 * draw(&seed);
        startVisits(&a.tree, &b.tree, -1);
        CHECK(pbdrSphereTree_VisitPairs(&a.tree, &placeA, &b.tree, &placeB, margin, notePair, &visits));
        for (int i = 0; i < a.count; i++) {
            pbdrVec3 x = pbdrAdd(placeA.centre, pbdrMulMV(&placeA.stretch, a.given[i].centre));
            for (int j = 0; j < b.count; j++) {
                pbdrVec3 y = pbdrAdd(placeB.centre, pbdrMulMV(&placeB.stretch, b.given[j].centre));
                double over = pbdrLength(pbdrSub(x, y)) - a.given[i].radius - b.given[j].radius - margin;
                int times = visits.seen[i][j];
                CHECK(fabs(over) < 1e-14 ? times <= 1 : times == (over <= 0.0));
                found += times;
                tried++;
            }
        }
        pbdrFreeSphereTree(&hooks, &a.tree);
        pbdrFreeSphereTree(&hooks, &b.tree);
    }
    CHECK_GE((double)found, 0.002 * (double)tried);
    CHECK_LE((double)found, 0.5 * (double)tried);
}

// A visit that says no ends the query at once, and the query says so.
static void visit__stops_where_it_is_told(void)
{
    static Set set;
    uint64_t seed = 4;
    Ledger ledger = {0};
    pbdrHooks hooks = makeHooks(&ledger);
    makeSet(&hooks, &set, shapeCloud, 100, &seed);
    const pbdrTreePlace here = {{0.0, 0.0, 0.0}, pbdrMatFromQuat((pbdrQuat){1.0, 0.0, 0.0, 0.0})};
    for (int stop = 1; stop <= 100; stop += 33) {
        startVisits(&set.tree, &set.tree, stop);
        CHECK(!pbdrSphereTree_VisitBelow(&set.tree, pbdrVec(0.0, 0.0, 1.0), 0.0, 10.0, noteSphere, &visits));
        CHECK_EQ(visits.count, stop);
        startVisits(&set.tree, &set.tree, stop);
        CHECK(!pbdrSphereTree_VisitPairs(&set.tree, &here, &set.tree, &here, 10.0, notePair, &visits));
        CHECK_EQ(visits.count, stop);
    }
    startVisits(&set.tree, &set.tree, -1);
    CHECK(pbdrSphereTree_VisitBelow(&set.tree, pbdrVec(0.0, 0.0, 1.0), 0.0, 10.0, noteSphere, &visits));
    CHECK_EQ(visits.count, 100);
    pbdrFreeSphereTree(&hooks, &set.tree);
}

// Without memory the arrays stay the caller's.
static void build__without_memory_leaves_the_arrays(void)
{
    Ledger ledger = {.failAt = 3};
    pbdrHooks hooks = makeHooks(&ledger);
    pbdrTreeSphere* spheres = pbdrAllocate(&hooks, 1, sizeof *spheres);
    int32_t* indices = pbdrAllocate(&hooks, 1, sizeof *indices);
    *spheres = (pbdrTreeSphere){{0.0, 0.0, 0.0}, 1.0};
    *indices = 0;
    pbdrSphereTree tree = {0};
    CHECK(!pbdrBuildSphereTree(&hooks, spheres, indices, 1, &tree));
    CHECK_EQ(ledger.blocks, 2);
    pbdrRelease(&hooks, spheres, 1, sizeof *spheres);
    pbdrRelease(&hooks, indices, 1, sizeof *indices);
    CHECK_EQ(ledger.bytes, 0);
}

// Spheres with equal coordinates are told apart by their index: 200,000 at one place take n log n steps, some
// 50 ms, not n^2, some minutes.
static void tree__of_one_place_is_built_as_fast(void)
{
    const int count = 200000;
    pbdrHooks hooks = {0};
    pbdrTreeSphere* spheres = pbdrAllocate(&hooks, (size_t)count, sizeof *spheres);
    int32_t* indices = pbdrAllocate(&hooks, (size_t)count, sizeof *indices);
    for (int i = 0; i < count; i++) {
        spheres[i] = (pbdrTreeSphere){{1.0, 2.0, 3.0}, 0.1};
        indices[i] = i;
    }
    clock_t start = clock();
    pbdrSphereTree tree;
    CHECK(pbdrBuildSphereTree(&hooks, spheres, indices, count, &tree));
    CHECK_LE((double)(clock() - start) / CLOCKS_PER_SEC, 5.0);
    pbdrFreeSphereTree(&hooks, &tree);
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"tree__holds_every_sphere_once", tree__holds_every_sphere_once},
          {"plane__visits_what_brute_force_finds", plane__visits_what_brute_force_finds},
          {"pairs__are_those_that_brute_force_finds", pairs__are_those_that_brute_force_finds},
          {"visit__stops_where_it_is_told", visit__stops_where_it_is_told},
          {"build__without_memory_leaves_the_arrays", build__without_memory_leaves_the_arrays},
          {"tree__of_one_place_is_built_as_fast", tree__of_one_place_is_built_as_fast});
}
