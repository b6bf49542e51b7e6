// README's film strip: a ball hits a tower of boxes, all made of spheres, simulated by XPBD-R and drawn by
// draw/.
//
//   film > film.svg          flags of the solver go to stderr, and make the exit code 1
#include "body.h"

#include <pbdr/pbdr.h>
#include <stdlib.h>

enum {
    BOXES = 5,
    BODIES = BOXES + 1,
    PER_SIDE = 3,
    PANELS = 6,
    WIDTH = 196,
    HEIGHT = 250,
    FOOT = 26,
    GAP = 6
};
static const double side = 0.2, ballRadius = 0.09;        // [m]
static const double boxMass = 2.0, ballMass = 3.0;        // [kg]
static const double startX = -0.42;                       // of the ball [m]
static const int frames[PANELS] = {0, 8, 16, 28, 46, 90}; // [10 ms]
static const char* const colours[] = {"#0072b2", "#56b4e9", "#d55e00"};

typedef struct Body {
    pbdrBodyId id;
    Shape shape;
    int colour;
    double depth;
} Body;

static void check(pbdrStatus status, const pbdrError* error)
{
    if (status != pbdr_statusOk) {
        fprintf(stderr, "film: %s\n", error->message);
        exit(1);
    }
}

static void* take(size_t count, size_t size)
{
    void* memory = calloc(count, size);
    if (memory == NULL) {
        fputs("film: no memory\n", stderr);
        exit(1);
    }
    return memory;
}

