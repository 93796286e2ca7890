/* knudsen bench: how fast this machine is, counted as the paper counts. */
#ifndef KN_BENCH_H
#define KN_BENCH_H

#include <stdbool.h>

/* All sizes of the paper, or a few; a table, or JSON; also other cases as users
 * run them; table and pictures also into `folder` (may be NULL). */
int kn_bench(bool paper, bool json, bool cases, const char *folder);

#endif
