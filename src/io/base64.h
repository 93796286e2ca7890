/* Writing doubles and 64-bit words as base64 text, lowest byte first on every machine. */
#ifndef KN_IO_BASE64_H
#define KN_IO_BASE64_H

#include <stdint.h>
#include <stdio.h>

struct kn_base64 {
    FILE *to;
    unsigned char waiting[3];
    int n; /* bytes that wait */
};

void kn_base64_word(struct kn_base64 *b, uint64_t word);
void kn_base64_real(struct kn_base64 *b, double value);
void kn_base64_end(struct kn_base64 *b); /* writes the last bytes; the next text may follow */

#endif
