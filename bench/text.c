// UTF-8, after RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF.
#include "text.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

size_t benchGetCharacterSize(const char* text)
{
    const unsigned char* c = (const unsigned char*)text;
    if (c[0] < 0x80) {
        return c[0] != 0;
    }
    size_t size = c[0] >= 0xc2 && c[0] < 0xe0   ? 2
                  : c[0] >= 0xe0 && c[0] < 0xf0 ? 3
                  : c[0] >= 0xf0 && c[0] < 0xf5 ? 4
                                                : 0;
    for (size_t k = 1; k < size; k++) {
        if ((c[k] & 0xc0) != 0x80) { // a closing zero too
            return 0;
        }
    }
    const int second = size >= 3 ? (c[0] << 8) | c[1] : 0;
    bool wrong = (second >= 0xe080 && second < 0xe0a0) || (second >= 0xeda0 && second < 0xee00) ||
                 (second >= 0xf080 && second < 0xf090) || (second >= 0xf490 && second < 0xf500);
    return wrong ? 0 : size;
}

void benchMakePrintable(char* text)
{
    for (size_t size = 1; *text != 0; text += size) {
        const unsigned char* c = (const unsigned char*)text;
        size = benchGetCharacterSize(text);
        bool control = (c[0] < 0x20 && c[0] != '\n' && c[0] != '\t') || c[0] == 0x7f ||
                       (c[0] == 0xc2 && c[1] < 0xa0); // U+0080 to U+009F: the 8-bit escapes
        if (size == 0 || control) {
            *text = '?';
            size = 1;
        }
    }
}

void benchPrintMessage(const char* format, ...)
{
    char text[8192];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length < 0) {
        return;
    }
    benchMakePrintable(text);
    fputs(text, stderr);
    fputs((size_t)length >= sizeof text ? "...\n" : "", stderr);
}
