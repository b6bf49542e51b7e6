// Table ablation: what each of PBD-R's two changes is worth, beside the paper's values.
#include "parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char command[] = "pbdr study ablation";

// The paper's Table tab:ablation: report/data/paper.csv.
static const struct Printed {
    const char *ablate, *quantity, *column, *value;
} printedValues[] = {
#include "paper_ablation_rows.h"
};
enum { PRINTED_COUNT = sizeof printedValues / sizeof printedValues[0] };

static const struct {
    const char *label, *ablate, *quantity, *metric;
} rows[] = {
    {"velocity update", "velocity", "position_error_m", "position [m]"},
    {"velocity update", "velocity", "velocity_error_mps", "velocity [m/s]"},
    {"linear momentum", "linear", "position_error_m", "position [m]"},
    {"linear momentum", "linear", "linear_momentum_error", "momentum [kg m/s]"},
    {"angular momentum", "angular", "rotation_error_deg", "rotation [deg]"},
    {"angular momentum", "angular", "angular_momentum_error", "ang. momentum [kg m²/s]"},
};
enum { ROW_COUNT = sizeof rows / sizeof rows[0], ANGULAR = 4 }; // ANGULAR: its rotation

static const AblationRow* findRow(const CsvRecords* file, const char* ablate, const char* quantity)
{
    const AblationRow* records = file->records;
    for (size_t k = 0; k < file->count; k++) {
        if (strcmp(records[k].solver, "pbd-r") == 0 && strcmp(records[k].ablate, ablate) == 0 &&
            strcmp(records[k].quantity, quantity) == 0) {
            return &records[k];
        }
    }
    return NULL;
}

// The printed value of row r at "t2", "final", in the "mean", or the "ratio" of the means; "-" if there is none.
static const char* findPrinted(int r, const char* column)
{
    for (int k = 0; k < PRINTED_COUNT; k++) {
        const struct Printed* p = &printedValues[k];
        if (strcmp(p->ablate, rows[r].ablate) == 0 && strcmp(p->quantity, rows[r].quantity) == 0 &&
            strcmp(p->column, column) == 0) {
            return p->value;
        }
    }
    return "-";
}

static bool isRowReproduced(const AblationRow* row, int r)
{
    return isReproduced(row->final, strtod(findPrinted(r, "final"), NULL)) &&
           isReproduced(row->mean, strtod(findPrinted(r, "mean"), NULL));
}

static void tabulate(Page* page, const CsvRecords* file)
{
    static const char* const headings[] = {
        "removed",           "error",      "2 s, here",   "2 s, paper",        "10 s, here",
        "10 s, paper",       "mean, here", "mean, paper", "times PBD-R, here", "times PBD-R, paper",
        "PBD-R whole, mean", "verdict"};
    enum { COLUMNS = sizeof headings / sizeof headings[0] };
    Sheet sheet = {.columns = COLUMNS};
    for (int k = 0; k < COLUMNS; k++) {
        addCell(page, &sheet, "%s", headings[k]);
    }
    double none = (double)NAN;
    static const char* const columns[4] = {"t2", "final", "mean", "ratio"};
    const AblationRow missing = {"", "", "", none, none, none, none, none};
    for (int r = 0; r < ROW_COUNT; r++) {
        const AblationRow* row = findRow(file, rows[r].ablate, rows[r].quantity);
        const AblationRow* whole = findRow(file, "none", rows[r].quantity);
        row = row != NULL ? row : &missing;
        const double values[4] = {row->t2, row->final, row->mean, row->ratio};
        addCell(page, &sheet, "%s", rows[r].label);
        addCell(page, &sheet, "%s", rows[r].metric);
        for (int k = 0; k < 4; k++) {
            addCell(page, &sheet, "%s", showValue(values[k]).text);
            addCell(page, &sheet, "%s", findPrinted(r, columns[k]));
        }
        addCell(page, &sheet, "%s", showValue(whole != NULL ? whole->mean : none).text);
        addCell(page, &sheet, "%s",
                row == &missing           ? "-"
                : isRowReproduced(row, r) ? "reproduced"
                                          : "not reproduced");
    }
    closeSheet(
        page, &sheet, "ablation",
        "Each row: the error with one component removed from PBD-R, mean over seeds, on Test 1 in float. The "
        "ratio is that of the mean errors. Reproduced: the error at 10 s and the mean are within a factor of "
        "two of the paper's.");
}

