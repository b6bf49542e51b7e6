// A recursive-descent reader of JSON, over a list of memory blocks.
#include "text/json_reader.h"

#include "base.h"
#include "text/number.h"
#include "text/utf8.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define BLOCK_SIZE ((size_t)1 << 16)

typedef struct Block {
    struct Block* next;
    size_t size, used; // of all with the head [bytes]
} Block;

typedef struct Reader {
    const char *at, *end;
    int line;
    int depth;
    JsonTree* tree;
    pbdrError* error;
    pbdrStatus status; // the first failure
} Reader;

// --- Memory and failure ---

static void* take(Reader* reader, size_t size)
{
    size = (size + 15) & ~(size_t)15;
    Block* block = reader->tree->blocks;
    if (block == NULL || block->size - block->used < size) {
        size_t head = (sizeof(Block) + 15) & ~(size_t)15;
        size_t whole = head + (size > BLOCK_SIZE ? size : BLOCK_SIZE);
        block = pbdrAllocate(&reader->tree->hooks, 1, whole);
        if (block == NULL) {
            reader->status = pbdrFail(reader->error, pbdr_statusNoMemory, "out of memory");
            return NULL;
        }
        *block = (Block){reader->tree->blocks, whole, head};
        reader->tree->blocks = block;
    }
    void* memory = (char*)block + block->used;
    block->used += size;
    return memory;
}

void jsonFreeTree(JsonTree* tree)
{
    for (Block *block = tree->blocks, *next; block != NULL; block = next) {
        next = block->next;
        pbdrRelease(&tree->hooks, block, 1, block->size);
    }
    *tree = (JsonTree){.root = NULL};
}

static JsonValue* refuse(Reader* reader, const char* reason)
{
    if (reader->status == pbdr_statusOk) {
        reader->status = pbdrFail(reader->error, pbdr_statusFileFormat, "%s", reason);
    }
    return NULL;
}

// What stands at the cursor, for messages: a printable character or a number.
static JsonValue* refuseHere(Reader* reader, const char* wanted)
{
    char reason[96];
    if (reader->at == reader->end) {
        snprintf(reason, sizeof reason, "wanted %s, but the file ends", wanted);
    } else if (*reader->at >= ' ' && *reader->at <= '~') {
        snprintf(reason, sizeof reason, "wanted %s, found '%c'", wanted, *reader->at);
    } else {
        snprintf(reason, sizeof reason, "wanted %s, found the byte %d", wanted, (unsigned char)*reader->at);
    }
    return refuse(reader, reason);
}

static void skipBlanks(Reader* reader)
{
    while (reader->at < reader->end && strchr(" \t\r\n", *reader->at) != NULL && *reader->at != 0) {
        reader->line += *reader->at == '\n';
        reader->at++;
    }
}

static JsonValue* addValue(Reader* reader, JsonKind kind)
{
    JsonValue* value = take(reader, sizeof *value);
    if (value != NULL) {
        *value = (JsonValue){.kind = kind, .line = reader->line};
    }
    return value;
}

// --- Texts ---

static int readHexadecimal(Reader* reader)
{
    int code = 0;
    if (reader->end - reader->at < 4) {
        return -1;
    }
    for (int k = 0; k < 4; k++) {
        char c = *reader->at++;
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0) {
            return -1;
        }
        code = 16 * code + digit;
    }
    return code;
}

static char* writeCharacter(char* to, int code)
{
    if (code < 0x80) {
        *to++ = (char)code;
    } else if (code < 0x800) {
        *to++ = (char)(0xc0 | code >> 6);
        *to++ = (char)(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        *to++ = (char)(0xe0 | code >> 12);
        *to++ = (char)(0x80 | (code >> 6 & 0x3f));
        *to++ = (char)(0x80 | (code & 0x3f));
    } else {
        *to++ = (char)(0xf0 | code >> 18);
        *to++ = (char)(0x80 | (code >> 12 & 0x3f));
        *to++ = (char)(0x80 | (code >> 6 & 0x3f));
        *to++ = (char)(0x80 | (code & 0x3f));
    }
    return to;
}

// After \u; NULL where it is no character, or the zero byte, which would end the text.
static char* readUnicode(Reader* reader, char* to)
{
    int code = readHexadecimal(reader);
    if (code >= 0xd800 && code < 0xdc00 && reader->end - reader->at >= 6 && reader->at[0] == '\\' &&
        reader->at[1] == 'u') {
        reader->at += 2;
        int low = readHexadecimal(reader);
        code = low >= 0xdc00 && low < 0xe000 ? 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00) : -1;
    }
    bool good = code > 0 && (code < 0xd800 || code >= 0xe000);
    return good ? writeCharacter(to, code) : NULL;
}

