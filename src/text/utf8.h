// UTF-8, after RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF.
#ifndef PBDR_TEXT_UTF8_H
#define PBDR_TEXT_UTF8_H

#include <stddef.h>

// Bytes of the UTF-8 character that text begins with, 1 to 4; 0 if it begins with none, or with the text's
// end.
size_t pbdrGetCharacterSize(const char* text);

#endif
