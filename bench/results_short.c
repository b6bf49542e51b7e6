// The seven tests in one table of seven columns, as text that is Markdown too: README.md holds it as it is printed.
//
// A cell is the mean of the error at the end over the seeds, in three digits. It is a word where rounding decides the
// digits: "tumbles" where a body tilts by more than 30 degrees in any seed, "chaotic" where the seeds'
// spread is more than half of their mean. Below the floor it is digits all the same: such errors are rounding, and small.
#include "results.h"

#include "result_names.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#define TUMBLED 30.0    // tilt of a body that has fallen over [deg]
#define CHAOTIC 0.5     // standard deviation of the seeds, as a share of their mean
#define SMALLEST 1.0e-6 // below it rounding shows: two digits [m or deg]
#define WIDTH 118       // of lines of text, as in the other pages
#define MAX_ROWS 16     // seven tests, three of them on two bases, and Test 7's other reference
#define COLUMN_COUNT 7
#define CELL 128 // longest text of a cell

enum { columnTest, columnPbd, columnPbdR, columnXpbdR, columnMujoco, columnBetter, columnFloor };

static const char* const solverNames[] = {"pbd",       "pbd-r",        "xpbdr", "mujoco",
                                          "ode:tuned", "bullet:tuned", NULL};
enum { solverMujoco = 3, solverOde, solverBullet };

const char* benchGetShortSolver(int index)
{
    const int count = (int)(sizeof solverNames / sizeof solverNames[0]) - 1;
    return index >= 0 && index < count ? solverNames[index] : NULL;
}

// --- Runs of a row ---

// What a row asks of all runs.
typedef struct Question {
    const BenchTest* test;
    bool raw;     // the raw mesh
    bool dynamic; // Test 7 against its dynamic reference
} Question;

static bool isTurning(const BenchTest* test)
{
    return test->torque > 0.0;
}

static bool isRaw(const BenchRun* run)
{
    return benchStandsOnRawMesh(run->test, run->solver.capabilities, &run->options);
}

static bool isAsked(const Question* question, const BenchRun* run)
{
    return run->test == question->test && isRaw(run) == question->raw;
}

static double getError(const Question* question, const BenchRun* run)
{
    return question->dynamic           ? run->errors.pushing[benchDynamicTilt].final.position
           : isTurning(question->test) ? run->errors.rotation.final
                                       : run->errors.position.final;
}

static double getFloor(const Question* question, const BenchRun* runs, int count)
{
    for (int k = 0; k < count; k++) {
        if (isAsked(question, &runs[k])) {
            return isTurning(question->test) ? runs[k].floorRotation : runs[k].floorPosition;
        }
    }
    return (double)NAN;
}

// --- Cells ---

typedef struct Cell {
    char text[40];
    double mean; // NaN where the text is no digits
    bool there;  // somebody ran
} Cell;

// Three digits, and a shorter exponent than C's: 0.0247, 1.86e-3, 3.1e-14.
static void showNumber(char* text, size_t size, double x)
{
    const double length = fabs(x);
    if (isnan(x) || x == 0.0) {
        snprintf(text, size, "%s", isnan(x) ? "-" : "0");
        return;
    }
    if (length >= 0.01 && length < 99999.5) {
        snprintf(text, size, length >= 999.5 ? "%.0f" : "%.3g", x);
        return;
    }
    snprintf(text, size, length < SMALLEST ? "%.1e" : "%.2e", x);
    char* exponent = strchr(text, 'e');
    int power = 0;
    if (exponent != NULL && sscanf(exponent + 1, "%d", &power) == 1) {
        snprintf(exponent + 1, size - (size_t)(exponent + 1 - text), "%d", power);
    }
}