// The spheres to be drawn, and a box about them, whose shadow falls.
static void setShape(const pbdrSphereSet* set, double half, Shape* shape)
{
    static const int faces[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                                     {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    shape->ballCount = set->count;
    shape->balls = take((size_t)set->count, sizeof *shape->balls);
    for (int i = 0; i < set->count; i++) {
        pbdrVec3 x = set->positions[i];
        Vec out = {x.x, x.y, set->count > 1 ? x.z : 1.0}; // a ball on its own: lit from above
        shape->balls[i] = (Ball){.centre = {x.x, x.y, x.z}, .radius = set->radii[i], .out = out};
    }
    shape->vertexCount = 8;
    shape->vertices = take(8, sizeof *shape->vertices);
    for (int k = 0; k < 8; k++) {
        shape->vertices[k] =
            (Vec){(k & 1) != 0 ? half : -half, (k & 2) != 0 ? half : -half, (k & 4) != 0 ? half : -half};
    }
    shape->triangleCount = 12;
    shape->triangles = take(12, sizeof *shape->triangles);
    for (int k = 0; k < 12; k++) {
        for (int j = 0; j < 3; j++) {
            shape->triangles[k][j] = faces[k][j];
        }
    }
}

static void addBody(pbdrWorld* world, const pbdrSphereSet* set, double half, pbdrVec3 position,
                    pbdrVec3 velocity, int colour, Body* body)
{
    pbdrError error;
    pbdrBodyDef def = pbdrDefaultBodyDef();
    def.particleCount = set->count;
    def.positions = set->positions;
    def.radii = set->radii;
    def.masses = set->masses;
    def.position = position;
    def.velocity.linear = velocity;
    check(pbdrCreateBody(world, &def, &body->id, &error), &error);
    setShape(set, half, &body->shape);
    body->colour = colour;
}

static int compareBodies(const void* a, const void* b)
{
    double x = (*(const Body*const*)a)->depth, y = (*(const Body*const*)b)->depth;
    return (x > y) - (x < y);
}

static Placement findPlacement(const pbdrWorld* world, const Body* body)
{
    pbdrPose pose = pbdrBody_GetPose(world, body->id);
    return (Placement){{pose.position.x, pose.position.y, pose.position.z},
                       {pose.rotation.w, pose.rotation.x, pose.rotation.y, pose.rotation.z}};
}

static void drawPanel(Svg* svg, const pbdrWorld* world, Body* bodies, int panel)
{
    Point corner = {panel * (WIDTH + GAP), 0}, end = {corner.x + WIDTH, HEIGHT};
    Camera camera = {.azimuth = 0.32, .elevation = 0.24, .target = {0.21, 0, 0.47}, .scale = 158};
    camera.centre = (Point){corner.x + 0.5 * WIDTH, 0.5 * HEIGHT};
    fprintf(svg->file,
            "<clipPath id=\"clip%d\"><rect x=\"%.0f\" y=\"0\" width=\"%d\" height=\"%d\"/></clipPath>\n<g "
            "clip-path=\"url(#clip%d)\">\n"
            "<rect x=\"%.0f\" y=\"0\" width=\"%d\" height=\"%d\" fill=\"#f5f6f8\"/>\n",
            panel, corner.x, WIDTH, HEIGHT, panel, corner.x, WIDTH, HEIGHT);
    drawTiles(svg, &camera, 0.2, corner, end);
    Body* order[BODIES];
    for (int k = 0; k < BODIES; k++) {
        Placement placement = findPlacement(world, &bodies[k]);
        drawShadow(svg, &bodies[k].shape, &placement, &camera);
        bodies[k].depth = getDepth(&camera, placement.position);
        order[k] = &bodies[k];
    }
    qsort(order, BODIES, sizeof order[0], compareBodies);
    for (int k = 0; k < BODIES; k++) {
        Placement placement = findPlacement(world, order[k]);
        if (order[k]->shape.ballCount == 1) { // the light does not turn with it
            placement.q[0] = 1, placement.q[1] = placement.q[2] = placement.q[3] = 0;
        }
        char id[16];
        snprintf(id, sizeof id, "ball%d", order[k]->colour);
        drawBalls(svg, &order[k]->shape, &placement, &camera, id);
    }
    fputs("</g>\n", svg->file);
    drawLabel(svg, (Point){corner.x + 0.5 * WIDTH, HEIGHT + 18}, anchorMiddle, SVG_INK, "*t* = %.2f s",
              0.01 * frames[panel]);
}

int main(void)
{
    pbdrError error;
    pbdrWorldDef worldDef = pbdrDefaultWorldDef();
    worldDef.solver = pbdr_solverXpbdR;
    pbdrWorld* world = NULL;
    check(pbdrCreateWorld(&worldDef, &world, &error), &error);
    pbdrPlaneDef ground = pbdrDefaultPlaneDef();
    check(pbdrCreatePlane(world, &ground, NULL, &error), &error);

    Body bodies[BODIES] = {0};
    pbdrSphereSet box = {0}, ball = {0};
    check(pbdrPackBox(PER_SIDE, PER_SIDE, PER_SIDE, 0.5 * side / PER_SIDE, boxMass, NULL, &box, &error),
          &error);
    check(pbdrPackBox(1, 1, 1, ballRadius, ballMass, NULL, &ball, &error), &error);
    const pbdrVec3 still = {0.0, 0.0, 0.0};
    for (int k = 0; k < BOXES; k++) {
        addBody(world, &box, 0.5 * side, (pbdrVec3){0.0, 0.0, (k + 0.5) * side}, still, k % 2, &bodies[k]);
    }
    addBody(world, &ball, ballRadius, (pbdrVec3){startX, 0.03, 0.70}, (pbdrVec3){5.0, 0.0, 1.0}, 2,
            &bodies[BOXES]);

    Svg svg = {0};
    beginSvg(&svg, stdout, PANELS * (WIDTH + GAP) - GAP, HEIGHT + FOOT);
    for (int k = 0; k < 3; k++) {
        char id[16];
        snprintf(id, sizeof id, "ball%d", k);
        drawBallGradients(&svg, id, colours[k]);
    }
    uint32_t flags = 0;
    int frame = 0;
    for (int panel = 0; panel < PANELS; panel++) {
        flags |= pbdrWorld_Step(world, 10 * (frames[panel] - frame));
        frame = frames[panel];
        drawPanel(&svg, world, bodies, panel);
    }
    endSvg(&svg);
    for (int k = 0; k < BODIES; k++) {
        freeShape(&bodies[k].shape);
    }
    pbdrSphereSet_Free(&box);
    pbdrSphereSet_Free(&ball);
    pbdrDestroyWorld(world);
    if (flags != 0) {
        fprintf(stderr, "film: flags %#x\n", flags);
    }
    return flags != 0 || svg.failed;
}
