"""The commands of README.md and docs/tutorial.md work as written, in their order."""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM, ROOT = (Path(word).resolve() for word in sys.argv[1:3])

# Commands that are not tested here: building, windows.
SKIPPED = re.compile(r"^(make|export|paraview)\b")

# Replaces the program: runs end after some steps. The cases have their own tests.
SHORT = f"""#!/bin/sh
case $1 in run | sweep) set -- "$@" --set time.max_steps=60 ;; esac
exec '{PROGRAM}' "$@"
"""


def blocks(path):
    """The fenced blocks of a page: language and text, with the line before each."""
    text = path.read_text(encoding="utf-8")
    for match in re.finditer(r"^```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        before = text[: match.start()].rstrip().rsplit("\n", 1)[-1]
        yield match.group(1), match.group(2), before


class Documents(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.folder / "python").symlink_to(ROOT / "python")
        (self.folder / "cases").symlink_to(ROOT / "cases")
        short = Path(self.enterContext(tempfile.TemporaryDirectory())) / "knudsen"
        short.write_text(SHORT, encoding="utf-8")
        short.chmod(0o755)
        self.environment = os.environ | {
            "PATH": f"{short.parent}:{os.environ['PATH']}",
            "MPLBACKEND": "Agg",
            "OMPI_ALLOW_RUN_AS_ROOT": "1",  # and more ranks than processors
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_rmaps_base_oversubscribe": "1",
            "OMPI_MCA_btl_vader_single_copy_mechanism": "none",  # some containers forbid it
        }

    def type(self, command):
        done = subprocess.run(
            command, shell=True, cwd=self.folder, env=self.environment, capture_output=True, text=True
        )
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout[-1000:]}{done.stderr[-1000:]}")
        return done.stdout

    def follow(self, page):
        typed = 0
        for language, text, before in blocks(ROOT / page):
            if language == "sh":
                for line in text.replace("\\\n", " ").splitlines():
                    if line.strip() and not SKIPPED.match(line):
                        self.type(line)
                        typed += 1
            elif language == "python":
                (self.folder / "typed.py").write_text(text, encoding="utf-8")
                self.type(f"{sys.executable} -B typed.py")
                typed += 1
            elif language == "yaml" and "mine.yaml" in before:
                (self.folder / "mine.yaml").write_text(text, encoding="utf-8")
        return typed

    def test_readme(self):
        self.assertGreater(self.follow("README.md"), 5)
        for name in ("results/mine/picture.png", "results/mine/report.html", "results/mine/fields.pvd", "lid.png"):
            self.assertGreater((self.folder / name).stat().st_size, 100, name)

    def test_tutorial(self):
        self.assertGreater(self.follow("docs/tutorial.md"), 12)
        for name in ("compare.png", "first.png", "results/first/report.html", "results/mine/picture.png"):
            self.assertGreater((self.folder / name).stat().st_size, 100, name)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
