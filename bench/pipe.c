// An engine behind a pipe: one line of JSON per call, one per answer (docs/protocol.md).
#define _POSIX_C_SOURCE 200809L
#include "pipe.h"

#include "fail.h"
#include "isolate.h"
#include "json_reader.h"
#include "solvers/registry.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_SETTINGS 24

typedef struct Setting {
    char key[48], value[160];
} Setting;

// The engine of this process: plug-ins are loaded once, in a process of their own.
typedef struct Engine {
    FILE *to, *from;
    pid_t process;
    char* line; // of the last answer
    size_t lineSize;
    char name[64], version[64], presets[160];
    pbdrBenchSolver table;
    // The simulation
    int bodyCount;
    double motions[PBDR_BENCH_MAX_BODIES][13]; // position, rotation wxyz, velocity, angular velocity
    bool hasMomenta;
    double momenta[PBDR_BENCH_MAX_BODIES][6];
    int settingCount;
    Setting settings[MAX_SETTINGS];
    double seconds; // of processor time in its steps, as it says
    bool saidSeconds;
    char problem[PBDR_BENCH_MESSAGE];
} Engine;

static Engine engine;

bool benchIsPipe(const char* path)
{
    const size_t length = strlen(path);
    return strncmp(path, "pipe:", 5) == 0 || (length > 3 && strcmp(path + length - 3, ".py") == 0);
}

const char* benchGetPipeProblem(void)
{
    return engine.problem[0] != 0 ? engine.problem : NULL;
}

bool benchTakePipeSeconds(double* seconds)
{
    const bool said = engine.saidSeconds;
    *seconds = engine.seconds;
    engine.seconds = 0.0;
    engine.saidSeconds = false;
    return said;
}

// --- The process ---

static void runEngine(const char* path)
{
    if (strncmp(path, "pipe:", 5) == 0) {
        execl("/bin/sh", "sh", "-c", path + 5, (char*)NULL);
    } else {
        const char* named = getenv("PBDR_PYTHON");
        const char* python = named != NULL ? named : "python3"; // its own name tells a virtual environment
        execlp(python, python, "-m", "pbdr.bench.serve", path, (char*)NULL);
    }
    _exit(127);
}

static bool startEngine(const char* path, pbdrError* error)
{
    int to[2], from[2];
    signal(SIGPIPE, SIG_IGN); // an engine that is gone is told by its answer that does not come
    if (pipe(to) != 0 || pipe(from) != 0) {
        benchFail(error, pbdr_statusNotSupported, "%s: no pipe: %s", path, strerror(errno));
        return false;
    }
    engine.process = fork();
    if (engine.process == 0) {
        dup2(to[0], STDIN_FILENO);
        dup2(from[1], STDOUT_FILENO);
        close(to[0]), close(to[1]), close(from[0]), close(from[1]);
        signal(SIGPIPE, SIG_DFL);
        runEngine(path);
    }
    close(to[0]), close(from[1]);
    engine.to = fdopen(to[1], "w");
    engine.from = fdopen(from[0], "r");
    if (engine.process < 0 || engine.to == NULL || engine.from == NULL) {
        benchFail(error, pbdr_statusNotSupported, "%s: no process: %s", path, strerror(errno));
        return false;
    }
    return true;
}