static Cell judge(const Question* question, const char* solver, const BenchRun* runs, int count)
{
    Cell cell = {.text = "-", .mean = (double)NAN};
    int measured = 0, diverged = 0, failed = 0, tumbled = 0, flagged = 0;
    double sum = 0.0, squares = 0.0;
    for (int k = 0; k < count; k++) {
        const BenchRun* run = &runs[k];
        if (!isAsked(question, run) || strcmp(run->solver.label, solver) != 0) {
            continue;
        }
        cell.there = true;
        diverged += run->outcome == benchDiverged;
        failed += run->outcome == benchFailed;
        if (run->outcome == benchMeasured) {
            measured++;
            tumbled += run->errors.maxTilt > TUMBLED;
            flagged += run->flags != 0;
            sum += getError(question, run);
        }
    }
    const double mean = measured > 0 ? sum / measured : (double)NAN;
    for (int k = 0; k < count; k++) {
        if (isAsked(question, &runs[k]) && strcmp(runs[k].solver.label, solver) == 0 &&
            runs[k].outcome == benchMeasured) {
            const double off = getError(question, &runs[k]) - mean;
            squares += off * off;
        }
    }
    const double spread = measured > 1 ? sqrt(squares / (measured - 1)) : 0.0;
    const double floor = getFloor(question, runs, count);
    const bool overFloor = isnan(floor) || mean > floor;
    if (failed > 0 || diverged > 0) {
        snprintf(cell.text, sizeof cell.text, "%s", failed > 0 ? "failed" : "diverges");
    } else if (tumbled > 0) {
        snprintf(cell.text, sizeof cell.text, "tumbles");
    } else if (measured > 0 && overFloor && spread > CHAOTIC * fabs(mean)) {
        snprintf(cell.text, sizeof cell.text, "chaotic");
    } else if (measured > 0) {
        showNumber(cell.text, sizeof cell.text, mean);
        cell.mean = mean;
    }
    if (flagged > 0) {
        const size_t used = strlen(cell.text);
        snprintf(cell.text + used, sizeof cell.text - used, " !");
    }
    return cell;
}

// The better of two, with its name: the smaller error. A word is no error: it stands beside the other's digits.
static void showBetter(char* text, size_t size, const Cell* ode, const Cell* bullet)
{
    const bool takeOde = !bullet->there || (ode->there && !isnan(ode->mean) && !(bullet->mean < ode->mean));
    const Cell* taken = takeOde ? ode : bullet;
    const Cell* other = takeOde ? bullet : ode;
    const char* name = takeOde ? "ODE" : "Bullet";
    const char* otherName = takeOde ? "Bullet" : "ODE";
    if (!taken->there) {
        snprintf(text, size, "-");
    } else if (other->there && strcmp(ode->text, bullet->text) == 0) {
        snprintf(text, size, "%s (both)", ode->text);
    } else if (other->there && isnan(other->mean)) {
        snprintf(text, size, "%s (%s; %s %s)", taken->text, name, otherName, other->text);
    } else {
        snprintf(text, size, "%s (%s)", taken->text, name);
    }
}

// --- The table ---

typedef struct Table {
    int rowCount;
    char cells[MAX_ROWS][COLUMN_COUNT][CELL];
} Table;

static void addRow(Table* table, const Question* question, const BenchRun* runs, int count)
{
    const BenchRun* first = NULL;
    for (int k = 0; k < count && first == NULL; k++) {
        first = isAsked(question, &runs[k]) ? &runs[k] : NULL;
    }
    if (first == NULL || table->rowCount == MAX_ROWS) {
        return;
    }
    char(*cells)[CELL] = table->cells[table->rowCount++];
    Cell found[sizeof solverNames / sizeof solverNames[0]];
    for (int k = 0; benchGetShortSolver(k) != NULL; k++) {
        found[k] = judge(question, benchGetShortSolver(k), runs, count);
    }
    snprintf(cells[columnTest], sizeof cells[0], "%d%s%.60s [%s]", question->test->number,
             question->dynamic ? ", dynamic reference"
             : question->raw   ? ", raw mesh"
                               : " ",
             question->dynamic || question->raw ? "" : first->name, isTurning(question->test) ? "deg" : "m");
    for (int k = 0; k <= solverMujoco; k++) {
        snprintf(cells[columnPbd + k], sizeof cells[0], "%.39s", found[k].text);
    }
    showBetter(cells[columnBetter], sizeof cells[0], &found[solverOde], &found[solverBullet]);
    showNumber(cells[columnFloor], sizeof cells[0], getFloor(question, runs, count));
}

