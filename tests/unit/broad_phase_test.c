// The sweep over the bodies' boxes: every two that overlap, once, whatever their order; never two
// fixed ones, or two whose filters say no.
#include "contact/broad_phase.h"
#include "surfaces.h"

#define COUNT 60

// A scene that has nothing but kinds, boxes of its bodies, and which of them the sweep visited.
typedef struct Sweep {
    pbdrScene scene;
    pbdrBody bodies[COUNT];
    pbdrBox boxes[COUNT];
    int visits[COUNT][COUNT];
    int visitCount, failAt;
} Sweep;

static bool note(void* context, const pbdrBox* a, const pbdrBox* b)
{
    Sweep* sweep = context;
    sweep->visits[a->body][b->body]++;
    sweep->visits[b->body][a->body]++;
    return ++sweep->visitCount != sweep->failAt;
}

static bool run(Sweep* sweep, int count)
{
    sweep->scene.bodies = (pbdrList){sweep->bodies, COUNT, COUNT, sizeof(pbdrBody)};
    pbdrList list = {sweep->boxes, count, COUNT, sizeof(pbdrBox)};
    memset(sweep->visits, 0, sizeof sweep->visits);
    sweep->visitCount = 0;
    return pbdrSweepBoxes(&sweep->scene, &list, note, sweep);
}

// Boxes on a grid of eighths: many share a side, which is overlapping too.
static void fill(Sweep* sweep)
{
    for (int i = 0; i < COUNT; i++) {
        sweep->bodies[i] =
            (pbdrBody){.alive = true,
                       .kind = (pbdrBodyKind)(int)randomIn(0.0, 2.999),
                       .filter = {randomIn(0.0, 1.0) < 0.8 ? 1u : 2u, randomIn(0.0, 1.0) < 0.8 ? 3u : 1u}};
        sweep->boxes[i].body = i;
        for (int k = 0; k < 3; k++) {
            double lower = floor(randomIn(-8.0, 8.0)) / 8.0;
            sweep->boxes[i].lower[k] = lower;
            sweep->boxes[i].upper[k] = lower + floor(randomIn(0.0, 6.0)) / 8.0;
        }
    }
}

static bool overlap(const pbdrBox* a, const pbdrBox* b)
{
    bool apart = false;
    for (int k = 0; k < 3; k++) {
        apart = apart || a->lower[k] > b->upper[k] || b->lower[k] > a->upper[k];
    }
    return !apart;
}

// Whether a contact of two bodies would move one of them, and their filters let it.
static bool canTouch(const Sweep* sweep, int i, int j)
{
    const pbdrBody *a = &sweep->bodies[i], *b = &sweep->bodies[j];
    bool moves = a->kind == pbdr_bodyDynamic || b->kind == pbdr_bodyDynamic;
    return moves && (a->filter.category & b->filter.mask) != 0 && (b->filter.category & a->filter.mask) != 0;
}

static void sweep__visits_what_overlaps_once(void)
{
    static Sweep sweep;
    int wanted = 0, barred = 0, apart = 0;
    for (int round = 0; round < 50; round++) {
        seedSurfaces((uint64_t)(100 + round));
        fill(&sweep);
        pbdrBox boxes[COUNT];
        memcpy(boxes, sweep.boxes, sizeof boxes); // by body: the sweep sorts its own
        CHECK(run(&sweep, COUNT));
        for (int i = 0; i < COUNT; i++) {
            for (int j = 0; j < i; j++) {
                bool meet = overlap(&boxes[i], &boxes[j]), may = canTouch(&sweep, i, j);
                wanted += meet && may;
                barred += meet && !may;
                apart += !meet;
                CHECK_EQ(sweep.visits[i][j], meet && may ? 1 : 0);
            }
            CHECK_EQ(sweep.visits[i][i], 0);
        }
    }
    CHECK_GE(wanted, 500);
    CHECK_GE(barred, 500);
    CHECK_GE(apart, 500);
}

static void sweep__does_not_depend_on_the_order(void)
{
    static Sweep sweep, other;
    seedSurfaces(7);
    fill(&sweep);
    other = sweep;
    for (int i = COUNT - 1; i > 0; i--) {
        int j = (int)randomIn(0.0, i + 0.999);
        pbdrBox box = other.boxes[i];
        other.boxes[i] = other.boxes[j];
        other.boxes[j] = box;
    }
    CHECK(run(&sweep, COUNT) && run(&other, COUNT));
    CHECK_GE(sweep.visitCount, 10);
    CHECK(memcmp(sweep.visits, other.visits, sizeof sweep.visits) == 0);
    CHECK(memcmp(sweep.boxes, other.boxes, sizeof sweep.boxes) == 0);
}

static void sweep__reports_a_failed_visit_and_makes_the_others(void)
{
    static Sweep sweep;
    seedSurfaces(8);
    fill(&sweep);
    CHECK(run(&sweep, COUNT));
    int all = sweep.visitCount;
    sweep.failAt = 1;
    CHECK(!run(&sweep, COUNT));
    CHECK_EQ(sweep.visitCount, all);
    CHECK(run(&sweep, 0));
    CHECK(run(&sweep, 1));
    CHECK_EQ(sweep.visitCount, 0);
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"sweep__visits_what_overlaps_once", sweep__visits_what_overlaps_once},
          {"sweep__does_not_depend_on_the_order", sweep__does_not_depend_on_the_order},
          {"sweep__reports_a_failed_visit_and_makes_the_others",
           sweep__reports_a_failed_visit_and_makes_the_others});
}
