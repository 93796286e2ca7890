"""The flows of Frezzotti, Ghiroldi and Gibelli: their discretisations, and the values published for them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Published:
    """Values of one quantity."""

    paper: float  # on the stretched grid
    limit: float  # extrapolated by the paper
    bgk: str  # Varoutis, Valougeorgis, Sharipov 2008, as the paper quotes them
    exact: float  # independent computation, unpublished


@dataclass(frozen=True)
class Flow:
    """One of the three cavities."""

    delta: str
    side: int  # cells along a side of the stretched grid
    stretch: tuple
    nodes: int  # per axis of velocity space
    ratio: float
    samples: int
    drag: Published
    flow: Published
    midline: tuple  # independent computation: u_x / u_w on the vertical midline, at MIDLINE

    def published(self, quantity):
        return self.flow if quantity == FLOW else self.drag


# The paper's D is the stress in the cells at the lid, half a cell below it; elsewhere in this program D is the
# stress on the lid itself.
QUANTITIES = CELLS, WALL, FLOW = range(3)
MIDLINE = (0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1)

FLOWS = (
    Flow("0.1", 160, (0.996, 0.998), 20, 0.945, 1024,
         Published(0.6712, 0.6815, "0.676-0.678", 0.6804), Published(0.0955, 0.0977, "0.0973-0.0976", 0.0972),
         (-0.04410, -0.08163, -0.08970, -0.08954, -0.08352, -0.06948, -0.04172, 0.00834, 0.09060, 0.21216,
          0.28845, 0.37971)),
    Flow("1", 160, (0.996, 0.998), 20, 0.945, 6144,
         Published(0.6266, 0.6389, "0.625-0.631", 0.6406), Published(0.1017, 0.1039, "0.104-0.105", 0.1034),
         (-0.04664, -0.08070, -0.08994, -0.09238, -0.08939, -0.07803, -0.05178, -0.00060, 0.08793, 0.22610,
          0.31877, 0.44682)),
    Flow("10", 192, (0.990, 0.995), 18, 0.970, 8192,
         Published(0.4096, 0.4176, "0.412-0.415", 0.4259), Published(0.1427, 0.1451, "0.145", 0.1438),
         (-0.02820, -0.07116, -0.09594, -0.11594, -0.13027, -0.13282, -0.11147, -0.04689, 0.08710, 0.31990,
          0.48558, 0.73629)),
)  # fmt: skip


@dataclass(frozen=True)
class Plan:
    """The grids that a machine can do in minutes; tuples have one entry per flow."""

    grids: tuple  # [flow][order - 1]: cells along a side of the uniform grids, from coarse to fine
    side: tuple  # of the stretched grid
    end: tuple  # lambda0 / V0
    average: tuple  # first time that is averaged
    # The paper's conservation takes most of the time on a CPU and changes results by parts in a million; uniform
    # grids use the projection in both plans.
    conservation: str
    operator_side: int
    operator_nodes: int
    largest: int  # side of the largest grid of bench


_FINE, _THICK, _COARSE = (20, 40, 80, 160), (24, 48, 96, 192), (12, 16, 24, 32)
WHOLE = Plan(
    ((_FINE, _FINE[:3]), (_FINE, _FINE[:3]), (_THICK, _THICK[:3])),
    (160, 160, 192), (0.7, 7, 60), (0.5, 5, 40), "paper", 80, 12, 192,
)  # fmt: skip
REDUCED = Plan(((_COARSE, _COARSE[:3]),) * 3, (32, 32, 32), (0.6, 6, 60), (0.4, 4, 40), "projection", 32, 8, 96)
