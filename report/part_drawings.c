// A drawing of each test: body, ground, what drives it, and the reference beneath. All numbers are the
// catalogue's and the scene's.
#include "parts.h"

#include "scene.h"
#include "shape.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 360, HEIGHT = 272 };
static const double groundLine = 196, formulaLine = 258; // [px]
static const double flatScale = 500, slopeScale = 430;   // [px/m]

static const char solidColour[] = "#8dbbe0"; // whose shades are about SVG_BODY

// What a drawing is made from.
typedef struct Sketch {
    Page* page;
    const BenchTest* test;
    const Shape* bunny;      // NULL: the results have none
    const BenchScene* scene; // of Test 7
} Sketch;

static Point go(Point from, double angle, double distance)
{
    return (Point){from.x + distance * cos(angle), from.y + distance * sin(angle)};
}

// --- Pieces ---

static bool begin(Picture* picture, const Sketch* sketch, const char* name, const char* view)
{
    if (!openPicture(picture, sketch->page, name, WIDTH, HEIGHT)) {
        return false;
    }
    char title[120];
    snprintf(title, sizeof title, "%d  %s%s", sketch->test->number, sketch->test->name, view);
    drawTitle(&picture->svg, (Point){8, 20}, title);
    return true;
}

static void drawGravity(Svg* svg)
{
    drawArrow(svg, (Point){346, 10}, (Point){346, 50}, SVG_MEASURE, 1.6);
    drawLabel(svg, (Point){336, 44}, anchorEnd, SVG_MEASURE, "*g* = %g m/s²", PBDR_DEFAULT_GRAVITY);
}

static void drawGround(Svg* svg)
{
    const Point band[] = {{8, groundLine}, {352, groundLine}, {352, groundLine + 8}, {8, groundLine + 8}};
    drawArea(svg, band, 4, "fill=\"" SVG_GROUND "\"");
    drawLine(svg, band[0], band[1], SVG_OUTLINE);
}

static void drawCentre(Svg* svg, Point at)
{
    drawCircle(svg, at, 3, "fill=\"" SVG_INK "\"");
}

// A stand-in of our own for the bunny: ellipses that unite to a sitting hare about its centre of mass, in
// units of its height, its feet as far below as the true one's.
static void drawStandIn(Svg* svg, Point centre, double angle, double size)
{
    static const double parts[][5] = {// x, y (up), half axes, angle [deg]
                                      {-0.08, -0.04, 0.34, 0.27, 0}, {-0.20, -0.22, 0.26, 0.145, 0},
                                      {0.12, -0.25, 0.22, 0.115, 0}, {0.24, 0.20, 0.17, 0.145, 0},
                                      {0.12, 0.45, 0.065, 0.19, 16}, {0.24, 0.45, 0.060, 0.19, 0},
                                      {-0.44, -0.14, 0.08, 0.08, 0}};
    for (int pass = 0; pass < 2; pass++) { // the outlines, then the areas over their inner halves
        for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++) {
            const double *p = parts[k], u = size * p[0], v = -size * p[1];
            fprintf(svg->file,
                    "<ellipse rx=\"%.1f\" ry=\"%.1f\" transform=\"translate(%.1f %.1f) rotate(%.1f)\" %s/>\n",
                    size * p[2], size * p[3], centre.x + u * cos(angle) - v * sin(angle),
                    centre.y + u * sin(angle) + v * cos(angle), angle * 180 / acos(-1.0) - p[4],
                    pass == 0 ? "stroke=\"" SVG_INK "\" stroke-width=\"3.2\"" : "fill=\"" SVG_BODY "\"");
        }
    }
}

