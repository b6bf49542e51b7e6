#include "run_ledger.h"

#include "command.h"

#include "csv.h"
#include "text.h"

#include <math.h>
#include <string.h>

// --- Rules ---

// Why the last text was refused; options print it at once.
static char problem[640];

static bool refuse(const char** message, const char* format, const char* what)
{
    snprintf(problem, sizeof problem, format, what);
    *message = problem;
    return false;
}

static bool refuseName(const char** message, const char* name)
{
    int length = snprintf(problem, sizeof problem, "the ledger has no column '%.40s'; it has", name);
    for (int k = 0; k < PBDR_LEDGER_COLUMNS && length > 0 && (size_t)length < sizeof problem; k++) {
        length += snprintf(problem + length, sizeof problem - (size_t)length, "%s %s", k > 0 ? "," : "",
                           pbdrGetLedgerColumn(k));
    }
    *message = problem;
    return false;
}

// Copies text without the blanks around it; false if it does not fit.
static bool copyTrimmed(char* to, size_t size, const char* from, size_t length)
{
    while (length > 0 && (from[0] == ' ' || from[0] == '\t')) {
        from++, length--;
    }
    while (length > 0 && (from[length - 1] == ' ' || from[length - 1] == '\t')) {
        length--;
    }
    if (length >= size) {
        return false;
    }
    memcpy(to, from, length);
    to[length] = 0;
    return true;
}

static bool parseRule(FailRule* rule, const char* text, size_t length, const char** message)
{
    char name[64], number[64];
    if (!copyTrimmed(rule->text, sizeof rule->text, text, length)) {
        return refuse(message, "a rule has at most %s characters", "63");
    }
    const size_t nameLength = strcspn(rule->text, "<>");
    const char* relation = rule->text + nameLength;
    if (relation[0] == 0 || nameLength == 0) {
        return refuse(message, "'%s' is no rule: NAME>NUMBER, or >= < <=", rule->text);
    }
    const bool orEqual = relation[1] == '=';
    rule->relation = relation[0] == '>' ? (orEqual ? failFrom : failAbove) : orEqual ? failUpTo : failBelow;
    const char* bound = relation + 1 + orEqual;
    copyTrimmed(name, sizeof name, rule->text, nameLength);
    copyTrimmed(number, sizeof number, bound, strlen(bound));
    rule->column = pbdrFindLedgerColumn(name);
    if (rule->column < 0) {
        return refuseName(message, name);
    }
    if (!csvParseNumber(number, &rule->bound) || isnan(rule->bound)) {
        return refuse(message, "'%s' is not a number to compare with", number);
    }
    return true;
}

bool parseFailIf(void* value, const char* text, const char** message)
{
    FailRules* rules = value;
    for (;;) {
        const size_t length = strcspn(text, ",");
        if (rules->count == (int)(sizeof rules->rules / sizeof rules->rules[0])) {
            return refuse(message, "more than %s rules", "32");
        }
        if (!parseRule(&rules->rules[rules->count], text, length, message)) {
            return false;
        }
        rules->count++;
        if (text[length] == 0) {
            return true;
        }
        text += length + 1;
    }
}

static bool isMet(const FailRule* rule, double value)
{
    switch (rule->relation) {
    case failAbove:
        return value > rule->bound;
    case failFrom:
        return value >= rule->bound;
    case failBelow:
        return value < rule->bound;
    case failUpTo:
        return value <= rule->bound;
    }
    return false;
}

// --- The file ---

bool openRunLedger(RunLedger* ledger, pbdrWorld* world, const char* path, const FailRules* rules)
{
    *ledger = (RunLedger){.rules = rules};
    if (path == NULL && (rules == NULL || rules->count == 0)) {
        return true;
    }
    if (path != NULL) {
        if (!openOutput(&ledger->output, path)) {
            ledger->output.file = NULL;
            return false;
        }
        for (int k = 0; k < PBDR_LEDGER_COLUMNS; k++) {
            fprintf(ledger->output.file, "%s%s", k > 0 ? "," : "", pbdrGetLedgerColumn(k));
        }
        fputc('\n', ledger->output.file);
    }
    pbdrWorld_SetLedger(world, true);
    return true;
}

int writeRunLedger(RunLedger* ledger, pbdrWorld* world, int frame)
{
    if (!pbdrWorld_HasLedger(world)) {
        return EXIT_OK;
    }
    pbdrLedger row;
    pbdrWorld_TakeLedger(world, &row);
    for (int k = 0; ledger->output.file != NULL && k < PBDR_LEDGER_COLUMNS; k++) {
        fprintf(ledger->output.file, k > 0 ? ",%.17g" : "%.17g", pbdrLedger_GetValue(&row, k));
    }
    if (ledger->output.file != NULL) {
        fputc('\n', ledger->output.file);
    }
    for (int k = 0; ledger->rules != NULL && k < ledger->rules->count; k++) {
        const FailRule* rule = &ledger->rules->rules[k];
        const char* column = pbdrGetLedgerColumn(rule->column);
        const double value = pbdrLedger_GetValue(&row, rule->column);
        if (isnan(value)) {
            benchPrintMessage(
                "pbdr run: --fail-if '%s': frame %d, t %.10g s: %s is not known (docs/ledger.md)\n",
                rule->text, frame, row.time, column);
            return EXIT_FAILED;
        }
        if (isMet(rule, value)) {
            benchPrintMessage("pbdr run: --fail-if '%s': frame %d, t %.10g s: %s is %.9g\n", rule->text,
                              frame, row.time, column, value);
            return EXIT_FAILED;
        }
    }
    return EXIT_OK;
}

bool closeRunLedger(RunLedger* ledger, bool keep)
{
    return ledger->output.file == NULL || closeOutput(&ledger->output, keep);
}
