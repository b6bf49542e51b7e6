// The log of finished jobs, and the lock on its folder.
//
// A line is written by one write() to a file opened for appending, so a kill leaves whole lines and at worst
// the beginning of a last one, which is cut off when the study goes on. The lock is fcntl's: it belongs to
// the process, not to its children, and the system takes it back whichever way the process ends.
#define _POSIX_C_SOURCE 200809L
#include "studies/study.h"

#include "fail.h"
#include "old_names.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// The first line; a file that does not begin with it is not ours to append to or to cut.
#define HEADER "pbdr-study-log 1\n"
#define HEADER_LENGTH (sizeof HEADER - 1)

static pbdrStatus fail(pbdrError* error, const char* path, const char* what)
{
    return benchFail(error, pbdr_statusFileNotFound, "%s: %s: %s", path, what, strerror(errno));
}

// --- Lock ---

int studyLockFolder(const char* folder, const char* part, pbdrError* error)
{
    char path[4096];
    snprintf(path, sizeof path, "%.3900s/study%s%s.lock", folder, part[0] != 0 ? "." : "", part);
    int file = open(path, O_RDWR | O_CREAT, 0666);
    if (file < 0) {
        fail(error, path, "cannot write");
        return -1;
    }
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(file, F_SETLK, &lock) == 0) {
        return file;
    }
    if (errno == EACCES || errno == EAGAIN) {
        struct flock other = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
        long owner = fcntl(file, F_GETLK, &other) == 0 && other.l_type != F_UNLCK ? (long)other.l_pid : 0;
        benchFail(
            error, pbdr_statusFileNotFound,
            "%s: another study is at work in this folder (process %ld); wait for it or give another --out",
            folder, owner);
    } else {
        fail(error, path, "cannot lock");
    }
    close(file);
    return -1;
}

// --- Reading ---

// The file's bytes and a 0, to be freed.
static char* readAll(int file, size_t* size)
{
    struct stat info;
    if (fstat(file, &info) != 0) {
        return NULL;
    }
    size_t length = (size_t)info.st_size;
    char* bytes = malloc(length + 1);
    *size = 0;
    while (bytes != NULL && *size < length) {
        ssize_t count = pread(file, bytes + *size, length - *size, (off_t)*size);
        if (count > 0) {
            *size += (size_t)count;
        } else if (count == 0) {
            break;
        } else if (errno != EINTR) {
            free(bytes);
            return NULL;
        }
    }
    if (bytes != NULL) {
        bytes[*size] = 0;
    }
    return bytes;
}

typedef struct KeyEntry {
    const char* key;
    int job;
} KeyEntry;

static int compareKeys(const void* a, const void* b)
{
    return strcmp(((const KeyEntry*)a)->key, ((const KeyEntry*)b)->key);
}

// The value of a setting in a key ("solver=pbd seed=1"), to be cut off, into value; where the value begins, or NULL.
static const char* findSetting(const char* key, const char* setting, char* value, size_t size)
{
    const char* found = strstr(key, setting);
    if (found != NULL) {
        found += strlen(setting);
        snprintf(value, size, "%.*s", (int)strcspn(found, " "), found);
    }
    return found;
}

// A key as it is written now: rows of before a name was changed count as before.
static void renameKey(const char* key, char* text, size_t size)
{
    char solver[96], engine[96];
    const char* atSolver = findSetting(key, " solver=", solver, sizeof solver);
    const char* atEngine = atSolver != NULL ? findSetting(atSolver, " engine=", engine, sizeof engine) : NULL;
    if (atEngine == NULL) {
        snprintf(text, size, "%s", key);
        return;
    }
    const char* afterSolver = atSolver + strlen(solver);
    snprintf(text, size, "%.*s%s%.*s%s%s", (int)(atSolver - key), key, benchRenameSolver(solver),
             (int)(atEngine - afterSolver), afterSolver, benchRenameEngine(solver, engine),
             atEngine + strlen(engine));
}

// Takes in one line, without its end. Lines of other keys and damaged ones count for nothing.
static bool takeLine(char* line, const KeyEntry* keys, int count, char** results)
{
    char* tab = strchr(line, '\t');
    if (tab == NULL || !studyIsResult(tab + 1)) {
        return true;
    }
    *tab = 0;
    char key[sizeof((StudyJob*)NULL)->key];
    renameKey(line, key, sizeof key);
    KeyEntry wanted = {key, 0};
    const KeyEntry* found = bsearch(&wanted, keys, (size_t)count, sizeof *keys, compareKeys);
    if (found == NULL || results[found->job] != NULL) {
        return true;
    }
    results[found->job] = strdup(tab + 1);
    return results[found->job] != NULL;
}

static pbdrStatus takeLines(char* bytes, size_t size, const StudyPlan* plan, char** results, pbdrError* error)
{
    KeyEntry* keys = calloc((size_t)plan->jobCount + 1, sizeof *keys);
    bool good = keys != NULL;
    for (int k = 0; good && k < plan->jobCount; k++) {
        keys[k] = (KeyEntry){plan->jobs[k].key, k};
    }
    if (good) {
        qsort(keys, (size_t)plan->jobCount, sizeof *keys, compareKeys);
    }
    for (char *line = bytes, *end = bytes + size; good && line < end;) {
        char* lineEnd = memchr(line, '\n', (size_t)(end - line));
        *lineEnd = 0;
        good = takeLine(line, keys, plan->jobCount, results);
        line = lineEnd + 1;
    }
    free(keys);
    return good ? pbdr_statusOk : benchFail(error, pbdr_statusNoMemory, "out of memory for the log");
}