// Height of the centre of mass over the base [m].
static double getCentreHeight(const Sketch* sketch)
{
    double lowest = sketch->test->shape == pbdr_benchMesh ? -0.365 * BENCH_SIDE : -0.5 * BENCH_SIDE;
    for (int k = 0;
         sketch->test->shape == pbdr_benchMesh && sketch->bunny != NULL && k < sketch->bunny->vertexCount;
         k++) {
        lowest = k == 0 ? sketch->bunny->vertices[0].z : fmin(lowest, sketch->bunny->vertices[k].z);
    }
    return -lowest;
}

// The body from the side, turned by an angle (clockwise).
static void drawBody(Svg* svg, const Sketch* sketch, Point centre, double angle, double scale)
{
    if (sketch->test->shape != pbdr_benchMesh) {
        Point corners[4];
        for (int k = 0; k < 4; k++) {
            corners[k] = go(centre, angle + (k + 0.5) * acos(0.0), scale * BENCH_SIDE * sqrt(0.5));
        }
        drawArea(svg, corners, 4, "fill=\"" SVG_BODY "\" " SVG_OUTLINE);
    } else if (sketch->bunny != NULL) {
        Placement placement = {{0, 0, 0}, {cos(0.5 * angle), 0, sin(0.5 * angle), 0}};
        Camera camera = {.centre = centre, .scale = scale};
        drawMesh(svg, sketch->bunny, &placement, &camera, solidColour, SVG_INK);
    } else {
        drawStandIn(svg, centre, angle, scale * BENCH_SIDE);
    }
    drawCentre(svg, centre);
}

static void drawMass(Svg* svg, const Sketch* sketch, Point at, Anchor anchor)
{
    drawLabel(svg, at, anchor, SVG_INK, "*M* = %g kg", sketch->test->mass);
}

// --- Tests 1 and 4 ---

static void drawPush(const Sketch* sketch)
{
    const BenchTest* test = sketch->test;
    char name[32], alt[160];
    Picture picture;
    Svg* svg = &picture.svg;
    snprintf(name, sizeof name, "drawing_test%d", test->number);
    if (!begin(&picture, sketch, name, "")) {
        return;
    }
    double half = 0.5 * BENCH_SIDE * flatScale;
    Point centre = {138, groundLine - flatScale * getCentreHeight(sketch)};
    double top = groundLine - 2 * half, reach = centre.x + 128;
    drawGravity(svg);
    drawGround(svg);
    drawBody(svg, sketch, centre, 0, flatScale);
    drawDimension(svg, (Point){centre.x - half, top - 14}, (Point){centre.x + half, top - 14});
    drawLabel(svg, (Point){centre.x, top - 22}, anchorMiddle, SVG_MEASURE, "*L* = %g m", BENCH_SIDE);
    drawArrow(svg, centre, (Point){reach, centre.y}, SVG_DRIVE, 2.6);
    drawLabel(svg, (Point){centre.x + half + 12, centre.y - 10}, anchorStart, SVG_DRIVE, "*F* = %g N",
              test->force);
    drawArrow(svg, (Point){centre.x - half, groundLine - 3}, (Point){centre.x - half - 52, groundLine - 3},
              SVG_INK, 1.8);
    drawLabel(svg, (Point){centre.x - half - 34, groundLine - 13}, anchorMiddle, SVG_INK, "*μMg*");
    drawLabel(svg, (Point){348, groundLine - 10}, anchorEnd, SVG_INK, "*μ* = %g", test->mu);
    drawMass(svg, sketch, (Point){centre.x + half + 12, centre.y + 24}, anchorStart);
    drawLine(svg, (Point){centre.x, groundLine + 14}, (Point){centre.x, groundLine + 30}, SVG_THIN);
    drawArrow(svg, (Point){centre.x, groundLine + 22}, (Point){reach, groundLine + 22}, SVG_MOTION, 1.8);
    drawLabel(svg, (Point){reach + 6, groundLine + 27}, anchorStart, SVG_MOTION, "*x*(*t*)");
    double weight = test->mass * PBDR_DEFAULT_GRAVITY;
    drawLabel(svg, (Point){0.5 * WIDTH, formulaLine}, anchorMiddle, SVG_INK,
              "*x* = (*F* − *μMg*) *t*²/2*M* = %.4g m/s² · *t*²",
              0.5 * (test->force - test->mu * weight) / test->mass);
    snprintf(alt, sizeof alt, "Test %d: %g kg pushed by %g N on ground with friction %g", test->number,
             test->mass, test->force, test->mu);
    closePicture(&picture, alt);
}

