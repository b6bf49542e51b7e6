// The scenes of many bodies, a row each. What moves is made before what does not. Random numbers are splitmix64's, so
// that every engine and machine gets the same start.
#include "many/many.h"

#include "seed.h"
#include "vec.h"

#include <stdio.h>
#include <string.h>

#define BOX_SIDE 0.2 // [m]
#define BOX_MASS 4.0 // [kg]
#define PER_SIDE 4   // spheres

static const pbdrQuat upright = {1.0, 0.0, 0.0, 0.0};

// Uniform in [-1, 1).
static double draw(uint64_t* state)
{
    return 2.0 * benchNextUniform(state) - 1.0;
}

// Any orientation, none more likely than another: a point of the ball in four dimensions (Marsaglia 1972).
static pbdrQuat drawRotation(uint64_t* state)
{
    for (;;) {
        const pbdrQuat q = {draw(state), draw(state), draw(state), draw(state)};
        const double length = benchLengthQ(q);
        if (length > 0.1 && length < 1.0) {
            return benchNormalizeQ(q);
        }
    }
}

static pbdrQuat turnAbout(int axis, double angle)
{
    const double s = sin(0.5 * angle);
    return (pbdrQuat){cos(0.5 * angle), axis == 0 ? s : 0.0, axis == 1 ? s : 0.0, axis == 2 ? s : 0.0};
}

static int addBrick(ManyScene* scene, double mass)
{
    return manyAddBox(scene, benchVec(0.5 * BOX_SIDE, 0.5 * BOX_SIDE, 0.5 * BOX_SIDE), mass, PER_SIDE);
}

// --- Boxes ---

// side^3 boxes out of a loose grid, turned at random: farther apart than their diagonal of 0.346 m.
static bool buildPile(ManyScene* scene, int side)
{
    uint64_t state = 12;
    const int box = addBrick(scene, BOX_MASS);
    bool made = box >= 0;
    for (int k = 0; made && k < side * side * side; k++) {
        const pbdrVec3 place = {0.36 * (k % side) + 0.005 * draw(&state),
                                0.36 * (k / side % side) + 0.005 * draw(&state),
                                0.2 + 0.36 * (k / side / side)};
        made = manyAddBody(scene, box, place, drawRotation(&state));
    }
    return made;
}

// Boxes of a square grid that touch the ground and nothing else.
static bool buildApart(ManyScene* scene, int side)
{
    const int box = addBrick(scene, BOX_MASS);
    bool made = box >= 0;
    for (int k = 0; made && k < side * side; k++) {
        made = manyAddBody(scene, box, benchVec(0.4 * (k % side), 0.4 * (k / side), 0.5 * BOX_SIDE), upright);
    }
    return made;
}

// jitter: up to 1 cm to the side, and 0.1 rad about the vertical.
static bool buildTower(ManyScene* scene, int count, double jitter)
{
    uint64_t state = 7;
    const int box = addBrick(scene, BOX_MASS);
    bool made = box >= 0;
    for (int k = 0; made && k < count; k++) {
        const pbdrVec3 place = {0.01 * jitter * draw(&state), 0.01 * jitter * draw(&state),
                                BOX_SIDE * (k + 0.5)};
        made = manyAddBody(scene, box, place, turnAbout(2, 0.1 * jitter * draw(&state)));
    }
    return made;
}

static bool buildHeavy(ManyScene* scene, double ratio)
{
    const int light = addBrick(scene, BOX_MASS), heavy = addBrick(scene, ratio * BOX_MASS);
    bool made = light >= 0 && heavy >= 0;
    for (int k = 0; made && k < 6; k++) {
        made = manyAddBody(scene, k < 5 ? light : heavy, benchVec(0.0, 0.0, BOX_SIDE * (k + 0.5)), upright);
    }
    return made;
}

