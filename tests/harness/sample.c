// Cases that fail in every way that check.h knows, for harness_test.sh, which chooses one at a time.
#include "check.h"

static void pass__is_counted(void)
{
    CHECK_NEAR(1.0 + 1.0, 2.0, 0.0);
    CHECK_LE(1.0, 1.0);
}

static void near__fails(void)
{
    CHECK_NEAR(2.5, 2.0, 0.25);
}

static void near__fails_on_nan(void)
{
    CHECK_NEAR((double)NAN, 2.0, 1e9);
}

static void bounds__fail(void)
{
    CHECK(1 > 2);
    CHECK_LE(3.0, 2.0);
    CHECK_GE(2.0, 3.0);
    CHECK_EQ(2.0, 3.0);
    CHECK_TEXT("one two", "three");
}

static void skip__is_counted(void)
{
    SKIP("no reason");
}

static void crash__by_a_null_pointer(void)
{
    volatile int* volatile nothing = NULL;
    *nothing = 1;
}

static void crash__by_abort(void)
{
    abort();
}

static void crash__by_exit(void)
{
    exit(0);
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"pass__is_counted", pass__is_counted}, {"near__fails", near__fails},
          {"near__fails_on_nan", near__fails_on_nan}, {"bounds__fail", bounds__fail},
          {"skip__is_counted", skip__is_counted}, {"crash__by_a_null_pointer", crash__by_a_null_pointer},
          {"crash__by_abort", crash__by_abort}, {"crash__by_exit", crash__by_exit});
}
