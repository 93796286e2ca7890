/* Estimated time to the end of a run, from the clock at steps and the residuals of rows. */
#ifndef KN_ETA_H
#define KN_ETA_H

#include <stdint.h>

/* State of a run at one moment. */
struct kn_eta_mark {
    double clock;    /* s */
    double output_s; /* s spent on files since the process began */
    int64_t step;
};

struct kn_eta {
    int64_t last;    /* step */
    double limit;    /* of the residual; 0: the residual does not end the run */
    double deadline; /* s on the clock; infinite: none */
    struct kn_eta_mark first, latest;
    double steps, seconds;           /* weighted sums over the recent past; seconds without output */
    double steady;                   /* step at which the run is expected to be steady; infinite: unknown */
    double rows;                     /* weighted number of rows, and weighted means over them: */
    double mean_step, mean_log;      /* step and log residual */
    double square_step, product_log; /* products of deviations: step with step, step with log residual */
    double row_step;                 /* of the latest row */
};

enum kn_eta_end { KN_ETA_LAST_STEP, KN_ETA_RESIDUAL, KN_ETA_STEADY, KN_ETA_DEADLINE };

struct kn_eta_left {
    double seconds; /* infinite while unknown */
    double steps;
    enum kn_eta_end by; /* the condition that ends the run first */
};

void kn_eta_start(struct kn_eta *e, const struct kn_eta_mark *first, int64_t last, double limit,
                  double deadline);

/* Call after a step and after a row, at any interval. */
void kn_eta_step(struct kn_eta *e, const struct kn_eta_mark *now);
void kn_eta_row(struct kn_eta *e, int64_t step, double residual);

/* Set the step at which the run is expected to be steady; NaN: unknown. */
void kn_eta_expect(struct kn_eta *e, double step);

/* Steps per second, without pauses for output; 0 while unknown. */
double kn_eta_rate(const struct kn_eta *e);

struct kn_eta_left kn_eta_left(const struct kn_eta *e, const struct kn_eta_mark *now);

#endif
