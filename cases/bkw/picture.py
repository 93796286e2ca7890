"""Draws the fourth moment over time: knudsen verify bkw --json | python3 cases/bkw/picture.py cases/bkw/picture.svg"""

import json
import re
import sys

import numpy as np
from matplotlib.figure import Figure

points = []
for line in sys.stdin:
    row = json.loads(line)
    found = re.fullmatch(r"fourth@([0-9.]+)", str(row.get("quantity", "")))
    if found and row.get("value") is not None:
        points.append((float(found[1]), row["value"]))
figure = Figure(figsize=(6.6, 4.1), layout="constrained")
ax = figure.subplots()
time = np.linspace(0, 3.1, 100)
ax.semilogy(time, np.exp(-2 * time / 3), color="#0b559f", label=r"exact: exp($-2 t / 3$)")
ax.plot(*np.transpose(points), "o", color="#d55e00", label="Knudsen, 8 nodes per axis")
ax.set(xlabel=r"$t$ / ($\lambda_0 / V_0$)", ylabel="fourth moment beyond equilibrium, over that at 0", xlim=(0, 3.1))
ax.grid(color="0.88")
ax.legend(frameon=False)
figure.savefig(sys.argv[1], metadata={"Date": None})
