// Fig. all_exp: final errors of the seven tests, all solvers.
#include "parts.h"

#include <math.h>
#include <string.h>

static const char command[] = "pbdr study tests";

typedef struct Quantity {
    const char *name, *title;
    size_t offset, floorOffset; // floorOffset 0: there is no floor
    double bottom;              // of the axis: what is less is drawn as a dot with its value over it
} Quantity;

static const Quantity quantities[2] = {
    {"all_exp_position", "final position error [m]", offsetof(Run, finalPosition),
     offsetof(Run, floorPosition), 1e-6},
    {"all_exp_rotation", "final rotation error [deg]", offsetof(Run, finalRotation),
     offsetof(Run, floorRotation), 1e-6},
};

// A dot stands at so many times the axis's bottom; so does what is less.
static const double DOT = 1.6;

static const Quantity tilt = {"tilt", "largest tilt [deg]", offsetof(Run, maxTilt), 0, 0};

// The figure keeps one bar per engine and purpose: ODE's and Bullet's defaults stand in the table alone.
static bool isDrawn(const char* solver, const char* const* solvers, int count)
{
    bool tuned = false;
    for (int k = 0; k < count; k++) {
        size_t length = strlen(solver);
        tuned =
            tuned || (strncmp(solvers[k], solver, length) == 0 && strcmp(solvers[k] + length, ":tuned") == 0);
    }
    return strstr(solver, ":feet") == NULL && (!tuned || strcmp(solver, "mujoco") == 0);
}

// "5e-13": one digit.
static ValueText showShort(double value)
{
    ValueText shown = {"0"};
    if (value > 0) {
        int exponent = (int)floor(log10(value));
        double digit = nearbyint(value / pow(10, exponent));
        snprintf(shown.text, sizeof shown.text, "%.0fe%d", digit < 10 ? digit : 1, exponent + (digit >= 10));
    }
    return shown;
}

static void drawBars(Page* page, const Runs* runs, const Quantity* quantity, const char* const* solvers,
                     int count)
{
    Figure figure;
    if (!openFigure(&figure, page, quantity->name, 1200, 400)) {
        return;
    }
    double top = 10 * quantity->bottom, width = 0.84 / count;
    fprintf(figure.script, "set logscale y\nset format y \"10^{%%T}\"\nset ylabel \"%s\"\n", quantity->title);
    fprintf(figure.script,
            "set xrange [0.5:7.5]\nset xtics scale 0 (\"1\" 1, \"2\" 2, \"3\" 3, \"4\" 4, \"5\" 5, "
            "\"6\" 6, \"7\" 7)\nset xlabel \"test (1-3 and 7: box, 4-6: bunny)\"\n"
            "set key outside top center horizontal maxrows 2 reverse Left samplen 1.2 spacing 1.05 width -8\n"
            "set style fill solid 1\nset boxwidth %g\n",
            0.9 * width);
    Choice choice = chooseAll();
    for (int s = 0; s < count; s++) {
        nameBlock(&figure, findStyle(solvers[s]).label);
        for (int t = 1; t <= 7; t++) {
            choice.solver = solvers[s];
            choice.test = t;
            Spread spread = findSpread(runs, &choice, quantity->offset);
            double x = t + (s - 0.5 * (count - 1)) * width;
            if (spread.measured > 0 && spread.mean >= DOT * quantity->bottom) {
                fprintf(figure.data, "%g %g %g %g\n", x, spread.mean, fmax(spread.least, quantity->bottom),
                        spread.most);
                top = fmax(top, 3 * spread.most);
            }
        }
        fputs("nan nan nan nan\n", figure.data);
        endBlock(&figure);
    }
    int dots = figure.block; // a block per solver: the dots and their values
    for (int s = 0; s < count; s++) {
        for (int t = 1; t <= 7; t++) {
            choice.solver = solvers[s];
            choice.test = t;
            Spread spread = findSpread(runs, &choice, quantity->offset);
            if (spread.measured > 0 && spread.mean < DOT * quantity->bottom) {
                fprintf(figure.data, "%g %g %s\n", t + (s - 0.5 * (count - 1)) * width,
                        DOT * quantity->bottom, showShort(spread.mean).text);
            }
        }
        fputs("nan nan -\n", figure.data);
        endBlock(&figure);
    }
    for (int s = 0; s < count; s++) { // marks of runs that diverged
        for (int t = 1; t <= 7; t++) {
            choice.solver = solvers[s];
            choice.test = t;
            if (findSpread(runs, &choice, quantity->offset).failed > 0) {
                fprintf(figure.data, "%g %g\n", t + (s - 0.5 * (count - 1)) * width, top);
            }
        }
    }
    fputs("nan nan\n", figure.data);
    int failures = endBlock(&figure);
    choice = chooseAll();
    for (int t = 1; t <= 7; t++) {
        choice.test = t;
        Spread floor = findSpread(runs, &choice, quantity->floorOffset);
        if (floor.measured > 0 && floor.most > quantity->bottom) {
            fprintf(figure.data, "%g %g 0.94 0\n", t - 0.47, floor.most);
        }
    }
    fputs("nan nan nan nan\n", figure.data);
    int floors = endBlock(&figure);
    fprintf(figure.script, "set yrange [%g:%g]\nplot ", quantity->bottom, 3 * top);
    for (int s = 0; s < count; s++) {
        Style style = findStyle(solvers[s]);
        fprintf(figure.script, "data index %d using 1:2 with boxes lc rgb \"%s\" ", s, style.colour);
        if (style.pattern > 0) {
            fprintf(figure.script, "fs pattern %d ", style.pattern);
        }
        fputs(BLOCK_TITLE ", \\\n     ", figure.script);
    }
    for (int s = 0; s < count; s++) {
        fprintf(figure.script,
                "data index %d using 1:3:(0):($4-$3) with vectors nohead lw 1.2 lc rgb \"#222222\" notitle, "
                "\\\n     ",
                s);
    }
    for (int s = 0; s < count; s++) {
        fprintf(
            figure.script,
            "data index %d using 1:2 with points pt 7 ps 0.75 lc rgb \"%s\" notitle, \\\n     "
            "data index %d using 1:2:3 with labels left rotate by 90 offset 0,0.45 font \",%g\" noenhanced "
            "notitle, \\\n     ",
            dots + s, findStyle(solvers[s]).colour, dots + s, 0.8 * figure.fontSize);
    }
    fprintf(
        figure.script,
        "data index %d using 1:2 with points pt 2 ps 0.7 lw 2 lc rgb \"#000000\" title \"diverged\", \\\n"
        "     data index %d using 1:2:3:4 with vectors nohead lw 2 dt 2 lc rgb \"#000000\" title \"floor\"\n",
        failures, floors);
    closeFigure(&figure, quantity->title);
}

