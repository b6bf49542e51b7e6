// README's film: balls hit a round tower of bricks. XPBD-R simulates it, with contact by surfaces; a small ray tracer
// draws it.
//
//   film FRAMES WIDTH HEIGHT FIRST COUNT > pixels       raw RGB, three bytes a pixel, frame after frame
//
// FIRST and COUNT choose the frames that are drawn; all are simulated. Flags of the solver and what overlapped go to
// stderr; a flag makes the exit code 1. The light is a disc of sun and an even sky, by sampling: a pixel has the same
// samples in every frame, so that what stands still keeps its colour and the film stays small.
#include <math.h>
#include <pbdr/pbdr.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    PER_COURSE = 14, // bricks
    COURSES = 12,
    BRICKS = PER_COURSE * COURSES,
    BALLS = 3,
    BODIES = BRICKS + BALLS,
    SIDE = 4,             // samples of a pixel along each axis
    SAMPLES = SIDE * SIDE // a primary ray, a ray to the sun and one to the sky each
};
static const double step = 0.001;      // [s]
static const double frameTime = 0.035; // simulated [s]; at 20 pictures a second 0.7 of real time
static const double ringRadius = 0.50, depth = 0.14, height = 0.10; // of a brick [m]
static const double brickMass = 3.0;                                // [kg]

typedef struct Vec {
    double x, y, z;
} Vec;

// When, from where, to where and how fast balls are thrown.
typedef struct Throw {
    double time, flight, radius, mass; // [s, s, m, kg]
    Vec from, to;                      // [m]
} Throw;

static const Throw throws[BALLS] = {
    {0.15, 0.44, 0.14, 24.0, {-3.8, -1.4, 0.9}, {-0.42, -0.26, 0.72}},
    {1.40, 0.44, 0.14, 24.0, {3.6, -1.8, 0.8}, {0.36, -0.30, 0.38}},
    {2.65, 0.44, 0.18, 48.0, {-2.6, -3.6, 0.9}, {-0.10, -0.40, 0.42}},
};

// A body as it is drawn, in one frame: a box, or a ball where half.x is 0.
typedef struct Item {
    Vec centre, axes[3], half;
    double radius; // of the ball, or of the box's ball
    Vec colour;
} Item;

