// The short table: what a cell says of the runs of its row.
#include "results.h"

#include "check.h"

enum { SEEDS = 3 };

static char printed[8192];
static BenchRun runs[64];
static int count;

static void begin(void)
{
    count = 0;
}

// Three seeds of a solver in a test, with these final errors; [m], or [deg] in tests with a torque.
static BenchRun* add(int test, const char* solver, double first, double second, double third)
{
    const double errors[SEEDS] = {first, second, third};
    BenchRun* row = &runs[count];
    for (int k = 0; k < SEEDS; k++) {
        BenchRun* run = &runs[count++];
        *run = (BenchRun){.test = benchFindTest(test),
                          .options = benchDefaultOptions(),
                          .duration = 10.0,
                          .floorPosition = 1e-3,
                          .floorRotation = 0.1};
        snprintf(run->name, sizeof run->name, "%s", run->test->name);
        snprintf(run->solver.label, sizeof run->solver.label, "%s", solver);
        const bool peer = strncmp(solver, "pbd", 3) != 0 && strcmp(solver, "xpbdr") != 0;
        snprintf(run->solver.engine, sizeof run->solver.engine, "%s", peer ? solver : "");
        run->solver.capabilities =
            strncmp(solver, "pbd", 3) == 0 ? pbdr_benchUsesSpheres | pbdr_benchUsesSettings : 0;
        run->options.contact = pbdr_contactSurface;
        run->errors.position.final = run->errors.rotation.final = errors[k];
    }
    return row;
}

static const char* print(void)
{
    FILE* file = tmpfile();
    CHECK(file != NULL);
    benchPrintShortTable(file, runs, count);
    rewind(file);
    const size_t size = fread(printed, 1, sizeof printed - 1, file);
    printed[size] = 0;
    fclose(file);
    return printed;
}

// The text of a cell in the row that begins with a label; columns from 0, without the blanks around it.
static const char* getCell(const char* label, int column)
{
    static char cell[128];
    const char* row = print();
    while (row != NULL && (strncmp(row, "| ", 2) != 0 || strncmp(row + 2, label, strlen(label)) != 0)) {
        row = strchr(row, '\n');
        row = row != NULL ? row + 1 : NULL;
    }
    for (int k = 0; row != NULL && k <= column; k++) {
        row = strchr(row, '|') + 1;
    }
    cell[0] = 0;
    if (row != NULL) {
        row += strspn(row, " ");
        size_t length = strcspn(row, "|\n");
        while (length > 0 && row[length - 1] == ' ') {
            length--;
        }
        snprintf(cell, sizeof cell, "%.*s", (int)length, row);
    }
    return cell;
}

static bool says(const char* label, int column, const char* text)
{
    const char* cell = getCell(label, column);
    if (strcmp(cell, text) != 0) {
        printf("    row %s, column %d says '%s', wanted '%s'\n", label, column, cell, text);
    }
    return strcmp(cell, text) == 0;
}

// Whether the lines below the table hold these words, however they are wrapped.
static bool explains(const char* words)
{
    static char flat[sizeof printed];
    snprintf(flat, sizeof flat, "%s", print());
    for (char* c = flat; *c != 0; c++) {
        *c = *c == '\n' ? ' ' : *c;
    }
    return strstr(flat, words) != NULL;
}

enum { test, pbd, pbdR, xpbdR, mujoco, better, lowest };

static void number__is_the_mean_of_the_seeds_in_three_digits(void)
{
    const struct {
        double error;
        const char* text;
    } numbers[] = {{0.0247, "0.0247"},     {1.8649e-3, "1.86e-3"}, {3.14e-14, "3.1e-14"}, {557.4, "557"},
                   {16.3499, "16.3"},      {99999.4, "99999"},     {1.0e5, "1.00e5"},     {0.0, "0"},
                   {0.0099999, "1.00e-2"}, {1.0e-6, "1.00e-6"},    {9.9e-7, "9.9e-7"},    {1234.5, "1234"}};
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
        begin();
        add(1, "xpbdr", numbers[k].error, numbers[k].error, numbers[k].error);
        CHECK(says("1 pushed box", xpbdR, numbers[k].text));
    }
    begin();
    add(1, "pbd", 1.0, 2.0, 3.0);
    CHECK(says("1 pushed box", pbd, "2"));
    CHECK(says("1 pushed box", lowest, "1.00e-3"));
}