// How the process ended, once its end of the pipe is closed.
static void describeEnd(char* text, size_t size)
{
    int status = 0;
    if (waitpid(engine.process, &status, 0) != engine.process) {
        snprintf(text, size, "the engine closed its pipe");
    } else if (WIFSIGNALED(status)) {
        snprintf(text, size, "the engine crashed (signal %d: %s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    } else if (WEXITSTATUS(status) == 127) {
        snprintf(text, size, "the engine could not be started: is Python there (PBDR_PYTHON)?");
    } else {
        snprintf(text, size, "the engine ended its process (exit code %d)", WEXITSTATUS(status));
    }
}

// --- Calls ---

// Reads an answer. False with the reason in engine.problem; the tree is the caller's to free otherwise.
static bool receive(JsonTree* tree)
{
    pbdrError error;
    fflush(engine.to);
    const ssize_t length = getline(&engine.line, &engine.lineSize, engine.from);
    if (length < 0) {
        describeEnd(engine.problem, sizeof engine.problem);
        return false;
    }
    if (jsonParse(engine.line, (size_t)length, NULL, tree, &error) != pbdr_statusOk) {
        snprintf(engine.problem, sizeof engine.problem, "its answer is no JSON: %.150s", error.message);
        return false;
    }
    const JsonValue* good = tree->root->kind == jsonObject ? jsonFind(tree->root, "ok") : NULL;
    if (good == NULL || good->kind != jsonTrue) {
        const JsonValue* why = good != NULL ? jsonFind(tree->root, "error") : NULL;
        snprintf(engine.problem, sizeof engine.problem, "%.240s",
                 why != NULL && why->kind == jsonString ? why->text : "its answer has no \"ok\"");
        benchCleanText(engine.problem, sizeof engine.problem);
        jsonFreeTree(tree);
        return false;
    }
    return true;
}

static void readText(const JsonValue* object, const char* key, char* text, size_t size)
{
    const JsonValue* value = jsonFind(object, key);
    snprintf(text, size, "%s", value != NULL && value->kind == jsonString ? value->text : "");
}

static bool isTrue(const JsonValue* object, const char* key)
{
    const JsonValue* value = jsonFind(object, key);
    return value != NULL && value->kind == jsonTrue;
}

// Rows of so many numbers, one per body; null is NaN, for JSON has none.
static bool readRows(const JsonValue* rows, int width, double* numbers)
{
    if (rows == NULL || rows->kind != jsonArray || rows->count != engine.bodyCount) {
        return false;
    }
    for (const JsonValue* row = rows->first; row != NULL; row = row->next) {
        if (row->kind != jsonArray || row->count != width) {
            return false;
        }
        for (const JsonValue* value = row->first; value != NULL; value = value->next) {
            if (value->kind != jsonNumberValue && value->kind != jsonNull) {
                return false;
            }
            *numbers++ = value->kind == jsonNull ? (double)NAN : value->number;
        }
    }
    return true;
}

static bool readMotions(const JsonValue* answer)
{
    engine.hasMomenta = readRows(jsonFind(answer, "momenta"), 6, &engine.momenta[0][0]);
    if (!readRows(jsonFind(answer, "bodies"), 13, &engine.motions[0][0])) {
        snprintf(engine.problem, sizeof engine.problem,
                 "its answer has no \"bodies\" with 13 numbers for each of %d", engine.bodyCount);
        return false;
    }
    return true;
}

static void readSettings(const JsonValue* settings)
{
    engine.settingCount = 0;
    for (const JsonValue* value = settings != NULL && settings->kind == jsonObject ? settings->first : NULL;
         value != NULL && engine.settingCount < MAX_SETTINGS; value = value->next) {
        if (value->kind == jsonString) {
            Setting* setting = &engine.settings[engine.settingCount++];
            snprintf(setting->key, sizeof setting->key, "%s", value->key);
            snprintf(setting->value, sizeof setting->value, "%s", value->text);
        }
    }
}

// --- The table ---

// JSON's only newlines are those that the writer indents with; on the pipe a message is a line.
static bool sendScene(const pbdrBenchScene* scene)
{
    char* text = NULL;
    size_t size = 0;
    FILE* memory = open_memstream(&text, &size);
    if (memory == NULL) {
        return false;
    }
    benchWritePipeScene(memory, scene);
    fclose(memory);
    for (size_t k = 0; k < size; k++) {
        text[k] = text[k] == '\n' ? ' ' : text[k];
    }
    fprintf(engine.to, "%s\n", text);
    free(text);
    return true;
}

static void* create(const pbdrBenchScene* scene, char message[PBDR_BENCH_MESSAGE])
{
    JsonTree answer;
    engine.bodyCount = scene->bodyCount;
    engine.problem[0] = 0;
    bool good = sendScene(scene) && receive(&answer);
    if (good) {
        readSettings(jsonFind(answer.root, "settings"));
        good = readMotions(answer.root);
        jsonFreeTree(&answer);
    }
    if (!good) {
        snprintf(message, PBDR_BENCH_MESSAGE, "%s", engine.problem);
        engine.problem[0] = 0;
        return NULL;
    }
    return &engine;
}

static uint32_t step(void* simulation, int count)
{
    (void)simulation;
    JsonTree answer;
    uint32_t flags = 0;
    fprintf(engine.to, "{\"call\": \"step\", \"count\": %d}\n", count);
    if (!receive(&answer)) {
        return 0;
    }
    const JsonValue *bits = jsonFind(answer.root, "flags"), *seconds = jsonFind(answer.root, "processor_s");
    if (bits != NULL && bits->kind == jsonNumberValue && bits->number >= 0.0 &&
        bits->number <= 4294967295.0) {
        flags = (uint32_t)bits->number;
    }
    if (seconds != NULL && seconds->kind == jsonNumberValue && seconds->number >= 0.0) {
        engine.seconds += seconds->number;
        engine.saidSeconds = true;
    }
    readMotions(answer.root);
    jsonFreeTree(&answer);
    return flags;
}

static void readMotion(void* simulation, int body, pbdrPose* pose, pbdrVelocity* velocity)
{
    (void)simulation;
    const double* m = engine.motions[body];
    *pose = (pbdrPose){{m[0], m[1], m[2]}, {m[3], m[4], m[5], m[6]}};
    *velocity = (pbdrVelocity){{m[7], m[8], m[9]}, {m[10], m[11], m[12]}};
}

// Without momenta of the engine's own: those of the true body, as for plug-ins without this function.
static void readMomentum(void* simulation, int body, pbdrMomentum* momentum)
{
    (void)simulation;
    const double* m = engine.momenta[body];
    *momentum = (pbdrMomentum){{m[0], m[1], m[2]}, {m[3], m[4], m[5]}};
}

static void destroy(void* simulation)
{
    (void)simulation;
    JsonTree answer;
    fprintf(engine.to, "{\"call\": \"destroy\"}\n");
    if (receive(&answer)) {
        jsonFreeTree(&answer);
    }
    fclose(engine.to);
    engine.problem[0] = 0; // it is over
}

static bool describe(void* simulation, int index, const char** key, const char** value)
{
    (void)simulation;
    if (index >= engine.settingCount) {
        return false;
    }
    *key = engine.settings[index].key;
    *value = engine.settings[index].value;
    return true;
}

// --- Who it is ---

static bool readHello(const JsonValue* answer)
{
    const JsonValue* protocol = jsonFind(answer, "protocol");
    const double number = protocol != NULL && protocol->kind == jsonNumberValue ? protocol->number : 0.0;
    if (number != BENCH_PIPE_PROTOCOL) {
        snprintf(engine.problem, sizeof engine.problem,
                 "it speaks version %g of the pipe protocol, this program version %d", number,
                 BENCH_PIPE_PROTOCOL);
        return false;
    }
    readText(answer, "name", engine.name, sizeof engine.name);
    readText(answer, "version", engine.version, sizeof engine.version);
    readText(answer, "presets", engine.presets, sizeof engine.presets);
    engine.table = (pbdrBenchSolver){
        .abi = PBDR_BENCH_ABI,
        .name = engine.name,
        .version = engine.version,
        .presets = engine.presets,
        .capabilities = (isTrue(answer, "uses_spheres") ? (uint32_t)pbdr_benchUsesSpheres : 0u) |
                        (isTrue(answer, "uses_settings") ? (uint32_t)pbdr_benchUsesSettings : 0u) |
                        (isTrue(answer, "uses_ablation") ? (uint32_t)pbdr_benchUsesAblation : 0u) |
                        (isTrue(answer, "uses_joints") ? (uint32_t)pbdr_benchUsesJoints : 0u),
        .create = create,
        .step = step,
        .read = readMotion,
        .destroy = destroy,
        .readMomentum = isTrue(answer, "gives_momenta") ? readMomentum : NULL,
        .describe = describe,
    };
    return true;
}

const pbdrBenchSolver* benchOpenPipe(const char* path, pbdrError* error)
{
    JsonTree answer;
    if (strncmp(path, "pipe:", 5) != 0 && access(path, R_OK) != 0) {
        benchFail(error, pbdr_statusFileNotFound, "%s: cannot be read: %s", path, strerror(errno));
        return NULL;
    }
    if (!startEngine(path, error)) {
        return NULL;
    }
    fprintf(engine.to, "{\"call\": \"hello\", \"protocol\": %d}\n", BENCH_PIPE_PROTOCOL);
    bool good = receive(&answer);
    if (good) {
        good = readHello(answer.root);
        jsonFreeTree(&answer);
    }
    if (!good) {
        const bool isPython =
            strncmp(path, "pipe:", 5) != 0 && strstr(engine.problem, "exit code 1)") != NULL;
        benchFail(error, pbdr_statusNotSupported, "%s: %s%s", path, engine.problem,
                  isPython ? "; PBDR_PYTHON names the Python that has the package pbdr" : "");
        return NULL;
    }
    return &engine.table;
}
