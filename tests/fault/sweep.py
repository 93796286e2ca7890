"""Let every call that can fail do so, one per run, and check the results of the program.

usage: sweep.py PROGRAM PRELOAD [--every N] [--jobs N] [--kind KIND]

A small run, one that is resumed, one that replaces an earlier run, a replacement that is completed by the next
run, a run that is resumed and thins its history, and knudsen report are repeated with one allocation, one
operation on files or one call of HDF5 that fails (fault.c says how).  Afterwards
- no signal has ended the program; a failure has its exit code and a message,
- an exit code of 0 means that the results are complete and right,
- no more blocks of memory are left than after a run without faults,
- a run that continues without faults ends with the same results as one that never failed.
"""

import argparse
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

CASE = """
gas: {species: argon, pressure: 8 kPa, temperature: 300 K}
space: {cells: 4, size: 2 um}
velocity: {grid: gauss, nodes: 4}
collision: {method: bgk}
walls: {right: {velocity: [0, 1 m/s, 0]}}
time: {max_steps: 6}
output: {history: 3, fields: 0.3, average: 0, checkpoint: 1e-9}
run: {backend: cpu}
"""
KINDS = ("memory", "library", "file", "hdf5")
THIN = ["--set", "output.history=auto", "--set", "output.fields=0", "--set", "output.checkpoint=1000",
        "--set", "time.end=1 s", "--set", "time.residual=0", "--set", "time.max_steps=20490"]  # the 2049th row is at 20480
SCENARIOS = {  # the folder that it begins with, and the words
    "run": (None, ["run", "case.yaml", "--quiet", "--out"]),
    "resume": ("half", ["run", "case.yaml", "--quiet", "--resume", "--out"]),
    "replace": ("other", ["run", "case.yaml", "--quiet", "--overwrite", "--out"]),
    "recover": ("cut", ["run", "case.yaml", "--quiet", "--resume", "--out"]),
    "thin": ("almost", ["run", "case.yaml", "--quiet", "--resume", *THIN, "--out"]),
    "report": ("whole", ["report"]),
}


