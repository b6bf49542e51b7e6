// bench/text.h and src/text/: whatever bytes come in, a terminal gets text and JSON gets UTF-8.
#include "isolate.h"
#include "json_writer.h"
#include "text.h"
#include "utf8.h"

#include "check.h"

#include <stdint.h>

static void sizes__are_those_of_rfc_3629(void)
{
    const struct {
        const char* text;
        size_t size;
    } cases[] = {
        {"", 0},
        {"a", 1},
        {"\x7f", 1},
        {"\xc2\x80", 2},
        {"\xdf\xbf", 2},
        {"\xe0\xa0\x80", 3},
        {"\xef\xbf\xbf", 3},
        {"\xf0\x90\x80\x80", 4},
        {"\xf4\x8f\xbf\xbf", 4},
        {"\x80", 0},             // a byte that continues nothing
        {"\xc0\x80", 0},         // overlong
        {"\xc1\xbf", 0},         // overlong
        {"\xe0\x9f\xbf", 0},     // overlong
        {"\xf0\x8f\xbf\xbf", 0}, // overlong
        {"\xed\xa0\x80", 0},     // a surrogate
        {"\xf4\x90\x80\x80", 0}, // above U+10FFFF
        {"\xf5\x80\x80\x80", 0},
        {"\xff", 0},
        {"\xc3", 0}, // cut off
        {"\xe2\x82", 0},
        {"\xf0\x9f\x98", 0},
        {"\xe2z\x82", 0},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        CHECK_EQ(pbdrGetCharacterSize(cases[k].text), cases[k].size);
    }
}

static void terminals__get_no_control(void)
{
    char text[] = "a\033[31mb\tc\n\x7f\xc2\x9b"
                  "1\x9b \xc3\xa9\xe2\x82\xac\r";
    benchMakePrintable(text);
    CHECK(strcmp(text, "a?[31mb\tc\n???1? \xc3\xa9\xe2\x82\xac?") == 0);
    for (int first = 1; first < 256; first++) {
        for (int second = 1; second < 256; second++) {
            char two[] = {(char)first, (char)second, 0};
            benchMakePrintable(two);
            CHECK_EQ(strlen(two), 2);
            CHECK(strpbrk(two, "\033\a\b\r\x7f") == NULL);
        }
    }
}

static void json__is_utf8_whatever_comes(void)
{
    // random bytes, the same each time
    uint64_t state = 1;
    for (int round = 0; round < 200; round++) {
        char bytes[65] = "", printed[1024];
        for (int k = 0; k < 64; k++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            bytes[k] = (char)(1 + (state >> 33) % 255);
        }
        FILE* file = tmpfile();
        CHECK(file != NULL);
        JsonWriter json = {file, 0, true};
        jsonText(&json, NULL, bytes);
        rewind(file);
        size_t size = fread(printed, 1, sizeof printed - 1, file);
        printed[size] = 0;
        fclose(file);
        CHECK(size >= 2 && printed[0] == '"' && printed[size - 1] == '"');
        for (const char* c = printed; *c != 0;) {
            size_t step = pbdrGetCharacterSize(c);
            CHECK(step > 0 && (unsigned char)*c >= 0x20);
            c += step > 0 ? step : 1;
        }
    }
}

static void plug_in_text__ends_and_is_plain(void)
{
    char open[4] = {'a', 'b', 'c', 'd'}, plain[4] = "ab", odd[8] = "a\nb\xff";
    CHECK(!benchCleanText(open, sizeof open));
    CHECK(strcmp(open, "abc") == 0);
    CHECK(benchCleanText(plain, sizeof plain));
    CHECK(!benchCleanText(odd, sizeof odd));
    CHECK(strcmp(odd, "a?b?") == 0);
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"sizes__are_those_of_rfc_3629", sizes__are_those_of_rfc_3629},
          {"terminals__get_no_control", terminals__get_no_control},
          {"json__is_utf8_whatever_comes", json__is_utf8_whatever_comes},
          {"plug_in_text__ends_and_is_plain", plug_in_text__ends_and_is_plain});
}
