/* Smooth bodies: shapes whose surface cuts cells, by their signed distance. */
#ifndef KN_SHAPE_H
#define KN_SHAPE_H

#include "knudsen.h"

struct kn_triangles;

enum kn_shape_kind { KN_SHAPE_NONE, KN_SHAPE_CYLINDER, KN_SHAPE_SPHERE, KN_SHAPE_POLYGON, KN_SHAPE_SURFACE };

/* One shape; lengths in lambda0. */
struct kn_shape_body {
    enum kn_shape_kind kind;
    bool outside; /* the body is everything outside of the shape */
    int axis;     /* of a cylinder or of the prism of a polygon */
    double centre[3], radius;
    int corners;
    double (*corner)[2];            /* [corners] of a polygon, anticlockwise */
    struct kn_triangles *triangles; /* of a surface */
};

/* The shapes of all bodies; those of boxes, plates and images are KN_SHAPE_NONE. */
struct kn_shapes {
    int count;
    struct kn_shape_body *of; /* [count] */
};

/* Number of smooth shapes that a body has: one is usual, 0 is another body. */
int kn_shape_count(const struct kn_body *b);
bool kn_shape_is_smooth(const struct kn_body *b);

/* True for a cylinder or a sphere: it can rotate without a displacement of the gas. */
bool kn_shape_is_round(const struct kn_body *b);

/* True if one of the bodies is smooth. */
bool kn_shape_any(const struct kn_case *c);

/* The shape of a smooth body; reads its file if it has one. KN_EINPUT: the file has no such shape. */
enum kn_status kn_shape_read(struct kn_shape_body *s, const struct kn_case *c, const struct kn_body *b);
void kn_shape_free(struct kn_shape_body *s);

/* The shapes of all bodies of a case. */
enum kn_status kn_shape_create(struct kn_shapes *shapes, const struct kn_case *c);
void kn_shape_destroy(struct kn_shapes *shapes);

/* Signed distance from the surface of the body to a point, positive in the gas; infinite without a shape. */
double kn_shape_distance(const struct kn_shape_body *s, const double at[3]);

/* The body nearest to a point, by signed distance, and the first of those that coincide within a margin;
 * *distance may be NULL. */
int kn_shape_nearest(const struct kn_shapes *shapes, const double at[3], double margin, double *distance);

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