// --- Tests 2 and 5 ---

static void drawTorque(const Sketch* sketch)
{
    const BenchTest* test = sketch->test;
    bool mesh = test->shape == pbdr_benchMesh;
    char name[32], alt[160];
    Picture picture;
    Svg* svg = &picture.svg;
    Shape box = {0};
    double half = 0.5 * BENCH_SIDE, height = getCentreHeight(sketch);
    snprintf(name, sizeof name, "drawing_test%d", test->number);
    if (!makeBoxShape(sketch->page, &box, (Vec){-half, -half, -height}, (Vec){half, half, height}) ||
        !begin(&picture, sketch, name, "")) {
        freeShape(&box);
        return;
    }
    Camera camera = {.azimuth = 0.55, .elevation = 0.38, .centre = {130, 172}, .scale = 440};
    Placement placement = {{0, 0, height}, {1, 0, 0, 0}};
    const Vec patch[] = {{-0.22, -0.17, 0}, {0.22, -0.17, 0}, {0.22, 0.17, 0}, {-0.22, 0.17, 0}};
    Point ground[4], turn[64], high = {0, 0};
    for (int k = 0; k < 4; k++) {
        ground[k] = see(&camera, patch[k]);
    }
    drawGravity(svg);
    drawArea(svg, ground, 4, "fill=\"" SVG_GROUND "\" stroke=\"#b9bfc6\" stroke-width=\"1\"");
    double top = 2 * half;
    if (!mesh || sketch->bunny != NULL) {
        const Shape* shape = mesh ? sketch->bunny : &box;
        drawShadow(svg, shape, &placement, &camera);
        drawMesh(svg, shape, &placement, &camera, solidColour, SVG_INK);
    } else {
        drawStandIn(svg, see(&camera, placement.position), 0, camera.scale * BENCH_SIDE);
    }
    freeShape(&box);
    high = see(&camera, (Vec){0, 0, top});
    Point tip = see(&camera, (Vec){0, 0, top + 0.085});
    drawLine(svg, high, tip, SVG_DASHED);
    for (int k = 0; k < 64; k++) { // counter-clockwise from above; open at the back
        double angle = -4.0 + 5.2 * k / 63;
        turn[k] = see(&camera, (Vec){0.07 * cos(angle), 0.07 * sin(angle), top + 0.04});
    }
    drawCurvedArrow(svg, turn, 64, SVG_DRIVE, 2.6);
    drawLabel(svg, (Point){high.x + 74, high.y + 2}, anchorStart, SVG_DRIVE, "*τ* = %g N m", test->torque);
    drawLabel(svg, (Point){348, 122}, anchorEnd, SVG_INK, "*M* = %g kg", test->mass);
    drawLabel(svg, (Point){348, 144}, anchorEnd, SVG_MEASURE, "*L* = %g m", BENCH_SIDE);
    drawLabel(svg, (Point){348, 166}, anchorEnd, SVG_INK, "*μ* = %g", test->mu);
    Point below = {0.5 * WIDTH, formulaLine};
    if (mesh) {
        drawLabel(svg, below, anchorMiddle, SVG_INK, "*θ* = *τt*²/2*I*_zz_, *I*_zz_ of the solid mesh");
    } else {
        double inertia = test->mass * BENCH_SIDE * BENCH_SIDE / 6;
        drawLabel(svg, below, anchorMiddle, SVG_INK, "*θ* = *τt*²/2*I* = %.4g rad/s² · *t*²,  *I* = *ML*²/6",
                  0.5 * test->torque / inertia);
    }
    snprintf(alt, sizeof alt, "Test %d: %g kg under a torque of %g N m about the vertical, no friction",
             test->number, test->mass, test->torque);
    closePicture(&picture, alt);
}

