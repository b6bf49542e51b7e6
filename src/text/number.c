// The C library's strtod rounds correctly, but wants the decimal point of the locale that the host program
// has chosen. So the text is checked here, and strtod gets it with a point first, which is right nearly
// always; if it stops there, it gets it again with the locale's.
#include "text/number.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Room for the decimal point of a locale, which may take several bytes.
#define MAX_POINT_LENGTH 15

static const char* skipSign(const char* at, const char* end)
{
    return at + (at < end && (*at == '-' || *at == '+'));
}

static const char* skipDigits(const char* at, const char* end)
{
    while (at < end && *at >= '0' && *at <= '9') {
        at++;
    }
    return at;
}

// Whether the text is a decimal number; *point is where its point stands, or NULL.
static bool isDecimal(const char* start, const char* end, const char** point)
{
    const char* whole = skipSign(start, end);
    const char* at = skipDigits(whole, end);
    long digits = (long)(at - whole);
    *point = NULL;
    if (at < end && *at == '.') {
        *point = at++;
        at = skipDigits(at, end);
        digits += (long)(at - *point) - 1;
    }
    if (digits > 0 && at < end && (*at == 'e' || *at == 'E')) {
        const char* exponent = skipSign(at + 1, end);
        at = skipDigits(exponent, end);
        digits = (long)(at - exponent);
    }
    return digits > 0 && at == end;
}

bool pbdrParseDecimal(const char* start, const char* end, double* value)
{
    char copy[PBDR_MAX_NUMBER_LENGTH + MAX_POINT_LENGTH + 1];
    const char* point;
    size_t length = (size_t)(end - start);
    if (length > PBDR_MAX_NUMBER_LENGTH || !isDecimal(start, end, &point)) {
        return false;
    }
    memcpy(copy, start, length);
    copy[length] = 0;
    char* stop;
    *value = strtod(copy, &stop);
    if (stop == copy + length) {
        return true;
    }
    const char* localPoint = localeconv()->decimal_point;
    size_t before = point != NULL ? (size_t)(point - start) : length, pointLength = strlen(localPoint);
    if (point == NULL || pointLength > MAX_POINT_LENGTH) {
        return false;
    }
    memcpy(copy + before, localPoint, pointLength);
    memcpy(copy + before + pointLength, point + 1, length - before - 1);
    copy[length - 1 + pointLength] = 0;
    *value = strtod(copy, &stop);
    return *stop == 0;
}

// In any case; `name` is in lower case.
static bool isName(const char* text, const char* name)
{
    while (*name != 0 && (*text == *name || *text == *name - 'a' + 'A')) {
        text++;
        name++;
    }
    return *name == 0 && *text == 0;
}

bool pbdrParseNumber(const char* text, double* value)
{
    const char* end = text + strlen(text);
    const char* name = skipSign(text, end);
    if (isName(name, "nan")) {
        *value = (double)NAN;
        return true;
    }
    if (isName(name, "inf") || isName(name, "infinity")) {
        *value = text[0] == '-' ? -(double)INFINITY : (double)INFINITY;
        return true;
    }
    return pbdrParseDecimal(text, end, value);
}
