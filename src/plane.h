/* A plane cut out of the gas: values anywhere in it, and its streamlines. */
#ifndef KN_PLANE_H
#define KN_PLANE_H

#include <stdbool.h>
#include <stdio.h>

/* What fields.h5 holds, lengths in L. */
struct kn_gas {
    int cells[3];
    double *edges[3];   /* [cells[d] + 1] */
    double *centres[3]; /* [cells[d]] */
    double *u;          /* [nz][ny][nx][3], V0 eps */
    double *theta;      /* [nz][ny][nx], T0 eps */
    double *rho;        /* [nz][ny][nx], n0 eps */
    double time;        /* lambda0 / V0 */
    double delta;
    bool mean;                 /* u and theta are averages over time */
    double speed, heat, dense; /* largest |u|, |theta| and |rho| */
};

/* Two axes of the box, the third cut in the middle. */
struct kn_plane {
    const struct kn_gas *gas;
    int axis[2];
    int cut;                /* index along the third axis */
    double low[2], high[2]; /* L */
};

struct kn_plane kn_plane_cut(const struct kn_gas *g);

struct kn_plane_point {
    double u[2];  /* in the plane */
    double speed; /* all three components */
    double theta;
};

/* Bilinear between centres, constant from the last centre to the wall. */
struct kn_plane_point kn_plane_sample(const struct kn_plane *p, const double place[2]);

/* Streamlines as gnuplot's data blocks $lines (x y) and $heads (x y dx dy, one
 * arrow a line); false when out of memory. */
bool kn_plane_print_lines(FILE *to, const struct kn_plane *p);

#endif