// --- Tests 3 and 6 ---

static void drawSlope(const Sketch* sketch)
{
    const BenchTest* test = sketch->test;
    double angle = test->slope, half = 0.5 * BENCH_SIDE * slopeScale, pi = acos(-1.0);
    char name[32], alt[160];
    Picture picture;
    Svg* svg = &picture.svg;
    snprintf(name, sizeof name, "drawing_test%d", test->number);
    if (!begin(&picture, sketch, name, "")) {
        return;
    }
    Point foot = {338, 232}, head = {16, 232 - 322 * tan(angle)};
    const Point wedge[] = {head, foot, {head.x, foot.y}};
    Point contact = go(head, angle, 122);
    Point centre = go(contact, angle - 0.5 * pi, slopeScale * getCentreHeight(sketch));
    drawGravity(svg);
    drawArea(svg, wedge, 3, "fill=\"" SVG_GROUND "\"");
    drawLine(svg, wedge[2], foot, SVG_DASHED);
    drawLine(svg, head, foot, SVG_OUTLINE);
    Point arc[24];
    for (int k = 0; k < 24; k++) {
        arc[k] = go(foot, pi + angle * k / 23, 84);
    }
    drawCurve(svg, arc, 24, "stroke=\"" SVG_MEASURE "\" stroke-width=\"1.2\"");
    drawLabel(svg, (Point){248, 226}, anchorEnd, SVG_MEASURE, "*α* = π/%g = %g°", nearbyint(pi / angle),
              angle * 180 / pi);
    drawBody(svg, sketch, centre, angle, slopeScale);
    Point edge = go(contact, angle - 0.5 * pi, 0);
    Point low = go(go(edge, angle + pi, half + 13), angle - 0.5 * pi, 0),
          up = go(low, angle - 0.5 * pi, 2 * half);
    drawDimension(svg, low, up);
    drawLabel(svg, go(go(low, angle - 0.5 * pi, half + 4), angle + pi, 9), anchorEnd, SVG_MEASURE,
              "*L* = %g m", BENCH_SIDE);
    Point front = go(go(contact, angle, half + 16), angle - 0.5 * pi, 16);
    drawArrow(svg, front, go(front, angle, 72), SVG_MOTION, 1.8);
    drawLabel(svg, go(go(front, angle, 40), angle - 0.5 * pi, 12), anchorStart, SVG_MOTION, "*s*(*t*)");
    drawMass(svg, sketch, (Point){348, 92}, anchorEnd);
    drawLabel(svg, (Point){contact.x - 18, contact.y + 34}, anchorMiddle, SVG_INK, "*μ* = %g", test->mu);
    double g = PBDR_DEFAULT_GRAVITY;
    drawLabel(svg, (Point){0.5 * WIDTH, formulaLine}, anchorMiddle, SVG_INK,
              "*s* = *g*(sin *α* − *μ* cos *α*) *t*²/2 = %.4g m/s² · *t*²",
              0.5 * g * (sin(angle) - test->mu * cos(angle)));
    snprintf(alt, sizeof alt, "Test %d: %g kg on a slope of pi/%g with friction %g", test->number, test->mass,
             nearbyint(pi / angle), test->mu);
    closePicture(&picture, alt);
}

// --- Test 7 ---

static const double rodScale = 560; // [px/m]

static void drawRod(Svg* svg, const pbdrBenchBody* rod, Point tip)
{
    double r = rodScale * rod->radius;
    for (int k = 0; k < rod->sphereCount; k++) {
        drawCircle(svg, (Point){tip.x - (2 * k + 1) * r, tip.y}, r, "fill=\"#a9cfe8\" " SVG_OUTLINE);
    }
}