static void printTable(FILE* file, const Table* table)
{
    static const char* const heads[COLUMN_COUNT] = {
        "error at the end", "pbd", "pbd-r", "xpbdr", "mujoco", "better of ODE and Bullet", "floor"};
    int widths[COLUMN_COUNT];
    for (int c = 0; c < COLUMN_COUNT; c++) {
        widths[c] = (int)strlen(heads[c]);
        for (int r = 0; r < table->rowCount; r++) {
            const int length = (int)strlen(table->cells[r][c]);
            widths[c] = length > widths[c] ? length : widths[c];
        }
    }
    for (int r = -2; r < table->rowCount; r++) {
        for (int c = 0; c < COLUMN_COUNT; c++) {
            if (r == -1) {
                char dashes[128];
                memset(dashes, '-', sizeof dashes);
                fprintf(file, c == columnTest ? "|%.*s-" : "|%.*s:", widths[c] + 1, dashes);
            } else {
                const char* text = r < 0 ? heads[c] : table->cells[r][c];
                fprintf(file, "| %*s ", c == columnTest ? -widths[c] : widths[c], text);
            }
        }
        fprintf(file, "|\n");
    }
}

static bool holds(const Table* table, const char* word)
{
    for (int r = 0; r < table->rowCount; r++) {
        for (int c = columnPbd; c < columnFloor; c++) {
            if (strstr(table->cells[r][c], word) != NULL) {
                return true;
            }
        }
    }
    return false;
}

// --- Text below it ---

typedef struct Text {
    size_t length;
    char words[4096];
} Text;

static void
#ifdef __GNUC__
    __attribute__((format(printf, 2, 3)))
#endif
    say(Text* text, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int more =
        vsnprintf(text->words + text->length, sizeof text->words - text->length, format, arguments);
    va_end(arguments);
    const size_t left = sizeof text->words - 1 - text->length;
    text->length += more > 0 ? ((size_t)more < left ? (size_t)more : left) : 0;
}

static void printWrapped(FILE* file, const char* text)
{
    int column = 0;
    while (*text != 0) {
        const int length = (int)strcspn(text, " ");
        if (column > 0) {
            const bool fits = column + 1 + length <= WIDTH;
            fputc(fits ? ' ' : '\n', file);
            column = fits ? column + 1 : 0;
        }
        fprintf(file, "%.*s", length, text);
        column += length;
        text += length + (text[length] == ' ');
    }
    fputc('\n', file);
}

// The first run of a solver that touches a box, or a mesh; NULL.
static const BenchRun* findRun(const BenchRun* runs, int count, const char* solver, bool mesh)
{
    for (int k = 0; k < count; k++) {
        if (strcmp(runs[k].solver.label, solver) == 0 && benchUsesMesh(runs[k].test) == mesh) {
            return &runs[k];
        }
    }
    return NULL;
}

static const BenchRun* findAny(const BenchRun* runs, int count, const char* solver)
{
    const BenchRun* run = findRun(runs, count, solver, false);
    return run != NULL ? run : findRun(runs, count, solver, true);
}

static void sayOwn(Text* text, const BenchRun* runs, int count)
{
    const BenchRun* pbd = findAny(runs, count, "pbd");
    const BenchRun* xpbdr = findAny(runs, count, "xpbdr");
    if (pbd != NULL) {
        const BenchRun* box = findRun(runs, count, "pbd", false);
        const BenchRun* mesh = findRun(runs, count, "pbd", true);
        say(text, "pbd and pbd-r run in %s precision on %s, with %d iterations.",
            pbd->options.precision == benchF32 ? "single" : "double",
            pbd->options.engine == pbdr_engineParticle ? "particles" : "reduced coordinates",
            pbd->options.iterations);
        if (box != NULL) {
            say(text, " A box has %d spheres.", box->particleCount);
        }
        if (mesh != NULL) {
            say(text, " A bunny has %d.", mesh->particleCount);
        }
        say(text, " ");
    }
    if (xpbdr != NULL) {
        say(text, "xpbdr runs in %s precision, touches by its %s and has %s masses. ",
            xpbdr->options.precision == benchF32 ? "single" : "double", benchGetContactName(xpbdr),
            xpbdr->options.masses == benchMassesExact ? "exact" : "equal");
    }
}

