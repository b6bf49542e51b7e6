// Fig. bunny_tumbling: stills of Test 4, MuJoCo's bunny beside ours. A row per solver, a column per time.
#include "parts.h"

#include "shape.h"
#include "tests/catalogue.h"

#include <math.h>
#include <string.h>

static const char command[] = "pbdr study stills";

enum { MAX_ROWS = 8, MAX_TIMES = 6 };
static const double tumbling = 45; // of tilt [deg]: whoever is there does not come back

// One sample of stills_series.csv.
typedef struct PoseSample {
    const char *solver, *precision;
    double seed, particles, time, x, y, z, q[4];
} PoseSample;

static const CsvColumn columns[] = {
    {"solver", csvSolver, offsetof(PoseSample, solver)},
    {"precision", csvWord, offsetof(PoseSample, precision)},
    {"seed", csvNumber, offsetof(PoseSample, seed)},
    {"particles", csvNumber, offsetof(PoseSample, particles)},
    {"t_s", csvNumber, offsetof(PoseSample, time)},
    {"x_m", csvNumber, offsetof(PoseSample, x)},
    {"y_m", csvNumber, offsetof(PoseSample, y)},
    {"z_m", csvNumber, offsetof(PoseSample, z)},
    {"qw", csvNumber, offsetof(PoseSample, q)},
    {"qx", csvNumber, offsetof(PoseSample, q) + sizeof(double)},
    {"qy", csvNumber, offsetof(PoseSample, q) + 2 * sizeof(double)},
    {"qz", csvNumber, offsetof(PoseSample, q) + 3 * sizeof(double)},
};
enum { FIRST_NUMBER = 2, FIRST_PLACE = 5, FIRST_TURN = 8, COLUMN_COUNT = sizeof columns / sizeof columns[0] };

// The runs to be drawn: the first seed of each solver and precision.
typedef struct Film {
    const PoseSample* samples;
    size_t count;
    int rowCount;
    const PoseSample* rows[MAX_ROWS]; // a row's first sample
    int timeCount;
    double times[MAX_TIMES]; // [s]
} Film;

// --- What to show ---

// Numbers that cannot be drawn are refused as those that are none.
static bool checkSamples(Page* page, const CsvRecords* file)
{
    const PoseSample* samples = file->records;
    for (size_t k = 0; k < file->count && !page->failed; k++) {
        double length = 0;
        for (int c = FIRST_NUMBER; c < COLUMN_COUNT && !page->failed; c++) {
            double value;
            memcpy(&value, (const char*)&samples[k] + columns[c].offset, sizeof value);
            length += c >= FIRST_TURN ? value * value : 0;
            if (!isfinite(value) || (c >= FIRST_PLACE && fabs(value) > 1e9)) {
                failPage(page, "%s/stills_series.csv:%zu: column '%s': %g cannot be drawn", page->results,
                         k + 2, columns[c].name, value);
            }
        }
        if (!page->failed && fabs(length - 1) > 1e-3) {
            failPage(page, "%s/stills_series.csv:%zu: column 'qw': not of a unit quaternion", page->results,
                     k + 2);
        }
    }
    return !page->failed;
}

static bool isOfRow(const PoseSample* row, const PoseSample* sample)
{
    return strcmp(row->solver, sample->solver) == 0 && strcmp(row->precision, sample->precision) == 0 &&
           row->seed == sample->seed;
}

static void findRows(Film* film)
{
    for (size_t k = 0; k < film->count; k++) {
        const PoseSample* sample = &film->samples[k];
        bool known = film->rowCount == MAX_ROWS;
        for (int r = 0; r < film->rowCount && !known; r++) {
            known = strcmp(film->rows[r]->solver, sample->solver) == 0 &&
                    strcmp(film->rows[r]->precision, sample->precision) == 0;
        }
        if (!known) {
            film->rows[film->rowCount++] = sample;
        }
    }
}

static Placement getPlacement(const PoseSample* s)
{
    return (Placement){{s->x, s->y, s->z}, {s->q[0], s->q[1], s->q[2], s->q[3]}};
}

static const PoseSample* findSample(const Film* film, int row, double time)
{
    for (size_t k = 0; k < film->count; k++) {
        if (isOfRow(film->rows[row], &film->samples[k]) && fabs(film->samples[k].time - time) < 1e-6) {
            return &film->samples[k];
        }
    }
    return NULL;
}

