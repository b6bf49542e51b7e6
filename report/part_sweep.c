// Fig. sweep_mu_F: Test 1 over friction and force, a heat map per solver and quantity.
#include "parts.h"

#include <math.h>
#include <string.h>

static const char command[] = "pbdr study sweep";

static const struct {
    const char *name, *title;
    size_t offset;
} quantities[2] = {
    {"sweep_position", "final position error [m]", offsetof(Run, finalPosition)},
    {"sweep_rotation", "final rotation error [deg]", offsetof(Run, finalRotation)},
};

// Of the colours: what is less than BOTTOM has the darkest one. Below COLOURED there are greys alone, so that
// errors of rounding leave the colours to the others.
static const double BOTTOM = 1e-12, COLOURED = 1e-5;

static Spread findCell(const Runs* runs, const char* solver, double mu, double force, size_t offset)
{
    Choice choice = chooseAll();
    choice.solver = solver;
    choice.mu = mu;
    choice.force = force;
    return findSpread(runs, &choice, offset);
}

static void writeTics(FILE* script, const char* axis, const double* values, int count)
{
    fprintf(script, "set %stics scale 0 (", axis);
    for (int k = 0; k < count; k++) {
        fprintf(script, "%s\"%g\" %d", k > 0 ? ", " : "", values[k], k);
    }
    fputs(")\n", script);
}

static void drawMaps(Page* page, const Runs* runs, int quantity, const char* const* solvers, int count)
{
    double mus[MAX_VALUES], forces[MAX_VALUES];
    Choice all = chooseAll();
    int muCount = listValues(runs, &all, offsetof(Run, mu), mus);
    int forceCount = listValues(runs, &all, offsetof(Run, force), forces);
    int across = 2, down = (count + 1) / 2;
    Figure figure;
    if (!openFigure(&figure, page, quantities[quantity].name, 640, 90 + 255 * down)) {
        return;
    }
    double top = 1;
    for (int s = 0; s < count; s++) {
        for (int m = 0; m < muCount; m++) {
            for (int f = 0; f < forceCount; f++) {
                Spread spread = findCell(runs, solvers[s], mus[m], forces[f], quantities[quantity].offset);
                fprintf(figure.data, "%d %d %g %d\n", f, m,
                        spread.measured > 0 ? fmax(spread.mean, BOTTOM) : (double)NAN, spread.failed > 0);
                top = spread.measured > 0 ? fmax(top, spread.mean) : top;
            }
        }
        endBlock(&figure);
    }
    for (int s = 0; s < count; s++) { // the panels' titles, drawn as data
        nameBlock(&figure, findStyle(solvers[s]).label);
        endBlock(&figure);
    }
    double ceiling = ceil(log10(top)), grey = log10(COLOURED) - log10(BOTTOM),
           coloured = ceiling - log10(COLOURED);
    static const char* const colours[] = {"#440154", "#472d7b", "#3b528b", "#2c728e", "#21918c",
                                          "#28ae80", "#5ec962", "#addc30", "#fde725"};
    enum { COLOUR_COUNT = sizeof colours / sizeof colours[0] };
    fprintf(figure.script, "set palette defined (0 \"#000000\", %g \"#8c8c8c\"", grey);
    for (int k = 0; k < COLOUR_COUNT; k++) {
        fprintf(figure.script, ", %g \"%s\"", grey + coloured * k / (COLOUR_COUNT - 1), colours[k]);
    }
    fprintf(figure.script,
            ")\nset palette maxcolors 0\nset logscale cb\nset cbrange [%g:%g]\nset format cb \"10^{%%T}\"\n"
            "set cblabel \"%s\"\n"
            "set colorbox horizontal user origin 0.12,%g size 0.84,%g\nset cbtics 100 offset 0,0.3\n"
            "set cblabel offset 0,0.6\nunset grid\nset border 15\nset style fill solid 1 noborder\n"
            "set xrange [-0.5:%g]\nset yrange [-0.5:%g]\n",
            BOTTOM, pow(10, ceiling), quantities[quantity].title, 62.0 / (90 + 255 * down),
            14.0 / (90 + 255 * down), forceCount - 0.5, muCount - 0.5);
    writeTics(figure.script, "x", forces, forceCount);
    writeTics(figure.script, "y", mus, muCount);
    fputs("set multiplot\n", figure.script);
    double height = 90 + 255 * down;
    for (int s = 0; s < count; s++) {
        int column = s % across, row = s / across;
        double upper = 1 - (28 + 255 * row) / height, lower = upper - 160 / height;
        fprintf(
            figure.script,
            "set lmargin at screen %g\nset rmargin at screen %g\nset tmargin at screen %g\n"
            "set bmargin at screen %g\nset xlabel \"F [N]\" "
            "offset 0,0.45\n"
            "set ylabel \"%s\" offset 1,0\n%s"
            "plot data index %d using 1:2:(0.5):(0.5):3 with boxxyerror fc palette notitle, \\\n"
            "     data index %d using ($4 > 0 ? $1 : 1/0):2 with points pt 2 ps 0.8 lw 2 lc rgb \"#d55e00\" "
            "notitle, \\\n"
            "     data index %d using (%g):(%g):1 with labels offset 0,0.75 noenhanced notitle\n",
            0.1 + 0.47 * column, 0.49 + 0.47 * column, upper, lower, column == 0 ? "μ" : "",
            s > 0 ? "unset colorbox\n" : "", s, s, count + s, 0.5 * (forceCount - 1), muCount - 0.5);
    }
    fputs("unset multiplot\n", figure.script);
    closeFigure(&figure, quantities[quantity].title);
}

