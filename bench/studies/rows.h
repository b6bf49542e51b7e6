// Rows of a study in batches (spread.h): a file of points that are done, which grows by whole rows.
#ifndef PBDR_BENCH_ROWS_H
#define PBDR_BENCH_ROWS_H

#include <pbdr/base.h>

#include <stdbool.h>

// Where a point's box is at the end, from its start, along the push and to its left; NaN: there is no such place.
typedef struct SpreadRow {
    double x, y;  // [m]
    double theta; // [rad]
} SpreadRow;

typedef struct SpreadRows {
    char path[4096];
    int file;
    long size;       // of the file, when it was read [bytes]
    int points;      // that there is room for
    int count;       // that have a row
    bool* has;       //
    SpreadRow* rows; // by point
} SpreadRows;

// Opens FOLDER/uncertainty.NAME (made if it is not there), cuts off what a kill has left of a last row, and reads it. A
// file of another version, or with a row that is none, is refused with its line.
pbdrStatus spreadOpenRows(SpreadRows* rows, const char* folder, const char* name, int points,
                          pbdrError* error);
// Reads it again.
pbdrStatus spreadReadRows(SpreadRows* rows, pbdrError* error);
// Rows of `count` points from `first` on, by one write. False: the disk is full, or something like it.
bool spreadAppendRows(const SpreadRows* rows, int first, int count, const SpreadRow* values);
// Roughly how many rows have come since it was read, by other processes.
int spreadCountNew(const SpreadRows* rows);
void spreadCloseRows(SpreadRows* rows);

#endif