// A row per solver, so that eleven of them fit the page.
static void tabulate(Page* page, const Runs* runs, const Quantity* quantity, const char* const* solvers,
                     int count, const char* caption)
{
    bool hasFloor = quantity->floorOffset != 0;
    Sheet sheet = {.columns = 8};
    addCell(page, &sheet, "solver");
    for (int t = 1; t <= 7; t++) {
        addCell(page, &sheet, "%s", findTestName(t));
    }
    if (hasFloor) {
        addCell(page, &sheet, "floor");
        for (int t = 1; t <= 7; t++) {
            Choice choice = chooseAll();
            choice.test = t;
            Spread floor = findSpread(runs, &choice, quantity->floorOffset);
            addCell(page, &sheet, "%s", showValue(floor.most).text);
        }
    }
    for (int s = 0; s < count; s++) {
        addCell(page, &sheet, "%s", findStyle(solvers[s]).label);
        for (int t = 1; t <= 7; t++) {
            Choice choice = chooseAll();
            choice.test = t;
            choice.solver = solvers[s];
            Spread spread = findSpread(runs, &choice, quantity->offset);
            bool plain =
                !hasFloor && spread.measured > 0 && spread.failed == 0; // tilts: the largest, in tenths
            if (plain) {
                addCell(page, &sheet, "%.1f", spread.most);
            } else {
                addCell(page, &sheet, "%s", showSpread(&spread).text);
            }
        }
    }
    closeSheet(page, &sheet, quantity->name, caption);
}

// The largest over tests first to last, and in which test.
static double findWorst(const Runs* runs, const char* solver, size_t offset, int first, int last, int* where)
{
    double worst = (double)NAN;
    for (int t = first; t <= last; t++) {
        Choice choice = chooseAll();
        choice.solver = solver;
        choice.test = t;
        Spread spread = findSpread(runs, &choice, offset);
        if (spread.measured > 0 && !(spread.most <= worst)) {
            worst = spread.most;
            *where = t;
        }
    }
    return worst;
}

