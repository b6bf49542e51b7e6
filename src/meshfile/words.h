// Words and whole numbers of a text in memory, line by line. Free of the locale, which isspace follows;
// text/number.h has the other numbers.
#ifndef PBDR_MESHFILE_WORDS_H
#define PBDR_MESHFILE_WORDS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct pbdrWord {
    const char *start, *end;
} pbdrWord;

// A word as a message may show it: its beginning, without what a terminal would choke on.
typedef struct pbdrShownWord {
    char text[24];
} pbdrShownWord;

typedef struct pbdrText {
    const char *start, *end;
    const char *at, *lineEnd; // where reading is, and the end of its line; NULL before the first line
    int line;                 // from 1; 0 before the first line
} pbdrText;

// Goes to the next line; false at the end of the text. The first call goes to the first line.
bool pbdrNextLine(pbdrText* text);

// The next word of the line; false, and an empty word, at its end. A backslash at the end of a line joins the
// next line to it, as OBJ has it.
bool pbdrNextWord(pbdrText* text, pbdrWord* word);

// Whether a word is `name`, which is in lower case, in any case.
bool pbdrIsWord(pbdrWord word, const char* name);

pbdrShownWord pbdrShowWord(pbdrWord word);

// A whole number of at most ten digits. The only sign is a minus, and not before 0.
bool pbdrParseInteger(pbdrWord word, int64_t* value);

#endif
