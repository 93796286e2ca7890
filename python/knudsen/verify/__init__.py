"""Comparison of the cases with published, exact and independently computed values: ``knudsen verify``.

Each setting of a case is run three times: as it is, on half the cells along each axis (a uniform gas with twice
the time step), and on three quarters of the velocity nodes.  Q is the quantity.

error in space      3 / (2^order - 1) |Q - Q coarse|, the grid convergence index of Roache for two grids; the order
                    is at most 2, that of the splitting, since the steps become longer with the cells
error in velocity   3 |Q - Q coarse|: the same factor without an order, since the error changes its sign with the
                    number of nodes.  Points of a profile share the largest of both errors, and so do amplitude
                    and phase.
unsteadiness        |Q - Q at 3/4 of the run|; of iterations for a steady state 10 times the last change of the
                    solution, relative to |Q|
rounding            1e-5 |Q|, since the state is stored in single precision
statistical error   one standard error, where collisions are sampled
tolerance           error of the reference + the first four + 3 statistical errors

A check passes when the deviation is within the tolerance, and within the bar if the reference has one.  A check
that passes without a bar, and with a tolerance above a tenth of the value (of a profile: of its largest value; of
a phase: of a radian), is open.  A check fails if the run diverges or if the quantity cannot be measured.
"""
