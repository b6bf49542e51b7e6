// Fig. box_traj: Test 7 from above, and against it the quasi-static reference.
#include "parts.h"

#include <math.h>
#include <string.h>

static const char command[] = "pbdr study trajectory";
static const double times[] = {0, 2, 3, 4, 10}; // [s]; the box is left behind before 5 s
enum { TIME_COUNT = sizeof times / sizeof times[0] };
static const double side = 0.2; // of the box [m]

typedef struct Pose {
    double x, y, theta; // [m], [m], [rad]
} Pose;

static void writeOutline(FILE* data, Pose pose)
{
    static const double corners[5][2] = {{-0.5, -0.5}, {0.5, -0.5}, {0.5, 0.5}, {-0.5, 0.5}, {-0.5, -0.5}};
    double c = cos(pose.theta), s = sin(pose.theta);
    for (int k = 0; k < 5; k++) {
        double u = side * corners[k][0], v = side * corners[k][1];
        fprintf(data, "%.6g %.6g\n", pose.x + c * u - s * v, pose.y + s * u + c * v);
    }
    fputs("\n", data);
}

// The sample at that time of one solver, resolution (0: none) and the smallest seed. False if there is none.
static bool findPose(const CsvRecords* series, const char* solver, double n, double time, Pose* pose)
{
    const Sample* samples = series->records;
    double seed = (double)INFINITY;
    for (size_t k = 0; k < series->count; k++) {
        const Sample* sample = &samples[k];
        if (strcmp(sample->solver, solver) == 0 && (n == 0 || sample->n == n) &&
            fabs(sample->time - time) < 1e-6 && sample->seed < seed && isfinite(sample->x)) {
            seed = sample->seed;
            *pose = (Pose){sample->x, sample->y, sample->theta};
        }
    }
    return isfinite(seed);
}

static const char quasistatic[] = "quasistatic_uniform", dynamic[] = "dynamic_tilt_uniform";

static bool findReference(const CsvRecords* references, const char* name, double time, Pose* pose)
{
    const ReferenceSample* samples = references->records;
    for (size_t k = 0; k < references->count; k++) {
        if (strcmp(samples[k].reference, name) == 0 && fabs(samples[k].time - time) < 1e-6) {
            *pose = (Pose){samples[k].x, samples[k].y, samples[k].theta};
            return true;
        }
    }
    return false;
}

static void drawPanel(Page* page, const CsvRecords* series, const CsvRecords* references, const char* name,
                      const char* title, const char* solver, double n, Sheet* sheet)
{
    Figure figure;
    Pose pose, last = {(double)NAN, (double)NAN, (double)NAN}, end = last;
    if (!findPose(series, solver, n, 0, &pose)) {
        addHtml(
            page,
            "<p class=\"missing\"><strong>Missing.</strong> trajectory_series.csv has no run of %s. Make it "
            "with <code>%s</code>.</p>\n",
            title, command);
        fprintf(stderr, "pbdr report: %s/trajectory_series.csv: there is no run of %s; make it with: %s\n",
                page->results, title, command);
        page->missingCount++;
        return;
    }
    if (!openFigure(&figure, page, name, 440, 420)) {
        return;
    }
    Style style = findStyle(solver);
    nameBlock(&figure, n > 0 ? style.label : "MuJoCo");
    for (int k = 0; k < TIME_COUNT; k++) {
        if (findPose(series, solver, n, times[k], &pose)) {
            writeOutline(figure.data, pose);
            last = pose;
        }
    }
    fputs("nan nan\n", figure.data);
    int ours = endBlock(&figure);
    for (int k = 0; k < TIME_COUNT; k++) {
        if (findReference(references, quasistatic, times[k], &pose)) {
            writeOutline(figure.data, pose);
            end = pose;
        }
    }
    fputs("nan nan\n", figure.data);
    int reference = endBlock(&figure);
    Pose rest = {(double)NAN, (double)NAN, (double)NAN};
    if (findReference(references, dynamic, times[TIME_COUNT - 1], &rest)) {
        writeOutline(figure.data, rest);
    }
    fputs("nan nan\n", figure.data);
    int atRest = endBlock(&figure);
    const Sample* samples = series->records; // the path of the centre
    for (size_t k = 0; k < series->count; k++) {
        if (strcmp(samples[k].solver, solver) == 0 && (n == 0 || samples[k].n == n) &&
            samples[k].seed == samples[0].seed && isfinite(samples[k].x)) {
            fprintf(figure.data, "%.6g %.6g\n", samples[k].x, samples[k].y);
        }
    }
    fputs("nan nan\n", figure.data);
    int path = endBlock(&figure);
    fprintf(
        figure.script,
        "set size ratio -1\nset xrange [-0.15:0.6]\nset yrange [-0.3:0.35]\nset xtics 0.2\nset ytics 0.2\n"
        "set xlabel \"x [m]\"\nset ylabel \"y [m]\" offset 1,0\nunset grid\n"
        "set title \"%s\" offset 0,-0.4\nset key top right samplen 2\n"
        "plot data index %d with lines lw 2.2 lc rgb \"%s\" " BLOCK_TITLE ", \\\n"
        "     data index %d with lines lw 1 lc rgb \"%s\" notitle, \\\n"
        "     data index %d with lines lw 1.6 dt (6,4) lc rgb \"#000000\" title \"quasi-static\", \\\n"
        "     data index %d with lines lw 2 dt 3 lc rgb \"#d55e00\" title \"dynamic, at rest\"\n",
        title, ours, style.colour, path, style.colour, reference, atRest);
    closeFigure(&figure, title);
    addCell(page, sheet, "%s", title);
    addCell(page, sheet, "%.4f", last.x);
    addCell(page, sheet, "%.4f", last.y);
    addCell(page, sheet, "%.2f", last.theta * 180 / acos(-1.0));
    addCell(page, sheet, "%.4f", hypot(last.x - end.x, last.y - end.y));
    addCell(page, sheet, "%.2f", (last.theta - end.theta) * 180 / acos(-1.0));
    addCell(page, sheet, isfinite(rest.x) ? "%.4f" : "-", hypot(last.x - rest.x, last.y - rest.y));
    addCell(page, sheet, isfinite(rest.x) ? "%.2f" : "-", (last.theta - rest.theta) * 180 / acos(-1.0));
}

