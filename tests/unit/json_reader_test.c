// The JSON reader: what RFC 8259 allows comes out as it stands, with its line; everything else is refused with the line.
#include "text/json_reader.h"

#include "check.h"
#include "ledger.h"

static JsonTree parse(const char* text)
{
    JsonTree tree;
    pbdrError error;
    CHECK_EQ(jsonParse(text, strlen(text), NULL, &tree, &error), pbdr_statusOk);
    return tree;
}

static void refuse(const char* text, size_t size, int line, const char* part)
{
    JsonTree tree;
    pbdrError error = {.message = ""};
    CHECK_EQ(jsonParse(text, size, NULL, &tree, &error), pbdr_statusFileFormat);
    CHECK_TEXT(error.message, part);
    CHECK_EQ(tree.line, line);
    CHECK(tree.root == NULL && tree.blocks == NULL);
}
#define REFUSE(text, line, part) refuse(text, strlen(text), line, part)

static void values__come_out_as_they_stand(void)
{
    JsonTree tree = parse(
        " {\"a\": [1, -2.5e-3, 0],\r\n \"b\": {\"c\": null, \"d\": true},\n\t\"e\": false, \"f\": \"x\"} \n");
    const JsonValue* a = jsonFind(tree.root, "a");
    CHECK(a != NULL && a->kind == jsonArray && a->count == 3 && a->line == 1);
    CHECK_EQ(a->first->number, 1.0);
    CHECK_EQ(a->first->next->number, -2.5e-3);
    CHECK_EQ(a->first->next->next->number, 0.0);
    CHECK(a->first->next->next->next == NULL);
    const JsonValue* b = jsonFind(tree.root, "b");
    CHECK(b != NULL && b->kind == jsonObject && b->line == 2 && b->count == 2);
    CHECK(jsonFind(b, "c") == NULL); // null is as good as nothing
    CHECK(b->first->kind == jsonNull);
    CHECK(jsonFind(b, "d")->kind == jsonTrue);
    CHECK(jsonFind(tree.root, "e")->kind == jsonFalse && jsonFind(tree.root, "e")->line == 3);
    CHECK(strcmp(jsonFind(tree.root, "f")->text, "x") == 0);
    CHECK(jsonFind(tree.root, "g") == NULL && jsonFind(a, "a") == NULL && jsonFind(NULL, "a") == NULL);
    jsonFreeTree(&tree);
}

static void texts__have_their_escapes_undone(void)
{
    JsonTree tree = parse(
        "[\"a\\\"\\\\\\/\\b\\f\\n\\r\\t\", \"\\u0041\\u00e9\\u20ac\\ud83d\\ude00\", \"\xc3\xa9\", \"\"]");
    const JsonValue* text = tree.root->first;
    CHECK(strcmp(text->text, "a\"\\/\b\f\n\r\t") == 0);
    text = text->next;
    CHECK(strcmp(text->text, "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80") == 0);
    CHECK(strcmp(text->next->text, "\xc3\xa9") == 0);
    CHECK(text->next->next->text[0] == 0);
    jsonFreeTree(&tree);
    REFUSE("\"\\x\"", 1, "escape");
    REFUSE("\"\\u12g4\"", 1, "escape");
    REFUSE("\"\\ud83d\"", 1, "escape"); // half a pair
    REFUSE("\"\\ude00\"", 1, "escape");
    REFUSE("\"\\u0000\"", 1, "escape"); // would end the text
    REFUSE("\"\\", 1, "closing quote");
    REFUSE("[\n\"a\nb\"]", 2, "control character");
    REFUSE("\"\xff\"", 1, "UTF-8");
    REFUSE("\"abc", 1, "closing quote");
}

static void numbers__are_decimal_and_finite(void)
{
    static const char* const bad[] = {"01",    "-",   "1.",  ".5",   "+1", "1e",
                                      "1e400", "--1", "1-2", "0x10", "-.5"};
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        JsonTree tree;
        CHECK_EQ(jsonParse(bad[k], strlen(bad[k]), NULL, &tree, NULL), pbdr_statusFileFormat);
    }
    REFUSE("[1,\n1e999]", 2, "1e999 is no number");
    JsonTree tree = parse("[1e-400, -0, 0.1e1, 12345678901234567890]");
    CHECK_EQ(tree.root->first->number, 0.0);
    CHECK_EQ(tree.root->first->next->next->number, 1.0);
    CHECK_EQ(tree.root->first->next->next->next->number, 12345678901234567890.0);
    jsonFreeTree(&tree);
}

static void form__is_checked_with_its_line(void)
{
    REFUSE("", 1, "the file ends");
    REFUSE(" \n ", 2, "the file ends");
    REFUSE("{\"a\" 1}", 1, "a colon after a key, found '1'");
    REFUSE("{\n\"a\": 1,\n}", 3, "a key in quotes, found '}'");
    REFUSE("[1,\n2\n3]", 3, "a comma or ], found '3'");
    REFUSE("[1,\n\n]", 3, "a value, found ']'");
    REFUSE("{\"a\": 1\n", 2, "a comma or }, but the file ends");
    REFUSE("1 2", 1, "the end of the file, found '2'");
    REFUSE("nul", 1, "a value");
    REFUSE("{\"a\": 1,\n\"a\": 2}", 2, "\"a\" is there twice");
    refuse("[\0]", 3, 1, "byte 0");
    refuse("\"a\0b\"", 5, 1, "control character");
}

static void depth_and_keys__have_limits(void)
{
    char text[2 * JSON_MAX_DEPTH + 8] = "";
    memset(text, '[', JSON_MAX_DEPTH);
    memset(text + JSON_MAX_DEPTH, ']', JSON_MAX_DEPTH);
    JsonTree tree = parse(text);
    jsonFreeTree(&tree);
    memset(text, '[', sizeof text - 1);
    REFUSE(text, 1, "too deeply");
    char* many = malloc(40000);
    char* end = many;
    *end++ = '{';
    for (int k = 0; k <= JSON_MAX_KEYS; k++) {
        end += sprintf(end, "%s\"k%d\":0", k > 0 ? "," : "", k);
    }
    strcpy(end, "}");
    REFUSE(many, 1, "too many keys");
    free(many);
}

static void memory__is_given_back_or_done_without(void)
{
    char text[20000] = "[";
    for (int k = 0; k < 3000; k++) {
        strcat(text, k > 0 ? ",[1]" : "[1]");
    }
    strcat(text, "]");
    int failAt = 0;
    pbdrStatus status;
    do {
        Ledger ledger = {.failAt = ++failAt};
        pbdrHooks hooks = makeHooks(&ledger);
        JsonTree tree;
        pbdrError error;
        status = jsonParse(text, strlen(text), &hooks, &tree, &error);
        CHECK(status == pbdr_statusOk || status == pbdr_statusNoMemory);
        jsonFreeTree(&tree);
        CHECK_EQ(ledger.blocks, 0);
    } while (status != pbdr_statusOk && failAt < 1000);
    CHECK_GE(failAt, 3);
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"values__come_out_as_they_stand", values__come_out_as_they_stand},
          {"texts__have_their_escapes_undone", texts__have_their_escapes_undone},
          {"numbers__are_decimal_and_finite", numbers__are_decimal_and_finite},
          {"form__is_checked_with_its_line", form__is_checked_with_its_line},
          {"depth_and_keys__have_limits", depth_and_keys__have_limits},
          {"memory__is_given_back_or_done_without", memory__is_given_back_or_done_without});
}