static void sayPeers(Text* text, const BenchRun* runs, int count)
{
    const BenchRun* mujoco = findAny(runs, count, benchGetShortSolver(solverMujoco));
    const BenchRun* ode = findAny(runs, count, benchGetShortSolver(solverOde));
    const BenchRun* bullet = findAny(runs, count, benchGetShortSolver(solverBullet));
    if (mujoco != NULL) {
        say(text, "%s has the paper's settings. ", mujoco->solver.engine);
    }
    if (ode != NULL || bullet != NULL) {
        say(text, "%s%s%s %s tuned (docs/benchmark.md).", ode != NULL ? ode->solver.engine : "",
            ode != NULL && bullet != NULL ? " and " : "", bullet != NULL ? bullet->solver.engine : "",
            ode != NULL && bullet != NULL ? "are" : "is");
        if (ode != NULL && bullet != NULL) {
            say(text, " Their column has the smaller of the two errors and says whose it is.");
        }
    }
}

static void printSettings(FILE* file, const BenchRun* runs, int count)
{
    Text text = {.length = 0};
    say(&text, "How each was set: ");
    sayOwn(&text, runs, count);
    sayPeers(&text, runs, count);
    while (text.length > 0 && text.words[text.length - 1] == ' ') {
        text.words[--text.length] = 0;
    }
    printWrapped(file, text.words);
}

static void printReading(FILE* file, const Table* table, const BenchRun* runs, int count)
{
    int seeds = 0;
    for (int k = 0; k < count; k++) {
        seeds += runs[k].test == runs[0].test && strcmp(runs[k].solver.label, runs[0].solver.label) == 0 &&
                 isRaw(&runs[k]) == isRaw(&runs[0]);
    }
    Text text = {.length = 0};
    say(&text, "How to read it: each error is the mean of %d start%s. A run lasts %g s, in steps of %g ms.",
        seeds, seeds == 1 ? "" : "s", runs[0].duration, 1e3 * runs[0].options.timeStep);
    say(&text, " The floor is the error of semi-implicit Euler with perfect forces.");
    if (holds(table, "tumbles") || holds(table, "chaotic")) {
        say(&text, " A word stands where rounding decides the digits.");
    }
    if (holds(table, "tumbles")) {
        say(&text, " \"tumbles\": the body tilts by more than %g degrees in one of the starts.", TUMBLED);
    }
    if (holds(table, "chaotic")) {
        say(&text, " \"chaotic\": the spread of the starts is more than half of their mean.");
    }
    if (holds(table, "diverges")) {
        say(&text, " \"diverges\": a start leaves the test.");
    }
    if (holds(table, " !")) {
        say(&text, " \"!\": a solver raised a flag, which pbdr bench --all names.");
    }
    bool raw = false;
    for (int k = 0; k < count; k++) {
        raw = raw || isRaw(&runs[k]);
    }
    if (raw) {
        say(&text,
            " In tests 4 to 6 engines that touch by a surface get the mesh with its base made flat, and "
            "then the raw mesh. Spheres have no base.");
    }
    printWrapped(file, text.words);
}

void benchPrintShortTable(FILE* file, const BenchRun* runs, int count)
{
    if (count == 0) {
        return;
    }
    Table table = {.rowCount = 0};
    for (int number = BENCH_FIRST_TEST; number <= BENCH_LAST_TEST; number++) {
        const BenchTest* test = benchFindTest(number);
        addRow(&table, &(Question){.test = test}, runs, count);
        addRow(&table, &(Question){.test = test, .raw = true}, runs, count);
        if (test->rod) {
            addRow(&table, &(Question){.test = test, .dynamic = true}, runs, count);
        }
    }
    printTable(file, &table);
    fputc('\n', file);
    printSettings(file, runs, count);
    fputc('\n', file);
    printReading(file, &table, runs, count);
}
