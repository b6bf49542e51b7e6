// CSV files, read by the names in their header: row by row, or whole into an array of structs.
//
//     CsvReader reader;
//     CsvResult result = csvOpen(&reader, path);
//     while (result == csvOk && (result = csvNext(&reader)) == csvOk) {
//         use(reader.cells, reader.columnCount);
//     }
//     csvClose(&reader);
//
// What is taken: cells between commas, spaces and tabs around them cut off; "a ""b"", c" in quotes is one
// cell, line ends in it included; lines end in \n or \r\n; a byte order mark, empty lines and lines that
// begin with # are passed over. Refused, with the line: zero bytes, a quote left open or with text after it,
// a row with more or fewer cells than the header, a file of more than CSV_MAX_SIZE bytes.
#ifndef PBDR_BENCH_CSV_H
#define PBDR_BENCH_CSV_H

#include <stdbool.h>
#include <stddef.h>

#define CSV_MAX_SIZE ((size_t)1 << 30)
#define CSV_MAX_COLUMNS 512

typedef enum CsvResult {
    csvOk,
    csvEnd,      // past the last row
    csvNoFile,   // there is none, or it cannot be read
    csvNoColumn, // the header lacks one
    csvDamaged,  // it is no CSV file, a number is none, or a word
    csvNoMemory,
} CsvResult;

enum { CSV_PROBLEM_SIZE = 256, CSV_MESSAGE_SIZE = 1024, CSV_WORD_LENGTH = 80 };

typedef struct CsvReader {
    const char* path; // the caller's
    int line;         // where the present row begins, from 1; 0 if no line is to blame for a problem
    int columnCount;
    const char* columns[CSV_MAX_COLUMNS]; // names in the header
    const char* cells[CSV_MAX_COLUMNS];   // of the present row; all texts stay until csvClose
    char problem[CSV_PROBLEM_SIZE];       // why a call failed, without file and line
    // The file, cut up as it is read
    char *text, *cursor;
    int nextLine;
} CsvReader;

// Reads the file and its header. Whatever comes of it, csvClose is to follow.
CsvResult csvOpen(CsvReader* reader, const char* path);
// Moves to the next row. csvEnd past the last; other results are final.
CsvResult csvNext(CsvReader* reader);
void csvClose(CsvReader* reader);

// The first column of that name, or -1.
int csvFindColumn(const CsvReader* reader, const char* name);
// Whether the whole cell is a number; inf and nan are.
bool csvParseNumber(const char* cell, double* value);

// --- Whole files ---

typedef enum CsvKind {
    csvNumber, // a double; NAN where the cell is empty
    csvText,   // a const char* into the file's text; "" where the cell is empty. Anything may stand in it
    csvWord,   // the same of characters that act nowhere: up to CSV_WORD_LENGTH letters, digits, _:.+-=, and
               // spaces
    csvName,   // a word that is not empty
    csvSolver, // the name of a solver; old ones as they are now (old_names.h)
} CsvKind;

typedef struct CsvColumn {
    const char* name; // as in the header
    CsvKind kind;
    size_t offset; // of the double or const char* in the struct
} CsvColumn;

typedef struct CsvRecords {
    void* records; // count structs in the file's order
    size_t count;
    char* text; // what the records' texts point into
} CsvRecords;

// Reads the named columns; others are passed over. Unless csvOk, `records` is empty and message names the
// file, and where there is one, line and column: "FILE:LINE: ...".
CsvResult csvReadRecords(CsvRecords* records, const char* path, const CsvColumn* columns, size_t columnCount,
                         size_t recordSize, char message[CSV_MESSAGE_SIZE]);
void csvFreeRecords(CsvRecords* records);

#endif
