// Reading the command line by a table.
#include "options.h"

#include "number.h"
#include "text.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool refuse(const char* command, const Option* option, const char* text, const char* why)
{
    benchPrintMessage("pbdr %s: --%s %s: %s\n", command, option->name, text, why);
    return false;
}

static bool readNumber(const char* command, const Option* option, const char* text)
{
    double value;
    if (!pbdrParseNumber(text, &value) || !isfinite(value)) {
        return refuse(command, option, text, "not a number");
    }
    if (option->kind == optionInt && (value != floor(value) || fabs(value) > INT_MAX)) {
        return refuse(command, option, text, "not a whole number");
    }
    if (value < option->least || value > option->most || (option->aboveLeast && value <= option->least)) {
        char why[96];
        if (option->most >= INT_MAX) {
            snprintf(why, sizeof why, "must be %s %g", option->aboveLeast ? "above" : "at least",
                     option->least);
        } else {
            snprintf(why, sizeof why, "must be %s %g and at most %g",
                     option->aboveLeast ? "above" : "at least", option->least, option->most);
        }
        return refuse(command, option, text, why);
    }
    if (option->kind == optionInt) {
        *(int*)option->value = (int)value;
    } else {
        *(double*)option->value = value;
    }
    return true;
}

static bool readChoice(const char* command, const Option* option, const char* text)
{
    char why[256] = "must be one of:";
    const char* word = option->rename != NULL ? option->rename(text) : text;
    for (int k = 0; option->choices[k] != NULL; k++) {
        if (strcmp(option->choices[k], word) == 0) {
            *(int*)option->value = k;
            return true;
        }
        size_t used = strlen(why);
        snprintf(why + used, sizeof why - used, " %s", option->choices[k]);
    }
    return refuse(command, option, text, why);
}

static bool readValue(const char* command, const Option* option, const char* text)
{
    const char* message = "not understood";
    switch (option->kind) {
    case optionInt:
    case optionDouble:
        return readNumber(command, option, text);
    case optionChoice:
        return readChoice(command, option, text);
    case optionText:
        if (text[0] == 0) {
            return refuse(command, option, "''", "is empty");
        }
        *(const char**)option->value = text;
        return true;
    case optionCustom:
        return option->parse(option->value, text, &message) || refuse(command, option, text, message);
    case optionSwitch:
    case optionArgument:
        break; // take no value
    }
    return false;
}

// The option that "--name", "--name=value" or "-n" names; NULL if there is none.
static const Option* findOption(const Option* options, size_t count, const char* text)
{
    bool isLong = strncmp(text, "--", 2) == 0, isShort = text[1] != 0 && text[2] == 0;
    size_t length = isLong ? strcspn(text + 2, "=") : 0;
    for (size_t k = 0; k < count; k++) {
        const char* name = options[k].name;
        if ((length > 0 && strlen(name) == length && strncmp(name, text + 2, length) == 0) ||
            (isShort && !isLong && options[k].letter == text[1])) {
            return &options[k];
        }
    }
    return NULL;
}

// The option that takes what stands without a name, while it has nothing yet; NULL if there is none.
static const Option* findArgument(const Option* options, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        if (options[k].kind == optionArgument && *(const char**)options[k].value == NULL) {
            return &options[k];
        }
    }
    return NULL;
}

OptionResult parseOptions(const char* command, const Option* options, size_t count, int argc, char** argv)
{
    for (int i = 1; i < argc; i++) {
        const char* text = argv[i];
        if (strcmp(text, "--help") == 0 || strcmp(text, "-h") == 0) {
            return optionsHelp;
        }
        const Option* option =
            text[0] == '-' ? findOption(options, count, text) : findArgument(options, count);
        if (option == NULL) {
            benchPrintMessage("pbdr %s: %s '%s'; see pbdr %s --help\n", command,
                              text[0] == '-' ? "unknown option" : "unexpected argument", text, command);
            return optionsBad;
        }
        if (option->kind == optionArgument) {
            *(const char**)option->value = text;
            continue;
        }
        const char* equals = strchr(text, '=');
        if (option->kind == optionSwitch) {
            if (equals != NULL) {
                benchPrintMessage("pbdr %s: --%s takes no value\n", command, option->name);
                return optionsBad;
            }
            *(bool*)option->value = true;
            continue;
        }
        if (equals == NULL && i + 1 >= argc) {
            benchPrintMessage("pbdr %s: --%s needs a value (%s)\n", command, option->name, option->argument);
            return optionsBad;
        }
        if (!readValue(command, option, equals != NULL ? equals + 1 : argv[++i])) {
            return optionsBad;
        }
    }
    return optionsOk;
}

void printOptions(const Option* options, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        char left[64];
        const char* argument = options[k].argument != NULL ? options[k].argument : "";
        if (options[k].kind == optionArgument) {
            snprintf(left, sizeof left, "%s", argument);
        } else if (options[k].letter != 0) {
            snprintf(left, sizeof left, "-%c, --%s %s", options[k].letter, options[k].name, argument);
        } else {
            snprintf(left, sizeof left, "--%s %s", options[k].name, argument);
        }
        printf("  %-26s %s", left, options[k].help);
        if (options[k].kind == optionInt && options[k].most < INT_MAX) {
            printf(", at most %.0f", options[k].most);
        }
        putchar('\n');
    }
    printf("  %-26s %s\n", "--help", "this text");
}

bool splitList(const char* text, bool (*take)(void* list, const char* part), void* list)
{
    char part[96];
    while (true) {
        size_t length = strcspn(text, ",");
        if (length == 0 || length >= sizeof part) {
            return false;
        }
        memcpy(part, text, length);
        part[length] = 0;
        if (!take(list, part)) {
            return false;
        }
        if (text[length] == 0) {
            return true;
        }
        text += length + 1;
    }
}