// Length of the whole lines.
static size_t getWholeLength(const char* bytes, size_t size)
{
    while (size > 0 && bytes[size - 1] != '\n') {
        size--;
    }
    return size;
}

static pbdrStatus load(StudyLog* log, char* bytes, size_t size, const StudyPlan* plan, char** results,
                       pbdrError* error)
{
    size_t compared = size < HEADER_LENGTH ? size : HEADER_LENGTH;
    if (memcmp(bytes, HEADER, compared) != 0) {
        return benchFail(error, pbdr_statusFileFormat,
                         "%s: is not a study's log; move it away or give another --out", log->path);
    }
    size_t whole = getWholeLength(bytes, size);
    if (whole < size && ftruncate(log->file, (off_t)whole) != 0) {
        return fail(error, log->path, "cannot cut off an unfinished line");
    }
    if (whole == 0 && write(log->file, HEADER, HEADER_LENGTH) != (ssize_t)HEADER_LENGTH) {
        return fail(error, log->path, "cannot write");
    }
    return takeLines(bytes, whole, plan, results, error);
}

pbdrStatus studyOpenLog(StudyLog* log, const char* folder, const char* part, const StudyPlan* plan,
                        char** results, pbdrError* error)
{
    snprintf(log->path, sizeof log->path, "%.3900s/%s%s%s.log", folder, plan->kind->name,
             part[0] != 0 ? "." : "", part);
    log->file = open(log->path, O_RDWR | O_CREAT | O_APPEND, 0666);
    if (log->file < 0) {
        return fail(error, log->path, "cannot write");
    }
    size_t size = 0;
    char* bytes = readAll(log->file, &size);
    pbdrStatus status =
        bytes != NULL ? load(log, bytes, size, plan, results, error) : fail(error, log->path, "cannot read");
    free(bytes);
    if (status != pbdr_statusOk) {
        studyCloseLog(log);
    }
    return status;
}

// Whether a file is a log of the study: NAME.log, or NAME.PART.log.
static bool isLogOf(const char* file, const char* name)
{
    const size_t length = strlen(file), nameLength = strlen(name);
    return length >= nameLength + 4 && strncmp(file, name, nameLength) == 0 && file[nameLength] == '.' &&
           strcmp(file + length - 4, ".log") == 0;
}

static pbdrStatus readLog(const char* path, const StudyPlan* plan, char** results, pbdrError* error)
{
    const int file = open(path, O_RDONLY);
    if (file < 0) {
        return fail(error, path, "cannot read");
    }
    size_t size = 0;
    char* bytes = readAll(file, &size);
    close(file);
    pbdrStatus status = bytes != NULL ? pbdr_statusOk : fail(error, path, "cannot read");
    if (status == pbdr_statusOk && memcmp(bytes, HEADER, size < HEADER_LENGTH ? size : HEADER_LENGTH) == 0) {
        status = takeLines(bytes, getWholeLength(bytes, size), plan, results, error);
    }
    free(bytes);
    return status;
}

pbdrStatus studyReadLogs(const char* folder, const StudyPlan* plan, char** results, pbdrError* error)
{
    DIR* files = opendir(folder);
    if (files == NULL) {
        return fail(error, folder, "cannot read");
    }
    pbdrStatus status = pbdr_statusOk;
    for (struct dirent* file = readdir(files); file != NULL && status == pbdr_statusOk;
         file = readdir(files)) {
        if (isLogOf(file->d_name, plan->kind->name)) {
            char path[4096];
            snprintf(path, sizeof path, "%.3800s/%.255s", folder, file->d_name);
            status = readLog(path, plan, results, error);
        }
    }
    closedir(files);
    return status;
}

// --- Writing ---

pbdrStatus studyAppendLog(StudyLog* log, const char* key, const char* result, pbdrError* error)
{
    size_t length = strlen(key) + strlen(result) + 2;
    char* line = malloc(length + 1);
    if (line == NULL) {
        return benchFail(error, pbdr_statusNoMemory, "out of memory for a line of the log");
    }
    snprintf(line, length + 1, "%s\t%s\n", key, result);
    log->appended++;
    bool torn = studyIsFaultDue("tear", log->appended);
    errno = ENOSPC; // what a short write means
    ssize_t written = write(log->file, line, torn ? length / 2 : length);
    free(line);
    if (torn || studyIsFaultDue("kill", log->appended)) {
        raise(SIGKILL);
    }
    // A line that was cut short is the end of this run; the next one removes it.
    return written == (ssize_t)length ? pbdr_statusOk : fail(error, log->path, "cannot write");
}

void studyCloseLog(StudyLog* log)
{
    if (log->file >= 0) {
        close(log->file);
    }
    log->file = -1;
}
