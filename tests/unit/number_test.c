// Numbers as text: the nearest double, whatever the locale, and nothing that is no number.
#include "check.h"
#include "math/random.h"
#include "text/number.h"

#include <locale.h>

static bool isSame(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

// 1e5 doubles of all sizes, printed with 17 digits, and some with fewer and with many more.
static void readBack(void)
{
    uint64_t seed = 1;
    int wrong = 0;
    char point[8] = "";
    snprintf(point, sizeof point, "%.1f", 0.5);
    for (int i = 0; i < 100000; i++) {
        static const char* const formats[] = {"%.17g", "%.16e", "%.17E", "%.9f", "%.60f", "%.40g"};
        double value, read = 0.0;
        uint64_t bits = pbdrNextBits(&seed);
        memcpy(&value, &bits, sizeof value);
        value = isfinite(value) ? value : 0.0;
        if (i % 2 == 0) {
            value = 100.0 * (pbdrNextUniform(&seed) - 0.5);
        }
        int format = fabs(value) < 1.0e20 && fabs(value) > 1.0e-9 ? i % 6 : i % 3;
        char text[400];
        snprintf(text, sizeof text, formats[format], value);
        if (format == 3) {
            value = strtod(text, NULL); // rounded, in the locale's own way
        }
        char* comma = strchr(text, point[1]);
        if (comma != NULL) {
            *comma = '.';
        }
        wrong += !pbdrParseDecimal(text, text + strlen(text), &read) || !isSame(read, value);
    }
    CHECK_EQ(wrong, 0);
}

static void number__is_the_nearest_double(void)
{
    readBack();
    static const struct {
        const char* text;
        double value;
    } cases[] = {
        {"0", 0.0},
        {"-0", -0.0},
        {".5", 0.5},
        {"2.", 2.0},
        {"+1.5E+3", 1500.0},
        {"9007199254740993", 9007199254740992.0},
        {"9007199254740993.00000000000000000000000000000001", 9007199254740994.0}, // above the tie
        {"1.7976931348623157e308", 1.7976931348623157e308},
        {"4.9406564584124654e-324", 4.9406564584124654e-324},
        {"1e-999", 0.0},
        {"0.1e00000000000000000001", 1.0},
        {"-1e999", -(double)INFINITY},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double value = -7.0;
        CHECK(pbdrParseNumber(cases[i].text, &value));
        CHECK(isSame(value, cases[i].value));
    }
}

static void number__is_the_same_in_a_locale_with_a_comma(void)
{
    static const char* const names[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8", "pl_PL.UTF-8"};
    const char* found = NULL;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && found == NULL; i++) {
        found = setlocale(LC_NUMERIC, names[i]);
    }
    if (found == NULL) {
        SKIP("no locale with a decimal comma here (Debian: locales-all)");
    }
    CHECK(strcmp(localeconv()->decimal_point, ",") == 0);
    double value = 0.0;
    CHECK(pbdrParseNumber("-1.25e2", &value) && value == -125.0);
    CHECK(!pbdrParseNumber("1,5", &value));
    readBack();
    setlocale(LC_NUMERIC, "C");
}

static void number__refuses_what_is_none(void)
{
    static const char* const texts[] = {
        "",   ".",   "-",   "+.",    "e5",    "1e",   "1e+", "1.5.2",   "1,5",   " 1",    "1 ",      "0x10",
        "1f", "--1", "+-1", "1e5.0", "nan()", "nano", "in",  "infinit", "1_000", "1'000", "\xd9\xa1"};
    double value;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        bool taken = pbdrParseNumber(texts[i], &value);
        if (taken) {
            printf("    \"%s\" was taken\n", texts[i]);
        }
        CHECK(!taken);
    }
    char text[600];
    memset(text, '1', sizeof text);
    CHECK(pbdrParseDecimal(text, text + PBDR_MAX_NUMBER_LENGTH, &value));
    CHECK(!pbdrParseDecimal(text, text + PBDR_MAX_NUMBER_LENGTH + 1, &value));
}

static void number__may_be_a_word_where_words_are_allowed(void)
{
    double value = 0.0;
    CHECK(pbdrParseNumber("nan", &value) && isnan(value));
    CHECK(pbdrParseNumber("-NaN", &value) && isnan(value));
    CHECK(pbdrParseNumber("-inf", &value) && value < 0.0 && isinf(value));
    CHECK(pbdrParseNumber("Infinity", &value) && value > 0.0 && isinf(value));
    const char* word = "inf";
    CHECK(!pbdrParseDecimal(word, word + 3, &value));
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"number__is_the_nearest_double", number__is_the_nearest_double},
          {"number__is_the_same_in_a_locale_with_a_comma", number__is_the_same_in_a_locale_with_a_comma},
          {"number__refuses_what_is_none", number__refuses_what_is_none},
          {"number__may_be_a_word_where_words_are_allowed", number__may_be_a_word_where_words_are_allowed});
}
