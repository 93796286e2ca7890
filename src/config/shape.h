/* Smooth bodies: shapes whose surface cuts cells, by their signed distance. */
#ifndef KN_SHAPE_H
#define KN_SHAPE_H

#include "knudsen.h"

enum kn_shape_kind { KN_SHAPE_CYLINDER, KN_SHAPE_SPHERE, KN_SHAPE_POLYGON };

/* One shape; lengths in lambda0. */
struct kn_shape_body {
    enum kn_shape_kind kind;
    bool outside; /* the body is everything outside of the shape */
    int axis;     /* of a cylinder or of the prism of a polygon */
    double centre[3], radius;
    int corners;
    double corner[KN_CORNERS][2]; /* anticlockwise */
};

/* Number of smooth shapes that a body has: one is usual, 0 is another body. */
int kn_shape_count(const struct kn_body *b);
bool kn_shape_is_smooth(const struct kn_body *b);

/* True for a cylinder or a sphere: it can rotate without a displacement of the gas. */
bool kn_shape_is_round(const struct kn_body *b);

/* True if one of the bodies is smooth. */
bool kn_shape_any(const struct kn_case *c);

/* The shape of a smooth body. */
struct kn_shape_body kn_shape_of(const struct kn_case *c, const struct kn_body *b);

/* Signed distance from the surface of the body to a point, positive in the gas. */
double kn_shape_distance(const struct kn_shape_body *s, const double at[3]);

/* Lower and upper end of the shape along an axis; infinite along that of a cylinder or prism. */
void kn_shape_bounds(const struct kn_shape_body *s, int axis, double bounds[2]);

/* True if the gas is inside of a smooth body that ends before an end of an axis. */
bool kn_shape_encloses(const struct kn_case *c, int axis, bool high);

/* The largest velocity of the surface of a smooth body by its rotation, eps V0. */
double kn_shape_speed(const struct kn_case *c, const struct kn_body *b);

/* Number of cells that surfaces cut, about; at most 1e8. */
double kn_shape_facets(const struct kn_case *c);

/* The checks of kn_case_check for smooth bodies. */
enum kn_status kn_shape_check(const struct kn_case *c);

#endif