// "5 of 7 tests (not 2, 5)": where the first solver's mean error is below the second's; a diverged run loses.
// False if no test has both.
static bool compareSolvers(const Runs* runs, const char* first, const char* second, size_t offset,
                           char text[80])
{
    int wins = 0, of = 0;
    char lost[40] = "";
    for (int t = 1; t <= 7; t++) {
        Choice a = chooseAll(), b = chooseAll();
        a.test = b.test = t;
        a.solver = first;
        b.solver = second;
        Spread x = findSpread(runs, &a, offset), y = findSpread(runs, &b, offset);
        if (x.measured + x.failed == 0 || y.measured + y.failed == 0) {
            continue;
        }
        bool below = x.failed == 0 && (y.failed > 0 || x.mean < y.mean);
        size_t length = strlen(lost);
        of++;
        wins += below;
        if (!below) {
            snprintf(lost + length, sizeof lost - length, "%s%d", length > 0 ? ", " : "", t);
        }
    }
    snprintf(text, 80, lost[0] != 0 ? "%d of %d tests (not %s)" : "%d of %d tests", wins, of, lost);
    return of > 0;
}

// "up to 9.5e-13 m (test 1) and 2.1e-8 deg (test 5)": the largest of any seed. False if there is no run.
static bool describeWorst(const Runs* runs, const char* solver, int first, int last, char text[160])
{
    int where = 0, whereRotation = 0;
    double position = findWorst(runs, solver, offsetof(Run, finalPosition), first, last, &where);
    double rotation = findWorst(runs, solver, offsetof(Run, finalRotation), first, last, &whereRotation);
    snprintf(text, 160, "up to %s m (test %d) and %s deg (test %d)", showValue(position).text, where,
             showValue(rotation).text, whereRotation);
    return isfinite(position) && isfinite(rotation);
}

// The mean final position error of a test [m].
static double findMean(const Runs* runs, const char* solver, int test)
{
    Choice choice = chooseAll();
    choice.solver = solver;
    choice.test = test;
    return findSpread(runs, &choice, offsetof(Run, finalPosition)).mean;
}

// PBD's box has gone another way than PBD-R's.
static bool hasDrifted(double pbd, double pbdr)
{
    return pbd > 2 * pbdr;
}

static void explainRod(Page* page, const Runs* runs)
{
    double pbd = findMean(runs, "pbd", 7), pbdr = findMean(runs, "pbd-r", 7);
    if (isfinite(pbd) && isfinite(pbdr) && !hasDrifted(pbd, pbdr)) {
        addHtml(
            page,
            "<p><strong>Not reproduced: PBD's Test 7.</strong> The paper's box drifts away from the rod "
            "after a "
            "few seconds with PBD alone. Here it ends where PBD-R's does, %s and %s m off. PBD's drift is "
            "rounding, which has no particular number: it grows with the way and the time, and this box "
            "moves by "
            "some decimetres in four seconds. The <a href=\"#budget\">error budget</a> says how much of the "
            "error is rounding.</p>\n",
            showValue(pbd).text, showValue(pbdr).text);
    }
}

static void summarizeTests(Page* page, const Runs* runs)
{
    char found[512], worst[160], others[160];
    if (describeWorst(runs, "xpbdr", 1, 6, worst)) {
        bool both = describeWorst(runs, "pbd-r", 1, 6, others);
        snprintf(found, sizeof found, "%s%s%s", worst, both ? "; PBD-R: " : "", both ? others : "");
        summarize(page, "Ours: XPBD-R's worst final error in tests 1 to 6", "not in the paper", found);
    }
    if (describeWorst(runs, "pbd", 4, 6, found)) {
        int where = 0;
        bool metres = isReproduced(findWorst(runs, "pbd", offsetof(Run, finalPosition), 4, 6, &where), 1e6);
        size_t length = strlen(found);
        snprintf(found + length, sizeof found - length, "%s", metres ? "" : "; not reproduced");
        summarize(page, "PBD's errors on the bunny (tests 4 to 6)", "up to 1e6 m and 3000 deg", found);
    }
    double pbd = findMean(runs, "pbd", 7), pbdr = findMean(runs, "pbd-r", 7);
    if (isfinite(pbd) && isfinite(pbdr)) {
        snprintf(found, sizeof found, "%s: PBD ends %s m off, PBD-R %s m",
                 hasDrifted(pbd, pbdr) ? "yes" : "not reproduced", showValue(pbd).text, showValue(pbdr).text);
        summarize(page, "Test 7: PBD's box drifts away from the rod",
                  "after a few seconds, unlike in the other solvers", found);
    }
    static const char* const rivals[2][2] = {{"pbd", "consistently"}, {"mujoco", "competitive"}};
    for (int k = 0; k < 2; k++) {
        char claim[128], position[80], rotation[80];
        bool both = compareSolvers(runs, "pbd-r", rivals[k][0], offsetof(Run, finalPosition), position) &&
                    compareSolvers(runs, "pbd-r", rivals[k][0], offsetof(Run, finalRotation), rotation);
        if (both) {
            snprintf(claim, sizeof claim, "PBD-R's final error is below that of %s",
                     findStyle(rivals[k][0]).label);
            snprintf(found, sizeof found, "position: %s; rotation: %s", position, rotation);
            summarize(page, claim, rivals[k][1], found);
        }
    }
    int ignored = 0;
    double tilt4 = findWorst(runs, "mujoco", offsetof(Run, maxTilt), 4, 4, &ignored);
    double tilt6 = findWorst(runs, "mujoco", offsetof(Run, maxTilt), 6, 6, &ignored);
    if (!isnan(tilt4) && !isnan(tilt6)) {
        snprintf(found, sizeof found, "largest tilt %.0f deg in test 4, %.0f deg in test 6", tilt4, tilt6);
        summarize(page, "MuJoCo's bunny tumbles", "in tests 4 and 6", found);
    }
}

