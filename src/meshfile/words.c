// Words and whole numbers of a text in memory.
#include "meshfile/words.h"

#include <stddef.h>
#include <string.h>

#define MAX_INTEGER_DIGITS 10

bool pbdrNextLine(pbdrText* text)
{
    const char* next = text->lineEnd == NULL ? text->start : text->lineEnd;
    if (text->lineEnd != NULL && next < text->end) {
        next++; // over the line feed
    }
    if (next == text->end) {
        return false;
    }
    const char* found = memchr(next, '\n', (size_t)(text->end - next));
    text->at = next;
    text->lineEnd = found != NULL ? found : text->end;
    text->line++;
    return true;
}

static bool isBlank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

bool pbdrNextWord(pbdrText* text, pbdrWord* word)
{
    for (;;) {
        while (text->at < text->lineEnd && isBlank(*text->at)) {
            text->at++;
        }
        word->start = text->at;
        while (text->at < text->lineEnd && !isBlank(*text->at)) {
            text->at++;
        }
        word->end = text->at;
        bool joins = word->end - word->start == 1 && *word->start == '\\';
        if (!joins || !pbdrNextLine(text)) {
            return word->end > word->start;
        }
    }
}

static char toLower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

bool pbdrIsWord(pbdrWord word, const char* name)
{
    size_t length = (size_t)(word.end - word.start), i = 0;
    if (length != strlen(name)) {
        return false;
    }
    while (i < length && toLower(word.start[i]) == name[i]) {
        i++;
    }
    return i == length;
}

pbdrShownWord pbdrShowWord(pbdrWord word)
{
    pbdrShownWord shown = {""};
    for (size_t i = 0; i + 1 < sizeof shown.text && i < (size_t)(word.end - word.start); i++) {
        char c = word.start[i];
        shown.text[i] = c >= ' ' && c <= '~' ? c : '?';
    }
    return shown;
}

bool pbdrParseInteger(pbdrWord word, int64_t* value)
{
    bool negative = word.start < word.end && *word.start == '-';
    const char* at = word.start + (negative ? 1 : 0);
    int64_t sum = 0;
    if (at == word.end || word.end - at > MAX_INTEGER_DIGITS) {
        return false;
    }
    for (; at < word.end; at++) {
        if (*at < '0' || *at > '9') {
            return false;
        }
        sum = 10 * sum + (*at - '0');
    }
    *value = negative ? -sum : sum;
    return !negative || sum > 0;
}
