/* Which text of a file or a user may be shown: UTF-8 without control characters. */
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

enum { KN_DIGITS = 32 };

/* The shortest decimal number that reads back to the same bits. */
const char *kn_text_number(char text[KN_DIGITS], double value);

#endif
