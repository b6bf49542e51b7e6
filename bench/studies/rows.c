#define _POSIX_C_SOURCE 200809L
#include "studies/rows.h"

#include "fail.h"
#include "old_names.h"

#include <pbdr/base.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define WIDTH 120 // bytes of a row at most
#define FORMAT 1

static void writeHead(char* text, size_t size)
{
    snprintf(text, size, "# format %d, pbdr %s: point x_m y_m theta_rad\n", FORMAT, pbdrVersion());
}

// Reads the file's text; NULL with the reason in error. *size: its bytes.
static char* readText(SpreadRows* rows, size_t* size, pbdrError* error)
{
    struct stat about;
    char* text = NULL;
    if (fstat(rows->file, &about) == 0) {
        text = malloc((size_t)about.st_size + 1);
    }
    size_t got = 0;
    while (text != NULL && got < (size_t)about.st_size) {
        const ssize_t part = pread(rows->file, text + got, (size_t)about.st_size - got, (off_t)got);
        if (part <= 0) {
            free(text);
            text = NULL;
            break;
        }
        got += (size_t)part;
    }
    if (text == NULL) {
        benchFail(error, pbdr_statusFileNotFound, "%.3000s: cannot be read: %s", rows->path, strerror(errno));
        return NULL;
    }
    text[got] = 0;
    *size = got;
    return text;
}

pbdrStatus spreadReadRows(SpreadRows* rows, pbdrError* error)
{
    size_t size = 0;
    char* text = readText(rows, &size, error);
    if (text == NULL) {
        return pbdr_statusFileNotFound;
    }
    char head[160];
    writeHead(head, sizeof head);
    pbdrStatus status = pbdr_statusOk;
    if (strncmp(text, head, strlen(head)) != 0) {
        status =
            benchFail(error, pbdr_statusFileFormat, "%.3000s:1: not of this version; remove it", rows->path);
    }
    int line = 2;
    rows->count = 0;
    memset(rows->has, 0, (size_t)rows->points * sizeof *rows->has);
    for (char* at = text + strlen(head); status == pbdr_statusOk && at < text + size; line++) {
        int point = -1, used = 0;
        SpreadRow row;
        // a row at a time: sscanf takes the length of all that it is given
        char* end = strchr(at, '\n');
        if (end != NULL) {
            *end = 0;
        }
        if (sscanf(at, "%d %lf %lf %lf%n", &point, &row.x, &row.y, &row.theta, &used) != 4 ||
            at + used != end || point < 0) {
            status = benchFail(error, pbdr_statusFileFormat, "%.3000s:%d: not a row: '%.40s'", rows->path,
                               line, at);
            break;
        }
        if (point < rows->points) { // a run with fewer points leaves the others alone
            rows->count += !rows->has[point];
            rows->has[point] = true;
            rows->rows[point] = row;
        }
        at += used + 1;
    }
    rows->size = (long)size;
    free(text);
    return status;
}

// What is after the last line end is no row; an empty file gets its head.
static bool mendEnd(SpreadRows* rows)
{
    struct stat about;
    if (fstat(rows->file, &about) != 0) {
        return false;
    }
    char tail[WIDTH * 2];
    const off_t from = about.st_size > (off_t)sizeof tail ? about.st_size - (off_t)sizeof tail : 0;
    ssize_t length = pread(rows->file, tail, sizeof tail, from);
    while (length > 0 && tail[length - 1] != '\n') {
        length--;
    }
    if (length < 0 || ftruncate(rows->file, length > 0 ? from + length : 0) != 0) {
        return false;
    }
    char head[160];
    writeHead(head, sizeof head);
    return length > 0 || write(rows->file, head, strlen(head)) == (ssize_t)strlen(head);
}

// Rows that an earlier version has left under the solver's old name go on under the new one.
static void takeOldRows(const SpreadRows* rows, const char* folder, const char* name)
{
    char old[4096];
    snprintf(old, sizeof old, "%.3900s/uncertainty." BENCH_OLD_PBDR, folder);
    if (strcmp(name, BENCH_PBDR) == 0 && access(rows->path, F_OK) != 0) {
        rename(old, rows->path); // none there: nothing to take
    }
}

pbdrStatus spreadOpenRows(SpreadRows* rows, const char* folder, const char* name, int points,
                          pbdrError* error)
{
    *rows = (SpreadRows){.file = -1, .points = points};
    char plain[64]; // no ':' in the names of files
    snprintf(plain, sizeof plain, "%s", name);
    for (char* at = strchr(plain, ':'); at != NULL; at = strchr(at, ':')) {
        *at = '-';
    }
    snprintf(rows->path, sizeof rows->path, "%.3900s/uncertainty.%s", folder, plain);
    takeOldRows(rows, folder, plain);
    rows->has = calloc((size_t)points, sizeof *rows->has);
    rows->rows = calloc((size_t)points, sizeof *rows->rows);
    rows->file = open(rows->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    pbdrStatus status = pbdr_statusOk;
    if (rows->has == NULL || rows->rows == NULL) {
        status = benchFail(error, pbdr_statusNoMemory, "uncertainty: out of memory for %d points", points);
    } else if (rows->file < 0 || !mendEnd(rows)) {
        status = benchFail(error, pbdr_statusFileNotFound, "%.3000s: cannot be written: %s", rows->path,
                           strerror(errno));
    } else {
        status = spreadReadRows(rows, error);
    }
    if (status != pbdr_statusOk) {
        spreadCloseRows(rows);
    }
    return status;
}

bool spreadAppendRows(const SpreadRows* rows, int first, int count, const SpreadRow* values)
{
    char* text = malloc((size_t)count * WIDTH + 1);
    size_t length = 0;
    for (int k = 0; k < count && text != NULL; k++) {
        length += (size_t)snprintf(text + length, WIDTH, "%d %.12g %.12g %.12g\n", first + k, values[k].x,
                                   values[k].y, values[k].theta);
    }
    const bool good = text != NULL && write(rows->file, text, length) == (ssize_t)length;
    free(text);
    return good;
}

int spreadCountNew(const SpreadRows* rows)
{
    char part[4096];
    int count = 0;
    off_t at = rows->size;
    for (ssize_t got; (got = pread(rows->file, part, sizeof part, at)) > 0; at += got) {
        for (ssize_t k = 0; k < got; k++) {
            count += part[k] == '\n';
        }
    }
    return count;
}

void spreadCloseRows(SpreadRows* rows)
{
    if (rows->file >= 0) {
        close(rows->file);
    }
    free(rows->has);
    free(rows->rows);
    *rows = (SpreadRows){.file = -1};
}
