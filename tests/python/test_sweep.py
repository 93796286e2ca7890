"""Sweeps: values and points, the schedule of the runs, the table, and knudsen.sweep."""

import csv
import gc
import threading
import time
from types import SimpleNamespace
from unittest import mock

import numpy as np
from scene import PLATES, PROGRAM, SAMPLED, Test, knudsen, main

from knudsen.schedule import Schedule, Stopped
from knudsen.sweeping import figure, kept, points, table

QUIET = {**PLATES, "output": {"vtk": False}}


class Values(Test):
    def test_lists(self):
        axis = points.axis("gas.pressure", "1 kPa, 2.5 kPa")
        self.assertEqual((axis.texts, axis.numbers, axis.unit), (["1 kPa", "2.5 kPa"], [1, 2.5], "kPa"))
        self.assertEqual(axis.column, "gas.pressure [kPa]")
        axis = points.axis("walls.top.velocity", "[1, 0, 0],[2, 0, 0]")
        self.assertEqual((axis.texts, axis.numbers), (["[1, 0, 0]", "[2, 0, 0]"], None))
        self.assertIsNone(points.axis("gas.pressure", "1 kPa,500 Pa").numbers)  # no common unit
        self.assertIsNone(points.axis("collision.method", "bgk,none").numbers)

    def test_ranges(self):
        self.assertEqual(points.axis("gas.delta", "0:1:5").numbers, [0, 0.25, 0.5, 0.75, 1])
        axis = points.axis("gas.delta", "100:0.01:5:log")
        np.testing.assert_allclose(axis.numbers, [100, 10, 1, 0.1, 0.01], rtol=1e-12)
        self.assertTrue(axis.logarithmic)
        self.assertEqual(points.axis("a", "1e3 Pa:3e3 Pa:2").texts, ["1e3 Pa", "3e3 Pa"])  # ends as they are given
        axis = points.axis("gas.pressure", "100 Pa:10 kPa:3:log")
        self.assertEqual(axis.texts, ["100 Pa", "1000 Pa", "10000 Pa"])
        axis = points.axis("velocity.nodes", "8:12:3")
        self.assertEqual(axis.texts, ["8", "10", "12"])  # whole numbers for keys that need them

    def test_keys_with_the_same_values(self):
        found = points.make(points.read(["walls.left.oscillation.frequency, walls.right.oscillation.frequency=1,2"]))
        self.assertEqual(
            [point.settings for point in found],
            [{f"walls.{side}.oscillation.frequency": text for side in ("left", "right")} for text in "12"],
        )
        self.refuses("varied twice", points.make, points.read(["a,b=1,2", "b=3,4"]))

    def test_refused(self):
        bad = {"": "missing", "1,,2": "missing", "1,2,1": "twice"}
        bad |= {"a:2:3": "'a' is not a number", "1:b:3": "'b' is not a number"}
        bad |= {"1:2:1": "'1' is not", "1:2:x": "'x' is not", "1:1:3": "no length", "-1:1:3:log": "above 0"}
        bad |= {"1:2:3:lin": "'lin'", "1 Pa:2 K:3": "same unit"}
        for text, words in bad.items():
            self.refuses(words, points.axis, "gas.delta", text)
        self.refuses("expected KEY=", points.read, ["gas.delta"])
        self.refuses("varied twice", points.make, points.read(["a=1,2", "a=3,4"]))
        self.refuses("too many", points.make, points.read([f"{key}=0:1:100" for key in "abc"]))

    def test_points(self):
        found = points.make(points.read(["gas.pressure=1 kPa,2 kPa", "space.cells=8,16"]))
        self.assertEqual([point.indices for point in found], [(0, 0), (0, 1), (1, 0), (1, 1)])
        self.assertEqual(found[1].settings, {"gas.pressure": "1 kPa", "space.cells": "16"})
        self.assertEqual(found[1].name, "gas.pressure=1_kPa,space.cells=16")
        names = [point.name for point in points.make(points.read(["a=1/2,1*2,1_2"]))]  # alike as names of folders
        self.assertEqual(len(set(names)), 3)
        long = points.make(points.read([f"a=[{','.join(map(str, range(200)))}],2"]))
        self.assertLess(len(long[0].name), 200)


