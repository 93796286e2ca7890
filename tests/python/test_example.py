"""The example runs unchanged and writes its pictures."""

import os
import re
import subprocess
import sys

from matplotlib.image import imread
from scene import CAVITY, PROGRAM, ROOT, Test, knudsen, main


def blocks(path):
    """The Python code blocks of a document."""
    return re.findall(r"^```python\n(.*?)^```", path.read_text(), re.MULTILINE | re.DOTALL)


class Documents(Test):
    def run_text(self, text):
        environment = {**os.environ, "MPLBACKEND": "Agg", "KNUDSEN": str(PROGRAM)}
        environment["PYTHONPATH"] = str(ROOT / "python")
        command = [sys.executable, "-B", "-c", text]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_readme(self):
        first, sweep = blocks(ROOT / "python" / "README.md")
        brief = sweep.replace('"time.end": 4', '"time.end": 0.1')
        said = self.run_text(first + brief + "print(len(found.runs), found.failed)")
        self.assertIn("0.63", said)  # D for BGK at delta = 1
        self.assertTrue(said.endswith("6 {}\n"), said)
        self.assertGreater((self.folder / "lid.png").stat().st_size, 10000)

    def test_format(self):
        """The code of docs/format.md for reading with h5py alone."""
        (block,) = blocks(ROOT / "docs" / "format.md")
        knudsen.run(CAVITY, out=self.folder / "DIR", program=PROGRAM)
        said = self.run_text(block).splitlines()
        self.assertEqual([line.split()[0] for line in said], ["0", "18", "36", "54", "71"])


class Example(Test):
    def test_cavity(self):
        environment = {**os.environ, "MPLBACKEND": "Agg", "KNUDSEN": str(PROGRAM)}
        command = [sys.executable, "-B", ROOT / "python" / "examples" / "cavity.py", self.folder]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("drag of the lid D = 0.6", done.stdout)
        for name in ("field", "profile", "history", "sweep"):
            with self.subTest(picture=name):
                picture = imread(self.folder / f"{name}.png")
                self.assertGreater(min(picture.shape[:2]), 300)
                self.assertGreater((picture[..., :3].min(axis=-1) < 0.9).mean(), 0.01)  # not a blank page
        # The independent values for BGK in cases/cavity/README.md; 24 x 24 cells have an error of up to 3 % in G.
        for delta, drag, flow in ((0.1, 0.67945, 0.09735), (1, 0.63477, 0.10456), (10, 0.4188, 0.1447)):
            run = knudsen.open(self.folder / f"delta-{delta:g}")
            self.assertAlmostEqual(run.quantities.D / drag, 1, delta=0.005)
            self.assertAlmostEqual(run.quantities.G / flow, 1, delta=0.035)


if __name__ == "__main__":
    main()
