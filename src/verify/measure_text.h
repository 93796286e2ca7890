/* The text of a quantity, taken apart. */
#ifndef KN_MEASURE_TEXT_H
#define KN_MEASURE_TEXT_H

#include "knudsen.h"

/* clang-format off */
enum kn_measure_kind {
    KN_MEASURE_MEAN, KN_MEASURE_VALUE, KN_MEASURE_SHARE, KN_MEASURE_AMPLITUDE, KN_MEASURE_PHASE, /* columns */
    KN_MEASURE_RATE,
    KN_MEASURE_POINT, KN_MEASURE_POINT_VALUE, KN_MEASURE_POINT_AMPLITUDE, KN_MEASURE_POINT_PHASE, /* at a place */
    KN_MEASURE_PROFILE,
    KN_MEASURE_FAR, KN_MEASURE_SLIP, KN_MEASURE_DECAY, KN_MEASURE_HEAT, KN_MEASURE_DAMPING,
    KN_MEASURE_FREQUENCY, KN_MEASURE_WAVENUMBER, KN_MEASURE_ATTENUATION, KN_MEASURE_THICKNESS, KN_MEASURE_LEAD
};
/* clang-format on */

struct kn_measure_text {
    enum kn_measure_kind kind;
    double sign;
    char name[64]; /* of the column */
    int field;     /* enum kn_field, of the others */
    double time;   /* of KN_MEASURE_VALUE, _SHARE and _POINT_VALUE */
    int axes;      /* coordinates given */
    double at[3];
};

enum kn_status kn_measure_parse(struct kn_measure_text *q, const char *quantity);

#endif