class Tasks(Test):
    def run_all(self, memories, jobs, room):
        """The largest number of tasks, and the largest memory, at the same time."""
        lock, now, most = threading.Lock(), [], [0, 0]

        def work(task):
            with lock:
                now.append(task)
                most[0], most[1] = max(most[0], len(now)), max(most[1], sum(other.memory for other in now))
            time.sleep(0.02)
            with lock:
                now.remove(task)
            return task.memory

        tasks = [SimpleNamespace(memory=memory) for memory in memories]
        results = [result for _, result, _ in Schedule(tasks, jobs, room).execute(work, lambda: None)]
        self.assertEqual(sorted(results), sorted(memories))
        return most

    def test_processors_and_memory(self):
        self.assertEqual(self.run_all([1] * 6, 3, 100), [3, 3])
        self.assertEqual(self.run_all([4] * 6, 3, 8), [2, 8])
        self.assertEqual(self.run_all([9, 1, 1], 3, 8)[1], 9)  # too large for the others, but it runs

    def test_an_error_does_not_stop_the_others(self):
        def work(task):
            if task.memory == 1:
                raise knudsen.Error("bad", 3)

        tasks = [SimpleNamespace(memory=number) for number in range(4)]
        errors = [error for _, _, error in Schedule(tasks, 2, 100).execute(work, lambda: None)]
        self.assertEqual([str(error) for error in errors if error], ["bad"])

    def test_an_interrupt_stops_all(self):
        stopped = []

        def work(task):
            try:
                while True:
                    time.sleep(0.01)
                    schedule.check()
            except Stopped:
                stopped.append(task)
                raise

        def interrupt():
            raise KeyboardInterrupt

        tasks = [SimpleNamespace(memory=0) for _ in range(5)]
        schedule = Schedule(tasks, 2, 100)
        with self.assertRaises(KeyboardInterrupt):
            list(schedule.execute(work, interrupt))
        self.assertEqual(len(stopped), 2)  # the others were not started


class Kept(Test):
    def test_difference(self):
        case = {"gas": {"delta": 1}, "run": {"threads": 0, "seed": 1}, "collision": {"samples": "auto"}}
        same = {"gas": {"delta": 1}, "run": {"threads": 4, "seed": 1}, "collision": {"samples": 640}}
        self.assertIsNone(kept.difference(case, same))
        same["run"]["seed"] = 2
        self.assertEqual(kept.difference(case, same), ("run.seed", "1", "2"))