static char* readEscape(Reader* reader, char* to)
{
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    char c = reader->at < reader->end ? *reader->at++ : 0;
    const char* found = c != 0 ? strchr(letters, c) : NULL;
    if (found != NULL) {
        *to++ = meanings[found - letters];
        return to;
    }
    return c == 'u' ? readUnicode(reader, to) : NULL;
}

// The cursor is behind the opening quote. An escape is never shorter than what it stands for.
static const char* readText(Reader* reader)
{
    const char* close = reader->at;
    while (close < reader->end && *close != '"') {
        close += *close == '\\' ? 2 : 1;
    }
    if (close >= reader->end) {
        refuse(reader, "a text has no closing quote");
        return NULL;
    }
    char* text = take(reader, (size_t)(close - reader->at) + 1);
    char* to = text;
    while (text != NULL && reader->at < close) {
        // the text behind the cursor has a closing quote, so that looking at a whole character is safe
        size_t size = (unsigned char)*reader->at < ' ' ? 0 : pbdrGetCharacterSize(reader->at);
        if (*reader->at == '\\') {
            reader->at++;
            to = readEscape(reader, to);
            if (to == NULL) {
                refuse(reader, "a text has an escape that JSON does not know");
                return NULL;
            }
        } else if (size == 0) {
            refuse(reader, "a text has a control character, or bytes that are no UTF-8");
            return NULL;
        } else {
            memcpy(to, reader->at, size);
            to += size;
            reader->at += size;
        }
    }
    if (text != NULL) {
        *to = 0;
        reader->at = close + 1;
    }
    return text;
}

// --- Values ---

static JsonValue* readValue(Reader* reader);

static JsonValue* readNumber(Reader* reader)
{
    const char* start = reader->at;
    while (reader->at < reader->end && *reader->at != 0 && strchr("+-.0123456789eE", *reader->at) != NULL) {
        reader->at++;
    }
    JsonValue* value = addValue(reader, jsonNumberValue);
    if (value == NULL) {
        return NULL;
    }
    const char* digit = start + (*start == '-');
    bool form = digit < reader->at && *digit >= '0' && *digit <= '9' && reader->at[-1] != '.' &&
                !(digit[0] == '0' && digit + 1 < reader->at && digit[1] >= '0' && digit[1] <= '9');
    if (!form || !pbdrParseDecimal(start, reader->at, &value->number) || !isfinite(value->number)) {
        char reason[80];
        snprintf(reason, sizeof reason, "%.*s%s is no number that a double holds",
                 (int)(reader->at - start < 40 ? reader->at - start : 40), start,
                 reader->at - start < 40 ? "" : "...");
        return refuse(reader, reason);
    }
    return value;
}

static JsonValue* readWord(Reader* reader)
{
    static const struct {
        const char* word;
        JsonKind kind;
    } words[] = {{"null", jsonNull}, {"true", jsonTrue}, {"false", jsonFalse}};
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) {
        size_t length = strlen(words[k].word);
        if ((size_t)(reader->end - reader->at) >= length && memcmp(reader->at, words[k].word, length) == 0) {
            reader->at += length;
            return addValue(reader, words[k].kind);
        }
    }
    return refuseHere(reader, "a value");
}

static bool isKeyTaken(const JsonValue* object, const char* key)
{
    const JsonValue* value = object->first;
    while (value != NULL && strcmp(value->key, key) != 0) {
        value = value->next;
    }
    return value != NULL;
}

