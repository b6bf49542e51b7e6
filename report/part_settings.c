// Every setting of the runs, as the results state them.
#include "parts.h"

#include <math.h>
#include <string.h>

static const char* const studies[] = {
    "tests",  "budget",  "sweep", "time", "trajectory", "resolution-contact", "resolution-inertia",
    "stills", "ablation"};
enum { STUDY_COUNT = sizeof studies / sizeof studies[0] };

// "4" or "3 to 10"; "-" if no run has it.
static void addRange(Page* page, Sheet* sheet, const Runs* runs, const Choice* choice, size_t offset)
{
    double values[MAX_VALUES];
    int count = listValues(runs, choice, offset, values);
    if (count < 2) {
        // peers have no spheres: their 0 says nothing
        bool none = count == 0 || (offset == offsetof(Run, particles) && values[0] == 0);
        addCell(page, sheet, none ? "-" : "%.7g", count == 0 ? 0.0 : values[0]);
    } else {
        addCell(page, sheet, "%.7g to %.7g (%d)", values[0], values[count - 1], count);
    }
}

static const size_t ranges[] = {offsetof(Run, n),         offsetof(Run, layers),   offsetof(Run, radius),
                                offsetof(Run, particles), offsetof(Run, mu),       offsetof(Run, force),
                                offsetof(Run, dt),        offsetof(Run, duration), offsetof(Run, iterations),
                                offsetof(Run, relaxation)};
enum { RANGE_COUNT = sizeof ranges / sizeof ranges[0] };

static void addRow(Page* page, Sheet* sheet, const Runs* runs, const char* study, const char* solver,
                   const Way* way)
{
    Choice choice = chooseAll();
    choice.solver = solver;
    choice = chooseWay(&choice, way);
    int lines = 0;
    for (size_t r = 0; r < runs->count; r++) {
        lines += isChosen(&runs->runs[r], &choice);
    }
    double seeds[MAX_VALUES];
    addCell(page, sheet, "%s", study);
    addCell(page, sheet, "%s", solver);
    addCell(page, sheet, "%s", way->engine);
    addCell(page, sheet, "%s", way->precision);
    addCell(page, sheet, "%s", way->masses[0] != 0 ? way->masses : "-");
    addCell(page, sheet, "%d", lines);
    addCell(page, sheet, "%d", listValues(runs, &choice, offsetof(Run, seed), seeds));
    for (int j = 0; j < RANGE_COUNT; j++) {
        addRange(page, sheet, runs, &choice, ranges[j]);
    }
}

static void tabulateStudies(Page* page)
{
    static const char* const headings[] = {"study",      "solver",    "engine", "precision", "masses",
                                           "runs",       "seeds",     "n",      "layers",    "radius [m]",
                                           "spheres",    "mu",        "F [N]",  "dt [s]",    "duration [s]",
                                           "iterations", "relaxation"};
    enum { HEADING_COUNT = sizeof headings / sizeof headings[0] };
    _Static_assert(HEADING_COUNT == 7 + RANGE_COUNT, "a heading for each cell of addRow");
    Sheet sheet = {.columns = HEADING_COUNT};
    for (int k = 0; k < HEADING_COUNT; k++) {
        addCell(page, &sheet, "%s", headings[k]);
    }
    for (int k = 0; k < STUDY_COUNT && !page->failed; k++) {
        char studyCommand[64];
        snprintf(studyCommand, sizeof studyCommand, "pbdr study %s", studies[k]);
        Runs runs;
        const char* solvers[MAX_SOLVERS];
        Choice choice = chooseAll();
        int count =
            loadRuns(page, &runs, studies[k], studyCommand) ? listSolvers(&runs, &choice, solvers) : 0;
        for (int s = 0; s < count; s++) {
            choice.solver = solvers[s];
            Way ways[MAX_VALUES];
            int wayCount = listWays(&runs, &choice, ways);
            for (int w = 0; w < wayCount; w++) {
                addRow(page, &sheet, &runs, studies[k], solvers[s], &ways[w]);
            }
        }
        csvFreeRecords(&runs.file);
    }
    closeSheet(
        page, &sheet, "settings",
        "The runs of each study: one value, or smallest to largest (how many). Engine: particle is the "
        "paper's, reduced computes the same motion per body; masses of the spheres: uniform as in the "
        "paper, or exact, so that mass, centre and inertia are the true body's.");
}

// The solvers' own words on friction mixing, inertia, contact and version, once each.
static void tabulateSolvers(Page* page)
{
    Runs runs;
    if (!loadRuns(page, &runs, "tests", "pbdr study tests")) {
        return;
    }
    const char* solvers[MAX_SOLVERS];
    Choice choice = chooseAll();
    int count = listSolvers(&runs, &choice, solvers);
    Sheet sheet = {.columns = 3};
    addCell(page, &sheet, "solver");
    addCell(page, &sheet, "tests");
    addCell(page, &sheet, "settings, as it states them");
    for (int s = 0; s < count; s++) {
        choice = chooseAll();
        choice.solver = solvers[s];
        for (size_t r = 0; r < runs.count; r++) {
            const Run* run = &runs.runs[r];
            const char* words = run->settings[0] != 0 ? run->settings : run->problem;
            bool tests[8] = {false}, known = !isChosen(run, &choice);
            for (size_t j = 0; j < runs.count && !known; j++) {
                const Run* other = &runs.runs[j];
                const char* otherWords = other->settings[0] != 0 ? other->settings : other->problem;
                if (isChosen(other, &choice) && strcmp(words, otherWords) == 0) {
                    known = j < r;
                    tests[other->test >= 1 && other->test <= 7 ? (int)other->test : 0] = true;
                }
            }
            if (known) {
                continue;
            }
            char list[32] = "";
            for (int t = 1; t <= 7; t++) {
                if (tests[t]) {
                    snprintf(list + strlen(list), sizeof list - strlen(list), "%s%d",
                             list[0] != 0 ? ", " : "", t);
                }
            }
            addCell(page, &sheet, "%s", findStyle(solvers[s]).label);
            addCell(page, &sheet, "%s", list);
            addCell(page, &sheet, "%s", words);
        }
    }
    closeSheet(page, &sheet, "solvers", "Settings and versions of the solvers in the seven tests.");
    csvFreeRecords(&runs.file);
}

void addSettingsPart(Page* page)
{
    beginPart(page, "settings", "Settings, versions",
              "Common to all: g = 9.81 m/s&sup2;; the box is a cube of 0.2 m and 4 kg; errors against the "
              "references of docs/benchmark.md.");
    addHtml(
        page,
        "<details>\n<summary>The settings of every run, and what the solvers say of themselves</summary>\n");
    tabulateStudies(page);
    tabulateSolvers(page);
    addHtml(page, "</details>\n");
    endPart(page, "pbdr study all");
}
