"""Oscillations of time.mode: frequency: fields, damping, snapshots of the period, pictures and animations."""

import subprocess
import tempfile
import unittest
from pathlib import Path

import h5py
import numpy as np
from PIL import Image

from scene import PROGRAM, knudsen, main

PLATE = {
    "gas": {"species": "argon", "pressure": "8 kPa", "temperature": "300 K"},
    "space": {"cells": 12, "size": ["1 um", 1, 1]},
    "velocity": {"nodes": 8},
    "collision": {"method": "bgk"},
    "walls": {"right": {"oscillation": {"velocity": [0, "2 m/s", 0], "frequency": "20 MHz", "phase": 0.3}}},
    "time": {"mode": "frequency"},
    "output": {"vtk": False},
}


class Frequency(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.run_ = knudsen.run(PLATE, out=Path(cls.folder.name) / "plate", program=PROGRAM)

    @classmethod
    def tearDownClass(cls):
        cls.run_.close()
        cls.folder.cleanup()

    def plot(self, *words):
        return subprocess.run([PROGRAM, "plot", self.run_.folder, *words], capture_output=True, text=True, check=False)

    def test_fields_are_those_at_time_0(self):
        for name in ("uy", "Pxy", "qy"):
            found = self.run_.amplitude[name] * np.cos(self.run_.phase[name])
            np.testing.assert_allclose(found, self.run_.fields[name], atol=1e-12)
        self.assertEqual(self.run_.amplitude.unit("uy"), "V0 eps")
        self.assertEqual(self.run_.phase.unit("uy"), "rad")

    def test_period(self):
        quarter = self.run_.period(4)[1]
        found = -self.run_.amplitude["uy"] * np.sin(self.run_.phase["uy"])
        np.testing.assert_allclose(quarter.fields["uy"], found, atol=1e-12)
        self.assertAlmostEqual(quarter.si.time / 12.5e-9, 1, places=9)
        np.testing.assert_allclose(quarter.si.fields["uy"], found * self.run_.si.scales.velocity, rtol=1e-9)

    def test_amplitudes_are_differences(self):
        """The amplitude of the temperature has no zero of a scale."""
        np.testing.assert_allclose(
            self.run_.si.amplitude["theta"], 300 * self.run_.amplitude["theta"], rtol=1e-9, atol=1e-30
        )

    def test_stress_at_the_wall_follows_from_the_history_of_a_run_in_time(self):
        """Amplitude, phase, damping and added mass, which the fit computes for steps in time."""
        slow = {"time.mode": "unsteady", "time.end": "400 ns", "output.average": "200 ns"}
        in_time = knudsen.run(PLATE, set=slow, program=PROGRAM).summary
        own = self.run_.summary
        for name in ("damping", "added_mass", "damping_si", "added_mass_si"):
            values = [summary["moving_walls"]["right"][name] for summary in (own, in_time)]
            self.assertAlmostEqual(values[0] / values[1], 1, delta=0.01, msg=name)
        stress = own["oscillation"]["right.stress_y"]
        speed = self.run_.case.walls.right.oscillation.velocity[1]
        impedance = -stress["amplitude"] / speed * np.exp(1j * stress["phase"])
        wall = own["moving_walls"]["right"]
        self.assertAlmostEqual(wall["damping"], impedance.real, places=9)
        self.assertAlmostEqual(wall["added_mass"] * self.run_.frequency, impedance.imag, places=9)

    def test_pictures(self):
        done = self.plot("-o", str(self.run_.folder / "amplitudes.svg"))
        self.assertIn("amplitude along x; phase along x", done.stdout, done.stderr)
        done = self.plot("-k", "profile", "-o", str(self.run_.folder / "times.svg"))
        self.assertIn("profile of uy", done.stdout, done.stderr)
        done = self.plot("-q", "speed", "-o", str(self.run_.folder / "no.svg"))
        self.assertIn("speed has no amplitude", done.stderr)

    def test_animation(self):
        path = self.run_.folder / "period.gif"
        done = self.plot("-o", str(path))
        self.assertEqual(done.returncode, 0, done.stderr)
        with Image.open(path) as image:
            self.assertEqual(image.n_frames, 24)
        done = subprocess.run([PROGRAM, "plot", str(self.steady()), "-o", str(path)], capture_output=True, text=True)
        self.assertIn("has no series to animate", done.stderr)

    def steady(self):
        case = {**PLATE, "walls": {"right": {"velocity": [0, "2 m/s", 0]}}, "time": {}}
        return knudsen.run(case, out=Path(self.folder.name) / "steady", program=PROGRAM).folder

    def test_damaged_file(self):
        path = self.run_.folder.parent / "damaged"
        path.mkdir()
        (path / "fields.h5").write_bytes((self.run_.folder / "fields.h5").read_bytes())
        with h5py.File(path / "fields.h5", "r+") as file:
            del file["phase"]
        with self.assertRaisesRegex(knudsen.Error, "damaged"):
            knudsen.open(path).time

    def test_sweep_has_amplitudes_and_damping(self):
        vary = {"walls.right.oscillation.frequency": "500 kHz:50 MHz:3:log"}
        found = knudsen.sweep(PLATE, vary, program=PROGRAM)
        self.assertEqual(found["walls.right.oscillation.frequency [kHz]"], [500, 5000, 50000])
        damping = found["right.damping [Pa s m-1]"]
        self.assertTrue(all(a < b for a, b in zip(damping, damping[1:])), damping)
        self.assertNotIn("right.stress_y [Pa]", found.columns)  # the value at one time

    def test_sweep_over_two_surfaces(self):
        """A plate and a wire: one frequency, and columns and a figure of both."""
        swing = {"oscillation": {"velocity": ["2 m/s", 0, 0], "frequency": "20 MHz"}}
        case = {
            **PLATE,
            "space": {"cells": [10, 10], "size": ["1 um", "1 um"]},
            "velocity": {"nodes": 6},
            "walls": {"top": swing},
            "bodies": {"wire": {"cylinder": {"centre": ["0.5 um", "0.4 um"], "radius": "0.2 um"}, **swing}},
        }
        keys = "walls.top.oscillation.frequency,bodies.wire.oscillation.frequency"
        folder = Path(self.folder.name) / "two"
        found = knudsen.sweep(case, {keys: "5 MHz:50 MHz:2:log"}, out=folder, program=PROGRAM)
        own = found.runs[0].summary["moving_bodies"]["wire"]
        self.assertEqual(found["bodies.wire.damping [N s m-1 m-1]"][0], own["damping_si"])
        self.assertEqual(found["bodies.wire.added_mass [kg m-1]"][0], own["added_mass_si"])
        force = found.runs[0].summary["oscillation"]["bodies.wire.force_x"]
        self.assertEqual(found["bodies.wire.force_x amplitude [N m-1]"][0], force["amplitude_si"])
        self.assertAlmostEqual(own["damping_si"] / (force["amplitude_si"] / 2 * -np.cos(force["phase"])), 1, places=6)
        self.assertIn("top.damping [Pa s m-1]", found.columns)
        self.assertTrue((folder / "sweep.png").exists())


if __name__ == "__main__":
    main()
