"""knudsen.run starts the program, passes on its output, and stops on Ctrl-C."""

import contextlib
import gc
import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from unittest import mock

import numpy as np
from scene import CAVITY, PLATES, PROGRAM, ROOT, Test, finished, knudsen, main

from knudsen.program import dry_run

ENDLESS = {"time.end": 1e6, "output.fields": 0}


class Run(Test):
    def test_dict(self):
        case = {**PLATES, "space": {"cells": np.int64(6)}, "time": {"end": np.float64(0.25)}}
        case |= {"walls": {"right": {"velocity": np.array([0, 1, 0])}}, "output": {"vtk": False}}
        run = knudsen.run(case, out=self.folder / "a" / "b", program=PROGRAM)
        self.assertEqual(run.folder, self.folder / "a" / "b")
        self.assertEqual((len(run.x), run.time, run.case.output.vtk), (6, 0.25, False))
        self.assertEqual(run.case.walls.right.velocity, [0, 1, 0])

    def test_keys_over_the_case(self):
        over = {"gas.delta": 2.5, "space.cells": [3, 4], "space.cluster": ["low", "high"]}
        over |= {"collision.method": "shakhov", "time.end": np.float64(1e-05), "output.vtk": False}
        run = knudsen.run(CAVITY, set=over, program=PROGRAM)
        self.assertEqual((run.delta, run.fields["rho"].shape, run.case.output.vtk), (2.5, (4, 3), False))
        self.assertEqual((run.case.collision.method, run.case.time.end), ("shakhov", 1e-5))
        self.assertEqual(run.case.space.cluster[:2], ["low", "high"])

    def test_series_that_starts_later(self):
        run = knudsen.run(CAVITY, set={"output.fields_start": 0.5}, program=PROGRAM)
        np.testing.assert_allclose(run.series.times, [0.5, 0.75, 1], atol=run.summary.time_step)
        np.testing.assert_array_equal(run.series[-1].fields["u"], run.fields["u"])

    def test_file(self):
        over = {"space.cells": 6, "velocity.nodes": 4, "collision.method": "bgk", "time.end": 0.1}
        over |= {"gas.delta": 3}
        run = knudsen.run(ROOT / "cases" / "couette" / "case.yaml", set=over, program=PROGRAM)
        self.assertEqual((run.delta, len(run.x)), (3, 6))

    def test_the_case_of_a_run_runs_again(self):
        first = finished(CAVITY)
        again = knudsen.run(first.case, program=PROGRAM)
        np.testing.assert_array_equal(again.fields["u"], first.fields["u"])
        self.assertEqual(again.case, first.case)

    def test_ranks(self):
        ranks = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        ranks |= {"OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}
        doctor = subprocess.run([PROGRAM, "doctor"], capture_output=True, text=True, check=True).stdout
        if "the only rank" not in doctor:
            self.skipTest("built without MPI")
        with mock.patch.dict(os.environ, ranks):
            run = knudsen.run(CAVITY, program=PROGRAM, launcher="mpirun -n 3")
            self.assertEqual(run.summary.ranks, 3)
            np.testing.assert_array_equal(run.fields["u"], finished(CAVITY).fields["u"])
            call = {"program": PROGRAM, "launcher": ["mpirun", "-n", "2"], "set": {"gas.delta": -1}}
            error = self.refuses("gas.delta: -1 is out of range", knudsen.run, CAVITY, **call)
        self.assertNotIn("---", str(error))

    def test_temporary_folder_goes_with_the_run(self):
        run = knudsen.run(PLATES, program=PROGRAM)
        folder, series = run.folder, run.series
        del run
        gc.collect()
        self.assertEqual(series[-1].time, 1)  # somebody may still read from it
        del series
        gc.collect()
        self.assertFalse(folder.exists())

    def test_progress(self):
        heard = []
        knudsen.run(CAVITY, out=self.folder, program=PROGRAM, progress=heard.append)
        self.assertEqual([entry["event"] for entry in heard][:: len(heard) - 1], ["start", "end"])
        self.assertIn("progress", [entry["event"] for entry in heard])
        self.assertEqual(heard[0]["cells"], 80)
        self.assertEqual(heard[-1]["outcome"], "end time")


    def test_line_that_follows(self):
        with contextlib.redirect_stderr(io.StringIO()) as said:
            knudsen.run(CAVITY, program=PROGRAM, progress=True)
        lines = said.getvalue().split("\r")[1:]
        self.assertRegex(lines[0], "^step 0/71  t = 0 ")
        self.assertRegex(lines[-1], "^end time: step 71, t = 1 *\n$")
        with contextlib.redirect_stderr(io.StringIO()) as said:
            knudsen.program._show({"event": "assembly", "part": 0.125})  # seconds of work, if it were real
            knudsen.program._show({"event": "note", "text": "not for this line"})
        self.assertRegex(said.getvalue(), "^\rpreparing, 12 % *$")


class Failure(Test):
    def test_has_the_words_of_the_program(self):
        call = {"out": self.folder / "never", "program": PROGRAM}
        error = self.refuses("gas.omga: unknown key", knudsen.run, {"gas": {"omga": 1}}, **call)
        self.assertEqual(str(error), "gas.omga: unknown key (did you mean gas.omega?)")
        self.assertEqual(error.code, 2)
        self.refuses("gas.delta: -1 is out of range", knudsen.run, {"gas": {"delta": -1}}, **call)
        self.refuses("--set gas.x=1: gas.x: unknown key", knudsen.run, CAVITY, set={"gas.x": 1}, **call)
        self.refuses("nowhere.yaml", knudsen.run, "nowhere.yaml", **call)
        with self.assertRaisesRegex(TypeError, "has no place in a case"):
            knudsen.run({"gas": {"delta": 1j}}, **call)
        self.assertFalse((self.folder / "never").exists())

    def test_names_lines_of_files(self):
        path = self.folder / "case.yaml"
        path.write_text("gas:\n  omga: 1\n")
        error = self.refuses("unknown key", knudsen.run, path, program=PROGRAM)
        self.assertTrue(str(error).startswith(f"{path}:2:3: gas.omga"), error)

    def test_of_writing(self):
        (self.folder / "file").write_text("")
        error = self.refuses("file", knudsen.run, PLATES, out=self.folder / "file", program=PROGRAM)
        self.assertEqual(error.code, 4)

    def test_unfinished_run_is_kept(self):
        call = {"case": CAVITY, "out": self.folder, "program": PROGRAM}
        error = self.refuses("run.walltime", knudsen.run, set={**ENDLESS, "run.walltime": 0.2}, **call)
        self.assertEqual(error.code, 130)
        self.assertFalse(knudsen.open(self.folder).finished)
        stopped = knudsen.open(self.folder).summary.steps
        self.refuses("holds a run that stopped before its end", knudsen.run, **call)
        run = knudsen.run(**call, set={**ENDLESS, "time.max_steps": stopped + 10}, resume=True)
        self.assertEqual((run.step, run.finished), (stopped + 10, True))
        stop = {**ENDLESS, "run.walltime": 0.2}
        self.refuses("run.walltime", knudsen.run, set=stop, overwrite=True, **call)
        self.assertEqual(knudsen.run(**call, overwrite=True).time, 1)

    def test_of_the_listener_stops_the_program(self):
        def listen(entry):
            if entry["event"] == "progress":
                raise ValueError("enough")

        with self.assertRaisesRegex(ValueError, "enough"):
            knudsen.run(CAVITY, out=self.folder, set=ENDLESS, program=PROGRAM, progress=listen)
        self.assertEqual(knudsen.open(self.folder).summary.outcome, "interrupted")


class Interruption(Test):
    SCRIPT = """
import json, sys
sys.path.insert(0, sys.argv[1])
import knudsen
try:
    knudsen.run(json.loads(sys.argv[3]), out=sys.argv[4], set=json.loads(sys.argv[5]), program=sys.argv[2],
                progress=lambda entry: print(entry["event"], flush=True))
except KeyboardInterrupt:
    print("interrupted", knudsen.open(sys.argv[4]).summary.outcome, flush=True)
"""

    def test_reaches_the_program(self):
        """Also if only Python receives the signal, as in a notebook."""
        words = [ROOT / "python", PROGRAM, json.dumps(CAVITY), self.folder / "out", json.dumps(ENDLESS)]
        child = subprocess.Popen(
            [sys.executable, "-B", "-c", self.SCRIPT, *map(str, words)], stdout=subprocess.PIPE, text=True
        )
        self.addCleanup(child.stdout.close)
        for line in child.stdout:
            if line == "progress\n":
                child.send_signal(signal.SIGINT)
                break
        rest = child.stdout.read()
        self.assertEqual(child.wait(), 0)
        self.assertTrue(rest.endswith("interrupted interrupted\n"), rest)
        self.assertTrue((self.folder / "out" / "checkpoint-a.h5").exists())
        log = (self.folder / "out" / "run.log").read_text()
        self.assertIn(" stop, ", log.splitlines()[-1])  # the program has ended, not Python alone


class Program(Test):
    def test_is_found(self):
        fake = self.folder / "bin" / "knudsen"
        fake.parent.mkdir()
        fake.write_text("#!/bin/sh\nexit 3\n")
        fake.chmod(0o755)
        with mock.patch.dict(os.environ, {"PATH": str(fake.parent)}):
            os.environ.pop("KNUDSEN", None)
            self.assertEqual(knudsen.find_program(), str(fake))
            self.refuses(f"{fake} ended with exit code 3", knudsen.run, PLATES, out=self.folder / "x")
            os.environ["KNUDSEN"] = str(PROGRAM)
            self.assertEqual(knudsen.find_program(), str(PROGRAM))
            self.assertEqual(knudsen.find_program(fake), str(fake))
            os.environ["KNUDSEN"] = "nowhere"
            self.refuses("nowhere, which $KNUDSEN names, is no program", knudsen.find_program)
        self.refuses("is no program that can be started", knudsen.find_program, self.folder)

    def test_may_be_killed(self):
        """The exit code is that of a shell; bytes that are no text do not matter."""
        fake = self.folder / "knudsen"
        fake.write_text("#!/bin/sh\nprintf 'knudsen: \\377' >&2\nkill -KILL $$\n")
        fake.chmod(0o755)
        for call in (knudsen.run, dry_run):
            error = self.refuses("\ufffd", call, self.folder / "case.yaml", program=fake)
            self.assertEqual(error.code, 128 + signal.SIGKILL)

    def test_paths_that_begin_with_a_dash(self):
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(self.folder)
        Path("-case.yaml").write_text(json.dumps(PLATES))
        self.assertEqual(dry_run("-case.yaml", program=PROGRAM)[0]["gas"]["delta"], 0.5)
        self.assertTrue(knudsen.run("-case.yaml", out="-out", program=PROGRAM).finished)

    def test_may_be_missing(self):
        package = self.folder / "elsewhere" / "python"  # a tree without build/
        package.mkdir(parents=True)
        (package / "knudsen").symlink_to(ROOT / "python" / "knudsen")
        with mock.patch.dict(os.environ, {"PATH": str(self.folder)}):
            os.environ.pop("KNUDSEN", None)
            with mock.patch("knudsen.program.__file__", str(package / "a" / "b")):
                self.refuses("not in PATH: build it", knudsen.find_program)


if __name__ == "__main__":
    main()
