/* Encodes doubles, 64-bit words and bytes as base64 text. */
#include "io/store.h"

#include <string.h>

static void put_group(FILE *to, const unsigned char in[3], int n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";
    enum { PAD = 64 };
    unsigned bits = (unsigned)in[0] << 16 | (unsigned)in[1] << 8 | in[2];
    char out[4] = {digits[bits >> 18], digits[bits >> 12 & 63], digits[n > 1 ? bits >> 6 & 63 : PAD],
                   digits[n > 2 ? bits & 63 : PAD]};
    fwrite(out, 1, sizeof out, to);
}

void kn_base64_byte(struct kn_base64 *b, unsigned char byte)
{
    b->waiting[b->n++] = byte;
    if (b->n == 3) {
        put_group(b->to, b->waiting, 3);
        b->n = 0;
    }
}

void kn_base64_word(struct kn_base64 *b, uint64_t word)
{
    for (int i = 0; i < 8; i++)
        kn_base64_byte(b, (unsigned char)(word >> 8 * i));
}

void kn_base64_real(struct kn_base64 *b, double value)
{
    uint64_t word;
    memcpy(&word, &value, sizeof word);
    kn_base64_word(b, word);
}

void kn_base64_end(struct kn_base64 *b)
{
    if (b->n > 0) {
        memset(b->waiting + b->n, 0, (size_t)(3 - b->n));
        put_group(b->to, b->waiting, b->n);
    }
    b->n = 0;
}