// As scenes/dominoes.xml: the first is tipped about its lower front edge by 12 degrees, past its balance of 11.3.
static bool buildDominoes(ManyScene* scene, int count)
{
    const pbdrVec3 half = {0.005, 0.0125, 0.025};
    const double tilt = 12.0 * BENCH_PI / 180.0;
    const int domino = manyAddBox(scene, half, 8000.0 * half.x * half.y * half.z, PER_SIDE);
    bool made = domino >= 0;
    for (int k = 0; made && k < count; k++) {
        pbdrVec3 place = {0.03 * k, 0.0, half.z};
        if (k == 0) {
            place.x = half.x - half.x * cos(tilt) + half.z * sin(tilt);
            place.z = half.x * sin(tilt) + half.z * cos(tilt);
        }
        made = manyAddBody(scene, domino, place, k == 0 ? turnAbout(1, tilt) : upright);
    }
    return made;
}

// As scenes/brick_wall.xml: running bond, half bricks at the ends of every second row.
static bool buildWall(ManyScene* scene, bool hit)
{
    const pbdrVec3 half = {0.1, 0.05, 0.04};
    const pbdrVec3 small = {0.05, 0.05, 0.04};
    const int whole = manyAddBox(scene, half, 8000.0 * half.x * half.y * half.z, PER_SIDE);
    const int part = manyAddBox(scene, small, 8000.0 * small.x * small.y * small.z, PER_SIDE);
    bool made = whole >= 0 && part >= 0;
    scene->friction = 0.6;
    for (int row = 0; made && row < 10; row++) {
        const int count = row % 2 == 0 ? 10 : 11;
        for (int k = 0; made && k < count; k++) {
            const bool end = row % 2 == 1 && (k == 0 || k == count - 1);
            const double shift = row % 2 == 0 ? 0.0 : -half.x;
            const double place = 2.0 * half.x * k + shift + (end ? (k == 0 ? 0.5 : -0.5) * half.x : 0.0);
            made = manyAddBody(scene, end ? part : whole,
                               benchVec(place - 9.0 * half.x, 0.0, half.z * (2 * row + 1)), upright);
        }
    }
    if (made && hit) {
        const int ball = manyAddBall(scene, 0.1, 10.0);
        made = manyAddBody(scene, ball, benchVec(0.0, -0.5, 0.4), upright);
        if (made) {
            scene->bodies[scene->bodyCount - 1].velocity.linear = benchVec(0.0, 5.0, 1.0);
        }
    }
    return made;
}

// As scenes/card_house.xml: two tents, a card across them, a tent on top.
static bool addTent(ManyScene* scene, int card, double x, double base, double* top)
{
    const double tilt = 20.0 * BENCH_PI / 180.0, s = sin(tilt), c = cos(tilt), height = 0.044, thick = 0.001;
    bool made = true;
    for (int side = 0; made && side < 2; side++) {
        const double sign = side == 0 ? 1.0 : -1.0;
        const double centre = x - (-sign * s * height - sign * c * thick);
        made = manyAddBody(scene, card, benchVec(centre, 0.0, base + height * c + thick * s),
                           turnAbout(1, -sign * tilt));
    }
    *top = base + 2.0 * (height * c + thick * s);
    return made;
}

static bool buildCards(ManyScene* scene)
{
    const pbdrVec3 half = {0.001, 0.032, 0.044}, flat = {0.06, 0.032, 0.001};
    const int card = manyAddBox(scene, half, 5600.0 * half.x * half.y * half.z, 0);
    const int across = manyAddBox(scene, flat, 5600.0 * flat.x * flat.y * flat.z, 0);
    double top, end;
    scene->friction = 0.6;
    return across >= 0 && addTent(scene, card, -0.04, 0.0, &top) && addTent(scene, card, 0.04, 0.0, &top) &&
           manyAddBody(scene, across, benchVec(0.0, 0.0, top + flat.z), upright) &&
           addTent(scene, card, 0.0, top + 2.0 * flat.z, &end);
}

// As scenes/arch.xml: a half circle of wedges without mortar.
static bool buildArch(ManyScene* scene, int count)
{
    const double inner = 0.5, outer = 0.62, depth = 0.1;
    bool made = true;
    scene->friction = 0.8;
    for (int k = 0; made && k < count; k++) {
        pbdrVec3 corners[8], centre = {0.0, 0.0, 0.0};
        for (int i = 0; i < 8; i++) {
            const double angle = BENCH_PI * (k + i % 2) / count, radius = i / 2 % 2 == 0 ? inner : outer;
            corners[i] = benchVec(radius * cos(angle), i < 4 ? -depth : depth, radius * sin(angle));
        }
        const int wedge = manyAddConvex(scene, corners, 8, 2000.0, &centre);
        made = manyAddBody(scene, wedge, centre, upright);
    }
    return made;
}