static void addTime(Film* film, double time, double end)
{
    time = fmin(nearbyint(10 * time) / 10, end); // samples are 0.1 s apart
    if (film->timeCount == 0 || time > film->times[film->timeCount - 1] + 1e-6) {
        film->times[film->timeCount++] = time;
    }
}

// The start, and the moments about the first tumble; evenly spread if nobody tumbles.
static void findTimes(Film* film)
{
    double first = HUGE_VAL, end = 0;
    for (size_t k = 0; k < film->count; k++) {
        Placement placement = getPlacement(&film->samples[k]);
        bool drawn = false;
        for (int r = 0; r < film->rowCount; r++) {
            drawn = drawn || isOfRow(film->rows[r], &film->samples[k]);
        }
        end = fmax(end, drawn ? film->samples[k].time : 0);
        if (drawn && getTilt(&placement) > tumbling) {
            first = fmin(first, film->samples[k].time);
        }
    }
    if (isfinite(first)) {
        const double times[MAX_TIMES] = {0, 0.5 * first, first - 0.1, first, first + 0.3, first + 0.6};
        for (int k = 0; k < MAX_TIMES; k++) {
            addTime(film, times[k], end);
        }
    } else {
        for (int k = 0; k < MAX_TIMES; k++) {
            addTime(film, end * k / (MAX_TIMES - 1), end);
        }
    }
}

// --- Drawing ---

enum { WIDTH = 190, HEIGHT = 158, GAP = 8, HEAD = 26, FOOT = 44 };

static void drawStill(Svg* svg, const Film* film, const Shape* shape, int row, int column, bool truth)
{
    Point corner = {column * (WIDTH + GAP), HEAD + row * (HEAD + HEIGHT + FOOT)};
    const PoseSample* sample = findSample(film, row, film->times[column]);
    Point middle = {corner.x + 0.5 * WIDTH, corner.y + HEIGHT + 17};
    fprintf(svg->file,
            "<clipPath id=\"clip%d_%d\"><rect x=\"%.0f\" y=\"%.0f\" width=\"%d\" height=\"%d\"/></clipPath>\n"
            "<g clip-path=\"url(#clip%d_%d)\">\n<rect x=\"%.0f\" y=\"%.0f\" width=\"%d\" height=\"%d\" "
            "fill=\"#f5f6f8\"/>\n",
            row, column, corner.x, corner.y, WIDTH, HEIGHT, row, column, corner.x, corner.y, WIDTH, HEIGHT);
    if (sample != NULL) {
        Placement placement = getPlacement(sample);
        // The camera goes along with the body, and up only with a leap, so that the ground is seen to fall
        // away.
        Camera camera = {.azimuth = 0.35, .elevation = 0.30, .scale = 410};
        camera.target = (Vec){sample->x, sample->y, fmax(0.105, sample->z)};
        camera.centre = (Point){corner.x + 0.5 * WIDTH, corner.y + 0.52 * HEIGHT};
        const char* colour = findStyle(sample->solver).colour;
        drawTiles(svg, &camera, 0.1, corner, (Point){corner.x + WIDTH, corner.y + HEIGHT});
        drawShadow(svg, shape, &placement, &camera);
        if (sample->particles > 0 && shape->ballCount > 0) {
            char gradient[32];
            snprintf(gradient, sizeof gradient, "ball%d", row);
            drawBalls(svg, shape, &placement, &camera, gradient);
        } else {
            drawMesh(svg, shape, &placement, &camera, colour, SVG_INK);
        }
        if (!truth) { // a box looks alike from all sides: its up axis says how it stands
            drawArrow(svg, see(&camera, placement.position),
                      see(&camera, place(&placement, (Vec){0, 0, 0.19})), SVG_INK, 2);
        }
    }
    fputs("</g>\n", svg->file);
    if (sample == NULL) {
        drawLabel(svg, (Point){middle.x, corner.y + 0.5 * HEIGHT}, anchorMiddle, SVG_INK, "no pose");
        drawLabel(svg, middle, anchorMiddle, SVG_INK, "*t* = %.1f s", film->times[column]);
        return;
    }
    Placement placement = getPlacement(sample);
    double tilt = getTilt(&placement);
    drawLabel(svg, middle, anchorMiddle, SVG_INK, "*t* = %.1f s, *x* = %.*f m", sample->time,
              fabs(sample->x) < 0.05 ? 0 : 1, fabs(sample->x) < 0.05 ? 0 : sample->x);
    drawLabel(svg, (Point){middle.x, middle.y + 19}, anchorMiddle, tilt > tumbling ? SVG_DRIVE : SVG_INK,
              tilt < 1 ? "tilt %.2f°" : "tilt %.0f°", tilt);
}

