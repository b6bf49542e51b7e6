// A run's ledger: a row per frame as CSV, and rules that end a run.
//
//     FailRules rules = {0};                        OPTION_CUSTOM("fail-if", ..., &rules, parseFailIf)
//     openRunLedger(&ledger, world, path, &rules)   before the first substep
//     writeRunLedger(&ledger, world, frame)         at the end of each frame, before a snapshot is taken
//     closeRunLedger(&ledger, keep)
#ifndef PBDR_CLI_RUN_LEDGER_H
#define PBDR_CLI_RUN_LEDGER_H

#include "output.h"

#include "pbdr/pbdr.h"

// What must not be: a column of the ledger beyond a bound.
typedef struct FailRule {
    int column;
    enum { failAbove, failFrom, failBelow, failUpTo } relation; // > >= < <=
    double bound;
    char text[64]; // as given
} FailRule;

typedef struct FailRules {
    int count;
    FailRule rules[32];
} FailRules;

// The values of options --fail-if, one after the other: NAME>NUMBER, with >= < <= likewise, and commas between
// several. NAME is a column of the ledger, with its unit or without. For OPTION_CUSTOM; value is a FailRules*.
bool parseFailIf(void* value, const char* text, const char** message);

typedef struct RunLedger {
    const FailRules* rules; // NULL: none
    Output output;          // .file NULL: none
} RunLedger;

// Switches the world's ledger on if there is a file to write or a rule to check, and opens the file (path NULL:
// none). False: it cannot be written, and stderr says why.
bool openRunLedger(RunLedger* ledger, pbdrWorld* world, const char* path, const FailRules* rules);

// Takes a row, writes it and checks the rules. EXIT_OK, or EXIT_FAILED where a rule is met; stderr then names the
// rule, the frame and the value. A value that is not known (NaN) meets every rule: it cannot be vouched for.
int writeRunLedger(RunLedger* ledger, pbdrWorld* world, int frame);

// As closeOutput: moves the file to its name, or removes it.
bool closeRunLedger(RunLedger* ledger, bool keep);

#endif
