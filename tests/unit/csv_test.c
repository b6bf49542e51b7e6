// bench/csv.h: what it takes, cell by cell, and what it refuses, with the line.
#include "csv.h"
#include "old_names.h"

#include "check.h"

#include <unistd.h>

static char path[64];

// A file of these bytes, opened.
static CsvResult openBytes(CsvReader* reader, const char* bytes, size_t size)
{
    snprintf(path, sizeof path, "csv_test.%ld.csv", (long)getpid());
    FILE* file = fopen(path, "wb");
    CHECK(file != NULL && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
    CsvResult result = csvOpen(reader, path);
    remove(path);
    return result;
}

static CsvResult openText(CsvReader* reader, const char* text)
{
    return openBytes(reader, text, strlen(text));
}

static void rows__are_cut_into_cells(void)
{
    CsvReader reader;
    CHECK(openText(&reader, "\xef\xbb\xbf"
                            "a, b ,\"c\"\r\n# remark\n\n 1 ,,\"x, \"\"y\"\"\nz\" \n2,3,4") == csvOk);
    CHECK_EQ(reader.columnCount, 3);
    CHECK_EQ(csvFindColumn(&reader, "a"), 0);
    CHECK_EQ(csvFindColumn(&reader, "b"), 1);
    CHECK_EQ(csvFindColumn(&reader, "c"), 2);
    CHECK_EQ(csvFindColumn(&reader, "d"), -1);
    CHECK(csvNext(&reader) == csvOk);
    CHECK_EQ(reader.line, 4);
    CHECK(strcmp(reader.cells[0], "1") == 0);
    CHECK(strcmp(reader.cells[1], "") == 0);
    CHECK(strcmp(reader.cells[2], "x, \"y\"\nz") == 0);
    CHECK(csvNext(&reader) == csvOk);
    CHECK_EQ(reader.line, 6); // a line end within quotes counts
    CHECK(strcmp(reader.cells[2], "4") == 0);
    CHECK(csvNext(&reader) == csvEnd);
    CHECK(csvNext(&reader) == csvEnd);
    csvClose(&reader);
}

// Text that must be refused once its rows are read, at that line and for that reason.
static void refuse(const char* text, size_t size, int line, const char* reason)
{
    CsvReader reader;
    CsvResult result = openBytes(&reader, text, size);
    while (result == csvOk) {
        result = csvNext(&reader);
    }
    CHECK(result == csvDamaged);
    CHECK_EQ(reader.line, line);
    CHECK_TEXT(reader.problem, reason);
    csvClose(&reader);
}

static void damage__is_refused_with_the_line(void)
{
    refuse("", 0, 1, "is empty");
    refuse("\n#\n \n", 5, 1, "is empty");
    refuse("a,b\n1,2\n3\n", 10, 3, "1 cells where the header names 2");
    refuse("a,b\n1,2,3\n", 10, 2, "3 cells where the header names 2");
    refuse("a,b\n1,\"2\n", 9, 2, "not closed");
    refuse("a,b\n1,\"2\"3\n", 11, 2, "after a closing quote");
    refuse("a,b\n1,\0\n", 8, 2, "zero byte");
    char wide[2 * CSV_MAX_COLUMNS + 2];
    memset(wide, ',', sizeof wide);
    refuse(wide, sizeof wide, 1, "more than 512 cells");
}

// Memory behind a cell is never touched: each prefix of a text with everything in it is read or refused.
static void prefixes__are_read_or_refused(void)
{
    const char text[] = "\xef\xbb\xbf\"a\"\"\",b\r\n\"1\r\n\",2\r\n#\r\n \"\" , x \r\n\"";
    for (size_t size = 0; size <= sizeof text - 1; size++) {
        CsvReader reader;
        CsvResult result = openBytes(&reader, text, size);
        while (result == csvOk) {
            result = csvNext(&reader);
        }
        CHECK(result == csvEnd || (result == csvDamaged && reader.line > 0 && reader.problem[0] != 0));
        csvClose(&reader);
    }
}

typedef struct Record {
    double value;
    const char* name;
} Record;

static const CsvColumn columns[] = {
    {"value", csvNumber, offsetof(Record, value)},
    {"name", csvText, offsetof(Record, name)},
};

static CsvResult readRecords(CsvRecords* records, const char* text, char message[CSV_MESSAGE_SIZE])
{
    snprintf(path, sizeof path, "csv_test.%ld.csv", (long)getpid());
    FILE* file = fopen(path, "wb");
    CHECK(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
    message[0] = 0;
    CsvResult result = csvReadRecords(records, path, columns, 2, sizeof(Record), message);
    remove(path);
    return result;
}

static void records__are_filled_by_name(void)
{
    char message[CSV_MESSAGE_SIZE];
    CsvRecords records;
    CHECK(readRecords(&records, "name,other,value\nfirst,7,1.5\n,8,\n", message) == csvOk);
    CHECK_EQ(records.count, 2);
    const Record* rows = records.records;
    CHECK_EQ(rows[0].value, 1.5);
    CHECK(strcmp(rows[0].name, "first") == 0);
    CHECK(isnan(rows[1].value));
    CHECK(strcmp(rows[1].name, "") == 0);
    csvFreeRecords(&records);
}

// Files of before the paper's solver was called pbd-r: the name of now.
static void records__have_todays_names_of_solvers(void)
{
    static const CsvColumn solvers[] = {{"name", csvSolver, offsetof(Record, name)}};
    snprintf(path, sizeof path, "csv_test.%ld.csv", (long)getpid());
    FILE* file = fopen(path, "wb");
    CHECK(file != NULL && fputs("name\npbdr\npbd-r\npbd\nxpbdr\npbdr2\n", file) >= 0 && fclose(file) == 0);
    char message[CSV_MESSAGE_SIZE];
    CsvRecords records;
    CHECK(csvReadRecords(&records, path, solvers, 1, sizeof(Record), message) == csvOk);
    static const char* const names[] = {"pbd-r", "pbd-r", "pbd", "xpbdr", "pbdr2"};
    CHECK_EQ(records.count, 5);
    for (size_t k = 0; k < records.count; k++) {
        CHECK(strcmp(((const Record*)records.records)[k].name, names[k]) == 0);
    }
    csvFreeRecords(&records);
    remove(path);
    // XPBD-R's engine is its own, whatever results of before say
    CHECK(strcmp(benchRenameEngine("xpbdr", "reduced"), "xpbdr") == 0);
    CHECK(strcmp(benchRenameEngine("xpbdr:spheres", "reduced"), "xpbdr") == 0);
    CHECK(strcmp(benchRenameEngine("pbd-r", "reduced"), "reduced") == 0);
    CHECK(strcmp(benchRenameEngine("xpbdr2", "reduced"), "reduced") == 0);
}

static void records__name_file_line_and_column(void)
{
    char message[CSV_MESSAGE_SIZE];
    CsvRecords records;
    CHECK(readRecords(&records, "name\nfirst\n", message) == csvNoColumn);
    CHECK_TEXT(message, ".csv:1: there is no column 'value'");
    CHECK(readRecords(&records, "name,value\nfirst,1\nsecond,1x\n", message) == csvDamaged);
    CHECK_TEXT(message, ".csv:3: column 'value': '1x' is no number");
    CHECK_EQ(records.count, 0);
    CHECK(records.records == NULL && records.text == NULL);
    CHECK(csvReadRecords(&records, "no/such.csv", columns, 2, sizeof(Record), message) == csvNoFile);
    CHECK_TEXT(message, "no/such.csv: there is no such file");
    CHECK(csvReadRecords(&records, ".", columns, 2, sizeof(Record), message) == csvNoFile);
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"rows__are_cut_into_cells", rows__are_cut_into_cells},
          {"damage__is_refused_with_the_line", damage__is_refused_with_the_line},
          {"prefixes__are_read_or_refused", prefixes__are_read_or_refused},
          {"records__are_filled_by_name", records__are_filled_by_name},
          {"records__have_todays_names_of_solvers", records__have_todays_names_of_solvers},
          {"records__name_file_line_and_column", records__name_file_line_and_column});
}
