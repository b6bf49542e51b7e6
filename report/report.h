// The report: from a study's CSV files to figures, tables and one page of HTML.
#ifndef PBDR_REPORT_REPORT_H
#define PBDR_REPORT_REPORT_H

#include <stdbool.h>
#include <stdio.h>

// Writes the page to html, and out/figures and out/tables, which are made if need be. The program's version
// stands on the page. missing: the number of files or columns that were not there; the page says which. On
// failure the reason stands in message.
bool makeReport(FILE* html, const char* results, const char* out, const char* version, int* missing,
                char* message, size_t messageSize);

#endif
