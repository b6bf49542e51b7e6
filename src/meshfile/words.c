// Words and numbers of a text in memory.
#include "meshfile/words.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

// Characters of a number at most. A real one has 24; assimp copies words into a buffer of its own.
#define MAX_NUMBER_LENGTH 64
// Digits before the point at most: assimp reads a 64-bit integer there, and takes one that overflows for 0.
#define MAX_WHOLE_DIGITS 18
#define MAX_INTEGER_DIGITS 10
#define MAX_EXPONENT_DIGITS 4

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

// Reads digits, appends them to *value, and returns how many there were.
static int readDigits(const char** at, const char* end, double* value)
{
    int count = 0;
    for (; *at < end && **at >= '0' && **at <= '9' && count <= MAX_NUMBER_LENGTH; (*at)++, count++) {
        *value = 10.0 * *value + (**at - '0');
    }
    return count;
}

// Reads a sign if there is one; whether it is a minus.
static bool readSign(const char** at, const char* end)
{
    bool negative = *at < end && **at == '-';
    *at += *at < end && (**at == '-' || **at == '+');
    return negative;
}

bool pbdrParseInteger(pbdrWord word, int64_t* value)
{
    bool negative = word.start < word.end && *word.start == '-';
    const char* at = word.start + (negative ? 1 : 0);
    double sum = 0.0;
    int digits = readDigits(&at, word.end, &sum);
    if (at != word.end || digits < 1 || digits > MAX_INTEGER_DIGITS || (negative && sum == 0.0)) {
        return false;
    }
    *value = negative ? -(int64_t)sum : (int64_t)sum;
    return true;
}

bool pbdrParseNumber(pbdrWord word, double* value)
{
    const char *at = word.start, *end = word.end;
    double sum = 0.0, power = 0.0;
    bool negative = readSign(&at, end);
    int whole = readDigits(&at, end, &sum), fraction = 0;
    if (at < end && *at == '.') {
        at++;
        fraction = readDigits(&at, end, &sum);
    }
    if (whole + fraction < 1 || whole > MAX_WHOLE_DIGITS || end - word.start > MAX_NUMBER_LENGTH) {
        return false;
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        at++;
        double sign = readSign(&at, end) ? -1.0 : 1.0;
        int digits = readDigits(&at, end, &power);
        if (digits < 1 || digits > MAX_EXPONENT_DIGITS) {
            return false;
        }
        power *= sign;
    }
    *value = (negative ? -sum : sum) * pow(10.0, power - fraction);
    return at == end;
}