class Table(Test):
    def test_sampled_runs_have_errors(self):
        run = knudsen.run(SAMPLED, set={"time.end": 20}, program=PROGRAM)
        row = table.results(run.summary)
        self.assertEqual((row["D"], row["D error"]), (run.quantities.D, run.errors.D))
        self.assertEqual(row["top.stress_x error [p0 eps]"], run.errors.walls.top.stress[0])

    def test_columns_to_draw(self):
        rows = [{"left.stress_x [p0 eps]": x, "left.stress_y [p0 eps]": 2 * x, "right.stress_y [p0 eps]": 2 * x,
                 "left.heat_flux [p0 V0 eps]": x, "left.mass_flux [n0 V0 eps]": 0.0, "steps": 10} for x in (1.0, 2.0)]
        names = ["left.stress_x [p0 eps]", "left.stress_y [p0 eps]", "left.heat_flux [p0 V0 eps]"]
        sizes = {**rows[1], "D": 10}
        self.assertEqual(figure.choose(rows, sizes), names)  # no zeros, and of equal columns the first
        self.assertEqual(figure.choose([{**row, "D": row["steps"]} for row in rows], sizes), ["D"])

    def test_warnings(self):
        rows = [{"quality": "good", "error estimate": None}, {"quality": "warning", "error estimate": 0.136},
                {"quality": "warning", "error estimate": None}, {"verdict": "failed"}]
        self.assertEqual([table.warning(row) for row in rows], ["", "warning, estimated error 14 %", "warning", ""])

    def test_bodies_and_ports(self):
        flow = {"conductance": 2.0, "transmission": 0.5, "balance": 1e-9}
        found = {"walls": {}, "bodies": {"bar": {"force": [1.0, 2.0, 0.0], "heat": -3.0}},
                 "ports": {"inlet": {"mass_flow": 4.0, "stress": 5.0}}, "port_flow": flow}
        walls = {"left": {"kind": "diffuse"}, "bottom": {"kind": "diffuse"}, "back": {"kind": "periodic"}}
        case = {"space": {"cells": [40, 40, 1]}, "walls": walls}
        summary = {"quantities": found, "quantities_si": found, "case": case}
        row = table.results(summary)
        self.assertEqual((row["bodies.bar.force_y [N m-1]"], row["bodies.bar.heat [W m-1]"]), (2.0, -3.0))
        self.assertEqual((row["ports.inlet.stress [Pa]"], row["port_flow.conductance [m3 s-1 m-1]"]), (5.0, 2.0))
        self.assertEqual(table.results(summary, si=False)["ports.inlet.mass_flow [n0 V0 lambda0^2 eps]"], 4.0)
        rows = [{name: value * size for name, value in row.items()} for size in (1, 2)]
        self.assertEqual(figure.choose(rows, row)[:2], ["port_flow.conductance [m3 s-1 m-1]", "port_flow.transmission [1]"])
        walls["back"] = {"kind": "diffuse"}  # one cell between walls has a length
        self.assertEqual(table.results(summary)["bodies.bar.heat [W]"], -3.0)


class Sweep(Test):
    def test_dict(self):
        vary = {"gas.delta": [0.5, 1], "walls.right.velocity": [np.array([0, 1, 0]), [0, 2, 0]]}
        seen = []
        found = knudsen.sweep(QUIET, vary, self.folder / "a", {"time.end": 0.5}, PROGRAM, jobs=2, progress=seen.append)
        self.assertEqual((len(found), len(seen), found.failed), (4, 4, {}))
        self.assertEqual(found["gas.delta"], [0.5, 0.5, 1, 1])
        for run, delta, stress in zip(found.runs, found["gas.delta"], found["right.stress_y [p0 eps]"]):
            self.assertEqual((run.delta, run.time), (delta, 0.5))
            self.assertEqual(run.quantities.walls.right.stress[1], stress)
        with (self.folder / "a" / "table.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([float(row["gas.delta"]) for row in rows], [0.5, 0.5, 1, 1])
        np.testing.assert_allclose([float(row["right.stress_y [p0 eps]"]) for row in rows],
                                   found["right.stress_y [p0 eps]"], rtol=1e-8)

    def test_temporary_folder(self):
        found = knudsen.sweep(QUIET, {"gas.delta": "1:2:2"}, set={"time.end": 0.2}, program=PROGRAM)
        self.assertTrue((found.folder / "sweep.png").exists())
        folder = found.folder
        del found
        gc.collect()
        self.assertFalse(folder.exists())

    def test_a_failed_point_has_a_message(self):
        found = knudsen.sweep(QUIET, {"velocity.nodes": [7, 8]}, set={"time.end": 0.2}, program=PROGRAM)
        self.assertIn("odd", found.failed["velocity.nodes=7"])
        self.assertIsNone(found.runs[0])
        self.assertEqual(found["verdict"][0], "failed")
        self.refuses("odd", knudsen.sweep, QUIET, {"velocity.nodes": [7, 9]}, program=PROGRAM)  # all of them

    def test_a_gpu_has_one_run_at_a_time(self):
        from knudsen.sweeping.sweep import Work

        work = Work(QUIET, points.read(["gas.delta=1,2,3,4"]), program=PROGRAM)
        work.prepare()
        with mock.patch("knudsen.sweeping.sweep.processors", return_value=3):
            self.assertEqual(work.default_jobs(), 3)
            work.points[0].plan["device_bytes"] = 1
            self.assertEqual(work.default_jobs(), 1)


if __name__ == "__main__":
    main()
