/* Text of files and users for display: UTF-8 without control characters; numbers as text. */
#ifndef KN_TEXT_H
#define KN_TEXT_H

#include <stdbool.h>
#include <stdio.h>

/* Bytes of the printable character that begins here; 0 at the end, at a control character and at a byte that
 * is not UTF-8. */
size_t kn_text_letter(const char *at);

bool kn_text_is_clean(const char *text);

/* Replace every byte that is not part of a printable character by '?'. */
void kn_text_clean(char *text);

/* Print it with the same replacement. */
void kn_text_print(FILE *to, const char *text);

/* The end of a plain decimal number at the beginning of a text; the text itself if there is none.  Other
 * forms that strtod accepts (hexadecimal, inf, nan, blanks) are not numbers. */
const char *kn_text_number_end(const char *text);

enum { KN_DIGITS = 32 };

/* The shortest decimal number that reads back to the same bits. */
const char *kn_text_number(char text[KN_DIGITS], double value);

#endif