void addTrajectoryPart(Page* page)
{
    beginPart(
        page, "trajectory", "Test 7 from above",
        "Remakes the paper's Fig. box_traj: the rod pushes the box, &mu; = 0.4, 2 cm beside its middle.");
    CsvRecords series, references;
    bool loaded = loadRecords(page, &series, "trajectory_series", sampleColumns, sampleColumnCount,
                              sizeof(Sample), command);
    loaded = loadRecords(page, &references, "trajectory_reference", referenceColumns, referenceColumnCount,
                         sizeof(ReferenceSample), command) &&
             loaded;
    if (loaded) {
        static const char* const headings[] = {
            "run",   "x [m]",           "y [m]", "angle [deg]", "off quasi-static [m]",
            "[deg]", "off dynamic [m]", "[deg]"};
        enum { COLUMNS = sizeof headings / sizeof headings[0] };
        Sheet sheet = {.columns = COLUMNS};
        for (int k = 0; k < COLUMNS; k++) {
            addCell(page, &sheet, "%s", headings[k]);
        }
        beginFigures(page, "three");
        static const struct {
            const char *name, *title, *solver;
            double n;
        } panels[] = {{"trajectory_n3", "PBD-R, n = 3 (27 spheres)", "pbd-r", 3},
                      {"trajectory_xpbdr_n3", "XPBD-R, n = 3", "xpbdr", 3},
                      {"trajectory_mujoco", "MuJoCo (paper's settings)", "mujoco", 0},
                      {"trajectory_n10", "PBD-R, n = 10 (1000 spheres)", "pbd-r", 10},
                      {"trajectory_xpbdr_n10", "XPBD-R, n = 10", "xpbdr", 10}};
        for (size_t k = 0; k < sizeof panels / sizeof panels[0]; k++) {
            drawPanel(page, &series, &references, panels[k].name, panels[k].title, panels[k].solver,
                      panels[k].n, &sheet);
        }
        endFigures(
            page, "Box outlines at t = 0, 2, 3, 4 and 10 s",
            "Solid: the solver, with the path of its centre; dashed: the quasi-static reference with uniform "
            "pressure, the paper's, at the same times; dotted orange: where the dynamic reference with "
            "pressure "
            "tilt, on "
            "which a perfect simulator scores zero, comes to rest. The rod moves along +x as t&sup2;/40 and "
            "has left the box behind "
            "before "
            "5 s, so that the outline at 10 s is the pose at rest.");
        closeSheet(page, &sheet, "trajectory", "Pose at 10 s.");
    }
    csvFreeRecords(&series);
    csvFreeRecords(&references);
    endPart(page, command);
}