// " In the table only: ODE, Bullet.": the solvers without a bar.
static void listUndrawn(const char* const* solvers, int count, const char* const* drawn, int drawnCount,
                        char* text, size_t room)
{
    size_t length = 0;
    text[0] = 0;
    for (int s = 0; s < count && length < room; s++) {
        bool bar = false;
        for (int d = 0; d < drawnCount; d++) {
            bar = bar || strcmp(solvers[s], drawn[d]) == 0;
        }
        if (!bar) {
            length += (size_t)snprintf(text + length, room - length, "%s%s",
                                       length == 0 ? " In the tables only, without a bar: " : "; ",
                                       findStyle(solvers[s]).label);
        }
    }
    if (length > 0 && length < room) {
        snprintf(text + length, room - length, ".");
    }
}

void addTestsPart(Page* page)
{
    beginPart(page, "tests", "The seven tests", "Remakes the paper's Fig. all_exp.");
    Runs runs;
    if (loadRuns(page, &runs, "tests", command)) {
        const char *solvers[MAX_SOLVERS], *drawn[MAX_SOLVERS];
        Choice all = chooseAll();
        int count = listSolvers(&runs, &all, solvers), drawnCount = 0;
        for (int s = 0; s < count; s++) {
            if (isDrawn(solvers[s], solvers, count)) {
                drawn[drawnCount++] = solvers[s];
            }
        }
        if (drawnCount == 0) {
            drawnCount = count;
            memcpy(drawn, solvers, sizeof drawn);
        }
        beginFigures(page, "dense");
        for (int k = 0; k < 2; k++) {
            drawBars(page, &runs, &quantities[k], drawn, drawnCount);
        }
        char undrawn[1024];
        listUndrawn(solvers, count, drawn, drawnCount, undrawn, sizeof undrawn);
        char xpbdr[400] = "", worst[160];
        if (describeWorst(&runs, "xpbdr", 1, 6, worst)) {
            snprintf(xpbdr, sizeof xpbdr,
                     " XPBD-R, ours, has exact masses and a second-order integrator, so that it goes below "
                     "the floor: %s in tests 1 to 6.",
                     worst);
        }
        int wherePbd = 0, wherePbdr = 0;
        double pbd = findWorst(&runs, "pbd", offsetof(Run, finalPosition), 1, 7, &wherePbd);
        double pbdr = findWorst(&runs, "pbd-r", offsetof(Run, finalPosition), 1, 7, &wherePbdr);
        endFigures(
            page, "Final errors",
            "Errors after 10 s. Bars: mean over seeds; whiskers: smallest and largest seed (the paper draws "
            "standard deviations, which leave a logarithmic axis). Dashed black: what semi-implicit Euler "
            "makes of perfect forces at this time step; Test 7 has no such closed form. The axes are cut at "
            "10<sup>-6</sup>: a smaller mean is drawn as a dot at the foot of the axis, with the value over "
            "it. PBD's worst position "
            "error is %s m (test %d), PBD-R's %s m (test %d).%s PBD and PBD-R run %s; the others in "
            "double.%s",
            showValue(pbd).text, wherePbd, showValue(pbdr).text, wherePbdr, xpbdr,
            strcmp(runs.runs[0].precision, "f32") == 0 ? "on particles in float, as in the paper"
                                                       : "in double",
            undrawn);
        tabulate(
            page, &runs, &quantities[0], solvers, count,
            "Final position error [m]: mean (smallest to largest seed). The paper prints no table of these.");
        tabulate(page, &runs, &quantities[1], solvers, count, "Final rotation error [deg].");
        tabulate(page, &runs, &tilt, solvers, count,
                 "Largest tilt of the body's up axis in any seed [deg]: whether it tumbles.");
        explainRod(page, &runs);
        summarizeTests(page, &runs);
    }
    csvFreeRecords(&runs.file);
    endPart(page, command);
}
