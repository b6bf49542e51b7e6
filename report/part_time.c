// Fig. computation_times: time per substep over the number of spheres.
#include "parts.h"

#include <math.h>
#include <string.h>

static const char command[] = "pbdr study time";

// The authors' code and mujoco_warp on an H200: report/data/h200.csv, which says where they come from.
static const struct Given {
    const char* solver;
    double spheres, microseconds;
} given[] = {
#include "h200_rows.h"
};
enum { GIVEN_COUNT = sizeof given / sizeof given[0] };

// NAN if there is none.
static double findGiven(const char* solver, double spheres)
{
    for (int k = 0; k < GIVEN_COUNT; k++) {
        if (strcmp(given[k].solver, solver) == 0 && given[k].spheres == spheres) {
            return given[k].microseconds;
        }
    }
    return (double)NAN;
}

// Of the authors' PBD-R, the one with the most spheres.
static struct Given findLargestGiven(void)
{
    struct Given largest = {"", 0, (double)NAN};
    for (int k = 0; k < GIVEN_COUNT; k++) {
        if (strcmp(given[k].solver, "pbd-r") == 0 && given[k].spheres > largest.spheres) {
            largest = given[k];
        }
    }
    return largest;
}

static void writeGiven(FILE* data, const char* solver)
{
    for (int k = 0; k < GIVEN_COUNT; k++) {
        if (strcmp(given[k].solver, solver) == 0) {
            fprintf(data, "%g %g\n", given[k].spheres, given[k].microseconds);
        }
    }
}

// A solver of spheres on one engine, in one precision, over the number of spheres.
typedef struct Line {
    Choice choice;
    char label[128]; // "PBD-R, reduced, f64"
    double particles[MAX_VALUES];
    int sizes;
} Line;
enum { MAX_LINES = 16 };

static bool isParticle(const Runs* runs, const char* solver)
{
    Choice choice = chooseAll();
    choice.solver = solver;
    return findSpread(runs, &choice, offsetof(Run, particles)).most > 0;
}

static Spread findTime(const Runs* runs, const Line* line, double particles)
{
    Choice choice = line->choice;
    choice.particles = particles;
    return findSpread(runs, &choice, offsetof(Run, microseconds));
}

static int listLines(const Runs* runs, const char* const* solvers, int count, Line lines[MAX_LINES])
{
    int found = 0;
    for (int s = 0; s < count; s++) {
        Choice choice = chooseAll();
        choice.solver = solvers[s];
        Way ways[MAX_VALUES];
        int wayCount = isParticle(runs, solvers[s]) ? listWays(runs, &choice, ways) : 0;
        for (int w = 0; w < wayCount && found < MAX_LINES; w++) {
            Line* line = &lines[found++];
            line->choice = chooseWay(&choice, &ways[w]);
            line->sizes = listValues(runs, &line->choice, offsetof(Run, particles), line->particles);
            const char* engine = strcmp(ways[w].engine, "particle") == 0  ? ", particles"
                                 : strcmp(ways[w].engine, "reduced") == 0 ? ", reduced"
                                                                          : ""; // XPBD-R has one
            snprintf(line->label, sizeof line->label, "%.80s%.24s, %.12s", findStyle(solvers[s]).label,
                     engine, ways[w].precision);
        }
    }
    return found;
}

// The first line of a solver on an engine (NULL: any); NULL if there is none.
static const Line* findLine(const Line* lines, int count, const char* solver, const char* engine)
{
    for (int k = 0; k < count; k++) {
        if (strcmp(lines[k].choice.solver, solver) == 0 &&
            (engine == NULL || strcmp(lines[k].choice.engine, engine) == 0)) {
            return &lines[k];
        }
    }
    return NULL;
}

