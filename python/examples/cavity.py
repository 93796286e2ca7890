# A driven cavity from Python: run it, look at it, change how rarefied the gas is.
#
#     python3 python/examples/cavity.py [FOLDER]       pictures into FOLDER (default: results/cavity-python)
#
# Editors that know `# %%` (VS Code, Spyder, PyCharm) and jupytext show this file as a notebook.

# %% Where things are
import sys
from pathlib import Path

try:
    import knudsen
except ImportError:  # not installed: the package lies beside this folder
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    import knudsen

import matplotlib.pyplot as plt

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "results/cavity-python")
folder.mkdir(parents=True, exist_ok=True)

# %% The case: a square box whose lid moves to the right; cells are smaller at the walls
case = {
    "gas": {"delta": 1},  # L / lambda0; Kn = 0.8885 / delta
    "space": {"cells": [24, 24], "stretch": [0.9, 0.9], "cluster": ["both", "both"]},
    "velocity": {"nodes": [12, 12, 6]},
    "collision": {"method": "bgk"},  # "operator" has hard spheres
    "walls": {"top": {"velocity": [1, 0, 0]}},
    "time": {"end": 6, "residual": 1e-3},
    "output": {"fields": 0.5},
}
run = knudsen.run(case, out=folder / "delta-1", overwrite=True)
print(run)
print(f"drag of the lid D = {run.quantities.D:.4f}, flow of the vortex G = {run.quantities.G:.4f}")

# %% Speed and streamlines, and the temperature of a gas whose walls are all equally warm
figure, axes = plt.subplots(1, 2, figsize=(9.6, 3.9), layout="constrained")
knudsen.plot.field(run, "u", ax=axes[0])
knudsen.plot.field(run, "theta", ax=axes[1], lines="q")
axes[0].set_title("speed and streamlines")
axes[1].set_title("temperature and lines of heat flux")
figure.savefig(folder / "field.png", dpi=150)

# %% Velocity on the vertical midline, from the start of the lid to the steady state
ax = knudsen.plot.compare(run.series[:7], "ux", along="y", x=0.5)
ax.set_title("velocity on the midline")
ax.figure.savefig(folder / "profile.png", dpi=150)

# %% How D and G settle
ax = knudsen.plot.history(run)
ax.figure.savefig(folder / "history.png", dpi=150)

# %% From nearly free flight to nearly a liquid
def at_delta(delta):
    over = {"gas.delta": delta, "time.end": 6 * delta, "output.fields": 0}
    return knudsen.run(case, out=folder / f"delta-{delta:g}", set=over, overwrite=True)


deltas = [0.1, 1, 10]
sweep = [at_delta(0.1), run, at_delta(10)]
figure, axes = plt.subplots(1, 2, figsize=(9.6, 3.9), layout="constrained")
knudsen.plot.compare(sweep, "ux", along="y", ax=axes[0])
axes[1].plot(deltas, [each.quantities.D for each in sweep], "o-", label="D")
axes[1].plot(deltas, [each.quantities.G for each in sweep], "s-", label="G")
axes[1].plot(deltas, [0.67945, 0.63477, 0.4188], "k+", markersize=11, label="cases/cavity")
axes[1].plot(deltas, [0.09735, 0.10456, 0.1447], "k+", markersize=11)
axes[1].set(xscale="log", xlabel=r"$\delta$", ylim=(0, 0.75))
axes[1].legend(frameon=False)
figure.savefig(folder / "sweep.png", dpi=150)
print(f"pictures are in {folder}")
plt.show()
