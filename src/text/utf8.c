// The one place that knows which bytes are UTF-8.
#include "text/utf8.h"

size_t pbdrGetCharacterSize(const char* text)
{
    const unsigned char* c = (const unsigned char*)text;
    if (c[0] < 0x80) {
        return c[0] != 0;
    }
    size_t size = c[0] >= 0xc2 && c[0] <= 0xdf   ? 2
                  : c[0] >= 0xe0 && c[0] <= 0xef ? 3
                  : c[0] >= 0xf0 && c[0] <= 0xf4 ? 4
                                                 : 0;
    // What the second byte may be, after table 3-7 of the Unicode standard; a closing zero is none.
    unsigned char least = c[0] == 0xe0 ? 0xa0 : c[0] == 0xf0 ? 0x90 : 0x80;
    unsigned char most = c[0] == 0xed ? 0x9f : c[0] == 0xf4 ? 0x8f : 0xbf;
    for (size_t k = 1; k < size; k++) {
        if (c[k] < (k == 1 ? least : 0x80) || c[k] > (k == 1 ? most : 0xbf)) {
            return 0;
        }
    }
    return size;
}