static void drawGivenMotion(Svg* svg, const pbdrBenchBody* rod, Point tip)
{
    drawArrow(svg, (Point){34, tip.y - 18}, (Point){106, tip.y - 18}, SVG_MOTION, 1.8);
    drawLabel(svg, (Point){70, tip.y - 28}, anchorMiddle, SVG_MOTION, "*s* = *t*²/%g m",
              nearbyint(2 / rod->prescribedAcceleration.x));
}

static void drawRodFromAbove(const Sketch* sketch)
{
    const pbdrBenchBody *box = &sketch->scene->data.bodies[0], *rod = &sketch->scene->data.bodies[1];
    double half = rodScale * box->halfExtents.x, offset = rod->start.position.y - box->start.position.y;
    Picture picture;
    Svg* svg = &picture.svg;
    if (!begin(&picture, sketch, "drawing_test7_above", ", from above")) {
        return;
    }
    Point centre = {190, 128}, tip = {centre.x - half, centre.y - rodScale * offset};
    drawBody(svg, sketch, centre, 0, rodScale);
    double end = centre.x + half + 22;
    drawLine(svg, tip, (Point){end, tip.y}, SVG_DASHED);
    drawLine(svg, (Point){tip.x - 12, centre.y}, (Point){end, centre.y}, SVG_DASHED);
    drawCentre(svg, centre);
    drawRod(svg, rod, tip);
    drawArrow(svg, (Point){end - 8, tip.y - 22}, (Point){end - 8, tip.y}, SVG_MEASURE, 1);
    drawArrow(svg, (Point){end - 8, centre.y + 22}, (Point){end - 8, centre.y}, SVG_MEASURE, 1);
    drawLabel(svg, (Point){end + 4, 0.5 * (tip.y + centre.y) + 5}, anchorStart, SVG_MEASURE, "*d* = %g m",
              offset);
    drawDimension(svg, (Point){centre.x - half, centre.y + half + 14},
                  (Point){centre.x + half, centre.y + half + 14});
    drawLabel(svg, (Point){centre.x, centre.y + half + 32}, anchorMiddle, SVG_MEASURE, "*L* = %g m",
              2 * box->halfExtents.x);
    drawGivenMotion(svg, rod, tip);

    drawLabel(svg, (Point){tip.x - 10, centre.y + 32}, anchorEnd, SVG_INK, "*μ*_c_ = %g",
              sketch->scene->data.pairFriction);
    drawMass(svg, sketch, (Point){centre.x, centre.y + 34}, anchorMiddle);
    const Point origin = {24, 228};
    drawArrow(svg, origin, (Point){origin.x + 34, origin.y}, SVG_MEASURE, 1.2);
    drawArrow(svg, origin, (Point){origin.x, origin.y - 34}, SVG_MEASURE, 1.2);
    drawLabel(svg, (Point){origin.x + 38, origin.y + 4}, anchorStart, SVG_MEASURE, "*x*");
    drawLabel(svg, (Point){origin.x + 7, origin.y - 28}, anchorStart, SVG_MEASURE, "*y*");
    drawLabel(svg, (Point){0.5 * WIDTH, formulaLine}, anchorMiddle, SVG_INK,
              "reference: planar pushing model, integrated");
    closePicture(&picture, "Test 7 from above: a rod pushes a box beside its middle");
}