// Cells of a solver in which the box must slide.
typedef struct Cells {
    int sliding, tumbling; // tumbling: with a seed that tilts by more than TUMBLED_TILT
    int below;             // PBD-R's mean position error is below the solver's
} Cells;

static Cells countCells(const Runs* runs, const char* solver)
{
    double mus[MAX_VALUES], forces[MAX_VALUES];
    Choice all = chooseAll();
    int muCount = listValues(runs, &all, offsetof(Run, mu), mus);
    int forceCount = listValues(runs, &all, offsetof(Run, force), forces);
    Cells cells = {0};
    for (int m = 0; m < muCount; m++) {
        for (int f = 0; f < forceCount; f++) {
            Spread ours = findCell(runs, "pbd-r", mus[m], forces[f], offsetof(Run, finalPosition));
            Spread theirs = findCell(runs, solver, mus[m], forces[f], offsetof(Run, finalPosition));
            Spread tilt = findCell(runs, solver, mus[m], forces[f], offsetof(Run, maxTilt));
            if (forces[f] > mus[m] * 4 * 9.81 && theirs.measured + theirs.failed > 0) {
                cells.sliding++;
                cells.tumbling += tilt.most > TUMBLED_TILT;
                cells.below += ours.failed == 0 && (theirs.failed > 0 || ours.mean < theirs.mean);
            }
        }
    }
    return cells;
}

// Of the runs in which the box does not tumble.
static double findLargest(const Runs* runs, const char* solver)
{
    double largest = (double)NAN;
    for (size_t k = 0; k < runs->count; k++) {
        const Run* run = &runs->runs[k];
        if (strcmp(run->solver, solver) == 0 && isMeasured(run) && !(run->maxTilt > TUMBLED_TILT)) {
            largest = fmax(largest, run->finalPosition);
        }
    }
    return largest;
}

void addSweepPart(Page* page)
{
    beginPart(page, "sweep", "Friction and force",
              "Remakes the paper's Fig. sweep_mu_F_box (Test 1, pushed box).");
    Runs runs;
    if (loadRuns(page, &runs, "sweep", command)) {
        const char* solvers[MAX_SOLVERS];
        Choice all = chooseAll();
        int count = listSolvers(&runs, &all, solvers);
        beginFigures(page, "two");
        drawMaps(page, &runs, 0, solvers, count);
        drawMaps(page, &runs, 1, solvers, count);
        endFigures(
            page, "Final errors over friction and force",
            "Mean over seeds; one colour scale per quantity for all solvers. Errors below 10<sup>-5</sup> "
            "are "
            "grey, the darker the smaller; 10<sup>-12</sup> and less is black. A cross marks a diverged run. "
            "Below F = &mu; M g the box must stay. The largest position error of any run that does not "
            "tumble: "
            "PBD %s m, PBD-R %s m, XPBD-R %s m, MuJoCo %s m.",
            showValue(findLargest(&runs, "pbd")).text, showValue(findLargest(&runs, "pbd-r")).text,
            showValue(findLargest(&runs, "xpbdr")).text, showValue(findLargest(&runs, "mujoco")).text);
        Sheet sheet = {.columns = 7};
        static const char* const headings[] = {"solver",
                                               "median position error [m]",
                                               "largest [m]",
                                               "median rotation error [deg]",
                                               "largest [deg]",
                                               "runs diverged",
                                               "tumbles in sliding cells"};
        for (int k = 0; k < 7; k++) {
            addCell(page, &sheet, "%s", headings[k]);
        }
        for (int s = 0; s < count; s++) {
            addCell(page, &sheet, "%s", findStyle(solvers[s]).label);
            Choice choice = chooseAll();
            choice.solver = solvers[s];
            Spread last = {0};
            for (int q = 0; q < 2; q++) {
                last = findSpread(&runs, &choice, quantities[q].offset);
                addCell(page, &sheet, "%s", showValue(findMedian(&runs, &choice, quantities[q].offset)).text);
                addCell(page, &sheet, "%s", showValue(last.most).text);
            }
            addCell(page, &sheet, "%d", last.failed);
            Cells cells = countCells(&runs, solvers[s]);
            addCell(page, &sheet, "%d of %d", cells.tumbling, cells.sliding);
        }
        char caption[768];
        snprintf(
            caption, sizeof caption,
            "All runs of the sweep. The box slides in cells with F &gt; &mu; M g; it tumbles in a cell if it "
            "tilts by more than %g deg in any seed. The true cube cannot tip below &mu; = 1; one of n "
            "spheres per axis, which "
            "touches the ground at their lowest points, tips above &mu; = 1 - 1/n, 0.75 for n = 4, and a "
            "solver "
            "that is right about such a body tumbles there. PBD-R's friction acts at the spheres' centres, "
            "so "
            "that its box tips later.",
            TUMBLED_TILT);
        closeSheet(page, &sheet, "sweep", caption);
        Cells mujoco = countCells(&runs, "mujoco");
        if (mujoco.sliding > 0) {
            char found[256];
            snprintf(found, sizeof found,
                     "below MuJoCo in %d of %d sliding cells; MuJoCo's box tilts over %g deg in %d",
                     mujoco.below, mujoco.sliding, TUMBLED_TILT, mujoco.tumbling);
            summarize(page, "PBD-R has the lowest error over the sweep of friction and force",
                      "yes; MuJoCo degrades as F rises", found);
        }
    }
    csvFreeRecords(&runs.file);
    endPart(page, command);
}