static void torque__is_measured_in_degrees(void)
{
    begin();
    BenchRun* row = add(2, "mujoco", 5.0, 5.0, 5.0);
    for (int k = 0; k < SEEDS; k++) {
        row[k].errors.position.final = 77.0;
    }
    CHECK(says("2 box with torque [deg]", mujoco, "5"));
    CHECK(says("2 box with torque [deg]", lowest, "0.1"));
}

static void tilt__over_30_degrees_in_any_seed_tumbles(void)
{
    begin();
    BenchRun* row = add(1, "mujoco", 2.0, 2.0, 2.0);
    row[1].errors.maxTilt = 30.0;
    CHECK(says("1 pushed box", mujoco, "2"));
    row[1].errors.maxTilt = 30.1;
    CHECK(says("1 pushed box", mujoco, "tumbles"));
    CHECK(explains("\"tumbles\": the body tilts by more than 30 degrees"));
}

// 1, 2, 3: the standard deviation is 1, half of the mean.
static void spread__over_half_of_the_mean_is_chaotic(void)
{
    begin();
    add(1, "mujoco", 1.0, 2.0, 3.0);
    CHECK(says("1 pushed box", mujoco, "2"));
    begin();
    add(1, "mujoco", 0.99, 2.0, 3.01);
    CHECK(says("1 pushed box", mujoco, "chaotic"));
    CHECK(explains("\"chaotic\": the spread of the starts is more than half of their mean"));
}

static void rounding__below_the_floor_is_no_chaos(void)
{
    begin();
    add(1, "xpbdr", 1e-14, 2e-14, 9e-14);
    CHECK(says("1 pushed box", xpbdR, "4.0e-14"));
    CHECK(strstr(printed, "chaotic") == NULL);
}

static void better__is_the_smaller_error_with_its_name(void)
{
    begin();
    add(1, "ode:tuned", 2.0, 2.0, 2.0);
    BenchRun* row = add(1, "bullet:tuned", 1.0, 1.0, 1.0);
    CHECK(says("1 pushed box", better, "1 (Bullet)"));
    for (int k = 0; k < SEEDS; k++) {
        row[k].errors.position.final = 3.0;
    }
    CHECK(says("1 pushed box", better, "2 (ODE)"));
    for (int k = 0; k < SEEDS; k++) {
        row[k].errors.position.final = 2.0001; // the same to what is printed
    }
    CHECK(says("1 pushed box", better, "2 (both)"));
}

static void better__says_the_word_of_the_other(void)
{
    begin();
    add(1, "ode:tuned", 5.0, 5.0, 5.0);
    BenchRun* row = add(1, "bullet:tuned", 1.0, 1.0, 9.0);
    CHECK(says("1 pushed box", better, "5 (ODE; Bullet chaotic)"));
    runs[0].errors.maxTilt = 90.0;
    CHECK(says("1 pushed box", better, "chaotic (Bullet; ODE tumbles)"));
    row[0].errors.maxTilt = 90.0;
    CHECK(says("1 pushed box", better, "tumbles (both)"));
}

static void better__of_one_is_that_one(void)
{
    begin();
    add(1, "bullet:tuned", 1.0, 1.0, 1.0);
    CHECK(says("1 pushed box", better, "1 (Bullet)"));
    begin();
    add(1, "ode:tuned", 1.0, 1.0, 1.0);
    CHECK(says("1 pushed box", better, "1 (ODE)"));
    begin();
    add(1, "pbd", 1.0, 1.0, 1.0);
    CHECK(says("1 pushed box", better, "-"));
}

