// A results file, as `pbdr report` reads it.
#include "csv.h"
#include "target.h"

#include <string.h>

typedef struct Row {
    double number;
    const char *text, *word, *name;
} Row;

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    static const CsvColumn columns[] = {{"number", csvNumber, offsetof(Row, number)},
                                        {"text", csvText, offsetof(Row, text)},
                                        {"word", csvWord, offsetof(Row, word)},
                                        {"name", csvName, offsetof(Row, name)}};
    CsvRecords file;
    char message[CSV_MESSAGE_SIZE] = "";
    CsvResult result =
        csvReadRecords(&file, fuzzWriteInput(".csv", data, size), columns, 4, sizeof(Row), message);
    FUZZ_REQUIRE(result == csvOk || (message[0] != 0 && file.count == 0));
    size_t length = 0;
    for (size_t k = 0; k < file.count; k++) {
        const Row* row = &((const Row*)file.records)[k];
        length += strlen(row->text) + strlen(row->word) + strlen(row->name);
        FUZZ_REQUIRE(row->name[0] != 0 && strpbrk(row->word, "`\"'$<>\n\x1b") == NULL);
    }
    FUZZ_REQUIRE(length <= size);
    csvFreeRecords(&file);
    return 0;
}