static void drawTimes(Page* page, const Runs* runs, const char* const* solvers, int count, const Line* lines,
                      int lineCount)
{
    Figure figure;
    if (!openFigure(&figure, page, "time", 720, 640)) {
        return;
    }
    static const double LEAST = 40, MOST = 1.5e6; // of the axis
    fprintf(
        figure.script,
        "set logscale xy\nset format x \"10^{%%T}\"\nset format y \"10^{%%T}\"\nset xlabel \"spheres\"\n"
        "set ylabel \"time per substep [μs]\"\nset xrange [%g:%g]\nset yrange [0.3:2e5]\n"
        "set key outside top center vertical maxrows 5 reverse Left samplen 3 spacing 1.1 width -2\nplot ",
        LEAST, MOST);
    for (int k = 0; k < lineCount; k++) {
        const Line* line = &lines[k];
        Style style = findStyle(line->choice.solver);
        nameBlock(&figure, line->label);
        for (int j = 0; j < line->sizes; j++) {
            Spread spread = findTime(runs, line, line->particles[j]);
            fprintf(figure.data, "%g %g %g %g\n", line->particles[j], spread.mean, spread.least, spread.most);
        }
        // A solver's second line is hollow and dashed.
        bool second = findLine(lines, k, line->choice.solver, NULL) != NULL;
        fprintf(
            figure.script,
            "data index %d using 1:2:3:4 with yerrorlines lw 2 dt %d pt %d ps 0.8 lc rgb \"%s\" " BLOCK_TITLE
            ", \\\n     ",
            endBlock(&figure), second ? 2 : 1, second ? 6 : style.point, style.colour);
    }
    for (int s = 0; s < count; s++) {
        Style style = findStyle(solvers[s]);
        Choice choice = chooseAll();
        choice.solver = solvers[s];
        Spread spread = findSpread(runs, &choice, offsetof(Run, microseconds));
        if (!isParticle(runs, solvers[s]) && spread.measured > 0) {
            nameBlock(&figure, style.label);
            fprintf(figure.data, "%g %g\n%g %g\n", LEAST, spread.mean, MOST, spread.mean);
            fprintf(figure.script,
                    "data index %d with lines lw 2 dt %d lc rgb \"%s\" " BLOCK_TITLE ", \\\n     ",
                    endBlock(&figure), style.dash, style.colour);
        }
    }
    writeGiven(figure.data, "pbd-r");
    int block = endBlock(&figure);
    writeGiven(figure.data, "pbd");
    endBlock(&figure);
    fprintf(figure.script,
            "data index %d with linespoints lw 1.5 dt 2 pt 6 ps 1 lc rgb \"#666666\" title \"authors' PBD-R, "
            "H200\", \\\n"
            "     data index %d with points pt 4 ps 1 lw 1.5 lc rgb \"#666666\" title \"authors' PBD, "
            "H200\", \\\n"
            "     %g with lines lw 1.5 dt 3 lc rgb \"#666666\" title \"mujoco_warp, H200\"\n",
            block, block + 1, findGiven("mujoco_warp", 0));
    closeFigure(&figure, "time per substep over the number of spheres, both logarithmic");
}

// The lines over the number of spheres, beside the authors' times; ratios to MuJoCo's level.
static void tabulate(Page* page, const Runs* runs, const Line* lines, int lineCount, double mujoco)
{
    double sizes[MAX_VALUES];
    Choice all = chooseAll();
    int sizeCount = listValues(runs, &all, offsetof(Run, particles), sizes);
    const Line* shown[MAX_LINES];
    int shownCount = 0;
    for (int k = 0; k < lineCount; k++) {
        shown[shownCount] = &lines[k];
        shownCount += lines[k].sizes > 1;
    }
    Sheet sheet = {.columns = 2 + 3 * shownCount};
    addCell(page, &sheet, "spheres");
    for (int k = 0; k < shownCount; k++) {
        addCell(page, &sheet, "%s [μs]", shown[k]->label);
        addCell(page, &sheet, "ns per sphere");
        addCell(page, &sheet, "times MuJoCo here");
    }
    addCell(page, &sheet, "authors' PBD-R, H200 [μs]");
    for (int j = 0; j < sizeCount; j++) {
        if (sizes[j] == 0) {
            continue; // peers
        }
        addCell(page, &sheet, "%.0f", sizes[j]);
        for (int k = 0; k < shownCount; k++) {
            Spread spread = findTime(runs, shown[k], sizes[j]);
            addCell(page, &sheet, "%s", showSpread(&spread).text);
            addCell(page, &sheet, "%s", showValue(1e3 * spread.mean / sizes[j]).text);
            addCell(page, &sheet, "%s", showValue(spread.mean / mujoco).text);
        }
        addCell(page, &sheet, "%s", showValue(findGiven("pbd-r", sizes[j])).text);
    }
    closeSheet(page, &sheet, "time",
               "Processor time per substep on one core, over the whole run: mean (smallest to largest seed). "
               "The particle engine costs by "
               "spheres, the reduced one by spheres that may touch.");
}

// "up to 1000 spheres": the most at which a line stays below 2/3 of MuJoCo's level.
static void describeRace(const Runs* runs, const Line* line, double mujoco, char* text, size_t room)
{
    double last = 0;
    for (int k = 0; k < line->sizes; k++) {
        if (!(findTime(runs, line, line->particles[k]).mean < 2.0 / 3 * mujoco)) {
            break;
        }
        last = line->particles[k];
    }
    if (last > 0) {
        snprintf(text, room, "%s: up to %.0f spheres", line->label, last);
    } else {
        double first = findTime(runs, line, line->particles[0]).mean;
        snprintf(text, room, "%s: nowhere (%s times it at %.0f spheres)", line->label,
                 showValue(first / mujoco).text, line->particles[0]);
    }
}

