"""Table 1 of the paper and the slopes of its Fig. 1: table1.txt, table1.csv, and in Markdown."""

import math

from .paper_data import CELLS, FLOW, FLOWS, QUANTITIES, WALL

# Order and quantity of the columns of slopes.
_SLOPES = ((1, CELLS), (1, WALL), (1, FLOW), (2, WALL), (2, FLOW))


def _percent(value, of):
    return f"{100 * (value / of - 1):+6.1f} %"


def _quantity_text(paper, quantity):
    title = (
        "D, shear stress in the cells at the lid, as in the paper",
        "D, shear stress on the lid itself",
        "G, flow of the vortex",
    )[quantity]
    name = "G" if quantity == FLOW else "D"
    text = f"\n{title}\n{'':33}{name:<24}{name}_e\n"
    text += f"{'delta':>6} {'cells':>8} {'here':>9} {'+-':>8} {'paper':>8} {'off':>8} {'here':>9} {'paper':>8}"
    text += f" {'off':>8} {'BGK (VVS08)':>14} {'exact':>8}\n"
    for flow, point, studies in zip(FLOWS, paper.stretched, paper.studies):
        known, limit = flow.published(quantity), studies[0].limit[quantity]
        value, error, cells = point.value[quantity], point.error[quantity], f"{point.side}x{point.side}"
        text += f"{flow.delta:>6} {cells:>8} {value:9.4f} {error:8.5f} {known.paper:8.4f}"
        text += f" {_percent(value, known.paper)} {limit:9.4f} {known.limit:8.4f} {_percent(limit, known.limit)}"
        text += f" {known.bgk:>14} {known.exact:8.4f}\n"
    return text


def _slopes_text(paper):
    text = (
        "\nFig. 1: slope of log error over log h, against the extrapolated limit; and p of a + b h^p through the\n"
        "finest three grids, which assumes no limit (- where they do not lie on such a curve)\n"
        f"{'':6} {'order 1: D cells':>16} {'D lid':>16} {'G':>16} {'order 2: D lid':>18} {'G':>16}\n{'delta':>6}"
    )
    widths = [8, 8, 8, 10, 8]
    text += "".join(f"{'slope':>{width}} {'p':>8}" for width in widths) + "\n"
    for flow, studies in zip(FLOWS, paper.studies):
        text += f"{flow.delta:>6}"
        for (order, quantity), width in zip(_SLOPES, widths):
            study = studies[order - 1]
            free = study.free_order[quantity]
            text += f"{study.slope[quantity]:{width}.2f} " + (f"{'-':>8}" if math.isnan(free) else f"{free:8.2f}")
        text += "\n"
    text += "\nOrder 2, extrapolated in h^2\n"
    text += f"{'delta':>6} {'D_e lid':>8} {'D exact':>9} {'G_e':>8} {'G exact':>9}\n"
    for flow, studies in zip(FLOWS, paper.studies):
        drag, vortex = studies[1].limit[WALL], studies[1].limit[FLOW]
        text += f"{flow.delta:>6} {drag:8.4f} {flow.drag.exact:9.4f} {vortex:8.4f} {flow.flow.exact:9.4f}\n"
    return text


def _text(paper):
    note = ": its own D and G are from 160x160 (delta 10: 192x192) cells, stretched" if paper.reduced else ""
    text = f"Table 1 of the paper, on {paper.machine}{note}\n"
    return text + "".join(_quantity_text(paper, quantity) for quantity in QUANTITIES) + _slopes_text(paper)


def _csv(paper):
    text = "delta,quantity,cells,value,statistical_error,paper,limit,limit_paper,slope,order,slope_order_2,bgk,exact\n"
    for flow, point, (first, second) in zip(FLOWS, paper.stretched, paper.studies):
        for quantity, name in zip(QUANTITIES, ("D cells", "D lid", "G")):
            known = flow.published(quantity)
            text += f"{flow.delta},{name},{point.side**2},{point.value[quantity]:.6f},{point.error[quantity]:.6f},"
            text += f"{known.paper:.4f},{first.limit[quantity]:.6f},{known.limit:.4f},{first.slope[quantity]:.3f},"
            text += f"{first.free_order[quantity]:.3f},{second.slope[quantity]:.3f},{known.bgk},{known.exact:.4f}\n"
    return text


def _rows(head, rows):
    """A table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def _drag_rows(paper):
    for flow, point, studies in zip(FLOWS, paper.stretched, paper.studies):
        limit, known = studies[0].limit, flow.drag
        numbers = (point.value[CELLS], known.paper, limit[CELLS], known.limit, point.value[WALL], limit[WALL])
        size = f"{point.side} x {point.side}"
        yield [flow.delta, size, *(f"{number:.4f}" for number in numbers), known.bgk, f"{known.exact:.4f}"]


def _flow_rows(paper):
    for flow, point, studies in zip(FLOWS, paper.stretched, paper.studies):
        known = flow.flow
        numbers = (point.value[FLOW], known.paper, studies[0].limit[FLOW], known.limit)
        size = f"{point.side} x {point.side}"
        yield [flow.delta, size, *(f"{number:.4f}" for number in numbers), known.bgk, f"{known.exact:.4f}"]


def _slope_rows(paper):
    for flow, studies in zip(FLOWS, paper.studies):
        cells = [(studies[order - 1].slope[q], studies[order - 1].free_order[q]) for order, q in _SLOPES]
        yield [flow.delta, *(f"{slope:.2f} ({free:.2f})" for slope, free in cells)]


def markdown(paper):
    head = "delta|cells|D in cells|D paper|D_e in cells|D_e paper|D at lid|D_e at lid|D BGK (VVS08)|D exact"
    text = "## Table 1\n\n" + _rows(head.split("|"), _drag_rows(paper))
    head = "delta|cells|G|G paper|G_e|G_e paper|G BGK (VVS08)|G exact"
    text += "\n" + _rows(head.split("|"), _flow_rows(paper))
    text += "\nSlopes of the errors over the size of the cells, and in brackets p of a + b h^p through the finest three "
    text += "grids:\n\n"
    head = "delta|D in cells|D at lid|G|order 2: D at lid|order 2: G"
    return text + _rows(head.split("|"), _slope_rows(paper))


def write(job, paper):
    text = _text(paper)
    print(f"\n{text}", end="", flush=True)
    job.text("table1.txt", text)
    job.text("table1.csv", _csv(paper))
