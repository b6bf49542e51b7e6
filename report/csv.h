// CSV files read by column name into an array of structs.
#ifndef PBDR_REPORT_CSV_H
#define PBDR_REPORT_CSV_H

#include <stddef.h>

typedef enum CsvKind {
    csvNumber, // a double; NAN where the field is empty
    csvText,   // a const char* into the file's text; "" where the field is empty
} CsvKind;

typedef struct CsvColumn {
    const char* name; // as in the file's first line
    CsvKind kind;
    size_t offset; // of the double or const char* in the struct
} CsvColumn;

typedef enum CsvResult {
    csvOk,
    csvNoFile,   // there is none, or it cannot be read
    csvNoColumn, // the first line lacks one
    csvDamaged,  // a line has another number of fields than the first, or a number is none
    csvNoMemory,
} CsvResult;

typedef struct CsvFile {
    void* records; // count structs in the file's order
    size_t count;
    char* text; // what the records' texts point into
} CsvFile;

enum { CSV_MESSAGE_SIZE = 1024 };

// Reads the named columns; others are passed over. Unless csvOk, file is empty and message names file, and
// where there is one, line and column.
CsvResult readCsv(CsvFile* file, const char* path, const CsvColumn* columns, size_t columnCount,
                  size_t recordSize, char message[CSV_MESSAGE_SIZE]);
void freeCsv(CsvFile* file);

#endif