static void summarizeTimes(Page* page, const Runs* runs, const Line* lines, int count, double mujoco)
{
    char found[512] = "";
    for (int k = 0; k < count && isfinite(mujoco); k++) {
        size_t length = strlen(found);
        if (lines[k].sizes > 1) {
            snprintf(found + length, sizeof found - length, "%s", length > 0 ? "; " : "");
            length = strlen(found);
            describeRace(runs, &lines[k], mujoco, found + length, sizeof found - length);
        }
    }
    if (found[0] != 0) {
        summarize(page, "PBD-R takes less than 2/3 of MuJoCo's time (here: MuJoCo on one CPU core)",
                  "up to about 1e4 spheres, against MuJoCo on a GPU", found);
    }
    const Line *ours = findLine(lines, count, "xpbdr", NULL),
               *particles = findLine(lines, count, "pbd-r", "particle");
    if (ours == NULL || ours->sizes == 0) {
        return;
    }
    double most = ours->particles[ours->sizes - 1], time = findTime(runs, ours, most).mean;
    int length = snprintf(found, sizeof found, "%s μs per substep on one core, %s ns per sphere",
                          showValue(time).text, showValue(1e3 * time / most).text);
    if (particles != NULL && particles->sizes > 0) {
        double last = particles->particles[particles->sizes - 1];
        snprintf(found + length, sizeof found - (size_t)length,
                 "; with %.0f spheres %s μs, against %s μs of PBD-R on particles", last,
                 showValue(findTime(runs, ours, last).mean).text,
                 showValue(findTime(runs, particles, last).mean).text);
    }
    char claim[128], printed[128];
    struct Given largest = findLargestGiven();
    snprintf(claim, sizeof claim, "Ours: XPBD-R's cost with %.0f spheres", most);
    snprintf(printed, sizeof printed, "not in the paper; its code on an H200, one scene: %.0f μs with %.0f",
             largest.microseconds, largest.spheres);
    summarize(page, claim, printed, found);
}

// " Slowest: PBD-R, reduced, f64, 685 μs with 1000000 spheres; ...": and how XPBD-R's time grows.
static void describeLines(const Runs* runs, const Line* lines, int count, char* text, size_t room)
{
    size_t length = 0;
    text[0] = 0;
    for (int k = 0; k < count && length < room; k++) {
        int last = lines[k].sizes - 1;
        if (last > 0) {
            length += (size_t)snprintf(
                text + length, room - length, "%s%s: %s μs with %.0f spheres", length > 0 ? "; " : " ",
                lines[k].label, showValue(findTime(runs, &lines[k], lines[k].particles[last]).mean).text,
                lines[k].particles[last]);
        }
    }
    if (length > 0 && length < room) {
        length += (size_t)snprintf(text + length, room - length, ".");
    }
    const Line* ours = findLine(lines, count, "xpbdr", NULL);
    if (ours != NULL && ours->sizes > 3 && length < room) {
        double many = ours->particles[ours->sizes - 1], fewer = ours->particles[ours->sizes - 4];
        double power =
            log(findTime(runs, ours, many).mean / findTime(runs, ours, fewer).mean) / log(many / fewer);
        snprintf(text + length, room - length,
                 " From %.0f spheres on XPBD-R's time grows as their power %.2f; the base of a cube has the "
                 "power 2/3 of them.",
                 fewer, power);
    }
}

void addTimePart(Page* page)
{
    beginPart(page, "time", "Computation time",
              "Remakes the paper's Fig. computation_times, over the whole of Test 1 for all solvers.");
    Runs runs;
    if (loadRuns(page, &runs, "time", command)) {
        const char* solvers[MAX_SOLVERS];
        Choice choice = chooseAll();
        int count = listSolvers(&runs, &choice, solvers);
        static Line lines[MAX_LINES];
        int lineCount = listLines(&runs, solvers, count, lines);
        beginFigures(page, "one");
        drawTimes(page, &runs, solvers, count, lines, lineCount);
        char levels[512] = "";
        for (int s = 0; s < count; s++) {
            choice.solver = solvers[s];
            Spread spread = findSpread(&runs, &choice, offsetof(Run, microseconds));
            if (!isParticle(&runs, solvers[s]) && spread.measured > 0) {
                size_t length = strlen(levels);
                snprintf(levels + length, sizeof levels - length, "%s%s %s μs", length > 0 ? "; " : ": ",
                         findStyle(solvers[s]).label, showValue(spread.mean).text);
            }
        }
        char words[1024];
        describeLines(&runs, lines, lineCount, words, sizeof words);
        endFigures(
            page, "Time per substep of 1 ms",
            "Processor time of the solver's steps on one core, over the whole run of Test 1, set-up left "
            "out, the "
            "same for all solvers; mean over seeds with the smallest and largest.%s Peers have no spheres: "
            "the level of "
            "their step "
            "alone is drawn through%s. Grey: the authors' code and mujoco_warp as CUDA graphs on one NVIDIA "
            "H200, one scene, latency bound: figures given to us (report/data/h200.csv), not of this study, "
            "and "
            "no measure of what that device does with many scenes at once. The paper's own figure is from an "
            "RTX 3060 and prints no numbers.",
            words, levels);
        choice.solver = "mujoco";
        double mujoco = findSpread(&runs, &choice, offsetof(Run, microseconds)).mean;
        tabulate(page, &runs, lines, lineCount, mujoco);
        summarizeTimes(page, &runs, lines, lineCount, mujoco);
    }
    csvFreeRecords(&runs.file);
    endPart(page, command);
}