// Of the runs without the angular constraint, the rotation at 10 s.
static Spread findAngularSpread(const Runs* runs)
{
    double none = (double)NAN;
    Spread spread = {.least = none, .most = none};
    for (size_t k = 0; k < runs->count; k++) {
        const Run* run = &runs->runs[k];
        if (strcmp(run->ablate, "angular") == 0 && isMeasured(run)) {
            spread.measured++;
            spread.least = fmin(spread.least, run->finalRotation);
            spread.most = fmax(spread.most, run->finalRotation);
        }
    }
    return spread;
}

static void explainAngular(Page* page, const CsvRecords* file)
{
    int r = ANGULAR;
    const AblationRow* row = findRow(file, rows[r].ablate, rows[r].quantity);
    if (row == NULL || isRowReproduced(row, r)) {
        return;
    }
    addHtml(
        page,
        "<p><strong>Not reproduced: angular momentum.</strong> Without its constraint the box turns by %s "
        "deg "
        "at 10 s, mean over seeds; the paper prints %s deg. Pushed through its centre, the box has nothing "
        "to "
        "turn it but rounding. A symmetric, axis-aligned box hides even that; the seeds turn the scene, and "
        "what drift there is then has no particular number",
        showValue(row->final).text, findPrinted(r, "final"));
    Runs runs;
    if (loadRuns(page, &runs, "ablation", command)) {
        Spread spread = findAngularSpread(&runs);
        if (spread.measured > 1) {
            addHtml(page, ": %s to %s deg over %d seeds", showValue(spread.least).text,
                    showValue(spread.most).text, spread.measured);
        }
    }
    csvFreeRecords(&runs.file);
    addHtml(
        page,
        ". That it is larger than with the constraint, %s times in the mean, is what can be compared.</p>\n",
        showValue(row->ratio).text);
}

void addAblationPart(Page* page)
{
    beginPart(page, "ablation", "Ablation", "Remakes the paper's Table tab:ablation.");
    CsvRecords file;
    if (loadRecords(page, &file, "ablation_table", ablationColumns, ablationColumnCount, sizeof(AblationRow),
                    command)) {
        tabulate(page, &file);
        addHtml(
            page,
            "<p>These errors are rounding and shape matching at work: they depend on the seed and on the "
            "order of the sums. The paper says neither its seeds nor which of its two sphere counts (16 in "
            "its text, 64 later) the table used. <code>docs/paper.md</code> has the same rows, and the cube "
            "beside the layer.</p>\n");
        explainAngular(page, &file);
        for (int r = 0; r < ROW_COUNT; r += 2) {
            const AblationRow* row = findRow(&file, rows[r].ablate, rows[r].quantity);
            if (row != NULL) {
                char claim[128], printed[128], found[128];
                snprintf(claim, sizeof claim, "Without the %s%s: error at 10 s", rows[r].label,
                         r == 0 ? "" : " constraint");
                snprintf(printed, sizeof printed, "%s: %s, mean %s times PBD-R's", rows[r].metric,
                         findPrinted(r, "final"), findPrinted(r, "ratio"));
                snprintf(found, sizeof found, "%s: %s, mean %s times PBD-R's%s", rows[r].metric,
                         showValue(row->final).text, showValue(row->ratio).text,
                         isRowReproduced(row, r) ? "" : "; not reproduced");
                summarize(page, claim, printed, found);
            }
        }
    }
    csvFreeRecords(&file);
    endPart(page, command);
}
