// A results file, as `pbdr report` reads it.
#include "csv.h"
#include "target.h"

#include <string.h>

typedef struct Row {
    double number;
    const char* text;
} Row;

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    static const CsvColumn columns[] = {{"number", csvNumber, offsetof(Row, number)},
                                        {"text", csvText, offsetof(Row, text)}};
    CsvFile file;
    char message[CSV_MESSAGE_SIZE] = "";
    CsvResult result = readCsv(&file, fuzzWriteInput(".csv", data, size), columns, 2, sizeof(Row), message);
    FUZZ_REQUIRE(result == csvOk || (message[0] != 0 && file.count == 0));
    size_t length = 0;
    for (size_t k = 0; k < file.count; k++) {
        length += strlen(((const Row*)file.records)[k].text);
    }
    FUZZ_REQUIRE(length <= size);
    freeCsv(&file);
    return 0;
}
