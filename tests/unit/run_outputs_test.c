// A run's ledger and snapshots, as the command line writes them: rules, rows, files, messages.
#include "scenes.h"

#include "command.h"
#include "run_ledger.h"
#include "run_snapshot.h"

#define LEDGER_NAME "run_outputs_ledger.csv"
#define SNAPSHOT_NAME "run_outputs.snap"
#define ERROR_NAME "run_outputs_stderr.txt"

// What a call has said on stderr.
static char said[4096];

static void listen(void)
{
    fflush(stderr);
    if (freopen(ERROR_NAME, "w", stderr) == NULL) {
        printf("FAILED: no %s\n", ERROR_NAME);
        exit(1);
    }
}

static const char* readFile(const char* path)
{
    fflush(stderr);
    FILE* file = fopen(path, "rb");
    size_t count = file != NULL ? fread(said, 1, sizeof said - 1, file) : 0;
    said[count] = 0;
    if (file != NULL) {
        fclose(file);
    }
    return said;
}

static pbdrWorld* makeSlidingBox(double timeStep, double friction)
{
    pbdrWorldDef def = pbdrDefaultWorldDef();
    def.solver = pbdr_solverXpbdR;
    def.timeStep = timeStep;
    pbdrWorld* world = makeWorld(def);
    addGround(world, friction);
    pbdrBodyId box = addCube(world, 3, 0.0, 0.0, friction);
    pbdrBody_SetVelocity(world, box, (pbdrVelocity){{1.0, 0.0, 0.0}, {0.0, 0.0, 0.0}});
    return world;
}

// --- Rules ---

static void rules__are_read(void)
{
    FailRules rules = {0};
    const char* message = NULL;
    CHECK(parseFailIf(&rules, "penetration>1e-3", &message));
    CHECK(parseFailIf(&rules, " kinetic_J <= .5 ,slip>=2,px<-1e1", &message));
    CHECK_EQ(rules.count, 4);
    CHECK(rules.rules[0].column == 11 && rules.rules[0].relation == failAbove &&
          rules.rules[0].bound == 1e-3);
    CHECK(rules.rules[1].column == 7 && rules.rules[1].relation == failUpTo && rules.rules[1].bound == 0.5);
    CHECK(rules.rules[2].column == 12 && rules.rules[2].relation == failFrom && rules.rules[2].bound == 2.0);
    CHECK(rules.rules[3].column == 1 && rules.rules[3].relation == failBelow &&
          rules.rules[3].bound == -10.0);
    CHECK(strcmp(rules.rules[1].text, "kinetic_J <= .5") == 0);
}

