// Options as a table: each names itself, where its value goes, what it may be, and its line of help.
#ifndef PBDR_CLI_OPTIONS_H
#define PBDR_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct Option {
    const char* name;     // without the dashes; "" for an argument
    char letter;          // of a short form such as -o; 0 for none
    const char* argument; // shown in the help, such as "N"; NULL for a switch
    const char* help;     // one line
    enum {
        optionInt,
        optionDouble,
        optionText,
        optionChoice,
        optionCustom,
        optionSwitch,  // takes no value
        optionArgument // stands without an option's name, once
    } kind;
    // int*, double*, const char**, int* (index into choices), anything, bool*, const char**
    void* value;
    double least, most;                      // of optionInt and optionDouble, bounds included
    bool aboveLeast;                         // least itself is refused
    const char* const* choices;              // of optionChoice, NULL-terminated
    const char* (*rename)(const char* word); // of optionChoice, or NULL: the choice that a word stands for
    // of optionCustom: false refuses the text; it then says why in message (NULL: "not understood")
    bool (*parse)(void* value, const char* text, const char** message);
} Option;

// Rows of such a table. ABOVE: the least value itself is refused.
#define OPTION_INT(n, a, h, v, lo, hi)                                                                       \
    {                                                                                                        \
        .name = n, .argument = a, .help = h, .kind = optionInt, .value = v, .least = lo, .most = hi          \
    }
#define OPTION_DOUBLE(n, a, h, v, lo, hi)                                                                    \
    {                                                                                                        \
        .name = n, .argument = a, .help = h, .kind = optionDouble, .value = v, .least = lo, .most = hi       \
    }
#define OPTION_ABOVE(n, a, h, v, lo, hi)                                                                     \
    {                                                                                                        \
        .name = n, .argument = a, .help = h, .kind = optionDouble, .value = v, .least = lo, .most = hi,      \
        .aboveLeast = true                                                                                   \
    }
#define OPTION_TEXT(n, a, h, v)                                                                              \
    {                                                                                                        \
        .name = n, .argument = a, .help = h, .kind = optionText, .value = v                                  \
    }
#define OPTION_CHOICE(n, a, h, v, c)                                                                         \
    {                                                                                                        \
        .name = n, .argument = a, .help = h, .kind = optionChoice, .value = v, .choices = c                  \
    }
// pbd, pbd-r or xpbdr, into a pbdrSolver (names.h)
#define OPTION_SOLVER(n, a, h, v)                                                                            \
    {                                                                                                        \
        .name = n, .argument = a, .help = h, .kind = optionChoice, .value = v, .choices = solverNames,       \
        .rename = takeSolverName                                                                             \
    }
#define OPTION_CUSTOM(n, a, h, v, p)                                                                         \
    {                                                                                                        \
        .name = n, .argument = a, .help = h, .kind = optionCustom, .value = v, .parse = p                    \
    }

#define OPTION_SWITCH(n, h, v)                                                                               \
    {                                                                                                        \
        .name = n, .help = h, .kind = optionSwitch, .value = v                                               \
    }

#define OPTION_ARGUMENT(a, h, v)                                                                             \
    {                                                                                                        \
        .name = "", .argument = a, .help = h, .kind = optionArgument, .value = v                             \
    }

typedef enum OptionResult { optionsOk, optionsHelp, optionsBad } OptionResult;

// Reads --name value and --name=value. On optionsBad the reason stands on stderr, naming option and value.
// --help and -h give optionsHelp. What is no option goes to the table's optionArgument, or is refused.
OptionResult parseOptions(const char* command, const Option* options, size_t count, int argc, char** argv);

// Lists the options with their help on stdout.
void printOptions(const Option* options, size_t count);

// Calls take for each part of a comma-separated list; false as soon as it refuses one, and for parts that are
// empty or of 96 characters and more.
bool splitList(const char* text, bool (*take)(void* list, const char* part), void* list);

#endif
