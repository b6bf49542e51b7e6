// The extended suite, tests 8 and up: the figure that each is about, and what it costs.
#include "parts.h"

#include "tests/catalogue.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static const char command[] = "pbdr study extended";

// One line of extended.csv, as far as the tables need it.
typedef struct ExtendedRun {
    double test, exact, measured, position, microseconds;
    const char *solver, *outcome, *answer, *problem;
} ExtendedRun;

#define NUMBER(name, field)                                                                                  \
    {                                                                                                        \
        name, csvNumber, offsetof(ExtendedRun, field)                                                        \
    }
static const CsvColumn columns[] = {
    NUMBER("test", test),
    NUMBER("figure_exact", exact),
    NUMBER("figure_value", measured),
    NUMBER("final_position_error_m", position),
    NUMBER("us_per_substep", microseconds),
    {"solver", csvSolver, offsetof(ExtendedRun, solver)},
    {"outcome", csvWord, offsetof(ExtendedRun, outcome)},
    {"answer", csvWord, offsetof(ExtendedRun, answer)},
    {"problem", csvText, offsetof(ExtendedRun, problem)},
};
enum { COLUMN_COUNT = sizeof columns / sizeof columns[0] };

void checkExtendedFile(Page* page)
{
    checkRecords(page, "extended", columns, COLUMN_COUNT, sizeof(ExtendedRun));
}

// A value of a run; NaN where it has none.
typedef double (*Getter)(const ExtendedRun* run);

// How far the figure is off; the figure itself where nobody knows what it should be.
static double getOff(const ExtendedRun* run)
{
    return fabs(isfinite(run->exact) ? run->measured - run->exact : run->measured);
}
static double getPosition(const ExtendedRun* run)
{
    return run->position;
}
static double getMicroseconds(const ExtendedRun* run)
{
    return run->microseconds;
}

// Mean over the seeds, and how many of them gave the wrong answer.
static void addMean(Page* page, Sheet* sheet, const CsvRecords* file, int test, const char* solver,
                    Getter get, bool answers)
{
    const ExtendedRun* runs = file->records;
    int measured = 0, wrong = 0, refused = 0, others = 0;
    double sum = 0.0;
    for (size_t k = 0; k < file->count; k++) {
        const ExtendedRun* run = &runs[k];
        if ((int)run->test != test || strcmp(run->solver, solver) != 0) {
            continue;
        }
        if (strcmp(run->outcome, "measured") == 0) {
            measured++;
            sum += get(run);
            wrong += strcmp(run->answer, "wrong") == 0;
        } else {
            refused += strcmp(run->outcome, "not_supported") == 0;
            others++;
        }
    }
    const char* text = measured > 0 ? showValue(sum / measured).text : "-";
    if (measured == 0) {
        addCell(page, sheet, "%s", refused > 0 ? "not supported" : others > 0 ? "diverged" : "-");
    } else if (answers && wrong > 0) {
        addCell(page, sheet, "%s (wrong: %d of %d)", text, wrong, measured);
    } else {
        addCell(page, sheet, "%s", text);
    }
}

static int listExtendedSolvers(const CsvRecords* file, const char* names[MAX_SOLVERS])
{
    const ExtendedRun* runs = file->records;
    int count = 0;
    for (size_t k = 0; k < file->count && count < MAX_SOLVERS; k++) {
        bool known = false;
        for (int i = 0; i < count; i++) {
            known = known || strcmp(names[i], runs[k].solver) == 0;
        }
        if (!known) {
            names[count++] = runs[k].solver;
        }
    }
    return count;
}

static bool hasTest(const CsvRecords* file, int test)
{
    const ExtendedRun* runs = file->records;
    for (size_t k = 0; k < file->count; k++) {
        if ((int)runs[k].test == test) {
            return true;
        }
    }
    return false;
}

static double findExact(const CsvRecords* file, int test)
{
    const ExtendedRun* runs = file->records;
    for (size_t k = 0; k < file->count; k++) {
        if ((int)runs[k].test == test && isfinite(runs[k].exact)) {
            return runs[k].exact;
        }
    }
    return (double)NAN;
}

static void tabulate(Page* page, const CsvRecords* file, Getter get, const char* name, const char* caption)
{
    const char* solvers[MAX_SOLVERS];
    int count = listExtendedSolvers(file, solvers);
    bool figures = get == getOff;
    Sheet sheet = {.columns = (figures ? 3 : 1) + count};
    addCell(page, &sheet, "test");
    if (figures) {
        addCell(page, &sheet, "figure");
        addCell(page, &sheet, "exactly");
    }
    for (int s = 0; s < count; s++) {
        addCell(page, &sheet, "%s", findStyle(solvers[s]).label);
    }
    for (int number = BENCH_FIRST_EXTENDED; number <= BENCH_LAST_EXTENDED; number++) {
        const BenchTest* test = benchFindTest(number);
        if (!hasTest(file, number)) {
            continue;
        }
        addCell(page, &sheet, "%d %s", number, test->name);
        if (figures) {
            addCell(page, &sheet, "%s [%s]", test->extended->quantity, test->extended->unit);
            addCell(page, &sheet, "%s", showValue(findExact(file, number)).text);
        }
        for (int s = 0; s < count; s++) {
            addMean(page, &sheet, file, number, solvers[s], get, figures);
        }
    }
    closeSheet(page, &sheet, name, caption);
}

// Every reason once, with who gave it.
static void listReasons(Page* page, const CsvRecords* file)
{
    const ExtendedRun* runs = file->records;
    for (size_t k = 0; k < file->count; k++) {
        bool known = runs[k].problem[0] == 0;
        for (size_t i = 0; i < k && !known; i++) {
            known =
                strcmp(runs[i].problem, runs[k].problem) == 0 && strcmp(runs[i].solver, runs[k].solver) == 0;
        }
        if (!known) {
            addHtml(page, "<li>%s: %s</li>\n", findStyle(runs[k].solver).label, runs[k].problem);
        }
    }
}

void addExtendedPart(Page* page)
{
    beginPart(page, "extended", "The extended suite",
              "Not in the paper: tests 8 and up (docs/extended.md).");
    CsvRecords file;
    if (loadRecords(page, &file, "extended", columns, COLUMN_COUNT, sizeof(ExtendedRun), command)) {
        tabulate(
            page, &file, getOff, "extended",
            "How far the figure that a test is about is off at the end: mean over the seeds; wrong: so many "
            "of "
            "them moved or tipped where they must not, or did not where they must. An arch that falls has no "
            "closed form: its figure itself is shown.");
        tabulate(page, &file, getPosition, "extended_position",
                 "Final position error of the worst body [m].");
        tabulate(page, &file, getMicroseconds, "extended_time", "Processor time per substep [μs].");
        addHtml(page, "<p>What is not supported, and why:</p>\n<ul>\n");
        listReasons(page, &file);
        addHtml(page, "</ul>\n");
    }
    csvFreeRecords(&file);
    endPart(page, command);
}