static void raw_mesh__is_a_row_of_its_own_without_spheres(void)
{
    begin();
    BenchRun* spheres = add(4, "pbd", 1.0, 1.0, 1.0);
    for (int k = 0; k < SEEDS; k++) {
        spheres[k].options.contact = pbdr_contactSpheres;
    }
    add(4, "xpbdr", 2.0, 2.0, 2.0);
    BenchRun* raw = add(4, "xpbdr", 3.0, 3.0, 3.0);
    for (int k = 0; k < SEEDS; k++) {
        raw[k].options.base = benchBaseRaw;
    }
    CHECK(says("4 pushed bunny [m]", pbd, "1"));
    CHECK(says("4 pushed bunny [m]", xpbdR, "2"));
    CHECK(says("4, raw mesh [m]", pbd, "-"));
    CHECK(says("4, raw mesh [m]", xpbdR, "3"));
}

static void test_7__has_a_row_for_either_reference(void)
{
    begin();
    BenchRun* row = add(7, "xpbdr", 0.02, 0.02, 0.02);
    for (int k = 0; k < SEEDS; k++) {
        row[k].errors.pushing[benchDynamicTilt].final.position = 0.003;
        row[k].floorPosition = row[k].floorRotation = (double)NAN;
    }
    CHECK(says("7 rod pushing a box [m]", xpbdR, "0.02"));
    CHECK(says("7, dynamic reference [m]", xpbdR, "3.00e-3"));
    CHECK(says("7, dynamic reference [m]", lowest, "-"));
}

static void run__that_diverges_or_has_doubts_is_said(void)
{
    begin();
    BenchRun* row = add(1, "mujoco", 1.0, 1.0, 1.0);
    row[2].flags = pbdr_stepNotConverged;
    CHECK(says("1 pushed box", mujoco, "1 !"));
    CHECK(explains("\"!\": a solver raised a flag"));
    row[2].outcome = benchDiverged;
    CHECK(says("1 pushed box", mujoco, "diverges"));
    begin();
    row = add(1, "mujoco", 1.0, 1.0, 1.0);
    row[0].outcome = row[1].outcome = row[2].outcome = benchNotSupported;
    CHECK(says("1 pushed box", mujoco, "-"));
}

static void table__has_seven_columns_and_short_lines(void)
{
    begin();
    for (int k = 0; benchGetShortSolver(k) != NULL; k++) {
        add(1, benchGetShortSolver(k), 1.0, 1.0, 9.0);
    }
    const char* line = print();
    int rows = 0;
    while (*line != 0) {
        const size_t length = strcspn(line, "\n");
        CHECK(length <= 118);
        int bars = 0;
        for (size_t k = 0; k < length; k++) {
            bars += line[k] == '|';
        }
        CHECK(bars == 0 || bars == 8);
        rows += bars > 0;
        line += length + (line[length] == '\n');
    }
    CHECK(rows == 3);
}

int main(int argc, char** argv)
{
    CASES(argc, argv,
          {"number__is_the_mean_of_the_seeds_in_three_digits",
           number__is_the_mean_of_the_seeds_in_three_digits},
          {"torque__is_measured_in_degrees", torque__is_measured_in_degrees},
          {"tilt__over_30_degrees_in_any_seed_tumbles", tilt__over_30_degrees_in_any_seed_tumbles},
          {"spread__over_half_of_the_mean_is_chaotic", spread__over_half_of_the_mean_is_chaotic},
          {"rounding__below_the_floor_is_no_chaos", rounding__below_the_floor_is_no_chaos},
          {"better__is_the_smaller_error_with_its_name", better__is_the_smaller_error_with_its_name},
          {"better__says_the_word_of_the_other", better__says_the_word_of_the_other},
          {"better__of_one_is_that_one", better__of_one_is_that_one},
          {"raw_mesh__is_a_row_of_its_own_without_spheres", raw_mesh__is_a_row_of_its_own_without_spheres},
          {"test_7__has_a_row_for_either_reference", test_7__has_a_row_for_either_reference},
          {"run__that_diverges_or_has_doubts_is_said", run__that_diverges_or_has_doubts_is_said},
          {"table__has_seven_columns_and_short_lines", table__has_seven_columns_and_short_lines});
}
