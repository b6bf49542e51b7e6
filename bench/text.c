// Text that came from outside, on its way to a terminal.
#include "text.h"

#include "utf8.h"

#include <stdarg.h>
#include <stdio.h>

void benchMakePrintable(char* text)
{
    for (size_t size = 1; *text != 0; text += size) {
        const unsigned char* c = (const unsigned char*)text;
        size = pbdrGetCharacterSize(text);
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