static void drawRodFromSide(const Sketch* sketch)
{
    const pbdrBenchBody *box = &sketch->scene->data.bodies[0], *rod = &sketch->scene->data.bodies[1];
    double half = rodScale * box->halfExtents.x, height = rod->start.position.z;
    Picture picture;
    Svg* svg = &picture.svg;
    if (!begin(&picture, sketch, "drawing_test7_side", ", from the side")) {
        return;
    }
    Point centre = {190, groundLine - half}, tip = {centre.x - half, groundLine - rodScale * height};
    drawGravity(svg);
    drawGround(svg);
    drawBody(svg, sketch, centre, 0, rodScale);
    drawRod(svg, rod, tip);
    double right = centre.x + half + 22;
    drawLine(svg, tip, (Point){right, tip.y}, SVG_DASHED);
    drawArrow(svg, (Point){right - 8, tip.y - 22}, (Point){right - 8, tip.y}, SVG_MEASURE, 1);
    drawArrow(svg, (Point){right - 8, groundLine + 22}, (Point){right - 8, groundLine}, SVG_MEASURE, 1);
    drawLabel(svg, (Point){right + 4, tip.y + 1}, anchorStart, SVG_MEASURE, "*z*_p_ = %g m", height);
    drawLabel(svg, (Point){70, tip.y - 56}, anchorMiddle, SVG_INK, "*r* = %g m", rod->radius);
    drawGivenMotion(svg, rod, tip);
    drawMass(svg, sketch, (Point){centre.x, centre.y - 16}, anchorMiddle);
    drawLabel(svg, (Point){centre.x + half + 12, centre.y + 5}, anchorStart, SVG_INK, "*μ* = %g",
              sketch->scene->data.groundFriction);
    drawLabel(svg, (Point){0.5 * WIDTH, formulaLine}, anchorMiddle, SVG_INK,
              "rod: %g kg under %g N, whatever it touches", rod->mass,
              rod->mass * rod->prescribedAcceleration.x);
    closePicture(&picture, "Test 7 from the side: the rod's axis lies low over the ground");
}

// --- The part ---

static void drawAll(Page* page, const Shape* bunny)
{
    BenchOptions options = benchDefaultOptions();
    const BenchShapes none = {0};
    BenchScene scene;
    pbdrError error;
    if (benchMakeScene(benchFindTest(7), &options, &none, 0, &scene, &error) != pbdr_statusOk) {
        failPage(page, "test 7 cannot be drawn: %.400s", error.message);
        return;
    }
    for (int number = BENCH_FIRST_TEST; number <= BENCH_LAST_TEST; number++) {
        Sketch sketch = {page, benchFindTest(number), bunny, &scene};
        if (sketch.test->rod) {
            drawRodFromAbove(&sketch);
            drawRodFromSide(&sketch);
        } else if (sketch.test->torque > 0) {
            drawTorque(&sketch);
        } else if (sketch.test->slope > 0) {
            drawSlope(&sketch);
        } else {
            drawPush(&sketch);
        }
    }
    benchFreeScene(&scene);
}

void addDrawingsPart(Page* page)
{
    beginPart(page, "drawings", "What is simulated", "The paper's Table tab:tests as drawings.");
    Shape bunny;
    char ignored[CSV_MESSAGE_SIZE]; // the part of the stills says it
    bool known = loadShape(page, &bunny, ignored);
    if (page->failed) {
        return;
    }
    addHtml(page, "<figure class=\"drawings\">\n");
    drawAll(page, known ? &bunny : NULL);
    freeShape(&bunny);
    addHtml(
        page,
        "<figcaption><strong>The seven tests.</strong> Under each drawing stands the reference that errors "
        "are "
        "measured against. Orange: what is applied; blue: what comes of it, or is given; grey: dimensions. "
        "The "
        "bunny fills a cube of side <i>L</i>; forces act at the centre of mass (dot), torques about it. Test "
        "7 has "
        "no closed form: the rod's motion is given, and the box follows Lynch and Mason's planar pushing "
        "model "
        "(docs/pushing.md); the rod slides off the corner at about 4 s.");
    if (!known) {
        addHtml(page,
                " The hare is a stand-in of ours: <code>pbdr study stills</code> brings the bunny's shape.");
    }
    addHtml(page, "</figcaption>\n</figure>\n");
    endPart(page, "pbdr study stills");
}