class Sweep:
    def __init__(self, program, preload, work):
        self.program, self.preload, self.work = program, preload, work
        (work / "case.yaml").write_text(CASE)
        for name, steps in (("run", 6), ("half", 3)):
            self.run_well("run", "case.yaml", "--quiet", "--out", name, "--set", f"time.max_steps={steps}")
        shutil.copytree(work / "half", work / "resume")
        self.run_well("run", "case.yaml", "--quiet", "--out", "resume", "--resume")
        shutil.copytree(work / "run", work / "whole")
        self.run_well("run", "case.yaml", "--quiet", "--out", "other", "--set", "gas.pressure=4 kPa")
        shutil.copytree(work / "other", work / "cut")
        shutil.copytree(work / "run", work / "cut/.knudsen-new")
        (work / "cut/.knudsen-new/.clearing").touch()
        self.run_well("run", "case.yaml", "--quiet", "--out", "almost", *THIN, "--set", "time.max_steps=20470")
        shutil.copytree(work / "almost", work / "thin")
        self.run_well("run", "case.yaml", "--quiet", "--out", "thin", "--resume", *THIN)
        self.page = self.run_well("report", "whole") and (work / "whole/report.html").read_text()
        (work / "whole/report.html").unlink()

    def call(self, words, **faults):
        environment = dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", OMP_WAIT_POLICY="passive",
                           KNUDSEN_MPI="off", KNUDSEN_CASES="/nowhere", KNUDSEN_CACHE=str(self.work / "cache"))
        if faults:
            environment.update(faults, LD_PRELOAD=str(self.preload))
        return subprocess.run([self.program, *words], cwd=self.work, env=environment, capture_output=True, text=True,
                              timeout=300, errors="replace")

    def run_well(self, *words):
        done = self.call(words)
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(words)}: {done.stderr}")
        return done

    def count(self, kind, scenario):
        """The number of calls of a kind in a scenario without faults, and of memory blocks that are not freed."""
        folder = self.prepare(scenario, f"count-{kind}-{scenario}")
        told = self.work / f"count-{kind}"
        self.call(self.words(scenario, folder), FAULT_KIND=kind, FAULT_AT="0", FAULT_COUNT=str(told))
        shutil.rmtree(self.work / folder, ignore_errors=True)
        calls, self.left = map(int, told.read_text().split())
        return calls

    def prepare(self, scenario, folder):
        if SCENARIOS[scenario][0]:
            shutil.copytree(self.work / SCENARIOS[scenario][0], self.work / folder)
        return folder

    def words(self, scenario, folder):
        return [*SCENARIOS[scenario][1], folder]

    def differs(self, scenario, folder):
        """The first result that differs from the run without faults; None if all are the same."""
        good = self.work / ("run" if scenario in ("replace", "recover") else scenario)
        for name in ["history.csv", "fields.h5", *(f"fields/{file.name}" for file in good.glob("fields/*"))]:
            other = self.work / folder / name
            if not other.exists() or other.read_bytes() != (good / name).read_bytes():
                return f"{name} is not that of a good run"
        if list((self.work / folder).glob(".knudsen-new/*")):  # an empty folder does no harm
            return "files are left in .knudsen-new"
        return None if (self.work / folder / "summary.json").exists() else "there is no summary.json"

    def judge(self, scenario, folder, done):
        """The failure; None if there is none."""
        code = done.returncode
        if code not in (0, 2, 4):
            return f"exit code {code}: {done.stderr[-300:]}"
        if code != 0 and not done.stderr.strip():
            return f"exit code {code} without a message"
        if scenario == "report":
            page = self.work / folder / "report.html"
            if code != 0:
                return None
            text = page.read_text().replace(folder, "whole") if page.exists() else ""
            told = "cannot be read and are left out" in text  # files of a series may be missing
            return None if text == self.page or told else "another page"
        if code == 0:
            return self.differs(scenario, folder)
        again = self.go_on(scenario, folder)
        if again.returncode != 0:
            return f"it does not continue: {again.stderr[-300:]}"
        return self.differs(scenario, folder)

    def go_on(self, scenario, folder):
        words = self.words(scenario, folder)
        if scenario == "run" and list((self.work / folder).glob("checkpoint-?.h5")):
            words.append("--resume")
        elif scenario == "run":
            words.append("--overwrite")
        return self.call(words)

    def attempt(self, scenario, kind, at, on):
        folder = self.prepare(scenario, f"{scenario}-{kind}-{at}{'-on' if on else ''}")
        told = self.work / f"told-{folder}"
        faults = {"FAULT_KIND": kind, "FAULT_AT": str(at), "FAULT_COUNT": str(told), **({"FAULT_ON": "1"} if on else {})}
        try:
            wrong = self.judge(scenario, folder, self.call(self.words(scenario, folder), **faults))
            left = int(told.read_text().split()[1]) if told.exists() else 0
            if not wrong and left > self.left:
                wrong = f"{left} blocks of memory are left, {self.left} without faults"
            told.unlink(missing_ok=True)
        except subprocess.TimeoutExpired:
            wrong = "it does not end"
        shutil.rmtree(self.work / folder, ignore_errors=True)
        return wrong and f"FAIL  {scenario}, {kind} call {at}{' and later' if on else ''}: {wrong}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("preload", type=pathlib.Path)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--kind", choices=KINDS)
    parser.add_argument("--scenario", choices=SCENARIOS)
    options = parser.parse_args()
    failed = total = 0
    with tempfile.TemporaryDirectory() as work, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        sweep = Sweep(options.program.resolve(), options.preload.resolve(), pathlib.Path(work).resolve())
        for scenario in [options.scenario] if options.scenario else SCENARIOS:
            for kind in [options.kind] if options.kind else KINDS:
                points = sweep.count(kind, scenario)
                tried = [(at, on) for on in ([False, True] if kind == "file" else [False])
                         for at in range(1 + total % options.every, points + 1, options.every)]
                results = list(pool.map(lambda one: sweep.attempt(scenario, kind, *one), tried))
                wrong = [text for text in results if text]
                print(f"{scenario:7} {kind:8} {points:5} calls, {len(tried):5} failed in turn, {len(wrong)} not handled", flush=True)
                for text in wrong[:20]:
                    print(text, flush=True)
                failed += len(wrong)
                total += len(tried)
    print(f"{total} points tried, {failed} not handled")
    return 1 if failed or not total else 0


if __name__ == "__main__":
    sys.exit(main())
