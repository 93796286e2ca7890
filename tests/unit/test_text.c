/* Printable text, and messages that contain no other text. */
#include "error.h"
#include "text.h"
#include "unit/scratch.h"

static void letters(void **state)
{
    (void)state;
    assert_int_equal(kn_text_letter("a"), 1);
    assert_int_equal(kn_text_letter("δ"), 2);
    assert_int_equal(kn_text_letter("−"), 3);
    assert_int_equal(kn_text_letter("\xf0\x9f\x8c\x8d"), 4);
    static const char *const none[] = {"",
                                       "\n",
                                       "\x1b[31m",
                                       "\x7f",
                                       "\x80",
                                       "\xc3",
                                       "\xc3(",
                                       "\xc0\xaf",
                                       "\xe0\x80\xaf",
                                       "\xc2\x9b",
                                       "\xed\xa0\x80",
                                       "\xff",
                                       "\xf4\x90\x80\x80",
                                       "\xf8\x88\x80\x80\x80"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_int_equal(kn_text_letter(none[i]), 0);
}

static void texts(void **state)
{
    (void)state;
    char text[] = "a\nb\x1b[0mδ\xff";
    assert_true(kn_text_is_clean("argon, δ = 1"));
    assert_true(kn_text_is_clean(""));
    assert_false(kn_text_is_clean(text));
    kn_text_clean(text);
    assert_string_equal(text, "a?b?[0mδ?");
}

static void messages(void **state)
{
    (void)state;
    assert_int_equal(kn_error_set(KN_EIO, "no '%s'", "x\n\x1b]0;y\a"), KN_EIO);
    assert_string_equal(kn_error_message(), "no 'x??]0;y?'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(letters), TEST(texts), TEST(messages)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
