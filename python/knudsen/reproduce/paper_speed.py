"""Figures 4 to 6 of the paper: speed-up, parts of a step, operations per second; measured by knudsen bench."""


def measure(job, plan, paper):
    """The paper's cavity on one thread, on all threads and on a GPU, for several sizes."""
    print("\nSpeed at delta = 1, the paper's velocity grid and samples", flush=True)
    paper.speed = job.ask("bench", f"--paper={plan.largest}", "--json")
    for entry in paper.speed:
        print(f"{entry['machine']:<16} {entry['cells']:6d} cells {1e3 * entry['step_s']:10.3f} ms per step", flush=True)


def _machines(paper):
    """Entries of each machine, by its name, in the order of measurement."""
    machines = {}
    for entry in paper.speed:
        machines.setdefault(entry["machine"], []).append(entry)
    return machines


def _last(paper):
    """The fastest machine, which is measured last."""
    return list(_machines(paper).items())[-1]


def _ratios(paper):
    """Cells and speed-up over one thread for each machine."""
    machines = _machines(paper)
    alone = next(iter(machines.values()))
    for name, entries in machines.items():
        yield name, entries, [one["step_s"] / entry["step_s"] for one, entry in zip(alone, entries)]


def _collision_s(entry):
    """The paper's collision step includes the drawing of samples."""
    return entry["sample_s"] + entry["collide_s"]


def _shares(entry):
    """Streaming and collisions; moments and other work are left out."""
    both = entry["stream_s"] + _collision_s(entry)
    return entry["stream_s"] / both, _collision_s(entry) / both


def _rates(entry):
    """GFLOP/s of streaming, of collisions and of both.

    The paper counts 11 operations per upwind update and 80 N_v + 12 N_t per cell for the collisions.
    """
    cells, nodes, samples = entry["cells"], entry["nodes"], entry["samples"]
    stream, collide = 11 * cells * nodes, cells * (80 * nodes + 12 * samples)
    work = ((stream, entry["stream_s"]), (collide, _collision_s(entry)), (stream + collide, entry["step_s"]))
    return [1e-9 * operations / seconds if seconds > 0 else 0 for operations, seconds in work]


def _ratio_data(paper):
    text = ""
    for name, entries, ratios in _ratios(paper):
        text += f"# {name}: N_r, seconds per step, time of one thread over it\n"
        text += "".join(f"{e['cells']} {e['step_s']:.6g} {ratio:.6g}\n" for e, ratio in zip(entries, ratios)) + "\n\n"
    return text


def _draw_ratios(figure, paper):
    axes = figure.subplots()
    machines = list(_ratios(paper))
    for (name, entries, ratios), marker in zip(machines[1:] or machines, "os"):
        axes.plot([e["cells"] for e in entries], ratios, marker=marker, markerfacecolor="none", label=name)
    axes.set(xlabel="cells $N_r$", ylabel="speed-up over one thread")
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0)
    axes.margins(y=0.15)
    axes.legend(loc="lower right")


def _part_data(paper):
    name, entries = _last(paper)
    text = f"# {name}: N_r, shares of streaming and of collisions with sampling, milliseconds per step\n"
    for entry in entries:
        stream, collide = _shares(entry)
        text += f"{entry['cells']} {stream:.6g} {collide:.6g} {1e3 * entry['step_s']:.6g}\n"
    return text


def _draw_parts(figure, paper):
    axes = figure.subplots()
    name, entries = _last(paper)
    places = range(len(entries))
    stream, collide = zip(*(_shares(entry) for entry in entries))
    bars = axes.bar(places, collide, 0.7, bottom=stream, color="#cccccc", edgecolor="#444444", label="collisions")
    axes.bar(places, stream, 0.7, color="#444444", edgecolor="#444444", label="streaming")
    axes.bar_label(bars, [f"{1e3 * entry['step_s']:.3g} ms" for entry in entries], padding=2)
    axes.set_xticks(places, [str(entry["cells"]) for entry in entries])
    axes.grid(axis="x", visible=False)
    axes.set(xlabel="cells $N_r$", ylabel=f"part of the step, {name}")
    axes.set_ylim(0, 1.25)
    axes.legend(loc="upper right", ncol=2)


def _rate_data(paper):
    name, entries = _last(paper)
    text = f"# {name}: N_r, GFLOP/s of streaming, of collisions, of both\n"
    for entry in entries:
        text += f"{entry['cells']} " + " ".join(f"{rate:.6g}" for rate in _rates(entry)) + "\n"
    return text


def _draw_rates(figure, paper):
    axes = figure.subplots()
    name, entries = _last(paper)
    cells = [entry["cells"] for entry in entries]
    lines = zip(("streaming", "collisions", "both"), ("o-", "s--", "^:"), zip(*(_rates(entry) for entry in entries)))
    for label, style, rates in lines:
        axes.plot(cells, rates, style, markerfacecolor="none", label=label)
    axes.set(xlabel="cells $N_r$", ylabel=f"GFLOP/s, {name}")
    axes.set_xlim(left=0)
    axes.set_ylim(0, 1.3 * max(max(_rates(entry)) for entry in entries))
    axes.legend(loc="upper left", ncol=3)


def write(job, paper):
    for name, title, data, draw in (
        ("fig4", "Fig. 4: speed-up over one thread", _ratio_data, _draw_ratios),
        ("fig5", "Fig. 5: parts of the time of a step", _part_data, _draw_parts),
        ("fig6", "Fig. 6: GFLOP/s as the paper counts", _rate_data, _draw_rates),
    ):
        job.figure(name, title, data(paper), lambda figure, draw=draw: draw(figure, paper), (6.4, 4))