// "key": in an object; NULL on failure.
static const char* readKey(Reader* reader, const JsonValue* object)
{
    if (reader->at == reader->end || *reader->at != '"') {
        refuseHere(reader, "a key in quotes");
        return NULL;
    }
    reader->at++;
    const char* key = readText(reader);
    if (key != NULL && isKeyTaken(object, key)) {
        char reason[96];
        snprintf(reason, sizeof reason, "the key \"%.60s\" is there twice", key);
        refuse(reader, reason);
        return NULL;
    }
    skipBlanks(reader);
    if (key != NULL && (reader->at == reader->end || *reader->at != ':')) {
        refuseHere(reader, "a colon after a key");
        return NULL;
    }
    reader->at += key != NULL;
    return key;
}

static JsonValue* readList(Reader* reader, JsonKind kind)
{
    const char close = kind == jsonObject ? '}' : ']';
    JsonValue* list = addValue(reader, kind);
    JsonValue* last = NULL;
    if (list == NULL) {
        return NULL;
    }
    if (++reader->depth > JSON_MAX_DEPTH) {
        return refuse(reader, "nested too deeply");
    }
    reader->at++;
    skipBlanks(reader);
    while (reader->at == reader->end || *reader->at != close) {
        if (last != NULL) {
            if (reader->at == reader->end || *reader->at != ',') {
                return refuseHere(reader, kind == jsonObject ? "a comma or }" : "a comma or ]");
            }
            reader->at++;
            skipBlanks(reader);
        }
        if (kind == jsonObject && list->count == JSON_MAX_KEYS) {
            return refuse(reader, "an object has too many keys");
        }
        const char* key = kind == jsonObject ? readKey(reader, list) : NULL;
        JsonValue* value = reader->status == pbdr_statusOk ? readValue(reader) : NULL;
        if (value == NULL) {
            return NULL;
        }
        value->key = key;
        *(last == NULL ? &list->first : &last->next) = value;
        last = value;
        list->count++;
        skipBlanks(reader);
    }
    reader->at++;
    reader->depth--;
    return list;
}

static JsonValue* readValue(Reader* reader)
{
    skipBlanks(reader);
    char c = reader->at < reader->end ? *reader->at : 0;
    if (c == '{' || c == '[') {
        return readList(reader, c == '{' ? jsonObject : jsonArray);
    }
    if (c == '"') {
        reader->at++;
        JsonValue* value = addValue(reader, jsonString);
        const char* text = value != NULL ? readText(reader) : NULL;
        if (text == NULL) {
            return NULL;
        }
        value->text = text;
        return value;
    }
    return c == '-' || (c >= '0' && c <= '9') ? readNumber(reader) : readWord(reader);
}

pbdrStatus jsonParse(const char* text, size_t size, const pbdrHooks* hooks, JsonTree* tree, pbdrError* error)
{
    *tree = (JsonTree){.root = NULL};
    if (hooks != NULL) {
        tree->hooks = *hooks;
    }
    Reader reader = {.at = text, .end = text + size, .line = 1, .tree = tree, .error = error};
    JsonValue* root = readValue(&reader);
    if (root != NULL) {
        skipBlanks(&reader);
    }
    if (root != NULL && reader.at < reader.end) {
        root = refuseHere(&reader, "the end of the file");
    }
    if (root == NULL) {
        jsonFreeTree(tree);
        tree->line = reader.line;
        return reader.status;
    }
    tree->root = root;
    return pbdr_statusOk;
}

// --- Looking at a tree ---

const JsonValue* jsonFind(const JsonValue* object, const char* key)
{
    const JsonValue* value = object != NULL && object->kind == jsonObject ? object->first : NULL;
    while (value != NULL && strcmp(value->key, key) != 0) {
        value = value->next;
    }
    return value != NULL && value->kind != jsonNull ? value : NULL;
}

const char* jsonDescribe(const JsonValue* value, char* buffer, size_t size)
{
    switch (value->kind) {
    case jsonNull:
        snprintf(buffer, size, "null");
        break;
    case jsonFalse:
    case jsonTrue:
        snprintf(buffer, size, value->kind == jsonTrue ? "true" : "false");
        break;
    case jsonNumberValue:
        snprintf(buffer, size, "%g", value->number);
        break;
    case jsonString:
        snprintf(buffer, size, "the text \"%.40s\"", value->text);
        break;
    case jsonArray:
        snprintf(buffer, size, "an array of %d", value->count);
        break;
    case jsonObject:
        snprintf(buffer, size, "an object");
        break;
    }
    return buffer;
}