// --- Balls, rods, bunnies ---

#define BALL_RADIUS 0.05 // [m]: five times that of scenes/hopper.xml, as Bullet's margins of 2 cm ask for
#define BALL_MASS (4000.0 / 3.0 * BENCH_PI * BALL_RADIUS * BALL_RADIUS * BALL_RADIUS) // [kg]

// As scenes/hopper.xml, five times as large: balls above four plates that leave an opening of 30 cm, and a bin below.
static bool buildHopper(ManyScene* scene)
{
    uint64_t state = 1;
    const double r = BALL_RADIUS, slope = 45.0 * BENCH_PI / 180.0, length = 14.0 * r, thick = r;
    const int ball = manyAddBall(scene, r, BALL_MASS);
    bool made = true;
    for (int k = 0; made && k < 1000; k++) {
        const pbdrVec3 place = {r * (2.2 * (k % 10 - 4.5) + 0.1 * draw(&state)),
                                r * (2.2 * (k / 10 % 10 - 4.5) + 0.1 * draw(&state)),
                                r * (34.0 + 2.2 * (k / 100))};
        made = manyAddBody(scene, ball, place, upright);
    }
    const int plateX = manyAddBox(scene, benchVec(length, 26.0 * r, thick), 1.0, 0);
    const int plateY = manyAddBox(scene, benchVec(26.0 * r, length, thick), 1.0, 0);
    const int wallX = manyAddBox(scene, benchVec(0.5 * r, 12.5 * r, 7.0 * r), 1.0, 0);
    const int wallY = manyAddBox(scene, benchVec(12.5 * r, 0.5 * r, 7.0 * r), 1.0, 0);
    const double across = 3.0 * r + length * cos(slope) + thick * sin(slope);
    const double up = 15.0 * r + length * sin(slope) - thick * cos(slope), bin = 12.0 * r;
    for (int k = 0; made && k < 4; k++) {
        const double sign = k % 2 == 0 ? 1.0 : -1.0;
        const double x = k < 2 ? sign : 0.0, y = k < 2 ? 0.0 : sign;
        made = manyAddFixed(scene, k < 2 ? plateX : plateY, benchVec(across * x, across * y, up),
                            k < 2 ? turnAbout(1, -sign * slope) : turnAbout(0, sign * slope)) &&
               manyAddFixed(scene, k < 2 ? wallX : wallY, benchVec(bin * x, bin * y, 7.0 * r), upright);
    }
    return made;
}

// Balls in a bin with a two hundredth of their diameter between them: as soon as they fall they are one island.
static bool buildBalls(ManyScene* scene)
{
    const double r = BALL_RADIUS, gap = 2.01 * r, inside = 0.5 * 10 * gap, high = 40.0 * r;
    const int ball = manyAddBall(scene, r, BALL_MASS);
    bool made = true;
    for (int k = 0; made && k < 3000; k++) {
        const pbdrVec3 place = {gap * (k % 10 - 4.5), gap * (k / 10 % 10 - 4.5), 1.01 * r + gap * (k / 100)};
        made = manyAddBody(scene, ball, place, upright);
    }
    const int wallX = manyAddBox(scene, benchVec(r, inside + 2.0 * r, high), 1.0, 0);
    const int wallY = manyAddBox(scene, benchVec(inside + 2.0 * r, r, high), 1.0, 0);
    for (int k = 0; made && k < 4; k++) {
        const double place = (k % 2 == 0 ? 1.0 : -1.0) * (inside + r);
        made = manyAddFixed(scene, k < 2 ? wallX : wallY,
                            k < 2 ? benchVec(place, 0.0, high) : benchVec(0.0, place, high), upright);
    }
    return made;
}

