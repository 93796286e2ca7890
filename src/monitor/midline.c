#include "monitor/midline.h"

#include <math.h>
#include <string.h>

/* The two cells whose centres lie about the middle of an axis, and how much
 * each counts there: halves for an even number of cells, one for an odd. */
struct middle {
    int cell[2];
    double weight[2];
};

static struct middle find_middle(const struct kn_space *space, int axis)
{
    const double *edge = space->edges[axis];
    int n = space->whole[axis], high = 0;
    if (n == 1)
        return (struct middle){{0, 0}, {1, 0}};
    double twice = edge[0] + edge[n];
    while (high < n - 1 && edge[high] + edge[high + 1] < twice)
        high++;
    int low = high > 0 ? high - 1 : 0;
    double below = twice - (edge[low] + edge[low + 1]), above = edge[high] + edge[high + 1] - twice;
    double share = below + above > 0 ? below / (below + above) : 1;
    return (struct middle){{low, high}, {1 - share, share}};
}

/* The cell of this rank at a place of the whole space; -1 where it belongs to another. */
static int own_cell(const struct kn_space *space, const int at[3])
{
    int cell = 0;
    for (int d = 2; d >= 0; d--) {
        if (at[d] < space->box.first[d] || at[d] >= space->box.end[d])
            return -1;
        cell = cell * space->cells[d] + at[d] - space->box.first[d];
    }
    return cell;
}

/* u_x of the cells about the middle, from the ranks that have them.  One rank has each, and the others add
 * zeros: the sum of the bits is its bits. */
static void gather(const struct kn_space *space, const struct kn_comm *comm, struct middle x, struct middle z,
                   const double *fields, int64_t *bits)
{
    const int ny = space->whole[1];
    int64_t *to = bits;
    memset(bits, 0, (size_t)ny * KN_MIDLINE_CELLS * sizeof *bits);
    for (int j = 0; j < ny; j++)
        for (int k = 0; k < 2; k++)
            for (int i = 0; i < 2; i++, to++) {
                const int cell = own_cell(space, (int[]){x.cell[i], j, z.cell[k]});
                if (cell >= 0)
                    memcpy(to, &fields[(size_t)cell * KN_FIELDS + KN_UX], sizeof *to);
            }
    kn_comm_sum(comm, bits, ny * KN_MIDLINE_CELLS);
}

double kn_midline_flow(const struct kn_space *space, const struct kn_comm *comm, const double *fields,
                       int64_t *bits)
{
    const struct middle x = find_middle(space, 0), z = find_middle(space, 2);
    const double *edge = space->edges[1];
    double sum = 0, height = 0;
    gather(space, comm, x, z, fields, bits);
    for (int j = 0; j < space->whole[1]; j++) {
        double u = 0, at, dy = edge[j + 1] - edge[j];
        for (int k = 0; k < 2; k++)
            for (int i = 0; i < 2; i++, bits++) {
                memcpy(&at, bits, sizeof at);
                u += x.weight[i] * z.weight[k] * at;
            }
        sum += dy * fabs(u);
        height += dy;
    }
    return sum / height;
}