static void rules__that_are_none_are_refused(void)
{
    static const struct {
        const char *text, *part;
    } bad[] = {
        {"", "is no rule"},
        {"penetration", "'penetration' is no rule: NAME>NUMBER"},
        {">1", "is no rule"},
        {"penetration=1", "is no rule"},
        {"depth>1", "no column 'depth'; it has t, px, py, pz, lx, ly, lz, kinetic_J, potential_J, work_J, "
                    "friction_J, penetration_m, slip_m, contacts, newton_steps, residual"},
        {"penetration>", "'' is not a number"},
        {"penetration>one", "'one' is not a number"},
        {"penetration>nan", "'nan' is not a number"},
        {"penetration>1 m", "'1 m' is not a number"},
        {"penetration>>1", "'>1' is not a number"},
        {"penetration>=<1", "'<1' is not a number"},
        {"slip>1,", "is no rule"},
        {",slip>1", "is no rule"},
        {"penetration>0.000000000000000000000000000000000000000000000000000000000001", "at most 63"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        FailRules rules = {0};
        const char* message = NULL;
        CHECK(!parseFailIf(&rules, bad[k].text, &message));
        CHECK_TEXT(message != NULL ? message : "(nothing)", bad[k].part);
    }
    FailRules rules = {0};
    const char* message = NULL;
    for (int k = 0; k < 32; k++) {
        CHECK(parseFailIf(&rules, "t>9", &message));
    }
    CHECK(!parseFailIf(&rules, "t>9", &message));
    CHECK_TEXT(message, "more than 32 rules");
}

// --- The ledger's file ---

static void ledger__writes_a_row_per_frame(void)
{
    pbdrWorld* world = makeSlidingBox(1.0e-3, 0.4);
    RunLedger ledger;
    CHECK(openRunLedger(&ledger, world, LEDGER_NAME, NULL));
    CHECK(pbdrWorld_HasLedger(world));
    pbdrLedger row;
    for (int frame = 0; frame <= 3; frame++) {
        pbdrWorld_Step(world, frame > 0 ? 10 : 0);
        pbdrWorld_GetLedger(world, &row);
        CHECK_EQ(writeRunLedger(&ledger, world, frame), EXIT_OK);
    }
    CHECK(closeRunLedger(&ledger, true));
    const char* text = readFile(LEDGER_NAME);
    CHECK_TEXT(text,
               "t,px,py,pz,lx,ly,lz,kinetic_J,potential_J,work_J,friction_J,penetration_m,slip_m,contacts,"
               "newton_steps,residual\n0,");
    int lines = 0;
    const char* last = text;
    for (const char* c = text; *c != 0; c++) {
        lines += *c == '\n';
        last = *c == '\n' && c[1] != 0 ? c + 1 : last;
    }
    CHECK_EQ(lines, 5);
    // all digits: what is read back is what was written
    double values[PBDR_LEDGER_COLUMNS] = {0.0};
    for (int k = 0; k < PBDR_LEDGER_COLUMNS; k++) {
        char* end;
        values[k] = strtod(last, &end);
        last = end + 1;
        const double wanted = pbdrLedger_GetValue(&row, k);
        CHECK(values[k] == wanted || (isnan(values[k]) && isnan(wanted)));
    }
    CHECK_LE(values[10], -0.1);
    remove(LEDGER_NAME);
    pbdrDestroyWorld(world);
}

static void ledger__is_off_where_nobody_asks(void)
{
    pbdrWorld* world = makeSlidingBox(1.0e-3, 0.4);
    const FailRules none = {0};
    RunLedger ledger;
    CHECK(openRunLedger(&ledger, world, NULL, &none));
    CHECK(!pbdrWorld_HasLedger(world));
    CHECK_EQ(writeRunLedger(&ledger, world, 0), EXIT_OK);
    CHECK(closeRunLedger(&ledger, true));
    listen();
    CHECK(!openRunLedger(&ledger, world, "no/such/folder/a.csv", &none));
    CHECK_TEXT(readFile(ERROR_NAME), "no/such/folder/a.csv: cannot write");
    CHECK(closeRunLedger(&ledger, false));
    pbdrDestroyWorld(world);
}

// The box stops by friction, mu g = 3.924 m/s^2: K falls below 1 J (of 2 J) after (1 - sqrt(1/2))/3.924 s = 75 ms,
// in frame 8; then it is 2 (1 - 3.924 0.08)^2 = 0.941411 J.
static void rules__end_a_run(void)
{
    pbdrWorld* world = makeSlidingBox(1.0e-3, 0.4);
    FailRules rules = {0};
    const char* message = NULL;
    CHECK(parseFailIf(&rules, "penetration>1e-3,kinetic<1", &message));
    RunLedger ledger;
    CHECK(openRunLedger(&ledger, world, NULL, &rules));
    listen();
    int frame = 0, code = EXIT_OK;
    while (code == EXIT_OK && frame < 20) {
        pbdrWorld_Step(world, 10);
        code = writeRunLedger(&ledger, world, ++frame);
    }
    CHECK_EQ(code, EXIT_FAILED);
    CHECK_EQ(frame, 8);
    CHECK_TEXT(readFile(ERROR_NAME),
               "pbdr run: --fail-if 'kinetic<1': frame 8, t 0.08 s: kinetic_J is 0.941411");
    // what is not known cannot be vouched for: no rule on it passes in silence
    pbdrWorldDef def = makePbdRDef();
    pbdrWorld* other = makeWorld(def);
    rules.count = 0;
    CHECK(parseFailIf(&rules, "newton_steps>1e9", &message));
    CHECK(openRunLedger(&ledger, other, NULL, &rules));
    listen();
    CHECK_EQ(writeRunLedger(&ledger, other, 0), EXIT_FAILED);
    CHECK_TEXT(readFile(ERROR_NAME), "newton_steps is not known");
    pbdrDestroyWorld(world), pbdrDestroyWorld(other);
}

// --- Snapshots ---

static void run__resumes_where_it_was(void)
{
    pbdrWorld *a = makeSlidingBox(1.0e-3, 0.4), *b = makeSlidingBox(1.0e-3, 0.4);
    uint64_t key = 0, again = 1;
    CHECK(makeRunKey(a, &key) && makeRunKey(b, &again));
    CHECK(key == again);
    pbdrWorld_Step(a, 55);
    CHECK(saveRunSnapshot(a, key, SNAPSHOT_NAME));
    CHECK(resumeRun(b, key, SNAPSHOT_NAME));
    pbdrWorld_Step(a, 100), pbdrWorld_Step(b, 100);
    CHECK(haveSameState(a, b));
    pbdrDestroyWorld(a), pbdrDestroyWorld(b);
}

// Other options make another run: a snapshot of it is refused, and the message says of what.
static void run__of_other_options_is_refused(void)
{
    static const struct {
        double timeStep, friction;
        const char* part;
    } others[] = {
        {2.0e-3, 0.4, "its time step is 0.001 s, and this run's is 0.002 s (--dt)"},
        {1.0e-3, 0.3, "of another scene, or made with other options"},
    };
    for (int k = 0; k < 2; k++) {
        pbdrWorld* world = makeSlidingBox(others[k].timeStep, others[k].friction);
        uint64_t key = 0;
        CHECK(makeRunKey(world, &key));
        const uint64_t hash = pbdrWorld_GetHash(world);
        listen();
        CHECK(!resumeRun(world, key, SNAPSHOT_NAME)); // of the case before
        CHECK_TEXT(readFile(ERROR_NAME), "pbdr run: --resume " SNAPSHOT_NAME ": ");
        CHECK_TEXT(readFile(ERROR_NAME), others[k].part);
        CHECK(pbdrWorld_GetHash(world) == hash);
        listen();
        CHECK(!resumeRun(world, key, "no_such.snap"));
        CHECK_TEXT(readFile(ERROR_NAME), "--resume no_such.snap: ");
        CHECK(!saveRunSnapshot(world, key, "no/such/folder/a.snap"));
        CHECK_TEXT(readFile(ERROR_NAME), "no/such/folder/a.snap: cannot write");
        pbdrDestroyWorld(world);
    }
    remove(SNAPSHOT_NAME);
    remove(ERROR_NAME);
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"rules__are_read", rules__are_read},
          {"rules__that_are_none_are_refused", rules__that_are_none_are_refused},
          {"ledger__writes_a_row_per_frame", ledger__writes_a_row_per_frame},
          {"ledger__is_off_where_nobody_asks", ledger__is_off_where_nobody_asks},
          {"rules__end_a_run", rules__end_a_run}, {"run__resumes_where_it_was", run__resumes_where_it_was},
          {"run__of_other_options_is_refused", run__of_other_options_is_refused});
}