// Rods 50 cm long and 2 cm thick, thrown on each other in any direction, 5 cm apart or more.
static bool buildRods(ManyScene* scene, int count)
{
    uint64_t state = 3;
    const int rod = manyAddCapsule(scene, 0.01, 0.24, 0.15);
    bool made = rod >= 0;
    for (int k = 0; made && k < count; k++) {
        const pbdrVec3 place = {0.1 * draw(&state), 0.1 * draw(&state), 0.1 + 0.07 * k};
        const pbdrQuat lying = turnAbout(1, 0.5 * BENCH_PI + 0.05 * draw(&state));
        made = manyAddBody(scene, rod, place, benchMulQQ(turnAbout(2, BENCH_PI * draw(&state)), lying));
    }
    return made;
}

static bool buildBunnies(ManyScene* scene, const char* path, int count, char* message, size_t size)
{
    uint64_t state = 4;
    const int bunny = manyAddBunny(scene, path, 801, 500.0, message, size);
    bool made = bunny >= 0;
    for (int k = 0; made && k < count; k++) {
        const double gap = 2.0 * scene->shapes[bunny].reach;
        const pbdrVec3 place = {gap * (k % 3) + 0.002 * draw(&state),
                                gap * (k / 3 % 2) + 0.002 * draw(&state), 0.5 * gap + gap * (k / 6)};
        made = manyAddBody(scene, bunny, place, drawRotation(&state));
    }
    return made;
}

// --- The catalogue ---

#define PLAIN(name, call)                                                                                    \
    static bool name(ManyScene* scene, const char* meshPath, char* message, size_t size)                     \
    {                                                                                                        \
        (void)meshPath, (void)message, (void)size;                                                           \
        return call;                                                                                         \
    }

PLAIN(buildPile27, buildPile(scene, 3))
PLAIN(buildPile125, buildPile(scene, 5))
PLAIN(buildPile343, buildPile(scene, 7))
PLAIN(buildPile1000, buildPile(scene, 10))
PLAIN(buildApart10000, buildApart(scene, 100))
PLAIN(buildTower10, buildTower(scene, 10, 0.0))
PLAIN(buildTower20, buildTower(scene, 20, 0.0))
PLAIN(buildTower50, buildTower(scene, 50, 0.0))
PLAIN(buildJitter10, buildTower(scene, 10, 1.0))
PLAIN(buildJitter20, buildTower(scene, 20, 1.0))
PLAIN(buildJitter50, buildTower(scene, 50, 1.0))
PLAIN(buildHeavy100, buildHeavy(scene, 100.0))
PLAIN(buildHeavy1000, buildHeavy(scene, 1000.0))
PLAIN(buildHeavy10000, buildHeavy(scene, 10000.0))
PLAIN(buildDominoes20, buildDominoes(scene, 20))
PLAIN(buildWall105, buildWall(scene, false))
PLAIN(buildHitWall, buildWall(scene, true))
PLAIN(buildCards7, buildCards(scene))
PLAIN(buildArch11, buildArch(scene, 11))
PLAIN(buildHopper1000, buildHopper(scene))
PLAIN(buildBalls3000, buildBalls(scene))
PLAIN(buildRods30, buildRods(scene, 30))

static bool buildBunnies30(ManyScene* scene, const char* meshPath, char* message, size_t size)
{
    return buildBunnies(scene, meshPath, 30, message, size);
}