static void drawFilm(Page* page, const Film* film, const Shape* shape, bool truth)
{
    Picture picture;
    Svg* svg = &picture.svg;
    double width = film->timeCount * (WIDTH + GAP) - GAP;
    if (!openPicture(&picture, page, "stills", width, film->rowCount * (HEAD + HEIGHT + FOOT))) {
        return;
    }
    for (int r = 0; r < film->rowCount; r++) {
        const PoseSample* row = film->rows[r];
        Style style = findStyle(row->solver);
        char title[160], gradient[32];
        if (row->particles > 0) {
            snprintf(title, sizeof title, "%.80s, %s, %.0f spheres", style.label,
                     strcmp(row->precision, "f32") == 0 ? "float" : "double", row->particles);
            snprintf(gradient, sizeof gradient, "ball%d", r);
            drawBallGradients(svg, gradient, style.colour);
        } else {
            snprintf(title, sizeof title, "%.80s", style.label);
        }
        drawTitle(svg, (Point){0, r * (HEAD + HEIGHT + FOOT) + 17}, title);
        for (int c = 0; c < film->timeCount; c++) {
            drawStill(svg, film, shape, r, c, truth);
        }
    }
    closePicture(&picture, "Stills of the pushed bunny: a row per solver, a column per time");
}

static double findLargestTilt(const Film* film, int row)
{
    double most = 0;
    for (size_t k = 0; k < film->count; k++) {
        if (isOfRow(film->rows[row], &film->samples[k])) {
            Placement placement = getPlacement(&film->samples[k]);
            most = fmax(most, getTilt(&placement));
        }
    }
    return most;
}

static void showFilm(Page* page, const Film* film)
{
    Shape shape;
    char message[CSV_MESSAGE_SIZE];
    bool truth = loadShape(page, &shape, message);
    if (page->failed) {
        return;
    }
    if (!truth) {
        fprintf(stderr, "pbdr report: %s; the bunny is drawn as a box without it; make it with: %s\n",
                message, command);
        page->missingCount++;
        addHtml(page, "<p class=\"missing\"><strong>Missing.</strong> ");
        addText(page, message);
        addHtml(page,
                ". It is the bunny's shape, made of the mesh that you fetched; without it the stills show "
                "the cube that "
                "the bunny is scaled to. Make it with <code>%s</code>.</p>\n",
                command);
        double height = film->rows[0]->z,
               half = 0.5 * BENCH_SIDE; // height: of the centre of mass over the base
        if (!makeBoxShape(page, &shape, (Vec){-half, -half, -height}, (Vec){half, half, 2 * half - height})) {
            return;
        }
    }
    addHtml(page, "<figure>\n<div class=\"scroll many film\" tabindex=\"0\">\n");
    drawFilm(page, film, &shape, truth);
    freeShape(&shape);
    addHtml(page,
            "</div>\n<figcaption><strong>Stills of Test 4.</strong> The pushed bunny, seen from the side and "
            "from above by a camera that goes along with it; tiles of 0.1 m lie still on the ground. %s "
            "Largest tilt of the run, sampled every 0.1 s: ",
            truth ? "Solvers of meshes are drawn as the mesh, ours as the spheres that they simulate."
                  : "Arrow: the body's up axis.");
    for (int r = 0; r < film->rowCount; r++) {
        addText(page, r > 0 ? "; " : "");
        addText(page, findStyle(film->rows[r]->solver).label);
        double tilt = findLargestTilt(film, r);
        addHtml(page, tilt < 1 ? " %.2f&deg;" : " %.0f&deg;", tilt);
    }
    addHtml(page, ".</figcaption>\n</figure>\n");
}

void addStillsPart(Page* page)
{
    beginPart(page, "stills", "The tumbling bunny",
              "Remakes the paper's Fig. bunny_tumbling: Test 4 in MuJoCo, and beside it in our solvers.");
    CsvRecords file;
    if (loadRecords(page, &file, "stills_series", columns, COLUMN_COUNT, sizeof(PoseSample), command) &&
        checkSamples(page, &file)) {
        Film film = {.samples = file.records, .count = file.count};
        findRows(&film);
        findTimes(&film);
        showFilm(page, &film);
    }
    csvFreeRecords(&file);
    endPart(page, command);
}