static Vec add(Vec a, Vec b)
{
    return (Vec){a.x + b.x, a.y + b.y, a.z + b.z};
}
static Vec sub(Vec a, Vec b)
{
    return (Vec){a.x - b.x, a.y - b.y, a.z - b.z};
}
static Vec scale(double s, Vec a)
{
    return (Vec){s * a.x, s * a.y, s * a.z};
}
static double dot(Vec a, Vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static Vec cross(Vec a, Vec b)
{
    return (Vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static Vec unit(Vec a)
{
    return scale(1.0 / sqrt(dot(a, a)), a);
}

// --- The simulation ---

static void check(pbdrStatus status, const pbdrError* error)
{
    if (status != pbdr_statusOk) {
        fprintf(stderr, "film: %s\n", error->message);
        exit(1);
    }
}

static pbdrBodyId addBody(pbdrWorld* world, pbdrShape* shape, const pbdrBodyDef* def)
{
    pbdrError error;
    pbdrBodyId body;
    check(pbdrCreateBodyFromShape(world, def, shape, &body, &error), &error);
    return body;
}

static void buildTower(pbdrWorld* world, pbdrBodyId* bodies, Item* items)
{
    static const Vec tones[] = {
        {0.86, 0.50, 0.30}, {0.90, 0.68, 0.45}, {0.74, 0.36, 0.24}, {0.94, 0.80, 0.62}};
    const double pi = acos(-1.0);
    // Neighbours leave 2 mm between their inner edges.
    double length = 2.0 * (ringRadius - 0.5 * depth) * tan(pi / PER_COURSE) - 0.002;
    pbdrShape* shape = NULL;
    pbdrError error;
    check(pbdrCreateBoxShape((pbdrVec3){depth, length, height}, brickMass, 3, &shape, &error), &error);
    for (int k = 0; k < BRICKS; k++) {
        int course = k / PER_COURSE;
        double angle = 2.0 * pi * (k % PER_COURSE + 0.5 * (course % 2)) / PER_COURSE;
        pbdrBodyDef def = pbdrDefaultBodyDef();
        def.position = (pbdrVec3){ringRadius * cos(angle), ringRadius * sin(angle), (course + 0.5) * height};
        def.rotation = (pbdrQuat){cos(0.5 * angle), 0.0, 0.0, sin(0.5 * angle)};
        def.friction = 0.4;
        bodies[k] = addBody(world, shape, &def);
        items[k].half = (Vec){0.5 * depth, 0.5 * length, 0.5 * height};
        items[k].radius = sqrt(dot(items[k].half, items[k].half));
        items[k].colour = tones[(k * 7 + course * 3) % 4];
    }
    pbdrReleaseShape(shape);
}

static pbdrBodyId throwBall(pbdrWorld* world, const Throw* ball)
{
    pbdrShape* shape = NULL;
    pbdrError error;
    check(pbdrCreateBallShape(ball->radius, ball->mass, &shape, &error), &error);
    pbdrBodyDef def = pbdrDefaultBodyDef();
    Vec way = scale(1.0 / ball->flight, sub(ball->to, ball->from));
    def.position = (pbdrVec3){ball->from.x, ball->from.y, ball->from.z};
    def.velocity.linear = (pbdrVec3){way.x, way.y, way.z + 0.5 * 9.81 * ball->flight};
    def.friction = 0.4;
    def.rollingFriction = 0.01;
    pbdrBodyId body = addBody(world, shape, &def);
    pbdrReleaseShape(shape);
    return body;
}

static void place(const pbdrWorld* world, pbdrBodyId body, Item* item)
{
    pbdrPose pose = pbdrBody_GetPose(world, body);
    double w = pose.rotation.w, x = pose.rotation.x, y = pose.rotation.y, z = pose.rotation.z;
    item->centre = (Vec){pose.position.x, pose.position.y, pose.position.z};
    item->axes[0] = (Vec){1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)};
    item->axes[1] = (Vec){2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)};
    item->axes[2] = cross(item->axes[0], item->axes[1]);
}

// All frames one after the other, BODIES items each. Balls that are not thrown yet have no radius.
static uint32_t simulate(int frames, Item* film)
{
    pbdrError error;
    pbdrWorldDef worldDef = pbdrDefaultWorldDef();
    worldDef.solver = pbdr_solverXpbdR;
    worldDef.timeStep = step;
    pbdrWorld* world = NULL;
    check(pbdrCreateWorld(&worldDef, &world, &error), &error);
    pbdrPlaneDef ground = pbdrDefaultPlaneDef();
    ground.friction = 0.4;
    check(pbdrCreatePlane(world, &ground, NULL, &error), &error);
    pbdrBodyId bodies[BODIES];
    Item items[BODIES] = {0};
    buildTower(world, bodies, items);
    int thrown = 0;
    uint32_t flags = 0;
    double deepest = 0.0;
    for (int frame = 0; frame < frames; frame++) {
        for (; thrown < BALLS && throws[thrown].time <= frame * frameTime; thrown++) {
            Item* ball = &items[BRICKS + thrown];
            bodies[BRICKS + thrown] = throwBall(world, &throws[thrown]);
            ball->radius = throws[thrown].radius;
            ball->colour = (Vec){0.06, 0.20, 0.42};
        }
        for (int k = 0; k < BRICKS + thrown; k++) {
            place(world, bodies[k], &items[k]);
            film[frame * BODIES + k] = items[k];
        }
        flags |= pbdrWorld_Step(world, (int)lround(frameTime / step));
        static pbdrContact contacts[1 << 15];
        int count = pbdrWorld_GetContacts(world, contacts, 1 << 15);
        for (int k = 0; k < count; k++) {
            deepest = fmin(deepest, contacts[k].separation);
        }
    }
    fprintf(stderr, "film: flags %#x, deepest overlap %.2g mm\n", flags, -1e3 * deepest);
    pbdrDestroyWorld(world);
    return flags;
}

// --- The picture ---

typedef struct Node { // of a tree of balls about items
    Vec centre;
    double radius;
    int first, count; // items, in a leaf
    int next;         // node after this one's subtree
} Node;

typedef struct Scene {
    Item items[BODIES];
    Node nodes[2 * BODIES];
    int itemCount, nodeCount;
} Scene;

typedef struct Hit {
    double distance;
    Vec point, normal, colour;
} Hit;

static double along(const Item* item, int axis)
{
    return axis == 0 ? item->centre.x : axis == 1 ? item->centre.y : item->centre.z;
}

static void sortItems(Item* items, int count, int axis) // few: by insertion
{
    for (int i = 1; i < count; i++) {
        Item item = items[i];
        int j = i;
        for (; j > 0 && along(&items[j - 1], axis) > along(&item, axis); j--) {
            items[j] = items[j - 1];
        }
        items[j] = item;
    }
}

static void buildNode(Scene* scene, int first, int count)
{
    Node* node = &scene->nodes[scene->nodeCount++];
    Vec low = {1e9, 1e9, 1e9}, high = {-1e9, -1e9, -1e9};
    for (int k = first; k < first + count; k++) {
        const Item* item = &scene->items[k];
        low = (Vec){fmin(low.x, item->centre.x), fmin(low.y, item->centre.y), fmin(low.z, item->centre.z)};
        high =
            (Vec){fmax(high.x, item->centre.x), fmax(high.y, item->centre.y), fmax(high.z, item->centre.z)};
    }
    Vec size = sub(high, low);
    node->centre = scale(0.5, add(low, high));
    node->radius = 0.0;
    for (int k = first; k < first + count; k++) {
        Vec way = sub(scene->items[k].centre, node->centre);
        node->radius = fmax(node->radius, sqrt(dot(way, way)) + scene->items[k].radius);
    }
    node->first = first;
    node->count = count <= 2 ? count : 0;
    if (count > 2) {
        int axis = size.x > size.y && size.x > size.z ? 0 : size.y > size.z ? 1 : 2;
        sortItems(scene->items + first, count, axis);
        buildNode(scene, first, count / 2);
        buildNode(scene, first + count / 2, count - count / 2);
    }
    node->next = scene->nodeCount;
}

static bool meetsBall(Vec from, Vec way, Vec centre, double radius, double limit)
{
    Vec offset = sub(centre, from);
    double middle = dot(offset, way), apart = dot(offset, offset) - middle * middle;
    return apart < radius * radius && middle > -radius && middle < limit + radius;
}

// The distance to an item, or limit; the normal with edges rounded off to the eye.
static double meetItem(const Item* item, Vec from, Vec way, double limit, Vec* normal)
{
    Vec offset = sub(from, item->centre);
    if (item->half.x == 0.0) {
        double b = dot(offset, way), c = dot(offset, offset) - item->radius * item->radius,
               square = b * b - c;
        if (square < 0.0)
            return limit;
        double t = -b - sqrt(square);
        if (t < 1e-6 || t >= limit)
            return limit;
        *normal = scale(1.0 / item->radius, add(offset, scale(t, way)));
        return t;
    }
    double half[3] = {item->half.x, item->half.y, item->half.z}, start[3], slope[3], begin = -1e9, end = 1e9;
    int face = 0;
    for (int k = 0; k < 3; k++) {
        start[k] = dot(offset, item->axes[k]);
        slope[k] = dot(way, item->axes[k]);
        double inverse = 1.0 / slope[k];
        double a = (-half[k] - start[k]) * inverse, b = (half[k] - start[k]) * inverse;
        double near = fmin(a, b), far = fmax(a, b);
        if (near > begin)
            begin = near, face = k;
        end = fmin(end, far);
    }
    if (begin > end || begin < 1e-6 || begin >= limit)
        return limit;
    const double round = 0.008; // [m]
    Vec sum = {0};
    for (int k = 0; k < 3; k++) {
        double x = start[k] + begin * slope[k];
        double share = k == face ? 1.0 : fmax(0.0, 1.0 - (half[k] - fabs(x)) / round);
        sum = add(sum, scale(copysign(k == face ? 1.0 : 0.7 * share * share, x), item->axes[k]));
    }
    *normal = unit(sum);
    return begin;
}

static bool isHidden(const Scene* scene, Vec from, Vec way)
{
    Vec normal;
    for (int n = 0; n < scene->nodeCount;) {
        const Node* node = &scene->nodes[n];
        if (!meetsBall(from, way, node->centre, node->radius, 1e9)) {
            n = node->next;
            continue;
        }
        for (int k = node->first; k < node->first + node->count; k++) {
            if (meetItem(&scene->items[k], from, way, 1e9, &normal) < 1e9)
                return true;
        }
        n++;
    }
    return false;
}

static bool findHit(const Scene* scene, Vec from, Vec way, Hit* hit)
{
    hit->distance = 1e9;
    for (int n = 0; n < scene->nodeCount;) {
        const Node* node = &scene->nodes[n];
        if (!meetsBall(from, way, node->centre, node->radius, hit->distance)) {
            n = node->next;
            continue;
        }
        for (int k = node->first; k < node->first + node->count; k++) {
            Vec normal;
            double t = meetItem(&scene->items[k], from, way, hit->distance, &normal);
            if (t < hit->distance) {
                hit->distance = t;
                hit->normal = normal;
                hit->colour = scene->items[k].colour;
            }
        }
        n++;
    }
    double ground = way.z < 0.0 ? -from.z / way.z : 1e9;
    if (ground < hit->distance) {
        hit->distance = ground;
        hit->normal = (Vec){0, 0, 1};
        hit->colour = (Vec){0.80, 0.81, 0.83};
    }
    hit->point = add(from, scale(hit->distance, way));
    return hit->distance < 1e9;
}

static uint32_t mix(uint32_t x)
{
    x ^= x >> 16, x *= 0x7feb352du, x ^= x >> 15, x *= 0x846ca68bu, x ^= x >> 16;
    return x;
}

static double fraction(double x)
{
    return x - floor(x);
}

static const Vec sky = {0.90, 0.93, 0.97};

// The light that comes along a ray: sun with its disc, sky where nothing hides it, and a haze over far ground.
static Vec shade(const Scene* scene, Vec from, Vec way, const double random[4])
{
    const Vec sun = unit((Vec){-0.45, -0.62, 0.95});
    Hit hit = {0};
    if (!findHit(scene, from, way, &hit))
        return sky;
    Vec start = add(hit.point, scale(1e-5, hit.normal));
    Vec side = unit(cross(sun, (Vec){0, 0, 1})), up = cross(side, sun);
    double angle = 6.283185307179586 * random[0], radius = 0.06 * sqrt(random[1]);
    Vec toSun = unit(add(sun, add(scale(radius * cos(angle), side), scale(radius * sin(angle), up))));
    double cosine = fmax(0.0, dot(toSun, hit.normal)),
           bright = cosine > 0.0 && !isHidden(scene, start, toSun) ? cosine : 0.0;
    side = unit(cross(hit.normal, fabs(hit.normal.z) < 0.9 ? (Vec){0, 0, 1} : (Vec){1, 0, 0}));
    up = cross(hit.normal, side);
    angle = 6.283185307179586 * random[2], radius = sqrt(random[3]);
    Vec toSky = add(add(scale(radius * cos(angle), side), scale(radius * sin(angle), up)),
                    scale(sqrt(1.0 - random[3]), hit.normal));
    bool open = !isHidden(scene, start, toSky);
    double fill = open ? (toSky.z > 0.0 ? 1.0 : 0.55) : 0.22; // the ground and bricks give some light back
    Vec light = add(scale(0.95 * bright, (Vec){1.0, 0.93, 0.82}), scale(0.48 * fill, (Vec){0.86, 0.93, 1.0}));
    Vec colour = {hit.colour.x * light.x, hit.colour.y * light.y, hit.colour.z * light.z};
    if (hit.colour.z > hit.colour.x && hit.colour.z < 0.5) { // balls shine
        Vec half = unit(sub(toSun, way));
        colour = add(colour, scale(bright > 0.0 ? 0.5 * pow(fmax(0.0, dot(half, hit.normal)), 60.0) : 0.0,
                                   (Vec){1, 1, 1}));
        colour = add(colour, scale(0.10 * (open ? 1.0 : 0.2), sky));
    }
    if (hit.normal.z == 1.0 && hit.point.z < 1e-4) {
        double far = hypot(hit.point.x, hit.point.y), haze = fmin(1.0, fmax(0.0, (far - 2.2) / 5.0));
        haze = haze * haze * (3.0 - 2.0 * haze);
        colour = add(scale(1.0 - haze, colour), scale(haze, sky));
    }
    return colour;
}

static void drawFrame(const Item* items, int width, int height, unsigned char* pixels)
{
    Scene scene = {0};
    for (int k = 0; k < BODIES; k++) {
        if (items[k].radius > 0.0)
            scene.items[scene.itemCount++] = items[k];
    }
    buildNode(&scene, 0, scene.itemCount);
    const Vec eye = {-0.55, -4.6, 1.75}, aim = {0.0, 0.0, 0.45};
    Vec forward = unit(sub(aim, eye)), right = unit(cross(forward, (Vec){0, 0, 1})),
        up = cross(right, forward);
    const double zoom = 0.48 / height; // of the picture's height at distance 1
    for (int row = 0; row < height; row++) {
        for (int column = 0; column < width; column++) {
            Vec sum = {0};
            double shift[4];
            for (int d = 0; d < 4; d++) {
                shift[d] = mix((uint32_t)(4 * (row * width + column) + d)) / 4294967296.0;
            }
            for (int s = 0; s < SAMPLES; s++) {
                static const double steps[4] = {0.8566749, 0.7338919, 0.6287067,
                                                0.5385973}; // a lattice of rank 1
                double random[4];
                for (int d = 0; d < 4; d++) {
                    random[d] = fraction(shift[d] + s * steps[d]);
                }
                double x = (column + (s % SIDE + 0.5) / SIDE - 0.5 * width) * zoom;
                double y = (0.5 * height - row - (s / SIDE + 0.5) / SIDE) * zoom;
                Vec way = unit(add(forward, add(scale(x, right), scale(y, up))));
                Vec colour = shade(&scene, eye, way, random);
                sum = add(sum, (Vec){fmin(colour.x, 1.2), fmin(colour.y, 1.2), fmin(colour.z, 1.2)});
            }
            double parts[3] = {sum.x, sum.y, sum.z};
            for (int c = 0; c < 3; c++) {
                double value = pow(fmin(1.0, parts[c] / SAMPLES), 1.0 / 2.2);
                pixels[3 * (row * width + column) + c] = (unsigned char)lround(255.0 * value);
            }
        }
    }
}

// --- Work on all processors ---

typedef struct Job {
    const Item* film;
    unsigned char* pixels;
    int first, count, width, height;
    atomic_int next;
} Job;

static void* work(void* context)
{
    Job* job = context;
    for (int k; (k = atomic_fetch_add(&job->next, 1)) < job->count;) {
        drawFrame(job->film + (job->first + k) * BODIES, job->width, job->height,
                  job->pixels + (size_t)k * 3 * (size_t)(job->width * job->height));
    }
    return NULL;
}

int main(int argc, char** argv)
{
    if (argc != 6) {
        fputs("film FRAMES WIDTH HEIGHT FIRST COUNT > pixels\n", stderr);
        return 2;
    }
    int frames = atoi(argv[1]);
    Job job = {
        .width = atoi(argv[2]), .height = atoi(argv[3]), .first = atoi(argv[4]), .count = atoi(argv[5])};
    size_t size = 3 * (size_t)(job.width * job.height);
    Item* film = calloc((size_t)frames * BODIES, sizeof *film);
    job.pixels = malloc((size_t)job.count * size);
    if (frames < 1 || job.first < 0 || job.count < 1 || job.first + job.count > frames || film == NULL ||
        job.pixels == NULL) {
        fputs("film: no such frames, or no memory\n", stderr);
        return 2;
    }
    uint32_t flags = simulate(frames, film);
    job.film = film;
    enum { MOST = 64 };
    pthread_t threads[MOST];
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    count = count < 1 ? 1 : count > MOST ? MOST : count;
    for (int k = 0; k < count; k++) {
        if (pthread_create(&threads[k], NULL, work, &job) != 0)
            return 1;
    }
    for (int k = 0; k < count; k++) {
        pthread_join(threads[k], NULL);
    }
    size_t written = fwrite(job.pixels, size, (size_t)job.count, stdout);
    free(job.pixels);
    free(film);
    return flags != 0 || written != (size_t)job.count;
}
