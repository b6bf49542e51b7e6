// pbdr submit-check: whether the folder of a contributed engine has what the leaderboard needs, and what is missing.
//
// A folder has an adapter (adapter.py, adapter.mjs, Cargo.toml or CMakeLists.txt; none for what is built in), settings.json
// with every setting of the presets "default" and "tuned", and LICENCE.md. Then the adapter is asked to fall, stand and turn
// (engines/common/check.py), unless --files-only.
#define _POSIX_C_SOURCE 200809L
#include "command.h"
#include "options.h"

#include "json_reader.h"
#include "text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct Check {
    const char* folder;
    int missing;
} Check;

static void report(Check* check, const char* what, const char* why)
{
    check->missing++;
    printf("missing: %s: %s\n", what, why);
}

static bool joinPath(const Check* check, const char* name, char path[4096])
{
    return snprintf(path, 4096, "%s/%s", check->folder, name) < 4096;
}

static bool hasFile(const Check* check, const char* name)
{
    char path[4096];
    struct stat status;
    return joinPath(check, name, path) && stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
           status.st_size > 0;
}

// The whole file, to be freed. NULL: it cannot be read, or is larger than settings are.
static char* readText(const Check* check, const char* name, size_t* size)
{
    enum { LARGEST = 1 << 20 };
    char path[4096];
    FILE* file = joinPath(check, name, path) ? fopen(path, "rb") : NULL;
    char* text = file != NULL ? malloc(LARGEST) : NULL;
    if (text != NULL) {
        *size = fread(text, 1, LARGEST, file);
        if (ferror(file) || *size == LARGEST) {
            free(text);
            text = NULL;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return text;
}

static const JsonValue* findObject(const JsonValue* parent, const char* key)
{
    const JsonValue* value = parent != NULL ? jsonFind(parent, key) : NULL;
    return value != NULL && value->kind == jsonObject ? value : NULL;
}

// --- settings.json ---

static void checkTexts(Check* check, const JsonValue* root)
{
    static const struct {
        const char *key, *why;
    } texts[] = {
        {"engine", "its name on the command line"},
        {"title", "its name in the table"},
        {"licence", "the licence that it comes under"},
        {"home", "where it comes from"},
        {"precision", "f32 or f64"},
        {"method", "what kind of solver it is, in a line"},
    };
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        const JsonValue* value = jsonFind(root, texts[k].key);
        if (value == NULL || value->kind != jsonString || value->text[0] == 0) {
            char what[96];
            snprintf(what, sizeof what, "settings.json: \"%s\"", texts[k].key);
            report(check, what, texts[k].why);
        } else if (strcmp(texts[k].key, "precision") == 0 && strcmp(value->text, "f32") != 0 &&
                   strcmp(value->text, "f64") != 0) {
            char what[160];
            snprintf(what, sizeof what, "settings.json, line %d: \"precision\" is \"%.60s\"", value->line,
                     value->text);
            report(check, what, texts[k].why);
        }
    }
}

// Every preset names settings that default has: default is the list of them all.
static void checkPresets(Check* check, const JsonValue* root, bool builtIn)
{
    const JsonValue* presets = findObject(root, "presets");
    const JsonValue* usual = findObject(presets, "default");
    if (usual == NULL || usual->count == 0) {
        report(check, "settings.json: \"presets\": \"default\"", "every setting, as the engine comes");
        return;
    }
    if (findObject(presets, "tuned") == NULL && !builtIn) {
        report(check, "settings.json: \"presets\": \"tuned\"",
               "the best that you know; what is not named is as in default");
    }
    for (const JsonValue* preset = presets->first; preset != NULL; preset = preset->next) {
        const bool object = preset->kind == jsonObject;
        for (const JsonValue* value = object ? preset->first : NULL; value != NULL; value = value->next) {
            bool known = false;
            for (const JsonValue* own = usual->first; own != NULL && !known; own = own->next) {
                known = strcmp(own->key, value->key) == 0;
            }
            if (!known) {
                char what[192];
                snprintf(what, sizeof what, "settings.json, line %d: \"%.60s\" of \"%.60s\"", value->line,
                         value->key, preset->key);
                report(check, what, "the preset default does not name it");
            }
        }
    }
}

// Whether the engine is one of build/pbdr's own solvers.
static bool checkSettings(Check* check)
{
    size_t size = 0;
    char* text = readText(check, "settings.json", &size);
    JsonTree tree;
    pbdrError error;
    bool builtIn = false;
    if (text == NULL) {
        report(check, "settings.json", "every setting of the presets, published (engines/README.md)");
        return false;
    }
    if (jsonParse(text, size, NULL, &tree, &error) != pbdr_statusOk) {
        char what[64];
        snprintf(what, sizeof what, "settings.json, line %d", tree.line);
        report(check, what, error.message);
    } else {
        const JsonValue* mark = tree.root->kind == jsonObject ? jsonFind(tree.root, "builtin") : NULL;
        builtIn = mark != NULL && mark->kind == jsonTrue;
        if (tree.root->kind != jsonObject) {
            report(check, "settings.json", "an object");
        } else {
            checkTexts(check, tree.root);
            checkPresets(check, tree.root, builtIn);
            const JsonValue* geometry = findObject(tree.root, "geometry");
            if (jsonFind(geometry != NULL ? geometry : tree.root, "box") == NULL ||
                jsonFind(geometry != NULL ? geometry : tree.root, "mesh") == NULL) {
                report(check, "settings.json: \"geometry\"", "what touches of a \"box\" and of a \"mesh\"");
            }
        }
        jsonFreeTree(&tree);
    }
    free(text);
    return builtIn;
}

// --- The adapter ---

// Runs the checks against closed forms; false if they could not be run or failed.
static bool runAdapter(const Check* check)
{
    char script[4096];
    if (!joinPath(check, "../common/check.py", script) || access(script, R_OK) != 0) {
        printf("not run: %s is not there, so the adapter's motions were not checked\n", script);
        return true;
    }
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        execlp("python3", "python3", script, check->folder, (char*)NULL);
        _exit(127);
    }
    int status = 0;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int commandSubmitCheck(int argc, char** argv)
{
    const char* folder = NULL;
    bool filesOnly = false;
    const Option table[] = {
        OPTION_SWITCH("files-only", "look at the files, and do not run the adapter", &filesOnly),
        {.name = "",
         .argument = "DIR",
         .help = "folder of the engine",
         .kind = optionArgument,
         .value = &folder},
    };
    const size_t optionCount = sizeof table / sizeof table[0];
    switch (parseOptions("submit-check", table, optionCount, argc, argv)) {
    case optionsBad:
        return EXIT_USAGE;
    case optionsHelp:
        printf("usage: pbdr submit-check [--files-only] DIR\n\nSays what the folder of an engine for the "
               "leaderboard "
               "lacks (engines/README.md).\n\n");
        printOptions(table, optionCount);
        return EXIT_OK;
    case optionsOk:
        break;
    }
    if (folder == NULL) {
        benchPrintMessage("pbdr submit-check: wanted a folder, such as engines/drake\n");
        return EXIT_USAGE;
    }
    struct stat status;
    const bool there = stat(folder, &status) == 0;
    if (!there || !S_ISDIR(status.st_mode)) {
        benchPrintMessage("pbdr submit-check: %s: %s\n", folder, there ? "is not a folder" : strerror(errno));
        return EXIT_USAGE;
    }
    Check check = {.folder = folder};
    const bool builtIn = checkSettings(&check);
    if (!builtIn && !hasFile(&check, "adapter.py") && !hasFile(&check, "adapter.mjs") &&
        !hasFile(&check, "Cargo.toml") && !hasFile(&check, "CMakeLists.txt")) {
        report(&check, "adapter", "adapter.py, adapter.mjs, Cargo.toml or CMakeLists.txt (docs/protocol.md)");
    }
    if (!hasFile(&check, "LICENCE.md")) {
        report(&check, "LICENCE.md", "under which licences engine and adapter come");
    }
    if (check.missing > 0) {
        printf("%d missing in %s\n", check.missing, folder);
        return EXIT_FAILED;
    }
    if (!filesOnly && !builtIn && !runAdapter(&check)) {
        printf("the adapter in %s does not pass the checks\n", folder);
        return EXIT_FAILED;
    }
    printf("%s: nothing is missing\n", folder);
    return EXIT_OK;
}
