// The JSON writer: every output is JSON, whatever the values and texts are.
#define _POSIX_C_SOURCE 200809L // open_memstream

#include "check.h"
#include "text/json_writer.h"

#include <locale.h>

static char* written;
static size_t writtenSize;

static JsonWriter start(void)
{
    free(written);
    written = NULL;
    return (JsonWriter){open_memstream(&written, &writtenSize), 0, true};
}

static const char* finish(JsonWriter* json)
{
    fclose(json->file);
    return written;
}

static void json__nests_with_commas_and_indentation(void)
{
    const double numbers[] = {1.0, -2.5, 3.0, 4.0};
    JsonWriter json = start();
    jsonOpen(&json, NULL, '{');
    jsonText(&json, "a", "b");
    jsonOpen(&json, "list", '[');
    jsonNumber(&json, NULL, 1.0);
    jsonTruth(&json, NULL, false);
    jsonOpen(&json, NULL, '{');
    jsonClose(&json, '}');
    jsonClose(&json, ']');
    jsonNumbers(&json, "n", numbers, 3);
    jsonRows(&json, "rows", numbers, 2, 2);
    jsonRows(&json, "none", numbers, 0, 3);
    jsonText(&json, "nothing", NULL);
    jsonClose(&json, '}');
    CHECK(strcmp(finish(&json), "{\n  \"a\": \"b\",\n  \"list\": [\n    1,\n    false,\n    {}\n  ],\n"
                                "  \"n\": [1, -2.5, 3],\n  \"rows\": [[1, -2.5], [3, 4]],\n  \"none\": [],\n"
                                "  \"nothing\": null\n}") == 0);
}

static void json__text_is_always_utf8(void)
{
    static const struct {
        const char *text, *json;
    } cases[] = {
        {"plain", "\"plain\""},
        {"\"\\\t\n\x1b\x7f", "\"\\\"\\\\\\u0009\\u000a\\u001b\\u007f\""},
        {"\xc3\xa9\xe2\x82\xac\xf0\x9f\x90\x87", "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x90\x87\""},
        {"a\xff"
         "b",
         "\"a\\ufffd"
         "b\""},
        {"\xc0\xaf", "\"\\ufffd\\ufffd\""},                       // overlong
        {"\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\""},            // a surrogate
        {"\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\""}, // beyond U+10FFFF
        {"\xe0\x9f\xbf", "\"\\ufffd\\ufffd\\ufffd\""},
        {"\xe2\x82", "\"\\ufffd\\ufffd\""}, // cut short
        {"\xe2\"", "\"\\ufffd\\\"\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        JsonWriter json = start();
        jsonText(&json, NULL, cases[i].text);
        CHECK(strcmp(finish(&json), cases[i].json) == 0);
        json = start();
        jsonOpen(&json, NULL, '{');
        jsonNumber(&json, cases[i].text, 1.0); // keys, too
        CHECK_TEXT(finish(&json), cases[i].json);
    }
}

static void json__numbers_read_back_and_nan_is_null(void)
{
    const double values[] = {
        0.1, -0.0, 1.0 / 3.0, 4.9406564584124654e-324, 1.7976931348623157e308, (double)NAN, (double)INFINITY};
    const char* names[] = {"C", "de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        if (setlocale(LC_NUMERIC, names[k]) == NULL) {
            continue;
        }
        JsonWriter json = start();
        jsonNumbers(&json, NULL, values, 7);
        CHECK(strcmp(finish(&json), "[0.10000000000000001, 0, 0.33333333333333331, 4.9406564584124654e-324, "
                                    "1.7976931348623157e+308, null, null]") == 0);
    }
    setlocale(LC_NUMERIC, "C");
}

static void release(void)
{
    free(written);
}

int main(int argc, char** argv)
{
    atexit(release);
    CASES(argc, argv, {"json__nests_with_commas_and_indentation", json__nests_with_commas_and_indentation},
          {"json__text_is_always_utf8", json__text_is_always_utf8},
          {"json__numbers_read_back_and_nan_is_null", json__numbers_read_back_and_nan_is_null});
}