static const ManyEntry entries[] = {
    {"pile27", "27 boxes out of a loose grid come to rest", 5.0, 1e-3, manySpheresToo, buildPile27},
    {"pile125", "125 of them", 5.0, 1e-3, manySpheresToo, buildPile125},
    {"pile343", "343 of them", 5.0, 1e-3, manySpheresToo, buildPile343},
    {"pile1000", "1000 of them", 5.0, 1e-3, manySpheresToo, buildPile1000},
    {"pile27_5ms", "27 boxes at dt = 5 ms", 5.0, 5e-3, manySpheresToo, buildPile27},
    {"pile125_5ms", "125 boxes at dt = 5 ms", 5.0, 5e-3, manySpheresToo, buildPile125},
    {"pile343_5ms", "343 boxes at dt = 5 ms", 5.0, 5e-3, manySpheresToo, buildPile343},
    {"pile1000_5ms", "1000 boxes at dt = 5 ms", 5.0, 5e-3, manySpheresToo, buildPile1000},
    {"pile27_10ms", "27 boxes at dt = 10 ms", 5.0, 10e-3, manySpheresToo, buildPile27},
    {"pile125_10ms", "125 boxes at dt = 10 ms", 5.0, 10e-3, manySpheresToo, buildPile125},
    {"pile343_10ms", "343 boxes at dt = 10 ms", 5.0, 10e-3, manySpheresToo, buildPile343},
    {"pile1000_10ms", "1000 boxes at dt = 10 ms", 5.0, 10e-3, manySpheresToo, buildPile1000},
    {"apart10000", "10,000 boxes on the ground, apart from each other", 0.5, 1e-3, manySpheresToo,
     buildApart10000},
    {"hopper1000", "1000 balls poured into a hopper", 4.0, 1e-3, 0, buildHopper1000},
    {"balls3000", "3000 balls in a bin: one island", 0.5, 1e-3, 0, buildBalls3000},
    {"dominoes20", "20 dominoes fall, one by the other", 2.0, 1e-3, manyExactToo, buildDominoes20},
    {"wall105", "a wall of 105 bricks stands", 1.0, 1e-3, 0, buildWall105},
    {"wall105_hit", "a ball of 10 kg flies into it at 5 m/s", 2.0, 1e-3, 0, buildHitWall},
    {"rods30", "30 long rods fall on each other", 4.0, 1e-3, 0, buildRods30},
    {"bunnies30", "30 bunnies of 801 spheres are dropped", 3.0, 1e-3, manySpheresOnly | manyNeedsMesh,
     buildBunnies30},
    {"tower10", "10 boxes on each other stand", 60.0, 1e-3, manyExactToo | manySpheresToo, buildTower10},
    {"tower20", "20 of them", 60.0, 1e-3, manyExactToo | manySpheresToo, buildTower20},
    {"tower50", "50 of them", 60.0, 1e-3, manySpheresToo, buildTower50},
    {"tower10_jitter", "10 boxes set down with 1 cm and 0.1 rad of jitter", 60.0, 1e-3, manyExactToo,
     buildJitter10},
    {"tower20_jitter", "20 of them", 60.0, 1e-3, manyExactToo, buildJitter20},
    {"tower50_jitter", "50 of them", 60.0, 1e-3, 0, buildJitter50},
    {"heavy100", "a box of 100 times the mass on five", 10.0, 1e-3, manyExactToo | manySpheresToo,
     buildHeavy100},
    {"heavy1000", "of 1000 times the mass", 10.0, 1e-3, manyExactToo | manySpheresToo, buildHeavy1000},
    {"heavy10000", "of 10,000 times the mass", 10.0, 1e-3, manyExactToo | manySpheresToo, buildHeavy10000},
    {"cards7", "a house of 7 cards stands", 5.0, 1e-3, manyExactToo, buildCards7},
    {"arch11", "an arch of 11 wedges without mortar stands", 5.0, 1e-3, manyExactToo, buildArch11},
};

const ManyEntry* manyGetEntry(int index)
{
    return index >= 0 && index < (int)(sizeof entries / sizeof entries[0]) ? &entries[index] : NULL;
}

const ManyEntry* manyFindEntry(const char* name)
{
    const ManyEntry* entry;
    for (int k = 0; (entry = manyGetEntry(k)) != NULL; k++) {
        if (strcmp(entry->name, name) == 0) {
            return entry;
        }
    }
    return NULL;
}

bool manyBuildScene(const ManyEntry* entry, const char* meshPath, ManyScene* scene, char* message,
                    size_t size)
{
    *scene = (ManyScene){.name = entry->name,
                         .timeStep = entry->timeStep,
                         .duration = entry->duration,
                         .friction = 0.4,
                         .ground = true};
    snprintf(message, size, "out of memory");
    if (!entry->build(scene, meshPath, message, size)) {
        manyFreeScene(scene);
        return false;
    }
    return true;
}
