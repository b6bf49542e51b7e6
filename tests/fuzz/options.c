// Command lines, an argument per line.
#include "options.h"
#include "target.h"

#include <math.h>
#include <string.h>

static bool takePart(void* list, const char* part)
{
    *(size_t*)list += strlen(part);
    return true;
}

static bool takeList(void* value, const char* text, const char** message)
{
    *message = "no list";
    return splitList(text, takePart, value);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    int count = 5, choice = 0, argc = 1;
    double side = 0.5;
    const char *name = "", *input = NULL;
    bool verbose = false;
    size_t listed = 0;
    static const char* const choices[] = {"grid", "surface", NULL};
    const Option options[] = {
        OPTION_INT("count", "N", "a number", &count, 1, 100),
        OPTION_DOUBLE("side", "M", "a length", &side, 0.0, 10.0),
        OPTION_TEXT("name", "TEXT", "a name", &name),
        OPTION_CHOICE("packing", "NAME", "one of two", &choice, choices),
        OPTION_CUSTOM("list", "A,B", "several", &listed, takeList),
        OPTION_SWITCH("verbose", "more", &verbose),
        OPTION_ARGUMENT("FILE", "the input", &input),
    };
    char *text = malloc(size + 1), *argv[20] = {"fuzz"};
    FUZZ_REQUIRE(text != NULL);
    memcpy(text, data, size);
    text[size] = 0;
    for (char* line = text; line != NULL && argc < 19;) {
        char* end = strchr(line, '\n');
        argv[argc++] = line;
        if (end != NULL) {
            *end++ = 0;
        }
        line = end;
    }
    parseOptions("fuzz", options, sizeof options / sizeof options[0], argc, argv);
    FUZZ_REQUIRE(count >= 1 && count <= 100 && side >= 0.0 && side <= 10.0 && choice >= 0 && choice <= 1);
    free(text);
    return 0;
}
